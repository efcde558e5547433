#include "report/guard_python.hpp"

#include <cudaarchguard/guard_table.h>

#include <cstring>
#include <span>
#include <string_view>

namespace cag {
namespace {

constexpr std::string_view python_code =
#include "report/guard_code.inc" // guard.py.in as a raw string
    ;

constexpr std::string_view place = "@TABLES@";

std::string base64(std::span<const std::byte> bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            group = group << 8 | (i + j < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            text += i + j <= bytes.size() ? letters[group >> (18 - 6 * j) & 63] : '=';
        }
    }
    return text;
}

} // namespace

std::string guard_python(const std::vector<GuardTable>& files) {
    std::string tables = "[\n";
    for (const GuardTable& table : files) {
        cag_table head{};
        std::memcpy(&head, table.bytes.data(), sizeof head);
        if (table.modules != 0) {
            tables += "    \"" + base64(std::span(table.bytes).first(head.used)) + "\",\n";
        }
    }
    tables += "]";
    std::string code(python_code);
    code.replace(code.find(place), place.size(), tables);
    return code;
}

} // namespace cag
