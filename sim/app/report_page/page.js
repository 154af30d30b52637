// SPDX-License-Identifier: Apache-2.0
// The switch between dark and light in the page's header; until it is used, the system's preference holds.
"use strict";
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);

  const button = document.createElement("button");
  button.type = "button";
  button.id = "theme";
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  };
  const changed = () => {
    label();
    document.dispatchEvent(new Event("themechange"));
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    changed();
  });
  dark.addEventListener("change", changed);
  label();
  document.querySelector("header").append(button);
})();
