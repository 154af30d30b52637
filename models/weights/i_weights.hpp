// SPDX-License-Identifier: Apache-2.0
// What every weight file offers, whatever its format.
//
// Contract: construction reads and checks the whole directory of tensors (bounds, overlaps, duplicates, types, sizes)
// and touches no tensor data; memory stays proportional to the directory. Reading is const and reentrant, goes into
// the caller's buffer, and can take any range of a tensor, so that memory is the caller's to bound.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/weights/file_bytes.hpp"
#include "models/weights/storage_type.hpp"

namespace heddle::weights {

struct TensorInfo {
  std::string name;
  StorageType type = StorageType::f32;
  std::vector<std::int64_t> shape;  // row-major, outermost dimension first; empty: a scalar
  std::int64_t bytes = 0;           // in the file

  std::int64_t elements() const;
  // A tensor seen as a matrix: the last dimension is the row.
  std::int64_t row_elements() const { return shape.empty() ? 1 : shape.back(); }
  std::int64_t rows() const { return row_elements() == 0 ? 0 : elements() / row_elements(); }
};

// "[576, 1536]"
std::string shape_text(std::span<const std::int64_t> shape);

class IWeightFile {
 public:
  virtual ~IWeightFile() = default;
  virtual const std::string& path() const = 0;
  virtual std::span<const TensorInfo> tensors() const = 0;
  // nullptr where there is none of that name.
  virtual const TensorInfo* find(std::string_view name) const = 0;
  // Elements [first, first + out.size()) of the tensor, in row-major order, as fp32. `tensor` is one of tensors().
  // Throws HDL-WGT-14 where the range leaves the tensor, HDL-WGT-07 where its type cannot be read.
  virtual void read(const TensorInfo& tensor, std::int64_t first, std::span<float> out) const = 0;
};

// Safetensors: one file.
std::unique_ptr<IWeightFile> open_safetensors(std::shared_ptr<const FileBytes> file);
// Safetensors: the shards that an index file ("weight_map") names, which lie beside it.
std::unique_ptr<IWeightFile> open_safetensors_index(const std::string& index_path);

}  // namespace heddle::weights
