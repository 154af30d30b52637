// SPDX-License-Identifier: Apache-2.0
// Level 0: one typed emitter an instruction, generated from the instruction table. Operands are scalars (X), view
// registers (V) and semaphores (SemRef); any other kind does not compile. Registers are still assigned for you, and
// nothing else is: waits and posts are exactly those you write, beside those that tracked tiles need. Loops and
// branches are made with Recorder::loop and if_, so the branch instructions have no emitter here.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string_view>
#include <vector>

#include "isa/def/instructions.hpp"
#include "isa/image/view.hpp"
#include "sdk/arch/scalar.hpp"

namespace heddle::sdk {

using Loc = std::source_location;
using X = Scalar;
struct Node;

class SemRef {
 public:
  SemRef() = default;
  explicit SemRef(std::uint32_t id) : id_(id) {}
  std::uint32_t id() const { return id_; }

 private:
  std::uint32_t id_ = 0;
};

// A view register that a view instruction filled.
class V {
 public:
  V() = default;
  explicit V(std::uint32_t id) : id_(id) {}
  std::uint32_t id() const { return id_; }

 private:
  std::uint32_t id_ = 0;
};

struct Wait {
  SemRef sem;
  int count;
};
struct Post {
  SemRef sem;
  int count;
};
inline Wait wait(SemRef s, int count = 1) { return {s, count}; }
inline Post post(SemRef s, int count = 1) { return {s, count}; }

// Which engine of the unit, and up to two waits and two posts: on(0, wait(s), post(t)).
struct On {
  int engine = 0;
  std::vector<Wait> waits;
  std::vector<Post> posts;
};
namespace detail {
inline void add(On& on, Wait w) { on.waits.push_back(w); }
inline void add(On& on, Post p) { on.posts.push_back(p); }
}  // namespace detail
template <class... Sync>
On on(int engine, Sync... sync) {
  On o{engine, {}, {}};
  (detail::add(o, sync), ...);
  return o;
}

struct ViewSize {
  int dim = 0;
  X size = 0;
};  // size 0 (the constant): no override

// Options of vpu.fused.
struct FusedFields {
  isa::VpuFn fn = isa::VpuFn::identity;
  float scale = 1.0f;
  std::optional<X> scale_x = {};  // fp32 bits; wins over scale
  std::optional<V> bias = {};
  std::optional<V> row = {};
  isa::RowReduce reduce = isa::RowReduce::none;
};

class Emitter {
 public:
  explicit Emitter(Recorder& recorder) : recorder_(&recorder) {}

  // A view template of the image; equal ones are shared.
  std::uint32_t view_template(const isa::ViewTemplate& shape);

#define HEDDLE_LOC Loc loc = Loc::current()
#define HEDDLE_EMIT_none(id) \
  void id(HEDDLE_LOC) { plain(isa::Opcode::id, 0, loc); }
#define HEDDLE_EMIT_trap(id) \
  void id(int code, HEDDLE_LOC) { plain(isa::Opcode::id, code, loc); }
#define HEDDLE_EMIT_sem_wait(id) \
  void id(SemRef s, int count, X plus = 0, HEDDLE_LOC) { semaphore(isa::Opcode::id, s, count, plus, 0, 0, loc); }
#define HEDDLE_EMIT_sem_post(id) HEDDLE_EMIT_sem_wait(id)
#define HEDDLE_EMIT_sem_post_remote(id)                                      \
  void id(SemRef s, int count, X core, X chip = 0, X plus = 0, HEDDLE_LOC) { \
    semaphore(isa::Opcode::id, s, count, plus, core, chip, loc);             \
  }
#define HEDDLE_EMIT_csr(id) \
  X id(isa::Csr csr, HEDDLE_LOC) { return read_csr(csr, loc); }
#define HEDDLE_EMIT_scalar_r(id) \
  X id(X a, X b, HEDDLE_LOC) { return scalar_r(isa::Opcode::id, a, b, loc); }
#define HEDDLE_EMIT_scalar_i(id) \
  X id(X a, std::int32_t imm, HEDDLE_LOC) { return scalar_i(isa::Opcode::id, a, imm, loc); }
#define HEDDLE_EMIT_load_immediate(id) \
  X id(std::int64_t imm, HEDDLE_LOC) { return load_immediate(imm, loc); }
#define HEDDLE_EMIT_branch(id)
#define HEDDLE_EMIT_jump(id)
#define HEDDLE_EMIT_jump_register(id)
#define HEDDLE_EMIT_smem_load(id) \
  X id(X address, std::int32_t offset = 0, HEDDLE_LOC) { return load(isa::Opcode::id, address, offset, loc); }
#define HEDDLE_EMIT_smem_store(id)                                   \
  void id(X value, X address, std::int32_t offset = 0, HEDDLE_LOC) { \
    store(isa::Opcode::id, value, address, offset, loc);             \
  }
#define HEDDLE_EMIT_view(id)                                                                                  \
  V id(std::uint32_t tmpl, X base, std::int32_t offset = 0, ViewSize s0 = {}, ViewSize s1 = {}, HEDDLE_LOC) { \
    return make_view(tmpl, base, offset, s0, s1, loc);                                                        \
  }
#define HEDDLE_EMIT_view_dim(id) \
  void id(V v, int dim, X value, HEDDLE_LOC) { change_view(isa::Opcode::id, v, dim, value, 0, 0, loc); }
#define HEDDLE_EMIT_view_advance(id)                           \
  void id(V v, X bytes, std::int32_t offset = 0, HEDDLE_LOC) { \
    change_view(isa::Opcode::id, v, 0, bytes, 0, offset, loc); \
  }
#define HEDDLE_EMIT_view_remote(id) \
  void id(V v, X core, X chip = 0, HEDDLE_LOC) { change_view(isa::Opcode::id, v, 0, core, chip, 0, loc); }
#define HEDDLE_EMIT_engine_only(id) \
  void id(const On& o, HEDDLE_LOC) { engine(isa::Opcode::id, o, {}, {}, {}, {}, loc); }
#define HEDDLE_EMIT_dma_2(id)                                              \
  void id(const On& o, V vd, V va, bool remote_post = false, HEDDLE_LOC) { \
    dma(isa::Opcode::id, o, vd, va, {}, remote_post, loc);                 \
  }
#define HEDDLE_EMIT_dma_3(id)                                                       \
  void id(const On& o, V vd, V va, V index, bool remote_post = false, HEDDLE_LOC) { \
    dma(isa::Opcode::id, o, vd, va, index, remote_post, loc);                       \
  }
#define HEDDLE_EMIT_dma_fill(id)                                                         \
  void id(const On& o, V vd, std::uint32_t bits, bool remote_post = false, HEDDLE_LOC) { \
    fill(isa::Opcode::id, o, vd, bits, remote_post, loc);                                \
  }
#define HEDDLE_EMIT_mxu_load(id) \
  void id(const On& o, V va, bool transposed = false, HEDDLE_LOC) { mxu_load_tile(o, va, transposed, loc); }
#define HEDDLE_EMIT_mxu_matmul(id) \
  void id(const On& o, V vd, V va, bool accumulate = false, HEDDLE_LOC) { matmul(o, vd, va, accumulate, loc); }
#define HEDDLE_EMIT_vpu_unary(id) \
  void id(const On& o, V vd, V va, HEDDLE_LOC) { engine(isa::Opcode::id, o, vd, va, {}, {}, loc); }
#define HEDDLE_EMIT_vpu_binary(id) \
  void id(const On& o, V vd, V va, V vb, HEDDLE_LOC) { engine(isa::Opcode::id, o, vd, va, vb, {}, loc); }
#define HEDDLE_EMIT_vpu_scalar_x(id) \
  void id(const On& o, V vd, V va, X s, HEDDLE_LOC) { vpu_scalar(isa::Opcode::id, o, vd, va, s, 0, loc); }
#define HEDDLE_EMIT_vpu_scalar_i(id)                                 \
  void id(const On& o, V vd, V va, std::uint32_t bits, HEDDLE_LOC) { \
    vpu_scalar(isa::Opcode::id, o, vd, va, 0, bits, loc);            \
  }
#define HEDDLE_EMIT_vpu_topk(id)                                \
  void id(const On& o, V values, V indices, V va, HEDDLE_LOC) { \
    engine(isa::Opcode::id, o, values, va, {}, indices, loc);   \
  }
#define HEDDLE_EMIT_vpu_fused(id) \
  void id(const On& o, V vd, V va, const FusedFields& f, HEDDLE_LOC) { fused(o, vd, va, f, loc); }
#define HEDDLE_EMIT_vpu_select(id) \
  void id(const On& o, V vd, V mask, V vb, V vc, HEDDLE_LOC) { engine(isa::Opcode::id, o, vd, mask, vb, vc, loc); }
#define HEDDLE_EMIT_vpu_affine_select(id)                                                          \
  void id(const On& o, V vd, V va, X start, int ci, int cj, std::uint32_t fill_bits, HEDDLE_LOC) { \
    affine_select(o, vd, va, start, ci, cj, fill_bits, loc);                                       \
  }
#define HEDDLE_EMIT_vpu_iota(id) \
  void id(const On& o, V vd, X start, std::int32_t step, HEDDLE_LOC) { iota(o, vd, start, step, loc); }
#define HEDDLE_INSTRUCTION(id, mnemonic, opcode, format, unit, timing, summary) HEDDLE_EMIT_##format(id)
#include "isa/def/instructions.def"
#undef HEDDLE_INSTRUCTION
#undef HEDDLE_LOC

 private:
  friend class Recorder;
  void plain(isa::Opcode op, std::int64_t imm, const Loc& loc);
  void semaphore(isa::Opcode op, SemRef s, int count, X plus, X core, X chip, const Loc& loc);
  X read_csr(isa::Csr csr, const Loc& loc);
  X scalar_r(isa::Opcode op, X a, X b, const Loc& loc);
  X scalar_i(isa::Opcode op, X a, std::int32_t imm, const Loc& loc);
  X load_immediate(std::int64_t imm, const Loc& loc);
  X load(isa::Opcode op, X address, std::int32_t offset, const Loc& loc);
  void store(isa::Opcode op, X value, X address, std::int32_t offset, const Loc& loc);
  V make_view(std::uint32_t tmpl, X base, std::int32_t offset, ViewSize s0, ViewSize s1, const Loc& loc);
  void change_view(isa::Opcode op, V v, int dim, X a, X b, std::int32_t offset, const Loc& loc);
  Node& engine(isa::Opcode op, const On& o, V vd, V va, V vb, V vc, const Loc& loc);
  void dma(isa::Opcode op, const On& o, V vd, V va, V index, bool remote_post, const Loc& loc);
  void fill(isa::Opcode op, const On& o, V vd, std::uint32_t bits, bool remote_post, const Loc& loc);
  void mxu_load_tile(const On& o, V va, bool transposed, const Loc& loc);
  void matmul(const On& o, V vd, V va, bool accumulate, const Loc& loc);
  void vpu_scalar(isa::Opcode op, const On& o, V vd, V va, X s, std::uint32_t bits, const Loc& loc);
  void fused(const On& o, V vd, V va, const FusedFields& f, const Loc& loc);
  void affine_select(const On& o, V vd, V va, X start, int ci, int cj, std::uint32_t fill_bits, const Loc& loc);
  void iota(const On& o, V vd, X start, std::int32_t step, const Loc& loc);

  Recorder* recorder_;
};

}  // namespace heddle::sdk
