// The policy file: what it may say, and how its errors are told.
#include "policy/policy_file.hpp"

#include "policy/glob.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

namespace {

std::string first_error(const char* text) {
    const auto reading = read_policy(text);
    REQUIRE_FALSE(reading.errors.empty());
    return to_string("p.json", reading.errors.front());
}

std::string with_waiver(const std::string& waiver) { return R"({"policy_version": 1, "waivers": [)" + waiver + "]}"; }

} // namespace

TEST_CASE("patterns stop at folders unless they say otherwise") {
    CHECK(path_matches("lib/*.so", "/opt/x/lib/a.so"));
    CHECK(path_matches("lib/*.so", "x.whl!lib/a.so"));
    CHECK(path_matches("a.so", "a.so"));
    CHECK_FALSE(path_matches("a.so", "/opt/liba.so"));
    CHECK_FALSE(path_matches("lib/*.so", "lib/sub/a.so"));
    CHECK(path_matches("lib/**/*.so", "lib/sub/deep/a.so"));
    CHECK(path_matches("lib/**/*.so", "lib/a.so"));
    CHECK(path_matches("*.whl!**", "dist/x.whl!lib/a.so"));
    CHECK_FALSE(path_matches("/lib/a.so", "/opt/lib/a.so"));
    CHECK(path_matches("lib?.so", "liba.so"));
}

TEST_CASE("a policy says what is required of which files") {
    const auto reading = read_policy(R"({
  "policy_version": 1,
  "require": [{"sass": ["80", "90a"]}, {"runs_on": ["RTX 5090"], "drivers": ["570", "580"], "jit": false, "scope": "any"}],
  "forbid": {"debug": true, "archs": ["50"], "max_bytes": {"total": "2.5 KiB", "120": 100}},
  "sections": [{"paths": ["old/*.so"], "required": true, "require": [{"ptx": ["70"]}]}],
  "waivers": [{"code": "101", "archs": ["90a"], "reason": "r", "owner": "o", "expires": "2028-02-29"}]
})");
    REQUIRE(reading.errors.empty());
    const Policy& policy = reading.policy;
    // The section: files present, PTX. The rest: two SASS, one GPU with two drivers; and what is forbidden, of both.
    REQUIRE(policy.requirements.size() == 2 + 2 + 2 + 4);
    CHECK(policy.requirements[0].kind == Requirement::Kind::present);
    CHECK(policy.requirements[1].kind == Requirement::Kind::ptx);
    CHECK(policy.requirements[1].sections == std::vector<std::size_t>{0});
    const auto& on_gpu = policy.requirements[3 + 1];
    CHECK(on_gpu.kind == Requirement::Kind::runs_on);
    CHECK(on_gpu.sections == std::vector<std::size_t>{1});
    CHECK(on_gpu.driver->branch == 570);
    CHECK_FALSE(on_gpu.jit_allowed);
    CHECK(on_gpu.scope == Scope::any);
    const auto& total = policy.requirements.back();
    CHECK(total.kind == Requirement::Kind::max_bytes);
    CHECK(total.bytes == 2560);
    CHECK(total.of_all_images);
    CHECK(total.sections == std::vector<std::size_t>{0, 1});
    REQUIRE(policy.waivers.size() == 1);
    CHECK(policy.waivers[0].code == "CAG101");
}

TEST_CASE("errors stand at the line and column of what is wrong") {
    CHECK(first_error("{\n  \"policy_version\": 1,\n  \"require\": [{\"sas\": [\"80\"]}]\n}")
              .starts_with("p.json:3:23: expected one of the keys sass"));
    CHECK(first_error("{\n  \"policy_version\": 1,\n  \"require\": [{\"sass\": [\"80\", \"sm_86a\"]}]\n}").starts_with("p.json:3:31: "));
    CHECK(first_error("{\"policy_version\": 1,\n \"strict\": 1}").starts_with("p.json:2:12: expected true or false, found 1"));
    CHECK(first_error("{\"policy_version\": 2}").starts_with("p.json:1:20: expected 1"));
    CHECK(first_error("{}").starts_with("p.json:1:1: expected \"policy_version\": 1"));
    CHECK(first_error("[]").starts_with("p.json:1:1: expected an object"));
    CHECK(first_error("").starts_with("p.json:1:1: expected JSON"));
    CHECK(first_error("{\n \"policy_version\": 1,\n}").starts_with("p.json:3:1: expected JSON"));
    CHECK(first_error("{\"policy_version\": 1,\n\"policy_version\": 1}").starts_with("p.json:2:1: the key `policy_version` stands twice"));
}

TEST_CASE("a misspelled key is told with the one that was meant") {
    CHECK(first_error(R"({"policy_version": 1, "wavers": []})").find("did you mean `waivers`?") != std::string::npos);
}

TEST_CASE("a waiver needs a code that can be waived, a reason, an owner and a day") {
    const auto with = [](const char* waiver) { return first_error(with_waiver(waiver).c_str()); };
    CHECK(with(R"({"code": "CAG101", "owner": "o", "expires": "2027-01-01"})").find("\"reason\"") != std::string::npos);
    CHECK(with(R"({"code": "CAG401", "reason": "r", "owner": "o", "expires": "2027-01-01"})").find("cannot be waived") !=
          std::string::npos);
    CHECK(with(R"({"code": "CAG999", "reason": "r", "owner": "o", "expires": "2027-01-01"})").find("CAG999") != std::string::npos);
    CHECK(with(R"({"code": "CAG101", "reason": "r", "owner": "o", "expires": "2027-02-30"})").find("expected a day") != std::string::npos);
    CHECK(with(R"({"code": "CAG101", "reason": "r", "owner": "o", "expires": "soon"})").find("expected a day") != std::string::npos);
}

TEST_CASE("all errors of a file are told, in its order") {
    const auto reading =
        read_policy(R"({"waivers": 1, "policy_version": 1, "forbid": {"max_bytes": {"sm": 1}}, "require": [{}, {"drivers": ["x"]}]})");
    REQUIRE(reading.errors.size() == 4);
    CHECK(reading.errors.front().place.column < reading.errors.back().place.column);
}
