// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/spm_banks.hpp"

#include <algorithm>

namespace heddle::compute {
namespace {

// Writes of one bank that are kept; an access of the array never lasts long enough to need older ones.
constexpr std::size_t most_spans = 4096;

}  // namespace

SpmBanks::SpmBanks(const config::ScratchpadSpec& spm) : width_(spm.width_bytes), write_first_(spm.write_first) {
  if (!spm.linear_banks) return;
  bytes_a_bank_ = static_cast<std::uint64_t>(spm.size_bytes / spm.banks);
  banks_.resize(static_cast<std::size_t>(spm.banks));
}

std::size_t SpmBanks::bank_of(std::uint64_t address) const {
  return std::min(static_cast<std::size_t>(address / bytes_a_bank_), banks_.size() - 1);
}

void SpmBanks::count(const isa::View& to, int change) {
  if (!write_first_ || banks_.empty() || to.elements() == 0) return;
  std::int64_t low = 0, high = 0;
  for (int d = 0; d < to.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::int64_t reach = (static_cast<std::int64_t>(to.size[i]) - 1) * to.stride[i];
    (reach < 0 ? low : high) += reach;
  }
  const auto at = [&](std::int64_t element) {
    return bank_of(to.base + static_cast<std::uint64_t>(element * bits(to.dtype) / 8));
  };
  for (std::size_t b = at(low); b <= at(high); ++b) banks_[b].transfers += change;
}

void SpmBanks::write(std::uint64_t address, std::int64_t bytes, TimeFs end, TimeFs period) {
  if (!write_first_ || banks_.empty() || bytes <= 0) return;
  std::deque<Span>& writes = banks_[bank_of(address)].writes;
  Span span{end - period * ((bytes + width_ - 1) / width_), end};
  if (!writes.empty()) {
    span.begin = std::max(span.begin, writes.back().begin);
    if (span.begin <= writes.back().end) {  // goes on where the last one ended, or wants the bank while it is busy
      writes.back().end = std::max(writes.back().end, span.end);
      return;
    }
  }
  writes.push_back(span);
  if (writes.size() > most_spans) writes.pop_front();
}

TimeFs SpmBanks::read_end(std::size_t bank, TimeFs start, TimeFs work) const {
  const std::deque<Span>& writes = banks_[bank].writes;
  auto span = std::partition_point(writes.begin(), writes.end(), [&](const Span& s) { return s.end <= start; });
  TimeFs at = start;
  for (; span != writes.end() && span->begin < at + work; ++span) {
    if (span->begin > at) {
      work -= span->begin - at;
      at = span->begin;
    }
    at = std::max(at, span->end);
  }
  return at + work;
}

void SpmBanks::begin_launch() {
  for (Bank& b : banks_) b = {};
}

}  // namespace heddle::compute
