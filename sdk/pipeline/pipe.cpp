// SPDX-License-Identifier: Apache-2.0
#include "sdk/pipeline/pipe.hpp"

#include <algorithm>

#include "sdk/arch/state.hpp"
#include "sdk/pipeline/kernel_builder.hpp"

namespace heddle::sdk {

template <Space S>
Pipe<S> KernelBuilder::pipe(const Shape& shape, DType dtype, int slots, DmaEngine dma, Loc loc) {
  return make_pipe<S>(shape, dtype, slots, pick_dma(false, dma, loc), false, loc);
}
template <Space S>
Pipe<S> KernelBuilder::ring(const Shape& shape, DType dtype, int slots, Loc loc) {
  return make_pipe<S>(shape, dtype, slots, pick_dma(false, {}, loc), true, loc);
}

template <Space S>
Pipe<S> KernelBuilder::make_pipe(const Shape& shape, DType dtype, int slots, int dma, bool one_engine, const Loc& loc) {
  at(loc);
  if (slots < 1 || slots > 64) error("HDL-SDK-10", fmt::format("a pipe of {} slots", slots));
  Ref<S> first = allocate<S>(shape, dtype, slots, true, loc);
  Program& p = state().program;
  PipeInfo info;
  info.depth = slots;
  info.slot_bytes = p.allocations[first.buffer()].bytes / slots;
  info.one_engine = one_engine;
  info.kernel = state().kernel;
  info.allocation = first.buffer();
  info.file = state().file;
  info.line = state().line;
  if (slots > 1) {
    info.write_slot = p.new_value({true, isa::Opcode::nop, 0, 0, 0});
    info.read_slot = p.new_value({true, isa::Opcode::nop, 0, 0, 0});
    auto& values = p.kernels[info.kernel].slot_values;
    values.push_back(info.write_slot);
    values.push_back(info.read_slot);
  }
  const auto id = static_cast<PipeId>(p.pipes.size());
  p.allocations[first.buffer()].pipe = id;
  p.kernels[info.kernel].pipes.push_back(id);
  p.pipes.push_back(info);
  return {*this, id, first, slots, dma};
}
template Pipe<Space::spm> KernelBuilder::pipe(const Shape&, DType, int, DmaEngine, Loc);
template Pipe<Space::acc> KernelBuilder::pipe(const Shape&, DType, int, DmaEngine, Loc);
template Pipe<Space::smem> KernelBuilder::pipe(const Shape&, DType, int, DmaEngine, Loc);
template Pipe<Space::spm> KernelBuilder::ring(const Shape&, DType, int, Loc);
template Pipe<Space::acc> KernelBuilder::ring(const Shape&, DType, int, Loc);
template Pipe<Space::smem> KernelBuilder::ring(const Shape&, DType, int, Loc);

// Begins a generation: an allocation of its own to the analysis, in the memory of the pipe's next slot.
BufferId begin_slot(Recorder& recorder, PipeId id, bool writes, const Loc& loc) {
  recorder.at(loc);
  auto& s = recorder.state();
  PipeInfo& pipe = s.program.pipes[id];
  if (!s.kernel_is_open(pipe.kernel))
    recorder.error("HDL-SDK-23", fmt::format("the pipe made at {}:{} is used after the end of its kernel",
                                             s.program.files[pipe.file], pipe.line));
  ++(writes ? pipe.acquires : pipe.waits);
  Allocation a;
  a.pipe = id;
  a.generation = true;
  a.filled = !writes;
  a.home_loop = s.innermost_loop();
  a.kernel = pipe.kernel;
  a.file = s.file;
  a.line = s.line;
  s.program.allocations.push_back(a);
  const auto buffer = static_cast<BufferId>(s.program.allocations.size() - 1);
  Node n;
  n.kind = writes ? NodeKind::acquire : NodeKind::wait;
  n.pipe = id;
  n.buffer = buffer;
  recorder.append(std::move(n));
  return buffer;
}

template <Space S>
Slot<S> Pipe<S>::take(bool writes, const Shape& sizes, const Loc& loc) {
  const PipeInfo& pipe = builder_->state().program.pipes[id_];
  const ValueId slot = writes ? pipe.write_slot : pipe.read_slot;
  const BufferId buffer = begin_slot(*builder_, id_, writes, loc);
  return Slot<S>(*builder_, id_, writes, builder_->slot_tile(first_, buffer, slot, sizes, loc));
}
template <Space S>
Slot<S> Pipe<S>::acquire(const Shape& sizes, Loc loc) {
  return take(true, sizes, loc);
}
template <Space S>
Slot<S> Pipe<S>::wait(const Shape& sizes, Loc loc) {
  return take(false, sizes, loc);
}
template <Space S>
void Pipe<S>::load(const Tensor& from, Loc loc) {
  const Slot<S> slot = acquire(from.shape(), loc);
  builder_->copy(slot, from, {dma_}, loc);
}
template <Space S>
void Pipe<S>::load(const Tensor& from, const std::vector<DmaEngine>& engines, Loc loc) {
  const Slot<S> slot = acquire(from.shape(), loc);
  const Extent rows = from.extent(0);
  const auto parts = static_cast<std::int64_t>(engines.size());
  const std::int64_t each = (rows.capacity + parts - 1) / parts;
  for (std::int64_t p = 0; p * each < rows.capacity; ++p) {
    const std::int64_t begin = p * each, room = std::min(each, rows.capacity - begin);
    Extent n = room;
    if (!rows.is_static()) n = Extent(max(min(rows.size - begin, room), 0), room);
    builder_->copy(slot.slice(0, begin, n, loc), from.slice(0, begin, n, loc), engines[static_cast<std::size_t>(p)],
                   loc);
  }
}
template class Pipe<Space::spm>;
template class Pipe<Space::acc>;
template class Pipe<Space::smem>;

void end_slot(Recorder& recorder, PipeId id, BufferId buffer, bool writes) noexcept {
  auto& s = recorder.state();
  if (s.finished) return;
  const PipeInfo& pipe = s.program.pipes[id];
  s.program.allocations[buffer].ended = true;
  Node n;
  n.kind = writes ? NodeKind::commit : NodeKind::release;
  n.pipe = id;
  n.buffer = buffer;
  recorder.append(std::move(n));
  if (pipe.depth == 1) return;
  const ValueId slot = writes ? pipe.write_slot : pipe.read_slot;
  const std::int64_t bytes = pipe.slot_bytes;
  for (Node& r : rotate_slot(s.program, slot, bytes, pipe.depth)) recorder.append(std::move(r));
}

}  // namespace heddle::sdk
