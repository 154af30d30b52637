// SPDX-License-Identifier: Apache-2.0
// Runs the heddle program as a user's shell would, and keeps what came back.
#pragma once
#include <string>
#include <string_view>

namespace heddle::system_test {

struct Ran {
  int status = -1;  // the exit code; 128 + n for signal n
  std::string out;  // stdout
  std::string err;  // stderr
};

// `arguments` is a piece of shell, quoted as on a command line; it runs in `folder`.
Ran heddle(const std::string& arguments, const std::string& folder = HEDDLE_SOURCE_DIR);

std::size_t lines(std::string_view text);  // complete ones

// A new folder under the system's temporary one, removed with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::string& path() const { return path_; }
  // Writes a file in it and returns its path.
  std::string file(const std::string& name, std::string_view content) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace heddle::system_test
