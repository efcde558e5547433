#include <cudaarchguard/runtime_guard.h>

#include <stdio.h>

int main(void) {
    cag_guard_report report;
    int error = cag_guard_check(CAG_GUARD_CURRENT_DEVICE, &report);
    printf("C: error %d: %s\n", error, report.message);
    return 0;
}
