/* Shows what a term means where it is used: the build gives links into the glossary their definition as a title, which
   browsers show to a mouse only. */
(() => {
  "use strict";
  const box = Object.assign(document.createElement("div"), { id: "il-definition", hidden: true });
  box.setAttribute("role", "tooltip");
  let shown = null;
  let leaving = 0;

  function hide() {
    clearTimeout(leaving);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  }

  function show(link) {
    hide();
    shown = link;
    box.textContent = link.dataset.definition;
    box.hidden = false;
    link.setAttribute("aria-describedby", box.id);
    const place = link.getClientRects()[0]; // the first line of a link that is broken into two
    const left = Math.min(place.left, document.documentElement.clientWidth - box.offsetWidth - 8);
    box.style.left = `${Math.max(8, left) + scrollX}px`;
    const below = place.bottom + box.offsetHeight < innerHeight;
    box.style.top = `${(below ? place.bottom + 4 : place.top - box.offsetHeight - 4) + scrollY}px`;
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.body.append(box);
    for (const link of document.querySelectorAll("main a[href*='glossary.html#term-'][title]")) {
      link.dataset.definition = link.title;
      link.removeAttribute("title");
      link.addEventListener("focus", () => show(link));
      link.addEventListener("blur", hide);
      link.addEventListener("mouseenter", () => show(link));
      link.addEventListener("mouseleave", () => { leaving = setTimeout(hide, 300); }); // the mouse may go on into the box
    }
    box.addEventListener("mouseenter", () => clearTimeout(leaving));
    box.addEventListener("mouseleave", hide);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  });
})();
