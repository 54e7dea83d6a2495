/* A projection whose clusters can be dragged, and five measures of it, with the numbers of
 * `isotropy_lab.projection.projection_quality`, `scale_normalized_kl`, and the rank correlation of distances of centers. */

/* Return the squared distances of all pairs, row by row. */
function squaredDistances(points) {
  const n = points.length, distances = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      distances[i * n + j] = distances[j * n + i] = sum(points[i].map((v, k) => (v - points[j][k]) ** 2));
    }
  }
  return distances;
}

/* Return the rank of every point by its distance from each point, row by row; 0 is the point itself. */
function ranksOf(D2, n) {
  const ranks = new Int32Array(n * n), others = Array.from({ length: n }, (_, j) => j);
  for (let i = 0; i < n; i++) {
    const at = (j) => (j === i ? -1 : D2[i * n + j]);
    others.slice().sort((a, b) => at(a) - at(b) || a - b).forEach((j, rank) => { ranks[i * n + j] = rank; });
  }
  return ranks;
}

/* Return the affinities of all pairs of the data: Gaussians with widths found by bisection, averaged over directions. */
function affinitiesOf(D2, n, perplexity) {
  const rows = new Float64Array(n * n), P = new Float64Array(n * n), target = Math.log(perplexity);
  for (let i = 0; i < n; i++) {
    const others = Array.from({ length: n }, (_, j) => j).filter((j) => j !== i), nearest = Math.min(...others.map((j) => D2[i * n + j]));
    for (let low = -30, high = 30, step = 0; step < 60; step++) {
      const middle = (low + high) / 2, weights = others.map((j) => Math.exp(-(D2[i * n + j] - nearest) / Math.exp(middle))), total = sum(weights);
      const entropy = -sum(weights.map((w) => (w > 0 ? w / total * Math.log(w / total) : 0)));
      if (entropy > target) { high = middle; } else { low = middle; }
      others.forEach((j, k) => { rows[i * n + j] = weights[k] / total; });
    }
  }
  return P.map((_, at) => (rows[at] + rows[(at % n) * n + Math.floor(at / n)]) / (2 * n));
}

/* Return the smallest divergence over all scales: the best of a grid, refined by smaller and smaller steps. */
function smallestDivergence(P, negativeEntropy, E2, n) {
  const at = (log) => {
    const square = Math.pow(10, 2 * log);
    let logSum = 0, kernelSum = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        const reciprocal = 1 + square * E2[i * n + j];
        logSum += P[i * n + j] * Math.log(reciprocal);
        kernelSum += 1 / reciprocal;
      }
    }
    return negativeEntropy + 2 * logSum + Math.log(2 * kernelSum);
  };
  let best = 0, smallest = at(0);
  const tryScale = (log) => { const value = at(log); if (value < smallest) { [best, smallest] = [log, value]; } };
  for (let log = -2; log <= 2; log += 0.125) { tryScale(log); }
  for (let step = 0.0625; step > 1e-5; step /= 2) { const middle = best; tryScale(middle - step); tryScale(middle + step); }
  return smallest;
}

/* Return the rank correlation of two lists without ties. */
function spearman(a, b) {
  const ranks = (list) => list.map((v) => list.filter((w) => w < v).length);
  const [x, y] = [ranks(a), ranks(b)], middle = (a.length - 1) / 2;
  return sum(x.map((v, i) => (v - middle) * (y[i] - middle))) / sum(x.map((v) => (v - middle) ** 2));
}

function distancesBetween(centers) {
  return centers.flatMap((a, i) => centers.slice(0, i).map((b) => Math.hypot(...a.map((v, k) => v - b[k]))));
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root), n = data.X.length, k = data.k, home = data.presets[0].at;
  const D2 = squaredDistances(data.X), R = ranksOf(D2, n), P = affinitiesOf(D2, n, data.perplexity);
  const negativeEntropy = sum(Array.from(P, (p) => (p > 0 ? p * Math.log(p) : 0)));
  const members = home.map((_, island) => data.on.map((o, i) => [o, i]).filter(([o]) => o === island).map(([, i]) => i));
  const kinds = data.digits.map((_, kind) => data.kind.map((one, i) => [one, i]).filter(([one]) => one === kind).map(([, i]) => i));
  const centers = (points) => kinds.map((list) => points[0].map((_, axis) => mean(list.map((i) => points[i][axis]))));
  const distancesInData = distancesBetween(centers(data.X));
  let at = home.map((center) => center.slice()), dragged = at;

  const view = plot(picture, { name: "The map", height: 424, left: 4, right: 4, top: 4, bottom: 4, x: [-20, 20], y: [-23.6, 23.6] });
  const layer = view.layer(false), unit = (view.right - view.left) / 40;
  const islands = home.map((_, island) => {
    const group = draw(layer, "g");
    const outline = data.hulls[island].map(([x, y]) => `${(unit * x).toFixed(2)} ${(-unit * y).toFixed(2)}`).join("L");
    draw(group, "path", { "class": "ilm-hit ilm-island", d: `M${outline}Z` });
    members[island].forEach((i) => draw(group, "text", { x: (unit * data.own[i][0]).toFixed(2), y: (4 - unit * data.own[i][1]).toFixed(2),
      "text-anchor": "middle", "class": `ilm-digit ilm-series-${data.kind[i] % 5}` }, data.digits[data.kind[i]]));
    group.describe = handle(group, view.at, {
      name: `the ${data.pieces[island]}`,
      select: () => { dragged = at.map((center) => center.slice()); },
      move: (x, y, dx, dy) => put(island, dragged[island][0] + dx, dragged[island][1] + dy),
      nudge: (dx, dy) => put(island, at[island][0] + dx, at[island][1] + dy)
    });
    return group;
  });
  side.append(buttons(root, side, "presets", data.presets.map((preset) => [preset.name, () => {
    const from = at.map((center) => center.slice());
    animate(root, (share) => {
      at = preset.at.map((to, i) => to.map((v, axis) => (share === 1 ? v : from[i][axis] + share * (v - from[i][axis]))));
      update();
    });
  }, preset.notice])));
  const show = readout(side, "This map", [["trustworthiness", `trustworthiness, k = ${k}`], ["continuity", `continuity, k = ${k}`],
    ["stress", "scale-normalized stress"], ["kl", "scale-normalized KL"], ["centers", "rank correlation of the distances between digits"]]);

  function put(island, x, y) {
    at[island] = [clamp(x, -17, 17), clamp(y, -20, 20)];
    notice(root);
    update();
  }

  function measure() {
    const moved = data.own.map(([x, y], i) => [x + at[data.on[i]][0], y + at[data.on[i]][1]]);
    const E2 = squaredDistances(moved), r = ranksOf(E2, n);
    let falseNeighbors = 0, missingNeighbors = 0, de = 0, dd = 0, ee = 0;
    for (let i = 0; i < n * n; i++) {
      if (r[i] <= k && R[i] > k) { falseNeighbors += R[i] - k; }
      if (R[i] <= k && r[i] > k) { missingNeighbors += r[i] - k; }
      de += Math.sqrt(D2[i] * E2[i]);
      dd += D2[i];
      ee += E2[i];
    }
    const worst = n * k * (2 * n - 3 * k - 1) / 2;
    return { trustworthiness: 1 - falseNeighbors / worst, continuity: 1 - missingNeighbors / worst, stress: Math.sqrt(Math.max(1 - de * de / (dd * ee), 0)),
      kl: smallestDivergence(P, negativeEntropy, E2, n), centers: spearman(distancesInData, distancesBetween(centers(moved))) };
  }

  function update() {
    islands.forEach((group, i) => {
      group.setAttribute("transform", `translate(${view.across(at[i][0]).toFixed(2)} ${view.up(at[i][1]).toFixed(2)})`);
      group.describe(at[i][0], `at ${fixed(at[i][0], 1)}, ${fixed(at[i][1], 1)}`);
    });
    const values = measure();
    show(values);
    root.dataset.state = JSON.stringify({ at });
    say(`Trustworthiness ${fixed(values.trustworthiness)}, continuity ${fixed(values.continuity)}, stress ${fixed(values.stress)}, `
      + `divergence ${fixed(values.kl)}, correlation of the distances between digits ${fixed(values.centers)}.`);
  }
  update();
}
