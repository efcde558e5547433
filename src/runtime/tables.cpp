// Finds the tables of all files that this process has loaded, and reads them where they lie.
#include "runtime/internal.hpp"

#include <link.h>
#include <string.h>

namespace cag::runtime {
namespace {

struct Search {
    Table* tables;
    int found;
    int unwritten;
};

size_t up_to_4(size_t size) { return (size + 3) / 4 * 4; }

void take_note(Search& search, const char* content, size_t size) {
    Table table;
    if (search.found < max_tables && open_table(content, size, &table)) {
        search.tables[search.found++] = table;
    } else if (size >= sizeof(cag_table) && reinterpret_cast<const cag_table*>(content)->version == 0) {
        ++search.unwritten;
    }
}

void read_notes(Search& search, const char* notes, size_t size) {
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, notes, sizeof note);
        const size_t name_size = up_to_4(note.n_namesz);
        const size_t whole = sizeof note + name_size + up_to_4(note.n_descsz);
        if (whole > size || name_size > size || note.n_descsz > size) {
            return;
        }
        const char* name = notes + sizeof note;
        if (note.n_type == CAG_TABLE_NOTE_TYPE && note.n_namesz == sizeof CAG_TABLE_NOTE_NAME &&
            memcmp(name, CAG_TABLE_NOTE_NAME, sizeof CAG_TABLE_NOTE_NAME) == 0) {
            take_note(search, name + name_size, note.n_descsz);
        }
        notes += whole;
        size -= whole;
    }
}

int look_into(dl_phdr_info* file, size_t, void* data) {
    for (int i = 0; i < file->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = file->dlpi_phdr[i];
        if (segment.p_type == PT_NOTE) {
            // The loader gives addresses as numbers.
            const auto* notes = reinterpret_cast<const char*>(file->dlpi_addr + segment.p_vaddr); // NOLINT(performance-no-int-to-ptr)
            read_notes(*static_cast<Search*>(data), notes, segment.p_filesz);
        }
    }
    return 0;
}

} // namespace

bool open_table(const void* bytes, size_t size, Table* table) {
    const auto* head = static_cast<const cag_table*>(bytes);
    if (size < sizeof *head || head->version != CAG_TABLE_VERSION || head->used > size) {
        return false;
    }
    const uint64_t parts = sizeof *head + uint64_t{head->modules} * sizeof(cag_table_module) +
                           uint64_t{head->images} * sizeof(cag_table_image) + uint64_t{head->groups} * sizeof(cag_table_group) +
                           uint64_t{head->places} * sizeof(uint16_t) + head->text;
    if (parts > head->used || head->file >= head->text) {
        return false;
    }
    const char* at = static_cast<const char*>(bytes) + sizeof *head;
    const auto part = [&at](size_t bytes_of_it) {
        const char* begin = at;
        at += bytes_of_it;
        return static_cast<const void*>(begin);
    };
    table->head = head;
    table->modules = static_cast<const cag_table_module*>(part(head->modules * sizeof(cag_table_module)));
    table->images = static_cast<const cag_table_image*>(part(head->images * sizeof(cag_table_image)));
    table->groups = static_cast<const cag_table_group*>(part(head->groups * sizeof(cag_table_group)));
    table->places = static_cast<const uint16_t*>(part(head->places * sizeof(uint16_t)));
    table->text = static_cast<const char*>(part(head->text));
    return table->text[head->text - 1] == '\0';
}

int loaded_tables(Table* tables, int* unwritten) {
    Search search{tables, 0, 0};
    dl_iterate_phdr(look_into, &search);
    *unwritten = search.unwritten;
    return search.found;
}

} // namespace cag::runtime
