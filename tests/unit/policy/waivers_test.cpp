// Sections, waivers, things forbidden, and the baseline: what a policy makes of a scan.
#include "unit/policy/model.hpp"

#include "policy/baseline.hpp"
#include "policy/policy_file.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cag;
using namespace cag::test;

namespace {

Rules rules_of(const std::string& policy, const char* today = "2026-11-30") {
    const auto reading = read_policy(policy);
    REQUIRE(reading.errors.empty());
    Rules rules;
    rules.today = today;
    add_policy(rules, reading.policy, "cuda-arch-guard.json");
    return rules;
}

std::vector<std::string> codes_of(const Judgement& judgement, Level level) {
    std::vector<std::string> codes;
    for (const Finding& finding : judgement.findings) {
        if (finding.level == level) {
            codes.push_back(finding.code);
        }
    }
    return codes;
}

using Codes = std::vector<std::string>;

// Two modules; the second lacks sm_90 for the kernels b and c.
Coverage with_gap() {
    return coverage({registered({sass("80", {"_Z1aPf"}), sass("90", {"_Z1aPf"})}), registered({sass("80", {"_Z1bPf", "_Z1cPf"})})});
}

std::string waiving(const std::string& more) {
    return R"({"policy_version": 1, "require": [{"sass": ["80", "90"]}], "waivers": [{"code": "CAG101", "reason": "r", "owner": "o", "expires": "2027-01-31")" +
           more + "}]}";
}

} // namespace

TEST_CASE("a waiver makes its finding a note that says who waives it until when") {
    const auto judgement = judge(with_gap(), rules_of(waiving("")));
    CHECK(judgement.verdict == Verdict::pass);
    REQUIRE(judgement.findings.size() == 1);
    CHECK(judgement.findings[0].code == "CAG101");
    CHECK(judgement.findings[0].level == Level::note);
    CHECK(judgement.findings[0].waiver == 0U);
    CHECK(judgement.findings[0].message.find("waived until 2027-01-31 by o: r") != std::string::npos);
}

TEST_CASE("a waiver of some kernels leaves the others a finding") {
    const auto judgement = judge(with_gap(), rules_of(waiving(R"x(, "kernels": ["b(float*)"])x")));
    CHECK(judgement.verdict == Verdict::fail);
    REQUIRE(judgement.findings.size() == 2);
    CHECK(judgement.findings[0].kernels == Codes{"_Z1cPf"});
    CHECK(judgement.findings[0].message.find("b(float*)") == std::string::npos);
    CHECK(judgement.findings[1].kernels == Codes{"_Z1bPf"});
    CHECK(judgement.findings[1].level == Level::note);
}

TEST_CASE("a waiver holds for its architectures, files and modules only") {
    for (const char* narrow : {R"(, "archs": ["80"])", R"(, "paths": ["other.so"])", R"(, "modules": ["0"])", R"(, "kernels": ["x*"])"}) {
        INFO(narrow);
        CHECK(judge(with_gap(), rules_of(waiving(narrow))).verdict == Verdict::fail);
    }
    for (const char* fitting :
         {R"(, "archs": ["90"])", R"(, "paths": ["lib*.so"])", R"(, "modules": ["1"])", R"(, "kernels": ["_Z1?Pf"])"}) {
        INFO(fitting);
        CHECK(judge(with_gap(), rules_of(waiving(fitting))).verdict == Verdict::pass);
    }
}

TEST_CASE("an expired waiver excuses nothing and is a finding itself") {
    CHECK(judge(with_gap(), rules_of(waiving(""), "2027-01-31")).verdict == Verdict::pass);
    const auto judgement = judge(with_gap(), rules_of(waiving(""), "2027-02-01"));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(codes_of(judgement, Level::error) == Codes{"CAG101"});
    CHECK(codes_of(judgement, Level::warning) == Codes{"CAG509"});
}

TEST_CASE("a waiver that excuses nothing is a finding; of files that are not there, a note") {
    const auto all_there = coverage({registered({sass("80"), sass("90")})});
    const auto judgement = judge(all_there, rules_of(waiving("")));
    CHECK(judgement.verdict == Verdict::pass);
    CHECK(codes_of(judgement, Level::warning) == Codes{"CAG509"});
    CHECK(codes_of(judge(all_there, rules_of(waiving(R"(, "paths": ["gone.so"])"))), Level::note) == Codes{"CAG509"});
}

TEST_CASE("damage cannot be waived away") {
    Coverage damaged = with_gap();
    damaged.files[0].problems = {{"CAG401", "cut", 9999999}};
    CHECK(judge(damaged, rules_of(waiving(""))).verdict == Verdict::undecided);
}

TEST_CASE("a file is judged by the first section that names it, and by the top of the policy where none does") {
    Coverage two;
    two.files = {file({registered({sass("70")})}, "dist/old/liba.so"), file({registered({sass("90")})}, "dist/libb.so")};
    const std::string policy = R"({"policy_version": 1, "require": [{"sass": ["90"]}],
        "sections": [{"paths": ["old/*.so"], "require": [{"sass": ["70"]}]}, {"paths": ["**/liba.so"], "require": [{"sass": ["80"]}]}]})";
    const auto judgement = judge(two, rules_of(policy));
    CHECK(judgement.verdict == Verdict::pass);
    CHECK(judgement.requirements.size() == 2); // the third section has no file
    two.files[0].path = "dist/new/liba.so";
    CHECK(judge(two, rules_of(policy)).verdict == Verdict::fail);
}

TEST_CASE("files about which nothing is required leave the gate undecided") {
    const auto judgement =
        judge(with_gap(), rules_of(R"({"policy_version": 1, "sections": [{"paths": ["x"], "require": [{"sass": ["80"]}]}]})"));
    CHECK(judgement.verdict == Verdict::undecided);
    CHECK(codes_of(judgement, Level::error) == Codes{"CAG106"});
}

TEST_CASE("what is forbidden is found") {
    Coverage made = with_gap();
    const auto verdict = [&](const std::string& forbid) {
        const auto judgement = judge(made, rules_of(R"({"policy_version": 1, "forbid": )" + forbid + "}"));
        CHECK(codes_of(judgement, Level::error) == (judgement.verdict == Verdict::fail ? Codes{"CAG202"} : Codes{}));
        return judgement.verdict;
    };
    CHECK(verdict(R"({"debug": true})") == Verdict::pass);
    CHECK(verdict(R"({"archs": ["90"]})") == Verdict::fail);
    CHECK(verdict(R"({"archs": ["75"]})") == Verdict::pass);
    CHECK(verdict(R"({"max_bytes": {"80": 2000}})") == Verdict::pass);
    CHECK(verdict(R"({"max_bytes": {"80": 1999}})") == Verdict::fail);
    CHECK(verdict(R"({"max_bytes": {"total": 2999}})") == Verdict::fail);
    CHECK(verdict(R"({"ltoir_only": true})") == Verdict::pass);
    made.files[0].modules[0].images[0].debug = true;
    CHECK(verdict(R"({"debug": true})") == Verdict::fail);
    made.files[0].modules[1].images = {ltoir("80")};
    CHECK(verdict(R"({"ltoir_only": true})") == Verdict::fail);
}

TEST_CASE("what every link leaves behind is not a forbidden architecture") {
    const auto made = coverage({registered({sass("80")}), module(ModuleKind::linked, {stub("75")})});
    CHECK(judge(made, rules_of(R"({"policy_version": 1, "forbid": {"archs": ["75"]}})")).verdict == Verdict::pass);
}

TEST_CASE("the baseline of a project holds for it, and not for less") {
    Coverage made;
    made.files = {
        file({registered({sass("80", {"a"}), sass("90", {"a"}), ptx("90", {"a"})}),
              registered({sass("80", {"b"}), sass("90", {"b"}), ptx("90", {"b"})}), registered({sass("80", {"c"}), ptx("90", {"c"})})},
             "dist/lib/a.so"),
        file({registered({sass("90a", {"f"})})}, "dist/lib/f.so")};
    const std::string policy = baseline_policy(made, {"dist"}, "2027-11-30");
    Rules rules = rules_of(policy);
    rules.inputs = {"dist"};
    CHECK(judge(made, rules).verdict == Verdict::pass);
    CHECK(rules.waivers.size() == 1);

    SECTION("a kernel that loses an architecture") {
        made.files[0].modules[1].images.erase(made.files[0].modules[1].images.begin() + 1);
        const auto judgement = judge(made, rules);
        CHECK(judgement.verdict == Verdict::fail);
        CHECK(codes_of(judgement, Level::error) == Codes{"CAG101"});
    }
    SECTION("a library that is removed") {
        made.files.pop_back();
        const auto judgement = judge(made, rules);
        CHECK(judgement.verdict == Verdict::fail);
        CHECK(codes_of(judgement, Level::error) == Codes{"CAG109"});
    }
    SECTION("a gap that is closed leaves its waiver without use") {
        made.files[0].modules[2].images.push_back(sass("90", {"c"}));
        const auto judgement = judge(made, rules);
        CHECK(judgement.verdict == Verdict::pass);
        CHECK(codes_of(judgement, Level::warning) == Codes{"CAG509"});
    }
    SECTION("a single file does not miss its siblings") {
        rules.inputs = {"dist/lib/a.so"};
        made.files.pop_back();
        CHECK(judge(made, rules).verdict == Verdict::pass);
    }
}
