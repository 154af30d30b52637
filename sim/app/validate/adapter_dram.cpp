// SPDX-License-Identifier: Apache-2.0
// The DRAM model alone: tables of request streams driven through a reference simulator (ini,mapping,pattern,...), and
// the closed forms dram/* of test,params,expected,unit,tolerance. What is run is the bank model that chips use, without
// a chip around it.
#include <algorithm>
#include <array>

#include "sim/app/validate/suite_row.hpp"
#include "sim/memory/driver.hpp"
#include "sim/memory/probe.hpp"

namespace heddle::validate {
namespace {

constexpr std::array<std::string_view, 15> stream_columns{
    "ini",    "mapping", "pattern", "req_B", "n_req",    "write_frac", "window",    "rate_per_clk",
    "inject", "cycles",  "ns",      "GBps",  "pct_peak", "lat_avg_ns", "lat_p50_ns"};
constexpr std::int64_t most_requests = 1 << 24;

// Which rows are alike in what they leave to chance, by the table's own words.
std::string group_of(const Row& row, double write_fraction, std::int64_t window, double rate) {
  if (window == 1) return "one request at a time";
  if (window > 0) return "window";
  if (rate > 0) return "offered rate";
  if (row.text("pattern").starts_with("rand") || write_fraction > 0) return "random and mixes";
  return "streams, strides, copies";
}

Case stream_case(const Row& row, const ChipChoice&) {
  row.table().require_columns({stream_columns.begin(), stream_columns.end()}, {"lat_p99_ns"});
  memory::Stream stream;
  memory::Injection injection;
  memory::NamedMemory memory;
  const auto placed = [&](std::string_view column, auto read) {
    try {
      return read();
    } catch (const Error& e) {
      throw Error(e.kind(), e.id(), e.message(), row.place(column));
    }
  };
  memory = placed("ini", [&] { return memory::memory_of_ini(row.text("ini"), row.text("mapping")); });
  stream.pattern = placed("pattern", [&] { return memory::parse_pattern(row.text("pattern")); });
  stream.bytes = row.integer("req_B", 1, 1 << 20);
  stream.requests = row.integer("n_req", 1, most_requests);
  stream.write_fraction = row.number("write_frac");
  injection.window = row.integer("window", 0, most_requests);
  injection.rate = row.number("rate_per_clk");
  injection.per_channel = row.text("inject") == "perch";
  if (!injection.per_channel && row.text("inject") != "inorder")
    fail_at(row.place("inject"), ErrorKind::bad_input, "HDL-VAL-08", "inject is '{}'; expected inorder or perch",
            row.text("inject"));
  const double measured = row.positive("GBps");
  row.number("cycles"), row.number("ns"), row.number("pct_peak");

  Case c;
  c.group = group_of(row, stream.write_fraction, injection.window, injection.rate);
  const std::string& ini = row.text("ini");
  c.label = fmt::format("{} {} {}", ini.substr(0, ini.rfind(".ini")), row.text("mapping"), row.text("pattern"));
  if (stream.write_fraction > 0) c.label += fmt::format(" writes {:g}", stream.write_fraction);
  if (injection.window > 0) c.label += fmt::format(" window {}", injection.window);
  if (injection.rate > 0) c.label += fmt::format(" rate {:g}", injection.rate);
  if (injection.per_channel) c.label += " perch";
  c.machine = "the bank model of DRAM";
  c.place = row.place();
  // The latency of an idle memory is the row's point where one request is out at a time; under load it is the queues'.
  const double latency = injection.window == 1 ? row.positive("lat_avg_ns") : 0;
  c.run = [=] {
    const memory::DriveResult r = memory::drive(memory.spec, memory.setup, stream, injection);
    Measurement bandwidth{"bandwidth", "GB/s", measured, r.bytes_per_second / 1e9};
    const bool by_chance = stream.pattern.kind == memory::Pattern::Kind::random || stream.write_fraction > 0;
    bandwidth.tolerance = Tolerance{ErrorScale::percent, by_chance ? 8.0 : 3.0};
    std::vector<Measurement> out{bandwidth};
    if (latency > 0) {
      Measurement m{"idle latency", "ns", latency, r.latency_average_ns};
      m.scale = ErrorScale::absolute;
      m.tolerance = Tolerance{ErrorScale::absolute, 2};
      out.push_back(m);
    }
    return out;
  };
  return c;
}

// "dram/HBM2_1600_8Gb_pc64" names a device, params one quantity of it.
Case closed_form_case(const Row& row, const ChipChoice&) {
  const SuiteRow s(row);
  s.require_params(1, {});
  const std::string device = memory::preset_of_device(s.test().substr(s.test().find('/') + 1));
  const std::string quantity = s.words().front();
  try {
    config::load_dram(device);
  } catch (const Error& e) {
    throw Error(e.kind(), e.id(), e.message(), row.place("test"));
  }
  const std::vector<std::string>& known = memory::probe_names();
  if (std::find(known.begin(), known.end(), quantity) == known.end())
    fail_at(row.place("params"), ErrorKind::bad_input, "HDL-VAL-09", "'{}' is no quantity of a DRAM; expected {}",
            quantity, fmt::join(known, ", "));
  Case c;
  c.group = quantity;
  c.label = s.test();
  c.machine = "the bank model of DRAM";
  c.place = row.place();
  s.tolerance();  // refused here, where the place is known
  c.run = [=, expected = s.expected().front(), text = row.text("tolerance")] {
    const memory::Probe p = memory::probe(device, quantity);
    Measurement m{p.latency ? "latency" : "bandwidth", p.latency ? "ns" : "GB/s", expected, p.value};
    m.tolerance = parse_tolerance(text, true, p.clock_ns);
    return std::vector<Measurement>{m};
  };
  return c;
}

const Adapter streams(
    "dram streams", "columns ini,mapping,pattern,... of request streams to a DRAM",
    [](const Row& row) { return row.table().has("ini") && row.table().has("pattern") ? Fit::exact : Fit::none; },
    stream_case);
const Adapter closed_forms(
    "dram closed forms", "test 'dram/...' of a suite", [](const Row& row) { return suite_fit(row, "dram/"); },
    closed_form_case);

}  // namespace
}  // namespace heddle::validate
