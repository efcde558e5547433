// The questions that are asked of one subject. Each returns what is wrong; an empty answer means that the requirement holds.
#pragma once

#include "policy/requirement.hpp"
#include "policy/subject.hpp"

#include <vector>

namespace cag {

struct CheckedSubject {
    const FileCoverage& file;
    const Subject& subject;
};

// --require-sass, --require-ptx: the images that are there.
[[nodiscard]] std::vector<Finding> check_images(const CheckedSubject& subject, const Requirement& requirement);

// --runs-on: what the driver would do, from the file's part of predict(as_if_linked(coverage), ...).
[[nodiscard]] std::vector<Finding> check_outcomes(const CheckedSubject& subject, const Requirement& requirement,
                                                  const FilePrediction& prediction);

// predict() answers for what the driver loads. For object files and archives of relocatable code the question is whether every member can
// give the architecture, so their containers are put to it as modules of their own.
[[nodiscard]] Coverage as_if_linked(const Coverage& coverage);

// A finding with the place filled in.
[[nodiscard]] Finding finding_in(const CheckedSubject& subject, const char* code, std::string message);

} // namespace cag
