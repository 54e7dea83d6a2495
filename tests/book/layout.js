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
  const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  const hides = (element) => ["hidden", "clip"].includes(getComputedStyle(element).overflowX) && element.clientWidth > 1;
  const frame = article.getBoundingClientRect();

  const wide = [], cut = [], silent = [], pictures = [];
  for (const element of article.querySelectorAll("*")) {
    if (!shown(element) || apart(element)) continue;
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    // Outward, up to a frame in which the reader can push the element sideways, or to the page.
    let up = element.parentElement;
    for (; up && up !== article && !scrolls(up); up = up.parentElement) {
      const edge = up.getBoundingClientRect();
      if (hides(up) && box.right > edge.right + 1.5 && element.textContent.trim()) cut.push(say(element));
    }
    if (up === article && (box.right > frame.right + 1.5 || box.left < frame.left - 1.5)) wide.push(say(element));
    // In a frame, what begins to the left of it can never be pushed into sight.
    if (up && up !== article && !up.scrollLeft && box.left < up.getBoundingClientRect().left - 1.5) cut.push(say(element));
    const more = element.scrollWidth - element.clientWidth;
    // Code has a bar to scroll by; everything else says that it scrolls.
    if (scrolls(element) && more > 1 && !element.matches("pre, .highlight, .il-scrolls, .il-wide") && !element.querySelector("pre"))
      silent.push(say(element));
    if (element.matches("img, svg.il-drawn")) {
      const words = (element.getAttribute("alt") || element.getAttribute("aria-label") || "").split(/\s+/);
      if (words.length < 4) pictures.push(`no words for ${say(element)} ${element.getAttribute("src") || ""}`);
      if (box.width > frame.width + 1) pictures.push(`wider than the page: ${say(element)}`);
    }
  }
  return { wide, cut, silent, pictures };
}
