#include "policy/baseline.hpp"

#include "policy/requirement.hpp"
#include "policy/subject.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace cag {
namespace {

using nlohmann::ordered_json;

// As a pattern of a policy: from the folder or archive on that was named, so that the same files match wherever they lie.
std::string name_of(const FileCoverage& file, const std::vector<std::string>& inputs) {
    if (file.member) {
        return *file.member;
    }
    for (const std::string& input : inputs) {
        const std::string folder = input.ends_with('/') ? input : input + '/';
        if (file.path.starts_with(folder)) {
            return file.path.substr(folder.size());
        }
    }
    return file.path.substr(file.path.rfind('/') + 1); // npos + 1 is 0
}

// Names of file-local functions carry hashes of the file's path (`_GLOBAL__N__1a2b3c4d_7_foo_cu_5e6f7a8b`): they change with the folder.
std::string without_hashes(std::string name) {
    constexpr std::size_t digits = 8;
    const auto is_hash = [&](std::size_t at) {
        return at + digits < name.size() && name[at - 1] == '_' && name[at + digits] == '_' &&
               name.find_first_not_of("0123456789abcdef", at) == at + digits;
    };
    for (std::size_t i = 1; i < name.size(); ++i) {
        if (is_hash(i)) {
            name.replace(i, digits, "*");
        }
    }
    return name;
}

// What a section says: lists of architectures.
struct Holdings {
    std::vector<std::string> sass; // of every module
    std::vector<std::string> some; // SASS of some modules
    std::vector<std::string> ptx;

    auto operator<=>(const Holdings&) const = default;
};

struct WaivedKernels {
    std::set<std::string> kernels;
    std::set<std::string> modules; // where no kernels are named
};

using WaiverKey = std::pair<std::string, std::string>; // code, architecture

struct FileBaseline {
    Holdings holdings;
    std::map<WaiverKey, WaivedKernels> waivers;
};

std::vector<Requirement> candidates_of(const FileCoverage& file, const std::vector<Subject>& subjects) {
    std::set<Arch> sass;
    std::set<Arch> ptx;
    for (const Subject& subject : subjects) {
        for (const std::size_t module : subject.modules) {
            for (const Image& image : file.modules[module].images) {
                const bool in_link = image.relocatable && subject.kind != Subject::Kind::input;
                if (image.kind == ImageKind::sass && !in_link && !image.empty) {
                    sass.insert(image.arch);
                } else if (image.kind == ImageKind::ptx) {
                    ptx.insert(image.arch);
                }
            }
        }
    }
    std::vector<Requirement> candidates;
    const auto add = [&](Requirement::Kind kind, Arch arch) {
        Requirement requirement;
        requirement.kind = kind;
        requirement.arch = arch;
        requirement.text = to_string(arch);
        candidates.push_back(std::move(requirement));
    };
    for (const Arch arch : sass) {
        add(Requirement::Kind::sass, arch);
    }
    for (const Arch arch : ptx) {
        add(Requirement::Kind::ptx, arch);
    }
    return candidates;
}

void waive(const std::vector<const Finding*>& findings, FileBaseline& baseline) {
    for (const Finding* finding : findings) {
        WaivedKernels& waived = baseline.waivers[{finding->code, to_string(*finding->arch)}];
        for (const std::string& kernel : finding->kernels) {
            waived.kernels.insert(without_hashes(kernel));
        }
        if (finding->kernels.empty() && finding->module) {
            waived.modules.insert(std::to_string(*finding->module));
        }
    }
}

FileBaseline baseline_of(const FileCoverage& file) {
    Coverage alone;
    alone.files = {file};
    const auto subjects = subjects_of(alone);
    Rules rules;
    rules.requirements = candidates_of(file, subjects);
    const Judgement judgement = judge(alone, rules);

    FileBaseline baseline;
    bool ptx_for_all = false; // of the lowest target; higher ones are held by the same images
    for (std::size_t i = 0; i < rules.requirements.size(); ++i) {
        const Requirement& requirement = rules.requirements[i];
        std::vector<const Finding*> errors;
        std::vector<const Finding*> warnings;
        std::size_t excused = 0;
        for (const Finding& finding : judgement.findings) {
            if (finding.requirement != i) {
                continue;
            }
            if (finding.level == Level::error) {
                errors.push_back(&finding);
            } else if (finding.level == Level::warning) {
                warnings.push_back(&finding);
            }
            excused += finding.code == "CAG105" ? 1U : 0U;
        }
        const bool is_ptx = requirement.kind == Requirement::Kind::ptx;
        const bool is_plain_ptx = is_ptx && requirement.arch.variant == Variant::plain;
        if (is_plain_ptx && ptx_for_all) {
            continue;
        }
        if (errors.size() * 2 > subjects.size() - excused || (is_ptx && !errors.empty())) {
            if (!is_ptx) {
                baseline.holdings.some.push_back(requirement.text);
            }
            continue;
        }
        ptx_for_all = ptx_for_all || is_plain_ptx;
        (is_ptx ? baseline.holdings.ptx : baseline.holdings.sass).push_back(requirement.text);
        waive(errors, baseline);
        waive(warnings, baseline);
    }
    return baseline;
}

ordered_json json_requirements(const Holdings& holdings) {
    ordered_json require = ordered_json::array();
    ordered_json every;
    if (!holdings.sass.empty()) {
        every["sass"] = holdings.sass;
    }
    if (!holdings.ptx.empty()) {
        every["ptx"] = holdings.ptx;
    }
    if (!every.empty()) {
        require.push_back(std::move(every));
    }
    if (!holdings.some.empty()) {
        require.push_back({{"sass", holdings.some}, {"scope", "any"}});
    }
    return require;
}

ordered_json json_waiver(const std::string& file, const WaiverKey& key, const WaivedKernels& waived, const std::string& expires) {
    ordered_json waiver{{"code", key.first}, {"paths", {file}}};
    if (!waived.modules.empty()) {
        waiver["modules"] = waived.modules;
    } else {
        waiver["kernels"] = waived.kernels;
    }
    waiver["archs"] = {key.second};
    waiver["reason"] = "was so when this policy was written";
    waiver["owner"] = "baseline";
    waiver["expires"] = expires;
    return waiver;
}

bool any_image(const Coverage& coverage, bool (*is_one)(const Module&)) {
    return std::any_of(coverage.files.begin(), coverage.files.end(),
                       [&](const FileCoverage& file) { return std::any_of(file.modules.begin(), file.modules.end(), is_one); });
}

bool has_debug(const Module& module) {
    return std::any_of(module.images.begin(), module.images.end(), [](const Image& image) { return image.debug; });
}

bool is_ltoir_only(const Module& module) {
    return !module.images.empty() &&
           std::all_of(module.images.begin(), module.images.end(), [](const Image& image) { return image.kind == ImageKind::ltoir; });
}

} // namespace

std::string baseline_policy(const Coverage& coverage, const std::vector<std::string>& inputs, const std::string& expires) {
    std::map<Holdings, std::vector<std::string>> sections;
    ordered_json waivers = ordered_json::array();
    for (const FileCoverage& file : coverage.files) {
        const FileBaseline baseline = baseline_of(file);
        if (baseline.holdings == Holdings{}) {
            continue;
        }
        const std::string name = name_of(file, inputs);
        sections[baseline.holdings].push_back(name);
        for (const auto& [key, waived] : baseline.waivers) {
            waivers.push_back(json_waiver(name, key, waived, expires));
        }
    }
    ordered_json policy{{"policy_version", 1}};
    ordered_json forbid = ordered_json::object();
    if (!any_image(coverage, has_debug)) {
        forbid["debug"] = true;
    }
    if (!any_image(coverage, is_ltoir_only)) {
        forbid["ltoir_only"] = true;
    }
    policy["forbid"] = std::move(forbid);
    policy["sections"] = ordered_json::array();
    for (auto& [holdings, paths] : sections) {
        policy["sections"].push_back({{"paths", paths}, {"required", true}, {"require", json_requirements(holdings)}});
    }
    policy["waivers"] = std::move(waivers);
    return policy.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace cag
