// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/registry.hpp"

#include <map>

#include "isa/base/error.hpp"

namespace heddle::memory {
namespace {

// A function's static, so that it exists before the first registration whatever the order of initialisation.
std::map<std::string, MemoryFactory>& factories() {
  static std::map<std::string, MemoryFactory> map;
  return map;
}

}  // namespace

Registration::Registration(const std::string& name, MemoryFactory make) { factories().emplace(name, make); }

std::unique_ptr<IMemoryModel> make_memory_model(const config::MemorySpec& spec) {
  if (factories().empty())
    fail(ErrorKind::internal, "HDL-MEM-00",
         "no memory model is registered: the library was linked without its objects");
  const auto found = factories().find(spec.model);
  if (found == factories().end()) {
    std::string known;
    for (const auto& [name, make] : factories()) known += (known.empty() ? "" : ", ") + name;
    fail(ErrorKind::bad_input, "HDL-MEM-01", "memory: unknown model '{}', expected one of: {}", spec.model, known);
  }
  return found->second(spec);
}

}  // namespace heddle::memory
