// SPDX-License-Identifier: Apache-2.0
// The systolic arrays.
#include <algorithm>

#include "sdk/arch/state.hpp"
#include "sdk/tile/tile_builder.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

// Elements [begin, begin + part) of a dimension, as far as it goes: perhaps none.
Extent part_of(const Extent& whole, std::int64_t begin, std::int64_t part) {
  const std::int64_t room = std::min(part, whole.capacity - begin);
  if (whole.is_static()) return room;
  Scalar size = whole.size - begin;
  if (whole.capacity - begin > part) size = min(size, part);
  if (begin > 0) size = max(size, 0);
  return {size, room};
}

}  // namespace

void TileBuilder::stationary(const Spm& b, bool transposed_b, int mxu, const Loc& loc) {
  at(loc);
  if (mxu < 0 || mxu >= target().mxu_count)
    error("HDL-SDK-18", fmt::format("mxu{}: a core has {}", mxu, target().mxu_count));
  if (b.rank() != 2) error("HDL-SDK-15", fmt::format("a stationary tile has rank 2, not {}", b.rank()));
  if (b.is_remote()) error("HDL-SDK-19", "a stationary tile lies in this core's SPM");
  const std::int64_t k = b.capacity(transposed_b ? 1 : 0), n = b.capacity(transposed_b ? 0 : 1);
  if (k > target().mxu_rows || n > target().mxu_cols)
    error("HDL-SDK-15", fmt::format("a stationary tile of k = {} and n = {}: the array is {} by {}", k, n,
                                    target().mxu_rows, target().mxu_cols));
  Node load;
  load.in.op = Opcode::mxu_load;
  load.in[FieldId::engine] = mxu;
  load.in[FieldId::transposed] = transposed_b;
  load.accesses.push_back(access(b, false));
  load.va = view_here(b).id();
  append(std::move(load));
}

void TileBuilder::load_stationary(const Spm& b, int mxu, Loc loc) { stationary(b, false, mxu, loc); }
void TileBuilder::load_stationary(const Transposed& b, int mxu, Loc loc) { stationary(b.tile, true, mxu, loc); }

void TileBuilder::matmul(const Acc& acc, const Spm& a, Mode mode, int mxu, Loc loc) {
  at(loc);
  if (mxu < 0 || mxu >= target().mxu_count)
    error("HDL-SDK-18", fmt::format("mxu{}: a core has {}", mxu, target().mxu_count));
  if (acc.rank() != 2 || a.rank() != 2)
    error("HDL-SDK-15", fmt::format("matmul takes tiles of rank 2, not {} and {}", acc.rank(), a.rank()));
  if (acc.extent(0).is_static() && a.extent(0).is_static() && acc.capacity(0) != a.capacity(0))
    error("HDL-SDK-15", fmt::format("matmul: {} rows of accumulators, {} of a", acc.capacity(0), a.capacity(0)));
  if (is_float(a.dtype()) != is_float(acc.dtype()) || bits(acc.dtype()) != 32)
    error("HDL-SDK-16", fmt::format("matmul of {} into {}: floats sum in fp32, integers in int32", name(a.dtype()),
                                    name(acc.dtype())));
  if (!target().supports(a.dtype()))
    error("HDL-SDK-16", fmt::format("the array of {} does not multiply {}", target().name, name(a.dtype())));
  Node n;
  n.in.op = Opcode::mxu_matmul;
  n.in[FieldId::engine] = mxu;
  n.in[FieldId::accumulate] = mode.kind() == Mode::Kind::accumulate;
  if (mode.kind() == Mode::Kind::conditional) {
    n.run_decides = true;
    n.condition = mode.overwrite_if().kind;
    n.rs1 = materialise(mode.overwrite_if().a);
    n.rs2 = materialise(mode.overwrite_if().b);
  }
  n.accesses.push_back(access(a, false));
  n.accesses.push_back(access(acc, true));
  n.vd = view_here(acc).id();
  n.va = view_here(a).id();
  append(std::move(n));
}

void TileBuilder::matmul(const Acc& acc, const Spm& a, const Spm& b, Mode mode, Loc loc) {
  walk(acc, a, b, false, mode, loc);
}
void TileBuilder::matmul(const Acc& acc, const Spm& a, const Transposed& b, Mode mode, Loc loc) {
  walk(acc, a, b.tile, true, mode, loc);
}

void TileBuilder::walk(const Acc& acc, const Spm& a, const Spm& b, bool transposed_b, Mode mode, const Loc& loc) {
  at(loc);
  if (acc.rank() != 2 || a.rank() != 2 || b.rank() != 2)
    error("HDL-SDK-15", fmt::format("matmul takes tiles of rank 2, not {}, {} and {}", acc.rank(), a.rank(), b.rank()));
  const int bk = transposed_b ? 1 : 0, bn = 1 - bk;
  const auto differ = [](const Extent& x, const Extent& y) {
    return x.is_static() && y.is_static() && x.capacity != y.capacity;
  };
  if (differ(a.extent(1), b.extent(bk)) || differ(acc.extent(1), b.extent(bn)) || differ(acc.extent(0), a.extent(0)))
    error("HDL-SDK-15", fmt::format("matmul of [{}, {}] and [k = {}, n = {}] into [{}, {}]", a.capacity(0),
                                    a.capacity(1), b.capacity(bk), b.capacity(bn), acc.capacity(0), acc.capacity(1)));
  const std::int64_t rows = target().mxu_rows, cols = target().mxu_cols;
  const int arrays = target().mxu_count;
  const Extent k = a.extent(1).is_static() ? a.extent(1) : b.extent(bk).is_static() ? b.extent(bk) : a.extent(1);
  const Extent n = acc.extent(1).is_static() ? acc.extent(1) : b.extent(bn);
  const Extent m = acc.extent(0).is_static() ? acc.extent(0) : a.extent(0);
  const std::int64_t k_capacity = std::min(a.capacity(1), b.capacity(bk));
  const std::int64_t n_capacity = std::min(acc.capacity(1), b.capacity(bn));

  // One part of the work of one array: columns [n0, n0 + width), rows [m0, m0 + mc).
  struct Share {
    std::int64_t n0, m0, mc;
  };
  std::vector<Share> shares;
  // Transposed tiles load column by column: where columns outnumber the rows that stream, the arrays halve the loads.
  std::int64_t width = cols;
  if (transposed_b && n_capacity > m.capacity && n_capacity <= cols * arrays)
    width = std::min(cols, ((n_capacity + arrays - 1) / arrays + 7) / 8 * 8);
  for (std::int64_t n0 = 0; n0 < n_capacity; n0 += width) shares.push_back({n0, 0, m.capacity});
  if (shares.size() == 1 && arrays > 1 && m.is_static() && m.capacity >= 2 * arrays) {
    const std::int64_t each = (m.capacity + arrays - 1) / arrays;
    shares.clear();
    for (std::int64_t m0 = 0; m0 < m.capacity; m0 += each) shares.push_back({0, m0, std::min(each, m.capacity - m0)});
  }
  // Side by side on the arrays, so that none waits while the sequencer feeds another.
  for (std::size_t first = 0; first < shares.size(); first += static_cast<std::size_t>(arrays))
    for (std::int64_t k0 = 0; k0 < k_capacity; k0 += rows)
      for (std::size_t s = first; s < std::min(shares.size(), first + static_cast<std::size_t>(arrays)); ++s) {
        const Share& share = shares[s];
        const int array = static_cast<int>(s - first);
        const Extent kp = part_of(k, k0, rows), np = part_of(n, share.n0, width);
        stationary(b.slice(bk, k0, kp, loc).slice(bn, share.n0, np, loc), transposed_b, array, loc);
        const Extent mp = share.mc == m.capacity ? m : Extent(share.mc);
        matmul(acc.rows(share.m0, mp, loc).cols(share.n0, np, loc), a.rows(share.m0, mp, loc).cols(k0, kp, loc),
               k0 == 0 ? mode : Mode(accumulate), array, loc);
      }
}

}  // namespace heddle::sdk
