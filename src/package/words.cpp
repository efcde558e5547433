// Architectures and compute capabilities that a sentence names: "sm_80, sm_86 and sm_90", "compute capability 7.5 or newer".
#include "package/text_claims.hpp"

#include "arch/spelling.hpp"
#include "data/tables.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace cag::detail {

namespace {

using Words = std::vector<std::string>;

template <std::size_t Count>
bool is_one_of(const std::string& word, const std::array<std::string_view, Count>& words) {
    return std::ranges::find(words, word) != words.end();
}

// In lower case; marks are words of their own, those of emphasis and quotation are nothing. "doesn't" and "9.0+ptx" are one word.
Words words_of(const std::string& text) {
    enum class Kind : std::uint8_t { word, foreign, mark };
    const auto kind_of = [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '_' || letter == '.' || letter == '+' || letter == '\'' ? Kind::word
               : letter >= 0x80                                                                               ? Kind::foreign
                                                                                                              : Kind::mark;
    };
    Words words;
    for (std::size_t begin = 0; begin < text.size();) {
        const Kind kind = kind_of(static_cast<unsigned char>(text[begin]));
        std::size_t end = begin + 1;
        while (kind != Kind::mark && end < text.size() && kind_of(static_cast<unsigned char>(text[end])) == kind) {
            ++end;
        }
        std::string word = text.substr(begin, end - begin);
        begin = end;
        if (kind == Kind::word) {
            word.erase(0, std::min(word.find_first_not_of("'."), word.size()));
            word.erase(word.find_last_not_of("'.") + 1);
        }
        if (!word.empty() && std::string_view(" \t*`\"").find(word) == std::string_view::npos) {
            std::ranges::transform(word, word.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
            words.push_back(std::move(word));
        }
    }
    return words;
}

struct Named {
    std::vector<Target> targets;
    bool and_newer = false; // "7.5+"
};

// "sm_80", "sm80", "compute_90", "sm_75+"
std::optional<Named> name_in(const std::string& word) {
    auto spelling = take_apart(word);
    if (!spelling || spelling->minor || (spelling->prefix != "sm_" && spelling->prefix != "compute_" && spelling->prefix != "sm")) {
        return std::nullopt;
    }
    const bool and_newer = spelling->ending == "+";
    const bool short_name = spelling->prefix == "sm";
    spelling->ending = and_newer ? "" : spelling->ending;
    spelling->prefix = short_name ? "sm_" : spelling->prefix;
    const auto targets = targets_of(*spelling);
    if (!targets || (short_name && !is_known(targets->front().arch.capability()))) {
        return std::nullopt;
    }
    return Named{*targets, and_newer};
}

// "8.0", "9.0a", "7.5+", "9.0+PTX"; `whole_numbers`: "80" as well.
std::optional<Named> capability_in(const std::string& word, bool whole_numbers) {
    auto spelling = take_apart(word);
    if (!spelling || !spelling->prefix.empty() || (!spelling->minor && !whole_numbers)) {
        return std::nullopt;
    }
    const bool and_newer = spelling->ending == "+";
    spelling->ending = and_newer ? "" : spelling->ending;
    const auto targets = targets_of(*spelling);
    if (!targets || !is_known(targets->front().arch.capability())) {
        return std::nullopt;
    }
    return Named{{targets->front()}, and_newer};
}

class Sentence {
  public:
    explicit Sentence(const std::string& text) : words_(words_of(text)) {}

    [[nodiscard]] std::vector<PackageClaim> claims() const {
        std::vector<PackageClaim> found;
        PackageClaim names;
        for (std::size_t i = 0; i < words_.size();) {
            if (const auto name = name_in(words_[i])) {
                if (const auto last = is_range(i + 1) ? name_in(word(i + 2)) : std::nullopt) {
                    std::vector<Named> items{*name};
                    add_between(*name, *last, items);
                    add(found, capabilities(items, false));
                    i += 2;
                } else if (name->and_newer || continues_upward(i + 1)) {
                    add(found, capabilities({*name}, true));
                } else {
                    auto& archs = name->targets.front().code == Code::sass ? names.sass : names.ptx;
                    archs.push_back(name->targets.front().arch);
                }
                ++i;
            } else if (const auto topic = topic_at(i)) {
                i = add_list(*topic, found);
            } else {
                ++i;
            }
        }
        for (auto* archs : {&names.sass, &names.ptx}) {
            std::ranges::sort(*archs);
            archs->erase(std::unique(archs->begin(), archs->end()), archs->end());
        }
        if (!names.sass.empty() || !names.ptx.empty()) {
            names.maybe_gpus = true;
            found.push_back(std::move(names));
        }
        return found;
    }

  private:
    [[nodiscard]] std::string word(std::size_t at) const { return at < words_.size() ? words_[at] : std::string(); }

    struct Topic {
        std::size_t list = 0;       // where a list may begin
        bool whole_numbers = false; // "CUDA architectures 80, 90"
    };

    // "compute capability", "CUDA architectures" or "SM" at this place, and what may stand between it and the list.
    [[nodiscard]] std::optional<Topic> topic_at(std::size_t at) const {
        static constexpr std::array<std::string_view, 3> kinds{"cuda", "gpu", "sm"};
        static constexpr std::array<std::string_view, 19> between{"of", ":",       "is",    "are",      "=",    "|",    "(",
                                                                  ")",  "version", "cc",    "at",       "from", "with", "between",
                                                                  "≥",  ">",       "least", "versions", "level"};
        const std::string first = word(at);
        const std::string second = word(at + 1);
        Topic topic;
        if (first == "compute" && second.starts_with("capabilit")) {
            topic.list = at + 2;
        } else if (is_one_of(first, kinds) && second.starts_with("arch")) {
            topic = {at + 2, true};
        } else if (first == "sm") {
            topic.list = at + 1;
        } else {
            return std::nullopt;
        }
        while (is_one_of(word(topic.list), between)) {
            ++topic.list;
        }
        return topic;
    }

    // "or newer", "and above", "(or higher)", "onwards"
    [[nodiscard]] bool continues_upward(std::size_t at) const {
        static constexpr std::array<std::string_view, 9> up{"newer",  "higher", "later",   "above",  "greater",
                                                            "better", "up",     "upwards", "onwards"};
        at += word(at) == "(" ? 1 : 0;
        at += word(at) == "or" || word(at) == "and" ? 1 : 0;
        return is_one_of(word(at), up);
    }

    // "at least", ">=", "≥" right before the list
    [[nodiscard]] bool begins_upward(std::size_t at) const {
        return at > 0 && (word(at - 1) == "≥" || word(at - 1) == "least" || (word(at - 1) == "=" && at > 1 && word(at - 2) == ">"));
    }

    // "(A100)" behind an item
    [[nodiscard]] std::size_t behind_remark(std::size_t at) const {
        if (word(at) != "(" || continues_upward(at)) {
            return at;
        }
        const auto end = std::find(words_.begin() + static_cast<std::ptrdiff_t>(at), words_.end(), ")");
        return end == words_.end() ? at : static_cast<std::size_t>(end - words_.begin()) + 1;
    }

    [[nodiscard]] std::size_t behind_separators(std::size_t at) const {
        static constexpr std::array<std::string_view, 7> separators{",", ";", "/", "|", "&", "and", "or"};
        while (is_one_of(word(at), separators)) {
            ++at;
        }
        return at;
    }

    // "10.0 GB" is no capability, wherever it stands.
    [[nodiscard]] bool is_measured(std::size_t at) const {
        static constexpr std::array<std::string_view, 9> units{"gb", "gib", "mb", "mib", "ms", "s", "x", "%", "tflops"};
        return is_one_of(word(at + 1), units);
    }

    // Items, and what is between them; returns where the list ends.
    std::size_t add_list(const Topic& topic, std::vector<PackageClaim>& found) const {
        std::vector<Named> items;
        std::size_t at = topic.list;
        bool upward = begins_upward(at);
        for (std::size_t next = at; next < words_.size(); next = behind_separators(at)) {
            const auto item = is_measured(next) ? std::nullopt : capability_in(words_[next], topic.whole_numbers);
            if (!item) {
                break;
            }
            items.push_back(*item);
            at = behind_remark(next + 1);
            if (const auto last = is_range(at) ? capability_in(word(at + 1), topic.whole_numbers) : std::nullopt) {
                add_between(*item, *last, items);
                at = behind_remark(at + 2);
            }
            upward = upward || item->and_newer || continues_upward(at);
        }
        if (!items.empty()) {
            add(found, capabilities(items, upward));
        }
        return at;
    }

    [[nodiscard]] bool is_range(std::size_t at) const {
        static constexpr std::array<std::string_view, 6> marks{"-", "–", "—", "to", "through", "thru"};
        return is_one_of(word(at), marks);
    }

    static void add_between(const Named& first, const Named& last, std::vector<Named>& items) {
        for (const data::Chip& chip : data::chips()) {
            const auto from = first.targets.front().arch.capability();
            const auto to = last.targets.front().arch.capability();
            if (chip.capability && *chip.capability > from && *chip.capability <= to && !data::is_tegra(*chip.capability)) {
                items.push_back({{{Arch{chip.capability->major, chip.capability->minor}, Code::sass}}, false});
            }
        }
    }

    static void add(std::vector<PackageClaim>& found, PackageClaim claim) {
        const auto same = [&](const PackageClaim& one) { return one.runs_on == claim.runs_on && one.and_newer == claim.and_newer; };
        if (std::ranges::none_of(found, same)) {
            found.push_back(std::move(claim));
        }
    }

    static PackageClaim capabilities(const std::vector<Named>& items, bool upward) {
        PackageClaim claim;
        for (const Named& item : items) {
            claim.runs_on.push_back(item.targets.front().arch.capability());
        }
        std::ranges::sort(claim.runs_on);
        claim.runs_on.erase(std::unique(claim.runs_on.begin(), claim.runs_on.end()), claim.runs_on.end());
        if (upward) {
            claim.and_newer = claim.runs_on.back();
        }
        return claim;
    }

    Words words_;
};

} // namespace

bool is_known(ComputeCapability capability) {
    const auto chips = data::chips();
    return std::any_of(chips.begin(), chips.end(), [&](const data::Chip& chip) { return chip.capability == capability; });
}

std::vector<PackageClaim> claims_in_words(const Statement& statement) { return Sentence(statement.text).claims(); }

std::string reservation_in(const std::string& statement) {
    static constexpr std::array<std::string_view, 42> reserved{
        "not",     "no",           "cannot",  "without", "except",   "excluding", "unsupported", "drop",     "drops",  "dropped", "removed",
        "remove",  "removes",      "below",   "older",   "lower",    "less",      "prior",       "before",   "unless", "until",   "than",
        "instead", "if",           "when",    "source",  "yourself", "untested",  "planned",     "upcoming", "future", "never",   "example",
        "e.g",     "experimental", "neither", "nor",     "✗",        "❌",         "other",       "next",     "soon"};
    for (const std::string& word : words_of(statement)) {
        if (is_one_of(word, reserved) || word.ends_with("n't")) {
            return word;
        }
    }
    return "";
}

} // namespace cag::detail
