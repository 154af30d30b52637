// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/address_map.hpp"

#include <algorithm>
#include <bit>

#include "isa/base/error.hpp"

namespace heddle::memory {
namespace {

constexpr std::array<const char*, 6> field_names{"ro", "ra", "bg", "ba", "ch", "co"};

int log2_of(std::int64_t v) { return std::countr_zero(static_cast<std::uint64_t>(v)); }

[[noreturn]] void bad_mapping(const std::string& mapping, const std::string& problem) {
  fail(ErrorKind::bad_input, "HDL-MEM-03",
       "memory: mapping '{}': {}; expected fields of ro ra bg ba ch co, most significant first, such as rorabgbachco",
       mapping, problem);
}

}  // namespace

AddressMap::AddressMap(const std::string& mapping, std::int64_t interleave_bytes, const DramSetup& setup, bool hash,
                       bool turned)
    : hash_(hash), turned_(turned) {
  const config::DramOrganization& o = setup.dram.organization;
  burst_shift_ = log2_of(setup.dram.burst_bytes());
  ba_bits_ = log2_of(o.banks);
  bg_bits_ = log2_of(o.bank_groups);
  channels_ = static_cast<std::uint64_t>(setup.channels);
  if (interleave_bytes != 0) {
    const auto bytes = static_cast<std::uint64_t>(interleave_bytes);
    if (interleave_bytes < setup.dram.burst_bytes() || !std::has_single_bit(bytes))
      fail(ErrorKind::bad_input, "HDL-MEM-03",
           "memory: interleave of {} bytes, expected a power of two of at least one burst ({} bytes)", interleave_bytes,
           setup.dram.burst_bytes());
    interleave_bursts_ = bytes >> burst_shift_;
    interleave_shift_ = log2_of(static_cast<std::int64_t>(interleave_bursts_));
  }
  const std::array<int, 6> bits{0, log2_of(o.ranks), bg_bits_, ba_bits_, -1, log2_of(o.page_bytes) - burst_shift_};

  struct Token {
    Field field;
    int width;  // -1: the rest
  };
  std::vector<Token> tokens;  // most significant first
  for (std::size_t i = 0; i < mapping.size();) {
    const auto name = std::find(field_names.begin(), field_names.end(), mapping.substr(i, 2));
    if (name == field_names.end()) bad_mapping(mapping, "unknown field '" + mapping.substr(i, 2) + "'");
    i += 2;
    int width = -1;
    while (i < mapping.size() && mapping[i] >= '0' && mapping[i] <= '9') {
      width = std::max(width, 0) * 10 + (mapping[i++] - '0');
      if (width > 40) bad_mapping(mapping, "a field of more than 40 bits");
    }
    tokens.push_back({static_cast<Field>(name - field_names.begin()), width});
  }

  std::array<int, 6> explicit_bits{}, open_parts{}, seen{};
  for (const Token& t : tokens) {
    const auto f = static_cast<std::size_t>(t.field);
    ++seen[f];
    if (t.width < 0)
      ++open_parts[f];
    else
      explicit_bits[f] += t.width;
  }
  for (std::size_t f = 0; f < field_names.size(); ++f) {
    if (seen[f] == 0) bad_mapping(mapping, std::string("no field '") + field_names[f] + "'");
    if (open_parts[f] > 1) bad_mapping(mapping, std::string("field '") + field_names[f] + "' twice without a width");
    if (f == ch ? seen[f] > 1 || explicit_bits[f] > 0 : f == ro ? seen[f] > 1 || mapping.substr(0, 2) != "ro" : false)
      bad_mapping(mapping, f == ch ? "ch has to be one part without a width" : "ro has to be one part, the first");
    if (f != ch && f != ro && (explicit_bits[f] > bits[f] || (open_parts[f] == 0 && explicit_bits[f] != bits[f])))
      bad_mapping(mapping,
                  fmt::format("field '{}' has {} bits, {} written out", field_names[f], bits[f], explicit_bits[f]));
  }

  std::array<int, 6> placed{};
  bool in_run = true;
  int below = 0;
  std::uint64_t unit = 1;  // bursts below the part at hand
  for (auto t = tokens.rbegin(); t != tokens.rend(); ++t) {
    const auto f = static_cast<std::size_t>(t->field);
    if (t->field == ch) {
      if (interleave_bursts_ != 0) continue;  // split off before the fields
      powers_of_two_ = std::has_single_bit(channels_);
      parts_.push_back({ch, channels_, static_cast<int>(std::bit_width(channels_)) - 1, below, 0});
      channel_unit_ = std::uint64_t{1} << below;
      channel_shift_ = below;
      below += parts_.back().width;
      unit *= channels_;
      if (channels_ > 1) in_run = false;
      continue;
    }
    if (t->field == ro) {
      row_shift_ = below;
      parts_.push_back({ro, 0, 0, below, 0});
      continue;
    }
    const int width = t->width >= 0 ? t->width : bits[f] - explicit_bits[f];
    if (width == 0) continue;
    parts_.push_back({t->field, std::uint64_t{1} << width, width, below, placed[f]});
    if (t->field == bg && bank_group_unit_ == 0) bank_group_unit_ = unit;
    below += width;
    unit <<= width;
    placed[f] += width;
    if (t->field == co && in_run)
      run_ <<= width;
    else
      in_run = false;
  }
  if (interleave_bursts_ != 0) {
    run_ = std::min(run_, interleave_bursts_);
    if (bank_group_unit_ >= interleave_bursts_) bank_group_unit_ *= channels_;
  }
  run_shift_ = std::countr_zero(run_);
  find_bank_bits();
}

DramAddress AddressMap::decode(std::uint64_t burst) const {
  DramAddress a;
  if (interleave_bursts_ != 0) {
    const std::uint64_t piece = burst >> interleave_shift_;
    a.channel = permuted(piece % channels_, piece / channels_);
    burst = (piece / channels_ << interleave_shift_) | (burst & (interleave_bursts_ - 1));
  }
  if (!powers_of_two_) {
    const DramAddress rest = decode_by_division(burst);
    return {interleave_bursts_ == 0 ? rest.channel : a.channel, rest.bank, rest.row};
  }
  a.row = static_cast<std::int32_t>((burst >> row_shift_) & 0x7fffffff);
  if (interleave_bursts_ == 0) {
    const std::uint64_t channel = (burst >> channel_shift_) & (channels_ - 1);
    a.channel = hash_ ? permuted(channel, burst / channel_unit_ / channels_) : static_cast<int>(channel);
  }
  std::uint64_t bank = 0;
  for (const Bits& b : bank_bits_) bank |= (burst >> b.shift & b.mask) << b.place;
  a.bank = static_cast<int>(bank);
  return a;
}

// Neighbouring bits that stay neighbours are taken together.
void AddressMap::find_bank_bits() {
  for (const Part& p : parts_) {
    if (p.field != ra && p.field != bg && p.field != ba) continue;
    const int place = p.place + (p.field == ba ? 0 : p.field == bg ? ba_bits_ : ba_bits_ + bg_bits_);
    if (!bank_bits_.empty()) {
      Bits& before = bank_bits_.back();
      const int width = std::popcount(before.mask);
      if (before.shift + width == p.shift && before.place + width == place) {
        before.mask = (before.mask + 1) * p.count - 1;
        continue;
      }
    }
    bank_bits_.push_back({p.count - 1, p.shift, place});
  }
}

int AddressMap::permuted(std::uint64_t channel, std::uint64_t above) const {
  if (!hash_) return static_cast<int>(channel);
  if (!std::has_single_bit(channels_)) return static_cast<int>((channel + above) % channels_);
  if (channels_ == 1) return 0;
  const int width = std::countr_zero(channels_);
  for (int turn = 0; above != 0; above >>= width) {
    const std::uint64_t group = above & (channels_ - 1);
    channel ^= (group << turn | group >> (width - turn)) & (channels_ - 1);
    if (turned_) turn = (turn + 1) % width;
  }
  return static_cast<int>(channel);
}

DramAddress AddressMap::decode_by_division(std::uint64_t burst) const {
  const std::uint64_t above = burst / channel_unit_ / channels_;
  DramAddress a;
  std::array<std::uint32_t, 6> value{};
  for (const Part& p : parts_) {
    if (p.count == 0) break;  // the row is the last
    value[p.field] |= static_cast<std::uint32_t>(burst % p.count << p.place);
    burst /= p.count;
  }
  a.row = static_cast<std::int32_t>(burst & 0x7fffffff);
  a.channel = permuted(value[ch], above);
  a.bank = static_cast<int>((((value[ra] << bg_bits_) | value[bg]) << ba_bits_) | value[ba]);
  return a;
}

}  // namespace heddle::memory
