// SPDX-License-Identifier: Apache-2.0
// Why the run took as long as it did: hints, the chain of instructions that set its end, and what faster parts would
// gain.
"use strict";
(() => {
  const {result: r, h, percent, cycles, time, placeName, programName} = heddle;
  if (!r.stalls) return;

  if (r.hints && r.hints.length > 0)
    heddle.section(
        "hints", "Hints",
        h("ul", {class: "hints"},
          r.hints.map(
              (hint) =>
                  h("li", {}, h("span", {class: "rule"}, hint.rule), hint.text,
                    hint.place ? h("span", {class: "soft code"}, ` ${hint.place.mnemonic} ${placeName(hint.place)}`) :
                                 null))));

  const total = r.stalls.total_fs;
  const boxes = [];
  const box = (title, ...children) => boxes.push(h("section", {}, h("h2", {}, title), children));
  const share = (fs, whole) =>
      h("span", {class: "stack"},
        h("span", {style: {width: Math.min(100, (100 * fs) / whole).toFixed(2) + "%", background: "var(--accent)"}}));

  const path = r.critical_path;
  if (path && path.total_fs > 0) {
    const kinds = Object.entries(path.kinds).sort((a, b) => b[1] - a[1]);
    box("Critical path",
        h("p", {class: "note"},
          "The chain of work and waiting that set the run's end, by kind; shortening anything else gains nothing."),
        kinds.map(
            ([kind, fs]) =>
                h("div", {class: "line"}, h("span", {}, kind), share(fs, path.total_fs),
                  h("span", {class: "num"}, percent(fs, path.total_fs)))));
    const several = r.stalls.programs.length > 1, merged = new Map();  // instructions of a line are one row
    for (const p of path.places) {
      const key = JSON.stringify([p.program, p.file, p.line, p.mnemonic, p.kind, p.file ? 0 : p.instruction]);
      if (merged.has(key))
        merged.get(key).fs += p.fs;
      else
        merged.set(key, {...p});
    }
    const rows = [...merged.values()].sort((a, b) => b.fs - a.fs);
    box("Critical path by line",
        heddle.table(
            [
              {name: "line", text: placeName, css: "code"},
              {name: "instruction", text: (p) => p.mnemonic},
              ...(several ? [{name: "program", text: (p) => programName(p.program)}] : []),
              {name: "kind", text: (p) => p.kind},
              {name: "cycles", num: true, text: (p) => cycles(p.fs), value: (p) => p.fs},
              {name: "of the run", num: true, text: (p) => percent(p.fs, path.total_fs), value: (p) => p.fs},
            ],
            rows.slice(0, 200)));
  }
  const what_if = r.what_if;
  if (what_if && what_if.length > 0)
    box("What if", h("p", {class: "note"}, "Run again with one part infinitely fast."),
        heddle.table(
            [
              {name: "if infinitely fast", text: (w) => w.name, css: "code"},
              {name: "time", num: true, text: (w) => time(w.time_fs), value: (w) => w.time_fs},
              {
                name: "less by",
                num: true,
                text: (w) => percent(total - w.time_fs, total),
                value: (w) => total - w.time_fs
              },
            ],
            what_if));
  if (boxes.length > 0) {
    document.querySelector("nav").append(h("a", {href: "#why"}, "Critical path"));
    document.querySelector("main").append(h("div", {class: "columns", id: "why"}, boxes));
  }
})();
