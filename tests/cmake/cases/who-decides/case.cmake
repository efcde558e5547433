# Highest first: the call, the user's CMAKE_CUDA_ARCHITECTURES, CUDAARCHS, CUDA_ARCH_GUARD_*, the local GPUs.
set(nobody "PATH=${FAKES}/gpus/none:$ENV{PATH}")
set(machine "PATH=${FAKES}/gpus/old-and-new:$ENV{PATH}")

# Nobody said anything: what project() cached by itself is nobody's wish.
configure(FAILS ENV ${nobody} SAYS "a GPU in this machine, since native was asked for")
configure(ENV ${machine} SAYS "kernels: native -> 90 \\(decided by the GPUs of this machine" "6.1 is skipped")
configure(WITH "-DCUDA_ARCH_GUARD_GPUS=RTX 3090" ENV ${machine} SAYS "kernels: RTX 3090 -> 86 \\(decided by CUDA_ARCH_GUARD")
configure(WITH "-DCALL=ARCHS,80-real,PTX,NONE" SAYS
          "kernels: 80-real -> 80-real \\(decided by the call's arguments\\) -- CUDA_ARCH_GUARD_GPUS: not required here")

# Edited in the cache afterwards: now it is somebody's wish. A list in CMake's own variable means exactly what it says: no PTX is added.
configure(WITH -DCMAKE_CUDA_ARCHITECTURES=87-real -UCALL -UCUDA_ARCH_GUARD_GPUS ENV ${machine} SAYS
          "kernels: 87-real -> 87-real \\(decided by -D CMAKE_CUDA_ARCHITECTURES=87-real")
# PTX with a letter is for the GPUs of that letter: no fallback, and said to be none; beside plain PTX there is nothing to say.
configure(WITH "-DCMAKE_CUDA_ARCHITECTURES=80-real,90a-virtual" SAYS "kernels: 80-real; 90a-virtual -> 80-real 90a-virtual "
          "PTX of 90a serves the GPUs of its letter alone")
configure(WITH "-DCMAKE_CUDA_ARCHITECTURES=80,90a-virtual" NOT_SAYS "of its letter alone")
# The user's list and the call's differ: the user's is built, the call's is still required.
configure(WITH -DCMAKE_CUDA_ARCHITECTURES=87-real "-DCALL=ARCHS,80-real" SAYS
          "kernels: 80-real -> 87-real \\(decided by -D CMAKE_CUDA_ARCHITECTURES=87-real")
build()
verifier_log(log)
expect("the verifier's requirement" "${log}" "--require-sass 80 --require-ptx 80")

# native among GPUs: those that the toolkit builds for; without a GPU an error, also where a list is given and beside other GPUs.
configure(WITH -UCMAKE_CUDA_ARCHITECTURES -DCALL=GPUS,native ENV ${machine} SAYS "kernels: native -> 90 " "6.1 is skipped")
verifier_log(log)
build()
verifier_log(log)
expect("the verifier's requirement" "${log}" "--runs-on 9.0 [^\n]*libkernels.a")
configure(FAILS WITH -DCMAKE_CUDA_ARCHITECTURES=90 -DCALL=GPUS,native,H100 ENV ${nobody} SAYS "a GPU in this machine, since native was")

# CUDAARCHS: when the build folder is made, and also in later configurations without it.
file(REMOVE_RECURSE "${BUILD}")
configure(ENV CUDAARCHS=75-real ${machine} SAYS "kernels: 75-real -> 75-real \\(decided by the environment variable CUDAARCHS")
configure(ENV ${machine} SAYS "kernels: 75-real -> 75-real \\(decided by the environment variable CUDAARCHS")

# -D in a fresh folder, and the project's own set().
file(REMOVE_RECURSE "${BUILD}")
configure(WITH -DPROJECT_SETS=89-real ENV ${machine} SAYS
          "kernels: 89-real -> 89-real \\(decided by the project's CMAKE_CUDA_ARCHITECTURES=89-real")
configure(WITH -DPROJECT_SETS=89-real "-DCALL=ARCHS,90" SAYS "kernels: 90 -> 90 \\(decided by the call's arguments\\)")

# Whoever builds for other GPUs than this machine's is told that it will not run here.
file(REMOVE_RECURSE "${BUILD}")
configure(WITH "-DCALL=ARCHS,80-real" ENV "PATH=${FAKES}/gpus/one:$ENV{PATH}" NOT_SAYS "will not run")
configure(WITH "-DCALL=ARCHS,80-real" ENV "PATH=${FAKES}/gpus/old-and-new:$ENV{PATH}" SAYS
          "will not run on this machine's NVIDIA GeForce GTX 1080 \\(compute capability 6.1\\)"
          "will not run on this machine's NVIDIA H100")
