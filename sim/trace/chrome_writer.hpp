// SPDX-License-Identifier: Apache-2.0
// Chrome's trace event format as a JSON array, an event a line. Its readers accept an array without its end, which is
// what a killed run leaves; after a run that ended the file is valid JSON. Times are microseconds with nine decimals:
// every femtosecond is kept.
#pragma once
#include <map>

#include "sim/trace/trace_file.hpp"
#include "sim/trace/trace_sink.hpp"

namespace heddle::trace {

class ChromeWriter final : public ITraceSink {
 public:
  explicit ChromeWriter(const std::string& path) : file_(path) {}
  void process(std::uint32_t process, std::string_view name) override;
  void track(std::uint32_t track, std::uint32_t process, std::string_view name) override;
  void counter(std::uint32_t counter, std::uint32_t process, std::string_view name, std::string_view unit) override;
  void slice(const Slice& slice) override;
  void begin(std::uint32_t track, TimeFs time, std::string_view name) override;
  void end(std::uint32_t track, TimeFs time) override;
  void value(std::uint32_t counter, std::uint32_t process, std::string_view name, TimeFs time, double value) override;
  void finish() override;

 private:
  void event(std::string text);
  TraceFile file_;
  bool first_ = true;
  std::map<std::uint32_t, std::uint32_t> process_of_;  // by track
};

}  // namespace heddle::trace
