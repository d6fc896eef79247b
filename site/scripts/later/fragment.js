// Which cells of a tensor-core instruction are the chosen thread's? The steps of publisher/figures/fragment.py for any thread.
(() => {
  "use strict";
  const OVERLAYS = [4, 5, 6, 7]; // traces: strips, the thread's cells, cells that meet, threads
  const PAD = { columns: 4, width: 3, height: 1.9 };
  const THICK = 0.92;
  const chosen = new WeakMap(); // figure -> thread

  const distinct = (numbers) => [...new Set(numbers)];
  const round = (value) => Math.round(value * 100) / 100;
  const listed = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);
  const count = (number, one) => `${number}\u00a0${one}${number === 1 ? "" : "s"}`;
  const threads = (owners) => (distinct(owners).length === 1 ? `thread ${owners[0]}` : `threads ${listed(distinct(owners).map(String))}`);
  const cell = (grid, place) => `${grid.name.toUpperCase()}[${Math.floor(place / grid.columns)}][${place % grid.columns}]`;
  const register = (grid, place) => `${grid.prefix}${grid.register[place]}`;

  // A thread's places in a matrix, by register and half.
  function held(grid, lane) {
    const places = grid.owner.map((owner, place) => (owner === lane ? place : -1)).filter((place) => place >= 0);
    return places.sort((p, q) => grid.register[p] - grid.register[q] || grid.half[p] - grid.half[q]);
  }

  // The same, those of one register together where they are neighbours.
  function pieces(grid, lane) {
    const found = [];
    for (const place of held(grid, lane)) {
      const last = found.at(-1)?.at(-1);
      const near = place - last === grid.columns || (place - last === 1 && place % grid.columns > 0);
      if (near && grid.register[last] === grid.register[place]) found.at(-1).push(place);
      else found.push([place]);
    }
    return found;
  }

  // The places of A and B that meet at k for the thread's cells of D.
  function meeting([a, b, d], lane, k) {
    const mine = held(d, lane);
    const rows = distinct(mine.map((place) => Math.floor(place / d.columns)));
    const columns = distinct(mine.map((place) => place % d.columns));
    return { rows, columns, ofA: rows.map((row) => row * a.columns + k), ofB: columns.map((column) => k * b.columns + column) };
  }

  function frame({ matrices }, lane, slug) {
    const [a, b, d] = matrices;
    const [kind, what] = slug.split("_");
    let shown = [d];
    let strips = [];
    let meet = [];
    if (kind === "hold") {
      shown = matrices.slice(0, "abd".indexOf(what) + 1);
    } else {
      const k = Number(what.slice(1));
      const { rows, columns, ofA, ofB } = meeting(matrices, lane, k);
      for (const row of rows) strips.push([a.x, a.y + row, a.columns, THICK, "@q1"], [a.x, a.y + row, k, THICK, "@q3"]);
      for (const column of columns) strips.push([b.x + column, b.y, THICK, b.rows, "@q1"], [b.x + column, b.y, THICK, k, "@q3"]);
      meet = [...ofA.map((place) => [a, [place]]), ...ofB.map((place) => [b, [place]])];
    }
    strips = strips.filter(([, , w, h]) => w && h);
    const mine = shown.flatMap((grid) => pieces(grid, lane).map((places) => [grid, places]));
    const lent = meet.map(([grid, [place]]) => grid.owner[place]);
    const others = distinct(lent).filter((other) => other !== lane);
    return [
      {
        x: strips.map(([x, , w]) => (w === THICK ? x : x + (w - 1) / 2)),
        base: strips.map(([, y, , h]) => round(y - (h === THICK ? h / 2 : 0.5))),
        y: strips.map(([, , , h]) => h),
        width: strips.map(([, , w]) => w),
        marker: { color: strips.map((strip) => strip[4]) },
      },
      marked(mine, mine.map(([grid, [place]]) => register(grid, place))),
      marked(meet, lent.map(String)),
      pad([...others, lane], lane),
    ];
  }

  // A bar for each piece: a cell, or the neighbours that one register holds.
  function marked(chosen, text) {
    const at = (grid, place) => [grid.x + (place % grid.columns), grid.y + Math.floor(place / grid.columns)];
    const ends = chosen.map(([grid, places]) => [at(grid, places[0]), at(grid, places.at(-1))]);
    return {
      x: ends.map(([first, last]) => round((first[0] + last[0]) / 2)),
      base: ends.map(([first]) => round(first[1] - THICK / 2)),
      y: ends.map(([first, last]) => round(last[1] - first[1] + THICK)),
      width: ends.map(([first, last]) => round(last[0] - first[0] + THICK)),
      marker: { color: chosen.map(([grid]) => grid.color) },
      text,
    };
  }

  function pad(lanes, chosenLane) {
    return {
      x: lanes.map((lane) => (lane % PAD.columns) * PAD.width + (PAD.width - 1) / 2),
      base: lanes.map((lane) => round(Math.floor(lane / PAD.columns) * PAD.height - 0.5)),
      y: lanes.map(() => PAD.height - 0.12),
      marker: { color: lanes.map((lane) => (lane === chosenLane ? "@accent" : "@q3")) },
      text: lanes.map(String),
      textfont: { color: lanes.map((lane) => (lane === chosenLane ? "@paper" : "@ink")) },
    };
  }

  function caption({ matrices, verdict }, lane, slug) {
    const [a, b, d] = matrices;
    const [kind, what] = slug.split("_");
    if (kind === "hold") return holdCaption(matrices["abd".indexOf(what)], lane, verdict);
    const k = Number(what.slice(1));
    const { ofA, ofB } = meeting(matrices, lane, k);
    let text = `To its ${held(d, lane).length} cells of D thread ${lane} adds the products of ${listed(ofA.map((p) => cell(a, p)))} with ${listed(ofB.map((p) => cell(b, p)))}. `;
    text += `The A cells are held by ${threads(ofA.map((p) => a.owner[p]))}, the B cells by ${threads(ofB.map((p) => b.owner[p]))}.`;
    if (k === 0) text += " A marked cell of A or B names the thread that holds it. Walking through k is a way to read the product; the hardware's own order is not recorded.";
    if (k === a.columns - 1) text += ` That completes the sums of ${a.columns} products each, in one instruction for the whole warp.`;
    return text;
  }

  function holdCaption(grid, lane, verdict) {
    const places = held(grid, lane);
    const names = distinct(places.map((place) => register(grid, place)));
    const each = names.length < places.length ? "two 16-bit values in each, the lower half named first" : "one 32-bit value in each";
    const told = names.map((name) => `\`${name}\` ${places.filter((p) => register(grid, p) === name).map((p) => cell(grid, p)).join(" and ")}`);
    const amount = `${count(places.length, "cell")} of ${grid.name.toUpperCase()} in ${count(names.length, "register")}`;
    const text = `Thread ${lane} holds ${amount}, ${each}: ${told.join("; ")}.`;
    return grid.name === "a" ? `${text} The map was found by a probe on the card, one cell after the other. ${verdict}` : text;
  }

  // ---- the page --------------------------------------------------------------------------------------------------

  function connect(figure) {
    const { driverData } = figure.spec;
    const last = driverData.lanes - 1;
    const number = input("number", last);
    const slider = input("range", last);
    const label = document.createElement("label");
    label.append("Thread ", number);
    slider.setAttribute("aria-label", "Thread");
    Object.assign(slider.style, { flex: "1 1 6rem", maxWidth: "14rem" }); // beside the number even on a phone
    const hint = document.createElement("span");
    hint.textContent = "or point at any cell";
    figure.panel.classList.add("fragment-panel");
    figure.panel.append(label, slider, hint);

    function choose(lane) {
      chosen.set(figure, lane);
      number.value = slider.value = lane;
      for (const { slug } of figure.steps) tell(figure, slug, caption(driverData, lane, slug));
    }
    function userChoose(lane) {
      if (!Number.isInteger(lane) || lane < 0 || lane > last || lane === chosen.get(figure)) return;
      choose(lane);
      figure.userGo(figure.at);
    }
    for (const control of [number, slider]) control.addEventListener("input", () => control.value && userChoose(Number(control.value)));
    number.addEventListener("change", () => (number.value = chosen.get(figure)));
    figure.addEventListener("rungbook:point", (event) => {
      if (!event.detail.keep || !event.detail.keys.length) return;
      event.stopPropagation(); // a click chooses here; elsewhere it would light the cell alone and dim all others
      userChoose(owner(driverData, event.detail.keys[0]));
    });
    figure.query = {
      get text() {
        return chosen.get(figure) ? `thread=${chosen.get(figure)}` : "";
      },
      read(text) {
        const lane = Number(new URLSearchParams(text).get("thread") ?? NaN);
        if (Number.isInteger(lane) && lane >= 0 && lane <= last && lane !== chosen.get(figure)) choose(lane);
      },
    };
    chosen.set(figure, 0);
  }

  function input(type, last) {
    const made = document.createElement("input");
    Object.assign(made, { type, min: 0, max: last, step: 1, value: 0 });
    return made;
  }

  function tell(figure, slug, text) {
    const place = document.getElementById(`${figure.id}/${slug}`)?.querySelector(".fig-text");
    if (!place) return;
    place.replaceChildren();
    window.Rungbook.appendText(place, text);
  }

  // The thread that a point of the picture belongs to: "machine.fragment.a.3.4" is a cell, "machine.fragment.lane.5" a thread.
  function owner({ matrices }, key) {
    const [name, first, second] = key.split(".").slice(2);
    if (name === "lane") return Number(first);
    const grid = matrices.find((one) => one.name === name);
    return grid ? grid.owner[Number(first) * grid.columns + Number(second)] : NaN;
  }

  function state(figure) {
    const lane = chosen.get(figure) ?? 0;
    return lane ? { data: frame(figure.spec.driverData, lane, figure.step.slug), traces: OVERLAYS } : null;
  }

  window.Rungbook.drivers.fragment = { connect, state, frame, caption };
})();
