#include "package/claims.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <regex>

namespace cag {

namespace {

using nlohmann::json;

// Longer ones are no metadata, and the library's regular expressions need stack for each character.
constexpr std::size_t longest_line = 4000;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end - begin <= longest_line) {
            lines.push_back(text.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return lines;
}

std::string last_part(const std::string& name) { return name.substr(name.find_last_of("/!") + 1); }

unsigned number(const std::string& digits) {
    unsigned value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

PackageClaim saying(std::string source, std::string words) {
    PackageClaim claim;
    claim.source = std::move(source);
    claim.says = std::move(words);
    return claim;
}

void set_cuda(PackageClaim& claim, const std::string& major, const std::string& minor) {
    claim.cuda_major = number(major);
    if (!minor.empty()) {
        claim.cuda_minor = number(minor);
    }
}

// "cu128" -> 12.8; "cu12" -> 12
std::optional<PackageClaim> cuda_tag(const std::string& source, const std::string& text) {
    static const std::regex tag(R"([+._-]cu(1[0-9])([0-9])?(?![0-9]))");
    std::smatch match;
    if (text.size() > longest_line || !std::regex_search(text, match, tag)) {
        return std::nullopt;
    }
    PackageClaim claim = saying(source, match.str().substr(1));
    set_cuda(claim, match[1], match[2]);
    return claim;
}

std::optional<PackageClaim> machine_tag(const std::string& source, const std::string& text) {
    for (const char* machine : {"x86_64", "aarch64"}) {
        if (text.find(machine) != std::string::npos) {
            PackageClaim claim = saying(source, fmt::format("platform {}", machine));
            claim.machine = machine;
            return claim;
        }
    }
    if (text.find("win_amd64") != std::string::npos) {
        PackageClaim claim = saying(source, "platform win_amd64");
        claim.machine = "x86_64";
        return claim;
    }
    return std::nullopt;
}

// A list as TORCH_CUDA_ARCH_LIST or nvcc's names have it; items that are none are passed over.
PackageClaim arch_claim(std::string source, const std::string& name, const std::string& text) {
    PackageClaim claim = saying(std::move(source), name + ' ' + text.substr(0, longest_line));
    const std::string list = text.substr(0, longest_line);
    static const std::regex item(R"((sm_|compute_)?([0-9]+)(\.([0-9]))?([af])?(\+PTX)?)");
    for (auto at = std::sregex_iterator(list.begin(), list.end(), item); at != std::sregex_iterator(); ++at) {
        const std::smatch& match = *at;
        const std::string digits = match[2].str() + match[4].str();
        const auto arch = parse_arch(digits + match[5].str());
        if (!arch || digits.size() < 2) {
            continue;
        }
        if (match[1] == "compute_" || match[6].matched) {
            claim.ptx.push_back(*arch);
        }
        if (match[1] != "compute_") {
            claim.sass.push_back(*arch);
        }
    }
    for (auto* archs : {&claim.sass, &claim.ptx}) {
        std::ranges::sort(*archs);
        archs->erase(std::unique(archs->begin(), archs->end()), archs->end());
    }
    return claim;
}

void add_metadata(const std::string& source, const std::string& text, std::vector<PackageClaim>& claims) {
    static const std::regex classifier(R"(Classifier: (Environment :: GPU :: NVIDIA CUDA :: ([0-9]+)( :: [0-9]+\.([0-9]+))?).*)");
    static const std::regex requirement(R"(Requires-Dist: (nvidia-[a-z-]+-cu(1[0-9])).*)");
    for (const std::string& line : lines_of(text)) {
        std::smatch match;
        if (line.empty() || line == "\r") {
            return; // the description begins
        }
        if (std::regex_match(line, match, classifier)) {
            PackageClaim claim = saying(source, match[1]);
            set_cuda(claim, match[2], match[4]);
            claims.push_back(std::move(claim));
        } else if (line.starts_with("Version: ")) {
            if (auto claim = cuda_tag(source, line)) {
                claims.push_back(*std::move(claim));
            }
        } else if (std::regex_match(line, match, requirement)) {
            PackageClaim claim = saying(source, "requires " + match[1].str());
            set_cuda(claim, match[2], "");
            claims.push_back(std::move(claim));
        }
    }
}

// torch/version.py: cuda: Optional[str] = '12.8'
void add_version_file(const std::string& source, const std::string& text, std::vector<PackageClaim>& claims) {
    static const std::regex cuda(R"(cuda[^=]*= *['"]([0-9]+)\.([0-9]+)['"].*)");
    for (const std::string& line : lines_of(text)) {
        std::smatch match;
        if (std::regex_match(line, match, cuda)) {
            PackageClaim claim = saying(source, fmt::format("cuda {}.{}", match[1].str(), match[2].str()));
            set_cuda(claim, match[1], match[2]);
            claims.push_back(std::move(claim));
        } else if (auto tag = cuda_tag(source, line)) {
            claims.push_back(*std::move(tag));
        }
    }
}

// TensorFlow's build_info.py: 'cuda_compute_capabilities': ['sm_60', 'compute_90'], 'cuda_version': '12.5.1'
void add_build_info(const std::string& source, const std::string& text, std::vector<PackageClaim>& claims) {
    static const std::string list_name = "cuda_compute_capabilities";
    static const std::string version_name = "cuda_version";
    if (const auto at = text.find(list_name); at != std::string::npos) {
        const auto begin = text.find('[', at);
        const auto end = text.find(']', at);
        if (begin < end && end != std::string::npos) {
            claims.push_back(arch_claim(source, list_name, text.substr(begin + 1, end - begin - 1)));
        }
    }
    if (const auto at = text.find(version_name); at != std::string::npos) {
        static const std::regex version(R"(([0-9]+)\.([0-9]+))");
        const std::string near = text.substr(at + version_name.size(), 20);
        std::smatch match;
        if (std::regex_search(near, match, version)) {
            PackageClaim claim = saying(source, "cuda_version " + match.str());
            set_cuda(claim, match[1], match[2]);
            claims.push_back(std::move(claim));
        }
    }
}

// cpp_lib.json of xformers: what its extension was built with.
void add_build_record(const std::string& source, const std::string& text, std::vector<PackageClaim>& claims) {
    const json record = json::parse(text, nullptr, false);
    const auto list = json::json_pointer("/env/TORCH_CUDA_ARCH_LIST");
    const auto cuda = json::json_pointer("/version/cuda");
    if (!record.is_object()) {
        return;
    }
    if (record.contains(list) && record[list].is_string()) {
        const auto archs = record[list].get<std::string>();
        claims.push_back(arch_claim(source, "TORCH_CUDA_ARCH_LIST", archs));
    }
    if (record.contains(cuda) && record[cuda].is_number_unsigned()) { // 1208
        const auto value = record[cuda].get<unsigned>();
        PackageClaim claim = saying(source, fmt::format("cuda {}.{}", value / 100, value % 100));
        claim.cuda_major = value / 100;
        claim.cuda_minor = value % 100;
        claims.push_back(std::move(claim));
    }
}

// The environment that an image's configuration sets.
void add_image_configuration(const std::string& source, const std::string& text, std::vector<PackageClaim>& claims) {
    const json configuration = json::parse(text, nullptr, false);
    const auto place = json::json_pointer("/config/Env");
    if (!configuration.is_object() || !configuration.contains(place) || !configuration[place].is_array()) {
        return;
    }
    for (const json& item : configuration[place]) {
        const std::string variable = item.is_string() ? item.get<std::string>() : "";
        static const std::regex version(R"(CUDA_VERSION=([0-9]+)\.([0-9]+).*)");
        std::smatch match;
        if (variable.starts_with("TORCH_CUDA_ARCH_LIST=")) {
            claims.push_back(arch_claim(source, "TORCH_CUDA_ARCH_LIST", variable.substr(variable.find('=') + 1)));
        } else if (variable.starts_with("NVIDIA_REQUIRE_CUDA=")) {
            PackageClaim claim = saying(source, variable);
            claim.driver = variable.substr(variable.find('=') + 1);
            claims.push_back(std::move(claim));
        } else if (variable.size() < longest_line && std::regex_match(variable, match, version)) {
            PackageClaim claim = saying(source, variable);
            set_cuda(claim, match[1], match[2]);
            claims.push_back(std::move(claim));
        }
    }
}

} // namespace

bool may_hold_claims(const std::string& name) {
    const std::string last = last_part(name);
    return last == "METADATA" || last == "WHEEL" || last == "version.py" || last == "build_info.py" || last == "cpp_lib.json";
}

std::vector<PackageClaim> claims_of(const TextFile& file) {
    const std::string source = file.member.value_or(file.path);
    const std::string last = last_part(source);
    std::vector<PackageClaim> claims;
    if (last == "METADATA") {
        add_metadata(source, file.text, claims);
    } else if (last == "WHEEL") {
        if (auto claim = machine_tag(source, file.text)) {
            claims.push_back(*std::move(claim));
        }
    } else if (last == "version.py") {
        add_version_file(source, file.text, claims);
    } else if (last == "build_info.py") {
        add_build_info(source, file.text, claims);
    } else if (last == "cpp_lib.json") {
        add_build_record(source, file.text, claims);
    } else {
        add_image_configuration(source, file.text, claims);
    }
    return claims;
}

std::vector<PackageClaim> claims_of_file_name(const std::string& path) {
    const std::string name = last_part(path);
    std::vector<PackageClaim> claims;
    if (name.ends_with(".whl")) {
        if (auto claim = cuda_tag("file name", name)) {
            claims.push_back(*std::move(claim));
        }
        if (auto claim = machine_tag("file name", name)) {
            claims.push_back(*std::move(claim));
        }
    }
    return claims;
}

std::vector<PackageClaim> claims_of_library(const FileCoverage& file) {
    if (file.arch_flags.empty()) {
        return {};
    }
    return {arch_claim(file.member.value_or(file.path), "torch.cuda.get_arch_list()", file.arch_flags)};
}

} // namespace cag
