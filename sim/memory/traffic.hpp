// SPDX-License-Identifier: Apache-2.0
// Request streams by name, as measurements of DRAM use them. A pattern is one of
//   seq        consecutive requests from address 0 on
//   rand       uniform over the whole memory, aligned to the request
//   randN      aligned pieces of N bytes at random, each read from its begin to its end ("rand:4KiB" is rand4096)
//   strideN    N bytes from one request's start to the next's, round the memory ("stride:128")
//   2stream    two sequential streams in turn, half the memory apart: the same bank, another row
//   2streamB   the same, and one bank group apart
//   copy       2stream with the second stream written; copyB likewise
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/memory/address_map.hpp"

namespace heddle::memory {

struct Pattern {
  enum class Kind : std::uint8_t { sequential, random, stride, two_streams };
  Kind kind = Kind::sequential;
  std::uint64_t size = 0;  // of a random piece, or of a stride; 0: of a request
  bool copy = false;       // two_streams: the second is written
  bool other_group = false;
};

// Throws bad_input HDL-MEM-06, with the names above, for a text that is none of them.
Pattern parse_pattern(const std::string& text);

struct Access {
  std::uint64_t address = 0;
  bool write = false;
};

struct Stream {
  Pattern pattern;
  std::int64_t requests = 100'000;
  std::int64_t bytes = 64;    // of a request
  double write_fraction = 0;  // > 0: each request is a write with this chance, whatever the pattern says
  std::uint64_t seed = 12345;
};

// The requests of a stream to a memory of this setup and mapping, in order. The same on every host.
std::vector<Access> accesses(const Stream& stream, const DramSetup& setup, const AddressMap& map);

}  // namespace heddle::memory
