// Keys to go from slide to slide; without this script the page is read by scrolling.
"use strict";
(() => {
  const slides = [...document.querySelectorAll("section")];
  const first = () => slides.findIndex((slide) => slide.getBoundingClientRect().bottom > window.innerHeight / 2);
  const keys = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -1e3, End: 1e3 };
  // A figure that moves fills its slide, and the words of every drawing can be read from the last row.
  const fit = () => slides.forEach((slide) => {
    const moving = slide.querySelector(".il-moving");
    for (let size = 2; moving && size > 0.5; size -= 0.05) {
      moving.style.zoom = size;
      if (moving.getBoundingClientRect().height <= moving.parentElement.clientHeight) break;
    }
    slide.querySelectorAll("svg :is(text, tspan)").forEach((text) => {
      const scale = Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b);
      if (parseFloat(getComputedStyle(text).fontSize) * scale < 18) text.style.fontSize = `${18 / scale}px`;
    });
  });
  ["load", "resize"].forEach((event) => window.addEventListener(event, fit));
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
