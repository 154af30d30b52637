// SPDX-License-Identifier: Apache-2.0
#include "sim/top/memory_stack.hpp"

#include <algorithm>

#include "sim/compute/agenda.hpp"

namespace heddle::top {
namespace {

constexpr std::int64_t fs_in_second = 1'000'000'000'000'000;
constexpr std::uint64_t runs_a_batch = 256;
constexpr std::int64_t grains = 16;

}  // namespace

MemoryStack::MemoryStack(sc_core::sc_module_name name, std::unique_ptr<memory::IMemoryModel> model,
                         compute::Failure& failure)
    : sc_module(name), socket("socket"), model_(std::move(model)), failure_(failure), wake_time_(compute::never) {
  socket.register_nb_transport_fw(this, &MemoryStack::forward);
  SC_METHOD(serve);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum MemoryStack::forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  dma::PacketBatch* packets = nullptr;
  payload.get_extension(packets);
  std::uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(batches_.size());
    batches_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  batches_[slot] = {&payload, packets};
  packets->remaining = 0;
  for (std::size_t i = 0; i < packets->runs.size(); ++i) {
    const dma::PacketRun& run = packets->runs[i];
    packets->remaining += run.bytes;
    outstanding_ += run.bytes;
    waiting_.push_back({{slot * runs_a_batch + i, run.address, run.bytes, packets->write, run.time}, order_++});
    std::push_heap(waiting_.begin(), waiting_.end(), comes_after);
  }
  if (!serving_) plan();
  return tlm::TLM_ACCEPTED;
}

void MemoryStack::push_until(TimeFs time) {
  while (!waiting_.empty() && waiting_.front().request.arrival <= time) {
    std::pop_heap(waiting_.begin(), waiting_.end(), comes_after);
    memory::Request request = waiting_.back().request;
    waiting_.pop_back();
    // A request sent ahead of a wake-up that came later than its own may have been overtaken by the clock.
    last_arrival_ = request.arrival = std::max(request.arrival, last_arrival_);
    model_->push(request);
  }
}

void MemoryStack::serve() {
  if (failure_.set()) return;
  ++activations_;
  serving_ = true;
  try {
    served_ = compute::simulated_now();
    const TimeFs horizon = served_ + lookahead_;
    push_until(horizon);
    completions_.clear();
    model_->advance(horizon, completions_);
    last_arrival_ = std::max(last_arrival_, horizon);
    finished_.clear();
    for (const memory::Completion& c : completions_) {
      const auto slot = static_cast<std::uint32_t>(c.tag / runs_a_batch);
      Batch& b = batches_[slot];
      dma::PacketRun& run = b.packets->runs[c.tag % runs_a_batch];
      run.time = c.time;
      b.packets->remaining -= run.bytes;
      outstanding_ -= run.bytes;
      if (b.packets->remaining != 0) continue;
      finished_.push_back(b);
      free_slots_.push_back(slot);
    }
    for (const Batch& b : finished_) hand_back(b);
  } catch (...) {
    failure_.keep(std::current_exception());
  }
  serving_ = false;
  wake_time_ = compute::never;
  if (!failure_.set()) plan();
}

void MemoryStack::hand_back(Batch batch) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_bw(*batch.payload, phase, delay);
}

void MemoryStack::plan() {
  TimeFs next = model_->next_decision();
  if (!waiting_.empty()) next = std::min(next, waiting_.front().request.arrival);
  if (next == compute::never) return;
  const TimeFs now = compute::simulated_now();
  const std::int64_t fs_a_byte = fs_in_second / model_->peak_bytes_per_second();
  const TimeFs grain = model_->instant() ? TimeFs{} : TimeFs((outstanding_ * fs_a_byte) / grains);
  const TimeFs at = std::max({now, next - lookahead_, served_ + grain});
  if (at >= wake_time_) return;
  wake_time_ = at;
  wake_.notify(compute::to_sc_time(at - now));
}

}  // namespace heddle::top
