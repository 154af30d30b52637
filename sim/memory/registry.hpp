// SPDX-License-Identifier: Apache-2.0
// Where memory models add themselves: one `const Registration r{"name", make}` in a model's .cpp.
#pragma once
#include <memory>
#include <string>

#include "sim/memory/i_memory_model.hpp"

namespace heddle::memory {

using MemoryFactory = std::unique_ptr<IMemoryModel> (*)(const config::MemorySpec&);

struct Registration {
  Registration(const std::string& name, MemoryFactory make);
};

}  // namespace heddle::memory
