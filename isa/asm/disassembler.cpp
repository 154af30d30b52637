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

// The image's scopes and debug lines, handed out as the instructions go by.
class Marks {
 public:
  explicit Marks(const ProgramImage& image) : image_(image) {}

  void put(std::string& out, std::uint32_t instruction) {
    close(out, instruction);
    for (; scope_ < image_.scopes.size() && image_.scopes[scope_].begin == instruction; ++scope_) {
      const Scope& s = image_.scopes[scope_];
      close(out, instruction);
      out += fmt::format("        .scope {}\n", quoted(s.name));
      open_.push_back(s.end);
    }
    close(out, instruction);  // of an empty scope
    if (line_ < image_.lines.size() && image_.lines[line_].instruction == instruction) {
      const DebugLine& l = image_.lines[line_++];
      out += fmt::format("        .line {}, {}\n", l.line, l.file);
    }
  }

 private:
  void close(std::string& out, std::uint32_t instruction) {
    for (; !open_.empty() && open_.back() <= instruction; open_.pop_back()) out += "        .endscope\n";
  }

  const ProgramImage& image_;
  std::vector<std::uint32_t> open_;
  std::size_t scope_ = 0;
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
