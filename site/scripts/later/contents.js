// Where is the reader? Marks the section in the contents, and shows how far the page is read.
(() => {
  "use strict";
  const links = new Map([...document.querySelectorAll(".toc a")].map((link) => [window.Rungbook.links.decode(link.hash), link]));
  // Chapters and their parts, by the heads that the contents lead to. Asking where a section stands costs nothing; asking
  // the same of anything in it may cost its layout.
  const sections = new Map([...links.keys()].map((id) => [document.getElementById(id)?.closest("section"), id]));
  sections.delete(undefined);
  const bar = document.querySelector(".bar-progress");
  let current = null;
  let waiting = false;

  function look() {
    waiting = false;
    const page = document.documentElement;
    // On the bar itself: a property on the root would have the style of the whole page computed again.
    bar.style.transform = `scaleX(${Math.min(scrollY / Math.max(page.scrollHeight - innerHeight, 1), 1).toFixed(4)})`;
    const above = (section) => section.getBoundingClientRect().top <= 0.3 * innerHeight;
    const all = [...sections.keys()];
    const chapter = all.filter((section) => section.matches("main > section")).findLast(above);
    const part = all.findLast((section) => section.parentElement === chapter && above(section));
    const now = sections.get(part ?? chapter) ?? null;
    if (now !== current) mark(now);
  }

  function mark(now) {
    current = now;
    let read = now !== null;
    for (const [id, link] of links) {
      link.classList.toggle("is-read", read);
      if (id === now) {
        link.setAttribute("aria-current", "location");
        keepInView(link);
        read = false;
      } else {
        link.removeAttribute("aria-current");
      }
    }
  }

  // Scrolls the contents, never the page.
  function keepInView(link) {
    const box = link.closest(".toc");
    const [inner, outer] = [link.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.top < outer.top + 60 || inner.bottom > outer.bottom - 40) box.scrollTop += inner.top - outer.top - outer.height / 2;
  }

  if (sections.size && bar) {
    addEventListener("scroll", () => {
      if (!waiting) requestAnimationFrame(look);
      waiting = true;
    }, { passive: true });
    requestAnimationFrame(look);
  }

  window.Rungbook.reading = () => current;

  // On paper every table is open, also where the browser has no ::details-content.
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll(".fig-fold:not([open])")) {
      fold.open = true;
      fold.dataset.printed = "1";
    }
  });
  addEventListener("afterprint", () => {
    for (const fold of document.querySelectorAll(".fig-fold[data-printed]")) {
      fold.open = false;
      delete fold.dataset.printed;
    }
  });
})();
