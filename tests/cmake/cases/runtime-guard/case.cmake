# The runtime guard: what programs say and do on GPUs and drivers that they were not built for, with a driver library that stands for them.
with_program()
configure()
build()

# ask(<program> <GPUs> <driver's CUDA version> <regex>... [ENV <name=value>...])
function(ask program gpus driver)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "WORD" "ENV")
  if(NOT arg_WORD)
    set(arg_WORD ask)
  endif()
  run(COMMAND "${BUILD}/bin/${FOLDER}${program}" "${arg_WORD}" ENV "LD_LIBRARY_PATH=${BUILD}/fake/${FOLDER}:$ENV{LD_LIBRARY_PATH}"
      "FAKE_CUDA_GPUS=${gpus}" "FAKE_CUDA_DRIVER=${driver}" ${arg_ENV} SAYS ${arg_UNPARSED_ARGUMENTS})
endfunction()
set(FOLDER "")
if(GENERATOR MATCHES "Multi-Config")
  set(FOLDER Release/)
endif()

ask(other-sass "8.6 RTX 3090" 13000 "device 0 outcome sass error 0")
ask(other-sass "8.9 RTX 4090" 13000 "outcome sass error 0")
ask(other-sass "9.0 NVIDIA H200" 13000 "outcome none error 209: 1 of 1 kernels \\(add_up.*NVIDIA H200 \\(compute capability 9.0"
    "other-sass holds SASS 86 and no PTX. A driver update cannot help: rebuild with 90-real")
ask(other-sass "8.6 RTX 3090" 12080 "outcome none error 35" "needs a driver of CUDA 13.0 or newer")
ask(with-shared-runtime "9.0 NVIDIA H200" 13000 "outcome none error 209")
ask(ptx-only "9.0 NVIDIA H200" 13000 "outcome jit error 0: 1 of 1 kernels are compiled from PTX")
ask(ptx-only "12.1 NVIDIA GB10" 13010 "outcome jit error 0")
ask(ptx-only "7.5 Tesla T4" 13000 "outcome none error 209" "holds no SASS and PTX 80")
ask(ptx-only "9.0 NVIDIA H200" 13000 "outcome none error 223" "Unset CUDA_DISABLE_PTX_JIT" ENV CUDA_DISABLE_PTX_JIT=1)
ask(newer-ptx "9.0 NVIDIA H200" 13000 "outcome none error 222" "Update the driver to one of CUDA 13.5")
ask(newer-ptx "9.0 NVIDIA H200" 13050 "outcome jit error 0")
ask(lacks-kernel "8.6 RTX 3090" 13000 "outcome sass error 0")
ask(lacks-kernel "9.0 NVIDIA H200" 13000 "outcome none error 500: 1 of 1 kernels \\(add_up" "the image for this GPU lacks the kernel")
ask(other-sass "" 13000 "device -1 outcome none error 100")
# The right device of two, by its number among those that are visible.
ask(other-sass "9.0 NVIDIA H200,8.6 RTX 3090" 13000 "chosen: device 1" WORD choose)
ask(other-sass "9.0 NVIDIA H200,8.6 RTX 3090" 13000 "chosen: device 0" WORD choose ENV CUDA_VISIBLE_DEVICES=1)
ask(other-sass "9.0 NVIDIA H200" 13000 "chosen: device -1" WORD choose)

# Twelve devices and drivers, one program with SASS of two generations and PTX of the newer, as most are built.
set(combinations
    "7.5 Tesla T4|13000|none error 209"
    "8.0 NVIDIA A100|13000|none error 209"
    "8.6 RTX 3090|13000|sass error 0"
    "8.6 RTX 3090|12090|none error 35"
    "8.7 Orin|13000|none error 209"
    "8.9 RTX 4090|13000|sass error 0"
    "9.0 NVIDIA H200|13000|sass error 0"
    "9.0 NVIDIA H200|13050|sass error 0"
    "10.0 NVIDIA B200|13000|jit error 0"
    "10.3 NVIDIA B300|13000|jit error 0"
    "12.0 RTX 5090|13010|jit error 0"
    "12.1 NVIDIA GB10|13000|jit error 0"
    "11.0 NVIDIA Thor|13000|jit error 0")
foreach(combination IN LISTS combinations)
  string(REPLACE "|" ";" combination "${combination}")
  list(GET combination 0 gpu)
  list(GET combination 1 driver)
  list(GET combination 2 outcome)
  ask(usual "${gpu}" ${driver} "outcome ${outcome}: ")
endforeach()

# After the fact: the error that is meant, where only another number was seen; and what no architecture explains.
function(explain program gpus error)
  run(COMMAND "${BUILD}/bin/${FOLDER}${program}" explain ${error} ENV "LD_LIBRARY_PATH=${BUILD}/fake/${FOLDER}" "FAKE_CUDA_GPUS=${gpus}"
      SAYS ${ARGN})
endfunction()
explain(other-sass "9.0 NVIDIA H200" 98 "explained: 1 of 1 kernels .*error 209, cudaErrorNoKernelImageForDevice")
explain(newer-ptx "9.0 NVIDIA H200" 209 "explained: .*error 222, cudaErrorUnsupportedPtxVersion.*Update the driver to one of CUDA 13.5")
explain(lacks-kernel "9.0 NVIDIA H200" 209 "explained: .*error 500, cudaErrorSymbolNotFound")
explain(other-sass "8.6 RTX 3090" 700 "explained: error 700 .*none that the architectures of this program explain.*CUDA_LAUNCH_BLOCKING=1")

# It goes on without the GPU: with the sentence, the right result and status 0.
ask(other-sass "9.0 NVIDIA H200" 13000 "cuda-arch-guard: warning: 1 of 1 kernels .* CPU: result right" WORD go)
ask(other-sass "" 13000 "no GPU is usable: the driver says error 100, cudaErrorNoDevice CPU: result right" WORD go)
run(COMMAND "${BUILD}/bin/${FOLDER}other-sass" ENV "LD_LIBRARY_PATH=$ENV{LD_LIBRARY_PATH}" SAYS "CPU: result right")

# At start, and as the user says.
set(h200 "LD_LIBRARY_PATH=${BUILD}/fake/${FOLDER}" "FAKE_CUDA_GPUS=9.0 NVIDIA H200")
run(FAILS COMMAND "${BUILD}/bin/${FOLDER}at-start" ask ENV ${h200} SAYS "cuda-arch-guard: error: 1 of 1 kernels" NOT_SAYS "outcome none")
run(COMMAND "${BUILD}/bin/${FOLDER}at-start" ask ENV ${h200} CUDA_ARCH_GUARD=off SAYS "outcome none error 209" NOT_SAYS "error: 1 of 1")
run(FAILS COMMAND "${BUILD}/bin/${FOLDER}other-sass" ENV ${h200} CUDA_ARCH_GUARD=error SAYS "error: 1 of 1 kernels" NOT_SAYS "CPU")
# The user's word comes before the program's, for each policy; `report` tells what is fine too.
run(COMMAND "${BUILD}/bin/${FOLDER}other-sass" warn ENV ${h200} CUDA_ARCH_GUARD=cpu SAYS "warning: 1 of 1 kernels .* CPU: result right")
run(FAILS COMMAND "${BUILD}/bin/${FOLDER}other-sass" ENV ${h200} CUDA_ARCH_GUARD=warn SAYS "warning: 1 of 1 kernels" NOT_SAYS "CPU: result")
run(COMMAND "${BUILD}/bin/${FOLDER}at-start" ask ENV ${h200} CUDA_ARCH_GUARD=warn SAYS "warning: 1 of 1 kernels .*outcome none error 209")
run(COMMAND "${BUILD}/bin/${FOLDER}at-start" ask ENV "LD_LIBRARY_PATH=${BUILD}/fake/${FOLDER}" "FAKE_CUDA_GPUS=8.6 RTX 3090"
    CUDA_ARCH_GUARD=warn,report SAYS "cuda-arch-guard: all 1 kernels have machine code for GPU 0, RTX 3090")

# A library that is loaded later brings its table; from C as well.
run(COMMAND "${BUILD}/bin/${FOLDER}host" "${BUILD}/bin/${FOLDER}plugin.so" ENV ${h200} SAYS "before: 0 kernels"
    "after: 1 kernels, 1 of them fail with 209 \\(of_plugin\\(int\\*\\)\\); 0 allocations" "callback: 209, CPU"
    "threads: 8 of 8 say the same")
# Several libraries in one program, each with its own list.
run(COMMAND "${BUILD}/bin/${FOLDER}host" "${BUILD}/bin/${FOLDER}other-plugin.so" "${BUILD}/bin/${FOLDER}plugin.so" ENV ${h200} SAYS
    "after: 1 kernels, 0 of them fail with 0 \\(\\); 0 allocations"
    "after: 2 kernels, 1 of them fail with 209 \\(of_plugin\\(int\\*\\)\\); 0 allocations")
run(COMMAND "${BUILD}/bin/${FOLDER}from-c" ENV ${h200} SAYS "C: error 0: no loaded file carries a table of its kernels")

# The guard for Python packages, made of the same files.
set(programs "")
foreach(program IN ITEMS other-sass ptx-only newer-ptx lacks-kernel)
  list(APPEND programs "${BUILD}/bin/${FOLDER}${program}")
endforeach()
find_program(python NAMES python3 REQUIRED)
run(COMMAND "${python}" "${SOURCE}/same_as_python.py" "${GUARD_BUILD}/bin/cuda-arch-guard" "${BUILD}/fake/${FOLDER}" ${programs} SAYS
    "120 answers, 0 differ")

# A file without room for a table.
run(FAILS COMMAND "${GUARD_BUILD}/bin/cuda-arch-guard" guard "${BUILD}/bin/${FOLDER}host" SAYS "CAG506: expected room .*host, found none"
    "cuda_fatbin_runtime_guard")

# A table that was never written is told, and what cannot have one is refused.
run(COMMAND "${TESTED_CMAKE}" -E rm "${BUILD}/bin/${FOLDER}host")
edit(CMakeLists.txt "cuda_fatbin_runtime_guard(plugin)" "add_library(archive STATIC plugin.cu)\ncuda_fatbin_runtime_guard(archive)")
configure(FAILS SAYS "archive, of type STATIC_LIBRARY" "call it for what links archive")
