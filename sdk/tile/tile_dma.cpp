// SPDX-License-Identifier: Apache-2.0
// Transfers.
#include <algorithm>
#include <bit>

#include "isa/base/float_convert.hpp"
#include "sdk/arch/state.hpp"
#include "sdk/tile/tile_builder.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

// A tile cut to sizes that only the run knows, where it has room for more.
Tile cut_to(const Tile& tile, const Shape& sizes) {
  class Cutter : public Tile {
   public:
    explicit Cutter(const Tile& t) : Tile(t) {}
    void to(const Shape& s) {
      if (s.rank() != rank()) return;
      for (int d = 0; d < s.rank(); ++d)
        if (!s[d].is_static() && extent(d).is_static()) cut(d, 0, s[d], Loc::current());
    }
  };
  Cutter c(tile);
  c.to(sizes);
  return c;
}

template <class T>
bool has_dtype(const T& t, DType d) {
  return t.dtype() == d;
}

}  // namespace

int TileBuilder::pick_dma(bool stores, DmaEngine wanted, const Loc& loc) {
  const int engines = target().dma_engines;
  if (wanted.index >= engines) error_at(loc, "HDL-SDK-18", fmt::format("dma{}: a core has {}", wanted.index, engines));
  if (wanted.index >= 0) return wanted.index;
  // Stores wait for results; loads behind them in the same queue would wait with them.
  if (stores) return engines - 1;
  return next_load_++ % std::max(1, engines - 1);
}

void TileBuilder::transfer(Opcode op, V to, V from, V index, int engine, std::vector<Access> accesses) {
  Node n;
  n.in.op = op;
  n.in[FieldId::engine] = engine;
  n.vd = to.id();
  n.va = from.id();
  n.vb = index.id();
  n.accesses = std::move(accesses);
  append(std::move(n));
}

void TileBuilder::copy(const Tile& to, const Tensor& from, DmaEngine engine, Loc loc) {
  at(loc);
  const Tile part = cut_to(to, from.shape());
  if (!has_dtype(from, to.dtype()))
    error("HDL-SDK-16",
          fmt::format("a copy from {} to {}: DMA does not convert", name(from.dtype()), name(to.dtype())));
  check_match(part.shape(), from.shape(), false, "copy");
  std::vector<Access> accesses;
  note(accesses, part, true);
  const V vd = view_here(part), va = view_here(from);
  transfer(Opcode::dma_copy, vd, va, {}, pick_dma(false, engine, loc), std::move(accesses));
}

void TileBuilder::copy(const Tensor& to, const Tile& from, DmaEngine engine, Loc loc) {
  at(loc);
  const Tile part = cut_to(from, to.shape());
  if (!has_dtype(from, to.dtype()))
    error("HDL-SDK-16",
          fmt::format("a copy from {} to {}: DMA does not convert", name(from.dtype()), name(to.dtype())));
  check_match(to.shape(), part.shape(), false, "copy");
  std::vector<Access> accesses;
  note(accesses, part, false);
  const V vd = view_here(to), va = view_here(part);
  transfer(Opcode::dma_copy, vd, va, {}, pick_dma(true, engine, loc), std::move(accesses));
}

void TileBuilder::copy(const Tile& to, const Tile& from, DmaEngine engine, Loc loc) {
  at(loc);
  if (!has_dtype(from, to.dtype()))
    error("HDL-SDK-16",
          fmt::format("a copy from {} to {}: DMA does not convert", name(from.dtype()), name(to.dtype())));
  check_match(to.shape(), from.shape(), false, "copy");
  std::vector<Access> accesses;
  note(accesses, from, false);
  note(accesses, to, true);
  const V vd = view_here(to), va = view_here(from);
  transfer(Opcode::dma_copy, vd, va, {}, pick_dma(false, engine, loc), std::move(accesses));
}

void TileBuilder::copy(const Tensor& to, const Tensor& from, DmaEngine engine, Loc loc) {
  at(loc);
  if (!has_dtype(from, to.dtype()))
    error("HDL-SDK-16",
          fmt::format("a copy from {} to {}: DMA does not convert", name(from.dtype()), name(to.dtype())));
  check_match(to.shape(), from.shape(), false, "copy");
  const V vd = view_here(to), va = view_here(from);
  transfer(Opcode::dma_copy, vd, va, {}, pick_dma(true, engine, loc), {});
}

void TileBuilder::store(const Tensor& to, const Tile& from, DmaEngine engine, Loc loc) {
  if (has_dtype(from, to.dtype())) {
    copy(to, from, engine, loc);
    return;
  }
  copy(to, convert(cut_to(from, to.shape()), to.dtype(), loc), engine, loc);
}

void TileBuilder::gather(const Tile& to, const Tensor& from, const Tile& index, DmaEngine engine, Loc loc) {
  at(loc);
  if (!has_dtype(from, to.dtype()) || index.dtype() != DType::int32 || index.rank() != 1)
    error("HDL-SDK-16", "gather: one dtype in and out, and an index of int32, rank 1");
  std::vector<Access> accesses;
  note(accesses, index, false);
  note(accesses, to, true);
  const V vd = view_here(to), va = view_here(from), vb = view_here(index);
  transfer(Opcode::dma_gather, vd, va, vb, pick_dma(false, engine, loc), std::move(accesses));
}

void TileBuilder::scatter(const Tensor& to, const Tile& from, const Tile& index, DmaEngine engine, Loc loc) {
  at(loc);
  if (!has_dtype(from, to.dtype()) || index.dtype() != DType::int32 || index.rank() != 1)
    error("HDL-SDK-16", "scatter: one dtype in and out, and an index of int32, rank 1");
  std::vector<Access> accesses;
  note(accesses, index, false);
  note(accesses, from, false);
  const V vd = view_here(to), va = view_here(from), vb = view_here(index);
  transfer(Opcode::dma_scatter, vd, va, vb, pick_dma(true, engine, loc), std::move(accesses));
}

void TileBuilder::transpose(const Tile& to, const Tensor& from, DmaEngine engine, Loc loc) {
  at(loc);
  if (!has_dtype(from, to.dtype())) error("HDL-SDK-16", "transpose: one dtype in and out");
  const Tile part = cut_to(to, from.transposed().shape());
  check_match(part.shape(), from.transposed().shape(), false, "transpose");
  std::vector<Access> accesses;
  note(accesses, part, true);
  const V vd = view_here(part), va = view_here(from);
  transfer(Opcode::dma_transpose, vd, va, {}, pick_dma(false, engine, loc), std::move(accesses));
}

void TileBuilder::transpose(const Tile& to, const Tile& from, DmaEngine engine, Loc loc) {
  at(loc);
  if (!has_dtype(from, to.dtype())) error("HDL-SDK-16", "transpose: one dtype in and out");
  std::vector<Access> accesses;
  note(accesses, from, false);
  note(accesses, to, true);
  const V vd = view_here(to), va = view_here(from);
  transfer(Opcode::dma_transpose, vd, va, {}, pick_dma(false, engine, loc), std::move(accesses));
}

void TileBuilder::fill(const Tile& to, double value, DmaEngine engine, Loc loc) {
  at(loc);
  Node n;
  n.in.op = Opcode::dma_fill;
  n.in[FieldId::engine] = pick_dma(false, engine, loc);
  n.in[FieldId::fimm] = is_float(to.dtype()) ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                             : static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  note(n.accesses, to, true);
  n.vd = view_here(to).id();
  append(std::move(n));
}

}  // namespace heddle::sdk
