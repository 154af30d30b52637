// SPDX-License-Identifier: Apache-2.0
#include "models/weights/weight_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "isa/base/error.hpp"

namespace heddle::weights {

namespace {

constexpr std::int64_t element_limit = std::int64_t{1} << 62;
constexpr std::int64_t largest_block = 256;

}  // namespace

std::int64_t TensorInfo::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string shape_text(std::span<const std::int64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::int64_t checked_elements(std::span<const std::int64_t> shape, const std::string& path, std::string_view tensor) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || (size > 0 && count > element_limit / size))
      fail_at({path}, ErrorKind::bad_input, "HDL-WGT-08", "tensor '{}' has the absurd shape {}", tensor,
              shape_text(shape));
    count *= size;
  }
  return count;
}

std::int64_t checked_bytes(StorageType type, std::span<const std::int64_t> shape, const std::string& path,
                           std::string_view tensor) {
  const StorageInfo& t = info(type);
  const std::int64_t count = checked_elements(shape, path, tensor);
  const std::int64_t row = shape.empty() ? 1 : shape.back();
  if (row % t.block_elements != 0)
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-08", "tensor '{}' has rows of {} elements, no multiple of {}'s {}",
            tensor, row, t.name, t.block_elements);
  const std::int64_t blocks = count / t.block_elements;
  if (blocks > element_limit / t.block_bytes)
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-08", "tensor '{}' has the absurd shape {}", tensor,
            shape_text(shape));
  return blocks * t.block_bytes;
}

const TensorInfo* MappedWeights::find(std::string_view name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &tensors_[it->second];
}

void MappedWeights::add(TensorInfo tensor, std::uint64_t offset) {
  const auto size = static_cast<std::uint64_t>(file_->bytes().size());
  const auto bytes = static_cast<std::uint64_t>(tensor.bytes);
  if (offset > size || bytes > size - offset)
    fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-05",
            "tensor '{}' takes {} bytes from byte {}, but the file ends at {}: truncated or damaged", tensor.name,
            bytes, offset, size);
  if (!index_.emplace(tensor.name, tensors_.size()).second)
    fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-06", "two tensors are named '{}'", tensor.name);
  tensors_.push_back(std::move(tensor));
  offsets_.push_back(offset);
}

void MappedWeights::check_overlaps() const {
  std::vector<std::size_t> order(tensors_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return tensors_[i].bytes == 0; });
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return offsets_[a] < offsets_[b]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t before = order[i - 1];
    const std::size_t after = order[i];
    if (offsets_[before] + static_cast<std::uint64_t>(tensors_[before].bytes) > offsets_[after])
      fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-05", "tensors '{}' and '{}' overlap at byte {}",
              tensors_[before].name, tensors_[after].name, offsets_[after]);
  }
}

void MappedWeights::read(const TensorInfo& tensor, std::int64_t first, std::span<float> out) const {
  const StorageInfo& t = info(tensor.type);
  const auto count = static_cast<std::int64_t>(out.size());
  const std::int64_t total = tensor.elements();
  if (first < 0 || first > total || count > total - first)
    fail_at({path()}, ErrorKind::internal, "HDL-WGT-14", "elements [{}, +{}) asked of tensor '{}', which has {}", first,
            count, tensor.name, total);
  const std::uint64_t start = offsets_[static_cast<std::size_t>(&tensor - tensors_.data())];
  const auto blocks_at = [&](std::int64_t element, std::int64_t elements) {
    const auto from = start + static_cast<std::uint64_t>(element / t.block_elements * t.block_bytes);
    return file_->bytes().subspan(from, static_cast<std::size_t>(elements / t.block_elements * t.block_bytes));
  };

  // A range that starts or ends within a block goes through one decoded block; the rest straight to the caller.
  std::array<float, largest_block> block;
  while (!out.empty()) {
    const std::int64_t skip = first % t.block_elements;
    const auto left = static_cast<std::int64_t>(out.size());
    std::int64_t done = left - left % t.block_elements;
    if (skip == 0 && done > 0) {
      dequantize(tensor.type, blocks_at(first, done), out.first(static_cast<std::size_t>(done)));
    } else {
      const auto whole = std::span(block).first(static_cast<std::size_t>(t.block_elements));
      dequantize(tensor.type, blocks_at(first - skip, t.block_elements), whole);
      done = std::min(left, t.block_elements - skip);
      std::copy_n(whole.begin() + skip, done, out.begin());
    }
    first += done;
    out = out.subspan(static_cast<std::size_t>(done));
  }
}

}  // namespace heddle::weights
