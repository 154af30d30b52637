// SPDX-License-Identifier: Apache-2.0
// What every part of the report uses: the result, elements, numbers as people read them, the reasons of a stall
// account. Names of a result come from outside: they go into the page as text only, never as HTML.
"use strict";
window.heddle = (() => {
  const result = JSON.parse(document.getElementById("result").textContent);

  // An element with attributes ("on..." are listeners) and children: elements, strings, nothing.
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === null) continue;
      if (name.startsWith("on"))
        element.addEventListener(name.slice(2), value);
      else if (name === "style")
        Object.assign(element.style, value);
      else
        element.setAttribute(name, value);
    }
    element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
    return element;
  }
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) =>
      fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  const grouped = (n) => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  // Three significant digits with the prefix that leaves at least one before the point.
  function scaled(value, prefixes, unit) {
    let i = 0;
    for (; i + 1 < prefixes.length && value >= 999.5; ++i) value /= 1000;
    const decimals = value >= 99.95 || (i === 0 && Number.isInteger(value)) ? 0 : value >= 9.995 ? 1 : 2;
    return value.toFixed(decimals) + " " + prefixes[i] + unit;
  }
  const up = ["", "k", "M", "G", "T", "P"];
  const count = (n) => scaled(n, up, "").trim();
  const rate = (n, unit) => scaled(n, up, unit);
  const time = (fs) => (fs === 0 ? "0" : scaled(fs, ["f", "p", "n", "µ", "m", ""], "s"));
  const percent = (part, whole, digits = 1) => (whole > 0 ? ((100 * part) / whole).toFixed(digits) + " %" : "-");
  const period = result.stalls ? result.stalls.period_fs : 0;
  const cycles = (fs) => (period > 0 ? grouped(fs / period) : time(fs));

  // The reasons in the order in which bars are stacked; docs/profiling.md says what they mean.
  const reasons = [
    "busy", "weight load", "pipeline", "bank conflict", "semaphore", "queue empty", "DMA start", "DMA issue", "HBM",
    "NoC", "queue full", "fence", "drained", "off", "launch"
  ];
  const isWork = (reason) => reason === "busy" || reason === "weight load";
  // A reason that this page does not know counts as the last colour.
  const reasonIndex = (reason) => {
    const i = reasons.indexOf(reason);
    return i < 0 ? reasons.length : i;
  };
  const reasonColor = (reason) => `var(--reason-${reasonIndex(reason)})`;

  const shortFile = (file) => file.split("/").pop();
  const placeName = (p) => (p.file ? `${shortFile(p.file)}:${p.line}` : `instruction ${p.instruction}`);
  const programName = (i) => (result.stalls && result.stalls.programs[i]) || "";

  // A section of the page, and a link to it in the header.
  function section(id, title, ...children) {
    document.querySelector("nav").append(h("a", {href: "#" + id}, title));
    const made = h("section", {id, "aria-labelledby": id + "-title"}, h("h2", {id: id + "-title"}, title), children);
    document.querySelector("main").append(made);
    return made;
  }
  const note = (text) => h("p", {class: "note"}, text);

  // columns: [{name, num, text(row), value(row), cell(row)}]: text is shown, value sorts, cell may make an element.
  function table(columns, rows, attributes) {
    const head = h("tr", {}, columns.map((c) => h("th", {class: c.num ? "num" : null, scope: "col"}, c.name)));
    const body = rows.map(
        (row) =>
            h("tr", attributes && attributes.row ? attributes.row(row) : {},
              columns.map(
                  (c) =>
                      h("td", {class: c.num ? "num" : c.css, "data-v": c.value ? c.value(row) : null},
                        c.cell ? c.cell(row) : c.text(row)))));
    const made = h("table", {class: "sortable"}, h("thead", {}, head), h("tbody", {}, body));
    window.heddleMakeSortable(made);
    return h("div", {class: "scroll", tabindex: "0"}, made);
  }

  // One box that follows the pointer.
  const tip = h("div", {id: "tip", role: "status", hidden: ""});
  document.body.append(tip);
  function showTip(x, y, lines) {
    tip.replaceChildren(...lines.map((line, i) => h("div", i === 0 ? {class: "first"} : {}, line)));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 8)) + "px";
    tip.style.top = Math.max(4, y + 18 + box.height > window.innerHeight ? y - box.height - 10 : y + 18) + "px";
  }
  const hideTip = () => {
    tip.hidden = true;
  };

  return {
    result,
    h,
    svg,
    grouped,
    count,
    rate,
    time,
    percent,
    cycles,
    period,
    reasons,
    isWork,
    reasonIndex,
    reasonColor,
    shortFile,
    placeName,
    programName,
    section,
    note,
    table,
    showTip,
    hideTip
  };
})();
