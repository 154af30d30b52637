// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/app/validate/reports.hpp"

namespace heddle::validate {
namespace {

struct Point {
  double measured, low, high, simulated;  // low to high: all measured values of it
  std::string title;
};

struct Series {
  std::string name;
  std::vector<Point> points;
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f) {
      out += c;
    } else {
      out += '?';  // whatever a table holds, the figure stays well-formed
    }
  }
  return out;
}

// One series a table; of a single table, one a group.
std::vector<Series> series_of(const std::vector<TableResult>& tables, std::size_t& left_out) {
  std::vector<Series> all;
  const auto series = [&](const std::string& name) -> Series& {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Series& s) { return s.name == name; });
    return found != all.end() ? *found : all.emplace_back(Series{name, {}});
  };
  for (const TableResult& t : tables) {
    for (std::size_t i = 0; i < t.cases.size(); ++i) {
      for (const Measurement& m : t.outcomes[i].measurements) {
        if (m.measured <= 0 || m.simulated <= 0) {
          ++left_out;
          continue;
        }
        Point p{m.measured, m.measured, m.measured, m.simulated, {}};
        for (const double also : m.also_measured) {
          if (also <= 0) continue;
          p.low = std::min(p.low, also);
          p.high = std::max(p.high, also);
        }
        p.title = fmt::format("{} {}: measured {:g} {}, simulated {:g} {} ({})", t.cases[i].group, t.cases[i].label,
                              m.measured, m.unit, m.simulated, m.unit, m.error_text());
        series(tables.size() > 1 ? t.stem : t.cases[i].group).points.push_back(p);
      }
    }
  }
  return all;
}

// A square of `size` pixels that begins at (left, top), both axes from 10^low to 10^high.
struct Axes {
  double low = 0, high = 1;
  static constexpr double left = 84, top = 48, size = 560;
  double at(double value) const { return (std::log10(value) - low) / (high - low); }
  double x(double value) const { return left + size * at(value); }
  double y(double value) const { return top + size * (1 - at(value)); }
};

Axes axes_over(const std::vector<Series>& all) {
  double least = 1e300, most = 0;
  for (const Series& s : all) {
    for (const Point& p : s.points) {
      least = std::min({least, p.low, p.simulated});
      most = std::max({most, p.high, p.simulated});
    }
  }
  if (most == 0) return {0, 1};
  constexpr double margin = 0.08;
  const double low = std::floor(std::log10(least) * 2 - margin) / 2,
               high = std::ceil(std::log10(most) * 2 + margin) / 2;
  return {low, high};
}

constexpr std::string_view style = R"(<style>
svg { --ink: #1d2433; --faint: #d5dae3; --band: #dbe4f3; --paper: #ffffff; background: var(--paper); }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e4e8f0; --faint: #39414f; --band: #2b3649; --paper: #12161f; }
}
text { font: 13px system-ui, sans-serif; fill: var(--ink); }
.title { font-size: 16px; font-weight: 600; }
.small { font-size: 11px; }
.grid { stroke: var(--faint); stroke-width: 1; }
.frame { fill: none; stroke: var(--ink); stroke-width: 1; }
.exact { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 5 4; }
.band { fill: var(--band); }
.paper { fill: var(--paper); }
circle { fill-opacity: 0.75; stroke: var(--paper); stroke-width: 0.5; }
.bar { stroke-width: 1.2; stroke-opacity: 0.6; }
</style>
)";
// Distinguishable with the common colour blindnesses too (Okabe and Ito's set, its black and yellow left out).
constexpr std::array<std::string_view, 6> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string tick_text(double exponent) {
  constexpr double named = 6;
  if (exponent >= 0 && exponent < named) return fmt::format("{:.0f}", std::pow(10.0, exponent));
  return fmt::format("1e{:.0f}", exponent);
}

std::string grid(const Axes& a) {
  std::string out;
  for (double e = std::ceil(a.low); e <= a.high; ++e) {
    const double v = std::pow(10.0, e);
    out += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n", a.x(v),
                       a.top, a.top + a.size);
    out += fmt::format("<line class=\"grid\" x1=\"{1:.1f}\" y1=\"{0:.1f}\" x2=\"{2:.1f}\" y2=\"{0:.1f}\"/>\n", a.y(v),
                       a.left, a.left + a.size);
    out += fmt::format("<text class=\"small\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", a.x(v),
                       a.top + a.size + 16, tick_text(e));
    out += fmt::format("<text class=\"small\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", a.left - 6,
                       a.y(v) + 4, tick_text(e));
  }
  return out;
}

// Where simulated = part * measured crosses the square, clipped by the figure's clip path.
std::string band(const Axes& a) {
  constexpr double part = 0.1;
  const double v0 = std::pow(10.0, a.low), v1 = std::pow(10.0, a.high);
  return fmt::format(
      "<g clip-path=\"url(#square)\"><polygon class=\"band\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} "
      "{:.1f},{:.1f}\"/>\n<line class=\"exact\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/></g>\n",
      a.x(v0), a.y(v0 * (1 - part)), a.x(v0), a.y(v0 * (1 + part)), a.x(v1), a.y(v1 * (1 + part)), a.x(v1),
      a.y(v1 * (1 - part)), a.x(v0), a.y(v0), a.x(v1), a.y(v1));
}

std::string points_text(const Axes& a, const Series& s, std::string_view colour) {
  std::string out;
  for (const Point& p : s.points) {
    if (p.high > p.low)
      out +=
          fmt::format("<line class=\"bar\" stroke=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                      colour, a.x(p.low), a.y(p.simulated), a.x(p.high), a.y(p.simulated));
    out += fmt::format("<circle fill=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}</title></circle>\n", colour,
                       a.x(p.measured), a.y(p.simulated), escaped(p.title));
  }
  return out;
}

// "ns", or "ns, cycles": every unit among the points that are drawn.
std::string units_of(const std::vector<TableResult>& tables) {
  std::vector<std::string> units;
  for (const TableResult& t : tables)
    for (const CaseOutcome& o : t.outcomes)
      for (const Measurement& m : o.measurements)
        if (std::find(units.begin(), units.end(), m.unit) == units.end()) units.push_back(m.unit);
  return fmt::format("{}", fmt::join(units, ", "));
}

}  // namespace

std::string plot_svg(const std::vector<TableResult>& tables) {
  std::size_t left_out = 0;
  const std::vector<Series> all = series_of(tables, left_out);
  const Axes a = axes_over(all);
  constexpr double line = 20, width = Axes::left + Axes::size + 40;
  const double legend = Axes::top + Axes::size + 66;
  const double height = legend + line * static_cast<double>(all.size() + 1 + (left_out > 0 ? 1 : 0)) + 8;
  const std::string title = tables.size() == 1 ? tables.front().stem : "Measured against simulated";

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\">\n<title>{2}: measured against simulated</title>\n{3}<rect class=\"paper\" width=\"100%\" "
      "height=\"100%\"/>\n",
      width, height, escaped(title), style);
  out += fmt::format(
      "<defs><clipPath id=\"square\"><rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" "
      "height=\"{2:.1f}\"/></clipPath></defs>\n<text class=\"title\" x=\"{0:.1f}\" y=\"28\">{3}</text>\n",
      Axes::left, Axes::top, Axes::size, escaped(title));
  out += band(a) + grid(a);
  out += fmt::format("<rect class=\"frame\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{2:.1f}\"/>\n",
                     Axes::left, Axes::top, Axes::size);
  const std::string units = escaped(units_of(tables));
  out += fmt::format("<text text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">measured ({})</text>\n",
                     Axes::left + Axes::size / 2, Axes::top + Axes::size + 38, units);
  out +=
      fmt::format("<text text-anchor=\"middle\" transform=\"translate(22 {:.1f}) rotate(-90)\">simulated ({})</text>\n",
                  Axes::top + Axes::size / 2, units);
  double y = legend;
  for (std::size_t i = 0; i < all.size(); ++i, y += line) {
    const std::string_view colour = colours[i % colours.size()];
    out += points_text(a, all[i], colour);
    out += fmt::format(
        "<circle fill=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", colour,
        Axes::left + 6, y - 4, Axes::left + 20, y, escaped(all[i].name));
  }
  out += fmt::format(
      "<rect class=\"band\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\"/><text x=\"{:.1f}\" "
      "y=\"{:.1f}\">within 10 %</text>\n",
      Axes::left, y - 10, Axes::left + 20, y);
  y += line;
  if (left_out > 0)
    out += fmt::format(
        "<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">not shown: {} without a place on logarithmic axes "
        "(zero)</text>\n",
        Axes::left, y, left_out);
  out += "</svg>\n";
  return out;
}

}  // namespace heddle::validate
