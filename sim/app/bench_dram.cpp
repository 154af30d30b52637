// SPDX-License-Identifier: Apache-2.0
// heddle bench dram --pattern seq --pattern rand ...: what a memory gives to request streams, without the rest of a
// chip.
#include <memory>
#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"
#include "sim/app/bench_parts.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"
#include "sim/config/load_chip.hpp"
#include "sim/memory/driver.hpp"

namespace heddle::app {
namespace {

using memory::DriveResult;

// A row: a pattern with what the others of the command do not share.
struct Row {
  std::string pattern;
  double write_fraction = 0;
  std::int64_t window = 0;
};

struct BenchDram {
  std::vector<std::string> patterns;
  bool all = false;
  memory::Stream stream;
  memory::Injection injection;
  std::string inject = "inorder";
  std::string chip, standard, mapping, page_policy, refresh;
  std::vector<std::string> set;
  std::int64_t channels = 0;
  std::string json;
  bool quiet = false;
};

// The standard table: streams, random pieces, strides, two streams, writes, and latency at rest.
const std::vector<Row>& standard_rows() {
  static const std::vector<Row> rows{{"seq"},        {"rand"},       {"rand:256"},    {"rand:1KiB"},   {"rand:4KiB"},
                                     {"stride:128"}, {"stride:512"}, {"stride:4KiB"}, {"stride:1MiB"}, {"2stream"},
                                     {"2streamB"},   {"copy"},       {"copyB"},       {"seq", 0.33},   {"rand", 0.33},
                                     {"rand", 1},    {"seq", 0, 1},  {"rand", 0, 1},  {"seq", 0, 64},  {"rand", 0, 64}};
  return rows;
}

config::MemorySpec memory_of(const BenchDram& b) {
  config::MemorySpec spec;
  if (!b.chip.empty()) {
    spec = config::load_chip(b.chip, b.set).memory;
    if (spec.model != "bank")
      fail(ErrorKind::bad_input, "HDL-APP-20",
           "--chip {}: its memory.model is {}, which has no banks to drive; --set memory.model=bank", b.chip,
           spec.model);
  } else if (!b.set.empty()) {
    fail(ErrorKind::bad_input, "HDL-APP-21", "--set {}: overrides a chip's key, expected --chip too", b.set.front());
  } else {
    spec.standard = "HBM2";
  }
  if (!b.standard.empty()) spec.standard = b.standard;
  if (b.channels > 0) spec.channels = b.channels;
  if (!b.mapping.empty()) spec.mapping = b.mapping;
  if (!b.page_policy.empty()) spec.page_policy = b.page_policy;
  if (!b.refresh.empty()) spec.refresh = b.refresh;
  return spec;
}

std::string heading(const BenchDram& b, const config::MemorySpec& spec, const memory::DramSetup& setup) {
  return fmt::format(
      "{}: {} channel{}, {:.1f} GB/s, mapping {}, {} page, refresh {}; {} requests of {} B, {}\n"
      "{:<14}{:>7}{:>8}{:>9}{:>8}{:>10}{:>9}{:>9}{:>8}{:>8}{:>10}{:>10}{:>12}\n",
      spec.standard, setup.channels, setup.channels == 1 ? "" : "s",
      static_cast<double>(setup.peak_bytes_per_second) * 1e-9, spec.mapping, spec.page_policy, spec.refresh,
      grouped(static_cast<std::uint64_t>(b.stream.requests)), b.stream.bytes,
      b.injection.per_channel ? "a FIFO for each channel" : "one FIFO", "pattern", "writes", "window", "GB/s", "peak",
      "latency", "median", "p99 ns", "hits", "misses", "conflicts", "refreshes", "host req/s");
}

std::string line(const Row& row, const DriveResult& r, const BenchDram& b) {
  const auto bursts = static_cast<double>(r.stats.row_hits + r.stats.row_misses + r.stats.row_conflicts);
  const auto share = [&](std::uint64_t n) { return fmt::format("{:.1f} %", 100 * static_cast<double>(n) / bursts); };
  return fmt::format("{:<14}{:>7}{:>8}{:>9.2f}{:>8}{:>10.1f}{:>9.1f}{:>9.1f}{:>8}{:>8}{:>10}{:>10}{:>12}\n",
                     row.pattern, fmt::format("{:g} %", 100 * row.write_fraction),
                     row.window == 0 ? "-" : fmt::to_string(row.window), r.bytes_per_second * 1e-9,
                     fmt::format("{:.1f} %", 100 * r.peak_share), r.latency_average_ns, r.latency_median_ns,
                     r.latency_p99_ns, share(r.stats.row_hits), share(r.stats.row_misses), share(r.stats.row_conflicts),
                     r.stats.refreshes, count_text(static_cast<double>(b.stream.requests) / r.host_seconds));
}

nlohmann::json json_of(const Row& row, const DriveResult& r, const BenchDram& b) {
  return {{"pattern", row.pattern},
          {"write_fraction", row.write_fraction},
          {"window", row.window},
          {"rate", b.injection.rate},
          {"inject", b.inject},
          {"requests", b.stream.requests},
          {"request_bytes", b.stream.bytes},
          {"cycles", r.clocks},
          {"time_ns", r.nanoseconds},
          {"gb_per_second", r.bytes_per_second * 1e-9},
          {"peak_share", r.peak_share},
          {"latency_ns",
           {{"average", r.latency_average_ns},
            {"median", r.latency_median_ns},
            {"p99", r.latency_p99_ns},
            {"least", r.latency_least_ns},
            {"read_average", r.reads > 0 ? nlohmann::json(r.read_latency_average_ns) : nlohmann::json()}}},
          {"row_hits", r.stats.row_hits},
          {"row_misses", r.stats.row_misses},
          {"row_conflicts", r.stats.row_conflicts},
          {"refreshes", r.stats.refreshes},
          {"data_bus_busy_ns", static_cast<double>(r.stats.busy.value()) * 1e-6},
          {"host_seconds", r.host_seconds},
          {"host_requests_per_second", static_cast<double>(b.stream.requests) / r.host_seconds}};
}

ExitCode run_bench_dram(BenchDram b) {
  require_writable(b.json);
  b.injection.per_channel = b.inject == "perch";
  std::vector<Row> rows;
  if (b.all) rows = standard_rows();
  for (const std::string& p : b.patterns) rows.push_back({p, b.stream.write_fraction, b.injection.window});
  if (rows.empty()) rows.push_back({"seq", b.stream.write_fraction, b.injection.window});
  std::vector<memory::Pattern> patterns;
  for (const Row& row : rows) patterns.push_back(memory::parse_pattern(row.pattern));
  const config::MemorySpec spec = memory_of(b);
  const memory::DramSetup setup = memory::make_dram_setup(spec);

  nlohmann::json json = {{"schema", result_schema}, {"command", "bench dram"}, {"chip", b.chip}};
  json["memory"] = {{"standard", spec.standard}, {"channels", setup.channels},
                    {"mapping", spec.mapping},   {"page_policy", spec.page_policy},
                    {"refresh", spec.refresh},   {"peak_bytes_per_second", setup.peak_bytes_per_second}};
  json["rows"] = nlohmann::json::array();
  std::string out = heading(b, spec, setup);
  const bool show = b.json != "-";
  Progress progress("bench dram", static_cast<double>(rows.size()), b.quiet);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    memory::Stream stream = b.stream;
    stream.pattern = patterns[i];
    stream.write_fraction = rows[i].write_fraction;
    memory::Injection injection = b.injection;
    injection.window = rows[i].window;
    const DriveResult r = memory::drive(spec, setup, stream, injection);
    out += line(rows[i], r, b);
    json["rows"].push_back(json_of(rows[i], r, b));
    progress.at(static_cast<double>(i + 1));
  }
  if (!b.json.empty()) write_json(b.json, json);
  if (show) print_result(out);
  return success;
}

}  // namespace

std::function<ExitCode()> add_bench_dram(CLI::App& bench) {
  auto b = std::make_shared<BenchDram>();
  CLI::App* sub = bench.add_subcommand("dram", "Drive a DRAM model with request streams: bandwidth, latency, row hits");
  sub->add_option("--pattern", b->patterns,
                  "seq, rand, rand:BYTES, stride:BYTES, 2stream, 2streamB, copy, copyB; several make several rows")
      ->delimiter(',')
      ->type_name("NAME");
  sub->add_flag("--all", b->all, "The standard table of patterns, write shares and windows");
  sub->add_option("--requests", b->stream.requests, "Of each row")->type_name("N")->capture_default_str();
  sub->add_option("--bytes", b->stream.bytes, "Of a request")->type_name("N")->capture_default_str();
  sub->add_option("--write-fraction", b->stream.write_fraction, "Chance that a request is a write")
      ->type_name("0..1")
      ->capture_default_str();
  sub->add_option("--window", b->injection.window, "Most requests outstanding; 0: no bound")
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--rate", b->injection.rate, "Requests offered a memory clock; 0: as fast as they are accepted")
      ->type_name("R")
      ->capture_default_str();
  sub->add_option("--inject", b->inject, "inorder: one FIFO for all channels; perch: one for each")
      ->check(CLI::IsMember({"inorder", "perch"}))
      ->type_name("inorder|perch")
      ->capture_default_str();
  sub->add_option("--seed", b->stream.seed, "Of the random patterns")->type_name("N")->capture_default_str();
  sub->add_option("--chip", b->chip, "The memory of a chip: its YAML file, or a preset's name")
      ->type_name("C.yaml|NAME");
  sub->add_option("--set", b->set, "Override a key of that chip; may be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--standard", b->standard, "A DRAM preset or its YAML file; HBM2 where there is no --chip")
      ->type_name("NAME|D.yaml");
  sub->add_option("--channels", b->channels, "Instead of the standard's own")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  sub->add_option("--mapping", b->mapping, "Address fields, most significant first, such as rorabgbachco")
      ->type_name("FIELDS");
  sub->add_option("--page-policy", b->page_policy, "After an access the row stays open, or is closed")
      ->check(CLI::IsMember({"open", "closed"}))
      ->type_name("open|closed");
  sub->add_option("--refresh", b->refresh, "How banks are refreshed")
      ->check(CLI::IsMember({"all_bank", "per_bank", "none"}))
      ->type_name("all_bank|per_bank|none");
  sub->add_option("--json", b->json, "Write the result as JSON to a file, or to stdout for -")->type_name("FILE|-");
  sub->add_flag("--quiet", b->quiet, "No progress on stderr");
  return [b] { return run_bench_dram(*b); };
}

}  // namespace heddle::app
