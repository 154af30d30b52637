// SPDX-License-Identifier: Apache-2.0
// heddle generate --model PATH --prompt TEXT
#include <cerrno>
#include <cstring>
#include <memory>

#include "isa/base/error.hpp"
#include "isa/base/read_file.hpp"
#include "sim/app/run_model.hpp"

namespace heddle::app {
namespace {

struct Generate {
  ModelRun run;
  std::string prompt_file;
  bool raw = false;
  bool teacher_forced = false;
  std::string logits_out;
};

ExitCode run_generate(Generate& g) {
  RunSpec& spec = g.run.spec;
  if (!g.prompt_file.empty()) {
    constexpr std::size_t most = std::size_t{1} << 24;
    const std::optional<std::string> text = read_file(g.prompt_file, most);
    if (!text) fail_at({g.prompt_file}, ErrorKind::bad_input, "HDL-APP-12", "cannot be read: {}", std::strerror(errno));
    spec.prompt = *text;
  }
  spec.chat = !g.raw;
  spec.chip = g.run.common.chip;
  spec.chip_overrides = g.run.common.set;
  if (!g.run.common.mode.empty()) spec.mode = g.run.common.mode;
  g.run.command = "generate";
  return g.teacher_forced ? score_prompt(g.run, g.logits_out) : run_model(g.run);
}

const Command generate("generate", "Let a model continue a prompt on a simulated chip", [](CLI::App& sub) {
  auto g = std::make_shared<Generate>();
  RunSpec& spec = g->run.spec;
  sub.add_option("--model", spec.model, "A folder with config.json and safetensors, or a .gguf file")
      ->type_name("PATH")
      ->required();
  CLI::Option_group* prompt = sub.add_option_group("prompt");
  prompt->add_option("--prompt", spec.prompt, "The text")->type_name("TEXT");
  prompt->add_option("--prompt-file", g->prompt_file, "A file that holds the text")->type_name("FILE");
  prompt->require_option(1);
  sub.add_flag("--raw", g->raw, "Continue the text itself; by default it goes through the model's chat template");
  sub.add_option("--max-new-tokens", spec.max_new_tokens, "Stop after so many, unless the model ends earlier")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20))
      ->capture_default_str();
  sub.add_option("--dtype", spec.dtype, "What the chip computes in")
      ->check(CLI::IsMember({"bf16", "fp32"}))
      ->type_name("bf16|fp32")
      ->capture_default_str();
  sub.add_option("--temperature", spec.sampling.temperature, "0: always the most likely token")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  sub.add_option("--top-k", spec.sampling.top_k, "Choose among the k most likely; 0: all")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 20))
      ->capture_default_str();
  sub.add_option("--top-p", spec.sampling.top_p, "Choose among the most likely whose probabilities sum to this")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  sub.add_option("--seed", spec.sampling.seed, "Of the random choice")->capture_default_str();
  CLI::Option* forced = sub.add_flag("--teacher-forced", g->teacher_forced,
                                     "Draw no tokens: write the logits of every position of the text, taken as it is");
  CLI::Option* out =
      sub.add_option("--logits-out", g->logits_out, "Little-endian fp32 [positions, vocab], and FILE.json")
          ->type_name("FILE")
          ->needs(forced);
  forced->needs(out);
  add_bisect_options(sub, g->run.bisect, g->run.tolerance);
  forced->excludes(sub.get_option("--bisect"));
  add_common_options(sub, g->run.common);
  return [g] { return run_generate(*g); };
});

}  // namespace
}  // namespace heddle::app
