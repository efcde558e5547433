# shellcheck shell=bash disable=SC2034,SC2154
# Catch2 3, which the tests use. Debian 12 itself has version 2 only; its backports have 3. That package is downloaded with a
# configuration of apt of our own and unpacked below .cache, so that the machine's sources and packages stay as they are.

need_catch2() {
    local have
    command -v apt-get >/dev/null || return 0 # CMake downloads Catch2 then
    [ -d "$cache/catch2/usr" ] && return
    have=$(dpkg-query -W -f='${db:Status-Status} ${Version}' catch2 2>/dev/null || true)
    case $have in "installed 3."*) return ;; esac
    # Read whole before it is looked at: a reader that stops early would break the pipe, and with it the answer.
    have=$(apt-cache policy catch2 2>/dev/null || true)
    case $have in
        *"Candidate: 3."*) need_packages catch2 ;;
        *) if grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then unpack_catch2_of_backports; fi ;;
    esac
}

# The mirror that the machine's own sources name, followed by another suite; checked with Debian's own keys.
backports_source() {
    local key=/usr/share/keyrings/debian-archive-keyring.gpg
    local uri
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' 'Component: main' | awk 'NR == 1')
    [ -n "$uri" ] && echo "deb [signed-by=$key] $uri bookworm-backports main"
}

unpack_catch2_of_backports() {
    local apt=$cache/apt
    step "Fetching Catch2 3 from Debian's backports into .cache/catch2 (the machine's apt sources stay as they are)"
    rm -rf "$apt" && mkdir -p "$apt/lists/partial" "$apt/archives/partial"
    [ -n "$(apt-get indextargets 'Created-By: Packages')" ] || need_fresh_lists
    backports_source >"$apt/sources.list" ||
        die "found no mirror of Debian 12 in this machine's apt sources" "see them with: apt-get indextargets"
    local options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists"
        -o "Dir::Cache=$apt" -o APT::Sandbox::User=root)
    logged catch2-lists apt-get "${options[@]}" update
    (cd "$apt" && logged catch2-download apt-get "${options[@]}" download libcatch2-dev)
    dpkg-deb --extract "$apt"/libcatch2-dev_*.deb "$apt/unpacked"
    mv "$apt/unpacked" "$cache/catch2" && rm -rf "$apt"
}

need_fresh_lists() {
    [ "$(id -u)" = 0 ] || die "apt has no package lists yet" "run this as root, then ./bootstrap.sh again:" "apt-get update"
    logged apt-update apt-get update
}
