// SPDX-License-Identifier: Apache-2.0
// What ran, how long it took, and what it used of the chip.
"use strict";
(() => {
  const {result: r, h, grouped, count, rate, time, percent} = heddle;

  const card = (what, value, more) =>
      h("div", {class: "card"}, h("div", {class: "what"}, what), h("div", {class: "value"}, value),
        h("div", {class: "more"}, more || ""));

  function whatRan() {
    const shape = r.shape ? Object.entries(r.shape).map(([k, v]) => `${k}=${v}`).join(", ") : "";
    const model = r.model ? heddle.shortFile(r.model) : "";
    const program = r.program ? heddle.shortFile(r.program) : "";
    return [r.kernel || model || program || r.command, r.dtype, shape].filter(Boolean).join("  ");
  }

  function meter(name, part) {
    const width = Math.max(0, Math.min(1, part)) * 100;
    return h(
        "div", {class: "meter"}, h("span", {class: "name"}, name),
        h("span", {class: "track"}, h("span", {class: "fill", style: {width: width.toFixed(1) + "%"}})),
        h("span", {class: "num"}, percent(part, 1, 0)));
  }

  document.getElementById("what").textContent = `${whatRan()} on ${r.chip}`;
  const cards = h("section", {class: "cards", id: "summary", "aria-label": "Summary"});
  document.querySelector("main").append(cards);
  const timed = typeof r.cycles === "number";
  if (timed) {
    const share = r.roofline && typeof r.roofline.share === "number" ?
        `${percent(r.roofline.share, 1)} of the roofline (${r.roofline.bound}-bound)` :
        "";
    cards.append(card("cycles", grouped(r.cycles), share));
    cards.append(card("simulated time", time(r.time_ns * 1e6), r.chip));
  }
  if (timed && r.work && r.work.macs > 0)
    cards.append(card("rate", rate((2 * r.work.macs) / (r.time_ns * 1e-9), "OP/s"), `${count(2 * r.work.macs)} OP`));
  if (typeof r.time_to_first_token_ns === "number")
    cards.append(card(
        "time to first token", time(r.time_to_first_token_ns * 1e6),
        `${(r.prompt_tokens || []).length} tokens of prompt`));
  if (typeof r.time_per_output_token_ns === "number")
    cards.append(card(
        "time per output token", time(r.time_per_output_token_ns * 1e6),
        `${(1e9 / r.time_per_output_token_ns).toFixed(1)} tokens/s`));
  if (r.bytes) {
    const bytes = r.bytes.hbm_read + r.bytes.hbm_written;
    cards.append(
        card("moved by HBM", rate(bytes, "B"), timed && r.time_ns > 0 ? rate(bytes / (r.time_ns * 1e-9), "B/s") : ""));
  }
  cards.append(
      card("instructions", count(r.instructions || 0), `${count(r.tile_instructions || 0)} on tiles; ${r.mode} mode`));
  if (typeof r.max_rel_error === "number")
    cards.append(
        card("largest relative error", r.max_rel_error.toExponential(2), r.correct ? "within tolerance" : "WRONG"));

  if (r.utilization) {
    const u = r.utilization;
    document.querySelector("main").append(
        h("section", {"aria-label": "Utilization"}, h("h2", {}, "How busy the chip was"),
          h("div", {class: "meters"}, meter("HBM", u.hbm), meter("MXU", u.mxu), meter("VPU", u.vpu),
            meter("DMA", u.dma), meter("sequencer", u.sequencer))));
  }
  if (!timed)
    document.querySelector("main").append(h(
        "section", {},
        heddle.note(
            "This run had no clock (values mode), so there are no cycles in it: run it with --mode timing or full.")));
  else if (!r.stalls)
    document.querySelector("main").append(h(
        "section", {},
        heddle.note(
            "This result has no profile. Run the command with --profile (or heddle profile) to see where each engine's time went.")));
})();
