#include "coverage/finder.hpp"

#include <algorithm>
#include <array>

namespace cag {

namespace {

constexpr std::uint64_t buffer_capacity = std::uint64_t{1} << 20;
// A candidate is told from its first bytes: those up to e_machine of an ELF header are the most.
constexpr std::uint64_t lookahead = 20;
constexpr std::size_t block = 64;

// Whether any candidate may begin in these 64 bytes (the 65th is read too): one comparison of the first two bytes of each magic. Written so
// that the compiler turns it into vector code; this loop is where a search spends its time.
bool may_begin_in(const unsigned char* bytes) {
    unsigned char hits = 0;
    for (std::size_t i = 0; i < block; ++i) {
        const unsigned char first = bytes[i];
        const unsigned char second = bytes[i + 1];
        hits = static_cast<unsigned char>(hits | ((first == 0x50) & (second == 0xed)) | ((first == 0xb1) & (second == 0x43)) |
                                          ((first == 0x7f) & (second == 0x45)) | ((first == 0x2e) & (second == 0x76)));
    }
    return hits != 0;
}

template <std::size_t N>
bool starts_with(std::span<const unsigned char> bytes, const std::array<unsigned char, N>& magic) {
    return bytes.size() >= N && std::equal(magic.begin(), magic.end(), bytes.begin());
}

constexpr std::array<unsigned char, 4> container_magic{0x50, 0xed, 0x55, 0xba};
constexpr std::array<unsigned char, 4> wrapper_magic{0xb1, 0x43, 0x62, 0x46};
constexpr std::array<unsigned char, 4> elf_magic{0x7f, 'E', 'L', 'F'};
constexpr std::array<unsigned char, 9> ptx_version{'.', 'v', 'e', 'r', 's', 'i', 'o', 'n', ' '};
constexpr std::size_t elf_machine = 18;
constexpr unsigned char machine_cuda = 190;

std::optional<Candidate::Kind> kind_at(std::span<const unsigned char> bytes) {
    if (starts_with(bytes, container_magic)) {
        return Candidate::Kind::container;
    }
    if (starts_with(bytes, wrapper_magic)) {
        return Candidate::Kind::wrapper;
    }
    if (starts_with(bytes, elf_magic) && bytes.size() >= lookahead && bytes[elf_machine] == machine_cuda && bytes[elf_machine + 1] == 0) {
        return Candidate::Kind::cubin;
    }
    if (starts_with(bytes, ptx_version) && bytes.size() > ptx_version.size() && bytes[ptx_version.size()] >= '1' &&
        bytes[ptx_version.size()] <= '9') {
        return Candidate::Kind::ptx;
    }
    return std::nullopt;
}

} // namespace

Finder::Finder(ByteView view, std::uint64_t begin, std::uint64_t end) : view_(view), position_(begin), end_(std::min(end, view.size())) {}

void Finder::skip_to(std::uint64_t offset) { position_ = std::max(position_, offset); }

// Makes the buffer begin at position_. One block more than it reports is there, so that whole blocks can be looked at near its end.
bool Finder::fill() {
    buffer_begin_ = position_;
    buffer_size_ = std::min(buffer_capacity, view_.size() - position_);
    buffer_.resize(buffer_size_ + block + 1);
    const auto part = std::span(buffer_).first(buffer_size_);
    if (auto done = view_.read_into(position_, part, "search for device code"); !done) {
        problem_ = done.error();
        return false;
    }
    std::fill(buffer_.begin() + static_cast<std::ptrdiff_t>(buffer_size_), buffer_.end(), std::byte{0});
    return true;
}

std::optional<Candidate> Finder::next() {
    while (position_ < end_) {
        // Candidates near the buffer's end are judged after the next read, with all their bytes.
        const bool last = buffer_size_ > 0 && buffer_begin_ + buffer_size_ == view_.size();
        const std::uint64_t usable = last ? buffer_size_ : buffer_size_ - std::min(buffer_size_, lookahead);
        if (buffer_size_ == 0 || position_ < buffer_begin_ || position_ - buffer_begin_ >= usable) {
            if (!fill()) {
                return std::nullopt;
            }
            continue;
        }
        const std::uint64_t limit = std::min(buffer_begin_ + usable, end_);
        const auto* bytes = reinterpret_cast<const unsigned char*>(buffer_.data());
        while (position_ < limit) {
            const std::uint64_t at = position_ - buffer_begin_;
            if (!may_begin_in(bytes + at)) {
                position_ = std::min(position_ + block, limit);
                continue;
            }
            for (const std::uint64_t stop = std::min(position_ + block, limit); position_ < stop;) {
                const std::uint64_t here = position_++;
                const std::uint64_t index = here - buffer_begin_;
                if (const auto kind = kind_at({bytes + index, buffer_size_ - index})) {
                    return Candidate{*kind, here};
                }
            }
        }
    }
    return std::nullopt;
}

} // namespace cag
