// SPDX-License-Identifier: Apache-2.0
// GGUF, version 3 (and 2, which differs in nothing that is read here): typed metadata and tensors in one file.
// Format: ggml's docs/gguf.md. Dimensions stand innermost first in the file; TensorInfo has them outermost first.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/weights/weight_file.hpp"

namespace heddle::weights {

enum class GgufType : std::uint32_t {
  uint8 = 0,
  int8 = 1,
  uint16 = 2,
  int16 = 3,
  uint32 = 4,
  int32 = 5,
  float32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  uint64 = 10,
  int64 = 11,
  float64 = 12,
};
std::string_view name(GgufType type);

// Strings and arrays point into the mapped file: they live as long as the GgufFile.
struct GgufArray {
  GgufType element = GgufType::uint8;
  std::size_t count = 0;
  std::vector<std::string_view> strings;  // where element is string
  std::span<const std::byte> numbers;     // else: little-endian, packed

  std::int64_t integer(std::size_t i) const;  // element is an integer type or bool
  double number(std::size_t i) const;         // element is any numeric type
};
struct GgufValue {
  GgufType type = GgufType::uint8;
  std::variant<std::int64_t, std::uint64_t, double, bool, std::string_view, GgufArray> value;
};

class GgufFile final : public MappedWeights {
 public:
  // Throws HDL-WGT-02 (truncated), -03 (not GGUF, or another version), -04 (malformed), -05 (offsets), -06
  // (duplicate), -07 (tensor type), -08 (sizes), -13 (one part of a split file).
  explicit GgufFile(std::shared_ptr<const FileBytes> file);

  // nullptr where the key is absent.
  const GgufValue* value(std::string_view key) const;
  // nullopt where the key is absent; HDL-WGT-12 where its type is another.
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;
  const GgufArray* array(std::string_view key, GgufType element) const;

  const std::map<std::string, GgufValue, std::less<>>& metadata() const { return metadata_; }

 private:
  [[noreturn]] void wrong_type(std::string_view key, const GgufValue& found, std::string_view expected) const;
  std::map<std::string, GgufValue, std::less<>> metadata_;
};

}  // namespace heddle::weights
