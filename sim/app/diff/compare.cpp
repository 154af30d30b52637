// SPDX-License-Identifier: Apache-2.0
#include "sim/app/diff/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <tuple>

#include "sim/app/diff/match_lines.hpp"

namespace heddle::diff {
namespace {

// Both sides' values of each key of two maps, in the keys' order.
template <class Map, class Visit>
void both(const Map& before, const Map& after, Visit&& visit) {
  for (auto a = before.begin(), b = after.begin(); a != before.end() || b != after.end();) {
    const bool has_a = a != before.end() && (b == after.end() || a->first <= b->first);
    const bool has_b = b != after.end() && (a == before.end() || b->first <= a->first);
    visit(has_a ? a->first : b->first, has_a ? &a->second : nullptr, has_b ? &b->second : nullptr);
    if (has_a) ++a;
    if (has_b) ++b;
  }
}

std::optional<double> value(const double* v) { return v == nullptr ? std::nullopt : std::optional(*v); }

// Sums of rounded times may differ in the last bits of a double.
bool same(const Row& r) { return r.before && r.after && std::abs(r.change()) <= 1e-9 * std::max(*r.before, *r.after); }

Table ranked(Table t) {
  std::vector<Row> changed;
  for (Row& r : t.rows)
    if (!same(r)) changed.push_back(std::move(r));
  t.unchanged = t.rows.size() - changed.size();
  std::stable_sort(changed.begin(), changed.end(),
                   [](const Row& a, const Row& b) { return std::abs(a.change()) > std::abs(b.change()); });
  t.rows = std::move(changed);
  return t;
}

Table totals(const Run& before, const Run& after) {
  Table t{"the whole run", {"total"}, {}, 0};
  for (const Total& a : before.totals) {
    const auto b =
        std::find_if(after.totals.begin(), after.totals.end(), [&](const Total& x) { return x.name == a.name; });
    t.rows.push_back({{a.name}, a.value, b == after.totals.end() ? std::nullopt : b->value, a.quantity});
  }
  for (const Total& b : after.totals)
    if (std::none_of(before.totals.begin(), before.totals.end(), [&](const Total& x) { return x.name == b.name; }))
      t.rows.push_back({{b.name}, {}, b.value, b.quantity});
  std::erase_if(t.rows, [](const Row& r) { return !r.before && !r.after; });
  return t;
}

Table engines(const Profile& before, const Profile& after) {
  Table t{"engines by reason, in cycles (mean over cores)", {"engine", "reason"}, {}, 0};
  both(before.engines, after.engines, [&](const auto& key, const double* a, const double* b) {
    if (key.second == "off") return;  // an engine without work is as long off as the run takes
    // An engine that both have and that never waited for this reason before: 0, not absent.
    t.rows.push_back({{key.first, key.second}, value(a).value_or(0), value(b).value_or(0), Quantity::cycles});
  });
  return ranked(std::move(t));
}

// Another kernel in the place of one, such as the next level of a ladder: where each run has just one scope that the
// other lacks, the two are compared under both names.
std::optional<std::pair<Scope, Scope>> renamed(const Profile& before, const Profile& after) {
  std::vector<Scope> gone, come;
  both(before.scopes, after.scopes, [&](const Scope& scope, const ScopeCycles* a, const ScopeCycles* b) {
    if (b == nullptr) gone.push_back(scope);
    if (a == nullptr) come.push_back(scope);
  });
  if (gone.size() != 1 || come.size() != 1) return {};
  return std::pair(gone.front(), come.front());
}

void rename(Profile& p, const Scope& from, const Scope& to) {
  const auto in = [&](auto& map) {
    auto node = map.extract(from);
    if (node.empty()) return;
    node.key() = to;
    map.insert(std::move(node));
  };
  in(p.scopes);
  in(p.scope_bytes);
}

Table scopes(const Profile& before, const Profile& after) {
  Table t{"kernels, in cycles (inside: core 0's sequencer; the rest: all cores' engines)", {"kernel", "time"}, {}, 0};
  both(before.scopes, after.scopes, [&](const Scope& scope, const ScopeCycles* a, const ScopeCycles* b) {
    std::string name = fmt::format("{}: {}", scope.program, scope.path);
    if (a != nullptr && b != nullptr && a->passes != b->passes)
      name += fmt::format(" ({:.0f} -> {:.0f} passes)", a->passes, b->passes);
    static const ScopeCycles none;
    const auto add = [&](std::string what, double from, double to) {
      t.rows.push_back({{name, std::move(what)},
                        a == nullptr ? std::nullopt : std::optional(from),
                        b == nullptr ? std::nullopt : std::optional(to),
                        Quantity::cycles});
    };
    add("inside", a == nullptr ? 0 : a->inside, b == nullptr ? 0 : b->inside);
    both(a == nullptr ? none.by : a->by, b == nullptr ? none.by : b->by,
         [&](const auto& key, const double* x, const double* y) {
           add(key.first + " " + key.second, value(x).value_or(0), value(y).value_or(0));
         });
  });
  return ranked(std::move(t));
}

Table scope_bytes(const Profile& before, const Profile& after) {
  Table t{"kernels, in bytes of HBM", {"kernel"}, {}, 0};
  both(before.scope_bytes, after.scope_bytes, [&](const Scope& scope, const double* a, const double* b) {
    t.rows.push_back({{fmt::format("{}: {}", scope.program, scope.path)}, value(a), value(b), Quantity::bytes});
  });
  return ranked(std::move(t));
}

std::string short_name(const std::string& file) { return std::filesystem::path(file).filename().string(); }

// The files that a profile names, and the lines of each that have instructions.
std::map<std::string, std::vector<Site>> sites_of(const Profile& p) {
  std::map<std::string, std::map<std::uint32_t, std::set<std::string>>> lines;
  for (const auto& [place, cycles] : p.places) lines[place.file][place.line].insert(place.mnemonic);
  std::map<std::string, std::vector<Site>> out;
  for (const auto& [file, at] : lines) {
    const auto source = p.sources.find(file);
    for (const auto& [line, mnemonics] : at) {
      const bool known = source != p.sources.end() && line >= 1 && line <= source->second.size();
      out[file].push_back({line, mnemonics, known ? source->second[line - 1] : ""});
    }
  }
  return out;
}

// By path; else by the last part of it, where that is unambiguous: another checkout, another build folder. A single
// file that is left on each side is the same one under another name.
std::map<std::string, std::string> match_files(const std::map<std::string, std::vector<Site>>& before,
                                               const std::map<std::string, std::vector<Site>>& after) {
  std::map<std::string, std::string> out;
  std::map<std::string, std::vector<std::string>> left_before, left_after;  // by last part
  for (const auto& [file, sites] : before) {
    if (after.contains(file))
      out[file] = file;
    else
      left_before[short_name(file)].push_back(file);
  }
  for (const auto& [file, sites] : after)
    if (!before.contains(file)) left_after[short_name(file)].push_back(file);
  std::vector<std::string> gone, come;
  both(left_before, left_after, [&](const std::string&, const auto* a, const auto* b) {
    if (a != nullptr && b != nullptr && a->size() == 1 && b->size() == 1) {
      out[a->front()] = b->front();
      return;
    }
    if (a != nullptr) gone.insert(gone.end(), a->begin(), a->end());
    if (b != nullptr) come.insert(come.end(), b->begin(), b->end());
  });
  if (gone.size() == 1 && come.size() == 1) out[gone.front()] = come.front();
  return out;
}

struct LineNames {
  std::string place;  // "gemm.cpp:17", "gemm.cpp:17 -> 19"
  std::string text;
};

Table lines(const Profile& before, const Profile& after) {
  const auto a = sites_of(before), b = sites_of(after);
  const auto files = match_files(a, b);
  // Each line of either run by the name that both share.
  std::map<std::pair<std::string, std::uint32_t>, LineNames> names_before, names_after;
  for (const auto& [file, sites] : a)
    for (const Site& s : sites) names_before[{file, s.line}] = {fmt::format("{}:{}", short_name(file), s.line), s.text};
  for (const auto& [file, sites] : b)
    for (const Site& s : sites) names_after[{file, s.line}] = {fmt::format("{}:{}", short_name(file), s.line), s.text};
  std::set<std::string> paired;
  for (const auto& [from, to] : files)
    for (const auto& [i, j] : match_lines(a.at(from), b.at(to))) {
      const Site &x = a.at(from)[i], &y = b.at(to)[j];
      LineNames both_names = names_after[{to, y.line}];
      if (short_name(from) != short_name(to))
        both_names.place = fmt::format("{}:{} -> {}:{}", short_name(from), x.line, short_name(to), y.line);
      else if (x.line != y.line)
        both_names.place = fmt::format("{}:{} -> {}", short_name(from), x.line, y.line);
      names_before[{from, x.line}] = names_after[{to, y.line}] = both_names;
      paired.insert(both_names.place);
    }
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  std::map<Key, double> sums_before, sums_after;
  const auto sum = [](const Profile& p, const auto& names, std::map<Key, double>& sums, const std::string& mark,
                      const std::set<std::string>& known) {
    for (const auto& [place, cycles] : p.places) {
      const LineNames& n = names.at({place.file, place.line});
      const std::string label = known.contains(n.place) ? n.place : n.place + mark;
      sums[{label, place.mnemonic, place.unit, place.reason, n.text}] += cycles;
    }
  };
  sum(before, names_before, sums_before, " (gone)", paired);
  sum(after, names_after, sums_after, " (new)", paired);
  Table t{"source lines, in cycles of all engines of the kind",
          {"line", "instruction", "whose", "reason", "source"},
          {},
          0};
  both(sums_before, sums_after, [&](const Key& key, const double* x, const double* y) {
    const auto& [place, mnemonic, unit, reason, text] = key;
    const bool both_have = paired.contains(place);  // a line of both that did not wait like this: 0
    t.rows.push_back({{place, mnemonic, unit, reason, text},
                      both_have ? std::optional(value(x).value_or(0)) : value(x),
                      both_have ? std::optional(value(y).value_or(0)) : value(y),
                      Quantity::cycles});
  });
  return ranked(std::move(t));
}

std::vector<Difference> differences(const Run& a, const Run& b) {
  std::vector<Difference> out;
  const auto differ = [&](std::string_view what, const std::string& x, const std::string& y, bool other_work) {
    const auto shown = [](const std::string& s) { return s.empty() ? std::string("none") : s.substr(0, 60); };
    if (x != y) out.push_back({fmt::format("{}: {} before, {} after", what, shown(x), shown(y)), other_work});
  };
  differ("other command", a.command == "profile" ? "bench" : a.command, b.command == "profile" ? "bench" : b.command,
         false);
  differ("other chip", a.chip, b.chip, true);
  differ("other mode", a.mode, b.mode, false);
  both(a.what, b.what, [&](const std::string& key, const std::string* x, const std::string* y) {
    // A program is edited, and may be kept under another name.
    const bool other_work = key != "program" && key != "entry";
    differ("other " + key, x == nullptr ? "" : *x, y == nullptr ? "" : *y, other_work);
  });
  if (a.profile && b.profile && a.profile->period_fs != b.profile->period_fs)
    out.push_back({fmt::format("other clock: a cycle is {:g} ns before, {:g} ns after; times say more than cycles",
                               a.profile->period_fs / 1e6, b.profile->period_fs / 1e6),
                   true});
  return out;
}

}  // namespace

std::optional<double> Comparison::cycles_change() const {
  const std::optional<double> a = before.cycles(), b = after.cycles();
  if (!a || !b || *a <= 0) return {};
  return 100 * (*b - *a) / *a;
}

Comparison compare(Run before, Run after) {
  Comparison c{std::move(before), std::move(after), {}, {}, {}};
  c.differences = differences(c.before, c.after);
  c.tables.push_back(totals(c.before, c.after));
  for (const Run* r : {&c.before, &c.after}) {
    if (!r->cycles())
      c.notes.push_back(fmt::format("{} has no cycles: it ran in {} mode", r->file, r->mode));
    else if (!r->profile)
      c.notes.push_back(fmt::format("{} has no profile: only totals are compared (--profile adds one)", r->file));
  }
  if (!c.before.profile || !c.after.profile) return c;
  Profile &a = *c.before.profile, &b = *c.after.profile;
  if (const auto names = renamed(a, b)) {
    const Scope shared = {names->first.program, names->first.path + " -> " + names->second.path};
    rename(a, names->first, shared);
    rename(b, names->second, shared);
  }
  c.tables.push_back(engines(a, b));
  c.tables.push_back(scopes(a, b));
  if (!a.scope_bytes.empty() && !b.scope_bytes.empty()) c.tables.push_back(scope_bytes(a, b));
  c.tables.push_back(lines(a, b));
  return c;
}

}  // namespace heddle::diff
