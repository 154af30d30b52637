// SPDX-License-Identifier: Apache-2.0
#include "testbench/unit/sdk/run_support.hpp"

#include <random>

#include "isa/base/float_convert.hpp"
#include "sim/top/simulator_api.h"

namespace heddle::sdk::test {

Device open_edge(hdl_mode mode, int cores, std::vector<std::string> overrides, std::uint32_t host_threads) {
  OpenOptions o;
  o.chip = std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/edge.yaml";
  o.overrides = std::move(overrides);
  o.overrides.push_back("cores=" + std::to_string(cores));
  o.mode = mode;
  o.host_threads = host_threads;
  return Device(hdl_simulator_api(), o);
}

void run(Device& device, const std::function<void(KernelBuilder&)>& body, const std::vector<std::uint64_t>& arguments) {
  KernelBuilder k(device.target(), "test");
  body(k);
  const LoadedImage image = device.load(k.finish());
  device.run(image, "main", arguments);
}

std::vector<float> small_integers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> v(n);
  for (float& x : v) x = static_cast<float>(static_cast<int>(random() % 17) - 8);
  return v;
}

std::vector<std::uint16_t> to_bf16(const std::vector<float>& v) {
  std::vector<std::uint16_t> out;
  out.reserve(v.size());
  for (const float x : v) out.push_back(fp32_to_bf16(x));
  return out;
}

std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b, int m, int k, int n) {
  std::vector<float> c(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int x = 0; x < k; ++x)
        sum += static_cast<double>(a[static_cast<std::size_t>(i * k + x)]) *
               static_cast<double>(b[static_cast<std::size_t>(x * n + j)]);
      c[static_cast<std::size_t>(i * n + j)] = static_cast<float>(sum);
    }
  return c;
}

}  // namespace heddle::sdk::test
