// SPDX-License-Identifier: Apache-2.0
#include "sim/config/print_fields.hpp"

#include "isa/base/error.hpp"

namespace heddle::config {
namespace {

// Quoted unless it is plainly a word; YAML's double-quoted form takes JSON's escapes.
std::string yaml_text(const std::string& s) {
  const bool plain = !s.empty() &&
                     s.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-./"
                         "0123456789") == std::string::npos &&
                     std::isalpha(static_cast<unsigned char>(s[0])) != 0 && s != "null" && s != "true" && s != "false";
  if (plain) return s;
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string rates_text(const Fields::Rates& rates) {
  std::string out;
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (rates[i].num != 0)
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", dtype_infos[i].name, format_ratio(rates[i]));
  return "{" + out + "}";
}

class Printer : public Fields {
 public:
  explicit Printer(std::string first) : out_(std::move(first)) {}
  const std::string& out() const { return out_; }

  void number(std::string_view key, std::int64_t& m, Unit unit, Range, Need, std::string_view) override {
    line(key, format_quantity(m, unit));
  }
  void real(std::string_view key, double& m, double, double, Need, std::string_view) override {
    line(key, fmt::format("{}", m));
  }
  void ratio(std::string_view key, Ratio& m, Range, Need, std::string_view) override { line(key, format_ratio(m)); }
  void flag(std::string_view key, bool& m, Need, std::string_view) override { line(key, m ? "true" : "false"); }
  void text(std::string_view key, std::string& m, Need, std::string_view) override { line(key, yaml_text(m)); }
  void word(std::string_view key, std::size_t& index, std::span<const std::string_view> words, Need,
            std::string_view) override {
    line(key, std::string(words[index]));
  }
  void rates(std::string_view key, Rates& m, Range, Need, std::string_view) override { line(key, rates_text(m)); }
  void group(std::string_view key, Need, std::string_view, const Body& body) override {
    line(key, "");
    indent_ += "  ";
    body(*this);
    indent_.resize(indent_.size() - 2);
  }

 private:
  void line(std::string_view key, const std::string& value) {
    out_ += fmt::format("{}{}:{}{}\n", indent_, key, value.empty() ? "" : " ", value);
  }
  std::string out_;
  std::string indent_;
};

std::string_view unit_column(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "size";
    case Unit::bytes_per_second:
      return "bandwidth";
    case Unit::hertz:
      return "frequency";
    case Unit::time:
      return "time";
    case Unit::cycles:
      return "cycles";
    case Unit::none:
      break;
  }
  return "number";
}

class PageWriter : public Fields {
 public:
  explicit PageWriter(std::string what) : path_(std::move(what)) {}
  // This group's table followed by those of the groups inside it.
  std::string take(std::string_view doc) const {
    return fmt::format("\n## {}\n\n{}.\n\n| key | kind | default | range | meaning |\n|---|---|---|---|---|\n{}{}",
                       path_, doc, rows_, inner_);
  }

  void number(std::string_view key, std::int64_t& m, Unit unit, Range r, Need need, std::string_view doc) override {
    row(key, unit_column(unit), format_quantity(m, unit),
        fmt::format("{} to {}", format_quantity(r.least, unit), format_quantity(r.most, unit)), need, doc);
  }
  void real(std::string_view key, double& m, double least, double most, Need need, std::string_view doc) override {
    row(key, "number", fmt::format("{}", m), fmt::format("{} to {}", least, most), need, doc);
  }
  void ratio(std::string_view key, Ratio& m, Range r, Need need, std::string_view doc) override {
    row(key, "ratio", format_ratio(m), ratio_range(r), need, doc);
  }
  void flag(std::string_view key, bool& m, Need need, std::string_view doc) override {
    row(key, "flag", m ? "true" : "false", "true, false", need, doc);
  }
  void text(std::string_view key, std::string& m, Need need, std::string_view doc) override {
    row(key, "text", m.empty() ? "none" : m, "", need, doc);
  }
  void word(std::string_view key, std::size_t& index, std::span<const std::string_view> words, Need need,
            std::string_view doc) override {
    row(key, "word", std::string(words[index]), fmt::format("{}", fmt::join(words, ", ")), need, doc);
  }
  void rates(std::string_view key, Rates& m, Range r, Need need, std::string_view doc) override {
    row(key, "ratio by dtype", rates_text(m), ratio_range(r), need, doc);
  }
  void group(std::string_view key, Need need, std::string_view doc, const Body& body) override {
    const std::string path = top_ ? std::string(key) : path_ + "." + std::string(key);
    row(key, "map", "all its defaults", "", need, fmt::format("{}; see [{}](#{})", doc, path, anchor(path)));
    PageWriter child(path);
    child.top_ = false;
    body(child);
    inner_ += child.take(doc);
  }

 private:
  static std::string anchor(const std::string& heading) {  // as GitHub makes it: dots fall away
    std::string out;
    for (const char c : heading)
      if (c != '.') out += c;
    return out;
  }
  static std::string ratio_range(Range r) { return fmt::format("{} to {}", r.least > 0 ? "above 0" : "0", r.most); }
  void row(std::string_view key, std::string_view kind, const std::string& value, const std::string& range, Need need,
           std::string_view doc) {
    rows_ +=
        fmt::format("| `{}` | {} | {} | {} | {} |\n", key, kind, need == required ? "required" : value, range, doc);
  }

  std::string path_;
  bool top_ = true;
  std::string rows_;
  std::string inner_;
};

}  // namespace

std::string print_fields(std::string_view schema, const Fields::Body& body) {
  Printer printer(fmt::format("schema: {}\n", schema));
  body(printer);
  return printer.out();
}

std::string fields_page(std::string_view title, std::string_view what, std::string_view schema,
                        const Fields::Body& body) {
  PageWriter page{std::string(what)};
  body(page);
  return fmt::format("# {}\n{}", title, page.take(fmt::format("The top level; `schema` is `{}`", schema)));
}

}  // namespace heddle::config
