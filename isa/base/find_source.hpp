// SPDX-License-Identifier: Apache-2.0
// Where the source file lies that an image's debug lines name.
#pragma once
#include <string>

namespace heddle {

// A name is as the compiler of the kernel, or the assembler, wrote it: a path from wherever that ran. It is looked for
// as it stands, then, without what leads out of that folder, below the working directory, below this program's and
// below each folder around them; empty: nowhere.
std::string find_source(const std::string& name);

}  // namespace heddle
