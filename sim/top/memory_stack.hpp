// SPDX-License-Identifier: Apache-2.0
// A chip's memory stack as a TLM target around an IMemoryModel: batches in, batches back when their last byte is
// served.
//
// The model wants requests in order of arrival, so they wait here, sorted, until no earlier one can come: a batch sent
// at t reaches the memory no sooner than t + lookahead. The stack looks at the model when something could complete, but
// no more often than every 16th part of the time that the outstanding bytes take at full bandwidth: under load a
// completion is seen late by no more than that, and one transfer alone is seen at once.
#pragma once
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <systemc>
#include <vector>

#include "sim/compute/failure.hpp"
#include "sim/dma/packet_batch.hpp"
#include "sim/memory/i_memory_model.hpp"

namespace heddle::top {

class MemoryStack : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(MemoryStack);
  MemoryStack(sc_core::sc_module_name name, std::unique_ptr<memory::IMemoryModel> model, compute::Failure& failure);

  tlm_utils::simple_target_socket<MemoryStack> socket;
  void set_lookahead(TimeFs lookahead) { lookahead_ = lookahead; }
  const memory::IMemoryModel& model() const { return *model_; }
  std::uint64_t activations() const { return activations_; }

 private:
  struct Pending {
    memory::Request request;
    std::uint64_t order;
  };
  // Order of the heap of waiting requests: the earliest arrival on top, the one sent first among equals.
  static bool comes_after(const Pending& a, const Pending& b) {
    return a.request.arrival != b.request.arrival ? a.request.arrival > b.request.arrival : a.order > b.order;
  }
  struct Batch {
    tlm::tlm_generic_payload* payload = nullptr;
    dma::PacketBatch* packets = nullptr;
  };
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void serve();
  void push_until(TimeFs time);
  void plan();
  void hand_back(Batch batch);

  std::unique_ptr<memory::IMemoryModel> model_;
  compute::Failure& failure_;
  TimeFs lookahead_{};
  TimeFs last_arrival_{};
  TimeFs served_{};               // the last look
  std::int64_t outstanding_ = 0;  // bytes asked for and not served
  std::vector<Pending> waiting_;  // heap, earliest arrival first
  std::uint64_t order_ = 0;
  std::vector<Batch> batches_;  // by slot; a tag is slot * 256 + run
  std::vector<std::uint32_t> free_slots_;
  std::vector<memory::Completion> completions_;
  std::vector<Batch> finished_;
  bool serving_ = false;
  sc_core::sc_event wake_;
  TimeFs wake_time_{};
  std::uint64_t activations_ = 0;
};

}  // namespace heddle::top
