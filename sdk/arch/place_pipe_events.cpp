// SPDX-License-Identifier: Apache-2.0
// Gives each pipe its semaphores: for every engine p that fills slots and every other engine c that uses them, `full`
// counts what p committed and c has not taken, `free` counts what c released and p has not refilled. Engines run in
// order, so counts are enough. `free` starts at the depth where the kernel begins and is taken back where it ends.
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sdk/arch/block_editor.hpp"
#include "sdk/arch/state.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

struct PipeSemaphores {
  std::set<EngineKey> producers, consumers;
  std::map<std::pair<EngineKey, EngineKey>, std::uint32_t> full;  // [producer, consumer]
  std::map<std::pair<EngineKey, EngineKey>, std::uint32_t> free;  // [consumer, producer]
};

std::string name_of(EngineKey engine) {
  if (engine == sequencer_key) return "the sequencer";
  const isa::Unit unit = unit_of(engine);
  return fmt::format("{}{}", unit == isa::Unit::dma ? "dma" : unit == isa::Unit::mxu ? "mxu" : "vpu", index_of(engine));
}

class Placer {
 public:
  explicit Placer(Program& program) : program_(program), pipes_(program.pipes.size()) {}

  void run() {
    for (EntryInfo& e : program_.entries) collect(*e.body);
    for (PipeId id = 1; id < program_.pipes.size(); ++id) make_semaphores(id);
    for (EntryInfo& e : program_.entries) {
      place(*e.body);
      open_and_close(*e.body, e.kernel);
    }
  }

 private:
  // Which engines touch each generation, in the block or deeper.
  void collect(const Block& block) {
    for (const Node& n : block.nodes) {
      if (n.kind == NodeKind::acquire) fills_[n.buffer] = true;
      if (n.kind == NodeKind::wait) fills_[n.buffer] = false;
      for (const Access& a : n.accesses) {
        const Allocation& buffer = program_.allocations[a.buffer];
        if (!buffer.generation) continue;
        PipeSemaphores& p = pipes_[buffer.pipe];
        (fills_[a.buffer] ? p.producers : p.consumers).insert(key_of(n));
      }
      if (n.body) collect(*n.body);
      if (n.other) collect(*n.other);
    }
  }

  void make_semaphores(PipeId id) {
    const PipeInfo& info = program_.pipes[id];
    PipeSemaphores& p = pipes_[id];
    if (info.acquires == 0 && info.waits == 0) return;
    const SourceLocation where{program_.files[info.file], info.line, 0};
    if (info.acquires == 0 || info.waits == 0)
      fail_at(where, ErrorKind::program, "HDL-SDK-20", "a pipe is {} but never {}",
              info.acquires == 0 ? "waited for" : "filled", info.acquires == 0 ? "filled" : "waited for");
    const bool one_engine = p.producers.size() == 1 && p.consumers == p.producers;
    if (one_engine && !info.one_engine)
      fail_at(where, ErrorKind::program, "HDL-PIPE-05",
              "a pipe is filled and used by one engine, {}, which never waits for itself: take a tile, or ring()",
              name_of(*p.producers.begin()));
    if (!one_engine && info.one_engine)
      fail_at(where, ErrorKind::program, "HDL-PIPE-05", "a ring is filled and used by several engines: take pipe()");
    for (const EngineKey producer : p.producers)
      for (const EngineKey consumer : p.consumers) {
        if (producer == consumer) continue;
        if (producer != sequencer_key) p.full[{producer, consumer}] = program_.new_semaphore(info.kernel);
        if (consumer != sequencer_key) p.free[{consumer, producer}] = program_.new_semaphore(info.kernel);
      }
  }

  bool touches(const Node& n, BufferId buffer, EngineKey engine) const {
    for (const Access& a : n.accesses)
      if (a.buffer == buffer && key_of(n) == engine) return true;
    for (const auto* b : {n.body.get(), n.other.get()})
      if (b != nullptr)
        for (const Node& inner : b->nodes)
          if (touches(inner, buffer, engine)) return true;
    return false;
  }

  void place(Block& block) {
    for (Node& n : block.nodes) {
      if (n.body) place(*n.body);
      if (n.other) place(*n.other);
    }
    BlockEditor editor(block);
    const auto& nodes = block.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == NodeKind::kernel) open_and_close(*nodes[i].body, nodes[i].serial);
      if (nodes[i].kind != NodeKind::acquire && nodes[i].kind != NodeKind::wait) continue;
      std::size_t end = i + 1;
      while (end < nodes.size() && nodes[end].buffer != nodes[i].buffer) ++end;
      if (end == nodes.size())
        fail_at(place_of(nodes[i]), ErrorKind::program, "HDL-PIPE-04",
                "a pipe's slot is still held at the end of the loop, branch or kernel in which it was taken");
      if (nodes[i].kind == NodeKind::acquire) require_filled_first(nodes, i, end);
      place_phase(editor, block, i, end);
      editor.remove(i);
      editor.remove(end);
    }
    editor.apply();
    close_kernels(block);
  }

  SourceLocation place_of(const Node& n) const { return {program_.files[n.file], n.line, 0}; }

  // The first node that touches an acquired slot may not only read it: what the slot held before is of another turn. A
  // loop or branch that does both inside is taken to know what it does.
  void require_filled_first(const std::vector<Node>& nodes, std::size_t begin, std::size_t end) const {
    const BufferId buffer = nodes[begin].buffer;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const auto [reads, writes] = accesses(nodes[i], buffer);
      if (!reads && !writes) continue;
      if (reads && (!writes || nodes[i].kind == NodeKind::instruction))
        fail_at(place_of(nodes[i]), ErrorKind::program, "HDL-PIPE-02",
                "the pipe's slot acquired at {}:{} is read before anything filled it",
                program_.files[nodes[begin].file], nodes[begin].line);
      return;
    }
  }

  // Whether the node, or one inside it, reads the buffer and writes it.
  std::pair<bool, bool> accesses(const Node& n, BufferId buffer) const {
    std::pair<bool, bool> found;
    for (const Access& a : n.accesses)
      if (a.buffer == buffer) (a.write ? found.second : found.first) = true;
    for (const auto* b : {n.body.get(), n.other.get()})
      if (b != nullptr)
        for (const Node& inner : b->nodes) {
          const auto [reads, writes] = accesses(inner, buffer);
          found.first = found.first || reads;
          found.second = found.second || writes;
        }
    return found;
  }

  // Slots taken at node `begin` and given back at node `end` of the block.
  void place_phase(BlockEditor& editor, const Block& block, std::size_t begin, std::size_t end) {
    const PipeSemaphores& p = pipes_[block.nodes[begin].pipe];
    const BufferId buffer = block.nodes[begin].buffer;
    const bool fills = block.nodes[begin].kind == NodeKind::acquire;
    const auto& engines = fills ? p.producers : p.consumers;
    const auto& waits = fills ? p.free : p.full;
    const auto& posts = fills ? p.full : p.free;
    for (const EngineKey engine : engines) {
      std::size_t first = end, last = end;
      for (std::size_t i = begin + 1; i < end; ++i)
        if (touches(block.nodes[i], buffer, engine)) {
          if (first == end) first = i;
          last = i;
        }
      for (const auto& [pair, sem] : waits)
        if (pair.second == engine) editor.wait(first, engine, sem);
      // An engine that did not touch this generation passes its token on.
      for (const auto& [pair, sem] : posts)
        if (pair.first == engine) editor.post(last, engine, sem);
    }
  }

  // A kernel ends with its engines drained, so that memory and semaphores may be used again.
  static void close_kernels(Block& block) {
    for (std::size_t i = 0; i < block.nodes.size(); ++i) {
      if (block.nodes[i].kind != NodeKind::kernel) continue;
      std::size_t next = i + 1;
      while (next < block.nodes.size() && block.nodes[next].kind == NodeKind::print) ++next;
      if (next < block.nodes.size() && block.nodes[next].kind == NodeKind::instruction &&
          block.nodes[next].in.op == Opcode::fence)
        continue;
      Node fence;
      fence.in.op = Opcode::fence;
      fence.file = block.nodes[i].file;
      fence.line = block.nodes[i].line;
      block.nodes.insert(block.nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(fence));
    }
  }

  void open_and_close(Block& body, std::uint32_t kernel) {
    std::vector<Node> first, last;
    const KernelInfo& info = program_.kernels[kernel];
    for (const ValueId value : info.slot_values) {
      Node n;
      n.in.op = Opcode::addi;
      n.rd = value;
      if (!body.nodes.empty()) n.file = body.nodes[0].file, n.line = body.nodes[0].line;
      first.push_back(std::move(n));
    }
    for (const PipeId id : info.pipes) {
      const PipeInfo& pipe = program_.pipes[id];
      for (const auto& [pair, sem] : pipes_[id].free) {
        Node n;
        n.in.op = Opcode::sem_post;
        n.in[FieldId::imm] = pipe.depth;
        n.posts.push_back({sem, 0});
        n.file = pipe.file;
        n.line = pipe.line;
        first.push_back(std::move(n));
        for (Node& w : wait_nodes(pair.second, sem, static_cast<std::uint32_t>(pipe.depth))) {
          w.file = pipe.file;
          w.line = pipe.line;
          last.push_back(std::move(w));
        }
      }
    }
    body.nodes.insert(body.nodes.begin(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
    for (Node& n : last) body.nodes.push_back(std::move(n));
  }

  Program& program_;
  std::vector<PipeSemaphores> pipes_;
  std::map<BufferId, bool> fills_;
};

}  // namespace

void place_pipe_events(Program& program) { Placer(program).run(); }

}  // namespace heddle::sdk
