// SPDX-License-Identifier: Apache-2.0
// Orders engines that touch the same tile. In each block, an access depends on the last conflicting accesses by other
// engines; in a loop's body, also on those of the turn before (of `slots` turns before, for a tile that the body
// declares). An end that lies in a nested loop or branch is moved to just before or after it, so that both ends of a
// dependency lie in the same block and run equally often. One semaphore a pair of engines and nesting depth then
// carries all of them:
//
// Let N be the length of a turn, p and c the places of post and wait, d the turns between them. Requirement r = p -
// d·N. Waits whose requirement an earlier wait of the same engine has already met are dropped (engines complete in
// order); what is left rises strictly from wait to wait, as the posts do, so the k-th wait takes the k-th post. The sum
// of d over what is left is posted before the loop, by the producing engine, and taken after it, by the consuming one.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "sdk/arch/block_editor.hpp"
#include "sdk/arch/state.hpp"

namespace heddle::sdk {

namespace {

struct EngineAccess {
  EngineKey engine = 0;
  Access access;
};

struct Record {
  EngineKey engine = 0;
  bool write = false;
  Region region;
  std::size_t item = 0;
  int turns = 0;  // 0: this turn
};

struct Edge {
  std::size_t from = 0, to = 0;  // items
  std::int64_t post = 0, wait = 0;
  int turns = 0;
};
using EnginePair = std::pair<EngineKey, EngineKey>;

struct Credit {
  EnginePair pair;
  std::uint32_t sem = 0;
  std::uint32_t count = 0;
};

bool contains(const Region& outer, const Region& inner) {
  if (outer.rank != inner.rank) return false;
  for (int d = 0; d < outer.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (inner.begin[i] < outer.begin[i] || inner.end[i] > outer.end[i]) return false;
  }
  return true;
}
bool same(const Region& a, const Region& b) { return contains(a, b) && contains(b, a); }

class Orderer {
 public:
  explicit Orderer(Program& program) : program_(program) {}

  void run() {
    for (EntryInfo& e : program_.entries) {
      std::vector<Credit> none;
      analyse(*e.body, 0, e.kernel, 0, none);
    }
  }

 private:
  using State = std::unordered_map<BufferId, std::vector<Record>>;

  // Orders the block and all in it. `loop`: its serial if it is a loop's body, else 0. `credits`: what must be posted
  // before the loop and taken after it. Returns the accesses that matter outside.
  std::vector<EngineAccess> analyse(Block& block, std::uint32_t loop, std::uint32_t kernel, int depth,
                                    std::vector<Credit>& credits) {
    const std::size_t count = block.nodes.size();
    std::vector<std::vector<EngineAccess>> items(count);
    BlockEditor editor(block);
    for (std::size_t i = 0; i < count; ++i) {
      Node& n = block.nodes[i];
      for (const Access& a : n.accesses) items[i].push_back({key_of(n), a});
      if (!n.body) continue;
      const std::uint32_t inner_kernel = n.kind == NodeKind::kernel ? n.serial : kernel;
      std::vector<Credit> inner;
      items[i] = analyse(*n.body, n.kind == NodeKind::loop ? n.serial : 0, inner_kernel, depth + 1, inner);
      for (const Credit& c : inner) {
        for (Node& p : post_nodes(c.pair.first, c.sem, c.count)) editor.insert_before(i, std::move(p));
        for (Node& w : wait_nodes(c.pair.second, c.sem, c.count)) editor.insert_after(i, std::move(w));
      }
      if (n.other) {
        for (EngineAccess& a : analyse(*n.other, 0, inner_kernel, depth + 1, inner)) items[i].push_back(std::move(a));
      }
      if (n.kind == NodeKind::kernel)
        std::erase_if(items[i],
                      [&](const EngineAccess& a) { return program_.allocations[a.access.buffer].kernel == n.serial; });
    }

    edges_of_block(block, items, loop);
    const auto edges = std::move(edges_);
    edges_.clear();
    const std::int64_t turn = 4 * static_cast<std::int64_t>(count) + 4;
    for (const auto& [pair, list] : edges) {
      std::uint32_t outstanding = 0;
      const std::uint32_t sem = semaphore(pair, depth, kernel);
      for (const Edge& e : needed(list, turn)) {
        editor.post(e.from, pair.first, sem);
        editor.wait(e.to, pair.second, sem);
        outstanding += static_cast<std::uint32_t>(e.turns);
      }
      if (outstanding != 0) credits.push_back({pair, sem, outstanding});
    }

    std::vector<EngineAccess> outside;
    for (auto& item : items)
      for (EngineAccess& a : item)
        if (loop == 0 || program_.allocations[a.access.buffer].home_loop != loop) add_once(outside, std::move(a));
    editor.apply();
    return outside;
  }

  static void add_once(std::vector<EngineAccess>& list, EngineAccess a) {
    for (const EngineAccess& x : list)
      if (x.engine == a.engine && x.access.buffer == a.access.buffer && x.access.write == a.access.write &&
          contains(x.access.region, a.access.region))
        return;
    list.push_back(std::move(a));
  }

  void edges_of_block(const Block& block, const std::vector<std::vector<EngineAccess>>& items, std::uint32_t loop) {
    State state;
    for (std::size_t i = 0; i < items.size(); ++i) visit(block, items[i], i, state, true);
    if (loop == 0) return;
    for (auto it = state.begin(); it != state.end();) {
      const Allocation& a = program_.allocations[it->first];
      // A generation of a pipe ends inside the turn that began it.
      if (a.generation && a.home_loop == loop) {
        it = state.erase(it);
        continue;
      }
      for (Record& r : it->second) r.turns = a.home_loop == loop ? a.slots : 1;
      ++it;
    }
    for (std::size_t i = 0; i < items.size(); ++i) visit(block, items[i], i, state, false);
  }

  void visit(const Block& block, const std::vector<EngineAccess>& accesses, std::size_t i, State& state, bool record) {
    const Node& node = block.nodes[i];
    if (node.kind == NodeKind::instruction && node.in.op == isa::Opcode::fence) {
      state.clear();
      return;
    }
    const bool compound = node.body != nullptr;
    for (const EngineAccess& a : accesses) {
      const auto found = state.find(a.access.buffer);
      if (found == state.end()) continue;
      for (const Record& r : found->second) {
        if (r.engine == a.engine || r.engine == sequencer_key) continue;
        if (!(r.write || a.access.write) || !meets(r.region, a.access.region)) continue;
        const bool from_compound = block.nodes[r.item].body != nullptr;
        edges_[{r.engine, a.engine}].push_back({r.item, i,
                                                4 * static_cast<std::int64_t>(r.item) + (from_compound ? 3 : 1),
                                                4 * static_cast<std::int64_t>(i) + (compound ? 0 : 1), r.turns});
      }
    }
    for (const EngineAccess& a : accesses)
      if (a.access.write)
        if (const auto found = state.find(a.access.buffer); found != state.end())
          std::erase_if(found->second,
                        [&](const Record& r) { return r.item != i && contains(a.access.region, r.region); });
    if (!record) return;
    for (const EngineAccess& a : accesses) {
      auto& list = state[a.access.buffer];
      const auto known = std::find_if(list.begin(), list.end(), [&](const Record& r) {
        return r.engine == a.engine && r.write == a.access.write && same(r.region, a.access.region);
      });
      if (known != list.end())
        known->item = i;  // the engine runs in order: its latest access covers the earlier ones
      else
        list.push_back({a.engine, a.access.write, a.access.region, i, 0});
    }
  }

  // Drops what is met already, in the steady state of the loop (turns of 0 alone: in the one run of the block).
  static std::vector<Edge> needed(std::vector<Edge> edges, std::int64_t turn) {
    const auto requirement = [&](const Edge& e) { return e.post - e.turns * turn; };
    std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
      return std::make_tuple(a.wait, -requirement(a)) < std::make_tuple(b.wait, -requirement(b));
    });
    int longest = 0;
    for (const Edge& e : edges) longest = std::max(longest, e.turns);
    std::vector<Edge> kept;
    std::int64_t met = std::numeric_limits<std::int64_t>::min();
    for (int t = 0; t <= (longest == 0 ? 0 : longest + 2); ++t) {
      kept.clear();
      for (const Edge& e : edges)
        if (requirement(e) + t * turn > met) {
          met = requirement(e) + t * turn;
          kept.push_back(e);
        }
    }
    return kept;
  }

  std::uint32_t semaphore(EnginePair pair, int depth, std::uint32_t kernel) {
    const auto key = std::make_tuple(pair, depth, kernel);
    const auto found = semaphores_.find(key);
    if (found != semaphores_.end()) return found->second;
    return semaphores_[key] = program_.new_semaphore(kernel);
  }

  Program& program_;
  std::map<EnginePair, std::vector<Edge>> edges_;
  std::map<std::tuple<EnginePair, int, std::uint32_t>, std::uint32_t> semaphores_;
};

}  // namespace

void order_tiles(Program& program) { Orderer(program).run(); }

}  // namespace heddle::sdk
