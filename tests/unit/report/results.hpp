// The results that every renderer is shown: clean, one architecture missing, damaged input, many modules.
#pragma once

#include "unit/policy/model.hpp"

#include "policy/parse.hpp"
#include "policy/requirement.hpp"

#include <fmt/format.h>

namespace cag::test {

inline Coverage clean() {
    return coverage({registered({sass("80", {"_Z5scalePff", "_Z3addPfS_"}), sass("90", {"_Z5scalePff", "_Z3addPfS_"}),
                                 ptx("90", {"_Z5scalePff", "_Z3addPfS_"})}),
                     registered({sass("80", {"_Z6reducePKfPf"}), sass("90", {"_Z6reducePKfPf"}), ptx("90", {"_Z6reducePKfPf"})}),
                     module(ModuleKind::linked, {stub()})});
}

inline Coverage one_missing() {
    Coverage made = clean();
    made.files[0].modules[1].images = {sass("80", {"_Z6reducePKfPf"})};
    return made;
}

inline Coverage damaged() {
    Coverage made = clean();
    made.files[0].problems = {{"CAG401", "section .nv_fatbin ends behind the end of the file", 9000}};
    return made;
}

// Twenty modules of two files; the even ones of the second file lack sm_90.
inline Coverage many() {
    Coverage made;
    for (int f = 0; f < 2; ++f) {
        std::vector<Module> modules;
        for (int m = 0; m < 10; ++m) {
            const auto name = fmt::format("_Z7kernel{}v", m);
            const bool gap = f == 1 && m % 2 == 0;
            modules.push_back(gap ? registered({sass("80", {name})}) : registered({sass("80", {name}), sass("90", {name})}));
        }
        made.files.push_back(file(std::move(modules), fmt::format("lib{}.so", f)));
    }
    return made;
}

inline Rules sass_80_and_90() {
    RequirementTexts texts;
    texts.sass = {"80,90"};
    Rules rules;
    rules.requirements = parse_requirements(texts).value();
    return rules;
}

} // namespace cag::test
