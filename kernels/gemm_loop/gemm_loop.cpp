// SPDX-License-Identifier: Apache-2.0
// Plan: tiles are taken in the order m, n, k. While one tile's blocks pass through the array, the loads of the next run
// into the other half of the scratchpad: per strip of k first its rows of A, then its rows of B, a command each. Every
// command of B posts; the array waits for it (A's are done by then, the loads complete in order). After a tile's last k
// the vector unit saturates the sums in place, strip by strip, and the store engine takes the low bytes out.
#include "kernels/gemm_loop/gemm_loop.hpp"
#include "kernels/common/round.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "isa/base/error.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

namespace {

constexpr std::int64_t command_bytes = 64;  // of a row that one load or store command moves
constexpr int halves = 2;
constexpr std::int64_t most_unrolled = 8;

// Sizes of a tile, the last ones perhaps smaller, and where it lies.
struct Place {
  Scalar m0, k0, n0;         // first row, depth, column
  Scalar rows, depth, cols;  // sizes
  Scalar whole_rows;         // of whole blocks
  Scalar spm;                // of its half
};

class LoopUnit {
 public:
  LoopUnit(KernelBuilder& k, Scalar a, Scalar b, Scalar c, const LoopTile& whole, const LoopTile& tile)
      : k_(k), e_(k.emit()), a_(a), b_(b), c_(c), whole_(whole), tile_(tile) {
    const Target& t = k.target();
    rows_ = t.mxu_rows;
    cols_ = t.mxu_cols;
    if (rows_ != cols_) k.error("HDL-KRN-04", "gemm_loop wants a square array");
    strip_ = std::max<std::int64_t>(command_bytes, rows_) / rows_ * rows_;
    half_ = t.spm_bytes / 2;
    store_engine_ = t.dma_engines - 1;
    const std::int64_t spm = tile.m * tile.k + tile.k * tile.n, acc = tile.m * tile.n * 4;
    if (spm > half_ || acc > t.acc_bytes / 2)
      k.error("HDL-KRN-04",
              fmt::format("a tile of {} x {} x {} takes {} bytes of half a scratchpad of {} and {} of half "
                          "the accumulators of {}",
                          tile.m, tile.k, tile.n, spm, half_, acc, t.acc_bytes / 2));
    b_offset_ = (half_ - tile.k * tile.n) / cols_ * cols_;
    acc_half_ = t.acc_bytes / 2;
    single_row_block_ = std::min(whole.m, tile.m) <= rows_;
    ragged_m_ = whole.m % rows_ != 0 || tile.m % rows_ != 0;
    ragged_k_ = whole.k % rows_ != 0 || tile.k % rows_ != 0;
    ragged_n_ = whole.n % cols_ != 0 || tile.n % cols_ != 0;
  }

  void run() {
    for (SemRef* s : {&loaded_, &half_free_, &acc_free_, &summed_, &narrowed_}) *s = k_.semaphore();
    const std::int64_t count_m = ceil_of(whole_.m, tile_.m), count_k = ceil_of(whole_.k, tile_.k),
                       count_n = ceil_of(whole_.n, tile_.n), tiles = count_m * count_k * count_n;
    load(place());  // before all else: the memory is what takes long
    e_.sem_post(half_free_, halves - 1);
    e_.sem_post(acc_free_, halves);
    Walk loading(k_), summing(k_);
    Var acc = k_.var(0);
    k_.loop(tiles, [&](Scalar t) {
      loading.step(whole_, tile_, half_);
      k_.if_(t + 1 < tiles, [&] {
        e_.dma_sync(on(0, wait(half_free_)));
        load(place(loading));
      });
      const Place here = place(summing);
      sum(here, acc);
      k_.if_(
          here.k0 + tile_.k >= whole_.k,
          [&] {
            store(here, acc);
            acc = Scalar(acc_half_) - acc;
          },
          [&] { e_.mxu_sync(on(0, post(half_free_))); });
      summing.step(whole_, tile_, half_);
    });
    k_.fence();
    e_.sem_wait(half_free_, halves);
    e_.sem_wait(acc_free_, halves);
  }

 private:
  struct Walk {
    explicit Walk(KernelBuilder& k) : m(k, 0), k0(k, 0), n(k, 0), spm(k, 0), builder(k) {}
    void step(const LoopTile& whole, const LoopTile& tile, std::int64_t half) {
      spm = Scalar(half) - spm;
      k0 += tile.k;
      builder.if_(k0 >= whole.k, [&] {
        k0 = 0;
        n += tile.n;
        builder.if_(n >= whole.n, [&] {
          n = 0;
          m += tile.m;
        });
      });
    }
    Var m, k0, n, spm;
    KernelBuilder& builder;
  };

  static Scalar extent(Scalar at, std::int64_t tile, std::int64_t whole) {
    return whole % tile == 0 ? Scalar(tile) : min(Scalar(tile), Scalar(whole) - at);
  }
  Place place() const {  // of the first tile
    return {0, 0, 0, std::min(tile_.m, whole_.m), std::min(tile_.k, whole_.k), std::min(tile_.n, whole_.n), 0, 0};
  }
  Place place(const Walk& w) const {
    const Scalar rows = extent(w.m, tile_.m, whole_.m), depth = extent(w.k0, tile_.k, whole_.k),
                 cols = extent(w.n, tile_.n, whole_.n);
    return {w.m, w.k0, w.n, rows, depth, cols, round_down(rows, rows_), w.spm};
  }
  // To a multiple of n, without a division where n is a power of two.
  static Scalar round_down(Scalar a, std::int64_t n) {
    return std::has_single_bit(static_cast<std::uint64_t>(n)) ? a & -n : a - a % n;
  }
  static Scalar part(Scalar left, std::int64_t most) {
    return left.is_constant() ? Scalar(std::min(left.constant(), most)) : min(left, most);
  }
  std::uint32_t view_of(isa::Space space, DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t row_stride,
                        std::int64_t stride = 1) {
    isa::ViewTemplate v;
    v.space = space;
    v.dtype = dtype;
    v.rank = 2;
    v.size = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols), 1, 1};
    v.stride = {row_stride, stride, 0, 0};
    return e_.view_template(v);
  }

  template <class F>
  void row_blocks(Scalar rows, F&& body) {
    if (tile_.m <= rows_)
      body(Scalar(0));
    else
      k_.loop(0, rows, rows_, body);
  }
  // body(begin) for the strips of a tile's columns; no loop where there is but one.
  template <class F>
  void strips(Scalar cols, F&& body) {
    if (tile_.n <= strip_)
      body(Scalar(0));
    else
      k_.loop(0, cols, strip_, body);
  }

  // One command: rows x cols of a matrix in memory with rows of `pitch`, to or from rows of `near_pitch` here.
  void command(Scalar far, std::int64_t pitch, Scalar near, std::int64_t near_pitch, Scalar rows, Scalar cols, On how) {
    const V from = e_.view(view_of(isa::Space::hbm, int8, rows_, strip_, pitch), far, 0, {0, rows}, {1, cols});
    const V to = e_.view(view_of(isa::Space::spm, int8, rows_, strip_, near_pitch), near, 0, {0, rows}, {1, cols});
    e_.dma_copy(how, to, from);
  }

  void load(const Place& p) {
    k_.loop(0, p.depth, strip_, [&](Scalar s) {
      const Scalar wide = part(p.depth - s, strip_);
      row_blocks(p.rows, [&](Scalar i) {
        command(a_ + (p.m0 + i) * whole_.k + p.k0 + s, whole_.k, p.spm + i * tile_.k + s, tile_.k,
                part(p.rows - i, rows_), wide, on(0));
      });
      k_.loop(s, s + wide, rows_, [&](Scalar d) {
        strips(p.cols, [&](Scalar j) {
          command(b_ + (p.k0 + d) * whole_.n + p.n0 + j, whole_.n, p.spm + b_offset_ + d * tile_.n + j, tile_.n,
                  part(p.depth - d, rows_), part(p.cols - j, strip_), on(0, post(loaded_)));
        });
      });
    });
  }

  // All of k of the tile; `first` overwrites the sums, `last` tells of each finished strip.
  void sum(const Place& p, Scalar acc) {
    const auto depth = [&](Scalar d, bool first, bool last) { block_row(p, acc, d, first, last); };
    const Scalar end = p.depth - rows_;
    const Cond begins = p.k0 == 0, ends = p.k0 + tile_.k >= whole_.k;
    const auto finish = [&](Scalar d, bool first) {
      k_.if_(
          ends, [&] { depth(d, first, true); }, [&] { depth(d, first, false); });
    };
    k_.if_(
        begins,
        [&] {
          e_.mxu_sync(on(0, wait(acc_free_)));
          k_.if_(
              p.depth <= rows_, [&] { finish(0, true); }, [&] { depth(0, true, false); });
        },
        [&] {
          k_.if_(
              p.depth <= rows_, [&] { finish(0, false); }, [&] { depth(0, false, false); });
        });
    k_.if_(p.depth > rows_, [&] {
      k_.loop(rows_, end, rows_, [&](Scalar d) { depth(d, false, false); });
      finish(round_down(p.depth - 1, rows_), false);
    });
  }

  // Depth d .. d + rows of k: every block of B there, and the rows of A behind each.
  void block_row(const Place& p, Scalar acc, Scalar d, bool first, bool last) {
    const Scalar depth = ragged_k_ ? part(p.depth - d, rows_) : Scalar(rows_);
    const Scalar a = p.spm + d, b = p.spm + b_offset_ + d * tile_.n;
    strips(p.cols, [&](Scalar s) {
      e_.mxu_sync(on(0, wait(loaded_)));
      const Scalar wide = part(p.cols - s, strip_);
      const V vb = e_.view(view_of(isa::Space::spm, int8, rows_, cols_, tile_.n), b + s, 0, {0, depth});
      const auto blocks = single_row_block_ ? row_of_blocks(p, acc + s * 4, a, vb, depth, wide, first)
                                            : grid_of_blocks(p, acc + s * 4, a, vb, depth, wide, first);
      const auto all = [&](Scalar end) { k_.loop(0, end, cols_, [&](Scalar x) { blocks(x, false); }); };
      if (last) {  // the last block of each strip tells, a block of rows at a time
        const Scalar final = round_down(wide - 1, cols_);
        all(final);
        blocks(final, true);
      } else if (single_row_block_) {
        k_.if_(
            wide == strip_, [&] { k_.unroll(static_cast<int>(strip_ / cols_), [&](int) { blocks(0, false); }); },
            [&] { all(wide); });
      } else {
        all(wide);
      }
    });
  }

  using Blocks = std::function<void(Scalar x, bool tells)>;

  void multiply(V vc, V va, bool first, bool tells) {
    e_.mxu_matmul(on(0), vc, va, !first);
    if (tells) e_.mxu_sync(on(0, post(summed_)));
  }
  // The block of B at hand, and then the next one.
  void load_block(V vb, Scalar x, Scalar wide) {
    if (ragged_n_) e_.view_size(vb, 1, part(wide - x, cols_));
    e_.mxu_load(on(0), vb);
    e_.view_advance(vb, 0, static_cast<std::int32_t>(cols_));
  }

  // Few rows of A: the same ones for every block of B, and the accumulators step along.
  Blocks row_of_blocks(const Place& p, Scalar acc, Scalar a, V vb, Scalar depth, Scalar wide, bool first) {
    const std::int64_t rows = std::min(whole_.m, tile_.m);
    const V va = e_.view(view_of(isa::Space::spm, int8, rows, rows_, tile_.k), a, 0, {0, p.rows}, {1, depth});
    const V vc = e_.view(view_of(isa::Space::acc, int32, rows, cols_, tile_.n), acc, 0, {0, p.rows});
    return [this, va, vb, vc, wide, first](Scalar x, bool tells) {
      load_block(vb, x, wide);
      if (ragged_n_) e_.view_size(vc, 1, part(wide - x, cols_));
      multiply(vc, va, first, tells);
      e_.view_advance(vc, 0, static_cast<std::int32_t>(cols_ * 4));
    };
  }

  // Blocks of rows behind each block of B: view registers step down them.
  Blocks grid_of_blocks(const Place& p, Scalar acc, Scalar a, V vb, Scalar depth, Scalar wide, bool first) {
    return [=, this](Scalar x, bool tells) {
      load_block(vb, x, wide);
      const ViewSize cols = ragged_n_ ? ViewSize{1, part(wide - x, cols_)} : ViewSize{};
      const V va = e_.view(view_of(isa::Space::spm, int8, rows_, rows_, tile_.k), a, 0, {1, depth});
      const V vc = e_.view(view_of(isa::Space::acc, int32, rows_, cols_, tile_.n), acc + x * 4, 0, cols);
      const auto down = [&] {
        multiply(vc, va, first, tells);
        e_.view_advance(va, 0, static_cast<std::int32_t>(rows_ * tile_.k));
        e_.view_advance(vc, 0, static_cast<std::int32_t>(rows_ * tile_.n * 4));
      };
      const auto some = [&] {
        k_.loop(0, p.whole_rows, rows_, [&](Scalar) { down(); });
        if (!ragged_m_) return;
        k_.if_(p.rows > p.whole_rows, [&] {
          e_.view_size(va, 0, p.rows - p.whole_rows);
          e_.view_size(vc, 0, p.rows - p.whole_rows);
          multiply(vc, va, first, tells);
        });
      };
      if (tile_.m % rows_ == 0 && tile_.m / rows_ <= most_unrolled)
        k_.if_(
            p.rows == tile_.m, [&] { k_.unroll(static_cast<int>(tile_.m / rows_), [&](int) { down(); }); }, some);
      else
        some();
    };
  }

  void store(const Place& p, Scalar acc) {
    k_.loop(0, p.cols, strip_, [&](Scalar j) {
      const Scalar wide = part(p.cols - j, strip_);
      k_.loop(0, p.rows, rows_, [&](Scalar i) {
        const Scalar high = part(p.rows - i, rows_), at = acc + (i * tile_.n + j) * 4;
        const V sums = e_.view(view_of(isa::Space::acc, int32, rows_, strip_, tile_.n), at, 0, {0, high}, {1, wide});
        e_.vpu_max_i(on(0, wait(summed_)), sums, sums, static_cast<std::uint32_t>(-128));
        e_.vpu_min_i(on(0, post(narrowed_)), sums, sums, 127);
        const V bytes =
            e_.view(view_of(isa::Space::acc, int8, rows_, strip_, tile_.n * 4, 4), at, 0, {0, high}, {1, wide});
        const V to = e_.view(view_of(isa::Space::hbm, int8, rows_, strip_, whole_.n),
                             c_ + (p.m0 + i) * whole_.n + p.n0 + j, 0, {0, high}, {1, wide});
        e_.dma_copy(on(store_engine_, wait(narrowed_)), to, bytes);
      });
    });
    e_.dma_sync(on(store_engine_, post(half_free_), post(acc_free_)));
  }

  KernelBuilder& k_;
  Emitter& e_;
  Scalar a_, b_, c_;
  LoopTile whole_, tile_;
  std::int64_t rows_ = 0, cols_ = 0, strip_ = 0, half_ = 0, b_offset_ = 0, acc_half_ = 0;
  int store_engine_ = 0;
  bool single_row_block_ = false, ragged_m_ = false, ragged_k_ = false, ragged_n_ = false;
  SemRef loaded_, half_free_, acc_free_, summed_, narrowed_;
};

}  // namespace

void gemm_loop(KernelBuilder& k, Scalar a, Scalar b, Scalar c, const LoopTile& whole, const LoopTile& tile) {
  const auto scope = k.kernel("gemm_loop");
  LoopUnit(k, a, b, c, whole, tile).run();
}

namespace {

const KernelRegistration registration([] {
  KernelDef d = gemm_int8_problem();
  d.name = "gemm_loop";
  d.summary = "C = A · B, int8, saturated: tiles of a given size as a loop unit in hardware walks them";
  d.params.push_back({"tm", 0, 0, "rows of a tile; 0: chosen, as for tk and tn"});
  d.params.push_back({"tk", 0, 0, "depth of a tile"});
  d.params.push_back({"tn", 0, 0, "columns of a tile"});
  d.params.push_back({"driver", 0, 0, "1: sizes not given are those that the loop unit's published driver chooses"});
  d.build = [](const Target& target, const Shape& s, DType) {
    KernelBuilder k(target, "gemm_loop");
    const LoopTile whole{at(s, "m"), at(s, "k"), at(s, "n")};
    LoopTile tile = at(s, "driver") != 0 ? driver_loop_tile(target, whole) : choose_loop_tile(target, whole);
    if (at(s, "tm") != 0) tile.m = std::min(at(s, "tm"), whole.m);
    if (at(s, "tk") != 0) tile.k = std::min(at(s, "tk"), whole.k);
    if (at(s, "tn") != 0) tile.n = std::min(at(s, "tn"), whole.n);
    const auto product = [&] { gemm_loop(k, k.arg(0), k.arg(1), k.arg(2), whole, tile); };
    target.cores == 1 ? product() : k.if_(k.core_id() == 0, product);  // a loop unit belongs to one core
    return k.finish();
  };
  const auto shape = [](std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t tm, std::int64_t tk,
                        std::int64_t tn) {
    return Shape{{"m", m}, {"k", k}, {"n", n}, {"tm", tm}, {"tk", tk}, {"tn", tn}, {"driver", tm == 0 ? 1 : 0}};
  };
  d.test_shapes = {shape(1, 1, 1, 0, 0, 0),           shape(64, 64, 64, 0, 0, 0),
                   shape(1, 200, 300, 1, 64, 128),    shape(130, 70, 90, 64, 64, 64),
                   shape(150, 260, 100, 100, 90, 70), shape(64, 64, 1000, 64, 64, 128),
                   shape(200, 129, 67, 128, 128, 64), shape(96, 320, 200, 0, 0, 0)};
  d.test_shapes.push_back({{"m", 80}, {"k", 500}, {"n", 130}, {"tm", 0}, {"tk", 0}, {"tn", 0}, {"driver", 0}});
  return d;
}());

}  // namespace

}  // namespace heddle::kernels
