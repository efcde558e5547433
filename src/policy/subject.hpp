// What is judged: the units of a binary that must hold a requirement, each by itself.
#pragma once

#include <cudaarchguard/coverage.hpp>

#include <string>
#include <vector>

namespace cag {

struct Subject {
    enum class Kind : std::uint8_t {
        module,  // one container that the driver loads: registered, linked without inputs, or a raw file
        program, // a device-linked module together with the relocatable inputs it was linked from
        input,   // a relocatable container that still has to be linked
        pool,    // containers that a file's own loader chooses from: any of them may serve a kernel
    };
    Kind kind = Kind::module;
    std::size_t file = 0;             // index in the coverage
    std::vector<std::size_t> modules; // indices in the file; a program's linked module comes first
    bool certain = true;              // false where damage may hide a part of it
};

// The subjects of all files, in input order. Left out: `unregistered` containers, and containers that hold no kernels, functions or
// variables (every host link by nvcc leaves one), except where relocatable inputs make such a container the one that decides.
[[nodiscard]] std::vector<Subject> subjects_of(const Coverage& coverage);

// Mangled names of all kernels in these modules, each once, in the order in which they are met.
[[nodiscard]] std::vector<std::string> kernels_of(const FileCoverage& file, const std::vector<std::size_t>& modules);

// The kernels that a requirement is about. For a program these are all kernels of the linked images and of the inputs, without the device
// runtime's and those that nothing can launch.
[[nodiscard]] std::vector<std::string> kernels_of(const FileCoverage& file, const Subject& subject);

// True where every image that could be loaded is architecture- or family-specific: built for one kind of GPU on purpose.
[[nodiscard]] bool is_specialised(const FileCoverage& file, const Subject& subject);

// "lib.so", "pkg.whl!pkg/lib.so"
[[nodiscard]] std::string display_name(const FileCoverage& file);

// "module 3 of lib.so", for messages.
[[nodiscard]] std::string describe(const FileCoverage& file, const Subject& subject);

} // namespace cag
