// SPDX-License-Identifier: Apache-2.0
// Every engine instruction of the table, with operands that it takes, and then with each limit broken in turn: refused
// with the limit's identifier, at the instruction's line.
#include <functional>
#include <string>
#include <vector>

#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/control/rig.hpp"

using namespace heddle;
using isa::FieldId;
using isa::Opcode;
using isa::Space;
using isa::ViewTemplate;

namespace {

constexpr std::size_t vd = 0, va = 1, vb = 2, vc = 3;
constexpr std::uint64_t apart = 8192;  // bytes between two operands' bases

ViewTemplate tile(DType dtype, std::vector<std::uint32_t> size, std::size_t place, Space space = Space::spm) {
  ViewTemplate t;
  t.space = space;
  t.dtype = dtype;
  t.rank = static_cast<std::uint8_t>(size.size());
  t.base = place * apart;
  std::int64_t step = 1;
  for (std::size_t d = size.size(); d-- > 0; step *= size[d]) {
    t.size[d] = size[d];
    t.stride[d] = step;
  }
  return t;
}

struct Program {
  Opcode op;
  std::array<bool, 4> has{};
  std::array<ViewTemplate, 4> view;
  isa::Instruction in;
};

bool is_reduction(Opcode op) { return op >= Opcode::vpu_sum && op <= Opcode::vpu_argmax; }
bool is_sync(Opcode op) { return op == Opcode::dma_sync || op == Opcode::mxu_sync || op == Opcode::vpu_sync; }

// Operands that the instruction takes.
Program program_for(const isa::InstructionInfo& row) {
  Program p;
  p.op = p.in.op = row.op;
  for (const isa::Field& f : isa::fields_of(row.format)) {
    const auto own = [&](FieldId id, std::size_t at) {
      if (f.id != id) return;
      p.has[at] = true;
      p.in[id] = static_cast<std::int64_t>(at) + 1;
    };
    own(FieldId::vd, vd);
    own(FieldId::va, va);
    own(FieldId::vb, vb);
    own(FieldId::vc, vc);
  }
  for (std::size_t i = 0; i < 4; ++i) p.view[i] = tile(DType::fp32, {4, 8}, i);
  if (row.op == Opcode::dma_transpose) p.view[va] = tile(DType::fp32, {8, 4}, va);
  if (row.op == Opcode::dma_gather || row.op == Opcode::dma_scatter) p.view[vb] = tile(DType::int32, {4}, vb);
  if (row.op == Opcode::mxu_load) p.view[va] = tile(DType::bf16, {8, 16}, va);
  if (row.op == Opcode::mxu_matmul) {
    p.view[va] = tile(DType::bf16, {4, 8}, va);
    p.view[vd] = tile(DType::fp32, {4, 16}, vd, Space::acc);
  }
  if (is_reduction(row.op)) p.view[vd] = tile(row.op == Opcode::vpu_argmax ? DType::int32 : DType::fp32, {4, 1}, vd);
  if (row.op == Opcode::vpu_topk) {
    p.view[vd] = tile(DType::fp32, {4, 2}, vd);
    p.view[vc] = tile(DType::int32, {4, 2}, vc);
  }
  return p;
}

// The identifier of the error, and that its place is line 7, where the instruction stands; "" where it runs.
std::string outcome(const Program& p) {
  isa::ProgramImage image;
  image.name = "limits";
  image.templates = {p.view.begin(), p.view.end()};
  image.templates.push_back(tile(DType::bf16, {8, 16}, va));  // what a matmul needs in its array
  const auto view = [&](std::int64_t reg, std::int64_t of) {
    isa::Instruction in;
    in.op = Opcode::view;
    in[FieldId::vd] = reg;
    in[FieldId::view_template] = of;
    image.code.push_back(isa::encode(in));
  };
  for (std::int64_t i = 0; i < 4; ++i) view(i + 1, i);
  view(9, 4);
  isa::Instruction load;
  load.op = p.op == Opcode::mxu_matmul ? Opcode::mxu_load : Opcode::nop;
  if (load.op == Opcode::mxu_load) load[FieldId::va] = 9;
  image.code.push_back(isa::encode(load));
  image.code.push_back(isa::encode(p.in));
  image.code.push_back(isa::encode({Opcode::halt, {}}));
  image.entries = {{"start", 0, 0}};
  image.files = {"k.cpp"};
  for (std::uint32_t i = 0; i < image.code.size(); ++i) image.lines.push_back({i, 0, i + 1});
  const config::ChipSpec chip = test::small_chip(1);
  exec::MachineMemory memory(chip, false);  // what is read need not have been written here
  const control::Program program(std::move(image));
  control::ValuesMachine machine(chip, memory, 1);
  try {
    machine.run(program, 0, 0, {});
  } catch (const Error& e) {
    INFO(e.what());
    CHECK(e.where().file == "k.cpp");
    CHECK(e.where().line == 7);
    return e.id();
  }
  return "";
}

// Each engine instruction with views, as it stands and broken by `spoil`, for each of its operands in turn. `spoil`
// returns the identifier that it expects, "" where it does not apply.
using Spoil = std::function<std::string(Program&, std::size_t operand)>;
void every_operand(const Spoil& spoil) {
  int tried = 0;
  for (const isa::InstructionInfo& row : isa::instruction_table) {
    if (!isa::is_engine(row.unit) || is_sync(row.op)) continue;
    for (std::size_t i = 0; i < 4; ++i) {
      Program p = program_for(row);
      if (!p.has[i]) continue;
      const std::string expected = spoil(p, i);
      if (expected.empty()) continue;
      INFO(row.mnemonic << ", operand " << i);
      CHECK(outcome(p) == expected);
      ++tried;
    }
  }
  CHECK(tried >= 60);  // of about a hundred and seventy
}

}  // namespace

TEST_CASE("every engine instruction runs with operands that it takes") {
  for (const isa::InstructionInfo& row : isa::instruction_table) {
    if (!isa::is_engine(row.unit)) continue;
    INFO(row.mnemonic);
    CHECK(outcome(program_for(row)).empty());
  }
}

TEST_CASE("every operand of every instruction stays in its memory, to the last byte") {
  every_operand([](Program& p, std::size_t i) {
    ViewTemplate& v = p.view[i];
    const std::uint64_t bytes = v.elements() * static_cast<std::uint64_t>(bits(v.dtype)) / 8;
    const std::uint64_t capacity = v.space == Space::acc ? 32 << 10 : 64 << 10;
    v.base = capacity - bytes;
    CHECK(outcome(p).empty());
    v.base += static_cast<std::uint64_t>(bits(v.dtype)) / 8;
    return "HDL-EXEC-01";
  });
}

TEST_CASE("every operand of every instruction is aligned to its dtype") {
  every_operand([](Program& p, std::size_t i) {
    p.view[i].base += 1;
    return "HDL-EXEC-05";
  });
}

TEST_CASE("no instruction takes an operand in a space that its engine does not reach") {
  every_operand([](Program& p, std::size_t i) -> std::string {
    const bool dma = p.op <= Opcode::dma_sync;
    if (dma && i != vb) return "";  // reaches all of them
    p.view[i].space = Space::hbm;
    return "HDL-EXEC-04";
  });
}

TEST_CASE("an index list lies in SPM or SMEM, accumulators in ACC, what enters an array in SPM") {
  const auto in = [](Opcode op, std::size_t operand, Space space) {
    Program p = program_for(isa::info(op));
    p.view[operand].space = space;
    return outcome(p);
  };
  CHECK(in(Opcode::dma_gather, vb, Space::acc) == "HDL-EXEC-04");
  CHECK(in(Opcode::dma_scatter, vb, Space::acc) == "HDL-EXEC-04");
  CHECK(in(Opcode::mxu_matmul, vd, Space::spm) == "HDL-EXEC-04");
  CHECK(in(Opcode::mxu_matmul, va, Space::acc) == "HDL-EXEC-04");
  CHECK(in(Opcode::mxu_load, va, Space::acc) == "HDL-EXEC-04");
  CHECK(in(Opcode::vpu_add, va, Space::smem) == "HDL-EXEC-04");
}

TEST_CASE("no instruction takes an operand of a size that does not fit the others") {
  every_operand([](Program& p, std::size_t i) -> std::string {
    if (p.op == Opcode::dma_fill || p.op == Opcode::vpu_iota) return "";  // one operand
    if (p.op == Opcode::mxu_load) return "";                              // the array's limits, below
    if (p.op == Opcode::dma_gather && i == va) return "";                 // any number of rows
    if (p.op == Opcode::dma_scatter && i == vd) return "";
    ViewTemplate& v = p.view[i];
    v.size[0] += 1;
    return "HDL-EXEC-03";
  });
}

TEST_CASE("no instruction writes one element twice") {
  every_operand([](Program& p, std::size_t i) -> std::string {
    if (i != vd && !(p.op == Opcode::vpu_topk && i == vc)) return "";
    if (p.op == Opcode::mxu_load) return "";
    p.view[i].stride[0] = 0;
    return "HDL-EXEC-05";
  });
}

TEST_CASE("an array takes tiles up to its own size") {
  Program p = program_for(isa::info(Opcode::mxu_load));
  p.view[va] = tile(DType::bf16, {16, 16}, va);
  CHECK(outcome(p).empty());
  p.view[va] = tile(DType::bf16, {17, 16}, va);
  CHECK(outcome(p) == "HDL-EXEC-07");
  p.view[va] = tile(DType::bf16, {16, 17}, va);
  CHECK(outcome(p) == "HDL-EXEC-07");
  Program m = program_for(isa::info(Opcode::mxu_matmul));
  m.view[va] = tile(DType::bf16, {4, 7}, va);  // the tile that rests has k = 8
  CHECK(outcome(m) == "HDL-EXEC-07");
}

TEST_CASE("every instruction names an engine and semaphores that exist") {
  for (const isa::InstructionInfo& row : isa::instruction_table) {
    if (!isa::is_engine(row.unit)) continue;
    INFO(row.mnemonic);
    Program p = program_for(row);
    p.in[FieldId::engine] = 15;
    CHECK(outcome(p) == "HDL-EXEC-10");
  }
}
