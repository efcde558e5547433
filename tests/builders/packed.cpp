#include "builders/packed.hpp"

#include "builders/writer.hpp"

#include <fmt/format.h>
#include <libdeflate.h>
#include <zstd.h>

#include <memory>

namespace cag::test {

namespace {

using Compressor = std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)>;

Bytes compressed(const Bytes& bytes, const auto& compress) {
    const Compressor compressor(libdeflate_alloc_compressor(6), libdeflate_free_compressor);
    Bytes out(bytes.size() + 128);
    out.resize(compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
    return out;
}

struct ZipMember {
    std::uint16_t method;
    std::uint32_t crc;
    std::uint32_t stored_size;
    std::uint32_t size;
};

// The fields that the local header and the directory's entry share.
void put_zip_member(Writer& out, const ZipMember& member, const std::string& name, std::uint16_t extra_size, bool sizes_in_extra) {
    constexpr std::uint32_t in_extra = 0xffffffff;
    out.put(std::uint16_t{45}); // version needed
    out.put(std::uint16_t{0});  // flags
    out.put(member.method);
    out.put(std::uint32_t{0}); // time and date
    out.put(member.crc);
    out.put(sizes_in_extra ? in_extra : member.stored_size);
    out.put(sizes_in_extra ? in_extra : member.size);
    out.put(static_cast<std::uint16_t>(name.size()));
    out.put(extra_size);
}

void put_tar_member(Writer& out, const std::string& name, char type, const Bytes& bytes) {
    std::string header = name.substr(0, 99);
    header.resize(100);
    header += fmt::format("{:07o}{}{:07o}{}{:07o}{}{:011o}{}{:011o}{}{:8}{}", 0644, '\0', 0, '\0', 0, '\0', bytes.size(), '\0', 0, '\0', "",
                          type);
    header.resize(257);
    header += std::string("ustar  \0", 8);
    header.resize(512);
    unsigned sum = 0;
    for (const char c : header) {
        sum += static_cast<unsigned char>(c);
    }
    header.replace(148, 8, fmt::format("{:06o}{} ", sum, '\0'));
    out.text(header);
    out.append(bytes);
    out.align(512);
}

void put_cpio_member(Writer& out, const std::string& name, const Bytes& bytes) {
    out.text(fmt::format("070701{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}", 1, 0100644, 0, 0, 1, 0,
                         bytes.size(), 0, 0, 0, 0, name.size() + 1, 0));
    out.text(name);
    out.put(char{});
    out.align(4);
    out.append(bytes);
    out.align(4);
}

} // namespace

Bytes build_zip(const Members& members, ZipKind kind) {
    Writer out;
    Writer directory;
    for (const auto& [name, bytes] : members) {
        const bool deflate = kind == ZipKind::deflated;
        const Bytes stored = deflate ? compressed(bytes, libdeflate_deflate_compress) : bytes;
        const ZipMember member{static_cast<std::uint16_t>(deflate ? 8 : 0), libdeflate_crc32(0, bytes.data(), bytes.size()),
                               static_cast<std::uint32_t>(stored.size()), static_cast<std::uint32_t>(bytes.size())};
        const bool wide = kind == ZipKind::zip64;
        const std::size_t offset = out.put(std::uint32_t{0x04034b50});
        put_zip_member(out, member, name, 0, false);
        out.text(name);
        out.append(stored);

        directory.put(std::uint32_t{0x02014b50});
        directory.put(std::uint16_t{45}); // version made by
        put_zip_member(directory, member, name, static_cast<std::uint16_t>(wide ? 28 : 0), wide);
        directory.put(std::uint16_t{0}); // comment
        directory.put(std::uint16_t{0}); // disk
        directory.put(std::uint16_t{0}); // attributes
        directory.put(std::uint32_t{0});
        directory.put(wide ? 0xffffffff : static_cast<std::uint32_t>(offset));
        directory.text(name);
        if (wide) {
            directory.put(std::uint16_t{1});
            directory.put(std::uint16_t{24});
            directory.put(std::uint64_t{bytes.size()});
            directory.put(std::uint64_t{stored.size()});
            directory.put(std::uint64_t{offset});
        }
    }
    const std::size_t start = out.append(directory.bytes());
    out.put(std::uint32_t{0x06054b50});
    out.put(std::uint32_t{0}); // disks
    out.put(static_cast<std::uint16_t>(members.size()));
    out.put(static_cast<std::uint16_t>(members.size()));
    out.put(static_cast<std::uint32_t>(directory.size()));
    out.put(static_cast<std::uint32_t>(start));
    out.put(std::uint16_t{0}); // comment
    return out.take();
}

Bytes build_tar(const Members& members) {
    Writer out;
    for (const auto& [name, bytes] : members) {
        if (name.size() > 99) {
            put_tar_member(out, "././@LongLink", 'L', bytes_of(name + '\0'));
        }
        put_tar_member(out, name, '0', bytes);
    }
    out.append(Bytes(1024)); // two empty blocks end it
    return out.take();
}

Bytes build_cpio(const Members& members) {
    Writer out;
    for (const auto& [name, bytes] : members) {
        put_cpio_member(out, name, bytes);
    }
    put_cpio_member(out, "TRAILER!!!", {});
    return out.take();
}

Bytes gzipped(const Bytes& bytes) { return compressed(bytes, libdeflate_gzip_compress); }

Bytes zstandard(const Bytes& bytes) {
    Bytes out(ZSTD_compressBound(bytes.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
    return out;
}

} // namespace cag::test
