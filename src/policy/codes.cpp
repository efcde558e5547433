#include "policy/codes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace cag {
namespace {

using enum Level;

constexpr std::array codes{
    // 1xx: coverage
    DiagnosticCode{
        "CAG101", error, "SASS is missing for a required architecture",
        "A module holds no machine code (SASS) for exactly this architecture. The driver chooses inside one module: code for the "
        "architecture in another module of the same file does not help. Where the module has PTX that the driver can compile, its kernels "
        "still run, after a just-in-time compilation; otherwise they fail with error 209.",
        "Compile the sources of the module for the architecture as well: nvcc -gencode arch=compute_90,code=sm_90; in CMake add 90-real to "
        "CUDA_ARCHITECTURES or to ARCHS of cuda_fatbin_targets(); for a PyTorch extension add 9.0 to TORCH_CUDA_ARCH_LIST. For a program "
        "with relocatable device code, pass it to the device link too."},
    DiagnosticCode{
        "CAG102", error, "PTX is missing for a required architecture",
        "A module holds no PTX that GPUs of this architecture and later ones can use. PTX is what lets a binary run on GPUs that did not "
        "exist when it was built. PTX of an `a` target serves only its own GPU, PTX of an `f` target only its family, and PTX of a higher "
        "target is of no use. In a device-linked program every linked object needs the PTX, since the driver links all of them again.",
        "Embed PTX of the plain target: nvcc -gencode arch=compute_90,code=compute_90; in CMake add 90-virtual to CUDA_ARCHITECTURES or "
        "set "
        "PTX 90 in cuda_fatbin_targets(); for a PyTorch extension write 9.0+PTX in TORCH_CUDA_ARCH_LIST."},
    DiagnosticCode{
        "CAG103", error, "A kernel does not run on a required GPU",
        "The driver finds no image in the module that this GPU can use, or it would have to compile PTX where that was forbidden. The "
        "kernels fail at their first use, usually with error 209 (no kernel image is available for execution on the device), while other "
        "modules of the same program go on working.",
        "Add SASS for the GPU's compute capability, or PTX of it or of a lower one. `cuda-arch-guard gencode` prints the flags."},
    DiagnosticCode{
        "CAG104", error, "A kernel is missing from the image of a required architecture",
        "The module has an image for the architecture, and the driver will take it, but this kernel is not in it although other images of "
        "the module have it. Using the kernel fails with error 500 (named symbol not found). Usually its definition stands inside an #if "
        "on "
        "__CUDA_ARCH__.",
        "Define the kernel for every architecture, and put the condition inside its body; or move it to a source of its own that is "
        "compiled for the other architectures only, and do not launch it elsewhere."},
    DiagnosticCode{
        "CAG105", note, "A module is specialised for other GPUs",
        "All images of the module are architecture-specific (`a`) or family-specific (`f`). Such code is written for one kind of GPU on "
        "purpose, and the program is expected to choose another module elsewhere. It is an error only with --strict.",
        "Nothing, where the program checks the compute capability before it uses these kernels. Otherwise compile the module for the plain "
        "target as well."},
    DiagnosticCode{
        "CAG106", error, "There is nothing to judge",
        "No device code was found that the driver or the program would load. An answer of \"all is well\" would be worthless: the file may "
        "be the wrong one, device code may have been stripped, or it is generated only while the program runs.",
        "Check the path. Where a file without device code is intended, pass --allow-empty."},
    DiagnosticCode{
        "CAG107", warning, "It is not known whether a kernel runs",
        "The tables do not say what this driver does with this image on this GPU, for instance because GPU or driver are newer than they "
        "are. The requirement is neither met nor surely missed.",
        "Update cuda-arch-guard, or require an architecture whose rules are known."},
    DiagnosticCode{"CAG108", note, "A container is not registered",
                   "A fat binary lies in the usual section, but nothing hands it to the CUDA runtime: it is left over from a link, or a "
                   "library loads it by "
                   "its own means. It is shown and not judged.",
                   "Nothing. Where its kernels are missing at run time, link the object file that registers them."},
    DiagnosticCode{
        "CAG109", error, "A required file is not there",
        "A section of the policy says that its files are required, and the folder or package holds none of that name. It was not "
        "built, not packed, or renamed.",
        "Put the file back, or take its name out of the section's `paths`."},
    DiagnosticCode{
        "CAG110", error, "A package is not what it says",
        "The name, the metadata or a build record of the package states a toolkit, a platform or architectures, and its binaries are "
        "others. Installers and users go by what it says. Where the content does not tell, that is a note.",
        "Build the package as it says, or correct what it says. `cuda-arch-guard inspect --package` lists all claims."},
    // 2xx: build hygiene
    DiagnosticCode{
        "CAG201", warning, "A kernel does nothing in the image that will run",
        "The kernel's body is empty, or only traps, for this architecture, while other images of the module hold real code. It is launched "
        "without an error and has no effect. Usually an #if on __CUDA_ARCH__ leaves the body out; the condition is decided by the virtual "
        "architecture that the image was compiled for.",
        "Write a body for this architecture, or compile the image from a virtual architecture that has the feature: "
        "arch=compute_90a,code=sm_90a and not arch=compute_90,code=sm_90a."},
    DiagnosticCode{"CAG202", error, "The binary holds what the policy forbids",
                   "Code for debuggers runs slowly and shows the source; LTO-IR alone cannot be loaded; architectures that nobody uses, "
                   "and images that "
                   "grew beyond the agreed size, make downloads large.",
                   "Change the build as the finding says, or the policy's `forbid`."},
    // 3xx: driver and toolkit
    DiagnosticCode{
        "CAG301", error, "PTX is newer than the driver",
        "No SASS serves the GPU, and the PTX that the driver takes was written by a newer toolkit than the driver's compiler reads. It "
        "fails with "
        "error 222 (unsupported PTX version); the driver does not try an older PTX beside it. Compatibility between minor versions covers "
        "SASS and not PTX.",
        "Add SASS for the GPU; or build with a toolkit whose CUDA version is not above the driver's; or update the driver."},
    DiagnosticCode{"CAG302", error, "The driver does not drive the GPU",
                   "This driver branch does not support the GPU: it is too old to know it, or so new that support was removed (R580 is the "
                   "last branch for Maxwell, "
                   "Pascal and Volta, R470 for Kepler).",
                   "Take a driver branch that drives the GPU."},
    DiagnosticCode{"CAG303", error, "An image's compression is newer than the driver",
                   "The image is compressed with Zstandard, which drivers before R550 (CUDA 12.4) cannot unpack. They give error 200 "
                   "(invalid kernel image), "
                   "although the right architecture is there.",
                   "Build with nvcc --compress-mode=speed or none, or take driver R550 or newer."},
    DiagnosticCode{"CAG304", error, "Just-in-time compilation is needed and disabled",
                   "Only PTX would serve the GPU, and an environment variable (CUDA_DISABLE_PTX_JIT or CUDA_DISABLE_JIT) forbids compiling "
                   "it: error 223.",
                   "Add SASS for the GPU, or unset the variable."},
    DiagnosticCode{"CAG305", error, "The driver is too old for the toolkit",
                   "The program's CUDA runtime is of a newer major version than the driver supports: error 35, before any image is looked "
                   "at. An update within "
                   "the major version is fine: 11.x from R450, 12.x from R525, 13.x from R580.",
                   "Update the driver, or build with a toolkit of the driver's major version."},
    DiagnosticCode{
        "CAG310", error, "A GPU is there and CUDA programs cannot use it",
        "The GPU is on the PCI bus, but the driver does not answer: it is not installed or not loaded, its library and its kernel "
        "module differ, this user may not open its device files, or the container was started without the GPU.",
        "Do what the message says; `cuda-arch-guard survey` shows who was asked and what they answered."},
    DiagnosticCode{
        "CAG311", error, "The stub of libcuda is found first",
        "A toolkit brings a libcuda.so without a driver behind it, for linking on machines without a GPU. Where the loader finds it, "
        "every call fails with error 34 or 35.",
        "Take the folder `stubs` out of LD_LIBRARY_PATH and ld.so.conf. It belongs to the linker only: -L or LIBRARY_PATH."},
    DiagnosticCode{
        "CAG312", error, "libcuda is of another driver than the kernel module",
        "The user-mode library and the kernel module belong together. A container image must not bring its own libcuda: the container "
        "runtime mounts the host's. On a host, a driver update needs a reboot.",
        "Remove libnvidia-compute (or libcuda1) from the image; on a host, reboot, and remove one of two installations."},
    DiagnosticCode{
        "CAG313", error, "A Linux driver hides the Windows driver inside WSL",
        "WSL uses the Windows driver through /usr/lib/wsl/lib/libcuda.so.1. A Linux driver's packages inside it put their own library "
        "in front, which finds no device: error 100.",
        "Remove the Linux driver's packages inside WSL (libnvidia-compute-*, nvidia-driver-*); install CUDA from the WSL repository."},
    DiagnosticCode{
        "CAG314", error, "The container image refuses this driver",
        "NVIDIA_REQUIRE_CUDA of the image names the CUDA version that the driver must support, and the container runtime checks it "
        "before anything starts. It says nothing of the architectures in the image, which may run all the same.",
        "Update the host's driver; or take an image for an older CUDA; or set NVIDIA_DISABLE_REQUIRE=1, knowing that PTX of the newer "
        "toolkit will not load."},
    DiagnosticCode{
        "CAG315", error, "The NVLink fabric is not up",
        "GPUs on a board with NVSwitch are usable only after the fabric manager has initialised the fabric: until then CUDA gives "
        "error 802 (system not yet initialized), although nvidia-smi lists them.",
        "Install nvidia-fabricmanager of exactly the driver's version and start it."},
    DiagnosticCode{
        "CAG316", error, "The kernel module's flavour does not drive the GPU",
        "The open kernel modules begin with Turing (7.5); Blackwell and later GPUs need them. The wrong flavour finds no device.",
        "Install the other flavour of the same driver version."},
    DiagnosticCode{
        "CAG317", error, "A compat package is used on a GPU that does not support it",
        "Forward-compatibility packages (cuda-compat) put a newer libcuda over an older kernel driver. They work on data-center GPUs, "
        "some workstation GPUs and Jetson; elsewhere every call gives error 804.",
        "Take the compat folder out of the loader's path, and update the driver instead."},
    DiagnosticCode{
        "CAG318", warning, "The GPU is not NVIDIA's",
        "A translation layer (ZLUDA) presents another vendor's GPU as a CUDA device. It translates PTX; machine code is of no use to it, "
        "and the compute capability that it reports is made up.",
        "Use binaries that carry PTX. Nothing is promised."},
    DiagnosticCode{
        "CAG319", note, "Kernels are compiled at the first start",
        "Only PTX serves the GPU. The driver compiles it when it is first used, which takes minutes for large libraries, and keeps the "
        "result in the JIT cache. Where that cannot be written or is lost, every start pays again.",
        "Keep CUDA_CACHE_PATH on a volume that stays, raise CUDA_CACHE_MAXSIZE, or take a build with SASS for the GPU."},
    DiagnosticCode{"CAG320", warning, "A package's claim and its binaries differ",
                   "The list of architectures that the package reports is not what its libraries hold.",
                   "Trust the binaries, and tell the package's authors."},
    DiagnosticCode{"CAG321", error, "The package is a build without CUDA",
                   "It was built for CPUs: no driver and no toolkit can give it GPU code.",
                   "Install the CUDA build of it; for PyTorch from an index such as https://download.pytorch.org/whl/cu128."},
    DiagnosticCode{
        "CAG322", error, "A closed library has dropped the GPU",
        "cuDNN 9.11 and later have no code below compute capability 7.5, while frameworks built with CUDA 12 still have. Operations that "
        "use cuDNN fail, others work.",
        "Pin nvidia-cudnn-cu12 to 9.10 or older."},
    DiagnosticCode{
        "CAG323", warning, "Two files hold the same kernel for different architectures",
        "Kernels of templates (CUB, Thrust) have the same name in every library. Where their host functions are exported, the loader "
        "binds all to one of them, and the other library's module lacks the GPU: error 98. Whether that happens depends on the link.",
        "Build the libraries for the same architectures, hide their symbols, or wrap the templates in a namespace of your own."},
    DiagnosticCode{
        "CAG324", warning, "A TensorRT engine is bound to one kind of GPU",
        "An engine (plan) is not a CUDA binary. It records the compute capability and the TensorRT version it was built with, and loads on "
        "nothing else.",
        "Build the engine again on the target machine."},
    DiagnosticCode{
        "CAG325", warning, "The host compiler is too new for nvcc",
        "nvcc refuses host compilers that are newer than the ones it was tested with.",
        "Name an older one: nvcc -ccbin g++-13, or CMAKE_CUDA_HOST_COMPILER. -allow-unsupported-compiler may give wrong programs."},
    DiagnosticCode{
        "CAG326", warning, "nvcc and PyTorch are of different CUDA versions",
        "Building an extension compiles against PyTorch's headers and links its CUDA runtime, so the major versions must be equal. What is "
        "already installed runs without nvcc.",
        "Install the toolkit of PyTorch's CUDA version and set CUDA_HOME to it. The driver's number does not matter for this."},
    DiagnosticCode{"CAG327", error, "A framework's own ptxas does not know the GPU",
                   "Triton, JAX and TensorFlow bring a copy of ptxas and use it in place of the toolkit's. A copy that is older than the "
                   "GPU stops with "
                   "\"Value 'sm_...' is not defined for option 'gpu-name'\".",
                   "Point TRITON_PTXAS_PATH to a newer ptxas, or upgrade the framework."},
    DiagnosticCode{
        "CAG328", warning, "XLA's ptxas is newer than the driver",
        "It works: cubins run across minor versions. XLA cannot link with such a driver and compiles kernels one after the other.",
        "Update the driver, or pin the compiler to the driver's CUDA version."},
    DiagnosticCode{"CAG329", error, "NVRTC lacks its builtins",
                   "libnvrtc loads libnvrtc-builtins of exactly its own minor version. Without it, kernels that are compiled while the "
                   "program runs fail; "
                   "precompiled ones work.",
                   "Install NVRTC whole. A renamed file of another version is no remedy."},
    DiagnosticCode{"CAG330", error, "CUDA_VISIBLE_DEVICES hides every GPU",
                   "Empty, -1, or naming no device that is there: programs get error 100 (no CUDA-capable device).", "Unset the variable."},
    DiagnosticCode{
        "CAG331", warning, "A variable changes which code is loaded",
        "CUDA_FORCE_PTX_JIT and CUDA_FORCE_JIT make the driver ignore machine code: a test of the embedded PTX. CUDA_DISABLE_PTX_JIT and "
        "CUDA_DISABLE_JIT forbid compiling: a test that machine code is complete. None of them repairs anything.",
        "Unset the variable."},
    DiagnosticCode{"CAG332", warning, "A list for building leaves out a GPU that is here",
                   "TORCH_CUDA_ARCH_LIST or CUDAARCHS names architectures of which none serves a GPU of this machine: what is built with "
                   "it will not run.",
                   "Add the GPU's compute capability to the list."},
    DiagnosticCode{"CAG333", warning, "A cache holds code for another GPU",
                   "Compiled kernels were kept by a machine with another GPU, usually in a home folder that machines share. A framework "
                   "whose cache key "
                   "lacks the GPU loads them: error 209 or 200.",
                   "Remove the folder; it is filled again. Give each kind of machine its own: TRITON_CACHE_DIR, TORCH_EXTENSIONS_DIR, "
                   "CUDA_CACHE_PATH."},
    // 4xx: input and format
    DiagnosticCode{"CAG401", error, "The input is cut short or points outside itself",
                   "An offset or a size leads behind the end of the file, the archive member or the section. Downloads and copies that "
                   "were interrupted look "
                   "like this. What could be read was read, and the answer is never \"all is well\".",
                   "Fetch or build the file again."},
    DiagnosticCode{
        "CAG402", error, "A header field is not what it must be",
        "A magic number, version or size in a header has a value that no known toolkit writes, so the bytes behind it cannot be trusted.",
        "Build the file again. If it comes straight from a toolkit, report it together with the toolkit's version."},
    DiagnosticCode{"CAG403", error, "A payload does not decompress",
                   "The compressed bytes of an image, or of an archive member, are damaged, or their expanded size is not the one that its "
                   "header states. The driver "
                   "refuses such an image.",
                   "Fetch or build the file again."},
    DiagnosticCode{"CAG404", error, "A limit was reached",
                   "Reading on would take more memory, more entries or deeper nesting than the limits allow. They protect against files "
                   "that were made to exhaust "
                   "the reader.",
                   "If the file is trusted, raise the limit that the message names, for example --max-expanded-image 4G."},
    DiagnosticCode{"CAG405", warning, "An entry's kind or codec is unknown",
                   "A container holds an entry of a kind, or compressed by a codec, that this version does not know. It was skipped.",
                   "Update cuda-arch-guard; if that does not help, report it together with the toolkit's version."},
    DiagnosticCode{"CAG406", error, "A cubin is damaged",
                   "The ELF structure of a machine-code image does not add up: its sections, its symbols or its notes lie outside it or "
                   "contradict each "
                   "other.",
                   "Fetch or build the file again."},
    DiagnosticCode{"CAG407", error, "PTX is damaged",
                   "A PTX image has no readable .version or .target line, or ends inside a comment or string.",
                   "Build the file again; PTX that was edited by hand must keep these lines."},
    DiagnosticCode{
        "CAG408", error, "A file cannot be opened or read",
        "The operating system refused: the file does not exist, its permissions forbid reading, or the device reported an error.",
        "Check the path and its permissions."},
    DiagnosticCode{"CAG409", error, "The format is not one that is read",
                   "The file is none of the formats that carry CUDA device code: ELF objects, libraries and programs, ar archives, .cubin, "
                   ".fatbin and .ptx "
                   "files, and wheels, packages and archives of them.",
                   "Name the library or program itself. Unpack containers of other formats first."},
    DiagnosticCode{"CAG410", error, "An object file or archive is damaged",
                   "The section table, the symbol table or a member header of an ELF file or ar archive does not add up, so device code "
                   "may have been missed.",
                   "Fetch or build the file again."},
    DiagnosticCode{"CAG411", error, "An archive member is encrypted",
                   "The member of a zip archive can be read with a password only. It may hold device code.",
                   "Unpack the archive with its password, and name the files in it."},
    DiagnosticCode{
        "CAG412", error, "An archive member's name leads outside",
        "The name is an absolute path or climbs out of its folder by \"..\". Nothing is ever written, so the member was read all the "
        "same; but whoever unpacks the archive may overwrite other files.",
        "Do not unpack the archive. Fetch it again from a source that is trusted, or pack it with relative names."},
    // 5xx: configuration
    DiagnosticCode{"CAG501", error, "An architecture is not understood",
                   "The text is none of the forms that name an architecture: 86, 86-real, 86-virtual, 90a, 100f, sm_86, compute_86, 8.6, "
                   "8.6+PTX, a generation "
                   "such as Ampere, or a product such as RTX 3090.",
                   "Write it in one of these forms; several are separated by commas or semicolons."},
    DiagnosticCode{"CAG502", error, "A GPU is not known, or its name means several",
                   "No product of that name is in the tables, or products of different compute capabilities share it.",
                   "Give the compute capability (--gpu 9.0) or one of the full names that the message lists."},
    DiagnosticCode{"CAG503", error, "A driver is not understood",
                   "The text is neither a driver branch, a driver version nor a CUDA version.", "Write 580, 580.159.04 or cuda:13.0."},
    DiagnosticCode{"CAG504", error, "The toolkit does not support an architecture",
                   "This toolkit release cannot compile for the architecture: it came later, or was removed.",
                   "Drop the architecture from the list, or take a toolkit that has it; the message says which."},
    DiagnosticCode{"CAG505", error, "The command line is not valid",
                   "An option or argument is unknown, missing, or has a value that it cannot have.",
                   "`cuda-arch-guard COMMAND --help` lists what the command takes, with examples."},
    DiagnosticCode{"CAG506", error, "A result cannot be written", "Standard output or a report file could not be written completely.",
                   "Check that the disk has room, and that the reader of the pipe is still there."},
    DiagnosticCode{
        "CAG507", error, "A runtime guard has no room, or too little",
        "The file has no place for the table of what it holds, or its images are too many for it.",
        "Call cuda_fatbin_runtime_guard() for the target that links this file, and build it again; split the target where it holds "
        "hundreds of different modules."},
    DiagnosticCode{"CAG508", error, "The policy file is not valid",
                   "It is no JSON, or a key or value is none that a policy can have. The message names line and column.",
                   "`cuda-arch-guard policy check` lists all errors of the file; docs/policy.md describes it."},
    DiagnosticCode{
        "CAG509", warning, "A waiver has expired, or excuses nothing",
        "A waiver holds up to a day, and for a shortfall that exists. Behind that day its findings count again; one that excuses "
        "nothing would hide the same shortfall when it comes back.",
        "Remove the waiver, or agree on a new date with its owner."},
    DiagnosticCode{"CAG510", warning, "The cache cannot be used",
                   "The file in which earlier results are kept is damaged, or others could have written to it. Everything was read anew.",
                   "Delete the file, or name another by --cache-file."},
    DiagnosticCode{"CAG520", error, "A recorded machine is not understood",
                   "The file is none of those that tell which GPUs a machine has: the output of nvidia-smi, of lspci, or of "
                   "`cuda-arch-guard survey --format json`.",
                   "Record it again on that machine: nvidia-smi -q > machine.txt."},
    DiagnosticCode{"CAG521", error, "`local` has no meaning here",
                   "A GPU or a driver was named `local`, and none was found on this machine, or nobody says its compute capability.",
                   "`cuda-arch-guard survey` says who was asked and what they answered. Name the GPU or the driver instead: --gpu 9.0, "
                   "--driver 580."},
    DiagnosticCode{
        "CAG530", error, "A lab file is not understood",
        "The declared machines could not be read, or a machine was named that is not among them. A requirement that is misspelt would "
        "be checked by nobody, so nothing is ignored.",
        "The message names the place in the file and what is allowed there; docs/lab.md describes the file."},
    DiagnosticCode{"CAG531", error, "A document with machines is not understood",
                   "`lab import` reads surveys, nvidia-smi outputs, Slurm and Kubernetes nodes, DCGM exporter text and CSV inventories.",
                   "Record it again as docs/lab.md shows, for example: scontrol show node > nodes.txt."},
    // 9xx: internal
    DiagnosticCode{"CAG901", error, "Internal error",
                   "Something happened that this program considers impossible. The result is not to be relied on.",
                   "Report it with the command line and, if it may be shared, the input."},
};

std::string normalised(std::string_view name) {
    std::string upper;
    for (const char c : name) {
        upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return upper.starts_with("CAG") ? upper : "CAG" + upper;
}

} // namespace

std::span<const DiagnosticCode> all_codes() { return codes; }

bool is_waivable(const DiagnosticCode& code) { return code.name < std::string_view{"CAG4"} && code.name != "CAG106"; }

const DiagnosticCode* find_code(std::string_view name) {
    const std::string wanted = normalised(name);
    const auto found = std::find_if(codes.begin(), codes.end(), [&](const DiagnosticCode& code) { return code.name == wanted; });
    return found == codes.end() ? nullptr : &*found;
}

} // namespace cag
