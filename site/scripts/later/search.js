// Where is it said? A dialog over a static index of sections, figures, terms and instructions; fetched when first opened.
(() => {
  "use strict";
  const page = document.documentElement;
  const KINDS = { section: "Section", figure: "Figure", term: "Word", opcode: "Instruction" };
  let dialog = null;

  // Every word must occur; where it occurs, and whether it begins a word, decides the order.
  function find(index, query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const found = [];
    for (const [title, kind, url, text] of index) {
      const [head, body] = [title.toLowerCase(), text.toLowerCase()];
      let score = 0;
      for (const word of words) {
        const inHead = head.indexOf(word);
        const inBody = body.indexOf(word);
        if (inHead < 0 && inBody < 0) score = -Infinity;
        else score += inHead === 0 ? 8 : inHead > 0 ? 4 : 1;
      }
      if (score > 0) found.push({ score, title, kind, url, text, at: Math.max(body.indexOf(words[0]), 0) });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, 20);
  }

  function row({ title, kind, url, text, at }) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${page.dataset.root}/${url}`;
    const name = document.createElement("b");
    name.textContent = title;
    const line = document.createElement("small");
    const start = Math.max(at - 40, 0);
    line.textContent = `${KINDS[kind] ?? kind}${text ? ` · ${start ? "…" : ""}${text.slice(start, start + 140)}` : ""}`;
    link.append(name, line);
    item.append(link);
    return item;
  }

  function make() {
    dialog = document.createElement("dialog");
    dialog.className = "search";
    dialog.setAttribute("aria-label", "Search");
    dialog.innerHTML =
      '<form method="dialog"><input type="search" aria-label="Search sections, figures, words and instructions" placeholder="Search" autocomplete="off" spellcheck="false"><button>Close</button></form><p role="status"></p><ul></ul>';
    const input = dialog.querySelector("input");
    const status = dialog.querySelector("p");
    const list = dialog.querySelector("ul");
    const show = async () => {
      try {
        const found = find(await window.Rungbook.index(), input.value);
        list.replaceChildren(...found.map(row));
        status.textContent = !input.value.trim() ? "Sections, figures, words, instructions." : found.length ? `${found.length} found` : "Nothing found.";
      } catch (error) {
        status.textContent = `Search does not work here: ${error.message}.`;
      }
    };
    input.addEventListener("input", show);
    dialog.addEventListener("keydown", (event) => {
      const links = [...list.querySelectorAll("a")];
      const at = links.indexOf(document.activeElement);
      if (event.key === "Escape") dialog.close(); // a search field would keep the first Escape for itself
      else if (event.key === "Enter" && document.activeElement === input) links[0]?.click();
      else if (event.key === "ArrowDown") (links[at + 1] ?? links[at])?.focus();
      else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
      else return;
      event.preventDefault();
    });
    dialog.addEventListener("click", (event) => (event.target === dialog || event.target.closest("a")) && dialog.close());
    document.body.append(dialog);
    show();
  }

  function open() {
    if (!dialog) make();
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("input").select();
  }

  window.Rungbook.openSearch = open;
})();
