// SPDX-License-Identifier: Apache-2.0
// Tells the checkers what memory each operand has to stay in, and which instructions touch a tile first in its turn
// (isa::TileUse). A tile's first instruction is where it becomes empty if all that follows in the turn is ordered after
// it: the same engine's instructions, and those of others that touch a byte which it writes.
#include <algorithm>
#include <map>
#include <vector>

#include "sdk/arch/program.hpp"
#include "sdk/arch/state.hpp"

namespace heddle::sdk {
namespace {

struct Touch {
  Node* node = nullptr;
  std::uint32_t loop = 0;  // innermost, within its kernel
  std::uint32_t kernel = 0;
};

class Namer {
 public:
  explicit Namer(Program& program) : program_(program) {}

  void run() {
    for (EntryInfo& e : program_.entries) visit(*e.body, 0, e.kernel);
    for (const auto& [buffer, touches] : touches_)
      if (becomes_empty(buffer, touches)) touches.front().node->fresh = true;
  }

 private:
  BufferId tile_of(ViewId v) const { return v < program_.view_tiles.size() ? program_.view_tiles[v] : 0; }

  void visit(Block& block, std::uint32_t loop, std::uint32_t kernel) {
    for (Node& n : block.nodes) {
      if (is_engine_node(n))
        n.tiles = {tile_of(n.vd), tile_of(n.va), tile_of(n.bias != 0 ? n.bias : n.vb),
                   tile_of(n.row != 0 ? n.row : n.vc)};
      for (const Access& a : n.accesses) touches_[a.buffer].push_back({&n, loop, kernel});
      const bool inner_loop = n.kind == NodeKind::loop, inner_kernel = n.kind == NodeKind::kernel;
      const std::uint32_t in_loop = inner_loop ? n.serial : inner_kernel ? 0 : loop;
      if (n.body) visit(*n.body, in_loop, inner_kernel ? n.serial : kernel);
      if (n.other) visit(*n.other, in_loop, kernel);
    }
  }

  bool becomes_empty(BufferId buffer, const std::vector<Touch>& touches) const {
    const Allocation& a = program_.allocations[buffer];
    const Touch& first = touches.front();
    const Node& n = *first.node;
    if (a.untracked || a.filled || a.space == isa::Space::smem || !is_engine_node(n) || n.tiles[0] != buffer)
      return false;
    if (first.loop != a.home_loop || first.kernel != a.kernel) return false;
    std::vector<Region> written;
    for (const Access& access : n.accesses)
      if (access.buffer == buffer && access.write) written.push_back(access.region);
    return std::all_of(touches.begin(), touches.end(), [&](const Touch& t) {
      if (key_of(*t.node) == key_of(n)) return true;
      return std::all_of(t.node->accesses.begin(), t.node->accesses.end(), [&](const Access& o) {
        return o.buffer != buffer ||
               std::any_of(written.begin(), written.end(), [&](const Region& r) { return meets(o.region, r); });
      });
    });
  }

  Program& program_;
  std::map<BufferId, std::vector<Touch>> touches_;  // in the order of the program
};

}  // namespace

void name_tiles(Program& program) { Namer(program).run(); }

}  // namespace heddle::sdk
