# shellcheck shell=bash disable=SC2034,SC2154
run_demo() { die "not yet"; }
