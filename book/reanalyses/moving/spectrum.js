/* Variances to change, and how many dimensions they use: the same numbers as
 * `isotropy_lab.isotropy.isoscore_from_eigenvalues`. */

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const n = data.variances.length, most = 10;
  const view = plot(picture, { name: "Variances along the axes", height: 250, left: 34, top: 16, bottom: 24, x: [0, n], y: [0, most] });
  view.axes(data.variances.map((_, i) => [i + 0.5, "λ" + "₁₂₃₄₅₆₇₈₉"[i]]), [0, 5, 10]);
  const under = view.layer(), layer = view.layer(false);
  const bars = data.variances.map(() => draw(under, "rect", { "class": "ilm-area ilm-solid ilm-series-0" }));
  const level = draw(layer, "path", { "class": "ilm-dashed ilm-strong", "pointer-events": "none" });
  const show = readout(side, "What they are worth", [["used", `dimensions used, of ${n}`], ["isoscore", "IsoScore"]]);
  const sliders = data.variances.map((value, i) => slider(side, `variance ${i + 1}`,
    { min: 0, max: most, step: 0.1, value, show: (v) => fixed(v, 1) }, () => { notice(root); update(); }));
  legend(picture, []).textContent = "Dashed: the mean of the variances.";
  const tells = bars.map((bar, i) => {
    const grip = draw(layer, "g");
    grip.hit = draw(grip, "rect", { "class": "ilm-hit", height: 24 });
    const put = (v) => { sliders[i].value = clamp(v, 0, most); notice(root); update(); };
    // The sliders stand in the order of the keyboard; a bar can be dragged as well.
    handle(grip, view.at, { move: (x, y) => put(y), nudge: () => {} });
    return (y) => set(grip.hit, { x: view.across(i + 0.15), width: view.across(0.7) - view.across(0), y: y - 12 });
  });
  side.prepend(buttons(root, side, "presets", data.presets.map((p) => [p.name, () => {
    sliders.forEach((one, i) => { one.value = p.variances[i]; });
    update();
  }, p.notice])));

  function update() {
    const values = sliders.map((one) => one.value), total = sum(values);
    values.forEach((v, i) => {
      set(bars[i], { x: view.across(i + 0.15), width: view.across(0.7) - view.across(0), y: view.up(v), height: view.bottom - view.up(v) });
      tells[i](view.up(v));
    });
    level.setAttribute("d", view.path([[0, total / n], [n, total / n]]));
    const used = total > 0 ? total * total / sum(values.map((v) => v * v)) : null;
    show({ used, isoscore: total > 0 ? (used - 1) / (n - 1) : null });
    root.dataset.state = JSON.stringify({ variances: values });
    say(total > 0 ? `Dimensions used ${fixed(used)} of ${n}, IsoScore ${fixed((used - 1) / (n - 1))}.` : "No variance anywhere: the score is undefined.");
  }
  update();
}
