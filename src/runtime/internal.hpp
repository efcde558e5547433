// What the guard's files share. Plain functions over plain structs, without the C++ library: a C program links this too.
#pragma once

#include <cudaarchguard/guard_table.h>
#include <cudaarchguard/runtime_guard.h>

#include <stddef.h>

namespace cag::runtime {

struct Device {
    int ordinal;
    int capability; // 90
    int processors; // streaming multiprocessors
    char name[96];
};

// The driver as this process sees it. error: 0, 35 (no driver library, or too old for its runtime), 100 (no device), or what cuInit said.
struct DriverState {
    int error;
    int version; // 13000
    int devices;
};

[[nodiscard]] DriverState driver_state();
[[nodiscard]] bool read_device(int ordinal, Device* device);
[[nodiscard]] int current_ordinal();

// Switches of the environment that act on loading.
struct JitSwitches {
    const char* ignore_sass; // the variable's name, or nullptr
    const char* no_jit;
};

[[nodiscard]] JitSwitches jit_switches();

// One table with its parts.
struct Table {
    const cag_table* head;
    const cag_table_module* modules;
    const cag_table_image* images;
    const cag_table_group* groups;
    const uint16_t* places;
    const char* text;
};

constexpr int max_tables = 64;

// A view of the bytes; false where they are no table of this version, or point outside themselves.
[[nodiscard]] bool open_table(const void* bytes, size_t size, Table* table);

// The tables of all loaded files, at most max_tables. `unwritten`: files with room in which nothing was written.
[[nodiscard]] int loaded_tables(Table* tables, int* unwritten);

struct Machine {
    int capability;
    int driver;
    JitSwitches jit;
};

// What happens to the kernels of one group.
struct Verdict {
    cag_guard_outcome outcome;
    int error;
    const cag_table_image* image; // taken, or the one that stands in the way; nullptr for none
    bool relinked;
};

[[nodiscard]] Verdict judge(const Table& table, const cag_table_module& module, const cag_table_group& group, const Machine& machine);

// A text in a buffer of fixed size that is cut, never overrun.
class Text {
  public:
    Text(char* buffer, size_t size) : buffer_(buffer), size_(size) { buffer_[0] = '\0'; }
    void add(const char* format, ...) __attribute__((format(printf, 2, 3)));

  private:
    char* buffer_;
    size_t size_;
    size_t used_ = 0;
};

// "SASS 80 86 and PTX 90" of a module's images.
void list_images(Text& text, const Table& table, const cag_table_module& module);

// What to do about it, for the rebuild or for the machine.
void add_remedy(Text& text, const Verdict& verdict, const Machine& machine);

[[nodiscard]] const char* error_name(int error);

} // namespace cag::runtime
