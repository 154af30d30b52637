// SPDX-License-Identifier: Apache-2.0
// Prints show what program order says, leave the code as it is, and come in one order.
#include "sim/inspect/prints.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/sdk/run_support.hpp"

using namespace heddle;
using namespace heddle::sdk;
using namespace heddle::sdk::test;

namespace {

// What a program printed on an edge chip.
struct Output {
  std::vector<inspect::Printed> all;
  std::vector<std::string> remarks;

  // "label=value" of scalars, "label=first,...,last" of tiles.
  std::vector<std::string> brief() const {
    std::vector<std::string> out;
    for (const inspect::Printed& p : all) {
      std::string text = p.label + "=";
      if (!p.nothing.empty()) text += "none";
      if (p.scalar) text += std::to_string(*p.scalar);
      for (std::size_t i = 0; i < p.values.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", p.values[i]);
      out.push_back(text);
    }
    return out;
  }
};

using Body = std::function<void(KernelBuilder&)>;

Output print(const Body& body, hdl_mode mode, const std::vector<std::vector<float>>& tensors = {}, int cores = 1,
             std::uint32_t host_threads = 1, inspect::PrintOptions options = {}) {
  Output out;
  inspect::Prints prints(options, [&](const inspect::Printed& p) { out.all.push_back(p); });
  const inspect::InstalledPrints installed(&prints);
  Device device = open_edge(mode, cores, {}, host_threads);
  std::vector<Buffer> buffers;
  std::vector<std::uint64_t> arguments;
  for (const auto& t : tensors) {
    buffers.push_back(device.upload(t));
    arguments.push_back(buffers.back().address());
  }
  run(device, body, arguments);
  out.remarks = prints.remarks();
  return out;
}

isa::ProgramImage record(const Body& body) {
  KernelBuilder k(open_edge(HDL_MODE_VALUES, 2).target(), "test");
  body(k);
  return k.finish();
}

// The same kernel with and without prints: `show` records one, or nothing.
template <class F>
void require_same_code(F&& kernel) {
  const isa::ProgramImage plain = record([&](KernelBuilder& k) { kernel(k, [](auto&&) {}); });
  const isa::ProgramImage shown = record([&](KernelBuilder& k) { kernel(k, [](auto&& print) { print(); }); });
  CHECK(plain.prints.empty());
  CHECK_FALSE(shown.prints.empty());
  REQUIRE(plain.code.size() == shown.code.size());
  for (std::size_t i = 0; i < plain.code.size(); ++i) REQUIRE(plain.code[i] == shown.code[i]);
  REQUIRE(shown.templates.size() >= plain.templates.size());
  CHECK(std::equal(plain.templates.begin(), plain.templates.end(), shown.templates.begin()));
}

}  // namespace

TEST_CASE("A print leaves the code as it is: loops, branches, pipes, parts that nothing else names", "[sdk][print]") {
  require_same_code([](KernelBuilder& k, auto&& show) {
    const Tensor x(k.arg(0), fp32, {8, 64}), y(k.arg(1), fp32, {8, 64});
    const Scalar n = k.arg(2);
    const Spm sum = k.spm({1, 64}, fp32);
    k.fill(sum, 0);
    show([&] { k.print(sum, "start"); });
    k.pipeline<2>(Steps(n), in([&](Scalar i) { return x.slice(0, i, 1); }), [&](Spm block) {
      show([&] { k.print(block, "block"); });
      k.add(sum, sum, block);
      show([&] { k.print(sum.cols(8, 4), "part"); });
    });
    k.loop(n, [&](Scalar i) {
      show([&] { k.print(i * 3 + 7, "top"); });
      const Spm t = k.spm({4, 64}, fp32, depth(2));
      k.load(t.row(i % 4), x.slice(0, i, 1));
      show([&] { k.print(t.row((i * 5) % 4), "row"); });
      k.if_(i == 3, [&] { show([&] { k.print(x.slice(0, i, 1), "third"); }); });
      k.if_(
          i == 1,
          [&] {
            k.store(y.slice(0, i, 1), t.row(1));
            show([&] { k.print(i, "then"); });
          },
          [&] {
            k.store(y.slice(0, i, 1), sum);
            show([&] { k.print(i, "else"); });
          });
      show([&] { k.print(n - i, "end"); });
    });
    show([&] { k.print(n / 3, "last"); });
  });
}

TEST_CASE("A print leaves the code as it is where registers run out", "[sdk][print]") {
  require_same_code([](KernelBuilder& k, auto&& show) {
    std::vector<Scalar> values;
    for (int i = 0; i < 40; ++i) values.push_back(k.arg(i % 8) * (i + 3));
    Var total = k.var(0);
    k.loop(k.arg(9), [&](Scalar i) {
      for (const Scalar& v : values) total += v * i;
      show([&] {
        for (std::size_t j = 0; j < values.size(); ++j) k.print(values[j], "v");
        k.print(total, "total");
      });
    });
    const Smem out = k.smem({4}, int32);
    k.write(out, 0, total);
    show([&] { k.print(out, "out"); });
  });
}

TEST_CASE("A tile shows what the operations before the print left, whatever runs ahead", "[sdk][print]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const Output got = print(
      [](KernelBuilder& k) {
        const Tensor x(k.arg(0), fp32, {2});
        const Spm t = k.spm({2}, fp32);
        k.print(t, "unset");
        k.load(t, x);
        k.print(t, "loaded");
        k.add(t, t, 1.0f);
        k.print(t, "added");
        k.mul(t, t, 2.0f);
        k.print(t, "doubled");
        k.store(x, t);
        k.print(x, "stored");
      },
      mode, {{5, 6}});
  CHECK(got.brief() ==
        std::vector<std::string>{"unset=0,0", "loaded=5,6", "added=6,7", "doubled=12,14", "stored=12,14"});
  CHECK(got.all[0].statistics.never_written == 2);
  CHECK(got.all[1].file.ends_with("testbench/unit/sdk/test_run_prints.cpp"));
  CHECK(got.all[2].line == got.all[1].line + 2);
  CHECK((got.all[1].cycle >= 0) == (mode == HDL_MODE_FULL));
}

// The upper half comes by a long way and is still awaited when a later instruction has overwritten the lower half.
TEST_CASE("A part that is overwritten early is shown as it was", "[sdk][print]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const Output got = print(
      [](KernelBuilder& k) {
        const Tensor x(k.arg(0), fp32, {2});
        const Spm t = k.spm({2}, fp32), big = k.spm({64, 1024}, fp32);
        k.fill(big, 1, on_dma(0));  // holds dma0 for long
        k.fill(t.slice(0, 0, 1), 3, on_dma(1));
        k.load(t.slice(0, 1, 1), x.slice(0, 1, 1), on_dma(0));
        k.print(t, "t");
        k.fill(t.slice(0, 0, 1), 4, on_dma(1));
        k.print(t, "t");
      },
      mode, {{5, 6}});
  CHECK(got.brief() == std::vector<std::string>{"t=3,6", "t=4,6"});
}

TEST_CASE("Prints run exactly where they are written", "[sdk][print]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_TIMING, HDL_MODE_FULL);
  const Output got = print(
      [](KernelBuilder& k) {
        k.loop(k.num_cores() + 2, [&](Scalar i) {
          k.print(i, "top");
          k.if_(i == 1, [&] { k.print(i * 10, "only"); });
          k.if_(
              i < 2, [&] { k.print(i, "then"); }, [&] { k.print(i, "else"); });
        });
        k.print(-7, "after");
      },
      mode);
  CHECK(got.brief() ==
        std::vector<std::string>{"top=0", "then=0", "top=1", "only=10", "then=1", "top=2", "else=2", "after=-7"});
  CHECK(got.all[5].run == 3);
}

TEST_CASE("Values that go to memory for want of registers are printed right", "[sdk][print]") {
  const Output got = print(
      [](KernelBuilder& k) {
        std::vector<Scalar> values;
        for (int i = 0; i < 40; ++i) values.push_back(k.num_cores() * (i + 3) + i % 2);
        Var total = k.var(0);
        k.loop(2, [&](Scalar i) {
          for (const Scalar& v : values) total += v * i;
          for (const int j : {0, 20, 39}) k.print(values[static_cast<std::size_t>(j)], "v");
          k.print(total, "total");
        });
      },
      HDL_MODE_VALUES);
  // The sum of i + 3 + i % 2 over 0 .. 39 is 780 + 120 + 20.
  CHECK(got.brief() == std::vector<std::string>{"v=3", "v=23", "v=43", "total=0", "v=3", "v=23", "v=43", "total=920"});
}

TEST_CASE("Several cores print in order of cycle, then core, with any number of host threads", "[sdk][print]") {
  const auto body = [](KernelBuilder& k) {
    const Spm t = k.spm({16}, fp32);
    k.loop(3, [&](Scalar i) {
      k.loop(k.core_id() * 5, [&](Scalar) { k.fill(t, 1); });
      k.fill(t, 2);
      k.print(k.core_id() * 10 + i, "core");
      k.print(t, "tile");
    });
  };
  const Output one = print(body, HDL_MODE_FULL, {}, 4, 1), two = print(body, HDL_MODE_FULL, {}, 4, 2);
  REQUIRE(one.all.size() == 24);
  CHECK(one.brief() == two.brief());
  for (std::size_t i = 1; i < one.all.size(); ++i)
    CHECK(std::pair(one.all[i - 1].cycle, one.all[i - 1].core) <= std::pair(one.all[i].cycle, one.all[i].core));
}

TEST_CASE("Past the limit prints are counted, and timing mode has no tiles to show", "[sdk][print]") {
  const auto body = [](KernelBuilder& k) {
    const Spm t = k.spm({16}, fp32);
    k.fill(t, 2);
    k.loop(10, [&](Scalar i) { k.print(i, "i"); });
    k.print(t, "t");
  };
  const Output few = print(body, HDL_MODE_FULL, {}, 1, 1, {4, false});
  CHECK(few.all.size() == 4);
  CHECK(few.remarks == std::vector<std::string>{"4 prints are shown, 7 more are not (--max-prints)"});
  const Output timing = print(body, HDL_MODE_TIMING);
  CHECK(timing.all.size() == 10);
  CHECK(timing.remarks == std::vector<std::string>{"1 print of a tile is not shown: timing mode computes no values"});
}

TEST_CASE("A print costs no cycle", "[sdk][print]") {
  const auto cycles = [](bool shown) {
    inspect::Prints prints({}, [](const inspect::Printed&) {});
    std::optional<inspect::InstalledPrints> installed;
    if (shown) installed.emplace(&prints);
    Device device = open_edge(HDL_MODE_FULL, 2);
    const auto x = small_integers(64 * 64, 1);
    Buffer dx = device.upload(x);
    run(device,
        [&](KernelBuilder& k) {
          const Tensor tx(k.arg(0), fp32, {64, 64});
          k.for_each_tile(tx.tiled(8, 64), [&](Tensor part) {
            const Spm t = k.spm({8, 64}, fp32, depth(2));
            k.load(t, part);
            if (shown) k.print(t, "before");
            k.exp(t, t);
            if (shown) k.print(t.rows(2, 1), "after");
            k.store(part, t);
          });
        },
        {dx});
    return device.counters()["cycles"];
  };
  CHECK(cycles(false) == cycles(true));
}
