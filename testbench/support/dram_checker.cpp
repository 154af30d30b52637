// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/dram_checker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::testbench {
namespace {

using memory::Command;
using memory::Op;

bool is_read(Op op) { return op == Op::read || op == Op::read_precharge; }
bool is_write(Op op) { return op == Op::write || op == Op::write_precharge; }
bool is_column(Op op) { return is_read(op) || is_write(op); }

const char* name(Op op) {
  static const char* const names[] = {"ACT", "PRE", "RD", "WR", "RDA", "WRA", "REFab", "REFpb"};
  return names[static_cast<int>(op)];
}

class Checker {
 public:
  explicit Checker(const config::DramSpec& s) : s_(s), t_(s.timing), o_(s.organization), burst_(s.burst_clocks()) {}

  DramCheck run(std::vector<Command> trace) {
    std::map<int, std::vector<Command>> by_channel;
    for (const Command& c : trace) by_channel[c.channel].push_back(c);
    for (auto& [channel, commands] : by_channel) {
      std::stable_sort(commands.begin(), commands.end(),
                       [](const Command& a, const Command& b) { return a.at < b.at; });
      check_channel(commands);
    }
    for (const auto& [constraint, slack] : closest_) {
      auto [entry, fresh] = result_.closest.emplace(constraint, slack);
      if (!fresh) entry->second = std::min(entry->second, slack);
    }
    return std::move(result_);
  }

 private:
  std::int64_t bank_group(const Command& c) const { return c.bank / o_.banks; }
  std::int64_t rank(const Command& c) const { return c.bank / (o_.banks * o_.bank_groups); }

  void violate(const std::string& text) {
    if (result_.violations.size() < 10) result_.violations.push_back(text);
  }
  void need(const char* constraint, const Command& a, const Command& b, std::int64_t from, std::int64_t distance) {
    const std::int64_t slack = b.at - from - distance;
    auto entry = std::find_if(closest_.begin(), closest_.end(), [&](const auto& e) { return e.first == constraint; });
    if (entry == closest_.end()) entry = closest_.insert(closest_.end(), {constraint, slack});
    entry->second = std::min(entry->second, slack);
    if (slack < 0)
      violate(fmt::format("{}: {} bank {} at {}, then {} bank {} at {}, {} clocks too early", constraint, name(a.op),
                          a.bank, a.at, name(b.op), b.bank, b.at, -slack));
  }

  // a went before b (or in the same clock).
  void check_pair(const Command& a, const Command& b) {
    const bool same_rank = rank(a) == rank(b);
    const bool same_group = bank_group(a) == bank_group(b);
    const bool same_bank = a.bank == b.bank;
    if (is_column(a.op) && is_column(b.op)) {
      const bool same_kind = is_read(a.op) == is_read(b.op);
      if (same_kind && same_rank && same_group) need("tCCD_L", a, b, a.at, t_.ccd_l);
      if (same_kind && same_rank && !same_group) need("tCCD_S", a, b, a.at, t_.ccd_s);
      if (is_write(a.op) && is_read(b.op) && same_rank)
        need(same_group ? "tWTR_L" : "tWTR_S", a, b, a.at + t_.cwl + burst_, same_group ? t_.wtr_l : t_.wtr_s);
      const std::int64_t a_data = a.at + (is_read(a.op) ? t_.cl : t_.cwl);
      const std::int64_t b_data = b.at + (is_read(b.op) ? t_.cl : t_.cwl);
      const bool bubble = !same_rank || (is_read(a.op) && is_write(b.op));
      if (b_data >= a_data) {
        if (b_data < a_data + burst_ + (bubble ? t_.rtrs : 0))
          violate(fmt::format("data bus: {} at {} and {} at {}", name(a.op), a.at, name(b.op), b.at));
      } else if (a_data < b_data + burst_ + (bubble ? t_.rtrs : 0)) {
        violate(fmt::format("data bus: {} at {} and {} at {} cross", name(a.op), a.at, name(b.op), b.at));
      }
    }
    if (a.op == Op::activate && b.op == Op::activate && same_rank && !same_bank)
      need(same_group ? "tRRD_L" : "tRRD_S", a, b, a.at, same_group ? t_.rrd_l : t_.rrd_s);
    if (a.op == Op::activate && b.op == Op::refresh_bank && same_rank && !same_bank)
      need(same_group ? "tRRD_L" : "tRRD_S", a, b, a.at, same_group ? t_.rrd_l : t_.rrd_s);
    if (a.op == Op::activate && b.op == Op::activate && same_bank) need("tRC", a, b, a.at, t_.ras + t_.rp);
    if (a.op == Op::activate && same_bank && is_read(b.op)) need("tRCD_RD", a, b, a.at, t_.rcd_rd);
    if (a.op == Op::activate && same_bank && is_write(b.op)) need("tRCD_WR", a, b, a.at, t_.rcd_wr);
    if (a.op == Op::activate && same_bank && b.op == Op::precharge) need("tRAS", a, b, a.at, t_.ras);
    if (is_read(a.op) && same_bank && b.op == Op::precharge) need("tRTP", a, b, a.at, t_.rtp);
    if (is_write(a.op) && same_bank && b.op == Op::precharge) need("tWR", a, b, a.at + t_.cwl + burst_, t_.wr);
    const bool opens = b.op == Op::activate || b.op == Op::refresh_all || b.op == Op::refresh_bank;
    if (a.op == Op::precharge && opens && (same_bank || (b.op == Op::refresh_all && same_rank)))
      need("tRP", a, b, a.at, t_.rp);
  }

  void check_after_refresh(const Command& a, const Command& b) {
    if (rank(a) != rank(b)) return;
    if (a.op == Op::refresh_all) need("tRFC", a, b, a.at, t_.rfc_ab);
    if (a.op == Op::refresh_bank && a.bank == b.bank) need("tRFC_pb", a, b, a.at, t_.rfc_pb);
    if (a.op == Op::refresh_bank && a.bank != b.bank) need("tRREFD", a, b, a.at, t_.rrefd);
  }

  void check_channel(const std::vector<Command>& list) {
    // Farther apart than this no two commands but refreshes hold each other back; those are remembered.
    const std::int64_t window =
        std::max({t_.ras + t_.rp, t_.cl + burst_ + t_.rtrs, t_.cwl + burst_ + std::max(t_.wr, t_.wtr_l)}) + 1;
    std::vector<Command> last_refresh;  // of each target
    const auto banks = static_cast<std::size_t>(s_.banks_in_channel());
    std::vector<std::int64_t> row(banks, -1), opened(banks, -1), closes(banks, -1);
    std::map<std::int64_t, std::vector<std::int64_t>> activates;  // by rank
    std::size_t oldest = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Command& c = list[i];
      ++result_.commands;
      while (list[oldest].at + window < c.at) ++oldest;
      int in_clock = 0;
      for (std::size_t j = oldest; j < i; ++j) {
        check_pair(list[j], c);
        if (list[j].at == c.at && (!o_.row_and_column_command || is_column(list[j].op) == is_column(c.op))) ++in_clock;
      }
      if (in_clock > 0) violate(fmt::format("command bus: two commands at {}", c.at));
      check_state(c, row, opened, closes);
      if (c.op == Op::activate || c.op == Op::refresh_all || c.op == Op::refresh_bank)
        for (const Command& r : last_refresh) check_after_refresh(r, c);
      if (c.op == Op::refresh_all || c.op == Op::refresh_bank) {
        std::erase_if(last_refresh, [&](const Command& r) { return r.bank == c.bank; });
        last_refresh.push_back(c);
      }
      if (c.op == Op::activate) {
        auto& times = activates[rank(c)];
        times.push_back(c.at);
        if (times.size() >= 5) need("tFAW", c, c, times[times.size() - 5], t_.faw);
      }
    }
  }

  void check_state(const Command& c, std::vector<std::int64_t>& row, std::vector<std::int64_t>& opened,
                   std::vector<std::int64_t>& closes) {
    const auto b = static_cast<std::size_t>(c.bank);
    switch (c.op) {
      case Op::activate:
        if (row[b] >= 0) violate(fmt::format("activate of open bank {} at {}", c.bank, c.at));
        if (closes[b] >= 0) need("own precharge, tRP", c, c, closes[b], t_.rp);
        row[b] = c.row;
        opened[b] = c.at;
        closes[b] = -1;
        break;
      case Op::precharge:
        if (row[b] < 0) violate(fmt::format("precharge of closed bank {} at {}", c.bank, c.at));
        row[b] = -1;
        break;
      case Op::refresh_bank:
      case Op::refresh_all: {
        ++result_.refreshes;
        const std::size_t n = c.op == Op::refresh_bank ? 1 : static_cast<std::size_t>(o_.banks * o_.bank_groups);
        for (std::size_t i = b; i < b + n; ++i) {
          if (row[i] >= 0) violate(fmt::format("refresh with bank {} open at {}", i, c.at));
          if (closes[i] >= 0) need("own precharge, tRP", c, c, closes[i], t_.rp);
        }
        break;
      }
      default:
        if (row[b] != c.row)
          violate(fmt::format("{} of row {} in bank {} at {}, open is {}", name(c.op), c.row, c.bank, c.at, row[b]));
        if (c.op == Op::read_precharge) closes[b] = std::max(c.at + t_.rtp, opened[b] + t_.ras);
        if (c.op == Op::write_precharge) closes[b] = std::max(c.at + t_.cwl + burst_ + t_.wr, opened[b] + t_.ras);
        if (c.op == Op::read_precharge || c.op == Op::write_precharge) row[b] = -1;
    }
  }

  const config::DramSpec& s_;
  const config::DramTiming& t_;
  const config::DramOrganization& o_;
  std::int64_t burst_;
  std::vector<std::pair<const char*, std::int64_t>> closest_;  // by the literal's address: this is the hot path
  DramCheck result_;
};

}  // namespace

DramCheck check_commands(const config::DramSpec& spec, std::vector<memory::Command> trace) {
  return Checker(spec).run(std::move(trace));
}

}  // namespace heddle::testbench
