# shellcheck shell=bash disable=SC2034,SC2154
# The example project, built against the installed package: what was built, what is rejected, and what GPUs will do with it.

demo_gpus=("V100" "RTX 3090" "H100" "RTX 5090" "DGX Spark")

# demo_run COMMAND...: shows the command as a user would type it, then its output. Its exit status is an answer, not an error.
demo_run() {
    printf '\n%s$ %s%s\n' "$bold" "$(demo_quote "$@")" "$plain"
    "$@" || demo_status=$?
}

demo_quote() {
    local word line=
    for word in "$@"; do
        word=${word#"$root"/}
        case $word in *" "*) word="\"$word\"" ;; esac
        line+="${line:+ }$word"
    done
    echo "${line/#build\/release\/bin\//}"
}

demo_rejection() {
    local log=build/logs/demo-wrong.log
    printf '\n%s$ cmake --build build/demo --target wrong%s\n' "$bold" "$plain"
    if cmake --build build/demo --target wrong >"$log" 2>&1; then
        die "the target that is wrong on purpose was built" "its whole output: $log"
    fi
    # The verifier's words, without the build tool's own lines.
    grep -vE '^\[[0-9]+/[0-9]+\]|^ninja:|^FAILED:|^: &&|^cd /' "$log" || cat "$log"
}

run_demo() {
    prepare_build
    need_nvcc
    build_program
    step "Building example-projects/multi-kernel with the package in build/stage (log: build/logs)"
    logged demo-configure cmake -S example-projects/multi-kernel -B build/demo -G Ninja \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$stage"
    logged demo-build cmake --build build/demo

    local demo_status=0 gpu gpus=()
    step "What was built"
    demo_run "$guard" inspect build/demo/multi-kernel build/demo/libstatistics.so

    step "A target that is wrong on purpose: one of its sources is compiled for the RTX 3090 alone, the H100 is required too"
    demo_rejection

    step "What five GPUs would do with the program"
    for gpu in "${demo_gpus[@]}"; do
        gpus+=(--gpu "$gpu")
    done
    demo_run "$guard" predict build/demo/multi-kernel build/demo/libstatistics.so "${gpus[@]}"
    [ $demo_status -le 1 ] || die "predict ended with exit status $demo_status" "0 (all run) and 1 (something fails) were expected"

    printf '\n'
    good "Next, in your own CMakeLists.txt: find_package(CudaArchGuard REQUIRED), then cuda_fatbin_targets(your-target GPUS \"RTX 3090\" \"H100\"); configure with -DCMAKE_PREFIX_PATH=$stage"
}
