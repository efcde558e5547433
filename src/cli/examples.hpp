// The last part of each command's help: examples that work as they stand, and what the exit status says.
#pragma once

namespace cag {

inline constexpr const char* examples = R"(
Examples:
  cuda-arch-guard inspect libmylib.so                      what is in there
  cuda-arch-guard verify libmylib.so --require-sass 80,90 --require-ptx 90
  cuda-arch-guard verify dist/ --runs-on "RTX 3090,H100"   the gate for a build or CI
  cuda-arch-guard predict app --gpu "RTX 5090" --driver 570
  cuda-arch-guard gencode "8.6;9.0+PTX"                    flags for nvcc
  cuda-arch-guard rule CAG101                              what a diagnostic means

Exit status: 0 holds or done; 1 a requirement is surely not met; 2 not decided.)";

inline constexpr const char* inspect_examples = R"(
Examples:
  cuda-arch-guard inspect libmylib.so            modules and architectures, read from headers only
  cuda-arch-guard inspect --kernels libmylib.so  the same for each kernel
  cuda-arch-guard inspect --sizes libmylib.so    bytes for each architecture
  cuda-arch-guard inspect --kernels --format json libmylib.so > coverage.json

Exit status: 0 done, also where there is no device code; 2 something could not be read.)";

inline constexpr const char* predict_examples = R"(
Examples:
  cuda-arch-guard predict app --gpu 12.0
  cuda-arch-guard predict app --gpu "RTX 3090" --gpu H100 --driver 570.86
  cuda-arch-guard predict app --gpu 9.0 --driver cuda:12.4 --env CUDA_FORCE_PTX_JIT=1

Exit status: 0 every kernel runs; 1 a kernel fails; 2 not known, or something could not be read.)";

inline constexpr const char* verify_examples = R"(
Examples:
  cuda-arch-guard verify libmylib.so --require-sass 80,90a
  cuda-arch-guard verify libmylib.so --require-ptx 90
  cuda-arch-guard verify dist/ --runs-on 8.6,"RTX 5090" --driver 570 --no-jit
  cuda-arch-guard verify dist/ --policy ci/cuda-arch-guard.json
  cuda-arch-guard verify dist/*.whl --claims-from README.md    what the README says of GPUs is so
  cuda-arch-guard verify dist/ --require-sass 90 --report sarif=cuda.sarif --report html=cuda.html

Exit status: 0 all requirements hold; 1 one is surely not met; 2 not decided: damaged input, or nothing to judge.)";

inline constexpr const char* diff_examples = R"(
Examples:
  cuda-arch-guard diff old/libmylib.so build/libmylib.so      on every known GPU
  cuda-arch-guard diff torch-2.9.whl torch-2.10.whl --gpu 6.1,7.0,"RTX 5090" --driver 580
  cuda-arch-guard diff build.old build --format markdown >> "$GITHUB_STEP_SUMMARY"

Exit status: 0 no GPU is lost; 1 a kernel that ran on a GPU no longer does; 2 something could not be read, or there is nothing to compare.)";

inline constexpr const char* policy_examples = R"(
Examples:
  cuda-arch-guard policy init dist/           a policy for what is there now: the gate starts green
  cuda-arch-guard policy check                is cuda-arch-guard.json valid; which waivers have expired
  cuda-arch-guard verify dist/                the gate, by the policy of this folder or one above)";

inline constexpr const char* policy_check_examples = R"(
Examples:
  cuda-arch-guard policy check
  cuda-arch-guard policy check ci/cuda-arch-guard.json

Exit status: 0 valid; 2 not valid, with line and column of each error.)";

inline constexpr const char* policy_init_examples = R"(
Examples:
  cuda-arch-guard policy init dist/
  cuda-arch-guard policy init dist/ --output ci/cuda-arch-guard.json --force
  cuda-arch-guard policy init libmylib.so --output -

Exit status: 0 written; 2 something could not be read, or the file exists.)";

inline constexpr const char* gencode_examples = R"(
Examples:
  cuda-arch-guard gencode 80 90a                     one -gencode for each image
  cuda-arch-guard gencode "8.6;9.0+PTX" --style cmake
  nvcc $(cuda-arch-guard gencode Ampere Hopper --toolkit 12.8) -c kernels.cu)";

inline constexpr const char* survey_examples = R"(
Examples:
  cuda-arch-guard survey                          GPUs and driver of this machine, by several methods
  cuda-arch-guard survey --probe                  also by a program that nvcc builds
  cuda-arch-guard survey --from nvidia-smi-q.txt  of a machine that you cannot log into: nvidia-smi [-q] [-x] [-L], lspci -nn,
                                                  or this command's own JSON
  cuda-arch-guard survey --format json > machine.json

Exit status: 0 looked, also where there is no GPU; 1 there is a GPU that CUDA programs cannot use; 2 a GPU's compute capability is
not known, or the file could not be read.)";

inline constexpr const char* guard_examples = R"(
Examples:
  cuda-arch-guard guard app libkernels.so                  after cuda_fatbin_runtime_guard() made room in them
  cuda-arch-guard guard --python pkg/_cuda_guard.py pkg/*.so

Exit status: 0 done; 2 something could not be read or written, or there is no room.)";

inline constexpr const char* doctor_examples = R"(
Examples:
  cuda-arch-guard doctor                               driver, toolkits, Python packages of this machine, cross-checked
  cuda-arch-guard doctor ./app                         the same for a program and the libraries that it loads
  cuda-arch-guard doctor --python ./venv --gpu "RTX 5090" --driver 570
                                                       will this environment run there? No GPU is needed here
  cuda-arch-guard doctor --from nvidia-smi.txt         this machine's software on the GPUs of a recorded machine
  cuda-arch-guard doctor --matrix --gpu 8.6,12.0       the table of drivers, toolkits and frameworks for these GPUs
  cuda-arch-guard doctor --save good.json              later: cuda-arch-guard doctor --compare good.json

Exit status: 0 healthy; 1 problems, or with --compare a change; 2 could not look, or there is no GPU to judge for.)";

inline constexpr const char* explain_log_examples = R"(
Examples:
  python train.py 2>&1 | cuda-arch-guard explain-log
  cuda-arch-guard explain-log build.log     output of nvcc, nvlink, ld, CMake, Python, dmesg

Exit status: 0 something was recognised; 2 nothing was.)";

inline constexpr const char* lab_examples = R"(
Examples:
  cuda-arch-guard lab init > lab.json                this machine as the first one
  cuda-arch-guard lab import nodes.txt > lab.json    machines as Slurm, Kubernetes, DCGM, nvidia-smi or a list know them
  cuda-arch-guard lab show                           what they run, and the smallest list of architectures for all of them
  cuda-arch-guard lab show --stack                   the newest published wheels and containers that fit each
  cuda-arch-guard lab check dist/                    every kernel on every machine, with its driver
  cuda-arch-guard lab presets --write lab-presets.json
  cuda-arch-guard lab dockerfile --machine hopper-1 > Dockerfile
  cuda-arch-guard lab drift --machine ws-07          is this machine still what was declared

Exit status: 0 done, holds, as declared; 1 a machine that must run it does not, a conflict, drift; 2 not decided.)";

inline constexpr const char* merge_examples = R"(
Examples:
  cuda-arch-guard verify /opt/env --runs-on H100 --shard 1/4 --format json > part-1.json    on each machine, its own part
  cuda-arch-guard merge part-*.json

Exit status: as the command's that made the results; 2 where a part is missing.)";

inline constexpr const char* rule_examples = R"(
Examples:
  cuda-arch-guard rule          all codes
  cuda-arch-guard rule CAG101   one of them explained)";

} // namespace cag
