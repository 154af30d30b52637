// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/program_info.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/image/bytes.hpp"

namespace heddle::trace {
namespace {

std::uint64_t hash_of(const isa::ProgramImage& image) {
  const std::uint64_t h = isa::fnv(isa::fnv_start, image.name);
  return isa::fnv(h, reinterpret_cast<const std::uint8_t*>(image.code.data()), image.code.size() * sizeof(isa::Word));
}

}  // namespace

std::string_view unit_name(isa::Unit unit) {
  switch (unit) {
    case isa::Unit::mxu:
      return "mxu";
    case isa::Unit::vpu:
      return "vpu";
    case isa::Unit::dma:
      return "dma";
    default:
      return "sequencer";
  }
}

ProgramInfo::ProgramInfo(const control::Program& program) {
  const isa::ProgramImage& p = program.image();
  image.name = p.name;
  image.code = p.code;
  image.entries = p.entries;
  image.files = p.files;
  image.lines = p.lines;
  image.scopes = p.scopes;
  scope_of.assign(p.code.size(), no_scope);
  for (std::uint32_t s = 0; s < p.scopes.size(); ++s) {  // outer before inner
    const isa::Scope& scope = p.scopes[s];
    parent.push_back(scope.begin < scope_of.size() ? scope_of[scope.begin] : no_scope);
    for (std::uint32_t pc = scope.begin; pc < scope.end && pc < scope_of.size(); ++pc) scope_of[pc] = s;
  }
  for (const control::Micro& m : program.code()) {
    ops.push_back(m.op);
    engines.push_back(m.engine);
  }
  loops.resize(p.scopes.size());
  for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
    const std::uint32_t target = program.code()[pc].target;
    if (isa::info(ops[pc]).timing != isa::TimingClass::branch || target > pc) continue;
    for (std::uint32_t s = scope(pc); s != no_scope; s = parent[s])
      if (target >= p.scopes[s].begin) loops[s].push_back({pc, target});
  }
}

bool ProgramInfo::left_between(std::uint32_t scope, std::uint32_t from, std::uint32_t to) const {
  return std::none_of(loops[scope].begin(), loops[scope].end(),
                      [&](const Loop& l) { return l.branch >= from && l.target <= to; });
}

std::string ProgramInfo::path(std::uint32_t scope) const {
  std::string out;
  for (std::uint32_t s = scope; s != no_scope; s = parent[s]) {
    int nth = 1;
    for (std::uint32_t other = 0; other < s; ++other)
      nth += parent[other] == parent[s] && image.scopes[other].name == image.scopes[s].name ? 1 : 0;
    std::string part = image.scopes[s].name;
    if (nth > 1) part += fmt::format("#{}", nth);
    out.insert(0, s == scope ? part : part + "/");
  }
  return out;
}

std::string ProgramInfo::place(std::uint32_t pc) const {
  const isa::SourceLine source = isa::source_of(image, pc);
  if (source.file.empty()) return fmt::format("instruction {}", pc);
  return fmt::format("{}:{}", source.file.substr(source.file.find_last_of('/') + 1), source.line);
}

std::string_view ProgramInfo::entry(std::uint32_t pc) const {
  for (const isa::Entry& e : image.entries)
    if (e.instruction == pc) return e.name;
  return {};
}

std::string_view ProgramInfo::mnemonic(std::uint32_t pc) const {
  return pc < ops.size() ? isa::info(ops[pc]).mnemonic : std::string_view("?");
}

std::string ProgramInfo::engine(std::uint32_t pc) const {
  if (pc >= ops.size()) return "?";
  const isa::Unit unit = isa::info(ops[pc]).unit;
  if (!isa::is_engine(unit)) return "sequencer";
  return fmt::format("{}{}", unit_name(unit), engines[pc]);
}

std::uint32_t Programs::add(const control::Program& program) {
  const std::uint64_t hash = hash_of(program.image());
  for (std::uint32_t i = 0; i < hashes_.size(); ++i)
    if (hashes_[i] == hash) return i;
  hashes_.push_back(hash);
  infos_.push_back(std::make_unique<ProgramInfo>(program));
  return static_cast<std::uint32_t>(infos_.size() - 1);
}

}  // namespace heddle::trace
