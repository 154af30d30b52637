// SPDX-License-Identifier: Apache-2.0
// The device ABI over SimulatorDevice: one table of functions for each way to make one.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "isa/abi/device.h"
#include "sim/top/simulator_device.hpp"

namespace heddle::top {

// Throws what a device that cannot be opened throws.
using DeviceMaker = std::unique_ptr<SimulatorDevice> (*)(const std::string& chip,
                                                         const std::vector<std::string>& overrides, hdl_mode mode,
                                                         unsigned host_threads);

hdl_status open_with(DeviceMaker make, const hdl_open_options* options, hdl_device** device);
void close_device(hdl_device* device);
hdl_error_info last_error(const hdl_device* device);
hdl_status chip_info(hdl_device* device, hdl_chip_info* info);
hdl_status allocate(hdl_device* device, uint64_t bytes, uint64_t alignment, uint64_t* address);
hdl_status release(hdl_device* device, uint64_t address);
hdl_status write(hdl_device* device, uint64_t address, const void* data, uint64_t bytes);
hdl_status read(hdl_device* device, uint64_t address, void* data, uint64_t bytes);
hdl_status load_image(hdl_device* device, const void* data, size_t bytes, hdl_image* image);
hdl_status unload_image(hdl_device* device, hdl_image image);
hdl_status launch(hdl_device* device, hdl_image image, const char* entry, const uint64_t* arguments, size_t count);
hdl_status wait_device(hdl_device* device);
hdl_status counters(hdl_device* device, hdl_counter* rows, size_t capacity, size_t* count);

template <DeviceMaker Make>
hdl_status open_device(const hdl_open_options* options, hdl_device** device) {
  return open_with(Make, options, device);
}

template <DeviceMaker Make>
constexpr hdl_api device_face(const char* name) {
  return {HDL_ABI_VERSION, name, open_device<Make>, close_device, last_error, chip_info,   allocate, release,
          write,           read, load_image,        unload_image, launch,     wait_device, counters};
}

}  // namespace heddle::top
