// How does a reader take a figure home? SVG and PNG as Plotly draws them now, CSV and JSON from the table on the page.
(() => {
  "use strict";

  async function download(figure, format) {
    const name = `${figure.dataset.figure}-${figure.step.slug}.${format}`;
    if (format === "csv") return save(name, new Blob([csv(table(figure))], { type: "text/csv" }));
    if (format === "json") return save(name, new Blob([json(figure)], { type: "application/json" }));
    const [Plotly] = await Promise.all([window.Rungbook.plotly(), figure.ready()]);
    const { data, layout } = figure.plot.whole();
    layout.paper_bgcolor = window.Rungbook.colour("paper");
    const size = { width: layout.width, height: layout.height };
    const url = await Plotly.toImage({ data, layout }, { format, scale: format === "png" ? 2 : 1, ...size });
    save(name, format === "svg" ? new Blob([decodeURIComponent(url.slice(url.indexOf(",") + 1))], { type: "image/svg+xml" }) : url);
  }

  function table(figure) {
    const rows = [...figure.querySelectorAll(".fig-fold tr")];
    return rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  }

  function csv(rows) {
    const quoted = (cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    return `${rows.map((row) => row.map(quoted).join(",")).join("\r\n")}\r\n`;
  }

  function json(figure) {
    const [columns, ...rows] = table(figure);
    const text = (selector) => [...figure.querySelectorAll(selector)].map((element) => element.textContent);
    return JSON.stringify({ title: text(".fig-title")[0], sources: text(".fig-sources li"), columns, rows }, null, 2);
  }

  function save(name, content) {
    const link = document.createElement("a");
    const url = typeof content === "string" ? content : URL.createObjectURL(content);
    link.download = name;
    link.href = url;
    link.click();
    if (url !== content) setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  window.Rungbook.download = download;
})();
