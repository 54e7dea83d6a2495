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
  const BOUND = 0.8; // of the sentence on trustworthiness, in findings.toml
  const NEAR = 3 * k; // the last rank of a near miss
  const BUTTONS = { "+": ["Zoom in", "+"], "-": ["Zoom out", "−"], all: ["Whole map", "□"], back: ["Back", "←"] };
  const MEASURES = {
    gray: `Labels, gray where trustworthiness is below ${BOUND}`,
    labels: "Labels",
    trustworthiness: "False neighbors (trustworthiness)",
    continuity: "Missing neighbors (continuity)",
    stress: "Distances (stress)",
    stability: "Agreement of the maps",
  };
  const choices = Object.entries(MEASURES).filter(([key]) => (key in data.maps[0].good || (data.labels.length && (key === "gray" || key === "labels"))));
  const select = make("select", {}, ...choices.map(([value, text]) => make("option", { value }, text)));
  const scale = make("span", { className: "scale", ariaHidden: "true" });
  const buttons = Object.entries(BUTTONS).map(([key, [text, icon]]) => make("button", { type: "button", ariaLabel: text, onclick: () => actions[key]() },
    make("span", {}, text), make("b", { ariaHidden: "true" }, icon))); // the icon is shown on a phone
  const back = buttons.at(-1);
  const canvases = data.maps.map(({ name }) => make("canvas", { tabIndex: 0, role: "application",
    ariaLabel: `Map ${name}: arrow keys choose a point, plus and minus zoom` }));
  const NONE = "No point is chosen. Rows are counted from 0.";
  const said = make("div", { className: "chosen", ariaLive: "polite" }, NONE), pointed = make("p", { className: "pointed", ariaHidden: "true" });
  const side = make("div", {}, pointed, said), alone = data.maps.length === 1;
  const drawn = make("div", { className: "maps" },
    ...data.maps.map(({ name }, i) => make("div", { className: "map" }, ...(alone ? [] : [make("h4", {}, name)]), canvases[i])));
  root.append(make("div", { className: "tools" }, make("label", {}, "Color ", select), ...buttons, scale),
    make("div", { className: alone ? "both one" : "both" }, drawn, side));
  // On a wide screen, the sentences are beside the map.
  const sentences = document.querySelector(".first"), place = sentences?.parentElement, wide = matchMedia("(min-width: 64rem)");
  const arrange = () => (alone && wide.matches ? side.append(sentences) : place.prepend(sentences));
  if (sentences) {
    wide.addEventListener("change", arrange);
    arrange();
  }
  back.disabled = true;
  const past = []; // functions that show again what was shown
  let chosen = -1, outlined = null, over = -1, colors = {};

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

  // The regions' points outside of their outlines, which are convex.
  const within = (outline, x, y) => {
    const sides = outline.map(([ax, ay], i) => {
      const [bx, by] = outline[(i + 1) % outline.length];
      return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
    });
    return sides.every((one) => one >= -1e-4) || sides.every((one) => one <= 1e-4);
  };
  for (const map of maps) {
    for (const region of map.regions) {
      region.map = map;
      region.alone = region.points.filter((p) => !region.outlines.some((one) => within(one, map.x[p], 1 - map.y[p])));
    }
  }

  // The places of the labels: the three largest islands of 10 points or more. Points in adjacent cells of a grid are on one island.
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const islands = (map, own) => {
    const cells = new Map(), cellOf = (p) => 1000 * Math.floor(40 * map.y[p]) + Math.floor(40 * map.x[p]);
    for (const p of own) cells.set(cellOf(p), [...(cells.get(cellOf(p)) ?? []), p]);
    const reached = (cell) => {
      const points = cells.get(cell);
      return cells.delete(cell) ? points.concat(...[-1001, -1000, -999, -1, 1, 999, 1000, 1001].map((step) => reached(cell + step))) : [];
    };
    const found = [...cells.keys()].map(reached).filter((one) => one.length >= 10).sort((a, b) => b.length - a.length);
    return found.length ? found.slice(0, 3) : [own];
  };
  for (const map of maps) {
    map.centers = data.labels.flatMap((label, i) => islands(map, Array.from(codes.keys()).filter((p) => codes[p] === i))
      .map((one, j) => [j, label, middle(one.map((p) => map.x[p])), middle(one.map((p) => map.y[p]))])).sort((a, b) => a[0] - b[0]);
  }

  // Corners of the marks, in units of half their size, and colors that light and dark grounds allow. Red means false, and nothing else.
  const circle = Array.from({ length: 12 }, (_, i) => [1.1 * Math.cos(i * Math.PI / 6), 1.1 * Math.sin(i * Math.PI / 6)]);
  const MARKS = [
    [[-1, -1], [1, -1], [1, 1], [-1, 1]], circle, [[0, -1.4], [1.3, 1], [-1.3, 1]], [[0, -1.5], [1.5, 0], [0, 1.5], [-1.5, 0]],
    [[-1.3, -1], [1.3, -1], [0, 1.4]], [[-0.5, -1.4], [0.5, -1.4], [0.5, -0.5], [1.4, -0.5], [1.4, 0.5], [0.5, 0.5], [0.5, 1.4], [-0.5, 1.4], [-0.5, 0.5], [-1.4, 0.5], [-1.4, -0.5], [-0.5, -0.5]],
  ];
  const LIGHT = {
    labels: ["#1559c0", "#b36200", "#0e7a3a", "#8b3fd0", "#007f9e", "#6b6a00", "#2a2f86", "#4d9100", "#b77ff0", "#008f77"],
    ramp: ["#a83a00", "#d08a20", "#5c9aa5", "#0a4aa0"], gray: "#868e96", wrong: "#c4002e",
  };
  const DARK = {
    labels: ["#6aaeff", "#ffb04d", "#5fd68a", "#cf9fff", "#4fd3e8", "#e3da55", "#98a8ff", "#b9f065", "#f0d0ff", "#45c9aa"],
    ramp: ["#ff9a52", "#ffe0a0", "#8ecfdc", "#4f97ff"], gray: "#7b858f", wrong: "#ff6f86",
  };
  // Labels of one shape have colors that differ much.
  const markOf = (label) => MARKS[(label < 6 ? label : label + 2) % 6], byLabel = () => select.value === "labels" || select.value === "gray";
  const STEPS = 9;
  const mixed = (ends, share) => {
    const at = share * (ends.length - 1), i = Math.min(ends.length - 2, Math.floor(at));
    const [a, b] = [ends[i], ends[i + 1]].map((color) => [1, 3, 5].map((j) => parseInt(color.slice(j, j + 2), 16)));
    return `rgb(${a.map((value, j) => Math.round(value + (at - i) * (b[j] - value))).join(",")})`;
  };
  const ends = () => ({
    stress: [`${data.maps.map(({ largest }) => largest).join(" and ")} or more`, "0 (best)"], stability: ["0", "1 (the maps share all neighbors)"],
  }[select.value] ?? ["0.5 (chance) or less", "1 (best)"]);
  const theme = () => {
    const own = parseInt(css("--panel").slice(1, 3), 16) < 128 ? DARK : LIGHT;
    colors = {
      ...own, labels: [...own.labels, css("--text")], text: css("--text"), panel: css("--panel"),
      ramp: Array.from({ length: STEPS }, (_, i) => mixed(own.ramp, i / (STEPS - 1))),
    };
    root.style.setProperty("--wrong", own.wrong);
    const entry = (text, background, clipPath = "") => {
      const mark = make("i");
      Object.assign(mark.style, { background, clipPath });
      return make("span", {}, mark, text);
    };
    const shape = (label) => `polygon(${markOf(label).map(([x, y]) => `${50 + 32 * x}% ${50 + 32 * y}%`).join(",")})`;
    const entries = byLabel() ? data.labels.map((label, i) => entry(label, colors.labels[i], shape(i)))
      : [make("span", {}, ends()[0], entry(ends()[1], `linear-gradient(90deg,${own.ramp.join(",")})`))];
    if (select.value === "gray") entries.push(entry(`trustworthiness below ${BOUND}`, own.gray));
    if (!byLabel()) entries[0].querySelector("i").className = "ramp";
    scale.replaceChildren(...entries);
  };

  const scaled = (map) => {
    const { canvas: { width, height }, view } = map, size = 0.94 * Math.min(width, height) * view.zoom;
    return [(x) => width / 2 + (x - view.x) * size, (y) => height / 2 + (y - view.y) * size];
  };

  // A mark as a picture, which is copied much faster than 20,000 marks are drawn.
  const stamp = (mark, color, side) => {
    const size = Math.ceil(1.6 * side), image = Object.assign(document.createElement("canvas"), { width: size, height: size });
    const pen = image.getContext("2d");
    pen.fillStyle = color;
    pen.beginPath();
    for (const [dx, dy] of mark) pen.lineTo((size + dx * side) / 2, (size + dy * side) / 2);
    pen.fill();
    return image;
  };

  const draw = (map) => {
    const pen = map.canvas.getContext("2d"), ratio = devicePixelRatio || 1;
    const box = map.canvas.getBoundingClientRect();
    map.canvas.width = Math.round(box.width * ratio);
    map.canvas.height = Math.round(box.height * ratio);
    const [X, Y] = scaled(map);
    const side = ratio * Math.min(6, Math.max(2, 140 / Math.sqrt(n)) * Math.sqrt(map.view.zoom));
    const good = map.good[select.value] ?? map.good.trustworthiness;
    const inside = outlined && new Set(outlined.map === map ? outlined.points : []);
    // The gray ones first, so that they hide no other; the points of a chosen region last, and the others fade.
    const layers = [new Map(), new Map()];
    for (let p = 0; p < n; p++) {
      const x = X(map.x[p]), y = Y(map.y[p]);
      if (x < -side || y < -side || x > map.canvas.width + side || y > map.canvas.height + side) continue;
      const share = good[p] / 65536, layer = layers[inside?.has(p) ? 1 : 0];
      const color = !byLabel() ? colors.ramp[Math.floor(share * STEPS)]
        : select.value === "gray" && share < 2 * BOUND - 1 ? colors.gray : colors.labels[codes[p]];
      if (!layer.has(color)) layer.set(color, []);
      layer.get(color).push(x, y, byLabel() ? codes[p] : 0);
    }
    layers.forEach((layer, i) => {
      pen.globalAlpha = inside?.size && !i ? 0.25 : 1;
      for (const color of [colors.gray, ...colors.ramp, ...colors.labels]) {
        const points = layer.get(color) ?? [], stamps = new Map();
        for (let j = 0; j < points.length; j += 3) {
          const mark = markOf(points[j + 2]);
          if (!stamps.has(mark)) stamps.set(mark, stamp(mark, color, side));
          const image = stamps.get(mark);
          pen.drawImage(image, Math.round(points[j] - image.width / 2), Math.round(points[j + 1] - image.height / 2));
        }
        layer.delete(color);
      }
    });
    pen.globalAlpha = 1;
    pen.font = `600 ${15 * ratio}px system-ui,sans-serif`;
    const taken = [];
    const words = (text, x, y) => { // where there is room: within the map, and not on other words
      const wide = pen.measureText(text).width, high = 18 * ratio;
      const left = Math.min(Math.max(x - wide / 2, 4 * ratio), map.canvas.width - wide - 4 * ratio);
      if (x < 0 || y < 0 || x > map.canvas.width || y > map.canvas.height) return;
      for (const shift of [0, -1, 1, -2, 2]) {
        const base = Math.min(Math.max(y + shift * high, high), map.canvas.height - 6 * ratio);
        if (taken.some(([l, b, w]) => left < l + w + 4 * ratio && l < left + wide + 4 * ratio && Math.abs(base - b) < high)) continue;
        taken.push([left, base, wide]);
        pen.lineWidth = 4 * ratio;
        pen.strokeStyle = colors.panel;
        pen.fillStyle = colors.text;
        pen.strokeText(text, left, base);
        pen.fillText(text, left, base);
        return;
      }
    };
    if (outlined?.kind === "torn" && inside.size) {
      pen.strokeStyle = colors.text;
      pen.lineWidth = ratio / 2;
      pen.globalAlpha = 0.4;
      pen.beginPath();
      for (const p of outlined.points) {
        for (const q of near.subarray(p * k, p * k + k)) {
          pen.moveTo(X(map.x[p]), Y(map.y[p]));
          pen.lineTo(X(map.x[q]), Y(map.y[q]));
        }
      }
      pen.stroke();
      pen.globalAlpha = 1;
    }
    for (const region of map.regions) {
      const color = colors.text, wide = (region === outlined ? 4 : 2) * ratio;
      pen.strokeStyle = color;
      pen.lineWidth = ratio;
      for (const p of region.alone) {
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
        words(region.name, X(top[0]), Math.max(Y(1 - top[1]) - 14 * ratio, 16 * ratio));
        pen.strokeStyle = color;
        pen.lineWidth = wide;
        pen.setLineDash(region.kind === "torn" ? [7 * ratio, 4 * ratio] : []);
      }
    }
    pen.setLineDash([]);
    pen.globalAlpha = over < 0 ? 1 : 0.3; // the words would hide points
    if (byLabel() && !inside?.size) map.centers.forEach(([, label, x, y]) => words(label, X(x), Y(y)));
    pen.globalAlpha = 1;
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
      const far = map.ranks[chosen * k + i] > NEAR, r = (far ? 6 : 4) * ratio, [x, y] = [X(map.x[q]), Y(map.y[q])];
      pen.strokeStyle = colors.wrong;
      pen.lineWidth = (far ? 3 : 1.2) * ratio;
      pen.beginPath();
      pen.moveTo(x - r, y - r); pen.lineTo(x + r, y + r);
      pen.moveTo(x - r, y + r); pen.lineTo(x + r, y - r);
      pen.stroke();
      pen.strokeStyle = colors.text;
      pen.lineWidth = 1.5 * ratio;
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
  const listed = (title, points, note, open = true) => {
    const list = make("ol");
    points.forEach((p, i) => {
      const onclick = () => {
        visit(p);
        show();
        maps[0].canvas.focus({ preventScroll: true });
      };
      const [text, wrong] = note(i);
      list.append(make("li", {}, make("button", { type: "button", onclick }, called(p)), " ", make("span", { className: wrong ? "false" : "" }, text)));
    });
    return make("details", { open }, make("summary", {}, title), list);
  };
  const rankOf = (rank) => `no. ${rank.toLocaleString("en-US")}`;
  const keep = () => {
    const [p, region, views] = [chosen, outlined, maps.map(({ view }) => ({ ...view }))];
    if (p < 0 && !region) return;
    past.push(() => {
      outlined = region;
      if (p >= 0) choose(p);
      else tell(region);
      maps.forEach((map, i) => Object.assign(map.view, views[i]));
      redraw();
    });
  };
  // A point that is visited after a region was shown leaves the region.
  const visit = (p) => {
    if (p !== chosen) keep();
    outlined = null;
    choose(p);
  };
  const choose = (p) => {
    chosen = p;
    back.disabled = !past.length;
    const head = make("p", {}, make("strong", {}, called(p))), lists = make("div", { className: "lists" });
    const own = (values) => Array.from(values.subarray(p * k, p * k + k));
    lists.append(listed("Neighbors in the data", own(near), (i) => {
      const ranks = maps.map((map) => map.far[p * k + i]);
      const missing = ranks.every((rank) => rank > NEAR);
      return [`${ranks.map(rankOf).join(" and ")} in the map${missing ? ", missing" : ""}`, missing];
    }));
    for (const map of maps) {
      const ranks = own(map.ranks), wrong = ranks.filter((rank) => rank > k).length;
      const close = ranks.filter((rank) => rank > k && rank <= NEAR).length, good = map.good.trustworthiness[p];
      const trust = good ? ((good / 65535 + 1) / 2).toFixed(2) : "0.50 or less";
      head.append(` ${maps.length > 1 ? `${map.name}: ` : ""}${wrong} of ${k} neighbors in the map are false (not among the ${k} nearest in the data)`
        + `${close ? `, ${close} of them near misses (up to no. ${NEAR}), which cost little trustworthiness` : ""}. The trustworthiness of this point is ${trust} (1 is best).`);
      lists.append(listed(maps.length > 1 ? `Neighbors in ${map.name}` : "Neighbors in the map", own(map.near),
        (i) => [`${rankOf(ranks[i])} in the data${ranks[i] > NEAR ? ", false" : ranks[i] > k ? ", a near miss" : ""}`, ranks[i] > NEAR], wide.matches));
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
    "+": () => zoom(1.6), "-": () => zoom(1 / 1.6), all: () => (outlined ? actions.Escape() : zoom(0)),
    Escape: () => {
      keep();
      [chosen, outlined, back.disabled] = [-1, null, !past.length];
      said.replaceChildren(NONE);
      zoom(0);
    },
    back: () => {
      past.pop()?.();
      back.disabled = !past.length;
    },
  };

  // The label of most neighbors in the data.
  const most = (region) => {
    const ends = region.points.flatMap((p) => [...near.subarray(p * k, p * k + k)]);
    const label = data.labels.findIndex((_, i) => ends.filter((p) => codes[p] === i).length > ends.length / 2);
    return label < 0 ? "" : `; most lead to ${data.labels[label]}`;
  };

  // What is said on a region: its labels, and examples of each of them.
  const tell = (region) => {
    [chosen, outlined] = [-1, region];
    back.disabled = !past.length;
    const groups = data.labels.map((label, i) => [label, region.points.filter((p) => codes[p] === i)]).filter(([, own]) => own.length);
    groups.sort((a, b) => b[1].length - a[1].length);
    const parts = groups.map(([label, own]) => `${label}: ${own.length.toLocaleString("en-US")}`);
    const size = region.points.length, turns = groups.length ? groups.map(([, own]) => own) : [region.points];
    const few = Array.from({ length: k }, (_, i) => turns.map((own) => own[i])).flat().filter((p) => p !== undefined).slice(0, k);
    const searched = data.searched < n ? ` of the ${data.searched.toLocaleString("en-US")} points that were searched` : " points";
    said.replaceChildren(make("p", {}, make("strong", {}, `Region ${region.name} (${region.kind})`), ` has ${size.toLocaleString("en-US")}${searched}${parts.length ? ` (${parts.join(", ")})` : ""}.`
      + (region.alone.length ? ` ${size - region.alone.length} of them are outlined, the others circled.` : "")
      + (region.kind === "torn" ? ` Lines lead to their neighbors in the data${most(region)}.` : "")),
      listed(few.length < size ? `${few.length} of its points` : "Its points", few, () => ["", false]));
  };

  // The name of a region in a sentence is a button that shows the region.
  const showRegion = (map, region) => {
    keep();
    tell(region);
    const shown = region.kind === "torn" ? region.points.flatMap((p) => [p, ...near.subarray(p * k, p * k + k)]) : region.points;
    const ends = (values) => [Math.min, Math.max].map((end) => values.reduce((a, b) => end(a, b)));
    const [left, right, top, bottom] = [...ends(shown.map((p) => map.x[p])), ...ends(shown.map((p) => map.y[p]))];
    map.view.zoom = Math.min(64, Math.max(1, 0.6 / Math.max(right - left, bottom - top, 0.01)));
    [map.view.x, map.view.y] = [(left + right) / 2, (top + bottom) / 2];
    show();
    map.canvas.focus({ preventScroll: true });
    map.canvas.scrollIntoView({ block: "nearest" });
  };
  for (const sentence of document.querySelectorAll(".summary")) {
    const map = maps.length === 1 ? maps[0] : maps.find((one) => sentence.textContent.startsWith(`${one.name}: `));
    const [, name, finding, rest] = sentence.textContent.match(/^(.*?)(From this map alone, .*?\.|(?:Do not|You may) .*(?=: ))(.*)$/s) ?? [];
    if (!finding) continue;
    const strong = make("strong", {}, finding), [before, called, ...after] = finding.split(/\b(region [IT]\d+)\b/);
    const region = map?.regions.find((one) => called === `region ${one.name}`);
    if (region) strong.replaceChildren(before, make("button", { type: "button", onclick: () => showRegion(map, region) }, called), ...after);
    sentence.replaceChildren(name, strong, rest);
  }
  // On a phone, each row of a table is a list, the tables are folded, and the caption is short. They follow this script.
  document.addEventListener("DOMContentLoaded", () => {
    const narrow = matchMedia("(max-width: 34rem)").matches;
    document.querySelectorAll("table").forEach((table) => {
      const names = [...table.querySelectorAll("thead th")].map((one) => one.textContent);
      table.querySelectorAll("tbody tr").forEach((row) => [...row.cells].forEach((cell, i) => { cell.dataset.name = names[i]; }));
      table.closest("details").open = !narrow;
    });
    const caption = narrow && root.closest("figure")?.querySelector("figcaption");
    if (caption) caption.textContent = caption.textContent.replace(/\. .*/s, ".");
  });
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
    const under20 = (event) => {
      const [x, y, size] = under(event);
      return nearestTo(map, x, y, (dx, dy) => Math.hypot(dx, dy) < 20 / size);
    };
    const hover = (p) => {
      if (p === over) return;
      over = p;
      pointed.textContent = p < 0 ? "" : called(p);
      redraw();
    };
    map.canvas.addEventListener("pointerleave", () => hover(-1));
    map.canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse" && !event.buttons) hover(under20(event));
      if (!start || !event.buttons || view.zoom === 1) return;
      const size = under(event)[2], dx = event.clientX - start.left, dy = event.clientY - start.top;
      if (Math.hypot(dx, dy) < 5 && !start.moved) return;
      start.moved = true;
      [view.x, view.y] = [start.x - dx / size, start.y - dy / size];
      redraw();
    });
    map.canvas.addEventListener("click", (event) => {
      if (start?.moved) return;
      const p = under20(event);
      if (p >= 0) visit(p);
    });
    map.canvas.addEventListener("keydown", (event) => {
      const arrow = ARROWS[event.key];
      if (arrow) {
        const own = outlined?.map === map && chosen < 0 ? outlined.points : null;
        const from = chosen < 0 ? own ? [map.x[own[0]], map.y[own[0]]] : [0.5, 0.5] : [map.x[chosen], map.y[chosen]];
        const p = nearestTo(map, ...from, (dx, dy, one) => chosen < 0 ||
          (one !== chosen && arrow[0] * dx + arrow[1] * dy > Math.abs(arrow[0] * dy + arrow[1] * dx)));
        if (p >= 0) { visit(p); show(); }
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
