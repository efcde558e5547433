// A lab: the machines that programs must run on, declared once in a file (docs/lab.md, docs/schema/lab-1.schema.json).
#pragma once

#include "arch/spec.hpp"
#include "support/result.hpp"

#include <cudaarchguard/prediction.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cag {

struct LabGpu {
    Gpu gpu;
    unsigned count = 1;
};

struct LabMachine {
    std::string name;
    unsigned count = 1; // machines of this kind
    std::vector<LabGpu> gpus;
    std::optional<Driver> driver; // nullopt: not known yet; the newest that drives each GPU stands in
    std::vector<CudaVersion> toolkits;
    std::string os;
    std::vector<std::string> tags;
    std::string from; // dates, YYYY-MM-DD; empty: always
    std::string until;
    Environment environment; // variables that are set for programs there
};

// Dates are compared as text. An empty `date` asks about no day: everything is there.
enum class Presence : std::uint8_t { here, not_yet, gone };
[[nodiscard]] Presence presence_of(const LabMachine& machine, std::string_view date);

enum class Need : std::uint8_t { must, should };

// Machines by name and by tag, and what is asked of programs there.
struct LabGroup {
    std::string name;
    std::vector<std::string> machines;
    std::vector<std::string> tags;
    Need need = Need::must;
    bool jit = true; // compiling PTX at load is good enough
};

struct Lab {
    std::string name;
    std::vector<LabMachine> machines;
    std::vector<LabGroup> groups;
};

// Failure CAG508: what is wrong, where in the file, and what is allowed there.
[[nodiscard]] Result<Lab> parse_lab(std::string_view text);
[[nodiscard]] Result<Lab> read_lab(const std::string& path);

[[nodiscard]] bool is_in(const LabGroup& group, const LabMachine& machine);

// What programs must do on a machine: the strictest of its groups. A machine of no group must run them, and may compile PTX.
struct MachineNeed {
    Need need = Need::must;
    bool jit = true;
};
[[nodiscard]] MachineNeed need_of(const Lab& lab, const LabMachine& machine);

// One GPU of one machine with the driver there.
struct LabPlace {
    const LabMachine* machine = nullptr;
    Gpu gpu; // named after the machine
    Driver driver;
    MachineNeed need;
    bool not_yet = false; // not delivered: nothing is required there yet, and programs are built for it

    [[nodiscard]] bool must_run_now() const { return need.need == Need::must && !not_yet; }
};

// The places of the machines and groups named, or of all of them, without machines that are gone on that day; a kind of GPU once a machine.
// Failure CAG508: a name that the lab lacks, no machine.
[[nodiscard]] Result<std::vector<LabPlace>> places_of(const Lab& lab, const std::vector<std::string>& names = {},
                                                      std::string_view date = {});

// What `lab:NAME` means in a list of architectures: the GPUs of a machine, or of the machines of a group.
[[nodiscard]] Result<LabGpus> lab_gpus(const Lab& lab, std::string_view name, std::string_view date = {});

} // namespace cag
