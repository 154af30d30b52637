// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

#include "isa/base/error.hpp"
#include "sim/memory/probe.hpp"

namespace heddle::memory {
namespace {

// The reference's device files and our presets of the same values. A DDR4 file is one channel; an HBM2 file is a stack.
struct Device {
  const char* ini;
  const char* standard;
};
constexpr std::array devices{Device{"HBM2_8Gb_x128", "HBM2"}, Device{"DDR4_8Gb_x8_3200", "DDR4-3200"}};
constexpr std::string_view reference = "DRAMsim3_";  // before a device's name where others stand beside it

[[noreturn]] void unknown(const std::string& ini, const std::string& what) {
  std::string known;
  for (const Device& d : devices) known += (known.empty() ? "" : " or ") + std::string(d.ini);
  fail(ErrorKind::bad_input, "HDL-MEM-08",
       "memory '{}': unknown {}; expected {}, with __norefresh, __closepage, __Nch, __tFAWn or __MAPPING behind it",
       ini, what, known);
}

// The number in "4ch" or "tFAW16", between `before` and `after`; 0 if the text is not of that form.
std::int64_t number_in(std::string_view text, std::string_view before, std::string_view after) {
  if (!text.starts_with(before) || !text.ends_with(after) || text.size() <= before.size() + after.size()) return 0;
  text = text.substr(before.size(), text.size() - before.size() - after.size());
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : 0;
}

}  // namespace

std::string preset_of_device(const std::string& name) {
  for (const Device& d : devices)
    if (name == d.ini || name == std::string(reference) + d.ini) return d.standard;
  return name;
}

NamedMemory memory_of_ini(const std::string& ini, const std::string& mapping) {
  const std::string stem = ini.ends_with(".ini") ? ini.substr(0, ini.size() - 4) : ini;
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= stem.size();) {
    const std::size_t end = std::min(stem.find("__", at), stem.size());
    parts.push_back(stem.substr(at, end - at));
    at = end + 2;
  }
  NamedMemory m;
  for (const Device& d : devices)
    if (parts.front() == d.ini) m.spec.standard = d.standard;
  if (m.spec.standard.empty()) unknown(ini, "device '" + parts.front() + "'");
  m.spec.mapping = mapping;
  std::int64_t faw = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& p = parts[i];
    if (p == "norefresh") {
      m.spec.refresh = "none";
    } else if (p == "closepage") {
      m.spec.page_policy = "closed";
    } else if (const std::int64_t channels = number_in(p, "", "ch")) {
      m.spec.channels = channels;
    } else if (const std::int64_t clocks = number_in(p, "tFAW", "")) {
      faw = clocks;
    } else if (p != mapping) {
      unknown(ini, "variant '" + p + "'");
    }
  }
  m.setup = make_dram_setup(m.spec);
  if (faw > 0) m.setup.dram.timing.faw = faw;
  return m;
}

}  // namespace heddle::memory
