// SPDX-License-Identifier: Apache-2.0
// Tables of class "sortable" sort by the column whose heading is pressed: first the largest numbers or the first
// letters, then the other way round. A number's value is in data-v, where its text is rounded.
"use strict";
(() => {
  const valueOf = (cell) => (cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent);

  function sortBy(table, column, descending) {
    const body = table.tBodies[0];
    const keyed = Array.from(body.rows, (row, i) => ({row, i, value: valueOf(row.cells[column])}));
    const sign = descending ? -1 : 1;
    keyed.sort((a, b) => sign * (a.value < b.value ? -1 : a.value > b.value ? 1 : 0) || a.i - b.i);
    body.append(...keyed.map((k) => k.row));
    for (const heading of table.tHead.rows[0].cells) heading.removeAttribute("aria-sort");
    table.tHead.rows[0].cells[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
  }

  function makeSortable(table) {
    Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
      if (heading.dataset.fixed !== undefined) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const now = heading.getAttribute("aria-sort");
        const numeric = heading.classList.contains("num");
        sortBy(table, column, now === null ? numeric : now === "ascending");
      });
    });
  }

  document.querySelectorAll("table.sortable").forEach(makeSortable);
  window.heddleMakeSortable = makeSortable;
})();
