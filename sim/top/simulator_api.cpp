// SPDX-License-Identifier: Apache-2.0
// No exception leaves the C face: each becomes a status and the device's last error.
#include "sim/top/device_face.hpp"

#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "isa/base/error.hpp"
#include "sim/top/simulator_api.h"

namespace {

struct LastError {
  std::string id, message, file;
  std::uint32_t line = 0;
};

thread_local LastError open_error;

hdl_status status_of(heddle::ErrorKind kind) {
  switch (kind) {
    case heddle::ErrorKind::bad_input:
      return HDL_BAD_INPUT;
    case heddle::ErrorKind::program:
      return HDL_PROGRAM_ERROR;
    case heddle::ErrorKind::unsupported:
      return HDL_UNSUPPORTED;
    case heddle::ErrorKind::internal:
      return HDL_INTERNAL;
  }
  return HDL_INTERNAL;
}

template <class F>
hdl_status guarded(LastError& error, F&& body) {
  try {
    body();
    return HDL_OK;
  } catch (const heddle::Error& e) {
    error = {e.id(), e.what(), e.where().file, e.where().line};
    return status_of(e.kind());
  } catch (const std::bad_alloc&) {
    error = {"HDL-DEV-03", "HDL-DEV-03: the host is out of memory", "", 0};
    return HDL_UNSUPPORTED;
  } catch (const std::exception& e) {
    error = {"HDL-DEV-04", std::string("HDL-DEV-04: ") + e.what(), "", 0};
  } catch (...) {
    error = {"HDL-DEV-04", "HDL-DEV-04: an unknown exception", "", 0};
  }
  return HDL_INTERNAL;
}

void require(bool condition, const char* what) {
  if (!condition) heddle::fail(heddle::ErrorKind::bad_input, "HDL-DEV-01", "{}", what);
}

}  // namespace

struct hdl_device {
  std::unique_ptr<heddle::top::SimulatorDevice> impl;
  LastError error;
};

namespace heddle::top {

hdl_status open_with(DeviceMaker make, const hdl_open_options* options, hdl_device** device) {
  return guarded(open_error, [&] {
    require(device != nullptr, "open without a place for the device");
    *device = nullptr;
    require(options != nullptr && options->chip != nullptr, "open without a chip");
    // A C caller may put any number there, which an enum of C++ must not even be read as.
    int mode = 0;
    static_assert(sizeof(mode) == sizeof(options->mode));
    std::memcpy(&mode, &options->mode, sizeof(mode));
    require(mode >= HDL_MODE_VALUES && mode <= HDL_MODE_FULL,
            "open in an unknown mode; expected values, timing or full");
    require(options->override_count == 0 || options->overrides != nullptr, "overrides without a list");
    std::vector<std::string> overrides;
    for (size_t i = 0; i < options->override_count; ++i) overrides.emplace_back(options->overrides[i]);
    *device = new hdl_device{make(options->chip, overrides, static_cast<hdl_mode>(mode), options->host_threads), {}};
  });
}

void close_device(hdl_device* device) { delete device; }

hdl_error_info last_error(const hdl_device* device) {
  const LastError& e = device == nullptr ? open_error : device->error;
  return {e.id.c_str(), e.message.c_str(), e.file.c_str(), e.line};
}

hdl_status chip_info(hdl_device* device, hdl_chip_info* info) {
  return guarded(device->error, [&] {
    require(info != nullptr, "chip_info without a place for it");
    *info = device->impl->info();
  });
}

hdl_status allocate(hdl_device* device, uint64_t bytes, uint64_t alignment, uint64_t* address) {
  return guarded(device->error, [&] {
    require(address != nullptr, "allocate without a place for the address");
    *address = device->impl->allocate(bytes, alignment);
  });
}

hdl_status release(hdl_device* device, uint64_t address) {
  return guarded(device->error, [&] { device->impl->release(address); });
}

hdl_status write(hdl_device* device, uint64_t address, const void* data, uint64_t bytes) {
  return guarded(device->error, [&] {
    require(data != nullptr || bytes == 0, "write without data");
    device->impl->write(address, data, bytes);
  });
}

hdl_status read(hdl_device* device, uint64_t address, void* data, uint64_t bytes) {
  return guarded(device->error, [&] {
    require(data != nullptr || bytes == 0, "read without a place for the data");
    device->impl->read(address, data, bytes);
  });
}

hdl_status load_image(hdl_device* device, const void* data, size_t bytes, hdl_image* image) {
  return guarded(device->error, [&] {
    require(image != nullptr && (data != nullptr || bytes == 0), "load_image without data or a place for the image");
    *image = device->impl->load_image({static_cast<const std::uint8_t*>(data), bytes});
  });
}

hdl_status unload_image(hdl_device* device, hdl_image image) {
  return guarded(device->error, [&] { device->impl->unload_image(image); });
}

hdl_status launch(hdl_device* device, hdl_image image, const char* entry, const uint64_t* arguments, size_t count) {
  return guarded(device->error, [&] {
    require(entry != nullptr && (arguments != nullptr || count == 0), "launch without an entry or arguments");
    device->impl->launch(image, entry, {arguments, count});
  });
}

hdl_status wait_device(hdl_device* device) {
  return guarded(device->error, [&] { device->impl->wait(); });
}

hdl_status counters(hdl_device* device, hdl_counter* rows, size_t capacity, size_t* count) {
  return guarded(device->error, [&] {
    require(count != nullptr && (rows != nullptr || capacity == 0), "counters without a place for them");
    const auto& all = device->impl->count().rows();
    *count = all.size();
    for (size_t i = 0; i < all.size() && i < capacity; ++i)
      rows[i] = {all[i].name.c_str(), all[i].unit.c_str(), all[i].description.c_str(), all[i].value};
  });
}

}  // namespace heddle::top

namespace {

std::unique_ptr<heddle::top::SimulatorDevice> make_simulator(const std::string& chip,
                                                             const std::vector<std::string>& overrides, hdl_mode mode,
                                                             unsigned host_threads) {
  return std::make_unique<heddle::top::SimulatorDevice>(chip, overrides, mode, host_threads);
}

constexpr hdl_api simulator = heddle::top::device_face<make_simulator>("simulator");

}  // namespace

extern "C" const hdl_api* hdl_simulator_api(void) { return &simulator; }
