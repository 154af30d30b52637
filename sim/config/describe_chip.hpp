// SPDX-License-Identifier: Apache-2.0
// The YAML of a chip: one list per component. See describe.hpp for the mechanism.
#pragma once
#include "sim/config/describe.hpp"

namespace heddle::config {

inline constexpr std::string_view chip_schema = "heddle.chip/1";

void describe(Fields& f, SequencerSpec& s);
void describe(Fields& f, ScratchpadSpec& s);
void describe(Fields& f, AccumulatorSpec& s);
void describe(Fields& f, SmemSpec& s);
void describe(Fields& f, MxuSpec& s);
void describe(Fields& f, VpuSpec& s);
void describe(Fields& f, DmaSpec& s);
void describe(Fields& f, CoreSpec& s);
void describe(Fields& f, NocSpec& s);
void describe(Fields& f, MemorySpec& s);
void describe(Fields& f, LinkSpec& s);
void describe(Fields& f, SoftwareSpec& s);
void describe(Fields& f, ChipSpec& s);

}  // namespace heddle::config
