// Keeps a page at the table's revision, and keeps every tap until the server has answered it.
//
//   <body data-stream="/t/tk7m/soviet/stream">    the stream: `event: rev` and `event: beat`, data: the revision;
//                                                 with ?screen also `event: screen`: what changed on it since which revision
//   <... id="live" data-rev="17" hx-trigger="table-changed from:body">   what is shown, refetched when it differs
//   <form data-action hx-post=...>                gets an action id; kept and sent again while the network is away
//   <... id="link"> <... id="waiting"> <... id="toast">     where the state, the kept taps and short notices show
//   <... data-glow="vp-soviet"> <... data-key="n"> <button data-cover="hand">     see below
(() => {
  "use strict";
  const SILENCE = 25_000, POLL = 4_000, RETRY = 3_000, SETTLE = 300, MAX_FAILURES = 3;
  const body = document.body;
  const byId = (id) => document.getElementById(id);
  const hasTable = () => Boolean(body.dataset.stream);
  const shown = () => (byId("live") || byId("head"))?.dataset.rev;
  const showsAll = (rev) => Array.from(document.querySelectorAll("[data-rev]")).every((part) => part.dataset.rev === rev);
  const shownParts = () => Array.from(document.querySelectorAll("[data-part]"), (one) => one.dataset.part).join(" ");
  const randomId = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

  // The link: live, catching up, offline

  const WORDS = { live: "live", behind: "catching up", offline: "offline" };
  const pageId = randomId();
  let stream, lastHeard = 0, failures = 0, retryTimer, linkState = "behind";

  function showLink(state = linkState) {
    linkState = state;
    const badge = byId("link");
    if (!badge || !hasTable() || (badge.dataset.state === state && badge.textContent.trim() === WORDS[state])) return;
    badge.dataset.state = state;
    badge.textContent = WORDS[state];
  }

  // Compared with what is *shown*, never with what was last heard: a refetch that failed is tried again at the next beat.
  function heard(event) {
    lastHeard = Date.now();
    failures = 0;
    if (showsAll(event.data)) showLink("live");
    else refetch();
    flush();
  }

  // What changed on this very screen comes down the stream. It fits only onto what the server believes is shown here;
  // while an answer is under way, or when it does not fit, the page asks as it would without.
  let asking = 0;
  body.addEventListener("htmx:beforeRequest", ({ detail }) => { if (detail.target?.id === "live") asking += 1; });
  body.addEventListener("htmx:afterRequest", ({ detail }) => { if (detail.target?.id === "live") asking = Math.max(0, asking - 1); });

  function pushed({ data }) {
    lastHeard = Date.now();
    failures = 0;
    const cut = data.indexOf("\n"), [from, to] = data.slice(0, cut).split(" ");
    const live = byId("live");
    if (shown() === to) return;
    if (asking || (from !== "*" && from !== shown())) { if (!asking) refetch(); return; }
    const detail = { target: live, elt: live, requestConfig: { verb: "get" } };
    htmx.trigger(live, "htmx:beforeSwap", detail);
    htmx.swap(live, data.slice(cut + 1), { swapStyle: "morph:outerHTML", swapDelay: 0, settleDelay: 0 }, { contextElement: live, eventInfo: detail });
    showLink("live");
    flush();
  }

  // A sheet has done something: its outcome is on the way down the stream, unless that has broken.
  body.addEventListener("table-moved", ({ detail }) => {
    setTimeout(() => { if (Number(shown()) < detail.rev && !asking) refetch(); }, linkState === "offline" ? 0 : 500);
  });

  function refetch() {
    if (linkState === "live") showLink("behind");
    htmx.trigger(body, "table-changed");
  }

  function connect() {
    disconnect();
    if (!hasTable() || document.hidden) return;
    lastHeard = Date.now();
    const url = new URL(body.dataset.stream, location.href);
    url.searchParams.set("page", pageId);
    if (url.searchParams.has("screen")) { // so that only what changes is sent, from the first time on
      url.searchParams.set("rev", shown());
      url.searchParams.set("parts", shownParts());
    }
    url.searchParams.set("hall", byId("round")?.dataset.sign || "-");
    stream = new EventSource(url);
    stream.addEventListener("rev", heard);
    stream.addEventListener("beat", heard);
    stream.addEventListener("screen", pushed);
    stream.addEventListener("hall", (event) => dispatchEvent(new CustomEvent("hall-said", { detail: event.data })));
    stream.addEventListener("error", lost);
  }

  function disconnect() {
    clearTimeout(retryTimer);
    stream?.close();
    stream = undefined;
  }

  function lost() {
    disconnect();
    failures += 1;
    if (failures < MAX_FAILURES || !navigator.onLine) showLink(failures === 1 && navigator.onLine ? "behind" : "offline");
    retryTimer = setTimeout(connect, Math.min(500 * 2 ** failures, 10_000));
  }

  function wake() {
    if (!hasTable() || document.hidden) return;
    failures = 0;
    showLink("behind");
    connect();
  }

  setInterval(() => { if (stream && Date.now() - lastHeard > SILENCE) lost(); }, 5_000);
  setInterval(() => { if (hasTable() && !document.hidden && failures >= MAX_FAILURES) refetch(); }, POLL);
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : wake()));
  // A shared device may have been handed over since a page was kept: it is asked for again.
  addEventListener("pageshow", (event) => { if (event.persisted) document.querySelector(".tabs") ? location.reload() : wake(); });
  addEventListener("pagehide", disconnect);
  addEventListener("online", () => { wake(); flush(); });
  addEventListener("offline", () => showLink("offline"));

  // Actions: one id a tap, kept until answered

  const isAction = (form) => form?.matches?.("form[data-action]");
  const busy = new WeakSet();
  const kept = {
    all() { try { return JSON.parse(sessionStorage.getItem("waiting")) || []; } catch { return []; } },
    save(list) { try { sessionStorage.setItem("waiting", JSON.stringify(list)); } catch { /* shown, not kept */ } },
    add(one) { this.save([...this.all().filter((other) => other.id !== one.id), one]); },
    drop(id) { this.save(this.all().filter((one) => one.id !== id)); },
  };

  function showWaiting() {
    const place = byId("waiting");
    if (!place) return;
    place.replaceChildren(...kept.all().map((one) => {
      const line = document.createElement("li");
      line.textContent = `${one.label}: waiting for the network`;
      return line;
    }));
    place.hidden = !place.children.length;
  }

  function notice(text, kind) {
    const place = byId("toast");
    if (!place) return;
    const line = document.createElement("p");
    line.className = kind === "error" ? "toast toast-error" : "toast";
    line.textContent = text;
    place.replaceChildren(line);
    setTimeout(() => line.remove(), 8_000);
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!isAction(form)) return;
    if (busy.has(form)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (!form.hasAttribute("hx-post")) {
      const field = form.elements.action_id || form.appendChild(document.createElement("input"));
      Object.assign(field, { type: "hidden", name: "action_id", value: randomId() });
    }
  }, true);

  body.addEventListener("htmx:configRequest", ({ detail }) => {
    detail.headers["X-Page"] = pageId;
    // What is shown already need not be sent again: see companion/web/parts.py.
    if (detail.target?.id === "live") detail.headers["X-Parts"] = shownParts();
    if (!isAction(detail.elt)) return;
    detail.parameters.action_id = randomId();
    // A part that stayed is what this revision shows, whatever it was drawn at.
    if (shown() && (!detail.parameters.rev || detail.elt.closest("#live"))) detail.parameters.rev = shown();
  });
  body.addEventListener("htmx:beforeRequest", ({ detail }) => { if (isAction(detail.elt)) busy.add(detail.elt); });
  body.addEventListener("htmx:afterRequest", ({ detail }) => busy.delete(detail.elt));

  function keep({ detail }) {
    if (!isAction(detail.elt)) return;
    const { path, formData } = detail.requestConfig;
    kept.add({
      id: formData.get("action_id"),
      path,
      fields: [...formData].filter(([, value]) => typeof value === "string"),
      label: detail.elt.dataset.action || detail.elt.querySelector("[type=submit], button:not([type])")?.textContent.trim() || "Action",
      target: detail.elt.getAttribute("hx-target") || "",
    });
    showLink("offline");
    showWaiting();
  }
  // Refused for good (the data folder gone, the disk full): the page stays, so the words have to come to it.
  body.addEventListener("htmx:responseError", ({ detail }) => {
    if (!isAction(detail.elt)) return;
    const page = new DOMParser().parseFromString(detail.xhr.responseText, "text/html");
    notice(page.querySelector("[role=alert]")?.textContent.trim() || "That did not work. Try again.", "error");
  });

  body.addEventListener("htmx:sendError", keep);
  body.addEventListener("htmx:timeout", keep);

  let flushing = false;
  async function flush() {
    if (flushing || !kept.all().length) return;
    flushing = true;
    try {
      for (const one of kept.all()) await sendAgain(one);
    } catch { /* still no network: the next beat or the timer tries again */ } finally {
      flushing = false;
      showWaiting();
    }
  }

  async function sendAgain(one) {
    const answer = await fetch(one.path, {
      method: "POST",
      body: new URLSearchParams(one.fields),
      headers: { "HX-Request": "true", "HX-Target": one.target.replace(/^#/, "") },
      signal: AbortSignal.timeout ? AbortSignal.timeout(10_000) : undefined,
    });
    if ([502, 503, 504].includes(answer.status)) throw new Error("a proxy answered, the companion did not");
    const text = await answer.text();
    kept.drop(one.id);
    const target = one.target.startsWith("#") && document.querySelector(one.target);
    if ([409, 422].includes(answer.status) && target) htmx.swap(target, text, { swapStyle: "innerHTML" });
    else if (!answer.ok) notice(`${one.label} was not accepted.`, "error");
    else notice(`${one.label}: done.`);
    if (hasTable()) refetch();
  }
  setInterval(flush, RETRY);

  // Around every swap: what changed glows, what moved under a finger rests

  // A card that is half answered keeps its ticks while others act, and what was unfolded stays so.
  let keeping = false;
  const begun = new WeakSet();
  document.addEventListener("input", ({ target }) => { if (target.form?.matches("[data-duty]")) begun.add(target.form); });
  document.addEventListener("submit", ({ target }) => begun.delete(target), true);
  if (window.Idiomorph) Idiomorph.defaults.callbacks.beforeNodeMorphed = (old, now) => !now.hasAttribute?.("data-same");
  if (window.Idiomorph) Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, el) => {
    if (name === "open" && el.matches("details:not([data-auto])")) return false; // a card that is drawn again unfolds nothing and folds nothing
    return !(keeping && ["checked", "value", "selected"].includes(name) && begun.has(el.form));
  };

  // What somebody else took back is said on every screen.
  let news = byId("live")?.dataset.news;
  body.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target?.id !== "live") return;
    const now = byId("live")?.dataset.news;
    if (now && now !== news && detail.requestConfig?.verb === "get") notice(now);
    news = now;
  });

  // Whoever is called sees it in the window's title, and a phone that can hums; wherever he is.
  const title = document.title;
  let called = Boolean(document.querySelector("[data-called]"));
  function showCalled() {
    const now = Boolean(document.querySelector("[data-called]"));
    document.title = now && hasTable() ? `! ${title}` : title;
    if (now && !called && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(60);
    called = now;
  }
  body.addEventListener("htmx:afterSwap", showCalled);
  showCalled();

  // A new phase begins at the top of its page.
  let phase = byId("live")?.dataset.phase;
  body.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target?.id !== "live") return;
    const now = byId("live")?.dataset.phase;
    if (now !== phase) scrollTo({ top: 0 });
    phase = now;
  });

  let before;
  const settling = new WeakMap();
  const glowTexts = () => new Map(Array.from(document.querySelectorAll("[data-glow]"), (el) => [el.dataset.glow, el.textContent.trim()]));
  const buttons = () => document.querySelectorAll("#live :is(button, .btn, summary)");
  const look = (el) => { const box = el.getBoundingClientRect(); return `${el.textContent.trim()}|${Math.round(box.x)}|${Math.round(box.y)}`; };

  body.addEventListener("htmx:beforeSwap", ({ detail }) => {
    // What is being typed stays; a focused button must still get its new words.
    if (window.Idiomorph) Idiomorph.defaults.ignoreActiveValue = Boolean(document.activeElement?.matches("input:not([type=checkbox], [type=radio]), textarea, select"));
    keeping = detail.target?.id === "live";
    before = { asked: asked()?.id, battle: detail.requestConfig?.elt?.closest?.(".battle")?.id, glow: glowTexts(), buttons: new Map(Array.from(buttons(), (el) => [el, look(el)])) };
  });

  // Who is asked something new sees it, wherever the page was left; not while he types or has a sheet open.

  const asked = () => document.querySelector("#live .duty");
  const showAsked = () => {
    const wrong = document.querySelector("#live .duty .error");
    if (wrong) { wrong.scrollIntoView({ block: "center" }); return; }
    const card = asked();
    if (!card && before.asked) scrollTo({ top: 0 }); // all is answered: what comes of it stands on top
    if (!card || document.querySelector("#sheet .sheet") || document.activeElement?.matches("input, textarea, select")) return;
    const body = card.closest(".phase-body");
    const same = card.id === before.asked, at = same ? byId(before.battle) : card; // the battle that was answered in
    const top = at?.getBoundingClientRect().top;
    if (body) { if (!same) body.scrollTop = 0; } // the tablet's own page does not scroll
    else if (top < 0 || top > innerHeight * .6) at.closest(".battle, .prompt")?.scrollIntoView({ block: "start" });
  };

  body.addEventListener("htmx:afterSwap", () => {
    if (before) {
      showAsked();
      for (const el of document.querySelectorAll("[data-glow]")) {
        const old = before.glow.get(el.dataset.glow);
        if (old === undefined || old === el.textContent.trim()) continue;
        el.classList.remove("glow");
        void el.offsetWidth; // restarts the animation
        el.classList.add("glow");
      }
      for (const el of buttons()) {
        if (before.buttons.get(el) !== look(el)) settle(el);
        else if (Date.now() < settling.get(el)) el.setAttribute("aria-disabled", "true"); // the morph took it off
      }
      before = undefined;
    }
    showLink();
    showWaiting();
    centreStepper();
  });
  document.addEventListener("animationend", ({ target }) => target.classList.remove("glow"));

  function settle(el) {
    settling.set(el, Date.now() + SETTLE);
    el.setAttribute("aria-disabled", "true");
    setTimeout(() => { if (Date.now() >= settling.get(el)) el.removeAttribute("aria-disabled"); }, SETTLE);
  }
  document.addEventListener("click", (event) => {
    const el = event.target.closest("button, .btn, summary");
    if (!el || !(Date.now() < settling.get(el))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  body.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.elt?.matches("#live, #head")) return;
    if (detail.successful) showLink("live");
    else if ([401, 403, 404, 410].includes(detail.xhr.status)) location.reload();
    else showLink("offline");
  });

  function centreStepper() {
    for (const list of document.querySelectorAll(".stepper")) {
      const current = list.querySelector("[aria-current]");
      if (current) list.scrollLeft = current.offsetLeft - list.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
    }
  }

  // Keys

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (typing && event.key !== "Escape") return;
    const el = Array.from(document.querySelectorAll("[data-key]")).find((one) => one.dataset.key === event.key && one.offsetParent);
    if (!el) return;
    event.preventDefault();
    if (el.matches("input, textarea, select")) el.focus();
    else el.click();
  });

  // A long list of choices is narrowed by typing: <input data-narrow="units"> before it. What is ticked always shows.

  const narrowed = {};
  const narrowKey = (input) => `${input.form?.action} ${input.dataset.narrow}`;
  function narrow(input) {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const choice of input.parentElement.querySelectorAll(".choice")) {
      const text = choice.textContent.toLowerCase();
      choice.hidden = !choice.querySelector(":checked") && !words.every((word) => text.includes(word));
    }
  }
  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, (event) => {
      const input = event.target.closest?.("[data-narrow]");
      if (!input) return;
      event.stopPropagation(); // not an answer: the form need not be asked again
      narrowed[narrowKey(input)] = input.value;
      narrow(input);
    }, true);
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches?.("[data-narrow]")) event.preventDefault(); // does not send the form
  });
  body.addEventListener("htmx:afterSettle", () => {
    for (const input of document.querySelectorAll("[data-narrow]")) {
      if (!byId("sheet-body")?.contains(input)) continue;
      input.value = narrowed[narrowKey(input)] || "";
      narrow(input);
    }
  });

  // A preview of older input is not shown: it would clear what was ticked meanwhile. The next one is on its way.

  let touched = 0;
  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, ({ target }) => {
      const form = target.closest?.("#sheet-body, [data-preview]")?.closest("form");
      if (!form) return;
      touched += 1;
      // What nobody touched follows from what was: units next to a target that was just tapped are ticked.
      form.dataset.touched = [...new Set([...(form.dataset.touched || "").split(" ").filter(Boolean), target.name])].join(" ");
    }, true);
  }
  body.addEventListener("htmx:beforeRequest", ({ detail }) => { if (detail.elt.matches("#sheet-body, [data-preview]")) detail.xhr.touched = touched; });
  body.addEventListener("htmx:configRequest", ({ detail }) => {
    detail.headers["X-Page"] = pageId;
    const form = detail.elt.closest("#sheet form");
    if (form?.querySelector("#sheet-body")) detail.parameters._touched = form.dataset.touched || ""; // sent, too: a refusal draws the form anew
  });
  body.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.xhr?.touched !== undefined && detail.xhr.touched !== touched) detail.shouldSwap = false;
  });

  // A sheet is closed by its link, and after its last answer; without JavaScript the link leads back to the table.

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-close]");
    if (!link || !link.closest("#sheet")) return;
    event.preventDefault();
    closeSheet();
    stepBack();
  });
  function closeSheet() {
    byId("sheet").replaceChildren();
    for (const name of Object.keys(narrowed)) delete narrowed[name];
    opener?.focus?.({ preventScroll: true });
  }
  // The way back of a phone closes the sheet first: an open one is a step of the page's history.
  let stepped = false;
  function stepBack() {
    if (stepped) history.back();
    stepped = false; // at once: going back takes its time, and news may come twice
  }
  addEventListener("popstate", () => {
    stepped = false;
    if (byId("sheet")?.children.length) closeSheet();
  });
  let opener;
  body.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target?.id !== "sheet") return;
    if (detail.requestConfig?.verb === "get") opener = detail.requestConfig.elt;
    if (!byId("sheet").children.length) { // done: the sheet has closed
      closeSheet();
      stepBack();
      return;
    }
    byId("toast")?.querySelector(".toast:not(.toast-error)")?.remove(); // its way back is in the thumb bar, too
    if (!stepped) history.pushState({ sheet: true }, "");
    stepped = true;
    // What is wrong is looked at first, wherever in the form it is.
    const wrong = byId("sheet").querySelector(".field-bad, .error");
    if (wrong && detail.requestConfig?.verb === "post") { wrong.scrollIntoView({ block: "center" }); return; }
    const first = byId("sheet").querySelector("[autofocus], input:not([type=hidden]), select, textarea, button, a");
    if (!byId("sheet").contains(document.activeElement)) first?.focus({ preventScroll: true });
  });

  // A covered hand stays covered on this device, through every refresh, until it is uncovered.

  const covered = (name) => { try { return sessionStorage.getItem(`cover-${name}`) === "yes"; } catch { return false; } };
  function showCovers() {
    for (const button of document.querySelectorAll("[data-cover]")) {
      const on = covered(button.dataset.cover);
      byId(button.dataset.cover)?.classList.toggle(`${button.dataset.cover}-covered`, on);
      byId(button.dataset.cover)?.toggleAttribute("inert", on);
      button.setAttribute("aria-pressed", String(on));
      button.textContent = on ? "Uncover" : "Cover";
    }
  }
  document.addEventListener("click", (event) => {
    const name = event.target.closest("[data-cover]")?.dataset.cover;
    if (!name) return;
    try { sessionStorage.setItem(`cover-${name}`, covered(name) ? "no" : "yes"); } catch { return; }
    showCovers();
  });
  body.addEventListener("htmx:afterSwap", showCovers);

  showCovers();
  showWaiting();
  centreStepper();
  if (!document.hidden) connect();
  flush();
})();
