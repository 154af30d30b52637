// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/spm_traffic.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace heddle::compute {
namespace {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Banks that `count` steps of `bytes` visit, starting anywhere. Steps shorter than a word walk through every bank.
std::int64_t banks_visited(const config::ScratchpadSpec& spm, std::int64_t bytes, std::int64_t count) {
  const std::int64_t step_bytes = bytes < 0 ? -bytes : bytes;
  if (step_bytes > 0 && step_bytes < spm.width_bytes)
    return std::min(spm.banks, ceil_div(count * step_bytes, spm.width_bytes));
  const std::int64_t words = step_bytes / spm.width_bytes;
  const std::int64_t step = words % spm.banks;
  return step == 0 ? 1 : spm.banks / std::gcd(step, spm.banks);
}

}  // namespace

SpmAccess spm_access(const config::ScratchpadSpec& spm, const isa::View& view) {
  const std::int64_t total = static_cast<std::int64_t>(view.elements());
  if (view.space != isa::Space::spm || total == 0) return {};
  const int last = view.rank - 1;
  const auto at = [](const auto& a, int i) { return static_cast<std::int64_t>(a[static_cast<std::size_t>(i)]); };
  const std::int64_t n = at(view.size, last);
  const std::int64_t rows = total / n;
  const std::int64_t element_bits = bits(view.dtype);
  const std::int64_t step_bytes = at(view.stride, last) * element_bits / 8;

  std::int64_t row_words = 1;
  std::int64_t row_banks = 1;
  if (at(view.stride, last) == 0 || n == 1) {
    row_words = 1;
  } else if ((step_bytes < 0 ? -step_bytes : step_bytes) < spm.width_bytes) {
    const std::int64_t span = (n - 1) * (at(view.stride, last) < 0 ? -at(view.stride, last) : at(view.stride, last));
    row_words = ceil_div((span + 1) * element_bits, 8 * spm.width_bytes);
    row_banks = std::min(row_words, spm.banks);
  } else {
    row_words = n;
    row_banks = std::min(n, banks_visited(spm, step_bytes, n));
  }
  if (rows == 1) return {row_words, ceil_div(row_words, row_banks)};

  const std::int64_t row_bytes = at(view.stride, last - 1) * element_bits / 8;
  const std::int64_t dense = ceil_div(total * element_bits, 8 * spm.width_bytes);
  if (step_bytes != 0 && row_bytes == n * step_bytes && step_bytes * 8 == element_bits)
    return {dense, ceil_div(dense, spm.banks)};
  const std::int64_t words = rows * row_words;
  const std::int64_t banks = std::min(spm.banks, row_banks * std::min(rows, banks_visited(spm, row_bytes, rows)));
  return {words, ceil_div(words, banks)};
}

std::int64_t SpmTraffic::reserve(std::uint32_t agent, std::int64_t words, std::int64_t least, TimeFs start,
                                 TimeFs period) {
  if (words == 0) return least;
  const std::int64_t bytes = words * width_;
  std::int64_t load = 0;
  std::int64_t others = 0;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    if (i == agent || loads_[i].end <= start || loads_[i].begin > start) continue;
    load += loads_[i].bytes_per_cycle;
    ++others;
  }
  const std::int64_t available = std::max(peak_ - load, std::max<std::int64_t>(1, peak_ / (1 + others)));
  // Bytes at `rate` a core cycle, in the engine's cycles.
  const auto cycles_at = [&](std::int64_t rate) {
    const std::int64_t core = ceil_div(bytes, rate);
    return period == period_ ? core : (period_ * core + period - TimeFs(1)) / period;
  };
  const std::int64_t cycles = std::max(least, cycles_at(available));
  stretched_ += period * (cycles - std::max(least, cycles_at(peak_)));
  const TimeFs length = period * std::max<std::int64_t>(1, cycles);
  const std::int64_t core = std::max<std::int64_t>(1, length / period_);
  loads_[agent] = {start, start + period * cycles, ceil_div(bytes, core)};
  return cycles;
}

void SpmTraffic::hold(std::uint32_t agent, std::int64_t bytes_per_cycle, TimeFs start) {
  loads_[agent] = {start, TimeFs(std::numeric_limits<std::int64_t>::max()), bytes_per_cycle};
}

}  // namespace heddle::compute
