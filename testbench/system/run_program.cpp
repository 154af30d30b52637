// SPDX-License-Identifier: Apache-2.0
#include "testbench/system/run_program.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heddle::system_test {

Ran heddle(const std::string& arguments, const std::string& folder) {
  const TempFolder temp;
  const std::string out = temp.path() + "/out", err = temp.path() + "/err";
  const std::string command =
      fmt::format("cd '{}' && '{}' {} >'{}' 2>'{}' </dev/null", folder, HEDDLE_PROGRAM, arguments, out, err);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out), read_file(err)};
}

std::size_t lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TempFolder::TempFolder() : path_((std::filesystem::temp_directory_path() / "heddle-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder " + path_);
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::file(const std::string& name, std::string_view content) const {
  std::ofstream(path_ + "/" + name, std::ios::binary) << content;
  return path_ + "/" + name;
}

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace heddle::system_test
