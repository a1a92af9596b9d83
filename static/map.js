// The map under fingers, mouse and keys; the map book's brush.
//
//   <div id="map" data-base="/map/...svg" data-hex="/t/tk7m/soviet/map/hex/" data-marks="...">   drawings that share one viewBox
//   <div id="live" data-frame="x y w h" data-home="x y">                        what is looked at first
//   <form id="move-form" data-from="2408">                                       a stack that was taken up: the next tap puts it down
//   <button data-zoom="in|out|fit">   <form data-find>   <a data-hex="2408">    ways around
//   <div id="map" data-brush="/book/.../map">  <input name="brush">             drawing the ground
(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const stage = byId("map");
  if (stage) startMap();
  keepJudgements();

  // A line that begins with its hex is gone on with, not written before it.
  document.body.addEventListener("htmx:afterSwap", () => {
    const field = document.querySelector("[data-caret=end]");
    if (field && document.activeElement === field) field.setSelectionRange(field.value.length, field.value.length);
  });

  function startMap() {
    const CLOSEST = 90, NUMBERS = 15, READING = 1.75, LEAST = .45, NEAR = .9, STILL = 8, HOLD = 500, WHEEL = 1.0016;
    const full = byId("base").viewBox.baseVal;
    const whole = { x: full.x, y: full.y, w: full.width, h: full.height };
    let view = { ...whole }, centres = [], frame = 0;

    // One view for all drawings; a drawing that was swapped in gets it too.

    function draw() {
      frame = 0;
      const box = `${view.x.toFixed(2)} ${view.y.toFixed(2)} ${view.w.toFixed(2)} ${view.h.toFixed(2)}`;
      for (const layer of stage.querySelectorAll(".map-layer")) layer.setAttribute("viewBox", box);
      const perUnit = Math.min(stage.clientWidth / view.w, stage.clientHeight / view.h);
      stage.classList.toggle("far", perUnit * 5.4 < NUMBERS / 2.6);
      stage.classList.toggle("near", perUnit * 5.4 > NUMBERS);
    }
    const redraw = () => { frame ||= requestAnimationFrame(draw); };

    function bound() {
      const smallest = CLOSEST, largest = Math.max(whole.w, whole.h * stage.clientWidth / stage.clientHeight) * 1.15;
      const wide = Math.min(Math.max(view.w, smallest), largest);
      view.h *= wide / view.w;
      view.w = wide;
      const hold = (low, size, at, span) => span >= size ? low + (size - span) / 2 : Math.min(Math.max(at, low), low + size - span);
      view.x = hold(whole.x - view.w * .25, whole.w + view.w * .5, view.x, view.w);
      view.y = hold(whole.y - view.h * .25, whole.h + view.h * .5, view.y, view.h);
      redraw();
    }

    function shapeToStage() {
      const middle = { x: view.x + view.w / 2, y: view.y + view.h / 2 };
      view.h = view.w * stage.clientHeight / stage.clientWidth;
      view.x = middle.x - view.w / 2;
      view.y = middle.y - view.h / 2;
      bound();
    }

    function fit() {
      view = { ...whole };
      const ratio = stage.clientWidth / stage.clientHeight;
      if (view.w / view.h < ratio) view.w = view.h * ratio; else view.h = view.w / ratio;
      view.x = whole.x + (whole.w - view.w) / 2;
      view.y = whole.y + (whole.h - view.h) / 2;
      bound();
    }

    // First all counters, or where most of one's own stand when they would be specks; later where this player left it.

    const place = `map:${location.pathname}:${stage.dataset.base.split("/").slice(0, -1).join("/")}`;
    const numbers = (name) => (byId("live")?.dataset[name] || "").split(" ").filter(Boolean).map(Number);
    let own = false;
    function begin() {
      try {
        const kept = JSON.parse(localStorage.getItem(place));
        if (kept) { view = kept; own = true; }
      } catch { /* no storage: begin anew */ }
      if (own) shapeToStage(); else frameAll();
    }
    let framed = numbers("frame").length === 4;
    function frameAll() {
      const frame = numbers("frame"), home = numbers("home");
      fit();
      if (frame.length !== 4) { centre(whole.x + whole.w / 2, whole.y + whole.h / 2, stage.clientWidth / READING); return; }
      const [x, y, w, h] = frame, tall = (name) => stage.querySelector(name)?.offsetHeight || 0;
      const foot = tall(".map-zoom") + tall(".map-note") + 10;
      const scale = Math.min(stage.clientWidth / w, (stage.clientHeight - foot) / h, READING);
      if (scale >= LEAST) centre(x + w / 2, y + h / 2 + foot / 2 / scale, stage.clientWidth / scale);
      else centre(home[0], home[1], stage.clientWidth / NEAR);
    }
    function centre(x, y, wide) {
      view.w = wide;
      view.h = wide * stage.clientHeight / stage.clientWidth;
      const inside = (at, low, size, span) => span < size ? Math.min(Math.max(at - span / 2, low), low + size - span) : at - span / 2;
      view.x = inside(x, whole.x, whole.w, view.w);
      view.y = inside(y, whole.y, whole.h, view.h);
      bound();
    }
    const mine = () => { own = true; }; // a view that a player chose is kept
    addEventListener("pagehide", () => { try { if (own) localStorage.setItem(place, JSON.stringify(view)); } catch { /* not kept */ } });

    const toMap = (clientX, clientY) => {
      const box = stage.getBoundingClientRect();
      return { x: view.x + (clientX - box.left) / box.width * view.w, y: view.y + (clientY - box.top) / box.height * view.h };
    };

    function zoom(by, clientX, clientY) {
      const box = stage.getBoundingClientRect();
      const at = toMap(clientX ?? box.left + box.width / 2, clientY ?? box.top + box.height / 2);
      const before = view.w;
      view.w /= by;
      const largest = Math.max(whole.w, whole.h * box.width / box.height) * 1.15;
      view.w = Math.min(Math.max(view.w, CLOSEST), largest);
      mine();
      const real = view.w / before;
      view.h *= real;
      view.x = at.x - (at.x - view.x) * real;
      view.y = at.y - (at.y - view.y) * real;
      bound();
    }

    function centreOn(hex, wide) {
      const found = centres.find((one) => one.hex === hex);
      if (!found) return;
      if (wide && view.w > wide) { view.h *= wide / view.w; view.w = wide; }
      // On a phone the sheet covers the lower part: keep the hex above it.
      const low = matchMedia("(max-width: 50rem)").matches ? .27 : .5;
      const left = matchMedia("(min-width: 50rem)").matches && byId("sheet")?.firstElementChild ? .3 : .5;
      view.x = found.x - view.w * left;
      view.y = found.y - view.h * low;
      redraw();
    }

    // Fingers: one drags, two pinch, a still one taps

    const fingers = new Map();
    let moved = 0, pinch = 0, held = 0, long = false;
    stage.addEventListener("pointerdown", (event) => {
      if (event.target.closest("button, a, details, .card") || event.button > 0) return;
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      stage.setPointerCapture(event.pointerId);
      clearTimeout(held);
      long = false;
      if (fingers.size === 1) {
        moved = 0;
        held = setTimeout(() => { if (stage.dataset.marks && fingers.size === 1 && moved < STILL) holding(event); }, HOLD);
      }
      pinch = spread();
    });
    stage.addEventListener("pointermove", (event) => {
      const finger = fingers.get(event.pointerId);
      if (!finger) return;
      const dx = event.clientX - finger.x, dy = event.clientY - finger.y;
      moved += Math.abs(dx) + Math.abs(dy);
      finger.x = event.clientX;
      finger.y = event.clientY;
      if (moved < STILL) return;
      stage.classList.add("dragging");
      mine();
      view.x -= dx / stage.clientWidth * view.w / fingers.size;
      view.y -= dy / stage.clientHeight * view.h / fingers.size;
      const now = spread();
      if (pinch && now) {
        const [a, b] = fingers.values();
        zoom(now / pinch, (a.x + b.x) / 2, (a.y + b.y) / 2);
        pinch = now;
      } else bound();
    });
    const lift = (event) => {
      const tapped = fingers.delete(event.pointerId) && event.type === "pointerup" && moved < STILL && !fingers.size;
      pinch = spread();
      clearTimeout(held);
      if (!fingers.size) stage.classList.remove("dragging");
      if (long && !fingers.size && moved < STILL) tap(event, true);
      else if (tapped) tap(event);
    };
    // Held long enough: the hex shows it, and its markers come when the finger has left what will lie under it.
    function holding({ clientX, clientY }) {
      const [found] = nearest(toMap(clientX, clientY));
      if (!found) return;
      long = true;
      mark(found.hex);
      navigator.vibrate?.(15);
    }
    stage.addEventListener("pointerup", lift);
    stage.addEventListener("pointercancel", lift);
    function spread() {
      if (fingers.size !== 2) return 0;
      const [a, b] = fingers.values();
      return Math.hypot(a.x - b.x, a.y - b.y);
    }
    stage.addEventListener("wheel", (event) => {
      if (event.target.closest("details")) return;
      event.preventDefault();
      zoom(WHEEL ** -event.deltaY, event.clientX, event.clientY);
    }, { passive: false });

    stage.addEventListener("contextmenu", (event) => { // a long touch has been answered by its timer
      if (event.target.closest("button, a, details, .card")) return;
      event.preventDefault();
      if (event.pointerType === "mouse" && stage.dataset.marks) tap(event, true);
    });

    // Keys: a cursor goes from hex to hex

    let cursor = "";
    const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    stage.addEventListener("keydown", (event) => {
      if (event.target !== stage || event.ctrlKey || event.metaKey || event.altKey) return;
      const way = WAYS[event.key];
      if (way && (event.shiftKey || !stage.dataset.hex)) { mine(); view.x += way[0] * view.w * .12; view.y += way[1] * view.h * .12; bound(); }
      else if (way) step(way);
      else if (event.key === "+" || event.key === "=") zoom(1.3);
      else if (event.key === "-") zoom(1 / 1.3);
      else if (event.key === "0") { mine(); fit(); }
      else if (cursor && (event.key === "Enter" || event.key === " ")) touch(cursor, false, true);
      else if (cursor && event.key.toLowerCase() === "m") touch(cursor, true, true);
      else return;
      event.preventDefault();
    });
    function step([dx, dy]) {
      const from = centres.find((one) => one.hex === cursor);
      const middle = { x: view.x + view.w / 2, y: view.y + view.h / 2 };
      const ahead = (one) => (one.x - from.x) * dx + (one.y - from.y) * dy, aside = (one) => Math.abs((one.x - from.x) * dy) + Math.abs((one.y - from.y) * dx);
      const next = from ? nearest(from, 7).slice(1).filter((one) => one.off < 45 ** 2 && ahead(one) > 5).sort((a, b) => aside(a) - ahead(a) / 4 - aside(b) + ahead(b) / 4)[0] : nearest(middle)[0];
      if (!next) return;
      cursor = next.hex;
      mark(cursor, byId("cursor"));
      const off = { x: (next.x - view.x) / view.w, y: (next.y - view.y) / view.h };
      if (off.x < .08 || off.x > .92 || off.y < .1 || off.y > .9) { mine(); view.x = next.x - view.w / 2; view.y = next.y - view.h / 2; bound(); }
      say(`${cursor}: ${who(cursor) || "empty"}`);
    }
    const say = (words) => { if (byId("map-says")) byId("map-says").textContent = words; };
    const stacksIn = (hex) => Array.from(document.querySelectorAll("#live a[data-hex]")).filter((one) => one.dataset.hex === hex);
    const answering = (hex) => (byId("live")?.dataset.answers || "").split(" ").includes(hex); // a retreat is offered there
    const who = (hex) => stacksIn(hex).map((one) => one.closest("li").querySelector(".grow").textContent).join("; ");
    stage.addEventListener("blur", () => byId("cursor")?.replaceChildren());

    document.addEventListener("click", (event) => {
      const how = event.target.closest("[data-zoom]")?.dataset.zoom;
      if (how === "in") zoom(1.5); else if (how === "out") zoom(1 / 1.5); else if (how === "fit") { mine(); fit(); }
      const link = event.target.closest("a[data-hex]");
      if (link && stage.dataset.hex) { event.preventDefault(); open(`${link.dataset.hex}?tap=1`, link.dataset.hex, true); }
    });

    // Taps: the nearest hex; on the map book, the hex or side under the brush

    const nearest = (at, count = 1) => centres
      .map((one) => ({ ...one, off: (one.x - at.x) ** 2 + (one.y - at.y) ** 2 }))
      .sort((a, b) => a.off - b.off).slice(0, count);

    function tap(event, marks) {
      const at = toMap(event.clientX, event.clientY);
      const found = nearest(at, 2);
      if (!found.length || found[0].off > 24 ** 2) return;
      if (!stage.dataset.brush) touch(found[0].hex, marks && Boolean(stage.dataset.marks));
      else if (!marks) paint(found);
    }

    // A stack that was taken up goes where is tapped; another stack there is looked at first. The second of two
    // quick taps waits for the answer to the first.

    let opening = Promise.resolve();
    async function touch(hex, marks, byKey) {
      await opening;
      if (marks) { open(hex, hex, false, stage.dataset.marks); return; }
      const move = byId("move-form");
      if (!move) open(`${hex}?tap=1`, hex, false, "", byKey);
      else if (move.dataset.from === hex) byId("sheet").querySelector("[data-close]").click();
      else if (!stacksIn(hex).length && !answering(hex)) {
        move.elements.hex.value = hex;
        if (move.querySelector(":checked")) move.requestSubmit();
      } else {
        const chosen = Array.from(move.querySelectorAll(":checked"), (box) => [box.name, box.value]);
        open(`${hex}?${new URLSearchParams([["tap", 1], ["from", move.dataset.from], ...chosen])}`, hex, false, "", byKey);
      }
    }

    function open(path, hex, move, base, byKey) {
      opening = htmx.ajax("GET", (base || stage.dataset.hex) + path, { source: stage, target: "#sheet", swap: "innerHTML" }).then(() => {
        if (move || covered(hex)) centreOn(hex, 520);
        byId("hex-sheet")?.scrollTo(0, 0);
        if (!byKey || !byId("move-form")) return;
        stage.focus({ preventScroll: true }); // the next hex is chosen with the keys, too
        say(`${who(hex)}: go to a hex and press Enter. Tab leads to its units.`);
      });
    }

    function covered(hex) {
      const found = centres.find((one) => one.hex === hex), sheet = byId("hex-sheet");
      if (!found || !sheet) return false;
      const box = stage.getBoundingClientRect(), over = sheet.getBoundingClientRect();
      const x = box.left + (found.x - view.x) / view.w * box.width, y = box.top + (found.y - view.y) / view.h * box.height;
      return x > over.left - 20 && x < over.right && y > over.top - 20 && y < over.bottom;
    }

    document.addEventListener("submit", (event) => {
      if (!event.target.matches("[data-find]") || !stage.dataset.hex) return;
      event.preventDefault();
      const hex = event.target.elements.hex.value.trim();
      const full = hex.toUpperCase().padStart(4, "0");
      if (hex) open(full, full, true);
    });

    // Closing the sheet takes its drawing away, too

    document.addEventListener("click", (event) => {
      if (event.target.closest("[data-close]") && byId("pick")) byId("pick").replaceChildren();
    });

    // The ground: fetched once, kept by the browser for good, drawn into the page so that it follows the theme

    async function loadBase(url) {
      const text = await (await fetch(url)).text();
      const drawing = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      byId("base").replaceChildren(...Array.from(drawing.childNodes, (node) => document.importNode(node, true)));
      const numbers = byId("base").querySelector(".numbers");
      const below = Number(numbers.dataset.below);
      centres = Array.from(numbers.children, (one) => ({ hex: one.textContent, x: Number(one.getAttribute("x")), y: Number(one.getAttribute("y")) + below }));
      stage.classList.add("ready");
      draw();
    }
    loadBase(stage.dataset.base).then(() => {
      const asked = byId("hex-sheet")?.dataset.hex;
      if (asked) centreOn(asked, 520);
    });

    // The brush of the map book

    let last = "";
    async function paint(found) {
      const brush = document.querySelector("input[name=brush]:checked")?.value;
      const [kind, ...words] = (brush || "").split(":"), word = words.join(":");
      let line = "";
      const [here, beside] = found;
      if (kind === "terrain") line = `${here.hex} ${word}`;
      else if (kind === "side") line = `${here.hex}-${beside.hex} ${word}`;
      else if (kind === "unside") line = `clear ${here.hex}-${beside.hex}`;
      else if (kind === "clear") line = `clear ${here.hex}`;
      else if (kind === "place") line = byId("place-name").value.trim() ? `${word} ${here.hex} ${byId("place-name").value.trim()}` : "";
      else if (kind === "link" && last && last !== here.hex) line = `${word} ${last} ${here.hex}`;
      mark(kind === "link" ? here.hex : "");
      if (kind === "link") last = here.hex; else last = "";
      if (!line) {
        if (kind === "place") byId("place-name").focus();
        return;
      }
      const answer = await fetch(stage.dataset.brush, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams({ text: line, map: stage.dataset.map }),
      });
      const told = await answer.json();
      byId("brush-told").textContent = told.problems.length ? told.problems.join(" ") : `Entered: ${line}`;
      byId("brush-told").className = told.problems.length ? "error" : "done-line";
      await loadBase(told.base);
      htmx.trigger(document.body, "facts-changed");
    }
    function mark(hex, pick = byId("pick")) {
      const found = centres.find((one) => one.hex === hex);
      pick.replaceChildren();
      if (!found) return;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", "chosen");
      path.setAttribute("transform", `translate(${found.x} ${found.y})`);
      path.setAttribute("d", stage.dataset.shape);
      pick.append(path);
    }
    document.addEventListener("change", (event) => { if (event.target.name === "brush") { last = ""; mark(""); } });

    document.body.addEventListener("htmx:afterSwap", ({ detail }) => {
      draw();
      if (detail.target?.id === "live") {
        if (!own && !framed) frameAll(); // the first counters have come; later the map lies still under the finger
        framed = framed || numbers("frame").length === 4;
      }
      if (detail.target?.id === "sheet" && !byId("hex-sheet")) byId("pick")?.replaceChildren(); // it closed, and so does its drawing
    });
    document.body.addEventListener("htmx:oobAfterSwap", draw);
    begin();
    new ResizeObserver(shapeToStage).observe(stage);
  }

  // What a player unticked on the supply page, or of a stack, stays unticked when the table moves on

  function keepJudgements() {
    let unticked;
    const boxes = () => document.querySelectorAll("#live [data-judge] input[type=checkbox], #movers input");
    document.body.addEventListener("htmx:beforeSwap", () => { unticked = new Set(Array.from(boxes()).filter((box) => !box.checked).map((box) => box.value)); });
    document.body.addEventListener("htmx:afterSwap", () => { for (const box of boxes()) if (unticked?.has(box.value)) box.checked = false; });
  }
})();
