// SPDX-License-Identifier: Apache-2.0
// A bar for each engine: the run, by reason.
"use strict";
(() => {
  const {result: r, h, percent, cycles, reasons, reasonColor} = heddle;

  heddle.legend = (names) => {
    const seen = new Set((r.stalls ? r.stalls.engines : []).flatMap((e) => Object.keys(e.fs)));
    return h(
        "ul", {class: "legend"},
        names.filter((n) => seen.has(n))
            .map((n) => h("li", {}, h("span", {class: "swatch", style: {background: reasonColor(n)}}), n)));
  };
  // Widths in percent of `whole`; the pieces carry their names for the pointer.
  heddle.bar = (byReason, whole) => {
    const known = reasons.filter((n) => byReason[n] > 0);
    const others = Object.keys(byReason).filter((n) => !reasons.includes(n) && byReason[n] > 0);
    return [...known, ...others].map(
        (n) => h("span", {
          style: {width: ((100 * byReason[n]) / whole).toFixed(3) + "%", background: reasonColor(n)},
          title: `${n}: ${cycles(byReason[n])} cycles, ${percent(byReason[n], whole)}`
        }));
  };

  if (r.stalls) {
    const total = r.stalls.total_fs, engines = new Map();
    for (const e of r.stalls.engines) {
      const sum = engines.get(e.engine) || {cores: 0, fs: {}};
      ++sum.cores;
      for (const [reason, fs] of Object.entries(e.fs)) sum.fs[reason] = (sum.fs[reason] || 0) + fs;
      engines.set(e.engine, sum);
    }
    const row = (name, fs, whole) => {
      const text = Object.entries(fs)
                       .sort((a, b) => b[1] - a[1])
                       .filter((x) => x[1] > whole / 1000)
                       .map(([reason, v]) => `${reason} ${percent(v, whole)}`);
      return h(
          "div", {class: "engine"}, h("span", {class: "name"}, name),
          h("span", {class: "stack", role: "img", "aria-label": `${name}: ${text.join(", ")}`}, heddle.bar(fs, whole)),
          h("span", {class: "top"}, text.slice(0, 3).join(", ")));
    };
    const cores = new Set(r.stalls.engines.map((e) => e.core)).size;
    const mean = [...engines].map(([name, e]) => row(name, e.fs, total * e.cores));
    const each = () => r.stalls.engines.map((e) => row(`core ${e.core} ${e.engine}`, e.fs, total));
    const more =
        h("details", {
          ontoggle: () => {
            if (more.open && more.children.length === 1) more.append(...each());
          }
        },
          h("summary", {}, "Each core"));
    heddle.section(
        "stalls", "Stalls", mean, heddle.legend(reasons), cores > 1 ? more : null,
        heddle.note(`Each engine's time, of ${cycles(total)} cycles${
            cores > 1 ? `, mean over ${cores} cores` : ""}. A bar is shares, not an order in time.`));
  }
})();
