/* A threshold that judges a list by its best document: for which questions it shows nothing, and the hits that this costs. */

/* Ascending whole numbers, given as the first and then the steps; in hundred-thousandths. */
function decoded(steps) {
  let at = 0;
  return steps.map((step) => { at += step; return at / 100000; });
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const [hits, misses, foreign] = [data.hits, data.misses, data.foreign].map(decoded), questions = hits.length + misses.length;
  const [least, most] = [data.grid[0], data.grid[data.grid.length - 1]];
  const highest = 1.16 * Math.max(...data.densities.flat());
  const view = plot(picture, { name: "Densities of the best similarity", left: 20, x: [least, most], y: [0, highest] });
  view.axes([-0.2, 0, 0.2, 0.4, 0.6, 0.8, 1].filter((v) => v >= least && v <= most), [], "similarity of the best document", "density");
  const under = view.layer(), over = view.layer(false);
  const areas = data.names.map((_, kind) => draw(under, "path", { "class": `ilm-area ilm-series-${kind}` }));
  data.names.forEach((_, kind) => draw(under, "path", { "class": `ilm-line ilm-series-${kind}`, d: view.path(data.grid.map((x, i) => [x, data.densities[kind][i]])) }));
  const sides = [["silent", "end", -12], ["shown", "start", 12]].map(([name, anchor, away]) => ({ name, away, text: draw(over, "text", { y: view.top + 12, "text-anchor": anchor }) }));
  const grip = draw(over, "g", { "class": "ilm-cursor" }), rule = draw(grip, "path", { "class": "ilm-axis", style: "stroke-width: 2" });
  const knob = draw(grip, "path", { "class": "ilm-grip" }), hit = draw(grip, "rect", { "class": "ilm-hit", width: 28, y: view.top, height: view.bottom - view.top });
  legend(picture, data.names.map((name, kind) => [kind, name, "line"]));

  let tau = data.presets[0].tau;
  const cost = readout(side, "What it costs", [["lost", `hits lost, of ${hits.length}`, 0], ["points", "points of accuracy lost", 1], ["own", "share of our questions with no list"]]);
  const silent = readout(side, "What it gains", [["foreign", "share of foreign questions with no list"]]);
  const level = slider(side, "threshold τ", { min: Math.ceil(least * 1000) / 1000, max: Math.floor(most * 1000) / 1000, step: 0.001, value: tau, show: (v) => fixed(v, 3) }, (v) => { tau = v; update(); });
  const move = (v) => { tau = clamp(Math.round(v * 1000) / 1000, Number(level.input.min), Number(level.input.max)); update(); };
  side.prepend(buttons(root, side, "presets", data.presets.map((p) => [`τ = ${fixed(p.tau, 2)}`, () => move(p.tau), p.notice])));
  const tell = handle(grip, view.at, { name: "threshold", move, nudge: (dx, dy) => move(tau + (dx + dy) * 0.005) });

  function update() {
    // What equals the threshold is shown.
    const below = (values) => values.filter((s) => s < tau).length;
    const lost = below(hits), own = (lost + below(misses)) / questions, ofForeign = below(foreign) / foreign.length;
    const x = view.across(tau);
    areas.forEach((area, kind) => {
      const curve = data.grid.map((g, i) => [g, data.densities[kind][i]]), first = curve.findIndex(([g]) => g > tau);
      const [[x0, y0], [x1, y1]] = first > 0 ? [curve[first - 1], curve[first]] : [curve[0], curve[1]];
      const start = [tau, y0 + (y1 - y0) * (tau - x0) / (x1 - x0)];
      area.setAttribute("d", first < 0 ? "" : view.path([[tau, 0], start, ...curve.slice(first), [most, 0]]) + "Z");
    });
    rule.setAttribute("d", `M${x} ${view.top}V${view.bottom}`);
    knob.setAttribute("d", mark(3, x, view.top + 8, 6));
    hit.setAttribute("x", x - 14);
    sides.forEach(({ name, away, text }) => {
      const room = away < 0 ? x - view.left : view.right - x;
      set(text, { x: x + away }).textContent = room > 60 ? name : "";
    });
    level.value = tau;
    tell(tau, `threshold ${fixed(tau, 3)}`);
    cost({ lost, points: 100 * lost / questions, own });
    silent({ foreign: ofForeign });
    root.dataset.state = JSON.stringify({ tau });
    say(`Threshold ${fixed(tau, 3)}: ${lost} hits are lost. Nothing is shown for ${fixed(own)} of our questions, and for ${fixed(ofForeign)} of the foreign ones.`);
  }
  update();
}
