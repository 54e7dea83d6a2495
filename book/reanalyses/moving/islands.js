/* The islands of a drawing under the reader's hand, and five measures of it: the same numbers as
 * `isotropy_lab.projection.projection_quality`, `scale_normalized_kl` and the rank correlation of the centers' distances. */

/* Squared distances of all pairs, row by row. */
function squares(points) {
  const n = points.length, found = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      found[i * n + j] = found[j * n + i] = sum(points[i].map((v, k) => (v - points[j][k]) ** 2));
    }
  }
  return found;
}

/* The rank of each point as seen from each other one; 0 is the point itself. */
function ranksOf(D2, n) {
  const found = new Int32Array(n * n), others = Array.from({ length: n }, (_, j) => j);
  for (let i = 0; i < n; i++) {
    const at = (j) => (j === i ? -1 : D2[i * n + j]);
    others.slice().sort((a, b) => at(a) - at(b) || a - b).forEach((j, rank) => { found[i * n + j] = rank; });
  }
  return found;
}

/* The shares of pairs in the data: Gaussians whose widths are found by halving, then the mean of both directions. */
function affinitiesOf(D2, n, perplexity) {
  const rows = new Float64Array(n * n), P = new Float64Array(n * n), wanted = Math.log(perplexity);
  for (let i = 0; i < n; i++) {
    const others = Array.from({ length: n }, (_, j) => j).filter((j) => j !== i), nearest = Math.min(...others.map((j) => D2[i * n + j]));
    for (let low = -30, high = 30, step = 0; step < 60; step++) {
      const middle = (low + high) / 2, weights = others.map((j) => Math.exp(-(D2[i * n + j] - nearest) / Math.exp(middle))), total = sum(weights);
      const entropy = -sum(weights.map((w) => (w > 0 ? w / total * Math.log(w / total) : 0)));
      if (entropy > wanted) { high = middle; } else { low = middle; }
      others.forEach((j, k) => { rows[i * n + j] = weights[k] / total; });
    }
  }
  return P.map((_, at) => (rows[at] + rows[(at % n) * n + Math.floor(at / n)]) / (2 * n));
}

/* The least divergence over all sizes: a grid of sizes, then ever smaller steps around its best. */
function leastDivergence(P, negative, E2, n) {
  const at = (log) => {
    const square = Math.pow(10, 2 * log);
    let far = 0, bells = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        const one = 1 + square * E2[i * n + j];
        far += P[i * n + j] * Math.log(one);
        bells += 1 / one;
      }
    }
    return negative + 2 * far + Math.log(2 * bells);
  };
  let best = 0, least = at(0);
  const look = (log) => { const value = at(log); if (value < least) { [best, least] = [log, value]; } };
  for (let log = -2; log <= 2; log += 0.125) { look(log); }
  for (let step = 0.0625; step > 1e-5; step /= 2) { const middle = best; look(middle - step); look(middle + step); }
  return least;
}

/* The rank correlation of two lists without ties. */
function spearman(a, b) {
  const places = (list) => list.map((v) => list.filter((w) => w < v).length);
  const [x, y] = [places(a), places(b)], middle = (a.length - 1) / 2;
  return sum(x.map((v, i) => (v - middle) * (y[i] - middle))) / sum(x.map((v) => (v - middle) ** 2));
}

function between(centers) {
  return centers.flatMap((a, i) => centers.slice(0, i).map((b) => Math.hypot(...a.map((v, k) => v - b[k]))));
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root), n = data.X.length, k = data.k, home = data.presets[0].at;
  const D2 = squares(data.X), R = ranksOf(D2, n), P = affinitiesOf(D2, n, data.perplexity);
  const negative = sum(Array.from(P, (p) => (p > 0 ? p * Math.log(p) : 0)));
  const members = home.map((_, island) => data.on.map((o, i) => [o, i]).filter(([o]) => o === island).map(([, i]) => i));
  const kinds = data.digits.map((_, kind) => data.kind.map((one, i) => [one, i]).filter(([one]) => one === kind).map(([, i]) => i));
  const centers = (points) => kinds.map((list) => points[0].map((_, axis) => mean(list.map((i) => points[i][axis]))));
  const wanted = between(centers(data.X));
  let at = home.map((place) => place.slice()), held = at;

  const view = plot(picture, { name: "The map", height: 424, left: 4, right: 4, top: 4, bottom: 4, x: [-20, 20], y: [-23.6, 23.6] });
  const layer = view.layer(false), unit = (view.right - view.left) / 40;
  const islands = home.map((place, island) => {
    const group = draw(layer, "g");
    const outline = data.hulls[island].map(([x, y]) => `${(unit * x).toFixed(2)} ${(-unit * y).toFixed(2)}`).join("L");
    draw(group, "path", { "class": "ilm-hit ilm-island", d: `M${outline}Z` });
    members[island].forEach((i) => draw(group, "text", { x: (unit * data.own[i][0]).toFixed(2), y: (4 - unit * data.own[i][1]).toFixed(2),
      "text-anchor": "middle", "class": `ilm-digit ilm-series-${data.kind[i] % 5}` }, data.digits[data.kind[i]]));
    group.tell = handle(group, view.at, {
      name: `the ${data.pieces[island]}`,
      select: () => { held = at.map((one) => one.slice()); },
      move: (x, y, dx, dy) => put(island, held[island][0] + dx, held[island][1] + dy),
      nudge: (dx, dy) => put(island, at[island][0] + dx, at[island][1] + dy)
    });
    return group;
  });
  side.append(buttons(root, side, "presets", data.presets.map((preset) => [preset.name, () => {
    const from = at.map((one) => one.slice());
    glide(root, (share) => {
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

  function measured() {
    const drawn = data.own.map(([x, y], i) => [x + at[data.on[i]][0], y + at[data.on[i]][1]]);
    const E2 = squares(drawn), r = ranksOf(E2, n);
    let strangers = 0, friends = 0, de = 0, dd = 0, ee = 0;
    for (let i = 0; i < n * n; i++) {
      if (r[i] <= k && R[i] > k) { strangers += R[i] - k; }
      if (R[i] <= k && r[i] > k) { friends += r[i] - k; }
      de += Math.sqrt(D2[i] * E2[i]);
      dd += D2[i];
      ee += E2[i];
    }
    const worst = n * k * (2 * n - 3 * k - 1) / 2;
    return { trustworthiness: 1 - strangers / worst, continuity: 1 - friends / worst, stress: Math.sqrt(Math.max(1 - de * de / (dd * ee), 0)),
      kl: leastDivergence(P, negative, E2, n), centers: spearman(wanted, between(centers(drawn))) };
  }

  function update() {
    islands.forEach((group, i) => {
      group.setAttribute("transform", `translate(${view.across(at[i][0]).toFixed(2)} ${view.up(at[i][1]).toFixed(2)})`);
      group.tell(at[i][0], `at ${fixed(at[i][0], 1)}, ${fixed(at[i][1], 1)}`);
    });
    const found = measured();
    show(found);
    root.dataset.state = JSON.stringify({ at });
    say(`Trustworthiness ${fixed(found.trustworthiness)}, continuity ${fixed(found.continuity)}, stress ${fixed(found.stress)}, `
      + `divergence ${fixed(found.kl)}, correlation of the distances between digits ${fixed(found.centers)}.`);
  }
  update();
}
