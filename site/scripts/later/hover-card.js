// What does a number or a word say when pointed at? One card for the page, filled from the element's data-note, or for a
// word from the search index, which holds every word's meaning once for the whole site.
// It opens by pointer, focus or tap, stays while the pointer is on it, and Escape puts it away.
(() => {
  "use strict";
  const TARGET = ".num, .term";
  let card = null;
  let owner = null;
  let timer = 0;

  function make() {
    card = document.createElement("div");
    card.className = "hover-card";
    card.id = "hover-card";
    card.setAttribute("role", "tooltip");
    card.addEventListener("pointerenter", () => clearTimeout(timer));
    card.addEventListener("pointerleave", () => later(close, 150));
    document.body.append(card);
  }

  async function open(element) {
    clearTimeout(timer);
    if (owner === element) return;
    close();
    owner = element;
    const note = element.matches(".term") ? await meaning(element.hash) : await taken(element);
    if (owner !== element || !note) return;
    if (!card) make();
    const rows = note.split("\n").filter(Boolean);
    card.replaceChildren(...rows.map((row) => window.Rungbook.appendText(document.createElement("p"), row)));
    card.hidden = false;
    element.setAttribute("aria-describedby", card.id);
    place(element);
  }

  async function taken(number) {
    await window.Rungbook.pictures().catch(() => {}); // the number still stands there
    return number.dataset.note;
  }

  async function meaning(hash) {
    try {
      const row = (await window.Rungbook.index()).find(([, kind, url]) => kind === "term" && url.endsWith(hash));
      return row?.[3] ?? "";
    } catch {
      return ""; // the word still leads to the glossary
    }
  }

  function place(element) {
    const target = element.getClientRects()[0] ?? element.getBoundingClientRect();
    const { width, height } = card.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    const left = Math.min(Math.max(target.left, 8), Math.max(room - width - 8, 8));
    const below = target.bottom + 6 + height < innerHeight || target.top < height + 12;
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${(below ? target.bottom + 6 : target.top - height - 6) + scrollY}px`;
  }

  function close() {
    clearTimeout(timer);
    if (!owner) return;
    owner.removeAttribute("aria-describedby");
    owner = null;
    if (card) card.hidden = true;
  }

  function later(action, time) {
    clearTimeout(timer);
    timer = setTimeout(action, time);
  }

  const target = (event) => event.target.closest?.(TARGET);
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse" && target(event)) later(() => open(target(event)), owner ? 0 : 120);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType === "mouse" && target(event) && target(event) !== document.activeElement) later(close, 150);
  });
  document.addEventListener("focusin", (event) => target(event) && open(target(event)));
  document.addEventListener("focusout", (event) => target(event) && later(close, 150));
  document.addEventListener("click", (event) => {
    const element = target(event);
    if (!element) {
      if (owner && !card?.contains(event.target)) close();
      return;
    }
    // On a touch screen the first tap on a linked word opens its card, the second follows the link.
    if (element.href && event.pointerType === "touch" && element.dataset.tapped !== "1") event.preventDefault();
    element.dataset.tapped = "1";
    open(element);
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && close());
  const early = document.querySelector(`:is(${TARGET}):is(:hover, :focus)`); // before this script was here
  if (early) open(early);
})();
