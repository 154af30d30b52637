// SPDX-License-Identifier: Apache-2.0
// What every engine did and when. Slices are drawn one by one where they are wide enough; else each pixel shows the
// shares of the reasons in its time, stacked, so that a million slices cost what a few thousand do.
"use strict";
(() => {
  const {result: r, h, time, cycles, Track} = heddle;
  if (!r.stalls) return;
  const data = r.timeline;
  if (!data || !data.tracks || data.tracks.length === 0 || !(data.total_fs > 0)) {
    heddle.section("timeline", "Timeline", heddle.note("The result has no timeline."));
    return;
  }
  const rowHeight = 22, axisHeight = 24, nameWidth = 104, hues = 8;
  const scopeBase = heddle.reasons.length + 1;  // categories: reasons, unknown, then hues of scopes, then nothing
  const categories = scopeBase + hues + 1, nothing = categories - 1;

  function hue(name) {  // the same name, the same colour
    let hash = 7;
    for (const c of name.replace(/#\d+$/, "")) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
    return hash % hues;
  }
  const categoryOf = data.labels.map(
      (l) =>
          (l.name === "" ? nothing :
               l.reason  ? heddle.reasonIndex(l.reason) :
                           scopeBase + hue(l.name)));

  const offLabel = (label) => ["off", "launch"].includes(data.labels[label].reason);
  const idle = (t) => t.kind === "engine" && t.slices.every((v, i) => i % 2 === 0 || offLabel(v));
  const cores = [...new Set(data.tracks.map((t) => t.core))].sort((a, b) => a - b);
  const perCore = data.tracks.length / cores.length;
  let core = cores.length * perCore > 48 ? cores[0] : null;  // null: all
  let tracks = [], hidden = [];

  // Tracks are made when they are first shown: many cores need not all be prepared at once.
  function choose() {
    const wanted = data.tracks.filter((t) => core === null || t.core === core);
    hidden = wanted.filter(idle);
    tracks = wanted.filter((t) => !idle(t));
    for (const t of tracks) {
      if (!t.made) t.made = new Track(t.slices, categoryOf, categories);
      t.title = t.kind === "scopes" ? (t.depth > 0 ? `scopes ${t.depth + 1}` : "scopes") : t.engine;
    }
  }
  choose();

  const total = data.total_fs;
  const view = {from: 0, to: total};
  const shortest = Math.max(total / 1e9, 1000);
  let chosen = null;  // {track, slice}
  const stats = {draws: 0, last_ms: 0};

  const canvas = h("canvas", {
    tabindex: "0",
    role: "application",
    "aria-label":
        "Timeline of engines. Plus and minus zoom, left and right pan, Home shows all, up and down choose a track, comma and full stop its slices."
  });
  const status = h("div", {class: "status", role: "status", "aria-live": "polite"}, "\u00a0");
  const context = canvas.getContext("2d");
  let colors = [], packed = [], onSlice = [], ink = {};

  // Canvases do not know style sheets: the names' values, read again when the theme changes.
  function readColors() {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(name).trim();
    colors = [];
    for (let i = 0; i < scopeBase; ++i) colors.push(value(`--reason-${i}`));
    for (let i = 0; i < hues; ++i) colors.push(value(`--scope-${i}`));
    colors.push(value("--panel"));
    packed = colors.map((c) => {  // "#rrggbb" as the bytes red, green, blue, opaque of an image
      const n = parseInt(c.slice(1), 16);
      return (0xff000000 | ((n & 0xff) << 16) | (n & 0xff00) | (n >> 16)) >>> 0;
    });
    // Dark or white text, whichever stands out more (the relative luminance of WCAG 2).
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    onSlice = packed
                  .map(
                      (p) => 0.2126 * linear((p & 0xff) / 255) + 0.7152 * linear(((p >> 8) & 0xff) / 255) +
                          0.0722 * linear(((p >> 16) & 0xff) / 255))
                  .map((luminance) => (luminance > 0.18 ? "#0f1319" : "#ffffff"));
    ink = {text: value("--ink"), soft: value("--soft"), line: value("--line"), accent: value("--accent")};
  }

  const plotWidth = () => canvas.clientWidth - nameWidth;
  const xOf = (t) => nameWidth + ((t - view.from) / (view.to - view.from)) * plotWidth();
  const timeAt = (x) => view.from + ((x - nameWidth) / plotWidth()) * (view.to - view.from);
  const topOf = (i) => axisHeight + i * rowHeight;

  function drawAxis(width, height) {
    const span = view.to - view.from;
    let step = 10 ** Math.floor(Math.log10(span / 6));
    for (const times of [2, 5, 10])
      if (span / step > 8) step *= times / (times === 5 ? 2 : times === 10 ? 5 : 1);
    context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "center";
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
      const x = Math.round(xOf(t)) + 0.5;
      context.strokeStyle = ink.line;
      context.beginPath();
      context.moveTo(x, axisHeight - 5);
      context.lineTo(x, height);
      context.stroke();
      if (x > nameWidth + 12 && x < width - 30) {
        context.fillStyle = ink.soft;
        context.fillText(`${cycles(t)}`, x, axisHeight / 2);
      }
    }
    context.textAlign = "left";
    context.fillStyle = ink.soft;
    context.fillText("cycles", 8, axisHeight / 2);
  }

  // For every pixel of the screen a column with the shares of its time by category, work at the bottom. Written as
  // pixels: a canvas takes far longer for as many rectangles.
  function drawShares(track, top, left, right) {
    const ratio = window.devicePixelRatio || 1;
    const x0 = Math.round(left * ratio), width = Math.round(right * ratio) - x0,
          height = Math.round((rowHeight - 4) * ratio);
    if (width <= 0) return;
    const image = context.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
    const sums = new Float64Array(categories), per = (view.to - view.from) / (plotWidth() * ratio);
    const end = track.begin[track.count];
    let moment = timeAt(x0 / ratio), slice = track.at(moment);
    for (let x = 0; x < width && moment < end; ++x) {
      const next = Math.min(moment + per, end);
      slice = track.between(moment, next, slice, sums);
      let y = height, filled = 0;
      for (let c = 0; c < nothing; ++c) {
        if (sums[c] <= 0) continue;
        filled += sums[c];
        const until = Math.round(height * (1 - filled / per));
        for (; y > until && y > 0; --y) pixels[(y - 1) * width + x] = packed[c];
      }
      moment = next;
    }
    context.putImageData(image, x0, Math.round((top + 2) * ratio));
  }

  function drawSlices(track, top, left, right, first, last) {
    context.textAlign = "left";
    for (let i = first; i <= last; ++i) {
      const category = track.category[i];
      if (category === nothing) continue;
      const a = Math.max(left, xOf(track.begin[i])), b = Math.min(right, xOf(track.begin[i + 1]));
      context.fillStyle = colors[category];
      context.fillRect(a, top + 2, Math.max(b - a - (b - a > 4 ? 1 : 0), 0.5), rowHeight - 4);
      const name = data.labels[track.label[i]].name;
      if (b - a > 14 + name.length * 6.2) {
        context.fillStyle = onSlice[category];
        context.fillText(name, a + 5, top + rowHeight / 2 + 0.5);
      }
    }
  }

  function drawTrack(i) {
    const track = tracks[i].made, top = topOf(i);
    const left = Math.max(nameWidth, Math.floor(xOf(0))), right = Math.min(canvas.clientWidth, Math.ceil(xOf(total)));
    const first = track.at(Math.max(0, view.from)), last = track.at(Math.min(total, view.to));
    if (last - first > plotWidth() / 3)
      drawShares(track, top, left, right);
    else
      drawSlices(track, top, left, right, first, last);
  }

  function drawNames() {
    context.textAlign = "left";
    tracks.forEach((t, i) => {
      context.fillStyle = colors[nothing];
      context.fillRect(0, topOf(i), nameWidth, rowHeight);
      context.fillStyle = chosen && chosen.track === i ? ink.accent : ink.text;
      context.fillText(
          core === null && cores.length > 1 ? `${t.core}: ${t.title}` : t.title, 8, topOf(i) + rowHeight / 2);
      if (i > 0 && tracks[i - 1].core !== t.core) {
        context.fillStyle = ink.soft;
        context.fillRect(0, topOf(i), canvas.clientWidth, 1);
      }
    });
  }

  function draw() {
    const began = performance.now();
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = topOf(tracks.length) + 4;
    canvas.style.height = height + "px";
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (width <= nameWidth) return;
    drawAxis(width, height);
    for (let i = 0; i < tracks.length; ++i) drawTrack(i);
    drawNames();
    if (chosen) {
      const t = tracks[chosen.track].made;
      const a = Math.max(nameWidth, xOf(t.begin[chosen.slice])),
            b = Math.max(a + 2, Math.min(width, xOf(t.begin[chosen.slice + 1])));
      context.strokeStyle = ink.text;
      context.lineWidth = 2;
      if (b > nameWidth && a < width) context.strokeRect(a, topOf(chosen.track) + 2, b - a, rowHeight - 4);
      context.lineWidth = 1;
    }
    ++stats.draws;
    stats.last_ms = performance.now() - began;
  }
  let waiting = false;
  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  }

  function show(from, to) {
    const length = Math.min(total, Math.max(shortest, to - from));
    view.from = Math.max(0, Math.min(total - length, from));
    view.to = view.from + length;
    redraw();
  }
  // Factor below 1: nearer. The moment stays where it is on the screen.
  function zoom(factor, moment = (view.from + view.to) / 2) {
    const length = Math.min(total, Math.max(shortest, (view.to - view.from) * factor));
    const part = (moment - view.from) / (view.to - view.from);
    show(moment - part * length, moment + (1 - part) * length);
  }
  const pan = (part) => show(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));

  function lines(at) {
    const t = tracks[at.track], label = data.labels[t.made.label[at.slice]];
    const begin = t.made.begin[at.slice], length = t.made.begin[at.slice + 1] - begin;
    const place = (i) =>
        (i >= 0 && data.places[i] ? `${data.places[i].mnemonic} ${heddle.placeName(data.places[i])}` : "");
    const name = label.scope || label.name || "outside of scopes";
    return [
      `${name}  (core ${t.core} ${t.engine})`,
      label.place >= 0 ? (label.reason === "busy" ? place(label.place) : `before ${place(label.place)}`) : "",
      label.cause >= 0 ? `posted by ${place(label.cause)}, ${data.places[label.cause].engine}` : "",
      `${cycles(length)} cycles, ${time(length)}, from cycle ${cycles(begin)}`
    ].filter(Boolean);
  }
  function choose_slice(at) {
    chosen = at;
    status.textContent = at ? lines(at).join(" · ") : "\u00a0";
    redraw();
  }
  function under(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, track = Math.floor((event.clientY - box.top - axisHeight) / rowHeight);
    if (x < nameWidth || track < 0 || track >= tracks.length) return null;
    return {track, slice: tracks[track].made.at(Math.min(total, timeAt(x)))};
  }

  heddle.timeline = {
    view,
    stats,
    show,
    zoom,
    pan,
    draw,
    redraw,
    under,
    choose_slice,
    lines,
    canvas,
    status,
    total,
    tracks: () => tracks,
    hidden: () => hidden,
    chosen: () => chosen,
    timeAt,
    readColors,
    cores,
    slices: data.slice_count,
    coarsened: data.coarsened_fs,
    core: () => core,
    setCore: (c) => {
      core = c;
      chosen = null;
      choose();
      redraw();
    }
  };
})();
