#include "installation.hpp"

#include "builders/cubin.hpp"
#include "builders/fatbin.hpp"
#include "builders/host_file.hpp"
#include "survey/merge.hpp"
#include "survey/recorded.hpp"
#include "survey/survey.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag::test {
namespace {

std::string text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Bytes cubin_of(unsigned sm, const std::string& kernel) {
    Cubin cubin;
    cubin.sm = sm;
    cubin.virtual_sm = sm;
    cubin.kernels.push_back({kernel});
    return build(cubin);
}

Entry image(const std::string& name, const std::string& kernel) {
    if (name.substr(0, 3) == "ptx") {
        const auto at = name.find('@');
        const unsigned target = static_cast<unsigned>(std::stoul(name.substr(3)));
        const std::string isa = at == std::string::npos ? "9.0" : name.substr(at + 1);
        const std::string text =
            fmt::format(".version {}\n.target sm_{}\n.address_size 64\n.visible .entry {}()\n{{\n\tret;\n}}\n", isa, target, kernel);
        return ptx_entry(target, text, Codec::none, static_cast<std::uint16_t>(isa.front() - '0'),
                         static_cast<std::uint16_t>(isa.back() - '0'));
    }
    const unsigned sm = static_cast<unsigned>(std::stoul(name)); // up to the letter
    Entry entry = cubin_entry(sm, cubin_of(sm, kernel));
    entry.flags |= name.back() == 'a' ? 0x100000U : 0U;
    return entry;
}

} // namespace

std::string library(const std::vector<std::string>& images, const std::string& kernel) {
    std::vector<Entry> entries;
    std::transform(images.begin(), images.end(), std::back_inserter(entries), [&](const std::string& name) { return image(name, kernel); });
    return text_of(library_with({build_container(entries)}));
}

std::string bare_cubin(unsigned sm) { return text_of(cubin_of(sm, "k")); }

std::string tool_of(const std::string& release) {
    const std::string minor = release.substr(0, release.rfind('.'));
    return "\x7f"
           "ELF...Cuda compilation tools, release %d.%d, V...Cuda compilation tools, release " +
           minor + ", V" + release + "\n...";
}

void add_package(FakeRoot& root, const std::string& name, const std::string& version, const std::vector<PackageFile>& files) {
    std::string folder = name;
    std::replace(folder.begin(), folder.end(), '-', '_');
    const std::string info = fmt::format("{}/{}-{}.dist-info", site, folder, version);
    std::string record;
    for (const PackageFile& file : files) {
        root.file(fmt::format("{}/{}", site, file.path), file.images.empty() ? file.text : library(file.images));
        record += file.path + ",sha256=x,1\n";
    }
    root.file(info + "/METADATA", fmt::format("Metadata-Version: 2.1\nName: {}\nVersion: {}\n\nName: not this one\n", name, version));
    root.file(info + "/RECORD", record);
}

Machine machine_with(const std::string& driver, const std::vector<std::string>& gpus) {
    std::string csv = "index, name, compute_cap, uuid, pci.bus_id, driver_version\n";
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        csv += fmt::format("{}, {}, GPU-{:08x}-0000-0000-0000-000000000000, 00000000:{:02x}:00.0, {}\n", i, gpus[i], i + 1, i + 1, driver);
    }
    Machine machine;
    machine.recorded = "recorded.csv";
    machine.answers.push_back(read_nvidia_smi_csv(csv));
    conclude(machine);
    return machine;
}

const PossibleCause* Answer::cause(const std::string& code) const {
    const auto found =
        std::find_if(diagnosis.causes.begin(), diagnosis.causes.end(), [&](const PossibleCause& item) { return item.code == code; });
    return found == diagnosis.causes.end() ? nullptr : &*found;
}

std::string Answer::answer(const std::string& package, std::size_t gpu) const {
    for (const InstalledCode& code : examination.subjects) {
        if (code.name == package) {
            return to_string(code.cells.at(gpu).kind);
        }
    }
    return "no such package";
}

Answer asked(const FakeRoot& root, Machine machine, DoctorOptions options) {
    Host host = root.host();
    host.environment["VIRTUAL_ENV"] = "/opt/venv";
    host.environment["HOME"] = "/home/ada";
    options.threads = 1;
    Answer answer;
    answer.examination = examine(host, std::move(machine), options);
    answer.diagnosis = diagnose(answer.examination);
    return answer;
}

Answer asked(const Host& host) {
    Answer answer;
    answer.examination = examine(host, survey(host), {});
    answer.diagnosis = diagnose(answer.examination);
    return answer;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool says(const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return says(text, part); });
}

} // namespace cag::test
