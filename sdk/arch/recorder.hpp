// SPDX-License-Identifier: Apache-2.0
// Records a program: scalars, loops, branches, scopes, launch arguments, and through emit() any instruction (level 0).
// Everything takes the caller's source location, so that errors and debug lines point into the kernel.
#pragma once
#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/base/error.hpp"
#include "isa/image/image.hpp"
#include "sdk/arch/emitter.hpp"
#include "sdk/arch/program.hpp"
#include "sdk/arch/scalar.hpp"
#include "sdk/arch/target.hpp"

namespace heddle::sdk {

using Loc = std::source_location;

// Ends a named range when it goes out of scope.
class [[nodiscard]] ScopeGuard {
 public:
  ScopeGuard(Recorder& recorder, bool kernel) : recorder_(&recorder), kernel_(kernel) {}
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;
  ~ScopeGuard();

 private:
  Recorder* recorder_;
  bool kernel_;
};

class Recorder {
 public:
  explicit Recorder(Target target, std::string name = "program", Loc loc = Loc::current());
  virtual ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const Target& target() const;

  // ---- Launch
  // 64-bit launch argument number i (0..63). The image's entry expects as many as the highest number used.
  Scalar arg(int i, Loc loc = Loc::current());
  Scalar core_id(Loc loc = Loc::current());
  Scalar num_cores(Loc loc = Loc::current());
  Scalar chip_id(Loc loc = Loc::current());
  Scalar num_chips(Loc loc = Loc::current());
  // Puts bytes into the image; the result is their address in HBM (aligned to 64). Equal bytes are stored once.
  Scalar constant(std::string name, std::span<const std::uint8_t> bytes, Loc loc = Loc::current());
  template <class T>
  Scalar constant(std::string name_of, const std::vector<T>& values, Loc loc = Loc::current()) {
    return constant(std::move(name_of),
                    std::span(reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)), loc);
  }

  // ---- Scalars
  Var var(Scalar initial = 0, Loc loc = Loc::current());
  // a where the condition holds, else b; both are computed.
  Scalar select(const Cond& condition, Scalar a, Scalar b, Loc loc = Loc::current());

  // ---- Control: real loops in the program, bounds known or not
  // body(Scalar i) for i = 0 .. n-1.
  template <class F>
  void loop(Scalar n, F&& body, Loc loc = Loc::current()) {
    loop(0, n, 1, body, loc);
  }
  // body(Scalar i) for i = begin, begin + step, ... < end; step a host constant above 0 or a scalar.
  template <class F>
  void loop(Scalar begin, Scalar end, Scalar step, F&& body, Loc loc = Loc::current()) {
    if (begin.is_constant() && end.is_constant() && begin.constant() >= end.constant()) return;
    const Scalar i = begin_loop(begin, end, step, loc);
    body(i);
    end_loop(loc);
  }
  // Repeats the body on the host: i is a constant in each copy.
  template <class F>
  void unroll(int n, F&& body) {
    for (int i = 0; i < n; ++i) body(i);
  }
  template <class F>
  void if_(const Cond& condition, F&& then, Loc loc = Loc::current()) {
    if_(
        condition, then, [] {}, loc);
  }
  template <class F, class G>
  requires std::invocable<G>
  void if_(const Cond& condition, F&& then, G&& otherwise, Loc loc = Loc::current()) {
    if (condition.is_constant()) {
      if (condition.constant())
        then();
      else
        otherwise();
      return;
    }
    begin_if(condition, loc);
    then();
    begin_else();
    otherwise();
    end_if();
  }

  // ---- Order and structure
  // Holds the sequencer until this core's engines are idle: what they stored may be loaded afterwards.
  void fence(Loc loc = Loc::current());
  // fence() on every core of the chip, then all go on: what any of them stored may be loaded by all.
  void barrier(Loc loc = Loc::current());
  // barrier() without the fence: every core's sequencer comes here before any goes on, and the engines work on. What
  // must have landed before, a semaphore of your own says.
  void meet(Loc loc = Loc::current());
  // Stops the run with a program error that carries the code.
  void trap(int code, Loc loc = Loc::current());
  // A named range of instructions, for reports: auto s = k.scope("layer");
  ScopeGuard scope(std::string name, Loc loc = Loc::current());
  // While the guard lives: findings of the hazard of which one end lies in what is recorded are counted, with the
  // reason, instead of failing the run (docs/hazards.md): auto a = k.allow("HDL-RACE-01", "both write the same bytes");
  ScopeGuard allow(std::string hazard, std::string reason, Loc loc = Loc::current());
  // A kernel: a named range at whose end the engines are drained and its tiles, pipes and semaphores are given back.
  ScopeGuard kernel(std::string name, Loc loc = Loc::current());
  // A further entry point; what is recorded outside of any is the entry "main".
  template <class F>
  void entry(std::string name, F&& body, Loc loc = Loc::current()) {
    begin_entry(std::move(name), loc);
    body();
    end_entry();
  }

  // ---- Debugging
  // Shows the number each time that the program comes here, with core, cycle and this line. It costs no instruction and
  // no cycle, and leaves the code as it is (docs/debugging.md).
  void print(Scalar value, std::string label, Loc loc = Loc::current());

  // ---- Level 0
  Emitter& emit() { return emitter_; }
  // A semaphore of your own, given back at the end of the kernel. It must be zero then.
  SemRef semaphore(Loc loc = Loc::current());

  // Assigns registers and semaphores, encodes, verifies. Once; nothing can be recorded afterwards.
  isa::ProgramImage finish(Loc loc = Loc::current());

  // ---- For the layers above
  struct State;
  State& state() { return *state_; }
  void at(const Loc& loc);        // the place that what follows is recorded for
  Node& append(Node node);        // into the current block, at the current place
  ValueId materialise(Scalar s);  // a register value, made with li if constant; 0 for the constant zero (x0)
  Scalar binary(isa::Opcode reg, const Scalar& a, const Scalar& b);
  // s = first + second.
  std::pair<Scalar, std::int64_t> split(const Scalar& s);
  // Whether the value of s may change with that of `on`.
  bool depends_on(const Scalar& s, const Scalar& on) const;
  // A value that no instruction makes: to ask what a function of a scalar would record, between these two.
  Scalar placeholder();
  void begin_discarded();
  void end_discarded();
  [[noreturn]] void error(std::string id, const std::string& message) const;
  [[noreturn]] static void error_at(const Loc& loc, std::string id, const std::string& message);

 protected:
  Scalar begin_loop(Scalar begin, Scalar end, Scalar step, const Loc& loc);
  void end_loop(const Loc& loc);
  void begin_if(const Cond& condition, const Loc& loc);
  void begin_else();
  void end_if();
  void begin_entry(std::string name, const Loc& loc);
  void end_entry();

 private:
  friend class ScopeGuard;
  void end_scope(bool kernel) noexcept;
  ScopeGuard open_scope(std::string name, std::uint32_t allow);
  std::unique_ptr<State> state_;
  Emitter emitter_{*this};
};

}  // namespace heddle::sdk
