// SPDX-License-Identifier: Apache-2.0
// From the model file to the device: a band of rows at a time, so that host memory stays small whatever the model's
// size.
#include <algorithm>
#include <cmath>

#include "isa/base/error.hpp"
#include "isa/base/float_convert.hpp"
#include "models/session/session.hpp"

namespace heddle::models {
namespace {

constexpr std::int64_t band_elements = 1 << 20;

// fp32 to the placement's dtype, appended as bytes.
void convert(std::span<const float> from, DType dtype, std::vector<std::byte>& to) {
  if (dtype == DType::fp32) {
    const auto bytes = std::as_bytes(from);
    to.assign(bytes.begin(), bytes.end());
    return;
  }
  to.resize(from.size() * 2);
  auto* out = reinterpret_cast<std::uint16_t*>(to.data());
  for (std::size_t i = 0; i < from.size(); ++i) out[i] = fp32_to_bf16(from[i]);
}

}  // namespace

void Session::upload_tensor(const weights::ModelFile& model, const Placement& p, const std::string& prefix,
                            std::uint64_t base) {
  std::uint64_t offset = base + p.offset;
  std::vector<float> band;
  std::vector<std::byte> bytes;
  for (const std::string& source : p.sources) {
    const weights::TensorInfo& info = model.tensor(prefix + source);
    // The position table may be longer than the session needs.
    const std::int64_t rows = info.shape.size() == 1 ? 1 : p.sources.size() == 1 ? p.shape[0] : info.shape[0];
    const std::int64_t width = info.shape.back();
    const std::int64_t step = std::max<std::int64_t>(1, band_elements / width);
    for (std::int64_t row = 0; row < rows; row += step) {
      const std::int64_t n = std::min(step, rows - row);
      band.resize(static_cast<std::size_t>(n * width));
      model.read_rows(prefix + source, row, n, band);
      convert(band, p.dtype, bytes);
      weights_.write(bytes, offset);
      offset += bytes.size();
    }
  }
}

// Cosines in the left half of each row, sines in the right; computed in double, rounded once.
void Session::upload_rope() {
  const std::vector<double> frequencies = weights::rope_frequencies(layout_.config);
  const std::size_t half = frequencies.size();
  std::vector<float> table(static_cast<std::size_t>(layout_.limits.context) * 2 * half);
  for (std::size_t position = 0; position * 2 * half < table.size(); ++position)
    for (std::size_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * frequencies[i];
      table[position * 2 * half + i] = static_cast<float>(std::cos(angle));
      table[position * 2 * half + half + i] = static_cast<float>(std::sin(angle));
    }
  weights_.write(table, layout_.global("rope").offset);
}

// Attention reads whole pages: the rows behind the sequence must have been written once.
void Session::clear_kv_cache() {
  const std::vector<std::byte> zeros(std::min<std::uint64_t>(layout_.kv_bytes, band_elements));
  for (std::uint64_t at = 0; at < layout_.kv_bytes; at += zeros.size())
    kv_cache_.write(std::span(zeros).first(std::min<std::uint64_t>(zeros.size(), layout_.kv_bytes - at)), at);
}

void Session::upload_weights(const weights::ModelFile& model) {
  for (const Placement& p : layout_.globals) upload_tensor(model, p, "", 0);
  for (std::int64_t n = 0; n < layout_.config.layers; ++n) {
    const std::uint64_t base = layout_.first_layer + layout_.layer_stride * static_cast<std::uint64_t>(n);
    for (const Placement& p : layout_.per_layer) upload_tensor(model, p, fmt::format("layers.{}.", n), base);
  }
  if (layout_.config.family == weights::ModelFamily::llama) upload_rope();
}

}  // namespace heddle::models
