// SPDX-License-Identifier: Apache-2.0
#include "sim/inspect/prints.hpp"

#include <algorithm>
#include <tuple>

#include "sim/exec/value_stream.hpp"
#include "sim/inspect/tile_text.hpp"
#include "sim/inspect/touched.hpp"

namespace heddle::inspect {
namespace {

constexpr std::uint64_t few_values = 4096;  // kept as numbers, where not all are asked for

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace

std::string Printed::text() const {
  std::string out = fmt::format("core {}", core);
  if (cycle >= 0) out += fmt::format(", cycle {}", grouped(cycle));
  out += line == 0 ? fmt::format(", instruction {}", pc) : fmt::format(", {}:{}", file, line);
  if (run > 1) out += fmt::format(", run {}", run);
  out += fmt::format(": {}", label);
  if (!nothing.empty()) return out + ": no value: " + nothing + "\n";
  if (scalar) return out + fmt::format(" = {} ({:#x})\n", *scalar, static_cast<std::uint64_t>(*scalar));
  return out + " = " + describe(view) + "\n" + table + "    " + statistics_text(statistics) + "\n";
}

Prints::Prints(PrintOptions options, std::function<void(const Printed&)> show)
    : options_(options), show_(std::move(show)) {}
Prints::~Prints() = default;

void Prints::opened(const config::ChipSpec& chip, const exec::MachineMemory& memory, std::string no_values) {
  chip_ = &chip;
  memory_ = &memory;
  no_values_ = std::move(no_values);
  launch_ = 0;
  queued_.assign(memory.cores(), {});
}

// Where and how often; false where the limit is reached.
bool Prints::admit(const control::Moment& at, const isa::PrintStep& step, Printed& printed) {
  const std::uint64_t run = ++runs_[{at.core, &step}];
  if (admitted_ == options_.most) {
    ++refused_;
    return false;
  }
  ++admitted_;
  printed.core = at.core;
  printed.order = admitted_;
  printed.cycle = at.cycle;
  printed.pc = at.pc;
  printed.run = run;
  printed.label = step.label;
  printed.line = step.line;
  if (step.line != 0) printed.file = at.image->files[step.file];
  return true;
}

void Prints::print_scalar(const control::Moment& at, const isa::PrintStep& step, std::int64_t value) {
  stream_ = at.stream;
  if (stream_ != nullptr) stream_->sync();  // an error among the values came first, on every host
  Printed p;
  if (!admit(at, step, p)) return;
  p.scalar = value;
  done_.push_back(std::move(p));
}

void Prints::print_nothing(const control::Moment& at, const isa::PrintStep& step, const std::string& why) {
  stream_ = at.stream;
  Printed p;
  if (!admit(at, step, p)) return;
  p.nothing = why;
  done_.push_back(std::move(p));
}

void Prints::print_view(const control::Moment& at, const isa::PrintStep& step, const isa::View& view) {
  if (!no_values_.empty()) {
    ++without_values_;
    return;
  }
  if (const std::string why = why_not(view, at.core, *chip_); !why.empty()) return print_nothing(at, step, why);
  stream_ = at.stream;
  stream_->sync();
  Printed p;
  if (!admit(at, step, p)) return;
  p.view = view;
  auto open = std::make_unique<Open>(
      Open{std::move(p), TileSnapshot(view, at.chip, at.core), at.sequence, 0, step.full || options_.full});
  if (view.elements() != 0)
    for (const exec::EngineOp& op : queued_[at.core]) {
      bool touches = false;
      each_operand(op, [&](const isa::View& operand, bool) { touches = touches || meet(op, operand, view, at.core); });
      if (touches) ++open->left;
    }
  if (open->left == 0)
    close(*open);
  else
    open_.push_back(std::move(open));
}

void Prints::close(Open& open) {
  open.tile.take(*memory_);
  Printed& p = open.printed;
  p.statistics = open.tile.statistics();
  p.table = table_text(open.tile, open.full, "  ");
  if (open.full || open.tile.elements() <= few_values)
    for (std::uint64_t i = 0; i < open.tile.elements(); ++i) p.values.push_back(open.tile.value(i));
  done_.push_back(std::move(p));
}

void Prints::issue(const exec::EngineOp& op) {
  if (awake_) queued_[op.core].push_back(op);
}

// The memories hold what all instructions before this one left.
void Prints::start(const exec::EngineOp& op, std::int64_t) {
  if (!awake_) return;
  auto& queue = queued_[op.core];
  const auto self = std::find_if(queue.begin(), queue.end(), [&](const auto& q) { return q.sequence == op.sequence; });
  if (self != queue.end()) queue.erase(self);
  if (open_.empty()) return;
  stream_->sync();
  std::erase_if(open_, [&](const std::unique_ptr<Open>& open) {
    if (open->left != 0) return false;
    close(*open);
    return true;
  });
  for (const std::unique_ptr<Open>& open : open_) {
    if (open->printed.core != op.core) continue;
    bool touches = false;
    each_operand(op, [&](const isa::View& operand, bool writes) {
      if (!meet(op, operand, open->tile.view(), op.core)) return;
      touches = true;
      if (op.sequence >= open->sequence && writes) open->tile.take_shared(*memory_, operand);
    });
    if (touches && op.sequence < open->sequence) --open->left;
  }
}

void Prints::end_launch() {
  ++launch_;
  bool good = true;
  if (stream_ != nullptr && !open_.empty()) try {
      stream_->sync();
    } catch (const std::exception&) {
      good = false;  // the run reports it
    }
  for (const std::unique_ptr<Open>& open : open_) {
    if (good && open->left == 0)
      close(*open);
    else
      ++lost_;
  }
  open_.clear();
  runs_.clear();
  for (auto& q : queued_) q.clear();
  stream_ = nullptr;
  std::sort(done_.begin(), done_.end(), [](const Printed& a, const Printed& b) {
    return std::tie(a.cycle, a.core, a.order) < std::tie(b.cycle, b.core, b.order);
  });
  for (Printed& p : done_) {
    p.launch = launch_;
    show_(p);
  }
  done_.clear();
}

std::vector<std::string> Prints::remarks() const {
  std::vector<std::string> out;
  const auto tiles = [](std::uint64_t n, const char* one, const char* more) {
    return n == 1 ? fmt::format("1 print of a tile {}", one) : fmt::format("{} prints of tiles {}", n, more);
  };
  if (without_values_ != 0)
    out.push_back(fmt::format("{} not shown: {}", tiles(without_values_, "is", "are"), no_values_));
  if (lost_ != 0) out.push_back(tiles(lost_, "has", "have") + " no value: the run ended before");
  if (refused_ != 0)
    out.push_back(fmt::format("{} prints are shown, {} more are not (--max-prints)", admitted_, refused_));
  return out;
}

}  // namespace heddle::inspect
