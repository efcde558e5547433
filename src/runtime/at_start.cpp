// Asks before main(). Taken from the archive only where a target wants it (-u cag_guard_at_start).
#include <cudaarchguard/runtime_guard.h>

extern "C" __attribute__((visibility("hidden"))) const int cag_guard_at_start = 1;

namespace {
__attribute__((constructor)) void ask() { cag_guard_decide(0); }
} // namespace
