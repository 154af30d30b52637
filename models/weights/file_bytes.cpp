// SPDX-License-Identifier: Apache-2.0
#include "models/weights/file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "isa/base/error.hpp"

namespace heddle::weights {

namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

std::shared_ptr<const FileBytes> FileBytes::open(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) fail_at({path}, ErrorKind::bad_input, "HDL-WGT-01", "cannot open: {}", std::strerror(errno));
  struct stat status {};
  if (::fstat(file.fd, &status) != 0)
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-01", "cannot read its size: {}", std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail_at({path}, ErrorKind::bad_input, "HDL-WGT-01", "not a regular file");

  std::shared_ptr<FileBytes> result(new FileBytes);
  result->path_ = path;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return result;
  void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (mapping == MAP_FAILED)
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-01", "cannot map {} bytes: {}", size, std::strerror(errno));
  result->mapping_ = mapping;
  result->mapped_ = size;
  result->bytes_ = {static_cast<const std::byte*>(mapping), size};
  return result;
}

std::shared_ptr<const FileBytes> FileBytes::of(std::vector<std::byte> bytes, std::string name) {
  std::shared_ptr<FileBytes> result(new FileBytes);
  result->path_ = std::move(name);
  result->owned_ = std::move(bytes);
  result->bytes_ = result->owned_;
  return result;
}

FileBytes::~FileBytes() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

}  // namespace heddle::weights
