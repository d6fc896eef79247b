// Which datum does a number in prose come from? Pointing at either lights the other.
(() => {
  "use strict";
  let byKey = null;
  let kept = []; // keys of the datum the reader chose: they stay lit until something else is

  function numbers() {
    if (byKey) return byKey;
    byKey = new Map();
    for (const element of document.querySelectorAll(".num[data-keys]")) {
      for (const key of keysOf(element)) byKey.set(key, [...(byKey.get(key) ?? []), element]);
    }
    return byKey;
  }

  function keysOf(element) {
    return element.dataset.keys.split(/\s+/).filter(Boolean);
  }

  // A still has no data to point at: a figure in view is drawn then, and lights what it has.
  function lightFigures(keys) {
    for (const figure of document.querySelectorAll("rb-figure")) {
      figure.plot?.light(keys);
      const { top, bottom } = figure.getBoundingClientRect();
      if (keys.length && top < innerHeight && bottom > 0) figure.wake();
    }
  }

  function lightNumbers(keys) {
    for (const element of document.querySelectorAll(".num.is-lit")) element.classList.remove("is-lit");
    for (const key of keys) for (const element of numbers().get(key) ?? []) element.classList.add("is-lit");
  }

  const number = (event) => event.target.closest?.(".num");
  for (const type of ["pointerover", "focusin"]) {
    document.addEventListener(type, (event) => number(event) && pointAt(number(event)));
  }
  for (const type of ["pointerout", "focusout"]) {
    document.addEventListener(type, (event) => number(event) && pointAt(null));
  }

  let pointed = null;

  async function pointAt(element) {
    pointed = element;
    await window.Rungbook.pictures().catch(() => {}); // a number's keys come with them
    if (pointed === element) lightFigures(element?.dataset.keys ? keysOf(element) : kept);
  }

  const early = document.querySelector(".num:is(:hover, :focus)"); // before this script was here
  if (early) pointAt(early);

  document.addEventListener("rungbook:point", (event) => {
    const { keys, keep } = event.detail;
    if (keep) kept = keys;
    lightNumbers(keys.length ? keys : kept);
    if (keep) lightFigures(keys);
    else if (!keys.length) event.target.plot.light(kept);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    kept = [];
    lightNumbers([]);
    lightFigures([]);
  });
})();
