// SPDX-License-Identifier: Apache-2.0
// Two bytes of length and that much config.json, then any bytes as a safetensors file.
#include <algorithm>
#include <cstring>

#include "isa/base/error.hpp"
#include "models/weights/config_source.hpp"
#include "models/weights/model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::weights;
  if (size < 2) return 0;
  const std::size_t length = std::min<std::size_t>(data[0] | (data[1] << 8), size - 2);
  const std::string_view json(reinterpret_cast<const char*>(data) + 2, length);
  std::vector<std::byte> bytes(size - 2 - length);
  if (!bytes.empty()) std::memcpy(bytes.data(), data + 2 + length, bytes.size());
  std::shared_ptr<const IWeightFile> file;
  try {
    file = open_safetensors(FileBytes::of(std::move(bytes), "fuzz.safetensors"));
    std::vector<float> all;
    for (const TensorInfo& tensor : file->tensors()) {
      if (!info(tensor.type).readable) continue;
      all.resize(static_cast<std::size_t>(tensor.elements()));
      file->read(tensor, 0, all);
    }
  } catch (const heddle::Error& e) {
    if (e.kind() == heddle::ErrorKind::internal) __builtin_trap();
  }
  try {
    ConfigAndScheme from = config_from_json(json, "fuzz/config.json");
    if (file == nullptr) return 0;
    const ModelFile model(file, from.config, from.scheme);
    for (const TensorInfo& tensor : model.tensors()) (void)model.read(tensor.name);
  } catch (const heddle::Error& e) {
    if (e.kind() == heddle::ErrorKind::internal) __builtin_trap();
  }
  return 0;
}
