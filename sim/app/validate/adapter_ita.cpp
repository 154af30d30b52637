// SPDX-License-Identifier: Apache-2.0
// The rows ita/* of test,params,expected,unit,tolerance: an integer attention engine of 1024 multipliers. S positions,
// E their width, P the width of the projections; operands lie in the scratchpad.
//   Linear           [S, E] x [E, P]
//   SingleAttention  Q K^T and its product with V: [S, P] x [P, S], [S, S] x [S, P]
//   Attention        three projections, the attention, and the projection back: [S, P] x [P, E]
// What is run are the products, one after the other, tile by tile. Softmax and requantisation sit in that machine's
// stream of results and take no time of their own but their pipeline's, which is in the chip's file.
#include "isa/base/error.hpp"
#include "sim/app/validate/array_run.hpp"
#include "sim/app/validate/suite_row.hpp"
#include "sim/config/load_chip.hpp"

namespace heddle::validate {
namespace {

struct Product {
  std::int64_t m, k, n;
};

std::vector<Product> products_of(std::string_view test, std::int64_t s, std::int64_t e, std::int64_t p) {
  const std::vector<Product> attention{{s, p, s}, {s, s, p}};
  if (test == "ita/Linear") return {{s, e, p}};
  if (test == "ita/SingleAttention") return attention;
  if (test == "ita/Attention") return {{s, e, p}, {s, e, p}, {s, e, p}, attention[0], attention[1], {s, p, e}};
  return {};
}

// Tiles of [rows, cols] weights, m rows through each; ragged ones last. The first load waits until the product before
// has left the array: in this machine a task begins with its weights.
std::string program(const std::vector<Product>& products, std::int64_t rows, std::int64_t cols) {
  std::string text = fmt::format(
      ".view first_w, spm, int8, [{0}, {1}]\n.view first_a, spm, int8, [64, {0}]\n.view first_c, acc, int32, [64, "
      "{1}]\n"
      "view v1, first_w\nview v2, first_a\nview v3, first_c\nmxu.load v1\nmxu.matmul v3, v2 post s1\n",
      rows, cols);
  bool begun = false;
  const auto tiles = [&](std::int64_t count, const Product& p, std::int64_t k, std::int64_t n) {
    if (count == 0 || k == 0 || n == 0) return;
    const std::size_t id = text.size();
    text += fmt::format(
        ".view w{0}, spm, int8, [{2}, {3}]\n.view a{0}, spm, int8, [{1}, {2}]\n.view c{0}, acc, int32, [{1}, {3}]\n"
        "view v4, w{0}\nview v5, a{0}\nview v6, c{0}\n",
        id, p.m, k, n);
    if (!begun) text += "mxu.sync wait s1\n";
    begun = true;
    text += fmt::format("li x6, {1}\nloop{0}:\nmxu.load v4\nmxu.matmul v6, v5\naddi x6, x6, -1\nbne x6, x0, loop{0}\n",
                        id, count);
  };
  for (const Product& p : products) {
    tiles((p.k / rows) * (p.n / cols), p, rows, cols);
    tiles(p.n / cols, p, p.k % rows, cols);
    tiles(p.k / rows, p, rows, p.n % cols);
    tiles(1, p, p.k % rows, p.n % cols);
  }
  if (!begun) text += "mxu.sync wait s1\n";
  return text + "mxu.sync post s0\nsem.wait s0, 1\nhalt\n";
}

Case ita_case(const Row& row, const ChipChoice& choice) {
  const SuiteRow s(row);
  s.require_params(0, {"S", "E", "P"});
  constexpr std::int64_t most = 1 << 14;
  const std::vector<Product> products =
      products_of(s.test(), s.size("S", 1, most), s.size("E", 1, most), s.size("P", 1, most));
  if (products.empty())
    fail_at(row.place("test"), ErrorKind::bad_input, "HDL-VAL-11",
            "'{}' is no test of this machine; expected ita/Linear, ita/SingleAttention or ita/Attention", s.test());
  Case c = s.blank_case(choice, "ita");
  c.run = [=, self = c, expected = s.expected().front(), tolerance = s.tolerance()] {
    const config::MxuSpec mxu = config::load_chip(self.chip, self.overrides).core.mxu;
    Measurement m{"time", "cycles", expected,
                  own_cycles(self, program(products, mxu.rows, mxu.cols), program({}, mxu.rows, mxu.cols))};
    m.tolerance = tolerance;
    return std::vector<Measurement>{m};
  };
  return c;
}

const Adapter ita(
    "ita", "test 'ita/...' of a suite", [](const Row& row) { return suite_fit(row, "ita/"); }, ita_case);

}  // namespace
}  // namespace heddle::validate
