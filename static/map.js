// The map under fingers, mouse and keys; the map book's brush.
//
//   <div id="map" data-base="/map/...svg" data-hex="/t/tk7m/soviet/map/hex/">   drawings that share one viewBox
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
    const CLOSEST = 90, NUMBERS = 15, READING = 1.75, STILL = 8, WHEEL = 1.0016;
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

    // First at reading size over the player's own units; later where this device left it.

    const place = `map:${location.pathname}:${stage.dataset.base.split("/").slice(0, -1).join("/")}`;
    function begin() {
      let kept;
      try { kept = JSON.parse(sessionStorage.getItem(place)); } catch { /* no storage: begin anew */ }
      if (kept) view = kept;
      else {
        const first = (stage.dataset.start || "").split(" ").map(Number);
        fit();
        const wide = Math.min(view.w, stage.clientWidth / READING);
        view.h *= wide / view.w;
        view.w = wide;
        if (first.length === 2) { view.x = first[0] - view.w / 2; view.y = first[1] - view.h / 2; }
        else { view.x = whole.x + (whole.w - view.w) / 2; view.y = whole.y + (whole.h - view.h) / 2; }
      }
      shapeToStage();
    }
    addEventListener("pagehide", () => { try { sessionStorage.setItem(place, JSON.stringify(view)); } catch { /* not kept */ } });

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
    let moved = 0, pinch = 0;
    stage.addEventListener("pointerdown", (event) => {
      if (event.target.closest("button, a, details, .card") || event.button > 0) return;
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      stage.setPointerCapture(event.pointerId);
      if (fingers.size === 1) moved = 0;
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
      if (!fingers.size) stage.classList.remove("dragging");
      if (tapped) tap(event);
    };
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

    stage.addEventListener("keydown", (event) => {
      if (event.target !== stage || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (step) { view.x += step[0] * view.w * .12; view.y += step[1] * view.h * .12; bound(); }
      else if (event.key === "+" || event.key === "=") zoom(1.3);
      else if (event.key === "-") zoom(1 / 1.3);
      else if (event.key === "0") fit();
      else return;
      event.preventDefault();
    });
    document.addEventListener("click", (event) => {
      const how = event.target.closest("[data-zoom]")?.dataset.zoom;
      if (how === "in") zoom(1.5); else if (how === "out") zoom(1 / 1.5); else if (how === "fit") fit();
      const link = event.target.closest("a[data-hex]");
      if (link && stage.dataset.hex) { event.preventDefault(); open(link.dataset.hex, true); }
    });

    // Taps: the nearest hex; on the map book, the hex or side under the brush

    const nearest = (at, count = 1) => centres
      .map((one) => ({ ...one, off: (one.x - at.x) ** 2 + (one.y - at.y) ** 2 }))
      .sort((a, b) => a.off - b.off).slice(0, count);

    function tap(event) {
      const at = toMap(event.clientX, event.clientY);
      const found = nearest(at, 2);
      if (!found.length || found[0].off > 24 ** 2) return;
      if (stage.dataset.brush) paint(found);
      else open(found[0].hex, false);
    }

    function open(hex, move) {
      htmx.ajax("GET", stage.dataset.hex + hex, { target: "#sheet", swap: "innerHTML" }).then(() => {
        if (move || covered(hex)) centreOn(hex, 520);
        byId("hex-sheet")?.scrollTo(0, 0);
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
      if (hex) open(hex.toUpperCase().padStart(4, "0"), true);
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
      const asked = byId("hex-sheet")?.querySelector(".hex")?.textContent;
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
    function mark(hex) {
      const found = centres.find((one) => one.hex === hex), pick = byId("pick");
      pick.replaceChildren();
      if (!found) return;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", "chosen");
      path.setAttribute("transform", `translate(${found.x} ${found.y})`);
      path.setAttribute("d", stage.dataset.shape);
      pick.append(path);
    }
    document.addEventListener("change", (event) => { if (event.target.name === "brush") { last = ""; mark(""); } });

    document.body.addEventListener("htmx:afterSwap", draw);
    document.body.addEventListener("htmx:oobAfterSwap", draw);
    begin();
    new ResizeObserver(shapeToStage).observe(stage);
  }

  // What a player unticked on the supply page stays unticked when the table moves on

  function keepJudgements() {
    let unticked;
    const boxes = () => document.querySelectorAll("#live [data-judge] input[type=checkbox]");
    document.body.addEventListener("htmx:beforeSwap", () => { unticked = new Set(Array.from(boxes()).filter((box) => !box.checked).map((box) => box.value)); });
    document.body.addEventListener("htmx:afterSwap", () => { for (const box of boxes()) if (unticked?.has(box.value)) box.checked = false; });
  }
})();
