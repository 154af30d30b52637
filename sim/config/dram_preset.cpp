// SPDX-License-Identifier: Apache-2.0
#include "sim/config/dram_preset.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>

#include "isa/base/error.hpp"
#include "sim/config/load_fields.hpp"
#include "sim/config/yaml_node.hpp"

namespace heddle::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view dram_schema = "heddle.dram/1";
constexpr Range clocks{0, 1'000'000'000};
constexpr Range some_clocks{1, 1'000'000};

fs::path preset_folder() { return fs::path(HEDDLE_CONFIG_DIR) / "dram"; }

void describe_organization(Fields& f, DramOrganization& o) {
  f.number("channels", o.channels, Unit::none, {1, 1024}, optional, "Channels (pseudo-channels) of a stack or device");
  f.number("width_bits", o.width_bits, Unit::none, {8, 1024}, required, "Data bus of a channel");
  f.number("burst_length", o.burst_length, Unit::none, {1, 64}, required, "Beats of a burst");
  f.number("beats_per_clock", o.beats_per_clock, Unit::none, {1, 16}, optional, "Beats in a command clock");
  f.number("ranks", o.ranks, Unit::none, {1, 4}, optional, "Ranks of a channel");
  f.number("bank_groups", o.bank_groups, Unit::none, {1, 16}, required, "Bank groups of a rank");
  f.number("banks", o.banks, Unit::none, {1, 32}, required, "Banks of a bank group");
  f.number("page", o.page_bytes, Unit::bytes, {32, 1 << 20}, required, "Row of one bank");
  f.flag("row_and_column_command", o.row_and_column_command, optional,
         "A row and a column command may share a clock (HBM)");
}

void describe_timing(Fields& f, DramTiming& t) {
  const auto clock = [&f](std::string_view key, std::int64_t& member, Range range, std::string_view doc) {
    f.number(key, member, Unit::none, range, required, doc);
  };
  clock("CL", t.cl, some_clocks, "Read command to first data");
  clock("CWL", t.cwl, some_clocks, "Write command to first data");
  clock("tRCD_RD", t.rcd_rd, some_clocks, "Activate to read");
  clock("tRCD_WR", t.rcd_wr, some_clocks, "Activate to write");
  clock("tRP", t.rp, some_clocks, "Precharge to activate");
  clock("tRAS", t.ras, some_clocks, "Activate to precharge");
  clock("tRRD_S", t.rrd_s, some_clocks, "Activate to activate, other bank group");
  clock("tRRD_L", t.rrd_l, some_clocks, "Activate to activate, same bank group");
  clock("tFAW", t.faw, some_clocks, "Window of four activates");
  clock("tCCD_S", t.ccd_s, some_clocks, "Column to column command, other bank group");
  clock("tCCD_L", t.ccd_l, some_clocks, "Column to column command, same bank group");
  clock("tWTR_S", t.wtr_s, some_clocks, "End of write data to read, other bank group");
  clock("tWTR_L", t.wtr_l, some_clocks, "End of write data to read, same bank group");
  clock("tRTP", t.rtp, some_clocks, "Read to precharge");
  clock("tWR", t.wr, some_clocks, "End of write data to precharge");
  clock("tRTRS", t.rtrs, clocks, "Idle clocks where the data bus changes direction or rank");
  clock("tRFC", t.rfc_ab, some_clocks, "All-bank refresh to activate");
  clock("tRFC_pb", t.rfc_pb, some_clocks, "Per-bank refresh to activate of that bank");
  clock("tREFI", t.refi, {2, 1'000'000'000}, "Between all-bank refreshes; per bank: this divided by the banks");
  clock("tRREFD", t.rrefd, some_clocks, "Per-bank refresh to activate or refresh of another bank");
}

void describe_controller(Fields& f, DramController& c) {
  f.number("bank_queue", c.bank_queue, Unit::none, {1, 16}, optional, "Commands waiting at each bank");
  f.number("row_hit_limit", c.row_hit_limit, Unit::none, {1, 255}, optional,
           "Requests after which a conflict may close a row that still has hits waiting");
  f.number("write_low_mark", c.write_low_mark, Unit::none, {0, 255}, optional,
           "More buffered writes than this are written out while no command waits");
}

void check(const DramSpec& s, const std::string& file) {
  const auto need = [&](bool ok, const std::string& problem) {
    if (!ok) fail_at({file}, ErrorKind::bad_input, "HDL-DRAM-02", "{}", problem);
  };
  const auto power_of_two = [](std::int64_t v) { return std::has_single_bit(static_cast<std::uint64_t>(v)); };
  const DramOrganization& o = s.organization;
  need(o.width_bits % 8 == 0 && power_of_two(s.burst_bytes()),
       fmt::format("a burst is {} bits, expected a power of two of bytes", o.width_bits * o.burst_length));
  need(o.burst_length % o.beats_per_clock == 0, "burst_length is no multiple of beats_per_clock");
  need(o.page_bytes % s.burst_bytes() == 0 && power_of_two(o.page_bytes),
       fmt::format("page is {} bytes, expected a power of two and a multiple of the burst's {} bytes", o.page_bytes,
                   s.burst_bytes()));
  need(power_of_two(o.ranks) && power_of_two(o.bank_groups) && power_of_two(o.banks),
       "ranks, bank_groups and banks must be powers of two");
  need(s.banks_in_channel() <= 64, fmt::format("{} banks in a channel, expected at most 64", s.banks_in_channel()));
  const DramTiming& t = s.timing;
  need(t.ccd_l >= t.ccd_s && t.rrd_l >= t.rrd_s && t.wtr_l >= t.wtr_s, "a _L timing is shorter than its _S timing");
  need(t.refi > 2 * t.rfc_ab + t.ras + t.rp, "tREFI leaves no time between refreshes");
  need(t.refi / s.banks_in_channel() > t.rrefd, "tREFI divided by the banks leaves no time for per-bank refresh");
}

DramSpec build(const YamlNode& root, const std::string& name, const std::string& file) {
  DramSpec spec;
  spec.name = name;
  load_fields(root, "DRAM preset", dram_schema, [&](Fields& f) { describe(f, spec); });
  check(spec, file);
  return spec;
}

}  // namespace

void describe(Fields& f, DramSpec& spec) {
  f.text("source", spec.source, required, "Where the numbers come from");
  f.time("clock_period", spec.clock_period, {1'000, 100'000'000}, required, "Of the command clock");
  f.group("organization", required, "One channel's shape",
          [&](Fields& g) { describe_organization(g, spec.organization); });
  f.group("timing", required, "In command clocks, by their JEDEC names",
          [&](Fields& g) { describe_timing(g, spec.timing); });
  f.group("controller", optional, "The memory controller", [&](Fields& g) { describe_controller(g, spec.controller); });
}

DramSpec load_dram(const std::string& standard) {
  if (standard.ends_with(".yaml")) return build(read_yaml(standard), fs::path(standard).stem().string(), standard);
  const std::vector<std::string> presets = dram_presets();
  if (std::find(presets.begin(), presets.end(), standard) == presets.end())
    fail(ErrorKind::bad_input, "HDL-DRAM-01", "memory: unknown DRAM standard '{}', expected a YAML file or one of: {}",
         standard, fmt::join(presets, ", "));
  const std::string file = (preset_folder() / (standard + ".yaml")).string();
  return build(read_yaml(file), standard, file);
}

DramSpec parse_dram(const std::string& yaml, const std::string& name, const std::string& file) {
  return build(parse_yaml(yaml, file), name, file);
}

std::vector<std::string> dram_presets() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(preset_folder(), error))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace heddle::config
