// Machines as other tools know them, turned into entries of a lab file.
#pragma once

#include "support/result.hpp"
#include "survey/host.hpp"
#include "survey/machine.hpp"

#include <map>
#include <string>
#include <vector>

namespace cag {

// What one source says of one machine. Empty: it does not say.
struct ImportedMachine {
    std::string name;
    std::map<std::string, unsigned> gpus; // as parse_gpu() reads them, and how many
    std::string driver;
    std::string os;
    std::vector<std::string> toolkits; // "13.0"
    std::vector<std::string> tags;
    std::string source; // the file
    std::string date;   // when it was written; "": not known
    // Of merged machines, by fact ("gpus", "driver", "os", "toolkits", "tags"): "nodes.txt (2026-11-30)"
    std::map<std::string, std::string> sources;
};

// Reads `cuda-arch-guard survey --format json` and nvidia-smi outputs (the machine is named after the file), `scontrol show node` as text
// and as JSON, `kubectl get nodes -o json` with the labels of NVIDIA's GPU feature discovery, the text of the DCGM exporter,
// `ansible-inventory --list` with host variables gpu, count, driver, os, toolkits and tags, and CSV with the header
// name,gpu,count,driver,os,toolkits,tags.
// Failure CAG508: none of these.
[[nodiscard]] Result<std::vector<ImportedMachine>> import_file(const std::string& path);
[[nodiscard]] Result<std::vector<ImportedMachine>> import_text(const std::string& text, const std::string& source);

[[nodiscard]] ImportedMachine surveyed_machine(const Machine& surveyed, const std::string& name);
// The system and the toolkits that are found in a host's files: what a (recorded) survey of its GPUs and driver does not tell.
void add_installed(ImportedMachine& machine, const Host& host);
// "13.0", each release once, those of which the tables know something: a lab file names no others.
[[nodiscard]] std::vector<std::string> installed_toolkits(const Host& host);

struct Merged {
    std::vector<ImportedMachine> machines; // by name; the first source of each fact is believed, unless another says it more exactly
    std::vector<std::string> conflicts;    // where two sources differ, and GPUs that no table knows
};

[[nodiscard]] Merged merge(const std::vector<ImportedMachine>& machines);

// A lab file with these machines; the note of each tells each fact's source and date. `date` stands where a source has none.
[[nodiscard]] std::string lab_file(const Merged& merged, const std::string& date);

} // namespace cag
