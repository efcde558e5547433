// The policy file, cuda-arch-guard.json: what is required of which files, what is forbidden, and what is waived until when.
// docs/policy.md describes it, docs/schema/policy-1.schema.json is its schema.
#pragma once

#include "policy/json_source.hpp"
#include "policy/requirement.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cag {

inline constexpr const char* policy_file_name = "cuda-arch-guard.json";

// The machines of a lab file, of which each becomes a requirement when the file is read.
struct PolicyLab {
    TextPlace place;                   // of its name in the policy
    std::string file;                  // relative to the policy's folder
    std::vector<std::string> machines; // of it, and groups; none: all
    Requirement each;                  // what they have in common
};

struct Policy {
    std::vector<Requirement> requirements;
    std::vector<PolicyLab> labs;
    std::vector<PolicySection> sections;
    std::vector<Waiver> waivers;
    bool strict = false;
    bool allow_empty = false;
};

// Something that is wrong with a policy file.
struct PolicyError {
    TextPlace place;
    std::string message;
};

struct PolicyReading {
    Policy policy;                   // what could be understood
    std::vector<PolicyError> errors; // in the order of the file; empty: the policy is valid
};

[[nodiscard]] PolicyReading read_policy(std::string_view text);

// For a policy that stands in a document of another syntax. `place_of` tells where the value with a JSON pointer stands.
using PlaceOf = std::function<TextPlace(const std::string& pointer)>;
[[nodiscard]] PolicyReading read_policy(const nlohmann::json& root, const PlaceOf& place_of);

void sort_by_place(std::vector<PolicyError>& errors);

// "cuda-arch-guard.json:3:12: expected ...", one line an error.
[[nodiscard]] std::string to_string(const std::string& file, const PolicyError& error);

// Makes the policy a part of the rules: what both require is required.
void add_policy(Rules& rules, const Policy& policy, const std::string& name);

} // namespace cag
