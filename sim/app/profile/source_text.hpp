// SPDX-License-Identifier: Apache-2.0
// The text of source files that an image's debug lines name, for reports that show it beside their numbers.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::app {

inline constexpr std::size_t most_source_file_bytes = std::size_t{1} << 18;
inline constexpr std::size_t most_source_bytes = std::size_t{1} << 23;  // of all files

// The lines of each of the files that can be read, by name; of a file that is longer than most_source_file_bytes the
// first ones. In order of names, until all together are most_source_bytes.
std::map<std::string, std::vector<std::string>> source_text(const std::set<std::string>& names);

}  // namespace heddle::app
