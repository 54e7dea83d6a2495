(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("points").textContent);
  const root = document.querySelector(".viewer");
  const unpack = (text) => {
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Uint16Array.from({ length: bytes.length / 2 }, (_, i) => view.getUint16(2 * i, true));
  };
  const k = data.k, n = data.rows.length, near = unpack(data.true), codes = unpack(data.codes);
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const make = (name, properties = {}, ...parts) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...parts);
    return made;
  };
  const BUTTONS = { "+": "Zoom in", "-": "Zoom out", all: "Whole map", back: "Back" };
  const MEASURES = {
    labels: "Labels, gray where not trustworthy",
    trustworthiness: "How far neighbors in the map are neighbors in the data",
    continuity: "How far neighbors in the data are neighbors in the map",
    stress: "How far distances keep their proportions",
    stability: "How far neighbors are the same in all maps",
  };
  const choices = Object.entries(MEASURES).filter(([key]) => (key === "labels" ? data.labels.length : data.maps[0].good[key]));
  const select = make("select", {}, ...choices.map(([value, text]) => make("option", { value }, text)));
  const scale = make("span", { className: "scale", ariaHidden: "true" });
  const buttons = Object.entries(BUTTONS).map(([key, text]) => make("button", { type: "button", onclick: () => actions[key]() }, text));
  const back = buttons.at(-1);
  const canvases = data.maps.map(({ name }) => make("canvas", { tabIndex: 0, role: "application",
    ariaLabel: `Map ${name}: arrow keys choose a point, plus and minus zoom` }));
  const said = make("div", { className: "chosen", ariaLive: "polite" }, "No point is chosen. Rows are counted from 0.");
  const drawn = make("div", { className: "maps" },
    ...data.maps.map(({ name }, i) => make("div", { className: "map" }, make("h4", {}, name), canvases[i])));
  root.append(make("div", { className: "tools" }, make("label", {}, "Color ", select), scale, ...buttons),
    make("div", { className: data.maps.length > 1 ? "both" : "both one" }, drawn, said));
  back.disabled = true;
  const past = [];
  let chosen = -1, outlined = null, colors = {};

  const maps = data.maps.map((one, i) => {
    const at = unpack(one.at);
    return {
      ...one, canvas: canvases[i], view: { x: 0.5, y: 0.5, zoom: 1 },
      x: Float32Array.from({ length: n }, (_, p) => at[2 * p] / 65535),
      y: Float32Array.from({ length: n }, (_, p) => 1 - at[2 * p + 1] / 65535),
      near: unpack(one.near), ranks: unpack(one.ranks), far: unpack(one.far),
      good: Object.fromEntries(Object.entries(one.good).map(([key, text]) => [key, unpack(text)])),
    };
  });

  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  for (const map of maps) {
    map.centers = data.labels.map((_, i) => {
      const own = Array.from(codes.keys()).filter((p) => codes[p] === i);
      return [middle(own.map((p) => map.x[p])), middle(own.map((p) => map.y[p]))];
    });
  }

  const STEPS = 8;
  const mixed = (from, to, share) => {
    const parts = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
    const [a, b] = [parts(from), parts(to)];
    return `rgb(${a.map((value, i) => Math.round(value + share * (b[i] - value))).join(",")})`;
  };
  const theme = () => {
    const dark = parseInt(css("--panel").slice(1, 3), 16) < 128;
    const gray = dark ? "#7b858f" : "#868e96";
    colors = {
      ramp: Array.from({ length: STEPS }, (_, i) => mixed(gray, css("--accent"), i / (STEPS - 1))),
      labels: [1, 2, 3, 4, 5, 6].map((i) => css(`--c${i}`)).concat(dark
        ? ["#f9a8d4", "#bef264", "#c4b5fd", "#fdba74"] : ["#b0105a", "#4b5320", "#5b4bc4", "#7c4a2d"], css("--text")),
      gray, text: css("--text"), warn: css("--warn"), panel: css("--panel"),
    };
    scale.innerHTML = select.value === "labels"
      ? [...data.labels, ""].map(() => "<span><i></i></span>").join("")
      : '<span>as bad as chance<i class="ramp"></i>best</span>';
    if (select.value === "labels") {
      scale.querySelectorAll("span").forEach((one, i) => {
        one.firstChild.style.background = i < data.labels.length ? colors.labels[i] : gray;
        one.append(data.labels[i] ?? "trustworthiness below 0.75");
      });
    } else {
      scale.querySelector("i").style.background = `linear-gradient(90deg,${colors.ramp[0]},${colors.ramp[STEPS - 1]})`;
    }
  };

  const place = (map) => {
    const { canvas: { width, height }, view } = map, size = 0.94 * Math.min(width, height) * view.zoom;
    return [(x) => width / 2 + (x - view.x) * size, (y) => height / 2 + (y - view.y) * size];
  };

  const draw = (map) => {
    const pen = map.canvas.getContext("2d"), ratio = devicePixelRatio || 1;
    const box = map.canvas.getBoundingClientRect();
    map.canvas.width = Math.round(box.width * ratio);
    map.canvas.height = Math.round(box.height * ratio);
    const [X, Y] = place(map);
    const side = ratio * Math.min(6, Math.max(2, 140 / Math.sqrt(n)) * Math.sqrt(map.view.zoom));
    const good = map.good[select.value] ?? map.good.trustworthiness;
    const byColor = new Map();
    for (let p = 0; p < n; p++) {
      const share = good[p] / 65536;
      const color = select.value !== "labels" ? colors.ramp[Math.floor(share * STEPS)]
        : share < 0.5 ? colors.gray : colors.labels[codes[p]];
      if (!byColor.has(color)) byColor.set(color, new Path2D());
      byColor.get(color).rect(X(map.x[p]) - side / 2, Y(map.y[p]) - side / 2, side, side);
    }
    // The gray ones first, so that they hide no other.
    for (const color of [colors.gray, ...colors.ramp, ...colors.labels]) {
      if (!byColor.has(color)) continue;
      pen.fillStyle = color;
      pen.fill(byColor.get(color));
      byColor.delete(color);
    }
    pen.font = `600 ${15 * ratio}px system-ui,sans-serif`;
    const words = (text, x, y) => {
      pen.lineWidth = 4 * ratio;
      pen.strokeStyle = colors.panel;
      pen.fillStyle = colors.text;
      pen.strokeText(text, x, y);
      pen.fillText(text, x, y);
    };
    for (const region of map.regions) {
      const color = region === outlined ? colors.warn : colors.text, wide = (region === outlined ? 4 : 2) * ratio;
      pen.strokeStyle = color;
      pen.lineWidth = ratio;
      for (const p of region.points) {
        pen.beginPath();
        pen.arc(X(map.x[p]), Y(map.y[p]), side, 0, 2 * Math.PI);
        pen.stroke();
      }
      pen.lineWidth = wide;
      pen.setLineDash(region.kind === "torn" ? [7 * ratio, 4 * ratio] : []);
      for (const outline of region.outlines) {
        pen.beginPath();
        const [cx, cy] = [0, 1].map((i) => outline.reduce((sum, one) => sum + one[i], 0) / outline.length);
        outline.forEach(([x, y], i) => { // around the circles
          const out = 1 + (10 * ratio) / Math.max(1, Math.hypot(X(x) - X(cx), Y(y) - Y(cy)));
          pen[i ? "lineTo" : "moveTo"](X(cx) + out * (X(x) - X(cx)), Y(1 - cy) + out * (Y(1 - y) - Y(1 - cy)));
        });
        pen.closePath();
        pen.stroke();
        const top = outline.reduce((best, one) => (one[1] > best[1] ? one : best));
        pen.setLineDash([]);
        words(region.name, X(top[0]) - 8 * ratio, Math.max(Y(1 - top[1]) - 14 * ratio, 16 * ratio));
        pen.strokeStyle = color;
        pen.lineWidth = wide;
        pen.setLineDash(region.kind === "torn" ? [7 * ratio, 4 * ratio] : []);
      }
    }
    pen.setLineDash([]);
    if (select.value === "labels") map.centers.forEach(([x, y], i) => words(data.labels[i], X(x) - 4 * ratio, Y(y)));
    if (chosen < 0) return;
    const [cx, cy] = [X(map.x[chosen]), Y(map.y[chosen])];
    pen.strokeStyle = colors.text;
    pen.lineWidth = 1.5 * ratio;
    for (let i = 0; i < k; i++) {
      const p = near[chosen * k + i];
      pen.beginPath();
      pen.moveTo(cx, cy);
      pen.lineTo(X(map.x[p]), Y(map.y[p]));
      pen.stroke();
      const q = map.near[chosen * k + i];
      if (map.ranks[chosen * k + i] <= k) continue;
      const r = 5 * ratio, [x, y] = [X(map.x[q]), Y(map.y[q])];
      pen.strokeStyle = colors.warn;
      pen.beginPath();
      pen.moveTo(x - r, y - r); pen.lineTo(x + r, y + r);
      pen.moveTo(x - r, y + r); pen.lineTo(x + r, y - r);
      pen.stroke();
      pen.strokeStyle = colors.text;
    }
    pen.lineWidth = 3 * ratio;
    pen.beginPath();
    pen.arc(cx, cy, 8 * ratio, 0, 2 * Math.PI);
    pen.stroke();
  };
  let waiting = 0;
  const redraw = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => maps.forEach(draw));
  };

  const called = (p) => (data.texts ? data.texts[p] : `row ${data.rows[p].toLocaleString("en-US")}`)
    + (data.labels.length ? ` (${data.labels[codes[p]]})` : "");
  const listed = (title, points, note) => {
    const list = make("ol");
    points.forEach((p, i) => {
      const onclick = () => {
        choose(p);
        show();
        maps[0].canvas.focus({ preventScroll: true });
      };
      const [text, wrong] = note(i);
      list.append(make("li", {}, make("button", { type: "button", onclick }, called(p)), " ", make("span", { className: wrong ? "false" : "" }, text)));
    });
    return make("div", {}, make("strong", {}, title), list);
  };
  const choose = (p, keep = true) => {
    if (keep && chosen >= 0 && p !== chosen) past.push(chosen);
    chosen = p;
    back.disabled = !past.length;
    const head = make("p", {}, make("strong", {}, called(p))), lists = make("div", { className: "lists" });
    const own = (values) => Array.from(values.subarray(p * k, p * k + k));
    lists.append(listed("Neighbors in the data", own(near), (i) => {
      const ranks = maps.map((map) => map.far[p * k + i]);
      return [`no. ${ranks.map((rank) => rank.toLocaleString("en-US")).join(" and ")} in the map`, ranks.every((rank) => rank > k)];
    }));
    for (const map of maps) {
      const ranks = own(map.ranks), wrong = ranks.filter((rank) => rank > k).length;
      const trust = Math.max(0, (map.good.trustworthiness[p] / 65535 + 1) / 2).toFixed(2);
      head.append(` ${maps.length > 1 ? `${map.name}: ` : ""}${wrong} of ${k} neighbors in the map are false; the trustworthiness is ${trust}.`);
      lists.append(listed(maps.length > 1 ? `Neighbors in ${map.name}` : "Neighbors in the map", own(map.near),
        (i) => [`no. ${ranks[i].toLocaleString("en-US")} in the data${ranks[i] > k ? ", false" : ""}`, ranks[i] > k]));
    }
    said.replaceChildren(head, lists);
    redraw();
  };

  const nearestTo = (map, x, y, allowed) => {
    let best = -1, least = Infinity;
    for (let p = 0; p < n; p++) {
      const dx = map.x[p] - x, dy = map.y[p] - y, gap = dx * dx + dy * dy;
      if (gap < least && allowed(dx, dy, p)) [best, least] = [p, gap];
    }
    return best;
  };
  const show = () => {
    for (const map of maps) {
      if (map.view.zoom === 1) map.view.x = map.view.y = 0.5;
      else if (chosen >= 0) [map.view.x, map.view.y] = [map.x[chosen], map.y[chosen]];
      map.canvas.style.touchAction = map.view.zoom > 1 ? "none" : "pan-y";
    }
    redraw();
  };
  const zoom = (factor) => {
    for (const { view } of maps) view.zoom = Math.min(64, Math.max(1, view.zoom * factor));
    show();
  };
  const actions = {
    "+": () => zoom(1.6), "-": () => zoom(1 / 1.6), all: () => { outlined = null; zoom(0); },
    back: () => past.length && choose(past.pop(), false),
  };

  // The name of a region in a sentence is a button that shows the region.
  const showRegion = (map, region) => {
    [chosen, outlined] = [-1, region];
    show();
    const corners = region.outlines.flat(), ends = (i) => [Math.min, Math.max].map((end) => end(...corners.map((one) => one[i])));
    const [left, right, low, high] = [...ends(0), ...ends(1)];
    map.view.zoom = Math.min(64, Math.max(1, 0.6 / Math.max(right - left, high - low, 0.01)));
    if (map.view.zoom > 1) [map.view.x, map.view.y] = [(left + right) / 2, 1 - (low + high) / 2];
    map.canvas.style.touchAction = map.view.zoom > 1 ? "none" : "pan-y";
    const counts = data.labels.map((label, i) => [region.points.filter((p) => codes[p] === i).length, label]);
    const parts = counts.filter(([count]) => count).sort((a, b) => b[0] - a[0]).map(([count, label]) => `${label}: ${count}`);
    const size = region.points.length, few = region.points.slice(0, k);
    said.replaceChildren(make("p", {}, make("strong", {}, `Region ${region.name}`), ` has ${size.toLocaleString("en-US")} of the points that were searched${parts.length ? ` (${parts.join(", ")})` : ""}.`),
      listed(few.length < size ? `${few.length} of its points` : "Its points", few, () => ["", false]));
    map.canvas.focus({ preventScroll: true });
    map.canvas.scrollIntoView({ block: "nearest" });
    redraw();
  };
  for (const sentence of document.querySelectorAll(".summary")) {
    const map = maps.length === 1 ? maps[0] : maps.find((one) => sentence.textContent.startsWith(`${one.name}: `));
    const [, name, finding, rest] = sentence.textContent.match(/^(.*?)(Do not [^:]*)(:.*)$/s) ?? [];
    if (!finding) continue;
    const strong = make("strong", {}, finding), [before, called, ...after] = finding.split(/\b(region [IT]\d+)\b/);
    const region = map?.regions.find((one) => called === `region ${one.name}`);
    if (region) strong.replaceChildren(before, make("button", { type: "button", onclick: () => showRegion(map, region) }, called), ...after);
    sentence.replaceChildren(name, strong, rest);
  }
  // On a phone, each row of a table is a list. The tables follow this script.
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("table").forEach((table) => {
    const names = [...table.querySelectorAll("thead th")].map((one) => one.textContent);
    table.querySelectorAll("tbody tr").forEach((row) => [...row.cells].forEach((cell, i) => { cell.dataset.name = names[i]; }));
  }));
  select.addEventListener("change", () => repaint());

  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  for (const map of maps) {
    let start = null;
    const { view } = map;
    const under = (event) => {
      const box = map.canvas.getBoundingClientRect(), size = 0.94 * Math.min(box.width, box.height) * view.zoom;
      return [(event.clientX - box.left - box.width / 2) / size + view.x, (event.clientY - box.top - box.height / 2) / size + view.y, size];
    };
    map.canvas.addEventListener("pointerdown", (event) => {
      start = { x: view.x, y: view.y, left: event.clientX, top: event.clientY, moved: false };
    });
    map.canvas.addEventListener("pointermove", (event) => {
      if (!start || !event.buttons || view.zoom === 1) return;
      const size = under(event)[2], dx = event.clientX - start.left, dy = event.clientY - start.top;
      if (Math.hypot(dx, dy) < 5 && !start.moved) return;
      start.moved = true;
      [view.x, view.y] = [start.x - dx / size, start.y - dy / size];
      redraw();
    });
    map.canvas.addEventListener("click", (event) => {
      if (start?.moved) return;
      const [x, y, size] = under(event), reach = 20 / size;
      const p = nearestTo(map, x, y, (dx, dy) => Math.hypot(dx, dy) < reach);
      if (p >= 0) choose(p);
    });
    map.canvas.addEventListener("keydown", (event) => {
      const arrow = ARROWS[event.key];
      if (arrow) {
        const from = chosen < 0 ? [0.5, 0.5] : [map.x[chosen], map.y[chosen]];
        const p = nearestTo(map, ...from, (dx, dy, one) => chosen < 0 ||
          (one !== chosen && arrow[0] * dx + arrow[1] * dy > Math.abs(arrow[0] * dy + arrow[1] * dx)));
        if (p >= 0) { choose(p); show(); }
      } else if (event.key in actions || event.key === "=") actions[event.key === "=" ? "+" : event.key]();
      else if (event.key === "Backspace") actions.back();
      else return;
      event.preventDefault();
    });
  }
  const repaint = () => { theme(); redraw(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  addEventListener("resize", repaint); // a page that shows this one in a frame changes its colors
  new ResizeObserver(redraw).observe(root);
  theme();
  redraw();
})();
