// What if the launch or the card were another? The launch rule of publisher/figures/kit/launch_rule.py under a few sliders.
//
// The sliders are the constants that the ladder lets a reader turn, and the SMs of the card. How many blocks a launch has
// is looked up in a table of the recording (publisher/figures/kit/what_if.py); the rest is derived and says so. It
// predicts no time, and the recorded steps of the figure stay as they are.
(() => {
  "use strict";
  const DRIVER = "what-if";
  const SMS = "card-sms"; // no constant has such a name
  const TITLE = "What if the launch were another?"; // one line at 320 px: the panel reserves no more

  const count = (number, one) => `${number.toLocaleString("en")}\u00a0${one}${number === 1 ? "" : "s"}`;

  // The table turns the last choice fastest; 0: the rung does not accept these values.
  const blocksAt = ({ choices, table }, values) =>
    table[choices.reduce((place, { name, values: all }) => place * all.length + all.indexOf(values[name]), 0)];

  // The recorded value, or where it is none of those to choose from, the nearest of them.
  const nearest = (values, recorded) => values.reduce((best, value) => (Math.abs(value - recorded) < Math.abs(best - recorded) ? value : best));

  // Blocks go to SMs that have none first; where more blocks than places are left, they wait for the next wave.
  function rule({ blocks, sms, per }) {
    const places = sms * per;
    const waves = Math.ceil(blocks / places);
    const last = blocks - (waves - 1) * places;
    const busy = Math.min(last, sms);
    return { blocks, lit: Math.min(blocks, sms), waves, last, idle: sms - busy, tail: 1 - busy / sms };
  }

  // Blocks of an SM in the last wave: as even as they can be.
  const share = (last, sms, place) => Math.floor(last / sms) + (place < last % sms ? 1 : 0);

  const idleText = ({ idle, tail }) => `${idle} (${Math.round(100 * tail)}\u00a0%)`;

  function sentence(sms, per, { blocks, lit, waves, last, idle, tail }) {
    const first = `${count(blocks, "block")} on ${count(sms, "SM")} that each hold ${per} at once: ${count(waves, "wave")}, ${lit === sms ? "all SMs have" : `${count(lit, "SM")} ${lit === 1 ? "has" : "have"}`} work.`;
    if (!idle) return `${first} In the last wave, of ${count(last, "block")}, no SM stands idle.`;
    return `${first} In the last wave, of ${count(last, "block")}, ${count(idle, "SM")} ${idle === 1 ? "stands" : "stand"} idle: ${Math.round(100 * tail)}\u00a0%.`;
  }

  // ---- the page --------------------------------------------------------------------------------------------------

  function element(name, className, ...inside) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...inside);
    return made;
  }

  // The closed fold, which needs no data: it stands there before anyone asks, in the room that the panel keeps.
  function invite(figure) {
    if (figure.panel.firstElementChild) return;
    const fold = element("details", "what-if", element("summary", "", TITLE));
    fold.addEventListener("toggle", () => fold.open && figure.ready().catch(() => figure.wake())); // drawing says what failed
    figure.panel.append(fold);
  }

  class WhatIf {
    constructor(figure) {
      this.figure = figure;
      this.data = figure.spec.driverData;
      this.fold = figure.panel.firstElementChild;
      this.own = null; // the reader's values by name, once there are any
      this.#build();
      figure.addEventListener("rungbook:step", () => this.show());
      this.fold.addEventListener("toggle", () => this.own && this.#remember());
      figure.query = this;
      this.show();
    }

    // The recorded launch of the step's rung; of the first where steps are not rungs.
    get recorded() {
      const { settings } = this.data;
      return settings[this.figure.step.slug] ?? Object.values(settings)[0];
    }

    // By the name of each slider.
    get values() {
      return Object.fromEntries(this.sliders.map(({ name, values, start }) => [name, values.includes(this.own?.[name]) ? this.own[name] : start]));
    }

    // For links: what follows the "?".
    get text() {
      return this.own && this.fold.open ? new URLSearchParams(this.values).toString() : "";
    }

    // A part that is absent or impossible is where the slider starts.
    read(text) {
      this.#arrange();
      const asked = new URLSearchParams(text);
      const found = this.sliders.map(({ name, values }) => [name, values.find((value) => String(value) === asked.get(name))]).filter(([, value]) => value !== undefined);
      if (!found.length) return;
      this.own = null;
      this.own = { ...this.values, ...Object.fromEntries(found) };
      this.fold.open = true;
      this.show();
    }

    #build() {
      this.rows = element("div");
      this.said = element("output", "what-if-said");
      this.rule = element("p");
      this.cells = Array.from({ length: this.data.most }, () => element("i"));
      this.grid = element("div", "what-if-sms", ...this.cells);
      this.grid.setAttribute("role", "img");
      this.reset = element("button");
      this.reset.type = "button";
      this.reset.addEventListener("click", () => {
        this.own = null;
        this.sliders[0].input.focus(); // the button is about to be disabled
        this.show();
        this.#remember();
      });
      const says = element("p", "", element("b", "", "What if: computed from the launch rule, not recorded."), " It predicts no time.");
      const head = element("p", "what-if-head", "The SMs in the last wave, and how many blocks each has:");
      this.last = element("div", "", head, this.grid);
      this.fold.append(says, this.rows, this.reset, this.said, this.#table(), this.last, this.rule);
    }

    // The sliders of the step's rung: others have other choices.
    #arrange() {
      const { recorded, data } = this;
      if (recorded === this.arranged) return;
      this.arranged = recorded;
      const held = this.sliders?.find(({ input }) => input === document.activeElement)?.name;
      const card = { name: SMS, title: "SMs of the card", values: Array.from({ length: data.most }, (_, place) => place + 1), recorded: recorded.sms };
      this.sliders = [...recorded.choices, card].map((choice) => this.#slider(choice));
      this.rows.replaceChildren(...this.sliders.map(({ row }) => row));
      this.sliders.find(({ name }) => name === held)?.input.focus({ preventScroll: true });
      const same = this.sliders.every(({ start, recorded: there }) => start === there);
      const { name, per } = recorded;
      this.reset.textContent = same ? "Back to the recorded launch" : "Back to the start";
      this.rule.textContent = [
        same ? "" : "The recorded launch is none of those to choose from: the sliders start next to it.",
        recorded.choices.length ? `How many blocks another launch of ${name} has is what its launch rule gave when its code was recorded; none of these was run.` : "",
        `An SM holds ${count(per, "block")} at once, as recorded for ${name}, though another ${recorded.choices.length ? "launch or " : ""}card may change that.`,
        `Blocks and SMs with work of ${name} are recorded; all else in the table is computed.`,
      ].filter(Boolean).join(" ");
    }

    #slider({ name, title, values, recorded }) {
      const slider = { name, values, recorded, start: nearest(values, recorded) };
      const id = `${this.figure.id}-${name}`;
      slider.input = Object.assign(element("input"), { type: "range", min: 0, max: values.length - 1, step: 1, id });
      slider.input.addEventListener("input", () => this.#choose(slider));
      slider.input.addEventListener("change", () => this.#remember());
      slider.output = element("output");
      slider.output.htmlFor = id;
      slider.output.setAttribute("aria-live", "off"); // the slider itself says its value
      const label = element("label", "", title);
      label.htmlFor = id;
      slider.row = element("div", "what-if-row", label, slider.input, slider.output, element("span", "what-if-recorded", `recorded ${recorded}`));
      return slider;
    }

    // Each row: what, the recorded launch, the what-if. What a recording holds comes first.
    #table() {
      this.lines = ["Blocks", "SMs with work", "Waves", "Blocks in the last wave", "SMs idle in it: the tail"].map((name) => {
        const head = element("th", "", name);
        head.scope = "row";
        return element("tr", "", head, element("td"), element("td"));
      });
      this.columns = ["", "What if"].map((name) => {
        const head = element("th", "", name);
        head.scope = "col";
        return head;
      });
      const head = element("thead", "", element("tr", "", element("td"), ...this.columns));
      return element("table", "n1 n2", head, element("tbody", "", ...this.lines));
    }

    #choose({ name, values, input }) {
      this.own = { ...this.own, ...this.values, [name]: values[Number(input.value)] };
      this.show();
    }

    #remember() {
      this.figure.player.pause();
      window.Rungbook.remember?.(this.figure.link);
    }

    show() {
      this.#arrange();
      const { recorded, values } = this;
      for (const { name, values: all, input, output, recorded: there } of this.sliders) {
        input.value = all.indexOf(values[name]);
        input.setAttribute("aria-valuetext", `${values[name]}; recorded ${there}`);
        output.value = values[name];
      }
      const { per } = recorded;
      const blocks = blocksAt(recorded, values);
      const sms = values[SMS];
      const here = blocks ? rule({ blocks, sms, per }) : null;
      const there = { ...rule(recorded), lit: recorded.lit };
      [there, here].forEach((one, column) => {
        const told = one ? [one.blocks, one.lit, one.waves, one.last].map((number) => number.toLocaleString("en")) : Array(4).fill("none");
        [...told, one ? idleText(one) : "none"].forEach((text, row) => (this.lines[row].cells[column + 1].textContent = text));
      });
      this.columns[0].textContent = recorded.name;
      this.said.value = here ? sentence(sms, per, here) : `${recorded.name} does not accept these values: there is no such launch.`;
      this.grid.setAttribute("aria-label", this.said.value);
      this.last.classList.toggle("is-none", !here);
      this.cells.forEach((cell, place) => {
        const number = here && place < sms ? share(here.last, sms, place) : 0;
        cell.dataset.n = place < sms ? Math.min(number, 4) : "none";
        cell.textContent = number || "";
      });
      this.reset.disabled = !this.own;
    }
  }

  window.Rungbook.drivers[DRIVER] = {
    connect(figure) {
      invite(figure);
      new WhatIf(figure);
    },
    state: () => null,
    rule,
    blocksAt,
  };
  for (const panel of document.querySelectorAll(`.fig-panel[data-driver="${DRIVER}"]`)) invite(panel.closest("rb-figure"));
})();
