// Fields that say what they will do: numbers, their steppers, real dice.
//
//   <input type="number"> <input inputmode="numeric">       is chosen whole when it is entered, so that typing replaces it
//   <button data-step="1"> beside an <input type="number">  one more, one less
//   <button data-fill="to" value="2408">                    fills the field of that id with what it offers
//   <fieldset data-dice data-plus="1">                      real dice: [data-die] is a row of faces or a number, [data-sum] their sum
//   <button data-use="Use my dice"> <button data-clear-dice>     says which dice will be used; takes them back
(() => {
  "use strict";

  // What starts at 0 and gets 17 typed must become 17, not 170 or 017.

  const NUMBER = "input[type=number], input[inputmode=numeric]";
  let entered;
  document.addEventListener("focusin", ({ target }) => {
    entered = target.matches?.(NUMBER) ? target : undefined;
    entered?.select();
  });
  // The click that enters a field puts its caret after the selection above; the next one may place it.
  document.addEventListener("click", ({ target }) => {
    if (target === entered) target.select();
    entered = undefined;
  });

  const told = (input) => {
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };

  // An empty number counts from 0: one more is 1, or the lowest that may be.

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-step]");
    const input = button?.parentElement.querySelector("input");
    if (!input) return;
    const by = Number(button.dataset.step);
    if (input.value === "") {
      const low = input.min === "" ? -Infinity : Number(input.min), high = input.max === "" ? Infinity : Number(input.max);
      input.value = Math.min(Math.max(by, low), high);
    } else input.stepUp(by);
    told(input);
  });

  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-fill]");
    const input = button && document.getElementById(button.dataset.fill);
    if (!input) return;
    input.value = button.value;
    for (const other of button.parentElement.children) other.setAttribute("aria-pressed", other === button);
    told(input);
  });

  // Real dice

  const shown = (die) => (die.matches("input") ? die : die.querySelector(":checked"))?.value ?? "";

  function read(hand) {
    const faces = Array.from(hand.querySelectorAll("[data-die]"), shown), sum = hand.querySelector("[data-sum]")?.value ?? "";
    const plus = Number(hand.dataset.plus), parts = sum ? [sum] : faces;
    const words = parts.map((one) => one || "?").join(" + ") + (plus ? ` ${plus < 0 ? "−" : "+"} ${Math.abs(plus)}` : "");
    const total = parts.reduce((all, one) => all + Number(one), plus);
    const whole = parts.every(Boolean);
    return { any: parts.some(Boolean), words: whole && (parts.length > 1 || plus) ? `${words} = ${total}` : words };
  }

  function sayDice(form) {
    const use = form?.querySelector("[data-use]");
    if (!use) return;
    const hands = Array.from(form.querySelectorAll("[data-dice]"), read);
    const any = hands.some((hand) => hand.any), roll = form.querySelector("[name=_dice][value=roll]");
    use.textContent = any ? `Use ${hands.map((hand) => hand.words).join(" and ")}` : use.dataset.use;
    use.classList.toggle("btn-primary", any || !roll);
    form.querySelector("[data-clear-dice]").hidden = !any;
    // What was entered by hand must not be rolled over by a slip of the thumb; and no die may jump away under it.
    if (roll) { roll.disabled = any; roll.classList.toggle("btn-gone", any); }
  }

  // A die tapped and a sum typed would contradict each other: the newer one counts.
  document.addEventListener("input", ({ target }) => {
    const hand = target.closest?.("[data-dice]");
    if (!hand) return;
    const sum = hand.querySelector("[data-sum]");
    if (target !== sum) { if (sum) sum.value = ""; }
    else if (sum.value) clear(hand.querySelectorAll("[data-die] input, input[data-die]"));
    sayDice(hand.closest("form"));
  }, true);

  function clear(inputs) {
    for (const input of inputs) if (input.type === "radio") input.checked = false; else input.value = "";
  }

  document.addEventListener("click", ({ target }) => {
    const form = target.closest?.("[data-clear-dice]")?.form;
    if (!form) return;
    const inputs = form.querySelectorAll("[data-dice] input:not([type=hidden])");
    clear(inputs);
    told(inputs[0]);
    sayDice(form);
    form.querySelector("[name=_dice][value=roll]")?.focus();
  });

  const sayAll = () => { for (const use of document.querySelectorAll("[data-use]")) sayDice(use.form); };
  document.body.addEventListener("htmx:afterSwap", sayAll);
  addEventListener("pageshow", sayAll); // a page that the browser kept has its dice already
})();
