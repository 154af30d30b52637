// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"
#include "sim/app/report_page/result_page.hpp"
#include "sim/app/result_file.hpp"

namespace heddle::app {
namespace {

void numbers(const ResultView& v, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) v.at(key).number();
}
void numbers_if_there(const ResultView& v, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (v.has(key)) v.at(key).number();
}
void texts(const ResultView& v, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) v.at(key).text();
}
void texts_if_there(const ResultView& v, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (v.has(key)) v.at(key).text();
}

// An index into an array of `size`; -1 for none.
void index(const ResultView& v, std::size_t size) {
  if (v.json().is_number_integer() && v.json() == -1) return;
  if (v.whole() >= size) v.wrong("a number below " + std::to_string(size));
}

void place(const ResultView& p) {
  texts(p, {"mnemonic", "engine", "file"});
  numbers(p, {"instruction", "line"});
}

void times(const ResultView& by_reason) {
  by_reason.each_key([](const std::string&, const ResultView& fs) { fs.number(); });
}

void schema(const ResultView& part, std::string_view name) {
  if (part.at("schema").text() != name) part.at("schema").wrong(name);
}

void check_stalls(const ResultView& s) {
  schema(s, "heddle.stalls/1");
  numbers(s, {"total_fs"});
  if (s.at("period_fs").number() < 1) s.at("period_fs").wrong("at least 1");
  s.at("engines").each([](const ResultView& e) {
    e.at("core").number();
    e.at("engine").text();
    times(e.at("fs"));
  });
  std::size_t programs = 0;
  s.at("programs").each([&](const ResultView& name) {
    name.text();
    ++programs;
  });
  s.at("places").each([&](const ResultView& p) {
    place(p);
    index(p.at("program"), programs);
    texts(p, {"unit", "reason"});
    numbers(p, {"fs"});
    if (p.has("posted_by")) place(p.at("posted_by"));
  });
  s.at("scopes").each([&](const ResultView& scope) {
    scope.at("scope").text();
    index(scope.at("program"), programs);
    numbers(scope, {"passes", "inside_fs"});
    scope.at("fs").each_key([](const std::string&, const ResultView& by_reason) { times(by_reason); });
  });
}

void check_roofline(const ResultView& r) {
  numbers_if_there(r, {"share"});
  texts_if_there(r, {"bound"});
  if (!r.has("points")) return;
  if (r.at("hbm_bytes_per_s").number() <= 0) r.at("hbm_bytes_per_s").wrong("above 0");
  r.at("ceilings").each([](const ResultView& c) {
    c.at("name").text();
    c.at("ops_per_s").number();
  });
  r.at("points").each([](const ResultView& p) {
    texts(p, {"scope", "kind"});
    p.at("program").json().is_number() ? void() : p.at("program").wrong("a number");
    numbers(p, {"passes", "time_fs", "ops", "hbm_bytes", "ops_per_s"});
    numbers_if_there(p, {"intensity", "share"});
    texts_if_there(p, {"bound"});
  });
}

// Millions of numbers, so without a view of each.
void check_slices(const ResultView& track, std::size_t labels, double total) {
  const ResultView slices = track.at("slices");
  if (!slices.json().is_array() || slices.json().empty() || slices.json().size() % 2 != 0)
    slices.wrong("an array of a length and a label for each slice");
  double sum = 0;
  for (std::size_t i = 0; i < slices.json().size(); i += 2) {
    const nlohmann::json &length = slices.json()[i], &label = slices.json()[i + 1];
    if (!length.is_number_unsigned() || !label.is_number_unsigned() || label.get<std::uint64_t>() >= labels)
      slices.wrong("lengths and labels (at " + std::to_string(i) + ")");
    sum += length.get<double>();
  }
  if (sum != total) slices.wrong("slices that fill the run");
}

void check_timeline(const ResultView& t) {
  schema(t, "heddle.timeline/1");
  const double total = t.at("total_fs").number();
  numbers_if_there(t, {"coarsened_fs", "slice_count"});
  t.at("places").each(place);
  const std::size_t places = t.at("places").json().size();
  std::size_t labels = 0;
  t.at("labels").each([&](const ResultView& l) {
    ++labels;
    l.at("name").text();
    texts_if_there(l, {"reason", "scope"});
    index(l.at("place"), places);
    index(l.at("cause"), places);
  });
  t.at("tracks").each([&](const ResultView& track) {
    track.at("core").number();
    texts(track, {"engine", "kind"});
    numbers_if_there(track, {"depth"});
    check_slices(track, labels, total);
  });
}

void check_path(const ResultView& path, std::size_t programs) {
  schema(path, "heddle.critical_path/1");
  numbers(path, {"total_fs"});
  times(path.at("kinds"));
  path.at("places").each([&](const ResultView& p) {
    place(p);
    index(p.at("program"), programs);
    p.at("kind").text();
    p.at("fs").number();
  });
}

void check_hints(const ResultView& hints) {
  hints.each([](const ResultView& hint) {
    texts(hint, {"rule", "text"});
    if (hint.has("place")) place(hint.at("place"));
  });
}

void check_what_if(const ResultView& rows) {
  rows.each([](const ResultView& row) {
    row.at("name").text();
    row.at("time_fs").number();
  });
}

// The keys that every result has.
void check_totals(const ResultView& r) {
  texts(r, {"command", "chip", "mode"});
  texts_if_there(r, {"kernel", "dtype", "model", "program"});
  numbers_if_there(r, {"cycles", "time_ns", "instructions", "tile_instructions", "time_to_first_token_ns",
                       "time_per_output_token_ns", "max_rel_error"});
  if (r.has("cycles")) r.at("time_ns").number();
  if (r.has("shape")) r.at("shape").each_key([](const std::string&, const ResultView& size) { size.number(); });
  if (r.has("bytes")) numbers(r.at("bytes"), {"hbm_read", "hbm_written"});
  if (r.has("work")) numbers(r.at("work"), {"macs"});
  if (r.has("utilization")) numbers(r.at("utilization"), {"hbm", "mxu", "vpu", "dma", "sequencer"});
  if (r.has("prompt_tokens")) r.at("prompt_tokens").each([](const ResultView& token) { token.number(); });
}

}  // namespace

void check_result(const nlohmann::json& result, const std::string& file) {
  const ResultView r(result, file);
  r.at("command").text();
  if (!r.has("mode"))
    fail_at({file}, ErrorKind::bad_input, "HDL-RES-05",
            "is a result of '{}' that is not of one run; bench, profile, run and generate write those",
            r.at("command").text());
  check_totals(r);
  if (r.has("stalls")) check_stalls(r.at("stalls"));
  if (r.has("critical_path")) check_path(r.at("critical_path"), r.at("stalls").at("programs").json().size());
  if (r.has("what_if")) check_what_if(r.at("what_if"));
  if (r.has("hints")) check_hints(r.at("hints"));
  if (r.has("roofline")) check_roofline(r.at("roofline"));
  if (r.has("timeline")) check_timeline(r.at("timeline"));
  if (r.has("sources"))
    r.at("sources").each_key(
        [](const std::string&, const ResultView& lines) { lines.each([](const ResultView& line) { line.text(); }); });
}

}  // namespace heddle::app
