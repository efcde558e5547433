#include "builders/damage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace cag::test {

std::vector<Damage> damaged_fields(const Bytes& whole, const std::vector<Field>& fields) {
    std::vector<Damage> all;
    for (const Field& field : fields) {
        std::uint64_t was = 0;
        std::memcpy(&was, whole.data() + field.offset, field.size);
        const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * field.size);
        std::vector<std::uint64_t> values{0, 1, most, most / 2, (was + 1) & most, (was - 1) & most};
        std::ranges::sort(values);
        values.erase(std::unique(values.begin(), values.end()), values.end());
        std::erase(values, was);
        for (const std::uint64_t value : values) {
            Damage damage{fmt::format("{} = {:#x}, was {:#x}", field.name, value, was), field.offset, whole};
            std::memcpy(damage.bytes.data() + field.offset, &value, field.size);
            all.push_back(std::move(damage));
        }
    }
    return all;
}

std::vector<Damage> cut_short(const Bytes& whole, const std::vector<std::size_t>& boundaries) {
    std::vector<std::size_t> sizes;
    for (const std::size_t boundary : boundaries) {
        for (const std::size_t size : {boundary - 1, boundary, boundary + 1}) {
            if (size < whole.size()) {
                sizes.push_back(size);
            }
        }
    }
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<Damage> all;
    all.reserve(sizes.size());
    for (const std::size_t size : sizes) {
        all.push_back({fmt::format("cut to {} of {} bytes", size, whole.size()), size,
                       Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))});
    }
    return all;
}

} // namespace cag::test
