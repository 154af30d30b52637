// SPDX-License-Identifier: Apache-2.0
// Runs a machine from one stop to the next and carries out commands between them. The machine is not disturbed: it
// takes the same cycles as without a debugger.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/debug/breakpoints.hpp"
#include "sim/debug/machine.hpp"
#include "sim/debug/past.hpp"
#include "sim/inspect/tile_snapshot.hpp"

namespace heddle::debug {

// What a tensor in HBM should hold at the end of the launch, by the kernel's reference.
struct Reference {
  std::string name;
  std::size_t argument = 0;  // of the launch: its address
  DType dtype = DType::fp32;
  std::vector<double> want;
  double scale = 0;      // root mean square of `want`
  double tolerance = 0;  // |got - want| / max(|want|, scale)
};

struct DebuggerOptions {
  std::function<std::optional<std::string>()> next_line;  // nothing: the commands have ended
  std::function<SourceLocation()> place;                  // of the last one, for errors
  std::function<void(const std::string&)> show;
  bool interactive = false;                            // a mistake is shown, and does not end the session
  std::function<std::vector<Reference>()> references;  // may be empty; called once, when first needed
};

class Debugger final : public IStopper {
 public:
  explicit Debugger(DebuggerOptions options);

  // The observers that the machine has to have: made before it, and there as long as it.
  Past& past() { return past_; }

  void opened(IMachine& machine) override { machine_ = &machine; }
  void closed() override { machine_ = nullptr; }
  // Throws HDL-DBG-01 (bad_input) when a command ends the session, HDL-DBG-02 for a mistake in a script.
  void time_passes(TimeFs now, TimeFs next) override;
  void failed(const Error& error) override;

  static constexpr const char* quit_id = "HDL-DBG-01";

 private:
  enum class Mode : std::uint8_t { go, step, until_idle };
  struct Engine {
    std::uint32_t core = 0;
    std::size_t agent = 1;
  };

  // ---- Stopping (debugger.cpp)
  void begin_program();
  bool arrive(std::uint32_t core);  // true when the core's new instruction is a place to stop
  void stop(const std::string& why);

  // ---- Commands (commands.cpp). True when the machine goes on.
  bool command(const std::string& line);
  bool run_command(const std::vector<std::string>& words, const std::string& rest);
  bool go_until(const std::vector<std::string>& words);
  void print_what(std::vector<std::string> words);
  void add_breakpoint(const std::string& where);
  void delete_breakpoints(const std::string& which);
  void show_breakpoints() const;
  void choose_core(const std::string& word);
  std::uint32_t core_named(const std::string& word) const;
  Engine engine_named(const std::string& word) const;
  isa::View view_named(const std::vector<std::string>& words, std::size_t& next) const;

  // ---- Showing (show.cpp)
  std::string agent_name(std::size_t agent) const;
  std::string instruction_text(std::uint32_t pc) const;
  std::string where_text(std::uint32_t core) const;
  void show_where() const;
  void show_registers(bool all) const;
  void show_views() const;
  void show_semaphores() const;
  void show_queues() const;
  void show_waits() const;
  void show_source(const std::string& around);
  void show_scalar(int number) const;
  void show_tile(const isa::View& view, bool full);
  void show_memory(const std::vector<std::string>& words);
  std::string work_text(const isa::View& view, std::int64_t reach) const;
  std::string difference_text(const inspect::TileSnapshot& tile);
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) const {
    options_.show(fmt::format(text, std::forward<Args>(args)...));
  }

  DebuggerOptions options_;
  Past past_;
  Sources sources_;
  Breakpoints breakpoints_;
  IMachine* machine_ = nullptr;
  const control::Program* program_ = nullptr;  // that breakpoints are resolved for
  bool first_ = true;                          // nothing has been stopped yet
  bool failed_ = false;
  Mode mode_ = Mode::go;
  std::uint64_t steps_ = 0;  // to go
  Engine engine_;            // until it is idle
  std::uint32_t core_ = 0;   // that commands are about
  std::uint32_t list_line_ = 0;
  std::optional<std::vector<Reference>> references_;
};

}  // namespace heddle::debug
