// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "isa/base/error.hpp"

namespace heddle::trace {
namespace {

constexpr std::size_t most_buffered = std::size_t{1} << 18;
constexpr unsigned records_a_look = 1024;  // at the clock

}  // namespace

TraceFile::TraceFile(std::string path)
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      flushed_(std::chrono::steady_clock::now()) {
  if (file_ < 0) fail_at({path_}, ErrorKind::bad_input, "HDL-TRC-02", "cannot be written: {}", std::strerror(errno));
  buffer_.reserve(most_buffered + 4096);
}

TraceFile::~TraceFile() {
  try {
    flush();
  } catch (const Error&) {
    // Said once already, or the run ends with another error.
  }
  ::close(file_);
}

void TraceFile::write(std::string_view record) {
  buffer_ += record;
  if (buffer_.size() >= most_buffered) {
    flush();
  } else if (++records_ % records_a_look == 0 &&
             std::chrono::steady_clock::now() - flushed_ > std::chrono::seconds(1)) {
    flush();
  }
}

void TraceFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t n = ::write(file_, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      buffer_.clear();
      fail_at({path_}, ErrorKind::bad_input, "HDL-TRC-02", "cannot be written: {}", std::strerror(errno));
    }
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  buffer_.clear();
  flushed_ = std::chrono::steady_clock::now();
}

}  // namespace heddle::trace
