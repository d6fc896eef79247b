// What do all scripts share? The one global, Plotly's late arrival, and colours by name.
window.Rungbook = (() => {
  "use strict";
  const page = document.documentElement;
  let arriving = null;
  let colours = new Map();
  let probe = null;

  // Plotly is fetched once the page is idle and run at the first interest in a figure: running it costs up to 0.6 s.
  function plotly() {
    arriving ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = page.dataset.plotly;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => {
        arriving = null;
        script.remove();
        reject(new Error("the drawing library could not be loaded"));
      };
      document.head.append(script);
    });
    return arriving;
  }

  function fetchWhenIdle() {
    if (location.protocol === "file:" || navigator.connection?.saveData || !document.querySelector("rb-figure")) return;
    const fetchIt = () => {
      if (arriving) return;
      const link = document.createElement("link");
      if (!link.relList.supports("prefetch")) {
        fetch(page.dataset.plotly, { priority: "low" }).catch(() => {});
        return;
      }
      link.rel = "prefetch";
      link.as = "script";
      link.href = page.dataset.plotly;
      document.head.append(link);
    };
    if (window.requestIdleCallback) requestIdleCallback(fetchIt, { timeout: 4000 });
    else setTimeout(fetchIt, 1000);
  }

  // "@accent" -> "rgb(…)" in the present theme. A probe element resolves what the custom property leaves unresolved.
  function colour(token) {
    if (colours.has(token)) return colours.get(token);
    if (!probe) {
      probe = document.createElement("span");
      probe.hidden = true;
      document.body.append(probe);
    }
    probe.style.color = "";
    probe.style.color = `var(--fig-${token})`;
    const value = getComputedStyle(probe).color;
    colours.set(token, value);
    return value;
  }

  function forgetColours() {
    colours = new Map();
  }

  // Plain text with `code` in back-ticks, appended to an element; nothing in it is read as markup.
  function appendText(element, text) {
    text.split("`").forEach((part, place) => {
      if (!part) return;
      if (place % 2 === 0) return element.append(part);
      const code = document.createElement("code");
      code.textContent = part;
      element.append(code);
    });
    return element;
  }

  document.addEventListener("rungbook:theme", forgetColours);
  if (document.readyState === "complete") fetchWhenIdle();
  else addEventListener("load", fetchWhenIdle);

  return { drivers: {}, plotly, colour, appendText, calm: matchMedia("(prefers-reduced-motion: reduce)") };
})();
