// SPDX-License-Identifier: Apache-2.0
#include "sim/app/report_page/page_files.hpp"

#include "isa/base/error.hpp"

namespace heddle::app {
std::string_view page_file(std::string_view name) {
  for (const PageFile& f : page_files())
    if (f.name == name) return f.content;
  fail(ErrorKind::internal, "HDL-APP-99", "no part '{}' of a page", name);
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string html_page(std::string_view title, std::string_view body, const std::vector<std::string_view>& styles,
                      const std::vector<std::string_view>& scripts) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n",
      escape_html(title));
  const auto add = [&](std::string_view tag, const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) out += fmt::format("<{0}>\n{1}</{0}>\n", tag, page_file(name));
  };
  add("style", styles);
  out += "</head>\n<body>\n";
  out += body;
  add("script", scripts);
  return out += "</body>\n</html>\n";
}

}  // namespace heddle::app
