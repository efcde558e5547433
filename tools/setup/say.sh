# shellcheck shell=bash disable=SC2034,SC2154
# How the scripts speak: a headline for each step, a log for what is long, the end of that log when the step fails.

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
    bold='' red='' green='' plain=''
fi

step() { printf '%s==> %s%s\n' "$bold" "$*" "$plain"; }
note() { printf '    %s\n' "$*"; }
good() { printf '%s%s%s\n' "$green" "$*" "$plain"; }

# die MESSAGE [LINE...]: the message, then indented lines with what to do.
die() {
    printf '%sbootstrap.sh: %s%s\n' "$red" "$1" "$plain" >&2
    shift
    [ $# = 0 ] || printf '    %s\n' "$@" >&2
    exit 1
}

# logged NAME COMMAND...: runs the command with its output in build/logs/NAME.log, and shows the end of it when it fails.
logged() {
    local log=$root/build/logs/$1.log
    shift
    mkdir -p "${log%/*}"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 40 "$log" >&2
        die "this command failed: $*" "its whole output: ${log#"$root"/}"
    fi
}

# version_at_least HAVE WANT
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }
