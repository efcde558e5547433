#include "report/guard_python.hpp"

namespace cag {

std::string guard_python(const Coverage& coverage) { return coverage.files.empty() ? "" : "# to be written\n"; }

} // namespace cag
