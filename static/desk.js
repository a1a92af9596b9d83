// The organiser's desk: a button that prints, where the browser can.
(() => {
  "use strict";
  document.querySelectorAll("[data-print]").forEach((button) => button.addEventListener("click", () => print()));
})();
