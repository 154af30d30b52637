// SPDX-License-Identifier: Apache-2.0
// Any bytes as a GGUF file: its directory, the config and the model that it describes, and all of its data.
#include <cstring>

#include "isa/base/error.hpp"
#include "models/weights/config_source.hpp"
#include "models/weights/model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::weights;
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  try {
    auto file = std::make_shared<const GgufFile>(FileBytes::of(std::move(bytes), "fuzz.gguf"));
    std::vector<float> all;
    for (const TensorInfo& tensor : file->tensors()) {
      if (!info(tensor.type).readable) continue;
      all.resize(static_cast<std::size_t>(tensor.elements()));
      file->read(tensor, 0, all);
      if (all.size() > 2) file->read(tensor, 1, std::span(all).first(all.size() - 2));
    }
    ConfigAndScheme from = config_from_gguf(*file);
    const ModelFile model(file, from.config, from.scheme);
    for (const TensorInfo& tensor : model.tensors()) (void)model.read(tensor.name);
  } catch (const heddle::Error& e) {
    if (e.kind() == heddle::ErrorKind::internal) __builtin_trap();
  }
  return 0;
}
