// SPDX-License-Identifier: Apache-2.0
// Weight files made byte by byte, so that a test can make them wrong in one place.
#pragma once
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/weights/file_bytes.hpp"

namespace heddle::testing {

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::string float_bytes(std::span<const float> values) {
  if (values.empty()) return "";
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}
// n floats from + 0, from + 1, ...
inline std::vector<float> ramp(std::int64_t n, float from = 0.0f) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < n; ++i) out.push_back(from + static_cast<float>(i));
  return out;
}

inline std::shared_ptr<const weights::FileBytes> file_of(const std::string& bytes, std::string name = "test.bin") {
  std::vector<std::byte> copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return weights::FileBytes::of(std::move(copy), std::move(name));
}

struct GgufBuilder {
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::string entries;
  std::uint64_t entry_count = 0;
  std::string tensors;
  std::uint64_t tensor_count = 0;
  std::string data;

  static void put_string(std::string& out, const std::string& text) {
    append<std::uint64_t>(out, text.size());
    out += text;
  }
  void key(const std::string& name, std::uint32_t type) {
    put_string(entries, name);
    append(entries, type);
    ++entry_count;
  }
  void u32(const std::string& name, std::uint32_t v) { key(name, 4), append(entries, v); }
  void f32(const std::string& name, float v) { key(name, 6), append(entries, v); }
  void boolean(const std::string& name, bool v) { key(name, 7), append<std::uint8_t>(entries, v); }
  void text(const std::string& name, const std::string& v) { key(name, 8), put_string(entries, v); }
  template <class T>
  void array(const std::string& name, std::uint32_t element, const std::vector<T>& v) {
    key(name, 9);
    append(entries, element);
    append<std::uint64_t>(entries, v.size());
    for (const T& item : v) append(entries, item);
  }
  void strings(const std::string& name, const std::vector<std::string>& v) {
    key(name, 9);
    append<std::uint32_t>(entries, 8);
    append<std::uint64_t>(entries, v.size());
    for (const std::string& item : v) put_string(entries, item);
  }
  // `shape` outermost first; it is written innermost first.
  void tensor_at(const std::string& name, std::vector<std::uint64_t> shape, std::uint32_t type, std::uint64_t offset) {
    put_string(tensors, name);
    append<std::uint32_t>(tensors, static_cast<std::uint32_t>(shape.size()));
    for (auto it = shape.rbegin(); it != shape.rend(); ++it) append(tensors, *it);
    append(tensors, type);
    append(tensors, offset);
    ++tensor_count;
  }
  void tensor(const std::string& name, std::vector<std::uint64_t> shape, std::uint32_t type, const std::string& bytes) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    tensor_at(name, std::move(shape), type, data.size());
    data += bytes;
  }
  void floats(const std::string& name, std::vector<std::uint64_t> shape, const std::vector<float>& values) {
    tensor(name, std::move(shape), 0, float_bytes(values));
  }
  std::string bytes() const {
    std::string out = "GGUF";
    append(out, version);
    append(out, tensor_count);
    append(out, entry_count);
    out += entries;
    out += tensors;
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    return out + data;
  }
};

struct SafetensorsBuilder {
  std::string header;
  std::string data;

  void tensor(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& bytes) {
    header += header.empty() ? "{" : ",";
    header += "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
              std::to_string(data.size()) + "," + std::to_string(data.size() + bytes.size()) + "]}";
    data += bytes;
  }
  void floats(const std::string& name, const std::string& shape, const std::vector<float>& values) {
    tensor(name, "F32", shape, float_bytes(values));
  }
  static std::string with_header(const std::string& header, const std::string& data) {
    std::string out;
    append<std::uint64_t>(out, header.size());
    return out + header + data;
  }
  std::string bytes() const { return with_header(header.empty() ? "{}" : header + "}", data); }
};

// A folder that goes with the object.
class TempFolder {
 public:
  TempFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("heddle-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string path(const std::string& name = "") const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace heddle::testing
