// SPDX-License-Identifier: Apache-2.0
#include "sim/app/profile/source_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace heddle::app {
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

std::vector<std::string> lines_of(const std::string& path, std::size_t& budget) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::min(most_source_file_bytes, budget), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const bool whole = file.eof();
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!whole) text.resize(text.rfind('\n') + 1);  // npos + 1: nothing
  budget -= text.size();
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    from = end + 1;
  }
  return lines;
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

std::map<std::string, std::vector<std::string>> source_text(const std::set<std::string>& names) {
  std::map<std::string, std::vector<std::string>> out;
  std::size_t budget = most_source_bytes;
  for (const std::string& name : names) {
    if (budget == 0) break;
    const std::string path = find_source(name);
    if (path.empty()) continue;
    std::vector<std::string> lines = lines_of(path, budget);
    if (!lines.empty()) out[name] = std::move(lines);
  }
  return out;
}

}  // namespace heddle::app
