// What do all scripts share? The one global, files that arrive late, colours by name, and text with code in it.
window.Rungbook = (() => {
  "use strict";
  const page = document.documentElement;
  const arriving = new Map();
  let colours = new Map();
  let probe = null;

  // Where each number comes from arrives with the pictures: publisher/pages/notes.py.
  function giveNotes() {
    for (const number of document.querySelectorAll(".num[data-aside]")) {
      const [kind, keys, note] = window.Rungbook.asides[number.dataset.aside];
      Object.assign(number.dataset, { kind, keys, note });
      delete number.dataset.aside;
    }
  }

  // A script is loaded once; after a failure the next call tries again.
  function load(url, what) {
    if (!arriving.has(url)) {
      const done = new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = resolve;
        script.onerror = () => {
          arriving.delete(url);
          script.remove();
          reject(new Error(`${what} could not be loaded`));
        };
        document.head.append(script);
      });
      arriving.set(url, done);
    }
    return arriving.get(url);
  }

  const plotly = () => load(page.dataset.plotly, "the drawing library").then(() => window.Plotly);
  const index = () => load(page.dataset.search, "the index").then(() => window.Rungbook.searchIndex);
  const pictures = () => (page.dataset.pictures ? load(page.dataset.pictures, "this page's pictures") : Promise.resolve()).then(() => {
    giveNotes();
    return window.Rungbook.pictureTexts;
  });
  // site/scripts/later: what nobody needs before the page is idle. Nothing to load where it came with the page.
  const later = () => (page.dataset.later ? load(page.dataset.later, "a part of this page") : Promise.resolve());

  function style(css) {
    const element = document.createElement("style");
    element.textContent = css;
    document.head.append(element);
  }

  // The search is opened from here, so that neither a click nor a key is lost before its script arrives.
  const search = () => later().then(() => window.Rungbook.openSearch(), () => {});
  document.addEventListener("click", (event) => event.target.closest?.("[data-search-open]") && search());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, textarea")) return;
    event.preventDefault();
    search();
  });

  function idle() {
    const when = window.requestIdleCallback ?? ((act) => setTimeout(act, 300));
    when(() => later().catch(() => {}), { timeout: 2000 }); // asked again when needed
    fetchWhenIdle();
  }

  // Figures' states and Plotly are fetched once the page is idle, and run at the first interest in a figure: running
  // Plotly costs up to 0.6 s.
  function fetchWhenIdle() {
    if (location.protocol === "file:" || navigator.connection?.saveData || !document.querySelector("rb-figure")) return;
    const fetchAll = () => [page.dataset.pictures, page.dataset.plotly].filter((url) => url && !arriving.has(url)).forEach(fetchAhead);
    if (window.requestIdleCallback) requestIdleCallback(fetchAll, { timeout: 4000 });
    else setTimeout(fetchAll, 1000);
  }

  function fetchAhead(url) {
    const link = document.createElement("link");
    if (!link.relList.supports("prefetch")) {
      fetch(url, { priority: "low" }).catch(() => {});
      return;
    }
    link.rel = "prefetch";
    link.as = "script";
    link.href = url;
    document.head.append(link);
  }

  // "accent" -> "rgb(…)" in the present theme. A probe element resolves what the custom property leaves unresolved.
  function colour(token) {
    if (colours.has(token)) return colours.get(token);
    if (!probe) {
      probe = document.createElement("span");
      probe.hidden = true;
      document.body.append(probe);
    }
    probe.style.color = `var(--fig-${token})`;
    const value = getComputedStyle(probe).color;
    colours.set(token, value);
    return value;
  }

  // Plain text with `code` in back-ticks, appended to an element; nothing in it is read as markup.
  function appendText(element, text) {
    text.split("`").forEach((part, place) => {
      if (!part) return;
      if (place % 2 === 0) return element.append(part);
      const code = document.createElement("code");
      code.textContent = part;
      element.append(code);
    });
    return element;
  }

  document.addEventListener("rungbook:theme", () => (colours = new Map()));
  if (document.readyState === "complete") idle();
  else addEventListener("load", idle);

  return { drivers: {}, plotly, index, pictures, later, style, colour, appendText, calm: matchMedia("(prefers-reduced-motion: reduce)") };
})();
