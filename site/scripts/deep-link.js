// How does an address name a place? Links to steps are followed on load, by click, and by back and forward, and a page
// ends with what its address names in view.
(() => {
  "use strict";
  const { links } = window.Rungbook;

  function figureOf(hash) {
    const figure = document.getElementById(links.parse(hash)?.id ?? "");
    return figure?.localName === "rb-figure" ? figure : null;
  }

  const elementOf = (hash) => figureOf(hash) ?? document.getElementById(links.decode(hash));

  // ---- arriving: what is above the goal is laid out as it comes near, and on a slow machine long after the first scroll

  const SETTLED = 20; // frames in which nothing moved
  const ACTS = ["wheel", "touchstart", "pointerdown", "keydown"];
  let goal = null; // { element, block, place, y, frames }
  let frame = 0;
  let own = false; // the reader acted since the address was followed, and the page stays where it is
  let loading = true; // until then the browser itself scrolls to the element of that name, whatever was scrolled to

  for (const act of ACTS) {
    addEventListener(act, () => {
      own = true;
      goal = null;
    }, { capture: true, passive: true });
  }

  // Keep an element in view until nothing moves any more or the reader acts.
  function arrive(element, block = "start") {
    if (own || !element) return;
    goal = { element, block };
    align();
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(look);
  }

  const placeOf = (element) => element.getBoundingClientRect().top + scrollY;

  function align() {
    goal.element.scrollIntoView({ block: goal.block, behavior: "instant" });
    Object.assign(goal, { place: placeOf(goal.element), y: scrollY, frames: 0 });
  }

  function look() {
    if (!goal) return;
    const scrolled = Math.abs(scrollY - goal.y) > 1;
    if (Math.abs(placeOf(goal.element) - goal.place) > 1 || (scrolled && loading)) align();
    else if (scrolled || (!loading && ++goal.frames > SETTLED)) goal = null;
    frame = requestAnimationFrame(look);
  }

  // ---- following

  function follow(hash, { scroll }) {
    const figure = figureOf(hash);
    if (!figure) return false;
    const link = links.parse(hash);
    if (link.slug) figure.goTo(link.slug, link.key, link.query);
    if (scroll) arrive(figure);
    else comeIntoView(figure);
    return true;
  }

  // A sentence that drives a figure in view moves nothing; a figure out of view comes as near as it must.
  function comeIntoView(figure) {
    const stage = figure.querySelector(".fig-plot").getBoundingClientRect();
    const seen = Math.min(stage.bottom, innerHeight) - Math.max(stage.top, 0);
    if (seen < 0.6 * Math.min(stage.height, innerHeight)) arrive(figure, stage.height > 0.8 * innerHeight ? "start" : "center");
  }

  // Soon, not now: a new address costs more than a step does, and browsers refuse more than a few a second.
  let soon = 0;

  function remember(hash) {
    forget();
    soon = setTimeout(() => {
      try {
        history.replaceState(history.state, "", hash);
      } catch {
        // refused where the page has no address of its own: the step is shown all the same
      }
    }, 120);
  }

  const forget = () => clearTimeout(soon);

  document.addEventListener("click", (event) => {
    const anchor = event.target.closest?.("a[href]");
    if (!anchor?.hash || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (anchor.href.split("#")[0] !== location.href.split("#")[0]) return;
    own = false;
    if (!follow(anchor.hash, { scroll: !anchor.classList.contains("step-link") })) {
      requestAnimationFrame(() => arrive(elementOf(anchor.hash))); // the browser goes there first
      return;
    }
    event.preventDefault();
    forget();
    try {
      if (location.hash !== anchor.hash) history.pushState(null, "", anchor.hash);
    } catch {
      // as above
    }
  });
  // The same place on another card: the step in the address, or else the section being read.
  for (const type of ["pointerdown", "focusin", "click"]) {
    document.addEventListener(type, (event) => {
      const link = event.target.closest?.(".cards a");
      if (link) link.hash = location.hash || window.Rungbook.reading?.() || "";
    });
  }

  addEventListener("hashchange", () => {
    own = false;
    forget();
    follow(location.hash, { scroll: false });
  });
  // On a page come back to, the browser restores where the reader was.
  addEventListener("DOMContentLoaded", () => {
    own = ["reload", "back_forward"].includes(performance.getEntriesByType("navigation")[0]?.type);
    if (location.hash && !follow(location.hash, { scroll: true })) arrive(elementOf(location.hash));
  });
  addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(() => (loading = false))));

  Object.assign(window.Rungbook, { remember, arrive });
})();
