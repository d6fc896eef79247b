// How is a figure played? Timer, keys and swipes; what a step is, the figure knows.
(() => {
  "use strict";
  const SWIPE = 40; // px, and twice as far along as across, so that scrolling the page is never mistaken for it
  const SPEEDS = { "½×": 0.5, "1×": 1, "2×": 2, "4×": 4 };

  class Player {
    constructor(figure) {
      this.figure = figure;
      this.timer = 0;
      this.speed = 1;
      figure.addEventListener("keydown", (event) => this.#key(event));
      const stage = figure.querySelector(".fig-stage");
      let start = null;
      stage.addEventListener("touchstart", (event) => (start = event.touches.length === 1 ? event.touches[0] : null), { passive: true });
      stage.addEventListener("touchend", (event) => {
        const end = event.changedTouches[0];
        if (start) this.#swipe(end.clientX - start.clientX, end.clientY - start.clientY);
        start = null;
      }, { passive: true });
      window.Rungbook.calm.addEventListener("change", () => this.pause());
    }

    get playing() {
      return this.timer !== 0;
    }

    // The next speed, as a reader sees it; after the highest comes the lowest.
    faster() {
      const names = Object.keys(SPEEDS);
      const name = names[(names.findIndex((one) => SPEEDS[one] === this.speed) + 1) % names.length];
      this.speed = SPEEDS[name];
      return name;
    }

    toggle() {
      if (this.playing) this.pause();
      else this.play();
    }

    play() {
      if (this.figure.at === this.figure.steps.length - 1) this.figure.go(0);
      this.#wait();
    }

    pause() {
      clearTimeout(this.timer);
      this.timer = 0;
      this.#show();
    }

    #wait() {
      // As long as the caption takes to read, and never under a second and a half.
      const time = Math.max(1500, 900 + 32 * this.figure.captionText.length) / this.speed;
      this.timer = setTimeout(() => {
        this.figure.go(this.figure.at + 1);
        if (this.figure.at < this.figure.steps.length - 1) this.#wait();
        else this.pause();
      }, time);
      this.#show();
    }

    #show() {
      this.figure.classList.toggle("is-playing", this.playing);
      this.figure.querySelector('[data-do="play"]').setAttribute("aria-label", this.playing ? "Pause" : "Play");
    }

    #key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.target.closest("input, select, textarea, .code-lines, .table-scroll, .fig-panel")) return;
      const last = this.figure.steps.length - 1;
      const target = { ArrowRight: this.figure.at + 1, ArrowLeft: this.figure.at - 1, Home: 0, End: last }[event.key];
      if (target !== undefined) this.figure.userGo(target);
      else if (event.key === " " && !event.target.closest("button, summary, a")) this.toggle();
      else return;
      event.preventDefault();
    }

    #swipe(along, across) {
      if (Math.abs(along) < SWIPE || Math.abs(along) < 2 * Math.abs(across)) return;
      this.figure.userGo(this.figure.at + (along < 0 ? 1 : -1));
    }
  }

  window.Rungbook.Player = Player;
})();
