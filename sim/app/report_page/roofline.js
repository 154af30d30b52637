// SPDX-License-Identifier: Apache-2.0
// The roofline: operations a second over operations a byte of HBM, both logarithmic, under the chip's ceilings.
"use strict";
(() => {
  const {result: r, h, svg, rate, time, percent} = heddle;
  if (!r.stalls) return;
  const roof = r.roofline;
  if (!roof || !roof.points) {
    heddle.section("roofline", "Roofline", heddle.note("The result has no roofline points."));
    return;
  }
  const width = 900, height = 420, left = 78, right = 24, top = 16, bottom = 44;
  const drawn = roof.points.filter((p) => p.intensity > 0 && p.ops_per_s > 0);
  const bandwidth = roof.hbm_bytes_per_s;
  const highest = Math.max(...roof.ceilings.map((c) => c.ops_per_s), 1);

  const decade = (x, up) => (up ? Math.ceil(Math.log10(x) + 0.05) : Math.floor(Math.log10(x) - 0.05));
  const xs = [highest / bandwidth, ...drawn.map((p) => p.intensity)].filter((x) => x > 0 && Number.isFinite(x));
  const ys = [highest, ...roof.ceilings.map((c) => c.ops_per_s).filter((y) => y > 0), ...drawn.map((p) => p.ops_per_s)];
  const x0 = decade(Math.min(...xs, 1), false), x1 = decade(Math.max(...xs, 10), true);
  const y0 = Math.max(decade(Math.min(...ys), false), decade(highest, true) - 9), y1 = decade(highest, true);
  const x = (v) => left + ((Math.log10(v) - x0) / (x1 - x0)) * (width - left - right);
  const y = (v) => height - bottom - ((Math.max(Math.log10(v), y0) - y0) / (y1 - y0)) * (height - top - bottom);

  // 10^e with its prefix: "100 G", "0.01".
  function power(e, unit) {
    const group = Math.max(0, Math.min(5, Math.floor(e / 3)));
    const number = 10 ** (e - 3 * group);
    return `${e < 0 ? number.toFixed(-e) : String(number)} ${["", "k", "M", "G", "T", "P"][group]}${unit}`.trim();
  }
  function grid() {
    const lines = [];
    for (let e = x0; e <= x1; ++e) {
      lines.push(svg("line", {class: "grid", x1: x(10 ** e), x2: x(10 ** e), y1: top, y2: height - bottom}));
      lines.push(
          svg("text", {class: "tick", x: x(10 ** e), y: height - bottom + 16, "text-anchor": "middle"}, power(e, "")));
    }
    for (let e = y0; e <= y1; ++e) {
      lines.push(svg("line", {class: "grid", x1: left, x2: width - right, y1: y(10 ** e), y2: y(10 ** e)}));
      lines.push(svg("text", {class: "tick", x: left - 8, y: y(10 ** e) + 4, "text-anchor": "end"}, power(e, "OP/s")));
    }
    lines.push(
        svg("text", {class: "tick", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle"},
            "arithmetic intensity: OP a byte of HBM"));
    return lines;
  }

  function ceilings() {
    const lines = [];
    let last = -100;  // labels that would lie on each other are left out; the line's tooltip has the name
    for (const c of roof.ceilings.filter((c) => c.ops_per_s > 0)) {
      const ridge = Math.max(c.ops_per_s / bandwidth, 10 ** x0);
      const at = y(c.ops_per_s);
      lines.push(
          svg("line", {class: "ceiling", x1: x(Math.min(ridge, 10 ** x1)), x2: width - right, y1: at, y2: at},
              svg("title", {}, `${c.name}: ${rate(c.ops_per_s, "OP/s")}`)));
      if (at - last < 16) continue;
      last = at;
      lines.push(
          svg("text", {class: "ceiling", x: width - right - 4, y: at - 5, "text-anchor": "end"},
              `${c.name}  ${rate(c.ops_per_s, "OP/s")}`));
    }
    const from = Math.max(10 ** x0, 10 ** y0 / bandwidth), to = Math.min(highest / bandwidth, 10 ** x1);
    lines.push(
        svg("line", {class: "ceiling hbm", x1: x(from), y1: y(from * bandwidth), x2: x(to), y2: y(to * bandwidth)}));
    const middle = Math.sqrt(from * to);
    const angle = (-Math.atan2(y(from * bandwidth) - y(to * bandwidth), x(to) - x(from)) * 180) / Math.PI;
    lines.push(
        svg("text", {
          class: "ceiling",
          "text-anchor": "middle",
          transform: `translate(${x(middle) - 6} ${y(middle * bandwidth) - 8}) rotate(${angle})`
        },
            `HBM  ${rate(bandwidth, "B/s")}`));
    return lines;
  }

  const several = r.stalls.programs.length > 1;
  const nameOf = (p) =>
      (p.kind === "run" ? "the whole run" : (several ? heddle.programName(p.program) + ": " : "") + p.scope);
  const details = (p) => [nameOf(p), `${rate(p.ops_per_s, "OP/s")}, ${p.intensity.toPrecision(3)} OP a byte`,
                          `${time(p.time_fs)} in ${p.passes} passes`,
                          p.bound ? `bound by ${p.bound}: ${percent(p.share, 1)} of its roofline` : ""]
                             .filter(Boolean);

  function mark(p, longest) {
    const cx = x(p.intensity), cy = y(p.ops_per_s);
    const size = 4 + 8 * Math.sqrt(longest > 0 ? p.time_fs / longest : 0);
    const attributes = {class: `point ${p.kind}`, tabindex: "0", role: "img", "aria-label": details(p).join("; ")};
    const made = p.kind === "kernel" ?
        svg("circle", {...attributes, cx, cy, r: size}) :
        p.kind === "layer" ?
        svg("rect", {...attributes, x: cx - size, y: cy - size, width: 2 * size, height: 2 * size}) :
        svg("path", {...attributes, d: `M${cx} ${cy - 10}L${cx + 10} ${cy}L${cx} ${cy + 10}L${cx - 10} ${cy}Z`});
    made.addEventListener("pointermove", (e) => heddle.showTip(e.clientX, e.clientY, details(p)));
    made.addEventListener("pointerleave", heddle.hideTip);
    made.addEventListener("focus", () => {
      const box = made.getBoundingClientRect();
      heddle.showTip(box.right, box.bottom, details(p));
    });
    made.addEventListener("blur", heddle.hideTip);
    return made;
  }

  // Names of the run and of the longest points, where there is room for them.
  function names() {
    const taken = [], made = [];
    for (const p of [...drawn].sort((a, b) => b.time_fs - a.time_fs).slice(0, 8)) {
      const at = {x: x(p.intensity) + 15, y: y(p.ops_per_s) + 4};
      const room = at.x + nameOf(p).length * 6.5 < width - right;
      const box = {x: room ? at.x : at.x - 30 - nameOf(p).length * 6.5, y: at.y, w: nameOf(p).length * 6.5};
      if (taken.some((t) => Math.abs(t.y - box.y) < 14 && box.x < t.x + t.w && t.x < box.x + box.w)) continue;
      taken.push(box);
      made.push(
          svg("text", {class: "name", x: room ? at.x : at.x - 30, y: at.y, "text-anchor": room ? "start" : "end"},
              nameOf(p)));
    }
    return made;
  }

  const longest = Math.max(0, ...drawn.filter((p) => p.kind !== "run").map((p) => p.time_fs));
  const order = {layer: 0, kernel: 1, run: 2};
  const marks =
      [...drawn].sort((a, b) => order[a.kind] - order[b.kind] || b.time_fs - a.time_fs).map((p) => mark(p, longest));
  const plot =
      svg("svg", {
        viewBox: `0 0 ${width} ${height}`,
        class: "roofline",
        role: "group",
        "aria-label": "Roofline plot; the table of kernels has its numbers"
      },
          grid(), ceilings(), marks, names());
  const left_out = roof.points.length - drawn.length;
  heddle.section(
      "roofline", "Roofline", plot,
      h("p", {class: "note"}, "◆ the run, ■ layers, ● kernels; the larger, the more time. ",
        left_out > 0 ? `${left_out} without operations or without bytes of HBM are not drawn.` : ""));
})();
