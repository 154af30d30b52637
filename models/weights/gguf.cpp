// SPDX-License-Identifier: Apache-2.0
#include "models/weights/gguf.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "isa/base/error.hpp"
#include "models/weights/byte_reader.hpp"

namespace heddle::weights {

namespace {

constexpr std::uint32_t magic = 0x46554747;  // "GGUF"
constexpr std::uint64_t default_alignment = 32;
constexpr std::uint32_t most_dimensions = 4;         // GGML_MAX_DIMS
constexpr std::uint64_t smallest_entry = 8 + 4 + 1;  // of metadata: key length, type, one byte of value
constexpr std::uint64_t smallest_tensor = 8 + 4 + 4 + 8;

struct TypeRow {
  std::string_view name;
  std::size_t bytes;  // 0: not of fixed size
};
constexpr std::array<TypeRow, 13> type_rows{{{"uint8", 1},
                                             {"int8", 1},
                                             {"uint16", 2},
                                             {"int16", 2},
                                             {"uint32", 4},
                                             {"int32", 4},
                                             {"float32", 4},
                                             {"bool", 1},
                                             {"string", 0},
                                             {"array", 0},
                                             {"uint64", 8},
                                             {"int64", 8},
                                             {"float64", 8}}};
const TypeRow& row(GgufType type) { return type_rows[static_cast<std::size_t>(type)]; }

template <class T>
T load(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

using Number = std::variant<std::int64_t, std::uint64_t, double, bool>;

Number load_number(GgufType type, const std::byte* p) {
  switch (type) {
    case GgufType::uint8:
      return std::int64_t{load<std::uint8_t>(p)};
    case GgufType::int8:
      return std::int64_t{load<std::int8_t>(p)};
    case GgufType::uint16:
      return std::int64_t{load<std::uint16_t>(p)};
    case GgufType::int16:
      return std::int64_t{load<std::int16_t>(p)};
    case GgufType::uint32:
      return std::int64_t{load<std::uint32_t>(p)};
    case GgufType::int32:
      return std::int64_t{load<std::int32_t>(p)};
    case GgufType::float32:
      return double{load<float>(p)};
    case GgufType::boolean:
      return load<std::uint8_t>(p) != 0;
    case GgufType::uint64:
      return load<std::uint64_t>(p);
    case GgufType::int64:
      return load<std::int64_t>(p);
    case GgufType::float64:
      return load<double>(p);
    default:
      fail(ErrorKind::internal, "HDL-WGT-14", "GGUF type {} is no number", name(type));
  }
}

GgufType read_type(ByteReader& in, const std::string& path, std::string_view key) {
  const auto raw = in.number<std::uint32_t>("a metadata type");
  if (raw >= type_rows.size())
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-04", "metadata '{}' has type {}, expected 0 to {}", key, raw,
            type_rows.size() - 1);
  return static_cast<GgufType>(raw);
}

GgufArray read_array(ByteReader& in, const std::string& path, std::string_view key) {
  GgufArray array;
  array.element = read_type(in, path, key);
  const auto count = in.number<std::uint64_t>("an array length");
  const std::uint64_t each = array.element == GgufType::string ? sizeof(std::uint64_t) : row(array.element).bytes;
  if (each == 0) fail_at({path}, ErrorKind::unsupported, "HDL-WGT-04", "metadata '{}' is an array of arrays", key);
  if (count > in.left() / each)
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-02",
            "truncated: metadata '{}' claims {} elements in the {} bytes that are left", key, count, in.left());
  array.count = count;
  if (array.element != GgufType::string) {
    array.numbers = in.take(count * each, key);
    return array;
  }
  array.strings.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) array.strings.push_back(in.string(key));
  return array;
}

GgufValue read_value(ByteReader& in, const std::string& path, std::string_view key) {
  GgufValue result;
  result.type = read_type(in, path, key);
  if (result.type == GgufType::string) {
    result.value = in.string(key);
  } else if (result.type == GgufType::array) {
    result.value = read_array(in, path, key);
  } else {
    const Number number = load_number(result.type, in.take(row(result.type).bytes, key).data());
    std::visit([&](auto v) { result.value = v; }, number);
  }
  return result;
}

StorageType storage_type(std::uint32_t raw, const std::string& path, std::string_view tensor) {
  std::vector<std::string_view> supported;
  for (int i = 0; i < storage_type_count; ++i) {
    const auto type = static_cast<StorageType>(i);
    if (info(type).ggml < 0) continue;
    if (static_cast<std::uint32_t>(info(type).ggml) == raw) return type;
    if (info(type).readable) supported.push_back(name(type));
  }
  fail_at({path}, ErrorKind::unsupported, "HDL-WGT-07", "tensor '{}' has ggml type {}; supported are {}", tensor, raw,
          fmt::join(supported, ", "));
}

struct Placed {
  TensorInfo tensor;
  std::uint64_t offset;  // from the start of the data
};

Placed read_tensor(ByteReader& in, const std::string& path) {
  Placed result;
  TensorInfo& tensor = result.tensor;
  tensor.name = in.string("a tensor name");
  const auto dimensions = in.number<std::uint32_t>("a tensor's rank");
  if (dimensions > most_dimensions)
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-04", "tensor '{}' has {} dimensions, expected at most {}",
            tensor.name, dimensions, most_dimensions);
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const auto size = in.number<std::uint64_t>("a tensor's shape");
    if (size > static_cast<std::uint64_t>(INT64_MAX))
      fail_at({path}, ErrorKind::bad_input, "HDL-WGT-08", "tensor '{}' has the absurd dimension {}", tensor.name, size);
    tensor.shape.push_back(static_cast<std::int64_t>(size));
  }
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  tensor.type = storage_type(in.number<std::uint32_t>("a tensor's type"), path, tensor.name);
  result.offset = in.number<std::uint64_t>("a tensor's offset");
  tensor.bytes = checked_bytes(tensor.type, tensor.shape, path, tensor.name);
  return result;
}

void check_count(std::uint64_t count, std::uint64_t each, std::uint64_t left, const std::string& path,
                 std::string_view what) {
  if (count > left / each)
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-02",
            "truncated: the header claims {} {} in the {} bytes that follow", count, what, left);
}

}  // namespace

std::string_view name(GgufType type) { return row(type).name; }

double GgufArray::number(std::size_t i) const {
  return std::visit([](auto v) { return static_cast<double>(v); },
                    load_number(element, numbers.data() + i * row(element).bytes));
}

std::int64_t GgufArray::integer(std::size_t i) const {
  return std::visit([](auto v) { return static_cast<std::int64_t>(v); },
                    load_number(element, numbers.data() + i * row(element).bytes));
}

GgufFile::GgufFile(std::shared_ptr<const FileBytes> file) : MappedWeights(std::move(file)) {
  ByteReader in(*file_);
  if (in.number<std::uint32_t>("the magic number") != magic)
    fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-03", "not a GGUF file: it does not begin with 'GGUF'");
  const auto version = in.number<std::uint32_t>("the version");
  if (version != 2 && version != 3)
    fail_at({path()}, ErrorKind::unsupported, "HDL-WGT-03", "GGUF version {}{}, expected 2 or 3", version,
            version != 0 && (version & 0xffffu) == 0 ? " (a big-endian file)" : "");
  const auto tensor_count = in.number<std::uint64_t>("the number of tensors");
  const auto entry_count = in.number<std::uint64_t>("the number of metadata entries");
  check_count(entry_count, smallest_entry, in.left(), path(), "metadata entries");
  for (std::uint64_t i = 0; i < entry_count; ++i) {
    std::string key(in.string("a metadata key"));
    GgufValue value = read_value(in, path(), key);
    const auto [it, fresh] = metadata_.try_emplace(std::move(key), std::move(value));
    if (!fresh) fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-06", "metadata '{}' is given twice", it->first);
  }
  if (const auto parts = integer("split.count"); parts && *parts > 1)
    fail_at({path()}, ErrorKind::unsupported, "HDL-WGT-13", "one of {} parts of a split model; merge them first",
            *parts);

  check_count(tensor_count, smallest_tensor, in.left(), path(), "tensors");
  std::vector<Placed> placed;
  for (std::uint64_t i = 0; i < tensor_count; ++i) placed.push_back(read_tensor(in, path()));

  const auto alignment = static_cast<std::uint64_t>(integer("general.alignment").value_or(default_alignment));
  if (!std::has_single_bit(alignment) || alignment > (1u << 20))
    fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-04", "general.alignment is {}, expected a power of two",
            alignment);
  const std::uint64_t data = (in.position() + alignment - 1) / alignment * alignment;
  for (Placed& p : placed) {
    if (p.offset % alignment != 0)
      fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-05", "tensor '{}' lies at offset {}, no multiple of {}",
              p.tensor.name, p.offset, alignment);
    if (p.offset > file_->bytes().size())
      fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-05",
              "tensor '{}' lies at offset {}, but the file has {} bytes: truncated or damaged", p.tensor.name, p.offset,
              file_->bytes().size());
    add(std::move(p.tensor), data + p.offset);
  }
  check_overlaps();
}

const GgufValue* GgufFile::value(std::string_view key) const {
  const auto it = metadata_.find(key);
  return it == metadata_.end() ? nullptr : &it->second;
}

void GgufFile::wrong_type(std::string_view key, const GgufValue& found, std::string_view expected) const {
  fail_at({path()}, ErrorKind::bad_input, "HDL-WGT-12", "metadata '{}' is a {}, expected {}", key, name(found.type),
          expected);
}

std::optional<std::int64_t> GgufFile::integer(std::string_view key) const {
  const GgufValue* found = value(key);
  if (found == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<std::int64_t>(&found->value)) return *v;
  if (const auto* v = std::get_if<std::uint64_t>(&found->value); v && *v <= static_cast<std::uint64_t>(INT64_MAX))
    return static_cast<std::int64_t>(*v);
  wrong_type(key, *found, "an integer of at most 63 bits");
}

std::optional<double> GgufFile::number(std::string_view key) const {
  const GgufValue* found = value(key);
  if (found == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<double>(&found->value)) return *v;
  if (const auto* v = std::get_if<std::int64_t>(&found->value)) return static_cast<double>(*v);
  if (const auto* v = std::get_if<std::uint64_t>(&found->value)) return static_cast<double>(*v);
  wrong_type(key, *found, "a number");
}

std::optional<bool> GgufFile::boolean(std::string_view key) const {
  const GgufValue* found = value(key);
  if (found == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<bool>(&found->value)) return *v;
  wrong_type(key, *found, "a bool");
}

std::optional<std::string_view> GgufFile::text(std::string_view key) const {
  const GgufValue* found = value(key);
  if (found == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<std::string_view>(&found->value)) return *v;
  wrong_type(key, *found, "a string");
}

const GgufArray* GgufFile::array(std::string_view key, GgufType element) const {
  const GgufValue* found = value(key);
  if (found == nullptr) return nullptr;
  const auto* v = std::get_if<GgufArray>(&found->value);
  if (v == nullptr || v->element != element) wrong_type(key, *found, fmt::format("an array of {}", name(element)));
  return v;
}

}  // namespace heddle::weights
