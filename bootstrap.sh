#!/usr/bin/env bash
# From a fresh clone to a running program: installs what is missing, builds, and shows or tests it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$root"
cache=$root/.cache

usage() {
    cat <<'END'
usage: ./bootstrap.sh COMMAND

  demo    builds the program, then an example project with it, and shows what it finds
  build   builds the program (build/release/bin/cuda-arch-guard) and an install tree of the CMake package (build/stage)
  test    all tests as CI runs them: layout, warnings as errors, unit, command line, CMake, toolkit, sanitizers, clang, clang-tidy
  tidy    clang-tidy over the files that differ from the main branch, or over all with --all
  bench   the benchmarks
  fuzz    the fuzz targets, for 60 seconds each or as many as you say: ./bootstrap.sh fuzz 600
  clean   removes build/ (with --all also .venv/ and .cache/, where downloads are kept)

What is missing is installed first, and named before it is: system packages with apt, the rest below .venv/ and .cache/.
Environment: CUDACXX names the nvcc to use; CAG_JOBS the number of parallel jobs.
END
}

for part in say packages catch2 python build demo test; do
    # shellcheck source=/dev/null
    . "tools/setup/$part.sh"
done

command=${1:-}
[ $# = 0 ] || shift
case $command in
    demo | build | test | tidy | bench | fuzz) "run_$command" "$@" ;;
    clean)
        rm -rf build
        [ "${1:-}" != --all ] || rm -rf .venv .cache
        ;;
    -h | --help | help) usage ;;
    *)
        usage >&2
        exit 2
        ;;
esac
