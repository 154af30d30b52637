// SPDX-License-Identifier: Apache-2.0
#include "sim/app/report_page/result_page.hpp"

#include <nlohmann/json.hpp>

#include "sim/app/report_page/page_files.hpp"

namespace heddle::app {
namespace {

// JSON inside a script element: no character that could end the element or open another.
std::string script_json(const nlohmann::json& json) {
  const std::string text = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + 64);
  for (const char c : text) {  // outside of strings JSON has none of them
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string result_page(const nlohmann::json& result) {
  std::string body =
      "<header><h1>Heddle <span id=\"what\"></span></h1><nav aria-label=\"Sections\"></nav></header>\n<main></main>\n"
      "<noscript>This page shows its numbers with JavaScript, which is off here.</noscript>\n"
      "<script type=\"application/json\" id=\"result\">";
  body += script_json(result);
  body += "</script>\n";
  return html_page("Heddle report", body, {"page.css", "report.css"},
                   {"page.js", "sort.js", "base.js", "summary.js", "insights.js", "roofline.js", "kernels.js",
                    "stalls.js", "levels.js", "timeline.js", "timeline_input.js", "source.js"});
}

}  // namespace heddle::app
