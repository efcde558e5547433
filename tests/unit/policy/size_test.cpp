// More device code than a program can be linked with: a warning of its own, whatever is required.
#include "unit/policy/model.hpp"

#include "policy/requirement.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

constexpr std::uint64_t mib = 1ULL << 20U;

Rules require_sass_90() {
    Requirement made;
    made.kind = Requirement::Kind::sass;
    made.text = "90";
    made.arch = parse_arch("90").value();
    Rules rules;
    rules.requirements = {made};
    return rules;
}

FileCoverage file_of(std::uint64_t bytes, const std::string& path, FileRole role = FileRole::loadable) {
    FileCoverage made = file({registered({sass("80"), sass("90")})}, path, role);
    made.modules[0].size = bytes;
    return made;
}

} // namespace

TEST_CASE("1.5 GiB of device code in one file pass, with a warning of what a linker will say") {
    CHECK(judge({{file_of(1500 * mib, "libsmall.so")}}, require_sass_90()).findings.empty());
    const Judgement judgement = judge({{file_of(1700 * mib, "liblarge.so")}}, require_sass_90());
    CHECK(judgement.verdict == Verdict::pass);
    REQUIRE(judgement.findings.size() == 1);
    const Finding& finding = judgement.findings.front();
    CHECK(finding.code == "CAG203");
    CHECK(finding.level == Level::warning);
    CHECK(finding.path == "liblarge.so");
    CHECK(finding.message.find("1.7 GiB of device code for 2 architectures (80 90)") != std::string::npos);
    CHECK(finding.message.find("relocation truncated to fit") != std::string::npos);
    REQUIRE(finding.fixes.size() == 3);
    CHECK(finding.fixes[1].find("--compress-mode=size") != std::string::npos);
}

TEST_CASE("the members of one archive are linked together, the files of a package are not") {
    Coverage archive;
    Coverage wheel;
    for (const char* member : {"a", "b"}) {
        archive.files.push_back(file_of(900 * mib, "libmany.a", FileRole::object));
        archive.files.back().member = member;
        wheel.files.push_back(file_of(900 * mib, "pkg.whl"));
        wheel.files.back().member = member;
        wheel.files.push_back(file_of(900 * mib, "pkg.whl", FileRole::object));
        wheel.files.back().member = std::string{member} + ".a!one.o";
    }
    const Judgement judgement = judge(archive, require_sass_90());
    REQUIRE(judgement.findings.size() == 1);
    CHECK(judgement.findings.front().path == "libmany.a");
    CHECK_FALSE(judgement.findings.front().member);
    CHECK(judge(wheel, require_sass_90()).findings.empty());
}

TEST_CASE("who knows of the size may waive the warning") {
    Rules rules = require_sass_90();
    Waiver waiver;
    waiver.code = "CAG203";
    waiver.paths = {"liblarge.so"};
    waiver.reason = "linked with -mcmodel=large";
    waiver.owner = "build team";
    waiver.expires = "2027-06-30";
    rules.waivers = {waiver};
    rules.today = "2026-12-01";
    const Judgement judgement = judge({{file_of(1700 * mib, "liblarge.so")}}, rules);
    REQUIRE(judgement.findings.size() == 1); // and nothing about a waiver that excuses nothing
    CHECK(judgement.findings.front().code == "CAG203");
    CHECK(judgement.findings.front().level == Level::note);
}
