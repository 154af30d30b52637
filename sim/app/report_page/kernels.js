// SPDX-License-Identifier: Apache-2.0
// A table of layers and kernels: where the result has a roofline, against it; else by what the engines did.
"use strict";
(() => {
  const {result: r, h, grouped, rate, time, percent, cycles, isWork} = heddle;
  if (!r.stalls) return;
  const total = r.stalls.total_fs;

  // Engine time of a scope by reason, all units together; the largest stall leads.
  const scopes = new Map(r.stalls.scopes.map((s) => [`${s.program} ${s.scope}`, s]));
  function worstStall(scope) {
    let worst = ["", 0], all = 0;
    for (const [unit, byReason] of Object.entries(scope ? scope.fs : {}))
      for (const [reason, fs] of Object.entries(byReason)) {
        all += fs;
        if (unit !== "sequencer" && !isWork(reason) && fs > worst[1]) worst = [`${unit} ${reason}`, fs];
      }
    return worst[1] > 0 ? {text: `${worst[0]} ${percent(worst[1], all, 0)}`, value: worst[1]} : {text: "", value: 0};
  }
  const work = (scope, unit) =>
      Object.entries((scope.fs || {})[unit] || {}).reduce((sum, [reason, fs]) => sum + (isWork(reason) ? fs : 0), 0);

  const name = {name: "scope", text: (p) => p.scope, css: "code"};
  const program = {name: "program", text: (p) => heddle.programName(p.program)};
  const passes = {name: "passes", num: true, text: (p) => grouped(p.passes), value: (p) => p.passes};
  const stall = {name: "largest stall", text: (p) => worstStall(p.stalls).text};
  const several = r.stalls.programs.length > 1;

  const byRoofline = [
    {name: "kind", text: (p) => p.kind},
    passes,
    {name: "cycles", num: true, text: (p) => cycles(p.time_fs), value: (p) => p.time_fs},
    {name: "of the run", num: true, text: (p) => percent(p.time_fs, total), value: (p) => p.time_fs},
    {name: "HBM bytes", num: true, text: (p) => rate(p.hbm_bytes, "B"), value: (p) => p.hbm_bytes},
    {
      name: "OP a byte",
      num: true,
      text: (p) => (p.intensity === null ? "-" : p.intensity.toPrecision(3)),
      value: (p) => (p.intensity === null ? -1 : p.intensity)
    },
    {name: "OP/s", num: true, text: (p) => rate(p.ops_per_s, ""), value: (p) => p.ops_per_s},
    {name: "bound by", text: (p) => p.bound || "-"},
    {
      name: "roofline",
      num: true,
      text: (p) => (p.bound ? percent(p.share, 1) : "-"),
      value: (p) => (p.bound ? p.share : -1)
    },
    stall,
  ];
  const byStalls = [
    passes,
    {name: "cycles inside", num: true, text: (p) => cycles(p.inside_fs), value: (p) => p.inside_fs},
    {name: "of the run", num: true, text: (p) => percent(p.inside_fs, total), value: (p) => p.inside_fs},
    ...["mxu", "vpu", "dma"].map((unit) => ({
                                   name: `${unit.toUpperCase()} work`,
                                   num: true,
                                   text: (p) => cycles(work(p, unit)),
                                   value: (p) => work(p, unit)
                                 })),
    stall,
  ];

  const points = r.roofline && r.roofline.points;
  const rows = points ?
      points.filter((p) => p.kind !== "run").map((p) => ({...p, stalls: scopes.get(`${p.program} ${p.scope}`)})) :
      r.stalls.scopes.map((s) => ({...s, stalls: s}));
  const longest = (p) => (points ? p.time_fs : p.inside_fs);
  rows.sort((a, b) => longest(b) - longest(a));
  const columns = [name, ...(several ? [program] : []), ...(points ? byRoofline : byStalls)];

  if (rows.length === 0) {
    heddle.section("kernels", "Layers and kernels", heddle.note("The program has no named scopes."));
    return;
  }
  const made = heddle.table(columns, rows, {row: (p) => ({"data-kind": p.kind || "kernel"})});
  const choices = ["all", "layer", "kernel"].map((kind) => {
    const input = h("input", {
      type: "radio",
      name: "kind",
      value: kind,
      onchange: () => {
        for (const row of made.querySelectorAll("tbody tr")) row.hidden = kind !== "all" && row.dataset.kind !== kind;
      }
    });
    input.checked = kind === "all";
    return h("label", {}, input, " ", kind === "all" ? "all" : kind + "s");
  });
  heddle.section(
      "kernels", "Layers and kernels",
      points ? h("div", {class: "controls", role: "group", "aria-label": "Rows"}, choices) : null, made,
      heddle.note(
          points ?
              "Cycles: from the first instruction's start to the last one's completion, over all passes and cores. A scope's transfers start while the one before it computes, so the rows of one level may sum to more than the run. Outer scopes include inner ones." :
              "Inside: core 0's sequencer; work: all cores' engines. Outer scopes include inner ones."));
})();
