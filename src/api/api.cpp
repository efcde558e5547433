#include <cudaarchguard/cudaarchguard.hpp>

#include "compat/spec.hpp"
#include "coverage/scan.hpp"

namespace cag {
namespace {

template <class T>
Found<T> found(Result<T> result) {
    return result ? Found<T>(*std::move(result)) : Found<T>::nothing(result.error().message);
}

} // namespace

Coverage read_binaries(const std::vector<std::string>& paths) { return scan(paths); }

Found<Gpu> find_gpu(std::string_view text) { return found(parse_gpu(text)); }

Found<Driver> find_driver(std::string_view text) { return found(parse_driver(text)); }

Driver newest_driver(const Gpu& gpu) { return newest_driver_for(gpu); }

} // namespace cag
