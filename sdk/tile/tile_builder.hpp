// SPDX-License-Identifier: Apache-2.0
// Level 1: tiles and what engines do with them. The destination comes first. Sizes must match as the machine's page
// (docs/isa/semantics.md) says; what constants show to be wrong is an error at the kernel's line, at once.
//
// Order is kept for you: an operation sees what the operations recorded before it wrote, in straight lines, in loops,
// from one iteration to the next, across engines. A tile declared in a loop body is a new one each iteration.
#pragma once
#include <cstdint>
#include <string>

#include "sdk/arch/recorder.hpp"
#include "sdk/tile/operand.hpp"
#include "sdk/tile/tensor.hpp"
#include "sdk/tile/tile.hpp"

namespace heddle::sdk {

class TileBuilder : public Recorder {
 public:
  using Recorder::Recorder;

  // ---- Allocation, for the capacity of the shape, until the end of the enclosing kernel. HDL-SDK-04: memory
  // exhausted.
  Spm spm(const Shape& shape, DType dtype, Depth slots = {}, Loc loc = Loc::current());
  Acc acc(const Shape& shape, DType dtype = DType::fp32, Depth slots = {}, Loc loc = Loc::current());
  Smem smem(const Shape& shape, DType dtype = DType::int32, Depth slots = {}, Loc loc = Loc::current());
  template <DType T>
  Acc acc(const Shape& shape, Loc loc = Loc::current()) {
    return acc(shape, T, {}, loc);
  }
  std::int64_t free_bytes(Space space) const;

  // ---- DMA: copies between HBM, SPM, ACC and SMEM; dtypes equal
  void copy(const Tile& to, const Tensor& from, DmaEngine engine = {}, Loc loc = Loc::current());
  void copy(const Tensor& to, const Tile& from, DmaEngine engine = {}, Loc loc = Loc::current());
  void copy(const Tile& to, const Tile& from, DmaEngine engine = {}, Loc loc = Loc::current());
  void copy(const Tensor& to, const Tensor& from, DmaEngine engine = {}, Loc loc = Loc::current());
  // SKETCH's names: load(tile, tensor) and store(tensor, tile).
  void load(const Tile& to, const Tensor& from, DmaEngine engine = {}, Loc loc = Loc::current()) {
    copy(to, from, engine, loc);
  }
  // `from` is converted first, through a tile of its own, if its dtype is not `to`'s.
  void store(const Tensor& to, const Tile& from, DmaEngine engine = {}, Loc loc = Loc::current());
  // to[i, ...] = from[index[i], ...]; index: int32, rank 1, in SMEM or SPM.
  void gather(const Tile& to, const Tensor& from, const Tile& index, DmaEngine engine = {}, Loc loc = Loc::current());
  void scatter(const Tensor& to, const Tile& from, const Tile& index, DmaEngine engine = {}, Loc loc = Loc::current());
  // to[..., j, i] = from[..., i, j]
  void transpose(const Tile& to, const Tensor& from, DmaEngine engine = {}, Loc loc = Loc::current());
  void transpose(const Tile& to, const Tile& from, DmaEngine engine = {}, Loc loc = Loc::current());
  void fill(const Tile& to, double value, DmaEngine engine = {}, Loc loc = Loc::current());

  // ---- MXU
  // Puts b[k,n] (or bᵀ, given as [n,k]) into array `mxu`; the matmuls on it that follow use it.
  void load_stationary(const Spm& b, int mxu = 0, Loc loc = Loc::current());
  void load_stationary(const Transposed& b, int mxu = 0, Loc loc = Loc::current());
  // acc[m,n] (+)= a[m,k] · the stationary tile of `mxu`.
  void matmul(const Acc& acc, const Spm& a, Mode mode, int mxu = 0, Loc loc = Loc::current());
  // acc[m,n] (+)= a[m,k] · b[k,n] for tiles of any size: b is walked in array-sized parts, over all arrays.
  void matmul(const Acc& acc, const Spm& a, const Spm& b, Mode mode, Loc loc = Loc::current());
  void matmul(const Acc& acc, const Spm& a, const Transposed& b, Mode mode, Loc loc = Loc::current());

  // ---- VPU: SPM and ACC tiles; a size-1 dimension of a source repeats
  // clang-format never comes to rest on a list of declaring macros.
  // clang-format off
#define HEDDLE_UNARY(name) \
  void name(const Tile& to, const Tile& a, Loc loc = Loc::current()) { unary(isa::Opcode::vpu_##name, to, a, loc); }
  HEDDLE_UNARY(mov) HEDDLE_UNARY(neg) HEDDLE_UNARY(abs) HEDDLE_UNARY(relu) HEDDLE_UNARY(exp) HEDDLE_UNARY(log)
  HEDDLE_UNARY(sqrt) HEDDLE_UNARY(rsqrt) HEDDLE_UNARY(recip) HEDDLE_UNARY(sigmoid) HEDDLE_UNARY(tanh)
  HEDDLE_UNARY(erf) HEDDLE_UNARY(silu) HEDDLE_UNARY(gelu) HEDDLE_UNARY(gelu_tanh) HEDDLE_UNARY(sin)
  HEDDLE_UNARY(cos) HEDDLE_UNARY(floor) HEDDLE_UNARY(round)
  // Over the last dimension; to's last size is 1.
  HEDDLE_UNARY(sum) HEDDLE_UNARY(rowmax) HEDDLE_UNARY(rowmin) HEDDLE_UNARY(sumsq) HEDDLE_UNARY(argmax)
#undef HEDDLE_UNARY
#define HEDDLE_BINARY(name) \
  void name(const Tile& to, const Src& a, const Src& b, Loc loc = Loc::current()) { \
    binary_op(isa::Opcode::vpu_##name, to, a, b, loc); \
  }
  HEDDLE_BINARY(add) HEDDLE_BINARY(sub) HEDDLE_BINARY(mul) HEDDLE_BINARY(div) HEDDLE_BINARY(max) HEDDLE_BINARY(min)
  HEDDLE_BINARY(lt) HEDDLE_BINARY(le) HEDDLE_BINARY(eq) HEDDLE_BINARY(ne)  // 1 or 0
#undef HEDDLE_BINARY
  // to = a in to's dtype; and the form that makes the tile.
  void convert(const Tile& to, const Tile& a, Loc loc = Loc::current()) { unary(isa::Opcode::vpu_mov, to, a, loc); }
  // clang-format on
  Spm convert(const Tile& a, DType dtype, Loc loc = Loc::current());
  void fused(const Tile& to, const Tile& a, const Fused& f, Loc loc = Loc::current());
  // to = a where mask is not 0, else b.
  void select(const Tile& to, const Tile& mask, const Tile& a, const Tile& b, Loc loc = Loc::current());
  using Recorder::select;
  // Keeps a where start + ci·i + cj·j >= 0, else fill; i, j index the last two dimensions. ci, cj in -128..127.
  void affine_select(const Tile& to, const Tile& a, Scalar start, int ci, int cj, float fill, Loc loc = Loc::current());
  // to[..., j] = start + step·j
  void iota(const Tile& to, Scalar start, std::int32_t step, Loc loc = Loc::current());
  // The k largest of each row and their positions (int32), falling; k = last size of both.
  void topk(const Tile& values, const Tile& indices, const Tile& a, Loc loc = Loc::current());
  // Which VPU the operations that follow use, where a core has several.
  void use_vpu(int index, Loc loc = Loc::current());

  // ---- The sequencer and SMEM
  // Element i of a rank-1 tile (int32 or int8; fp32 gives the bits). Waits for whoever wrote it.
  Scalar read(const Smem& tile, Scalar i = 0, Loc loc = Loc::current());
  void write(const Smem& tile, Scalar i, Scalar value, Loc loc = Loc::current());

  // ---- Debugging
  // Shows the elements as the operations recorded before this one leave them: of a large tile its corners, of all tiles
  // least, largest and mean, NaNs and infinities. Costs nothing, as print() of a scalar does.
  void print(const Tile& tile, std::string label, PrintOptions options = {}, Loc loc = Loc::current());
  void print(const Tensor& tensor, std::string label, PrintOptions options = {}, Loc loc = Loc::current());
  using Recorder::print;

  // ---- Level 0 by hand: the view register of a tile or tensor
  V view(const Tile& tile, Loc loc = Loc::current());
  V view(const Tensor& tensor, Loc loc = Loc::current());

  // A generation of a pipe as a tile: for Pipe.
  template <Space S>
  Ref<S> slot_tile(const Ref<S>& first, BufferId buffer, ValueId slot, const Shape& sizes, const Loc& loc) {
    Ref<S> tile = first;
    tile.buffer_ = buffer;
    if (slot != 0) tile.base_ = Scalar(*this, slot);
    if (sizes.rank() != first.rank())
      error("HDL-SDK-15", fmt::format("a slot of rank {} taken with {} sizes", first.rank(), sizes.rank()));
    return tile.first(sizes, loc);
  }

 protected:
  void unary(isa::Opcode op, const Tile& to, const Tile& a, const Loc& loc);
  void binary_op(isa::Opcode op, const Tile& to, const Src& a, const Src& b, const Loc& loc);
  template <Space S>
  Ref<S> allocate(const Shape& shape, DType dtype, int slots, bool pipe, const Loc& loc) {
    Ref<S> tile;
    fill_in(tile, shape, dtype, slots, pipe, loc);
    return tile;
  }
  int pick_dma(bool stores, DmaEngine wanted, const Loc& loc);

 private:
  void fill_in(Tile& tile, const Shape& shape, DType dtype, int slots, bool pipe, const Loc& loc);
  void transfer(isa::Opcode op, V to, V from, V index, int engine, std::vector<Access> accesses);
  Node& vector_op(isa::Opcode op, V to, V a, V b, V c, std::vector<Access> accesses);
  V view_here(const Tile& tile);
  V view_here(const Tensor& tensor);
  Node view_node(const Tile& tile, std::vector<isa::ViewTemplate>& templates);
  Node view_node(const Tensor& tensor, std::vector<isa::ViewTemplate>& templates);
  V append_view(Node node);
  void append_print(Node view, std::string label, PrintOptions options);
  static Access access(const Tile& tile, bool write);
  static void note(std::vector<Access>& list, const Tile& tile, bool write);
  void check_tile(const Tile& tile);  // HDL-SDK-23, HDL-PIPE-01: used where it does not exist any more
  void check_match(const Shape& to, const Shape& from, bool repeats, const char* what) const;
  void walk(const Acc& acc, const Spm& a, const Spm& b, bool transposed_b, Mode mode, const Loc& loc);
  void stationary(const Spm& b, bool transposed_b, int mxu, const Loc& loc);
  Node make_view(std::uint32_t view_template, const Shape& sizes, const Scalar& address, std::int64_t offset,
                 const std::array<Scalar, isa::max_rank>& strides, const Tile* remote);
  int vpu_ = 0;
  int next_load_ = 0;
};

}  // namespace heddle::sdk
