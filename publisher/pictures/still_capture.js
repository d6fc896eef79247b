// What of Plotly's drawing is worth keeping in a page? Run in Chromium by stills.py: the drawn figure as one small SVG.
// Plotly nests groups and moves deep; here every shape is moved to its place, shapes of one look become one path, and
// only what is seen stays. `tokens[n]` is the name of the colour that was drawn as rgb(201, 7, n).
(figure, tokens) => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const DROP = ".draglayer, .hoverlayer, .zoomlayer, .modebar-container, clipPath, .drag, defs, .menulayer";
  const SHAPE = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "shape-rendering"];
  const TEXT = ["fill", "fill-opacity", "font-size", "font-weight", "font-style", "text-anchor"];
  const DEFAULT = { "fill-opacity": "1", "stroke-opacity": "1", "stroke-dasharray": "none", "font-weight": "normal",
    "font-style": "normal", "text-anchor": "start", "shape-rendering": "auto" };
  const GEOMETRY = { rect: ["x", "y", "width", "height", "rx", "ry"], circle: ["cx", "cy", "r"], tspan: ["x", "y", "dx", "dy"], text: ["x", "y", "dy"] };
  const clips = new Map();

  const short = (number) => String(Math.round(Number(number) * 10) / 10);
  const named = (text) => text.replace(/rgba?\(201, 7, (\d+)(?:, [\d.]+)?\)/g, (_, place) => `var(--fig-${tokens[place]})`);

  // ---- what a shape looks like: a stroke without width and a fill without opacity are none

  function look(element, names, above) {
    const rules = new Map();
    for (const name of names) {
      let value = element.style.getPropertyValue(name) || element.getAttribute(name) || "";
      if (name === "shape-rendering" && !value && element.closest(".crisp")) value = "crispEdges";
      if (name.endsWith("opacity")) value = String(Number(value || 1) * above * Number(element.style.opacity || element.getAttribute("opacity") || 1));
      if (value && value !== DEFAULT[name]) rules.set(name, named(value).replace(/-?\d*\.\d+/g, (number) => String(+Number(number).toFixed(2))));
    }
    const clear = (value) => /^rgba\(.*, 0\)$/.test(value ?? "");
    if (/^0(px)?$/.test(rules.get("stroke-width") ?? "") || rules.get("stroke-opacity") === "0" || clear(rules.get("stroke"))) {
      for (const name of SHAPE.filter((name) => name.startsWith("stroke"))) rules.delete(name);
    }
    if (rules.get("fill-opacity") === "0" || clear(rules.get("fill"))) rules.set("fill", "none");
    if (rules.get("fill") === "none") rules.delete("fill-opacity");
    return rules;
  }

  const written = (rules) => [...rules].map(([name, value]) => `${name}:${value.replaceAll('"', "'")}`).join(";");

  // ---- where a shape is: a path moved by (x, y), capitals being absolute

  function moved(d, x, y) {
    const bar = d.match(/^M(-?[\d.]+),(-?[\d.]+)V(-?[\d.]+)H(-?[\d.]+)V\2Z$/)?.slice(1).map(Number);
    if (bar) {
      // Said relative to its corner, a cell reads like its neighbours, which a page's compression rewards.
      const [left, top, bottom, right] = [bar[0] + x, bar[1] + y, bar[2] + y, bar[3] + x].map((side) => Number(short(side)));
      return `M${left} ${top}v${short(bottom - top)}h${short(right - left)}v${short(top - bottom)}z`;
    }
    let first = true;
    return d.replace(/([a-zA-Z])([^a-zA-Z]*)/g, (_, command, rest) => {
      const numbers = rest.match(/-?\d*\.?\d+(?:e-?\d+)?/g)?.map(Number) ?? [];
      const absolute = command === command.toUpperCase() || first;
      first = false;
      if (absolute) {
        const upper = command.toUpperCase();
        for (let at = 0; at < numbers.length; at++) {
          if (upper === "H") numbers[at] += x;
          else if (upper === "V") numbers[at] += y;
          else if (upper === "A") numbers[at] += at % 7 === 5 ? x : at % 7 === 6 ? y : 0;
          else numbers[at] += at % 2 ? y : x;
        }
      }
      return command + numbers.map(short).join(" ").replaceAll(" -", "-");
    });
  }

  // Plotly's round marker is a path of two arcs; a dot of a round line cap is the same and a tenth of the text.
  function dot(d, rules, x, y) {
    const radius = d.match(/^M([\d.]+),0A\1,\1 0 1,1 0,-\1A\1,\1 0 0,1 \1,0Z$/)?.[1];
    if (!radius || rules.has("stroke") || rules.get("fill") === "none") return null;
    const round = [["fill", "none"], ["stroke", rules.get("fill")], ["stroke-width", `${+(2 * radius).toFixed(2)}px`], ["stroke-linecap", "round"]];
    if (rules.has("fill-opacity")) round.push(["stroke-opacity", rules.get("fill-opacity")]);
    return { d: `M${Math.round(x)} ${Math.round(y)}h0`, rules: new Map(round) };
  }

  // Hundreds of dots or cells in one path: each said from the one before is a third shorter.
  function chained(d) {
    let [x, y, end] = [0, 0, -1];
    return d.replace(/M(-?[\d.]+) (-?[\d.]+)(h0|v-?[\d.]+h-?[\d.]+v-?[\d.]+z)/g, (all, right, down, rest, at) => {
      const move = at === end ? `m${short(right - x)} ${short(down - y)}` : `M${right} ${down}`;
      [x, y, end] = [Number(right), Number(down), at + all.length];
      return (move + rest).replace(" -", "-");
    });
  }

  // ---- the walk: shapes in drawing order; a group only where a turn or a clip needs one

  function walk(element, x, y, above, out) {
    if (element.nodeType !== Node.ELEMENT_NODE || element.matches(DROP)) return;
    if (element.style.display === "none" || element.style.visibility === "hidden") return;
    const transform = (element.getAttribute("transform") ?? "").replace(/rotate\(0(,[^)]*)?\)/g, "").replace(/translate\(0(, ?0)?\)/g, "").trim();
    const move = transform.match(/^translate\((-?[\d.e-]+)(?:[, ]+(-?[\d.e-]+))?\)$/);
    const clip = element.hasAttribute("clip-path") && cuts(element) ? element.getAttribute("clip-path") : null;
    if (move) [x, y] = [x + Number(move[1]), y + Number(move[2] ?? 0)];
    if ((transform && !move) || clip) {
      const group = { group: [], clip: clip && clipName(clip), turn: transform && !move ? transform : "", x, y };
      inside(element, 0, 0, above, group.group);
      if (group.group.length) out.push(group);
    } else {
      inside(element, x, y, above, out);
    }
  }

  function inside(element, x, y, above, out) {
    const kind = element.localName;
    if (kind === "g" || kind === "svg") {
      const own = Number(element.style.opacity || element.getAttribute("opacity") || 1) * above;
      for (const child of element.children) walk(child, x, y, own, out);
    } else if (kind === "text") {
      if (element.textContent.trim()) out.push({ text: copyText(element, x, y).outerHTML.replaceAll(` xmlns="${SVG}"`, ""), style: written(look(element, TEXT, above)), box: boxOf(element) });
    } else if (kind === "path") {
      shape(element, element.getAttribute("d") ?? "", x, y, above, out);
    } else if (GEOMETRY[kind]) {
      const rules = look(element, SHAPE, above);
      const [w, h] = ["width", "height"].map((name) => Number(element.getAttribute(name) ?? 1));
      if (!w || !h || (rules.get("fill") === "none" && !rules.has("stroke"))) return;
      const places = GEOMETRY[kind].filter((name) => element.hasAttribute(name) || /^c?[xy]$/.test(name));
      const shift = { x, cx: x, y, cy: y };
      const parts = places.map((name) => `${name}="${short(Number(element.getAttribute(name) ?? 0) + (shift[name] ?? 0))}"`);
      out.push({ leaf: `${kind} ${parts.join(" ")}`, style: written(rules), box: boxOf(element) });
    }
  }

  function shape(element, d, x, y, above, out) {
    const rules = look(element, SHAPE, above);
    if (!d || d === "null" || d.startsWith("M0,0A0,0 ") || (rules.get("fill") === "none" && !rules.has("stroke"))) return;
    const round = dot(d, rules, x, y);
    out.push({ d: round?.d ?? moved(d, x, y), style: written(round?.rules ?? rules), loose: element.closest(".points"), box: boxOf(element) });
  }

  // On the screen, with the half of a stroke around it.
  function boxOf(element) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const edge = element.localName === "text" ? 0 : 1;
    return { left: left - edge, top: top - edge, right: right + edge, bottom: bottom + edge };
  }

  function copyText(element, x, y) {
    const made = document.createElementNS(SVG, element.localName);
    const shift = { x, y };
    for (const name of GEOMETRY[element.localName]) {
      const value = element.getAttribute(name);
      if (value === null && element.localName === "tspan") continue;
      if (/^0(em)?$/.test(value ?? "") && name.startsWith("d")) continue;
      if (/em$/.test(value ?? "")) made.setAttribute(name, value);
      else if (value !== null || name in shift) made.setAttribute(name, short(Number(value ?? 0) + (shift[name] ?? 0)));
    }
    if (element.localName === "tspan") {
      const rules = written(new Map([...look(element, TEXT, 1)].filter(([name]) => element.style.getPropertyValue(name))));
      if (rules) made.setAttribute("style", rules);
    }
    for (const child of element.childNodes) made.append(child.localName === "tspan" ? copyText(child, x, y) : child.textContent);
    return made;
  }

  function clipName(value) {
    const id = value.match(/#([^'")]+)/)[1];
    if (!clips.has(id)) clips.set(id, `{{id}}${clips.size}`);
    return clips.get(id);
  }

  // Plotly clips every plot; a clip that cuts nothing off is dropped, and with it a group.
  function cuts(element) {
    const rect = document.getElementById(element.getAttribute("clip-path").match(/#([^'")]+)/)[1])?.querySelector("rect");
    if (!rect) return true;
    const corner = new DOMPoint(Number(rect.getAttribute("x") ?? 0), Number(rect.getAttribute("y") ?? 0));
    const { x, y } = corner.matrixTransform(element.getScreenCTM());
    const [right, bottom] = [x + Number(rect.getAttribute("width")), y + Number(rect.getAttribute("height"))];
    return [...element.querySelectorAll("path, rect, circle, text")].some((part) => {
      if (part.closest(DROP)) return false;
      const box = part.getBoundingClientRect();
      return box.width + box.height > 0 && (box.left < x - 1 || box.top < y - 1 || box.right > right + 1 || box.bottom > bottom + 1);
    });
  }

  // ---- what looks alike is written together: the points of one trace in any order, other things as long as neither has
  // to pass over or under something else

  function joined(items) {
    const out = [];
    for (const item of items) {
      item.boxes = item.box ? [item.box] : [];
      const twin = item.loose ? out.find((other) => other.loose === item.loose && other.style === item.style) : partner(out, item);
      if (!twin) out.push(item);
      else if (item.group) twin.group.push(...item.group);
      else if (item.text) twin.text += item.text;
      else twin.d += item.d;
      twin?.boxes.push(...item.boxes);
    }
    return out;
  }

  // What the item may join: something before it, moved to the end if only that will do.
  function partner(out, item) {
    if (item.group) return out.at(-1)?.group && sameFrame(item, out.at(-1)) ? out.at(-1) : null;
    if (!item.box || /opacity/.test(item.style)) return null;
    for (let at = out.length - 1; at >= 0; at--) {
      const other = out[at];
      if (other.group || other.leaf || other.style !== item.style || Boolean(other.d) !== Boolean(item.d)) continue;
      const later = out.slice(at + 1);
      if (free(item.boxes, later)) return other;
      if (!free(other.boxes, later)) continue;
      out.push(...out.splice(at, 1));
      return other;
    }
    return null;
  }

  const free = (boxes, others) => others.every((other) => other.boxes.length && !other.boxes.some((a) => boxes.some((b) => meet(a, b))));
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const sameFrame = (a, b) => !a.turn && !b.turn && a.clip === b.clip && a.x === b.x && a.y === b.y;

  function text(items) {
    const parts = [];
    const rows = joined(items);
    for (let at = 0; at < rows.length; at++) {
      const { style, group, d, leaf } = rows[at];
      const attribute = style ? ` style="${style}"` : "";
      if (group) parts.push(frame(rows[at]));
      else if (leaf) parts.push(`<${leaf}${attribute}/>`);
      else {
        const kind = d ? "d" : "text";
        let end = at;
        while (rows[end + 1]?.[kind] && rows[end + 1].style === style) end++;
        const alike = rows.slice(at, end + 1).map((row) => (d ? `<path d="${chained(row.d)}"/>` : row.text));
        if (d && alike.length === 1) parts.push(`<path d="${chained(d)}"${attribute}/>`);
        else parts.push(`<g${attribute}>${alike.join("")}</g>`);
        at = end;
      }
    }
    return parts.join("");
  }

  function frame({ group, clip, turn, x, y }) {
    const place = x || y ? `translate(${short(x)},${short(y)})` : "";
    const round = turn.replace(/-?\d*\.\d+/g, short);
    const transform = place || round ? ` transform="${place}${round}"` : "";
    return `<g${transform}${clip ? ` clip-path="url(#${clip})"` : ""}>${text(group)}</g>`;
  }

  const papers = [...figure.querySelectorAll(".fig-live .main-svg")];
  const items = [];
  for (const paper of papers) for (const child of paper.children) walk(child, 0, 0, 1, items);
  const body = text(items);
  const windows = [...clips].map(([id, name]) => {
    const rect = document.getElementById(id)?.querySelector("rect");
    const sides = rect && ["x", "y", "width", "height"].filter((side) => Number(rect.getAttribute(side))).map((side) => `${side}="${short(rect.getAttribute(side))}"`);
    return rect ? `<clipPath id="${name}"><rect ${sides.join(" ")}/></clipPath>` : "";
  });
  const size = `0 0 ${papers[0].getAttribute("width")} ${papers[0].getAttribute("height")}`;
  const svg = `<svg viewBox="${size}">${windows.join("")}${body}</svg>`;
  return { svg, stray: [...new Set(svg.match(/[^<]*rgba?\([^>]*/g) ?? [])] };
};
