// What is the picture of a step? Pure functions: base and overrides to a whole spec, names to colours.
(() => {
  "use strict";
  const TOKEN = /@(ink|muted|grid|surface|paper|accent|cold|warm|load|math|store|barrier|s[1-8]|q[0-8])\b/g;
  const NARROW = 520;
  const COMMON = {
    autosize: false,
    dragmode: false, // a drag is the page's scroll
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: "@ink" },
    hoverlabel: { bgcolor: "@paper", bordercolor: "@muted", font: { color: "@ink" } },
    legend: { itemclick: false, itemdoubleclick: false },
  };
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

  // A new object; arrays are replaced whole, and "a.b" reaches into a. Neither argument is changed.
  function merge(base, over) {
    const result = { ...base };
    for (const [path, value] of Object.entries(over ?? {})) {
      const dot = path.indexOf(".");
      if (dot > 0) {
        const head = path.slice(0, dot);
        result[head] = merge(isObject(result[head]) ? result[head] : {}, { [path.slice(dot + 1)]: value });
      } else if (isObject(value)) {
        result[path] = merge(isObject(result[path]) ? result[path] : {}, value);
      } else {
        result[path] = value;
      }
    }
    return result;
  }

  function mergeTraces(data, over, traces) {
    const result = [...data];
    (over ?? []).forEach((trace, place) => {
      const target = traces?.length ? traces[place] : place;
      result[target] = merge(result[target] ?? {}, trace);
    });
    return result;
  }

  // Each state is whole over the base: a step never depends on the step before it.
  function compose(spec, step, { narrow = false, driven = null } = {}) {
    let data = mergeTraces(spec.data, step.data, step.traces);
    let layout = merge(spec.layout, narrow ? spec.narrow : {});
    layout = merge(layout, step.layout);
    if (driven) {
      data = mergeTraces(data, driven.data, driven.traces);
      layout = merge(layout, driven.layout);
    }
    return { data, layout };
  }

  // Plotly outlines markers of several sizes in white and lets them shine through, unless told otherwise.
  function plain(trace) {
    return trace.marker && trace.type !== "bar" ? merge({ marker: { opacity: 1, line: { width: 0 } } }, trace) : trace;
  }

  // The whole picture at a width: size, fonts and colours by name that every figure shares, the spec's own over them.
  function prepare(spec, step, { width, family, driven = null }) {
    const narrow = width < NARROW;
    const { data, layout } = compose(spec, step, { narrow, driven });
    const height = narrow ? spec.narrowHeight : spec.height;
    const page = { font: { family }, hoverlabel: { font: { family } }, width, height };
    return { data: data.map(plain), layout: merge(merge(COMMON, layout), page) };
  }

  // A deep copy with every token replaced: Plotly may then write into it as it likes. Arrays of plain values, which it
  // only reads, are copied once while `kept` lives, so that Plotly sees by identity which of them a step leaves alone.
  function coloured(value, colour, kept) {
    if (typeof value === "string") return value.includes("@") ? value.replace(TOKEN, (_, token) => colour(token)) : value;
    if (Array.isArray(value)) {
      if (kept.has(value)) return kept.get(value);
      const copy = value.map((item) => coloured(item, colour, kept));
      if (!value.some((item) => typeof item === "object" && item !== null)) kept.set(value, copy);
      return copy;
    }
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, coloured(item, colour, kept)]));
  }

  window.Rungbook.state = { prepare, coloured };
})();
