// SPDX-License-Identifier: Apache-2.0
// The timeline's section: buttons, pointer, wheel and keys.
"use strict";
(() => {
  const t = heddle.timeline, {h} = heddle;
  if (!t) return;

  // Dragging pans; a press without a drag chooses the slice.
  let drag = null;
  t.canvas.addEventListener("pointerdown", (e) => {
    drag = {x: e.clientX, from: t.view.from, to: t.view.to, moved: false};
    t.canvas.setPointerCapture(e.pointerId);
  });
  t.canvas.addEventListener("pointermove", (e) => {
    if (drag) {
      const moved = t.timeAt(drag.x) - t.timeAt(e.clientX);
      drag.moved = drag.moved || Math.abs(e.clientX - drag.x) > 3;
      if (drag.moved) t.show(drag.from + moved, drag.to + moved);
      return;
    }
    const at = t.under(e);
    if (at)
      heddle.showTip(e.clientX, e.clientY, t.lines(at));
    else
      heddle.hideTip();
  });
  t.canvas.addEventListener("pointerup", (e) => {
    if (drag && !drag.moved) t.choose_slice(t.under(e));
    drag = null;
  });
  t.canvas.addEventListener("pointercancel", () => {
    drag = null;
  });
  t.canvas.addEventListener("pointerleave", heddle.hideTip);
  t.canvas.addEventListener("dblclick", (e) => t.zoom(0.25, t.timeAt(e.offsetX)));
  // The wheel alone scrolls the page, as everywhere; with Ctrl (which a pinch on a touchpad sends) it zooms.
  t.canvas.addEventListener("wheel", (e) => {
    if (e.ctrlKey || e.metaKey)
      t.zoom(Math.exp(e.deltaY * 0.005), t.timeAt(e.offsetX));
    else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
      t.pan((e.deltaX || e.deltaY) / t.canvas.clientWidth);
    else
      return;
    e.preventDefault();
  }, {passive: false});

  // The chosen slice stays in sight.
  function choose(track, slice) {
    const tracks = t.tracks();
    if (tracks.length === 0) return;
    track = Math.max(0, Math.min(tracks.length - 1, track));
    const made = tracks[track].made;
    slice = Math.max(0, Math.min(made.count - 1, slice));
    t.choose_slice({track, slice});
    const middle = (made.begin[slice] + made.begin[slice + 1]) / 2, half = (t.view.to - t.view.from) / 2;
    if (made.begin[slice + 1] < t.view.from || made.begin[slice] > t.view.to) t.show(middle - half, middle + half);
  }
  function step(tracks, slices) {
    const at = t.chosen(), centre = (t.view.from + t.view.to) / 2;
    const track = at ? at.track + tracks : 0;
    if (slices === 0 || !at)
      choose(track, t.tracks()[Math.max(0, Math.min(t.tracks().length - 1, track))].made.at(centre));
    else
      choose(track, at.slice + slices);
  }
  const keys = {
    "+": () => t.zoom(0.5),
    "=": () => t.zoom(0.5),
    w: () => t.zoom(0.5),
    "-": () => t.zoom(2),
    s: () => t.zoom(2),
    ArrowLeft: () => t.pan(-0.2),
    a: () => t.pan(-0.2),
    ArrowRight: () => t.pan(0.2),
    d: () => t.pan(0.2),
    Home: () => t.show(0, t.total),
    0: () => t.show(0, t.total),
    ArrowUp: () => step(-1, 0),
    ArrowDown: () => step(1, 0),
    ",": () => step(0, -1),
    ".": () => step(0, 1),
    Escape: () => t.choose_slice(null),
    Enter: () => {
      const at = t.chosen();
      if (!at) return;
      const b = t.tracks()[at.track].made.begin, length = b[at.slice + 1] - b[at.slice];
      t.show(b[at.slice] - length, b[at.slice + 1] + length);
    },
  };
  t.canvas.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !Object.hasOwn(keys, e.key)) return;
    keys[e.key]();
    e.preventDefault();
  });

  const button = (text, label, press) =>
      h("button", {type: "button", "aria-label": label, title: label, onclick: press}, text);
  const controls =
      h("div", {class: "controls"}, button("+", "Zoom in", () => t.zoom(0.5)), button("−", "Zoom out", () => t.zoom(2)),
        button("←", "Pan left", () => t.pan(-0.4)), button("→", "Pan right", () => t.pan(0.4)),
        button("All", "Show the whole run", () => t.show(0, t.total)));
  if (t.cores.length > 1) {
    const select =
        h("select", {
          "aria-label": "Cores",
          onchange: () => {
            t.setCore(select.value === "all" ? null : Number(select.value));
            say();
          }
        },
          h("option", {value: "all"}, "all cores"), t.cores.map((c) => h("option", {value: c}, `core ${c}`)));
    select.value = t.core() === null ? "all" : String(t.core());
    controls.append(select);
  }
  controls.append(h("span", {class: "note keys"}, "drag pans, Ctrl+wheel zooms; keys + − ← → Home, ↑ ↓ , . Enter"));

  const about = heddle.note("");
  function say() {
    const off = t.hidden().map((x) => `core ${x.core} ${x.engine}`);
    about.textContent = [
      `${heddle.grouped(t.slices || 0)} slices.`,
      t.coarsened > 0 ?
          `Neighbours shorter than ${heddle.time(t.coarsened)} were merged under the name of the longest.` :
          "",
      off.length > 0 ?
          `Never at work: ${off.slice(0, 8).join(", ")}${off.length > 8 ? `, and ${off.length - 8} more` : ""}.` :
                                                                          "",
      "Where slices are narrower than a pixel, a column shows the shares of its time, work at the bottom."
    ].filter(Boolean).join(" ");
  }
  say();
  const legend = heddle.legend(heddle.reasons);
  heddle.section("timeline", "Timeline", controls, t.canvas, t.status, legend, about);
  t.readColors();
  t.draw();
  new ResizeObserver(t.redraw).observe(t.canvas);
  document.addEventListener("themechange", () => {
    t.readColors();
    t.redraw();
  });
})();
