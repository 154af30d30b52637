// SPDX-License-Identifier: Apache-2.0
// The two trace formats, a slice and a counter each: Perfetto's packets as bytes by hand, Chrome's events as JSON.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"
#include "sim/trace/trace_sink.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::trace {
namespace {

struct TempPath {
  explicit TempPath(const std::string& ending)
      : path(
            (std::filesystem::temp_directory_path() / ("heddle-trace-" + std::to_string(getpid()) + ending)).string()) {
  }
  ~TempPath() { std::filesystem::remove(path); }
  std::string read() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string path;
};

std::string text(std::initializer_list<int> bytes) {
  std::string out;
  for (const int b : bytes) out.push_back(static_cast<char>(b));
  return out;
}

TEST_CASE("a Perfetto trace is packets whose strings are written once") {
  const TempPath file(".pftrace");
  const auto sink = make_trace_sink(file.path);
  sink->begin(5, TimeFs(2'999'999), "ab");  // 2 ns: rounded down
  sink->end(5, TimeFs(3'000'000));
  sink->begin(5, TimeFs(4'000'000), "ab");
  sink->finish();
  const std::string expected =
      // Trace.packet of 24 bytes: timestamp 2, sequence 1, flags needs + cleared,
      text({0x0a, 0x18, 0x40, 2, 0x50, 1, 0x68, 3}) +
      // interned_data: event name 1 is "ab"; track_event: begin, track 5, name 1
      text({0x62, 0x08, 0x12, 0x06, 0x08, 1, 0x12, 0x02, 'a', 'b'}) + text({0x5a, 0x06, 0x48, 1, 0x58, 5, 0x50, 1})  //
      + text({0x0a, 0x0c, 0x40, 3, 0x50, 1, 0x68, 2, 0x5a, 0x04, 0x48, 2, 0x58, 5}) +
      text({0x0a, 0x0e, 0x40, 4, 0x50, 1, 0x68, 2, 0x5a, 0x06, 0x48, 1, 0x58, 5, 0x50, 1});
  CHECK(file.read() == expected);
}

TEST_CASE("a Chrome trace is JSON that keeps every femtosecond") {
  const TempPath file(".json");
  const auto sink = make_trace_sink(file.path);
  sink->process(1, "chip \"x\"");
  sink->track(7, 1, "mxu0");
  const std::array<Arg, 2> args{{{"shape", "[1, 2]"}, {"macs", {}, 42}}};
  const std::array<std::uint64_t, 1> out{255}, in{254};
  sink->slice({7, TimeFs(1'234'567'890'123), TimeFs(1'234'567'890'124), "mxu.matmul", "a.cpp", 12, args, out, in});
  sink->value(8, 1, "HBM read", TimeFs(1), 2.5);
  sink->finish();
  const nlohmann::json events = nlohmann::json::parse(file.read());
  REQUIRE(events.size() == 7);
  CHECK(events[0]["args"]["name"] == "chip \"x\"");
  CHECK(events[1]["args"]["name"] == "mxu0");
  CHECK(events[3]["name"] == "mxu.matmul");
  CHECK(events[3]["tid"] == 7);
  CHECK(events[3]["args"] == nlohmann::json{{"shape", "[1, 2]"}, {"macs", 42}, {"source", "a.cpp:12"}});
  CHECK(file.read().find(R"("ts":1234.567890123,"dur":0.000000001)") != std::string::npos);
  CHECK(events[4]["ph"] == "s");
  CHECK(events[4]["id"] == "ff");
  CHECK(events[5]["ph"] == "f");
  CHECK(events[6]["args"]["value"] == 2.5);
}

TEST_CASE("an empty Chrome trace is JSON too") {
  const TempPath file(".json");
  make_trace_sink(file.path)->finish();
  CHECK(nlohmann::json::parse(file.read()).empty());
}

TEST_CASE("other endings and unwritable places are refused") {
  const auto id_of = [](const std::string& path) {
    try {
      make_trace_sink(path);
    } catch (const Error& e) {
      return e.id();
    }
    return std::string();
  };
  CHECK(id_of("trace.txt") == "HDL-TRC-01");
  CHECK(id_of("trace") == "HDL-TRC-01");
  CHECK(id_of("/nowhere/at/all.pftrace") == "HDL-TRC-02");
}

}  // namespace
}  // namespace heddle::trace
