// The modules of a file that the driver loads, and the decision for each of their kernels.
#pragma once

#include "compat/decision.hpp"
#include "compat/kernels.hpp"

#include <cudaarchguard/coverage.hpp>

#include <functional>
#include <map>
#include <string_view>

namespace cag::compat {

struct Program;

// Receives a module's index, a kernel's name and what happens to it; false ends the walk.
using Visitor = std::function<bool(std::size_t module, std::string_view kernel, const Decision& decision)>;

// Asked once for a prediction, and once a driver for the driver floor: the kernels' order is found once.
class FileJudge {
  public:
    explicit FileJudge(const FileCoverage& file) : file_(file) {}

    // Kernels of a module come ordered by name; a module whose kernels are not known gives one decision for the name "". Containers and
    // bare images that the file loads by itself are one pool: each kernel comes once, with the module that serves it best. `only` restricts
    // the walk to one module. False where the visitor ended it.
    bool judge(const Situation& situation, const Visitor& visit, std::optional<std::size_t> only = {});

  private:
    class Walk;

    // All kernels of a module or of the pool; of a device-linked program also its inputs', without those that nothing can launch.
    const std::vector<KernelPlace>& kernels_of(std::size_t key, const std::vector<const Module*>& modules);

    const std::vector<KernelPlace>& kernels_of(const Program& program);

    const FileCoverage& file_;
    std::map<std::size_t, std::vector<KernelPlace>> kernels_;
};

} // namespace cag::compat
