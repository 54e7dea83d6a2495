/* Three points on a line, in the data and in a projection: their three distances are two vectors, stress at a scale is the
 * gap between them, and at the best scale it is the sine of their angle. The same numbers as `isotropy_lab.projection`. */

function distances([a, b, c]) { return [Math.abs(a - b), Math.abs(a - c), Math.abs(b - c)]; }
function dot(a, b) { return sum(a.map((v, i) => v * b[i])); }

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const lines = plot(picture, { name: "The points on two lines", height: 118, left: 74, right: 12, top: 8, bottom: 24, x: [0, 10], y: [0, 2] });
  lines.axes([0, 2, 4, 6, 8, 10], [[1.5, "data"], [0.5, "projection"]]);
  const layer = lines.layer(false);
  const view = plot(picture, { name: "The distances as vectors", height: 200, left: 14, right: 14, top: 14, bottom: 14, x: [0, 1], y: [0, 1] });
  const plane = view.layer(false);
  const ray = draw(plane, "path", { "class": "ilm-dashed" }), gap = draw(plane, "path", { "class": "ilm-line ilm-series-2" });
  const arrows = [0, 1].map((kind) => draw(plane, "path", { "class": `ilm-arrow ilm-series-${kind}` }));
  legend(picture, [[0, "d, the distances in the data"], [1, "α e, those in the projection"], [2, "what is between them", "line"]]);
  const drawn = { X: data.presets[0].X.slice(), Y: data.presets[0].Y.slice() };
  const dots = ["X", "Y"].map((which, kind) => [0, 1, 2].map((i) => {
    const group = draw(layer, "g", { "class": `ilm-series-${kind}` });
    group.shape = draw(group, "path", { "class": "ilm-mark" });
    group.text = draw(group, "text", { "text-anchor": "middle" }, "abc"[i]);
    group.hit = draw(group, "circle", { "class": "ilm-hit", r: 13 });
    group.tell = handle(group, lines.at, {
      name: `point ${"abc"[i]} of the ${kind ? "projection" : "data"}`,
      move: (x) => put(which, i, x),
      nudge: (dx, dy) => put(which, i, drawn[which][i] + (dx + dy) / 10)
    });
    return group;
  }));
  const presets = buttons(root, side, "presets", data.presets.map((p) => [p.name, () => {
    drawn.X = p.X.slice();
    drawn.Y = p.Y.slice();
    scale.value = 0;
    update();
  }, p.notice]));
  const show = readout(side, "Stress", [["stress", "normalized stress at this scale: gap over length of d"], ["angle", "angle between d and e, in degrees", 1],
    ["best", "the best scale α*"], ["least", "stress there, scale-normalized: the sine"], ["cosine", "cosine of the angle"]]);
  const scale = slider(side, "scale α", { min: -1.5, max: 1.5, step: 0.01, value: 0, show: (v) => "× " + fixed(Math.pow(10, v), 2) }, update);
  const best = buttons(root, side, "scale", [["best scale", () => {
    const e = distances(drawn.Y), d = distances(drawn.X);
    if (dot(d, e) > 0) {
      scale.value = Math.log10(dot(d, e) / dot(e, e));
    } else if (dot(e, e) === 0) {
      notice(root, "The points of the projection are all at one place: no scale is best.");
    }
    update();
  }, "At the best scale the gap stands at a right angle on the line of e: stress is the sine, and no size is left in it."]]);
  scale.input.setAttribute("step", "any");
  side.prepend(presets, best);

  function put(which, i, x) {
    const before = drawn[which][i];
    drawn[which][i] = Math.round(clamp(x, 0, 10) * 10) / 10;
    if (which === "X" && Math.max(...distances(drawn.X)) === 0) { drawn[which][i] = before; }  // data at one place have no stress
    notice(root);
    update();
  }

  function update() {
    const d = distances(drawn.X), e = distances(drawn.Y), factor = Math.pow(10, scale.value);
    const dd = dot(d, d), de = dot(d, e), ee = dot(e, e), together = ee === 0;
    const cosine = together ? null : Math.min(de / Math.sqrt(dd * ee), 1);
    // The gap is taken entry by entry: near 0 the difference of sums would keep half of the digits only.
    const gapAt = (a) => Math.sqrt(sum(d.map((v, i) => (v - a * e[i]) * (v - a * e[i]))) / dd);
    const found = { stress: gapAt(factor), angle: together ? null : Math.atan2(gapAt(de / ee), cosine) * 180 / Math.PI,
      best: together ? null : de / ee, least: together ? null : gapAt(de / ee), cosine };
    ["X", "Y"].forEach((which, kind) => dots[kind].forEach((dot, i) => {
      const x = lines.across(drawn[which][i]), y = lines.up(1.5 - kind);
      dot.shape.setAttribute("d", mark(kind, x, y, 5.5));
      set(dot.hit, { cx: x, cy: y });
      // Letters of points at one place stand side by side.
      const here = drawn[which].map((v, j) => [v, j]).filter(([v]) => Math.abs(v - drawn[which][i]) < 0.35).map(([, j]) => j);
      set(dot.text, { x: x + 10 * (here.indexOf(i) - (here.length - 1) / 2), y: y - 11 });
      dot.tell(drawn[which][i], `at ${fixed(drawn[which][i], 1)}`);
    }));
    const sine = together ? 0 : found.least, length = factor * Math.sqrt(ee / dd);
    const tip = together ? [0, 0] : [length * cosine, length * sine];
    // Lengths are in units of d; the frame shrinks as α e grows.
    const reach = 1.12 * Math.max(1, tip[0]), tall = reach * (200 - 28) / (360 - 28);
    const grown = Math.max(1, 1.12 * tip[1] / tall);
    view.x = [0, reach * grown];
    view.y = [0, tall * grown];
    const place = ([x, y]) => [view.across(x), view.up(y)];
    arrows[0].setAttribute("d", arrow(...place([0, 0]), ...place([1, 0]), 11));
    arrows[1].setAttribute("d", arrow(...place([0, 0]), ...place(tip), 11));
    gap.setAttribute("d", view.path([tip, [1, 0]]));
    const end = together ? 0 : Math.min(view.x[1] / Math.max(cosine, 1e-9), view.y[1] / Math.max(sine, 1e-9));
    ray.setAttribute("d", together ? "" : view.path([[0, 0], [end * cosine, end * sine]]));
    show(found);
    root.dataset.state = JSON.stringify({ X: drawn.X, Y: drawn.Y, scale: factor });
    say(together ? "All points of the projection are at one place: stress 1.000, and no angle." : `Stress ${fixed(found.stress)} at scale ${fixed(factor, 2)}; `
      + `the angle is ${fixed(found.angle, 1)} degrees, scale-normalized stress ${fixed(found.least)}.`);
  }
  update();
}
