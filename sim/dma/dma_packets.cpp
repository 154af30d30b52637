// SPDX-License-Identifier: Apache-2.0
// How a transfer is cut into packets.
#include <algorithm>

#include "sim/dma/dma.hpp"

namespace heddle::dma {

void Dma::add_packet(std::vector<PacketRun>& runs, std::uint64_t address, std::uint32_t bytes, TimeFs time) const {
  if (!runs.empty()) {
    PacketRun& r = runs.back();
    const bool full = r.bytes == r.packets * static_cast<std::uint64_t>(spec_.packet_bytes);
    if (full && r.address + r.bytes == address) {
      r.bytes += bytes;
      ++r.packets;
      r.time = time;
      return;
    }
  }
  runs.push_back({address, bytes, 1, time});
}

// The naturally aligned power of two that covers most of what the run has left at this place, the smallest such: its
// whole block is asked for.
Piece Dma::aligned_piece(Transfer& t, bool write) const {
  const std::uint64_t address = write ? t.cursor.destination_address() : t.cursor.source_address();
  const auto left = static_cast<std::uint64_t>(t.cursor.run_left());
  std::uint64_t size = 0, covered = 0;
  for (auto s = static_cast<std::uint64_t>(spec_.aligned_packet_bytes);
       s <= static_cast<std::uint64_t>(spec_.packet_bytes); s *= 2) {
    const std::uint64_t reach = std::min(s - address % s, left);
    if (reach <= covered) continue;
    covered = reach;
    size = s;
  }
  Piece p = t.cursor.next(static_cast<std::uint32_t>(covered));
  (write ? p.destination : p.source) = address / size * size;
  p.bytes = static_cast<std::uint32_t>(size);
  return p;
}

}  // namespace heddle::dma
