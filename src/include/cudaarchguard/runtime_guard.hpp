// The runtime guard for C++; see runtime_guard.h. Header only.
//
//     if (cag::guard::decide() == cag::guard::Decision::use_cpu) { ... }
#pragma once

#include <cudaarchguard/runtime_guard.h>

#include <string>
#include <vector>

namespace cag::guard {

using Report = cag_guard_report;

enum class Decision { use_gpu = CAG_GUARD_USE_GPU, use_cpu = CAG_GUARD_USE_CPU };
enum class Policy { error = CAG_GUARD_POLICY_ERROR, warn = CAG_GUARD_POLICY_WARN, cpu = CAG_GUARD_POLICY_CPU, off = CAG_GUARD_POLICY_OFF };

inline constexpr int current_device = CAG_GUARD_CURRENT_DEVICE;

[[nodiscard]] inline Report check(int device = current_device) {
    Report report;
    cag_guard_check(device, &report);
    return report;
}

[[nodiscard]] inline bool runs(const Report& report) { return report.error == 0; }

[[nodiscard]] inline std::vector<Report> check_all() {
    const int count = cag_guard_check_all(nullptr, 0);
    std::vector<Report> reports(count > 0 ? static_cast<std::size_t>(count) : 0);
    if (count > 0) {
        cag_guard_check_all(reports.data(), count);
    }
    return reports;
}

// -1 where no device fits.
[[nodiscard]] inline int choose_device() { return cag_guard_choose_device(nullptr); }

inline void set_policy(Policy policy) { cag_guard_set_policy(static_cast<cag_guard_policy>(policy)); }

[[nodiscard]] inline Decision decide(int device = current_device) { return static_cast<Decision>(cag_guard_decide(device)); }

[[nodiscard]] inline std::string explain_last_error(int error, int device = current_device) {
    Report report;
    cag_guard_explain_last_error(error, device, &report);
    return report.message;
}

} // namespace cag::guard
