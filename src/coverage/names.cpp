#include <cudaarchguard/coverage.hpp>

namespace cag {

const char* to_string(ImageKind kind) {
    switch (kind) {
    case ImageKind::sass:
        return "sass";
    case ImageKind::ptx:
        return "ptx";
    case ImageKind::ltoir:
        return "ltoir";
    case ImageKind::unknown:
        break;
    }
    return "unknown";
}

const char* to_string(Compression codec) {
    switch (codec) {
    case Compression::none:
        return "none";
    case Compression::lz4:
        return "lz4";
    case Compression::zstd:
        return "zstd";
    case Compression::unknown:
        break;
    }
    return "unknown";
}

const char* to_string(ModuleKind kind) {
    switch (kind) {
    case ModuleKind::registered:
        return "registered";
    case ModuleKind::linked:
        return "linked";
    case ModuleKind::relocatable:
        return "relocatable";
    case ModuleKind::unregistered:
        return "unregistered";
    case ModuleKind::embedded:
        return "embedded";
    case ModuleKind::raw:
        break;
    }
    return "raw";
}

const char* to_string(KernelBody body) {
    switch (body) {
    case KernelBody::code:
        return "code";
    case KernelBody::empty:
        return "empty";
    case KernelBody::trap:
        return "trap";
    case KernelBody::unknown:
        break;
    }
    return "unknown";
}

std::string to_string(PtxIsa isa) { return std::to_string(isa.major) + '.' + std::to_string(isa.minor); }

} // namespace cag
