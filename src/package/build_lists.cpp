// Lists of architectures as builds spell them, inside a text: TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX", -DCMAKE_CUDA_ARCHITECTURES=80;90,
// -gencode=arch=compute_80,code=sm_80, and the list of a build without its variable: 8.0;8.6;9.0+PTX.
#include "package/text_claims.hpp"

#include "arch/spec.hpp"
#include "data/tables.hpp"

#include <algorithm>
#include <cctype>

namespace cag::detail {

namespace {

constexpr std::string_view list_separators = ";, ";
constexpr std::string_view quotes = "\"'`";

bool is_letter_of_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

std::string_view part(const std::string& text, std::size_t begin, std::size_t end) {
    return std::string_view(text).substr(begin, std::min(end, text.size()) - begin);
}

std::size_t skip(const std::string& text, std::size_t at, std::string_view letters) {
    return std::min(text.find_first_not_of(letters, at), text.size());
}

void blank(Statement& statement, std::size_t begin, std::size_t end) {
    std::fill(statement.text.begin() + static_cast<std::ptrdiff_t>(begin),
              statement.text.begin() + static_cast<std::ptrdiff_t>(std::min(end, statement.text.size())), ' ');
}

// Nothing where it is no architecture: `native`, `$ARCHS`, `all-major`, the name of a product.
std::vector<Target> targets_in(std::string_view item) {
    const bool number = !item.empty() && std::isdigit(static_cast<unsigned char>(item.front())) != 0;
    if (!number && data::find_generation(item) == nullptr) {
        return {};
    }
    const auto list = parse_arch_list(item);
    return list ? list->targets : std::vector<Target>{};
}

PackageClaim claim_of(std::vector<Target> targets) {
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    PackageClaim claim;
    for (const Target& target : targets) {
        (target.code == Code::sass ? claim.sass : claim.ptx).push_back(target.arch);
    }
    return claim;
}

struct List {
    std::vector<Target> targets;
    std::size_t end = 0;
};

// As far as there are architectures. One thing that is none makes a value that is written as a whole no list.
List read_list(const std::string& text, std::size_t at, std::size_t end, bool whole) {
    List list{{}, at};
    for (std::size_t begin = skip(text, at, list_separators); begin < end; begin = skip(text, list.end, list_separators)) {
        std::size_t stop = std::min(text.find_first_of(std::string(list_separators) + std::string(quotes) + ")\\", begin), end);
        while (stop > begin && text[stop - 1] == '.') { // of the sentence
            --stop;
        }
        const auto targets = targets_in(part(text, begin, stop));
        if (targets.empty()) {
            return whole ? List{{}, end} : list;
        }
        list.targets.insert(list.targets.end(), targets.begin(), targets.end());
        list.end = stop;
    }
    return list;
}

// The value behind a variable's name: ="8.0 9.0", =80;90, :STRING=80, : 8.0 9.0, or as set() has it.
List value_behind(const std::string& text, std::size_t at) {
    if (at < text.size() && text[at] == ':' && at + 1 < text.size() && std::isupper(static_cast<unsigned char>(text[at + 1])) != 0) {
        at = skip(text, at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"); // the type of a cache variable
    }
    at = skip(text, at, "`"); // the name by itself may be in quotes
    at = skip(text, at, " ");
    const bool assigned = at < text.size() && text[at] == '=';
    at = skip(text, at, "=: \\");
    if (at < text.size() && quotes.find(text[at]) != std::string_view::npos) {
        const std::size_t end = std::min(text.find(text[at], at + 1), text.size());
        return read_list(text, at + 1, text[end - 1] == '\\' ? end - 1 : end, true);
    }
    const std::size_t end = assigned ? std::min(text.find_first_of(" )`\"'", at), text.size()) : text.size();
    return read_list(text, at, end, assigned);
}

void take_variables(Statement& statement, std::vector<PackageClaim>& claims) {
    for (const std::string_view name : {"TORCH_CUDA_ARCH_LIST", "CUDA_ARCHITECTURES", "CUDAARCHS"}) {
        for (std::size_t at = statement.text.find(name); at != std::string::npos; at = statement.text.find(name, at + name.size())) {
            const std::size_t end = at + name.size();
            if (end < statement.text.size() && is_letter_of_name(statement.text[end])) {
                continue; // CUDA_ARCHITECTURES_DEFAULT is something else; CMAKE_CUDA_ARCHITECTURES is not
            }
            if (const List list = value_behind(statement.text, end); !list.targets.empty()) {
                claims.push_back(claim_of(list.targets));
                blank(statement, at, list.end);
            }
        }
    }
}

// -gencode arch=compute_90,code=[sm_90,compute_90]; those of one statement are one list.
void take_gencodes(Statement& statement, std::vector<PackageClaim>& claims) {
    std::vector<Target> targets;
    for (const std::string_view option : {"-gencode", "--generate-code"}) {
        for (std::size_t at = statement.text.find(option); at != std::string::npos; at = statement.text.find(option, at + 1)) {
            const std::size_t arch = skip(statement.text, at + option.size(), " =\"'\\");
            const std::size_t code = statement.text.find("code=", arch);
            if (!part(statement.text, arch, statement.text.size()).starts_with("arch=") || code == std::string::npos) {
                continue;
            }
            std::size_t end = code + 5;
            for (std::size_t begin = end; begin < statement.text.size(); begin = end) {
                begin = skip(statement.text, begin, "[\"'\\,");
                end = begin;
                while (end < statement.text.size() && is_letter_of_name(statement.text[end])) {
                    ++end;
                }
                const auto name = part(statement.text, begin, end);
                const auto image = parse_arch(name);
                if (!image || (!name.starts_with("sm_") && !name.starts_with("compute_"))) {
                    break;
                }
                targets.push_back({*image, name.starts_with("sm_") ? Code::sass : Code::ptx});
            }
            blank(statement, at, end);
        }
    }
    if (!targets.empty()) {
        claims.push_back(claim_of(targets));
    }
}

// Where the number that ends at `end` begins: "8.6".
std::size_t number_before(const std::string& text, std::size_t end) {
    const auto before = std::string_view(text).substr(0, end).find_last_not_of("0123456789.");
    return before == std::string_view::npos ? 0 : before + 1;
}

// "8.6; " -> "; "
std::string_view separator_before(const std::string& text, std::size_t end) {
    const auto before = std::string_view(text).substr(0, end).find_last_not_of(list_separators);
    return before == std::string_view::npos ? "" : part(text, before + 1, end);
}

// 8.0;8.6;9.0+PTX without a name before it: `+PTX` says what it is. Items before it count where they are capabilities that some GPU has,
// and one separator is between all of them.
void take_bare_lists(Statement& statement, std::vector<PackageClaim>& claims) {
    const std::string& text = statement.text;
    for (std::size_t ptx = text.find("+PTX"); ptx != std::string::npos; ptx = text.find("+PTX", ptx + 1)) {
        const std::size_t end = ptx + 4;
        std::size_t begin = number_before(text, ptx);
        std::vector<Target> targets = targets_in(part(text, begin, end));
        const std::string separator(separator_before(text, begin));
        while (!targets.empty() && !separator.empty() && separator_before(text, begin) == separator) {
            const std::size_t before = number_before(text, begin - separator.size());
            const auto item = part(text, before, begin - separator.size());
            const auto capability = parse_capability(item);
            if (!capability || !is_known(*capability)) {
                break;
            }
            std::ranges::move(targets_in(item), std::back_inserter(targets));
            begin = before;
        }
        if (!targets.empty()) {
            claims.push_back(claim_of(targets));
            blank(statement, begin, end);
        }
    }
}

} // namespace

std::vector<PackageClaim> take_build_lists(Statement& statement) {
    std::vector<PackageClaim> claims;
    take_variables(statement, claims);
    take_gencodes(statement, claims);
    take_bare_lists(statement, claims);
    return claims;
}

} // namespace cag::detail
