// The entry line: its keypad, its chips, its answer.
//
//   <textarea data-entry>
//   <button data-type="2408 "> <button data-erase> <button data-newline> <button data-letters>     keys and hexes, typed at the cursor
//   <button data-name="3rd Panzer" data-typed="3">     a unit: completes the words typed of it, and goes in at the cursor otherwise
(() => {
  "use strict";
  const field = document.querySelector("[data-entry]"), keypad = document.querySelector(".keypad");
  const answer = document.getElementById("entry-answer");
  if (!field) return;

  const typed = () => field.dispatchEvent(new Event("input", { bubbles: true }));
  const caret = (at) => field.setSelectionRange(at, at);
  const before = () => field.value.slice(0, field.selectionStart);

  // The device's keyboard stays away only while our own keypad is there to type with.

  let letters = false;
  function chooseKeys() {
    field.inputMode = !letters && keypad?.getClientRects().length ? "none" : "text";
  }
  addEventListener("resize", chooseKeys);
  chooseKeys();

  // `cut` characters before the cursor are completed by the text; whatever else was typed stays.
  function put(text, cut = 0) {
    const start = before().slice(0, before().length - cut);
    let rest = field.value.slice(field.selectionEnd);
    const apart = text.length > 1 && start && !/[\s+-]$/.test(start) ? " " : "";
    if (text.endsWith(" ")) rest = rest.replace(/^ /, "");
    field.value = start + apart + text + rest;
    caret(start.length + apart.length + text.length);
    typed();
  }

  function putHex(text) {
    const word = before().match(/[^\s;,+-]*$/)[0].toUpperCase();
    const begun = [text, text.replace(/^[A-Z]+(?=\d)/, "")].some((one) => one.toUpperCase().startsWith(word));
    put(text, begun ? word.length : 0);
  }

  function putName({ name, typed: asked }) {
    const words = before().match(/[^\n;,]*$/)[0].replace(/^\s*[+-]?\s*/, "");
    if (asked && before().endsWith(asked)) put(`${name} `, asked.length);
    else put(`${name} `, name.toLowerCase().startsWith(words.trim().toLowerCase()) ? words.length : 0);
  }

  function erase() {
    const from = field.selectionStart === field.selectionEnd ? Math.max(0, field.selectionStart - 1) : field.selectionStart;
    field.value = field.value.slice(0, from) + field.value.slice(field.selectionEnd);
    caret(from);
    typed();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-type], [data-erase], [data-newline], [data-letters], [data-name]");
    if (!button) return;
    if (button.dataset.letters !== undefined) {
      letters = !letters;
      button.setAttribute("aria-pressed", String(letters));
      chooseKeys();
      field.blur(); // a keyboard comes and goes with the focus
      if (letters) field.focus();
      return;
    }
    if (button.dataset.name !== undefined) putName(button.dataset);
    else if (button.dataset.newline !== undefined) put("\n");
    else if (button.dataset.erase !== undefined) erase();
    else if (button.dataset.type.length > 1) putHex(button.dataset.type);
    else put(button.dataset.type);
    // Under our own keypad the device's keyboard must not come up over it.
    if (field.inputMode !== "none") field.focus();
  });

  document.addEventListener("keydown", (event) => {
    if (event.target !== field || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    field.form.requestSubmit();
  });

  // Hints are about what stands before the cursor.
  document.body.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.elt === field) detail.parameters.text = before();
  });

  document.body.addEventListener("entered", () => {
    field.value = "";
    typed();
    if (matchMedia("(pointer: fine)").matches) field.focus();
  });

  document.body.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target !== answer) return;
    const { top, bottom } = answer.getBoundingClientRect();
    if (top < 0 || bottom > (window.visualViewport?.height ?? innerHeight)) field.scrollIntoView({ block: "start" });
  });

  caret(field.value.length);
})();
