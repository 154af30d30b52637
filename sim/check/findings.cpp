// SPDX-License-Identifier: Apache-2.0
#include "sim/check/findings.hpp"

#include <algorithm>

namespace heddle::check {
namespace {

constexpr std::size_t most_shown = 20;  // of an error's message

Findings* installed = nullptr;

bool inside(const isa::Allow& a, const std::optional<std::uint32_t>& instruction) {
  return instruction && *instruction >= a.begin && *instruction < a.end;
}

std::string place_text(const std::string& file, std::uint32_t line) {
  return file.empty() ? "" : fmt::format("{}:{}", file, line);
}

std::string end_text(const End& e) {
  std::string out = fmt::format("\n  {} {}: ", e.agent, e.does);
  if (e.text.empty()) return out + "an instruction too long ago to be named";
  std::string place = place_text(e.file, e.line);
  if (e.instruction) place += fmt::format("{}instruction {}", place.empty() ? "" : ", ", *e.instruction);
  out += e.text;
  if (!place.empty()) out += fmt::format(" ({})", place);
  if (!e.operand.empty()) out += "\n      " + e.operand;
  return out;
}

std::string times(std::uint64_t n) { return n == 1 ? "once" : fmt::format("{} times", n); }

// Of the end that has one; the second's first, which is what the run was at.
SourceLocation where(const Finding& f) {
  const End& e = f.second.file.empty() ? f.first : f.second;
  return {e.file, e.line, 0};
}

}  // namespace

std::string text_of(const std::vector<ByteRange>& ranges, std::uint64_t bytes) {
  std::string out;
  std::uint64_t shown = 0;
  for (const ByteRange& r : ranges) {
    out += fmt::format("{}[{:#x}, {:#x})", out.empty() ? "" : " ", r.begin, r.end);
    shown += r.end - r.begin;
  }
  if (shown < bytes) out += fmt::format(" ... ({} bytes in all)", bytes);
  return out;
}

Findings::Key Findings::key_of(const Pair& pair) const {
  const auto number = [](const std::optional<std::uint32_t>& i) { return i ? std::uint64_t{*i} : ~std::uint64_t{0}; };
  // A race between the same two instructions is one, whichever came first.
  const std::uint64_t first = number(pair.first), second = number(pair.second);
  return {image_->name, image_->code.size(), pair.id, std::min(first, second), std::max(first, second)};
}

void Findings::begin_launch(const isa::ProgramImage& image) {
  image_ = &image;
  suppression_of_.clear();
  for (const isa::Allow& a : image.allows) {
    Suppression s{a.hazard, a.reason, image.name, a.line == 0 ? "" : image.files[a.file], a.line};
    const auto known = std::find_if(suppressions_.begin(), suppressions_.end(), [&](const Suppression& o) {
      return std::tie(o.program, o.id, o.reason, o.file, o.line) == std::tie(s.program, s.id, s.reason, s.file, s.line);
    });
    suppression_of_.push_back(static_cast<std::size_t>(known - suppressions_.begin()));
    if (known == suppressions_.end()) suppressions_.push_back(std::move(s));
  }
}

bool Findings::is_new(const Pair& pair) {
  const auto known = found_.find(key_of(pair));
  if (known != found_.end()) {
    ++known->second.count;
    if (known->second.allowed) ++suppressions_[*known->second.allowed].count;
    return false;
  }
  const std::optional<std::size_t> allowed = allowed_by(pair);
  if ((allowed ? suppressed_ : failing_) < most) return true;
  ++(allowed ? suppressions_[*allowed].count : dropped_);
  return false;
}

// The innermost of those around either end.
std::optional<std::size_t> Findings::allowed_by(const Pair& pair) const {
  std::optional<std::size_t> by;
  for (std::size_t i = 0; i < image_->allows.size(); ++i) {
    const isa::Allow& a = image_->allows[i];
    if (a.hazard == pair.id && (inside(a, pair.first) || inside(a, pair.second))) by = suppression_of_[i];
  }
  return by;
}

void Findings::add(const Pair& pair, Finding finding) {
  finding.program = image_->name;
  finding.allowed = allowed_by(pair);
  if (finding.allowed) {
    ++suppressions_[*finding.allowed].findings;
    ++suppressions_[*finding.allowed].count;
  }
  ++(finding.allowed ? suppressed_ : failing_);
  found_.emplace(key_of(pair), std::move(finding));
}

std::vector<const Finding*> Findings::all() const {
  std::vector<const Finding*> out;
  for (const auto& [key, finding] : found_) out.push_back(&finding);
  std::stable_sort(out.begin(), out.end(), [](const Finding* a, const Finding* b) {
    const auto of = [](const Finding& f) {
      const SourceLocation w = where(f);
      return std::tuple(w.file, w.line, f.id);
    };
    return of(*a) < of(*b);
  });
  return out;
}

std::vector<const Finding*> Findings::failing() const {
  std::vector<const Finding*> out = all();
  std::erase_if(out, [](const Finding* f) { return f->allowed.has_value(); });
  return out;
}

std::string text_of(const Finding& f) {
  return f.what + end_text(f.first) + end_text(f.second) +
         fmt::format("\n  {}{}; docs/errors/{}.md", f.missing, f.count == 1 ? "" : fmt::format(" ({})", times(f.count)),
                     f.id);
}

std::string text_of(const std::vector<const Finding*>& findings, std::uint64_t dropped, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, findings.size()); ++i) {
    const SourceLocation w = where(*findings[i]);
    const std::string place = place_text(w.file, w.line);
    out += fmt::format("{}{}{}: {}\n", place, place.empty() ? "" : ": ", findings[i]->id, text_of(*findings[i]));
  }
  if (findings.size() > most) out += fmt::format("and {} more pairs of instructions\n", findings.size() - most);
  if (dropped != 0)
    out += fmt::format("and {} between further pairs, past the {} that are kept\n", times(dropped), Findings::most);
  return out;
}

std::string text_of(const std::vector<Suppression>& suppressions) {
  std::string out;
  for (const Suppression& s : suppressions) {
    const std::string place = place_text(s.file, s.line);
    const std::string what = fmt::format("{}{}{}: {}\n", s.id, place.empty() ? "" : ", ", place, s.reason);
    if (s.count == 0)
      out += "  nothing to suppress   " + what;
    else
      out += fmt::format("  {} suppressed ({})   ", s.findings, times(s.count)) + what;
  }
  return out;
}

Error as_error(const Findings& findings) {
  const std::vector<const Finding*> failing = findings.failing();
  const Finding& first = *failing.front();
  std::string text = text_of(first);
  const std::vector<const Finding*> rest(failing.begin() + 1, failing.end());
  if (!rest.empty() || findings.dropped() != 0) text += "\n" + text_of(rest, findings.dropped(), most_shown);
  while (text.ends_with('\n')) text.pop_back();
  return Error(ErrorKind::program, first.id, text, where(first));
}

Error with_findings(const Error& error, const Findings& findings) {
  std::string text = error.message() + "\nbefore that:\n" + text_of(findings.failing(), findings.dropped(), most_shown);
  while (text.ends_with('\n')) text.pop_back();
  return Error(error.kind(), error.id(), text, error.where());
}

Installed::Installed(Findings* findings) { installed = findings; }
Installed::~Installed() { installed = nullptr; }
Findings* Installed::get() { return installed; }

}  // namespace heddle::check
