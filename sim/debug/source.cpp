// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/source.hpp"

#include <fmt/format.h>

#include <sstream>

#include "isa/base/find_source.hpp"
#include "isa/base/read_file.hpp"

namespace heddle::debug {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 24;

}  // namespace

const std::vector<std::string>& Sources::lines(const std::string& file) {
  const auto [at, fresh] = files_.try_emplace(file);
  if (!fresh) return at->second;
  const std::optional<std::string> text = heddle::read_file(find_source(file), most_bytes);
  std::istringstream in(text.value_or(""));
  for (std::string line; std::getline(in, line);) at->second.push_back(std::move(line));
  return at->second;
}

std::optional<std::string> Sources::line(const std::string& file, std::uint32_t number) {
  const auto& all = lines(file);
  if (number == 0 || number > all.size()) return std::nullopt;
  return all[number - 1];
}

std::optional<std::uint32_t> Sources::label(const std::string& file, const std::string& name) {
  if (!file.ends_with(".s")) return std::nullopt;
  const auto& all = lines(file);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t begin = all[i].find_first_not_of(" \t");
    if (begin != std::string::npos && all[i].compare(begin, name.size() + 1, name + ":") == 0)
      return static_cast<std::uint32_t>(i + 1);
  }
  return std::nullopt;
}

std::string place_text(const isa::ProgramImage& image, std::uint32_t pc) {
  const isa::SourceLine l = isa::source_of(image, pc);
  return l.file.empty() || l.line == 0 ? fmt::format("instruction {}", pc) : fmt::format("{}:{}", l.file, l.line);
}

}  // namespace heddle::debug
