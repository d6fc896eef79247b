// When is a figure drawn before anybody asks? Once a reader is here, Plotly runs as soon as the page rests; a figure that
// then stands in view is drawn, so that its first step comes as fast as any other.
(() => {
  "use strict";
  const SIGNS = ["scroll", "pointermove", "pointerdown", "keydown"];
  const REST = 300; // ms without any of them
  const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 200));
  const inView = new Set();
  let timer = 0;

  async function rest() {
    const figure = [...inView].find((one) => !one.plot?.drawn && !one.querySelector(".fig-trouble"));
    if (!figure) return void (await Promise.all([window.Rungbook.plotly(), window.Rungbook.pictures()]));
    await figure.wake();
    whenIdle(rest); // one at a time, as long as nothing else happens
  }

  function watch() {
    const plots = document.querySelectorAll("rb-figure .fig-plot");
    if (!plots.length || navigator.connection?.saveData) return;
    const seen = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) inView[isIntersecting ? "add" : "delete"](target.closest("rb-figure"));
    }, { threshold: 0.25 });
    for (const plot of plots) seen.observe(plot);
    const again = () => {
      clearTimeout(timer);
      timer = setTimeout(() => whenIdle(() => rest().catch(() => {})), REST); // asking for a step says what failed
    };
    for (const sign of SIGNS) addEventListener(sign, again, { passive: true });
  }

  watch();
})();
