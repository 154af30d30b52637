// SPDX-License-Identifier: Apache-2.0
// Every constraint on every preset: the model's first legal clock is the one that the checker, which states the JEDEC
// distances a second time, first lets pass; a clock earlier the checker names the constraint.
#include <fmt/format.h>

#include <functional>

#include "sim/memory/bank_memory.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/support/dram_checker.hpp"

using namespace heddle;
using namespace heddle::memory;

namespace {

constexpr Clock begin = 100'000;  // everything before is long over

// One channel: what is done to the model is written down for the checker.
class Rig {
 public:
  explicit Rig(const config::DramSpec& spec) : spec_(spec), timing(Constraints(spec), spec.organization) {}

  void open(int bank) { activate(bank, begin - 10'000 * (bank + 1)); }
  void activate(int bank, Clock at) {
    timing.activate(bank, 1, at);
    note(Op::activate, bank, at);
  }
  void precharge(int bank, Clock at) {
    timing.precharge(bank, at);
    note(Op::precharge, bank, at);
  }
  void column(Op op, int bank, Clock at) {
    const bool close = op == Op::read_precharge || op == Op::write_precharge;
    if (op == Op::read || op == Op::read_precharge)
      timing.read(bank, at, 1, close);
    else
      timing.write(bank, at, 1, close);
    note(op, bank, at);
  }
  void refresh(Op op, int bank, Clock at) {
    if (op == Op::refresh_all)
      timing.refresh_all(bank, at);
    else
      timing.refresh_bank(bank, at);
    note(op, bank, at);
  }
  // What the checker says to one more command.
  std::vector<std::string> complaints(Op op, int bank, Clock at) const {
    std::vector<Command> trace = trace_;
    trace.push_back({op, 0, static_cast<std::int16_t>(bank), 1, at});
    return testbench::check_commands(spec_, trace).violations;
  }

 private:
  void note(Op op, int bank, Clock at) { trace_.push_back({op, 0, static_cast<std::int16_t>(bank), 1, at}); }
  const config::DramSpec& spec_;
  std::vector<Command> trace_;

 public:
  ChannelTiming timing;
};

// The model's answer is legal, and the clock before it is not, for the reason `constraint` names (several where a
// preset's values decide which of them is the longest).
void require_exact(const Rig& rig, Op op, int bank, Clock answer, std::initializer_list<const char*> constraints) {
  const auto join = [](const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, "; ")); };
  INFO("answer " << answer - begin << " clocks on");
  INFO(join(rig.complaints(op, bank, answer)));
  CHECK(rig.complaints(op, bank, answer).empty());
  const std::string before = join(rig.complaints(op, bank, answer - 1));
  INFO("a clock earlier: " << before);
  bool named = false;
  for (const char* c : constraints) named = named || before.find(std::string(c) + ":") != std::string::npos;
  CHECK(named);
}

struct Places {
  int bank = 0, group_mate, other_group, other_rank;  // -1: there is none
};
Places places(const config::DramOrganization& o) {
  return {0, o.banks > 1 ? 1 : -1, o.bank_groups > 1 ? static_cast<int>(o.banks) : -1,
          o.ranks > 1 ? static_cast<int>(o.banks * o.bank_groups) : -1};
}

void for_each_preset(const std::function<void(const config::DramSpec&, const Places&)>& check) {
  for (const std::string& name : config::dram_presets()) {
    const config::DramSpec spec = config::load_dram(name);
    INFO(name);
    check(spec, places(spec.organization));
  }
}

}  // namespace

TEST_CASE("On every preset an activate holds columns for tRCD, its precharge for tRAS, others for tRRD") {
  for_each_preset([](const config::DramSpec& spec, const Places& p) {
    Rig rig(spec);
    rig.activate(0, begin);
    require_exact(rig, Op::read, 0, rig.timing.read_at(0), {"tRCD_RD"});
    require_exact(rig, Op::write, 0, rig.timing.write_at(0), {"tRCD_WR"});
    require_exact(rig, Op::precharge, 0, rig.timing.precharge_at(0), {"tRAS"});
    require_exact(rig, Op::activate, p.group_mate, rig.timing.activate_at(p.group_mate), {"tRRD_L", "tRRD_S"});
    require_exact(rig, Op::refresh_bank, p.group_mate, rig.timing.refresh_bank_at(p.group_mate), {"tRRD_L"});
    if (p.other_group < 0) return;
    require_exact(rig, Op::activate, p.other_group, rig.timing.activate_at(p.other_group), {"tRRD_S"});
    require_exact(rig, Op::refresh_bank, p.other_group, rig.timing.refresh_bank_at(p.other_group), {"tRRD_S"});
  });
}

TEST_CASE("On every preset a fifth activate waits for tFAW, and a rank has a window of its own") {
  for_each_preset([](const config::DramSpec& spec, const Places& p) {
    Rig rig(spec);
    const auto group = static_cast<int>(spec.organization.banks),
               groups = static_cast<int>(spec.organization.bank_groups);
    const auto bank = [&](int i) { return i % groups * group + i / groups; };  // the next group each time
    for (int i = 0; i < 4; ++i) rig.activate(bank(i), i == 0 ? begin : rig.timing.activate_at(bank(i), begin));
    require_exact(rig, Op::activate, bank(4), rig.timing.activate_at(bank(4), begin), {"tFAW", "tRRD_S", "tRRD_L"});
    if (p.other_rank >= 0) CHECK(rig.complaints(Op::activate, p.other_rank, begin + 1000).empty());
  });
}

TEST_CASE("On every preset a bank opens again after tRP and tRC, its own precharge included") {
  for_each_preset([](const config::DramSpec& spec, const Places&) {
    const config::DramTiming& t = spec.timing;
    {
      Rig rig(spec);
      rig.open(0);
      rig.precharge(0, begin);
      require_exact(rig, Op::activate, 0, rig.timing.activate_at(0), {"tRP"});
      require_exact(rig, Op::refresh_bank, 0, rig.timing.refresh_bank_at(0), {"tRP"});
      require_exact(rig, Op::refresh_all, 0, rig.timing.refresh_all_at(0), {"tRP"});
    }
    {
      Rig rig(spec);
      rig.activate(0, begin);
      rig.precharge(0, begin + t.ras);
      require_exact(rig, Op::activate, 0, rig.timing.activate_at(0), {"tRC"});
    }
    for (const Op op : {Op::read_precharge, Op::write_precharge}) {
      Rig rig(spec);
      rig.open(0);
      rig.column(op, 0, begin);
      require_exact(rig, Op::activate, 0, rig.timing.activate_at(0), {"own precharge, tRP"});
    }
  });
}

TEST_CASE("On every preset columns keep tCCD, tWTR, the turnaround, tRTP and tWR") {
  for_each_preset([](const config::DramSpec& spec, const Places& p) {
    const auto rig_with = [&](Op op) {
      Rig rig(spec);
      for (const int b : {p.bank, p.group_mate, p.other_group, p.other_rank})
        if (b >= 0) rig.open(b);
      rig.column(op, 0, begin);
      return rig;
    };
    const Rig read = rig_with(Op::read), write = rig_with(Op::write);
    const auto reads = [](const Rig& r, int b) { return r.timing.read_at(b, begin + 1); };
    const auto writes = [](const Rig& r, int b) { return r.timing.write_at(b, begin + 1); };
    for (const int b : {p.bank, p.group_mate}) {
      require_exact(read, Op::read, b, reads(read, b), {"tCCD_L", "data bus"});
      require_exact(write, Op::write, b, writes(write, b), {"tCCD_L", "data bus"});
      require_exact(write, Op::read, b, reads(write, b), {"tWTR_L"});
      require_exact(read, Op::write, b, writes(read, b), {"data bus"});  // turnaround: CL + burst + bubble - CWL
    }
    if (p.other_group >= 0) {
      require_exact(read, Op::read, p.other_group, reads(read, p.other_group), {"tCCD_S", "data bus", "command bus"});
      require_exact(write, Op::write, p.other_group, writes(write, p.other_group),
                    {"tCCD_S", "data bus", "command bus"});
      require_exact(write, Op::read, p.other_group, reads(write, p.other_group), {"tWTR_S"});
      require_exact(read, Op::write, p.other_group, writes(read, p.other_group), {"data bus"});
    }
    if (p.other_rank >= 0) {
      require_exact(read, Op::read, p.other_rank, reads(read, p.other_rank), {"data bus"});
      require_exact(write, Op::write, p.other_rank, writes(write, p.other_rank), {"data bus"});
      require_exact(read, Op::write, p.other_rank, writes(read, p.other_rank), {"data bus"});
    }
    require_exact(read, Op::precharge, 0, read.timing.precharge_at(0, begin + 1), {"tRTP"});
    require_exact(write, Op::precharge, 0, write.timing.precharge_at(0, begin + 1), {"tWR"});
  });
}

TEST_CASE("On every preset refresh holds activates back for tRFC, per bank for tRFC_pb, others for tRREFD") {
  for_each_preset([](const config::DramSpec& spec, const Places& p) {
    Rig all(spec);
    all.refresh(Op::refresh_all, 0, begin);
    require_exact(all, Op::activate, 0, all.timing.activate_at(0), {"tRFC"});
    require_exact(all, Op::activate, p.group_mate, all.timing.activate_at(p.group_mate), {"tRFC"});
    Rig one(spec);
    one.refresh(Op::refresh_bank, 0, begin);
    require_exact(one, Op::activate, 0, one.timing.activate_at(0), {"tRFC_pb"});
    require_exact(one, Op::activate, p.group_mate, one.timing.activate_at(p.group_mate), {"tRREFD"});
    require_exact(one, Op::refresh_bank, p.group_mate, one.timing.refresh_bank_at(p.group_mate), {"tRREFD"});
  });
}

// tREFI for each rank, tREFI over the banks for each bank, in turn: never before it is due, and out before the next is.
TEST_CASE("On every preset refreshes go out one an interval, idle and under load") {
  const bool per_bank = GENERATE(false, true), load = GENERATE(false, true);
  for (const std::string& name : config::dram_presets()) {
    config::MemorySpec spec;
    spec.standard = name;
    spec.channels = 1;
    spec.refresh = per_bank ? "per_bank" : "all_bank";
    BankMemory memory(spec);
    std::vector<Command> trace;
    memory.watch(&trace);
    const config::DramSpec& dram = memory.setup().dram;
    const std::int64_t targets = per_bank ? dram.banks_in_channel() : dram.organization.ranks;
    const std::int64_t interval = dram.timing.refi / targets, rounds = 3 * targets;
    const std::int64_t clock = memory.setup().clock_fs, end = (rounds + 2) * interval * clock;
    std::vector<Completion> out;
    std::uint64_t at = 0;
    // Every 200 clocks a row of its own bank by bank, or but one request at the very end.
    for (std::int64_t t = load ? 0 : end - clock; t < end; t += 200 * clock, at += 72 * 1024)
      memory.push({at, at, 32, at % 5 == 0, TimeFs(t)});
    memory.advance(TimeFs(2 * end), out);
    std::int64_t k = 0;
    for (const Command& c : trace) {
      if (c.op != Op::refresh_all && c.op != Op::refresh_bank) continue;
      if (++k > rounds) break;
      INFO(name << " refresh " << k << " at " << c.at << ", interval " << interval);
      CHECK(c.at >= k * interval);
      CHECK(c.at < (load ? (k + 1) * interval : k * interval + 1));
      CHECK(c.bank == (k - 1) % targets * (dram.banks_in_channel() / targets));
    }
    CHECK(k >= rounds);
  }
}
