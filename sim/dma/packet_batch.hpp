// SPDX-License-Identifier: Apache-2.0
// What travels between a DMA engine, the network and the memory: a batch of packets in one TLM payload.
//
// A generic payload carries the command (read or write), the address of the first request and the bytes in all; this
// extension carries the rest. Payload data pointers are null: sockets move time, values move elsewhere.
// Forward, BEGIN_REQ: `time` of a request is when its last packet leaves the engine; the network turns it into the
// arrival at the memory. Backward, BEGIN_RESP: `time` is when the memory was done with it; the network turns the batch
// into `done`, when the last byte (read) or the acknowledgement (write) is back at the engine. That may lie a little in
// the future of the call. A target that knows the answer at once returns TLM_COMPLETED with `done` set.
// Whoever sends a batch owns it and keeps it alive until it is back.
#pragma once
#include <tlm>

#include <cstdint>
#include <vector>

#include "isa/base/strong.hpp"

namespace heddle::dma {

// Packets that follow each other in memory; each packet but the last has the same size.
struct PacketRun {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t packets = 0;
  TimeFs time{};
};

class PacketBatch final : public tlm::tlm_extension<PacketBatch> {
 public:
  std::vector<PacketRun> runs;
  bool write = false;
  std::uint32_t core = 0;  // whose engine sent it
  bool to_core = false;    // the far side is memory of core `target_core`, else the memory stack
  std::uint32_t target_core = 0;
  TimeFs pace{};               // between packets as they leave the engine
  TimeFs arrived{}, served{};  // to watch: the last packet reached the memory; the memory was done with it
  TimeFs done{};
  int route = 0;                // the network's: the socket it came by
  std::uint32_t remaining = 0;  // the memory's: bytes not yet served
  std::uint32_t slot = 0;       // the sender's

  tlm::tlm_extension_base* clone() const override { return new PacketBatch(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const PacketBatch&>(other); }
  void free() override {}  // the sender owns it
};

}  // namespace heddle::dma
