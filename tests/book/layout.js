// What is wrong with the layout of a page, as a browser shows it. Returns lists of sentences.
() => {
  const article = document.querySelector("main article") || document.querySelector("main") || document.body;
  const say = (element) => {
    const name = typeof element.className === "string" ? element.className : element.getAttribute("class") || "";
    return `<${element.localName} ${name}> ${(element.textContent || "").trim().slice(0, 60)}`;
  };
  const shown = (element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  // What only screen readers see, and what stands in an SVG, which is a picture of its own.
  const apart = (element) => element.closest("mjx-assistive-mml, .sr-only, .visually-hidden, .headerlink, svg svg, svg *");
  // Asked for once, as every element asks all those that it stands in.
  const known = new Map();
  const look = (element) => {
    if (!known.has(element)) known.set(element, { box: element.getBoundingClientRect(), overflow: getComputedStyle(element).overflowX });
    return known.get(element);
  };
  const scrolls = (element) => ["auto", "scroll"].includes(look(element).overflow);
  const hides = (element) => ["hidden", "clip"].includes(look(element).overflow) && element.clientWidth > 1;
  const frame = article.getBoundingClientRect();

  const wide = [], cut = [], silent = [], pictures = [];
  for (const element of article.querySelectorAll("*")) {
    if (apart(element) || !shown(element)) continue;
    const { box } = look(element);
    if (!box.width || !box.height) continue;
    // Outward, up to a frame in which the reader can push the element sideways, or to the page.
    let up = element.parentElement;
    for (; up && up !== article && !scrolls(up); up = up.parentElement) {
      if (hides(up) && box.right > look(up).box.right + 1.5 && element.textContent.trim()) cut.push(say(element));
    }
    if (up === article && (box.right > frame.right + 1.5 || box.left < frame.left - 1.5)) wide.push(say(element));
    // In a frame, what begins to the left of it can never be pushed into sight.
    if (up && up !== article && !up.scrollLeft && box.left < look(up).box.left - 1.5) cut.push(say(element));
    const more = element.scrollWidth - element.clientWidth;
    // Code has a bar to scroll by; everything else says that it scrolls.
    if (scrolls(element) && more > 1 && !element.matches("pre, .highlight, .cm-scroller, .il-scrolls, .il-wide") && !element.querySelector("pre"))
      silent.push(say(element));
    if (element.matches("img, svg.il-drawn")) {
      const words = (element.getAttribute("alt") || element.getAttribute("aria-label") || "").split(/\s+/);
      if (words.length < 4) pictures.push(`no words for ${say(element)} ${element.getAttribute("src") || ""}`);
      if (box.width > frame.width + 1) pictures.push(`wider than the page: ${say(element)}`);
    }
  }
  return { wide, cut, silent, pictures };
}
