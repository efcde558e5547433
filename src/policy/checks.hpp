// The questions that are asked of one subject. Each returns what is wrong; an empty answer means that the requirement holds.
#pragma once

#include "policy/requirement.hpp"
#include "policy/subject.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace cag {

struct CheckedSubject {
    const FileCoverage& file;
    const Subject& subject;
};

// Something that is wrong with these kernels (none: with the module or the file as a whole), and how to say it of some of them. A waiver
// may excuse a part.
struct Claim {
    std::vector<std::string> kernels;
    std::function<Finding(const std::vector<std::string>& kernels)> finding;
};

// --require-sass, --require-ptx: the images that are there.
[[nodiscard]] std::vector<Claim> check_images(const CheckedSubject& subject, const Requirement& requirement);

// --runs-on: what the driver would do, from the file's part of predict(as_if_linked(coverage), ...). The claims refer to it.
[[nodiscard]] std::vector<Claim> check_outcomes(const CheckedSubject& subject, const Requirement& requirement,
                                                const FilePrediction& prediction);

// What must not be there: debug code, modules of nothing but LTO-IR, an architecture, too many bytes.
[[nodiscard]] std::vector<Claim> check_forbidden(const FileCoverage& file, const Requirement& requirement);

// The rest of a large program needs its share of the 2 GiB over which x86-64 code reaches its data.
inline constexpr std::uint64_t too_large_to_link = 3ULL << 29U;

// Files and archives with so much device code that the program they belong to may not be linked. Of an archive its first member is named.
[[nodiscard]] std::vector<FileFinding> check_size(const Coverage& coverage);

// predict() answers for what the driver loads. For object files and archives of relocatable code the question is whether every member can
// give the architecture, so their containers are put to it as modules of their own.
[[nodiscard]] Coverage as_if_linked(const Coverage& coverage);

// A finding with the place filled in.
[[nodiscard]] Finding finding_in(const CheckedSubject& subject, const char* code, std::string message);

} // namespace cag
