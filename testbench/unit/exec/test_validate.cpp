// SPDX-License-Identifier: Apache-2.0
#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

const config::ChipSpec chip = exec_chip();
void check(const EngineOp& op) { exec::validate(op, chip); }

EngineOp copy(const View& to, const View& from) { return make(Opcode::dma_copy, to, from); }
View hbm(DType t, std::uint64_t base, std::vector<std::uint32_t> size, std::vector<std::int64_t> stride = {}) {
  return view(Space::hbm, t, base, std::move(size), std::move(stride));
}
View acc(DType t, std::uint64_t base, std::vector<std::uint32_t> size, std::vector<std::int64_t> stride = {}) {
  return view(Space::acc, t, base, std::move(size), std::move(stride));
}

}  // namespace

TEST_CASE("bounds: the last byte that exists, and the first that does not") {
  const std::uint64_t end = 1 << 20;
  const View ok = spm(DType::fp32, end - 64, {4, 4});
  REQUIRE_NOTHROW(check(copy(ok, hbm(DType::fp32, end - 64, {4, 4}))));
  REQUIRE_THROWS_WITH(check(copy(ok, hbm(DType::fp32, end - 60, {4, 4}))),
                      contains("HDL-EXEC-01") && contains("the source (fp32 [4, 4]") && contains("has 1048576"));
  REQUIRE_NOTHROW(check(copy(ok, hbm(DType::fp32, end - 4, {4, 4}, {-4, -1}))));
  REQUIRE_NOTHROW(check(copy(ok, hbm(DType::fp32, 60, {4, 4}, {-4, -1}))));
  REQUIRE_THROWS_WITH(check(copy(ok, hbm(DType::fp32, 56, {4, 4}, {-4, -1}))), contains("HDL-EXEC-01"));
}

TEST_CASE("strides and bases at the edge of 64 bits do not wrap into bounds") {
  const View to = spm(DType::fp32, 0, {4, 4});
  REQUIRE_THROWS_WITH(check(copy(to, hbm(DType::fp32, 0, {4, 4}, {std::int64_t{1} << 62, 1}))),
                      contains("HDL-EXEC-01"));
  REQUIRE_THROWS_WITH(check(copy(to, hbm(DType::fp32, 0, {4, 4}, {-(std::int64_t{1} << 62), 1}))),
                      contains("HDL-EXEC-01"));
  REQUIRE_THROWS_WITH(check(copy(to, hbm(DType::fp32, ~std::uint64_t{3}, {4, 4}))), contains("HDL-EXEC-01"));
  const View vast = hbm(DType::fp32, 0, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {1ll << 40, 1ll << 40, 1, 1});
  REQUIRE_THROWS_WITH(check(copy(vast, vast)), contains("HDL-EXEC-01"));
}

TEST_CASE("alignment") {
  const View to = spm(DType::bf16, 0, {4});
  REQUIRE_THROWS_WITH(check(copy(to, hbm(DType::bf16, 1, {4}))), contains("HDL-EXEC-05") && contains("not aligned"));
  REQUIRE_NOTHROW(check(copy(to, hbm(DType::bf16, 2, {4}))));
  const View n = spm(DType::int4, 1, {3, 5}, {6, 1});
  REQUIRE_NOTHROW(check(copy(n, hbm(DType::int4, 3, {3, 5}, {6, 1}))));
  REQUIRE_THROWS_WITH(check(copy(n, hbm(DType::int4, 3, {3, 5}, {5, 1}))), contains("HDL-EXEC-05"));
  REQUIRE_THROWS_WITH(check(copy(n, hbm(DType::int4, 3, {3, 5}, {12, 2}))), contains("HDL-EXEC-05"));
}

TEST_CASE("DMA: shapes, dtypes, overlap") {
  const View to = spm(DType::bf16, 0, {4, 6});
  REQUIRE_THROWS_WITH(check(copy(to, hbm(DType::fp16, 0, {4, 6}))), contains("HDL-EXEC-03") && contains("fp16"));
  REQUIRE_THROWS_WITH(check(copy(to, hbm(DType::bf16, 0, {6, 4}))), contains("HDL-EXEC-03"));
  REQUIRE_NOTHROW(check(copy(to, hbm(DType::bf16, 0, {1, 4, 6}))));
  REQUIRE_THROWS_WITH(check(copy(to, spm(DType::bf16, 46, {4, 6}))), contains("HDL-EXEC-05") && contains("overlap"));
  REQUIRE_THROWS_WITH(check(copy(to, to)), contains("HDL-EXEC-05"));
  REQUIRE_NOTHROW(check(copy(to, spm(DType::bf16, 48, {4, 6}))));
  View far = to;
  far.remote = true;
  far.core = 1;
  REQUIRE_NOTHROW(check(copy(far, to)));  // same addresses, another core
  far.core = 0;
  REQUIRE_THROWS_WITH(check(copy(far, to)), contains("HDL-EXEC-05"));
  REQUIRE_THROWS_WITH(check(copy(spm(DType::bf16, 0, {4, 6}, {0, 1}), hbm(DType::bf16, 0, {4, 6}))),
                      contains("HDL-EXEC-05") && contains("stride 0"));
  REQUIRE_NOTHROW(check(copy(to, hbm(DType::bf16, 0, {4, 6}, {0, 1}))));
}

TEST_CASE("transpose, gather, scatter shapes") {
  const View a = hbm(DType::bf16, 0, {3, 4, 6});
  REQUIRE_NOTHROW(check(make(Opcode::dma_transpose, spm(DType::bf16, 0, {3, 6, 4}), a)));
  REQUIRE_THROWS_WITH(check(make(Opcode::dma_transpose, spm(DType::bf16, 0, {3, 4, 6}), a)), contains("HDL-EXEC-03"));
  REQUIRE_THROWS_WITH(check(make(Opcode::dma_transpose, spm(DType::bf16, 0, {4}), hbm(DType::bf16, 0, {4}))),
                      contains("HDL-EXEC-03") && contains("rank 2"));
  const View table = hbm(DType::bf16, 0, {100, 8});
  const View rows = spm(DType::bf16, 0, {5, 8});
  const View index = view(Space::smem, DType::int32, 0, {5});
  REQUIRE_NOTHROW(check(make(Opcode::dma_gather, rows, table, index)));
  REQUIRE_NOTHROW(check(make(Opcode::dma_scatter, table, rows, index)));
  REQUIRE_THROWS_WITH(check(make(Opcode::dma_scatter, rows, table, index)), contains("5 indices for 100 rows"));
  REQUIRE_THROWS_WITH(check(make(Opcode::dma_gather, rows, table, hbm(DType::int32, 0, {5}))), contains("HDL-EXEC-04"));
  REQUIRE_THROWS_WITH(check(make(Opcode::dma_gather, rows, table, view(Space::smem, DType::int8, 0, {5}))),
                      contains("HDL-EXEC-03") && contains("expected int32"));
  REQUIRE_THROWS_WITH(check(make(Opcode::dma_gather, rows, table, view(Space::smem, DType::int32, 0, {5, 1}))),
                      contains("rank 2; expected 1"));
  REQUIRE_THROWS_WITH(check(make(Opcode::dma_gather, rows, hbm(DType::bf16, 0, {100, 9}), index)),
                      contains("rows differ"));
}

TEST_CASE("engines, semaphores, cores and chips that do not exist") {
  EngineOp op = copy(spm(DType::fp32, 0, {4}), hbm(DType::fp32, 0, {4}));
  op.engine = 2;
  REQUIRE_THROWS_WITH(check(op), contains("HDL-EXEC-10") && contains("engine 2 of dma; the core has 2"));
  op.engine = 1;
  op.post[1] = {63, 1};
  REQUIRE_NOTHROW(check(op));
  op.va.remote = true;
  op.va.chip = 1;
  REQUIRE_THROWS_WITH(check(op), contains("HDL-EXEC-10"));
  op.va.chip = 0;
  op.vd.remote = true;
  op.vd.core = 2;
  REQUIRE_THROWS_WITH(check(op), contains("HDL-EXEC-10") && contains("core 2"));
  EngineOp sync = make(Opcode::vpu_sync, {});
  sync.engine = 1;
  REQUIRE_THROWS_WITH(check(sync), contains("HDL-EXEC-10"));
  config::ChipSpec few = chip;
  few.core.semaphores = 8;
  sync.engine = 0;
  sync.wait[0] = {8, 1};
  REQUIRE_THROWS_WITH(exec::validate(sync, few), contains("semaphore s8; the core has 8"));
}

TEST_CASE("MXU: spaces, array size, dtypes, shapes") {
  const View tile = spm(DType::bf16, 0, {64, 48});
  REQUIRE_NOTHROW(check(make(Opcode::mxu_load, {}, tile)));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_load, {}, spm(DType::bf16, 0, {65, 48}))), contains("HDL-EXEC-07"));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_load, {}, spm(DType::bf16, 0, {64, 49}))), contains("HDL-EXEC-07"));
  EngineOp turned = make(Opcode::mxu_load, {}, spm(DType::bf16, 0, {48, 64}));
  REQUIRE_THROWS_WITH(check(turned), contains("HDL-EXEC-07"));
  turned.transposed = true;
  REQUIRE_NOTHROW(check(turned));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_load, {}, hbm(DType::bf16, 0, {4, 4}))), contains("HDL-EXEC-04"));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_load, {}, spm(DType::int32, 0, {4, 4}))), contains("HDL-EXEC-03"));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_load, {}, spm(DType::bf16, 0, {2, 4, 4}))), contains("expected rank 2"));
  View remote = tile;
  remote.remote = true;
  remote.core = 1;
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_load, {}, remote)), contains("HDL-EXEC-04") && contains("remote"));
  config::ChipSpec lacking = chip;
  lacking.core.mxu.rate[static_cast<std::size_t>(DType::bf16)] = {0, 1};
  try {
    exec::validate(make(Opcode::mxu_load, {}, tile), lacking);
    FAIL("nothing thrown");
  } catch (const Error& e) {
    REQUIRE(e.id() == "HDL-EXEC-11");
    REQUIRE(e.kind() == ErrorKind::unsupported);
  }

  const View rows = spm(DType::bf16, 0, {5, 64});
  REQUIRE_NOTHROW(check(make(Opcode::mxu_matmul, acc(DType::fp32, 0, {5, 48}), rows)));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_matmul, acc(DType::bf16, 0, {5, 48}), rows)),
                      contains("accumulate in fp32"));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_matmul, acc(DType::fp32, 0, {4, 48}), rows)), contains("HDL-EXEC-03"));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_matmul, spm(DType::fp32, 4096, {5, 48}), rows)), contains("HDL-EXEC-04"));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_matmul, acc(DType::fp32, 0, {5, 48}), spm(DType::int8, 0, {5, 64}))),
                      contains("accumulate in int32"));
  REQUIRE_THROWS_WITH(check(make(Opcode::mxu_matmul, acc(DType::fp32, 0, {5, 48}, {40, 1}), rows)),
                      contains("HDL-EXEC-05"));
}

TEST_CASE("a matmul must fit the tile loaded before it") {
  exec::StationaryShape tile;
  const EngineOp load = make(Opcode::mxu_load, {}, spm(DType::bf16, 0, {64, 48}));
  const EngineOp fits = make(Opcode::mxu_matmul, acc(DType::fp32, 0, {5, 48}), spm(DType::bf16, 0, {5, 64}));
  REQUIRE_THROWS_WITH(tile.follow(fits), contains("HDL-EXEC-07") && contains("no tile"));
  tile.follow(load);
  REQUIRE_NOTHROW(tile.follow(fits));
  const EngineOp other_k = make(Opcode::mxu_matmul, acc(DType::fp32, 0, {5, 48}), spm(DType::bf16, 0, {5, 63}));
  REQUIRE_THROWS_WITH(tile.follow(other_k), contains("needs a tile of bf16 [63, 48], the one loaded is bf16 [64, 48]"));
  const EngineOp other_type = make(Opcode::mxu_matmul, acc(DType::fp32, 0, {5, 48}), spm(DType::fp16, 0, {5, 64}));
  REQUIRE_THROWS_WITH(tile.follow(other_type), contains("HDL-EXEC-07"));
}

TEST_CASE("VPU: broadcasting, spaces, in place, overlap") {
  const View d = spm(DType::fp32, 0, {4, 6});
  const View e = spm(DType::fp32, 4096, {4, 6});
  REQUIRE_NOTHROW(check(make(Opcode::vpu_add, d, e, spm(DType::fp32, 8192, {4, 1}))));
  REQUIRE_NOTHROW(check(make(Opcode::vpu_add, d, e, spm(DType::fp32, 8192, {6}))));
  REQUIRE_NOTHROW(check(make(Opcode::vpu_add, d, d, d)));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_add, d, e, spm(DType::fp32, 8192, {4}))), contains("does not repeat"));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_add, d, e, spm(DType::fp32, 8192, {4, 3}))), contains("HDL-EXEC-03"));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_neg, hbm(DType::fp32, 0, {4, 6}), d)), contains("HDL-EXEC-04"));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_neg, view(Space::smem, DType::fp32, 0, {4}), spm(DType::fp32, 0, {4}))),
                      contains("HDL-EXEC-04"));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_neg, d, spm(DType::fp32, 4, {4, 6}))), contains("HDL-EXEC-05"));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_mov, spm(DType::bf16, 0, {4, 6}), d)), contains("HDL-EXEC-05"));
  REQUIRE_NOTHROW(check(make(Opcode::vpu_mov, spm(DType::int32, 0, {4, 6}), d)));  // element on element
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_add, d, e, spm(DType::fp32, 0, {6}))), contains("HDL-EXEC-05"));
  REQUIRE_NOTHROW(
      check(make(Opcode::vpu_neg, spm(DType::fp32, 0, {64, 32}, {64, 1}), spm(DType::fp32, 128, {64, 32}, {64, 1}))));
}

TEST_CASE("VPU: reductions, topk, fused rows") {
  const View a = spm(DType::bf16, 0, {4, 6});
  REQUIRE_NOTHROW(check(make(Opcode::vpu_sum, spm(DType::fp32, 4096, {4, 1}), a)));
  REQUIRE_NOTHROW(check(make(Opcode::vpu_sum, view(Space::smem, DType::fp32, 0, {4, 1}), a)));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_sum, spm(DType::fp32, 4096, {4}), a)), contains("HDL-EXEC-03"));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_sum, spm(DType::bf16, 0, {4, 1}), a)), contains("HDL-EXEC-05"));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_argmax, spm(DType::fp32, 4096, {4, 1}), a)), contains("expected int32"));
  const View v = spm(DType::bf16, 4096, {4, 3});
  const View i = spm(DType::int32, 8192, {4, 3});
  REQUIRE_NOTHROW(check(make(Opcode::vpu_topk, v, a, {}, i)));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_topk, v, a, {}, spm(DType::int32, 8192, {4, 2}))),
                      contains("HDL-EXEC-03"));
  REQUIRE_THROWS_WITH(
      check(make(Opcode::vpu_topk, spm(DType::bf16, 4096, {4, 7}), a, {}, spm(DType::int32, 8192, {4, 7}))),
      contains("top 7 of 6"));
  EngineOp f = make(Opcode::vpu_fused, spm(DType::bf16, 4096, {4, 6}), a);
  REQUIRE_NOTHROW(check(f));
  f.has_row = true;
  f.vc = spm(DType::fp32, 8192, {4, 1});
  REQUIRE_THROWS_WITH(check(f), contains("go together"));
  f.reduce = isa::RowReduce::sum;
  REQUIRE_NOTHROW(check(f));
  f.vc = spm(DType::fp32, 4096, {4, 1});
  REQUIRE_THROWS_WITH(check(f), contains("HDL-EXEC-05"));
}

TEST_CASE("functions that integers do not have") {
  const View d = spm(DType::int32, 0, {4});
  const View a = spm(DType::int8, 4096, {4});
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_exp, d, a)), contains("HDL-EXEC-03") && contains("integer"));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_div, d, a, a)), contains("HDL-EXEC-03"));
  REQUIRE_THROWS_WITH(check(make(Opcode::vpu_rdiv_i, d, a)), contains("HDL-EXEC-03"));
  REQUIRE_NOTHROW(check(make(Opcode::vpu_exp, spm(DType::fp32, 0, {4}), a)));
  REQUIRE_NOTHROW(check(make(Opcode::vpu_relu, d, a)));
}

TEST_CASE("an empty operand silences all checks but the machine's") {
  REQUIRE_NOTHROW(check(copy(spm(DType::fp32, 1 << 30, {0, 4}), hbm(DType::bf16, 3, {7}))));
  EngineOp op = copy(spm(DType::fp32, 0, {0}), hbm(DType::fp32, 0, {0}));
  op.engine = 9;
  REQUIRE_THROWS_WITH(check(op), contains("HDL-EXEC-10"));
}

TEST_CASE("locate() puts source line, instruction, core and cycle in front, once") {
  isa::ProgramImage image;
  image.code = {isa::Word{0x50, 0}, isa::Word{0x50, 0}};
  image.files = {"gemm.cpp"};
  image.lines = {{0, 0, 10}, {1, 0, 12}};
  const Error plain(ErrorKind::program, "HDL-EXEC-01", "too far");
  const Error e = exec::locate(plain, image, 0, 3, 1, 400);
  REQUIRE(std::string(e.what()) == "gemm.cpp:12: HDL-EXEC-01: dma.copy (instruction 1, core 3, cycle 400): too far");
  REQUIRE(std::string(exec::locate(e, image, 0, 0, 0).what()) == e.what());
}
