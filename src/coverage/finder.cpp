#include "coverage/finder.hpp"

#include <algorithm>
#include <array>

namespace cag {

namespace {

constexpr std::uint64_t buffer_capacity = std::uint64_t{64} << 10; // stays in the nearest cache between the read and the search
// A candidate is told from its first bytes: those up to e_machine of an ELF header are the most.
constexpr std::uint64_t lookahead = 20;
constexpr std::size_t block = 256;

// The first two bytes of each magic.
[[gnu::always_inline]] inline unsigned char may_begin(unsigned char first, unsigned char second) {
    return static_cast<unsigned char>(((first == 0x50) & (second == 0xed)) | ((first == 0xb1) & (second == 0x43)) |
                                      ((first == 0x7f) & (second == 0x45)) | ((first == 0x2e) & (second == 0x76)));
}

// The first block in which any candidate may begin, or `count` where there is none. Written so that the compiler turns it into vector code;
// this loop is where a search spends its time. One byte more than the blocks is read.
[[gnu::always_inline]] inline std::size_t first_block_with_hit(const unsigned char* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, bytes += block) {
        unsigned char hits = 0;
        for (std::size_t k = 0; k < block; ++k) {
            hits = static_cast<unsigned char>(hits | may_begin(bytes[k], bytes[k + 1]));
        }
        if (hits != 0) {
            return i;
        }
    }
    return count;
}

std::size_t search_any(const unsigned char* bytes, std::size_t count) { return first_block_with_hit(bytes, count); }

#if defined(__x86_64__)
// The same loop for processors of the last ten years: twice as wide.
[[gnu::target("avx2")]] std::size_t search_avx2(const unsigned char* bytes, std::size_t count) {
    return first_block_with_hit(bytes, count);
}
const auto search = __builtin_cpu_supports("avx2") != 0 ? search_avx2 : search_any;
#else
const auto search = search_any;
#endif

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
    buffer_size_ = std::min({buffer_capacity, view_.size() - position_, end_ - position_ + lookahead});
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
            const std::uint64_t blocks = (limit - position_ + block - 1) / block;
            const std::uint64_t skipped = search(bytes + (position_ - buffer_begin_), blocks);
            position_ = std::min(position_ + skipped * block, limit);
            for (const std::uint64_t stop = std::min(position_ + block, limit); position_ < stop;) {
                const std::uint64_t here = position_++;
                const std::uint64_t index = here - buffer_begin_;
                if (may_begin(bytes[index], bytes[index + 1]) != 0) {
                    if (const auto kind = kind_at({bytes + index, buffer_size_ - index})) {
                        return Candidate{*kind, here};
                    }
                }
            }
        }
    }
    return std::nullopt;
}

} // namespace cag
