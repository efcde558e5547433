// Images as short texts, so that a failing test shows the whole difference.
#pragma once

#include "image/image.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace cag::test {

// "sass 90a", with kernels "sass 90a: k1 k2"
inline std::string listed(const Image& image) {
    static constexpr const char* kinds[] = {"sass", "ptx", "ltoir", "unknown"};
    std::string text = fmt::format("{} {}", kinds[static_cast<std::size_t>(image.kind)], to_string(image.arch));
    for (std::size_t i = 0; i < image.kernels.size(); ++i) {
        text += (i == 0 ? ": " : " ") + image.kernels[i].name;
    }
    return text;
}

inline std::vector<std::string> listed(const std::vector<Image>& images) {
    std::vector<std::string> texts;
    for (const Image& image : images) {
        texts.push_back(listed(image));
    }
    return texts;
}

inline std::vector<std::string> listed(const std::vector<Container>& containers) {
    std::vector<std::string> texts;
    for (const Container& container : containers) {
        for (const Image& image : container.images) {
            texts.push_back(listed(image));
        }
    }
    return texts;
}

inline std::vector<std::string> codes(const std::vector<Problem>& problems) {
    std::vector<std::string> all;
    for (const Problem& problem : problems) {
        all.push_back(problem.code);
    }
    return all;
}

// Problems of all containers and of none.
inline std::vector<Problem> all_problems(const std::vector<Container>& containers, std::vector<Problem> problems) {
    for (const Container& container : containers) {
        problems.insert(problems.end(), container.problems.begin(), container.problems.end());
    }
    return problems;
}

using Texts = std::vector<std::string>;

} // namespace cag::test
