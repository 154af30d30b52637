// SPDX-License-Identifier: Apache-2.0
// Distances between commands in clocks, worked out once from a preset's timings.
#pragma once
#include <algorithm>

#include "sim/memory/command.hpp"
#include "sim/memory/dram_setup.hpp"

namespace heddle::memory {

struct Constraints {
  explicit Constraints(const config::DramSpec& s)
      : burst(s.burst_clocks()),
        ccd_s(std::max(burst, s.timing.ccd_s)),
        ccd_l(std::max(burst, s.timing.ccd_l)),
        ccd_rank(std::max(burst + s.timing.rtrs, ccd_s)),
        read_latency(s.timing.cl + burst),
        // The first beat of the second burst follows the last beat of the first by at least the bubble.
        read_to_write(std::max(ccd_s, s.timing.cl + burst + s.timing.rtrs - s.timing.cwl)),
        write_to_read_s(s.timing.cwl + burst + s.timing.wtr_s),
        write_to_read_l(s.timing.cwl + burst + s.timing.wtr_l),
        write_to_read_rank(std::max(ccd_s, s.timing.cwl + burst + s.timing.rtrs - s.timing.cl)),
        read_to_precharge(s.timing.rtp),
        write_to_precharge(s.timing.cwl + burst + s.timing.wr),
        rcd_rd(s.timing.rcd_rd),
        rcd_wr(s.timing.rcd_wr),
        rp(s.timing.rp),
        ras(s.timing.ras),
        rc(s.timing.ras + s.timing.rp),
        rrd_s(s.timing.rrd_s),
        rrd_l(s.timing.rrd_l),
        faw(s.timing.faw),
        rfc_ab(s.timing.rfc_ab),
        rfc_pb(s.timing.rfc_pb),
        rrefd(s.timing.rrefd) {}

  Clock burst, ccd_s, ccd_l, ccd_rank;
  Clock read_latency;  // read command to the end of its data
  Clock read_to_write, write_to_read_s, write_to_read_l, write_to_read_rank;
  Clock read_to_precharge, write_to_precharge;
  Clock rcd_rd, rcd_wr, rp, ras, rc, rrd_s, rrd_l, faw, rfc_ab, rfc_pb, rrefd;
};

}  // namespace heddle::memory
