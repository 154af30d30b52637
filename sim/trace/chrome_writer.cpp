// SPDX-License-Identifier: Apache-2.0
// Events and their keys: the "Trace Event Format" document, as chromium.org links it.
#include "sim/trace/chrome_writer.hpp"

#include <fmt/format.h>

#include "isa/base/error.hpp"
#include "sim/trace/perfetto_writer.hpp"

namespace heddle::trace {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string microseconds(TimeFs t) {
  constexpr std::int64_t fs_in_us = 1'000'000'000;
  return fmt::format("{}.{:09}", t.value() / fs_in_us, t.value() % fs_in_us);
}

}  // namespace

void ChromeWriter::event(std::string text) {
  file_.write((first_ ? "[\n" : ",\n") + std::move(text));
  first_ = false;
}

void ChromeWriter::process(std::uint32_t process, std::string_view name) {
  event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", process, quoted(name)));
}

void ChromeWriter::track(std::uint32_t track, std::uint32_t process, std::string_view name) {
  process_of_[track] = process;
  event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process, track,
                    quoted(name)));
  event(fmt::format(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", process,
                    track, track));
}

void ChromeWriter::counter(std::uint32_t, std::uint32_t, std::string_view, std::string_view) {}

void ChromeWriter::slice(const Slice& s) {
  std::string args;
  const auto add = [&](std::string_view key, const std::string& value) {
    args += fmt::format("{}{}:{}", args.empty() ? "" : ",", quoted(key), value);
  };
  for (const Arg& a : s.args) add(a.key, a.text.empty() ? fmt::format("{}", a.number) : quoted(a.text));
  if (!s.file.empty()) add("source", quoted(fmt::format("{}:{}", s.file, s.line)));
  const std::string place = fmt::format(R"("pid":{},"tid":{})", process_of_[s.track], s.track);
  event(fmt::format(R"({{"ph":"X","name":{},{},"ts":{},"dur":{},"args":{{{}}}}})", quoted(s.name), place,
                    microseconds(s.begin), microseconds(s.end - s.begin), args));
  for (const std::uint64_t id : s.flows_out)
    event(fmt::format(R"({{"ph":"s","name":"post","cat":"semaphore","id":"{:x}",{},"ts":{}}})", id, place,
                      microseconds(s.begin)));
  for (const std::uint64_t id : s.flows_in)
    event(fmt::format(R"({{"ph":"f","bp":"e","name":"post","cat":"semaphore","id":"{:x}",{},"ts":{}}})", id, place,
                      microseconds(s.begin)));
}

void ChromeWriter::begin(std::uint32_t track, TimeFs time, std::string_view name) {
  event(fmt::format(R"({{"ph":"B","name":{},"pid":{},"tid":{},"ts":{}}})", quoted(name), process_of_[track], track,
                    microseconds(time)));
}

void ChromeWriter::end(std::uint32_t track, TimeFs time) {
  event(fmt::format(R"({{"ph":"E","pid":{},"tid":{},"ts":{}}})", process_of_[track], track, microseconds(time)));
}

void ChromeWriter::value(std::uint32_t, std::uint32_t process, std::string_view name, TimeFs time, double value) {
  event(fmt::format(R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{"value":{}}}}})", quoted(name), process,
                    microseconds(time), value));
}

void ChromeWriter::finish() {
  file_.write(first_ ? "[]\n" : "\n]\n");
  file_.flush();
}

void require_trace_name(const std::string& path) {
  if (path.ends_with(".pftrace") || path.ends_with(".json")) return;
  fail(ErrorKind::bad_input, "HDL-TRC-01",
       "--trace {}: expected a name that ends in .pftrace (Perfetto) or .json (Chrome)", path);
}

std::unique_ptr<ITraceSink> make_trace_sink(const std::string& path) {
  require_trace_name(path);
  if (path.ends_with(".json")) return std::make_unique<ChromeWriter>(path);
  return std::make_unique<PerfettoWriter>(path);
}

}  // namespace heddle::trace
