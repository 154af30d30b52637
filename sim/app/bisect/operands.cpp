// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/operands.hpp"

#include <fmt/format.h>

#include <cstring>

#include "isa/base/float_convert.hpp"
#include "kernels/registry/element.hpp"
#include "sim/exec/byte_runs.hpp"
#include "sim/exec/validate.hpp"

namespace heddle::app {
namespace {

using isa::Opcode;

bool is_table(const exec::EngineOp& op, const isa::View& view) {
  return (op.op == Opcode::dma_gather && &view == &op.va) || (op.op == Opcode::dma_scatter && &view == &op.vd);
}

// Calls f with the bases of the rows that the index list names; of an index out of range, which ends the run, with
// none.
template <class F>
void for_each_row(const exec::EngineOp& op, const isa::View& table, const exec::MachineMemory& memory, F&& f) {
  const exec::Place place = exec::place_of(op.vb, op.chip, op.core);
  const std::uint8_t* list = memory.region(place.space, place.chip, place.core).data;
  for (std::uint32_t i = 0; i < op.vb.size[0]; ++i) {
    std::int32_t row = 0;
    std::memcpy(&row, list + static_cast<std::int64_t>(op.vb.base) + i * op.vb.stride[0] * 4, sizeof(row));
    if (row < 0 || static_cast<std::uint32_t>(row) >= table.size[0]) continue;
    f(table.base + static_cast<std::uint64_t>(row * table.stride[0] * bits(table.dtype) / 8));
  }
}

void add_elements(const isa::View& view, std::vector<std::uint64_t>& half) {
  const exec::Dims d(view);
  const std::int64_t halves = bits(view.dtype) / 4;
  const auto base = static_cast<std::int64_t>(2 * view.base);
  for (std::int64_t i0 = 0; i0 < d.size[0]; ++i0)
    for (std::int64_t i1 = 0; i1 < d.size[1]; ++i1)
      for (std::int64_t i2 = 0; i2 < d.size[2]; ++i2) {
        std::int64_t at = base + (i0 * d.stride[0] + i1 * d.stride[1] + i2 * d.stride[2]) * halves;
        for (std::uint32_t i3 = 0; i3 < d.size[3]; ++i3, at += d.stride[3] * halves)
          half.push_back(static_cast<std::uint64_t>(at));
      }
}

}  // namespace

bool moves_data(const exec::EngineOp& op) {
  return op.op != Opcode::dma_sync && op.op != Opcode::mxu_sync && op.op != Opcode::vpu_sync && !exec::is_empty(op);
}

std::vector<const isa::View*> sources_of(const exec::EngineOp& op) {
  std::vector<const isa::View*> out;
  for (const isa::Field& f : isa::fields_of(isa::info(op.op).format)) {
    if (f.id == isa::FieldId::va) out.push_back(&op.va);
    if (f.id == isa::FieldId::vb || (f.id == isa::FieldId::bias && op.has_bias)) out.push_back(&op.vb);
    if (f.id == isa::FieldId::vc && f.access == isa::Access::read) out.push_back(&op.vc);
  }
  if (op.op == Opcode::mxu_matmul && op.accumulate) out.push_back(&op.vd);
  return out;
}

std::vector<const isa::View*> results_of(const exec::EngineOp& op) {
  std::vector<const isa::View*> out;
  if (op.op != Opcode::mxu_load) out.push_back(&op.vd);
  if (op.has_row || op.op == Opcode::vpu_topk) out.push_back(&op.vc);
  return out;
}

std::size_t memory_number(const exec::Place& place) {
  return place.space == isa::Space::hbm ? 0 : 3 * std::size_t{place.core} + static_cast<std::size_t>(place.space);
}

void for_each_run(const exec::EngineOp& op, const isa::View& view, const exec::MachineMemory& memory,
                  const std::function<void(std::uint64_t, std::uint64_t)>& f) {
  const auto runs_of = [&](const isa::View& part) {
    const exec::ByteRuns runs(part);
    runs.for_each([&](std::int64_t at) { f(static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(runs.length)); });
  };
  if (!is_table(op, view)) return runs_of(view);
  isa::View row = view;
  row.size[0] = 1;
  for_each_row(op, view, memory, [&](std::uint64_t base) {
    row.base = base;
    runs_of(row);
  });
}

Elements elements_of(const exec::EngineOp& op, const isa::View& view, const exec::MachineMemory& memory) {
  Elements out;
  out.place = exec::place_of(view, op.chip, op.core);
  out.dtype = view.dtype;
  if (!is_table(op, view)) {
    out.size = exec::Dims(view).size;
    out.half.reserve(view.elements());
    add_elements(view, out.half);
    return out;
  }
  isa::View row = view;
  row.size[0] = op.vb.size[0];
  out.size = exec::Dims(row).size;
  row.size[0] = 1;
  for_each_row(op, view, memory, [&](std::uint64_t base) {
    row.base = base;
    add_elements(row, out.half);
  });
  return out;
}

std::string index_text(const Elements& e, std::size_t i) {
  std::string out;
  bool leading = true;
  std::size_t below = 1;
  for (const std::uint32_t s : e.size) below *= s;
  for (const std::uint32_t s : e.size) {
    below /= s;
    leading = leading && s == 1;
    if (!leading) out += fmt::format("{}{}", out.empty() ? "" : ", ", i / below % s);
  }
  return out.empty() ? "[0]" : "[" + out + "]";
}

double value_at(const std::uint8_t* memory, DType dtype, std::uint64_t half) {
  return kernels::read_element(memory + half / 2, dtype,
                               dtype == DType::int4 ? static_cast<std::int64_t>(half % 2) : 0);
}

double rounded(DType dtype, double value) {
  const auto narrow = static_cast<float>(value);
  switch (dtype) {
    case DType::fp32:
      return static_cast<double>(narrow);
    case DType::bf16:
      return static_cast<double>(bf16_to_fp32(fp32_to_bf16(narrow)));
    case DType::fp16:
      return static_cast<double>(fp16_to_fp32(fp32_to_fp16(narrow)));
    case DType::fp8_e4m3:
      return static_cast<double>(fp8_e4m3_to_fp32(fp32_to_fp8_e4m3(narrow)));
    case DType::fp8_e5m2:
      return static_cast<double>(fp8_e5m2_to_fp32(fp32_to_fp8_e5m2(narrow)));
    default:
      return value;  // exact.cpp keeps integers whole
  }
}

std::vector<double> values_of(const Elements& elements, const exec::MachineMemory& memory) {
  const std::uint8_t* data = memory.region(elements.place.space, elements.place.chip, elements.place.core).data;
  std::vector<double> out(elements.half.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = value_at(data, elements.dtype, elements.half[i]);
  return out;
}

}  // namespace heddle::app
