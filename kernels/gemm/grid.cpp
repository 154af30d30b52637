// SPDX-License-Identifier: Apache-2.0
// Plan: many cores behind one memory cannot each fetch what they need: a g x g grid would read every operand g times.
// So each element is read once. The cores compute a block of C together, core (r, c) the part in its row and column.
// k is cut into panels and a panel into g slices: core (r, c) brings slice c of the rows of A that row r needs, and
// slice r of the columns of B that column c needs, into its scratchpad. Then every core takes the slices of its row and
// of its column one after the other from its neighbours' scratchpads, beginning with another one than they do, while
// its DMA brings its slices of the next panel. (The data movement of SUMMA: van de Geijn and Watts, 1997.)
#include "kernels/gemm/grid.hpp"
#include "kernels/common/round.hpp"

#include <algorithm>

#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr int fetch_slots = 3;
constexpr std::int64_t most_parts = 8;  // a step is unrolled: parts of its columns, and of its depth
constexpr std::int64_t most_depths = 4;

std::int64_t side_of(std::int64_t cores) {
  std::int64_t side = 1;
  while (side * side < cores) ++side;
  return side * side == cores ? side : 0;
}

// The part of `whole` elements of a dimension that begins at `begin` and has at most `most`.
Extent part_of(const Scalar& whole, const Scalar& begin, std::int64_t most) {
  return up_to(max(min(whole - begin, most), 0), most);
}

Tensor cut(const Tensor& t, int d, const Scalar& begin, std::int64_t most) {
  return t.slice(d, begin, part_of(t.size(d), begin, most));
}

// Where the parts lie. Blocks of C are numbered row by row; panel q is panel q % panels of block q / panels.
struct Parts {
  Parts(KernelBuilder& k, const GridPlan& plan) : p(plan), row(k.core_id() / plan.side), col(k.core_id() % plan.side) {}
  // Blocks of C along its dimension d, and panels along a depth.
  Scalar blocks(const Tensor& c, int d) const { return ceil_div(c.size(d), p.side * (d == 0 ? p.m : p.n)); }
  Scalar panels(const Scalar& depth) const { return ceil_div(depth, p.side * p.k); }
  Tensor rows(const Tensor& t, const Scalar& i) const { return cut(t, 0, (i * p.side + row) * p.m, p.m); }
  Tensor columns(const Tensor& t, int d, const Scalar& j) const { return cut(t, d, (j * p.side + col) * p.n, p.n); }
  Tensor slice(const Tensor& t, int d, const Scalar& panel, const Scalar& s) const {
    return cut(t, d, (panel * p.side + s) * p.k, p.k);
  }
  const GridPlan& p;
  Scalar row, col;
};

class Grid {
 public:
  Grid(KernelBuilder& k, const GemmArgs& g, const GridPlan& plan, const GridShards& shards)
      : k_(k),
        g_(g),
        p_(plan),
        shards_(shards),
        parts_(k, plan),
        depth_(g.a.size(1)),
        panels_(parts_.panels(depth_)),
        across_(parts_.blocks(g.c, 1)),
        blocks_(parts_.blocks(g.c, 0) * across_),
        own_a_(shards.a ? *shards.a : k.spm({2, plan.m, plan.k}, g.a.dtype())),
        own_b_(k.spm({2, columns_first() ? plan.n : plan.k, columns_first() ? plan.k : plan.n}, g.b.dtype())),
        next_panel_(k.var(0)),
        next_step_(k.var(0)),
        landed_(k.semaphore()),
        a_(k.pipe({plan.m, plan.k}, g.a.dtype(), fetch_slots, on_dma(1 % loads()))),
        b_(k.pipe({own_b_.capacity(1), own_b_.capacity(2)}, g.b.dtype(), fetch_slots, on_dma(2 % loads()))) {}

  void run() {
    bring_panel(0);
    for (int ahead = 0; ahead < fetch_slots - 1; ++ahead) fetch_next();
    k_.loop(blocks_, [&](Scalar block) {
      const Tensor c = parts_.columns(parts_.rows(g_.c, block / across_), 1, block % across_);
      const Finish finish = shards_.c ? keep(block) : epilogue_of(g_).begin(k_, c);
      const Acc sum = k_.acc({up_to(c.size(0), p_.m), up_to(c.size(1), p_.n)}, sum_type(g_.a.dtype()));
      k_.loop(panels_, [&](Scalar panel) {
        const Scalar q = block * panels_ + panel;
        k_.loop(slices_of(q), [&](Scalar step) {
          fetch_next();
          const Scalar s = slice_at(q, step);
          const auto a = a_.wait(slice_of_a(q, s).shape());
          const auto b = b_.wait(slice_of_b(q, s).shape());
          multiply(k_, sum, a, b, g_.b_transposed, overwrite_if(panel + step == 0));
        });
      });
      finish(sum);
    });
    k_.barrier();  // nobody leaves while others read from it
  }

 private:
  bool columns_first() const { return g_.b_transposed; }
  int loads() const { return std::max(1, k_.target().dma_engines - 1); }
  Tensor slice_of_a(const Scalar& q, const Scalar& s) const {
    return parts_.slice(parts_.rows(g_.a, q / panels_ / across_), 1, q % panels_, s);
  }
  Tensor slice_of_b(const Scalar& q, const Scalar& s) const {
    const int depth = columns_first() ? 1 : 0;
    return parts_.columns(parts_.slice(g_.b, depth, q % panels_, s), 1 - depth, q / panels_ % across_);
  }
  // Which of the tiles of own_a_ and own_b_ hold the slices of panel q.
  Scalar place_of_a(const Scalar& q) const { return shards_.a ? q / panels_ / across_ * panels_ + q % panels_ : q % 2; }
  Scalar place_of_b(const Scalar& q) const { return q % 2; }

  Finish keep(const Scalar& block) {
    return [this, block](const Acc& sum) { k_.convert((*shards_.c)[block].first(sum.shape()), sum); };
  }

  // This core's slices of panel q, from HBM.
  void bring_panel(const Scalar& q) {
    const Tensor a = slice_of_a(q, parts_.col), b = slice_of_b(q, parts_.row);
    if (!shards_.a) k_.copy(own_a_[place_of_a(q)].first(a.shape()), a, on_dma(0));
    k_.copy(own_b_[place_of_b(q)].first(b.shape()), b, on_dma(0));
  }

  Scalar slices_of(const Scalar& q) const {
    return min(ceil_div(depth_ - q % panels_ * p_.side * p_.k, p_.k), p_.side);
  }
  Scalar slice_at(const Scalar& q, const Scalar& step) const { return (step + parts_.row + parts_.col) % slices_of(q); }

  // Every core's slices of the panel that comes are there, and nobody reads those of the one before any more. Only the
  // transfers are waited for: the arrays still have the last fetched slices to work on.
  void all_have_landed() {
    const int engines = std::min(loads(), 3);
    for (int e = 0; e < engines; ++e) k_.emit().dma_sync(on(e, post(landed_)));
    k_.emit().sem_wait(landed_, engines);
    k_.meet();
  }

  // Fetches the slices of the step after those that were fetched before, if there is one.
  void fetch_next() {
    const Scalar q = next_panel_, step = next_step_;
    k_.if_(q < blocks_ * panels_, [&] {
      k_.if_(step == 0, [&] {
        all_have_landed();
        k_.if_(q + 1 < blocks_ * panels_, [&] { bring_panel(q + 1); });
      });
      const Scalar s = slice_at(q, step);
      fetch(a_, own_a_[place_of_a(q)], slice_of_a(q, s), parts_.row * p_.side + s);
      fetch(b_, own_b_[place_of_b(q)], slice_of_b(q, s), s * p_.side + parts_.col);
      const Cond last = step + 1 == slices_of(q);
      next_step_ = k_.select(last, 0, step + 1);
      next_panel_ = k_.select(last, q + 1, q);
    });
  }
  void fetch(Pipe<>& pipe, const Spm& own, const Tensor& what, const Scalar& core) {
    const auto slot = pipe.acquire(what.shape());
    k_.copy(slot, own.first(what.shape()).on_core(core), pipe.dma());
  }

  KernelBuilder& k_;
  const GemmArgs& g_;
  const GridPlan& p_;
  const GridShards& shards_;
  Parts parts_;
  Scalar depth_, panels_, across_, blocks_;
  Spm own_a_, own_b_;
  Var next_panel_, next_step_;  // to be fetched
  SemRef landed_;
  Pipe<> a_, b_;
};

}  // namespace

GridPlan plan_grid(const Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                   const GridOptions& options) {
  GridPlan p;
  p.side = side_of(target.cores);
  if (p.side < least_grid_side || m < p.side * 8 || n < p.side * 8 || target.dma_engines < 2) return p;
  m = std::min<std::int64_t>(m, 1 << 16);  // a size that only the launch knows has no end
  const auto rounds_of = [&](std::int64_t whole, std::int64_t most, std::int64_t unit) {
    const std::int64_t rounds = ceil_of(whole, p.side * most);
    return std::min(most, up(ceil_of(whole, p.side * rounds), unit));
  };
  // Square blocks move least; as large as the accumulator takes.
  for (std::int64_t most = target.mxu_cols * most_parts; most >= target.mxu_cols; most -= target.mxu_cols) {
    p.m = rounds_of(m, most, 8);
    p.n = rounds_of(n, most, std::min<std::int64_t>(target.mxu_cols, 32));
    if (p.m * p.n * 4 > target.acc_bytes) continue;
    const std::int64_t rows = target.mxu_rows;
    for (p.k = std::min(most_depths * rows, up(ceil_of(k, p.side * 4), rows)); p.k >= rows; p.k -= rows) {
      const std::int64_t slices = (2 + fetch_slots) * bytes_of(dtype, (p.m + p.n) * p.k);
      const std::int64_t row_blocks = ceil_of(m, p.side * p.m), blocks = row_blocks * ceil_of(n, p.side * p.n);
      const std::int64_t a = options.a_in_spm ? row_blocks * ceil_of(k, p.side * p.k) * bytes_of(dtype, p.m * p.k) : 0;
      const std::int64_t c = options.c_in_spm ? blocks * bytes_of(dtype, p.m * p.n) : 0;
      const std::int64_t epilogue = options.c_in_spm ? 0 : p.m * p.n * options.epilogue_bytes + 8 * p.n * 4;
      p.fits = slices + a + c + epilogue <= target.spm_bytes;
      if (p.fits) return p;
    }
  }
  return p;
}

void gemm_of_grid(KernelBuilder& k, const GemmArgs& g, const GridPlan& plan, const GridShards& shards) {
  Grid(k, g, plan, shards).run();
}

void load_shards(KernelBuilder& k, const Tensor& a, const GridPlan& plan, const Spm& shards) {
  const Parts parts(k, plan);
  const Scalar panels = parts.panels(a.size(1));
  k.loop(shards.size(0), [&](Scalar i) {
    const Tensor slice = parts.slice(parts.rows(a, i / panels), 1, i % panels, parts.col);
    k.copy(shards[i].first(slice.shape()), slice);
  });
}

void store_shards(KernelBuilder& k, const Tensor& c, const GridPlan& plan, const Spm& shards) {
  const Parts parts(k, plan);
  const Scalar across = parts.blocks(c, 1);
  k.loop(shards.size(0), [&](Scalar block) {
    const Tensor part = parts.columns(parts.rows(c, block / across), 1, block % across);
    // Computed by another entry: nothing that this one recorded wrote it.
    k.copy(part, shards[block].first(part.shape()).on_core(k.core_id()));
  });
}

}  // namespace heddle::kernels
