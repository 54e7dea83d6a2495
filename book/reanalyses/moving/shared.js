/* Functions that all figures share. A figure is a function `figure(root, data)` in its own file, which follows this one in
 * the same closure: nothing here is global.
 *
 * Every number that a figure shows is in an element with `data-key`; the input of its computation is in
 * `root.dataset.state`. The tests read both and recompute the numbers with Python. */

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value); }
  return node;
}

function make(parent, name, attributes = {}, text) {
  const node = set(document.createElement(name), attributes);
  if (text !== undefined) { node.textContent = text; }
  return parent.appendChild(node);
}

function draw(parent, name, attributes = {}, text) {
  const node = set(document.createElementNS("http://www.w3.org/2000/svg", name), attributes);
  if (text !== undefined) { node.textContent = text; }
  return parent.appendChild(node);
}

/* Return a number as text, with a true minus sign; never "-0.000" or NaN. */
function fixed(value, digits = 3) {
  if (value === null || !Number.isFinite(value)) { return "undefined"; }
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) !== 0 ? "−" : "") + text.replace(/\B(?<!\..*)(?=(\d{3})+(?!\d))/g, ",");
}

function clamp(value, low, high) { return Math.min(Math.max(value, low), high); }
function sum(values) { return values.reduce((a, b) => a + b, 0); }
function mean(values) { return sum(values) / values.length; }

function prefersReducedMotion() { return window.matchMedia("(prefers-reduced-motion: reduce)").matches; }

/* Call `step` with values from 0 to 1 for a third of a second, or once with 1 if the reader prefers reduced motion. */
function animate(root, step) {
  const animation = root.animation = {};
  if (prefersReducedMotion()) { step(1); return; }
  const start = performance.now();
  (function next() {
    if (root.animation !== animation) { return; }
    const t = Math.min((performance.now() - start) / 350, 1);
    step(t * t * (3 - 2 * t));
    if (t < 1) { requestAnimationFrame(next); }
  })();
}

/* Create the layout of every figure: a picture, and controls and numbers next to it, or below it on a phone. */
function layout(root) {
  const panels = make(root, "div", { "class": "ilm-panels" });
  const picture = make(panels, "div", { "class": "ilm-picture" });
  const side = make(panels, "div", { "class": "ilm-side" });
  return { panels, picture, side };
}

function slider(parent, name, { min, max, step, value, show = (v) => fixed(v, 2) }, change) {
  const label = make(parent, "label", { "class": "ilm-slider" });
  make(label, "span", {}, name);
  const input = make(label, "input", { type: "range", min, max, step, value, "aria-label": name });
  const output = make(label, "output");
  const showValue = () => {
    output.textContent = show(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => { notice(label.closest(".il-moving")); showValue(); change(Number(input.value)); });
  showValue();
  return {
    input,
    get value() { return Number(input.value); },
    set value(v) { input.value = v; showValue(); }
  };
}

/* Create a row of buttons, [name, action, sentence]. The sentence of a preset replaces the general one, and the preset remains
 * pressed until something else changes the figure. If one button of the row is always pressed, `chosen` is the first. */
function buttons(root, parent, name, list, chosen) {
  const row = make(parent, "div", { "class": "ilm-buttons", role: "group", "aria-label": name });
  const press = (pressed) => row.childNodes.forEach((button) => set(button, { "aria-pressed": button === pressed }));
  list.forEach(([text, action, sentence]) => {
    const button = make(row, "button", { type: "button" }, text);
    if (sentence && !chosen) { button.classList.add("ilm-preset"); }
    button.addEventListener("click", () => {
      notice(root, sentence);
      if (sentence || chosen) { press(button); }
      action();
    });
    if (text === chosen) { press(button); }
  });
  return row;
}

/* Show one sentence on what to notice: that of a preset, or the general one; no preset remains pressed. */
function notice(root, sentence) {
  const line = root.querySelector(".ilm-notice");
  line.dataset.general = line.dataset.general || line.textContent;
  line.textContent = sentence || line.dataset.general;
  root.querySelectorAll(".ilm-preset").forEach((button) => set(button, { "aria-pressed": false }));
}

/* Create a table of numbers, and return a function that fills it: rows are [key, name, digits], columns [prefix, name]. */
function readout(parent, caption, rows, columns = [["", ""]], { bars = false } = {}) {
  const table = make(parent, "table", { "class": "ilm-readout" });
  make(table, "caption", {}, caption);
  if (columns.length > 1) {
    const head = make(make(table, "thead"), "tr");
    make(head, "td");
    columns.forEach(([, name]) => make(head, "th", { scope: "col" }, name));
  }
  const body = make(table, "tbody"), fill = [];
  rows.forEach(([key, name, digits = 3, barred = bars]) => {
    const line = make(body, "tr");
    make(line, "th", { scope: "row" }, name);
    columns.forEach(([prefix]) => {
      if (bars) {
        const bar = barred ? make(make(line, "td", { "class": "ilm-bar", "aria-hidden": "true" }), "span") : make(line, "td");
        fill.push((values) => { bar.style.width = barred ? 100 * clamp(values[prefix + key] || 0, 0, 1) + "%" : ""; });
      }
      const cell = make(line, "td", { "data-key": prefix + key });
      fill.push((values) => {
        const value = values[prefix + key];
        cell.textContent = typeof value === "string" ? value : fixed(value, digits);
      });
    });
  });
  return (values) => fill.forEach((fillCell) => fillCell(values));
}

/* Return a function that announces a text to screen readers after a pause of 0.4 seconds. */
function speaker(root) {
  const line = make(root, "p", { "class": "ilm-said", "aria-live": "polite" });
  let timer = 0;
  return (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => { line.textContent = text; }, 400);
  };
}

/* Create a picture with two axes. `across` and `up` map a value to a coordinate, and `at` a pointer to its values. */
function plot(parent, { name, width = 360, height = 320, left = 46, right = 14, top = 12, bottom = 42, x, y, logX = false, logY = false }) {
  const svg = draw(parent, "svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": name });
  const ground = draw(svg, "g"), id = "ilm-" + Math.random().toString(36).slice(2);
  const clip = draw(draw(svg, "defs"), "clipPath", { id });
  draw(clip, "rect", { x: left, y: top, width: width - left - right, height: height - top - bottom });
  const to = (log) => (log ? Math.log10 : Number);
  const self = {
    svg, left, top, right: width - right, bottom: height - bottom, x, y,
    across(v) { const t = to(logX); return left + (width - left - right) * (t(v) - t(self.x[0])) / (t(self.x[1]) - t(self.x[0])); },
    up(v) { const t = to(logY); return height - bottom - (height - top - bottom) * (t(v) - t(self.y[0])) / (t(self.y[1]) - t(self.y[0])); },
    at(event) {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const [h, v] = [(point.x - left) / (width - left - right), (height - bottom - point.y) / (height - top - bottom)];
      const toValue = (t, [low, high], log) => (log ? low * Math.pow(high / low, t) : low + (high - low) * t);
      return [toValue(h, self.x, logX), toValue(v, self.y, logY)];
    },
    layer(clipped = true) { return draw(svg, "g", clipped ? { "clip-path": `url(#${id})` } : {}); },
    path(points) {
      return points.length ? "M" + points.map(([a, b]) => self.across(a).toFixed(2) + " " + self.up(b).toFixed(2)).join("L") : "";
    },
    /* Ticks are values, or [value, text]. */
    axes(ticksX, ticksY, nameX = "", nameY = "") {
      ground.replaceChildren();
      const pair = (tick) => (Array.isArray(tick) ? tick : [tick, String(tick).replace("-", "−")]);
      ticksY.map(pair).forEach(([v, text]) => {
        draw(ground, "line", { x1: left, x2: width - right, y1: self.up(v), y2: self.up(v), "class": "ilm-grid" });
        draw(ground, "text", { x: left - 6, y: Math.min(self.up(v) + 4.5, height - bottom + 2), "text-anchor": "end" }, text);
      });
      ticksX.map(pair).forEach(([v, text], i, all) => {
        const x = self.across(v), atEdge = i === all.length - 1 && x > width - right - 4;
        draw(ground, "line", { x1: x, x2: x, y1: height - bottom, y2: height - bottom + 4, "class": "ilm-axis" });
        draw(ground, "text", { x: atEdge ? width - 2 : x, y: height - bottom + 18, "text-anchor": atEdge ? "end" : "middle" }, text);
      });
      draw(ground, "line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, "class": "ilm-axis" });
      draw(ground, "text", { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle" }, nameX);
      const middle = (top + height - bottom) / 2;
      draw(ground, "text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, nameY);
    }
  };
  return self;
}

/* Make a shape draggable with mouse, finger, or keys. `move(x, y)` receives values of the plot, `nudge(dx, dy)` numbers of
 * steps; `select` is called first. Page Up and Page Down are ten steps, and Home and End 720, which is beyond every range and
 * two full turns of an angle; none of them scrolls the page. `keys` are further keys, which take precedence. */
function handle(node, at, { name, move, nudge, select = () => {}, done = () => {}, keys = {} }) {
  node.classList.add("ilm-handle");
  if (name) { set(node, { tabindex: 0, role: "slider", "aria-label": name, "aria-valuenow": 0 }); }
  node.addEventListener("pointerdown", (event) => {
    if (event.button) { return; }
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    node.classList.add("ilm-held");
    if (name) { node.focus({ preventScroll: true }); }
    select();
    const start = at(event);
    const moved = (e) => { const [x, y] = at(e); notice(node.closest(".il-moving")); move(x, y, x - start[0], y - start[1]); };
    const ended = () => {
      node.classList.remove("ilm-held");
      node.removeEventListener("pointermove", moved);
      ["pointerup", "pointercancel"].forEach((type) => node.removeEventListener(type, ended));
      done();
    };
    node.addEventListener("pointermove", moved);
    ["pointerup", "pointercancel"].forEach((type) => node.addEventListener(type, ended));
  });
  node.addEventListener("keydown", (event) => {
    const steps = keys[event.key] ? null : {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
      PageUp: [0, 10], PageDown: [0, -10], Home: [-720, 0], End: [720, 0]
    }[event.key];
    if (!steps && !keys[event.key]) { return; }
    event.preventDefault();
    notice(node.closest(".il-moving"));
    if (steps) { select(); nudge(steps[0] * (event.shiftKey ? 5 : 1), steps[1] * (event.shiftKey ? 5 : 1)); done(); } else { keys[event.key](); }
  });
  return (now, text) => set(node, { "aria-valuenow": now, "aria-valuetext": text });
}

/* Return the path of the mark of a series by number, so that color is never the only cue: circle, square, triangle, diamond, cross. */
function mark(kind, x, y, r = 4.5) {
  const at = (dx, dy) => (x + r * dx).toFixed(2) + " " + (y + r * dy).toFixed(2);
  if (kind % 5 === 1) { return `M${at(-0.9, -0.9)}L${at(0.9, -0.9)}L${at(0.9, 0.9)}L${at(-0.9, 0.9)}Z`; }
  if (kind % 5 === 2) { return `M${at(0, -1.2)}L${at(1.1, 0.85)}L${at(-1.1, 0.85)}Z`; }
  if (kind % 5 === 3) { return `M${at(0, -1.3)}L${at(1.3, 0)}L${at(0, 1.3)}L${at(-1.3, 0)}Z`; }
  if (kind % 5 === 4) { return `M${at(-1, -1)}L${at(1, 1)}M${at(1, -1)}L${at(-1, 1)}`; }
  return `M${at(-1, 0)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

/* Return the path of an arrow from one point of the picture to another. */
function arrow(x1, y1, x2, y2, size = 9) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 1e-9) { return ""; }
  const head = Math.min(size, length), dx = (x2 - x1) / length, dy = (y2 - y1) / length;
  const corner = (side) => (x2 - head * dx + side * 0.5 * head * dy).toFixed(2) + " " + (y2 - head * dy - side * 0.5 * head * dx).toFixed(2);
  return `M${x1} ${y1}L${x2} ${y2}M${corner(1)}L${x2} ${y2}L${corner(-1)}`;
}

/* Create a legend below the picture; entries are [series, text, shape]. */
function legend(parent, entries) {
  const row = make(parent, "div", { "class": "ilm-legend" });
  entries.forEach(([kind, text, shape = "mark"]) => {
    const entry = make(row, "span");
    const svg = draw(entry, "svg", { viewBox: "0 0 22 12", "aria-hidden": "true" });
    draw(svg, "path", { "class": `ilm-${shape} ilm-series-${kind}`, d: shape === "mark" ? mark(kind, 11, 6, 4.5) : "M1 6H21" });
    entry.append(text);
  });
  return row;
}
