// SPDX-License-Identifier: Apache-2.0
#include "isa/base/read_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>

namespace heddle {

std::optional<std::string> read_file(const std::string& path, std::size_t limit) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::string bytes;
  std::array<char, 1 << 16> chunk{};
  int reason = 0;
  for (std::size_t n = 0; (n = std::fread(chunk.data(), 1, chunk.size(), file)) > 0;) {
    if (n > limit - bytes.size()) {
      reason = EFBIG;
      break;
    }
    bytes.append(chunk.data(), n);
  }
  if (reason == 0 && std::ferror(file) != 0) reason = errno;
  std::fclose(file);
  if (reason == 0) return bytes;
  errno = reason;
  return std::nullopt;
}

}  // namespace heddle
