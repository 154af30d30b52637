// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/app/diff/compare.hpp"
#include "sim/app/report_page/page_files.hpp"

namespace heddle::diff {
namespace {

using app::escape_html;

constexpr std::size_t most_rows = 2000;  // of a table

std::string cell(std::string_view text, std::string_view css, double sort_by) {
  return fmt::format("<td class=\"num {}\" data-v=\"{:.17g}\">{}</td>", css, sort_by, escape_html(text));
}

// Less time is better, whatever it was spent on; other totals have no direction.
std::string_view tone(const Row& r) {
  const bool time = r.quantity == Quantity::cycles || r.quantity == Quantity::nanoseconds;
  return !time || r.change() == 0 ? "" : r.change() < 0 ? "better" : "worse";
}

std::string row_html(const Row& r, double largest) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < r.labels.size(); ++i)
    out += fmt::format("<td{}>{}</td>", i == 4 ? " class=\"code\"" : "", escape_html(r.labels[i]));
  out += cell(value_text(r.before, r.quantity), "", r.before.value_or(-1));
  out += cell(value_text(r.after, r.quantity), "", r.after.value_or(-1));
  out += cell(change_text(r), tone(r), r.change());
  const double relative = r.before && *r.before > 0 && r.after ? r.change() / *r.before : 0;
  out += cell(percent_text(r), tone(r), relative);
  // How much of the table's largest change this one is, to the left when less and to the right when more.
  const double width = largest > 0 ? 50 * std::abs(r.change()) / largest : 0;
  out +=
      fmt::format("<td class=\"bar\"><span class=\"delta {}\" style=\"width:{:.1f}%;margin-left:{:.1f}%\"></span></td>",
                  tone(r), width, r.change() < 0 ? 50 - width : 50.0);
  return out + "</tr>\n";
}

std::string table_html(const Table& t, bool with_bars) {
  std::string out = fmt::format("<section>\n<h2>{}</h2>\n", escape_html(t.title));
  if (t.rows.empty()) return out + "<p class=\"note\">Nothing changed.</p>\n</section>\n";
  out += "<div class=\"scroll\" tabindex=\"0\"><table class=\"sortable\"><thead><tr>";
  for (const std::string& c : t.columns) out += fmt::format("<th>{}</th>", escape_html(c));
  out +=
      "<th class=\"num\">before</th><th class=\"num\">after</th><th class=\"num\">change</th><th class=\"num\">%</th>"
      "<th data-fixed></th></tr></thead>\n<tbody>\n";
  double largest = 0;
  if (with_bars)
    for (const Row& r : t.rows) largest = std::max(largest, std::abs(r.change()));
  for (std::size_t i = 0; i < std::min(most_rows, t.rows.size()); ++i) out += row_html(t.rows[i], largest);
  out += "</tbody></table></div>\n";
  if (t.rows.size() > most_rows)
    out += fmt::format("<p class=\"note\">And {} smaller changes.</p>\n", t.rows.size() - most_rows);
  if (t.unchanged > 0)
    out += fmt::format("<p class=\"note\">{} row{} the same before and after.</p>\n", t.unchanged,
                       t.unchanged == 1 ? " is" : "s are");
  return out + "</section>\n";
}

}  // namespace

std::string page_of(const Comparison& c) {
  std::string body =
      "<header><h1>Heddle <span>before and after</span></h1></header>\n<main>\n<section class=\"cards\">\n";
  const Row& cycles = c.tables.front().rows.front();
  const auto card = [&](std::string_view what, const std::string& value, std::string_view css,
                        const std::string& more) {
    body += fmt::format(
        "<div class=\"card\"><div class=\"what\">{}</div><div class=\"value {}\">{}</div><div "
        "class=\"more\">{}</div></div>\n",
        what, css, escape_html(value), escape_html(more));
  };
  const bool timed = c.before.cycles() && c.after.cycles();
  card("cycles before", value_text(c.before.cycles(), Quantity::cycles), "", c.before.file);
  card("cycles after", value_text(c.after.cycles(), Quantity::cycles), "", c.after.file);
  if (timed) {
    const std::string percent = percent_text(cycles);
    card("change", percent.empty() ? "none" : percent, tone(cycles), change_text(cycles) + " cycles");
  }
  body += "</section>\n<section>\n";
  body += fmt::format("<p>Before: {}<br>After: {}</p>\n", escape_html(c.before.title()), escape_html(c.after.title()));
  for (const Difference& d : c.differences) body += fmt::format("<p class=\"warning\">{}</p>\n", escape_html(d.text));
  for (const std::string& note : c.notes) body += fmt::format("<p class=\"note\">{}</p>\n", escape_html(note));
  body += "</section>\n";
  for (std::size_t i = 0; i < c.tables.size(); ++i) body += table_html(c.tables[i], i > 0);
  body += "</main>\n";
  return app::html_page(fmt::format("{} and {}", c.before.file, c.after.file), body, {"page.css"},
                        {"page.js", "sort.js"});
}

}  // namespace heddle::diff
