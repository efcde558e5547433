#include "cli/questions.hpp"

#include "cli/local.hpp"
#include "compat/spec.hpp"
#include "policy/parse.hpp"

namespace cag {
namespace {

template <class T, class Parse>
Result<std::vector<T>> parse_all(const std::vector<std::string>& values, Parse parse) {
    std::vector<T> parsed;
    for (const std::string& value : values) {
        for (const std::string& item : split_list(value)) {
            auto one = parse(item);
            if (!one) {
                return tl::unexpected(one.error());
            }
            parsed.push_back(*std::move(one));
        }
    }
    return parsed;
}

} // namespace

Result<std::vector<std::pair<Gpu, Driver>>> parse_questions(std::vector<std::string> gpu_texts, std::vector<std::string> driver_texts) {
    if (const auto done = replace_local(gpu_texts, driver_texts); !done) {
        return tl::unexpected(done.error());
    }
    const auto gpus = parse_all<Gpu>(gpu_texts, parse_gpu);
    if (!gpus) {
        return tl::unexpected(gpus.error());
    }
    const auto drivers = parse_all<Driver>(driver_texts, parse_driver);
    if (!drivers) {
        return tl::unexpected(drivers.error());
    }
    std::vector<std::pair<Gpu, Driver>> questions;
    for (const Gpu& gpu : *gpus) {
        if (drivers->empty()) {
            questions.emplace_back(gpu, newest_driver_for(gpu));
        }
        for (const Driver& driver : *drivers) {
            questions.emplace_back(gpu, driver);
        }
    }
    return questions;
}

} // namespace cag
