// PTX text: NVIDIA's virtual assembly, documented as "Parallel Thread Execution ISA". Only directives at the top level and the first
// instruction of each kernel are looked at; everything else is stepped over.
#include "image/ptx.hpp"

#include "image/payload.hpp"
#include "image/ptx_scanner.hpp"
#include "image/recorded_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cag::ptx {

namespace {

std::optional<PtxIsa> parse_isa(std::string_view word) {
    PtxIsa isa;
    const char* const end = word.data() + word.size();
    const auto major = std::from_chars(word.data(), end, isa.major);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') {
        return std::nullopt;
    }
    const auto minor = std::from_chars(major.ptr + 1, end, isa.minor);
    return minor.ec == std::errc() && minor.ptr == end ? std::optional(isa) : std::nullopt;
}

// Reads the block behind a kernel's '{' to its end. What an empty kernel may hold before its `ret` is moves of its parameters (-G); the
// same as in sass_body.cpp.
std::optional<KernelBody> read_body(Scanner& scanner) {
    unsigned depth = 1;
    const auto rest = [&](KernelBody body) { return scanner.skip_block(depth) ? std::optional(body) : std::nullopt; };
    while (true) {
        const std::string_view word = scanner.next();
        if (word.empty()) {
            return std::nullopt;
        }
        if (word == "{") {
            ++depth;
        } else if (word == "}") {
            if (--depth == 0) {
                return KernelBody::empty;
            }
        } else if (word == ".loc" || word == ".file") {
            scanner.skip_line(); // the only directives that no ';' ends
        } else if (word.starts_with('.') || word.starts_with("ld.param.") || word.starts_with("mov.")) {
            if (scanner.skip_past(";") == '\0') {
                return std::nullopt;
            }
        } else if (word == "ret" || word == "exit") {
            return rest(KernelBody::empty);
        } else if (word == "trap") {
            return rest(KernelBody::trap);
        } else if (word != ";" && scanner.peek() != ":") {
            return rest(KernelBody::code);
        } else if (word != ";") {
            (void)scanner.next(); // a label's ':'
        }
    }
}

class Reader {
  public:
    Reader(std::string_view text, const Limits& limits) : scanner_(text), limits_(limits) {}

    Result<Contents> read() {
        bool external = false;
        for (auto word = scanner_.next(); !word.empty(); word = scanner_.next()) {
            Result<void> done;
            if (word == ".extern") {
                external = true;
                continue;
            }
            if (word == ".visible" || word == ".weak" || word == ".common") {
                continue;
            }
            if (word == ".entry") {
                done = read_entry(external);
            } else if (word == ".func") {
                done = read_function(external);
            } else if (word == ".global" || word == ".const" || word == ".tex") {
                contents_.has_variables = contents_.has_variables || !external;
                done = skip_statement();
            } else if (word == ".shared") {
                done = skip_statement();
            } else if (word == "{") {
                done = skip_block();
            }
            if (!done) {
                return tl::unexpected(done.error());
            }
            if (contents_.kernels.size() + contents_.functions.size() + contents_.undefined.size() > limits_.max_entries) {
                return failure("CAG404", fmt::format("the PTX text has more than {} kernels and functions", limits_.max_entries),
                               scanner_.position());
            }
            external = false;
        }
        drop_defined_names();
        return std::move(contents_);
    }

  private:
    [[nodiscard]] tl::unexpected<Problem> cut_short(const std::string& what) const {
        return failure("CAG402", fmt::format("the PTX text ends inside {}", what), scanner_.position());
    }

    Result<void> skip_statement() { return scanner_.skip_past(";") == ';' ? Result<void>() : cut_short("a variable"); }

    Result<void> skip_block() { return scanner_.skip_block() ? Result<void>() : cut_short("a block"); }

    // .entry name (parameters) .maxntid 256, 1, 1 { body }    or a declaration that ends in ';'
    Result<void> read_entry(bool external) {
        const std::string name(scanner_.next());
        if (name.empty() || name == "(" || name == "{") {
            return failure("CAG402", "a kernel without a name behind .entry", scanner_.position());
        }
        const char end = scanner_.skip_past(";{");
        if (end == ';') {
            return {};
        }
        const auto body = end == '{' ? read_body(scanner_) : std::nullopt;
        if (!body) {
            return cut_short(fmt::format("kernel {}", name));
        }
        if (!external) {
            Kernel kernel;
            kernel.name = name;
            kernel.body = *body;
            contents_.kernels.push_back(std::move(kernel));
        }
        return {};
    }

    // .func .attribute(...) (result) name (parameters) { body }    or a declaration that ends in ';'
    Result<void> read_function(bool external) {
        std::string_view word = scanner_.next();
        while (word == "(" || word.starts_with('.')) {
            for (unsigned depth = word == "(" ? 1 : 0; depth > 0;) {
                word = scanner_.next();
                if (word.empty()) {
                    return cut_short("a function's result");
                }
                depth += word == "(" ? 1U : 0U;
                depth -= word == ")" ? 1U : 0U;
            }
            word = scanner_.next();
        }
        const std::string name(word);
        const char end = scanner_.skip_past(";{");
        if (end == '\0' || (end == '{' && !scanner_.skip_block())) {
            return cut_short(fmt::format("function {}", name));
        }
        if (end == '{') {
            contents_.functions.push_back(name);
        } else if (external) {
            contents_.undefined.push_back(name);
        }
        return {};
    }

    // A function may be declared .extern and defined further down.
    void drop_defined_names() {
        std::vector<std::string> defined = contents_.functions;
        std::ranges::sort(defined);
        std::erase_if(contents_.undefined, [&](const std::string& name) { return std::ranges::binary_search(defined, name); });
    }

    Scanner scanner_;
    const Limits& limits_;
    Contents contents_;
};

} // namespace

Result<Header> read_header(std::string_view text) {
    Scanner scanner(text);
    if (scanner.next() != ".version") {
        return failure("CAG402", "no PTX: expected .version as the first directive", scanner.position());
    }
    Header header;
    header.toolkit = release_in(text.substr(0, scanner.position()));
    const std::string_view version = scanner.next();
    const auto isa = parse_isa(version);
    if (!isa) {
        return failure("CAG402", fmt::format("PTX .version is '{}', expected a number such as 9.0", version), scanner.position());
    }
    header.isa = *isa;
    if (scanner.next() != ".target") {
        return failure("CAG402", "PTX has no .target behind its .version", scanner.position());
    }
    const std::string_view target = scanner.next();
    const auto arch = parse_arch(target);
    if (!arch) {
        return failure("CAG402", fmt::format("PTX .target is '{}', expected a name such as sm_90a", target), scanner.position());
    }
    header.target = *arch;
    while (scanner.peek() == ",") {
        (void)scanner.next();
        header.debug = scanner.next() == "debug" || header.debug;
    }
    return header;
}

std::optional<std::size_t> foreign_character(std::string_view text) {
    const auto foreign = [](char c) { return static_cast<unsigned char>(c) >= 0x7f; };
    unsigned char any = 0; // the rule is none; the careful search is for texts with a foreign comment or damage
    for (const char c : text) {
        any = static_cast<unsigned char>(any | static_cast<unsigned char>(foreign(c)));
    }
    if (any == 0) {
        return std::nullopt;
    }
    Scanner scanner(text);
    for (auto word = scanner.next(); !word.empty(); word = scanner.next()) {
        if (foreign(word.front())) {
            return static_cast<std::size_t>(word.data() - text.data());
        }
    }
    return std::nullopt;
}

Result<Contents> read_contents(std::string_view text, const Limits& limits) { return Reader(text, limits).read(); }

} // namespace cag::ptx
