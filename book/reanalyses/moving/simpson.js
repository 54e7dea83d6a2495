/* Groups of models, each a cloud of its own: the correlation of all rows is a mixture of that within groups and that between
 * them. The same numbers as `reanalyses.roychowdhury2024.correlations.pooling_effect`. */

function crossProducts(rows) {
  const [mx, my] = [0, 1].map((i) => mean(rows.map((r) => r[i])));
  return rows.reduce(([a, b, c], [x, y]) => [a + (x - mx) * (x - mx), b + (x - mx) * (y - my), c + (y - my) * (y - my)], [0, 0, 0]);
}

function pooling(groups) {
  const total = crossProducts(groups.flat());
  const within = groups.map(crossProducts).reduce((a, b) => a.map((v, i) => v + b[i]));
  const between = crossProducts(groups.flatMap((g) => g.map(() => [0, 1].map((i) => mean(g.map((r) => r[i]))))));
  const size = ([a, , c]) => Math.sqrt(a * c), scale = size(total), flat = between[0] <= 1e-14 * total[0] || between[2] <= 1e-14 * total[2];
  return { pooled: total[1] / scale, within: within[1] / size(within), between: flat ? null : between[1] / size(between),
    within_weight: size(within) / scale, between_weight: flat ? 0 : size(between) / scale };
}

/* The line of least squares through rows, over the range of their first column. */
function trend(rows) {
  const [a, b] = crossProducts(rows), xs = rows.map((r) => r[0]), mx = mean(xs), my = mean(rows.map((r) => r[1]));
  return a > 0 ? [Math.min(...xs), Math.max(...xs)].map((x) => [x, my + (x - mx) * b / a]) : [];
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const view = plot(picture, { name: "Groups of models", height: 340, left: 48, x: [0, 1], y: [0, 100] });
  const under = view.layer(), layer = view.layer(false), keys = make(picture, "div");
  const all = draw(under, "path", { "class": "ilm-dashed", style: "stroke-width: 2.5" });
  const most = Math.max(...data.presets.map((p) => p.groups.length));
  const show = readout(side, "Correlation of isotropy and accuracy", [["pooled", "of all models (dashed line)"], ["within", "within groups (solid lines)"], ["between", "between the means of groups"],
    ["within_weight", "weight of within"], ["between_weight", "weight of between"]]);
  make(side, "p", {}, "The first number is the second and the third, each times its weight, added up.");
  let groups = [], chosen = data.presets[0], held = [];
  const shapes = Array.from({ length: most }, (_, kind) => {
    const group = draw(layer, "g", { "class": `ilm-series-${kind}` });
    group.line = draw(under, "path", { "class": `ilm-line ilm-series-${kind}`, style: "stroke-dasharray: none" });
    group.dots = draw(group, "path", { "class": "ilm-mark" });
    group.hit = draw(group, "rect", { "class": "ilm-hit", rx: 6 });
    group.tell = handle(group, view.at, {
      name: `group ${kind + 1}`,
      select: () => { held = groups[kind].map((r) => r.slice()); },
      move: (x, y, dx, dy) => shift(kind, dx, dy),
      nudge: (dx, dy) => shift(kind, dx * (view.x[1] - view.x[0]) / 50, dy * (view.y[1] - view.y[0]) / 50)
    });
    return group;
  });
  side.prepend(buttons(root, side, "presets", data.presets.map((preset) => [preset.name, () => choose(preset), preset.notice])));

  function shift(kind, dx, dy) {
    const by = [[dx, view.x], [dy, view.y]].map(([d, [low, high]], i) => {
      const values = held.map((r) => r[i]);
      return clamp(d, Math.min(low - Math.min(...values), 0), Math.max(high - Math.max(...values), 0));
    });
    groups[kind] = held.map((r) => r.map((v, i) => v + by[i]));
    notice(root);
    update();
  }

  function choose(preset) {
    chosen = preset;
    groups = preset.groups.map((g) => g.rows.map((r) => r.slice()));
    view.axes([0, 0.25, 0.5, 0.75, 1], [0, 25, 50, 75, 100], "isotropy", "accuracy");
    keys.replaceChildren();
    legend(keys, preset.groups.map((g, kind) => [kind, g.name]));
    shapes.forEach((shape, kind) => {
      shape.setAttribute("visibility", kind < groups.length ? "visible" : "hidden");
      shape.setAttribute("tabindex", kind < groups.length ? 0 : -1);
      if (kind < groups.length) { shape.setAttribute("aria-label", `group ${preset.groups[kind].name}`); }
    });
    update();
  }

  function update() {
    const found = pooling(groups);
    shapes.forEach((shape, kind) => {
      const rows = groups[kind] || [];
      const places = rows.map(([x, y]) => [view.across(x), view.up(y)]);
      shape.dots.setAttribute("d", places.map(([x, y]) => mark(kind, x, y, 4.5)).join(""));
      shape.line.setAttribute("d", rows.length > 1 ? view.path(trend(rows)) : "");
      if (!rows.length) { return; }
      const [xs, ys] = [0, 1].map((i) => places.map((p) => p[i])), x = Math.min(...xs) - 12, y = Math.min(...ys) - 12;
      set(shape.hit, { x, y, width: Math.max(...xs) + 12 - x, height: Math.max(...ys) + 12 - y });
      const [mx, my] = [0, 1].map((i) => mean(rows.map((r) => r[i])));
      shape.tell(mx, `mean at ${fixed(mx, 2)}, ${fixed(my, 1)}`);
    });
    all.setAttribute("d", view.path(trend(groups.flat())));
    show(found);
    root.dataset.state = JSON.stringify({ preset: chosen.name, groups });
    say(`Correlation of all models ${fixed(found.pooled)}, within groups ${fixed(found.within)}, between groups ${fixed(found.between)}.`);
  }
  choose(chosen);
}
