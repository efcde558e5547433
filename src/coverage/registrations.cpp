// __cudaRegisterFunction(handle, host function, device name, device name, ...) takes its second argument in rsi and its third, a text, in
// rdx. Position-independent code loads both relative to the next instruction, close to each other:
//
//     48 8d 15 <distance>    lea rdx, [rip + name]
//     48 8d 35 <distance>    lea rsi, [rip + function]        or 48 8b 35: mov rsi, [rip + its GOT entry], which stands for it as well
//
// Look at it with `objdump -d PROGRAM | grep -B20 cudaRegisterFunction`.
#include "coverage/registrations.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace cag {

namespace {

constexpr std::size_t instruction = 7;    // bytes of each
constexpr std::size_t neighbourhood = 48; // bytes between the two at most
constexpr std::size_t chunk = std::size_t{1} << 20;

using Opcode = std::array<unsigned char, 3>;
constexpr Opcode load_name{0x48, 0x8d, 0x15};
constexpr std::array<Opcode, 2> load_function{Opcode{0x48, 0x8d, 0x35}, Opcode{0x48, 0x8b, 0x35}};

// A part of a code section.
struct Code {
    std::span<const std::byte> bytes;
    std::uint64_t address = 0;

    [[nodiscard]] bool has(const Opcode& opcode, std::size_t at) const {
        return std::ranges::equal(opcode, bytes.subspan(at, opcode.size()), {}, {},
                                  [](std::byte b) { return static_cast<unsigned char>(b); });
    }
    // Where it comes next in [at, end); `end` where it does not. Its last byte is the rarest in code.
    [[nodiscard]] std::size_t next(const Opcode& opcode, std::size_t at, std::size_t end) const {
        constexpr std::size_t last = std::tuple_size_v<Opcode> - 1;
        for (; at < end; ++at) {
            const void* hit = std::memchr(bytes.data() + at + last, opcode[last], end - at);
            if (hit == nullptr) {
                break;
            }
            at = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - bytes.data()) - last;
            if (has(opcode, at)) {
                return at;
            }
        }
        return end;
    }
    // The address that the instruction at `at` refers to.
    [[nodiscard]] std::uint64_t target(std::size_t at) const {
        std::int32_t distance = 0;
        std::memcpy(&distance, bytes.data() + at + 3, sizeof(distance));
        return address + at + instruction + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance));
    }
};

// The nearest load of a host function around the load of a name at `at`; 0 where there is none.
std::uint64_t host_function_near(const Code& code, std::size_t at) {
    const std::size_t first = at - std::min(at, neighbourhood);
    const std::size_t last = std::min(at + neighbourhood, code.bytes.size() - instruction);
    std::uint64_t nearest = 0;
    std::size_t best = neighbourhood + 1;
    for (std::size_t i = first; i <= last; ++i) {
        const std::size_t distance = i < at ? at - i : i - at;
        if (distance < best && std::ranges::any_of(load_function, [&](const Opcode& opcode) { return code.has(opcode, i); })) {
            nearest = code.target(i);
            best = distance;
        }
    }
    return nearest;
}

class Search {
  public:
    Search(const ByteView& view, const ObjectFile& object, const std::set<std::string>& kernels)
        : view_(view), object_(object), kernels_(kernels) {
        for (const std::string& kernel : kernels) {
            longest_ = std::max(longest_, kernel.size());
        }
    }

    void through(const Section& section) {
        Bytes buffer;
        for (std::uint64_t at = 0; at < section.size; at += chunk) {
            const std::uint64_t before = std::min<std::uint64_t>(at, neighbourhood);
            buffer.resize(std::min<std::uint64_t>(section.size - at, chunk + neighbourhood) + before);
            if (!view_.read_into(section.offset + at - before, buffer, "code that registers kernels")) {
                return;
            }
            through({buffer, section.address + at - before}, before);
        }
    }

    [[nodiscard]] std::vector<std::string> shared() const {
        std::vector<std::string> names;
        for (const auto& [name, functions] : functions_) {
            if (functions.size() > 1 &&
                std::ranges::adjacent_find(functions, std::ranges::not_equal_to()) == functions.end()) { // all the same
                names.push_back(name);
            }
        }
        return names;
    }

  private:
    void through(const Code& code, std::size_t begin) {
        if (code.bytes.size() < instruction) {
            return;
        }
        const std::size_t end = std::min(begin + chunk, code.bytes.size() - instruction + 1);
        for (std::size_t at = code.next(load_name, begin, end); at < end; at = code.next(load_name, at + 1, end)) {
            if (const std::uint64_t function = host_function_near(code, at); function != 0) {
                if (const auto kernel = kernels_.find(text_at_address(code.target(at))); kernel != kernels_.end()) {
                    functions_[*kernel].push_back(function);
                }
            }
        }
    }

    [[nodiscard]] std::string text_at_address(std::uint64_t address) const {
        const auto offset = object_.offset_of_address(address);
        if (!offset || *offset >= view_.size()) {
            return {};
        }
        Bytes bytes(std::min<std::uint64_t>(longest_ + 1, view_.size() - *offset));
        if (!view_.read_into(*offset, bytes, "name of a kernel")) {
            return {};
        }
        return std::string(cag::text_at(bytes, 0).value_or(""));
    }

    const ByteView& view_;
    const ObjectFile& object_;
    const std::set<std::string>& kernels_;
    std::size_t longest_ = 0;
    std::map<std::string, std::vector<std::uint64_t>> functions_; // one a registration
};

} // namespace

std::vector<std::string> kernels_with_shared_host_function(const ByteView& view, const ObjectFile& object,
                                                           const std::set<std::string>& kernels) {
    if (object.machine != "x86_64" || object.format != "elf" || kernels.empty()) {
        return {};
    }
    Search search(view, object, kernels);
    for (const Section& section : object.sections) {
        if (section.loaded && !section.writable && (object.sections_reconstructed || section.name.starts_with(".text"))) {
            search.through(section);
        }
    }
    return search.shared();
}

} // namespace cag
