// Fake installations: Python packages with device code, toolkits, and the doctor's answer about them.
#pragma once

#include "doctor/doctor.hpp"
#include "unit/survey/machines.hpp"

#include <string>
#include <vector>

namespace cag::test {

// A file inside a package: libraries carry one module with these images. "80" and "90a" are SASS, "ptx80" is PTX of ISA 9.0, "ptx80@8.7" of
// another.
struct PackageFile {
    std::string path; // relative to site-packages
    std::vector<std::string> images;
    std::string text; // of files that are no libraries
};

inline constexpr const char* site = "/opt/venv/lib/python3.12/site-packages";

void add_package(FakeRoot& root, const std::string& name, const std::string& version, const std::vector<PackageFile>& files);

// The bytes of a library with one module; `kernel` is in all of its images.
[[nodiscard]] std::string library(const std::vector<std::string>& images, const std::string& kernel = "_Z1kPi");
[[nodiscard]] std::string bare_cubin(unsigned sm);

// A program of a toolkit, as far as its release is read from it.
[[nodiscard]] std::string tool_of(const std::string& release); // "12.8.93"

// The GPUs and the driver, as `nvidia-smi --query-gpu` lists them: "NVIDIA H200, 9.0" each.
[[nodiscard]] Machine machine_with(const std::string& driver, const std::vector<std::string>& gpus);

struct Answer {
    Examination examination;
    Diagnosis diagnosis;

    [[nodiscard]] const PossibleCause* cause(const std::string& code) const;
    [[nodiscard]] std::string answer(const std::string& package, std::size_t gpu = 0) const; // "runs"
};

[[nodiscard]] Answer asked(const FakeRoot& root, Machine machine, DoctorOptions options = {});
// The machine that the root itself describes.
[[nodiscard]] Answer asked(const Host& host);

[[nodiscard]] bool says(const std::string& text, const std::string& part);
[[nodiscard]] bool says(const std::vector<std::string>& texts, const std::string& part); // any of them

} // namespace cag::test
