#include "policy/policy_file.hpp"

#include "compat/spec.hpp"
#include "policy/codes.hpp"
#include "policy/parse.hpp"
#include "policy/values.hpp"
#include "support/date.hpp"
#include "support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace cag {
namespace {

using nlohmann::json;

// A value of the document and its place in it.
struct Node {
    const json* value;
    std::string pointer;

    [[nodiscard]] Node at(const std::string& key) const { return {&value->at(key), (json::json_pointer{pointer} / key).to_string()}; }
    [[nodiscard]] Node at(std::size_t index) const { return {&value->at(index), (json::json_pointer{pointer} / index).to_string()}; }
};

class Reader {
  public:
    explicit Reader(const PlaceOf& place_of) : place_of_(place_of) {}

    PolicyReading read(const json& root) {
        const Node node{&root, ""};
        std::optional<Node> sections;
        std::optional<Node> require;
        std::optional<Node> forbid;
        object(node, {{"$schema", [&](const Node& value) { (void)text(value); }},
                      {"policy_version", [&](const Node& value) { version(value); }},
                      {"require", [&](const Node& value) { require = value; }},
                      {"forbid", [&](const Node& value) { forbid = value; }},
                      {"strict", [&](const Node& value) { policy().strict = flag(value); }},
                      {"allow_empty", [&](const Node& value) { policy().allow_empty = flag(value); }},
                      {"sections", [&](const Node& value) { sections = value; }},
                      {"waivers", [&](const Node& value) { list(value, [&](const Node& one) { waiver(one); }); }}});
        if (node.value->is_object() && !node.value->contains("policy_version")) {
            fail(node, "expected \"policy_version\": 1, found no such key");
        }
        if (sections) {
            list(*sections, [&](const Node& one) { section(one); });
        }
        // The last section takes the files that no other one is about.
        policy().sections.push_back({{"**"}});
        without_require_.push_back(policy().sections.size() - 1);
        without_forbid_.push_back(policy().sections.size() - 1);
        if (require) {
            list(*require, [&](const Node& one) { add(requirements(one), without_require_, ""); });
        }
        if (forbid) {
            add(prohibitions(*forbid), without_forbid_, "");
        }
        sort_by_place(reading_.errors);
        return std::move(reading_);
    }

  private:
    using Take = std::function<void(const Node&)>;
    using Fields = std::vector<std::pair<std::string, Take>>;

    [[nodiscard]] Policy& policy() { return reading_.policy; }

    void fail(const Node& node, std::string message) { reading_.errors.push_back({place_of_(node.pointer), std::move(message)}); }

    bool is(const Node& node, bool fits, const char* expected) {
        if (!fits) {
            fail(node, fmt::format("expected {}, found {}", expected, node.value->dump(-1, ' ', false, json::error_handler_t::replace)));
        }
        return fits;
    }

    std::string text(const Node& node) {
        return is(node, node.value->is_string() && !node.value->get<std::string>().empty(), "a text") ? node.value->get<std::string>() : "";
    }

    bool flag(const Node& node) { return is(node, node.value->is_boolean(), "true or false") && node.value->get<bool>(); }

    void list(const Node& node, const Take& take) {
        if (is(node, node.value->is_array(), "a list, as in [...]")) {
            for (std::size_t i = 0; i < node.value->size(); ++i) {
                take(node.at(i));
            }
        }
    }

    std::vector<std::string> texts(const Node& node) {
        std::vector<std::string> values;
        list(node, [&](const Node& one) { values.push_back(text(one)); });
        return values;
    }

    void object(const Node& node, const Fields& fields) {
        if (!is(node, node.value->is_object(), "an object, as in {...}")) {
            return;
        }
        for (const auto& entry : node.value->items()) {
            const auto known = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == entry.key(); });
            if (known != fields.end()) {
                known->second(node.at(entry.key()));
                continue;
            }
            std::vector<std::string> names;
            std::transform(fields.begin(), fields.end(), std::back_inserter(names), [](const auto& field) { return field.first; });
            const std::string meant = nearest_name(entry.key(), names);
            fail(node.at(entry.key()), fmt::format("expected one of the keys {}, found `{}`{}", fmt::join(names, ", "), entry.key(),
                                                   meant.empty() ? "" : fmt::format("; did you mean `{}`?", meant)));
        }
    }

    void version(const Node& node) {
        is(node, node.value->is_number_unsigned() && node.value->get<unsigned>() == 1,
           "1, the version of policies that this program reads");
    }

    // What a section does not say, it takes from the top of the policy.
    void section(const Node& node) {
        std::vector<std::string> paths;
        bool required = false;
        std::vector<Requirement> own;
        const auto keep = [&](std::vector<Requirement> more) { own.insert(own.end(), more.begin(), more.end()); };
        object(node, {{"paths", [&](const Node& value) { paths = texts(value); }},
                      {"required", [&](const Node& value) { required = flag(value); }},
                      {"require", [&](const Node& value) { list(value, [&](const Node& one) { keep(requirements(one)); }); }},
                      {"forbid", [&](const Node& value) { keep(prohibitions(value)); }}});
        if (paths.empty()) {
            fail(node, "expected \"paths\", a list of at least one pattern, as in [\"lib/*.so\"], found none");
        }
        const std::size_t index = policy().sections.size();
        policy().sections.push_back({paths});
        if (required) {
            Requirement present;
            present.kind = Requirement::Kind::present;
            own.insert(own.begin(), present);
        }
        if (node.value->is_object() && !node.value->contains("require")) {
            without_require_.push_back(index);
        }
        if (node.value->is_object() && !node.value->contains("forbid")) {
            without_forbid_.push_back(index);
        }
        add(std::move(own), {index},
            paths.size() <= 2 ? fmt::format("{}", fmt::join(paths, ", ")) : fmt::format("{} and {} more", paths.front(), paths.size() - 1));
    }

    void add(std::vector<Requirement> requirements, const std::vector<std::size_t>& sections, const std::string& files) {
        for (Requirement& requirement : requirements) {
            requirement.sections = sections;
            requirement.files = files;
            policy().requirements.push_back(std::move(requirement));
        }
        for (PolicyLab& lab : labs_) {
            lab.each.sections = sections;
            lab.each.files = files;
            policy().labs.push_back(std::move(lab));
        }
        labs_.clear();
    }

    std::vector<Requirement> requirements(const Node& node) {
        RequirementTexts common;
        std::vector<std::pair<std::vector<std::string> RequirementTexts::*, Node>> asked;
        const auto ask = [&](const Node& list_of, auto member) {
            list(list_of, [&](const Node& one) { asked.emplace_back(member, one); });
        };
        std::optional<PolicyLab> lab;
        std::optional<Node> machines;
        const std::size_t errors_before = reading_.errors.size();
        object(node, {{"sass", [&](const Node& value) { ask(value, &RequirementTexts::sass); }},
                      {"ptx", [&](const Node& value) { ask(value, &RequirementTexts::ptx); }},
                      {"runs_on", [&](const Node& value) { ask(value, &RequirementTexts::runs_on); }},
                      {"lab",
                       [&](const Node& value) {
                           lab = PolicyLab{place_of_(value.pointer), text(value), {}, {}};
                       }},
                      {"machines", [&](const Node& value) { machines = value; }},
                      {"drivers", [&](const Node& value) { drivers(value, common.drivers); }},
                      {"env", [&](const Node& value) { environment(value, common.environment); }},
                      {"jit", [&](const Node& value) { common.jit_allowed = flag(value); }},
                      {"scope", [&](const Node& value) { common.scope = scope(value); }}});
        if (asked.empty() && !lab && reading_.errors.size() == errors_before) {
            fail(node, "expected at least one of sass, ptx, runs_on and lab with something in it, found none");
        }
        if (machines && !lab) {
            fail(*machines, "expected \"lab\" beside \"machines\", the file that declares them, found none");
        }
        if (lab) {
            lab->machines = machines ? texts(*machines) : std::vector<std::string>{};
            lab->each.environment = common.environment;
            lab->each.jit_allowed = common.jit_allowed;
            lab->each.scope = common.scope;
            labs_.push_back(*std::move(lab));
        }
        std::vector<Requirement> all;
        for (const auto& [member, one] : asked) {
            RequirementTexts texts = common;
            texts.*member = {text(one)};
            if (auto parsed = parse_requirements(texts); !parsed) {
                fail(one, parsed.error().message);
            } else {
                all.insert(all.end(), parsed->begin(), parsed->end());
            }
        }
        return all;
    }

    void drivers(const Node& node, std::vector<std::string>& names) {
        list(node, [&](const Node& one) {
            const std::string name = text(one);
            if (const auto driver = parse_driver(name); driver) {
                names.push_back(name);
            } else {
                fail(one, driver.error().message);
            }
        });
    }

    void environment(const Node& node, Environment& variables) {
        if (is(node, node.value->is_object(), "an object of texts, as in {\"CUDA_FORCE_PTX_JIT\": \"1\"}")) {
            for (const auto& entry : node.value->items()) {
                if (const Node value = node.at(entry.key()); is(value, value.value->is_string(), "a text, which may be empty")) {
                    variables[entry.key()] = value.value->get<std::string>();
                }
            }
        }
    }

    Scope scope(const Node& node) {
        const bool any = *node.value == "any";
        is(node, any || *node.value == "every", "\"every\" or \"any\"");
        return any ? Scope::any : Scope::every;
    }

    std::vector<Arch> archs(const Node& node) {
        std::vector<Arch> all;
        list(node, [&](const Node& one) {
            const std::string name = text(one);
            if (const auto parsed = parse_archs(name, Code::sass); parsed) {
                all.insert(all.end(), parsed->begin(), parsed->end());
            } else {
                fail(one, parsed.error().message);
            }
        });
        return all;
    }

    std::vector<Requirement> prohibitions(const Node& node) {
        std::vector<Requirement> all;
        const auto forbid = [&](Requirement::Kind kind, std::string what) -> Requirement& {
            all.emplace_back();
            all.back().kind = kind;
            all.back().text = std::move(what);
            return all.back();
        };
        const auto forbid_if = [&](const Node& value, Requirement::Kind kind, const char* what) {
            if (flag(value)) {
                forbid(kind, what);
            }
        };
        object(node,
               {{"debug", [&](const Node& value) { forbid_if(value, Requirement::Kind::no_debug, "debug code"); }},
                {"ltoir_only", [&](const Node& value) { forbid_if(value, Requirement::Kind::no_ltoir_only, "modules of LTO-IR alone"); }},
                {"archs",
                 [&](const Node& value) {
                     for (const Arch arch : archs(value)) {
                         forbid(Requirement::Kind::no_arch, "code for " + to_string(arch)).arch = arch;
                     }
                 }},
                {"max_bytes", [&](const Node& value) { sizes(value, forbid); }}});
        return all;
    }

    template <class Forbid>
    void sizes(const Node& node, const Forbid& forbid) {
        if (!is(node, node.value->is_object(), "an object, as in {\"120\": \"40 MiB\", \"total\": \"200 MiB\"}")) {
            return;
        }
        for (const auto& entry : node.value->items()) {
            const Node value = node.at(entry.key());
            const bool total = entry.key() == "total";
            const auto arch = parse_arch(entry.key());
            const auto bytes = size_of(*value.value);
            if (!total && !arch) {
                fail(value, fmt::format("expected an architecture, as in 90a, or \"total\", found `{}`", entry.key()));
            } else if (is(value, bytes.has_value(), "a number of bytes or a size, as in \"40 MiB\"")) {
                const std::string size = value.value->is_string() ? value.value->get<std::string>() : fmt::format("{} bytes", *bytes);
                Requirement& requirement = forbid(Requirement::Kind::max_bytes, size + (total ? " of device code" : " for " + entry.key()));
                requirement.of_all_images = total;
                requirement.arch = arch.value_or(Arch{});
                requirement.bytes = *bytes;
            }
        }
    }

    void waiver(const Node& node) {
        Waiver waiver;
        object(node, {{"code", [&](const Node& value) { waiver.code = waivable_code(value); }},
                      {"paths", [&](const Node& value) { waiver.paths = texts(value); }},
                      {"modules", [&](const Node& value) { waiver.modules = texts(value); }},
                      {"kernels", [&](const Node& value) { waiver.kernels = texts(value); }},
                      {"archs", [&](const Node& value) { waiver.archs = archs(value); }},
                      {"reason", [&](const Node& value) { waiver.reason = text(value); }},
                      {"owner", [&](const Node& value) { waiver.owner = text(value); }},
                      {"expires", [&](const Node& value) { waiver.expires = date(value); }}});
        for (const char* key : {"code", "reason", "owner", "expires"}) {
            if (node.value->is_object() && !node.value->contains(key)) {
                fail(node, fmt::format("expected \"{}\" in every waiver, found none", key));
            }
        }
        policy().waivers.push_back(std::move(waiver));
    }

    std::string waivable_code(const Node& node) {
        std::string name = text(node);
        const DiagnosticCode* code = find_code(name);
        if (name.empty()) {
            return name;
        }
        if (const DiagnosticCode* now = successor_of(name)) {
            fail(node, fmt::format("expected a diagnostic code, found \"{}\", which {} says today", name, now->name));
            return "";
        }
        if (code == nullptr) {
            fail(node, fmt::format("expected a diagnostic code such as \"CAG101\", found \"{}\"; `cuda-arch-guard rule` lists them", name));
            return "";
        }
        if (!is_waivable(*code)) {
            fail(node, fmt::format("expected the code of a finding about what was read, found {}, which says that there is no complete "
                                   "answer: that cannot be waived",
                                   code->name));
        }
        return std::string{code->name};
    }

    std::string date(const Node& node) {
        std::string day = text(node);
        if (!day.empty() && !is_date(day)) {
            fail(node, fmt::format("expected a day, as in \"2027-01-31\", found \"{}\"", day));
        }
        return day;
    }

    const PlaceOf& place_of_;
    PolicyReading reading_;
    std::vector<PolicyLab> labs_;              // of the requirements that are being read
    std::vector<std::size_t> without_require_; // sections that take the top's
    std::vector<std::size_t> without_forbid_;
};

} // namespace

void sort_by_place(std::vector<PolicyError>& errors) {
    std::stable_sort(errors.begin(), errors.end(), [](const PolicyError& left, const PolicyError& right) {
        return std::pair{left.place.line, left.place.column} < std::pair{right.place.line, right.place.column};
    });
}

PolicyReading read_policy(const json& root, const PlaceOf& place_of) { return Reader{place_of}.read(root); }

PolicyReading read_policy(std::string_view text) {
    const auto source = parse_json(text);
    if (!source) {
        return {{}, {{place_at(text, source.error().offset.value_or(0)), source.error().message}}};
    }
    return read_policy(source->root, [&](const std::string& pointer) {
        const auto found = source->offsets.find(pointer);
        return place_at(text, found == source->offsets.end() ? 0 : found->second);
    });
}

std::string to_string(const std::string& file, const PolicyError& error) {
    return fmt::format("{}:{}:{}: {}", file, error.place.line, error.place.column, error.message);
}

void add_policy(Rules& rules, const Policy& policy, const std::string& name) {
    rules.policy = name;
    rules.requirements.insert(rules.requirements.end(), policy.requirements.begin(), policy.requirements.end());
    rules.sections = policy.sections;
    rules.waivers = policy.waivers;
    rules.strict = rules.strict || policy.strict;
    rules.allow_empty = rules.allow_empty || policy.allow_empty;
}

} // namespace cag
