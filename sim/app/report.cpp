// SPDX-License-Identifier: Apache-2.0
#include "sim/app/report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "sim/app/output.hpp"

namespace heddle::app {
namespace {

constexpr std::array<std::string_view, 3> mode_names{"values", "timing", "full"};  // by hdl_mode

// Mean over the units of one kind ("mxu") of their busy cycles, as a part of all cycles.
double busy_part(const sdk::Counters& spent, std::string_view kind, double cycles) {
  double busy = 0, units = 0;
  for (const auto& [name, counter] : spent.rows) {
    if (!name.starts_with("core") || !name.ends_with(".busy")) continue;
    const std::size_t dot = name.find('.');
    if (std::string_view(name).substr(dot + 1).substr(0, kind.size()) != kind) continue;
    busy += static_cast<double>(counter.value);
    units += 1;
  }
  return units > 0 && cycles > 0 ? busy / (units * cycles) : 0;
}

// Three significant digits with the largest of `prefixes` (each 1000 times the one before) that leaves at least one
// digit before the point: 13.1 G. Below the first step a whole number stays whole.
std::string scaled(double value, std::span<const std::string_view> prefixes, std::string_view unit) {
  std::size_t i = 0;
  for (; i + 1 < prefixes.size() && value >= 999.5; ++i) value /= 1000;
  const int decimals = (i == 0 && value == std::floor(value)) || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  const std::string_view space = prefixes[i].empty() && unit.empty() ? "" : " ";
  return fmt::format("{:.{}f}{}{}{}", value, decimals, space, prefixes[i], unit);
}

std::string bound_text(const Utilization& u) {
  if (u.hbm >= 0.5 && u.hbm >= u.mxu && u.hbm >= u.vpu)
    return fmt::format("memory bandwidth ({:.0f} % of its limit)", u.hbm * 100);
  if (u.mxu >= 0.5 && u.mxu >= u.vpu) return "the MXU";
  return u.vpu >= 0.5 ? "the VPU" : "latency and waiting";
}

constexpr std::array<std::string_view, 6> prefixes_up{"", "k", "M", "G", "T", "P"};
constexpr std::array<std::string_view, 4> time_prefixes{"n", "u", "m", ""};

}  // namespace

std::string_view name(hdl_mode mode) { return mode_names[static_cast<std::size_t>(mode)]; }

hdl_mode parse_mode(std::string_view name) {
  for (std::size_t i = 0; i < mode_names.size(); ++i)
    if (mode_names[i] == name) return static_cast<hdl_mode>(i);
  return HDL_MODE_FULL;
}

Report make_report(const sdk::Counters& spent, const hdl_chip_info& chip, hdl_mode mode, double host_seconds) {
  Report r;
  r.chip = chip.name;
  r.mode = name(mode);
  r.cycles = spent["cycles"];
  r.time_ns = static_cast<double>(spent["time_fs"]) / 1e6;
  const auto cycles = static_cast<double>(r.cycles);
  r.utilization.mxu = busy_part(spent, "mxu", cycles);
  r.utilization.vpu = busy_part(spent, "vpu", cycles);
  r.utilization.dma = busy_part(spent, "dma", cycles);
  r.utilization.sequencer = busy_part(spent, "sequencer", cycles);
  r.bytes_read = spent["hbm.bytes_read"];
  r.bytes_written = spent["hbm.bytes_written"];
  const double could_move = static_cast<double>(chip.hbm_bytes_per_second) * r.time_ns / 1e9;
  if (could_move > 0) r.utilization.hbm = static_cast<double>(r.bytes_read + r.bytes_written) / could_move;
  r.instructions = spent["instructions"];
  r.tile_instructions = spent["tile_instructions"];
  r.host_seconds = host_seconds;
  return r;
}

std::string utilization_text(const Report& r) {
  if (!r.timed()) return "";
  const Utilization& u = r.utilization;
  const auto percent = [](double part) { return fmt::format("{:.0f} %", part * 100); };
  return fmt::format(
      "  where the time went   HBM {}   MXU {}   VPU {}   DMA {}   sequencer {}\n  bound by              {}\n",
      percent(u.hbm), percent(u.mxu), percent(u.vpu), percent(u.dma), percent(u.sequencer), bound_text(u));
}

std::string totals_text(const Report& r) {
  const std::string instructions = count_text(static_cast<double>(r.instructions));
  if (!r.timed()) return fmt::format("  {} instructions; {:.3g} host seconds", instructions, r.host_seconds);
  return fmt::format("  moved {}, {} instructions, {} cycles; {:.3g} host seconds",
                     bytes_text(static_cast<double>(r.bytes_read + r.bytes_written)), instructions,
                     count_text(static_cast<double>(r.cycles)), r.host_seconds);
}

nlohmann::json to_json(const Report& r, std::string_view command) {
  const Utilization& u = r.utilization;
  nlohmann::json json = {{"schema", result_schema},
                         {"command", command},
                         {"chip", r.chip},
                         {"mode", r.mode},
                         {"instructions", r.instructions},
                         {"tile_instructions", r.tile_instructions},
                         {"host_seconds", r.host_seconds}};
  // The values mode has no clock: its keys are there and null, so that readers need not ask.
  json["cycles"] = nullptr;
  json["time_ns"] = nullptr;
  json["utilization"] = nullptr;
  json["bytes"] = nullptr;
  if (!r.timed()) return json;
  json["cycles"] = r.cycles;
  json["time_ns"] = r.time_ns;
  json["utilization"] = {{"mxu", u.mxu}, {"vpu", u.vpu}, {"dma", u.dma}, {"sequencer", u.sequencer}, {"hbm", u.hbm}};
  json["bytes"] = {{"hbm_read", r.bytes_read}, {"hbm_written", r.bytes_written}};
  return json;
}

std::string bytes_text(double bytes) { return scaled(bytes, prefixes_up, "B"); }

std::string count_text(double count) { return scaled(count, prefixes_up, ""); }

std::string time_text(double nanoseconds) { return scaled(nanoseconds, time_prefixes, "s"); }

std::string grouped(std::uint64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

}  // namespace heddle::app
