#include "package/text_claims.hpp"

#include <algorithm>
#include <cctype>

namespace cag {

namespace {

using detail::Statement;

constexpr std::size_t longest_line = 4000; // longer ones are no text for people

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Without the tags of HTML: "<td>sm_80</td>" -> " sm_80 ". Nothing of it is one where no `>` follows.
std::string without_tags(std::string_view line) {
    std::string text;
    for (std::size_t begin = 0; begin < line.size();) {
        const bool opens = line[begin] == '<' && begin + 1 < line.size() &&
                           (std::isalpha(static_cast<unsigned char>(line[begin + 1])) != 0 || line[begin + 1] == '/');
        const auto end = opens ? line.find('>', begin) : std::string_view::npos;
        text += end == std::string_view::npos ? line[begin] : ' ';
        begin = end == std::string_view::npos ? begin + 1 : end + 1;
    }
    return text;
}

std::size_t heading_level(std::string_view line) {
    const auto level = std::min(line.find_first_not_of('#'), line.size());
    return level <= 6 && level < line.size() && line[level] == ' ' ? level : 0;
}

// "## Supported GPUs" -> "supported-gpus", as links to headings have it.
std::string link_to(std::string_view heading) {
    std::string link;
    for (const char letter : trimmed(heading.substr(heading_level(heading)))) {
        const auto byte = static_cast<unsigned char>(letter);
        if (std::isalnum(byte) != 0 || letter == '_' || byte >= 0x80) {
            link += static_cast<char>(std::tolower(byte));
        } else if (letter == ' ' || letter == '-') {
            link += '-';
        }
    }
    return link;
}

// Where a sentence cannot go on from the line before: items of lists, rows of tables, headings, quotations.
bool begins_anew(std::string_view line) {
    if (std::string_view("#|>+*-").find(line.front()) != std::string_view::npos) {
        return true;
    }
    const auto number = std::min(line.find_first_not_of("0123456789"), line.size());
    return number > 0 && number + 1 < line.size() && (line[number] == '.' || line[number] == ')') && line[number + 1] == ' ';
}

// A sentence ends at a mark with a space behind it: "8.0" and "e.g. 8.0" go on.
bool ends_sentence(const std::string& text, std::size_t at) {
    const bool mark = text[at] == '.' || text[at] == '!' || text[at] == '?';
    const bool short_form = at >= 2 && text[at - 2] == '.';
    return mark && !short_form && (at + 1 == text.size() || text[at + 1] == ' ');
}

class Statements {
  public:
    void add(std::string_view line, std::size_t number, bool alone) {
        if (line.empty() || alone || begins_anew(line)) {
            end_paragraph();
        }
        if (!line.empty()) {
            lines_.emplace_back(paragraph_.size(), number);
            paragraph_.append(trimmed(without_tags(line))) += ' ';
        }
        if (alone) {
            end_paragraph();
        }
    }

    void end_paragraph() {
        for (std::size_t begin = 0; begin < paragraph_.size();) {
            std::size_t end = begin;
            while (end < paragraph_.size() && !ends_sentence(paragraph_, end)) {
                ++end;
            }
            end = std::min(end + 1, paragraph_.size());
            const auto line = std::ranges::find_if(lines_.rbegin(), lines_.rend(), [&](const auto& l) { return l.first <= begin; });
            all_.push_back({std::string(trimmed(std::string_view(paragraph_).substr(begin, end - begin))), line->second});
            begin = end == paragraph_.size() ? end : end + 1;
        }
        paragraph_.clear();
        lines_.clear();
    }

    std::vector<Statement> all() && { return std::move(all_); }

  private:
    std::string paragraph_;
    std::vector<std::pair<std::size_t, std::size_t>> lines_; // where in the paragraph each begins, and its number
    std::vector<Statement> all_;
};

// What a claim is shown as: enough of its sentence to find it.
std::string excerpt(const std::string& statement) {
    constexpr std::size_t shown = 160;
    return statement.size() <= shown ? statement : statement.substr(0, shown) + "...";
}

} // namespace

std::vector<Statement> detail::statements_in(const std::string& text, const std::string& section) {
    Statements statements;
    bool in_code = false;
    std::size_t inside = section.empty() ? 1 : 0; // level of the heading that was asked for; 0: it has not come
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trimmed(std::string_view(text).substr(begin, std::min(end - begin, longest_line)));
        begin = end + 1;
        ++number;
        if (line.starts_with("```") || line.starts_with("~~~")) {
            in_code = !in_code;
            statements.end_paragraph();
            continue;
        }
        if (const std::size_t level = in_code ? 0 : heading_level(line); level != 0 && !section.empty()) {
            if (link_to(line) == section) {
                inside = level;
            } else if (level <= inside) {
                inside = 0;
            }
        }
        if (inside != 0) {
            statements.add(line, number, in_code || heading_level(line) != 0 || line.starts_with('<'));
        }
    }
    statements.end_paragraph();
    return std::move(statements).all();
}

bool ClaimText::is_in(const std::string& member) const {
    return member == name || member.ends_with('/' + name) || member.ends_with('!' + name);
}

ClaimText parse_claim_text(const std::string& asked) {
    const auto section = asked.rfind('#');
    return section == std::string::npos ? ClaimText{asked, ""} : ClaimText{asked.substr(0, section), asked.substr(section + 1)};
}

std::vector<PackageClaim> claims_in_text(const std::string& source, const std::string& text, const ClaimText& asked) {
    std::vector<PackageClaim> claims;
    for (Statement& statement : detail::statements_in(text, asked.section)) {
        const std::string reservation = detail::reservation_in(statement.text);
        const std::string words = statement.text;
        auto found = detail::take_build_lists(statement);
        std::ranges::move(detail::claims_in_words(statement), std::back_inserter(found));
        for (PackageClaim& claim : found) {
            claim.source = source;
            claim.says = excerpt(words);
            claim.asked = asked.asked();
            claim.line = statement.line;
            claim.reservation = reservation;
            claims.push_back(std::move(claim));
        }
    }
    return claims;
}

} // namespace cag
