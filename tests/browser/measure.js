// What runs over an edge on the page as it stands: the window's, or that of the box a text is written in.
// Returns sentences; an empty list is a page that holds.
(width) => {
  const SLACK = 1;
  const found = [];
  const root = document.documentElement;
  const name = (element) => {
    const words = (element.innerText || element.value || "").trim().replace(/\s+/g, " ").slice(0, 40);
    const classes = typeof element.className === "string" && element.className ? "." + element.className.trim().split(/\s+/).join(".") : "";
    return `<${element.tagName.toLowerCase()}${classes}> "${words}"`;
  };
  const tell = (element, words) => found.length < 12 && found.push(`${name(element)} ${words}`);

  if (root.scrollWidth > width) found.push(`the page is ${root.scrollWidth - width} px wider than the window`);

  // These are meant to be pushed sideways and may hold more than they show; nothing else may.
  const SCROLLERS = ".stepper, .hand, .table-scroll, .palette-codes, .brush-row, .map-layers, .map-tabs, #hints .chips, textarea";
  const unseen = (element) => element.closest(".sr, .skip, svg") !== null || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  for (const element of document.body.querySelectorAll("*")) {
    if (unseen(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue;  // there for the ear only
    if ((box.right > width + SLACK || box.left < -SLACK) && !element.parentElement.closest(SCROLLERS)) tell(element, `lies from ${Math.round(box.left)} to ${Math.round(box.right)} px of ${width}`);
    if (element.matches("input[type=number], input.input-hex, input.input-code") && element.value && element.scrollWidth > element.clientWidth + SLACK) tell(element, "cuts its value off");
    const style = getComputedStyle(element);
    const hidden = element.scrollWidth - element.clientWidth;
    if (style.display !== "inline" && style.overflowX !== "visible" && style.textOverflow !== "ellipsis" && hidden > SLACK && !element.matches(SCROLLERS) && !element.matches("input, select, .map-stage")) tell(element, `hides ${hidden} px of its width`);
  }

  // Text against the box it is written in, and against the button around it.
  const range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.data.trim()) continue;
    const holder = text.parentElement;
    if (unseen(holder) || holder.closest("option, script, style, textarea")) continue;
    let box = holder;
    while (/^(inline|contents)$/.test(getComputedStyle(box).display) && box.parentElement) box = box.parentElement;
    if (getComputedStyle(box).textOverflow === "ellipsis") continue;
    const edge = box.getBoundingClientRect();
    if (edge.width <= 1) continue;
    const tall = parseFloat(getComputedStyle(holder).fontSize) / 3;
    const button = holder.closest(".btn, .badge, .chip, .choice > span, .seg-one > span, .step, .hex, .die, .hand-card, .toast");
    const frame = button && button.getBoundingClientRect();
    range.selectNodeContents(text);
    for (const line of range.getClientRects()) {
      if (line.width === 0) continue;
      const over = Math.max(line.right - edge.right, edge.left - line.left);
      if (over > SLACK && !box.matches(SCROLLERS)) { tell(holder, `writes ${Math.round(over)} px beyond its box`); break; }
      if (!frame) continue;
      const out = Math.max(line.right - frame.right, frame.left - line.left, line.bottom - frame.bottom - tall, frame.top - line.top - tall);
      if (out > SLACK) { tell(holder, `is cut off by ${Math.round(out)} px in ${name(button)}`); break; }
    }
  }

  // Dark is a matter of colours: nothing may move.
  const size = () => `${root.scrollWidth} x ${root.scrollHeight}`;
  const light = size();
  const was = root.dataset.theme;
  root.dataset.theme = "dark";
  if (size() !== light) found.push(`the dark page measures ${size()} px, the light one ${light}`);
  if (was) root.dataset.theme = was;
  else delete root.dataset.theme;
  return found;
}
