// Which theme does the reader want? Runs as soon as it arrives, so that a saved choice is there at the first paint.
(() => {
  "use strict";
  const KEY = "rungbook-theme";
  const NAMES = { auto: "Auto", light: "Light", dark: "Dark" };
  const order = Object.keys(NAMES);

  function saved() {
    try {
      const value = localStorage.getItem(KEY);
      return order.includes(value) ? value : "auto";
    } catch {
      return "auto"; // storage is refused in some private windows and under file:// in some browsers
    }
  }

  function save(value) {
    try {
      if (value === "auto") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, value);
    } catch {
      // the choice then holds for this page only
    }
  }

  function apply(value) {
    if (value === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
    current = value;
    label();
    document.dispatchEvent(new CustomEvent("rungbook:theme"));
  }

  function label() {
    const button = document.querySelector("[data-theme-switch]");
    if (!button) return;
    button.querySelector("span").textContent = NAMES[current];
    button.setAttribute("aria-label", `Theme: ${NAMES[current]}`);
  }

  let current = saved();
  if (current !== "auto") document.documentElement.dataset.theme = current;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", label);
  else label();

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-switch]")) return;
    const next = order[(order.indexOf(current) + 1) % order.length];
    save(next);
    apply(next);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    document.dispatchEvent(new CustomEvent("rungbook:theme"));
  });
})();
