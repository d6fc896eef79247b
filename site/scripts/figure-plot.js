// How does a figure reach the screen? Plotly draws over the still once, then every state goes through Plotly.react.
(() => {
  "use strict";
  const { state } = window.Rungbook;
  const CONFIG = { displayModeBar: false, responsive: false, scrollZoom: false, doubleClick: false, showTips: false };

  class Plot {
    constructor(figure) {
      this.figure = figure;
      this.stage = figure.querySelector(".fig-stage");
      this.live = figure.querySelector(".fig-live");
      this.drawing = null; // the promise of the drawing under way
      this.again = false; // something changed meanwhile
      this.lit = new Set();
      this.kept = new WeakMap(); // arrays in this theme's colours
      this.width = 0; // px; asking the page costs a layout of all that a step changed
      this.added = {}; // px that labels needed beside the margins said, at this width
      document.addEventListener("rungbook:theme", () => (this.kept = new WeakMap()));
    }

    get drawn() {
      return this.stage.classList.contains("is-live");
    }

    // Resolves when the figure's present state is on the screen.
    draw() {
      if (this.drawing) {
        this.again = true;
        return this.drawing;
      }
      this.drawing = this.#loop()
        .catch((error) => this.#trouble(error))
        .finally(() => (this.drawing = null));
      return this.drawing;
    }

    async #loop() {
      const [Plotly] = await Promise.all([window.Rungbook.plotly(), this.figure.ready()]);
      do {
        this.again = false;
        const { data, layout } = this.whole();
        const margin = { ...layout.margin };
        for (const side in this.added) layout.margin[side] += this.added[side];
        await Plotly.react(this.live, data, layout, CONFIG);
        this.#remember(margin);
        if (!this.drawn) this.#first();
        this.#relight();
      } while (this.again);
    }

    // The present state at the stage's size, in the page's font and colours.
    whole() {
      this.width ||= Math.floor(this.stage.clientWidth);
      this.family ??= getComputedStyle(this.stage).fontFamily;
      const { width, family } = this;
      const { spec, key, at } = this.figure;
      const step = spec.sequences[key][at];
      const picture = state.prepare(spec, step, { width, family, driven: this.figure.driven() });
      return state.coloured(picture, window.Rungbook.colour, this.kept);
    }

    // Where labels need more room than a figure's margins give, Plotly draws twice; the next step begins with that room.
    #remember(margin) {
      const size = this.live._fullLayout._size;
      for (const side of Object.keys(margin).filter((name) => name in size)) {
        this.added[side] = Math.max(this.added[side] ?? 0, Math.ceil(size[side]) - margin[side]);
      }
    }

    #first() {
      this.stage.classList.add("is-live");
      this.live.on("plotly_hover", (event) => this.#point(event.points, false));
      this.live.on("plotly_unhover", () => this.#point([], false));
      this.live.on("plotly_click", (event) => this.#point(event.points, true));
      new ResizeObserver(() => {
        const width = Math.floor(this.stage.clientWidth);
        if (width === this.width || !width) return;
        this.width = width;
        this.added = {};
        this.draw();
      }).observe(this.stage);
    }

    #point(points, keep) {
      const keys = points.map((point) => point.id ?? point.data.ids?.[point.pointNumber]).filter(Boolean);
      this.figure.dispatchEvent(new CustomEvent("rungbook:point", { bubbles: true, detail: { keys, keep } }));
    }

    // Points whose id is among the keys stand out; none: all as drawn.
    light(keys) {
      this.lit = new Set(keys);
      this.#relight();
    }

    #relight() {
      if (!this.lit.size && !this.stage.classList.contains("has-lit")) return; // most steps: there may be thousands of points
      let any = false;
      for (const point of this.stage.querySelectorAll(".point")) {
        const key = point.__data__?.id;
        const lit = key !== undefined && this.lit.has(key);
        point.classList.toggle("is-lit", lit);
        any ||= lit;
      }
      this.stage.classList.toggle("has-lit", any);
    }

    #trouble(error) {
      console.error(error);
      if (this.figure.querySelector(".fig-trouble")) return;
      const line = document.createElement("p");
      line.className = "fig-trouble";
      line.textContent = `This step cannot be drawn: ${error.message}. Its caption and its data stand below.`;
      this.stage.parentElement.after(line);
    }
  }

  window.Rungbook.Plot = Plot;
})();
