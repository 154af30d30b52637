// SPDX-License-Identifier: Apache-2.0
#include "models/weights/storage_type.hpp"

#include <array>

namespace heddle::weights {

namespace {

// In the order of the enum.
constexpr std::array<StorageInfo, storage_type_count> infos{{
    {"F32", 1, 4, "F32", 0, true},          {"F16", 1, 2, "F16", 1, true},          {"BF16", 1, 2, "BF16", 30, true},
    {"F8_E4M3", 1, 1, "F8_E4M3", -1, true}, {"F8_E5M2", 1, 1, "F8_E5M2", -1, true}, {"F64", 1, 8, "F64", 28, false},
    {"I8", 1, 1, "I8", 24, true},           {"I16", 1, 2, "I16", 25, false},        {"I32", 1, 4, "I32", 26, true},
    {"I64", 1, 8, "I64", 27, false},        {"U8", 1, 1, "U8", -1, false},          {"U16", 1, 2, "U16", -1, false},
    {"U32", 1, 4, "U32", -1, false},        {"U64", 1, 8, "U64", -1, false},        {"BOOL", 1, 1, "BOOL", -1, false},
    {"Q4_0", 32, 18, "", 2, true},          {"Q4_1", 32, 20, "", 3, true},          {"Q8_0", 32, 34, "", 8, true},
    {"Q4_K", 256, 144, "", 12, true},       {"Q6_K", 256, 210, "", 14, true},
}};
static_assert(infos[static_cast<std::size_t>(StorageType::q4_0)].name == "Q4_0");
static_assert(infos[static_cast<std::size_t>(StorageType::q6_k)].name == "Q6_K");
static_assert(infos[static_cast<std::size_t>(StorageType::i32)].name == "I32");

}  // namespace

const StorageInfo& info(StorageType type) { return infos[static_cast<std::size_t>(type)]; }

}  // namespace heddle::weights
