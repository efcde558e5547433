/* What a binary holds, as its runtime guard reads it: written into the finished file by `cuda-arch-guard guard`, never by hand.
 *
 * It lies in an ELF note (name "CudaArchGuard", type 1), which the loader maps: dl_iterate_phdr() finds the tables of the program and of every
 * library, whenever they were loaded. Little-endian; all offsets and counts are in bytes and entries from the table's own start. */
#ifndef CUDAARCHGUARD_GUARD_TABLE_H
#define CUDAARCHGUARD_GUARD_TABLE_H

#include <stdint.h>

#define CAG_TABLE_NOTE_NAME "CudaArchGuard"
#define CAG_TABLE_NOTE_TYPE 1
#define CAG_TABLE_VERSION 3
#define CAG_TABLE_ROOM (20 * 1024) /* bytes of the note's content */

/* Behind it: modules, images, groups, places, text. */
struct cag_table {
    uint32_t version; /* CAG_TABLE_VERSION; 0: the room is there and nothing was written */
    uint32_t used;    /* bytes, this header included */
    uint32_t modules;
    uint32_t images;
    uint32_t groups;
    uint32_t places;
    uint32_t text; /* bytes of names */
    uint32_t file; /* offset in the text: the name of the file, ended by 0 */
    uint32_t runtime; /* the oldest CUDA version of a driver with which the file's CUDA runtime starts (13000); 0: not known */
};

/* A fat binary that the driver loads as one, or several with the same images. */
struct cag_table_module {
    uint32_t first_image, images;
    uint32_t first_group, groups;
    uint32_t linked; /* CAG_TABLE_LINKED, with CAG_TABLE_CALLS; 0: whole-program */
};

#define CAG_TABLE_LINKED 1 /* images with an input are what the driver links again where no linked image serves */
#define CAG_TABLE_CALLS 2  /* inputs call functions of others: with one left out, the second link may fail for all (error 300) */

/* Of one module, those that the driver prefers stand behind the others: of one kind and input, the last that serves the GPU is taken. Which GPUs
 * an image serves was decided by the rules of docs/rules.md when the table was written; a reader only compares numbers. */
struct cag_table_image {
    uint16_t number; /* 90: compute capability 9.0 */
    uint8_t variant; /* 0, 'a' or 'f' */
    uint8_t kind;    /* 'S': SASS, 'P': PTX */
    uint16_t first, last; /* numbers of the GPUs that it serves, both included */
    uint16_t except;      /* the one between them that it does not serve; 0: none */
    uint16_t input;  /* 0: the driver loads it as it is; n: belongs to the n-th relocatable input */
    uint32_t cuda;   /* the oldest CUDA version of a driver that takes it (13000); 0: any */
    uint16_t branch; /* that driver's branch (580); 0: not known */
    uint16_t error;  /* cudaError_t where the driver is older: 222 for PTX, 200 for a compression that it does not know */
    uint32_t toolkit; /* that made it (13000): the driver links nothing newer than itself; 0: not known */
    uint32_t seen;    /* the oldest CUDA version of a driver that sees it at all (13040 in a group of nvcc -concat); 0: any */
};

/* Kernels that lie in the same images. */
struct cag_table_group {
    uint32_t kernels;
    uint32_t first_place, places; /* uint16_t each: images that hold them, counted from the module's first; none: not known */
    uint32_t first_name, names;   /* offset in the text; names that had room, each ended by 0 */
};

#endif
