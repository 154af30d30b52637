// SPDX-License-Identifier: Apache-2.0
// Models: nothing is found where nothing is wrong, and one wrong product is found in its layer, operation and tile.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "isa/codec/codec.hpp"
#include "models/llama/llama.hpp"
#include "sim/app/bisect/bisect_model.hpp"
#include "sim/app/bisect/bisect_targets.hpp"
#include "sim/exec/reference_mxu.hpp"
#include "sim/top/device_face.hpp"
#include "sim/top/simulator_api.h"
#include "testbench/support/catch.hpp"

namespace heddle::bisect_test {
namespace {

constexpr std::int32_t prompt[] = {5, 17, 300, 42, 7, 99, 256};

std::string in_tree(const std::string& path) { return std::string(HEDDLE_SOURCE_DIR) + "/" + path; }

models::SessionOptions session_options(DType dtype, hdl_mode mode, std::int64_t new_tokens) {
  models::SessionOptions o;
  o.mode = mode;
  o.dtype = dtype;
  o.prompt = std::size(prompt);
  o.positions = o.prompt + new_tokens;
  return o;
}

app::ModelBisection bisect(const hdl_api* api, const std::string& model, DType dtype, hdl_mode mode,
                           const std::string& cores, std::int64_t new_tokens = 3) {
  return app::bisect_model(api, {"edge", {"cores=" + cores}, mode, 1}, weights::load_model(in_tree(model)),
                           session_options(dtype, mode, new_tokens), prompt, new_tokens, {});
}

TEST_CASE("no model of ours has a divergence") {
  const auto [model, dtype] = GENERATE(table<std::string, DType>({{"models/tiny", DType::bf16},
                                                                  {"models/tiny", DType::fp32},
                                                                  {"testbench/golden/families/gpt2", DType::bf16},
                                                                  {"testbench/golden/families/gpt2", DType::fp32},
                                                                  {"testbench/golden/families/qwen2", DType::bf16},
                                                                  {"testbench/golden/families/qwen3", DType::bf16},
                                                                  {"testbench/golden/families/qwen3", DType::fp32}}));
  const auto found = bisect(hdl_simulator_api(), model, dtype, HDL_MODE_VALUES, "2");
  CAPTURE(model, name(dtype), found.text());
  CHECK(!found.divergence);
  CHECK(found.launches == 3);
  CHECK(found.operations > 30);
}

TEST_CASE("nor has one with a clock") {
  const auto found = bisect(hdl_simulator_api(), "models/tiny", DType::bf16, HDL_MODE_FULL, "2", 2);
  CAPTURE(found.text());
  CHECK(!found.divergence);
  CHECK(found.launches == 2);
}

// Arrays that give one wrong element, in one execution of one instruction.
struct Fault {
  std::uint32_t pc = 0;
  std::int64_t execution = -1;  // from 0; negative: none
  float change = 0;
};
Fault fault;
std::int64_t executions;  // of fault.pc

class FaultyMxus final : public exec::IMxuExecutor {
 public:
  void begin_launch() override { right_->begin_launch(); }
  void execute(const exec::EngineOp& op, exec::MachineMemory& memory) override {
    right_->execute(op, memory);
    if (op.pc != fault.pc || executions++ != fault.execution) return;
    // The last element: a later token's, which a mask leaves alone.
    const std::int64_t last = (op.vd.size[0] - 1) * op.vd.stride[0] + (op.vd.size[1] - 1) * op.vd.stride[1];
    std::uint8_t* at = memory.data(op.vd.space, 0, op.core) + op.vd.base + 4 * last;
    float value = 0;
    std::memcpy(&value, at, sizeof(value));
    value += fault.change;
    std::memcpy(at, &value, sizeof(value));
  }

 private:
  std::unique_ptr<exec::IMxuExecutor> right_ = exec::make_reference_mxus();
};

std::unique_ptr<top::SimulatorDevice> make_faulty(const std::string& chip, const std::vector<std::string>& overrides,
                                                  hdl_mode mode, unsigned) {
  executions = 0;
  top::DeviceParts parts;
  parts.mxu_values = [] { return std::make_unique<FaultyMxus>(); };
  return std::make_unique<top::SimulatorDevice>(chip, overrides, mode, 1, parts);
}
constexpr hdl_api faulty = top::device_face<make_faulty>("faulty");

// The first matmul of the `number`-th kernel (from 0) of a layer of the prefill program.
std::uint32_t first_matmul(std::size_t number) {
  const weights::ModelFile model = weights::load_model(in_tree("models/tiny"));
  const sdk::Target target = sdk::Device(hdl_simulator_api(), {"edge", {"cores=1"}, HDL_MODE_VALUES, 1}).target();
  const models::Layout layout =
      models::plan_layout(model.config(), DType::bf16, {std::size(prompt) + 3, std::size(prompt), 64});
  const isa::ProgramImage image = models::record_llama(target, layout, false);
  const auto layer =
      std::find_if(image.scopes.begin(), image.scopes.end(), [](const isa::Scope& s) { return s.name == "layer"; });
  std::vector<isa::Scope> kernels;
  for (const isa::Scope& s : image.scopes)
    if (&s != &*layer && s.begin >= layer->begin && s.end <= layer->end &&
        (kernels.empty() || s.begin >= kernels.back().end))
      kernels.push_back(s);
  for (std::uint32_t pc = kernels.at(number).begin; pc < kernels[number].end; ++pc)
    if (isa::decode(image.code[pc]).op == isa::Opcode::mxu_matmul) return pc;
  FAIL("no matmul");
  return 0;
}

// The kernels of a layer: norm, qkv, rope, append, attention, output, norm, gate and up, down.
TEST_CASE("one wrong product is found in its launch, layer, operation, tile and instruction") {
  const auto [kernel, operation] = GENERATE(table<std::size_t, std::string>({{1, "qkv projection"},
                                                                             {4, "attention"},
                                                                             {5, "output projection"},
                                                                             {7, "gate and up projections, silu"},
                                                                             {8, "down projection"}}));
  fault = {first_matmul(kernel), -1, 0};
  REQUIRE(!bisect(&faulty, "models/tiny", DType::bf16, HDL_MODE_VALUES, "1", 1).divergence);
  const std::int64_t layers = 4, each = executions / layers;
  REQUIRE(each > 0);
  REQUIRE(executions % layers == 0);
  const std::int64_t layer = 2;
  fault.execution = layer * each;
  fault.change = 1000;
  const auto found = bisect(&faulty, "models/tiny", DType::bf16, HDL_MODE_VALUES, "1", 1);
  CAPTURE(operation, found.text());
  REQUIRE(found.divergence);
  const app::ModelDivergence& m = *found.divergence;
  CHECK(m.launch == 1);
  CHECK(m.layer == layer);
  CHECK(m.operation == operation);
  CHECK(m.position == 0);
  CHECK(m.tokens == static_cast<std::int64_t>(std::size(prompt)));
  REQUIRE(m.divergence.by);
  REQUIRE(m.divergence.tile);
  // The instructions are right: the machine is not, from this one on.
  CHECK(m.divergence.cause == app::Cause::precision);
  REQUIRE(m.divergence.deviation);
  CHECK(m.divergence.deviation->site.pc == fault.pc);
  CHECK(std::fabs(m.divergence.deviation->got - m.divergence.deviation->want) == Approx(1000).epsilon(0.01));
  const nlohmann::json json = found.json();
  CHECK(json["divergence"]["layer"] == layer);
  CHECK(json["divergence"]["operation"] == operation);
}

TEST_CASE("two targets are held against each other to the first instruction that gives other bits") {
  const kernels::KernelDef& gemm = kernels::find_kernel("gemm");
  const kernels::Shape shape{{"m", 70}, {"k", 200}, {"n", 70}, {"batch", 1}, {"bias", 0}, {"bt", 0}};
  const sdk::OpenOptions options{"edge", {"cores=1"}, HDL_MODE_VALUES, 1};
  const auto run = [&] {
    return app::bisect_targets({"sim", hdl_simulator_api(), options}, {"faulty", &faulty, options}, gemm, shape,
                               DType::bf16, 1);
  };
  fault = {};
  CHECK(!run().divergence);
  const isa::ProgramImage image = gemm.build(sdk::Device(hdl_simulator_api(), options).target(), shape, DType::bf16);
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc)
    if (isa::decode(image.code[pc]).op == isa::Opcode::mxu_matmul) fault.pc = pc;
  fault.execution = 0;
  fault.change = 0.5;
  const auto found = run();
  CAPTURE(found.text());
  REQUIRE(found.divergence);
  CHECK(found.divergence->site.pc == fault.pc);
  CHECK(found.divergence->computed);
  CHECK(found.divergence->second - found.divergence->first == Approx(0.5).epsilon(0.01));
}

}  // namespace
}  // namespace heddle::bisect_test
