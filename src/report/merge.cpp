#include "report/merge.hpp"

#include "report/json_model.hpp"
#include "report/style.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace cag {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view worst_verdicts[] = {"pass", "undecided", "fail"};

std::size_t badness(const std::string& verdict) {
    const auto found = std::find(std::begin(worst_verdicts), std::end(worst_verdicts), verdict);
    return found == std::end(worst_verdicts) ? 1 : static_cast<std::size_t>(found - std::begin(worst_verdicts));
}

void worsen(ordered_json& verdict, const std::string& other) {
    if (!verdict.is_string() || badness(other) > badness(verdict.get<std::string>())) {
        verdict = other;
    }
}

bool is_result(const ordered_json& document) {
    return document.is_object() && document.value("schema_version", 0) == 1 && document.contains("command") &&
           document["command"].is_string();
}

// The findings of a part about a requirement for which it excused modules.
struct Excused {
    ordered_json findings;
    ordered_json if_unserved; // its verdict and findings where nothing in any part serves
};

class Merge {
  public:
    Result<MergedResult> run(const std::vector<NamedResult>& results) {
        for (const NamedResult& result : results) {
            if (auto done = add(result); !done) {
                return tl::unexpected(done.error());
            }
        }
        if (command_.empty()) {
            return failure("CAG505",
                           fmt::format("expected results of --format json, found none that is whole: {}", fmt::join(unreadable_, "; ")));
        }
        find_missing();
        return finish();
    }

  private:
    Result<void> add(const NamedResult& result) {
        const ordered_json document = ordered_json::parse(result.json, nullptr, false);
        if (!is_result(document)) {
            unreadable_.push_back(fmt::format("{} is no whole result", result.name));
            return {};
        }
        const auto command = document["command"].get<std::string>();
        if (command != "inspect" && command != "verify" && command != "predict") {
            return failure("CAG505",
                           fmt::format("expected results of inspect, predict or verify, found one of {} in {}", command, result.name));
        }
        if (command_.empty()) {
            command_ = command;
            merged_ = json_envelope(command);
        } else if (command != command_) {
            return failure("CAG505",
                           fmt::format("expected results of one command, found {} in {} behind {}", command, result.name, command_));
        }
        if (auto done = note_shard(document, result.name); !done) {
            return done;
        }
        if (document.contains("error")) {
            unreadable_.push_back(fmt::format("{} holds no answer: {}", result.name, document["error"].value("message", "")));
            return {};
        }
        if (command == "verify") {
            add_verdict(document);
        } else {
            add_files(document);
        }
        return {};
    }

    Result<void> note_shard(const ordered_json& document, const std::string& name) {
        if (!document.contains("shard")) {
            modules_ = modules_.value_or(0) + 1; // a run of its own has judged by itself
            return {};
        }
        const auto& shard = document["shard"];
        const std::size_t count = shard.value("count", std::size_t{0});
        if (count_ != 0 && count != count_) {
            return failure("CAG505", fmt::format("expected parts of {}, found a part of {} in {}", count_, count, name));
        }
        count_ = count;
        // Requirements that a part was not asked about were judged for the rest only.
        const ordered_json asked = shard.value("asked", ordered_json::array());
        if (!parts_.empty() && asked != asked_) {
            return failure("CAG505", fmt::format("expected parts of one run, found one that was asked {} in {}, where others were asked {}",
                                                 asked.dump(), name, asked_.dump()));
        }
        asked_ = asked;
        modules_ = modules_.value_or(0) + shard.value("modules", std::size_t{0});
        if (!parts_.insert(shard.value("index", std::size_t{0})).second) {
            return failure("CAG505",
                           fmt::format("expected each part once, found part {} of {} again in {}", shard.value("index", 0), count, name));
        }
        return {};
    }

    // A part without device code has judged nothing, and says so; whether there was any is asked of all parts together.
    static bool holds_nothing(const ordered_json& document) {
        const auto& findings = document.at("findings");
        return document.contains("shard") && document["shard"].value("modules", std::size_t{0}) == 0 &&
               std::all_of(findings.begin(), findings.end(),
                           [](const ordered_json& finding) { return finding.value("code", "") == "CAG106"; });
    }

    void begin_verdict(const char* verdict) {
        if (!merged_.contains("verdict")) {
            merged_["verdict"] = verdict;
            merged_["policy"] = nullptr;
            merged_["requirements"] = merged_["findings"] = ordered_json::array();
        }
    }

    // Requirements of a policy are listed where a file of the part is concerned: the whole has all of them.
    void add_verdict(const ordered_json& document) {
        begin_verdict("pass");
        if (merged_["policy"].is_null()) {
            merged_["policy"] = document.value("policy", ordered_json());
        }
        if (holds_nothing(document)) {
            return;
        }
        std::map<std::string, Excused> excused;
        for (ordered_json requirement : document.at("requirements")) {
            const auto option = requirement.value("option", "");
            if (requirement.value("served", false)) {
                served_.insert(option);
            }
            if (requirement.contains("if_unserved")) {
                excused[option] = {ordered_json::array(), requirement["if_unserved"]};
            }
            requirement.erase("served");
            requirement.erase("if_unserved");
            add_requirement(requirement);
        }
        worsen(merged_["verdict"], document.value("verdict", "undecided"));
        for (const ordered_json& finding : document.at("findings")) {
            const ordered_json about = finding.value("requirement", ordered_json());
            const auto found = excused.find(about.is_string() ? about.get<std::string>() : "");
            (found != excused.end() ? found->second.findings : merged_["findings"]).push_back(finding);
        }
        excused_.insert(excused.begin(), excused.end());
    }

    void add_requirement(const ordered_json& requirement) {
        ordered_json& all = merged_["requirements"];
        const auto same = std::find_if(all.begin(), all.end(), [&](const ordered_json& known) {
            return known.value("option", "") == requirement.value("option", "");
        });
        if (same == all.end()) {
            all.push_back(requirement);
        } else {
            worsen((*same)["verdict"], requirement.value("verdict", "undecided"));
        }
    }

    // A module that was made for other GPUs is excused where something in any part serves. In a part that is missing something may.
    void settle_excuses() {
        ordered_json& findings = merged_["findings"];
        for (const auto& [option, excused] : excused_) {
            const bool excuse = served_.contains(option) || !is_whole();
            for (const ordered_json& finding : excuse ? excused.findings : excused.if_unserved.at("findings")) {
                findings.push_back(finding);
            }
            if (!excuse) {
                const auto verdict = excused.if_unserved.value("verdict", "undecided");
                add_requirement({{"option", option}, {"verdict", verdict}});
                worsen(merged_["verdict"], verdict);
            }
        }
    }

    void add_files(const ordered_json& document) {
        for (const ordered_json& file : document.at("files")) {
            files_.push_back(file);
        }
        for (const ordered_json& package : document.value("packages", ordered_json::array())) {
            packages_.push_back(package);
        }
        for (const ordered_json& floor : document.value("driver_floors", ordered_json::array())) {
            add_floor(floor);
        }
    }

    // The driver that all parts need is the newest of theirs; null where one is beyond help.
    void add_floor(const ordered_json& floor) {
        const auto same =
            std::find_if(floors_.begin(), floors_.end(), [&](const ordered_json& known) { return known["gpu"] == floor["gpu"]; });
        if (same == floors_.end()) {
            floors_.push_back(floor);
            return;
        }
        const auto branch = [](const ordered_json& f) {
            return f["driver"].is_string() ? std::stoul("0" + f["driver"].get<std::string>()) : 0;
        };
        if (!(*same)["driver"].is_null() && (floor["driver"].is_null() || branch(floor) > branch(*same))) {
            *same = floor;
        }
    }

    void find_missing() {
        for (std::size_t part = 1; part <= count_; ++part) {
            if (!parts_.contains(part)) {
                missing_.push_back(part);
            }
        }
    }

    [[nodiscard]] bool is_whole() const { return missing_.empty() && unreadable_.empty(); }

    int status_of_files() {
        bool fails = false;
        bool unknown = !is_whole();
        for (const ordered_json& file : files_) {
            unknown = unknown || !file.value("problems", ordered_json::array()).empty();
            for (const ordered_json& module : file.value("modules", ordered_json::array())) {
                for (const ordered_json& outcome : module.value("outcomes", ordered_json::array())) {
                    fails = fails || outcome.value("outcome", "") == "fails";
                    unknown = unknown || outcome.value("outcome", "") == "unknown";
                }
            }
        }
        return fails ? 1 : unknown ? 2 : 0;
    }

    Result<MergedResult> finish() {
        MergedResult result;
        merged_["merged"] = {{"parts", count_}, {"missing", missing_}, {"unreadable", unreadable_}};
        if (command_ == "verify") {
            begin_verdict("undecided");
            settle_excuses();
            if (!is_whole() || modules_.value_or(0) == 0) {
                worsen(merged_["verdict"], "undecided");
                for (ordered_json& requirement : merged_["requirements"]) {
                    worsen(requirement["verdict"], "undecided");
                }
            }
            const std::size_t bad = badness(merged_["verdict"].get<std::string>());
            result.status = bad == 0 ? 0 : bad == 2 ? 1 : 2;
        } else {
            std::stable_sort(files_.begin(), files_.end(),
                             [](const ordered_json& a, const ordered_json& b) { return a.value("path", "") < b.value("path", ""); });
            result.status = status_of_files();
            merged_["files"] = files_;
            if (!packages_.empty()) {
                merged_["packages"] = packages_;
            }
            if (command_ == "predict") {
                merged_["driver_floors"] = floors_;
            }
        }
        result.text = text();
        result.json = json_text(merged_);
        return result;
    }

    [[nodiscard]] std::string text() const {
        std::string text;
        for (const std::size_t part : missing_) {
            text += fmt::format("missing: part {} of {}: its files were not judged\n", part, count_);
        }
        for (const std::string& reason : unreadable_) {
            text += fmt::format("missing: {}\n", printable(reason));
        }
        if (command_ == "verify") {
            for (const ordered_json& finding : merged_["findings"]) {
                text += fmt::format("{} {}: {}\n", finding.value("level", ""), finding.value("code", ""),
                                    printable(finding.value("message", "")));
            }
            for (const ordered_json& requirement : merged_["requirements"]) {
                text += fmt::format("{}: {}\n", requirement.value("verdict", ""), printable(requirement.value("option", "")));
            }
            text += fmt::format("{}\n", merged_["verdict"].get<std::string>());
        } else {
            text += fmt::format("{} from {}\n", counted(files_.size(), "file"), counted(count_ == 0 ? 1 : parts_.size(), "part"));
        }
        return text;
    }

    std::string command_;
    ordered_json merged_;
    std::vector<ordered_json> files_;
    ordered_json packages_ = ordered_json::array();
    ordered_json floors_ = ordered_json::array();
    std::size_t count_ = 0; // parts that there must be; 0: the results are no parts
    std::set<std::size_t> parts_;
    ordered_json asked_;                          // of every part
    std::set<std::string> served_;                // requirements, as options
    std::multimap<std::string, Excused> excused_; // by requirement
    std::vector<std::size_t> missing_;
    std::vector<std::string> unreadable_;
    std::optional<std::size_t> modules_;
};

} // namespace

std::string with_shard(const std::string& json, const Shard& shard, std::size_t modules, const std::vector<std::string>& asked) {
    ordered_json document = ordered_json::parse(json, nullptr, false);
    if (!document.is_object()) {
        return json;
    }
    document["shard"] = {{"index", shard.index + 1}, {"count", shard.count}, {"modules", modules}, {"asked", asked}};
    return json_text(document);
}

Result<MergedResult> merge_results(const std::vector<NamedResult>& results) {
    try {
        return Merge().run(results);
    } catch (const nlohmann::json::exception& error) {
        return failure("CAG505", fmt::format("expected results of this program, found one that is not: {}", error.what()));
    }
}

} // namespace cag
