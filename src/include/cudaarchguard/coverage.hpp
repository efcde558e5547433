// What the binaries hold: files, their modules, the modules' images, the images' kernels. Made by scan(), never changed later.
#pragma once

#include <cudaarchguard/arch.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cag {

// Something in the input that could not be read, or that is not what it should be. What lies beside it was still read.
struct Problem {
    std::string code;                    // "CAG401", see `cuda-arch-guard rule`
    std::string message;                 // section, field, value found, what was expected
    std::optional<std::uint64_t> offset; // bytes from the start of the file or archive member
};

// A PTX ISA version, the `.version` line of PTX. 9.0 belongs to CUDA 13.0.
struct PtxIsa {
    unsigned major = 0;
    unsigned minor = 0;

    auto operator<=>(const PtxIsa&) const = default;
};

enum class ImageKind : std::uint8_t {
    sass,    // a cubin: machine code
    ptx,     // text that the driver compiles (JIT)
    ltoir,   // input of a link-time optimising device link; never loadable by itself
    unknown, // an entry kind that no known toolkit writes; Image::label says which
};

enum class Compression : std::uint8_t { none, lz4, zstd, unknown };

// What a kernel's code does. A kernel whose body is guarded away by __CUDA_ARCH__ loads, runs and does nothing.
enum class KernelBody : std::uint8_t { unknown, code, empty, trap };

// What keeps an image's payload from being read: each has another end in the driver.
enum class Defect : std::uint8_t {
    none,
    does_not_expand, // the compressed bytes are not what the codec wrote
    no_cubin,        // SASS that is no ELF file of machine 190
    no_ptx,          // text that no PTX compiler accepts
    other,           // cut short, over a limit, or damaged inside
};

struct Kernel {
    std::string name;            // mangled, as the runtime registers it
    std::uint64_t code_size = 0; // bytes of SASS; 0 for PTX
    std::optional<unsigned> registers;
    KernelBody body = KernelBody::unknown;
};

struct Image {
    ImageKind kind = ImageKind::unknown;
    Arch arch;
    std::uint64_t offset = 0;        // of the stored payload in the file or member
    std::uint64_t size = 0;          // stored bytes, as they lie in the file (compressed where compressed)
    std::uint64_t expanded_size = 0; // bytes after decompression; equals size where not compressed
    Compression compression = Compression::none;
    bool debug = false;
    std::optional<PtxIsa> ptx_isa;    // PTX only; what the text says where it was read, else the header
    std::string toolkit;              // "13.0" where the image records it, else empty
    std::optional<Arch> compiled_for; // SASS: the virtual architecture (__CUDA_ARCH__) where it is recorded
    bool relocatable = false;         // must be device-linked before it can run
    bool in_concat_group = false;     // member of a compressed group (nvcc -concat), which older drivers skip
    std::optional<bool> warpgroup;    // SASS for 90a: whether it holds the warpgroup instructions that 90a is for, where that is recorded
    std::string label;                // unknown kinds and codecs: their name or number
    std::string options;              // options of the compiler that made it, where recorded (PTX, LTO-IR)
    std::string source;               // name of the source file, where recorded (-G, -lineinfo)

    // From here on: known only where the payload was read (ScanDepth::kernels).
    bool payload_read = false;
    Defect defect = Defect::none;
    std::optional<Arch> payload_arch; // what the payload names, where the header, by which the driver chooses, names another
    bool empty = false;               // no kernels, no functions, no variables: what every host link by nvcc leaves behind
    std::vector<Kernel> kernels;
    std::vector<std::string> functions; // device functions defined here (other than kernels)
    std::vector<std::string> undefined; // symbols referred to and not defined here
};

enum class ModuleKind : std::uint8_t {
    registered,   // the CUDA runtime registers it at start-up
    linked,       // output of the device link, registered
    relocatable,  // input of a device link (-rdc)
    unregistered, // a container in the usual sections that nothing registers
    embedded,     // a container in another section, loaded by the program itself
    raw,          // a .cubin, .ptx or .fatbin file, or a bare cubin or PTX inside a data section
};

// One fat binary: the unit that the driver loads, and inside which it chooses one image.
struct Module {
    std::size_t index = 0; // in its file
    ModuleKind kind = ModuleKind::registered;
    std::string section;      // "" for raw files
    std::uint64_t offset = 0; // of the container in the file or member
    std::uint64_t size = 0;   // bytes, header included
    std::vector<Image> images;
    // size = header_bytes + the images' sizes + padding_bytes + unexplained_bytes
    std::uint64_t header_bytes = 0;
    std::uint64_t padding_bytes = 0;
    std::uint64_t unexplained_bytes = 0;  // belongs to no readable image; 0 where nothing is damaged
    std::string identity;                 // relocatable: its module id (`__nv_module_id`), where known
    std::optional<std::size_t> linked_by; // relocatable: index of the linked module that it is an input of, where known
};

// The part of a file's purpose that decides how its modules are judged.
enum class FileRole : std::uint8_t {
    loadable,    // executable or shared library
    object,      // .o, or member of an archive: still to be linked
    raw,         // cubin, PTX or fatbin file
    no_container // not a format that carries device code
};

struct FileCoverage {
    std::string path;
    std::optional<std::string> member; // "pkg/lib.so", "outer.zip!inner.o"; nullopt for plain files
    std::string format;                // "elf", "pe", "coff", "macho", "cubin", "fatbin", "ptx", "ltoir", "unknown"
    std::string origin;                // of a container image's file: "layer 2 of 5 (base): RUN ..."
    std::string machine;               // "x86_64", "aarch64", "cuda", ""
    FileRole role = FileRole::no_container;
    std::string arch_flags;   // PyTorch's own list, "sm_75 sm_80 compute_80", where the file keeps it (torch.cuda.get_arch_list())
    std::string cuda_runtime; // "static 13.0", "libcudart.so.12", "" where none was found
    // Kernels that host code refers to, as patterns in which `*` stands for any text; -rdc objects of toolkits from 12 on record them, and
    // the device link drops the others. nullopt where nothing is recorded.
    std::optional<std::vector<std::string>> host_references;
    // Kernels of several registered modules that share one host function (a template's, which the linker merged): a launch of any of them
    // goes to the module registered first. Known for x86-64 programs.
    std::vector<std::string> shared_host_functions;
    std::vector<Problem> problems;
    std::vector<Module> modules;
};

// A small file that says what a package claims to hold: read where ScanOptions ask for it.
struct TextFile {
    std::string path;
    std::optional<std::string> member;
    std::string text;
};

struct Coverage {
    std::vector<FileCoverage> files; // in the order of the input
    std::vector<TextFile> texts{};
};

[[nodiscard]] const char* to_string(ImageKind kind);    // "sass", "ptx", "ltoir", "unknown"
[[nodiscard]] const char* to_string(Compression codec); // "none", "lz4", "zstd", "unknown"
[[nodiscard]] const char* to_string(ModuleKind kind);   // "registered", ...
[[nodiscard]] const char* to_string(KernelBody body);   // "code", "empty", "trap", "unknown"
[[nodiscard]] std::string to_string(PtxIsa isa);        // "9.0"

} // namespace cag
