// How long does each rung take? A reader who likes guesses first; times not revealed yet stay hidden until they are.
//
// The first rung is in the figure's first picture, so it is given. Guesses live in memory alone.
(() => {
  "use strict";
  const DRIVER = "ladder";
  const STEPS = 400; // of the slider, over the whole axis
  const games = new WeakMap(); // figure -> game, while there is one

  const three = (value) => Number(value.toPrecision(3));
  const time = (us) => (us < 999.5 ? `${three(us)}\u00a0µs` : `${three(us / 1000)}\u00a0ms`);

  // A guess beside the recorded time, both in µs, in words.
  function verdict(guess, us, told = time(us)) {
    const begin = `You guessed ${time(guess)}; recorded: ${told}.`;
    const factor = guess > us ? guess / us : us / guess;
    if (factor < 1.005) return `${begin} That is it.`;
    const text = `${three(factor)} times as long as`;
    return `${begin} ${guess > us ? `The guess is ${text} the recording` : `The recording is ${text} the guess`}.`;
  }

  // Usual distance of guesses from recordings: the geometric mean of the factors, each above 1.
  function distance(pairs) {
    return Math.exp(pairs.reduce((sum, [guess, us]) => sum + Math.abs(Math.log(guess / us)), 0) / pairs.length);
  }

  // A trace without the points of some rows; a break in a line belongs to the point before it.
  function without(trace, hidden) {
    if (!trace.y) return trace;
    let before = null;
    const kept = trace.y.map((row) => !hidden.has((before = row ?? before)));
    const cut = (value) => {
      if (Array.isArray(value)) return value.length === kept.length ? value.filter((_, place) => kept[place]) : value;
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item)]));
    };
    return cut(trace);
  }

  function state(figure) {
    return games.get(figure)?.picture() ?? null;
  }

  // ---- the page --------------------------------------------------------------------------------------------------

  function element(name, className, ...inside) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...inside);
    return made;
  }

  function button(text, action) {
    const made = element("button", "", text);
    made.type = "button";
    made.addEventListener("click", action);
    return made;
  }

  // The quiet button, which needs no data: it stands there before anyone asks, in the room that the panel keeps.
  function invite(figure) {
    if (figure.panel.firstElementChild) return;
    const start = () => {
      const game = new Game(figure);
      games.set(figure, game);
      game.begin();
    };
    const ask = () => figure.ready().then(start, () => figure.wake()); // drawing says what failed
    figure.panel.append(button("Guess first", ask), element("span", "", "then reveal the times"));
  }

  class Game {
    constructor(figure) {
      this.figure = figure;
      this.rungs = figure.spec.driverData.rungs;
      this.range = figure.spec.layout.xaxis.range; // powers of ten of µs
      this.guesses = new Map(); // place of a rung -> µs
      this.revealed = new Set([0]);
      this.texts = new Map(figure.steps.map(({ row }) => [row, [...row.querySelector(".fig-text").childNodes]]));
      this.captions = figure.querySelector(".fig-captions");
      this.captions.style.minHeight = `${this.captions.offsetHeight}px`; // the hidden texts are shorter
      this.ending = new AbortController();
      const { signal } = this.ending;
      figure.addEventListener("rungbook:step", () => this.#show(), { signal });
      figure.stage.addEventListener("click", (event) => this.#point(event), { signal });
      this.invitation = [...figure.panel.childNodes];
      this.#build();
    }

    begin() {
      this.#hide();
      this.figure.userGo(1);
      this.slider.focus();
    }

    get at() {
      return this.figure.at;
    }

    // The rung of this step that is still to be guessed, if it is one.
    get open() {
      return this.at < this.rungs.length && !this.revealed.has(this.at);
    }

    get hidden() {
      return this.rungs.map((_, place) => place).filter((place) => !this.revealed.has(place));
    }

    // Guesses that have a recording beside them by now.
    get pairs() {
      const told = [...this.guesses].filter(([place]) => this.revealed.has(place));
      return told.map(([place, guess]) => [guess, this.rungs[place].us]).filter(([, us]) => us);
    }

    #build() {
      this.slider = Object.assign(element("input"), { type: "range", min: 0, max: STEPS, step: 1 });
      this.number = Object.assign(element("input"), { type: "number", min: 0, step: "any" });
      this.number.setAttribute("aria-label", "Your guess in microseconds");
      this.slider.addEventListener("input", () => this.#guess(10 ** (this.range[0] + (this.slider.value / STEPS) * (this.range[1] - this.range[0]))));
      this.number.addEventListener("input", () => this.number.value > 0 && this.#guess(Number(this.number.value), this.number));
      this.act = button("Reveal", () => this.#act());
      this.said = element("p", "guess-said");
      this.said.setAttribute("aria-live", "polite");
      const unit = element("label", "", this.number, "µs");
      const panel = element("div", "guess", element("label", "", "Your guess, cold", this.slider), unit, this.act, button("Stop guessing", () => this.#stop()), this.said);
      panel.setAttribute("role", "group");
      panel.setAttribute("aria-label", "Your guesses");
      this.figure.panel.replaceChildren(panel);
    }

    #guess(us, by = null) {
      if (!this.open) return;
      this.guesses.set(this.at, three(us));
      this.#show(by);
      this.figure.redraw();
    }

    #point({ clientX }) {
      const axis = this.figure.plot.live._fullLayout?.xaxis; // as drawn: its left end and its length, in pixels
      if (!axis) return;
      const along = (clientX - this.figure.plot.live.getBoundingClientRect().left - axis._offset) / axis._length;
      if (along >= 0 && along <= 1) this.#guess(10 ** (this.range[0] + along * (this.range[1] - this.range[0])));
    }

    #act() {
      const all = this.at >= this.rungs.length;
      if (all && !this.hidden.length) return this.#stop();
      if (!all && !this.open) {
        this.figure.userGo(this.at + 1);
        return this.open && this.slider.focus();
      }
      for (const place of all ? this.hidden : [this.at]) this.revealed.add(place);
      this.#hide();
      this.figure.userGo(this.at);
    }

    #stop() {
      this.ending.abort();
      games.delete(this.figure);
      this.texts.forEach((nodes, row) => row.querySelector(".fig-text").replaceChildren(...nodes));
      this.captions.style.minHeight = "";
      this.figure.panel.replaceChildren(...this.invitation);
      this.figure.panel.querySelector("button").focus();
      this.figure.userGo(this.at);
    }

    // Captions hold times: those of rungs not revealed say something else meanwhile.
    #hide() {
      this.figure.steps.forEach(({ row }, place) => {
        const text = row.querySelector(".fig-text");
        const left = this.hidden.length;
        const rung = this.rungs[place];
        if (rung ? this.revealed.has(place) : !left) text.replaceChildren(...this.texts.get(row));
        else if (rung) text.textContent = `Rung ${place + 1}: ${rung.idea}. Its times are hidden until you reveal them.`;
        else text.textContent = `The times of ${left} ${left === 1 ? "rung is" : "rungs are"} hidden until you reveal them.`;
      });
    }

    #show(by = null) {
      const guess = this.guesses.get(this.at);
      const all = this.at >= this.rungs.length;
      for (const control of [this.slider, this.number]) control.disabled = !this.open;
      const along = guess ? (Math.log10(guess) - this.range[0]) / (this.range[1] - this.range[0]) : 0.5;
      this.slider.value = along * STEPS;
      this.slider.setAttribute("aria-valuetext", guess ? time(guess) : "no guess yet");
      if (by !== this.number) this.number.value = guess ?? "";
      this.act.textContent = this.open ? "Reveal" : all ? (this.hidden.length ? "Reveal all" : "Done") : "Next rung";
      this.said.textContent = all ? this.#summary() : this.open ? this.#ask(guess) : this.#told(guess);
    }

    #ask(guess) {
      const { title } = this.figure.step;
      if (guess) return `${title}: change your guess, or reveal the recording.`; // the controls say the guess itself
      return `${title}: guess by the slider, by the number, or by a click in the picture.`;
    }

    #told(guess) {
      const { us, told, why } = this.rungs[this.at];
      if (!us) return `No cold time is recorded: ${why}.`;
      if (guess) return verdict(guess, us, told);
      return this.at ? `Recorded: ${told}. You made no guess.` : `Given: ${told}.`;
    }

    #summary() {
      if (!this.pairs.length) return "No guess has its recording beside it yet.";
      const off = three(distance(this.pairs));
      return `${this.pairs.length} guessed. Usually a guess and its recording were ${off} times apart (the geometric mean).`;
    }

    // The step's picture without what is hidden; guesses hollow, and a dotted line from each to its recording.
    picture() {
      const { spec, key, at } = this.figure;
      const step = spec.sequences[key][at];
      const hidden = new Set(this.hidden.map((place) => place + 1));
      const marks = [...this.guesses].filter(([place]) => place <= at);
      const joined = marks.filter(([place]) => this.revealed.has(place) && this.rungs[place].us);
      const line = { x: joined.flatMap(([place, guess]) => [guess, this.rungs[place].us, null]), y: joined.flatMap(([place]) => [place + 1, place + 1, null]) };
      const mark = {
        x: marks.map(([, guess]) => guess),
        y: marks.map(([place]) => place + 1),
        hovertext: marks.map(([place, guess]) => `your guess for rung ${place + 1}: ${time(guess)}`),
      };
      const own = this.guesses.get(at);
      const word = { x: own ? [own] : [], y: own ? [at + 1] : [], text: own ? ["your guess"] : [] };
      return {
        data: [
          ...step.data.map((trace) => without(trace, hidden)),
          { type: "scatter", mode: "lines", hoverinfo: "skip", line: { color: "@ink", width: 1, dash: "dot" }, ...line },
          { type: "scatter", mode: "markers", hoverinfo: "text", marker: { symbol: "diamond", size: 11, color: "@paper", line: { width: 2, color: "@ink" } }, cliponaxis: false, ...mark },
          { type: "scatter", mode: "text", hoverinfo: "skip", textposition: "top center", textfont: { color: "@ink", size: 12 }, cliponaxis: false, ...word },
        ],
        traces: [...step.traces, spec.data.length, spec.data.length + 1, spec.data.length + 2],
      };
    }
  }

  window.Rungbook.drivers[DRIVER] = { connect: invite, state, verdict, distance, without };
  for (const panel of document.querySelectorAll(`.fig-panel[data-driver="${DRIVER}"]`)) invite(panel.closest("rb-figure"));
})();
