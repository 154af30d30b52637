// SPDX-License-Identifier: Apache-2.0
// Plan: many cores behind one memory cannot each fetch what they need: a g x g grid would read every operand g times.
// So each element is read once. The cores compute a block of C together, core (r, c) the part in its row and column.
// k is cut into panels and a panel into g slices: core (r, c) brings slice c of the rows of A that row r needs, and
// slice r of the columns of B that column c needs, into its scratchpad. Then every core takes the slices of its row and
// of its column one after the other from its neighbours' scratchpads, beginning with another one than they do, while
// its DMA brings its slices of the next panel. (The data movement of SUMMA: van de Geijn and Watts, 1997.)
#include "kernels/gemm/grid.hpp"

#include <algorithm>

#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr int fetch_slots = 3;
constexpr std::int64_t least_side = 3;  // smaller grids gain less from passing on than the barriers cost
constexpr std::int64_t most_parts = 8;  // a step is unrolled: parts of its columns, and of its depth
constexpr std::int64_t most_depths = 4;

constexpr std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t up(std::int64_t value, std::int64_t multiple) { return ceil_of(value, multiple) * multiple; }

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

// One panel after the other over all blocks of C: number q is panel q % panels of block q / panels.
class Grid {
 public:
  Grid(KernelBuilder& k, const GemmArgs& g, const GridPlan& plan)
      : k_(k),
        g_(g),
        p_(plan),
        row_(k.core_id() / plan.side),
        col_(k.core_id() % plan.side),
        depth_(g.a.size(1)),
        panels_(ceil_div(depth_, plan.side * plan.k)),
        across_(ceil_div(g.c.size(1), plan.side * plan.n)),
        blocks_(ceil_div(g.c.size(0), plan.side * plan.m) * across_),
        own_a_(k.spm({2, plan.m, plan.k}, g.a.dtype())),
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
      const Tensor c = cut(cut(g_.c, 0, row_of_c(block), p_.m), 1, column_of_c(block), p_.n);
      const Finish finish = epilogue_of(g_).begin(k_, c);
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
  Scalar row_of_c(const Scalar& block) const { return (block / across_ * p_.side + row_) * p_.m; }
  Scalar column_of_c(const Scalar& block) const { return (block % across_ * p_.side + col_) * p_.n; }
  Scalar slice_begin(const Scalar& q, const Scalar& slice) const { return (q % panels_ * p_.side + slice) * p_.k; }

  Tensor slice_of_a(const Scalar& q, const Scalar& slice) const {
    return cut(cut(g_.a, 0, row_of_c(q / panels_), p_.m), 1, slice_begin(q, slice), p_.k);
  }
  Tensor slice_of_b(const Scalar& q, const Scalar& slice) const {
    const int depth = columns_first() ? 1 : 0;
    return cut(cut(g_.b, depth, slice_begin(q, slice), p_.k), 1 - depth, column_of_c(q / panels_), p_.n);
  }

  // This core's slices of panel q, from HBM.
  void bring_panel(const Scalar& q) {
    const Tensor a = slice_of_a(q, col_), b = slice_of_b(q, row_);
    k_.copy(own_a_[q % 2].first(a.shape()), a, on_dma(0));
    k_.copy(own_b_[q % 2].first(b.shape()), b, on_dma(0));
  }

  Scalar slices_of(const Scalar& q) const { return min(ceil_div(depth_ - slice_begin(q, 0), p_.k), p_.side); }
  Scalar slice_at(const Scalar& q, const Scalar& step) const { return (step + row_ + col_) % slices_of(q); }

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
      fetch(a_, own_a_, q, slice_of_a(q, s), row_ * p_.side + s);
      fetch(b_, own_b_, q, slice_of_b(q, s), s * p_.side + col_);
      const Cond last = step + 1 == slices_of(q);
      next_step_ = k_.select(last, 0, step + 1);
      next_panel_ = k_.select(last, q + 1, q);
    });
  }
  void fetch(Pipe<>& pipe, const Spm& own, const Scalar& q, const Tensor& what, const Scalar& core) {
    const auto slot = pipe.acquire(what.shape());
    k_.copy(slot, own[q % 2].first(what.shape()).on_core(core), pipe.dma());
  }

  KernelBuilder& k_;
  const GemmArgs& g_;
  const GridPlan& p_;
  Scalar row_, col_, depth_, panels_, across_, blocks_;
  Spm own_a_, own_b_;
  Var next_panel_, next_step_;  // to be fetched
  SemRef landed_;
  Pipe<> a_, b_;
};

}  // namespace

GridPlan plan_grid(const Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                   int epilogue_bytes) {
  GridPlan p;
  p.side = side_of(target.cores);
  if (p.side < least_side || m < p.side * 8 || n < p.side * 8 || target.dma_engines < 2) return p;
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
    for (p.k = std::min(most_depths * rows, up(ceil_of(k, p.side), rows)); p.k >= rows; p.k -= rows) {
      const std::int64_t slices = (2 + fetch_slots) * bytes_of(dtype, (p.m + p.n) * p.k);
      p.fits = slices + p.m * p.n * epilogue_bytes + 8 * p.n * 4 <= target.spm_bytes;
      if (p.fits) return p;
    }
  }
  return p;
}

void gemm_of_grid(KernelBuilder& k, const GemmArgs& g, const GridPlan& plan) { Grid(k, g, plan).run(); }

}  // namespace heddle::kernels
