// SPDX-License-Identifier: Apache-2.0
// A device opened through the ABI and programs assembled from text: what tests of the simulator stand on.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/abi/device.h"
#include "isa/asm/assembler.hpp"
#include "isa/image/image.hpp"
#include "sim/top/simulator_api.h"

namespace heddle::testing {

struct DeviceFailure : std::runtime_error {
  DeviceFailure(hdl_status s, const hdl_error_info& e)
      : std::runtime_error(e.message), status(s), id(e.id), file(e.file), line(e.line) {}
  hdl_status status;
  std::string id;
  std::string file;
  std::uint32_t line;
};

class Machine {
 public:
  Machine(const std::string& chip, hdl_mode mode, const std::vector<std::string>& overrides = {},
          std::uint32_t host_threads = 1) {
    std::vector<const char*> list;
    for (const std::string& o : overrides) list.push_back(o.c_str());
    hdl_open_options options{chip.c_str(), list.data(), list.size(), mode, host_threads};
    check(api_->open(&options, &device_));
  }
  ~Machine() { close(); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  void close() {
    if (device_ != nullptr) api_->close(device_);
    device_ = nullptr;
  }

  hdl_image load(const isa::ProgramImage& image) {
    const std::vector<std::uint8_t> bytes = isa::serialize(image);
    hdl_image out = 0;
    check(api_->load_image(device_, bytes.data(), bytes.size(), &out));
    return out;
  }
  hdl_image assemble(const std::string& text) { return load(isa::assemble(text, "test.s")); }
  void run(hdl_image image, const std::vector<std::uint64_t>& arguments = {}, const std::string& entry = "start") {
    check(api_->launch(device_, image, entry.c_str(), arguments.data(), arguments.size()));
    check(api_->wait(device_));
  }
  // Assembles, runs, and returns the cycles it took.
  std::uint64_t cycles(const std::string& text, const std::vector<std::uint64_t>& arguments = {}) {
    const hdl_image image = assemble(text);
    const std::uint64_t before = counter("cycles");
    run(image, arguments);
    return counter("cycles") - before;
  }

  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment = 64) {
    std::uint64_t address = 0;
    check(api_->allocate(device_, bytes, alignment, &address));
    return address;
  }
  template <class T>
  std::uint64_t upload(const std::vector<T>& values) {
    const std::uint64_t address = allocate(values.size() * sizeof(T));
    check(api_->write(device_, address, values.data(), values.size() * sizeof(T)));
    return address;
  }
  template <class T>
  std::vector<T> download(std::uint64_t address, std::size_t count) {
    std::vector<T> values(count);
    check(api_->read(device_, address, values.data(), count * sizeof(T)));
    return values;
  }

  std::map<std::string, std::uint64_t> counters() {
    std::size_t count = 0;
    check(api_->counters(device_, nullptr, 0, &count));
    std::vector<hdl_counter> rows(count);
    check(api_->counters(device_, rows.data(), rows.size(), &count));
    std::map<std::string, std::uint64_t> out;
    for (const hdl_counter& c : rows) out[c.name] = c.value;
    return out;
  }
  std::uint64_t counter(const std::string& name) {
    const auto all = counters();
    const auto it = all.find(name);
    if (it == all.end()) throw std::out_of_range("no counter " + name);
    return it->second;
  }

  const hdl_api* api() const { return api_; }
  hdl_device* device() const { return device_; }

 private:
  void check(hdl_status status) {
    if (status != HDL_OK) throw DeviceFailure(status, api_->last_error(device_));
  }
  const hdl_api* api_ = hdl_simulator_api();
  hdl_device* device_ = nullptr;
};

// The message with which `body` fails, or "" when it does not.
template <class F>
std::string failure_of(F&& body) {
  try {
    body();
  } catch (const DeviceFailure& e) {
    return e.what();
  }
  return {};
}

}  // namespace heddle::testing
