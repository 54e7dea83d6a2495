/* Samples of pairs of points whose mean distance over all pairs is known, and the interval that each would report. The draws
 * are those of `reanalyses.moving.generator`, sample t with seed t: pairs at random, or all pairs of points at random. */

const Z = 1.959963984540054, SHOWN = 40;

function meanAndError(values) {
  const middle = mean(values);
  return [middle, Math.sqrt(sum(values.map((v) => (v - middle) ** 2)) / (values.length - 1) / values.length)];
}

/* The points whose pairs are as many as asked for, or nearly. */
function pointsFor(m) { return Math.round((1 + Math.sqrt(1 + 8 * m)) / 2); }

function figure(root, data) {
  const { points } = data, N = points.length, say = speaker(root), { picture, side } = layout(root);
  const distance = (i, j) => Math.hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]);
  let total = 0;
  for (let i = 0; i < N; i += 1) { for (let j = 0; j < i; j += 1) { total += distance(i, j); } }
  const truth = total / (N * (N - 1) / 2);

  function atRandom(next, m) {
    const seen = new Set();
    const values = Array.from({ length: m }, () => {
      const i = Math.floor(next() * N), j = (i + 1 + Math.floor(next() * (N - 1))) % N;
      seen.add(i).add(j);
      return distance(i, j);
    });
    const [estimate, error] = meanAndError(values);
    return { pairs: m, points: seen.size, estimate, error };
  }

  /* All pairs of some points. Their error is that of independent pairs, which they are not, or by leaving out each point. */
  function ofFew(next, m, byPoints) {
    const k = pointsFor(m), places = points.map((_, i) => i), sums = new Array(k).fill(0), values = [];
    for (let a = 0; a < k; a += 1) {
      const b = a + Math.floor(next() * (N - a));
      [places[a], places[b]] = [places[b], places[a]];
      for (let c = 0; c < a; c += 1) {
        const d = distance(places[a], places[c]);
        values.push(d);
        sums[a] += d;
        sums[c] += d;
      }
    }
    let [estimate, error] = meanAndError(values);
    if (byPoints) {
      const all = sum(values), without = sums.map((own) => (all - own) / ((k - 1) * (k - 2) / 2)), middle = mean(without);
      error = Math.sqrt((k - 1) / k * sum(without.map((v) => (v - middle) ** 2)));
    }
    return { pairs: values.length, points: k, estimate, error };
  }

  const WAYS = {
    "random pairs": atRandom,
    "all pairs of a few points": (next, m) => ofFew(next, m, false),
    "… with an interval over points": (next, m) => ofFew(next, m, true)
  };

  const view = plot(picture, { name: "Intervals of samples of pairs", height: 330, left: 30, right: 16, bottom: 40, x: [0.75, 1.25], y: [0, SHOWN] });
  view.axes([0.8, 0.9, 1, 1.1, 1.2], [], "mean distance, that of all pairs being 1", "newest on top");
  const layer = view.layer();
  const lines = [0, 1].map((kind) => draw(layer, "path", { "class": `ilm-arrow ilm-series-${kind}` }));
  lines.forEach((line) => { line.style.strokeWidth = 2.2; });
  const dots = [0, 1].map((kind) => draw(layer, "path", { "class": `ilm-mark ilm-series-${kind}` }));
  draw(layer, "path", { "class": "ilm-dashed ilm-strong", d: `M${view.across(truth)} ${view.top}V${view.bottom}` });
  legend(picture, [[0, "holds the mean of all pairs (dashed)"], [1, "misses it"]]);

  let samples = [], way = "random pairs", seed = 0;
  const show = readout(side, "The last sample", [["pairs", "pairs", 0], ["points", "points in them", 0], ["low", "interval from"], ["high", "to"]]);
  const count = readout(side, "All samples", [["truth", `mean of all ${fixed(N * (N - 1) / 2, 0)} pairs`], ["drawn", "intervals drawn", 0],
    ["covered", "hold it", 0], ["share", "share that holds it"]]);
  const size = slider(side, "pairs", { min: 2, max: 4, step: "any", value: 3, show: (v) => fixed(Math.round(Math.pow(10, v)), 0) }, anew);
  const draws = buttons(root, side, "samples", [["draw one", () => { toss(); update(); }], ["draw 100", many], ["start over", () => { seed = 0; anew(); }]]);
  const ways = buttons(root, side, "way", Object.keys(WAYS).map((name) => [name, () => { choose(name); anew(); }]), way);
  const presets = buttons(root, side, "presets", data.presets.map((preset) => [preset.name, () => {
    size.value = Math.log10(preset.pairs);
    choose(preset.way);
    anew();
  }, preset.notice]));
  side.prepend(presets, draws, ways);

  function choose(name) {
    way = name;
    seed = 0;
    ways.childNodes.forEach((button) => set(button, { "aria-pressed": button.textContent === name }));
  }

  function toss() {
    seed += 1;
    const found = WAYS[way](mulberry32(seed), Math.round(Math.pow(10, size.value)));
    samples.push({ ...found, seed, low: found.estimate - Z * found.error, high: found.estimate + Z * found.error });
  }

  function many() {
    let done = 0;
    glide(root, (share) => { for (; done < Math.round(100 * share); done += 1) { toss(); } update(); });
  }

  function anew() {
    samples = [];
    while (samples.length < SHOWN) { toss(); }
    update();
  }

  function update() {
    const held = (one) => one.low <= truth && truth <= one.high, covered = samples.filter(held).length, last = samples[samples.length - 1];
    [true, false].forEach((right, kind) => {
      const mine = samples.slice(-SHOWN).reverse().map((one, i) => ({ ...one, y: view.up(SHOWN - i - 0.5) })).filter((one) => held(one) === right);
      lines[kind].setAttribute("d", mine.map(({ low, high, y }) => `M${view.across(low)} ${y}H${view.across(high)}`).join(""));
      dots[kind].setAttribute("d", mine.map(({ estimate, y }) => mark(kind, view.across(estimate), y, 1.8)).join(""));
    });
    show(last);
    count({ truth, drawn: samples.length, covered, share: covered / samples.length });
    root.dataset.state = JSON.stringify({ pairs: Math.round(Math.pow(10, size.value)), way, seeds: samples.map((one) => one.seed) });
    say(`${way}: ${last.pairs} pairs of ${last.points} points, interval from ${fixed(last.low)} to ${fixed(last.high)}. `
      + `${covered} of ${samples.length} intervals hold the mean of all pairs.`);
  }
  anew();
}
