// SPDX-License-Identifier: Apache-2.0
// The common part of the formats that keep every tensor as one run of bytes in one file.
#pragma once
#include <functional>
#include <map>

#include "models/weights/i_weights.hpp"

namespace heddle::weights {

// Elements of a shape. Throws HDL-WGT-08 (naming file and tensor) where a dimension is negative or the product does
// not fit 62 bits.
std::int64_t checked_elements(std::span<const std::int64_t> shape, const std::string& path, std::string_view tensor);
// Bytes of that many elements in whole blocks; same errors, and HDL-WGT-08 where a row is not whole blocks.
std::int64_t checked_bytes(StorageType type, std::span<const std::int64_t> shape, const std::string& path,
                           std::string_view tensor);

class MappedWeights : public IWeightFile {
 public:
  explicit MappedWeights(std::shared_ptr<const FileBytes> file) : file_(std::move(file)) {}
  const std::string& path() const override { return file_->path(); }
  std::span<const TensorInfo> tensors() const override { return tensors_; }
  const TensorInfo* find(std::string_view name) const override;
  void read(const TensorInfo& tensor, std::int64_t first, std::span<float> out) const override;

 protected:
  // `offset` counts from the start of the file. Throws HDL-WGT-05 past the end, HDL-WGT-06 for a second of that name.
  void add(TensorInfo tensor, std::uint64_t offset);
  // After the last add(): throws HDL-WGT-05 where two tensors share a byte.
  void check_overlaps() const;

  std::shared_ptr<const FileBytes> file_;

 private:
  std::vector<TensorInfo> tensors_;
  std::vector<std::uint64_t> offsets_;  // of tensors_, from the start of the file
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace heddle::weights
