// SPDX-License-Identifier: Apache-2.0
#include "sim/app/profile/source_text.hpp"

#include <algorithm>
#include <fstream>

#include "isa/base/find_source.hpp"

namespace heddle::app {
namespace {

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
