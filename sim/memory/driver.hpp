// SPDX-License-Identifier: Apache-2.0
// Drives a bank-state memory clock by clock with a request stream, the way reference simulators are driven: a request
// goes in when its channel has room, a bound holds on what is outstanding, or a rate on what is offered. Beside it, the
// table of such measurements (dram_hbm2.csv), which names the memory by the reference's own parameter file.
#pragma once
#include <cstdint>
#include <string>

#include "sim/memory/bank_memory.hpp"
#include "sim/memory/traffic.hpp"

namespace heddle::memory {

struct Injection {
  std::int64_t window = 0;   // most requests outstanding; 0: no bound
  double rate = 0;           // requests offered a clock; 0: as fast as accepted
  bool per_channel = false;  // a FIFO for each channel; else one, of which at most 8 go in a clock and a full channel
                             // holds back all that follow
};

struct DriveResult {
  std::int64_t clocks = 0;  // from the first offer to the last completion
  double nanoseconds = 0;
  double bytes_per_second = 0, peak_share = 0;
  // From acceptance to completion, of all requests; writes are posted, so theirs are the buffer's.
  double latency_average_ns = 0, latency_median_ns = 0, latency_p99_ns = 0, latency_least_ns = 0;
  std::int64_t reads = 0;
  double read_latency_average_ns = 0;  // 0 if there was none
  MemoryStats stats;
  double host_seconds = 0;  // CPU time of the drive alone, without making up the requests
};

// Throws bad_input HDL-MEM-07 for a stream or injection out of range, and what BankMemory throws.
DriveResult drive(const config::MemorySpec& spec, const DramSetup& setup, const Stream& stream,
                  const Injection& injection);
DriveResult drive(const config::MemorySpec& spec, const Stream& stream, const Injection& injection);
// Requests of one's own, each of `bytes`.
DriveResult drive(const config::MemorySpec& spec, const DramSetup& setup, const std::vector<Access>& requests,
                  std::int64_t bytes, const Injection& injection);

// The memory that a parameter file of the reference simulator means, such as "HBM2_8Gb_x128__closepage.ini": a device,
// then variants, each after two underscores: norefresh, closepage, 1ch (or another number of channels), tFAW1 (another
// number of clocks), or the mapping. Throws bad_input HDL-MEM-08 for a name or a variant that it does not know.
struct NamedMemory {
  config::MemorySpec spec;
  DramSetup setup;
};
NamedMemory memory_of_ini(const std::string& ini, const std::string& mapping);

}  // namespace heddle::memory
