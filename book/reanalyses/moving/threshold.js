/* A threshold on similarities: what it hides of the ten best, for which questions it shows nothing, and the accuracy that is
 * left. The same numbers as `isotropy_lab.retrieval.threshold_percentile` and `score_at_threshold`. */

/* Ascending whole numbers, given as the first and then the steps; in ten-thousandths. */
function decoded(steps) {
  let at = 0;
  return steps.map((step) => { at += step; return at / 10000; });
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const [right, best, own, foreign] = [data.right, data.top, data.own, data.foreign].map(decoded);
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
  const silent = readout(side, "Shows nothing for", [["own", "our questions"], ["foreign", "questions without an answer"]]);
  const cost = readout(side, "What it costs", [["hidden", "share hidden of the ten best"], ["accuracy", "accuracy without a threshold"], ["kept", "accuracy that is left"]]);
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
    // What equals the threshold is kept.
    const below = (values) => values.filter((s) => s < tau).length;
    const share = (values) => below(values) / values.length;
    const hidden = share(best), accuracy = right.length / data.questions, kept = (right.length - below(right)) / data.questions;
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
    percent.value = psi === null ? Math.round(100 * hidden) : psi;
    tell(tau, `threshold ${fixed(tau, 3)}`);
    silent({ own: share(own), foreign: share(foreign) });
    cost({ hidden, accuracy, kept });
    root.dataset.state = JSON.stringify({ tau, psi });
    say(`Threshold ${fixed(tau, 3)}: nothing is shown for ${fixed(share(own))} of our questions, and ${fixed(share(foreign))} of those without an answer. `
      + `Accuracy ${fixed(kept)} of ${fixed(accuracy)} is left.`);
  }
  take(data.presets[0].psi);
}
