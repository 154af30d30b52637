// SPDX-License-Identifier: Apache-2.0
// A DMA engine: its queue, and transfers cut into batches of packets.
//
// Course of a transfer. It takes its semaphores when it and all before it in the queue can; from then on `start` passes
// (descriptors are prefetched: the start costs of queued transfers run side by side). It leaves the queue and issues
// its first packet when that is over and the transfer before it has issued its last. A packet takes a cycle to issue,
// and the first of each further contiguous run descriptor_cycles more. No more than in_flight packets are outstanding;
// they go out in batches (of a quarter of that, 16 at most), and a batch's packets become free together when its last
// one is back. All bytes pass the engine's data path at bytes_per_cycle (transpose: transpose_bytes_per_cycle; out of
// the core: write_bytes_per_cycle), a packet at a time. A read is outstanding until its data has passed the data path;
// a write until the far side acknowledges; a copy from far to far until both are done. Transfers complete in queue
// order. Between memories of the core itself nothing travels: the data path and the scratchpad's latency are all it
// takes.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <memory>

#include "sim/compute/engine.hpp"
#include "sim/dma/packet_batch.hpp"
#include "sim/dma/ring.hpp"
#include "sim/dma/run_cursor.hpp"

namespace heddle::dma {

class Dma final : public compute::Engine {
 public:
  Dma(sc_core::sc_module_name name, compute::CoreContext& context, std::uint32_t index, compute::AgentId id);
  ~Dma() override;
  void run() override;
  bool finished() const override { return empty() && active_.empty(); }
  void begin_launch(TimeFs start) override;

  tlm_utils::simple_initiator_socket<Dma> socket;

 private:
  std::size_t under_way() const override { return taken_.size(); }
  struct Transfer {
    exec::EngineOp op;
    FarSides far;
    RunCursor cursor;
    std::uint64_t packets_left = 0;  // with aligned packets: 1 while there are any
    std::uint32_t batch = 1;         // packets
    bool first_run = true;
    std::uint32_t outstanding = 0;  // batches
    TimeFs first{}, done{};
  };
  struct Batch {
    PacketBatch packets;  // before the payload, which refers to it to its end
    tlm::tlm_generic_payload payload;
    std::vector<PacketRun> writes;  // the second half of a far-to-far copy
    Transfer* transfer = nullptr;
    std::uint32_t count = 0;  // packets
    std::uint32_t bytes = 0;
    std::uint64_t near = 0;  // where the last packet's useful bytes lie in this core, and how many they are
    std::uint32_t near_bytes = 0;
    TimeFs issued{};
    TimeFs path{}, last_path{};  // on the data path: all packets, the last one
  };
  struct Credit {
    TimeFs time{};
    std::uint32_t packets = 0;
  };

  void take_waits();
  bool begin_next();
  bool issue_batch();
  Piece aligned_piece(Transfer& t, bool write) const;
  void finish_transfers();
  void run_near(Transfer& t);
  void add_packet(std::vector<PacketRun>& runs, std::uint64_t address, std::uint32_t bytes, TimeFs time) const;
  void send(Batch& batch, bool write, const isa::View& far);
  void came_back(Batch& batch);
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  bool is_far(const isa::View& v) const;
  bool touches_spm(const Transfer& t) const;
  bool fills_spm(const Transfer& t) const;
  std::vector<std::int32_t> read_indices(const exec::EngineOp& op) const;
  TimeFs path_time(const exec::EngineOp& op, std::int64_t bytes) const;
  TimeFs write_path_time(const exec::EngineOp& op, std::int64_t bytes) const;
  void tell_path(TimeFs from, TimeFs to) const {
    if (context_.observer != nullptr) context_.observer->data_path(agent(), from, to);
  }
  void wake(TimeFs time);
  Batch& free_batch();
  Transfer& new_transfer(const exec::EngineOp& op, TimeFs first);

  const config::DmaSpec& spec_;
  std::uint32_t batch_packets_;
  std::int64_t bytes_per_core_cycle_ = 1;   // of the data path
  TimeFs window_;                           // how far ahead of the present packets may be sent
  Ring<TimeFs> taken_;                      // of the queue's first entries: when they took their semaphores
  Ring<std::unique_ptr<Transfer>> active_;  // issuing or waiting for packets; all but the last have issued everything
  bool issuing_ = false;                    // the last of them has not
  // Packets that may go out, in the order in which they came back; writes have their own with write_in_flight.
  struct Credits {
    Ring<Credit> queue;
    std::uint64_t free = 0;
    void add(Credit c) {
      queue.push_back(c);
      free += c.packets;
    }
    TimeFs time_of(std::uint32_t want) const;  // when so many are there; precondition: want <= free
    void take(std::uint32_t want);
  };
  Credits& credits_of(bool write) { return credits_[write && spec_.write_in_flight > 0 ? 1 : 0]; }
  std::array<Credits, 2> credits_;
  TimeFs issue_free_{}, path_free_{};
  TimeFs last_take_{};
  TimeFs wake_{};  // the earliest wake-up already asked for
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<Batch*> free_batches_;
  std::vector<std::unique_ptr<Transfer>> free_transfers_;
};

}  // namespace heddle::dma
