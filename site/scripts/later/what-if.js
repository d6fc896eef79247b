// What if the tiles, the split or the card were other ones? The launch rule of publisher/figures/kit/launch_rule.py under three sliders.
//
// It is derived and says so; it predicts no time, and the recorded steps of the figure stay as they are.
(() => {
  "use strict";
  const DRIVER = "what-if";
  const TITLE = "What if the launch were another?"; // one line at 320 px: the panel reserves no more

  const count = (number, one) => `${number.toLocaleString("en")}\u00a0${one}${number === 1 ? "" : "s"}`;

  // Blocks go to SMs that have none first; where more blocks than places are left, they wait for the next wave.
  function rule({ rows, tile, split, sms, per }) {
    const blocks = Math.ceil(rows / tile) * split;
    const places = sms * per;
    const waves = Math.ceil(blocks / places);
    const last = blocks - (waves - 1) * places;
    const busy = Math.min(last, sms);
    return { blocks, lit: Math.min(blocks, sms), waves, last, idle: sms - busy, tail: 1 - busy / sms };
  }

  // Blocks of an SM in the last wave: as even as they can be.
  const share = (last, sms, place) => Math.floor(last / sms) + (place < last % sms ? 1 : 0);

  const idleText = ({ idle, tail }) => `${idle} (${Math.round(100 * tail)}\u00a0%)`;

  function sentence({ sms, per }, { blocks, lit, waves, last, idle, tail }) {
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
      this.own = null; // the reader's values, once there are any
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

    get values() {
      const { tile, split, sms } = this.own ?? this.recorded;
      return { rows: this.data.rows, tile, split, sms, per: this.recorded.per };
    }

    // For links: what follows the "?".
    get text() {
      return this.own && this.fold.open ? new URLSearchParams(this.own).toString() : "";
    }

    // A part that is absent or impossible is the recorded one.
    read(text) {
      const asked = new URLSearchParams(text);
      const found = {};
      for (const { name, values } of this.sliders) if (values.includes(Number(asked.get(name)))) found[name] = Number(asked.get(name));
      if (!Object.keys(found).length) return;
      const { tile, split, sms } = this.recorded;
      this.own = { tile, split, sms, ...found };
      this.fold.open = true;
      this.show();
    }

    #build() {
      const { tiles, splits, most, of } = this.data;
      const id = (name) => `${this.figure.id}-${name}`;
      this.sliders = [
        { name: "tile", label: `Rows of ${of} a tile`, values: tiles },
        { name: "split", label: "Split: blocks a tile", values: splits },
        { name: "sms", label: "SMs of the card", values: Array.from({ length: most }, (_, place) => place + 1) },
      ];
      const rows = this.sliders.map((slider) => {
        slider.input = Object.assign(element("input"), { type: "range", min: 0, max: slider.values.length - 1, step: 1, id: id(slider.name) });
        slider.input.addEventListener("input", () => this.#choose(slider));
        slider.input.addEventListener("change", () => this.#remember());
        slider.output = element("output");
        slider.output.htmlFor = slider.input.id;
        slider.output.setAttribute("aria-live", "off"); // the slider itself says its value
        slider.recorded = element("span", "what-if-recorded");
        const label = element("label", "", slider.label);
        label.htmlFor = slider.input.id;
        return element("div", "what-if-row", label, slider.input, slider.output, slider.recorded);
      });
      this.said = element("output", "what-if-said");
      this.rule = element("p");
      this.cells = Array.from({ length: most }, () => element("i"));
      this.grid = element("div", "what-if-sms", ...this.cells);
      this.grid.setAttribute("role", "img");
      this.reset = element("button", "", "Back to the recorded launch");
      this.reset.type = "button";
      this.reset.addEventListener("click", () => {
        this.own = null;
        this.sliders[0].input.focus(); // the button is about to be disabled
        this.show();
        this.#remember();
      });
      const says = element("p", "", element("b", "", "What if: computed from the launch rule, not recorded."), " It predicts no time.");
      const head = element("p", "what-if-head", "The SMs in the last wave, and how many blocks each has:");
      this.fold.append(says, ...rows, this.reset, this.said, this.#table(), head, this.grid, this.rule);
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
      const { tile, split, sms } = this.values;
      this.own = { tile, split, sms, [name]: values[Number(input.value)] };
      this.show();
    }

    #remember() {
      this.figure.player.pause();
      window.Rungbook.remember?.(this.figure.link);
    }

    show() {
      const { recorded, values } = this;
      for (const { name, values: all, input, output, recorded: place, label } of this.sliders) {
        input.value = all.indexOf(values[name]);
        input.setAttribute("aria-valuetext", `${values[name]}; recorded ${recorded[name]}`);
        output.value = values[name];
        place.textContent = `recorded ${recorded[name]}`;
        place.classList.toggle("is-other", values[name] !== recorded[name]);
      }
      const here = rule(values);
      const there = rule({ ...values, ...recorded, rows: values.rows });
      const columns = [{ ...there, blocks: recorded.blocks, lit: recorded.lit }, here];
      columns.forEach((one, column) => {
        const told = [one.blocks, one.lit, one.waves, one.last].map((number) => number.toLocaleString("en"));
        [...told, idleText(one)].forEach((text, row) => (this.lines[row].cells[column + 1].textContent = text));
      });
      this.columns[0].textContent = recorded.name;
      this.said.value = sentence(values, here);
      this.grid.setAttribute("aria-label", this.said.value);
      this.cells.forEach((cell, place) => {
        const number = place < values.sms ? share(here.last, values.sms, place) : 0;
        cell.dataset.n = place < values.sms ? Math.min(number, 4) : "none";
        cell.textContent = number || "";
      });
      this.rule.textContent = `The rule: a block for each tile and each part of the split; an SM holds ${count(values.per, "block")} at once, as recorded for ${recorded.name}, though another tile or card may change that. Blocks and SMs with work of ${recorded.name} are recorded; all else in the table is computed.`;
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
    sentence,
  };
  for (const panel of document.querySelectorAll(`.fig-panel[data-driver="${DRIVER}"]`)) invite(panel.closest("rb-figure"));
})();
