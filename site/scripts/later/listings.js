// How do lines of source, PTX and SASS point at each other? <rb-listings>: one list box a listing, partners lit together.
(() => {
  "use strict";

  // The id of a line is its figure's, a colon, and its own key.
  const keyOf = (line) => line.id.slice(line.id.indexOf(":") + 1);

  // A line that came without an id has its listing's name and its label for a key.
  function name(line, figure, listing) {
    line.id ||= `${figure}:${listing}-${line.querySelector("i").textContent.replace(/^0+(?=.)/, "")}`;
  }

  // What is said of every line with this opcode, then what is said of this line alone.
  function noteOf(spec, line) {
    const opcode = /^(?:@\S+ )?([A-Z][A-Z0-9]*)/.exec(line.querySelector("code").textContent)?.[1];
    return [spec?.topics?.[opcode], spec?.notes?.[keyOf(line)]].filter(Boolean).join("\n");
  }

  class Listings extends HTMLElement {
    connectedCallback() {
      if (this.figure || !this.querySelector(".code-lines > li")) return;
      this.figure = this.closest("rb-figure");
      this.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.#light(event.target.closest("li")));
      this.addEventListener("pointerleave", () => this.#light(null));
      this.addEventListener("click", (event) => {
        const line = event.target.closest(".code-lines li");
        if (line) this.#choose(line);
      });
      this.addEventListener("focusin", ({ target }) => target.matches(".code-lines") && this.#enter(target));
      this.#linked();
      addEventListener("hashchange", () => this.#linked());
      const line = this.querySelector(".code-lines li:hover");
      if (line) this.#light(line); // pointed at before this script was here
      if (this.figure.at > 0) this.follow(); // stepped before this script was here
    }

    // Lines that the first step does not show come with the states of the picture; all are prepared at the first need.
    async prepare() {
      try {
        await this.figure.ready();
      } catch {
        return false; // drawing the figure says what failed
      }
      if (!this.lines) this.#prepare();
      return true;
    }

    #prepare() {
      for (const [listing, html] of Object.entries(this.figure.spec.lines ?? {})) {
        this.querySelector(`[data-listing="${CSS.escape(listing)}"] .code-lines`).innerHTML = html;
      }
      for (const list of this.querySelectorAll(".code-lines")) {
        for (const line of list.children) name(line, this.figure.id, list.parentElement.dataset.listing);
      }
      this.lines = new Map([...this.querySelectorAll(".code-lines > li")].map((line) => [keyOf(line), line]));
      this.partners = new Map([...this.lines.keys()].map((key) => [key, new Set()]));
      for (const [key, line] of this.lines) {
        for (const other of line.dataset.pair?.split(" ") ?? []) {
          this.partners.get(key).add(other);
          this.partners.get(other)?.add(key); // a link named once is a link both ways
        }
      }
      for (const list of this.querySelectorAll(".code-lines")) this.#listBox(list);
    }

    // What a step shows and lights. A step that names no listing keeps those of the step before.
    async follow() {
      if (!(await this.prepare())) return;
      const { spec, key, at } = this.figure;
      const { show, lit: keys } = spec.sequences[key][at];
      if (show) {
        for (const box of this.querySelectorAll(".listing")) box.classList.toggle("is-off", !show.includes(box.dataset.listing));
      }
      const lit = new Set(keys);
      for (const [key, line] of this.lines) line.classList.toggle("is-step", lit.has(key));
      // With the frame that shows the step: asked now, the page would be laid out once more.
      requestAnimationFrame(() => {
        for (const list of this.querySelectorAll(".code-lines")) this.#reveal(list.querySelector(".is-step"));
      });
    }

    #listBox(list) {
      list.setAttribute("role", "listbox");
      for (const line of list.children) {
        line.setAttribute("role", "option");
        line.setAttribute("aria-selected", "false");
      }
      list.addEventListener("keydown", (event) => this.#key(event, list));
      list.addEventListener("blur", () => this.#light(null));
    }

    async #enter(list) {
      if (!(await this.prepare())) return;
      if (list.matches(":focus-visible")) this.#activate(list, list.querySelector(".is-active, [aria-selected=true]") ?? list.firstElementChild);
    }

    #key(event, list) {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const rows = [...list.children];
      const at = rows.indexOf(list.querySelector(".is-active"));
      const target = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: rows.length - 1 }[event.key];
      if (target !== undefined) this.#activate(list, rows[Math.min(Math.max(target, 0), rows.length - 1)]);
      else if ((event.key === "Enter" || event.key === " ") && at >= 0) this.#choose(rows[at]);
      else if (event.key === "Escape") this.#close();
      else return;
      event.preventDefault();
    }

    #activate(list, line) {
      list.querySelector(".is-active")?.classList.remove("is-active");
      line.classList.add("is-active");
      list.setAttribute("aria-activedescendant", line.id);
      this.#reveal(line);
      this.#light(line, true);
    }

    async #light(line, reveal = false) {
      if (!(await this.prepare())) return;
      for (const lit of this.querySelectorAll(".is-partner")) lit.classList.remove("is-partner");
      const keys = line ? this.partners.get(keyOf(line)) : null;
      if (!keys?.size) return;
      line.classList.add("is-partner");
      const moved = new Set();
      for (const key of keys) {
        const partner = this.lines.get(key);
        partner?.classList.add("is-partner");
        if (!reveal || !partner || moved.has(partner.parentElement)) continue;
        moved.add(partner.parentElement);
        this.#reveal(partner);
      }
    }

    // Scrolls the listing, never the page.
    #reveal(line) {
      const list = line?.parentElement;
      if (!list || !list.clientHeight) return;
      const top = line.offsetTop - (line.offsetParent === list ? 0 : list.offsetTop); // its containment makes it the parent
      if (top < list.scrollTop || top + line.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
    }

    async #choose(line) {
      if (!(await this.prepare())) return;
      const again = line.getAttribute("aria-selected") === "true";
      this.#close();
      if (again) return;
      line.setAttribute("aria-selected", "true");
      this.#light(line, true);
      this.#note(line);
      window.Rungbook.remember?.(`#${line.id}`);
    }

    #close() {
      for (const line of this.querySelectorAll('[aria-selected="true"]')) line.setAttribute("aria-selected", "false");
      this.querySelector(".code-note").hidden = true;
    }

    #note(line) {
      const note = noteOf(this.figure.spec, line);
      const box = this.querySelector(".code-note");
      const rows = [...this.partners.get(keyOf(line))].map((key) => this.lines.get(key)).filter(Boolean);
      if (!note && !rows.length) return;
      const head = document.createElement("p");
      const code = document.createElement("code");
      code.textContent = line.querySelector("code").textContent.trim();
      head.append(code);
      box.replaceChildren(head);
      for (const text of note ? note.split("\n") : []) box.append(window.Rungbook.appendText(document.createElement("p"), text));
      if (rows.length) box.append(this.#pairs(rows));
      box.hidden = false;
    }

    #pairs(rows) {
      const list = document.createElement("dl");
      for (const line of rows.slice(0, 8)) {
        const name = document.createElement("dt");
        name.textContent = line.closest(".listing").querySelector(".listing-title").firstChild.textContent;
        const value = document.createElement("dd");
        const code = document.createElement("code");
        code.textContent = line.querySelector("code").textContent.trim();
        value.append(code);
        list.append(name, value);
      }
      return list;
    }

    // "#fig-one-block:sass-30" opens that line.
    async #linked() {
      if (!location.hash.startsWith(`#${this.figure.id}:`)) return;
      if (!(await this.prepare())) return;
      const line = document.getElementById(window.Rungbook.links.decode(location.hash));
      if (!line || !this.contains(line) || line.getAttribute("aria-selected") === "true") return;
      const listing = line.closest(".listing");
      listing.classList.remove("is-off");
      await this.#choose(line);
      this.#reveal(line);
      window.Rungbook.arrive(line.parentElement, "center"); // opening it may have made room elsewhere
    }
  }

  customElements.define("rb-listings", Listings);
})();
