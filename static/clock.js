// Clocks count on between what the server says: nothing ticks there.
//
//   <time data-clock="down" data-seconds="5400" data-counting>1:30:00</time>    seconds at the moment it was drawn
//   <div id="round" data-sign="...">       the hall's round clock and announcement, fetched again when its sign differs
(() => {
  "use strict";
  const seen = new WeakMap();
  const two = (n) => String(n).padStart(2, "0");

  function words(seconds) {
    const whole = Math.floor(Math.abs(seconds)), sign = seconds < 0 ? "\u2212" : "";
    const h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
    return `${sign}${h}:${two(m)}:${two(whole % 60)}`;
  }

  function tick() {
    for (const el of document.querySelectorAll("[data-clock]")) {
      const drawn = `${el.dataset.seconds}|${el.hasAttribute("data-counting")}`;
      let known = seen.get(el);
      if (known?.drawn !== drawn) seen.set(el, (known = { drawn, at: performance.now() }));
      const gone = el.hasAttribute("data-counting") ? (performance.now() - known.at) / 1000 : 0;
      let now = Number(el.dataset.seconds) + (el.dataset.clock === "down" ? -gone : gone);
      if (el.hasAttribute("data-stops")) now = Math.max(0, now);
      const text = words(now);
      if (el.textContent !== text) el.textContent = text;
      if (el.dataset.clock === "down") el.closest(".clock, .round")?.classList.toggle("clock-over", now <= 0);
    }
  }
  // The hall's line is fetched when its sign differs; all screens of a hall hear of it at once, so each waits a little.
  let asked;
  async function hall(sign) {
    if (sign === document.getElementById("round")?.dataset.sign || asked === sign) return;
    asked = sign;
    await new Promise((done) => setTimeout(done, Math.random() * 800));
    try {
      const answer = await fetch("/hall/strip");
      const line = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("round");
      if (answer.ok && line) document.getElementById("round")?.replaceWith(line);
      tick();
    } catch { /* the stream tells the sign again when it comes back */ }
    asked = undefined;
  }
  addEventListener("hall-said", ({ detail }) => hall(detail));
  setInterval(() => { // a page without a stream looks for itself, where there is a hall at all
    if (!document.body.dataset.stream && !document.hidden && document.getElementById("round")?.dataset.sign !== "-") hall("look");
  }, 30_000);
  setInterval(tick, 1000);
  document.body.addEventListener("htmx:afterSwap", tick);
  // A device that slept may have stood still, too: the server knows better.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && document.querySelector("[data-clock]")) window.htmx?.trigger(document.body, "table-changed");
  });
  tick();
})();
