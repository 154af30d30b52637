// SPDX-License-Identifier: Apache-2.0
// What a DRAM standard is, as plain data: one channel's shape, its timings in clocks, its controller. Presets are the
// files under configs/dram, each with the sources of its numbers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "isa/base/strong.hpp"
#include "sim/config/describe.hpp"

namespace heddle::config {

struct DramOrganization {
  std::int64_t channels = 1;         // of a stack, module or device; pseudo-channels count as channels
  std::int64_t width_bits = 0;       // of a channel's data bus
  std::int64_t burst_length = 0;     // beats
  std::int64_t beats_per_clock = 2;  // 2: double data rate; 8: a 4:1 write clock, itself double data rate
  std::int64_t ranks = 1;
  std::int64_t bank_groups = 1;
  std::int64_t banks = 0;               // of a bank group
  std::int64_t page_bytes = 0;          // of a row, of one bank of one channel
  bool row_and_column_command = false;  // HBM: a row and a column command in the same clock
};

// In clocks of DramSpec::clock_period. The names are JEDEC's.
struct DramTiming {
  std::int64_t cl = 0, cwl = 0;
  std::int64_t rcd_rd = 0, rcd_wr = 0;
  std::int64_t rp = 0, ras = 0;
  std::int64_t rrd_s = 0, rrd_l = 0, faw = 0;
  std::int64_t ccd_s = 0, ccd_l = 0;
  std::int64_t wtr_s = 0, wtr_l = 0;
  std::int64_t rtp = 0, wr = 0;
  std::int64_t rtrs = 0;  // idle clocks on the data bus where its direction or its rank changes
  std::int64_t rfc_ab = 0, rfc_pb = 0, refi = 0, rrefd = 0;
};

struct DramController {
  std::int64_t bank_queue = 8;  // commands waiting at each bank
  std::int64_t row_hit_limit =
      4;  // requests after which a waiting row conflict may close the row in spite of more hits
  std::int64_t write_low_mark = 8;  // more writes than this are written out when no command waits; a full buffer always
};

struct DramSpec {
  std::string name, source;
  TimeFs clock_period{};
  DramOrganization organization;
  DramTiming timing;
  DramController controller;

  std::int64_t burst_bytes() const { return organization.width_bits / 8 * organization.burst_length; }
  std::int64_t burst_clocks() const { return organization.burst_length / organization.beats_per_clock; }
  std::int64_t banks_in_channel() const { return organization.ranks * organization.bank_groups * organization.banks; }
};

void describe(Fields& f, DramSpec& spec);

// `standard` is the name of a preset under configs/dram, or a YAML file. Throws bad_input: HDL-DRAM-01 no such preset,
// HDL-DRAM-02 values that do not fit together, and whatever load_fields() finds.
DramSpec load_dram(const std::string& standard);

// The same from text; `file` is the place that errors name.
DramSpec parse_dram(const std::string& yaml, const std::string& name, const std::string& file);

// Names of the presets under configs/dram, sorted.
std::vector<std::string> dram_presets();

}  // namespace heddle::config
