// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/validate.hpp"

#include <cstdlib>

#include "sim/exec/operand_check.hpp"

namespace heddle::exec {
namespace {

using isa::Opcode;

void check_machine(const EngineOp& op, const config::ChipSpec& chip) {
  const std::int64_t engines = op.unit == isa::Unit::mxu   ? chip.core.mxu.count
                               : op.unit == isa::Unit::vpu ? chip.core.vpu.count
                                                           : chip.core.dma.engines;
  if (op.engine >= engines)
    refuse("HDL-EXEC-10", "engine {} of {}; the core has {}", op.engine,
           op.unit == isa::Unit::mxu   ? "mxu"
           : op.unit == isa::Unit::vpu ? "vpu"
                                       : "dma",
           engines);
  for (const SemCount& s : {op.wait[0], op.wait[1], op.post[0], op.post[1]})
    if (s.count != 0 && s.sem >= chip.core.semaphores)
      refuse("HDL-EXEC-10", "semaphore s{}; the core has {}", s.sem, chip.core.semaphores);
  if (op.remote_post && op.vd.remote && (op.vd.chip != 0 || op.vd.core >= static_cast<std::uint64_t>(chip.cores)))
    refuse("HDL-EXEC-10", "posts to core {} of chip {}; the machine has {} cores and chip 0", op.vd.core, op.vd.chip,
           chip.cores);
}

void check_transpose(const isa::View& d, const isa::View& s) {
  if (d.rank < 2) refuse("HDL-EXEC-03", "a transpose needs rank 2 or more");
  const std::size_t r = d.rank;
  bool fits = d.size[r - 1] == s.size[r - 2] && d.size[r - 2] == s.size[r - 1];
  for (std::size_t i = 0; i + 2 < r; ++i) fits = fits && d.size[i] == s.size[i];
  if (!fits)
    refuse("HDL-EXEC-03", "the destination is {}, the source {}: not each other's transpose", shape_text(d),
           shape_text(s));
}

void check_dma(const EngineOp& op, const OperandCheck& check) {
  const Reached to = check.reach_destination(op.vd, "the destination", anywhere);
  if (op.op == Opcode::dma_fill) return;
  const Reached from = check.reach(op.va, "the source", anywhere);
  OperandCheck::same_dtype(to, from);
  check.apart(to, from, false);
  if (op.op == Opcode::dma_copy) return OperandCheck::same_sizes(to, from);
  const isa::View& d = op.vd;
  const isa::View& s = op.va;
  if (d.rank != s.rank) refuse("HDL-EXEC-03", "ranks differ: destination {}, source {}", d.rank, s.rank);
  if (op.op == Opcode::dma_transpose) return check_transpose(d, s);

  const Reached index = check.reach(op.vb, "the index list", in_spm | in_smem);
  OperandCheck::require_int32(index);
  if (op.vb.rank != 1) refuse("HDL-EXEC-03", "the index list has rank {}; expected 1", op.vb.rank);
  const isa::View& rows = op.op == Opcode::dma_gather ? d : s;
  if (op.vb.size[0] != rows.size[0]) refuse("HDL-EXEC-03", "{} indices for {} rows", op.vb.size[0], rows.size[0]);
  for (std::size_t i = 1; i < d.rank; ++i)
    if (d.size[i] != s.size[i])
      refuse("HDL-EXEC-03", "the source is {}, the destination {}: rows differ", shape_text(s), shape_text(d));
  if (d.rank == 1 && d.dtype == DType::int4) refuse("HDL-EXEC-03", "rows of a single int4 cannot be gathered");
  check.apart(to, index, false);
}

void check_mxu_dtype(DType t, const config::ChipSpec& chip) {
  if (t == DType::int32) refuse("HDL-EXEC-03", "the MXU has no int32 operands");
  if (chip.core.mxu.rate[static_cast<std::size_t>(t)].num == 0)
    fail(ErrorKind::unsupported, "HDL-EXEC-11", "this chip's MXU has no rate for {}", name(t));
}

void check_load(const EngineOp& op, const OperandCheck& check, const config::ChipSpec& chip) {
  const Reached tile = check.reach(op.va, "the tile", in_spm);
  check_mxu_dtype(op.va.dtype, chip);
  const auto& size = tile.dims.size;
  if (size[0] != 1 || size[1] != 1) refuse("HDL-EXEC-03", "the tile is {}; expected rank 2", shape_text(op.va));
  const std::uint32_t k = op.transposed ? size[3] : size[2];
  const std::uint32_t n = op.transposed ? size[2] : size[3];
  // Where results rest in the cells, K streams past them and only a tile's width meets the array.
  const bool k_streams = chip.core.mxu.dataflow == config::Dataflow::output_stationary;
  if ((k > chip.core.mxu.rows && !k_streams) || n > chip.core.mxu.cols)
    refuse("HDL-EXEC-07", "a tile of k = {}, n = {} does not fit the array of {} x {}", k, n, chip.core.mxu.rows,
           chip.core.mxu.cols);
}

void check_matmul(const EngineOp& op, const OperandCheck& check, const config::ChipSpec& chip) {
  const Reached to = check.reach_destination(op.vd, "the destination", in_acc);
  const Reached from = check.reach(op.va, "the source", in_spm);
  const DType t = op.va.dtype;
  check_mxu_dtype(t, chip);
  const DType expected = is_float(t) ? DType::fp32 : DType::int32;
  if (op.vd.dtype != expected)
    refuse("HDL-EXEC-03", "the destination is {}; {} operands accumulate in {}", name(op.vd.dtype), name(t),
           name(expected));
  const auto& d = to.dims.size;
  const auto& s = from.dims.size;
  if (d[0] != 1 || d[1] != 1 || s[0] != 1 || s[1] != 1 || d[2] != s[2])
    refuse("HDL-EXEC-03", "the destination is {}, the source {}; expected [m, n] and [m, k]", shape_text(op.vd),
           shape_text(op.va));
  const std::int64_t row = std::abs(to.dims.stride[2]);
  const std::int64_t column = std::abs(to.dims.stride[3]);
  const bool apart_rows = d[2] == 1 || row > column * (d[3] - 1);
  const bool apart_columns = d[3] == 1 || column > row * (d[2] - 1);
  if (!apart_rows && !apart_columns) refuse("HDL-EXEC-05", "the destination's rows overlap each other");
}

bool defined_for_integers(Opcode op) {
  if (op >= Opcode::vpu_exp && op <= Opcode::vpu_cos) return false;
  switch (op) {
    case Opcode::vpu_div:
    case Opcode::vpu_div_x:
    case Opcode::vpu_div_i:
    case Opcode::vpu_rdiv_x:
    case Opcode::vpu_rdiv_i:
      return false;
    default:
      return true;
  }
}

bool has_second_source(Opcode op) { return op >= Opcode::vpu_add && op <= Opcode::vpu_ne; }

constexpr unsigned tiles = in_spm | in_acc;

void check_reduction(const EngineOp& op, const OperandCheck& check) {
  const Reached to = check.reach_destination(op.vd, "the destination", tiles | in_smem);
  const Reached from = check.reach(op.va, "the source", tiles);
  check.apart(to, from, false);
  if (op.op != Opcode::vpu_topk) {
    OperandCheck::reduces(to, from, 1);
    if (op.op == Opcode::vpu_argmax) OperandCheck::require_int32(to);
    return;
  }
  const Reached index = check.reach_destination(op.vc, "the index result", tiles | in_smem);
  OperandCheck::require_int32(index);
  const std::uint32_t k = to.dims.size[3];
  OperandCheck::reduces(to, from, k);
  OperandCheck::reduces(index, from, k);
  if (k > from.dims.size[3]) refuse("HDL-EXEC-03", "top {} of {} elements", k, from.dims.size[3]);
  check.apart(index, from, false);
  check.apart(to, index, false);
}

void check_fused(const EngineOp& op, const OperandCheck& check, const Reached& to, const Reached& from) {
  if (op.has_row != (op.reduce != isa::RowReduce::none))
    refuse("HDL-EXEC-03", "a row result and a reduction go together: one is given without the other");
  if (op.has_bias) {
    const Reached bias = check.reach(op.vb, "the bias", tiles);
    OperandCheck::repeats(to, bias);
    check.apart(to, bias, true);
    if (op.has_row) check.apart(check.reach(op.vc, "the row result", tiles | in_smem), bias, false);
  }
  if (!op.has_row) return;
  const Reached row = check.reach_destination(op.vc, "the row result", tiles | in_smem);
  OperandCheck::reduces(row, to, 1);
  check.apart(row, from, false);
  check.apart(to, row, false);
}

void check_vpu(const EngineOp& op, const OperandCheck& check) {
  if (op.op >= Opcode::vpu_sum && op.op <= Opcode::vpu_topk) return check_reduction(op, check);
  const Reached to = check.reach_destination(op.vd, "the destination", tiles);
  if (op.op == Opcode::vpu_iota) return;
  const Reached from = check.reach(op.va, op.op == Opcode::vpu_select ? "the mask" : "the source", tiles);
  OperandCheck::repeats(to, from);
  check.apart(to, from, true);
  if (op.op == Opcode::vpu_fused) return check_fused(op, check, to, from);
  bool integers = !is_float(op.vd.dtype) && !is_float(op.va.dtype);
  const auto other_source = [&](const isa::View& v, const char* what) {
    const Reached other = check.reach(v, what, tiles);
    OperandCheck::repeats(to, other);
    check.apart(to, other, true);
    integers = integers && !is_float(v.dtype);
  };
  if (has_second_source(op.op)) other_source(op.vb, "the second source");
  if (op.op == Opcode::vpu_select) {
    other_source(op.vb, "the first choice");
    other_source(op.vc, "the second choice");
  }
  if (integers && !defined_for_integers(op.op))
    refuse("HDL-EXEC-03", "not defined where every operand is an integer; make the source or the destination a float");
}

}  // namespace

bool is_empty(const EngineOp& op) {
  switch (op.op) {
    case Opcode::dma_fill:
    case Opcode::vpu_iota:
      return is_empty(op.vd);
    case Opcode::mxu_load:
      return is_empty(op.va);
    case Opcode::dma_gather:
    case Opcode::dma_scatter:
      return is_empty(op.vd) || is_empty(op.va) || is_empty(op.vb);
    case Opcode::vpu_topk:
      return is_empty(op.vd) || is_empty(op.va) || is_empty(op.vc);
    case Opcode::vpu_select:
      return is_empty(op.vd) || is_empty(op.va) || is_empty(op.vb) || is_empty(op.vc);
    case Opcode::vpu_fused:
      return is_empty(op.vd) || is_empty(op.va) || (op.has_bias && is_empty(op.vb)) || (op.has_row && is_empty(op.vc));
    default:
      return is_empty(op.vd) || is_empty(op.va) || (has_second_source(op.op) && is_empty(op.vb));
  }
}

void validate(const EngineOp& op, const config::ChipSpec& chip) {
  check_machine(op, chip);
  if (op.op == Opcode::dma_sync || op.op == Opcode::mxu_sync || op.op == Opcode::vpu_sync) return;
  if (is_empty(op)) return;
  const OperandCheck check(op, chip);
  if (op.unit == isa::Unit::dma)
    check_dma(op, check);
  else if (op.unit == isa::Unit::vpu)
    check_vpu(op, check);
  else if (op.op == Opcode::mxu_load)
    check_load(op, check, chip);
  else
    check_matmul(op, check, chip);
}

void StationaryShape::follow(const EngineOp& op) {
  if ((op.op != Opcode::mxu_load && op.op != Opcode::mxu_matmul) || is_empty(op)) return;
  if (op.op == Opcode::mxu_load) {
    const Dims t(op.va);
    loaded = true;
    dtype = op.va.dtype;
    k = op.transposed ? t.size[3] : t.size[2];
    n = op.transposed ? t.size[2] : t.size[3];
    return;
  }
  const std::uint32_t want_k = Dims(op.va).size[3];
  const std::uint32_t want_n = Dims(op.vd).size[3];
  if (!loaded) refuse("HDL-EXEC-07", "no tile has been loaded into this MXU");
  if (dtype != op.va.dtype || k != want_k || n != want_n)
    refuse("HDL-EXEC-07", "needs a tile of {} [{}, {}], the one loaded is {} [{}, {}]", name(op.va.dtype), want_k,
           want_n, name(dtype), k, n);
}

Error locate(const Error& error, const isa::ProgramImage& image, std::uint32_t chip, std::uint32_t core,
             std::uint32_t pc, std::int64_t cycle) {
  if (error.where().line != 0 || !error.where().file.empty()) return error;
  const isa::SourceLine source = isa::source_of(image, pc);
  std::string who = "instruction";
  if (pc < image.code.size())
    if (const auto* row = isa::find_instruction(static_cast<std::uint8_t>(image.code[pc].lo & 0xff)))
      who = std::string(row->mnemonic);
  std::string place = fmt::format("{} (instruction {}, core {}", who, pc, core);
  if (chip != 0) place += fmt::format(" of chip {}", chip);
  if (cycle >= 0) place += fmt::format(", cycle {}", cycle);
  return Error(error.kind(), error.id(), fmt::format("{}): {}", place, error.message()), {source.file, source.line, 0});
}

}  // namespace heddle::exec
