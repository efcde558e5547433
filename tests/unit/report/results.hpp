// The results that every renderer is shown: clean, one architecture missing, partly waived, damaged input, a package of many files.
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

// A wheel: a library that is complete, one with a gap in its second module, one without device code, and data.
inline Coverage package() {
    Coverage made;
    const auto member = [&](const char* name, std::vector<Module> modules) {
        made.files.push_back(file(std::move(modules), "dist/demo-1.0-py3-none-linux_x86_64.whl"));
        made.files.back().member = name;
    };
    const auto both = [](const char* kernel) { return registered({sass("80", {kernel}), sass("90", {kernel})}); };
    member("demo/lib/libcore.so", {both("_Z4coreP"), both("_Z5core2P")});
    member("demo/lib/libimage, v2.so", {both("_Z7sharpenPfi"), registered({sass("80", {"_Z4blurPfi", "_Z4edgePfi"})})});
    member("demo/lib/libhost.so", {});
    member("demo/lib/libvideo.so", {both("_Z6decodePh"), registered({sass("80", {"_Z6encodePh"})})});
    return made;
}

// Two kernels lack sm_90: one is waived, the other not; a second waiver has expired, a third excuses nothing.
inline Coverage partial() {
    Coverage made = clean();
    made.files[0].modules[0].images[1] = sass("90", {"_Z3addPfS_"});
    made.files[0].modules[1].images = {sass("80", {"_Z6reducePKfPf"})};
    return made;
}

inline Rules partly_waived() {
    Rules rules = sass_80_and_90();
    rules.policy = "cuda-arch-guard.json";
    rules.today = "2026-11-30";
    rules.waivers = {
        {"CAG101", {}, {"1"}, {}, {}, "the vendor ships 90 next year", "build team", "2027-03-31"},
        {"CAG104", {}, {}, {"_Z5scale*"}, {}, "waits for release 4", "kernels team", "2026-10-31"},
        {"CAG102", {}, {}, {}, {}, "no PTX before release 5", "kernels team", "2027-10-31"},
    };
    return rules;
}

// What every renderer is shown.
struct Shown {
    const char* name;
    Coverage coverage;
    Rules rules;
};

inline std::vector<Shown> five_results() {
    return {{"clean", clean(), sass_80_and_90()},
            {"one-missing", one_missing(), sass_80_and_90()},
            {"waived", partial(), partly_waived()},
            {"damaged", damaged(), sass_80_and_90()},
            {"package", package(), sass_80_and_90()}};
}

} // namespace cag::test
