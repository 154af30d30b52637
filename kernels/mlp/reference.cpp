// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/common/round.hpp"
#include "kernels/mlp/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
namespace {

// Where weight (i, j) of a layer with `heights` tiles of k lies in it.
std::int64_t place(std::int64_t i, std::int64_t j, std::int64_t heights, std::int64_t tile) {
  return ((j / tile * heights + i / tile) * tile + i % tile) * tile + j % tile;
}

std::vector<TensorSpec> tensors(const Shape& s) {
  const auto k = at(s, "k"), n = at(s, "n"), tile = at(s, "tile");
  const std::int64_t per_layer = ceil_of(k, tile) * ceil_of(n, tile), layers = at(s, "layers");
  const std::int64_t last = layers % 2 == 0 ? k : n;
  // Zero where the matrix does not reach.
  const auto weight = [=](std::int64_t at_element, std::uint64_t random) {
    const std::int64_t number = at_element / (tile * tile), layer = number / per_layer;
    const std::int64_t rows = layer % 2 == 0 ? k : n, cols = layer % 2 == 0 ? n : k, heights = ceil_of(rows, tile);
    const std::int64_t i = number % per_layer % heights * tile + at_element / tile % tile;
    const std::int64_t j = number % per_layer / heights * tile + at_element % tile;
    return i < rows && j < cols ? static_cast<double>(random % 31) - 15 : 0.0;
  };
  return {{"x", DType::int8, {at(s, "rows"), k}, Role::input, {}},
          {"weights", DType::int8, {layers * per_layer, tile, tile}, Role::input, weight},
          {"y", DType::int8, {at(s, "rows"), last}, Role::output, {}}};
}

void reference(const Shape& s, std::vector<HostTensor>& t) {
  const auto k = at(s, "k"), n = at(s, "n"), tile = at(s, "tile"), rows = at(s, "rows"), layers = at(s, "layers");
  const std::int64_t per_layer = ceil_of(k, tile) * ceil_of(n, tile) * tile * tile;
  std::vector<double> a(static_cast<std::size_t>(rows * k));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = t[0].get(static_cast<std::int64_t>(i));
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const std::int64_t from = layer % 2 == 0 ? k : n, to = layer % 2 == 0 ? n : k, heights = ceil_of(from, tile);
    std::vector<double> next(static_cast<std::size_t>(rows * to));
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t j = 0; j < to; ++j) {
        double sum = 0;
        for (std::int64_t i = 0; i < from; ++i)
          sum += a[static_cast<std::size_t>(r * from + i)] * t[1].get(layer * per_layer + place(i, j, heights, tile));
        double v = std::min(127.0, std::nearbyint(std::max(0.0, sum / mlp_scale)));
        if (vectors_after(layer, layers, at(s, "vectors")) > 0) v = std::max(v, 1.0);
        next[static_cast<std::size_t>(r * to + j)] = v;
      }
    a = std::move(next);
  }
  for (std::size_t i = 0; i < a.size(); ++i) t[2].set(static_cast<std::int64_t>(i), a[i]);
}

}  // namespace

std::int64_t vectors_after(std::int64_t i, std::int64_t layers, std::int64_t vectors) {
  const std::int64_t pair = (2 * vectors + layers / 2) / layers;  // of two layers
  return i % 2 == 0 ? pair / 2 : pair - pair / 2;
}

KernelDef mlp_problem() {
  KernelDef d;
  d.name = "mlp";
  d.summary = "fully connected int8 layers, one after the other";
  d.params = {{"rows", 64, 1, "the batch"},
              {"k", 512, 1, "inputs of the first, third, .. layer"},
              {"n", 512, 1, "outputs of those"},
              {"layers", 4, 1, "fully connected layers"},
              {"vectors", 0, 0, "elementwise layers in all, spread over the others"},
              {"tile", 64, 8, "rows and columns of a tile of weights"}};
  d.dtypes = {DType::int8};
  d.uses_mxu = true;
  d.tensors = [](const Shape& s, DType) { return tensors(s); };
  d.reference = reference;
  d.work = [](const Shape& s, DType dtype) {
    const double weights = static_cast<double>(at(s, "layers") * at(s, "k")) * static_cast<double>(at(s, "n"));
    return Work{weights * static_cast<double>(at(s, "rows")), dtype, bytes_once(tensors(s))};
  };
  d.tolerance = [](DType) { return 0.0; };
  const auto shape = [](std::int64_t rows, std::int64_t k, std::int64_t n, std::int64_t layers, std::int64_t vectors) {
    return Shape{{"rows", rows}, {"k", k}, {"n", n}, {"layers", layers}, {"vectors", vectors}, {"tile", 64}};
  };
  d.test_shapes = {shape(1, 1, 1, 1, 0), shape(8, 64, 128, 2, 2), shape(16, 100, 70, 3, 1), shape(7, 192, 65, 5, 7)};
  return d;
}

}  // namespace heddle::kernels
