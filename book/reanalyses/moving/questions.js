/* Questions drawn from a pool whose accuracy is known, and the interval that each draw would report. The draws are those of
 * `reanalyses.moving.generator`, sample t with seed t; the intervals are those of an endless bootstrap, or Wilson's. */

const Z = 1.959963984540054, SHOWN = 40;

function logFactorials(n) {
  const logs = [0];
  for (let i = 1; i <= n; i += 1) { logs.push(logs[i - 1] + Math.log(i)); }
  return logs;
}

function binomial(n, p) {
  const logs = logFactorials(n);
  return logs.map((_, k) => (p <= 0 ? +(k === 0) : p >= 1 ? +(k === n)
    : Math.exp(logs[n] - logs[k] - logs[n - k] + k * Math.log(p) + (n - k) * Math.log(1 - p))));
}

function wilson(hits, n) {
  const p = hits / n, z = Z * Z / n, middle = (p + z / 2) / (1 + z), half = Z * Math.sqrt((p * (1 - p) + z / 4) / n) / (1 + z);
  return [hits === 0 ? 0 : middle - half, hits === n ? 1 : middle + half];
}

/* A resample of n questions with so many hits has a binomial number of them (so there is nothing to draw). Where all
 * questions are hits, or none, no resample varies, and both ends are 1, or 0. */
function percentiles(hits, n) {
  const masses = binomial(n, hits / n), ends = [];
  let total = 0;
  masses.forEach((mass, k) => {
    total += mass;
    if (ends.length === 0 && total >= 0.025) { ends.push(k / n); }
    if (ends.length === 1 && total >= 0.975) { ends.push(k / n); }
  });
  return ends;
}

const METHODS = { "bootstrap percentiles": percentiles, "Wilson": wilson };

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const pool = [...data.hits].map(Number), truth = sum(pool) / pool.length;
  const view = plot(picture, { name: "Intervals of samples", height: 330, left: 30, right: 16, top: 44, bottom: 40, x: [0, 1], y: [0, SHOWN] });
  view.axes([0, 0.25, 0.5, 0.75, 1], [], "accuracy at 10", "newest on top");
  const strip = draw(view.layer(false), "g"), layer = view.layer();
  const hits = draw(strip, "path", { "class": "ilm-mark ilm-series-0" }), misses = draw(strip, "path", { "class": "ilm-axis" });
  const lines = [draw(layer, "path", { "class": "ilm-arrow ilm-series-0" }), draw(layer, "path", { "class": "ilm-arrow ilm-series-1" })];
  lines.forEach((line) => { line.style.strokeWidth = 2.2; });
  const dots = [draw(layer, "path", { "class": "ilm-mark ilm-series-0" }), draw(layer, "path", { "class": "ilm-mark ilm-series-1" })];
  const rule = draw(layer, "path", { "class": "ilm-dashed ilm-strong" });
  legend(picture, [[0, "holds the accuracy of all questions (dashed)"], [1, "misses it"]]);
  make(picture, "div", { "class": "ilm-legend" }, "On top: the questions of the last sample, filled where the answer is among the ten best.");

  let samples = [], method = "bootstrap percentiles", seed = 0;
  const show = readout(side, "The last sample", [["n", "questions", 0], ["hits", "of them hits", 0], ["low", "interval from"], ["high", "to"]]);
  const count = readout(side, "All samples", [["truth", `accuracy of all ${data.hits.length} questions`], ["drawn", "intervals drawn", 0], ["covered", "hold it", 0],
    ["share", "share that holds it"], ["coverage", "in the long run, exactly"]]);
  const size = slider(side, "questions n", { min: 1, max: Math.log10(500), step: "any", value: 1, show: (v) => fixed(Math.round(Math.pow(10, v)), 0) }, anew);
  const draws = buttons(root, side, "samples", [["draw one", () => { toss(); update(); }], ["draw 100", many], ["start over", () => { seed = 0; anew(); }]]);
  const methods = buttons(root, side, "method", Object.keys(METHODS).map((name) => [name, () => { method = name; update(); }]), method);
  const presets = buttons(root, side, "presets", data.presets.map(({ name, n, notice: text }) => [name, () => { size.value = Math.log10(n); seed = 0; anew(); }, text]));
  side.prepend(presets, draws, methods);

  function toss() {
    seed += 1;
    const next = mulberry32(seed), n = Math.round(Math.pow(10, size.value));
    samples.push({ seed, found: Array.from({ length: n }, () => pool[Math.floor(next() * pool.length)]) });
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
    const n = samples[0].found.length, ends = new Map();
    const interval = (k) => { if (!ends.has(k)) { ends.set(k, METHODS[method](k, n)); } return ends.get(k); };
    const all = samples.map(({ found }) => { const k = sum(found), [low, high] = interval(k); return { k, low, high, held: low <= truth && truth <= high }; });
    const last = all[all.length - 1], covered = all.filter((one) => one.held).length;
    const coverage = sum(binomial(n, truth).map((mass, k) => { const [low, high] = interval(k); return low <= truth && truth <= high ? mass : 0; }));
    [true, false].forEach((held, kind) => {
      const mine = all.slice(-SHOWN).reverse().map((one, i) => ({ ...one, y: view.up(SHOWN - i - 0.5) })).filter((one) => one.held === held);
      lines[kind].setAttribute("d", mine.map(({ low, high, y }) => `M${view.across(low)} ${y}H${view.across(high)}`).join(""));
      dots[kind].setAttribute("d", mine.map(({ k, y }) => mark(kind, view.across(k / n), y, 1.8)).join(""));
    });
    rule.setAttribute("d", `M${view.across(truth)} ${view.top}V${view.bottom}`);
    // Squares in the order of the draw; many questions become one bar.
    const found = samples[samples.length - 1].found, wide = Math.min((view.right - view.left) / n, 16), single = wide > 5;
    const box = (from, width) => `M${view.left + from} 14h${width}v13h${-width}Z`;
    const cells = (hit) => found.map((one, j) => (one === hit ? box(wide * j + 1.5, wide - 3) : "")).join("");
    hits.setAttribute("d", single ? cells(1) : box(0, wide * last.k));
    misses.setAttribute("d", single ? cells(0) : box(wide * last.k, wide * (n - last.k)));
    show({ n, hits: last.k, low: last.low, high: last.high });
    count({ truth, drawn: all.length, covered, share: covered / all.length, coverage });
    root.dataset.state = JSON.stringify({ n, method, seeds: samples.map((one) => one.seed) });
    say(`${last.k} hits of ${n} questions: interval from ${fixed(last.low)} to ${fixed(last.high)}. ${covered} of ${all.length} intervals hold the accuracy, `
      + `in the long run a share of ${fixed(coverage)}.`);
  }
  anew();
}
