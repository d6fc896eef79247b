// What is a stepped figure on a page? <rb-figure>: its choice, its step, and everything that follows them.
//
// A driver (spec.driver) adds states that steps cannot list: Rungbook.drivers[NAME] = { connect(figure), state(figure) }.
// connect builds controls into figure.panel, once; state returns { data, traces, layout } laid over the step, or null.
// It calls figure.redraw() when its state changed and figure.say(text) to announce it; figure.spec.driverData is its data.
(() => {
  "use strict";
  const { state } = window.Rungbook;

  class Figure extends HTMLElement {
    #spec = null;

    connectedCallback() {
      if (this.plot || !this.querySelector(".fig-spec")) return;
      // Without their ids a link to a step no longer makes the browser scroll past the picture to its caption.
      this.captions = new Map([...this.querySelectorAll(".fig-captions > li")].map((row) => [row.id, row]));
      for (const row of this.captions.values()) row.removeAttribute("id");
      this.key = this.querySelector(".fig-captions .is-current").dataset.key;
      this.at = 0;
      this.plot = new window.Rungbook.Plot(this);
      this.player = new window.Rungbook.Player(this);
      this.panel = this.querySelector(".fig-panel");
      this.alt = this.plot.stage.getAttribute("aria-label");
      const frame = this.querySelector(".fig-plot");
      frame.tabIndex = 0;
      frame.setAttribute("role", "group");
      frame.setAttribute("aria-label", `${this.querySelector(".fig-title").textContent}: arrow keys step`);
      this.addEventListener("click", (event) => this.#click(event));
      this.addEventListener("change", (event) => this.#change(event));
      frame.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && this.wake());
      frame.addEventListener("click", () => this.wake());
      this.addEventListener("focusin", () => this.wake());
      document.addEventListener("rungbook:theme", () => this.plot.drawn && this.plot.draw());
    }

    // Parsed at the first interest: a page of many figures would pay for all of them while it loads.
    get spec() {
      if (!this.#spec) {
        this.#spec = JSON.parse(this.querySelector(".fig-spec").textContent);
        this.driver = window.Rungbook.drivers[this.#spec.driver];
        this.driver?.connect(this);
        this.#offer();
      }
      return this.#spec;
    }

    get steps() {
      return this.spec.sequences[this.key];
    }

    get step() {
      return this.steps[this.at];
    }

    get link() {
      return state.formatLink(this.id, this.key, this.step.slug);
    }

    get caption() {
      return this.captions.get(this.link.slice(1));
    }

    get captionText() {
      return this.caption.querySelector(".fig-text").textContent;
    }

    driven() {
      return this.driver?.state(this) ?? null;
    }

    wake() {
      if (this.plot.drawn) return Promise.resolve();
      return this.redraw();
    }

    redraw() {
      void this.spec;
      return this.plot.draw();
    }

    say(text) {
      this.querySelector(".fig-voice").textContent = text;
    }

    // Show a step by its place; out of range is the nearest end.
    go(place) {
      this.at = Math.min(Math.max(place, 0), this.steps.length - 1);
      this.#show();
      return this.redraw();
    }

    // Show a step by its names; unknown names keep what is shown.
    goTo(slug, key = null) {
      if (key === null && slug in this.spec.sequences && !this.steps.some((step) => step.slug === slug)) [key, slug] = [slug, null];
      if (key !== null && key in this.spec.sequences) this.#take(key);
      const place = this.steps.findIndex((step) => step.slug === slug);
      return this.go(place < 0 ? this.at : place);
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
      key.split(",").forEach((option, place) => {
        const name = `${this.id}-${this.spec.choices[place]?.slug}`;
        for (const input of this.querySelectorAll(`input[name="${CSS.escape(name)}"]`)) input.checked = input.value === option;
      });
      this.#offer();
      this.#dots();
    }

    // An option that would lead to no sequence, the others staying as they are, cannot be chosen.
    #offer() {
      const chosen = this.key.split(",");
      this.#spec.choices.forEach((choice, place) => {
        const name = `${this.id}-${choice.slug}`;
        for (const input of this.querySelectorAll(`input[name="${CSS.escape(name)}"]`)) {
          const key = chosen.with(place, input.value).join(",");
          input.disabled = !(key in this.#spec.sequences);
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
        button.title = button.firstElementChild.textContent = step.title;
        return row;
      });
      list.replaceChildren(...rows);
    }

    #show() {
      const last = this.steps.length - 1;
      for (const row of this.querySelectorAll(".fig-captions > .is-current")) row.classList.remove("is-current");
      this.caption.classList.add("is-current");
      this.querySelectorAll(".fig-dots button").forEach((button, place) => {
        button.classList.toggle("is-past", place <= this.at);
        if (place === this.at) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
      });
      for (const name of ["first", "back"]) this.#able(name, this.at > 0);
      for (const name of ["next", "last"]) this.#able(name, this.at < last);
      this.querySelector(".fig-count").textContent = `${this.at + 1} / ${last + 1}`;
      this.say(`${this.step.title}. ${this.captionText}`);
      const initial = this.at === 0 && this.key === Object.keys(this.spec.sequences)[0];
      this.plot.stage.setAttribute("aria-label", initial ? this.alt : `${this.step.title}. ${this.captionText}`);
      this.querySelector("rb-listings")?.follow(this.step);
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
      if (!button || !this.contains(button)) return;
      const { do: action, step, get: format } = button.dataset;
      const places = { first: 0, back: this.at - 1, next: this.at + 1, last: Infinity };
      if (step) this.userGo([...this.querySelectorAll(".fig-dots button")].indexOf(button));
      else if (action in places) this.userGo(places[action]);
      else if (action === "play") this.player.toggle();
      else if (format) window.Rungbook.download(this, format);
      else if (action === "link") this.#copy(button, new URL(this.link, location.href).href);
      else if (action === "copy") this.#copy(button, button.previousElementSibling.textContent);
    }

    #change(event) {
      const { target } = event;
      if (target.closest(".fig-speed")) this.player.speed = Number(target.value);
      if (!target.closest(".fig-options")) return;
      const chosen = this.spec.choices.map(({ slug }) => this.querySelector(`input[name="${CSS.escape(`${this.id}-${slug}`)}"]:checked`).value);
      this.#take(chosen.join(","));
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
