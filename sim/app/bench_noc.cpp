// SPDX-License-Identifier: Apache-2.0
// heddle bench noc --pattern hotspot --pattern uniform ...: a chip's network by itself.
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/app/bench_parts.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"
#include "sim/config/load_chip.hpp"
#include "sim/noc/pattern.hpp"

namespace heddle::app {
namespace {

struct BenchNoc {
  std::vector<std::string> patterns;
  noc::PatternLoad load;
  std::string topology;
  std::int64_t cores = 0, width = 0, hop = -1;
  std::string chip = "edge", json;
  std::vector<std::string> set;
};

ExitCode run_bench_noc(const BenchNoc& b) {
  require_writable(b.json);
  const config::ChipSpec chip = config::load_chip(b.chip, b.set);
  config::NocSpec spec = chip.noc;
  if (!b.topology.empty()) spec.topology = b.topology;
  if (b.width > 0) spec.width_bytes = b.width;
  if (b.hop >= 0) spec.hop_cycles = b.hop;
  const int cores = static_cast<int>(b.cores > 0 ? b.cores : chip.cores);
  const std::vector<std::string>& patterns = b.patterns.empty() ? noc::pattern_names() : b.patterns;

  nlohmann::json json = {{"schema", result_schema}, {"command", "bench noc"}, {"chip", b.chip}};
  json["noc"] = {{"topology", spec.topology},
                 {"cores", cores},
                 {"width_bytes", spec.width_bytes},
                 {"hop_cycles", spec.hop_cycles},
                 {"header_bytes", spec.header_bytes}};
  json["rows"] = nlohmann::json::array();
  std::string out = fmt::format(
      "{} of {} cores, links of {} B a cycle, {} cycles a hop; {} packets of {} B a core, {}\n", spec.topology, cores,
      spec.width_bytes, spec.hop_cycles, grouped(static_cast<std::uint64_t>(b.load.packets)), b.load.bytes,
      b.load.rate > 0 ? fmt::format("{:g} a cycle", b.load.rate) : "back to back");
  out += fmt::format("{:<11}{:>12}{:>12}{:>10}{:>9}{:>10}{:>10}{:>9}  {}\n", "pattern", "cycles", "bound", "of bound",
                     "B/cycle", "latency", "p99", "idle", "busiest link");
  for (const std::string& pattern : patterns) {
    noc::PatternLoad load = b.load;
    load.pattern = pattern;
    const noc::PatternResult r = noc::run_pattern(spec, cores, TimeFs(chip.period_fs()), load);
    out += fmt::format("{:<11}{:>12.0f}{:>12.0f}{:>10}{:>9.1f}{:>10.1f}{:>10.1f}{:>9.1f}  {}\n", pattern, r.cycles,
                       r.bound_cycles, fmt::format("{:.1f} %", 100 * r.bound_cycles / r.cycles), r.bytes_per_cycle,
                       r.latency_average, r.latency_p99, r.idle_latency, r.busiest);
    json["rows"].push_back(
        {{"pattern", pattern},
         {"packets_a_core", load.packets},
         {"packet_bytes", load.bytes},
         {"rate", load.rate},
         {"cycles", r.cycles},
         {"bound_cycles", r.bound_cycles},
         {"bytes_per_cycle", r.bytes_per_cycle},
         {"latency_cycles", {{"average", r.latency_average}, {"p99", r.latency_p99}, {"idle", r.idle_latency}}},
         {"busiest_link", r.busiest}});
  }
  if (!b.json.empty()) write_json(b.json, json);
  if (b.json != "-") print_result(out);
  return success;
}

}  // namespace

std::function<ExitCode()> add_bench_noc(CLI::App& bench) {
  auto b = std::make_shared<BenchNoc>();
  CLI::App* sub =
      bench.add_subcommand("noc", "Drive a network on chip with traffic patterns, against its busiest link");
  sub->add_option("--pattern", b->patterns, "neighbour, uniform, transpose, hotspot; by default all of them")
      ->delimiter(',')
      ->type_name("NAME");
  sub->add_option("--topology", b->topology, "Instead of the chip's, such as crossbar or mesh2d")->type_name("NAME");
  sub->add_option("--cores", b->cores, "Instead of the chip's")->type_name("N")->check(CLI::Range(1, 1024));
  sub->add_option("--width", b->width, "Bytes of a link a cycle, instead of the chip's")
      ->type_name("N")
      ->check(CLI::Range(1, 65536));
  sub->add_option("--hop", b->hop, "Cycles of a router, instead of the chip's")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000));
  sub->add_option("--packets", b->load.packets, "Of each core")->type_name("N")->capture_default_str();
  sub->add_option("--bytes", b->load.bytes, "Of a packet")->type_name("N")->capture_default_str();
  sub->add_option("--rate", b->load.rate, "Packets a core offers a cycle; 0: back to back")
      ->type_name("R")
      ->capture_default_str();
  sub->add_option("--seed", b->load.seed, "Of the random pattern")->type_name("N")->capture_default_str();
  sub->add_option("--chip", b->chip, "Whose network: a YAML file, or a preset's name")
      ->type_name("C.yaml|NAME")
      ->capture_default_str();
  sub->add_option("--set", b->set, "Override a key of that chip; may be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--json", b->json, "Write the result as JSON to a file, or to stdout for -")->type_name("FILE|-");
  return [b] { return run_bench_noc(*b); };
}

}  // namespace heddle::app
