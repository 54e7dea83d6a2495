/* What is wider than its place scrolls in a frame of its own that says so: formulas in a line, and tables. */
(() => {
  "use strict";
  const frames = ".il-table, .pst-scrollable-table-container, .cell_output .text_html, div.math";

  function sticksOut(formula) {
    const block = formula.closest("p, li, dd, td, th, figcaption, div");
    const end = block.getBoundingClientRect().right - parseFloat(getComputedStyle(block).paddingRight);
    return formula.firstElementChild && formula.firstElementChild.getBoundingClientRect().right > end + 1;
  }

  function look() {
    for (const formula of document.querySelectorAll("span.math > mjx-container")) {
      formula.classList.remove("il-wide");
      if (sticksOut(formula)) {
        formula.classList.add("il-wide");
        formula.tabIndex = 0;
      }
    }
    for (const frame of document.querySelectorAll(frames)) {
      frame.classList.remove("il-scrolls");
      const wide = frame.scrollWidth > frame.clientWidth + 1;
      frame.classList.toggle("il-scrolls", wide);
      if (wide) frame.tabIndex = 0;
    }
  }

  let waiting = 0;
  function later() {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(look);
  }

  window.addEventListener("load", () => {
    Promise.resolve(window.MathJax?.startup?.promise).then(later);
    new ResizeObserver(later).observe(document.querySelector("main") || document.body);
    document.addEventListener("toggle", later, true); // what was folded away had no width
  });
})();
