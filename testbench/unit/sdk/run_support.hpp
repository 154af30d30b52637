// SPDX-License-Identifier: Apache-2.0
// Records a program and runs it on the simulator.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sdk/runtime/device.hpp"
#include "sdk/sdk.hpp"

namespace heddle::sdk::test {

// The edge chip with so many cores.
Device open_edge(hdl_mode mode, int cores, std::vector<std::string> overrides = {}, std::uint32_t host_threads = 0);

// Records with `body`, loads, runs "main" with the arguments.
void run(Device& device, const std::function<void(KernelBuilder&)>& body, const std::vector<std::uint64_t>& arguments);

// Small integers as floats: sums of their products are exact in fp32, in any order.
std::vector<float> small_integers(std::size_t n, unsigned seed);
std::vector<std::uint16_t> to_bf16(const std::vector<float>& v);
// c[m,n] = a[m,k] · b[k,n], in double.
std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b, int m, int k, int n);

}  // namespace heddle::sdk::test
