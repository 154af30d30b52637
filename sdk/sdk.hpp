// SPDX-License-Identifier: Apache-2.0
// Everything a kernel needs. A kernel file may say `using namespace heddle::sdk;` inside its own namespace.
#pragma once
#include "sdk/pipeline/kernel_builder.hpp"  // IWYU pragma: export
