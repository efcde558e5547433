#include "doctor/claims.hpp"

#include "input/file.hpp"
#include "object/object.hpp"
#include "support/limits.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace cag {
namespace {

// cuda: Optional[str] = '12.8'
std::string assigned(std::string_view python, std::string_view name) {
    for (const std::string_view line : lines_of(python)) {
        if (line.substr(0, name.size()) != name) {
            continue;
        }
        const auto equals = line.find('=');
        const std::string_view value = equals == std::string_view::npos ? "" : trimmed(line.substr(equals + 1));
        if (value.size() > 2 && (value.front() == '\'' || value.front() == '"')) {
            return std::string(value.substr(1, value.find(value.front(), 1) - 1));
        }
    }
    return "";
}

// PyTorch: "-gencode;arch=compute_75,code=sm_75;..." lies among the constants of libtorch_cuda.so, and is what get_arch_list() shows.
std::string torch_flags(const Host& host, const std::string& library) {
    const auto file = FileSource::open(real_path(host, library));
    const auto object = file ? read_elf(ByteView(**file), Limits{}) : failure("", "");
    const Section* constants = object ? object->section_named(".rodata") : nullptr;
    const auto view = constants != nullptr ? ByteView(**file).sub(constants->offset, constants->size, ".rodata") : failure("", "");
    const auto bytes = view ? view->bytes(Limits{}.max_table, ".rodata") : failure("", "");
    if (!bytes) {
        return "";
    }
    std::string text(bytes->size(), '\0');
    std::transform(bytes->begin(), bytes->end(), text.begin(), [](std::byte byte) { return static_cast<char>(byte); });
    constexpr std::string_view begin = "-gencode;arch=compute_";
    const auto found = text.find(begin);
    if (found == std::string::npos) {
        return "";
    }
    const std::string_view flags = std::string_view(text).substr(found, text.find('\0', found) - found);
    std::vector<std::string_view> archs;
    for (const std::string_view flag : split(flags, ';')) {
        if (const auto code = flag.find("code="); code != std::string_view::npos) {
            archs.push_back(flag.substr(code + 5));
        }
    }
    return fmt::format("{}", fmt::join(archs, " "));
}

const std::string* library_named(const PythonPackage& package, std::string_view name) {
    const auto found = std::find_if(package.libraries.begin(), package.libraries.end(), [&](const std::string& path) {
        return path.size() > name.size() && path.compare(path.size() - name.size(), name.size(), name) == 0;
    });
    return found == package.libraries.end() ? nullptr : &*found;
}

// "cupy-cuda12x" -> "12.x", "jax-cuda13-plugin" -> "13.x": all that the name says.
std::string cuda_in_name(const std::string& name) {
    for (const char* mark : {"cuda", "cu"}) {
        const auto at = name.rfind(mark);
        const auto digit = at == std::string::npos ? at : at + std::string_view(mark).size();
        const std::size_t end = digit == std::string::npos ? digit : std::min(name.find_first_not_of("0123456789", digit), name.size());
        if (digit != std::string::npos && end == digit + 2) {
            return name.substr(digit, 2) + ".x";
        }
    }
    return "";
}

// "+cu128" -> "12.8", "+cu130" -> "13.0".
std::string cuda_in_version(const std::string& version) {
    const auto at = version.find("+cu");
    const std::string digits = at == std::string::npos ? "" : version.substr(at + 3);
    const bool is_number = digits.size() == 3 && digits.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? digits.substr(0, 2) + "." + digits.substr(2) : "";
}

// TensorFlow: build_info = {"cuda_version": "12.5.1", "cuda_compute_capabilities": ["sm_60", ...], ...}
void tensorflow_claims(const std::string& text, Claims& claims) {
    const auto value = [&](std::string_view key) {
        const auto at = text.find(key);
        const std::string_view rest = at == std::string::npos ? "" : std::string_view(text).substr(at + key.size());
        const auto open = rest.find_first_of("[\"'", rest.find(':') == std::string_view::npos ? 0 : rest.find(':'));
        if (open == std::string_view::npos) {
            return std::string();
        }
        const char close = rest[open] == '[' ? ']' : rest[open];
        return std::string(rest.substr(open + 1, rest.find(close, open + 1) - open - 1));
    };
    claims.cuda = value("cuda_version");
    const std::string list = value("cuda_compute_capabilities");
    for (const std::string_view item : split(list, ',')) {
        const std::string_view name = trimmed(item);
        claims.archs += name.size() > 2 ? (claims.archs.empty() ? "" : " ") + std::string(name.substr(1, name.size() - 2)) : "";
    }
}

} // namespace

Claims claims_of(const Host& host, const PythonPackage& package) {
    Claims claims;
    claims.version = package.version;
    const std::string name = lower(package.name);
    if (const auto text = read_text(host, package.folder + "/" + name + "/version.py")) {
        const std::string full = assigned(*text, "__version__");
        claims.version = full.substr(0, package.version.size()) == package.version ? full : package.version;
        claims.cuda = assigned(*text, "cuda");
    }
    if (name == "torch") {
        if (const std::string* library = library_named(package, "/libtorch_cuda.so")) {
            claims.archs = torch_flags(host, *library);
        }
    } else if (name.substr(0, 10) == "tensorflow") {
        tensorflow_claims(read_text(host, package.folder + "/tensorflow/python/platform/build_info.py").value_or(""), claims);
    } else if (const auto text = read_text(host, package.folder + "/" + name + "/cpp_lib.json")) { // xformers
        const auto json = nlohmann::json::parse(*text, nullptr, false);
        if (json.is_object() && json.contains("env") && json["env"].is_object()) {
            const auto list = json["env"].find("TORCH_CUDA_ARCH_LIST");
            claims.archs = list != json["env"].end() && list->is_string() ? list->get<std::string>() : "";
        }
        if (json.is_object() && json.contains("version") && json["version"].is_object()) {
            const auto number = json["version"].find("cuda"); // 1208
            if (number != json["version"].end() && number->is_number_unsigned()) {
                claims.cuda = fmt::format("{}.{}", number->get<unsigned>() / 100, number->get<unsigned>() % 100);
            }
        }
    }
    for (const std::string& guess : {cuda_in_version(claims.version), cuda_in_name(name)}) {
        claims.cuda = claims.cuda.empty() ? guess : claims.cuda;
    }
    return claims;
}

} // namespace cag
