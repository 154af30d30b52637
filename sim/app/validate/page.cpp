// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/page.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "isa/base/read_file.hpp"
#include "sim/app/output.hpp"
#include "sim/app/validate/reports.hpp"

namespace heddle::validate {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::size_t worst_rows = 6;

std::string note_text(const std::string& file) {
  if (!std::filesystem::exists(file)) return {};
  const std::optional<std::string> text = read_file(file, most_bytes);
  if (!text) fail_at({file}, ErrorKind::bad_input, "HDL-VAL-01", "cannot be read: {}", std::strerror(errno));
  return *text;
}

// Text in a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_' || c == '`') out += '\\';
    out += c;
  }
  return out;
}

std::string shown(double v, const std::string& unit) {
  if (unit == "pt") return fmt::format("{:.1f} points", v);
  return fmt::format("{:.{}f} {}", v, v == 0 ? 0 : v < 0.1 ? 3 : 1, unit);
}

std::string number(double v) {
  if (v == std::floor(v) && std::abs(v) < 1e15) return fmt::format("{:.0f}", v);
  return std::abs(v) >= 1000 ? fmt::format("{:.0f}", v) : fmt::format("{:.4g}", v);
}

// "met", or by how much not; empty without a target in numbers. Errors in other units than these have no such target.
std::string verdict(const Notes& notes, const std::vector<Figures>& figures) {
  std::string missed;
  bool judged = false;
  for (const Figures& f : figures) {
    if (!f.group.empty() || (f.unit != "%" && f.unit != "pt")) continue;
    const auto judge = [&](const char* what, double value, double target) {
      if (target < 0) return;
      judged = true;
      constexpr double rounding = 1e-9;
      if (value > target + rounding)
        missed +=
            fmt::format("{}{} {} of {:g}", missed.empty() ? "missed: " : "; ", what, shown(value, f.unit), target);
    };
    judge("mean", f.mean, f.unit == "%" ? notes.mean : notes.mean_points);
    judge("worst", f.worst, f.unit == "%" ? notes.row : notes.row_points);
  }
  std::size_t outside = 0;
  for (const Figures& f : figures)
    if (f.group.empty()) outside += f.outside, judged = judged || f.judged > 0;
  if (outside > 0)
    missed += fmt::format("{}{} value{} outside the row's tolerance", missed.empty() ? "missed: " : "; ", outside,
                          outside == 1 ? "" : "s");
  return !missed.empty() ? missed : judged ? "met" : "";
}

std::string summary(const std::vector<TableResult>& tables, const std::vector<Notes>& notes) {
  std::string out =
      "| table | machine | values | mean error | median | worst | target | |\n|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::vector<Figures> figures = tables[i].figures();
    std::string counts, means, medians, worsts;
    for (const Figures& f : figures) {
      if (!f.group.empty()) continue;
      const std::string_view mark = counts.empty() ? "" : ", ";
      counts += fmt::format("{}{}", mark, f.count);
      means += fmt::format("{}{}", mark, shown(f.mean, f.unit));
      medians += fmt::format("{}{}", mark, shown(f.median, f.unit));
      worsts += fmt::format("{}{}", mark, shown(f.worst, f.unit));
    }
    std::string anchor;
    for (const char c : notes[i].title) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (c == ' ')
        anchor += '-';
    }
    out += fmt::format("| [{}](#{}) | {} | {} | {} | {} | {} | {} | {} |\n", cell(tables[i].stem), anchor,
                       cell(fmt::format("{}", fmt::join(tables[i].chips(), ", "))), counts, means, medians, worsts,
                       notes[i].target.empty() ? "" : cell(notes[i].target), cell(verdict(notes[i], figures)));
  }
  return out;
}

std::string figures_table(const std::vector<Figures>& figures) {
  std::string out = "| rows | values | mean error | median | worst | worst row |\n|---|---|---|---|---|---|\n";
  for (const Figures& f : figures)
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", f.group.empty() ? "all" : cell(f.group), f.count,
                       shown(f.mean, f.unit), shown(f.median, f.unit), shown(f.worst, f.unit),
                       f.worst > 0 ? cell(f.worst_label) : "");
  return out;
}

std::string worst_table(const TableResult& table) {
  struct Line {
    std::string row;
    const Measurement* m;
  };
  std::vector<Line> lines;
  for (std::size_t i = 0; i < table.cases.size(); ++i)
    for (const Measurement& m : table.outcomes[i].measurements)
      if (m.error() != 0) lines.push_back({table.cases[i].group + " " + table.cases[i].label, &m});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return std::abs(a.m->error()) > std::abs(b.m->error()); });
  if (lines.empty()) return {};
  lines.resize(std::min(lines.size(), worst_rows));
  std::string out = "\nWorst rows:\n\n| row | | measured | simulated | error |\n|---|---|---|---|---|\n";
  for (const Line& l : lines)
    out += fmt::format("| {} | {} | {} {} | {} {} | {} |\n", cell(l.row), cell(l.m->what), number(l.m->measured),
                       l.m->unit, number(l.m->simulated), l.m->unit, l.m->error_text());
  return out;
}

std::string section(const TableResult& table, const Notes& notes, const std::string& folder) {
  std::string out = fmt::format("\n## {}\n\n", notes.title);
  out += fmt::format("`{}` on {}\n", std::filesystem::path(table.path).filename().string(),
                     cell(fmt::format("{}", fmt::join(table.chips(), ", "))));
  for (const std::string& comment : table.comments)
    out += fmt::format("> {}  \n", cell(comment));  // two spaces: a line of its own
  out += '\n';
  const std::string judged = verdict(notes, table.figures());
  if (!notes.target.empty()) out += fmt::format("Target: {}.", notes.target);
  if (!judged.empty()) out += fmt::format(" **{}**", judged);
  if (!notes.published.empty()) out += fmt::format("\nPublished: {}.", notes.published);
  if (!notes.target.empty() || !judged.empty() || !notes.published.empty()) out += "\n\n";
  out += figures_table(table.figures()) + worst_table(table);
  out += fmt::format("\n![{0}: measured against simulated]({1}/{0}.svg)\n", table.stem, folder);
  if (!notes.text.empty()) out += "\n" + notes.text;
  return out;
}

}  // namespace

Notes parse_notes(std::string_view text, const std::string& file) {
  Notes notes;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (line.empty()) break;
    const std::size_t colon = line.find(": ");
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 2);
    const auto read_number = [&](double& to) {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), to);
      return error == std::errc{} && end == value.data() + value.size() && to >= 0;
    };
    const auto set = [&](std::string& to) { return !(to = value).empty(); };
    bool good = false;
    if (key == "title") good = set(notes.title);
    if (key == "target") good = set(notes.target);
    if (key == "published") good = set(notes.published);
    if (key == "mean") good = read_number(notes.mean);
    if (key == "row") good = read_number(notes.row);
    if (key == "mean-points") good = read_number(notes.mean_points);
    if (key == "row-points") good = read_number(notes.row_points);
    if (!good)
      fail_at({file, number}, ErrorKind::bad_input, "HDL-VAL-15",
              "'{}': expected 'key: value' with title, target, published, or a number for mean, row, mean-points, "
              "row-points; an empty line ends "
              "them",
              line);
  }
  notes.text = text;
  if (!notes.text.empty() && notes.text.back() != '\n') notes.text += '\n';
  return notes;
}

void write_page(const std::string& path, const std::vector<TableResult>& tables) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).parent_path() / fs::path(path).stem();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_at({folder.string()}, ErrorKind::bad_input, "HDL-APP-01", "cannot be made: {}", error.message());
  std::vector<Notes> notes;
  for (const TableResult& t : tables) {
    const std::string file = (folder / (t.stem + ".md")).string();
    notes.push_back(parse_notes(note_text(file), file));
    if (notes.back().title.empty()) notes.back().title = t.stem;
    app::write_file((folder / (t.stem + ".svg")).string(), plot_svg({t}));
  }
  std::string page =
      "<!-- Written by heddle validate --page, from the tables and from what stands in the folder beside it. -->\n";
  const std::string intro = note_text((folder / "intro.md").string());
  page += intro.empty() ? "# Measured against simulated\n" : intro;
  page += "\n" + summary(tables, notes);
  for (std::size_t i = 0; i < tables.size(); ++i) page += section(tables[i], notes[i], fs::path(path).stem().string());
  app::write_file(path, page);
}

}  // namespace heddle::validate
