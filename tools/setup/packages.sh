# shellcheck shell=bash disable=SC2034,SC2154
# System packages, by the names that Debian 12, Debian 13 and Ubuntu 24.04 share.

build_packages=(g++ make cmake ninja-build python3 python3-venv ca-certificates
    libfmt-dev nlohmann-json3-dev libcli11-dev libexpected-dev libpugixml-dev liblz4-dev libzstd-dev
    libarchive-dev libdeflate-dev libtomlplusplus-dev libsqlite3-dev libxxhash-dev
    nettle-dev liblzma-dev libbz2-dev zlib1g-dev) # the last four: what a static libarchive is made of; Nettle also for digests
test_packages=(clang clang-tidy git)

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Installs those of the named packages that are missing, after saying which.
need_packages() {
    local missing=() package
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        step "No apt here: taking what is installed"
        note "needed, by Debian's names: $*"
        return
    fi
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return

    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        as_root=(sudo)
        command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; } ||
            die "these packages are missing, and installing needs root: ${missing[*]}" \
                "run this as root, then ./bootstrap.sh again:" \
                "apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    fi
    step "Installing with apt: ${missing[*]}"
    logged apt-update "${as_root[@]}" apt-get update
    logged apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}
