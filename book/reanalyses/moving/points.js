/* How many points a cloud has, how many dimensions, and what becomes of IsoScore: the expected score by formula, and clouds
 * that are drawn here, number by number, with the generator that `reanalyses.moving.generator` has in Python. */

const MOST_PRODUCTS = 3e8, FIRST_PRODUCTS = 2e7;
const SIZES = [4, 10, 30, 100, 300, 1000, 3000, 10000];

function normals(seed, size) {
  const next = mulberry32(seed), values = new Float64Array(size + size % 2);
  for (let i = 0; i < size; i += 2) {
    const length = Math.sqrt(-2 * Math.log(1 - next())), angle = 2 * Math.PI * next();
    values[i] = length * Math.cos(angle);
    values[i + 1] = length * Math.sin(angle);
  }
  return values;
}

function eigenvalues(n, decay) { return Array.from({ length: n }, (_, i) => Math.pow(i + 1, -decay)); }

function scoreOf(ratio, n) { return (clamp(ratio, 1, n) - 1) / (n - 1); }

/* tr(S)²/tr(S²) with both traces at their expectation for a Gaussian: IsoScore at N points, as it is to be expected. */
function expectedScore(N, n, decay) {
  const values = eigenvalues(n, decay), one = sum(values), two = sum(values.map((v) => v * v)), m = N - 1;
  return scoreOf((one * one + 2 * two / m) / (two * (1 + 1 / m) + one * one / m), n);
}

function trueScore(n, decay) {
  const values = eigenvalues(n, decay), one = sum(values);
  return scoreOf(one * one / sum(values.map((v) => v * v)), n);
}

/* Draw N points of n dimensions; return IsoScore as defined, and with unbiased traces. */
function drawnScores(N, n, decay, seed) {
  const x = normals(seed, N * n), spread = eigenvalues(n, decay).map(Math.sqrt);
  for (let j = 0; j < n; j += 1) {
    let total = 0;
    for (let i = 0; i < N; i += 1) { x[i * n + j] *= spread[j]; total += x[i * n + j]; }
    for (let i = 0; i < N; i += 1) { x[i * n + j] -= total / N; }
  }
  // Squares of all entries of XᵀX or of XXᵀ, whichever is smaller; they have the same sum.
  let rows = x, count = N, width = n, square = 0, total = 0, quartic = 0;
  for (let i = 0; i < N; i += 1) {
    let length = 0;
    for (let j = 0; j < n; j += 1) { length += x[i * n + j] * x[i * n + j]; }
    total += length;
    quartic += length * length;
  }
  if (n < N) {
    rows = new Float64Array(N * n);
    for (let i = 0; i < N; i += 1) { for (let j = 0; j < n; j += 1) { rows[j * N + i] = x[i * n + j]; } }
    [count, width] = [n, N];
  }
  for (let a = 0; a < count; a += 1) {
    for (let b = 0; b <= a; b += 1) {
      let product = 0;
      for (let j = 0; j < width; j += 1) { product += rows[a * width + j] * rows[b * width + j]; }
      square += (a === b ? 1 : 2) * product * product;
    }
  }
  const t1 = total / (N - 1), t2 = square / ((N - 1) * (N - 1)), q = quartic / (N - 1);
  const above = 2 * t2 + (N * N - 3 * N + 1) * t1 * t1 - N * q, below = (N - 1) * (N - 2) * t2 + t1 * t1 - N * q;
  return [scoreOf(total * total / square, n), above >= n * below ? 1 : scoreOf(above / below, n)];
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const view = plot(picture, { name: "IsoScore over the number of points", x: [4, 10000], y: [0, 1], logX: true });
  view.axes([[4, "4"], [10, "10"], [100, "100"], [1000, "1,000"], [10000, "10,000"]], [0, 0.25, 0.5, 0.75, 1], "points N", "IsoScore");
  const layer = view.layer(false);
  const truth = draw(layer, "path", { "class": "ilm-dashed" });
  const curve = draw(layer, "path", { "class": "ilm-line ilm-series-0" });
  const marks = [draw(layer, "path", { "class": "ilm-mark ilm-series-0" }), draw(layer, "path", { "class": "ilm-mark ilm-series-1" })];
  const grip = draw(layer, "g");
  const gripShape = draw(grip, "path", { "class": "ilm-grip" }), gripHit = draw(grip, "circle", { "class": "ilm-hit", r: 14 });
  legend(picture, [[0, "plug-in, expected", "line"], [0, "drawn, plug-in"], [1, "drawn, corrected"]]);
  make(picture, "div", { "class": "ilm-legend" }, "Dashed: the truth. Drag the diamond along its curve.");

  let draws = [], seed = 0;
  const size = { get N() { return Math.round(Math.pow(10, many.value)); }, get n() { return Math.round(Math.pow(10, wide.value)); } };
  const show = readout(side, "IsoScore", [["truth", "the truth"], ["expected", "plug-in, expected"],
    ["plug_in", "last cloud, plug-in"], ["corrected", "last cloud, corrected"]]);
  const many = slider(side, "points N", { min: Math.log10(4), max: 4, step: "any", value: Math.log10(data.N), show: (v) => fixed(Math.round(Math.pow(10, v)), 0) }, update);
  const wide = slider(side, "dimensions n", { min: Math.log10(2), max: 3, step: "any", value: Math.log10(data.n), show: (v) => fixed(Math.round(Math.pow(10, v)), 0) }, anew);
  const steep = slider(side, "decay", { min: 0, max: 1.5, step: 0.05, value: data.decay }, anew);
  const actions = buttons(root, side, "clouds", [
    ["draw a cloud", () => { toss(size.N); update(); }],
    ["one of each size", () => { SIZES.filter((N) => affordable(N)).forEach(toss); update(); },
      "Where the two kinds of marks part, the plug-in score depends on the number of points."]
  ]);
  const presets = buttons(root, side, "presets", data.presets.map((p) => [p.name, () => {
    many.value = Math.log10(p.N);
    wide.value = Math.log10(p.n);
    steep.value = p.decay;
    draws = [];
    if (affordable(p.N)) { toss(p.N); }
    update();
  }, p.notice]));
  side.prepend(presets, actions);
  const tell = handle(grip, view.at, {
    name: "number of points",
    move: (x) => { many.value = Math.log10(clamp(x, 4, 10000)); update(); },
    nudge: (dx, dy) => { many.value = clamp(many.value + (dx + dy) / 20, Math.log10(4), 4); update(); }
  });

  function affordable(N, most = MOST_PRODUCTS) { return N * size.n * Math.min(N, size.n) <= most; }

  function toss(N) {
    seed += 1;
    const [plugIn, corrected] = drawnScores(N, size.n, steep.value, seed);
    draws.push({ N, n: size.n, decay: steep.value, seed, plugIn, corrected });
  }

  function anew() { draws = []; update(); }

  function update() {
    const { N, n } = size, decay = steep.value, at = Array.from({ length: 101 }, (_, i) => 4 * Math.pow(2500, i / 100));
    const last = draws.length ? draws[draws.length - 1] : null;
    const found = { truth: trueScore(n, decay), expected: expectedScore(N, n, decay),
      plug_in: last ? last.plugIn : "–", corrected: last ? last.corrected : "–" };
    truth.setAttribute("d", view.path([[4, found.truth], [10000, found.truth]]));
    curve.setAttribute("d", view.path(at.map((many) => [many, expectedScore(many, n, decay)])));
    ["plugIn", "corrected"].forEach((which, kind) => marks[kind].setAttribute("d",
      draws.map((d) => mark(kind, view.across(d.N), view.up(d[which]), 3.2)).join("")));
    const place = [view.across(N), view.up(found.expected)];
    gripShape.setAttribute("d", mark(3, place[0], place[1], 6));
    set(gripHit, { cx: place[0], cy: place[1] });
    tell(N, `${N} points`);
    actions.firstChild.disabled = !affordable(N);
    actions.firstChild.textContent = affordable(N) ? "draw a cloud" : "too large to draw here";
    show(found);
    root.dataset.state = JSON.stringify({ N, n, decay, last });
    say(`${N} points in ${n} dimensions: expected IsoScore ${fixed(found.expected)}, the truth is ${fixed(found.truth)}`
      + (last ? `; the last cloud, of ${last.N} points, has ${fixed(last.plugIn)}, corrected ${fixed(last.corrected)}.` : "."));
  }
  SIZES.filter((N) => affordable(N, FIRST_PRODUCTS)).forEach(toss);
  toss(size.N);
  update();
}
