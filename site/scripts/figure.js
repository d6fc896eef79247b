// What is a stepped figure on a page? <rb-figure>: its choice, its step, and everything that follows them.
//
// Captions, names and choices are in the page, so stepping works at once; the picture's states (spec) arrive at the first
// interest. A driver (spec.driver) adds states that steps cannot list: Rungbook.drivers[NAME] = { connect(figure),
// state(figure) }. connect builds controls into figure.panel, once, and may set figure.query = { text, read(text) }, the
// part after "?" in links; state returns { data, traces, layout } laid over the step, or null. A driver calls
// figure.redraw() when its state changed; figure.spec.driverData is its data.
(() => {
  "use strict";

  class Figure extends HTMLElement {
    connectedCallback() {
      if (this.stage || !this.querySelector(".fig-captions > li")) return;
      this.sequences = this.#read();
      this.key = this.querySelector(".fig-captions .is-current").dataset.key;
      this.at = 0;
      this.stage = this.querySelector(".fig-stage");
      this.plot = null; // what draws comes when the page is idle, or at the first need
      this.player = new window.Rungbook.Player(this);
      this.panel = this.querySelector(".fig-panel");
      this.alt = this.stage.getAttribute("aria-label");
      const frame = this.querySelector(".fig-plot");
      frame.tabIndex = 0;
      frame.setAttribute("role", "group");
      frame.setAttribute("aria-label", `${this.querySelector(".fig-title").textContent}: left and right step, up and down go through the data`);
      this.addEventListener("click", (event) => this.#click(event));
      this.addEventListener("change", (event) => this.#change(event));
      frame.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && this.wake());
      frame.addEventListener("click", () => this.wake());
      this.addEventListener("focusin", () => this.wake());
      // A name that its dot cuts off is whole when pointed at.
      this.querySelector(".fig-dots").addEventListener("pointerover", ({ target }) => {
        const button = target.closest("button");
        if (button) button.title = button.textContent;
      });
      this.#offer();
    }

    // key -> steps, from the captions, which are all in the page.
    #read() {
      const found = new Map();
      for (const row of this.querySelectorAll(".fig-captions > li")) {
        const { key } = row.dataset;
        const title = row.querySelector("b").textContent.replace(/\.$/, "");
        const step = { slug: row.id.slice(row.id.lastIndexOf("/") + 1), title, row };
        found.set(key, [...(found.get(key) ?? []), step]);
      }
      return found;
    }

    get steps() {
      return this.sequences.get(this.key);
    }

    get step() {
      return this.steps[this.at];
    }

    get link() {
      return window.Rungbook.links.format(this.id, this.key, this.step.slug, this.query?.text);
    }

    get captionText() {
      return this.step.row.querySelector(".fig-text").textContent;
    }

    // Resolves when the states of the picture are here and a driver has its controls.
    ready() {
      this.arrival ??= this.#arrive().catch((error) => {
        this.arrival = null;
        throw error;
      });
      return this.arrival;
    }

    async #arrive() {
      const inline = this.querySelector(".fig-spec")?.textContent;
      this.spec = JSON.parse(inline ?? (await window.Rungbook.pictures())[this.dataset.figure]);
      if (this.spec.driver) await window.Rungbook.later();
      this.driver = window.Rungbook.drivers[this.spec.driver];
      this.driver?.connect(this);
    }

    // A driver reads the step from the figure: for the state of another step, that one stands there meanwhile.
    driven(place) {
      if (!this.driver) return null;
      const shown = this.at;
      this.at = place;
      try {
        return this.driver.state(this);
      } finally {
        this.at = shown;
      }
    }

    wake() {
      return this.plot?.drawn ? Promise.resolve() : this.redraw();
    }

    redraw() {
      return this.plot ? this.plot.draw() : this.#begin();
    }

    async #begin() {
      await window.Rungbook.later();
      this.plot ??= new window.Rungbook.Plot(this);
      return this.plot.draw();
    }

    say(text) {
      this.querySelector(".fig-voice").textContent = text;
    }

    // Show a step by its place; out of range is the nearest end.
    go(place) {
      this.at = Math.min(Math.max(place, 0), this.steps.length - 1);
      const drawn = this.redraw(); // first: Plotly measures texts, and nothing else has changed yet
      this.#show();
      return drawn;
    }

    // Show a step by its names; unknown names keep what is shown.
    goTo(slug, key = null, query = "") {
      if (key !== null && this.sequences.has(key)) this.#take(key);
      const place = this.steps.findIndex((step) => step.slug === slug);
      if (place >= 0) this.at = place;
      if (query) this.ready().then(() => { this.query?.read(query); this.go(this.at); }, () => {}); // drawing says what failed
      return this.go(this.at);
    }

    // A step the reader asked for: stop playing, and let the address name it.
    userGo(place) {
      this.player.pause();
      this.go(place);
      window.Rungbook.remember?.(this.link);
    }

    #take(key) {
      const slug = this.step.slug;
      this.key = key;
      const same = this.steps.findIndex((step) => step.slug === slug);
      this.at = same < 0 ? Math.min(this.at, this.steps.length - 1) : same;
      const chosen = key.split(",");
      this.#inputs().forEach((row, place) => row.forEach((input) => (input.checked = input.value === chosen[place])));
      this.#offer();
      this.#dots();
    }

    #inputs() {
      return [...this.querySelectorAll(".fig-choice")].map((choice) => [...choice.querySelectorAll("input")]);
    }

    // An option that would lead to no sequence, the others staying as they are, cannot be chosen.
    #offer() {
      this.#inputs().forEach((row, place) => {
        for (const input of row) {
          const key = this.key.split(",");
          key[place] = input.value;
          input.disabled = !this.sequences.has(key.join(","));
        }
      });
    }

    #dots() {
      const list = this.querySelector(".fig-dots");
      const one = list.querySelector("li");
      const rows = this.steps.map((step) => {
        const row = one.cloneNode(true);
        const button = row.firstElementChild;
        button.dataset.step = step.slug;
        button.firstElementChild.textContent = step.title;
        return row;
      });
      list.replaceChildren(...rows);
    }

    #show() {
      const last = this.steps.length - 1;
      this.querySelector(".fig-captions > .is-current").classList.remove("is-current");
      this.step.row.classList.add("is-current");
      this.querySelectorAll(".fig-dots button").forEach((button, place) => {
        button.classList.toggle("is-past", place <= this.at);
        if (place === this.at) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
      });
      for (const name of ["first", "back"]) this.#able(name, this.at > 0);
      for (const name of ["next", "last"]) this.#able(name, this.at < last);
      this.querySelector(".fig-count").textContent = `${this.at + 1} / ${last + 1}`;
      this.say(`${this.step.title}. ${this.captionText}`);
      const initial = this.at === 0 && this.steps === this.sequences.values().next().value;
      this.stage.setAttribute("aria-label", initial ? this.alt : `${this.step.title}. ${this.captionText}`);
      this.querySelector("rb-listings")?.follow?.();
      this.dispatchEvent(new CustomEvent("rungbook:step", { bubbles: true }));
    }

    // A disabled button loses the focus; hand it to Play, where the keys go on working.
    #able(name, able) {
      const button = this.querySelector(`[data-do="${name}"]`);
      if (!able && document.activeElement === button) this.querySelector('[data-do="play"]').focus();
      button.disabled = !able;
    }

    #click(event) {
      const button = event.target.closest("button");
      if (!button) return;
      const { do: action, step, get: format } = button.dataset;
      const places = { first: 0, back: this.at - 1, next: this.at + 1, last: Infinity };
      if (step) this.userGo([...this.querySelectorAll(".fig-dots button")].indexOf(button));
      else if (action in places) this.userGo(places[action]);
      else if (action === "play") this.player.toggle();
      else if (action === "speed") button.setAttribute("aria-label", `Speed: ${(button.textContent = this.player.faster())}`);
      else if (format) window.Rungbook.later().then(() => window.Rungbook.download(this, format));
      else if (action === "link") this.#copy(button, new URL(this.link, location.href).href);
      else if (action === "copy") this.#copy(button, button.previousElementSibling.textContent);
    }

    #change({ target }) {
      if (!target.closest(".fig-options")) return;
      this.#take(this.#inputs().map((row) => row.find((input) => input.checked).value).join(","));
      this.userGo(this.at);
    }

    async #copy(button, text) {
      if (button.dataset.do === "link") window.Rungbook.remember?.(this.link);
      let said = "Copied";
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        said = button.dataset.do === "link" ? "In the address bar" : "Select and copy"; // refused under http and in frames
      }
      const before = button.textContent;
      button.textContent = said;
      this.say(said);
      setTimeout(() => (button.textContent = before), 1600);
    }
  }

  customElements.define("rb-figure", Figure);
})();
