// Writes the first inputs of every fuzz target, made by the tests' builders: one folder a target.
//
// usage: make_seeds DIRECTORY
#include "builders/cubin.hpp"
#include "builders/fatbin.hpp"
#include "builders/host_file.hpp"
#include "builders/packed.hpp"
#include "builders/writer.hpp"

#include <filesystem>
#include <fstream>

using namespace cag;
using namespace cag::test;

namespace {

class Seeds {
  public:
    explicit Seeds(std::filesystem::path folder) : folder_(std::move(folder)) {}

    void add(const std::string& target, const std::string& name, const Bytes& bytes) const {
        std::filesystem::create_directories(folder_ / target);
        std::ofstream(folder_ / target / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    // Files of the host are read by the object readers, and as a whole.
    void add_file(const std::string& name, const Bytes& bytes) const {
        add("object", name, bytes);
        add("inspect", name, bytes);
    }

  private:
    std::filesystem::path folder_;
};

const std::string ptx_text =
    "//\n// Cuda compilation tools, release 13.0, V13.0.88\n//\n.version 9.0\n.target sm_90a, debug\n.address_size 64\n"
    ".extern .func outside\n(\n\t.param .b32 x\n)\n;\n.global .align 4 .u32 counter;\n"
    ".weak .func helper()\n{\n\tret;\n}\n"
    ".visible .entry _Z1kPi(\n\t.param .u64 p\n)\n.maxntid 256, 1, 1\n{\n\tld.param.u64 %rd1, [p];\n\t{ st.global.u32 "
    "[%rd1], 7; }\n\tret;\n}\n.entry nothing() { /* } */ ret; }\n.section .debug_str { .b8 1, 2 }\n";

Cubin rich_cubin(unsigned sm, unsigned abi) {
    Cubin cubin;
    cubin.sm = sm;
    cubin.abi = abi;
    cubin.toolkit = abi == 8 ? 130 : 124;
    cubin.kernels = {{"_Z1kPi"}, {"nothing", empty_body}, {"trap", trap_body}};
    cubin.functions = {"helper"};
    cubin.undefined = {"outside"};
    cubin.variables = {"counter"};
    cubin.options = "-arch sm_" + std::to_string(sm) + "a";
    cubin.accelerator_target = 1;
    return cubin;
}

Bytes rich_containers() {
    Entry ptx = ptx_entry(90, ptx_text, Codec::zstd);
    ptx.flags |= 0x100000; // a
    ptx.options = "--compile-only";
    ptx.source = "source.cu";
    Entry ltoir = cubin_entry(80, bytes_of("\xed\x43\x4e\x7f some bitcode"));
    ltoir.kind = 8;
    Entry unknown = ltoir;
    unknown.kind = 0x40;
    return joined({build_container({cubin_entry(80, build(rich_cubin(80, 7))), ptx, ltoir, unknown}),
                   build_container({concat_group({cubin_entry(86, build(rich_cubin(86, 8))), cubin_entry(89, build(rich_cubin(89, 8)))})}),
                   build_container({}), build_container({cubin_entry(100, build(rich_cubin(100, 8)), Codec::lz4)})});
}

void add_payloads(const Seeds& seeds) {
    const Bytes text = bytes_of(ptx_text);
    for (const Codec codec : {Codec::lz4, Codec::zstd}) {
        // The builder compresses; the stored bytes lie behind the container's and the entry's header.
        const Bytes container = build_container({ptx_entry(90, ptx_text, codec)});
        Writer out;
        out.put(static_cast<std::uint8_t>(codec == Codec::zstd));
        out.put(static_cast<std::uint32_t>(text.size() + 1));
        std::uint32_t stored = 0;
        std::memcpy(&stored, container.data() + 16 + 16, sizeof(stored));
        out.append(std::span(container).subspan(16 + 64, stored));
        seeds.add("payload", codec == Codec::lz4 ? "lz4" : "zstd", out.take());
    }
}

void add_host_files(const Seeds& seeds) {
    const Bytes containers = rich_containers();
    std::vector<std::pair<std::string, Bytes>> members;
    for (const HostFormat format : {HostFormat::elf64, HostFormat::elf32, HostFormat::pe, HostFormat::coff, HostFormat::macho}) {
        const auto with_wrapper = [&](std::uint64_t pointer) {
            const std::string data = format == HostFormat::macho ? "__DATA,__const" : ".rodata";
            return build_host_file(format, {{container_section(format), containers},
                                            {wrapper_section(format), joined({fatbin_wrapper(1, pointer), fatbin_wrapper(2, pointer + 8)})},
                                            {data, joined({bytes_of("text"), build(rich_cubin(75, 8)), bytes_of(ptx_text)})}});
        };
        const Bytes file = with_wrapper(load_address + with_wrapper(0).offsets[0]).bytes;
        seeds.add_file(name_of(format), file);
        if (format == HostFormat::coff || format == HostFormat::elf32) {
            members.emplace_back(std::string("a_long_name_of_") + name_of(format) + ".o", file);
        }
    }
    const std::string ids("_a\0def _a\0", 10);
    members.emplace_back("rdc.o", build_host_file(HostFormat::elf64, {{"__nv_relfatbin", containers},
                                                                      {"__nv_module_id", bytes_of(ids)},
                                                                      {".nvHRKE", bytes_of(std::string("_Z1kPi\0", 7))}})
                                      .bytes);
    seeds.add_file("rdc.o", members.back().second);
    seeds.add_file("lib.a", build_archive(members).bytes);
    seeds.add_file("thin.a", build_thin_archive({{"gone.o", 100}}).bytes);
}

void add_archives(const Seeds& seeds) {
    const Bytes cubin = build(rich_cubin(90, 8));
    const Members files = {{"pkg/kernel.ptx", bytes_of(ptx_text)}, {"pkg/" + std::string(120, 'n') + ".cubin", cubin}, {"../up", cubin}};
    const Bytes zip = build_zip(files);
    seeds.add("archive", "zip", zip);
    seeds.add("archive", "zip_stored", build_zip(files, ZipKind::stored));
    seeds.add("archive", "zip64", build_zip(files, ZipKind::zip64));
    seeds.add("archive", "tar", build_tar(files));
    seeds.add("archive", "tar.gz", gzipped(build_tar(files)));
    seeds.add("archive", "cpio.zst", zstandard(build_cpio(files)));
    seeds.add("archive", "cpio", build_cpio(files));
    seeds.add("archive", "gz", gzipped(cubin));
    seeds.add("archive", "zst", zstandard(cubin));
    const Bytes inner = zstandard(build_tar({{"kernel.ptx", bytes_of(ptx_text)}}));
    seeds.add("archive", "conda", build_zip({{"pkg-a.tar.zst", inner}, {"wheel.whl", zip}}, ZipKind::stored));
    seeds.add("archive", "deb", build_archive({{"debian-binary", bytes_of("2.0\n")}, {"data.tar.zst", inner}}).bytes);
    // What `docker save` writes: the upper layer hides a file and a folder of the lower one.
    const std::string manifest = R"([{"Config":"c.json","Layers":["low/layer.tar","up/layer.tar"]}])";
    const std::string config = R"({"history":[{"created_by":"COPY"},{"created_by":"CMD","empty_layer":true},{"created_by":"RUN"}]})";
    const Bytes nothing;
    seeds.add("archive", "docker",
              build_tar({{"low/layer.tar", build_tar({{"a/one.cubin", cubin}, {"b/two.cubin", cubin}, {"c/three.cubin", cubin}})},
                         {"up/layer.tar",
                          build_tar({{"a/.wh.one.cubin", nothing}, {"b/.wh..wh..opq", nothing}, {"c/three.cubin", bytes_of(ptx_text)}})},
                         {"c.json", bytes_of(config)},
                         {"manifest.json", bytes_of(manifest)}}));
    const std::string layout_manifest =
        R"({"config":{"digest":"sha256:c"},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+zstd","digest":"sha256:l"}]})";
    const std::string index = R"({"manifests":[{"digest":"sha256:i"}]})";
    const std::string platforms = R"({"manifests":[{"digest":"sha256:m"}]})";
    seeds.add("archive", "oci",
              build_tar({{"oci-layout", bytes_of(R"({"imageLayoutVersion":"1.0.0"})")},
                         {"index.json", bytes_of(index)},
                         {"blobs/sha256/i", bytes_of(platforms)},
                         {"blobs/sha256/m", bytes_of(layout_manifest)},
                         {"blobs/sha256/c", bytes_of(config)},
                         {"blobs/sha256/l", inner}}));
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    const Seeds seeds(argv[1]);
    for (const unsigned abi : {7U, 8U}) {
        Cubin cubin = rich_cubin(abi == 7 ? 90 : 120, abi);
        seeds.add("cubin", "abi" + std::to_string(abi), build(cubin));
        cubin.relocatable = true;
        cubin.debug_info = true;
        seeds.add("cubin", "relocatable" + std::to_string(abi), build(cubin));
    }
    seeds.add("inspect", "cubin", build(rich_cubin(90, 8)));
    seeds.add("ptx", "rich", bytes_of(ptx_text));
    seeds.add("ptx", "smallest", bytes_of(".version 3.0\n.target sm_20\n.entry k() { exit; }"));
    seeds.add("inspect", "ptx", bytes_of(ptx_text));
    seeds.add("fatbin", "rich", rich_containers());
    seeds.add("fatbin", "empty", build_container({}));
    seeds.add("inspect", "fatbin", rich_containers());
    add_payloads(seeds);
    add_host_files(seeds);
    add_archives(seeds);
    return 0;
}
