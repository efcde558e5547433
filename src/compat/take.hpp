// Which image of one container the driver takes, and whether it can use it: rules 3, 4, 6, 14, 17.
#pragma once

#include "compat/decision.hpp"
#include "compat/fit.hpp"

#include <cudaarchguard/coverage.hpp>

#include <optional>

namespace cag::compat {

// Older drivers skip the groups of nvcc -concat (measured on 580).
inline constexpr CudaVersion first_with_concat_groups = {13, 4};

struct Pick {
    std::optional<std::size_t> image; // index; nullopt: none serves
    Fit fit;                          // of the image
    std::optional<Fit> unsure;        // an image that may serve or not, where none surely does
};

// The nearest SASS that serves, and the highest PTX that serves. What the driver cannot read is not there.
[[nodiscard]] Pick pick_sass(const std::vector<Image>& images, const Situation& situation);
[[nodiscard]] Pick pick_ptx(const std::vector<Image>& images, const Situation& situation);

// Why an image that was taken cannot be used; nullopt where it can.
[[nodiscard]] std::optional<Decision> obstacle_to_sass(const Image& image, const Situation& situation);
[[nodiscard]] std::optional<Decision> obstacle_to_jit(const Image& image, const Situation& situation);

// The decision for a container by itself.
[[nodiscard]] Decision take_image(const Module& module, const Situation& situation);

// "SASS 75, 80 and PTX 90": for messages.
[[nodiscard]] std::string list_images(const std::vector<Image>& images);

// The newest toolkit that images record: "13.0", or "".
[[nodiscard]] std::string newest_toolkit(const std::vector<Image>& images);

// Reads "13.0"; nullopt for "".
[[nodiscard]] std::optional<CudaVersion> toolkit_version(const std::string& text);

} // namespace cag::compat
