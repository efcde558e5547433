// The guard's functions: ask the driver, judge every kernel of every table, and say it.
#include "runtime/internal.hpp"

#include <atomic>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace cag::runtime {
namespace {

constexpr int driver_too_old = 35;
constexpr int no_such_device = 101;

std::atomic<int> program_policy{CAG_GUARD_POLICY_ERROR};
std::atomic<cag_guard_callback> callback{nullptr};
std::atomic<void*> callback_data{nullptr};

struct FirstFailure {
    const Table* table;
    const cag_table_module* module;
    const cag_table_group* group;
    Verdict verdict;
};

// Adds up all kernels of all tables, and keeps the first that fails.
FirstFailure judge_all(const Table* tables, int count, const Machine& machine, cag_guard_report* report) {
    FirstFailure first{};
    for (const Table* table = tables; table != tables + count; ++table) {
        for (uint32_t m = 0; m < table->head->modules; ++m) {
            const cag_table_module& module = table->modules[m];
            for (uint32_t g = 0; g < module.groups; ++g) {
                const cag_table_group& group = table->groups[module.first_group + g];
                const unsigned kernels = group.kernels;
                Verdict verdict = judge(*table, module, group, machine);
                if (machine.driver < static_cast<int>(table->head->runtime)) {
                    verdict = {CAG_GUARD_NONE, driver_too_old, nullptr, false};
                }
                report->kernels += kernels;
                report->kernels_by_jit += verdict.outcome == CAG_GUARD_JIT ? kernels : 0;
                report->kernels_failing += verdict.outcome == CAG_GUARD_NONE ? kernels : 0;
                report->outcome = verdict.outcome > report->outcome ? verdict.outcome : report->outcome;
                if (verdict.outcome == CAG_GUARD_NONE && first.table == nullptr) {
                    first = {table, &module, &group, verdict};
                }
            }
        }
    }
    return first;
}

void name_kernels(Text& text, const FirstFailure& failure, cag_guard_report* report) {
    const char* name = failure.table->text + failure.group->first_name;
    for (uint32_t i = 0; i < failure.group->names && i < 3; ++i) {
        if (i == 0) {
            snprintf(report->kernel, sizeof report->kernel, "%s", name);
        }
        text.add("%s%s", i == 0 ? " (" : ", ", name);
        name += strlen(name) + 1;
    }
    if (failure.group->names != 0) {
        text.add("%s)", report->kernels_failing > 3 ? ", ..." : "");
    }
}

void explain_failure(Text& text, const FirstFailure& failure, const Machine& machine, cag_guard_report* report) {
    text.add("%u of %u kernels", report->kernels_failing, report->kernels);
    name_kernels(text, failure, report);
    text.add(" cannot run on GPU %d, %s (compute capability %d.%d, driver for CUDA %d.%d): error %d, %s. %s ", report->device, report->name,
             machine.capability / 10, machine.capability % 10, machine.driver / 1000, machine.driver % 1000 / 10, failure.verdict.error,
             error_name(failure.verdict.error), failure.table->text + failure.table->head->file);
    if (failure.verdict.error == driver_too_old) {
        text.add("needs a driver of CUDA %u.0 or newer: update the driver, or take a build made with an older toolkit",
                 failure.table->head->runtime / 1000);
        return;
    }
    text.add("holds ");
    list_images(text, *failure.table, *failure.module);
    if (failure.verdict.error == 500) {
        text.add(failure.verdict.image != nullptr && !failure.verdict.relinked ? ", and the image for this GPU lacks the kernel"
                                                                               : ", and the kernel's own object has nothing for this GPU");
    }
    text.add(". ");
    add_remedy(text, failure.verdict, machine);
}

void explain_success(Text& text, int unwritten, const cag_guard_report& report) {
    if (report.kernels == 0) {
        text.add(unwritten != 0 ? "the guard's table was never written: cuda_fatbin_runtime_guard() does it in the build"
                                : "no loaded file carries a table of its kernels");
    } else if (report.outcome == CAG_GUARD_UNKNOWN) {
        text.add("whether all %u kernels run on GPU %d, %s (compute capability %d.%d), is not known: the driver has to link their "
                 "relocatable code again, "
                 "and an object that others may call has nothing for this GPU. Rebuild with %d-real in CMAKE_CUDA_ARCHITECTURES",
                 report.kernels, report.device, report.name, report.capability / 10, report.capability % 10, report.capability);
    } else if (report.kernels_by_jit != 0) {
        text.add("%u of %u kernels are compiled from PTX for GPU %d, %s (compute capability %d.%d), at their first use",
                 report.kernels_by_jit, report.kernels, report.device, report.name, report.capability / 10, report.capability % 10);
    } else {
        text.add("all %u kernels have machine code for GPU %d, %s (compute capability %d.%d)", report.kernels, report.device, report.name,
                 report.capability / 10, report.capability % 10);
    }
}

void explain_no_device(Text& text, const DriverState& driver) {
    const char* visible = getenv("CUDA_VISIBLE_DEVICES");
    if (driver.version == 0 && driver.error == driver_too_old) {
        text.add("there is no NVIDIA driver here (libcuda.so.1 is not found): install one, or start the container with its GPUs");
    } else if (driver.error == 100 && visible != nullptr) {
        text.add("no GPU is visible: CUDA_VISIBLE_DEVICES=\"%s\" hides them, or the machine has none", visible);
    } else {
        text.add("no GPU is usable: the driver says error %d, %s", driver.error, error_name(driver.error));
    }
}

// One device, in the state that the driver was found in.
int check(int ordinal, const DriverState& driver, cag_guard_report* report) {
    memset(report, 0, sizeof *report);
    Text text(report->message, sizeof report->message);
    report->device = -1;
    report->driver = driver.version;
    if (driver.error != 0) {
        report->outcome = CAG_GUARD_NONE;
        report->error = driver.error;
        explain_no_device(text, driver);
        return report->error;
    }
    Device device;
    if (ordinal >= driver.devices || !read_device(ordinal, &device)) {
        report->outcome = CAG_GUARD_NONE;
        report->error = no_such_device;
        text.add("there is no GPU %d: %d are visible", ordinal, driver.devices);
        return report->error;
    }
    report->device = ordinal;
    report->capability = device.capability;
    memcpy(report->name, device.name, sizeof report->name);

    Table tables[max_tables];
    int unwritten = 0;
    const int count = loaded_tables(tables, &unwritten);
    const Machine machine{device.capability, driver.version, jit_switches()};
    const FirstFailure failure = judge_all(tables, count, machine, report);
    if (report->kernels == 0) {
        report->outcome = CAG_GUARD_UNKNOWN;
    }
    if (failure.table != nullptr) {
        report->error = failure.verdict.error;
        explain_failure(text, failure, machine, report);
    } else {
        explain_success(text, unwritten, *report);
    }
    return report->error;
}

bool names(const char* list, const char* word) {
    const size_t length = strlen(word);
    for (const char* at = list; (at = strstr(at, word)) != nullptr; at += length) {
        const bool begins = at == list || at[-1] == ',';
        if (begins && (at[length] == '\0' || at[length] == ',')) {
            return true;
        }
    }
    return false;
}

// The user's word, else the program's.
int policy_in_force(bool* report_all) {
    const char* const user = getenv("CUDA_ARCH_GUARD");
    *report_all = user != nullptr && names(user, "report");
    if (user != nullptr) {
        const char* const words[] = {"error", "warn", "cpu", "off"};
        for (int policy = CAG_GUARD_POLICY_ERROR; policy <= CAG_GUARD_POLICY_OFF; ++policy) {
            if (names(user, words[policy])) {
                return policy;
            }
        }
    }
    return program_policy.load();
}

void print(const char* level, const char* message) { fprintf(stderr, "cuda-arch-guard: %s%s\n", level, message); }

} // namespace
} // namespace cag::runtime

using namespace cag::runtime;

int cag_guard_check(int device, cag_guard_report* report) {
    const DriverState driver = driver_state();
    return check(device < 0 ? current_ordinal() : device, driver, report);
}

int cag_guard_check_all(cag_guard_report* reports, int capacity) {
    const DriverState driver = driver_state();
    for (int i = 0; i < driver.devices && i < capacity; ++i) {
        check(i, driver, &reports[i]);
    }
    return driver.devices;
}

int cag_guard_choose_device(cag_guard_report* report) {
    const DriverState driver = driver_state();
    cag_guard_report best;
    cag_guard_report candidate;
    check(0, driver, &best);
    int best_processors = 0;
    bool found = false;
    for (int i = 0; i < driver.devices; ++i) {
        Device device{};
        check(i, driver, &candidate);
        if (candidate.error != 0 || !read_device(i, &device)) {
            continue;
        }
        const bool better =
            !found || candidate.outcome < best.outcome ||
            (candidate.outcome == best.outcome &&
             (candidate.capability > best.capability || (candidate.capability == best.capability && device.processors > best_processors)));
        if (better) {
            best = candidate;
            best_processors = device.processors;
            found = true;
        }
    }
    if (report != nullptr) {
        *report = best;
    }
    return found ? best.device : -1;
}

cag_guard_decision cag_guard_decide(int device) {
    bool report_all = false;
    const int policy = policy_in_force(&report_all);
    if (policy == CAG_GUARD_POLICY_OFF && !report_all) {
        return CAG_GUARD_USE_GPU;
    }
    cag_guard_report report;
    if (cag_guard_check(device, &report) == 0) {
        if (report_all) {
            print("", report.message);
        }
        return CAG_GUARD_USE_GPU;
    }
    const cag_guard_callback asked = callback.load();
    if (asked != nullptr && getenv("CUDA_ARCH_GUARD") == nullptr) {
        return asked(&report, callback_data.load());
    }
    print(policy == CAG_GUARD_POLICY_ERROR ? "error: " : "warning: ", report.message);
    if (policy == CAG_GUARD_POLICY_ERROR) {
        exit(EXIT_FAILURE);
    }
    return policy == CAG_GUARD_POLICY_CPU ? CAG_GUARD_USE_CPU : CAG_GUARD_USE_GPU;
}

void cag_guard_set_policy(cag_guard_policy policy) { program_policy.store(policy); }

void cag_guard_set_callback(cag_guard_callback asked, void* data) {
    callback_data.store(data);
    callback.store(asked);
}

int cag_guard_explain_last_error(int error, int device, cag_guard_report* report) {
    const int foreseen = cag_guard_check(device, report);
    if (foreseen != 0 || error == 0) {
        return foreseen;
    }
    Text text(report->message, sizeof report->message);
    text.add("error %d (%s) is none that the architectures of this program explain: every kernel of its %u has an image for GPU %d. "
             "Launches are "
             "asynchronous, so the call that reported it may not be the guilty one: run again with CUDA_LAUNCH_BLOCKING=1",
             error, error_name(error), report->kernels, report->device);
    return 0;
}
