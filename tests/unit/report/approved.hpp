// Approved output: what a renderer prints is held against a file in approved/, so that a change of the output is seen and chosen.
//
// `cmake --build --preset dev --target approve` writes the files anew; look at the difference before committing it.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace cag::test {

inline void check_approved(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path{CAG_APPROVED_FOLDER} / name;
    if (std::getenv("CAG_APPROVE") != nullptr) {
        std::ofstream{path, std::ios::binary} << text;
    }
    std::ifstream file{path, std::ios::binary};
    std::ostringstream approved;
    approved << file.rdbuf();
    INFO(path.string());
    CHECK(text == approved.str());
}

} // namespace cag::test
