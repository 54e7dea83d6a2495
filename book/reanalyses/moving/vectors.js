/* Three unit vectors that the reader can turn, and the pair to which the pair S = {1, 3} is closest. The numbers are those of
 * `reanalyses.kindel2023.experiments.three_vectors`. Vectors 1 and 3 are in a plane, at −θ₁ and θ₂; vector 2 is at 0°, and
 * can be lifted out of the plane. */

const PAIRS = [[0, 2], [0, 1], [1, 2]], NAMES = ["{1, 3}", "{1, 2}", "{2, 3}"], ZERO = 1e-9;
const METRICS = [["mean-cosine", "mean cosine"], ["normalized", "normalized"], ["canonical", "canonical"]];

function dot(a, b) { return sum(a.map((v, i) => v * b[i])); }

function cross(a, b) { return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]; }

function vectorsAt([one, three, lift]) {
  const [a, b, c] = [one, three, lift].map((degrees) => degrees * Math.PI / 180);
  return [[Math.cos(a), -Math.sin(a), 0], [Math.cos(c), 0, Math.sin(c)], [Math.cos(b), Math.sin(b), 0]];
}

/* Return the span of two vectors: a plane by its unit normal, or a line by its direction. */
function span(w, [i, j]) {
  const normal = cross(w[i], w[j]), area = Math.hypot(...normal);
  return area > ZERO ? { rank: 2, axis: normal.map((v) => v / area) } : { rank: 1, axis: w[i] };
}

function canonical(s, t) {
  const square = dot(s.axis, t.axis) ** 2;
  if (s.rank === 2 && t.rank === 2) { return (1 + square) / 2; }
  return s.rank === t.rank ? square : (1 - square) / Math.SQRT2;
}

/* Return the similarities of S to the three pairs; null if undefined. */
function similarities(w) {
  const means = PAIRS.map(([i, j]) => w[i].map((v, k) => (v + w[j][k]) / 2)), lengths = means.map((m) => Math.hypot(...m));
  const spans = PAIRS.map((pair) => span(w, pair));
  return {
    "mean-cosine": means.map((m) => dot(means[0], m)),
    "normalized": means.map((m, i) => (Math.min(lengths[0], lengths[i]) < ZERO ? null : dot(means[0], m) / (lengths[0] * lengths[i]))),
    "canonical": spans.map((s) => canonical(spans[0], s))
  };
}

/* Return the names of the pairs to which S is closest: itself, others, or both. */
function closestPairs(values) {
  if (values[0] === null) { return "undefined"; }
  const largest = Math.max(...values.filter((v) => v !== null)), isClosest = values.map((v) => v !== null && v > largest - ZERO);
  const others = NAMES.filter((_, i) => i && isClosest[i]).join(", ");
  return isClosest[0] ? (others ? "itself, " + others : "itself") : others;
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const svg = draw(picture, "svg", { viewBox: "0 0 360 250", role: "img", "aria-label": "Three arrows on a disk" });
  const circle = Array.from({ length: 73 }, (_, i) => [Math.cos(i * Math.PI / 36), Math.sin(i * Math.PI / 36), 0]);
  const disk = draw(svg, "path", { "class": "ilm-axis" });
  const shadow = draw(svg, "path", { "class": "ilm-dashed" });
  const arrows = [0, 1, 2].map((i) => draw(svg, "path", { "class": `ilm-arrow ilm-series-${i}` }));
  const labels = [0, 1, 2].map(() => draw(svg, "text", { "text-anchor": "middle" }));
  const show = readout(side, "Similarity of S = {1, 3} to", NAMES.map((name, i) => [i, i ? name : "S itself"]), METRICS);
  const showClosest = readout(side, "S is closest to", METRICS.map(([key, name]) => [key + "best", `by ${name} similarity`]));
  const sliders = [["angle θ₁", 180], ["angle θ₂", 180], ["lift of 2", 90]].map(([name, max], i) => slider(side, name,
    { min: 0, max, step: 1, value: data.angles[i], show: (v) => fixed(v, 0) + "°" }, () => { notice(root); update(); }));
  side.prepend(buttons(root, side, "presets", data.presets.map((p) => [p.name, () => {
    sliders.forEach((control, i) => { control.value = p.angles[i]; });
    update();
  }, p.notice])));

  function update() {
    const angles = sliders.map((control) => control.value), w = vectorsAt(angles), byMetric = similarities(w);
    // The plane is seen from above; once vector 2 is lifted, from an angle and rotated a little.
    const step = Math.min(angles[2] / 20, 1), turn = 0.42 * step, slant = Math.PI / 2 - (Math.PI / 2 - 0.8) * step;
    const project = ([x, y, z]) => {
      const across = y * Math.cos(turn) + x * Math.sin(turn), away = x * Math.cos(turn) - y * Math.sin(turn);
      return [180 + 102 * across, 125 - 102 * (away * Math.sin(slant) + z * Math.cos(slant))];
    };
    disk.setAttribute("d", "M" + circle.map((point) => project(point).join(" ")).join("L") + "Z");
    const o = project([0, 0, 0]), tips = w.map(project);
    arrows.forEach((path, i) => path.setAttribute("d", arrow(...o, ...tips[i], 11)));
    shadow.setAttribute("d", angles[2] ? `M${tips[1].join(" ")}L${project([w[1][0], 0, 0]).join(" ")}` : "");
    labels.forEach((label, i) => {
      const [dx, dy] = [tips[i][0] - o[0], tips[i][1] - o[1]], length = Math.max(Math.hypot(dx, dy), 1);
      // Tips that nearly coincide share one label.
      const together = tips.map((t, j) => [t, j]).filter(([t]) => Math.abs(t[0] - tips[i][0]) + Math.abs(t[1] - tips[i][1]) < 30).map(([, j]) => j);
      set(label, { x: tips[i][0] + 15 * dx / length, y: clamp(tips[i][1] + 15 * dy / length + 4, 14, 244) });
      label.textContent = together[0] === i ? together.map((j) => j + 1).join(", ") : "";
    });
    const values = {};
    METRICS.forEach(([key]) => {
      byMetric[key].forEach((v, i) => { values[key + i] = v; });
      values[key + "best"] = closestPairs(byMetric[key]);
    });
    show(values);
    showClosest(values);
    root.dataset.state = JSON.stringify({ angles });
    say(METRICS.map(([key, name]) => `By ${name} similarity, ${fixed(byMetric[key][0])} with itself, S is closest to ${values[key + "best"]}.`).join(" "));
  }
  update();
}
