// Keeps what was looked for in the page's address: <... id="live" data-here="/t/tk7m/soviet/units?q=guards">
// htmx could do so itself, but would take the page for one of its own when a sheet above it is closed by going back.
(() => {
  "use strict";
  document.body.addEventListener("htmx:afterSwap", () => {
    const here = document.getElementById("live")?.dataset.here;
    if (here && here !== location.pathname + location.search) history.replaceState(history.state, "", here);
  });
})();
