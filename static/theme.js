// Loaded before the page is painted, so that a chosen theme never flashes.
(() => {
  "use strict";
  const root = document.documentElement;
  const next = { auto: "light", light: "dark", dark: "auto" };
  const read = () => {
    try { return localStorage.getItem("theme") || "auto"; } catch { return "auto"; }
  };
  const apply = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const label of document.querySelectorAll("[data-theme-name]")) label.textContent = theme;
  };

  root.classList.add("js");
  apply(read());
  document.addEventListener("DOMContentLoaded", () => apply(read()));
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    const theme = next[read()] || "auto";
    try { localStorage.setItem("theme", theme); } catch { /* private window: the choice lasts this page */ }
    apply(theme);
  });
})();
