// SPDX-License-Identifier: Apache-2.0
// A queue of `depth` equal tiles between the engines that fill them and the engines that use them. acquire() gives the
// next slot to fill, which commits when the handle goes out of scope; wait() gives the oldest committed slot, which is
// released when its handle goes out of scope. Handles may be moved, not copied. A pipe lives until the end of its
// kernel, across loops: acquires and waits must come to the same number when the kernel ends.
#pragma once
#include <utility>

#include "sdk/tile/tile_builder.hpp"

namespace heddle::sdk {

// A slot being filled or used; a tile while it lasts.
template <Space S>
class [[nodiscard]] Slot : public Ref<S> {
 public:
  Slot(Recorder& recorder, PipeId pipe, bool writes, const Ref<S>& tile)
      : Ref<S>(tile), recorder_(&recorder), pipe_(pipe), writes_(writes) {}
  Slot(Slot&& o) noexcept
      : Ref<S>(o), recorder_(std::exchange(o.recorder_, nullptr)), pipe_(o.pipe_), writes_(o.writes_) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  Slot& operator=(Slot&&) = delete;
  ~Slot();
  // Commits or releases now, instead of at the end of the scope. HDL-PIPE-03: a second time, or after it was moved
  // from.
  void end(Loc loc = Loc::current());

 private:
  Recorder* recorder_;
  PipeId pipe_;
  bool writes_;
};

void end_slot(Recorder& recorder, PipeId pipe, BufferId buffer, bool writes) noexcept;

template <Space S>
Slot<S>::~Slot() {
  if (recorder_ != nullptr) end_slot(*recorder_, pipe_, this->buffer(), writes_);
}

template <Space S>
void Slot<S>::end(Loc loc) {
  if (recorder_ == nullptr)
    Recorder::error_at(loc, "HDL-PIPE-03", "a pipe's slot is given back twice, or by a handle that was moved from");
  end_slot(*std::exchange(recorder_, nullptr), pipe_, this->buffer(), writes_);
}

template <Space S = Space::spm>
class Pipe {
 public:
  Pipe(TileBuilder& builder, PipeId id, const Ref<S>& first, int depth, int dma)
      : builder_(&builder), id_(id), first_(first), depth_(depth), dma_(dma) {}
  Pipe(Pipe&&) noexcept = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  // `sizes`: this generation's, at most the pipe's capacity; by default all of it.
  Slot<S> acquire(Loc loc = Loc::current()) { return acquire(first_.shape(), loc); }
  Slot<S> acquire(const Shape& sizes, Loc loc = Loc::current());
  Slot<S> wait(Loc loc = Loc::current()) { return wait(first_.shape(), loc); }
  Slot<S> wait(const Shape& sizes, Loc loc = Loc::current());
  // acquire, copy, commit: the load goes through the pipe's own DMA engine, so that loads complete in order.
  void load(const Tensor& from, Loc loc = Loc::current());
  // The same, a part of the first dimension through each of the engines.
  void load(const Tensor& from, const std::vector<DmaEngine>& engines, Loc loc = Loc::current());
  int slots() const { return depth_; }
  DmaEngine dma() const { return {dma_}; }
  const Shape& shape() const { return first_.shape(); }

 private:
  Slot<S> take(bool writes, const Shape& sizes, const Loc& loc);
  TileBuilder* builder_;
  PipeId id_;
  Ref<S> first_;
  int depth_;
  int dma_;
};

}  // namespace heddle::sdk
