/* The runtime guard: says in a sentence why this program's kernels will not run on the GPU at hand, before the first launch fails, and lets the
 * program go on without it.
 *
 *     if (cag_guard_decide(CAG_GUARD_CURRENT_DEVICE) == CAG_GUARD_USE_CPU) { ... }
 *
 * In CMake: cuda_fatbin_runtime_guard(<target>), which writes what was really built into the finished binary. Nothing here links to CUDA: the
 * driver is asked through the library that the program uses anyway. All functions may be called from any thread, and allocate nothing once
 * the driver's library is loaded. */
#ifndef CUDAARCHGUARD_RUNTIME_GUARD_H
#define CUDAARCHGUARD_RUNTIME_GUARD_H

#ifdef __cplusplus
extern "C" {
#endif

#define CAG_GUARD_CURRENT_DEVICE (-1) /* of the calling thread; without a context: device 0 */

typedef enum cag_guard_outcome {
    CAG_GUARD_SASS = 0, /* machine code for this GPU is there */
    CAG_GUARD_JIT = 1,  /* the driver compiles PTX at the first use */
    CAG_GUARD_UNKNOWN = 2,
    CAG_GUARD_NONE = 3 /* at least one kernel cannot run */
} cag_guard_outcome;

typedef struct cag_guard_report {
    int device;     /* as the CUDA runtime counts; -1: none is visible */
    int capability; /* 90: compute capability 9.0; 0: not known */
    int driver;     /* the newest CUDA version that the driver supports, 13000; 0: no driver */
    char name[96];  /* "NVIDIA H200" */
    cag_guard_outcome outcome;
    int error;        /* cudaError_t of the first kernel that cannot run: 209, 222, 223, 500, ...; 0 where all run */
    unsigned kernels; /* of all files of this process that carry a table; the next two are parts of it */
    unsigned kernels_by_jit;
    unsigned kernels_failing;
    char kernel[256];   /* the first of those */
    char message[1024]; /* what is wrong and what to do, or what will be used; one line */
} cag_guard_report;

/* What happens where a kernel cannot run. The environment variable CUDA_ARCH_GUARD (error, warn, cpu, off) comes before the program's word;
 * `report` beside it, as in CUDA_ARCH_GUARD=warn,report, also prints what is fine. */
typedef enum cag_guard_policy {
    CAG_GUARD_POLICY_ERROR = 0, /* print the sentence and end the program with status 1 (the default) */
    CAG_GUARD_POLICY_WARN = 1,  /* print it and go on with the GPU */
    CAG_GUARD_POLICY_CPU = 2,   /* print it and go on without the GPU */
    CAG_GUARD_POLICY_OFF = 3    /* look at nothing */
} cag_guard_policy;

typedef enum cag_guard_decision { CAG_GUARD_USE_GPU = 0, CAG_GUARD_USE_CPU = 1 } cag_guard_decision;

/* Asked in place of the policy; its answer is taken. */
typedef cag_guard_decision (*cag_guard_callback)(const cag_guard_report* report, void* data);

/* Every kernel of every loaded file that carries a table, on one device. Returns the report's error: 0 where all run. */
int cag_guard_check(int device, cag_guard_report* report);

/* All visible devices, at most `capacity` of them. Returns how many there are. */
int cag_guard_check_all(cag_guard_report* reports, int capacity);

/* The device on which everything runs, machine code before JIT, then the newest GPU, then the largest; -1 where there is none. `report` may be
 * NULL; it is that device's, or device 0's where none fits. */
int cag_guard_choose_device(cag_guard_report* report);

/* Checks and does what the policy says. */
cag_guard_decision cag_guard_decide(int device);

void cag_guard_set_policy(cag_guard_policy policy);
void cag_guard_set_callback(cag_guard_callback callback, void* data); /* NULL: back to the policy */

/* After the fact: what a cudaError_t (209, 222, 500, 98, ...) of this device is about. Returns the error that the tables foresee, which may name it
 * better than the one that was seen; 0 where they know no reason. */
int cag_guard_explain_last_error(int error, int device, cag_guard_report* report);

#ifdef __cplusplus
}
#endif

#endif
