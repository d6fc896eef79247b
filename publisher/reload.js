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

  // The page as it is built now: its text in parts, and the frame around them, which only loading anew can change.
  async function built() {
    const answer = await fetch(location.pathname);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const nodes = parts(page);
    const head = page.head.innerHTML.replace(/__reload\.js\?\d+/, "");
    const frame = [head, ...[...page.querySelectorAll("body > header, body > footer, .toc")].map((part) => part.innerHTML)];
    return { nodes, frame: frame.join("\n"), texts: nodes.map((node) => node.innerHTML) };
  }

  function parts(page) {
    return [...page.querySelectorAll("main > *")];
  }

  async function update() {
    const [before, after, live] = [shown, await built(), parts(document)];
    shown = after;
    if (!before || before.frame !== after.frame || live.length !== after.nodes.length) {
      location.reload();
      return;
    }
    after.texts.forEach((text, i) => {
      if (text !== before.texts[i]) live[i].replaceChildren(...document.importNode(after.nodes[i], true).childNodes);
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
