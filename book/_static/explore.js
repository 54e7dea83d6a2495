/* Controls of a figure whose frames the build has drawn (reanalyses.explore). In the tab there are no frames: `ask` gets the
   newest setting from Python instead, and what was asked for meanwhile is skipped. */
(() => {
  "use strict";

  function explore(box, ask) {
    const { name, values, at, parts, frames, said } = JSON.parse(box.querySelector("script[type='application/json']").textContent);
    const stage = box.querySelector(".il-stage");
    const words = box.querySelector(".il-said");
    let asking = false;
    let wanted = null;

    function show(picture, text) {
      stage.innerHTML = picture;
      stage.firstElementChild.setAttribute("role", "img");
      stage.firstElementChild.setAttribute("aria-label", text);
      words.textContent = text;
      box.dataset.at = at.join(" ");
    }

    async function draw() {
      if (frames.length) {
        const n = at.reduce((sum, one, i) => sum * values[i].length + one, 0);
        return show(frames[n].map((i) => parts[i]).join(""), said[n]);
      }
      wanted = [...at];
      if (asking || !ask) return undefined;
      asking = true;
      while (wanted) {
        const now = wanted;
        wanted = null;
        const found = await ask(name, now);
        if (found) show(...found);
      }
      asking = false;
      return undefined;
    }

    function set(input) {
      const i = Number(input.dataset.control);
      at[i] = Number(input.value);
      const output = input.closest("label").querySelector("output");
      if (output) {
        output.textContent = values[i][at[i]];
        input.setAttribute("aria-valuetext", values[i][at[i]]);
      }
      return draw();
    }

    box.addEventListener("input", (event) => set(event.target));
    for (const play of box.querySelectorAll(".il-slide button")) {
      const slider = play.previousElementSibling;
      const label = play.getAttribute("aria-label");
      let timer = 0;
      const stop = () => {
        clearInterval(timer);
        timer = 0;
        play.textContent = "▶";
        play.setAttribute("aria-label", label);
      };
      play.addEventListener("click", () => {
        if (timer) return stop();
        if (slider.value === slider.max) slider.value = -1;
        play.textContent = "❚❚";
        play.setAttribute("aria-label", label.replace("Play", "Pause"));
        timer = setInterval(() => {
          if (Number(slider.value) >= Number(slider.max)) return stop();
          slider.value = Number(slider.value) + 1;
          return set(slider);
        }, 400);
        return undefined;
      });
    }
    box.dataset.ready = "";
  }

  window.isotropyLabExplore = explore; // cells that run in the tab show theirs later (run-page.js)
  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".il-explore").forEach((box) => explore(box));
  });
})();
