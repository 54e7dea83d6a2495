/* Projections of the same data at any scale, with their stress, their divergence, and the orders by both. Squared stress is a
 * parabola with three sums as coefficients; the divergence is a sum over a few hundred bins of pairs. The numbers are those of
 * `reanalyses.smelser2025.experiments.stress_and_kl_at`. */

const LOW = -3, HIGH = 3, TIE = 1e-9;  // log10 of the smallest and largest scale; largest difference of ties

function stressAt(p, scale) {
  return Math.sqrt(Math.max(1 - 2 * scale * p.sum_de / p.sum_d2 + scale * scale * p.sum_e2 / p.sum_d2, 0));
}

function divergenceAt(data, p, scale) {
  const square = (scale * p.unit) ** 2;
  const logSum = sum(p.probability.map((mass, k) => mass * Math.log1p(square * (p.probability_at[k] + p.nearest))));
  const weights = sum(p.number.map((pairs, k) => pairs / (1 + square * (p.number_at[k] + p.nearest))));
  return Math.max(data.log_p + logSum + Math.log(2 * weights), 0);
}

/* Marks of the groups of points, which differ from those of the projections and have no color. */
const GROUPS = [0, 3, 4];

/* Return the scale with the smallest divergence: the best of a grid, refined by smaller and smaller steps. */
function bestScale(data, p) {
  const at = (x) => divergenceAt(data, p, Math.pow(10, x)), grid = Array.from({ length: 121 }, (_, i) => LOW + i / 20);
  let best = grid.reduce((a, b) => (at(b) < at(a) ? b : a));
  for (let step = 0.025; step > 1e-7; step /= 2) {
    best = [best - step, best + step].filter((x) => x >= LOW && x <= HIGH).reduce((a, b) => (at(b) < at(a) ? b : a), best);
  }
  return Math.pow(10, best);
}

function formatStress(v) { return fixed(v, v >= 100 ? 0 : v >= 10 ? 1 : 3); }
function formatScale(v) { return fixed(v, v >= 100 ? 0 : v >= 1 ? 2 : v >= 0.1 ? 3 : 4); }

function orderOf(names, values) {
  const indices = values.map((_, i) => i).sort((a, b) => values[a] - values[b] || a - b);
  return indices.map((i, k) => (k === 0 ? "" : values[i] - values[indices[k - 1]] > TIE ? " < " : " = ") + names[i]).join("");
}

/* Draw a projection and a circle of the size of the data; the larger of the two fills the frame. */
function drawing(parent, data, p, kind) {
  const frame = make(parent, "div", { "class": "ilm-framed" });
  legend(frame, [[kind, p.label]]);
  const svg = draw(frame, "svg", { viewBox: "0 0 160 160", role: "img", "aria-label": `the projection by ${p.label}` });
  const circle = draw(svg, "circle", { cx: 80, cy: 80, "class": "ilm-dashed" });
  const groups = [0, 1, 2].map((group) => draw(svg, "path", { "class": `ilm-mark ilm-group-${group}` }));
  return (scale) => {
    const size = scale * p.max_e, unit = 150 / Math.max(size, data.max_d), paths = ["", "", ""];
    circle.setAttribute("r", Math.max(unit * data.max_d / 2, 0.5));
    data.groups.forEach((group, k) => {
      paths[group % 3] += mark(GROUPS[group % 3], 80 + unit * size * p.points[2 * k], 80 - unit * size * p.points[2 * k + 1], 1.8);
    });
    groups.forEach((path, group) => path.setAttribute("d", paths[group]));
  };
}

/* Draw curves as functions of the scale, with a mark at the scale of each projection. */
function chart(parent, name, nameY, curves, range, logY, ticks) {
  const view = plot(parent, { name, height: 250, left: 50, right: 22, x: [Math.pow(10, LOW), Math.pow(10, HIGH)], y: range, logX: true, logY });
  view.axes([[0.001, "0.001"], [0.1, "0.1"], [10, "10"], [1000, "1000"]], ticks, "scale", nameY);
  const layer = view.layer(), markLayer = view.layer(false), inside = (v) => clamp(v, range[0], range[1]);
  const at = Array.from({ length: 181 }, (_, i) => Math.pow(10, LOW + (HIGH - LOW) * i / 180));
  curves.forEach((curve, i) => draw(layer, "path", { "class": `ilm-line ilm-series-${i}`, d: view.path(at.map((a) => [a, Math.max(curve(a), range[0] / 2)])) }));
  const marks = curves.map((_, i) => draw(markLayer, "path", { "class": `ilm-mark ilm-series-${i}` }));
  return (scales, values) => marks.forEach((path, i) => path.setAttribute("d",
    mark(i, view.across(clamp(scales[i], ...view.x)), view.up(inside(values[i])), 4.5)));
}

function figure(root, data) {
  const parts = data.projections, names = parts.map((p) => p.label), say = speaker(root);
  const row = make(root, "div", { "class": "ilm-row" }), drawings = parts.map((p, i) => drawing(row, data, p, i));
  const { picture, side } = layout(root);
  if (data.group_names.length > 1 && data.group_names.length <= 3) {
    const keys = legend(row, data.group_names.map((name, i) => [GROUPS[i], name]));
    keys.querySelectorAll("path").forEach((path, i) => path.setAttribute("class", `ilm-mark ilm-group-${i}`));
  }
  make(row, "div", { "class": "ilm-legend" }, "Dashed circle: the size of the data, its largest distance across.");
  const stresses = parts.map((p) => (scale) => stressAt(p, scale)), divergences = parts.map((p) => (scale) => divergenceAt(data, p, scale));
  const lowest = Math.min(...parts.map((p) => stressAt(p, p.sum_de / p.sum_e2))), bottom = lowest >= 0.15 ? 0.1 : lowest >= 0.015 ? 0.01 : 0.001;
  const stressChart = chart(picture, "Normalized stress over scale", "normalized stress", stresses, [bottom, 2000], true,
    [0.001, 0.01, 0.1, 1, 10, 100, 1000].filter((tick) => tick >= bottom));
  const highest = Math.max(1, Math.ceil(Math.max(...divergences.flatMap((curve) => Array.from({ length: 61 }, (_, i) => curve(Math.pow(10, LOW + i / 10)))))));
  const klChart = chart(picture, "KL divergence over scale", "KL divergence", divergences, [0, highest], false,
    Array.from({ length: highest + 1 }, (_, i) => i).filter((v) => highest <= 5 || v % 2 === 0));
  let scales = parts.map(() => 1);
  const show = readout(side, "At these sizes", names.map((name, i) => [i, name]), [["scale", "scale"], ["stress", "stress"], ["kl", "KL"]]);
  const orders = ["stress", "divergence"].map((name) => {
    const line = make(side, "p", {}, `By ${name}: `);
    return make(line, "span", { "class": "ilm-order", "data-key": name });
  });
  const options = { min: LOW, max: HIGH, step: "any", value: 0, show: (v) => "× " + formatScale(Math.pow(10, v)) };
  const common = slider(side, "all", options, (v) => { scales = scales.map(() => Math.pow(10, v)); notice(root); update(); });
  const own = names.map((name, i) => slider(side, name, options, (v) => { scales[i] = Math.pow(10, v); notice(root); update(); }));
  side.prepend(buttons(root, side, "presets", [
    ["as they came", () => 1, "As programs deliver them, the sizes are arbitrary, and so is the order by stress."],
    ["all × 10", () => 10, "Ten times as large, all of them: nothing else changed, and another order."],
    ["least stress of each", (p) => p.sum_de / p.sum_e2, "Each at the size where its stress is least: this order is about shape."],
    ["least divergence of each", (p) => bestScale(data, p), "Each at the size where its divergence is least."]
  ].map(([name, scale, sentence]) => [name, () => { scales = parts.map(scale); update(); }, sentence])));

  function update() {
    const stress = stresses.map((curve, i) => curve(scales[i])), kl = divergences.map((curve, i) => curve(scales[i])), values = {};
    common.value = Math.log10(scales[0]);
    if (scales.some((scale) => scale !== scales[0])) { common.input.nextSibling.textContent = "–"; }
    scales.forEach((scale, i) => {
      own[i].value = Math.log10(scale);
      drawings[i](scale);
      values["scale" + i] = formatScale(scale);
      values["stress" + i] = formatStress(stress[i]);
      values["kl" + i] = kl[i];
    });
    show(values);
    stressChart(scales, stress);
    klChart(scales, kl);
    orders[0].textContent = orderOf(names, stress);
    orders[1].textContent = orderOf(names, kl);
    root.dataset.state = JSON.stringify({ scales });
    say(names.map((name, i) => `${name}: stress ${formatStress(stress[i])}, divergence ${fixed(kl[i])}. `).join("") + `By stress: ${orderOf(names, stress)}. By divergence: ${orderOf(names, kl)}.`);
  }
  update();
}
