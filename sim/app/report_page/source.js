// SPDX-License-Identifier: Apache-2.0
// The kernels' source with the cycles and stalls of each line beside it; a line that is pressed says what they were.
"use strict";
(() => {
  const {result: r, h, cycles, percent, isWork, shortFile} = heddle;
  if (!r.stalls) return;
  const sources = r.sources || {};
  const files = new Map();  // by path: {time, lines: Map(line -> {work, stalls, byReason, rows})}
  for (const p of r.stalls.places) {
    if (!p.file) continue;
    const file = files.get(p.file) || {time: 0, most: 0, lines: new Map()};
    files.set(p.file, file);
    const line = file.lines.get(p.line) || {engines: 0, sequencer: 0, byReason: {}, rows: []};
    file.lines.set(p.line, line);
    line.rows.push(p);
    // The sequencer's own time is apart: it would drown the engines it feeds.
    if (p.unit === "sequencer") {
      line.sequencer += p.fs;
      continue;
    }
    line.engines += p.fs;
    line.byReason[p.reason] = (line.byReason[p.reason] || 0) + p.fs;
    file.time += p.fs;
    file.most = Math.max(file.most, line.engines);
  }
  if (files.size === 0) {
    heddle.section("source", "Source", heddle.note("No instruction of the program names a source line."));
    return;
  }
  const ordered = [...files].sort((a, b) => b[1].time - a[1].time || (a[0] < b[0] ? -1 : 1));

  function detail(line) {
    const merged = new Map();
    for (const p of line.rows) {
      const by = p.posted_by;
      const cause = by ? `for ${by.engine} ${by.mnemonic} ${heddle.placeName(by)}` : "";
      const key = JSON.stringify([p.mnemonic, p.unit, p.reason, cause]);
      const row = merged.get(key) || {mnemonic: p.mnemonic, unit: p.unit, reason: p.reason, cause, fs: 0};
      row.fs += p.fs;
      merged.set(key, row);
    }
    const rows = [...merged.values()].sort((a, b) => b.fs - a.fs).slice(0, 40);
    return h(
        "ul", {},
        rows.map(
            (p) =>
                h("li", {}, h("span", {class: "swatch", style: {background: heddle.reasonColor(p.reason)}}),
                  `${cycles(p.fs)} cycles  ${p.unit} ${p.mnemonic}: ${p.reason} ${p.cause}`)));
  }

  const work = (line) =>
      Object.entries(line.byReason).reduce((sum, [reason, fs]) => sum + (isWork(reason) ? fs : 0), 0);
  function rowOf(file, number, text) {
    const line = file.lines.get(number);
    const cells = line ?
        [
          h("td", {class: "num"}, cycles(work(line))), h("td", {class: "num"}, cycles(line.engines - work(line))),
          h("td", {class: "num soft"}, cycles(line.sequencer)),
          h("td", {class: "mini"},
            h("span", {class: "stack", style: {width: ((100 * line.engines) / (file.most || 1)).toFixed(2) + "%"}},
              heddle.bar(line.byReason, line.engines || 1)))
        ] :
        [h("td"), h("td"), h("td"), h("td")];
    const row = h(
        "tr", line ? {class: "hot", tabindex: "0", role: "button", "aria-expanded": "false", "data-line": number} : {},
        cells, h("td", {class: "num soft"}, String(number)), h("td", {class: "code"}, text));
    if (!line) return row;
    const toggle = () => {
      const open = row.getAttribute("aria-expanded") === "true";
      row.setAttribute("aria-expanded", String(!open));
      if (open)
        row.nextElementSibling.remove();
      else
        row.after(h("tr", {class: "detail"}, h("td", {colspan: "6"}, detail(line))));
    };
    row.addEventListener("click", toggle);
    row.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" && e.key !== " ") return;
      toggle();
      e.preventDefault();
    });
    return row;
  }

  const body = h("tbody"), about = heddle.note("");
  const box =
      h("div", {class: "scroll source", tabindex: "0"},
        h("table", {},
          h("thead", {},
            h("tr", {}, ["work", "stalled", "sequencer"].map((n) => h("th", {class: "num"}, n)),
              h("th", {}, "by reason"), h("th", {class: "num"}, "line"), h("th", {}, "source"))),
          body));
  function show(path) {
    const file = files.get(path), text = sources[path];
    const numbers = text ? text.map((_, i) => i + 1) : [];
    for (const n of file.lines.keys())
      if (!text || n > text.length || n < 1) numbers.push(n);  // of a text that was cut
    numbers.sort((a, b) => a - b);
    body.replaceChildren(...numbers.map((n) => rowOf(file, n, text && n >= 1 && n <= text.length ? text[n - 1] : "")));
    about.textContent = `${
        text ?
            "" :
            "The text of this file is not in the result. "}Cycles of all cores' engines at each line's instructions; press a line for what they were.`;
    const hottest = [...file.lines].sort((a, b) => b[1].engines - a[1].engines)[0][0];
    const row = body.querySelector(`tr[data-line="${hottest}"]`);
    if (row) box.scrollTop = row.offsetTop - 160;
  }
  const whole = ordered.reduce((sum, [, f]) => sum + f.time, 0);
  const select =
      h("select", {"aria-label": "Source file", onchange: () => show(select.value)},
        ordered.map(
            ([path, f]) =>
                h("option", {value: path, title: path},
                  `${shortFile(path)}   ${percent(f.time, whole, 0)} of the engines' time`)));
  heddle.section("source", "Source", h("div", {class: "controls"}, select), box, about);
  select.value = ordered[0][0];
  show(ordered[0][0]);
})();
