// The sentence that a user reads in place of "no kernel image is available".
#include "runtime/internal.hpp"

#include <stdarg.h>
#include <stdio.h>

namespace cag::runtime {
namespace {

const char* letter(const cag_table_image& image) { return image.variant == 'a' ? "a" : image.variant == 'f' ? "f" : ""; }

int list_kind(Text& text, const Table& table, const cag_table_module& module, char kind, const char* name) {
    int count = 0;
    for (uint32_t i = 0; i < module.images; ++i) {
        const cag_table_image& image = table.images[module.first_image + i];
        bool again = false;
        for (uint32_t j = 0; j < i; ++j) {
            const cag_table_image& earlier = table.images[module.first_image + j];
            again = again || (earlier.kind == image.kind && earlier.number == image.number && earlier.variant == image.variant);
        }
        if (image.kind == static_cast<uint8_t>(kind) && !again) {
            text.add("%s %u%s", count == 0 ? name : ",", image.number, letter(image));
            ++count;
        }
    }
    return count;
}

} // namespace

void Text::add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(buffer_ + used_, size_ - used_, format, arguments);
    va_end(arguments);
    if (added > 0) {
        used_ = used_ + static_cast<size_t>(added) < size_ ? used_ + static_cast<size_t>(added) : size_ - 1;
    }
}

void list_images(Text& text, const Table& table, const cag_table_module& module) {
    if (list_kind(text, table, module, 'S', "SASS") == 0) {
        text.add("no SASS");
    }
    text.add(" and ");
    if (list_kind(text, table, module, 'P', "PTX") == 0) {
        text.add("no PTX");
    }
}

void add_remedy(Text& text, const Verdict& verdict, const Machine& machine) {
    const int gpu = machine.capability;
    if (verdict.error == 222 || verdict.error == 200) {
        text.add("Update the driver to one of CUDA %u.%u (", verdict.image->cuda / 1000, verdict.image->cuda % 1000 / 10);
        text.add(verdict.image->branch != 0 ? "branch %u" : "see NVIDIA's release notes", verdict.image->branch);
        text.add(" or newer), or rebuild with ");
    } else if (verdict.error == 223) {
        text.add("Unset %s (code that was compiled before and is still in the JIT cache serves all the same), or rebuild with ",
                 machine.jit.no_jit);
    } else if (machine.jit.ignore_sass != nullptr) {
        text.add("Unset %s, which makes the driver ignore machine code, or rebuild with ", machine.jit.ignore_sass);
    } else {
        text.add("A driver update cannot help: rebuild with ");
    }
    text.add("%d-real in CMAKE_CUDA_ARCHITECTURES (nvcc: -gencode arch=compute_%d,code=sm_%d)", gpu, gpu, gpu);
}

const char* error_name(int error) {
    switch (error) {
    case 35:
        return "cudaErrorInsufficientDriver";
    case 98:
        return "cudaErrorInvalidDeviceFunction";
    case 100:
        return "cudaErrorNoDevice";
    case 101:
        return "cudaErrorInvalidDevice";
    case 200:
        return "cudaErrorInvalidKernelImage";
    case 209:
        return "cudaErrorNoKernelImageForDevice";
    case 218:
        return "cudaErrorInvalidPtx";
    case 222:
        return "cudaErrorUnsupportedPtxVersion";
    case 223:
        return "cudaErrorJitCompilationDisabled";
    case 300:
        return "cudaErrorInvalidSource";
    case 500:
        return "cudaErrorSymbolNotFound";
    default:
        return "a CUDA error";
    }
}

} // namespace cag::runtime
