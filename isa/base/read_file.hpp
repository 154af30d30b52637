// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

namespace heddle {

// All bytes of a file. Nothing, with the reason in errno, when it cannot be read; EFBIG past `limit` bytes.
std::optional<std::string> read_file(const std::string& path, std::size_t limit);

}  // namespace heddle
