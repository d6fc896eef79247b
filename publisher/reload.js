// What does a page under preview do? Takes over the sections that were built anew, and shows what is wrong until it is mended.
(() => {
  "use strict";
  const here = decodeURIComponent(location.pathname).replace(/^\//, "").replace(/(^|\/)$/, "$1index.html");
  let version = Number(new URL(document.currentScript.src).search.slice(1)); // of the build that this page came from
  let panel = null;
  let shown = null; // this page as it was built, to see which sections differ

  function show(faults) {
    panel?.remove();
    panel = null;
    if (!faults.length) return;
    panel = document.createElement("section");
    panel.id = "build-faults";
    panel.setAttribute("role", "alert");
    panel.style.cssText =
      "position:fixed;inset:auto 0 0 0;max-height:45vh;overflow:auto;z-index:99;margin:0;padding:1rem 1.5rem;" +
      "background:#300;color:#fff;border-top:4px solid #f66;font:14px/1.5 ui-monospace,monospace;white-space:pre-wrap";
    const title = document.createElement("strong");
    title.textContent = faults.length === 1 ? "One fault" : `${faults.length} faults`;
    panel.append(title, "\n", faults.join("\n"));
    document.body.append(panel);
  }

  async function built() {
    const answer = await fetch(location.pathname);
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  }

  // The page with its text taken out: where that differs, only loading it anew will do.
  function frame(page) {
    const copy = page.cloneNode(true);
    for (const part of parts(copy)) part.replaceChildren();
    for (const script of copy.querySelectorAll("script[src]")) script.src = script.src.split("?")[0];
    return copy.documentElement.innerHTML;
  }

  function parts(page) {
    return [...page.querySelectorAll("main > *")];
  }

  async function update() {
    const [before, after] = [shown, await built()];
    shown = after;
    const [old, fresh, live] = [before, after, document].map((page) => page && parts(page));
    if (!before || frame(before) !== frame(after) || live.length !== fresh.length) {
      location.reload();
      return;
    }
    fresh.forEach((part, i) => {
      if (part.innerHTML !== old[i].innerHTML) live[i].replaceChildren(...document.importNode(part, true).childNodes);
    });
  }

  const events = new EventSource("/__events");
  events.addEventListener("message", (event) => {
    const news = JSON.parse(event.data);
    const missed = news.version > version + 1;
    const changed = news.version > version && news.changed.includes(here);
    version = news.version;
    show(news.faults);
    if (missed) location.reload();
    else if (changed) update();
  });
  addEventListener("pagehide", () => events.close());
  built().then((page) => (shown ??= page));
})();
