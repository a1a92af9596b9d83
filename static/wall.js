// A board on a wall shows as many tables as fit and turns the page by itself; those that need somebody are always there.
(() => {
  "use strict";
  const TURN = 12_000, SIZES = [3.2, 2.8, 2.5, 2.2, 2];
  let page = 0;
  const mark = document.body.appendChild(Object.assign(document.createElement("p"), { className: "wall-pages", hidden: true }));
  mark.setAttribute("aria-hidden", "true");

  function show() {
    const list = document.querySelector(".hall");
    if (!list) return;
    const all = [...list.children];
    for (const one of all) one.removeAttribute("data-away");
    const room = innerHeight - 8;
    // As large as all of them can be on one page; where that is too small, the usual size and several pages.
    const over = () => list.getBoundingClientRect().bottom + scrollY > room;
    list.style.fontSize = "";
    for (const size of SIZES) {
      list.style.fontSize = `${size}rem`;
      if (!over()) break;
      list.style.fontSize = "";
    }
    const urgent = all.filter((one) => one.matches(".hall-judge"));
    const others = all.filter((one) => !one.matches(".hall-judge"));
    // So many as stand above the lower edge, counted with nothing hidden.
    const fit = Math.max(1, all.filter((one) => one.getBoundingClientRect().bottom + scrollY <= room).length);
    document.body.classList.toggle("paged", all.length > fit);
    if (all.length <= fit) { mark.hidden = true; return; }
    const each = Math.max(1, fit - urgent.length);
    const pages = Math.ceil(others.length / each);
    page %= pages;
    others.forEach((one, index) => one.toggleAttribute("data-away", Math.floor(index / each) !== page));
    mark.textContent = `${page + 1} / ${pages}`;
    mark.hidden = false;
  }
  setInterval(() => { page += 1; show(); }, TURN);
  addEventListener("resize", show);
  document.body.addEventListener("htmx:afterSwap", show);
  show();
})();
