// Product names as people write them. "NVIDIA GeForce RTX 3090", "rtx3090" and "3090" mean the same.
#include "data/tables.hpp"

#include <algorithm>
#include <cctype>

namespace cag::data {
namespace {

using Words = std::vector<std::string>;

bool says_only_who_sells_it(const std::string& word) {
    constexpr std::string_view words[] = {"nvidia", "geforce", "tesla", "graphics", "gpu"};
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Lower case; everything but letters and digits separates.
Words words_of(std::string_view name) {
    Words words;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty() && !says_only_who_sells_it(word)) {
            words.push_back(word);
        }
        word.clear();
    };
    for (const char letter : name) {
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        } else {
            end_word();
        }
    }
    end_word();
    return words;
}

std::string joined(const Words& words) {
    std::string text;
    for (const std::string& word : words) {
        text += word;
    }
    return text;
}

bool holds_phrase(const Words& name, const Words& phrase) {
    return std::search(name.begin(), name.end(), phrase.begin(), phrase.end()) != name.end();
}

bool holds_word(const Words& name, const std::string& word) { return std::find(name.begin(), name.end(), word) != name.end(); }

bool holds_all(const Words& name, const Words& words) {
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return holds_word(name, word); });
}

} // namespace

std::vector<const Product*> find_products(std::string_view name) {
    const Words wanted = words_of(name);
    if (wanted.empty()) {
        return {};
    }
    std::vector<const Product*> exact;
    std::vector<const Product*> with_phrase;
    std::vector<const Product*> with_words;
    for (const Product& product : products()) {
        const Words words = words_of(product.name);
        if (words == wanted || joined(words) == joined(wanted)) {
            exact.push_back(&product);
        }
        if (holds_phrase(words, wanted)) {
            with_phrase.push_back(&product);
        }
        if (holds_all(words, wanted)) {
            with_words.push_back(&product);
        }
    }
    return !exact.empty() ? exact : !with_phrase.empty() ? with_phrase : with_words;
}

std::vector<std::string> similar_products(std::string_view name, std::size_t count) {
    const Words wanted = words_of(name);
    std::vector<std::pair<std::size_t, const Product*>> ranked;
    for (const Product& product : products()) {
        const Words words = words_of(product.name);
        const auto shared = static_cast<std::size_t>(
            std::count_if(wanted.begin(), wanted.end(), [&](const std::string& word) { return holds_word(words, word); }));
        if (shared > 0) {
            ranked.emplace_back(shared * 100 - std::min<std::size_t>(words.size(), 99), &product);
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& left, const auto& right) { return left.first > right.first; });
    std::vector<std::string> names;
    for (const auto& [rank, product] : ranked) {
        if (names.size() < count) {
            names.emplace_back(product->name);
        }
    }
    return names;
}

} // namespace cag::data
