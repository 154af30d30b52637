// SPDX-License-Identifier: Apache-2.0
// Safetensors: a 64-bit header length, a JSON header {name: {dtype, shape, data_offsets}}, then the data.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "models/weights/byte_reader.hpp"
#include "models/weights/json_file.hpp"
#include "models/weights/weight_file.hpp"

namespace heddle::weights {

namespace {

constexpr std::uint64_t longest_header = 100'000'000;  // the limit of the reference implementation
constexpr std::size_t most_dimensions = 8;

StorageType storage_type(std::string_view text, const std::string& path, std::string_view tensor) {
  std::vector<std::string_view> known;
  for (int i = 0; i < storage_type_count; ++i) {
    const auto type = static_cast<StorageType>(i);
    if (info(type).safetensors.empty()) continue;
    if (info(type).safetensors == text) return type;
    if (info(type).readable) known.push_back(info(type).safetensors);
  }
  fail_at({path}, ErrorKind::unsupported, "HDL-WGT-07", "tensor '{}' has dtype '{}'; supported are {}", tensor, text,
          fmt::join(known, ", "));
}

class SafetensorsFile final : public MappedWeights {
 public:
  explicit SafetensorsFile(std::shared_ptr<const FileBytes> file) : MappedWeights(std::move(file)) {
    ByteReader in(*file_);
    const auto length = in.number<std::uint64_t>("the header's length");
    if (length > longest_header)
      fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-03",
              "not a safetensors file, or damaged: its header would be {} bytes long, expected at most {}", length,
              longest_header);
    const auto bytes = in.take(length, "the header");
    const Json header = parse_json_object({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path());
    const std::uint64_t data = in.position();
    for (const auto& [key, entry] : header.items())
      if (key != "__metadata__") add_entry(key, entry, data);
    check_overlaps();
  }

 private:
  void add_entry(const std::string& key, const Json& entry, std::uint64_t data) {
    TensorInfo tensor;
    tensor.name = key;
    if (!entry.is_object()) malformed(key, "is not an object");
    const auto dtype = entry.find("dtype");
    if (dtype == entry.end() || !dtype->is_string()) malformed(key, "has no dtype");
    tensor.type = storage_type(dtype->get_ref<const std::string&>(), path(), key);
    tensor.shape = integers(key, entry, "shape", most_dimensions);
    const std::vector<std::int64_t> offsets = integers(key, entry, "data_offsets", 2);
    if (offsets.size() != 2 || offsets[0] > offsets[1]) malformed(key, "has no data_offsets [begin, end]");
    tensor.bytes = checked_bytes(tensor.type, tensor.shape, path(), key);
    if (offsets[1] - offsets[0] != tensor.bytes)
      fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-05",
              "tensor '{}' {} of {} takes {} bytes, but its data_offsets span {}", key, shape_text(tensor.shape),
              name(tensor.type), tensor.bytes, offsets[1] - offsets[0]);
    add(std::move(tensor), data + static_cast<std::uint64_t>(offsets[0]));
  }

  std::vector<std::int64_t> integers(const std::string& key, const Json& entry, const char* field, std::size_t most) {
    const auto list = entry.find(field);
    if (list == entry.end() || !list->is_array() || list->size() > most)
      malformed(key, fmt::format("has no list '{}' of at most {} numbers", field, most));
    std::vector<std::int64_t> result;
    for (const Json& item : *list) {
      if (!item.is_number_unsigned() || item.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        malformed(key, fmt::format("has a '{}' that is not a list of non-negative integers", field));
      result.push_back(item.get<std::int64_t>());
    }
    return result;
  }

  [[noreturn]] void malformed(const std::string& key, const std::string& what) const {
    fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-04", "malformed header: tensor '{}' {}", key, what);
  }
};

class ShardedWeights final : public IWeightFile {
 public:
  explicit ShardedWeights(const std::string& index_path) : path_(index_path) {
    const auto file = FileBytes::open(index_path);
    const Json index = parse_json_object(file->text(), index_path);
    const auto map = index.find("weight_map");
    if (map == index.end() || !map->is_object())
      fail_at({index_path}, ErrorKind::bad_input, "HDL-WGT-04", "no object 'weight_map'");
    const auto folder = std::filesystem::path(index_path).parent_path();
    std::map<std::string, std::size_t> opened;
    for (const auto& [tensor, shard] : map->items()) {
      // A shard lies beside its index: a path that leads elsewhere is not followed.
      if (!shard.is_string() || std::filesystem::path(shard.get<std::string>()).filename() != shard.get<std::string>())
        fail_at({index_path}, ErrorKind::bad_input, "HDL-WGT-04", "weight_map of '{}' is not a file name", tensor);
      const auto [it, fresh] = opened.emplace(shard.get<std::string>(), shards_.size());
      if (fresh) shards_.push_back(open_safetensors(FileBytes::open((folder / it->first).string())));
      const TensorInfo* found = shards_[it->second]->find(tensor);
      if (found == nullptr)
        fail_at({index_path}, ErrorKind::bad_input, "HDL-WGT-09",
                "tensor '{}' is not in '{}', where weight_map puts it", tensor, it->first);
      index_.emplace(tensor, tensors_.size());
      tensors_.push_back(*found);
      places_.push_back({it->second, found});
    }
  }

  const std::string& path() const override { return path_; }
  std::span<const TensorInfo> tensors() const override { return tensors_; }
  const TensorInfo* find(std::string_view name) const override {
    const auto it = index_.find(name);
    return it == index_.end() ? nullptr : &tensors_[it->second];
  }
  void read(const TensorInfo& tensor, std::int64_t first, std::span<float> out) const override {
    const Place& place = places_[static_cast<std::size_t>(&tensor - tensors_.data())];
    shards_[place.shard]->read(*place.tensor, first, out);
  }

 private:
  struct Place {
    std::size_t shard;
    const TensorInfo* tensor;
  };
  std::string path_;
  std::vector<std::unique_ptr<IWeightFile>> shards_;
  std::vector<TensorInfo> tensors_;
  std::vector<Place> places_;  // of tensors_
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace

std::unique_ptr<IWeightFile> open_safetensors(std::shared_ptr<const FileBytes> file) {
  return std::make_unique<SafetensorsFile>(std::move(file));
}

std::unique_ptr<IWeightFile> open_safetensors_index(const std::string& index_path) {
  return std::make_unique<ShardedWeights>(index_path);
}

}  // namespace heddle::weights
