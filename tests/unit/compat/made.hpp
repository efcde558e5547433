// Coverages by hand: what a scan of a small binary would find.
#pragma once

#include "compat/spec.hpp"

#include <cudaarchguard/prediction.hpp>

#include <string>
#include <vector>

namespace made {

using namespace cag;

// "sm_90a", "compute_80", "lto_90": one image with the kernels "k" (or those given), as toolkit 13.0 makes it.
inline Image image(const std::string& target, const std::vector<std::string>& kernels = {"k"}) {
    Image image;
    const auto name = target.substr(target.find('_') + 1);
    image.arch = parse_arch(name).value();
    image.payload_read = true;
    for (const std::string& kernel : kernels) {
        image.kernels.push_back({kernel, 512, {}, KernelBody::code});
    }
    image.empty = kernels.empty();
    image.size = image.expanded_size = 1000;
    if (target.substr(0, 3) == "sm_") {
        image.kind = ImageKind::sass;
        image.toolkit = "13.0";
        image.compiled_for = Arch{image.arch.major, image.arch.minor, Variant::plain};
    } else if (target.substr(0, 8) == "compute_") {
        image.kind = ImageKind::ptx;
        image.ptx_isa = PtxIsa{9, 0};
        for (Kernel& kernel : image.kernels) {
            kernel.code_size = 0;
        }
    } else {
        image.kind = ImageKind::ltoir;
    }
    return image;
}

inline std::vector<Image> images(const std::vector<std::string>& targets, const std::vector<std::string>& kernels = {"k"}) {
    std::vector<Image> made;
    for (const std::string& target : targets) {
        made.push_back(image(target, kernels));
    }
    return made;
}

inline Image ptx(const std::string& target, PtxIsa isa) {
    Image made = image(target);
    made.ptx_isa = isa;
    return made;
}

// As if every image came from an older toolkit than the newest drivers' (then the runtime runs on older drivers too).
inline std::vector<Image> of_toolkit(const std::string& toolkit, PtxIsa isa, std::vector<Image> made) {
    for (Image& image : made) {
        if (image.kind == ImageKind::sass) {
            image.toolkit = toolkit;
        } else {
            image.ptx_isa = isa;
        }
    }
    return made;
}

class File {
  public:
    explicit File(FileRole role = FileRole::loadable, std::string format = "elf") {
        file_.path = "made";
        file_.role = role;
        file_.format = std::move(format);
    }

    // The index of the new module.
    std::size_t add(ModuleKind kind, std::vector<Image> images, std::optional<std::size_t> linked_by = {}) {
        Module module;
        module.index = file_.modules.size();
        module.kind = kind;
        module.offset = 4096 * (1 + module.index);
        module.size = 4096;
        module.images = std::move(images);
        for (std::size_t i = 0; i < module.images.size(); ++i) {
            module.images[i].offset = module.offset + 100 + i;
        }
        module.linked_by = linked_by;
        file_.modules.push_back(std::move(module));
        return file_.modules.back().index;
    }

    FileCoverage& get() { return file_; }
    [[nodiscard]] Coverage coverage() const { return {{file_}}; }

  private:
    FileCoverage file_;
};

inline Prediction ask(const File& file, const std::string& gpu, const std::string& driver, const Environment& environment = {}) {
    return predict(file.coverage(), parse_gpu(gpu).value(), parse_driver(driver).value(), environment);
}

inline std::vector<Outcome> all_outcomes(const Prediction& prediction) {
    std::vector<Outcome> outcomes;
    for (const FilePrediction& file : prediction.files) {
        for (const ModulePrediction& module : file.modules) {
            outcomes.insert(outcomes.end(), module.outcomes.begin(), module.outcomes.end());
        }
    }
    return outcomes;
}

// "sass 90a", "jit 80", "fails 209", "unknown": what a test compares.
inline std::string summary(const Outcome& outcome) {
    std::string text = to_string(outcome.kind);
    if (outcome.image) {
        text += " " + to_string(outcome.image->arch);
    }
    if (outcome.error) {
        text += " " + std::to_string(outcome.error->code);
    }
    return text;
}

// The one outcome of a file with one kernel, or of the kernel named.
inline Outcome outcome(const File& file, const std::string& gpu, const std::string& driver, const Environment& environment = {},
                       const std::string& kernel = "k") {
    for (Outcome& candidate : all_outcomes(ask(file, gpu, driver, environment))) {
        if (candidate.kernel == kernel) {
            return candidate;
        }
    }
    return {};
}

inline std::string what(const File& file, const std::string& gpu, const std::string& driver, const Environment& environment = {},
                        const std::string& kernel = "k") {
    return summary(outcome(file, gpu, driver, environment, kernel));
}

// A shared library of one translation unit.
inline File registered_images(std::vector<Image> images) {
    File file;
    file.add(ModuleKind::registered, std::move(images));
    return file;
}

inline File registered(const std::vector<std::string>& targets) { return registered_images(images(targets)); }

inline bool says(const std::vector<std::string>& texts, const std::string& part) {
    for (const std::string& text : texts) {
        if (text.find(part) != std::string::npos) {
            return true;
        }
    }
    return false;
}

} // namespace made
