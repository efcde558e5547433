// --require-sass and --require-ptx: which binaries hold them.
#include "unit/policy/model.hpp"

#include "policy/requirement.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cag;
using namespace cag::test;

namespace {

Requirement requirement(Requirement::Kind kind, const char* arch) {
    Requirement made;
    made.kind = kind;
    made.text = arch;
    made.arch = parse_arch(arch).value();
    return made;
}

Rules require_sass(const char* arch) {
    Rules rules;
    rules.requirements = {requirement(Requirement::Kind::sass, arch)};
    return rules;
}

Rules require_ptx(const char* arch) {
    Rules rules;
    rules.requirements = {requirement(Requirement::Kind::ptx, arch)};
    return rules;
}

const Finding& only_finding(const Judgement& judgement) {
    REQUIRE(judgement.findings.size() == 1);
    return judgement.findings.front();
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("an architecture that one module lacks fails, whatever the others have") {
    const auto judgement = judge(coverage({registered({sass("80", {"a"}), sass("90", {"a"})}), registered({sass("80", {"_Z5scalePff"})})}),
                                 require_sass("90"));
    CHECK(judgement.verdict == Verdict::fail);
    const Finding& finding = only_finding(judgement);
    CHECK(finding.code == "CAG101");
    CHECK(finding.module == 1U);
    CHECK(finding.kernels == Names{"_Z5scalePff"});
    CHECK(finding.arch == parse_arch("90"));
    CHECK(finding.message.find("module 1 of libdemo.so has no SASS for sm_90") != std::string::npos);
    CHECK(finding.message.find("scale(float*, float)") != std::string::npos);
    REQUIRE(finding.fixes.size() == 3);
    CHECK(finding.fixes[0] == "nvcc: -gencode=arch=compute_90,code=sm_90");
    CHECK(finding.fixes[1].find("90-real") != std::string::npos);
    CHECK(finding.fixes[2].find("9.0") != std::string::npos);
}

TEST_CASE("every module with the architecture passes") {
    CHECK(judge(coverage({registered({sass("90")}), registered({sass("80"), sass("90")})}), require_sass("90")).verdict == Verdict::pass);
}

TEST_CASE("SASS means exactly that architecture: neither a lower minor nor the `a` variant") {
    CHECK(judge(coverage({registered({sass("80")})}), require_sass("86")).verdict == Verdict::fail);
    CHECK(judge(coverage({registered({sass("80"), sass("90a")})}), require_sass("90")).verdict == Verdict::fail);
    CHECK(judge(coverage({registered({sass("80"), sass("90")})}), require_sass("90a")).verdict == Verdict::fail);
    CHECK(judge(coverage({registered({sass("80"), sass("100f")})}), require_sass("100")).verdict == Verdict::fail);
}

TEST_CASE("PTX of the target or a lower one holds; of a higher one, of `a` and of `f` it does not") {
    const auto verdict = [](Image image, const char* arch) {
        return judge(coverage({registered({sass("75"), std::move(image)})}), require_ptx(arch)).verdict;
    };
    CHECK(verdict(ptx("90"), "90") == Verdict::pass);
    CHECK(verdict(ptx("80"), "90") == Verdict::pass);
    CHECK(verdict(ptx("100"), "90") == Verdict::fail);
    CHECK(verdict(ptx("90a"), "90") == Verdict::fail);
    CHECK(verdict(ptx("90a"), "100") == Verdict::fail);
    CHECK(verdict(ptx("100f"), "103") == Verdict::fail);
    CHECK(verdict(ptx("90a"), "90a") == Verdict::pass);
    CHECK(verdict(ptx("80"), "90a") == Verdict::fail);
    CHECK(verdict(sass("90"), "90") == Verdict::fail);
}

TEST_CASE("a kernel that the image of the architecture lacks is named") {
    const auto judgement = judge(coverage({registered({sass("80", {"always", "only_80"}), sass("90", {"always"})})}), require_sass("90"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(only_finding(judgement).code == "CAG104");
    CHECK(only_finding(judgement).kernels == Names{"only_80"});
}

TEST_CASE("a kernel that does nothing on the required architecture is a warning") {
    Image hollow = sass("90", {"k"});
    hollow.kernels[0].body = KernelBody::empty;
    const auto judgement = judge(coverage({registered({sass("80", {"k"}), hollow})}), require_sass("90"));
    CHECK(judgement.verdict == Verdict::pass);
    CHECK(only_finding(judgement).code == "CAG201");
    CHECK(only_finding(judgement).level == Level::warning);
}

TEST_CASE("modules with only `a` and `f` images are a note, and an error with --strict") {
    const auto specialised = coverage({registered({sass("90")}), registered({sass("90a"), ptx("90a")})});
    auto rules = require_sass("90");
    const auto judgement = judge(specialised, rules);
    CHECK(judgement.verdict == Verdict::pass);
    CHECK(only_finding(judgement).code == "CAG105");
    CHECK(only_finding(judgement).level == Level::note);
    rules.strict = true;
    CHECK(judge(specialised, rules).verdict == Verdict::fail);
}

TEST_CASE("where all modules have only `a` and `f` images, none is excused") {
    const auto only_90a = coverage({registered({sass("90a"), ptx("90a")}), registered({sass("90a")})});
    CHECK(judge(only_90a, require_sass("90")).verdict == Verdict::fail);
    CHECK(judge(only_90a, require_ptx("90")).verdict == Verdict::fail);
    CHECK(judge(only_90a, require_sass("90a")).verdict == Verdict::pass);
}

TEST_CASE("one plain image beside `a` ones means that the module is not specialised") {
    CHECK(judge(coverage({registered({sass("90a"), ptx("80")})}), require_sass("80")).verdict == Verdict::fail);
}

TEST_CASE("the empty cubin of a host link is nobody's defect") {
    CHECK(judge(coverage({registered({sass("90")}), module(ModuleKind::linked, {stub()})}), require_sass("90")).verdict == Verdict::pass);
}

TEST_CASE("in a file with relocatable inputs the empty linked image is the program") {
    const auto judgement = judge(coverage({module(ModuleKind::linked, {stub("75")}),
                                           module(ModuleKind::relocatable, {relocatable(sass("90", {"a"})), ptx("90", {"a"})})}),
                                 require_sass("90"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(only_finding(judgement).code == "CAG101");
    CHECK(only_finding(judgement).kernels == Names{"a"});
}

TEST_CASE("for a device-linked program SASS is the linked image, PTX is every input's") {
    const auto program = [](std::vector<Image> second) {
        return coverage({module(ModuleKind::linked, {sass("90", {"a", "b"})}),
                         module(ModuleKind::relocatable, {relocatable(sass("90", {"a"})), ptx("90", {"a"})}),
                         module(ModuleKind::relocatable, std::move(second))});
    };
    CHECK(judge(program({relocatable(sass("90", {"b"}))}), require_sass("90")).verdict == Verdict::pass);
    CHECK(judge(program({relocatable(sass("90", {"b"})), ptx("80", {"b"})}), require_ptx("90")).verdict == Verdict::pass);

    const auto judgement = judge(program({relocatable(sass("90", {"b"}))}), require_ptx("90"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(only_finding(judgement).code == "CAG102");
    CHECK(only_finding(judgement).kernels == Names{"b"});
}

TEST_CASE("the device runtime's container is not an input that must bring PTX") {
    Image runtime = relocatable(sass("90", {}));
    runtime.functions = {"cnpInit", "cudaDeviceSynchronize"};
    const auto linked = coverage({module(ModuleKind::linked, {sass("90", {"a"})}),
                                  module(ModuleKind::relocatable, {relocatable(sass("90", {"a"})), ptx("90", {"a"})}),
                                  module(ModuleKind::relocatable, {runtime})});
    CHECK(judge(linked, require_ptx("90")).verdict == Verdict::pass);
}

TEST_CASE("kernels that the device link left out are named") {
    const auto judgement =
        judge(coverage({module(ModuleKind::linked, {sass("90", {"a"})}), module(ModuleKind::relocatable, {relocatable(sass("90", {"a"}))}),
                        module(ModuleKind::relocatable, {relocatable(sass("80", {"b"}))})}),
              require_sass("90"));
    CHECK(only_finding(judgement).code == "CAG104");
    CHECK(only_finding(judgement).kernels == Names{"b"});
}

TEST_CASE("a kernel that the device link dropped because nothing launches it is no defect") {
    const auto program = [](const char* object_arch) {
        auto made =
            coverage({module(ModuleKind::linked, {sass("80", {"used"}), sass("90", {"used"})}),
                      module(ModuleKind::relocatable, {relocatable(sass("80", {"used"})), relocatable(sass("90", {"used"}))}),
                      module(ModuleKind::relocatable, {relocatable(sass("80", {"unused"})), relocatable(sass(object_arch, {"unused"}))})});
        made.files[0].host_references = {{"used"}};
        return made;
    };
    CHECK(judge(program("90"), require_sass("90")).verdict == Verdict::pass);
    // With an object that has no sm_90 the link could not have taken it, so it may be wanted.
    CHECK(judge(program("100"), require_sass("90")).verdict == Verdict::fail);
}

TEST_CASE("each member of an archive of relocatable code must be able to give the architecture") {
    Coverage archive;
    archive.files = {file({module(ModuleKind::relocatable, {relocatable(sass("80", {"a"})), relocatable(sass("90", {"a"}))})}, "libx.a",
                          FileRole::object),
                     file({module(ModuleKind::relocatable, {relocatable(sass("80", {"b"}))})}, "libx.a", FileRole::object)};
    archive.files[0].member = "a.o";
    archive.files[1].member = "b.o";
    CHECK(judge(archive, require_sass("80")).verdict == Verdict::pass);
    const auto judgement = judge(archive, require_sass("90"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(only_finding(judgement).member == "b.o");
}

TEST_CASE("LTO-IR gives the architecture to a link and is no image of a loadable module") {
    CHECK(judge({{file({module(ModuleKind::relocatable, {ltoir("90")})}, "a.o", FileRole::object)}}, require_sass("90")).verdict ==
          Verdict::pass);
    CHECK(judge(coverage({registered({ltoir("90"), sass("80")})}), require_sass("90")).verdict == Verdict::fail);
}

TEST_CASE("a relocatable cubin in a registered module cannot be loaded") {
    CHECK(judge(coverage({registered({relocatable(sass("90")), sass("80")})}), require_sass("90")).verdict == Verdict::fail);
}

TEST_CASE("embedded containers are one pool: any of them may serve a kernel, each kernel needs one") {
    const auto embedded = [](std::vector<Image> images) { return module(ModuleKind::embedded, std::move(images)); };
    CHECK(judge(coverage({embedded({sass("80", {"k"})}), embedded({sass("90", {"k"})})}), require_sass("90")).verdict == Verdict::pass);
    const auto judgement = judge(coverage({embedded({sass("80", {"k", "m"})}), embedded({sass("90", {"k"})})}), require_sass("90"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(only_finding(judgement).kernels == Names{"m"});
}

TEST_CASE("a raw image in a data section belongs to the pool, a raw file is judged") {
    CHECK(judge(coverage({module(ModuleKind::embedded, {sass("80", {"k"})}), module(ModuleKind::raw, {sass("90", {"k"})})}),
                require_sass("90"))
              .verdict == Verdict::pass);
    CHECK(judge({{file({module(ModuleKind::raw, {sass("80")})}, "k.cubin", FileRole::raw)}}, require_sass("90")).verdict == Verdict::fail);
}

TEST_CASE("unregistered containers are told and not judged") {
    const auto judgement = judge(coverage({registered({sass("90")}), module(ModuleKind::unregistered, {sass("80")})}), require_sass("90"));
    CHECK(judgement.verdict == Verdict::pass);
    CHECK(only_finding(judgement).code == "CAG108");
    CHECK(only_finding(judgement).level == Level::note);
}

TEST_CASE("with --scope any one module of each library is enough") {
    auto rules = require_sass("90");
    rules.requirements.front().scope = Scope::any;
    CHECK(judge(coverage({registered({sass("80")}), registered({sass("90")})}), rules).verdict == Verdict::pass);
    CHECK(judge({{file({registered({sass("90")})}, "a.so"), file({registered({sass("80")})}, "b.so")}}, rules).verdict == Verdict::fail);
}

TEST_CASE("nothing to judge is not decided, unless that is allowed") {
    auto rules = require_sass("90");
    rules.inputs = {"libdemo.so"};
    const auto judgement = judge(coverage({}), rules);
    CHECK(judgement.verdict == Verdict::undecided);
    CHECK(only_finding(judgement).code == "CAG106");
    CHECK(judge(coverage({module(ModuleKind::linked, {stub()})}), rules).verdict == Verdict::undecided);
    rules.allow_empty = true;
    CHECK(judge(coverage({}), rules).verdict == Verdict::pass);
}

TEST_CASE("each path that was asked for must hold something to judge") {
    auto rules = require_sass("90");
    rules.inputs = {"dist", "other.so"};
    const Coverage files{{file({registered({sass("90")})}, "dist/lib/a.so"), file({}, "other.so")}};
    const auto judgement = judge(files, rules);
    CHECK(judgement.verdict == Verdict::undecided);
    CHECK(only_finding(judgement).path == "other.so");
}

TEST_CASE("a path that could not be read is not called empty, and leaves its requirement undecided") {
    auto rules = require_sass("90");
    rules.inputs = {"a.so", "lost.so"};
    FileCoverage lost = file({}, "lost.so");
    lost.problems.push_back({"CAG408", "cannot open the file", {}});
    const auto judgement = judge({{file({registered({sass("90")})}, "a.so"), lost}}, rules);
    CHECK(judgement.verdict == Verdict::undecided);
    CHECK(std::none_of(judgement.findings.begin(), judgement.findings.end(), [](const Finding& one) { return one.code == "CAG106"; }));
}

TEST_CASE("a partial read decides nothing that it could hide") {
    const auto damaged = [](std::optional<std::uint64_t> offset, const char* arch) {
        Coverage made = coverage({registered({sass("80")}), registered({sass("80"), sass("90")})});
        made.files[0].problems = {{"CAG401", "cut short", offset}};
        return judge(made, require_sass(arch)).verdict;
    };
    CHECK(damaged(9000, "80") == Verdict::undecided); // all that was read holds it, but there was more
    CHECK(damaged(4500, "90") == Verdict::undecided); // module 0 lacks it, and a part of module 0 is missing
    CHECK(damaged({}, "90") == Verdict::undecided);   // nobody knows where
    CHECK(damaged(9000, "90") == Verdict::fail);      // module 0 was read whole and lacks it
    CHECK(damaged(5500, "90") == Verdict::fail);      // so it was where module 1 is damaged
}

TEST_CASE("requirements have their own results, and findings name the one that they are about") {
    Rules rules;
    rules.requirements = {requirement(Requirement::Kind::sass, "80"), requirement(Requirement::Kind::sass, "90")};
    const auto judgement = judge(coverage({registered({sass("80")})}), rules);
    REQUIRE(judgement.requirements.size() == 2);
    CHECK(judgement.requirements[0].verdict == Verdict::pass);
    CHECK(judgement.requirements[1].verdict == Verdict::fail);
    CHECK(only_finding(judgement).requirement == 1U);
}

TEST_CASE("errors come before warnings and notes") {
    const auto judgement = judge(coverage({module(ModuleKind::unregistered, {sass("80")}), registered({sass("80")})}), require_sass("90"));
    REQUIRE(judgement.findings.size() == 2);
    CHECK(judgement.findings[0].level == Level::error);
    CHECK(judgement.findings[1].level == Level::note);
}
