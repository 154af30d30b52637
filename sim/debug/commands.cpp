// SPDX-License-Identifier: Apache-2.0
// What can be typed. docs/debugging.md is the reference.
#include <algorithm>
#include <charconv>
#include <sstream>

#include "isa/base/error.hpp"
#include "isa/base/nearest.hpp"
#include "sim/debug/debugger.hpp"

namespace heddle::debug {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view help_text = R"(continue, c                run to the next breakpoint
step [N], s                execute one instruction (or N) of the core in question
until ENGINE idle          run until an engine such as mxu0 or core1.dma0 has nothing queued and nothing at work
break WHERE, b             stop at FILE:LINE, a scope, entry or label, "instruction N", "cycle N", "end" (of each launch)
delete N|all               take a breakpoint away
info                       list the breakpoints
core [N]                   which core registers, views, step, where and list are about
where, w                   each core's instruction, and the cycle
list [N], l                source around the instruction, or around line N of its file
registers [all], regs      scalar registers that are not zero, or all
views                      view registers that have been set
semaphores, sems           counts that are not zero
queues, q                  what each engine works on and what waits in its queue
waits                      who waits for what, and who could post it
print WHAT [full], p       x5, v3, a view of the program (base=N adds to its base); nothing: the instruction's operands
memory SPACE ADDRESS N [DTYPE]   N elements of spm, acc, smem or hbm, fp32 unless said otherwise
help, h                    this
quit, exit                 end here
)";

constexpr std::string_view command_names[] = {
    "continue", "step",       "until",  "break", "delete", "info",   "core", "where", "list", "registers",
    "views",    "semaphores", "queues", "waits", "print",  "memory", "help", "quit",  "exit"};

struct Short {
  std::string_view name, meaning;
};
constexpr Short shorts[] = {{"c", "continue"}, {"s", "step"},         {"b", "break"},         {"w", "where"},
                            {"l", "list"},     {"regs", "registers"}, {"sems", "semaphores"}, {"q", "queues"},
                            {"p", "print"},    {"h", "help"},         {"exit", "quit"}};

template <class... Args>
[[noreturn]] void mistake(fmt::format_string<Args...> text, Args&&... args) {
  fail(ErrorKind::bad_input, "HDL-DBG-02", text, std::forward<Args>(args)...);
}

std::uint64_t number(const std::string& text, std::uint64_t most, std::string_view what) {
  const bool hex = text.starts_with("0x");
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (error != std::errc() || stop != end || value > most)
    mistake("\"{}\" is no {}; expected a number up to {}", text, what, most);
  return value;
}

void expect_words(const Words& words, std::size_t least, std::size_t most, std::string_view usage) {
  if (words.size() < least || words.size() > most) mistake("write {}", usage);
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

bool Debugger::command(const std::string& line) {
  std::string text = line.substr(0, line.find('#'));
  std::istringstream in(text);
  Words words;
  for (std::string word; in >> word;) words.push_back(std::move(word));
  if (words.empty()) return false;
  for (const Short& s : shorts)
    if (words[0] == s.name) words[0] = s.meaning;
  const std::size_t first_end = text.find_first_of(" \t", text.find_first_not_of(" \t"));
  return run_command(words, first_end == std::string::npos ? "" : trimmed(text.substr(first_end)));
}

bool Debugger::run_command(const Words& words, const std::string& rest) {
  const std::string& name = words[0];
  const auto none = [&] { expect_words(words, 1, 1, name + " by itself"); };
  if (name == "quit") {
    none();
    fail(ErrorKind::bad_input, quit_id, "the session ends");
  }
  if (name == "help") return none(), options_.show(std::string(help_text)), false;
  if (name == "break") return add_breakpoint(rest), false;
  if (name == "info") return none(), show_breakpoints(), false;
  if (name == "delete") {
    expect_words(words, 2, 2, "delete N or delete all");
    return delete_breakpoints(words[1]), false;
  }
  if (std::find(std::begin(command_names), std::end(command_names), name) == std::end(command_names))
    mistake("no command '{}'{}; help lists them", name.substr(0, 64),
            did_you_mean(name, {std::begin(command_names), std::end(command_names)}));
  if (name == "continue") return none(), mode_ = Mode::go, true;
  if (name == "step") {
    expect_words(words, 1, 2, "step or step N");
    steps_ = words.size() == 1 ? 1 : number(words[1], std::uint64_t{1} << 40, "number of instructions");
    if (steps_ == 0) return false;
    if (past_.core(core_).halted) mistake("core {} has halted; core N chooses another", core_);
    mode_ = Mode::step;
    return true;
  }
  if (name == "until") return go_until(words);
  if (name == "core") {
    expect_words(words, 1, 2, "core or core N");
    if (words.size() == 2) choose_core(words[1]);
    say("{}", where_text(core_));
  } else if (name == "where") {
    none();
    show_where();
  } else if (name == "list") {
    expect_words(words, 1, 2, "list or list N");
    show_source(words.size() == 2 ? words[1] : "");
  } else if (name == "registers") {
    expect_words(words, 1, 2, "registers or registers all");
    if (words.size() == 2 && words[1] != "all") mistake("write registers or registers all");
    show_registers(words.size() == 2);
  } else if (name == "views") {
    none();
    show_views();
  } else if (name == "semaphores") {
    none();
    show_semaphores();
  } else if (name == "queues") {
    none();
    show_queues();
  } else if (name == "waits") {
    none();
    show_waits();
  } else if (name == "memory") {
    show_memory(words);
  } else if (name == "print") {
    print_what(words);
  }
  return false;
}

void Debugger::print_what(Words words) {
  const bool full = words.size() > 1 && words.back() == "full";
  if (full) words.pop_back();
  if (words.size() == 1) {  // the operands of the instruction
    const control::Micro& m = program_->code()[past_.core(core_).pc];
    if (m.uses == 0 || !isa::is_engine(isa::info(m.op).unit))
      mistake("this instruction has no views; print a register or a view");
    for (const auto& [bit, v] : {std::pair{control::uses_vd, m.vd},
                                 {control::uses_va, m.va},
                                 {control::uses_vb, m.vb},
                                 {control::uses_vc, m.vc}})
      if ((m.uses & bit) != 0) {
        say("v{} = ", v);
        std::size_t next = 0;
        show_tile(view_named({fmt::format("v{}", v)}, next), full);
      }
    return;
  }
  if (words[1].size() > 1 && words[1][0] == 'x' && words[1].find_first_not_of("0123456789", 1) == std::string::npos) {
    expect_words(words, 2, 2, "print x5");
    return show_scalar(static_cast<int>(number(words[1].substr(1), 31, "scalar register")));
  }
  std::size_t next = 1;
  const isa::View view = view_named(words, next);
  if (next != words.size()) mistake("\"{}\" is too much; write print WHAT, or print WHAT full", words[next]);
  say("{} = ", words[1]);
  show_tile(view, full);
}

// A view register that has been set, or a template of the program by name, with base=N.
isa::View Debugger::view_named(const Words& words, std::size_t& next) const {
  const std::string& name = words[next++];
  if (name.size() > 1 && name[0] == 'v' && name.find_first_not_of("0123456789", 1) == std::string::npos) {
    const std::uint64_t n = number(name.substr(1), 31, "view register");
    if (!past_.core(core_).set[n]) mistake("no view has been put into {} of core {} yet", name, core_);
    return past_.core(core_).v[n];
  }
  const isa::ProgramImage& image = program_->image();
  const auto found = std::find(image.template_names.begin(), image.template_names.end(), name);
  if (found == image.template_names.end())
    mistake("there is no '{}'; print x0..x31, v0..v31 or a view that the program names{}", name.substr(0, 64),
            did_you_mean(name, {image.template_names.begin(), image.template_names.end()}));
  isa::View view;
  static_cast<isa::ViewShape&>(view) = image.templates[static_cast<std::size_t>(found - image.template_names.begin())];
  if (next < words.size() && words[next].starts_with("base="))
    view.base += number(words[next++].substr(5), std::uint64_t{1} << 62, "base");
  return view;
}

void Debugger::show_memory(const Words& words) {
  constexpr std::string_view usage = "memory SPACE ADDRESS N [DTYPE], such as memory spm 0x4000 16 bf16";
  expect_words(words, 4, 5, usage);
  isa::View view;
  const auto space = std::find(isa::space_names.begin(), isa::space_names.end(), words[1]);
  if (space == isa::space_names.end()) mistake("no memory '{}'; there are spm, acc, smem and hbm", words[1]);
  view.space = static_cast<isa::Space>(space - isa::space_names.begin());
  view.base = number(words[2], std::uint64_t{1} << 62, "address");
  const auto n = static_cast<std::uint32_t>(number(words[3], inspect::most_elements, "number of elements"));
  const std::optional<DType> dtype = words.size() == 5 ? parse_dtype(words[4]) : DType::fp32;
  if (!dtype) mistake("no dtype '{}'; there are fp32, bf16, fp16, fp8_e4m3, fp8_e5m2, int32, int8 and int4", words[4]);
  view.dtype = *dtype;
  view.size[0] = n;
  view.stride[0] = 1;
  show_tile(view, true);
}

void Debugger::add_breakpoint(const std::string& where) {
  const Breakpoint& b = breakpoints_.add(where, program_ == nullptr ? nullptr : &program_->image(), sources_);
  const bool in_code = b.kind != Breakpoint::Kind::cycle && b.kind != Breakpoint::Kind::end;
  if (b.kind == Breakpoint::Kind::cycle && b.value <= past_.cycle())
    say("breakpoint {} at {}, which has passed\n", b.number, b.text);
  else if (!in_code)
    say("breakpoint {} at {}\n", b.number, b.text);
  else if (b.at.empty())
    say("breakpoint {} at {}: nothing of this program is there; a later one may have it\n", b.number, b.text);
  else
    say("breakpoint {} at {}: instruction {} ({}){}\n", b.number, b.text, b.at[0],
        place_text(program_->image(), b.at[0]), b.at.size() == 1 ? "" : fmt::format(" and {} more", b.at.size() - 1));
}

void Debugger::delete_breakpoints(const std::string& which) {
  if (which == "all") return breakpoints_.clear();
  if (!breakpoints_.remove(static_cast<int>(number(which, 1 << 30, "breakpoint"))))
    mistake("there is no breakpoint {}", which);
}

void Debugger::show_breakpoints() const {
  if (breakpoints_.all().empty()) say("no breakpoints\n");
  for (const Breakpoint& b : breakpoints_.all()) say("{}  {}\n", b.number, b.text);
}

std::uint32_t Debugger::core_named(const std::string& word) const {
  return static_cast<std::uint32_t>(number(word, past_.cores() - 1, "core"));
}

void Debugger::choose_core(const std::string& word) { core_ = core_named(word); }

// "mxu0" of the core in question, or "core1.mxu0".
Debugger::Engine Debugger::engine_named(const std::string& word) const {
  Engine e{core_, 0};
  std::string name = word;
  if (const std::size_t dot = word.find('.'); word.starts_with("core") && dot != std::string::npos) {
    e.core = core_named(word.substr(4, dot - 4));
    name = word.substr(dot + 1);
  }
  std::string known;
  for (std::size_t a = 1; a < past_.agents(); ++a) {
    if (agent_name(a) == name) return e.agent = a, e;
    known += (known.empty() ? "" : ", ") + agent_name(a);
  }
  mistake("no engine '{}'; a core has {}", name.substr(0, 64), known);
}

bool Debugger::go_until(const Words& words) {
  expect_words(words, 3, 3, "until ENGINE idle");
  if (words[2] != "idle") mistake("write until ENGINE idle");
  engine_ = engine_named(words[1]);
  if (past_.idle(engine_.core, engine_.agent)) {
    say("{} of core {} is idle already\n", agent_name(engine_.agent), engine_.core);
    return false;
  }
  mode_ = Mode::until_idle;
  return true;
}

}  // namespace heddle::debug
