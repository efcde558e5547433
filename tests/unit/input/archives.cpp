#include "unit/input/archives.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace cag::test {

namespace {

template <class T>
void put(std::string& to, T value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string deflated(const std::string& data) {
    libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
    std::string out(libdeflate_deflate_compress_bound(compressor, data.size()), '\0');
    out.resize(libdeflate_deflate_compress(compressor, data.data(), data.size(), out.data(), out.size()));
    libdeflate_free_compressor(compressor);
    return out;
}

} // namespace

std::string archive_of(const std::string& format, const std::vector<Member>& members, const std::string& filter) {
    archive* writer = archive_write_new();
    archive_write_set_format_by_name(writer, format.c_str());
    if (format == "zip") {
        archive_write_set_format_option(writer, "zip", "compression", filter.c_str());
    } else if (!filter.empty()) {
        archive_write_add_filter_by_name(writer, filter.c_str());
    }
    archive_write_set_bytes_per_block(writer, 0);
    std::string out;
    const auto append = [](archive*, void* to, const void* bytes, std::size_t size) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
        return static_cast<la_ssize_t>(size);
    };
    if (archive_write_open(writer, &out, nullptr, append, nullptr) != ARCHIVE_OK) {
        throw std::runtime_error(archive_error_string(writer));
    }
    for (const auto& [name, content] : members) {
        archive_entry* entry = archive_entry_new();
        const bool is_link = content.starts_with("LINK ");
        archive_entry_set_pathname(entry, name.c_str());
        archive_entry_set_filetype(entry, is_link ? AE_IFLNK : AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        if (is_link) {
            archive_entry_set_symlink(entry, content.c_str() + 5);
            archive_write_header(writer, entry);
        } else {
            archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
            archive_write_header(writer, entry);
            archive_write_data(writer, content.data(), content.size());
        }
        archive_entry_free(entry);
    }
    archive_write_close(writer);
    archive_write_free(writer);
    return out;
}

std::string zip_of(const std::vector<Member>& members, const ZipLies& lies) {
    std::string out;
    std::string directory;
    for (const auto& [name, content] : members) {
        const std::string packed = deflated(content);
        std::string common;
        put(common, std::uint16_t{20});
        put(common, lies.flags);
        put(common, std::uint16_t{8});
        put(common, std::uint32_t{0}); // time and date
        put(common, libdeflate_crc32(0, content.data(), content.size()) + lies.crc_off_by);
        put(common, static_cast<std::uint32_t>(packed.size()));
        put(common, static_cast<std::uint32_t>(content.size()) + lies.size_off_by);

        put(directory, std::uint32_t{0x02014b50});
        put(directory, std::uint16_t{20});
        directory += common;
        put(directory, static_cast<std::uint16_t>(name.size()));
        directory.append(12, '\0'); // extra and comment sizes, disk, attributes
        put(directory, static_cast<std::uint32_t>(out.size()));
        directory += name;

        const std::string& local_name = lies.local_name.empty() ? name : lies.local_name;
        put(out, std::uint32_t{0x04034b50});
        out += common;
        put(out, static_cast<std::uint16_t>(local_name.size()));
        put(out, std::uint16_t{0});
        out += local_name + packed;
    }
    const auto offset = static_cast<std::uint32_t>(out.size());
    out += directory;
    put(out, std::uint32_t{0x06054b50});
    put(out, std::uint32_t{0});
    put(out, static_cast<std::uint16_t>(members.size()));
    put(out, static_cast<std::uint16_t>(members.size()));
    put(out, static_cast<std::uint32_t>(directory.size()));
    put(out, offset);
    put(out, std::uint16_t{0});
    return out;
}

Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "cag-input-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("mkdtemp");
    }
    path_ = name;
}

std::string Folder::write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path(name);
}

std::vector<std::string> Folder::names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
        names.push_back(std::filesystem::relative(entry.path(), path_).string());
    }
    std::ranges::sort(names);
    return names;
}

CollectionOptions options_for_tests() {
    CollectionOptions options;
    options.threads = 2;
    options.may_hold_code = [](std::span<const std::byte> head, bool) {
        return std::string_view(reinterpret_cast<const char*>(head.data()), head.size()).starts_with("CODE");
    };
    return options;
}

Seen walk(const Folder& folder, const std::vector<std::string>& names, const CollectionOptions& options) {
    std::vector<std::string> paths;
    for (const std::string& name : names) {
        paths.push_back(folder.path(name));
    }
    const auto relative = [&](const InputItem& item) {
        const std::string root = folder.path() + '/';
        const std::string path = item.path.starts_with(root) ? item.path.substr(root.size()) : item.path;
        return item.member ? path + '!' + *item.member : path;
    };
    Seen seen;
    InputWalk walk(paths, options);
    while (const auto item = walk.next()) {
        std::vector<Problem> problems = item->problems;
        if (item->open) {
            auto source = item->open();
            const auto bytes = source.and_then([](const auto& open) { return ByteView(*open).bytes(open->size(), "all of it"); });
            if (bytes) {
                seen.files.emplace_back(relative(*item), std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
                seen.origins.push_back(item->origin);
            } else {
                problems.push_back(bytes.error());
            }
        }
        for (const Problem& problem : problems) {
            seen.problems.push_back(problem.code + ' ' + relative(*item));
            seen.messages.push_back(problem.message);
        }
        seen.way.push_back(walk.position());
    }
    seen.way.push_back(walk.position());
    return seen;
}

} // namespace cag::test
