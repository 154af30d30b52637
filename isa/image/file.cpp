// SPDX-License-Identifier: Apache-2.0
// Images on disk.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "isa/base/error.hpp"
#include "isa/base/read_file.hpp"
#include "isa/image/image.hpp"

namespace heddle::isa {
namespace {

struct Closer {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Closer>;

[[noreturn]] void io_error(const std::string& path, std::string_view what) {
  fail_at({path}, ErrorKind::bad_input, "HDL-IMG-05", "cannot {} the image: {}", what, std::strerror(errno));
}

}  // namespace

void write_image(const ProgramImage& image, const std::string& path) {
  const std::vector<std::uint8_t> bytes = serialize(image);
  const std::string temporary = path + fmt::format(".{}.tmp", ::getpid());
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file) io_error(path, "create");
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    std::remove(temporary.c_str());
    errno = reason;
    io_error(path, "write");
  }
}

ProgramImage read_image(const std::string& path) {
  const std::optional<std::string> bytes = read_file(path, max_image_bytes);
  if (!bytes) io_error(path, "read");
  try {
    return deserialize(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
  } catch (const Error& e) {
    throw Error(e.kind(), e.id(), e.message(), {path});
  }
}

}  // namespace heddle::isa
