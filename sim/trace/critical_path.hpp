// SPDX-License-Identifier: Apache-2.0
// The critical path of each launch: from its end back to its beginning, always to what was waited for. It is kept
// forwards: every event has the chain of events that led to it, its predecessor being the one that bound it:
//
//   sequencer goes on    itself; from a full queue, the instruction that left it; from a fence, the last engine's last
//                        end; from a semaphore, the instruction that posted
//   instruction starts   its issue; the post it waited for; what its engine did before, whichever came last
//   MXU, VPU end         its own start
//   transfer begins      its own start and the start cost; what the engine issued before it
//   packets leave        the transfer's begin; packets before them; packets in flight that came back
//   memory serves them   their arrival; once they wait there for longer than the shortest service seen, the engine's
//                        packets served before them
//   data pass the path   their arrival back; the data before them
//   transfer ends        its last packet; posts of an engine are in order, so its posts not before the last one's
//
// The time between an event and its predecessor has one kind and one instruction, so the kinds sum to the launch.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/trace/chains.hpp"
#include "sim/trace/recorder.hpp"

namespace heddle::trace {

enum class PathKind : std::uint8_t {
  mxu,            // rows enter
  weight_load,    // of an MXU that is waited for
  vpu,            // works
  bank_conflict,  // others' use of the scratchpad's banks
  pipeline,       // the unit's own order, results on their way out, edges of the clock
  dma_start,      // start cost of a transfer
  dma_issue,      // descriptors, packets before these
  dma_data,       // the engine's data path
  hbm,            // data are in the memory
  noc,            // ... or a post, on the way
  sequencer,      // executes
  launch,         // before the first instruction may start
  post,           // handoffs, which are counts and no time: to who waited for a post,
  queue,          // ... for a place in a full queue,
  fence,          // ... for idle engines
};
inline constexpr std::size_t path_time_kinds = 12;
inline constexpr std::array<std::string_view, 15> path_kind_names{
    "MXU", "weight load", "VPU",       "bank conflict", "pipeline", "DMA start", "DMA issue", "DMA data",
    "HBM", "NoC",         "sequencer", "launch",        "post",     "queue",     "fence"};
constexpr std::string_view name(PathKind k) { return path_kind_names[static_cast<std::size_t>(k)]; }

class CriticalPath final : public IListener {
 public:
  explicit CriticalPath(const Programs& programs) : programs_(programs) {}
  // Launches of other entries are not counted.
  void count_only(std::string entry) { entry_ = std::move(entry); }

  static constexpr std::uint32_t nowhere = 0xffffffff;  // pc of what no instruction did
  // Time in femtoseconds by what it was spent on, and counts of handoffs; of all launches. Key: kind is a PathKind.
  const std::map<ChainKey, std::int64_t>& sums() const { return sums_; }
  TimeFs total() const { return total_; }
  std::uint64_t launches() const { return launches_; }
  TimeFs period() const { return period_; }
  const Programs& programs() const { return programs_; }
  std::size_t most_nodes() const { return most_nodes_; }  // that were held at once

  void opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
              const memory::MemoryStats& memory) override;
  void launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) override;
  void launch_ended(TimeFs end) override;
  void executed(std::uint32_t core, std::uint32_t pc, TimeFs local) override;
  void stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs from, TimeFs to,
               const Cause* cause) override;
  void issued(Agent agent, const exec::EngineOp& op, TimeFs time) override;
  void posted(std::uint32_t core, std::uint8_t sem, std::int64_t n, TimeFs time, const Poster& by) override;
  void taken(Agent by, std::uint8_t sem, std::int64_t n) override;
  void started(Agent agent, const exec::EngineOp& op, TimeFs ready, TimeFs could, TimeFs start) override;
  void ran(const Record& record) override;
  void transfer_began(Agent agent, TimeFs begin, bool behind) override;
  void batch_issued(Agent agent, const BatchIssue& batch) override;
  void batch_back(Agent agent, const BatchTimes& times) override;
  void moved_near(Agent agent, TimeFs from, TimeFs to, TimeFs done) override;

 private:
  using Ref = Chains::Ref;
  // A moment of an instruction.
  struct Point {
    Ref chain;
    std::uint32_t pc = nowhere;
  };
  struct UnderWay {  // started and not ended; of a DMA engine several
    Point start;
    Ref begun;  // a transfer that has left the queue
    Ref done;   // its latest packets so far
  };
  struct Batch {
    std::uint64_t transfer = 0;  // number on its engine
    std::uint32_t pc = nowhere;
    bool write = false;
    Ref sent;
  };
  struct Agents {  // of one agent; the first of a core is its sequencer, which uses `last`, `wait` alone
    Ref last;      // sequencer: now; engine: its latest end, which its posts follow
    std::uint32_t last_pc = nowhere;
    Point wait;  // the latest post among those taken since the last start
    std::deque<Ref> issues;
    std::uint64_t pushed = 0;  // instructions put into the queue
    std::uint64_t first_departed = 0;
    std::deque<Point> departed;  // from the queue; the first of them is number first_departed
    Ref last_start;
    std::deque<Ref> frees;  // an MXU's or VPU's latest instructions let the next one in
    std::deque<UnderWay> under_way;
    std::uint64_t ended = 0, begun = 0;      // DMA: transfers
    std::map<std::uint32_t, Batch> batches;  // by slot
    std::deque<Ref> backs;                   // the latest batches that came back
    Ref order, path, served;                 // the last batch issued; the last data on the path; the last served
  };
  struct Posts {
    Point by;
    std::int64_t left = 0;
  };

  struct Until {
    PathKind kind;
    TimeFs time;
  };
  // From `from` on through each kind until its time, all at one instruction.
  Ref step(const Ref& from, std::uint32_t core, std::uint32_t pc, std::initializer_list<Until> until,
           PathKind handoff = PathKind::launch, std::uint32_t handoff_from = nowhere);
  Agents& at(Agent a) { return agents_[a.core * agents_a_core_ + a.number]; }
  Point sequencer_post(std::uint32_t core, std::uint32_t pc, TimeFs time, bool own);
  static const Ref& later(const Ref& a, const Ref& b) { return !b || (a && a.time() >= b.time()) ? a : b; }
  static void keep(std::deque<Ref>& recent, Ref ref);
  static const Ref* latest(const std::deque<Ref>& recent, TimeFs until);

  const Programs& programs_;
  std::string entry_;
  bool counting_ = true;
  std::size_t agents_a_core_ = 1, queue_depth_ = 1;
  TimeFs period_{}, launch_{}, total_{};
  std::uint32_t program_ = 0;
  std::uint64_t launches_ = 0;
  std::size_t most_nodes_ = 0;
  std::map<ChainKey, std::int64_t> sums_;
  std::array<TimeFs, 2> shortest_service_{};  // of reads, of writes

  Chains chains_;  // before all that refers to it
  std::vector<Agents> agents_;
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::deque<Posts>> posts_;  // by core and semaphore, not yet taken
  // Who will post: engine instructions by issue number, a sequencer's posts by instruction.
  std::vector<std::unordered_map<std::uint64_t, Posts>> posters_;  // by core
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Ref>> sequencer_posts_;
};

}  // namespace heddle::trace
