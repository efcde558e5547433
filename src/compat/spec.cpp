#include "compat/spec.hpp"

#include "data/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace cag {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
        text.remove_prefix(1);
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
        text.remove_suffix(1);
    }
    return text;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return lower;
}

template <class Number>
std::optional<Number> number(std::string_view text, int base = 10) {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// --- GPUs ---

constexpr const char* gpu_forms = "9.0, sm_90, a product (RTX 4090), a chip (GH100), pci:10de:2330";

tl::unexpected<Problem> no_such_gpu(std::string_view text, std::string_view why) {
    return failure("CAG501", fmt::format("\"{}\" is not a GPU: {}. Allowed: {}", text, why, gpu_forms));
}

Gpu make_gpu(ComputeCapability capability, std::string_view name, std::string_view platform) {
    return {capability, data::is_tegra(capability), std::string(name), std::string(platform)};
}

// A capability that no GPU has is a mistake, unless it lies behind everything that is known.
Result<Gpu> by_capability(std::string_view text, ComputeCapability capability) {
    ComputeCapability newest;
    std::vector<ComputeCapability> known;
    for (const data::Chip& chip : data::chips()) {
        if (chip.capability) {
            newest = std::max(newest, *chip.capability);
            known.push_back(*chip.capability);
        }
    }
    const ComputeCapability oldest = data::driver_branches().front().oldest_gpu;
    if (capability < oldest) {
        return no_such_gpu(text, fmt::format("the tables begin with compute capability {}", to_string(oldest)));
    }
    // 8.8 can be built for since CUDA 13.0, although no product is known to have it.
    const bool can_be_built_for = data::toolkits_building({capability.major, capability.minor, Variant::plain}).has_value();
    if (!data::is_known_capability(capability) && capability < newest && !can_be_built_for) {
        std::sort(known.begin(), known.end(), [&](ComputeCapability left, ComputeCapability right) {
            const auto distance = [&](ComputeCapability other) {
                const int difference =
                    static_cast<int>(other.major * 10 + other.minor) - static_cast<int>(capability.major * 10 + capability.minor);
                return difference < 0 ? -difference : difference;
            };
            return distance(left) < distance(right);
        });
        return no_such_gpu(
            text, fmt::format("no GPU has compute capability {}; the nearest is {}", to_string(capability), to_string(known.front())));
    }
    return make_gpu(capability, "", "");
}

Result<Gpu> by_pci_id(std::string_view text, std::string_view id) {
    const auto colon = id.find(':');
    const std::string_view vendor = id.substr(0, colon);
    const auto device = colon == std::string_view::npos ? std::nullopt : number<std::uint16_t>(id.substr(colon + 1), 16);
    if (vendor != "10de" || !device) {
        return no_such_gpu(text, "a PCI id is pci:, NVIDIA's vendor id 10de, a colon and four hexadecimal digits (lspci -nn shows them)");
    }
    const data::PciDevice* found = data::find_pci_device(*device);
    if (found == nullptr) {
        return no_such_gpu(text, "this device id is not in the tables; write the compute capability instead");
    }
    const data::Chip* chip = data::find_chip(found->chip);
    return make_gpu(found->capability, found->name, chip ? chip->platform : "");
}

Result<Gpu> by_product(std::string_view text) {
    const auto found = data::find_products(text);
    if (found.empty()) {
        const auto similar = data::similar_products(text, 3);
        return no_such_gpu(text, similar.empty()
                                     ? std::string("no product of that name is known")
                                     : fmt::format("no product of that name is known; did you mean {}?", fmt::join(similar, " or ")));
    }
    const data::Product& first = *found.front();
    bool one_capability = true;
    bool one_platform = true;
    std::vector<std::string> choices;
    for (const data::Product* product : found) {
        one_capability = one_capability && product->capability == first.capability && product->also.empty();
        one_platform = one_platform && product->platform == first.platform;
        std::string choice = fmt::format("{} ({}", product->name, to_string(product->capability));
        for (const ComputeCapability other : product->also) {
            choice += " or " + to_string(other);
        }
        choices.push_back(choice + ")");
    }
    if (!one_capability) {
        constexpr std::size_t shown = 10;
        const std::size_t more = choices.size() - std::min(choices.size(), shown);
        choices.resize(choices.size() - more);
        return failure("CAG501",
                       fmt::format("\"{}\" is the name of GPUs of different compute capability: {}{}. Write the full name, the compute "
                                   "capability (nvidia-smi --query-gpu=compute_cap --format=csv), or the PCI id (pci:10de:...)",
                                   text, fmt::join(choices, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
    }
    return make_gpu(first.capability, text, one_platform ? first.platform : "");
}

// --- Drivers ---

constexpr const char* driver_forms = "580, 580.159.04, cuda:13.0, 535+cuda-compat:13.0 (a forward-compatibility package)";

tl::unexpected<Problem> no_such_driver(std::string_view text, std::string_view why) {
    return failure("CAG501", fmt::format("\"{}\" is not a driver: {}. Allowed: {}", text, why, driver_forms));
}

Driver driver_of(const data::DriverBranch& row, std::string_view name) {
    Driver driver;
    driver.name = name;
    driver.branch = row.branch;
    driver.cuda = row.cuda;
    driver.max_ptx = row.max_ptx;
    driver.oldest_gpu = row.oldest_gpu;
    driver.newest_gpu = row.newest_gpu;
    return driver;
}

// The row that holds for a branch: its own, or the next older one.
const data::DriverBranch* row_for(unsigned branch) {
    const data::DriverBranch* found = nullptr;
    for (const data::DriverBranch& row : data::driver_branches()) {
        if (row.branch <= branch) {
            found = &row;
        }
    }
    return found;
}

// "580", "R580" and "580.159.04" -> 580.
std::optional<unsigned> branch_in(std::string_view text) {
    if (!text.empty() && text.front() == 'r') {
        text.remove_prefix(1);
    }
    const auto dot = std::min(text.find('.'), text.size());
    if (text.substr(dot).find_first_not_of(".0123456789") != std::string_view::npos) {
        return std::nullopt;
    }
    return number<unsigned>(text.substr(0, dot));
}

Result<Driver> by_branch(std::string_view text, unsigned branch) {
    const data::DriverBranch* row = row_for(branch);
    if (row == nullptr || branch > 9999) {
        return no_such_driver(text, fmt::format("known branches are {} to {}", data::driver_branches().front().branch,
                                                data::driver_branches().back().branch));
    }
    Driver driver = driver_of(*row, text);
    driver.extrapolated = branch > data::driver_branches().back().branch;
    driver.branch = branch;
    return driver;
}

// "13.0" -> the branch that came with it.
Result<Driver> by_cuda(std::string_view text, std::string_view version) {
    const auto dot = version.find('.');
    const auto major = number<unsigned>(version.substr(0, dot));
    const auto minor = dot == std::string_view::npos ? std::nullopt : number<unsigned>(version.substr(dot + 1));
    if (!major || !minor) {
        return no_such_driver(text, "a CUDA version is written as 13.0");
    }
    const CudaVersion cuda = {*major, *minor};
    const auto rows = data::driver_branches();
    for (const data::DriverBranch& row : rows) {
        if (row.cuda == cuda) {
            return driver_of(row, text);
        }
    }
    if (cuda > rows.back().cuda) {
        Driver driver = driver_of(rows.back(), text);
        driver.extrapolated = true;
        return driver;
    }
    return no_such_driver(text, fmt::format("no known driver's newest CUDA version is {}; known are {} to {}", to_string(cuda),
                                            to_string(rows.front().cuda), to_string(rows.back().cuda)));
}

bool row_drives(const data::DriverBranch& row, ComputeCapability capability) {
    return row.oldest_gpu <= capability && capability <= row.newest_gpu &&
           std::find(row.not_yet.begin(), row.not_yet.end(), capability) == row.not_yet.end();
}

} // namespace

Result<Gpu> parse_gpu(std::string_view text) {
    text = trim(text);
    const std::string lower = lower_case(text);
    if (lower.empty()) {
        return no_such_gpu(text, "the name is empty");
    }
    if (lower == "local") {
        return no_such_gpu(text, "the GPUs of this machine have no meaning here; name them (cuda-arch-guard survey lists them)");
    }
    if (lower.substr(0, 4) == "pci:") {
        return by_pci_id(text, std::string_view(lower).substr(4));
    }
    if (const auto capability = parse_capability(lower)) {
        return by_capability(text, *capability);
    }
    if (const auto arch = parse_arch(lower)) {
        if (arch->variant != Variant::plain) {
            return no_such_gpu(
                text, fmt::format("{} is a target of compilation; the GPU is {}", to_string(*arch), to_string(arch->capability())));
        }
        return by_capability(text, arch->capability());
    }
    if (const data::Chip* chip = data::find_chip(text); chip != nullptr && chip->capability) {
        return make_gpu(*chip->capability, text, chip->platform);
    }
    return by_product(text);
}

Result<Driver> parse_driver(std::string_view text) {
    text = trim(text);
    const std::string lower = lower_case(text);
    if (lower == "local") {
        return no_such_driver(text, "the driver of this machine has no meaning here; name it (cuda-arch-guard survey shows it)");
    }
    constexpr std::string_view compat = "+cuda-compat:";
    if (const auto plus = lower.find(compat); plus != std::string::npos) {
        const auto kernel = branch_in(std::string_view(lower).substr(0, plus));
        auto driver = by_cuda(text, std::string_view(lower).substr(plus + compat.size()));
        if (driver && (!kernel || *kernel > driver->branch)) {
            return no_such_driver(text,
                                  "the driver before the + must be older than the one that came with the compat package's CUDA version");
        }
        if (driver) {
            driver->compat_over = kernel;
        }
        return driver;
    }
    if (lower.substr(0, 4) == "cuda") {
        return by_cuda(text, trim(std::string_view(lower).substr(lower.substr(4, 1) == ":" ? 5 : 4)));
    }
    if (const auto branch = branch_in(lower)) {
        return by_branch(text, *branch);
    }
    return no_such_driver(text, "neither a driver version nor a CUDA version");
}

bool drives(const Driver& driver, const Gpu& gpu) {
    const data::DriverBranch* row = row_for(driver.branch);
    const data::DriverBranch* kernel = row_for(driver.compat_over.value_or(driver.branch));
    if (row == nullptr || kernel == nullptr) {
        return false;
    }
    if (driver.extrapolated && gpu.capability > row->newest_gpu) {
        return true; // as far as anybody can know
    }
    return row_drives(*row, gpu.capability) && row_drives(*kernel, gpu.capability);
}

Driver newest_driver_for(const Gpu& gpu) {
    const auto rows = data::driver_branches();
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        if (row_drives(*row, gpu.capability)) {
            return driver_of(*row, std::to_string(row->branch));
        }
    }
    Driver driver = driver_of(rows.back(), std::to_string(rows.back().branch));
    driver.extrapolated = true;
    return driver;
}

} // namespace cag
