// SPDX-License-Identifier: Apache-2.0
// How far the transcendental functions are from the true values: long double as the oracle, errors in ulps of the fp32
// result. The bounds here are the ones that docs/isa/semantics.md promises.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sim/exec/kernels.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;
using exec::Unary;

namespace {

using Truth = std::function<long double(long double)>;

// |got - want| in units of the last place of want, subnormals in units of 2^-149.
double ulps(float got, long double want) {
  const long double magnitude = std::fabs(want);
  if (magnitude > 3.4028235677973366e38L) return std::isinf(got) ? 0.0 : 1e9;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int last = std::max(exponent - 24, -149);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / std::ldexp(1.0L, last));
}

struct Worst {
  double error = 0;
  float at = 0;
};

Worst worst(Unary fn, const Truth& truth, float low, float high) {
  std::vector<float> in;
  Random random;
  for (int i = 0; i < 200000; ++i) {
    const double u = random.next() * 0x1p-32;
    in.push_back(static_cast<float>(low + (static_cast<double>(high) - low) * u));
    // Across magnitudes as well.
    const float tiny = std::ldexp(random.number(), -static_cast<int>(random.below(60)));
    if (tiny >= low && tiny <= high) in.push_back(tiny);
  }
  in.push_back(low);
  in.push_back(high);
  std::vector<float> out(in.size());
  exec::kernels().unary(fn, in.data(), out.data(), in.size());
  Worst w;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double e = ulps(out[i], truth(in[i]));
    if (e > w.error) w = {e, in[i]};
  }
  return w;
}

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double gelu(long double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0L)); }
long double gelu_tanh(long double x) {
  return x * sigmoid(2 * std::sqrt(2 / std::acos(-1.0L)) * (x + static_cast<long double>(0.044715f) * x * x * x));
}

}  // namespace

TEST_CASE("errors of the transcendental functions") {
  struct Row {
    const char* name;
    Unary fn;
    Truth truth;
    float low, high;
    double bound;  // ulps
  };
  const Row rows[] = {
      {"exp", Unary::exp, [](long double x) { return std::exp(x); }, -110, 89, 2},
      {"log", Unary::log, [](long double x) { return std::log(x); }, 1e-44f, 3e38f, 2},
      {"log near 1", Unary::log, [](long double x) { return std::log(x); }, 0.5f, 2.0f, 2},
      {"tanh", Unary::tanh, [](long double x) { return std::tanh(x); }, -10, 10, 2},
      {"erf", Unary::erf, [](long double x) { return std::erf(x); }, -5, 5, 2},
      {"sigmoid", Unary::sigmoid, sigmoid, -86, 90, 2.5},
      {"silu", Unary::silu, [](long double x) { return x * sigmoid(x); }, -86, 90, 3},
      {"sin", Unary::sin, [](long double x) { return std::sin(x); }, -1048576, 1048576, 2},
      {"sin small", Unary::sin, [](long double x) { return std::sin(x); }, -7, 7, 2},
      {"cos", Unary::cos, [](long double x) { return std::cos(x); }, -1048576, 1048576, 2},
      {"cos small", Unary::cos, [](long double x) { return std::cos(x); }, -7, 7, 2},
      {"gelu", Unary::gelu, gelu, -12, 50, 3.5},
      {"gelu_tanh from -1 on", Unary::gelu_tanh, gelu_tanh, -1, 50, 3},
  };
  for (const Row& r : rows) {
    const Worst w = worst(r.fn, r.truth, r.low, r.high);
    INFO(r.name << ": " << w.error << " ulps at " << w.at);
    CHECK(w.error <= r.bound);
  }
}

TEST_CASE("gelu_tanh on the negative side: what is lost in the exponential is small beside x") {
  for (float x = -14.5f; x < -1; x += 0.001f) {
    float y = 0;
    exec::kernels().unary(Unary::gelu_tanh, &x, &y, 1);
    const long double want = gelu_tanh(x);
    REQUIRE(std::fabs(y - want) <= std::fabs(want) * 2e-5L + 1e-38L);
  }
}

TEST_CASE("sqrt, rsqrt and recip round as stated") {
  Random random;
  for (int i = 0; i < 20000; ++i) {
    const float x = std::ldexp(std::fabs(random.number()) + 0x1p-20f, static_cast<int>(random.below(200)) - 100);
    float y = 0;
    exec::kernels().unary(Unary::sqrt, &x, &y, 1);
    const float root = std::sqrt(x);
    REQUIRE(y == root);
    exec::kernels().unary(Unary::rsqrt, &x, &y, 1);
    REQUIRE(y == 1.0f / root);
    exec::kernels().unary(Unary::recip, &x, &y, 1);
    REQUIRE(y == 1.0f / x);
  }
}

TEST_CASE("odd functions are odd, sin and cos of the huge stay in [-1, 1], infinities give NaN") {
  std::vector<float> in;
  Random random;
  for (int i = 0; i < 5000; ++i) in.push_back(std::ldexp(random.number(), static_cast<int>(random.below(40)) - 20));
  for (Unary fn : {Unary::tanh, Unary::erf, Unary::sin}) {
    std::vector<float> minus;
    for (float f : in) minus.push_back(-f);
    std::vector<float> a(in.size());
    std::vector<float> b(in.size());
    exec::kernels().unary(fn, in.data(), a.data(), in.size());
    exec::kernels().unary(fn, minus.data(), b.data(), in.size());
    for (std::size_t i = 0; i < in.size(); ++i) REQUIRE(a[i] == -b[i]);
  }
  const float inf = std::numeric_limits<float>::infinity();
  float y = 0;
  for (Unary fn : {Unary::sin, Unary::cos}) {
    exec::kernels().unary(fn, &inf, &y, 1);
    REQUIRE(std::isnan(y));
    for (float x = 0x1p20f; x < 1e38f; x *= 1.37f) {
      exec::kernels().unary(fn, &x, &y, 1);
      REQUIRE(std::fabs(y) <= 1.0f);
    }
  }
}
