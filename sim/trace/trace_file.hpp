// SPDX-License-Identifier: Apache-2.0
// A trace file as it grows. What is given to write() in one piece reaches the file in one piece, so a run that is
// killed leaves whole records; buffered, and pushed out at least every second of host time while records come.
#pragma once
#include <chrono>
#include <string>
#include <string_view>

namespace heddle::trace {

class TraceFile {
 public:
  // Throws HDL-TRC-02 (bad_input) when the file cannot be made.
  explicit TraceFile(std::string path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // Throws HDL-TRC-02 when the disk is full.
  void write(std::string_view record);
  void flush();

 private:
  std::string path_;
  int file_ = -1;
  std::string buffer_;
  unsigned records_ = 0;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace heddle::trace
