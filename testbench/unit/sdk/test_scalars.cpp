// SPDX-License-Identifier: Apache-2.0
// Scalars, loops and level 0, seen through the disassembly of what was recorded.
#include "isa/asm/disassembler.hpp"
#include "sdk/sdk.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::sdk;

namespace {

std::string text_of(KernelBuilder& k) { return isa::disassemble(k.finish()); }

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

isa::Opcode opcode(const isa::ProgramImage& image, std::size_t i) { return isa::decode(image.code[i]).op; }

}  // namespace

TEST_CASE("Constants fold and record nothing", "[sdk]") {
  KernelBuilder k(small_target(), "t");
  const Scalar a = 7, b = -2;
  REQUIRE((a + b).constant() == 5);
  REQUIRE((a / b).constant() == -3);
  REQUIRE((a % b).constant() == 1);
  REQUIRE((a << 3).constant() == 56);
  REQUIRE((b >> 1).constant() == -1);
  REQUIRE(ceil_div(a, 4).constant() == 2);
  REQUIRE(round_up(a, 4).constant() == 8);
  REQUIRE(round_up(a, 3).constant() == 9);
  REQUIRE(sdk::min(a, b).constant() == -2);
  REQUIRE((a < b).constant() == false);
  REQUIRE((a >= 7 && b != 0).constant());
  REQUIRE_THROWS_WITH(a / 0, contains("HDL-SDK-02"));
  REQUIRE(k.finish().code.size() == 1);  // halt
}

TEST_CASE("Arithmetic that changes nothing is not recorded, chains of constants become one", "[sdk]") {
  KernelBuilder k(small_target(), "t");
  const Scalar x = k.arg(0);
  REQUIRE((x + 0).same_as(x));
  REQUIRE((x * 1).same_as(x));
  REQUIRE((x * 0).is(0));
  REQUIRE((x - x).is(0));
  const Smem out = k.smem({4});
  k.write(out, 0, x + 5 + 6 - 1);
  k.write(out, 1, x * 4 * 3);
  k.write(out, 2, x + 5 + 5);
  const std::string text = text_of(k);
  REQUIRE(count(text, "addi") == 1);
  REQUIRE(count(text, "muli") == 1);
}

TEST_CASE("A loop keeps its size, whatever its bound", "[sdk]") {
  const auto length = [](Scalar n) {
    KernelBuilder k(small_target(), "t");
    const Smem out = k.smem({1});
    k.loop(n, [&](Scalar i) { k.write(out, 0, i); });
    return k.finish().code.size();
  };
  REQUIRE(length(10) == length(1'000'000'000));
}

TEST_CASE("What does not change in a loop is computed before it", "[sdk]") {
  KernelBuilder k(small_target(), "t");
  const Scalar n = k.arg(0), x = k.arg(1);
  const Smem out = k.smem({4});
  k.loop(n, [&](Scalar i) { k.write(out, 0, i + x * 12 + 5); });
  const isa::ProgramImage image = k.finish();
  // ld, ld, muli, addi before it; in it: add (addi folds apart), sw, addi, blt.
  std::size_t backedge = 0;
  for (std::size_t i = 0; i < image.code.size(); ++i)
    if (opcode(image, i) == isa::Opcode::blt) backedge = i;
  const auto top = static_cast<std::size_t>(isa::decode(image.code[backedge])[isa::FieldId::target]);
  for (std::size_t i = top; i <= backedge; ++i) REQUIRE(opcode(image, i) != isa::Opcode::muli);
  REQUIRE(backedge - top + 1 <= 5);
}

TEST_CASE("A value that may not have been computed cannot be used", "[sdk]") {
  KernelBuilder k(small_target(), "t");
  Scalar inside;
  k.loop(k.arg(0), [&](Scalar i) { inside = i * 2; });
  const Smem out = k.smem({1});
  k.write(out, 0, inside);
  REQUIRE_THROWS_WITH(k.finish(), contains("HDL-SDK-03") && contains("test_scalars.cpp:"));
}

TEST_CASE("A division that may trap stays where it was written", "[sdk]") {
  KernelBuilder k(small_target(), "t");
  const Scalar a = k.arg(0), b = k.arg(1);
  const Smem out = k.smem({1});
  k.loop(a, [&](Scalar) { k.if_(b != 0, [&] { k.write(out, 0, a / b); }); });
  const isa::ProgramImage image = k.finish();
  bool branched = false;
  for (std::size_t i = 0; i < image.code.size(); ++i) {
    branched = branched || opcode(image, i) == isa::Opcode::beq;
    if (opcode(image, i) == isa::Opcode::div) REQUIRE(branched);
  }
}

TEST_CASE("Every engine instruction has a typed emitter; waits and posts are those written", "[sdk]") {
  KernelBuilder k(small_target(), "t");
  Emitter& e = k.emit();
  const Spm t = k.spm({64, 64}, bf16);
  const Acc a = k.acc({64, 64});
  const V vt = k.view(t), va = k.view(a);
  const SemRef s = k.semaphore(), u = k.semaphore();
  e.sem_post(s, 1);
  e.dma_fill(on(2, wait(s), post(u, 2)), vt, 0);
  e.mxu_load(on(0, wait(u)), vt, true);
  e.mxu_matmul(on(0), va, vt, true);
  e.vpu_add_i(on(0, wait(u)), va, va, 0x3f800000);
  e.vpu_sync(on(0));
  REQUIRE_THROWS_WITH(e.dma_sync(on(0, wait(s), wait(s), wait(s))), contains("HDL-SDK-05"));
  const std::string text = text_of(k);
  REQUIRE_THAT(text, contains("dma.fill v0, 0.0, on=2  wait s2, post s3:2") ||
                         contains("dma.fill v0, 0, on=2  wait s2, post s3:2"));
  REQUIRE_THAT(text, contains("mxu.load v0, transposed  wait s3"));
  REQUIRE_THAT(text, contains("mxu.matmul v1, v0, accumulate"));
  REQUIRE_THAT(text, contains("vpu.sync"));
}

TEST_CASE("A view that level 0 changes is not shared", "[sdk]") {
  KernelBuilder k(small_target(), "t");
  const Spm t = k.spm({64, 64}, fp32);
  const V mine = k.view(t);
  k.emit().view_size(mine, 0, 8);
  k.exp(t, t);  // whole
  k.emit().vpu_neg(on(0), mine, mine);
  const isa::ProgramImage image = k.finish();
  std::int64_t changed = -1, whole = -1, part = -1;
  for (std::size_t i = 0; i < image.code.size(); ++i) {
    const isa::Instruction in = isa::decode(image.code[i]);
    if (in.op == isa::Opcode::view_size) changed = in[isa::FieldId::vd];
    if (in.op == isa::Opcode::vpu_exp) whole = in[isa::FieldId::va];
    if (in.op == isa::Opcode::vpu_neg) part = in[isa::FieldId::va];
  }
  REQUIRE(part == changed);
  REQUIRE(whole != changed);
}

template <class E, class A, class B>
concept TakesAsViews = requires(E e, A a, B b) {
  e.vpu_exp(on(0), a, b);
};
template <class K, class A, class S>
concept Multiplies = requires(K k, A a, S s) {
  k.matmul(a, s, overwrite);
};
static_assert(TakesAsViews<Emitter, V, V>);
static_assert(!TakesAsViews<Emitter, V, X>, "a scalar is no view");
static_assert(!TakesAsViews<Emitter, SemRef, V>, "a semaphore is no view");
static_assert(Multiplies<KernelBuilder&, Acc, Spm>);
static_assert(!Multiplies<KernelBuilder&, Spm, Spm>, "products go to accumulators");
static_assert(!Multiplies<KernelBuilder&, Acc, Acc>, "rows stream from SPM");

TEST_CASE("Debug lines and scopes lead back to the kernel", "[sdk]") {
  KernelBuilder k(small_target(), "t");
  std::uint32_t line = 0;
  {
    auto kernel = k.kernel("outer");
    const Spm t = k.spm({8}, fp32);
    auto scope = k.scope("inner");
    k.fill(t, 1), line = __LINE__;
  }
  const isa::ProgramImage image = k.finish();
  REQUIRE(image.scopes.size() == 2);
  REQUIRE(image.scopes[0].name == "outer");
  REQUIRE(image.scopes[1].name == "inner");
  bool found = false;
  for (std::uint32_t i = image.scopes[1].begin; i < image.scopes[1].end; ++i)
    if (opcode(image, i) == isa::Opcode::dma_fill) {
      found = true;
      REQUIRE(isa::source_of(image, i).line == line);
      REQUIRE_THAT(isa::source_of(image, i).file, Catch::Matchers::EndsWith("testbench/unit/sdk/test_scalars.cpp"));
    }
  REQUIRE(found);
}

TEST_CASE("The end of a program is checked", "[sdk]") {
  KernelBuilder k(small_target(), "t");
  {
    auto open = k.kernel("open");
    REQUIRE_THROWS_WITH(k.finish(), contains("HDL-SDK-09"));
  }
  REQUIRE_THROWS_WITH(k.arg(64), contains("HDL-SDK-07"));
  REQUIRE_THROWS_WITH(k.loop(0, k.arg(0), 0, [](Scalar) {}), contains("HDL-SDK-08"));
  KernelBuilder done(small_target(), "t");
  done.finish();
  REQUIRE_THROWS_WITH(done.finish(), contains("HDL-SDK-06"));
  REQUIRE_THROWS_WITH(done.fence(), contains("HDL-SDK-06"));
}
