// How does a keyboard reach the data of a figure? Up and down go from datum to datum, Enter keeps one, Escape lets go.
(() => {
  "use strict";
  const places = new WeakMap(); // figure -> the datum that the keyboard is on

  // Every point that a recording stands behind, in the order in which the picture draws them.
  function points({ plot }) {
    const shown = (plot.live._fullData ?? []).filter((trace) => trace.visible === true && trace.ids?.length);
    return shown.flatMap((trace) => Array.from(trace.ids, (id, point) => ({ id, curveNumber: trace.index, pointNumber: point })).filter(({ id }) => id));
  }

  // What Plotly writes beside the datum is what is read out.
  function show(figure, { id, curveNumber, pointNumber }) {
    const { live, Plotly } = figure.plot;
    Plotly.Fx.hover(live, [{ curveNumber, pointNumber }]);
    figure.plot.light([id]);
    const label = [...live.querySelectorAll(".hoverlayer .hovertext text")].map((text) => [...text.querySelectorAll("tspan.line")].map((line) => line.textContent).join(", ") || text.textContent);
    figure.say(label.filter(Boolean).join("; ") || id);
  }

  function tell(figure, keys, keep) {
    figure.dispatchEvent(new CustomEvent("rungbook:point", { bubbles: true, detail: { keys, keep } }));
  }

  async function move(figure, way) {
    await figure.wake();
    const all = points(figure);
    if (!all.length) return figure.say("This picture has no single data to point at; its table stands below.");
    const id = places.get(figure);
    const at = all.findIndex((point) => point.id === id);
    const next = all[at < 0 ? (way > 0 ? 0 : all.length - 1) : (at + way + all.length) % all.length];
    places.set(figure, next.id);
    show(figure, next);
    tell(figure, [next.id], false);
  }

  function leave(figure) {
    if (!places.delete(figure)) return;
    figure.plot.Plotly?.Fx.unhover(figure.plot.live);
    figure.plot.light([]);
    tell(figure, [], false);
  }

  document.addEventListener("keydown", (event) => {
    const figure = event.target.matches?.(".fig-plot") && event.target.closest("rb-figure");
    if (!figure?.plot || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(figure, event.key === "ArrowDown" ? 1 : -1).catch(() => {});
    else if (event.key === "Enter" && places.has(figure)) tell(figure, [places.get(figure)], true);
    else if (event.key === "Escape") return leave(figure);
    else return;
    event.preventDefault();
  });
  document.addEventListener("focusout", (event) => {
    if (event.target.matches?.(".fig-plot")) leave(event.target.closest("rb-figure"));
  });
})();
