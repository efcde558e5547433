// guard PATH...: writes what finished binaries hold into the room that the runtime guard has in them.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/read.hpp"
#include "input/file.hpp"
#include "object/note.hpp"
#include "report/guard_python.hpp"
#include "report/guard_table.hpp"
#include "report/report.hpp"

#include <cudaarchguard/guard_table.h>
#include <fmt/format.h>

#include <fstream>

namespace cag {
namespace {

Result<NoteContent> room_in(const std::string& path, const Limits& limits) {
    const auto source = FileSource::open(path);
    if (!source) {
        return tl::unexpected(source.error());
    }
    const ByteView view(**source);
    if (is_elf(view)) {
        if (const auto object = read_elf(view, limits)) {
            for (const Section& section : object->sections) {
                if (const auto room = find_note(view, section, CAG_TABLE_NOTE_NAME, CAG_TABLE_NOTE_TYPE)) {
                    return *room;
                }
            }
        }
    }
    return failure("CAG506", fmt::format("expected room for the guard's table in {}, found none: call cuda_fatbin_runtime_guard() for the "
                                         "program or library that is linked, in CMake",
                                         path));
}

Result<void> write_at(const std::string& path, std::uint64_t offset, const Bytes& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.flush();
    if (!file) {
        return failure("CAG506", fmt::format("expected to write {} bytes into {}, found: it cannot be written; check its permissions",
                                             bytes.size(), path));
    }
    return {};
}

GuardAnswer::File counts_of(const FileCoverage& file, const GuardTable& table) {
    return {file.path, table.modules, table.kernels, table.names};
}

// Into each file's own room.
Result<GuardAnswer> write_into_files(const Coverage& coverage, const Limits& limits) {
    GuardAnswer answer;
    for (const FileCoverage& file : coverage.files) {
        const auto room = room_in(file.path, limits);
        if (!room) {
            return tl::unexpected(room.error());
        }
        const auto table = guard_table(file, room->size);
        if (!table) {
            return tl::unexpected(table.error());
        }
        if (auto written = write_at(file.path, room->offset, table->bytes); !written) {
            return tl::unexpected(written.error());
        }
        answer.files.push_back(counts_of(file, *table));
    }
    return answer;
}

Result<GuardAnswer> write_python(const Coverage& coverage, const std::string& path) {
    constexpr std::size_t room = std::size_t{1} << 20;
    GuardAnswer answer;
    answer.python = path;
    std::vector<GuardTable> tables;
    for (const FileCoverage& file : coverage.files) {
        auto table = guard_table(file, room);
        if (!table) {
            return tl::unexpected(table.error());
        }
        answer.files.push_back(counts_of(file, *table));
        tables.push_back(std::move(*table));
    }
    std::ofstream out(path, std::ios::binary);
    out << guard_python(tables);
    out.flush();
    if (!out) {
        return failure("CAG506", fmt::format("expected to write {}, found: it cannot be written", path));
    }
    return answer;
}

} // namespace

int run(const GuardOptions& options) {
    const Coverage coverage = read_inputs(options.input, ScanDepth::payload);
    for (const FileCoverage& file : coverage.files) {
        if (!file.problems.empty()) { // half a table would call missing what was not read
            return give_up("guard", options.output, file.problems.front());
        }
    }
    const auto answer = options.python.empty() ? write_into_files(coverage, options.input.limits) : write_python(coverage, options.python);
    if (!answer) {
        return give_up("guard", options.output, answer.error());
    }
    return finish(options.output.format == Format::json ? guard_json(*answer) : guard_text(*answer), status_holds);
}

} // namespace cag
