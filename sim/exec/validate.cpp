// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/validate.hpp"

#include <fmt/ranges.h>

#include "sim/exec/dims.hpp"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Space;
using isa::View;

__extension__ typedef __int128 Wide;  // sizes are 32 bits, strides and bases 64: their products fit

template <class... Args>
[[noreturn]] void refuse(const char* id, fmt::format_string<Args...> text, Args&&... args) {
  fail(ErrorKind::program, id, text, std::forward<Args>(args)...);
}

std::string shape_text(const View& v) {
  return fmt::format("{} [{}]", name(v.dtype), fmt::join(v.size.begin(), v.size.begin() + v.rank, ", "));
}

std::uint64_t capacity_of(Space space, const config::ChipSpec& chip) {
  switch (space) {
    case Space::hbm:
      return static_cast<std::uint64_t>(chip.memory.capacity_bytes);
    case Space::spm:
      return static_cast<std::uint64_t>(chip.core.scratchpad.size_bytes);
    case Space::acc:
      return static_cast<std::uint64_t>(chip.core.accumulator.size_bytes);
    case Space::smem:
      return static_cast<std::uint64_t>(chip.core.smem.size_bytes);
  }
  return 0;
}

constexpr unsigned in_spm = 1u << static_cast<unsigned>(Space::spm);
constexpr unsigned in_acc = 1u << static_cast<unsigned>(Space::acc);
constexpr unsigned in_smem = 1u << static_cast<unsigned>(Space::smem);
constexpr unsigned anywhere = ~0u;

class Checker {
 public:
  Checker(const EngineOp& op, const config::ChipSpec& chip) : op_(op), chip_(chip) {}

  // The operand exists, lies where the instruction can reach it, inside its memory and aligned.
  void reach(const View& v, const char* what, unsigned spaces) const {
    if ((spaces >> static_cast<unsigned>(v.space) & 1u) == 0)
      refuse("HDL-EXEC-04", "{} lies in {}, which this instruction cannot use there", what, isa::name(v.space));
    if (v.remote) {
      if (v.chip != 0 || v.core >= static_cast<std::uint64_t>(chip_.cores))
        refuse("HDL-EXEC-10", "{} names core {} of chip {}; the machine has {} cores and chip 0", what, v.core, v.chip,
               chip_.cores);
      if (spaces != anywhere && (v.core != op_.core || v.chip != op_.chip))
        refuse("HDL-EXEC-04", "{} is remote; only DMA reaches another core", what);
    }
    Wide low = 0;
    Wide high = 0;  // in elements, of the first and the last one
    for (std::size_t d = 0; d < v.rank; ++d) {
      const Wide far = static_cast<Wide>(v.size[d] - 1) * v.stride[d];
      (far < 0 ? low : high) += far;
    }
    const int element_bits = bits(v.dtype);
    if (element_bits == 4)
      check_nibbles(v, what);
    else if (v.base % static_cast<unsigned>(element_bits / 8) != 0)
      refuse("HDL-EXEC-05", "{} begins at {:#x}, not aligned to its {} of {} bytes", what, v.base, name(v.dtype),
             element_bits / 8);
    const Wide begin = static_cast<Wide>(v.base) + (element_bits == 4 ? low / 2 : low * (element_bits / 8));
    const Wide end = static_cast<Wide>(v.base) + (high * element_bits + element_bits + 7) / 8;
    const std::uint64_t capacity = capacity_of(v.space, chip_);
    if (begin < 0 || end > static_cast<Wide>(capacity))
      refuse("HDL-EXEC-01", "{} ({} from {:#x}) reaches {} bytes [{}, {}), the memory has {}", what, shape_text(v),
             v.base, isa::name(v.space), clamp(begin), clamp(end), capacity);
  }

  void same_dtype(const View& a, const View& b) const {
    if (a.dtype != b.dtype)
      refuse("HDL-EXEC-03", "dtypes differ: destination {}, source {}", name(a.dtype), name(b.dtype));
  }
  void same_sizes(const View& a, const View& b, const char* what) const {
    if (Dims(a).size != Dims(b).size)
      refuse("HDL-EXEC-03", "{} is {}, the destination {}", what, shape_text(b), shape_text(a));
  }
  // b's sizes are a's, or 1.
  void broadcasts(const View& a, const View& b, const char* what) const {
    const Dims to(a);
    const Dims from(b);
    for (std::size_t d = 0; d < 4; ++d)
      if (from.size[d] != to.size[d] && from.size[d] != 1)
        refuse("HDL-EXEC-03", "{} is {}, which does not repeat to the destination's {}", what, shape_text(b),
               shape_text(a));
  }
  // Sizes equal but for the last, which is `last` in a.
  void reduces(const View& a, const View& b, std::uint32_t last, const char* what) const {
    const Dims to(a);
    const Dims from(b);
    if (to.size[0] != from.size[0] || to.size[1] != from.size[1] || to.size[2] != from.size[2] || to.size[3] != last)
      refuse("HDL-EXEC-03", "{} is {}; expected the source's {} with {} as last size", what, shape_text(a),
             shape_text(b), last);
  }
  void require_int32(const View& v, const char* what) const {
    if (v.dtype != DType::int32) refuse("HDL-EXEC-03", "{} is {}; expected int32", what, name(v.dtype));
  }
  // same_ok: an elementwise instruction may work in place, element on element.
  void apart(const View& to, const View& from, const char* what, bool same_ok) const {
    if (place_of(to, op_.chip, op_.core) != place_of(from, op_.chip, op_.core)) return;
    if (same_ok && to.base == from.base && bits(to.dtype) == bits(from.dtype)) {
      const Dims a(to);
      const Dims b(from);
      if (a.size == b.size) {
        bool same = true;
        for (std::size_t d = 0; d < 4; ++d) same = same && (a.size[d] == 1 || a.stride[d] == b.stride[d]);
        if (same) return;
      }
    }
    if (touch_common_byte(to, from)) refuse("HDL-EXEC-05", "destination and {} overlap", what);
  }
  void distinct_elements(const View& v, const char* what) const {
    for (std::size_t d = 0; d < v.rank; ++d)
      if (v.size[d] > 1 && v.stride[d] == 0)
        refuse("HDL-EXEC-05", "{} has stride 0 in dimension {} of size {}: its elements overlap", what, d, v.size[d]);
  }

  void dma() const;
  void mxu_load() const;
  void mxu_matmul() const;
  void vpu() const;

 private:
  static std::int64_t clamp(Wide w) {
    const Wide most = 0x7fff'ffff'ffff'ffff;
    return static_cast<std::int64_t>(w > most ? most : w < -most ? -most : w);
  }
  void check_nibbles(const View& v, const char* what) const {
    const std::size_t last = v.rank - 1u;
    if (v.size[last] > 1 && v.stride[last] != 1)
      refuse("HDL-EXEC-05", "{} is int4 with last stride {}; expected 1", what, v.stride[last]);
    for (std::size_t d = 0; d < last; ++d)
      if (v.size[d] > 1 && v.stride[d] % 2 != 0)
        refuse("HDL-EXEC-05", "{} is int4 with stride {} in dimension {}: rows must begin at a byte", what, v.stride[d],
               d);
  }
  void mxu_dtype(DType t) const {
    if (t == DType::int32) refuse("HDL-EXEC-03", "the MXU has no int32 operands");
    if (chip_.core.mxu.rate[static_cast<std::size_t>(t)].num == 0)
      fail(ErrorKind::unsupported, "HDL-EXEC-11", "this chip's MXU has no rate for {}", name(t));
  }
  void vpu_dtypes(std::initializer_list<const View*> operands) const;

  const EngineOp& op_;
  const config::ChipSpec& chip_;
};

void Checker::dma() const {
  const View& d = op_.vd;
  const View& s = op_.va;
  reach(d, "the destination", anywhere);
  distinct_elements(d, "the destination");
  if (op_.op == Opcode::dma_fill) return;
  reach(s, "the source", anywhere);
  same_dtype(d, s);
  apart(d, s, "source", false);
  if (op_.op == Opcode::dma_copy) {
    same_sizes(d, s, "the source");
    return;
  }
  if (d.rank != s.rank) refuse("HDL-EXEC-03", "ranks differ: destination {}, source {}", d.rank, s.rank);
  if (op_.op == Opcode::dma_transpose) {
    if (d.rank < 2) refuse("HDL-EXEC-03", "a transpose needs rank 2 or more");
    const std::size_t r = d.rank;
    bool fits = d.size[r - 1] == s.size[r - 2] && d.size[r - 2] == s.size[r - 1];
    for (std::size_t i = 0; i + 2 < r; ++i) fits = fits && d.size[i] == s.size[i];
    if (!fits)
      refuse("HDL-EXEC-03", "the destination is {}, the source {}: not each other's transpose", shape_text(d),
             shape_text(s));
    return;
  }
  reach(op_.vb, "the index list", in_spm | in_smem);
  require_int32(op_.vb, "the index list");
  if (op_.vb.rank != 1) refuse("HDL-EXEC-03", "the index list has rank {}; expected 1", op_.vb.rank);
  const View& rows = op_.op == Opcode::dma_gather ? d : s;
  if (op_.vb.size[0] != rows.size[0]) refuse("HDL-EXEC-03", "{} indices for {} rows", op_.vb.size[0], rows.size[0]);
  for (std::size_t i = 1; i < d.rank; ++i)
    if (d.size[i] != s.size[i])
      refuse("HDL-EXEC-03", "the source is {}, the destination {}: rows differ", shape_text(s), shape_text(d));
  if (d.rank == 1 && d.dtype == DType::int4) refuse("HDL-EXEC-03", "rows of a single int4 cannot be gathered");
  apart(d, op_.vb, "index list", false);
}

void Checker::mxu_load() const {
  reach(op_.va, "the tile", in_spm);
  mxu_dtype(op_.va.dtype);
  const Dims t(op_.va);
  const std::uint32_t k = op_.transposed ? t.size[3] : t.size[2];
  const std::uint32_t n = op_.transposed ? t.size[2] : t.size[3];
  if (t.size[0] != 1 || t.size[1] != 1) refuse("HDL-EXEC-03", "the tile is {}; expected rank 2", shape_text(op_.va));
  if (k > chip_.core.mxu.rows || n > chip_.core.mxu.cols)
    refuse("HDL-EXEC-07", "a tile of k = {}, n = {} does not fit the array of {} x {}", k, n, chip_.core.mxu.rows,
           chip_.core.mxu.cols);
}

void Checker::mxu_matmul() const {
  const View& d = op_.vd;
  const View& s = op_.va;
  reach(d, "the destination", in_acc);
  reach(s, "the source", in_spm);
  mxu_dtype(s.dtype);
  const DType expected = is_float(s.dtype) ? DType::fp32 : DType::int32;
  if (d.dtype != expected)
    refuse("HDL-EXEC-03", "the destination is {}; {} operands accumulate in {}", name(d.dtype), name(s.dtype),
           name(expected));
  const Dims to(d);
  const Dims from(s);
  if (to.size[0] != 1 || to.size[1] != 1 || from.size[0] != 1 || from.size[1] != 1 || to.size[2] != from.size[2])
    refuse("HDL-EXEC-03", "the destination is {}, the source {}; expected [m, n] and [m, k]", shape_text(d),
           shape_text(s));
  const std::int64_t row = std::abs(to.stride[2]);
  const std::int64_t column = std::abs(to.stride[3]);
  const bool apart_rows = to.size[2] == 1 || row > column * (to.size[3] - 1);
  const bool apart_columns = to.size[3] == 1 || column > row * (to.size[2] - 1);
  distinct_elements(d, "the destination");
  if (!apart_rows && !apart_columns) refuse("HDL-EXEC-05", "the destination's rows overlap each other");
}

bool defined_for_integers(const EngineOp& op) {
  switch (op.op) {
    case Opcode::vpu_exp:
    case Opcode::vpu_log:
    case Opcode::vpu_sqrt:
    case Opcode::vpu_rsqrt:
    case Opcode::vpu_recip:
    case Opcode::vpu_sigmoid:
    case Opcode::vpu_tanh:
    case Opcode::vpu_erf:
    case Opcode::vpu_silu:
    case Opcode::vpu_gelu:
    case Opcode::vpu_gelu_tanh:
    case Opcode::vpu_sin:
    case Opcode::vpu_cos:
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

void Checker::vpu_dtypes(std::initializer_list<const View*> operands) const {
  for (const View* v : operands)
    if (is_float(v->dtype)) return;
  if (!defined_for_integers(op_))
    refuse("HDL-EXEC-03", "not defined where every operand is an integer; make the source or the destination a float");
}

void Checker::vpu() const {
  constexpr unsigned tiles = in_spm | in_acc;
  const View& d = op_.vd;
  const View& a = op_.va;
  const Opcode op = op_.op;
  const bool reduction = op >= Opcode::vpu_sum && op <= Opcode::vpu_topk;
  reach(d, "the destination", reduction ? tiles | in_smem : tiles);
  distinct_elements(d, "the destination");
  if (op == Opcode::vpu_iota) return;
  reach(a, "the source", tiles);
  if (reduction) {
    apart(d, a, "source", false);
    if (op == Opcode::vpu_topk) {
      reach(op_.vc, "the index result", tiles | in_smem);
      distinct_elements(op_.vc, "the index result");
      require_int32(op_.vc, "the index result");
      const std::uint32_t k = Dims(d).size[3];
      reduces(d, a, k, "the value result");
      reduces(op_.vc, a, k, "the index result");
      if (k > Dims(a).size[3]) refuse("HDL-EXEC-03", "top {} of {} elements", k, Dims(a).size[3]);
      apart(op_.vc, a, "source", false);
      apart(d, op_.vc, "index result", false);
      return;
    }
    reduces(d, a, 1, "the destination");
    if (op == Opcode::vpu_argmax) require_int32(d, "the destination");
    return;
  }
  broadcasts(d, a, op == Opcode::vpu_select ? "the mask" : "the source");
  apart(d, a, "source", true);
  if (op >= Opcode::vpu_add && op <= Opcode::vpu_ne) {
    reach(op_.vb, "the second source", tiles);
    broadcasts(d, op_.vb, "the second source");
    apart(d, op_.vb, "second source", true);
    vpu_dtypes({&d, &a, &op_.vb});
  } else if (op == Opcode::vpu_select) {
    for (const View* v : {&op_.vb, &op_.vc}) {
      reach(*v, "a choice", tiles);
      broadcasts(d, *v, "a choice");
      apart(d, *v, "a choice", true);
    }
  } else if (op == Opcode::vpu_fused) {
    if (op_.has_bias) {
      reach(op_.vb, "the bias", tiles);
      broadcasts(d, op_.vb, "the bias");
      apart(d, op_.vb, "bias", true);
    }
    if (op_.has_row != (op_.reduce != isa::RowReduce::none))
      refuse("HDL-EXEC-03", "a row result and a reduction go together: one is given without the other");
    if (op_.has_row) {
      reach(op_.vc, "the row result", tiles | in_smem);
      distinct_elements(op_.vc, "the row result");
      reduces(op_.vc, d, 1, "the row result");
      apart(op_.vc, a, "source", false);
      apart(d, op_.vc, "row result", false);
      if (op_.has_bias) apart(op_.vc, op_.vb, "bias", false);
    }
  } else {
    vpu_dtypes({&d, &a});
  }
}

bool any_empty(const EngineOp& op) {
  switch (op.op) {
    case Opcode::dma_fill:
    case Opcode::vpu_iota:
      return Dims(op.vd).empty();
    case Opcode::mxu_load:
      return Dims(op.va).empty();
    case Opcode::dma_gather:
    case Opcode::dma_scatter:
      return Dims(op.vd).empty() || Dims(op.va).empty() || Dims(op.vb).empty();
    case Opcode::vpu_topk:
      return Dims(op.vd).empty() || Dims(op.va).empty() || Dims(op.vc).empty();
    case Opcode::vpu_select:
      return Dims(op.vd).empty() || Dims(op.va).empty() || Dims(op.vb).empty() || Dims(op.vc).empty();
    case Opcode::vpu_fused:
      return Dims(op.vd).empty() || Dims(op.va).empty() || (op.has_bias && Dims(op.vb).empty()) ||
             (op.has_row && Dims(op.vc).empty());
    default:
      return Dims(op.vd).empty() || Dims(op.va).empty() ||
             (op.op >= Opcode::vpu_add && op.op <= Opcode::vpu_ne && Dims(op.vb).empty());
  }
}

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

}  // namespace

bool is_empty(const EngineOp& op) { return any_empty(op); }

void validate(const EngineOp& op, const config::ChipSpec& chip) {
  check_machine(op, chip);
  if (op.op == Opcode::dma_sync || op.op == Opcode::mxu_sync || op.op == Opcode::vpu_sync) return;
  if (any_empty(op)) return;
  const Checker check(op, chip);
  if (op.unit == isa::Unit::dma)
    check.dma();
  else if (op.unit == isa::Unit::vpu)
    check.vpu();
  else if (op.op == Opcode::mxu_load)
    check.mxu_load();
  else
    check.mxu_matmul();
}

void StationaryShape::follow(const EngineOp& op) {
  if (op.op == Opcode::mxu_load && !any_empty(op)) {
    const Dims t(op.va);
    loaded = true;
    dtype = op.va.dtype;
    k = op.transposed ? t.size[3] : t.size[2];
    n = op.transposed ? t.size[2] : t.size[3];
  } else if (op.op == Opcode::mxu_matmul && !any_empty(op)) {
    const std::uint32_t want_k = Dims(op.va).size[3];
    const std::uint32_t want_n = Dims(op.vd).size[3];
    if (!loaded) refuse("HDL-EXEC-07", "no tile has been loaded into this MXU");
    if (dtype != op.va.dtype || k != want_k || n != want_n)
      refuse("HDL-EXEC-07", "needs a tile of {} [{}, {}], the one loaded is {} [{}, {}]", name(op.va.dtype), want_k,
             want_n, name(dtype), k, n);
  }
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
