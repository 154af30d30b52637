// SPDX-License-Identifier: Apache-2.0
// The mathematics of a decoder-only model's step, in double: plain loops over row-major matrices.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace heddle::app {

struct Matrix {
  std::int64_t width = 0;
  std::vector<double> values;

  std::int64_t height() const { return width == 0 ? 0 : static_cast<std::int64_t>(values.size()) / width; }
  double& at(std::int64_t r, std::int64_t c) { return values[static_cast<std::size_t>(r * width + c)]; }
  double at(std::int64_t r, std::int64_t c) const { return values[static_cast<std::size_t>(r * width + c)]; }
  Matrix rows(std::int64_t first, std::int64_t n) const;
  Matrix columns(std::int64_t first, std::int64_t n) const;
};
Matrix operator+(Matrix a, const Matrix& b);
Matrix operator*(Matrix a, const Matrix& b);  // element by element

// x [m, k] · wᵀ + bias: row(n, to) gives row n of w [count, k]; bias empty: none.
Matrix product(const Matrix& x, std::int64_t count, const std::vector<double>& bias,
               const std::function<void(std::int64_t, std::vector<double>&)>& row);

Matrix rms_norm(const Matrix& x, const std::vector<double>& weight, double eps);
Matrix layer_norm(const Matrix& x, const std::vector<double>& weight, const std::vector<double>& bias, double eps);
Matrix silu(Matrix x);
Matrix gelu_tanh(Matrix x);
std::vector<double> argmax(const Matrix& x);

// `parts` stretches of x's columns from `first` on, weight.size() long, each normed on its own, in every row.
void norm_parts(Matrix& x, std::int64_t first, std::int64_t parts, const std::vector<double>& weight, double eps);
// The same for the rotation of heads as long as a row of the angles [rows, dim]: cosines left, sines right.
void turn(Matrix& x, std::int64_t first, std::int64_t heads, const Matrix& angles);

// softmax(q · keysᵀ / sqrt(dim)) · values for each row and head of q; row i stands at `position` + i and sees what is
// not after it. key(head, position) points to a row of dim numbers.
using HeadRow = std::function<const double*(std::int64_t head, std::int64_t position)>;
Matrix attend(const Matrix& q, std::int64_t heads, std::int64_t kv_heads, std::int64_t position, const HeadRow& key,
              const HeadRow& value);

}  // namespace heddle::app
