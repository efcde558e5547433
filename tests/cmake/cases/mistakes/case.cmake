# What a user who makes a mistake reads: expected, found, allowed, the fix.
file(COPY "${FAKES}/gpus/query/nvcc" DESTINATION "${WORK}/alone")
function(mistake call)
  configure(FAILS ENV "CUDACXX=${WORK}/alone/nvcc" WITH "-DCALL=${call}" SAYS ${ARGN} "expected:" "found:" "allowed:" "fix:")
endfunction()

mistake("cuda_fatbin_targets(kernels ARCHS 61)" "architectures that CUDA 12.9 builds" "\"61\", which needs 61" "ON_UNSUPPORTED DROP")
mistake("cuda_fatbin_targets(kernels ARCHS 86+PTX)" "8.6\\+PTX" "write 86 \\(SASS and PTX\\)")
mistake("cuda_fatbin_targets(kernels ARCHS)" "a value behind ARCHS" "an empty variable")
mistake("cuda_fatbin_targets(ARCHS 90)" "one target or more" "name the targets first")
mistake("cuda_fatbin_targets(kernles ARCHS 90)" "\"kernles\", which is none so far")
mistake("cuda_fatbin_targets(kernels headers ARCHS 90)" "\"headers\", of type INTERFACE_LIBRARY")
mistake("cuda_fatbin_targets(bought ARCHS 90)" "imported" "use cuda_fatbin_verify\\(bought")
mistake("cuda_fatbin_targets(kernels ARCHS 90 VERIFY YES)" "\"YES\"" "ERROR, WARN, OFF")
mistake("cuda_fatbin_targets(kernels ARCHS 90 ON_UNSUPPORTED IGNORE)" "\"IGNORE\"" "ERROR, DROP")
mistake("cuda_fatbin_targets(kernels GPUS 90)" "\"90\"" "architectures .* belong to ARCHS")
mistake("cuda_fatbin_targets(kernels GPUS \"GT 1030\")" "GeForce GT 1030" "several GPUs share")
mistake("cuda_fatbin_targets(kernels ARCHS 80+PTX PTX NONE)" "80\\+PTX")
mistake("cuda_fatbin_targets(kernels ARCHS 8.0+PTX PTX NONE)" "PTX NONE was given" "PTX of 80")
mistake("cuda_fatbin_targets(kernels ARCHS 90 PTX 61)" "PTX 61")
mistake("cuda_fatbin_targets(kernels GPUS H100 DRIVER 580)\ncuda_fatbin_targets(kernels GPUS H100 DRIVER 570)" "one driver for a target"
        "DRIVER 580 in an earlier call and DRIVER 570 now")
mistake("cuda_fatbin_sources(kernels ARCHS 90)" "SOURCES and ARCHS")
mistake("cuda_fatbin_verify(ARCHS 90)" "what to verify")
mistake("cuda_fatbin_verify(kernels FILE x.so ARCHS 90)" "one of the three")
mistake("cuda_archs_convert(x FORMAT cuda 90)" "\"cuda\"" "nvcc, cmake, torch")
# Nobody verifies: the build must not look like a good one, and the way out is named.
mistake("set(CudaArchGuard_EXECUTABLE /nowhere/cuda-arch-guard)\ncuda_fatbin_targets(kernels ARCHS 90)"
        "/nowhere/cuda-arch-guard, which is no file" "VERIFY OFF")
