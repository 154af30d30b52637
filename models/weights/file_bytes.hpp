// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, mapped read-only, so that a large checkpoint costs address space and not memory.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::weights {

class FileBytes {
 public:
  // Throws HDL-WGT-01 where the file is absent, unreadable or not a regular file.
  static std::shared_ptr<const FileBytes> open(const std::string& path);
  // Bytes from elsewhere; `name` stands for the path in errors.
  static std::shared_ptr<const FileBytes> of(std::vector<std::byte> bytes, std::string name);

  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  FileBytes() = default;
  std::string path_;
  std::span<const std::byte> bytes_;
  std::vector<std::byte> owned_;
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace heddle::weights
