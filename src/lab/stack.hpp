// What can be installed on the machines of a lab as it is published: framework builds and container images, from the tables.
#pragma once

#include "lab/solve.hpp"

namespace cag {

struct Fitting {
    std::string name;    // "PyTorch", "nvcr.io/nvidia/pytorch"
    std::string version; // "2.14.0", "25.12-py3"
    std::string cuda;    // the toolkit inside: "13.0"
    std::string how;     // how it does there: "native"
    std::string source;  // where the table has it from
    bool container = false;
};

// A program cannot be taken from x86-64 to the Arm processors beside these GPUs.
[[nodiscard]] bool is_arm_only(const Gpu& gpu);

// For each framework the newest published build with code that runs on the place's GPU, and for each image the newest that its driver
// starts; native code before PTX that is compiled. Nothing for a name of which no known build fits.
[[nodiscard]] std::vector<Fitting> newest_fitting(const LabPlace& place);

// A Dockerfile that builds for the places, with the list spelt out, and verifies what it ships against the lab. Failure CAG508: no known
// image has a toolkit for them.
[[nodiscard]] Result<std::string> dockerfile(const std::vector<LabPlace>& places, const std::string& lab_file,
                                             const std::vector<std::string>& machines);

} // namespace cag
