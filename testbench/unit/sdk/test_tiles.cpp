// SPDX-License-Identifier: Apache-2.0
// Shapes, views and memory: what constants show to be wrong is refused where it was written.
#include "isa/asm/disassembler.hpp"
#include "sdk/sdk.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::sdk;

namespace {

struct Fixture {
  KernelBuilder k{small_target(), "t"};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "Tensors cut to blocks know their ragged sizes", "[sdk]") {
  const Tensor t(0x1000, fp32, {100, 64});
  REQUIRE(t.block(0, 0, 50).size(0).is(50));
  REQUIRE(t.block(0, 1, 64).size(0).is(36));
  REQUIRE(t.block(0, 1, 64).address().is(0x1000 + 64 * 64 * 4));
  REQUIRE(t.block(1, 0, 128).size(1).is(64));
  REQUIRE(t.tiled(64, 32).count().is(4));
  const Tensor last = t.tiled(64, 32)[3];
  REQUIRE(last.begin(0).is(64));
  REQUIRE(last.begin(1).is(32));
  REQUIRE(last.size(0).is(36));
  REQUIRE(t.transposed().stride(0).is(1));
  REQUIRE(t[3].address().is(0x1000 + 3 * 64 * 4));
  REQUIRE(t[3].rank() == 1);
  const Tensor packed(0, int4, {4, 64});
  REQUIRE(packed.block(0, 3, 1).address().is(96));
  REQUIRE_THROWS_WITH(t.slice(0, 90, 20), contains("HDL-SDK-11"));
  REQUIRE_THROWS_WITH(t.slice(2, 0, 1), contains("HDL-SDK-10"));
  REQUIRE_THROWS_WITH(t.reshape({7, 64}), contains("HDL-SDK-12"));
  REQUIRE_THROWS_WITH(t.as(bf16), contains("HDL-SDK-16"));
  const Tensor unknown(0, fp32, {k.arg(0), 64});
  REQUIRE_FALSE(unknown.block(0, 2, 16).extent(0).is_static());
  REQUIRE(unknown.block(0, 2, 16).extent(0).capacity == 16);
}

TEST_CASE_METHOD(Fixture, "Views of a tile share its bytes", "[sdk]") {
  const Spm t = k.spm({16, 8, 4}, fp32);
  REQUIRE(t.stride(0) == 32);
  const Spm cut = t.slice(1, 2, 3).transposed(0, 2);
  REQUIRE(cut.capacity(0) == 4);
  REQUIRE(cut.stride(0) == 1);
  REQUIRE(cut.capacity(1) == 3);
  REQUIRE(cut.offset() == t.offset() + 2 * 4 * 4);
  REQUIRE(t[5].rank() == 2);
  REQUIRE(t[5].offset() == t.offset() + 5 * 128);
  REQUIRE(t.reshape({16, 32}).stride(0) == 32);
  REQUIRE(t.reshape({4, 4, 32}).stride(1) == 32);
  REQUIRE(t.slice(1, 0, 4).reshape({16, 2, 2, 4}).stride(1) == 8);
  REQUIRE(t.unsqueeze(1).capacity(1) == 1);
  REQUIRE_THROWS_WITH(t.slice(1, 0, 4).reshape({16 * 4, 4}), contains("HDL-SDK-12"));
  REQUIRE_THROWS_WITH(t.reshape({16, 33}), contains("HDL-SDK-12"));
  REQUIRE_THROWS_WITH(t.slice(0, 10, 7), contains("HDL-SDK-11") && contains("test_tiles.cpp:"));
  const Spm rows = k.spm({up_to(k.arg(0), 16), 32}, fp32);
  REQUIRE(rows.reshape({rows.extent(0), 4, 8}).stride(1) == 8);
  REQUIRE_THROWS_WITH(rows.reshape({512}), contains("HDL-SDK-12"));
}

TEST_CASE_METHOD(Fixture, "Memory that is exhausted says who holds it", "[sdk]") {
  k.spm({1024, 256}, fp32);
  REQUIRE(k.free_bytes(Space::spm) == (1 << 20));
  REQUIRE_THROWS_WITH(k.spm({1024, 300}, fp32), contains("HDL-SDK-04") && contains("1228800") &&
                                                    contains("1048576 of 2097152") && contains("holds 1048576"));
  REQUIRE_THROWS_WITH(k.acc({1024, 1024}), contains("HDL-SDK-04") && contains("acc exhausted"));
  REQUIRE_THROWS_WITH(k.spm({k.arg(0)}, fp32), contains("HDL-SDK-17"));
  {
    auto scope = k.kernel("inner");
    k.spm({1024, 256}, fp32);
    REQUIRE(k.free_bytes(Space::spm) == 0);
  }
  REQUIRE(k.free_bytes(Space::spm) == (1 << 20));
}

TEST_CASE_METHOD(Fixture, "Operands that cannot fit are refused", "[sdk]") {
  const Spm a = k.spm({64, 32}, bf16), b = k.spm({32, 64}, bf16), f = k.spm({64, 32}, fp32);
  const Acc c = k.acc({64, 64});
  const Tensor t(k.arg(0), bf16, {64, 32});
  REQUIRE_THROWS_WITH(k.load(f, t), contains("HDL-SDK-16"));
  REQUIRE_THROWS_WITH(k.load(b, t), contains("HDL-SDK-15"));
  REQUIRE_THROWS_WITH(k.matmul(c, a, a, overwrite), contains("HDL-SDK-15"));
  REQUIRE_THROWS_WITH(k.matmul(c, a.first({32, 32}), b, overwrite), contains("HDL-SDK-15"));
  REQUIRE_THROWS_WITH(k.load_stationary(k.spm({65, 64}, bf16)), contains("HDL-SDK-15"));
  REQUIRE_THROWS_WITH(k.load_stationary(b, 1), contains("HDL-SDK-18"));
  REQUIRE_THROWS_WITH(k.load(a, t, on_dma(4)), contains("HDL-SDK-18"));
  REQUIRE_THROWS_WITH(k.add(a, b, 1), contains("HDL-SDK-15"));
  REQUIRE_THROWS_WITH(k.add(a, 1, 1), contains("HDL-SDK-15"));
  REQUIRE_THROWS_WITH(k.sum(f.col(1), b), contains("HDL-SDK-15"));
  REQUIRE_THROWS_WITH(k.add(Spm(), a, 1), contains("HDL-SDK-"));
  REQUIRE_THROWS_WITH(k.fused(a, a, {.scale = f}), contains("HDL-SDK-16"));
  const Acc integers = k.acc({64, 64}, int32);
  REQUIRE_THROWS_WITH(k.matmul(integers, a, b, overwrite), contains("HDL-SDK-16"));
}

TEST_CASE_METHOD(Fixture, "Tiles are refused where they do not exist any more", "[sdk]") {
  Spm kept = k.spm({8}, fp32);
  SECTION("after their loop") {
    k.loop(k.arg(0), [&](Scalar) { kept = k.spm({8}, fp32, depth(2)); });
    REQUIRE_THROWS_WITH(k.exp(kept, kept), contains("HDL-SDK-23") && contains("in a loop"));
  }
  SECTION("after their kernel") {
    {
      auto scope = k.kernel("short");
      kept = k.spm({8}, fp32);
    }
    REQUIRE_THROWS_WITH(k.exp(kept, kept), contains("HDL-SDK-23") && contains("end of its kernel"));
  }
  SECTION("after their slot was given back") {
    auto pipe = k.pipe({8}, fp32, 2);
    {
      auto slot = pipe.acquire();
      kept = slot;
    }
    REQUIRE_THROWS_WITH(k.exp(kept, kept), contains("HDL-PIPE-01") && contains("given back"));
  }
  SECTION("but in loops and kernels inside") {
    auto scope = k.kernel("outer");
    k.loop(k.arg(0), [&](Scalar) {
      const Spm inner = k.spm({8}, fp32);
      k.loop(k.arg(0), [&](Scalar) {
        auto nested = k.kernel("inner");
        k.add(inner, inner, kept);
      });
    });
  }
}

TEST_CASE_METHOD(Fixture, "Hazards are allowed around what is recorded while the guard lives", "[sdk]") {
  const Spm a = k.spm({8}, fp32), b = k.spm({8}, fp32);
  k.fill(a, 1);
  {
    auto allowed = k.allow("HDL-RACE-01", "both write ones");
    k.fill(b, 1);
    k.loop(k.arg(0), [&](Scalar) { k.exp(b, a); });
  }
  k.exp(a, b);
  const isa::ProgramImage image = k.finish();
  REQUIRE(image.allows.size() == 1);
  const isa::Allow& allow = image.allows[0];
  CHECK(allow.hazard == "HDL-RACE-01");
  CHECK(allow.reason == "both write ones");
  CHECK(image.files[allow.file].ends_with("test_tiles.cpp"));
  for (std::uint32_t i = 0; i < image.code.size(); ++i) {
    const isa::Opcode op = isa::decode(image.code[i]).op;
    const std::uint32_t line = isa::source_of(image, i).line;
    if (op == isa::Opcode::dma_fill || op == isa::Opcode::vpu_exp)
      CHECK((i >= allow.begin && i < allow.end) == (line == allow.line + 1 || line == allow.line + 2));
  }
}

TEST_CASE_METHOD(Fixture, "A hazard is allowed with its identifier and a reason", "[sdk]") {
  REQUIRE_THROWS_WITH(k.allow("HDL-RACE-1", "why"), contains("HDL-SDK-24") && contains("HDL-RACE-01, HDL-SEM-05"));
  REQUIRE_THROWS_WITH(k.allow("HDL-RACE-01", " "), contains("HDL-SDK-24") && contains("without a reason"));
}

TEST_CASE_METHOD(Fixture, "Pipes that cannot work are refused", "[sdk]") {
  SECTION("never waited for") {
    auto p = k.pipe({8}, fp32, 2);
    { auto s = p.acquire(); }
    REQUIRE_THROWS_WITH(k.finish(), contains("HDL-SDK-20") && contains("never waited for"));
  }
  SECTION("read before anything filled them") {
    const Spm to = k.spm({8}, fp32);
    auto p = k.pipe({8}, fp32, 2);
    {
      auto s = p.acquire();
      k.exp(to, s);
      k.fill(s, 1);
    }
    {
      auto s = p.wait();
      k.exp(to, s);
    }
    REQUIRE_THROWS_WITH(k.finish(), contains("HDL-PIPE-02") && contains("before anything filled it"));
  }
  SECTION("given back twice") {
    auto p = k.pipe({8}, fp32, 2);
    auto s = p.acquire();
    k.fill(s, 1);
    s.end();
    REQUIRE_THROWS_WITH(s.end(), contains("HDL-PIPE-03") && contains("twice"));
    auto t = p.wait();
    auto moved = std::move(t);
    REQUIRE_THROWS_WITH(t.end(), contains("HDL-PIPE-03") && contains("moved from"));
  }
  SECTION("still held at the end") {
    const Spm to = k.spm({8}, fp32);
    auto p = k.pipe({8}, fp32, 2);
    p.load(Tensor(k.arg(0), fp32, {8}));
    auto s = p.wait();
    k.exp(to, s);
    REQUIRE_THROWS_WITH(k.finish(), contains("HDL-PIPE-04") && contains("still held"));
  }
  SECTION("filled and used by one engine") {
    const Spm to = k.spm({8}, fp32);
    auto p = k.pipe({8}, fp32, 2);
    {
      auto s = p.acquire();
      k.exp(s, to);
    }
    {
      auto s = p.wait();
      k.exp(to, s);
    }
    REQUIRE_THROWS_WITH(k.finish(), contains("HDL-PIPE-05") && contains("one engine, vpu0"));
  }
  SECTION("a ring of several engines") {
    auto ring = k.ring({8}, fp32, 2);
    ring.load(Tensor(k.arg(0), fp32, {8}));
    {
      auto s = ring.wait();
      k.exp(s, s);
    }
    REQUIRE_THROWS_WITH(k.finish(), contains("HDL-PIPE-05") && contains("several engines"));
  }
  SECTION("steps unknown") {
    const Tensor t(k.arg(0), fp32, {8});
    REQUIRE_THROWS_WITH(k.pipeline<2>(in(t), [](Spm) {}), contains("HDL-SDK-22"));
  }
  SECTION("inputs of different lengths") {
    const Tensor t(k.arg(0), fp32, {8, 8});
    REQUIRE_THROWS_WITH(k.pipeline<2>(in(t.blocks(0, 2)), in(t.blocks(0, 4)), [](Spm, Spm) {}), contains("HDL-SDK-22"));
  }
  SECTION("an input without a bound") {
    const Tensor t(k.arg(0), fp32, {8, k.arg(1)});
    REQUIRE_THROWS_WITH(k.pipeline<2>(in(t.blocks(0, 2)), [](Spm) {}), contains("HDL-SDK-17"));
  }
}

TEST_CASE_METHOD(Fixture, "Many views at once are made again where they are used", "[sdk]") {
  const Spm t = k.spm({100, 8}, fp32);
  k.loop(k.arg(0), [&](Scalar) {
    for (int i = 0; i < 100; ++i) k.exp(t.row(i), t.row(i));
  });
  const isa::ProgramImage image = k.finish();
  REQUIRE(image.code.size() < 350);
}

TEST_CASE("Semaphores that run out are counted", "[sdk]") {
  Target small = small_target();
  small.semaphores = 6;
  KernelBuilder k(small, "t");
  const Tensor t(k.arg(0), fp32, {8, 8});
  for (int i = 0; i < 3; ++i) {
    auto p = k.pipe({8, 8}, fp32, 2);
    p.load(t);
    auto s = p.wait();
    k.exp(s, s);
  }
  REQUIRE_THROWS_WITH(k.finish(), contains("HDL-SDK-14"));
}
