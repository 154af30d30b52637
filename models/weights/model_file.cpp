// SPDX-License-Identifier: Apache-2.0
#include "models/weights/model_file.hpp"

#include <set>
#include <utility>

#include "isa/base/error.hpp"
#include "models/weights/checkpoint_dir.hpp"
#include "models/weights/gguf.hpp"

namespace heddle::weights {

ModelFile::ModelFile(std::shared_ptr<const IWeightFile> file, ModelConfig config, NameScheme scheme)
    : file_(std::move(file)), config_(std::move(config)) {
  const std::string prefix = name_prefix(*file_, scheme);
  for (std::int64_t layer = -1; layer < config_.layers; ++layer) {
    for (MappedTensor& m : map_tensors(config_, scheme, layer)) {
      const std::string source = m.source.starts_with("lm_head.") ? m.source : prefix + m.source;
      const TensorInfo* found = file_->find(source);
      if (found == nullptr)
        fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-09", "no tensor '{}', expected {} of it", source,
                shape_text(m.source_shape));
      if (found->shape != m.source_shape)
        fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-10", "tensor '{}' has shape {}, expected {}", source,
                shape_text(found->shape), shape_text(m.source_shape));
      if (!info(found->type).readable)
        fail_at({path()}, ErrorKind::unsupported, "HDL-WGT-07", "tensor '{}' is of type {}, which cannot be read",
                source, weights::name(found->type));
      index_.emplace(m.name, tensors_.size());
      tensors_.push_back({std::move(m.name), found->type, std::move(m.shape), found->bytes});
      entries_.push_back({found, m.layout});
    }
  }
}

bool ModelFile::has(std::string_view name) const { return index_.contains(std::string(name)); }

std::size_t ModelFile::index_of(std::string_view name) const {
  const auto it = index_.find(std::string(name));
  if (it == index_.end()) fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-09", "this model has no tensor '{}'", name);
  return it->second;
}

const TensorInfo& ModelFile::tensor(std::string_view name) const { return tensors_[index_of(name)]; }

std::int64_t ModelFile::parameters() const {
  std::int64_t sum = 0;
  std::set<std::pair<const TensorInfo*, std::int64_t>> seen;
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    if (seen.insert({entries_[i].source, entries_[i].layout.first_row}).second) sum += tensors_[i].elements();
  return sum;
}

void ModelFile::read_elements(const Entry& entry, const TensorInfo& tensor, std::int64_t first, std::int64_t rows,
                              std::span<float> out) const {
  const Layout& layout = entry.layout;
  const std::int64_t width = tensor.shape.size() == 1 ? 1 : tensor.row_elements();
  if (layout.transposed) {
    // Each row of the file holds one column of ours.
    std::vector<float> column(static_cast<std::size_t>(rows));
    for (std::int64_t k = 0; k < width; ++k) {
      file_->read(*entry.source, k * layout.source_rows + layout.first_row + first, column);
      for (std::int64_t r = 0; r < rows; ++r)
        out[static_cast<std::size_t>(r * width + k)] = column[static_cast<std::size_t>(r)];
    }
    return;
  }
  if (layout.interleaved == 0) return file_->read(*entry.source, (layout.first_row + first) * width, out);
  // Row j of a head, at half h = j / (d/2) and pair i = j % (d/2), is the file's row 2 i + h of that head.
  const std::int64_t d = layout.interleaved;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t j = (first + r) % d;
    const std::int64_t from = first + r - j + 2 * (j % (d / 2)) + j / (d / 2);
    file_->read(*entry.source, (layout.first_row + from) * width,
                out.subspan(static_cast<std::size_t>(r * width), static_cast<std::size_t>(width)));
  }
}

void ModelFile::read_rows(std::string_view name, std::int64_t first_row, std::int64_t rows,
                          std::span<float> out) const {
  const std::size_t i = index_of(name);
  const TensorInfo& tensor = tensors_[i];
  if (first_row < 0 || rows < 0 || first_row > tensor.rows() || rows > tensor.rows() - first_row ||
      static_cast<std::int64_t>(out.size()) != rows * tensor.row_elements())
    fail_at({path()}, ErrorKind::internal, "HDL-WGT-14",
            "rows [{}, +{}) of '{}' {} asked for into a buffer of {} elements", first_row, rows, name,
            shape_text(tensor.shape), out.size());
  if (tensor.shape.size() == 1) {
    read_elements(entries_[i], tensor, 0, static_cast<std::int64_t>(out.size()), out);
  } else {
    read_elements(entries_[i], tensor, first_row, rows, out);
  }
}

void ModelFile::read(std::string_view name, std::span<float> out) const {
  read_rows(name, 0, tensor(name).rows(), out);
}

std::vector<float> ModelFile::read(std::string_view name) const {
  std::vector<float> out(static_cast<std::size_t>(tensor(name).elements()));
  read(name, out);
  return out;
}

ModelFile load_model(const std::string& path) {
  const ModelPath at = resolve_model_path(path);
  if (at.gguf) {
    auto file = std::make_shared<const GgufFile>(FileBytes::open(at.weights));
    ConfigAndScheme from = config_from_gguf(*file);
    return ModelFile(std::move(file), std::move(from.config), from.scheme);
  }
  ConfigAndScheme from = read_checkpoint_config(at.folder);
  std::shared_ptr<const IWeightFile> file = at.weights.ends_with(".json")
                                                ? open_safetensors_index(at.weights)
                                                : open_safetensors(FileBytes::open(at.weights));
  return ModelFile(std::move(file), std::move(from.config), from.scheme);
}

}  // namespace heddle::weights
