// What a new build or release changes for users: on which GPUs a kernel ran and no longer does, and the other way round.
#pragma once

#include <cudaarchguard/prediction.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cag {

// One side: what was read, and the path that was named, below which its files are known.
struct DiffSide {
    const Coverage& coverage;
    std::string root;
};

enum class Change : std::uint8_t {
    lost,             // ran, and fails now
    doubtful,         // ran, and it is not known whether it still does
    compiled,         // SASS before, PTX compiled at load now
    won,              // runs now
    compiled_no_more, // SASS now, compiled at load before
};

// Kernels of one file with one change.
struct DiffGroup {
    Change change = Change::lost;
    std::vector<std::string> kernels; // mangled, ordered; one entry for each module that holds it
    std::vector<std::pair<Gpu, Driver>> on;
    std::vector<std::string> reasons; // of the new outcome, on the first of them
    std::vector<std::string> fixes;
};

struct FileDiff {
    std::string name;                  // below the root; "" where both roots are one file
    std::string old_name;              // where it had another one; else ""
    std::optional<std::size_t> before; // index in the coverage; nullopt: there is no such file
    std::optional<std::size_t> after;
    std::vector<DiffGroup> groups; // losses first
    std::vector<std::string> kernels_gone;
    std::vector<std::string> kernels_new;
};

struct Diff {
    std::vector<FileDiff> files; // those with device code on either side, by name
};

// Files of the same name below the roots are held against each other, also where one moved to another folder or had a version or hash in
// its name, and two single files whatever their names; in them kernels of the same name, and of several in the order of their modules.
// A kernel that is gone is no loss of a GPU: releases drop and rename kernels on purpose.
[[nodiscard]] Diff diff(const DiffSide& before, const DiffSide& after, const std::vector<std::pair<Gpu, Driver>>& questions,
                        const Environment& environment = {});

// Every compute capability that a known chip has, each with the newest driver that drives it: what a diff asks about by itself.
[[nodiscard]] std::vector<std::pair<Gpu, Driver>> all_known_gpus();

[[nodiscard]] bool loses_a_gpu(const Diff& diff);
[[nodiscard]] bool loses_kernels(const Diff& diff); // a kernel, or a file with device code, is gone
[[nodiscard]] const char* to_string(Change change); // "lost", "doubtful", "compiled", "won", "compiled_no_more"

} // namespace cag
