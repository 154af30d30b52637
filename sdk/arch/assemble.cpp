// SPDX-License-Identifier: Apache-2.0
// From the tree to the image: registers, semaphore numbers, branch targets, debug lines, scopes.
#include <algorithm>
#include <map>

#include "isa/base/error.hpp"
#include "sdk/arch/flat.hpp"
#include "sdk/arch/state.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::FieldKind;
using isa::Opcode;

namespace {

// Machine semaphores: a kernel's follow its parent's; kernels side by side use the same ones, since each ends drained.
std::vector<std::int64_t> semaphore_numbers(const Program& program, const Target& target) {
  std::vector<std::vector<std::uint32_t>> own(program.kernels.size());
  for (std::uint32_t s = barrier_go + 1; s < program.semaphore_kernel.size(); ++s)
    own[program.semaphore_kernel[s]].push_back(s);
  std::vector<std::int64_t> first(program.kernels.size(), barrier_go);
  std::vector<std::int64_t> numbers(program.semaphore_kernel.size(), -1);
  numbers[barrier_arrive] = 0;
  numbers[barrier_go] = 1;
  for (std::uint32_t k = 1; k < program.kernels.size(); ++k) {  // a parent comes before its children
    const std::uint32_t parent = program.kernels[k].parent;
    if (parent != 0) first[k] = first[parent] + static_cast<std::int64_t>(own[parent].size());
    std::int64_t next = first[k];
    for (const std::uint32_t s : own[k]) numbers[s] = next++;
    if (next > target.semaphores)
      fail(ErrorKind::program, "HDL-SDK-14",
           "{}: a kernel needs {} semaphores with those around it, the core has {}; split it, or use fewer engines, "
           "pipes or nested loops",
           program.name, next, target.semaphores);
  }
  return numbers;
}

class Assembler {
 public:
  Assembler(Program& program, const Target& target) : program_(program), target_(target) {}

  isa::ProgramImage run() {
    semaphores_ = semaphore_numbers(program_, target_);
    line_ = allocate_registers(program_, target_, registers_);
    find_labels();
    isa::ProgramImage image;
    image.name = program_.name;
    image.templates = program_.templates;
    image.constants = program_.constants;
    image.files = program_.files;
    std::vector<std::size_t> open, allowed;
    for (const Flat& f : line_) {
      const auto here = static_cast<std::uint32_t>(image.code.size());
      switch (f.kind) {
        case FlatKind::entry:
          image.entries.push_back(
              {program_.entries[f.entry].name, here, static_cast<std::uint32_t>(program_.entries[f.entry].arguments)});
          break;
        case FlatKind::scope_begin:
          open.push_back(image.scopes.size());
          image.scopes.push_back({f.name, here, here});
          break;
        case FlatKind::scope_end:
          image.scopes[open.back()].end = here;
          open.pop_back();
          break;
        case FlatKind::allow_begin:
          allowed.push_back(image.allows.size());
          image.allows.push_back(program_.allows[f.allow]);
          image.allows.back().begin = here;
          break;
        case FlatKind::allow_end:
          image.allows[allowed.back()].end = here;
          allowed.pop_back();
          break;
        case FlatKind::instruction:
          if (image.lines.empty() || image.lines.back().file != f.file || image.lines.back().line != f.line)
            image.lines.push_back({here, f.file, f.line});
          add_uses(f, here, image);
          image.code.push_back(isa::encode(instruction(f)));
          break;
        default:
          break;
      }
    }
    add_prints(image, program_, line_, registers_.scalar);
    std::erase_if(image.scopes, [](const isa::Scope& s) { return s.begin == s.end; });
    isa::verify(image);
    return image;
  }

 private:
  // The operands that lie in tiles; tiles get their numbers as they come.
  void add_uses(const Flat& f, std::uint32_t here, isa::ProgramImage& image) {
    for (std::size_t i = 0; i < f.tiles.size(); ++i) {
      if (f.tiles[i] == 0) continue;
      const Allocation* a = &program_.allocations[f.tiles[i]];
      if (a->generation) a = &program_.allocations[program_.pipes[a->pipe].allocation];
      const auto number = static_cast<BufferId>(a - program_.allocations.data());
      const auto [tile, is_new] = tiles_.try_emplace(number, static_cast<std::uint32_t>(image.tiles.size()));
      if (is_new)
        image.tiles.push_back({a->space, static_cast<std::uint64_t>(a->address),
                               static_cast<std::uint64_t>(a->bytes / a->slots), static_cast<std::uint32_t>(a->slots),
                               a->file, a->line});
      image.uses.push_back({here, static_cast<isa::ViewOperand>(i), f.fresh && f.tiles[i] == f.tiles[0], tile->second});
    }
  }

  void find_labels() {
    std::int64_t here = 0;
    for (const Flat& f : line_) {
      if (f.kind == FlatKind::label) labels_[f.label] = here;
      if (f.kind == FlatKind::instruction) ++here;
    }
  }

  std::int64_t x(ValueId v, const Flat& f) const {
    if (v == 0) return 0;
    if (v == constants_base_value) return 2;
    if (registers_.scalar[v] < 0)
      fail_at({program_.files[f.file], f.line, 0}, ErrorKind::internal, "HDL-SDK-01", "value {} has no register", v);
    return registers_.scalar[v];
  }
  std::int64_t v(ViewId id) const { return id == 0 ? 0 : registers_.view[id]; }

  isa::Instruction instruction(const Flat& f) const {
    isa::Instruction in = f.in;
    for (const isa::Field& field : isa::fields_of(isa::info(in.op).format)) {
      switch (field.id) {
        case FieldId::rd:
          in[FieldId::rd] = x(f.rd, f);
          break;
        case FieldId::rs1:
          in[FieldId::rs1] = x(f.rs1, f);
          break;
        case FieldId::rs2:
          in[FieldId::rs2] = x(f.rs2, f);
          break;
        case FieldId::rs3:
          in[FieldId::rs3] = x(f.rs3, f);
          break;
        case FieldId::size0:
          in[FieldId::size0] = x(f.size0, f);
          break;
        case FieldId::size1:
          in[FieldId::size1] = x(f.size1, f);
          break;
        case FieldId::vd:
          in[FieldId::vd] = v(f.vd);
          break;
        case FieldId::va:
          in[FieldId::va] = v(f.va);
          break;
        case FieldId::vb:
          in[FieldId::vb] = v(f.vb);
          break;
        case FieldId::vc:
          in[FieldId::vc] = v(f.vc);
          break;
        case FieldId::bias:
          in[FieldId::bias] = f.bias == 0 ? 0 : v(f.bias) + 1;
          break;
        case FieldId::row:
          in[FieldId::row] = f.row == 0 ? 0 : v(f.row) + 1;
          break;
        case FieldId::target:
          in[FieldId::target] = labels_.at(f.label);
          break;
        default:
          break;
      }
    }
    if (in.op == Opcode::sem_wait) in[FieldId::sem] = semaphores_[f.waits[0].sem];
    if (in.op == Opcode::sem_post || in.op == Opcode::sem_post_remote) in[FieldId::sem] = semaphores_[f.posts[0].sem];
    if (isa::is_engine(isa::info(in.op).unit)) sync(f, in);
    return in;
  }

  void sync(const Flat& f, isa::Instruction& in) const {
    constexpr std::array wait_fields{std::pair{FieldId::wait0_sem, FieldId::wait0_n},
                                     std::pair{FieldId::wait1_sem, FieldId::wait1_n}};
    constexpr std::array post_fields{std::pair{FieldId::post0_sem, FieldId::post0_n},
                                     std::pair{FieldId::post1_sem, FieldId::post1_n}};
    for (std::size_t i = 0; i < f.waits.size(); ++i) {
      in[wait_fields[i].first] = semaphores_[f.waits[i].sem];
      in[wait_fields[i].second] = f.waits[i].count;
    }
    for (std::size_t i = 0; i < f.posts.size(); ++i) {
      in[post_fields[i].first] = semaphores_[f.posts[i].sem];
      in[post_fields[i].second] = f.posts[i].count;
    }
  }

  Program& program_;
  const Target& target_;
  Registers registers_;
  std::vector<std::int64_t> semaphores_;
  std::vector<Flat> line_;
  std::map<std::uint32_t, std::int64_t> labels_;
  std::map<BufferId, std::uint32_t> tiles_;  // numbers in the image
};

}  // namespace

isa::ProgramImage assemble(Program& program, const Target& target) { return Assembler(program, target).run(); }

}  // namespace heddle::sdk
