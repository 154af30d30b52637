// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/model_math.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace heddle::app {

Matrix Matrix::rows(std::int64_t first, std::int64_t n) const {
  const auto begin = values.begin() + first * width;
  return {width, {begin, begin + n * width}};
}

Matrix Matrix::columns(std::int64_t first, std::int64_t n) const {
  Matrix out{n, {}};
  for (std::int64_t r = 0; r < height(); ++r) {
    const auto begin = values.begin() + r * width + first;
    out.values.insert(out.values.end(), begin, begin + n);
  }
  return out;
}

Matrix operator+(Matrix a, const Matrix& b) {
  std::transform(a.values.begin(), a.values.end(), b.values.begin(), a.values.begin(), std::plus<>());
  return a;
}

Matrix operator*(Matrix a, const Matrix& b) {
  std::transform(a.values.begin(), a.values.end(), b.values.begin(), a.values.begin(), std::multiplies<>());
  return a;
}

namespace {

// In eight partial sums, which a vector unit can take side by side.
double dot(const double* a, const double* b, std::int64_t n, double start) {
  double part[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int j = 0; j < 8; ++j) part[j] += a[i + j] * b[i + j];
  for (; i < n; ++i) start += a[i] * b[i];
  return std::accumulate(part, part + 8, start);
}

}  // namespace

Matrix product(const Matrix& x, std::int64_t count, const std::vector<double>& bias,
               const std::function<void(std::int64_t, std::vector<double>&)>& row) {
  const std::int64_t m = x.height();
  Matrix out{count, std::vector<double>(static_cast<std::size_t>(m * count))};
  std::vector<double> w(static_cast<std::size_t>(x.width));
  for (std::int64_t n = 0; n < count && m > 0; ++n) {
    row(n, w);
    for (std::int64_t i = 0; i < m; ++i)
      out.at(i, n) =
          dot(w.data(), x.values.data() + i * x.width, x.width, bias.empty() ? 0.0 : bias[static_cast<std::size_t>(n)]);
  }
  return out;
}

Matrix rms_norm(const Matrix& x, const std::vector<double>& weight, double eps) {
  Matrix out = x;
  norm_parts(out, 0, 1, weight, eps);
  return out;
}

void norm_parts(Matrix& x, std::int64_t first, std::int64_t parts, const std::vector<double>& weight, double eps) {
  const auto n = static_cast<std::int64_t>(weight.size());
  for (std::int64_t r = 0; r < x.height(); ++r)
    for (std::int64_t p = 0; p < parts; ++p) {
      const auto begin = x.values.begin() + r * x.width + first + p * n;
      const double squares = std::inner_product(begin, begin + n, begin, 0.0);
      const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
      for (std::int64_t i = 0; i < n; ++i) begin[i] *= scale * weight[static_cast<std::size_t>(i)];
    }
}

Matrix layer_norm(const Matrix& x, const std::vector<double>& weight, const std::vector<double>& bias, double eps) {
  Matrix out = x;
  const auto n = static_cast<double>(x.width);
  for (std::int64_t r = 0; r < x.height(); ++r) {
    const auto begin = out.values.begin() + r * x.width;
    const double mean = std::accumulate(begin, begin + x.width, 0.0) / n;
    double squares = 0;
    for (std::int64_t i = 0; i < x.width; ++i) squares += (begin[i] - mean) * (begin[i] - mean);
    const double scale = 1 / std::sqrt(squares / n + eps);
    for (std::int64_t i = 0; i < x.width; ++i)
      begin[i] = (begin[i] - mean) * scale * weight[static_cast<std::size_t>(i)] + bias[static_cast<std::size_t>(i)];
  }
  return out;
}

Matrix silu(Matrix x) {
  for (double& v : x.values) v /= 1 + std::exp(-v);
  return x;
}

Matrix gelu_tanh(Matrix x) {
  const double root = std::sqrt(2 / std::numbers::pi);
  for (double& v : x.values) v = v / 2 * (1 + std::tanh(root * (v + 0.044715 * v * v * v)));
  return x;
}

std::vector<double> argmax(const Matrix& x) {
  std::vector<double> out;
  for (std::int64_t r = 0; r < x.height(); ++r) {
    const auto begin = x.values.begin() + r * x.width;
    out.push_back(static_cast<double>(std::max_element(begin, begin + x.width) - begin));
  }
  return out;
}

void turn(Matrix& x, std::int64_t first, std::int64_t heads, const Matrix& angles) {
  const std::int64_t dim = angles.width, half = dim / 2;
  for (std::int64_t r = 0; r < x.height(); ++r)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < half; ++i) {
        double& a = x.at(r, first + h * dim + i);
        double& b = x.at(r, first + h * dim + half + i);
        const double cosine = angles.at(r, i), sine = angles.at(r, half + i), turned = a * cosine - b * sine;
        b = b * cosine + a * sine;
        a = turned;
      }
}

Matrix attend(const Matrix& q, std::int64_t heads, std::int64_t kv_heads, std::int64_t position, const HeadRow& key,
              const HeadRow& value) {
  const std::int64_t dim = q.width / heads;
  Matrix out{q.width, std::vector<double>(q.values.size())};
  std::vector<double> scores;
  for (std::int64_t r = 0; r < q.height(); ++r)
    for (std::int64_t h = 0; h < heads; ++h) {
      const std::int64_t group = h / (heads / kv_heads), seen = position + r + 1;
      const double* query = q.values.data() + r * q.width + h * dim;
      scores.assign(static_cast<std::size_t>(seen), 0);
      for (std::int64_t p = 0; p < seen; ++p)
        scores[static_cast<std::size_t>(p)] =
            std::inner_product(query, query + dim, key(group, p), 0.0) / std::sqrt(static_cast<double>(dim));
      const double top = *std::max_element(scores.begin(), scores.end());
      double sum = 0;
      for (double& s : scores) sum += s = std::exp(s - top);
      for (std::int64_t p = 0; p < seen; ++p) {
        const double share = scores[static_cast<std::size_t>(p)] / sum;
        const double* v = value(group, p);
        for (std::int64_t i = 0; i < dim; ++i) out.at(r, h * dim + i) += share * v[i];
      }
    }
  return out;
}

}  // namespace heddle::app
