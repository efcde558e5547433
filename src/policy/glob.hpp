// Patterns of names, as in a policy file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cag {

// `*` stands for any text, `?` for one character. The whole text must match.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text);

// For paths: `*` and `?` stop at `/` and at the `!` in front of an archive's member, `**` does not, and `**/` may stand for nothing. A
// pattern that does not begin with `/` may match the end of the path, from a `/` or `!` on: "lib/*.so" matches "/opt/x/lib/a.so" and
// "x.whl!lib/a.so".
[[nodiscard]] bool path_matches(std::string_view pattern, std::string_view path);

[[nodiscard]] bool any_path_matches(const std::vector<std::string>& patterns, std::string_view path);

} // namespace cag
