// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_setup.hpp"

#include <algorithm>
#include <cmath>

#include "isa/base/error.hpp"

namespace heddle::memory {

DramSetup make_dram_setup(const config::MemorySpec& spec) {
  const auto need = [](bool ok, const char* what, const auto& found, const char* expected) {
    if (!ok) fail(ErrorKind::bad_input, "HDL-MEM-02", "memory: {} is {}, expected {}", what, found, expected);
  };
  DramSetup s;
  s.dram = config::load_dram(spec.standard);
  need(spec.channels >= 0 && spec.channels <= 4096, "channels", spec.channels, "0 (the standard's own) to 4096");
  need(spec.queue_depth >= 1 && spec.queue_depth <= 256, "queue_depth", spec.queue_depth, "1 to 256");
  need(spec.latency >= TimeFs{}, "latency", spec.latency.value(), "0 or more");
  need(spec.bandwidth_bytes_per_second >= 0, "bandwidth", spec.bandwidth_bytes_per_second, "0 or more");
  need(spec.page_policy == "open" || spec.page_policy == "closed", "page_policy", spec.page_policy, "open or closed");
  need(spec.refresh == "all_bank" || spec.refresh == "per_bank" || spec.refresh == "none", "refresh", spec.refresh,
       "all_bank, per_bank or none");
  s.channels = static_cast<int>(spec.channels > 0 ? spec.channels : s.dram.organization.channels);
  s.closed_page = spec.page_policy == "closed";
  s.refresh = spec.refresh == "none"       ? Refresh::none
              : spec.refresh == "per_bank" ? Refresh::per_bank
                                           : Refresh::all_bank;
  s.queue_depth = spec.queue_depth;
  s.path_fs = spec.latency.value();

  // Peak: one burst in the time its beats take, on every channel. Doubles are exact enough: the result is rounded to a
  // femtosecond, and IEEE division rounds alike on every host.
  const double bytes_per_clock =
      static_cast<double>(s.dram.burst_bytes() * s.channels) / static_cast<double>(s.dram.burst_clocks());
  s.clock_fs = s.dram.clock_period.value();
  if (spec.bandwidth_bytes_per_second > 0)
    s.clock_fs = std::max<std::int64_t>(
        1, std::llround(bytes_per_clock * 1e15 / static_cast<double>(spec.bandwidth_bytes_per_second)));
  s.peak_bytes_per_second = spec.bandwidth_bytes_per_second > 0
                                ? spec.bandwidth_bytes_per_second
                                : std::llround(bytes_per_clock * 1e15 / static_cast<double>(s.clock_fs));
  return s;
}

}  // namespace heddle::memory
