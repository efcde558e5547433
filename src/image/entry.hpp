// One entry of a container: its header becomes an Image.
#pragma once

#include "image/image.hpp"
#include "image/layout.hpp"
#include "image/window.hpp"

#include <string>

namespace cag::fatbin {

// Collects what is wrong with one entry. Every message starts with the entry's place.
class Reporter {
  public:
    Reporter(std::string place, std::vector<Problem>& problems) : place_(std::move(place)), problems_(&problems) {}
    void operator()(const char* code, const std::string& what, std::uint64_t offset) const;

  private:
    std::string place_;
    std::vector<Problem>* problems_;
};

// The strings of an entry or group record. Those that lie outside their header are left empty and reported.
struct Strings {
    std::string source;
    std::string options;
    std::uint64_t end = 0; // where the last one ends, from the record's start
};

// `room`: bytes from the record's start in which its strings must lie.
[[nodiscard]] Strings read_strings(Window& window, std::uint64_t record, const EntryHeader& header, std::uint64_t room,
                                   const Reporter& report);

// Everything that the header says about the image except where it is stored. `position` is the header's, for messages.
[[nodiscard]] Image image_from(const EntryHeader& header, Strings strings, std::uint64_t position, const Reporter& report);

// Compression::unknown and a reported problem where the flags name no codec that we know, or two.
[[nodiscard]] Compression codec_of(const EntryHeader& header, std::uint64_t position, const Reporter& report);

// Why an entry that starts `room` bytes before its container's end cannot be stepped over; empty where it can.
[[nodiscard]] std::optional<Problem> broken_extent(const EntryHeader& header, std::uint64_t room, std::uint64_t position);

// Reads the entry at `offset` of the window's view, whose extent was checked, with all members where it is a concat group.
void read_entry(Window& window, std::uint64_t offset, const EntryHeader& header, const Limits& limits, Container& container,
                const Reporter& report);

} // namespace cag::fatbin
