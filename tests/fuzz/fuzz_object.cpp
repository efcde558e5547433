// The readers of ELF, PE, COFF, Mach-O and ar: every section and member that they report lies inside the file.
#include "fuzz.hpp"

#include "object/object.hpp"

using namespace cag;

namespace {

void check(const Result<ObjectFile>& object, const ByteView& view) {
    if (!object) {
        return;
    }
    for (const Section& section : object->sections) {
        CAG_REQUIRE(view.contains(section.offset, section.size));
        const auto offset = object->offset_of_address(section.address);
        CAG_REQUIRE(!offset || *offset <= view.size());
    }
    for (const Problem& problem : object->problems) {
        CAG_REQUIRE(!problem.message.empty() && problem.offset.value_or(0) <= view.size());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemorySource source(fuzz::bytes_of(data, size));
    const ByteView view(source);
    const Limits limits = fuzz::limits();
    if (is_elf(view)) {
        check(read_elf(view, limits), view);
        for (std::size_t section = 0; section < 4; ++section) {
            (void)relocated_pointers(view, section, limits);
        }
        (void)symbols_named(view, "_ZL22__cudaPrelinkedFatbins", limits);
    }
    if (is_pe(view)) {
        check(read_pe(view, limits), view);
    }
    if (is_coff(view)) {
        check(read_coff(view, limits), view);
    }
    if (is_macho(view)) {
        check(read_macho(view, limits), view);
    }
    if (is_archive(view)) {
        const Archive archive = read_archive(view, limits);
        for (const ArchiveMember& member : archive.members) {
            CAG_REQUIRE(!member.name.empty());
            CAG_REQUIRE(member.external || view.contains(member.offset, member.size));
        }
    }
    return 0;
}
