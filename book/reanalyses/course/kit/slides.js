// Keys to go from slide to slide; without this script the page is read by scrolling.
"use strict";
(() => {
  const slides = [...document.querySelectorAll("section")];
  const first = () => slides.findIndex((slide) => slide.getBoundingClientRect().bottom > window.innerHeight / 2);
  const keys = {
    ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity,
  };
  // A figure that moves is made smaller until its slide fits.
  const fit = () => slides.filter((slide) => slide.classList.contains("moving")).forEach((slide) => {
    const figure = slide.querySelector(".il-moving");
    figure.style.zoom = 1;
    for (let turn = 0; turn < 6 && slide.scrollHeight > window.innerHeight + 1; turn += 1) {
      const room = figure.getBoundingClientRect().height - (slide.scrollHeight - window.innerHeight);
      figure.style.zoom = Math.max(0.45, figure.style.zoom * Math.max(0.7, room / figure.getBoundingClientRect().height));
    }
  });
  window.addEventListener("load", fit);
  window.addEventListener("resize", fit);
  document.addEventListener("keydown", (event) => {
    // Keys that move something in a figure belong to the figure.
    const inside = event.target.closest?.(".il-moving, input, button, summary");
    if (!(event.key in keys) || inside || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    event.preventDefault();
    const wanted = first() + keys[event.key] * (event.shiftKey ? -1 : 1);
    const slide = slides[Math.max(0, Math.min(slides.length - 1, wanted))];
    slide.scrollIntoView({ behavior: "instant", block: "start" });
    history.replaceState(null, "", `#${slide.id}`);
  });
})();
