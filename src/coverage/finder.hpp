// Searches bytes for the beginnings of device code, wherever a program keeps it: libraries that load their kernels themselves hold
// containers, cubins and PTX in ordinary data sections.
//
// The bytes are streamed through one small buffer, so that a file of any size costs no memory. What is found here are candidates: four
// bytes can occur by chance, and the caller checks that the headers behind them add up.
#pragma once

#include "support/bytes.hpp"

#include <optional>

namespace cag {

struct Candidate {
    enum class Kind : std::uint8_t {
        container, // 50 ed 55 ba
        wrapper,   // b1 43 62 46
        cubin,     // 7f 45 4c 46, machine 190
        ptx,       // ".version " and a digit
    };
    Kind kind = Kind::container;
    std::uint64_t offset = 0; // in the view
};

class Finder {
  public:
    // Searches [begin, end) of the view.
    Finder(ByteView view, std::uint64_t begin, std::uint64_t end);

    // The next candidate, in the order of offsets; nullopt at the end, or where the bytes cannot be read (then `problem` says why).
    [[nodiscard]] std::optional<Candidate> next();
    // Goes on at `offset` where that lies ahead: the candidate was real and its inside is not to be searched.
    void skip_to(std::uint64_t offset);

    [[nodiscard]] const std::optional<Problem>& problem() const { return problem_; }

  private:
    bool fill();

    ByteView view_;
    std::uint64_t position_;
    std::uint64_t end_;
    Bytes buffer_;
    std::uint64_t buffer_begin_ = 0;
    std::uint64_t buffer_size_ = 0;
    std::optional<Problem> problem_;
};

} // namespace cag
