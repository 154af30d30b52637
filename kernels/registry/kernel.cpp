// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry/kernel.hpp"

#include <algorithm>
#include <charconv>

#include "isa/base/error.hpp"

namespace heddle::kernels {
namespace {

std::map<std::string, KernelDef, std::less<>>& registry() {
  static std::map<std::string, KernelDef, std::less<>> kernels;
  return kernels;
}

// Kernels of docs/debugging-a-kernel.md, wrong on purpose: found by name, in no list.
bool is_lesson(std::string_view name) { return name.starts_with("lesson_"); }

std::string known_names() {
  std::string names;
  for (const auto& [name, def] : registry())
    if (!is_lesson(name)) names += (names.empty() ? "" : ", ") + name;
  return names;
}

std::string param_names(const KernelDef& kernel) {
  std::string names;
  for (const ShapeParam& p : kernel.params) names += (names.empty() ? "" : ", ") + std::string(p.name);
  return names;
}

}  // namespace

KernelRegistration::KernelRegistration(KernelDef def) {
  const std::string name = def.name;
  if (!registry().emplace(name, std::move(def)).second)
    fail(ErrorKind::internal, "HDL-KRN-00", "two kernels are named '{}'", name);
}

const KernelDef& find_kernel(std::string_view name) {
  const auto it = registry().find(name);
  if (it == registry().end())
    fail(ErrorKind::bad_input, "HDL-KRN-01", "unknown kernel '{}'; there are: {}", name, known_names());
  return it->second;
}

std::vector<const KernelDef*> all_kernels() {
  std::vector<const KernelDef*> all;
  for (const auto& [name, def] : registry())
    if (!is_lesson(name)) all.push_back(&def);
  return all;
}

Shape parse_shape(const KernelDef& kernel, std::string_view text) {
  Shape shape;
  for (const ShapeParam& p : kernel.params) shape.emplace(p.name, p.standard);
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const auto param =
        std::find_if(kernel.params.begin(), kernel.params.end(), [&](const ShapeParam& p) { return p.name == name; });
    if (equals == std::string_view::npos || param == kernel.params.end())
      fail(ErrorKind::bad_input, "HDL-KRN-02", "--shape: '{}' is not a size of {}; expected name=number with: {}", item,
           kernel.name, param_names(kernel));
    const std::string_view number = item.substr(equals + 1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size())
      fail(ErrorKind::bad_input, "HDL-KRN-02", "--shape: {} = '{}' is not a whole number", name, number);
    if (value < param->least || value > (std::int64_t{1} << 31))
      fail(ErrorKind::bad_input, "HDL-KRN-02", "--shape: {} = {} is out of range; expected {} to 2^31", name, value,
           param->least);
    shape[std::string(name)] = value;
  }
  return shape;
}

std::string to_string(const KernelDef& kernel, const Shape& shape) {
  std::string text;
  for (const ShapeParam& p : kernel.params)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", p.name, shape.at(std::string(p.name)));
  return text;
}

}  // namespace heddle::kernels
