// SPDX-License-Identifier: Apache-2.0
#include "sim/config/check_chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/config/quantity.hpp"

namespace heddle::config {
namespace {

class Findings {
 public:
  template <class... Args>
  void unless(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    if (!holds) list_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

bool power_of_two(std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

std::string size_text(std::int64_t bytes) { return format_quantity(bytes, Unit::bytes); }

bool one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

}  // namespace

std::vector<std::string> chip_problems(const ChipSpec& c) {
  Findings f;
  const ScratchpadSpec& spm = c.core.scratchpad;
  f.unless(power_of_two(spm.banks), "core.scratchpad.banks is {}; it has to be a power of two", spm.banks);
  f.unless(power_of_two(spm.width_bytes), "core.scratchpad.width is {}; it has to be a power of two",
           size_text(spm.width_bytes));
  f.unless(spm.size_bytes % (spm.banks * spm.width_bytes) == 0,
           "core.scratchpad.size is {}; it has to be a whole number of rows over all banks ({} banks of {})",
           size_text(spm.size_bytes), spm.banks, size_text(spm.width_bytes));

  f.unless(!spm.write_first || spm.linear_banks,
           "core.scratchpad.write_first is true, but linear_banks false; it says what happens at such banks' one port");

  const MxuSpec& mxu = c.core.mxu;
  const std::int64_t tile = mxu.rows * mxu.cols * 4;
  f.unless(c.core.accumulator.size_bytes >= tile,
           "core.accumulator.size is {}; one fp32 tile of the MXU ({} x {}) takes {}",
           size_text(c.core.accumulator.size_bytes), mxu.rows, mxu.cols, size_text(tile));
  f.unless(std::any_of(mxu.rate.begin(), mxu.rate.end(), [](Ratio r) { return r.num > 0; }),
           "core.mxu.rate names no dtype; the MXU could compute nothing");

  constexpr std::int64_t least_clock = 1'000'000;
  const auto own_clock = [&](const char* engine, std::int64_t hz) {
    f.unless(hz == 0 || hz >= least_clock, "core.{}.clock is {}; it has to be 0 or at least 1MHz", engine,
             format_quantity(hz, Unit::hertz));
  };
  own_clock("mxu", c.core.mxu.clock_hz);
  own_clock("vpu", c.core.vpu.clock_hz);
  own_clock("dma", c.core.dma.clock_hz);

  const DmaSpec& dma = c.core.dma;
  f.unless(dma.packet_bytes <= spm.size_bytes, "core.dma.packet is {}; the whole scratchpad is {}",
           size_text(dma.packet_bytes), size_text(spm.size_bytes));

  const std::int64_t aligned = dma.aligned_packet_bytes;
  f.unless(aligned == 0 || (power_of_two(aligned) && power_of_two(dma.packet_bytes) && aligned <= dma.packet_bytes),
           "core.dma.aligned_packet is {}, core.dma.packet {}; both have to be powers of two, the first not the larger",
           size_text(aligned), size_text(dma.packet_bytes));
  f.unless(aligned == 0 || dma.batch == 1, "core.dma.batch is {}; aligned packets are sent one by one: it has to be 1",
           dma.batch);

  const MemorySpec& m = c.memory;
  f.unless(one_of(m.page_policy, {"open", "closed"}), "memory.page_policy is '{}'; it has to be open or closed",
           m.page_policy);
  f.unless(one_of(m.refresh, {"all_bank", "per_bank", "none"}),
           "memory.refresh is '{}'; it has to be all_bank, per_bank or none", m.refresh);
  f.unless(m.interleave_bytes == 0 || power_of_two(m.interleave_bytes),
           "memory.interleave is {}; it has to be 0 or a power of two", size_text(m.interleave_bytes));
  f.unless(m.channels == 0 || m.capacity_bytes % m.channels == 0,
           "memory.capacity is {}; it has to spread evenly over {} channels", size_text(m.capacity_bytes), m.channels);

  f.unless(one_of(c.links.topology, {"none", "ring", "torus2d", "fully_connected"}),
           "links.topology is '{}'; it has to be none, ring, torus2d or fully_connected", c.links.topology);
  f.unless(c.chips == 1 || c.links.topology != "none", "chips is {}, but links.topology is none", c.chips);
  f.unless(c.links.topology == "none" || c.links.bandwidth_bytes_per_second > 0,
           "links.topology is {}, but links.bandwidth is 0", c.links.topology);
  return f.take();
}

std::vector<std::string> chip_remarks(const ChipSpec& c, std::int64_t memory_peak) {
  Findings f;
  const auto rate_text = [](double bytes_per_second) { return fmt::format("{:.4g} GB/s", bytes_per_second / 1e9); };
  const auto clock = static_cast<double>(c.clock_hz);
  const auto memory = static_cast<double>(memory_peak);
  const double noc = static_cast<double>(c.noc.width_bytes) * static_cast<double>(c.cores) * clock;
  const double dma_clock = c.core.dma.clock_hz == 0 ? clock : static_cast<double>(c.core.dma.clock_hz);
  const double dma = static_cast<double>(c.core.dma.bytes_per_cycle * c.core.dma.engines * c.cores) * dma_clock;
  f.unless(noc >= memory, "the links of all cores carry {} together, less than the {} of memory", rate_text(noc),
           rate_text(memory));
  f.unless(dma >= memory, "all DMA engines move {} together, less than the {} of memory", rate_text(dma),
           rate_text(memory));
  const MxuSpec& mxu = c.core.mxu;
  for (std::size_t i = 0; i < mxu.rate.size(); ++i) {
    const Ratio r = mxu.rate_of(static_cast<DType>(i));
    const std::int64_t row = bytes_of(static_cast<DType>(i), mxu.rows);
    const double clocks = mxu.clock_hz == 0 ? 1 : static_cast<double>(mxu.clock_hz) / clock;
    f.unless(static_cast<double>(mxu.count * row * r.num) * clocks <=
                 static_cast<double>(c.core.scratchpad.banks * c.core.scratchpad.width_bytes * r.den),
             "streaming {} rows into {} MXU at {} a cycle asks more of the scratchpad than its {} banks of {} give",
             dtype_infos[i].name, mxu.count, format_ratio(r), c.core.scratchpad.banks,
             size_text(c.core.scratchpad.width_bytes));
  }
  return f.take();
}

}  // namespace heddle::config
