// SPDX-License-Identifier: Apache-2.0
// The heddle program: finds the subcommand, runs it, and turns what went wrong into one line and an exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>

#include "isa/base/error.hpp"
#include "isa/base/nearest.hpp"
#include "isa/image/hazards.hpp"
#include "sim/app/command.hpp"

// libsystemc brings a main() that calls it; ours is the one that links.
int sc_main(int, char**) { return 0; }

namespace heddle::app {
namespace {

// A mistake in a configuration file reads "mine.yaml:4:3: unknown key ... [HDL-CFG-10]", as compilers name their
// warnings; other errors lead with the identifier, which is what one looks up.
std::string text_of(const Error& e) {
  if (!e.id().starts_with("HDL-CFG")) return e.what();
  return fmt::format("{} [{}]", Error(e.kind(), "", e.message(), e.where()).what(), e.id());
}

ExitCode report(const Error& e) {
  if (e.kind() == ErrorKind::internal) {
    fmt::print(stderr, "heddle: internal error, please report it: {}\n", e.what());
    return failed;
  }
  fmt::print(stderr, "{}{}\n", e.where().file.empty() ? "heddle: " : "", text_of(e));
  // A hazard is what the run's own check found; the input is well formed.
  return isa::is_allowable(e.id()) ? failed : usage;
}

ExitCode guarded(const std::function<ExitCode()>& run) {
  try {
    return run();
  } catch (const Error& e) {
    return report(e);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "heddle: out of memory\n");
  } catch (const std::exception& e) {
    fmt::print(stderr, "heddle: internal error, please report it: {}\n", e.what());
  }
  return failed;
}

std::string unknown_command(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command* command : Command::all()) names.push_back(command->name());
  return fmt::format("no command '{}'{}", word, did_you_mean(word, names));
}

int run_main(int argc, char** argv) {
  CLI::App app("Heddle simulates accelerators for large language models: values and time from the same program.",
               "heddle");
  app.require_subcommand(1);
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  std::function<ExitCode()> chosen;
  for (const Command* command : Command::all()) {
    CLI::App* sub = app.add_subcommand(command->name(), command->summary());
    std::function<ExitCode()> run = command->setup(*sub);
    sub->callback([&chosen, run] { chosen = run; });
  }
  // "heddle help [COMMAND]" is what people try first.
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    const auto commands = Command::all();
    const auto named = [&](const Command* c) { return c->name() == words.front(); };
    if (!words.empty() && std::none_of(commands.begin(), commands.end(), named)) {
      fmt::print(stderr, "heddle help: {} (see heddle --help)\n", unknown_command(words.front()));
      return usage;
    }
    words.emplace_back("--help");
  }
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help, --version
  } catch (const CLI::ParseError& e) {
    std::string path = "heddle";
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      path += " " + at->get_name();
    }
    std::string message = e.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    if (path == "heddle" && argc > 1 && argv[1][0] != '-') message = unknown_command(argv[1]);
    fmt::print(stderr, "{}: {} (see {} --help)\n", path, message, path);
    return usage;
  }
  return guarded(chosen);
}

}  // namespace
}  // namespace heddle::app

int main(int argc, char** argv) { return heddle::app::run_main(argc, argv); }
