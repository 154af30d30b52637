// SPDX-License-Identifier: Apache-2.0
// The network on chip as a SystemC module: batches of packets in from the DMA engines, on to the memory stack or to
// another core, and back, each link's time reserved in an INocModel. Requests of reads and acknowledgements of writes
// are packets without payload; an acknowledgement stands for a whole batch.
#pragma once
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <systemc>

#include "sim/config/chip_spec.hpp"
#include "sim/dma/packet_batch.hpp"
#include "sim/noc/i_noc_model.hpp"

namespace heddle::top {

class NocFabric : public sc_core::sc_module {
 public:
  // memory_ports: ways into the stack; pieces of `interleave` bytes go round them.
  NocFabric(sc_core::sc_module_name name, const config::ChipSpec& chip, int memory_ports);

  tlm_utils::multi_passthrough_target_socket<NocFabric> engines;
  tlm_utils::simple_initiator_socket<NocFabric> memory;

  // No packet reaches the memory sooner after it was sent.
  TimeFs shortest_way() const { return shortest_; }
  TimeFs post_latency(std::uint32_t from_core, std::uint32_t to_core) const;
  noc::INocModel& model() { return *model_; }
  const noc::INocModel& model() const { return *model_; }

 private:
  tlm::tlm_sync_enum forward(int id, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void through_core(dma::PacketBatch& batch);
  noc::NodeId port_of(std::uint64_t address) const;
  // The run's packets on their way: the last one is ready at run.time, those before it were `pace` apart.
  noc::RunArrival carry(noc::NodeId from, noc::NodeId to, const dma::PacketRun& run, std::int64_t packet_bytes,
                        TimeFs pace);
  // Data on its way back, streamed as the source reads it: the last packet is ready at run.time. Its arrival.
  TimeFs answer(noc::NodeId from, noc::NodeId to, const dma::PacketRun& run);

  std::unique_ptr<noc::INocModel> model_;
  int ports_;
  std::int64_t interleave_;
  int port_bits_ = -1, interleave_bits_ = 0;  // of counts that are powers of two; else -1
  bool hash_;                                 // pieces are permuted as the memory permutes its channels
  TimeFs period_;
  std::int64_t width_, header_;
  TimeFs remote_latency_;  // of another core's scratchpad
  TimeFs shortest_{};
};

}  // namespace heddle::top
