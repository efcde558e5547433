# Others who rewrite the architectures after the call are noticed.
configure(SAYS "the architectures of a were changed after cuda_fatbin_targets\\(\\): CUDA_ARCHITECTURES was \"90\" and is \"75\"" NOT_SAYS
          "architectures of b were changed" "behind CMake's back")
configure(WITH "-DMORE_FLAGS=-gencode arch=compute_80,code=sm_80" SAYS "behind CMake's back")
configure(WITH -DMORE_FLAGS= -DWITH_TORCH=ON SAYS "options of b hold \"-gencode arch=compute_75.* find_package\\(Torch\\)")
# The list of cuda_archs_init() still counts for the targets that are named, and who took it away from the others is told.
configure(WITH -DWITH_INIT=ON -DWITH_TORCH=OFF NOT_SAYS "CMAKE_CUDA_ARCHITECTURES was changed" SAYS
          "late: 90 -> 90 \\(decided by cuda_archs_init")
configure(WITH -DWITH_INIT=ON -DWITH_TORCH=ON SAYS "late: 90 -> 90 \\(decided by cuda_archs_init"
          "CMAKE_CUDA_ARCHITECTURES was changed after cuda_archs_init\\(\\): it was \"90\" and is \"OFF\"")
configure(WITH -DWITH_INIT=OFF -DWITH_TORCH=OFF -DWITH_PART=ON NOT_SAYS "was changed after cuda_archs_init" SAYS
          "part: RTX 3090 -> 86|part: 86")
configure(WITH -DWITH_PART=OFF -DDRIVER=580 SAYS "DRIVER 580 of b says nothing without GPUS" NOT_SAYS "DRIVER 580 of a"
          "was changed after cuda_archs_init")
# CMake's own native of a target that nobody names: 3.25 refuses it where no GPU is, newer ones build nvcc's default in silence.
set(no_gpu "PATH=${FAKES}/gpus/none:$ENV{PATH}" CUDA_VISIBLE_DEVICES=-1)
set(fails "")
execute_process(COMMAND "${TESTED_CMAKE}" --version OUTPUT_VARIABLE version)
if(version MATCHES "version 3[.]2[5-7]")
  set(fails FAILS)
endif()
configure(${fails} WITH -UDRIVER -DOTHERS=native ENV ${no_gpu} SAYS
          "CUDA_ARCHITECTURES of other is \"native\", and this machine has no GPU")
configure(WITH -DOTHERS=90 ENV ${no_gpu} NOT_SAYS "is \"native\"")
# A name that only looks right does nothing, and is said to.
configure(WITH -UOTHERS -DCUDA_ARCHITECTURES=80 SAYS "CUDA_ARCHITECTURES=80 was given, which CMake does not read"
          "-DCMAKE_CUDA_ARCHITECTURES=.80. and -UCUDA_ARCHITECTURES")
