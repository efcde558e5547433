// The room for the table: an ELF note, which the linker keeps and the loader maps. `cuda-arch-guard guard` fills it in the finished file.
//
// A linker takes this file from the archive only where a target asks for it (-u cag_guard_room), so that a program which merely calls the
// guard has no room of its own.
#include <cudaarchguard/guard_table.h>

#define CAG_TEXT_OF(value) #value
#define CAG_TEXT(value) CAG_TEXT_OF(value)

// In assembly, since compilers give a section of data the type of data, and only notes get a segment of their own.
__asm__(".pushsection .note.cudaarchguard, \"a\", %note\n"
        ".balign 4\n"
        ".hidden cag_guard_room\n"
        ".globl cag_guard_room\n"
        "cag_guard_room:\n"
        ".long 14\n" // bytes of the name
        ".long 20480\n"
        ".long " CAG_TEXT(CAG_TABLE_NOTE_TYPE) "\n"
                                               ".asciz \"" CAG_TABLE_NOTE_NAME "\"\n"
                                               ".balign 4\n"
                                               ".zero 20480\n"
                                               ".popsection\n");

static_assert(sizeof CAG_TABLE_NOTE_NAME == 14 && CAG_TABLE_ROOM == 20480, "the note above says so in numbers");
