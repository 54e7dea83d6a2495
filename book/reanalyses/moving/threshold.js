/* A threshold on similarities: what it hides of right answers, of the ten best, and of random documents. The same numbers as
 * `isotropy_lab.retrieval.overlap` and `score_at_threshold`. */

/* Ascending whole numbers, given as the first and then the steps; in ten-thousandths. */
function decoded(steps) {
  let at = 0;
  return steps.map((step) => { at += step; return at / 10000; });
}

/* The share of counted values above a threshold: `first` is the least of them in ten-thousandths, `counts` has one place for
 * each ten-thousandth from there on. */
function shareAbove({ first, counts }, threshold) {
  let above = 0, all = 0;
  counts.forEach((count, i) => { all += count; above += (first + i) / 10000 > threshold ? count : 0; });
  return above / all;
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const right = [...decoded(data.right_found), ...decoded(data.right_missed)].sort((a, b) => a - b), found = decoded(data.right_found);
  const best = decoded(data.top), foreign = data.foreign && decoded(data.foreign);
  const [least, most] = [data.grid[0], data.grid[data.grid.length - 1]];
  const highest = 1.06 * Math.max(...data.densities.flat());
  const view = plot(picture, { name: "Densities of similarities", left: 20, x: [least, most], y: [0, highest] });
  view.axes([-0.2, 0, 0.2, 0.4, 0.6, 0.8, 1].filter((v) => v >= least && v <= most), [], "cosine similarity", "density");
  const under = view.layer(), over = view.layer(false);
  const areas = data.names.map((_, kind) => draw(under, "path", { "class": `ilm-area ilm-series-${kind}` }));
  data.names.forEach((_, kind) => draw(under, "path", { "class": `ilm-line ilm-series-${kind}`, d: view.path(data.grid.map((x, i) => [x, data.densities[kind][i]])) }));
  const grip = draw(over, "g"), rule = draw(grip, "path", { "class": "ilm-axis", style: "stroke-width: 2" });
  const knob = draw(grip, "path", { "class": "ilm-grip" }), hit = draw(grip, "rect", { "class": "ilm-hit", width: 28, y: view.top, height: view.bottom - view.top });
  legend(picture, data.names.map((name, kind) => [kind, name, "line"]));

  let tau = 0, psi = null;
  const show = readout(side, "Share above the threshold", [["right", "right answers, found or missed"], ["best", data.names[2]], ["random", data.names[3], 4],
    ...(data.foreign ? [["foreign", data.names[4]]] : [])]);
  const lost = readout(side, "What it costs", [["accuracy", "accuracy without a threshold"], ["kept", "accuracy that is left"]]);
  const level = slider(side, "threshold τ", { min: Math.ceil(least * 1000) / 1000, max: Math.floor(most * 1000) / 1000, step: 0.001, value: 0, show: (v) => fixed(v, 3) }, (v) => { tau = v; psi = null; notice(root); update(); });
  const percent = slider(side, "percentile ψ", { min: 0, max: 100, step: 1, value: 0, show: (v) => fixed(v, 0) }, (v) => { notice(root); take(v); });
  const presets = buttons(root, side, "presets", data.presets.map((p) => [p.name, () => take(p.psi), p.notice]));
  side.prepend(presets);
  const move = (v) => { tau = clamp(Math.round(v * 1000) / 1000, Number(level.input.min), Number(level.input.max)); psi = null; notice(root); update(); };
  const tell = handle(grip, view.at, { name: "threshold", move, nudge: (dx, dy) => move(tau + (dx + dy) * 0.005) });

  /* The ψ-th percentile of the similarities of the ten best, linear between them. */
  function take(percentile) {
    const place = percentile * (best.length - 1) / 100, below = Math.floor(place), above = Math.min(below + 1, best.length - 1);
    tau = best[below] + (best[above] - best[below]) * (place - below);
    psi = percentile;
    update();
  }

  function update() {
    const above = (values) => (values.length - atMost(values, tau)) / values.length;
    const shares = [above(right), above(best), shareAbove(data.random, tau)];
    // What equals the threshold is kept.
    const hidden = found.findIndex((s) => s >= tau), left = (hidden < 0 ? 0 : found.length - hidden) / right.length;
    const x = view.across(tau);
    areas.forEach((area, kind) => {
      const beyond = data.grid.map((g, i) => [g, data.densities[kind][i]]).filter(([g]) => g >= tau);
      area.setAttribute("d", beyond.length ? view.path([[beyond[0][0], 0], ...beyond, [most, 0]]) + "Z" : "");
    });
    rule.setAttribute("d", `M${x} ${view.top}V${view.bottom}`);
    knob.setAttribute("d", mark(3, x, view.top + 8, 6));
    hit.setAttribute("x", x - 14);
    level.value = tau;
    level.input.nextSibling.textContent = fixed(tau, 3);
    percent.value = psi === null ? Math.round(100 * (1 - shares[1])) : psi;
    tell(tau, `threshold ${fixed(tau, 3)}`);
    const values = { right: shares[0], best: shares[1], random: shares[2] };
    if (foreign) { values.foreign = above(foreign); }
    show(values);
    lost({ accuracy: found.length / right.length, kept: left });
    root.dataset.state = JSON.stringify({ tau, psi });
    say(`Threshold ${fixed(tau, 3)}: above it are ${fixed(shares[0])} of right answers, ${fixed(shares[1])} of the ten best, ${fixed(shares[2], 4)} of random documents. `
      + `Accuracy ${fixed(left)} of ${fixed(found.length / right.length)} is left.`);
  }
  take(data.presets[0].psi);
}
