// SPDX-License-Identifier: Apache-2.0
// The device ABI for C++: resources that release themselves, failures as heddle::Error with the device's id and place.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/abi/device.h"
#include "isa/image/image.hpp"
#include "sdk/arch/target.hpp"

namespace heddle::sdk {

class Device;

// Memory of the device, released at the end. Movable. Must not outlive its device.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& o) noexcept { swap(o); }
  Buffer& operator=(Buffer&& o) noexcept {
    swap(o);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();
  std::uint64_t address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }
  operator std::uint64_t() const { return address_; }  // NOLINT: a launch argument

  // HDL-SDK-60 when the range leaves the buffer.
  void write(std::span<const std::byte> data, std::uint64_t offset = 0);
  void read(std::span<std::byte> data, std::uint64_t offset = 0) const;
  template <class T>
  void write(const std::vector<T>& values, std::uint64_t offset = 0) {
    write(std::as_bytes(std::span(values)), offset);
  }
  template <class T>
  std::vector<T> read_as(std::uint64_t offset = 0) const {
    std::vector<T> values((bytes_ - offset) / sizeof(T));
    read(std::as_writable_bytes(std::span(values)), offset);
    return values;
  }

 private:
  friend class Device;
  void swap(Buffer& o) noexcept;
  std::shared_ptr<struct DeviceHandle> device_;
  std::uint64_t address_ = 0;
  std::uint64_t bytes_ = 0;
};

// An image on the device, unloaded at the end.
class LoadedImage {
 public:
  LoadedImage() = default;
  LoadedImage(LoadedImage&& o) noexcept { swap(o); }
  LoadedImage& operator=(LoadedImage&& o) noexcept {
    swap(o);
    return *this;
  }
  LoadedImage(const LoadedImage&) = delete;
  LoadedImage& operator=(const LoadedImage&) = delete;
  ~LoadedImage();
  explicit operator bool() const { return image_ != 0; }

 private:
  friend class Device;
  void swap(LoadedImage& o) noexcept;
  std::shared_ptr<struct DeviceHandle> device_;
  hdl_image image_ = 0;
};

struct Counter {
  std::uint64_t value = 0;
  std::string unit;
  std::string description;
};
// Counters by name at one moment; a - b is what happened in between.
class Counters {
 public:
  std::map<std::string, Counter> rows;
  std::uint64_t operator[](const std::string& name) const;  // 0 where there is none
  friend Counters operator-(Counters a, const Counters& b);
};

struct OpenOptions {
  std::string chip = "edge";
  std::vector<std::string> overrides;
  hdl_mode mode = HDL_MODE_FULL;
  unsigned host_threads = 0;
};

// Not thread-safe.
class Device {
 public:
  // Throws what the device reports: bad chip file, unknown key, ...
  Device(const hdl_api* api, const OpenOptions& options);
  const hdl_chip_info& chip() const;
  const Target& target() const;

  Buffer allocate(std::uint64_t bytes, std::uint64_t alignment = 64);
  template <class T>
  Buffer upload(const std::vector<T>& values) {
    Buffer b = allocate(values.size() * sizeof(T));
    b.write(values);
    return b;
  }
  LoadedImage load(const isa::ProgramImage& image);
  // Launches and waits until every core has halted.
  void run(const LoadedImage& image, const std::string& entry, const std::vector<std::uint64_t>& arguments);
  void launch(const LoadedImage& image, const std::string& entry, const std::vector<std::uint64_t>& arguments);
  void wait();
  Counters counters() const;

 private:
  std::shared_ptr<DeviceHandle> handle_;
  Target target_;
};

// fp32 bits of a launch argument that the kernel uses as a number.
std::uint64_t float_argument(float value);

}  // namespace heddle::sdk
