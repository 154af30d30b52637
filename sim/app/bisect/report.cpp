// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/app/bisect/divergence.hpp"
#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t most_boxes = 6;  // of a line

const char* name(Cause cause) {
  switch (cause) {
    case Cause::precision:
      return "precision";
    case Cause::program:
      return "program";
    case Cause::not_finite:
      return "not finite";
    default:
      return "unknown";
  }
}

std::string number(double v) { return fmt::format("{:.7g}", v); }

std::string boxes_text(const std::vector<Box>& boxes) {
  std::string out;
  for (std::size_t i = 0; i < boxes.size() && i < most_boxes; ++i) {
    // Of one tensor after the other, its name once.
    const bool again = i != 0 && boxes[i].tensor == boxes[i - 1].tensor;
    out += (out.empty() ? "" : again ? " then " : ", ") + boxes[i].text().substr(again ? boxes[i].tensor.size() : 0);
  }
  if (boxes.size() > most_boxes) out += fmt::format(" and {} more", boxes.size() - most_boxes);
  return out;
}

std::string cause_text(const Divergence& d) {
  const std::string same = "the same instructions in double";
  switch (d.cause) {
    case Cause::precision:
      return fmt::format("precision: {} give {}, within the tolerance\n", same, number(*d.in_double));
    case Cause::program:
      return fmt::format("program: {} give {}: not their precision, but what they do, or when\n", same,
                         number(*d.in_double));
    case Cause::not_finite:
      return "not finite: an instruction made it of finite numbers\n";
    case Cause::unknown:
      break;
  }
  return d.by ? "unknown: too much lies behind it to repeat in double; take a smaller shape\n" : "";
}

std::string link_text(const Link& link, double tolerance) {
  // Without its waits and posts.
  const std::string_view text = link.first.instruction;
  std::string out = fmt::format("    {:<52} {}", text.substr(0, text.find("  ")), link.first.place);
  if (link.times > 1) out += fmt::format("   {} times", link.times);
  if (link.first.cycle >= 0)
    out += fmt::format("   {}cycle {}", link.times > 1 ? "from " : "",
                       grouped(static_cast<std::uint64_t>(link.first.cycle)));
  if (link.deviation > tolerance) out += fmt::format("   off by {:.1e} from double", link.deviation);
  if (!link.read.empty()) out += "\n        reads " + boxes_text(link.read);
  if (!link.written.empty()) out += "\n        writes " + boxes_text(link.written);
  return out + "\n";
}

}  // namespace

nlohmann::json json_number(double v) { return std::isfinite(v) ? nlohmann::json(v) : nlohmann::json(number(v)); }

nlohmann::json to_json(const Site& s) {
  nlohmann::json json{{"core", s.core},        {"instruction", s.pc}, {"engine", s.engine},
                      {"text", s.instruction}, {"place", s.place},    {"cycle", nullptr}};
  if (s.cycle >= 0) json["cycle"] = s.cycle;
  return json;
}

std::string to_text(const Divergence& d) {
  std::string out =
      fmt::format("  first divergence      {} is {}, the reference has {}   (off by {:.2e}, tolerance {:.2e})\n",
                  d.tensor.element_text(d.element), number(d.got), number(d.want), d.error, d.tolerance);
  if (d.by) {
    out += "  written by            " + d.by->text() + "\n";
    out += fmt::format("  its tile              {}: {} of its {} elements are off\n",
                       d.tile ? d.tile->text() : d.tensor.name, grouped(static_cast<std::uint64_t>(d.tile_wrong)),
                       grouped(static_cast<std::uint64_t>(d.tile_elements)));
  } else {
    out += "  written by            no instruction\n";
  }
  out += fmt::format("  in all                {} elements are off", grouped(static_cast<std::uint64_t>(d.wrong)));
  if (d.unwritten > 0)
    out += fmt::format(", {} of them written by no instruction", grouped(static_cast<std::uint64_t>(d.unwritten)));
  out += "\n";
  if (const std::string cause = cause_text(d); !cause.empty()) out += "  cause                 " + cause;
  if (d.deviation) {
    const Deviation& v = *d.deviation;
    out += "  first instruction     " + v.site.text() + "\n";
    out += fmt::format("                        element {} of its result is {}", v.element, number(v.got));
    out +=
        d.cause == Cause::precision ? fmt::format(", in double {}   (off by {:.2e})\n", number(v.want), v.error) : "\n";
  }
  if (!d.not_read.empty())
    out += fmt::format("  not read              {}: the reference depends on it, nothing behind the element read it\n",
                       boxes_text(d.not_read));
  if (!d.behind.empty()) out += "  behind it, latest first:\n";
  for (const Link& link : d.behind) out += link_text(link, d.tolerance);
  return out;
}

nlohmann::json to_json(const Divergence& d) {
  nlohmann::json json{{"tensor", d.tensor.name},
                      {"element", d.tensor.element_text(d.element)},
                      {"got", json_number(d.got)},
                      {"want", json_number(d.want)},
                      {"error", json_number(d.error)},
                      {"tolerance", d.tolerance},
                      {"wrong", d.wrong},
                      {"unwritten", d.unwritten},
                      {"cause", name(d.cause)},
                      {"in_double", d.in_double ? json_number(*d.in_double) : nlohmann::json()}};
  json["by"] = d.by ? to_json(*d.by) : nlohmann::json();
  if (d.by)
    json["tile"] = {{"box", d.tile ? nlohmann::json(d.tile->text()) : nlohmann::json()},
                    {"elements", d.tile_elements},
                    {"wrong", d.tile_wrong}};
  if (d.deviation) {
    json["first"] = to_json(d.deviation->site);
    json["first"]["element"] = d.deviation->element;
    json["first"]["got"] = json_number(d.deviation->got);
    if (d.cause == Cause::precision) json["first"]["in_double"] = json_number(d.deviation->want);
  }
  for (const Box& b : d.not_read) json["not_read"].push_back(b.text());
  json["behind"] = nlohmann::json::array();
  for (const Link& link : d.behind) {
    nlohmann::json row = to_json(link.first);
    row["times"] = link.times;
    row["deviation"] = json_number(link.deviation);
    for (const Box& b : link.read) row["reads"].push_back(b.text());
    for (const Box& b : link.written) row["writes"].push_back(b.text());
    json["behind"].push_back(std::move(row));
  }
  return json;
}

}  // namespace heddle::app
