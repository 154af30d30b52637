// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/disassembler.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "isa/asm/format.hpp"
#include "isa/asm/lexer.hpp"
#include "isa/asm/prints.hpp"

namespace heddle::isa {
namespace {

// Label of each instruction that has one: an entry's name, else L and a number. Made-up names avoid those of entries.
std::map<std::uint32_t, std::vector<std::string>> make_labels(const ProgramImage& image) {
  std::map<std::uint32_t, std::vector<std::string>> labels;
  std::set<std::string_view> taken;
  for (const Entry& e : image.entries) {
    labels[e.instruction].push_back(e.name);
    taken.insert(e.name);
  }
  for (const Word& w : image.code) {
    const Instruction in = decode(w);
    for (const Field& f : fields_of(info(in.op).format)) {
      if (f.kind != FieldKind::code_target) continue;
      const auto at = static_cast<std::uint32_t>(in[f.id]);
      auto& here = labels[at];
      if (!here.empty()) continue;
      std::string name = fmt::format("L{}", at);
      while (taken.count(name) != 0) name += '_';
      here.push_back(std::move(name));
    }
  }
  return labels;
}

// By name where one view alone has it, else by number.
OperandNames make_names(const ProgramImage& image, std::function<std::string(std::int64_t)> label) {
  std::map<std::string_view, int> times;
  for (const auto& n : image.template_names) ++times[n];
  std::vector<std::string> views(image.templates.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    const bool named =
        i < image.template_names.size() && !image.template_names[i].empty() && times[image.template_names[i]] == 1;
    views[i] = named ? name_or_quoted(image.template_names[i]) : fmt::format("{}", i);
  }
  return {[views = std::move(views)](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            return n < views.size() ? views[n] : fmt::format("{}", i);
          },
          std::move(label)};
}

bool is_row_major(const ViewTemplate& t) {
  std::int64_t step = 1;
  for (std::size_t d = t.rank; d-- > 0;) {
    if (t.stride[d] != step) return false;
    step *= t.size[d];
  }
  return true;
}

void put_views(std::string& out, const ProgramImage& image) {
  for (std::size_t i = 0; i < image.templates.size(); ++i) {
    const ViewTemplate& t = image.templates[i];
    const std::string_view view_name = image.template_names.empty() ? std::string_view() : image.template_names[i];
    out += fmt::format("        .view {}, {}, {}, [{}]", name_or_quoted(view_name), name(t.space), name(t.dtype),
                       fmt::join(t.size.begin(), t.size.begin() + t.rank, ", "));
    if (!is_row_major(t))
      out += fmt::format(", strides=[{}]", fmt::join(t.stride.begin(), t.stride.begin() + t.rank, ", "));
    if (t.base != 0) out += fmt::format(", base={:#x}", t.base);
    out += '\n';
  }
}

void put_bytes(std::string& out, const std::vector<std::uint8_t>& bytes) {
  constexpr std::size_t a_line = 16;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto run = static_cast<std::size_t>(std::find_if(from, bytes.end(), [](auto b) { return b != 0; }) - from);
    if (run >= a_line) {
      out += fmt::format("        .zero {}\n", run);
      at += run;
      continue;
    }
    const std::size_t n = std::min(a_line, bytes.size() - at);
    out += "        .bytes ";
    for (std::size_t i = 0; i < n; ++i) out += fmt::format("{}{:#04x}", i == 0 ? "" : ", ", bytes[at + i]);
    out += '\n';
    at += n;
  }
}

std::string opening(const Scope& s) { return fmt::format("        .scope {}\n", quoted(s.name)); }
std::string opening(const Allow& a) {
  std::string out = fmt::format("        .allow {}, {}", quoted(a.hazard), quoted(a.reason));
  if (a.line != 0) out += fmt::format(", {}, {}", a.line, a.file);
  return out + "\n";
}

void put_tiles(std::string& out, const ProgramImage& image) {
  for (const TileInfo& t : image.tiles) {
    out += fmt::format("        .tile {}, {:#x}, {}, {}", name(t.space), t.base, t.slot_bytes, t.slots);
    if (t.line != 0) out += fmt::format(", {}, {}", t.line, t.file);
    out += '\n';
  }
}

void put_uses(std::string& out, std::span<const TileUse> uses) {
  for (const bool fresh : {false, true}) {
    std::string list;
    for (const TileUse& u : uses)
      if (u.fresh == fresh)
        list += fmt::format("{}{}={}", list.empty() ? "" : ", ",
                            view_operand_names[static_cast<std::size_t>(u.operand)], u.tile);
    if (!list.empty()) out += fmt::format("        {} {}\n", fresh ? ".fresh" : ".within", list);
  }
}

// Nested ranges of instructions, opened and closed as the instructions go by.
template <class Range>
class Brackets {
 public:
  Brackets(const std::vector<Range>& ranges, std::string_view closing) : ranges_(ranges), closing_(closing) {}

  void put(std::string& out, std::uint32_t instruction) {
    close(out, instruction);
    for (; next_ < ranges_.size() && ranges_[next_].begin == instruction; ++next_) {
      close(out, instruction);
      out += opening(ranges_[next_]);
      open_.push_back(ranges_[next_].end);
    }
    close(out, instruction);  // of an empty one
  }

 private:
  void close(std::string& out, std::uint32_t instruction) {
    for (; !open_.empty() && open_.back() <= instruction; open_.pop_back()) out += closing_;
  }

  const std::vector<Range>& ranges_;
  std::string_view closing_;
  std::vector<std::uint32_t> open_;
  std::size_t next_ = 0;
};

// The image's scopes, allowed hazards and debug lines, handed out as the instructions go by.
class Marks {
 public:
  explicit Marks(const ProgramImage& image)
      : image_(image), scopes_(image.scopes, "        .endscope\n"), allows_(image.allows, "        .endallow\n") {}

  void put(std::string& out, std::uint32_t instruction) {
    scopes_.put(out, instruction);
    allows_.put(out, instruction);
    if (line_ < image_.lines.size() && image_.lines[line_].instruction == instruction) {
      const DebugLine& l = image_.lines[line_++];
      out += fmt::format("        .line {}, {}\n", l.line, l.file);
    }
  }

 private:
  const ProgramImage& image_;
  Brackets<Scope> scopes_;
  Brackets<Allow> allows_;
  std::size_t line_ = 0;
};

}  // namespace

std::string disassemble(const ProgramImage& image) {
  verify(image);
  const auto labels = make_labels(image);
  const OperandNames names = make_names(
      image, [&](std::int64_t i) { return name_or_quoted(labels.at(static_cast<std::uint32_t>(i)).front()); });
  std::string out = fmt::format("        .name {}\n        .lines none\n", quoted(image.name));
  for (const Entry& e : image.entries)
    out += e.arguments == 0 ? fmt::format("        .entry {}\n", name_or_quoted(e.name))
                            : fmt::format("        .entry {}, {}\n", name_or_quoted(e.name), e.arguments);
  for (std::size_t i = 0; i < image.files.size(); ++i)
    out += fmt::format("        .file {}  ; {}\n", quoted(image.files[i]), i);
  put_views(out, image);
  put_tiles(out, image);
  for (const Constant& c : image.constants) {
    out += fmt::format("        .data {}:\n", name_or_quoted(c.name));
    put_bytes(out, c.bytes);
  }
  Marks marks(image);
  auto step = image.prints.begin();
  for (std::uint32_t i = 0; i < image.code.size(); ++i) {
    marks.put(out, i);
    if (const auto here = labels.find(i); here != labels.end())
      for (const auto& l : here->second) out += name_or_quoted(l) + ":\n";
    for (; step != image.prints.end() && step->instruction == i; ++step)
      out += "        " + print_text(*step, names.view) + "\n";
    put_uses(out, uses_of(image, i));
    out += fmt::format("        {}\n", format_with(decode(image.code[i]), names));
  }
  marks.put(out, static_cast<std::uint32_t>(image.code.size()));
  return out;
}

std::string format_instruction(const Instruction& instruction, const ProgramImage* image) {
  static const ProgramImage nothing;
  const ProgramImage& known = image == nullptr ? nothing : *image;
  const auto view = [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    const bool named = n < known.template_names.size() && !known.template_names[n].empty();
    return named ? name_or_quoted(known.template_names[n]) : fmt::format("{}", i);
  };
  const auto label = [&](std::int64_t i) {
    for (const Entry& e : known.entries)
      if (e.instruction == i) return name_or_quoted(e.name);
    return fmt::format("{}", i);
  };
  return format_with(instruction, {view, label});
}

}  // namespace heddle::isa
