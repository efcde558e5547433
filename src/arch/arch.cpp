#include <cudaarchguard/arch.hpp>
#include <cudaarchguard/prediction.hpp>

#include <charconv>

namespace cag {
namespace {

// A number of one to three digits that is the whole text.
std::optional<unsigned> small_number(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty() || text.size() > 3) {
        return std::nullopt;
    }
    return value;
}

const char* suffix(Variant variant) {
    switch (variant) {
    case Variant::plain:
        return "";
    case Variant::family_specific:
        return "f";
    case Variant::arch_specific:
        return "a";
    }
    return "";
}

} // namespace

Arch arch_from_number(unsigned number, Variant variant) { return {number / 10, number % 10, variant}; }

std::string to_string(Arch arch) { return std::to_string(arch.number()) + suffix(arch.variant); }

std::string to_string(ComputeCapability capability) { return std::to_string(capability.major) + "." + std::to_string(capability.minor); }

std::string to_string(CudaVersion version) { return std::to_string(version.major) + "." + std::to_string(version.minor); }

std::optional<Arch> parse_arch(std::string_view text) {
    for (const std::string_view prefix : {"sm_", "compute_"}) {
        if (text.substr(0, prefix.size()) == prefix) {
            text.remove_prefix(prefix.size());
            break;
        }
    }
    Variant variant = Variant::plain;
    if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
        variant = text.back() == 'a' ? Variant::arch_specific : Variant::family_specific;
        text.remove_suffix(1);
    }
    const auto number = small_number(text);
    if (!number || *number < 10) {
        return std::nullopt;
    }
    return arch_from_number(*number, variant);
}

std::optional<ComputeCapability> parse_capability(std::string_view text) {
    const auto dot = text.find('.');
    if (dot == std::string_view::npos || text.size() - dot != 2) { // the minor number has one digit
        return std::nullopt;
    }
    const auto major = small_number(text.substr(0, dot));
    const auto minor = small_number(text.substr(dot + 1));
    if (!major || !minor || *major == 0) {
        return std::nullopt;
    }
    return ComputeCapability{*major, *minor};
}

} // namespace cag
