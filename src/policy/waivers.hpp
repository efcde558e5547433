// Which findings the waivers of a policy excuse, and which waivers excuse none.
#pragma once

#include "policy/checks.hpp"

#include <vector>

namespace cag {

class Waivers {
  public:
    Waivers(const std::vector<Waiver>& waivers, std::string today);

    // The claim told: what no waiver excuses as one finding, and what each waiver excuses as a note.
    [[nodiscard]] std::vector<Finding> told(const FileCoverage& file, const Claim& claim);

    // Waivers that expired, and those that excused nothing although their files were judged.
    [[nodiscard]] std::vector<Finding> stale(const Coverage& coverage) const;

  private:
    struct Entry {
        Waiver waiver;
        bool expired = false;
        bool used = false; // for an expired one: it would have excused something
    };
    std::vector<Entry> entries_;
};

} // namespace cag
