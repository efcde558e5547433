// What the builders of host files write their headers with.
#pragma once

#include "builders/host_file.hpp"
#include "builders/writer.hpp"

namespace cag::test {

// A writer that remembers where each number went.
class HeaderWriter {
  public:
    void where(std::string place) { place_ = std::move(place); }

    template <class T>
    std::size_t field(const std::string& name, T value) {
        const std::size_t at = out_.put(value);
        file_.fields.push_back({place_ + ": " + name, at, sizeof(T)});
        return at;
    }
    void name(std::string_view text, std::size_t size) {
        Bytes padded = bytes_of(text);
        padded.resize(size);
        out_.append(padded);
    }
    void boundary() { file_.boundaries.push_back(out_.size()); }

    template <class Section>
    void append_sections(const std::vector<Section>& sections) {
        for (const Section& section : sections) {
            out_.align(8);
            boundary();
            file_.offsets.push_back(out_.append(section.bytes));
        }
        boundary();
    }

    [[nodiscard]] Writer& out() { return out_; }
    [[nodiscard]] HostFile finish() {
        file_.bytes = out_.take();
        return std::move(file_);
    }
    // Sections come behind the headers that name their places: the headers are written twice, first to learn their size.
    template <class Section>
    [[nodiscard]] static std::vector<std::uint64_t> places(std::uint64_t start, const std::vector<Section>& sections) {
        std::vector<std::uint64_t> offsets;
        for (const Section& section : sections) {
            start = (start + 7) / 8 * 8;
            offsets.push_back(start);
            start += section.bytes.size();
        }
        return offsets;
    }

  private:
    Writer out_;
    HostFile file_;
    std::string place_;
};

} // namespace cag::test
