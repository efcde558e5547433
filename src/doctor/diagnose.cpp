// diagnose(): the causes in order, and the verdict in one line.
#include "doctor/causes.hpp"
#include "doctor/doctor.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {
namespace {

std::vector<std::pair<std::string, std::string>> versions_of(const Examination& examination) {
    std::vector<std::pair<std::string, std::string>> versions;
    const MachineDriver& driver = examination.machine.driver;
    if (driver.cuda) {
        versions.emplace_back("driver", fmt::format("{}{}supports CUDA up to {} (what nvidia-smi shows)", driver.version,
                                                    driver.version.empty() ? "" : " ", to_string(*driver.cuda)));
    }
    for (const Toolkit& toolkit : examination.inventory.toolkits) {
        versions.emplace_back(&toolkit == &examination.inventory.toolkits.front() ? "nvcc" : "also here",
                              fmt::format("{} at {} ({}): what is compiled here", toolkit.full_version, toolkit.folder, toolkit.found_by));
    }
    for (const InstalledCode& code : examination.subjects) {
        if (code.name == "torch" || code.name == "tensorflow" || lower(code.name).substr(0, 4) == "cupy") {
            versions.emplace_back(
                doctor::display_name(code),
                fmt::format("{}{}", code.version, code.cuda.empty() ? ", built without CUDA" : ", built with CUDA " + code.cuda));
        }
    }
    return versions;
}

std::string packages(std::size_t count) { return count == 1 ? "1 package" : fmt::format("{} packages", count); }

// Only what was judged is said to run; a package that loads its code by its own rules on one of the GPUs is not.
std::string healthy(const Examination& examination) {
    std::size_t judged = 0;
    std::size_t open = 0;
    for (const InstalledCode& code : examination.subjects) {
        const bool known =
            std::none_of(code.cells.begin(), code.cells.end(), [](const GpuAnswer& cell) { return cell.kind == CellKind::unknown; });
        (known ? judged : open) += code.files > 0 ? 1 : 0;
    }
    const std::string gpus =
        examination.gpus.size() == 1 ? examination.gpus.front().label : fmt::format("all {} kinds of GPU", examination.gpus.size());
    const std::string not_judged = open == 0 ? ""
                                             : fmt::format("; {} load{} device code by rules of {} own, not judged", packages(open),
                                                           open == 1 ? "s" : "", open == 1 ? "its" : "their");
    if (judged == 0) {
        return fmt::format("No fault found for {}; no installed package with device code was {}", gpus, open == 0 ? "found" : "judged") +
               not_judged;
    }
    return fmt::format("No fault found: {} with device code run{} on {}", packages(judged), judged == 1 ? "s" : "", gpus) + not_judged;
}

} // namespace

Diagnosis diagnose(const Examination& examination) {
    Diagnosis diagnosis;
    doctor::driver_causes(examination, diagnosis.causes);
    doctor::environment_causes(examination, diagnosis.causes);
    doctor::code_causes(examination, diagnosis.causes);
    doctor::compiler_causes(examination, diagnosis.causes);
    std::stable_sort(diagnosis.causes.begin(), diagnosis.causes.end(),
                     [](const PossibleCause& left, const PossibleCause& right) { return left.level < right.level; });
    diagnosis.versions = versions_of(examination);

    const bool error = !diagnosis.causes.empty() && diagnosis.causes.front().level == Level::error;
    const bool emulated =
        std::any_of(examination.machine.gpus.begin(), examination.machine.gpus.end(), [](const MachineGpu& gpu) { return gpu.emulated; });
    const bool unknown_gpu = std::any_of(examination.machine.gpus.begin(), examination.machine.gpus.end(),
                                         [](const MachineGpu& gpu) { return !gpu.capability; });
    diagnosis.undecided = examination.gpus.empty() || unknown_gpu || emulated || !examination.unread.empty();
    if (error) {
        const PossibleCause& first = diagnosis.causes.front();
        diagnosis.verdict = first.title + (first.fixes.empty() || first.fixes.front().empty() ? "" : ": " + first.fixes.front());
    } else if (emulated) {
        diagnosis.verdict = "Not known: the GPU is another vendor's behind ZLUDA, and NVIDIA's rules do not apply to it";
    } else if (unknown_gpu) {
        diagnosis.verdict = "Not known: nobody says the compute capability of a GPU here";
    } else if (examination.gpus.empty()) {
        diagnosis.verdict = fmt::format("No NVIDIA GPU {}: nothing to judge for. `--gpu \"RTX 5090\"` judges for one that is elsewhere",
                                        examination.machine.recorded.empty() ? "on this machine" : "in " + examination.machine.recorded);
    } else if (!examination.unread.empty()) {
        diagnosis.verdict = fmt::format("Not known: {} of the files could not be read or found", examination.unread.size());
    } else {
        const auto gap = std::find_if(diagnosis.causes.begin(), diagnosis.causes.end(),
                                      [](const PossibleCause& cause) { return cause.level == Level::warning && cause.code == "CAG103"; });
        diagnosis.verdict = gap == diagnosis.causes.end() ? healthy(examination) : gap->title;
    }
    return diagnosis;
}

} // namespace cag
