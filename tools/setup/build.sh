# shellcheck shell=bash disable=SC2034,SC2154
# The program, and the install tree of the CMake package that the example and the tests use.

jobs=${CAG_JOBS:-$(nproc)}
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs CTEST_PARALLEL_LEVEL=$jobs
stage=$root/build/stage
guard=$root/build/release/bin/cuda-arch-guard

prepare_build() {
    need_packages "${build_packages[@]}"
    need_catch2
    need_cmake
    if command -v ccache >/dev/null; then
        export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}
    fi
}

# build_program: quiet, for the commands that need the program and then show something else.
build_program() {
    step "Building the program (log: build/logs)"
    logged configure cmake --preset release
    logged build cmake --build --preset release --target cag_install_tree
    stage_package
}

stage_package() {
    rm -rf "$stage"
    logged stage cmake --install build/release --prefix "$stage"
}

run_build() {
    prepare_build
    step "Building the program"
    cmake --preset release
    cmake --build --preset release --target cag_install_tree
    step "Installing the package into build/stage"
    stage_package
    good "Done: build/release/bin/cuda-arch-guard; for CMake projects: -DCMAKE_PREFIX_PATH=$stage"
}

run_bench() {
    prepare_build
    need_nvcc
    build_program
    [ -x tests/bench/run ] || die "there is no tests/bench/run in this tree"
    need_packages unzip
    tests/bench/run --program "$guard" "$@"
    tests/bench/packages --program "$guard"
    tests/bench/cmake_cost --guard-build build/release
    tests/bench/guard_cost --guard-build build/release
}

run_fuzz() {
    prepare_build
    need_packages clang libclang-rt-dev
    step "Building the fuzz targets"
    logged fuzz-configure cmake --preset fuzz
    logged fuzz-build cmake --build --preset fuzz
    logged fuzz-pack tests/fuzz/pack build/fuzz build/fuzz/pack
    step "Fuzzing each target for ${1:-60} s; corpus in .cache/fuzz, findings in build/fuzz/pack/findings"
    tests/fuzz/run --seconds "${1:-60}" --corpus "$cache/fuzz" build/fuzz/pack
}
