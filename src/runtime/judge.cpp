// Which image the driver takes, and what that means for a kernel, on the one GPU and driver that are there. Which GPUs an image serves,
// which it prefers and what driver it needs stands in the table, written by src/compat; what is left is the order in which the driver
// looks.
//
// The same steps in Python: src/report/guard.py.in. tests/unit/runtime/judge_test.cpp holds the table and these steps against src/compat
// for every target and GPU; the runtime-guard case of tests/cmake holds the two guards against each other.
#include "runtime/internal.hpp"

namespace cag::runtime {
namespace {

constexpr int no_image = 209;
constexpr int jit_disabled = 223;
constexpr int kernel_not_found = 500;

bool serves(const cag_table_image& image, const Machine& machine) {
    const int gpu = machine.capability;
    return image.first <= gpu && gpu <= image.last && gpu != image.except && static_cast<int>(image.seen) <= machine.driver;
}

// The best image of one kind among a module's loadable images (input 0) or one input's.
const cag_table_image* pick(const Table& table, const cag_table_module& module, uint32_t input, char kind, const Machine& machine) {
    const cag_table_image* best = nullptr;
    for (uint32_t i = 0; i < module.images; ++i) {
        const cag_table_image& image = table.images[module.first_image + i];
        if (image.input == input && image.kind == static_cast<uint8_t>(kind) && serves(image, machine)) {
            best = &image;
        }
    }
    return best;
}

bool holds(const Table& table, const cag_table_module& module, const cag_table_group& group, const cag_table_image* image) {
    for (uint32_t i = 0; i < group.places; ++i) {
        if (&table.images[module.first_image + table.places[group.first_place + i]] == image) {
            return true;
        }
    }
    return false;
}

Verdict fails(int error, const cag_table_image* image = nullptr) { return {CAG_GUARD_NONE, error, image, false}; }

// SASS first, then PTX; what the driver then makes of it (rules 3, 4, 6 and 17).
Verdict take(const Table& table, const cag_table_module& module, uint32_t input, const Machine& machine) {
    const cag_table_image* sass = machine.jit.ignore_sass != nullptr ? nullptr : pick(table, module, input, 'S', machine);
    if (sass != nullptr) {
        const bool too_new = machine.driver < static_cast<int>(sass->cuda);
        return too_new ? fails(sass->error, sass) : Verdict{CAG_GUARD_SASS, 0, sass, false};
    }
    const cag_table_image* ptx = pick(table, module, input, 'P', machine);
    if (ptx == nullptr) {
        return fails(no_image);
    }
    if (machine.jit.no_jit != nullptr) {
        return fails(jit_disabled, ptx);
    }
    const bool too_new = machine.driver < static_cast<int>(ptx->cuda);
    return too_new ? fails(ptx->error, ptx) : Verdict{CAG_GUARD_JIT, 0, ptx, false};
}

// Rule 11: no linked image serves, so the driver links the inputs again. The first input that it takes and cannot use stops all of them;
// one without a fitting image is left out, with its kernels.
Verdict relink(const Table& table, const cag_table_module& module, const cag_table_group& group, const Machine& machine) {
    Verdict own = fails(kernel_not_found);
    bool left_out = false;
    uint32_t inputs = 0;
    for (uint32_t i = 0; i < module.images; ++i) {
        const uint32_t input = table.images[module.first_image + i].input;
        inputs = input > inputs ? input : inputs;
    }
    for (uint32_t input = 1; input <= inputs; ++input) {
        Verdict taken = take(table, module, input, machine);
        if (taken.outcome == CAG_GUARD_SASS && static_cast<int>(taken.image->toolkit) > machine.driver) {
            taken = fails(no_image, taken.image);
        }
        if (taken.image != nullptr && taken.outcome == CAG_GUARD_NONE) {
            taken.relinked = true;
            return taken;
        }
        left_out = left_out || taken.image == nullptr;
        if (own.outcome == CAG_GUARD_NONE && taken.image != nullptr && holds(table, module, group, taken.image)) {
            own = taken; // a template that several inputs define comes from the first that is taken
        }
    }
    if (own.error == 0 && left_out && (module.linked & CAG_TABLE_CALLS) != 0) {
        own.outcome = CAG_GUARD_UNKNOWN;
    }
    own.relinked = true;
    return own;
}

} // namespace

Verdict judge(const Table& table, const cag_table_module& module, const cag_table_group& group, const Machine& machine) {
    const Verdict taken = take(table, module, 0, machine);
    if (module.linked != 0 && taken.image == nullptr) {
        return relink(table, module, group, machine);
    }
    // Rules 7 and 10: what is not in the image taken is not there. A group without places is a module whose kernels are not known.
    if (taken.error == 0 && group.places != 0 && !holds(table, module, group, taken.image)) {
        return fails(kernel_not_found, taken.image);
    }
    return taken;
}

} // namespace cag::runtime
