// How does a keyboard reach the data of a figure? Up and down go from datum to datum, Enter keeps one, Escape lets go.
(() => {
  "use strict";
  const places = new WeakMap(); // figure -> the datum that the keyboard is on

  // Every datum that a recording stands behind, once, in the order in which the picture draws them.
  function points({ plot }) {
    const found = new Map();
    for (const trace of plot.live._fullData ?? []) {
      if (trace.visible !== true || trace.hoverinfo === "skip") continue;
      const there = (place) => (trace.x[place] ?? null) !== null && (trace.y[place] ?? null) !== null;
      Array.from(trace.ids ?? [], (id, place) => id && there(place) && !found.has(id) && found.set(id, { id, trace, place }));
    }
    return [...found.values()];
  }

  // What the figure writes beside a datum that is pointed at; Plotly itself writes it only a moment later.
  function label({ trace, place }) {
    const at = (value) => (Array.isArray(value) ? value[place] : value);
    const filled = at(trace.hovertemplate)?.replace(/%\{customdata\[(\d+)\]\}/g, (_, part) => at(trace.customdata)[part]);
    const said = filled || at(trace.hovertext) || at(trace.text) || `${trace.name} ${at(trace.orientation === "h" ? trace.x : trace.y)}`;
    return said.replace(/<extra>.*?<\/extra>/, "").replace(/<br>/g, ", ").replace(/<[^>]*>/g, "").trim();
  }

  function show(figure, point) {
    const { live, Plotly } = figure.plot;
    const { index, xaxis, yaxis } = point.trace;
    Plotly.Fx.hover(live, [{ curveNumber: index, pointNumber: point.place }], xaxis + yaxis);
    figure.plot.light([point.id]);
    figure.say(label(point));
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
    tell(figure, [], false);
  }

  document.addEventListener("keydown", (event) => {
    const figure = event.target.matches?.(".fig-plot") && event.target.closest("rb-figure");
    if (!figure || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
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
