// How does an address name a step? Links to steps are followed on load, by click, and by back and forward.
(() => {
  "use strict";
  const { links } = window.Rungbook;

  function figureOf(hash) {
    const link = links.parse(hash);
    const figure = link && document.getElementById(link.id);
    return figure?.localName === "rb-figure" ? figure : null;
  }

  function follow(hash, { scroll }) {
    const link = links.parse(hash);
    const figure = figureOf(hash);
    if (!figure) return false;
    if (link.slug) figure.goTo(link.slug, link.key, link.query);
    if (scroll) figure.scrollIntoView({ block: "start", behavior: "instant" });
    else comeIntoView(figure);
    return true;
  }

  // A sentence that drives a figure in view moves nothing; a figure out of view comes as near as it must.
  function comeIntoView(figure) {
    const stage = figure.querySelector(".fig-plot").getBoundingClientRect();
    const seen = Math.min(stage.bottom, innerHeight) - Math.max(stage.top, 0);
    if (seen < 0.6 * Math.min(stage.height, innerHeight)) figure.scrollIntoView({ block: stage.height > 0.8 * innerHeight ? "start" : "center" });
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
    const anchor = event.target.closest?.('a[href^="#fig-"]');
    if (!anchor || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (!follow(anchor.hash, { scroll: !anchor.classList.contains("step-link") })) return;
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
    forget();
    follow(location.hash, { scroll: false });
  });
  addEventListener("DOMContentLoaded", () => location.hash && follow(location.hash, { scroll: true }));
  // The browser itself scrolls to the caption of that name once more when all is loaded.
  addEventListener("load", () => requestAnimationFrame(() => figureOf(location.hash)?.scrollIntoView({ block: "start", behavior: "instant" })));

  window.Rungbook.remember = remember;
})();
