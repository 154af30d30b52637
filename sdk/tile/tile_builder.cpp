// SPDX-License-Identifier: Apache-2.0
// Allocation, views, and the sequencer's access to SMEM.
#include "sdk/tile/tile_builder.hpp"

#include <algorithm>

#include "sdk/arch/state.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

std::size_t at_index(int d) { return static_cast<std::size_t>(d); }

std::int64_t capacity_of(const Target& t, Space space) {
  switch (space) {
    case Space::spm:
      return t.spm_bytes;
    case Space::acc:
      return t.acc_bytes;
    case Space::smem:
      return t.smem_bytes;
    case Space::hbm:
      break;
  }
  return t.hbm_bytes;
}

// "kernel.cpp:12 holds 65536 bytes, ...": the three largest.
std::string holders(const Program& program, Space space, std::int64_t top) {
  std::vector<const Allocation*> live;
  for (const Allocation& a : program.allocations)
    if (a.space == space && !a.generation && a.bytes > 0 && a.address < top) live.push_back(&a);
  std::stable_sort(live.begin(), live.end(), [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, live.size()); ++i)
    text += fmt::format("{}{}:{} holds {}", i == 0 ? "; " : ", ", program.files[live[i]->file], live[i]->line,
                        live[i]->bytes);
  return text;
}

}  // namespace

void TileBuilder::fill_in(Tile& tile, const Shape& shape, DType dtype, int slots, bool pipe, const Loc& loc) {
  at(loc);
  State& s = state();
  const Space space = tile.space_;
  tile.dtype_ = dtype;
  tile.shape_ = shape;
  tile.region_.rank = shape.rank();
  std::int64_t elements = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    const std::int64_t n = shape[d].capacity;
    if (n < 0 || n >= unbounded)
      error("HDL-SDK-17", fmt::format("dimension {} of a tile has no bound: say up_to(size, at_most)", d));
    tile.strides_[at_index(d)] = elements;
    tile.region_.end[at_index(d)] = n;
    // Rows of int4 begin at whole bytes.
    elements *= dtype == DType::int4 && d == shape.rank() - 1 ? (n + 1) / 2 * 2 : n;
    if (elements > std::int64_t{1} << 40) error("HDL-SDK-04", fmt::format("a tile of {} elements and more", elements));
  }
  const std::int64_t align = space == Space::spm   ? std::max<std::int64_t>(64, s.target.spm_width_bytes)
                             : space == Space::acc ? 64
                                                   : 8;
  const std::int64_t slot_bytes = (std::max<std::int64_t>(1, bytes_of(dtype, elements)) + align - 1) / align * align;
  const std::uint32_t loop = s.innermost_loop();
  if (slots < 1) error("HDL-SDK-10", fmt::format("a tile with {} slots", slots));
  if (!pipe && loop == 0) slots = 1;  // outside loops there is but one of it
  Allocation a;
  a.space = space;
  a.slots = slots;
  a.bytes = slot_bytes * slots;
  a.home_loop = loop;
  a.kernel = s.kernel;
  a.file = s.file;
  a.line = s.line;
  std::int64_t& top = s.memory_top[static_cast<std::size_t>(space)];
  const std::int64_t inner = s.program.kernels[s.kernel].inner_top[static_cast<std::size_t>(space)];
  const std::int64_t from = loop != 0 ? std::max(top, inner) : top;
  a.address = (from + align - 1) / align * align;
  const std::int64_t capacity = capacity_of(s.target, space);
  if (a.address + a.bytes > capacity)
    error("HDL-SDK-04",
          fmt::format("{} exhausted: this needs {} bytes, {} of {} are free{}", isa::name(space), a.bytes,
                      std::max<std::int64_t>(0, capacity - a.address), capacity, holders(s.program, space, top)));
  top = a.address + a.bytes;
  tile.offset_ = a.address;
  tile.buffer_ = static_cast<BufferId>(s.program.allocations.size());
  if (!pipe && slots > 1) {
    const ValueId slot = s.program.new_value({true, Opcode::nop, 0, 0, 0});
    s.program.kernels[s.kernel].slot_values.push_back(slot);
    tile.base_ = Scalar(*this, slot);
    for (Node& n : rotate_slot(s.program, slot, slot_bytes, slots)) s.loop_frame(loop)->at_end.push_back(std::move(n));
  }
  s.program.allocations.push_back(a);
}

std::vector<Node> rotate_slot(Program& program, ValueId slot, std::int64_t slot_bytes, int slots) {
  std::vector<Node> nodes;
  const auto add = [&](Opcode op, ValueId rd, ValueId a, ValueId b, std::int64_t imm) {
    Node n;
    n.in.op = op;
    n.rd = rd;
    n.rs1 = a;
    n.rs2 = b;
    n.in[FieldId::imm] = imm;
    nodes.push_back(std::move(n));
  };
  if (slots == 2) {
    add(Opcode::xori, slot, slot, 0, slot_bytes);
    return nodes;
  }
  // slot = slot + bytes, or 0 past the last one.
  const ValueId inside = program.new_value();
  add(Opcode::addi, slot, slot, 0, slot_bytes);
  add(Opcode::slti, inside, slot, 0, slot_bytes * slots);
  add(Opcode::mul, slot, slot, inside, 0);
  return nodes;
}

Spm TileBuilder::spm(const Shape& shape, DType dtype, Depth slots, Loc loc) {
  return allocate<Space::spm>(shape, dtype, slots.slots, false, loc);
}
Acc TileBuilder::acc(const Shape& shape, DType dtype, Depth slots, Loc loc) {
  return allocate<Space::acc>(shape, dtype, slots.slots, false, loc);
}
Smem TileBuilder::smem(const Shape& shape, DType dtype, Depth slots, Loc loc) {
  return allocate<Space::smem>(shape, dtype, slots.slots, false, loc);
}

std::int64_t TileBuilder::free_bytes(Space space) const {
  const State& s = const_cast<TileBuilder*>(this)->state();
  return capacity_of(s.target, space) - s.memory_top[static_cast<std::size_t>(space)];
}

Node TileBuilder::make_view(std::uint32_t view_template, const Shape& sizes, const Scalar& address, std::int64_t offset,
                            const std::array<Scalar, isa::max_rank>& strides, const Tile* remote) {
  const auto [base, constant] = split(address);
  Scalar from = base;
  std::int64_t imm = offset + constant;
  if (imm < -(std::int64_t{1} << 31) || imm >= std::int64_t{1} << 31) {
    from = from + imm;
    imm = 0;
  }
  Node n;
  n.kind = NodeKind::view;
  n.in.op = Opcode::view;
  n.in[FieldId::view_template] = view_template;
  n.in[FieldId::imm] = imm;
  n.rs1 = materialise(from);
  for (int d = 0; d < sizes.rank(); ++d) {
    if (sizes[d].is_static()) continue;
    const ValueId size = materialise(sizes[d].size);
    if (n.size0 == 0) {
      n.size0 = size;
      n.in[FieldId::dim0] = d;
    } else if (n.size1 == 0) {
      n.size1 = size;
      n.in[FieldId::dim1] = d;
    } else {
      n.changes.push_back({Opcode::view_size, d, size, 0});
    }
  }
  for (int d = 0; d < sizes.rank(); ++d)
    if (!strides[at_index(d)].is_constant())
      n.changes.push_back({Opcode::view_stride, d, materialise(strides[at_index(d)]), 0});
  if (remote != nullptr)
    n.changes.push_back({Opcode::view_remote, 0, materialise(remote->core_), materialise(remote->chip_)});
  return n;
}

V TileBuilder::append_view(Node n) {
  n.pure = n.movable = true;
  n.vd = state().program.views++;
  const ViewId id = n.vd;
  append(std::move(n));
  return V(id);
}

void TileBuilder::append_print(Node n, std::string label, PrintOptions options) {
  n.kind = NodeKind::print;
  n.name = std::move(label);
  n.full = options.full;
  append(std::move(n));
}

void TileBuilder::print(const Tile& tile, std::string label, PrintOptions options, Loc loc) {
  at(loc);
  append_print(view_node(tile, state().program.print_templates), std::move(label), options);
}
void TileBuilder::print(const Tensor& tensor, std::string label, PrintOptions options, Loc loc) {
  at(loc);
  append_print(view_node(tensor, state().program.print_templates), std::move(label), options);
}

V TileBuilder::view(const Tile& tile, Loc loc) {
  at(loc);
  const V v = view_here(tile);
  state().program.allocations[tile.buffer_].untracked = true;
  return v;
}
V TileBuilder::view(const Tensor& tensor, Loc loc) {
  at(loc);
  return view_here(tensor);
}

V TileBuilder::view_here(const Tile& tile) {
  const V v = append_view(view_node(tile, state().program.templates));
  Program& p = state().program;
  p.view_tiles.resize(v.id() + 1);
  p.view_tiles[v.id()] = tile.buffer_;
  if (tile.remote_) p.allocations[tile.buffer_].untracked = true;
  return v;
}
V TileBuilder::view_here(const Tensor& tensor) { return append_view(view_node(tensor, state().program.templates)); }

Node TileBuilder::view_node(const Tile& tile, std::vector<isa::ViewTemplate>& templates) {
  check_tile(tile);
  isa::ViewTemplate t;
  t.space = tile.space_;
  t.dtype = tile.dtype_;
  t.rank = static_cast<std::uint8_t>(tile.rank());
  std::array<Scalar, isa::max_rank> strides{};
  for (int d = 0; d < tile.rank(); ++d) {
    t.size[at_index(d)] = static_cast<std::uint32_t>(tile.capacity(d));
    t.stride[at_index(d)] = tile.stride(d);
    strides[at_index(d)] = tile.stride(d);
  }
  return make_view(template_number(templates, t), tile.shape_, tile.base_, tile.offset_, strides,
                   tile.remote_ ? &tile : nullptr);
}

Node TileBuilder::view_node(const Tensor& tensor, std::vector<isa::ViewTemplate>& templates) {
  isa::ViewTemplate t;
  t.space = Space::hbm;
  t.dtype = tensor.dtype();
  t.rank = static_cast<std::uint8_t>(tensor.rank());
  if (tensor.rank() == 0) error("HDL-SDK-10", "a tensor without dimensions is used");
  std::array<Scalar, isa::max_rank> strides{};
  for (int d = 0; d < tensor.rank(); ++d) {
    t.size[at_index(d)] = static_cast<std::uint32_t>(tensor.extent(d).capacity);
    strides[at_index(d)] = tensor.stride(d);
    t.stride[at_index(d)] = tensor.stride(d).is_constant() ? tensor.stride(d).constant() : 0;
  }
  return make_view(template_number(templates, t), tensor.shape(), tensor.address(), 0, strides, nullptr);
}

Access TileBuilder::access(const Tile& tile, bool write) { return {tile.buffer_, write, tile.region_}; }

void TileBuilder::note(std::vector<Access>& list, const Tile& tile, bool write) {
  if (!tile.remote_) list.push_back(access(tile, write));
}

void TileBuilder::check_tile(const Tile& tile) {
  if (tile.buffer_ == 0) error("HDL-SDK-19", "a tile that was never allocated is used");
  State& s = state();
  const Allocation& a = s.program.allocations[tile.buffer_];
  const auto declared = [&] { return fmt::format("{}:{}", s.program.files[a.file], a.line); };
  if (a.ended)
    error("HDL-PIPE-01", fmt::format("the pipe's slot taken at {} is used after it was given back", declared()));
  if (!s.kernel_is_open(a.kernel))
    error("HDL-SDK-23", fmt::format("the tile declared at {} is used after the end of its kernel", declared()));
  if (a.home_loop != 0 && s.loop_frame(a.home_loop) == nullptr)
    error("HDL-SDK-23", fmt::format("the tile declared at {}, in a loop, is used outside of it", declared()));
}

// Sizes that constants show to differ. Missing dimensions on the left count as 1; `repeats`: 1 in `from` fits any size.
void TileBuilder::check_match(const Shape& to, const Shape& from, bool repeats, const char* what) const {
  const int rank = std::max(to.rank(), from.rank());
  for (int back = 1; back <= rank; ++back) {
    const Extent a = back <= to.rank() ? to[to.rank() - back] : Extent(1);
    const Extent b = back <= from.rank() ? from[from.rank() - back] : Extent(1);
    if (!a.is_static() || !b.is_static() || a.capacity == b.capacity || (repeats && b.capacity == 1)) continue;
    error("HDL-SDK-15", fmt::format("{}: size {} from the last is {} in the destination and {} in the source", what,
                                    back, a.capacity, b.capacity));
  }
}

void TileBuilder::use_vpu(int index, Loc loc) {
  at(loc);
  if (index < 0 || index >= target().vpu_count)
    error("HDL-SDK-18", fmt::format("vpu{}: a core has {}", index, target().vpu_count));
  vpu_ = index;
}

Scalar TileBuilder::read(const Smem& tile, Scalar i, Loc loc) {
  at(loc);
  const int width = bits(tile.dtype());
  if (tile.rank() != 1 || width < 8)
    error("HDL-SDK-15", fmt::format("the sequencer reads rank-1 tiles of whole bytes, not rank {} of {}", tile.rank(),
                                    name(tile.dtype())));
  check_tile(tile);
  const Smem one = tile.slice(0, i, 1, loc);
  Node n;
  n.in.op = width == 32 ? Opcode::lw : width == 8 ? Opcode::lb : Opcode::nop;
  if (n.in.op == Opcode::nop) error("HDL-SDK-16", "the sequencer reads elements of 8 or 32 bits");
  n.rs1 = materialise(one.base());
  n.in[FieldId::imm] = one.offset();
  n.rd = state().program.new_value({false, n.in.op, n.rs1, 0, one.offset()});
  n.accesses.push_back(access(one, false));
  const ValueId rd = n.rd;
  append(std::move(n));
  return {*this, rd};
}

void TileBuilder::write(const Smem& tile, Scalar i, Scalar value, Loc loc) {
  at(loc);
  const int width = bits(tile.dtype());
  if (tile.rank() != 1 || (width != 8 && width != 32))
    error("HDL-SDK-15", "the sequencer writes rank-1 tiles of 8 or 32 bits");
  check_tile(tile);
  const Smem one = tile.slice(0, i, 1, loc);
  Node n;
  n.in.op = width == 32 ? Opcode::sw : Opcode::sb;
  n.rs1 = materialise(one.base());
  n.rs2 = materialise(value);
  n.in[FieldId::imm] = one.offset();
  n.accesses.push_back(access(one, true));
  append(std::move(n));
}

}  // namespace heddle::sdk
