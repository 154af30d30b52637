// SPDX-License-Identifier: Apache-2.0
// The machine's state as text.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "isa/asm/disassembler.hpp"
#include "sim/debug/debugger.hpp"
#include "sim/inspect/tile_text.hpp"
#include "sim/inspect/touched.hpp"

namespace heddle::debug {

std::string Debugger::agent_name(std::size_t agent) const {
  const config::CoreSpec& core = machine_->chip().core;
  const auto mxus = static_cast<std::size_t>(core.mxu.count), vpus = static_cast<std::size_t>(core.vpu.count);
  if (agent == 0) return "sequencer";
  if (agent <= mxus) return fmt::format("mxu{}", agent - 1);
  if (agent <= mxus + vpus) return fmt::format("vpu{}", agent - 1 - mxus);
  return fmt::format("dma{}", agent - 1 - mxus - vpus);
}

std::string Debugger::instruction_text(std::uint32_t pc) const {
  const isa::ProgramImage& image = program_->image();
  const std::string place = place_text(image, pc), number = fmt::format("instruction {}", pc);
  return fmt::format("{}  ({}{})", isa::format_instruction(isa::decode(image.code[pc]), &image),
                     place == number ? "" : place + ", ", number);
}

std::string Debugger::where_text(std::uint32_t core) const {
  const CoreState& s = past_.core(core);
  if (!s.started) return fmt::format("core {}: not started\n", core);
  if (s.halted) return fmt::format("core {}: halted after {} instructions\n", core, s.executed + 1);
  std::string since;
  if (const std::int64_t waited = past_.cycle() - s.reached / past_.period(); waited > 0)
    since = fmt::format(", for {} cycles", waited);
  return fmt::format("core {}: {}{}\n", core, instruction_text(s.pc), since);
}

void Debugger::show_where() const {
  say("cycle {}\n", past_.cycle());
  for (std::uint32_t c = 0; c < past_.cores(); ++c)
    say("{} {}", c == core_ && past_.cores() > 1 ? '*' : ' ', where_text(c));
}

void Debugger::show_registers(bool all) const {
  const CoreState& s = past_.core(core_);
  std::string out;
  for (std::size_t i = 0; i < s.x.size(); ++i)
    if (all || s.x[i] != 0)
      out += fmt::format("  x{:<3} {:>20}  {:#x}\n", i, s.x[i], static_cast<std::uint64_t>(s.x[i]));
  options_.show(out.empty() ? "  all zero\n" : out);
}

void Debugger::show_views() const {
  const CoreState& s = past_.core(core_);
  std::string out;
  for (std::size_t i = 0; i < s.v.size(); ++i)
    if (s.set[i]) out += fmt::format("  v{:<3} {}\n", i, inspect::describe(s.v[i]));
  options_.show(out.empty() ? "  none is set\n" : out);
}

void Debugger::show_semaphores() const {
  std::string out;
  for (std::uint32_t c = 0; c < past_.cores(); ++c)
    for (std::uint32_t s = 0; s < past_.semaphores(); ++s)
      if (past_.semaphore(c, s) != 0) out += fmt::format("  core {}  s{:<3} {}\n", c, s, past_.semaphore(c, s));
  options_.show(out.empty() ? "  all zero\n" : out);
}

void Debugger::show_queues() const {
  for (std::uint32_t c = 0; c < past_.cores(); ++c)
    for (std::size_t a = 1; a < past_.agents(); ++a) {
      std::string work, queue;
      for (const EngineEntry& e : past_.entries(c, a)) {
        const std::string text = instruction_text(e.op.pc);
        if (e.at_work_at(past_.time())) {
          work += fmt::format("    at work since cycle {}: {}\n", e.start / past_.period(), text);
        } else if (e.queued_at(past_.time())) {
          queue += fmt::format("    queued: {}\n", text);
        }
      }
      if (work.empty() && queue.empty()) continue;
      say("  core {} {}\n{}{}", c, agent_name(a), work, queue);
    }
  for (std::uint32_t c = 0; c < past_.cores(); ++c) {
    std::string idle;
    for (std::size_t a = 1; a < past_.agents(); ++a)
      if (past_.idle(c, a)) idle += (idle.empty() ? "" : ", ") + agent_name(a);
    if (!idle.empty()) say("  core {} idle: {}\n", c, idle);
  }
}

void Debugger::show_waits() const {
  std::vector<control::Waiting> waiting;
  for (std::uint32_t c = 0; c < past_.cores(); ++c)
    for (control::Waiting& w : past_.waiting(c)) waiting.push_back(w);
  if (waiting.empty()) return say("  nothing waits\n");
  say("{}\n", control::describe_waiting(program_->image(), waiting).substr(1));
}

void Debugger::show_source(const std::string& around) {
  const isa::SourceLine at = isa::source_of(program_->image(), past_.core(core_).pc);
  if (at.file.empty()) return say("  the image has no source lines here\n");
  std::uint32_t middle = list_line_ == 0 ? at.line : list_line_;
  if (!around.empty()) {
    const auto [end, error] = std::from_chars(around.data(), around.data() + around.size(), middle);
    if (error != std::errc() || end != around.data() + around.size() || middle == 0)
      fail(ErrorKind::bad_input, "HDL-DBG-02", "\"{}\" is no line", around);
  }
  constexpr std::uint32_t before = 5, shown = 11;
  const std::uint32_t first = middle > before ? middle - before : 1;
  bool any = false;
  for (std::uint32_t n = first; n < first + shown; ++n)
    if (const auto text = sources_.line(at.file, n)) {
      say("{} {:>5}  {}\n", n == at.line ? '>' : ' ', n, *text);
      any = true;
    }
  if (!any) return say("  {} is not found from here, or has no line {}\n", at.file, middle);
  list_line_ = first + shown + before;
}

void Debugger::show_scalar(int number) const {
  const std::int64_t v = past_.core(core_).x[static_cast<std::size_t>(number)];
  say("x{} = {} ({:#x})\n", number, v, static_cast<std::uint64_t>(v));
}

void Debugger::show_tile(const isa::View& view, bool full) {
  say("{}\n", inspect::describe(view));
  if (!machine_->computes_values()) return say("  no values: timing mode computes none\n");
  if (const std::string why = inspect::why_not(view, core_, machine_->chip()); !why.empty())
    return say("  no values: {}\n", why);
  const std::int64_t reach = machine_->sync_values(past_.cycle());
  inspect::TileSnapshot tile(view, 0, core_);
  tile.take(machine_->memory());
  say("{}    {}\n{}{}", inspect::table_text(tile, full, "  "), inspect::statistics_text(tile.statistics()),
      difference_text(tile), work_text(view, reach));
}

// Instructions whose place in what is shown is not plain from the cycle.
std::string Debugger::work_text(const isa::View& view, std::int64_t reach) const {
  std::string out;
  if (view.elements() == 0) return out;
  for (std::uint32_t c = 0; c < past_.cores(); ++c)
    for (std::size_t a = 1; a < past_.agents(); ++a)
      for (const EngineEntry& e : past_.entries(c, a)) {
        bool writes = false;
        inspect::each_operand(e.op, [&](const isa::View& operand, bool w) {
          writes = writes || (w && exec::place_of(operand, 0, c) == exec::place_of(view, 0, core_) &&
                              exec::touch_common_byte(operand, view));
        });
        if (!writes) continue;
        const std::string who = fmt::format("core {} {}: {}", c, agent_name(a), instruction_text(e.op.pc));
        if (e.at_work_at(past_.time()))
          out += fmt::format("    at work on it, and shown as if done: {}\n", who);
        else if (e.started && e.start > past_.time() && e.start / past_.period() <= reach)
          out += fmt::format("    shown as if done, though it starts at cycle {}: {}\n", e.start / past_.period(), who);
        else if (e.queued_at(past_.time()))
          out += fmt::format("    not in what is shown yet, still queued: {}\n", who);
      }
  return out;
}

// Of elements that lie in a tensor of which the kernel's reference knows the final values.
std::string Debugger::difference_text(const inspect::TileSnapshot& tile) {
  if (tile.view().space != isa::Space::hbm || !options_.references) return {};
  if (!references_) references_ = options_.references();
  const exec::Region& smem = machine_->memory().region(isa::Space::smem, 0, core_);
  const std::int64_t width = bits(tile.view().dtype) / 8;
  for (const Reference& r : *references_) {
    if (r.dtype != tile.view().dtype || width == 0 || (r.argument + 1) * 8 > smem.capacity) continue;
    std::uint64_t base = 0;
    std::copy_n(smem.data + r.argument * 8, 8, reinterpret_cast<std::uint8_t*>(&base));
    std::uint64_t inside = 0, different = 0;
    std::string first;
    tile.each_address([&](std::uint64_t i, std::uint64_t address) {
      const std::uint64_t element = (address - base) / static_cast<std::uint64_t>(width);
      if (address < base || element >= r.want.size()) return;
      ++inside;
      const double got = tile.value(i), want = r.want[element];
      const double limit = r.tolerance * std::max(std::fabs(want), r.scale);
      if (tile.written(i) && (got == want || std::fabs(got - want) <= limit || (std::isnan(got) && std::isnan(want))))
        return;
      if (++different == 1)
        first = fmt::format("first at {}[{}]: {}, the reference has {:.6g}", r.name, element,
                            tile.written(i) ? fmt::format("{:.6g}", got) : "never written", want);
    });
    if (inside == 0) continue;
    if (different == 0)
      return fmt::format("    all {} elements are {}'s final values by the reference\n", inside, r.name);
    return fmt::format("    {} of {} elements differ from the reference's final values, {}\n", different, inside,
                       first);
  }
  return {};
}

}  // namespace heddle::debug
