// SPDX-License-Identifier: Apache-2.0
#include "sdk/runtime/device.hpp"

#include <bit>
#include <utility>

#include "isa/base/error.hpp"

namespace heddle::sdk {
namespace {

ErrorKind kind_of(hdl_status status) {
  switch (status) {
    case HDL_BAD_INPUT:
      return ErrorKind::bad_input;
    case HDL_PROGRAM_ERROR:
      return ErrorKind::program;
    case HDL_UNSUPPORTED:
      return ErrorKind::unsupported;
    default:
      return ErrorKind::internal;
  }
}

std::string text(const char* s) { return s == nullptr ? std::string() : std::string(s); }

}  // namespace

struct DeviceHandle {
  const hdl_api* api = nullptr;
  hdl_device* device = nullptr;
  hdl_chip_info chip{};

  DeviceHandle() = default;
  DeviceHandle(const DeviceHandle&) = delete;
  DeviceHandle& operator=(const DeviceHandle&) = delete;
  ~DeviceHandle() {
    if (device != nullptr) api->close(device);
  }
  // The device's message carries its place and identifier already; they are taken off it where they lead it.
  void check(hdl_status status) const {
    if (status == HDL_OK) return;
    const hdl_error_info e = api->last_error(device);
    std::string message = text(e.message);
    const SourceLocation where{text(e.file), e.line, 0};
    const std::string id = text(e.id);
    const std::size_t at = id.empty() ? std::string::npos : message.find(id + ": ");
    if (at != std::string::npos && message.substr(0, at) == place(where)) message = message.substr(at + id.size() + 2);
    throw Error(kind_of(status), id, message, where);
  }

 private:
  static std::string place(const SourceLocation& w) {
    if (w.file.empty()) return "";
    return w.line == 0 ? w.file + ": " : fmt::format("{}:{}: ", w.file, w.line);
  }
};

Buffer::~Buffer() {
  if (device_) device_->api->release(device_->device, address_);
}
void Buffer::swap(Buffer& o) noexcept {
  std::swap(device_, o.device_);
  std::swap(address_, o.address_);
  std::swap(bytes_, o.bytes_);
}

void Buffer::write(std::span<const std::byte> data, std::uint64_t offset) {
  if (offset > bytes_ || data.size() > bytes_ - offset)
    fail(ErrorKind::bad_input, "HDL-SDK-60", "{} bytes written at {} of a buffer of {}", data.size(), offset, bytes_);
  if (!data.empty()) device_->check(device_->api->write(device_->device, address_ + offset, data.data(), data.size()));
}
void Buffer::read(std::span<std::byte> data, std::uint64_t offset) const {
  if (offset > bytes_ || data.size() > bytes_ - offset)
    fail(ErrorKind::bad_input, "HDL-SDK-60", "{} bytes read at {} of a buffer of {}", data.size(), offset, bytes_);
  if (!data.empty()) device_->check(device_->api->read(device_->device, address_ + offset, data.data(), data.size()));
}

LoadedImage::~LoadedImage() {
  if (device_ && image_ != 0) device_->api->unload_image(device_->device, image_);
}
void LoadedImage::swap(LoadedImage& o) noexcept {
  std::swap(device_, o.device_);
  std::swap(image_, o.image_);
}

std::uint64_t Counters::operator[](const std::string& name) const {
  const auto found = rows.find(name);
  return found == rows.end() ? 0 : found->second.value;
}
Counters operator-(Counters a, const Counters& b) {
  for (auto& [name, counter] : a.rows) counter.value -= b[name];
  return a;
}

Device::Device(const hdl_api* api, const OpenOptions& options) : handle_(std::make_shared<DeviceHandle>()) {
  if (api == nullptr || api->abi_version != HDL_ABI_VERSION)
    fail(ErrorKind::bad_input, "HDL-SDK-61", "a device of ABI version {}; this program speaks {}",
         api == nullptr ? 0 : api->abi_version, HDL_ABI_VERSION);
  handle_->api = api;
  std::vector<const char*> overrides;
  for (const std::string& o : options.overrides) overrides.push_back(o.c_str());
  hdl_open_options open{options.chip.c_str(), overrides.data(), overrides.size(), options.mode, options.host_threads};
  handle_->check(api->open(&open, &handle_->device));
  handle_->check(api->chip_info(handle_->device, &handle_->chip));
  target_ = target_of(handle_->chip);
}

const hdl_chip_info& Device::chip() const { return handle_->chip; }
const Target& Device::target() const { return target_; }

Buffer Device::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  std::uint64_t address = 0;
  handle_->check(handle_->api->allocate(handle_->device, bytes, alignment, &address));
  Buffer b;
  b.device_ = handle_;
  b.address_ = address;
  b.bytes_ = bytes;
  return b;
}

LoadedImage Device::load(const isa::ProgramImage& image) {
  const std::vector<std::uint8_t> bytes = isa::serialize(image);
  LoadedImage loaded;
  handle_->check(handle_->api->load_image(handle_->device, bytes.data(), bytes.size(), &loaded.image_));
  loaded.device_ = handle_;
  return loaded;
}

void Device::launch(const LoadedImage& image, const std::string& entry, const std::vector<std::uint64_t>& arguments) {
  handle_->check(
      handle_->api->launch(handle_->device, image.image_, entry.c_str(), arguments.data(), arguments.size()));
}
void Device::wait() { handle_->check(handle_->api->wait(handle_->device)); }
void Device::run(const LoadedImage& image, const std::string& entry, const std::vector<std::uint64_t>& arguments) {
  launch(image, entry, arguments);
  wait();
}

Counters Device::counters() const {
  std::size_t count = 0;
  handle_->check(handle_->api->counters(handle_->device, nullptr, 0, &count));
  std::vector<hdl_counter> rows(count);
  handle_->check(handle_->api->counters(handle_->device, rows.data(), rows.size(), &count));
  Counters c;
  for (const hdl_counter& r : rows) c.rows[text(r.name)] = {r.value, text(r.unit), text(r.description)};
  return c;
}

std::uint64_t float_argument(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace heddle::sdk
