# FindCudaArchs before project(), with machines of none, one and several GPUs, and with tools that answer nonsense.
set(tools "${FAKES}/gpus")
set(nvcc "CUDACXX=${tools}/query/nvcc")

configure(ENV "PATH=${tools}/one:$ENV{PATH}" ${nvcc} SAYS "local \\[89\\] gpus \\[8.9 NVIDIA GeForce RTX 4090\\] by \\[nvidia-smi\\]"
          "toolkit \\[12.9.86\\] real \\[75;80;90;90a\\]")
# All GPUs, not the first; each architecture once, in the order of numbers.
configure(ENV "PATH=${tools}/mixed:$ENV{PATH}" ${nvcc} SAYS "local \\[75;89\\]"
          "gpus \\[8.9 NVIDIA GeForce RTX 4090;7.5 Tesla T4;8.9 NVIDIA GeForce RTX 4090\\]")
# Instances of a GPU in MIG mode have its capability.
configure(ENV "PATH=${tools}/mig:$ENV{PATH}" ${nvcc} CUDA_VISIBLE_DEVICES=MIG-1 SAYS
          "local \\[80\\] gpus \\[8.0 NVIDIA A100-SXM4-40GB\\] by \\[nvidia-smi\\]")
# Half an answer is none: the second method is asked.
configure(ENV "PATH=${tools}/garbage:$ENV{PATH}" ${nvcc} SAYS "local \\[75;90\\] .* by \\[__nvcc_device_query\\]"
          "nvidia-smi answered \"\\[N/A\\], \\[Unknown Error\\]\"")
configure(ENV "PATH=${tools}/failing:$ENV{PATH}" ${nvcc} SAYS "by \\[__nvcc_device_query\\]" "couldn't communicate with the NVIDIA driver")
# No GPU is no error here; a new toolkit and new GPUs are seen in the same build folder.
run(COMMAND ${CMAKE_COMMAND} -E copy "${tools}/query/nvcc" "${WORK}/alone/nvcc" ENV A=B)
configure(ENV "PATH=${tools}/none:$ENV{PATH}" "CUDACXX=${WORK}/alone/nvcc" SAYS "local \\[\\] gpus \\[\\] by \\[\\]"
          "No devices were found" "__nvcc_device_query")
# Our program's answer (NVML and others) comes first, unless a GPU is missing in it.
file(WRITE "${WORK}/survey.json" "{\"machine\": {\"gpus\": [{\"name\": \"NVIDIA H200\", \"capability\": \"9.0\"}]}}")
configure(ENV "PATH=${tools}/one:$ENV{PATH}" ${nvcc} "CAG_FAKE_SURVEY=${WORK}/survey.json" SAYS "local \\[90\\] gpus \\[9.0 NVIDIA H200\\]"
          "by \\[cuda-arch-guard survey\\]")
file(WRITE "${WORK}/survey.json"
     "{\"machine\": {\"gpus\": [{\"name\": \"new\", \"capability\": null}, {\"name\": \"NVIDIA H200\", \"capability\": \"9.0\"}]}}")
configure(ENV "PATH=${tools}/one:$ENV{PATH}" ${nvcc} "CAG_FAKE_SURVEY=${WORK}/survey.json" SAYS "local \\[89\\] .* by \\[nvidia-smi\\]"
          "does not know the compute capability of GPU 0 \\(new\\)")
# A driver takes half a second to wake up: it is asked again only when it or the GPUs change.
file(WRITE "${WORK}/machine/proc/driver/nvidia/version" "NVRM version: 580.95.05")
set(same "PATH=${tools}/one:$ENV{PATH}" ${nvcc} "CAG_FAKE_SURVEY=${WORK}/survey.json")
configure(ENV ${same} SAYS "local \\[89\\] .* by \\[nvidia-smi\\]")
file(WRITE "${WORK}/survey.json" "{\"machine\": {\"gpus\": [{\"name\": \"NVIDIA B200\", \"capability\": \"10.0\"}]}}")
configure(ENV ${same} SAYS "local \\[89\\] gpus \\[8.9 NVIDIA GeForce RTX 4090\\] by \\[nvidia-smi\\]")
file(MAKE_DIRECTORY "${WORK}/machine/proc/driver/nvidia/gpus/0000:41:00.0")
configure(ENV ${same} SAYS "local \\[100\\] gpus \\[10.0 NVIDIA B200\\]")
file(WRITE "${WORK}/survey.json" "{\"machine\": {\"gpus\": [{\"name\": \"NVIDIA H200\", \"capability\": \"9.0\"}]}}")
file(WRITE "${WORK}/machine/proc/driver/nvidia/version" "NVRM version: 590.10")
configure(ENV ${same} SAYS "local \\[90\\]")
# Under WSL: asked again after a restart, and when the driver's files or the virtual PCI devices change.
file(REMOVE_RECURSE "${WORK}/machine")
set(answers 80 86 89 90 87 80 86 89)
function(next_gpu)
  list(POP_FRONT answers architecture)
  string(REGEX REPLACE "(.)$" ".\\1" capability ${architecture})
  file(WRITE "${WORK}/survey.json" "{\"machine\": {\"gpus\": [{\"name\": \"GPU\", \"capability\": \"${capability}\"}]}}")
  set(answers ${answers} PARENT_SCOPE)
endfunction()
next_gpu()
configure(ENV ${same} SAYS "local \\[80\\]") # nothing to go by: asked
file(WRITE "${WORK}/machine/dev/dxg" "")
file(WRITE "${WORK}/machine/proc/sys/kernel/random/boot_id" "one")
configure(ENV ${same} SAYS "local \\[80\\]")
next_gpu()
configure(ENV ${same} SAYS "local \\[80\\]") # kept
file(WRITE "${WORK}/machine/proc/sys/kernel/random/boot_id" "two")
configure(ENV ${same} SAYS "local \\[86\\]")
next_gpu()
file(WRITE "${WORK}/machine/usr/lib/wsl/lib/libcuda.so.1" "")
configure(ENV ${same} SAYS "local \\[89\\]")
next_gpu()
file(MAKE_DIRECTORY "${WORK}/machine/sys/bus/pci/devices/cafe:00:00.0")
configure(ENV ${same} SAYS "local \\[90\\]")
# A Jetson, and a container that shows no more of the driver than its devices and its library.
file(REMOVE_RECURSE "${WORK}/machine")
file(WRITE "${WORK}/machine/dev/nvgpu/igpu0/ctrl" "")
file(WRITE "${WORK}/machine/proc/sys/kernel/random/boot_id" "three")
next_gpu()
configure(ENV ${same} SAYS "local \\[87\\]")
next_gpu()
configure(ENV ${same} SAYS "local \\[87\\]") # kept
file(WRITE "${WORK}/machine/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1" "")
configure(ENV ${same} SAYS "local \\[80\\]")
next_gpu()
file(WRITE "${WORK}/machine/dev/nvidia0" "")
configure(ENV ${same} SAYS "local \\[86\\]")
next_gpu()
configure(ENV ${same} SAYS "local \\[86\\]") # kept
configure(ENV ${same} CUDA_VISIBLE_DEVICES=1 SAYS "local \\[89\\]")
# A toolkit that is not there is an error with the way out.
configure(FAILS ENV "CUDACXX=${WORK}/alone/absent-nvcc" SAYS "absent-nvcc" "CudaArchs")
