// The chart book: every entry is saved when it is left, and kept here until the server has answered it.
//
//   <... data-save="/book/.../cell" data-paste="/book/.../cells">     a chart or a list
//     <... data-at="3|2:1" data-r="3" data-c="4"> one field </...>    one cell: its inside is the server's answer
//   #problems #save-state #palette #brush                             what went wrong, the state, one-tap entry
(() => {
  "use strict";
  const RETRY = 3_000;
  const byId = (id) => document.getElementById(id);
  const cellOf = (el) => el?.closest?.("[data-at]");
  const rootOf = (el) => el?.closest?.("[data-save]");
  const fieldOf = (cell) => cell?.querySelector("input, select");
  const isText = (el) => el?.matches?.("input[type=text], input:not([type])");
  const cellAt = (root, r, c) => root.querySelector(`[data-at][data-r="${r}"][data-c="${c}"]`);

  function valueOf(cell) {
    const radio = cell.querySelector("input[type=radio]");
    if (radio) return cell.querySelector("input[type=radio]:checked")?.value ?? "";
    const field = fieldOf(cell);
    if (!field) return null;
    return field.type === "checkbox" ? (field.checked ? "yes" : "") : field.value;
  }

  // Saving

  const sent = new Map();
  const unsent = new Map();
  let flying = 0;

  function save(cell, value = valueOf(cell)) {
    if (value === null) return;
    sent.set(cell.dataset.at, value);
    flying += 1;
    showState();
    htmx.ajax("POST", rootOf(cell).dataset.save, {
      source: cell, target: cell, swap: "innerHTML", values: { at: cell.dataset.at, value },
    })?.catch(() => { /* `keep` has it */ });
  }

  function showState(trouble = "") {
    const place = byId("save-state");
    if (!place) return;
    const wrong = document.querySelectorAll(".cell-error, .bf-error").length;
    let text = "Saved";
    if (trouble) text = trouble;
    else if (unsent.size) text = `${unsent.size} not saved yet: the companion cannot be reached, trying again`;
    else if (flying > 0) text = "Saving…";
    else if (wrong) text = `${wrong} not taken over`;
    place.textContent = text;
    place.dataset.state = trouble || unsent.size || wrong ? "bad" : "good";
  }

  function notice(text) {
    const place = byId("toast");
    if (!place || !text) return;
    const line = document.createElement("p");
    line.className = "toast";
    line.textContent = text;
    place.replaceChildren(line);
    setTimeout(() => line.remove(), 8_000);
  }

  function showProblems() {
    const place = byId("problems");
    if (!place) return;
    const list = place.querySelector("ul");
    for (const old of list.querySelectorAll("[data-problem]")) old.remove();
    for (const error of document.querySelectorAll(".cell-error, .bf-error")) {
      const line = document.createElement("li");
      line.dataset.problem = cellOf(error).dataset.at;
      const link = document.createElement("a");
      link.href = `#${fieldOf(cellOf(error))?.id}`;
      link.textContent = error.textContent;
      line.append(link);
      list.append(line);
    }
    place.hidden = !list.children.length;
  }

  let focused;
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const cell = event.detail.target;
    if (!cell?.matches?.("[data-at]")) return;
    const active = cell.contains(document.activeElement) ? document.activeElement : null;
    if (isText(active) && active.value !== sent.get(cell.dataset.at)) event.detail.shouldSwap = false; // more is coming
    else focused = active && { at: cell, kind: active.type, value: active.value };
  });

  document.body.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target?.matches?.("[data-at]")) {
      unsent.delete(detail.target.dataset.at);
      if (focused?.at === detail.target) {
        const { kind, value } = focused;
        const fields = Array.from(detail.target.querySelectorAll("input, select"));
        (fields.find((one) => kind !== "radio" || one.value === value) ?? fields[0])?.focus({ preventScroll: true });
      }
      focused = undefined;
      learn(detail.target);
    }
    showProblems();
    showState();
  });

  document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.elt?.matches?.("[data-at]")) return;
    flying -= 1;
    const status = detail.xhr?.status;
    if (status === 403) showState("Not saved: the book is locked. Unlock it on the chart book's page.");
    else if (status >= 400 && status !== 422 && status !== 409) showState("Not saved: the companion did not take it. Open the page again.");
    else showState();
  });

  function keep({ detail }) {
    const cell = detail.elt;
    if (!cell?.matches?.("[data-at]")) return;
    unsent.set(cell.dataset.at, sent.get(cell.dataset.at));
    showState();
  }
  document.body.addEventListener("htmx:sendError", keep);
  document.body.addEventListener("htmx:timeout", keep);
  setInterval(() => {
    if (flying > 0) return;
    for (const [at, value] of unsent) {
      const cell = document.querySelector(`[data-at="${CSS.escape(at)}"]`);
      if (cell) save(cell, value);
      else unsent.delete(at);
    }
  }, RETRY);
  addEventListener("beforeunload", (event) => { if (unsent.size || flying > 0) event.preventDefault(); });

  document.addEventListener("change", ({ target }) => {
    const cell = cellOf(target);
    if (cell && rootOf(cell)) save(cell);
  });

  // A second tap on a chosen one takes it back; "?" confirms a doubtful cell

  document.addEventListener("click", (event) => {
    const { target } = event;
    if (target.matches?.("[data-at] input[type=radio]") && target.defaultChecked && target.checked && event.detail !== 0) {
      target.checked = false;
      save(cellOf(target), "");
    }
    const sure = target.closest?.("[data-confirm]");
    if (sure) {
      event.preventDefault();
      save(cellOf(sure));
    }
  });

  // Moving: arrows, Enter; Tab is the browser's

  function step(cell, down, right) {
    const root = rootOf(cell);
    let r = Number(cell.dataset.r), c = Number(cell.dataset.c);
    for (;;) {
      r += down;
      c += right;
      const next = cellAt(root, r, c);
      if (!next) return null;
      const field = next.querySelector("input:checked") || fieldOf(next);
      if (field) return field;
    }
  }

  function nextInReading(cell) {
    const right = step(cell, 0, 1);
    if (right) return right;
    const root = rootOf(cell);
    for (let r = Number(cell.dataset.r) + 1; cellAt(root, r, 0); r += 1) {
      const first = fieldOf(cellAt(root, r, 0)) || step(cellAt(root, r, 0), 0, 1);
      if (first) return first;
    }
    return null;
  }

  function go(field) {
    if (!field) return;
    field.focus();
    if (isText(field)) field.select();
  }

  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const cell = cellOf(target);
    entered = undefined;
    if (!cell || !rootOf(cell) || event.ctrlKey || event.metaKey || event.altKey) return;
    const grid = Boolean(cell.closest(".book-grid"));
    if (key === "Enter" && isText(target)) {
      event.preventDefault();
      const next = step(cell, event.shiftKey ? -1 : 1, 0) || (grid ? null : target);
      if (next && next !== target) go(next);
      else target.blur();
    } else if (key === "Escape" && isText(target)) {
      target.value = target.dataset.saved ?? "";
      target.select();
      if (target.getAttribute("aria-invalid")) save(cell);
    } else if (isText(target) && (grid || cell.closest(".brows-wide"))) {
      const whole = target.selectionStart === 0 && target.selectionEnd === target.value.length;
      const atStart = target.selectionEnd === 0, atEnd = target.selectionStart === target.value.length;
      const move = {
        ArrowDown: [1, 0], ArrowUp: [-1, 0],
        ArrowLeft: whole || atStart ? [0, -1] : null, ArrowRight: whole || atEnd ? [0, 1] : null,
      }[key];
      if (!move || event.shiftKey) return;
      event.preventDefault();
      go(step(cell, ...move));
    }
  });

  let entered;
  document.addEventListener("focusin", ({ target }) => {
    const cell = cellOf(target);
    if (cell?.closest(".book-grid") && isText(target)) {
      current = cell;
      target.select();
      entered = target;
    }
  });
  // The click that enters a cell puts its caret after the selection above
  document.addEventListener("click", ({ target }) => {
    if (target === entered) target.select();
    entered = undefined;
  });

  // Pasting a block from a spreadsheet

  document.addEventListener("paste", (event) => {
    const cell = cellOf(event.target);
    const root = rootOf(cell);
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!root?.dataset.paste || !/[\t\n]/.test(text.trim())) return;
    event.preventDefault();
    let lines = text.replace(/\r\n?/g, "\n").replace(/\n+$/, "").split("\n").map((line) => line.split("\t").map((one) => one.trim()));
    let top = Number(cell.dataset.r), left = Number(cell.dataset.c);
    if (hasHeads(root, lines)) {
      lines = lines.slice(1).map((line) => line.slice(1));
      top = 0;
      left = 0;
    }
    const cells = [], outside = [];
    lines.forEach((line, r) => line.forEach((value, c) => {
      const at = cellAt(root, top + r, left + c);
      if (at) cells.push([at.dataset.at, value]);
      else if (value) outside.push(value);
    }));
    const first = [top, left];
    htmx.ajax("POST", root.dataset.paste, { target: "#grid", swap: "outerHTML", values: { cells: JSON.stringify(cells) } }).then(() => {
      const again = document.querySelector("[data-save]");
      go(again && fieldOf(cellAt(again, ...first)));
      for (const one of document.querySelectorAll("[data-at]")) learn(one);
      const many = outside.length === 1 ? "1 value" : `${outside.length} values`;
      if (outside.length) notice(`${many} fell outside the chart: ${outside.slice(0, 6).join(", ")}`);
      refreshProgress();
    }).catch(() => notice("The block was not saved: the companion cannot be reached. Paste it again in a moment."));
  });

  // The whole chart was copied, heads and all
  function hasHeads(root, lines) {
    const texts = (selector) => Array.from(root.querySelectorAll(selector), (one) => one.textContent.trim());
    const columns = texts("thead tr:last-child th:not(.corner)"), rows = texts("tbody th");
    return lines.length === rows.length + 1 && columns.length > 0 && columns.every((head, n) => lines[0][n + 1] === head)
      && rows.every((head, n) => lines[n + 1][0] === head);
  }

  function refreshProgress() {
    const root = document.querySelector(".book-grid");
    const place = byId("progress");
    if (!root || !place) return;
    const cells = Array.from(root.querySelectorAll(".cell"));
    const filled = cells.filter((one) => !one.matches(".cell-blank, .cell-bad")).length;
    const bar = place.querySelector("progress"), words = place.querySelector("b");
    if (bar) bar.value = filled;
    if (words) words.textContent = filled;
  }

  // The palette: codes that stand on the chart already, one tap each

  let current;
  const palette = byId("palette");
  const codes = new Set(palette ? JSON.parse(palette.dataset.codes || "[]") : []);

  function learn(cell) {
    if (!palette || cell.querySelector(".cell-bad")) return;
    const value = fieldOf(cell)?.value?.trim();
    if (value && value.length <= 12 && !codes.has(value) && codes.size < 24) {
      codes.add(value);
      drawPalette();
    }
  }

  function drawPalette() {
    const place = palette.querySelector(".palette-codes");
    const make = (text, label) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn btn-small";
      button.textContent = text;
      if (label) button.setAttribute("aria-label", label);
      return button;
    };
    place.replaceChildren(...Array.from(codes, (code) => make(code)), make("⌫", "blank"));
    palette.hidden = !codes.size;
  }

  if (palette) {
    drawPalette();
    palette.addEventListener("pointerdown", (event) => { if (event.target.closest("button")) event.preventDefault(); });
    palette.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const cell = current?.isConnected ? current : document.querySelector(".book-grid .cell-blank input")?.closest("[data-at]");
      const field = fieldOf(cell);
      if (!field) return;
      field.value = button.hasAttribute("aria-label") ? "" : button.textContent;
      save(cell);
      const next = nextInReading(cell);
      if (next) { current = cellOf(next); go(next); }
    });
  }

  // Quick fill: a brush, then one tap a row

  const brushNow = () => document.querySelector("#brush input:checked")?.value || "";
  const rowsList = () => document.querySelector(".brows");

  document.addEventListener("change", ({ target }) => {
    if (!target.matches?.("#brush input")) return;
    rowsList()?.classList.toggle("brushing", Boolean(target.value));
  });

  document.addEventListener("click", ({ target }) => {
    const row = target.closest?.(".brow-key")?.closest(".brow") ?? (target.closest?.(".brushing .brow"));
    if (!row || target.closest(".brow-remove")) return;
    const brush = brushNow();
    if (!brush) {
      const open = row.classList.toggle("open");
      row.querySelector(".brow-key")?.setAttribute("aria-expanded", open);
      return;
    }
    const at = brush.indexOf("|");
    const cell = row.querySelector(`[data-column="${CSS.escape(brush.slice(0, at))}"]`);
    const value = brush.slice(at + 1);
    if (!cell || !fieldOf(cell)) notice(`${row.dataset.key}: the rulebook gives this one.`);
    else save(cell, valueOf(cell) === value ? "" : value);
  });

  // One by one: with a keyboard at hand the next answer can be typed at once

  const keyboard = matchMedia("(hover: hover) and (pointer: fine)");
  function readyToType() {
    const field = byId("walk-text") ?? document.querySelector("#walk .walk-tap");
    if (keyboard.matches) field?.focus({ preventScroll: true });
    const card = document.querySelector("#walk .walk-step");
    if (card && !card.querySelector(".error") && card.getBoundingClientRect().top < 0) card.scrollIntoView();
  }
  document.body.addEventListener("htmx:afterSettle", ({ detail }) => { if (detail.target?.id === "walk" || detail.elt?.id === "walk") readyToType(); });
  readyToType();

  showProblems();
  const wrong = document.querySelector("#problems:not([hidden])");
  if (wrong) wrong.scrollIntoView?.({ block: "nearest" });
})();
