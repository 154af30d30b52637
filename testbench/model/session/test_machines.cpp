// SPDX-License-Identifier: Apache-2.0
// The same model on other machines and in other modes: what may differ and what may not.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "testbench/model/session/golden_case.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/weights/build_files.hpp"

using namespace heddle;
using namespace heddle::testing;

namespace {

struct Outcome {
  Tokens tokens;
  std::vector<float> logits;  // behind the last token fed
  std::uint64_t prefill_cycles = 0, decode_cycles = 0;
  std::map<std::string, std::uint64_t> counters;  // of prefill and decode together
};

// `given`: tokens to follow; empty: greedy ones are drawn.
Outcome run(hdl_mode mode, DType dtype, const std::vector<std::string>& overrides, unsigned threads,
            const Tokens& given = {}) {
  const GoldenCase golden = golden_case("tiny/speech");
  models::SessionOptions o = options_for(golden.tokens.size(), 12);
  o.mode = mode;
  o.dtype = dtype;
  OpenModel m(tiny_model, o, overrides, threads);
  const models::Generation g =
      given.empty() ? m.session.generate(golden.tokens, 12, {}) : m.session.follow(golden.tokens, given);
  Outcome out{g.tokens, {}, g.prefill.counters["cycles"], g.decode.counters["cycles"], {}};
  if (mode != HDL_MODE_TIMING) out.logits = m.session.last_logits();
  for (const models::PhaseStats* phase : {&g.prefill, &g.decode})
    for (const auto& [name, counter] : phase->counters.rows) out.counters[name] += counter.value;
  return out;
}

}  // namespace

TEST_CASE("1, 2 and 4 cores give the same tokens") {
  const GoldenCase golden = golden_case("tiny/speech");
  const Tokens expected(golden.greedy.begin(), golden.greedy.begin() + 12);
  Outcome first;
  for (const char* cores : {"cores=1", "cores=2", "cores=4"}) {
    INFO(cores);
    const Outcome o = run(HDL_MODE_VALUES, DType::fp32, {cores}, 1);
    CHECK(o.tokens == expected);
    CHECK(run(HDL_MODE_VALUES, DType::bf16, {cores}, 1).tokens == expected);
    if (first.logits.empty()) first = o;
    CHECK(largest_difference(o.logits, first.logits) < 1e-5 * golden.range);
  }
}

TEST_CASE("a model on another chip: arrays of 256 x 256, one core") {
  const GoldenCase golden = golden_case("tiny/speech");
  OpenModel m(
      tiny_model, options_for(golden.tokens.size(), golden.greedy.size()),
      {"core.mxu.rows=256", "core.mxu.cols=256", "core.accumulator.size=4MiB", "core.scratchpad.size=8MiB", "cores=1"});
  CHECK(m.session.generate(golden.tokens, static_cast<std::int64_t>(golden.greedy.size()), {}).tokens == golden.greedy);
}

TEST_CASE("values and full mode give the same bits; 1 and 2 host threads the same bits and counters") {
  for (const DType dtype : {DType::fp32, DType::bf16}) {
    INFO(name(dtype));
    const Outcome values = run(HDL_MODE_VALUES, dtype, {}, 1);
    const Outcome one = run(HDL_MODE_FULL, dtype, {}, 1);
    const Outcome two = run(HDL_MODE_FULL, dtype, {}, 2);
    const Outcome again = run(HDL_MODE_FULL, dtype, {}, 2);
    CHECK(values.tokens == one.tokens);
    CHECK(values.logits == one.logits);
    CHECK(one.prefill_cycles > 0);
    CHECK(one.decode_cycles > 0);
    for (const Outcome* o : {&two, &again}) {
      CHECK(o->tokens == one.tokens);
      CHECK(o->logits == one.logits);
      CHECK(o->counters == one.counters);
    }
  }
}

// Time depends on values in one place: the row of the embedding that a token names decides which DRAM bank is asked.
TEST_CASE("timing mode counts what full mode counts, given the same tokens") {
  const Outcome full = run(HDL_MODE_FULL, DType::bf16, {}, 1);
  const Outcome timing = run(HDL_MODE_TIMING, DType::bf16, {}, 1, full.tokens);
  CHECK(timing.prefill_cycles == full.prefill_cycles);
  CHECK(timing.decode_cycles == full.decode_cycles);
  CHECK(timing.counters == full.counters);
  // Token 0 for each new one, as generate() has it there: the same work, other rows.
  const Outcome zeros = run(HDL_MODE_TIMING, DType::bf16, {}, 1);
  CHECK(zeros.tokens == Tokens(12, 0));
  CHECK(zeros.prefill_cycles == full.prefill_cycles);
  CHECK(static_cast<double>(zeros.decode_cycles) == Approx(static_cast<double>(full.decode_cycles)).epsilon(0.01));
}

TEST_CASE("drawn tokens follow the seed") {
  const GoldenCase golden = golden_case("tiny/speech");
  const auto draw = [&](std::uint64_t seed, double temperature) {
    OpenModel m(tiny_model, options_for(golden.tokens.size(), 24));
    return m.session.generate(golden.tokens, 24, {temperature, 0, 1, seed}).tokens;
  };
  const Tokens first = draw(7, 1.5);
  CHECK(draw(7, 1.5) == first);
  CHECK(draw(8, 1.5) != first);
  CHECK(draw(7, 1e-6) == Tokens(golden.greedy.begin(), golden.greedy.begin() + 24));
}

TEST_CASE("an end token is given, and ends the run") {
  const GoldenCase golden = golden_case("tiny/speech");
  // A copy of the tiny model whose end token is one that it will say.
  const std::int32_t end = golden.greedy[5];
  const TempFolder folder;
  for (const char* file : {"model.safetensors", "tokenizer.json"})
    std::filesystem::create_symlink(tiny_model + "/" + file, folder.path(file));
  std::ifstream in(tiny_model + "/config.json");
  std::string config((std::istreambuf_iterator<char>(in)), {});
  const std::string key = "\"eos_token_id\": 0";
  REQUIRE(config.find(key) != std::string::npos);
  config.replace(config.find(key), key.size(), fmt::format("\"eos_token_id\": {}", end));
  folder.write("config.json", config);

  OpenModel m(folder.path(), options_for(golden.tokens.size(), 24));
  const models::Generation g = m.session.generate(golden.tokens, 24, {});
  const auto first = std::find(golden.greedy.begin(), golden.greedy.end(), end);
  CHECK(g.tokens == Tokens(golden.greedy.begin(), first + 1));
  CHECK(g.ended);
  CHECK(g.decode.launches == first - golden.greedy.begin());  // none behind the end token
}
