// How does a figure reach the screen? Plotly draws over the still once, then every state goes through Plotly.react.
//
// Two drawings take turns: while the reader looks at one, the step that is likely next is drawn in the other, out of
// sight and when nothing else is to do. Asking for that step only shows it. Any other state is drawn when asked for.
(() => {
  "use strict";
  const { state } = window.Rungbook;
  const CONFIG = { displayModeBar: false, responsive: false, scrollZoom: false, doubleClick: false, showTips: false };
  const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 200));

  class Plot {
    constructor(figure) {
      this.figure = figure;
      this.stage = figure.stage;
      this.live = figure.querySelector(".fig-live");
      this.spare = null; // the drawing out of sight
      this.ahead = ""; // the picture that it holds, as text
      this.before = 0; // the place of the step drawn last
      this.drawing = null; // the promise of the drawing under way
      this.again = false; // something changed meanwhile
      this.lit = new Set();
      this.kept = new WeakMap(); // arrays in this theme's colours
      this.width = 0; // px; asking the page costs a layout of all that a step changed
      document.addEventListener("rungbook:theme", () => {
        this.kept = new WeakMap();
        if (this.drawn) this.draw();
      });
    }

    get drawn() {
      return this.stage.classList.contains("is-live");
    }

    // Resolves when the figure's present state is on the screen; a state that was drawn ahead is there at once.
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
      this.Plotly ??= (await Promise.all([window.Rungbook.plotly(), this.figure.ready()]))[0];
      do {
        this.again = false;
        const picture = this.whole();
        if (this.ahead && this.ahead === JSON.stringify(picture)) this.#swap();
        else await this.#paint(this.live, picture);
        if (!this.drawn) this.#first();
        this.#relight();
      } while (this.again);
      this.#foresee();
    }

    // The state of a step, that on the screen if none is said, at the stage's size, in the page's font and colours.
    whole(place = this.figure.at) {
      this.width ||= Math.floor(this.stage.clientWidth);
      this.family ??= getComputedStyle(this.stage).fontFamily;
      const { width, family, figure } = this;
      const step = figure.spec.sequences[figure.key][place];
      const picture = state.prepare(figure.spec, step, { width, family, driven: figure.driven(place) });
      return state.coloured(picture, window.Rungbook.colour, this.kept);
    }

    async #paint(plot, { data, layout }) {
      const fresh = !plot._fullLayout;
      await this.Plotly.react(plot, data, layout, fresh ? CONFIG : undefined); // said again, it costs a layout of the page
      if (!fresh) return;
      plot.on("plotly_hover", (event) => this.#point(plot, event.points, false));
      plot.on("plotly_unhover", () => this.#point(plot, [], false));
      plot.on("plotly_click", (event) => this.#point(plot, event.points, true));
    }

    // Readers mostly go on the way they went.
    #foresee() {
      const { at, steps } = this.figure;
      const way = at < this.before ? -1 : 1;
      this.before = at;
      const next = [at + way, at - way].find((place) => steps[place]);
      if (next !== undefined) whenIdle(() => this.#drawAhead(next));
    }

    async #drawAhead(place) {
      if (this.drawing || this.before !== this.figure.at || !this.figure.steps[place]) return; // asked for something else
      const picture = this.whole(place);
      const text = JSON.stringify(picture); // first: Plotly may write into the picture
      if (this.ahead === text) return;
      this.ahead = "";
      if (!this.spare) {
        this.spare = document.createElement("div");
        this.spare.className = "fig-spare";
        this.stage.append(this.spare);
      }
      try {
        await this.#paint(this.spare, picture);
        this.ahead = text;
      } catch {
        // what is wrong with it is said when it is asked for
      }
    }

    #swap() {
      this.ahead = "";
      [this.live, this.spare] = [this.spare, this.live];
      this.live.classList.replace("fig-spare", "fig-live");
      this.spare.classList.replace("fig-live", "fig-spare");
    }

    #first() {
      this.stage.classList.add("is-live");
      new ResizeObserver(() => {
        const width = Math.floor(this.stage.clientWidth);
        if (width === this.width || !width) return;
        this.width = width;
        this.draw();
      }).observe(this.stage);
    }

    #point(plot, points, keep) {
      if (plot !== this.live) return;
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
      for (const point of this.live.querySelectorAll(".point")) {
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
