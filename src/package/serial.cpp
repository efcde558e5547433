#include "package/serial.hpp"

#include <cstring>
#include <type_traits>

namespace cag {

namespace {

template <class T>
constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
  public:
    template <class... T>
    void operator()(T&... fields) {
        (field(fields), ...);
    }
    [[nodiscard]] std::string take() { return std::move(bytes_); }

  private:
    template <class T>
    void field(T& value) {
        if constexpr (is_number<T>) {
            bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        } else {
            fields_of(*this, value);
        }
    }
    void field(std::string& text) {
        count(text.size());
        bytes_ += text;
    }
    template <class T>
    void field(std::optional<T>& value) {
        count(value ? 1 : 0);
        if (value) {
            field(*value);
        }
    }
    template <class T>
    void field(std::vector<T>& values) {
        count(values.size());
        for (T& value : values) {
            field(value);
        }
    }
    void count(std::uint64_t value) { field(value); }

    std::string bytes_;
};

class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}
    template <class... T>
    void operator()(T&... fields) {
        (field(fields), ...);
    }
    [[nodiscard]] bool is_whole() const { return whole_ && rest_.empty(); }

  private:
    template <class T>
    void field(T& value) {
        if constexpr (is_number<T>) {
            if (rest_.size() < sizeof value) {
                whole_ = false;
                rest_ = {};
                return;
            }
            std::memcpy(&value, rest_.data(), sizeof value);
            rest_.remove_prefix(sizeof value);
        } else {
            fields_of(*this, value);
        }
    }
    void field(std::string& text) {
        const std::uint64_t size = count();
        text = rest_.substr(0, size);
        rest_.remove_prefix(size);
    }
    template <class T>
    void field(std::optional<T>& value) {
        if (count() != 0) {
            field(value.emplace());
        }
    }
    template <class T>
    void field(std::vector<T>& values) {
        for (std::uint64_t left = count(); left > 0 && whole_; --left) {
            field(values.emplace_back());
        }
    }
    // Everything that is counted takes a byte at least.
    std::uint64_t count() {
        std::uint64_t value = 0;
        field(value);
        if (value > rest_.size()) {
            whole_ = false;
            rest_ = {};
            return 0;
        }
        return value;
    }

    std::string_view rest_;
    bool whole_ = true;
};

// Every field by name: a struct that gets another field does not compile here until the field is kept too.
template <class Io>
void fields_of(Io& io, Arch& value) {
    auto& [major, minor, variant] = value;
    io(major, minor, variant);
}
template <class Io>
void fields_of(Io& io, PtxIsa& value) {
    auto& [major, minor] = value;
    io(major, minor);
}
template <class Io>
void fields_of(Io& io, Problem& value) {
    auto& [code, message, offset] = value;
    io(code, message, offset);
}
template <class Io>
void fields_of(Io& io, Kernel& value) {
    auto& [name, code_size, registers, body] = value;
    io(name, code_size, registers, body);
}
template <class Io>
void fields_of(Io& io, Image& value) {
    auto& [kind, arch, offset, size, expanded_size, compression, debug, ptx_isa, toolkit, compiled_for, relocatable, in_concat_group,
           warpgroup, label, options, source, payload_read, defect, payload_arch, empty, kernels, functions, undefined] = value;
    io(kind, arch, offset, size, expanded_size, compression, debug, ptx_isa, toolkit, compiled_for, relocatable, in_concat_group, warpgroup,
       label, options, source, payload_read, defect, payload_arch, empty, kernels, functions, undefined);
}
template <class Io>
void fields_of(Io& io, Module& value) {
    auto& [index, kind, section, offset, size, images, header_bytes, padding_bytes, unexplained_bytes, identity, linked_by] = value;
    io(index, kind, section, offset, size, images, header_bytes, padding_bytes, unexplained_bytes, identity, linked_by);
}
template <class Io>
void fields_of(Io& io, FileCoverage& value) {
    auto& [path, member, format, origin, machine, role, arch_flags, cuda_runtime, host_references, shared_host_functions, problems,
           modules] = value;
    io(path, member, format, origin, machine, role, arch_flags, cuda_runtime, host_references, shared_host_functions, problems, modules);
}

template <class Io>
void fields_of(Io& io, TextFile& value) {
    auto& [path, member, text] = value;
    io(path, member, text);
}
template <class Io>
void fields_of(Io& io, Coverage& value) {
    auto& [files, texts] = value;
    io(files, texts);
}

} // namespace

std::string to_bytes(const Coverage& coverage) {
    Coverage copy = coverage; // one set of functions reads and writes, and so wants it changeable
    Writer writer;
    writer(copy);
    return writer.take();
}

std::optional<Coverage> coverage_from_bytes(std::string_view bytes) {
    Coverage coverage;
    Reader reader(bytes);
    reader(coverage);
    return reader.is_whole() ? std::optional(std::move(coverage)) : std::nullopt;
}

} // namespace cag
