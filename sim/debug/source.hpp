// SPDX-License-Identifier: Apache-2.0
// The source text of a program, as it is found while the debugger runs.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/image/image.hpp"

namespace heddle::debug {

class Sources {
 public:
  // Line `number` from 1; nothing where the file, or the line in it, is not found.
  std::optional<std::string> line(const std::string& file, std::uint32_t number);
  // Where an assembly file has a label; nothing for other files.
  std::optional<std::uint32_t> label(const std::string& file, const std::string& name);

 private:
  const std::vector<std::string>& lines(const std::string& file);
  std::map<std::string, std::vector<std::string>> files_;
};

// "file.cpp:57", or "instruction 12" where the image has no line.
std::string place_text(const isa::ProgramImage& image, std::uint32_t pc);

}  // namespace heddle::debug
