# native is honest: every local GPU that the toolkit builds for, or an error that says what to write. Never a silent default.
set(tools "${FAKES}/gpus")
file(COPY "${tools}/query/nvcc" DESTINATION "${WORK}/alone")
set(nvcc "CUDACXX=${WORK}/alone/nvcc")

configure(FAILS ENV "PATH=${tools}/none:$ENV{PATH}" ${nvcc} SAYS "expected: a GPU in this machine" "No devices were found"
          "fix: +name the GPUs that the binary is for, for example -DCMAKE_CUDA_ARCHITECTURES=\"80;90\"")
configure(ENV "PATH=${tools}/mixed:$ENV{PATH}" "CUDACXX=${tools}/query/nvcc" WITH "-DARGUMENTS=ARCHS,native,75-real,ON_UNSUPPORTED,DROP"
          SAYS "a GPU of 8.9 is skipped, since CUDA 12.9 does not build for it" "set to \\[75\\]")
configure(WITH -UARGUMENTS ENV "PATH=${tools}/old-and-new:$ENV{PATH}" ${nvcc} SAYS "a GPU of 6.1 is skipped, since CUDA 12.9"
          "set to \\[90\\]" "decided by the GPUs of this machine")
# The user's word comes first, in any spelling, also where the project has a default.
configure(ENV "PATH=${tools}/none:$ENV{PATH}" ${nvcc} WITH -DCMAKE_CUDA_ARCHITECTURES=8.0,sm_90a SAYS "set to \\[80-real;90a-real\\]"
          "decided by -D CMAKE_CUDA_ARCHITECTURES")
configure(WITH -UCMAKE_CUDA_ARCHITECTURES "-DARGUMENTS=GPUS,H100" ENV ${nvcc} SAYS "set to \\[90\\]" "decided by cuda_archs_init")
configure(FAILS WITH "-DARGUMENTS=ARCHES,90" ENV ${nvcc} SAYS "found: +\"ARCHES 90\"" "allowed: +\\[ARCHS")
# Set and empty is nobody's wish, and whose it is is said.
configure(FAILS WITH -UARGUMENTS -DCMAKE_CUDA_ARCHITECTURES= ENV ${nvcc} SAYS "an empty value, from -D, a preset or the cache"
          "remove it \\(-UCMAKE_CUDA_ARCHITECTURES\\)")
