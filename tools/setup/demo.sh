run_demo() { die "not yet"; }
