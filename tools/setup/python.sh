# shellcheck shell=bash disable=SC2034,SC2154
# What comes from PyPI: pinned, into .venv. A stamp file names what a step installed, so that a second run does nothing.

venv=$root/.venv
# The toolkit's pieces that make an nvcc, all of one release.
nvcc_wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85)
# One version of each formatter for every machine: their output differs between versions.
check_wheels=(clang-format==14.0.6 "cmakelang[YAML]==0.6.13" jsonschema==4.23.0 xmlschema==3.4.3 axe-core-python==0.1.0 pre-commit==4.0.1)

# need_wheels STAMP REQUIREMENT...
need_wheels() {
    local stamp=$venv/.installed-$1
    shift
    [ "$(cat "$stamp" 2>/dev/null)" = "$*" ] && return
    if [ ! -x "$venv/bin/pip" ]; then
        rm -rf "$venv"
        logged venv python3 -m venv "$venv"
    fi
    step "Installing with pip into .venv: $*"
    logged "pip-${stamp##*-}" "$venv/bin/pip" install --disable-pip-version-check "$@"
    echo "$*" >"$stamp"
}

need_cmake() {
    local have=0
    command -v cmake >/dev/null && have=$(cmake --version | awk 'NR == 1 { print $3 }')
    version_at_least "$have" 3.25 || need_wheels cmake cmake==3.31.6
    command -v ninja >/dev/null || need_wheels ninja ninja==1.11.1.4
    PATH=$PATH:$venv/bin
    [ ! -x "$venv/bin/cmake" ] || PATH=$venv/bin:$PATH
}

nvcc_release() { "$1" --version 2>/dev/null | sed -n 's/.*, release \([0-9.]*\),.*/\1/p'; }

# Sets CUDACXX to an nvcc of 12 or newer: the one the user names, the one on PATH, the one in /usr/local/cuda, else PyPI's.
need_nvcc() {
    local candidate release
    for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
        [ -n "$candidate" ] || continue
        release=$(nvcc_release "$candidate" || true)
        if [ -n "$release" ] && version_at_least "$release" 12; then
            export CUDACXX=$candidate
            return
        fi
    done
    need_wheels nvcc "${nvcc_wheels[@]}"
    local toolkit
    toolkit=$(echo "$venv"/lib/python3*/site-packages/nvidia/cu13)
    # nvcc links with the libraries in lib64, and the wheels bring lib.
    [ -e "$toolkit/lib64" ] || ln -s lib "$toolkit/lib64"
    export CUDACXX=$toolkit/bin/nvcc
    release=$(nvcc_release "$CUDACXX" || true)
    [ -n "$release" ] || die "the nvcc of PyPI does not run: $CUDACXX --version" "see build/logs/pip-nvcc.log"
}
