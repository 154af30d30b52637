// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/debugger.hpp"

#include <algorithm>

namespace heddle::debug {

Debugger::Debugger(DebuggerOptions options) : options_(std::move(options)) {}

void Debugger::begin_program() {
  if (past_.program() == program_) return;
  program_ = past_.program();
  if (program_ == nullptr) return;
  breakpoints_.resolve(program_->image(), sources_);
}

void Debugger::time_passes(TimeFs now, TimeFs next) {
  begin_program();
  if (program_ == nullptr) return;
  const bool at_end = next == never;
  if (at_end) next = past_.last() + TimeFs(1);
  for (;;) {
    // What comes first: a step of a core (of several at once, the first core's), a cycle or an engine's idleness.
    std::optional<TimeFs> step_at;
    std::uint32_t core = 0;
    for (std::uint32_t c = 0; c < past_.cores(); ++c)
      if (const auto t = past_.next_step(c); t && (!step_at || *t < *step_at)) {
        step_at = t;
        core = c;
      }
    const Breakpoint* const cycle = breakpoints_.next_cycle(past_.cycle());
    std::optional<TimeFs> time = step_at;
    enum { at_step, at_cycle, at_idle } what = at_step;
    // A cycle past all time is never reached.
    if (cycle != nullptr && cycle->value < never / past_.period() && (!time || past_.period() * cycle->value < *time)) {
      time = past_.period() * cycle->value;
      what = at_cycle;
    }
    if (mode_ == Mode::until_idle)
      if (const auto idle = past_.next_idle(engine_.core, engine_.agent); idle && (!time || *idle < *time)) {
        time = idle;
        what = at_idle;
      }
    if (!time || *time >= next) break;
    if (what == at_step) {
      const bool first = first_;
      past_.step(core);
      first_ = false;
      if (first)
        stop("");
      else if (arrive(core))
        stop(mode_ == Mode::step ? "" : breakpoints_.at(past_.core(core).pc)->text);
      continue;
    }
    past_.turn_to(*time);
    if (what == at_cycle)
      stop(cycle->text);
    else
      stop(agent_name(engine_.agent) + " is idle");
  }
  past_.turn_to(at_end ? past_.last() : now);
  if (!at_end || !past_.finished()) return;
  if (breakpoints_.end() != nullptr) stop("end");
  say("the launch ends at cycle {}\n", past_.cycle());
}

bool Debugger::arrive(std::uint32_t core) {
  if (mode_ == Mode::step && core == core_ && --steps_ == 0) return true;
  if (breakpoints_.at(past_.core(core).pc) == nullptr) return false;
  mode_ = Mode::go;
  core_ = core;
  return true;
}

void Debugger::stop(const std::string& why) {
  if (!why.empty()) say("stopped: {}\n", why);
  mode_ = Mode::go;
  list_line_ = 0;
  show_where();
  for (;;) {
    const std::optional<std::string> line = options_.next_line();
    if (!line) fail(ErrorKind::bad_input, quit_id, "the commands have ended");
    try {
      if (command(*line)) return;
    } catch (const Error& e) {
      if (e.id() == quit_id) throw;
      const bool mistake = e.id().starts_with("HDL-DBG");  // else the values have failed, which the run will report
      if (options_.interactive || !mistake) {
        say("{}: {}\n", e.id(), e.message());
        continue;
      }
      throw Error(ErrorKind::bad_input, e.id(), e.message(), options_.place());
    }
  }
}

void Debugger::failed(const Error& error) {
  if (failed_ || error.id().starts_with("HDL-DBG")) return;
  failed_ = true;
  say("the launch fails: {}\n", error.what());
  while (true) try {
      stop("");
      say("the launch has failed; it cannot go on\n");
    } catch (const Error& e) {
      if (e.id() == quit_id) return;
      throw;
    }
}

}  // namespace heddle::debug
