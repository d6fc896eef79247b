// What of Plotly's drawing is worth keeping in a page? Run in Chromium by stills.py: the drawn figure as one small SVG.
// `tokens[n]` is the name of the colour that was drawn as rgb(201, 7, n).
(figure, tokens) => {
  "use strict";
  const KEEP = new Set(["d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "points", "transform",
    "text-anchor", "clip-path", "dy", "dx"]);
  const STYLE = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "opacity",
    "font-size", "font-weight", "font-style", "text-anchor", "display", "shape-rendering"];
  const DEFAULT = { "fill-opacity": "1", "stroke-opacity": "1", opacity: "1", "stroke-dasharray": "none", "font-weight": "normal",
    "font-style": "normal", "text-anchor": "start", "shape-rendering": "auto" };
  const TEXT = new Set(["font-size", "font-weight", "font-style", "text-anchor"]);
  const papers = [...figure.querySelectorAll(".fig-live .main-svg")];
  const clips = new Map();

  const round = (text) => text.replace(/-?\d*\.\d+(e-?\d+)?/g, (number) => String(Math.round(Number(number) * 10) / 10));
  const named = (text) => text.replace(/rgba?\(201, 7, (\d+)(?:, [\d.]+)?\)/g, (_, place) => `var(--fig-${tokens[place]})`);
  const clipName = (text) => {
    const id = text.match(/#([^'")]+)/)[1];
    if (!clips.has(id)) clips.set(id, `{{id}}${clips.size}`);
    return clips.get(id);
  };

  // Only what is seen: a stroke without width and a fill without opacity are none.
  function style(element) {
    const rules = new Map();
    const isText = element.closest("text") !== null;
    for (const name of STYLE) {
      if (TEXT.has(name) && !isText) continue;
      let value = element.style.getPropertyValue(name) || element.getAttribute(name) || "";
      if (name === "shape-rendering" && !value && element.classList.contains("crisp")) value = "crispEdges";
      if (value && value !== DEFAULT[name]) rules.set(name, named(round(value)).replaceAll('"', "'"));
    }
    const clear = (value) => /^rgba\(.*, 0\)$/.test(value ?? "");
    if (/^0(px)?$/.test(rules.get("stroke-width") ?? "") || rules.get("stroke-opacity") === "0" || clear(rules.get("stroke"))) {
      for (const name of ["stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"]) rules.delete(name);
    }
    if (rules.get("fill-opacity") === "0" || clear(rules.get("fill"))) {
      rules.set("fill", "none");
      rules.delete("fill-opacity");
    }
    return rules;
  }

  const text = (rules) => [...rules].map(([name, value]) => `${name}:${value}`).join(";");

  function unseen(made, rules) {
    if (["g", "text", "tspan"].includes(made.localName)) return !made.childNodes.length;
    if (made.localName === "path" && !made.hasAttribute("d")) return true;
    if (made.localName === "rect" && (made.getAttribute("width") === "0" || made.getAttribute("height") === "0")) return true;
    return rules.get("fill") === "none" && !rules.has("stroke");
  }

  function copy(element) {
    if (element.nodeType === Node.TEXT_NODE) return document.createTextNode(element.data);
    const drop = ".draglayer, .hoverlayer, .zoomlayer, .modebar-container, clipPath, .drag, defs, .menulayer";
    if (element.nodeType !== Node.ELEMENT_NODE || element.matches(drop)) return null;
    if (element.style.display === "none" || element.style.visibility === "hidden") return null;
    const made = document.createElementNS("http://www.w3.org/2000/svg", element.localName);
    for (const { name, value } of element.attributes) {
      if (!KEEP.has(name)) continue;
      if (name === "clip-path") made.setAttribute(name, `url(#${clipName(value)})`);
      else if (!(name === "transform" && /^(translate\(0,0\))?$/.test(value))) made.setAttribute(name, round(value));
    }
    const rules = style(element);
    if (rules.size) made.setAttribute("style", text(rules));
    if (element.classList.contains("point")) {
      made.setAttribute("class", "point");
      if (element.__data__?.id) made.setAttribute("data-id", element.__data__.id);
    }
    for (const child of element.childNodes) {
      const inner = copy(child);
      if (inner) made.append(inner);
    }
    return unseen(made, rules) ? null : lift(made);
  }

  // A group without a say of its own makes way for its only child.
  function lift(made) {
    const plain = made.localName === "g" && !made.attributes.length && made.childNodes.length === 1;
    return plain ? made.firstChild : made;
  }

  const bodies = papers.flatMap((paper) => [...paper.children].map(copy)).filter(Boolean);
  const size = papers[0];
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${size.getAttribute("width")} ${size.getAttribute("height")}`);
  for (const [id, name] of clips) {
    const rect = document.getElementById(id)?.querySelector("rect");
    if (!rect) continue;
    const clip = document.createElementNS(svg.namespaceURI, "clipPath");
    const shape = document.createElementNS(svg.namespaceURI, "rect");
    clip.id = name;
    for (const side of ["x", "y", "width", "height"]) if (rect.hasAttribute(side)) shape.setAttribute(side, round(rect.getAttribute(side)));
    clip.append(shape);
    svg.append(clip);
  }
  svg.append(...bodies);
  const whole = new XMLSerializer().serializeToString(svg);
  const stray = whole.match(/<[^>]*rgba?\([^>]*>/g) ?? [];
  return { svg: whole.replace(' xmlns="http://www.w3.org/2000/svg"', ""), stray: [...new Set(stray)] };
};
