// The text of a page, or of some of its elements, that stands out too little from its ground: WCAG 2 asks for 4.5, and for 3
// where letters are large.
(within) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(color, [r, g, b, a / 255]);
    }
    return known.get(color);
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = (color) => {
    const [r, g, b] = color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  // The ground of an element is that of the one it stands in, with its own laid over it.
  const grounds = new Map();
  const ground = (element) => {
    if (!element) return [255, 255, 255, 1];
    if (!grounds.has(element)) {
      const color = rgba(getComputedStyle(element).backgroundColor);
      grounds.set(element, color[3] === 1 ? color : over(color, ground(element.parentElement)));
    }
    return grounds.get(element);
  };
  // The shapes of a drawing that are painted: asked for once, as there may be thousands.
  const drawings = new Map();
  const shapes = (svg) => {
    if (!drawings.has(svg)) {
      const all = [...svg.querySelectorAll("path, rect, circle, polygon")].filter(
        (shape) => !shape.closest("defs, clipPath") && getComputedStyle(shape).fill !== "none" && shape.checkVisibility());
      drawings.set(svg, all.map((shape) => ({ shape, box: shape.getBoundingClientRect() })));
    }
    return drawings.get(svg);
  };
  // What a drawing has painted under a text: the shapes before it whose fill holds the middle of the text.
  const painted = (text) => {
    const around = text.getBoundingClientRect();
    const x = (around.left + around.right) / 2, y = (around.top + around.bottom) / 2;
    return shapes(text.ownerSVGElement).filter(({ shape, box }) => {
      if (x < box.left - 1 || x > box.right + 1 || y < box.top - 1 || y > box.bottom + 1) return false;
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) return false;
      const clip = document.getElementById(shape.closest("[clip-path]")?.getAttribute("clip-path").match(/#([^)"]+)/)?.[1]);
      const cut = clip?.querySelector("rect");
      if (cut) { // what is outside of its panel is not painted
        const at = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
        const [left, top, width, height] = ["x", "y", "width", "height"].map((name) => Number(cut.getAttribute(name)));
        if (at.x < left || at.x > left + width || at.y < top || at.y > top + height) return false;
      }
      return shape.isPointInFill(new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse()));
    }).map(({ shape }) => {
      const style = getComputedStyle(shape);
      const [r, g, b, a] = rgba(style.fill);
      return [r, g, b, a * style.fillOpacity * style.opacity];
    });
  };
  const faint = new Map();
  const texts = [];
  for (const root of within ? document.querySelectorAll(within) : [document.querySelector("main") || document.body]) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode);
  }
  for (const node of texts) {
    const text = node.textContent.trim();
    const element = node.parentElement;
    if (!text || element.closest("script, style, mjx-container, .headerlink, [hidden]")) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const style = getComputedStyle(element);
    const svg = element.closest("svg");
    const below = (element.closest("text") ? painted(element.closest("text")) : []).reduce((under, top) => over(top, under), ground(svg || element));
    const ink = rgba(svg ? style.fill : style.color);
    const [high, low] = [light(over(ink, below)), light(below)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      const key = `${element.localName}.${element.getAttribute("class") || ""}`;
      if (!faint.has(key)) faint.set(key, `${key} ${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
    }
  }
  return [...faint.values()];
}
