// SPDX-License-Identifier: Apache-2.0
#include "isa/base/find_source.hpp"

#include <filesystem>

namespace heddle {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string find_around(const fs::path& folder, const fs::path& name) {
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    if (is_file(at / name)) return (at / name).string();
    if (at == at.root_path()) break;
  }
  return "";
}

}  // namespace

std::string find_source(const std::string& name) {
  if (name.empty()) return "";
  if (is_file(name)) return name;
  fs::path inner;
  for (const fs::path& part : fs::path(name).relative_path())
    if (part != ".." && part != ".") inner /= part;
  if (inner.empty() || fs::path(name).is_absolute()) return "";
  std::error_code error;
  if (std::string found = find_around(fs::current_path(error), inner); !found.empty()) return found;
  return find_around(fs::read_symlink("/proc/self/exe", error).parent_path(), inner);
}

}  // namespace heddle
