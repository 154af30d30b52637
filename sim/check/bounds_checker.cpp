// SPDX-License-Identifier: Apache-2.0
#include "sim/check/bounds_checker.hpp"

#include <fmt/format.h>

#include "isa/asm/disassembler.hpp"
#include "isa/codec/codec.hpp"
#include "sim/exec/operand_check.hpp"
#include "sim/exec/validate.hpp"

namespace heddle::check {
namespace {

// From the first byte that the view names to the last; validate() has seen to it that they lie in the memory.
ByteRange span_of(const isa::View& v) {
  std::int64_t low = 0, high = 0;  // in elements
  for (std::size_t d = 0; d < v.rank; ++d) {
    const std::int64_t far = static_cast<std::int64_t>(v.size[d] - 1) * v.stride[d];
    (far < 0 ? low : high) += far;
  }
  const int width = bits(v.dtype);
  const auto base = static_cast<std::int64_t>(v.base);
  if (width == 4) return {static_cast<std::uint64_t>(base + low / 2), static_cast<std::uint64_t>(base + high / 2 + 1)};
  return {static_cast<std::uint64_t>(base + low * width / 8),
          static_cast<std::uint64_t>(base + (high + 1) * width / 8)};
}

const char* unit_name(isa::Unit unit) {
  return unit == isa::Unit::mxu ? "mxu" : unit == isa::Unit::vpu ? "vpu" : "dma";
}

bool inside(const ByteRange& part, const ByteRange& whole) {
  return part.begin >= whole.begin && part.end <= whole.end;
}

}  // namespace

void BoundsChecker::start(const exec::EngineOp& op, std::int64_t cycle) {
  for (const isa::TileUse& use : isa::uses_of(*image_, op.pc)) check_tile(op, use, cycle);
  // Transfers alone reach HBM, with these two operands.
  if (!buffer_at_ || op.unit != isa::Unit::dma || op.op == isa::Opcode::dma_sync || exec::is_empty(op)) return;
  if (op.vd.space == isa::Space::hbm) check_buffer(op, op.vd, cycle);
  if (op.op != isa::Opcode::dma_fill && op.va.space == isa::Space::hbm) check_buffer(op, op.va, cycle);
}

Finding BoundsChecker::finding(const exec::EngineOp& op, const char* id, const isa::View& view,
                               std::int64_t cycle) const {
  Finding f;
  f.id = id;
  f.second.agent = fmt::format("{}{}", unit_name(op.unit), op.engine);
  if (cores_ > 1) f.second.agent = fmt::format("core{}.{}", op.core, f.second.agent);
  f.second.does = "reaches it";
  f.second.instruction = op.pc;
  f.second.text = isa::format_instruction(isa::decode(image_->code[op.pc]), image_);
  const isa::SourceLine line = isa::source_of(*image_, op.pc);
  f.second.file = line.file;
  f.second.line = line.line;
  const ByteRange span = span_of(view);
  f.memory = isa::name(view.space);
  f.ranges = {span};
  f.bytes = span.end - span.begin;
  f.cycle = cycle;
  return f;
}

void BoundsChecker::check_tile(const exec::EngineOp& op, const isa::TileUse& use, std::int64_t cycle) {
  const isa::View& view = op.view(use.operand);
  if (exec::is_empty(view)) return;
  const isa::TileInfo& tile = image_->tiles[use.tile];
  const ByteRange span = span_of(view);
  const ByteRange all{tile.base, tile.base + tile.slot_bytes * tile.slots};
  if (view.space == tile.space && inside(span, all) &&
      (span.begin - all.begin) / tile.slot_bytes == (span.end - 1 - all.begin) / tile.slot_bytes)
    return;
  const Findings::Pair pair{"HDL-BOUND-01", std::nullopt, op.pc};
  if (!findings_.is_new(pair)) return;
  Finding f = finding(op, pair.id, view, cycle);
  f.first.agent = "the tile";
  f.first.does = "is";
  f.first.text = fmt::format("{} [{:#x}, {:#x})", isa::name(tile.space), all.begin, all.end);
  if (tile.slots > 1) f.first.text += fmt::format(", {} slots of {:#x} bytes", tile.slots, tile.slot_bytes);
  if (tile.line != 0) f.first.file = image_->files[tile.file];
  f.first.line = tile.line;
  f.second.operand = fmt::format("{}, {} from {:#x}", isa::view_operand_names[static_cast<std::size_t>(use.operand)],
                                 exec::shape_text(view), view.base);
  f.what = fmt::format("an operand leaves its tile{}: {} bytes [{:#x}, {:#x})",
                       cycle < 0 ? "" : fmt::format(" at cycle {}", cycle), f.memory, span.begin, span.end);
  f.missing = tile.slots > 1 ? "an operand lies inside one slot" : "make the tile larger, or the operand smaller";
  findings_.add(pair, std::move(f));
}

void BoundsChecker::check_buffer(const exec::EngineOp& op, const isa::View& view, std::int64_t cycle) {
  const ByteRange span = span_of(view);
  const std::optional<ByteRange> buffer = buffer_at_(span.begin);
  if (buffer && inside(span, *buffer)) return;
  const Findings::Pair pair{"HDL-BOUND-02", std::nullopt, op.pc};
  if (!findings_.is_new(pair)) return;
  Finding f = finding(op, pair.id, view, cycle);
  f.first.agent = "the host";
  f.first.does = "allocated";
  f.first.text = buffer ? fmt::format("[{:#x}, {:#x})", buffer->begin, buffer->end) : "nothing there";
  f.second.operand = fmt::format("{} from {:#x}", exec::shape_text(view), view.base);
  f.what = fmt::format("an operand leaves its buffer{}: hbm bytes [{:#x}, {:#x})",
                       cycle < 0 ? "" : fmt::format(" at cycle {}", cycle), span.begin, span.end);
  f.missing = "compare the sizes in the kernel with those that the host allocated";
  findings_.add(pair, std::move(f));
}

}  // namespace heddle::check
