// SPDX-License-Identifier: Apache-2.0
// Perfetto's trace format: one TracePacket after the other, so that a file cut anywhere is readable up to the cut.
#pragma once
#include <map>

#include "sim/trace/protobuf.hpp"
#include "sim/trace/trace_file.hpp"
#include "sim/trace/trace_sink.hpp"

namespace heddle::trace {

class PerfettoWriter final : public ITraceSink {
 public:
  explicit PerfettoWriter(const std::string& path) : file_(path) {}
  void process(std::uint32_t process, std::string_view name) override;
  void track(std::uint32_t track, std::uint32_t process, std::string_view name) override;
  void counter(std::uint32_t counter, std::uint32_t process, std::string_view name, std::string_view unit) override;
  void slice(const Slice& slice) override;
  void begin(std::uint32_t track, TimeFs time, std::string_view name) override;
  void end(std::uint32_t track, TimeFs time) override;
  void value(std::uint32_t counter, std::uint32_t process, std::string_view name, TimeFs time, double value) override;
  void finish() override { file_.flush(); }

 private:
  // Strings are written once and named by number from then on; `fresh` gathers the new ones of the next packet.
  using Table = std::map<std::string, std::uint64_t, std::less<>>;
  std::uint64_t intern(Table& table, std::uint32_t field, std::string_view text);
  std::uint64_t intern_place(std::string_view file, std::uint32_t line);
  void forget_when_large();
  void event_packet(TimeFs time, const Message& event);
  void packet(const Message& packet);

  TraceFile file_;
  Table names_, keys_, texts_, places_;
  Message fresh_;
  bool cleared_ = true;  // the next packet starts the numbering anew
};

}  // namespace heddle::trace
