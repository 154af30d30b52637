// SPDX-License-Identifier: Apache-2.0
#include "sim/dma/run_cursor.hpp"

#include <algorithm>
#include <utility>

namespace heddle::dma {
namespace {

constexpr int ranks = isa::max_rank;

// Sizes and strides with the last dimension last, whatever the view's rank.
void align_right(const isa::View& v, std::array<std::int64_t, ranks>& size, std::array<std::int64_t, ranks>& stride) {
  size = {1, 1, 1, 1};
  stride = {};
  for (int d = 0; d < v.rank; ++d) {
    const auto to = static_cast<std::size_t>(ranks - v.rank + d);
    size[to] = v.size[static_cast<std::size_t>(d)];
    stride[to] = v.stride[static_cast<std::size_t>(d)];
  }
}

}  // namespace

RunCursor::RunCursor(const exec::EngineOp& op, FarSides far, std::vector<std::int32_t> indices, bool merge_rows)
    : has_source_(op.op != isa::Opcode::dma_fill), bits_(bits(op.vd.dtype)), indices_(std::move(indices)) {
  std::array<std::int64_t, ranks> source_size{};
  align_right(op.vd, size_, destination_.stride);
  destination_.base = op.vd.base;
  if (has_source_) {
    align_right(op.va, source_size, source_.stride);
    source_.base = op.va.base;
  }
  if (op.op == isa::Opcode::dma_transpose) {
    if (far.source && !far.destination) {
      size_ = source_size;
      std::swap(destination_.stride[ranks - 2], destination_.stride[ranks - 1]);
    } else {
      std::swap(source_.stride[ranks - 2], source_.stride[ranks - 1]);
    }
  }
  if (op.op == isa::Opcode::dma_gather) {
    source_.indexed = true;
    index_dim_ = ranks - op.vd.rank;
  }
  if (op.op == isa::Opcode::dma_scatter) {
    destination_.indexed = true;
    size_ = source_size;
    index_dim_ = ranks - op.va.rank;
  }

  const bool near_only = !far.source && !far.destination;
  std::int64_t run = 1;
  outer_ = ranks;
  for (int d = ranks - 1; d >= 0; --d) {
    const auto i = static_cast<std::size_t>(d);
    const auto follows = [&](const Side& s, bool counts) {
      if (!counts || size_[i] == 1) return !(s.indexed && d == index_dim_);
      return s.stride[i] == run && !(s.indexed && d == index_dim_);
    };
    if (!follows(destination_, far.destination || near_only)) break;
    if (has_source_ && !follows(source_, far.source || near_only)) break;
    run *= size_[i];
    outer_ = d;
    if (!merge_rows && !near_only) break;
  }
  runs_ = 1;
  for (int d = 0; d < outer_; ++d) runs_ *= size_[static_cast<std::size_t>(d)];
  if (run == 0) runs_ = 0;
  run_bytes_ = (run * bits_ + 7) / 8;
  for (Side* s : {&source_, &destination_}) {
    s->offset = 0;
    if (s->indexed && runs_ > 0) s->offset = at(*s, index_dim_, 0);
  }
}

std::int64_t RunCursor::at(const Side& s, int dim, std::int64_t i) const {
  const std::int64_t row = s.indexed && dim == index_dim_ ? indices_[static_cast<std::size_t>(i)] : i;
  return row * s.stride[static_cast<std::size_t>(dim)];
}

std::uint64_t RunCursor::address(const Side& s) const {
  return s.base + static_cast<std::uint64_t>(s.offset * bits_ / 8 + inside_);
}

void RunCursor::step() {
  ++run_;
  inside_ = 0;
  for (int d = outer_ - 1; d >= 0; --d) {
    const auto i = static_cast<std::size_t>(d);
    const std::int64_t from = position_[i];
    const std::int64_t to = from + 1 < size_[i] ? from + 1 : 0;
    if (has_source_) source_.offset += at(source_, d, to) - at(source_, d, from);
    destination_.offset += at(destination_, d, to) - at(destination_, d, from);
    position_[i] = to;
    if (to != 0) return;
  }
}

Piece RunCursor::next(std::uint32_t most) {
  Piece p;
  p.starts_run = inside_ == 0;
  p.source = has_source_ ? address(source_) : 0;
  p.destination = address(destination_);
  p.bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(most, run_bytes_ - inside_));
  p.useful = p.bytes;
  inside_ += p.bytes;
  if (inside_ == run_bytes_) step();
  return p;
}

}  // namespace heddle::dma
