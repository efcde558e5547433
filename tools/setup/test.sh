# shellcheck shell=bash disable=SC2034,SC2154
# The test suite as CI runs it. Each part is a CTest preset and can be run alone: cmake --workflow --preset release

prepare_test() {
    prepare_build
    need_packages "${test_packages[@]}"
    # For the HTML report's test. Ubuntu has it as a snap only; there the test is skipped.
    if grep -q '^ID=debian' /etc/os-release 2>/dev/null; then
        need_packages chromium
    fi
    need_wheels checks "${check_wheels[@]}"
    need_nvcc
    # The Python of .venv, where the test scripts' modules are; and nvcc by its name, as on a machine with an installed toolkit.
    export VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH:${CUDACXX%/*}
}

run_test() {
    prepare_test
    step "Layout of the source"
    tools/check-format

    step "The program and its package: unit, command line, CMake and toolkit tests"
    note "CUDACXX=$CUDACXX (release $(nvcc_release "$CUDACXX"))"
    cmake --preset release
    cmake --build --preset release
    stage_package
    ctest --preset release

    step "Unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, warnings as errors"
    cmake --workflow --preset asan-ubsan

    step "Unit tests of the clang build, warnings as errors"
    cmake --workflow --preset clang

    lint_all

    good "All tests passed in $((SECONDS / 60)) min $((SECONDS % 60)) s."
}

# Each release of clang-tidy has checks of its own; the source is kept clean for this one.
tidy_release=14

# Needs build/clang configured.
lint() {
    step "clang-tidy over $# files"
    # On stderr it counts the warnings that it does not show.
    local log=build/logs/tidy.log
    mkdir -p build/logs
    [ $# = 0 ] || printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p build/clang 2>"$log" ||
        die "clang-tidy found what stands above, or could not run: $log"
}

lint_all() {
    local files
    if ! clang-tidy --version | grep -q "version $tidy_release\."; then
        note "clang-tidy is left out: release $tidy_release is what the source is kept clean for, and this is another"
        return
    fi
    mapfile -t files < <(git ls-files 'src/*.cpp')
    lint "${files[@]}"
}

run_tidy() {
    prepare_build
    need_packages "${test_packages[@]}"
    logged tidy-configure cmake --preset clang
    local files
    if [ "${1:-}" = --all ]; then
        lint_all
        return
    fi
    mapfile -t files < <(git diff --name-only --diff-filter=d "$(git merge-base HEAD origin/HEAD 2>/dev/null || echo HEAD~1)" -- 'src/*.cpp')
    lint "${files[@]}"
}
