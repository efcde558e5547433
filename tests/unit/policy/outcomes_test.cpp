// --runs-on: what the driver would do decides, module by module.
#include "unit/policy/model.hpp"

#include "policy/parse.hpp"
#include "policy/requirement.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

Rules runs_on(const char* gpu, const char* driver = "580", bool jit_allowed = true) {
    RequirementTexts texts;
    texts.runs_on = {gpu};
    texts.drivers = {driver};
    texts.jit_allowed = jit_allowed;
    Rules rules;
    rules.requirements = parse_requirements(texts).value();
    return rules;
}

const Finding& only_finding(const Judgement& judgement) {
    REQUIRE(judgement.findings.size() == 1);
    return judgement.findings.front();
}

} // namespace

TEST_CASE("SASS of a lower minor runs, SASS of another major does not") {
    CHECK(judge(coverage({registered({sass("80")})}), runs_on("8.6")).verdict == Verdict::pass);
    const auto judgement = judge(coverage({registered({sass("90", {"good"})}), registered({sass("80", {"a", "b"})})}), runs_on("9.0"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(only_finding(judgement).code == "CAG103");
    CHECK(only_finding(judgement).module == 1U);
    CHECK(only_finding(judgement).kernels == std::vector<std::string>{"a", "b"});
    CHECK(only_finding(judgement).message.find("209") != std::string::npos);
    CHECK_FALSE(only_finding(judgement).fixes.empty());
}

TEST_CASE("PTX serves a later GPU, unless --no-jit forbids compiling it") {
    const auto with_ptx = coverage({registered({sass("80"), ptx("80")})});
    CHECK(judge(with_ptx, runs_on("12.0")).verdict == Verdict::pass);
    CHECK(judge(with_ptx, runs_on("12.0", "580", false)).verdict == Verdict::fail);
    CHECK(judge(with_ptx, runs_on("8.6", "580", false)).verdict == Verdict::pass);
}

TEST_CASE("PTX that is newer than the driver is the driver's finding, not a missing image") {
    Image newer = ptx("80");
    newer.ptx_isa = PtxIsa{9, 2};
    const auto judgement = judge(coverage({registered({newer})}), runs_on("9.0", "580"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(only_finding(judgement).code == "CAG301");
    CHECK(judge(coverage({registered({newer})}), runs_on("9.0", "595")).verdict == Verdict::pass);
}

TEST_CASE("a program whose linked image does not serve runs by linking its inputs again") {
    const auto program = [](std::vector<Image> second) {
        return coverage({module(ModuleKind::linked, {sass("80", {"a", "b"})}),
                         module(ModuleKind::relocatable, {relocatable(sass("80", {"a"})), relocatable(sass("90", {"a"}))}),
                         module(ModuleKind::relocatable, std::move(second))});
    };
    CHECK(judge(program({relocatable(sass("90", {"b"}))}), runs_on("9.0")).verdict == Verdict::pass);
    const auto judgement = judge(program({relocatable(sass("80", {"b"}))}), runs_on("9.0"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(only_finding(judgement).code == "CAG104"); // error 500: the others run
    CHECK(only_finding(judgement).kernels == std::vector<std::string>{"b"});
}

TEST_CASE("objects of relocatable code are asked what they can give to a link") {
    const auto object = [](std::vector<Image> images) {
        return Coverage{{file({module(ModuleKind::relocatable, std::move(images))}, "a.o", FileRole::object)}};
    };
    CHECK(judge(object({relocatable(sass("90"))}), runs_on("9.0")).verdict == Verdict::pass);
    CHECK(judge(object({relocatable(sass("80"))}), runs_on("9.0")).verdict == Verdict::fail);
    CHECK(judge(object({ltoir("90")}), runs_on("9.0")).verdict == Verdict::pass);
}

TEST_CASE("a pool runs a kernel where any of its containers does") {
    const auto pool = coverage({module(ModuleKind::embedded, {sass("80", {"k"})}), module(ModuleKind::embedded, {sass("90", {"k"})})});
    CHECK(judge(pool, runs_on("9.0")).verdict == Verdict::pass);
    CHECK(judge(pool, runs_on("12.0")).verdict == Verdict::fail);
}

TEST_CASE("a module specialised for another GPU is a note") {
    const auto judgement = judge(coverage({registered({sass("80"), ptx("80")}), registered({sass("100a")})}), runs_on("9.0"));
    CHECK(judgement.verdict == Verdict::pass);
    CHECK(only_finding(judgement).code == "CAG105");
}

TEST_CASE("where every module is made for other GPUs, none of them is excused") {
    const auto only_90a = coverage({registered({sass("90a"), ptx("90a")}), registered({sass("90a")})});
    const auto judgement = judge(only_90a, runs_on("8.6"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(judgement.findings.front().code == "CAG103");
    CHECK(judge(only_90a, runs_on("9.0")).verdict == Verdict::pass);

    // One file of a program may be for one GPU, where another file serves the rest.
    Coverage program = only_90a;
    program.files.push_back(file({registered({sass("86")})}, "libplain.so"));
    CHECK(judge(program, runs_on("8.6")).verdict == Verdict::pass);

    // A part of a run over several machines does not see the other files.
    Rules part = runs_on("8.6");
    part.part = true;
    CHECK(judge(only_90a, part).verdict == Verdict::pass);
}

TEST_CASE("the driver that is used where none is given drives the GPU") {
    RequirementTexts texts;
    texts.runs_on = {"6.1"}; // R580 is the last branch for Pascal
    Rules rules;
    rules.requirements = parse_requirements(texts).value();
    CHECK(judge(coverage({registered({sass("60")})}), rules).verdict == Verdict::pass);
}
