/* A draggable cloud in the plane, and five scores of its isotropy, with the numbers of
 * `isotropy_lab.isotropy.isotropy_scores`. */

/* Return the eigenvalues of a symmetric matrix [[a, b], [b, c]], the larger first, and the angle of its first axis. */
function axesOf(a, b, c) {
  const middle = (a + c) / 2, half = Math.hypot((a - c) / 2, b);
  return { values: [middle + half, middle - half], angle: Math.atan2(2 * b, a - c) / 2 };
}

/* Return the sums of squares and products about a center. */
function products(points, [mx, my]) {
  return points.reduce(([a, b, c], [x, y]) =>
    [a + (x - mx) * (x - mx), b + (x - mx) * (y - my), c + (y - my) * (y - my)], [0, 0, 0]);
}

function center(points) { return [0, 1].map((i) => mean(points.map((p) => p[i]))); }

function averageCosine(points) {
  const units = points.map(([x, y]) => [x / Math.hypot(x, y), y / Math.hypot(x, y)]);
  const total = [0, 1].map((i) => sum(units.map((u) => u[i]))), n = points.length;
  return (total[0] * total[0] + total[1] * total[1] - n) / (n * (n - 1));
}

/* min Z(c)/max Z(c), Z(c) = Σ exp(c·x), over both eigenvectors of XᵀX and their opposites. */
function partition(points) {
  const { angle } = axesOf(...products(points, [0, 0]));
  const logs = [0, 1, 2, 3].map((quarter) => {
    const turn = angle + quarter * Math.PI / 2, c = [Math.cos(turn), Math.sin(turn)];
    const exponents = points.map(([x, y]) => c[0] * x + c[1] * y), peak = Math.max(...exponents);
    return peak + Math.log(sum(exponents.map((e) => Math.exp(e - peak))));
  });
  return Math.exp(Math.min(...logs) - Math.max(...logs));
}

/* Return Levina and Bickel's estimate from the distances to the nearest points, without duplicates. */
function intrinsicDimension(points, neighbors) {
  const distinct = [...new Map(points.map((p) => [p.join(), p])).values()];
  return 1 / mean(distinct.map((p) => {
    const nearest = distinct.filter((q) => q !== p).map((q) => Math.hypot(p[0] - q[0], p[1] - q[1])).sort((a, b) => a - b);
    const last = nearest[neighbors - 1];
    return sum(nearest.slice(0, neighbors - 1).map((d) => Math.log(last / d))) / (neighbors - 1);
  }));
}

function scoresOf(points, neighbors) {
  const [a, b, c] = products(points, center(points)), { values } = axesOf(a, b, c), cosine = averageCosine(points);
  return {
    isoscore: clamp((a + c) * (a + c) / (a * a + 2 * b * b + c * c) - 1, 0, 1),
    average_cosine: cosine,
    average_cosine_score: 1 - Math.abs(cosine),
    partition_score: partition(points),
    varex_score: clamp(0.5 * (values[0] + values[1]) / values[0], 0.5, 1),
    id_score: Math.min(intrinsicDimension(points, neighbors) / 2, 1)
  };
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  if (data.compact) { picture.style.maxWidth = "380px"; }
  const height = data.compact ? 270 : 352, flat = (height - 34) / 318;  // one unit is as long across as it is up
  const view = plot(picture, { name: "The cloud", height, left: 30, right: 12, top: 10, bottom: 24, x: [-6, 6], y: [-6, 6] });
  const under = view.layer(), shapes = view.layer();
  const rules = [0, 1].map(() => draw(under, "path", { "class": "ilm-axis" }));
  const ellipse = draw(under, "path", { "class": "ilm-dashed" });
  const arm = draw(under, "path", { "class": "ilm-arrow ilm-series-1" });
  make(picture, "div", { "class": "ilm-legend" }, "Dashed: two standard deviations. Orange line: from the origin to the mean.");
  let points = [], chosen = 0, dragged = [], axis = 0, before = { stretch: 1, turn: 0 };

  const dots = data.presets[0].points.map((_, i) => {
    const dot = draw(shapes, "g", { "class": "ilm-series-0" });
    dot.shape = draw(dot, "path", { "class": "ilm-mark" });
    dot.hit = draw(dot, "circle", { "class": "ilm-hit", r: 10 });
    handle(dot, view.at, {
      select: () => { choose(i); dragged = points.map((p) => p.slice()); },
      move: (x, y) => put(i, x, y),
      done: update
    });
    return dot;
  });
  /* The chosen point is the only keyboard stop among the points; Page Up and Page Down choose another. */
  const chosenPoint = draw(shapes, "g");
  const ring = draw(chosenPoint, "circle", { "class": "ilm-hit", r: 9, "pointer-events": "none" });
  const step = () => (view.x[1] - view.x[0]) / 100;
  const describePoint = handle(chosenPoint, view.at, {
    name: "a point; Page Up and Page Down choose another",
    move: () => {},
    nudge: (dx, dy) => put(chosen, points[chosen][0] + dx * step(), points[chosen][1] + dy * step()),
    keys: { PageUp: () => choose(chosen + 1), PageDown: () => choose(chosen - 1) }
  });
  const grip = draw(shapes, "g");
  const gripShape = draw(grip, "path", { "class": "ilm-grip" });
  const gripHit = draw(grip, "circle", { "class": "ilm-hit", r: 12 });
  const describeGrip = handle(grip, view.at, {
    name: "the whole cloud",
    select: () => { dragged = points.map((p) => p.slice()); },
    move: (x, y, dx, dy) => shift(dx, dy),
    nudge: (dx, dy) => shift(dx * 5 * step(), dy * 5 * step()),
    done: update
  });

  const show = readout(side, data.two ? "Two scores of the same cloud" : "Five scores, each at most 1", [
    ["isoscore", "IsoScore"], ["average_cosine_score", "average cosine score"],
    ...(data.two ? [] : [["partition_score", "partition score"], ["varex_score", "VarEx score"], ["id_score", "ID score"]]),
    ...(data.two || data.compact ? [] : [["average_cosine", "average cosine itself", 3, false]])
  ], undefined, { bars: true });
  const controls = data.compact ? null : {
    stretch: slider(side, "stretch", { min: -1, max: 1, step: 0.02, value: 0, show: (v) => "× " + fixed(Math.pow(4, v), 2) }, (v) => {
      const factor = Math.pow(4, v), along = axis + before.turn * Math.PI / 180, u = [Math.cos(along), Math.sin(along)];
      const ratio = factor / before.stretch - 1, m = center(points);
      before.stretch = factor;
      points = points.map(([x, y]) => {
        const far = ratio * ((x - m[0]) * u[0] + (y - m[1]) * u[1]);
        return [x + far * u[0], y + far * u[1]];
      });
      update();
    }),
    turn: slider(side, "turn", { min: -180, max: 180, step: 1, value: 0, show: (v) => fixed(v, 0) + "°" }, (v) => {
      const by = (v - before.turn) * Math.PI / 180, m = center(points), cos = Math.cos(by), sin = Math.sin(by);
      before.turn = v;
      points = points.map(([x, y]) => [m[0] + cos * (x - m[0]) - sin * (y - m[1]), m[1] + sin * (x - m[0]) + cos * (y - m[1])]);
      update();
    })
  };
  const presets = data.presets.map((preset) => [preset.name, () => go(preset.points, preset.axis), preset.notice]);
  const subtract = [data.center.name, () => { const m = center(points); go(points.map(([x, y]) => [x - m[0], y - m[1]]), null); },
    data.center.notice];
  const actions = buttons(root, side, "presets", data.compact ? [subtract, ...presets] : [...presets, subtract]);
  side.insertBefore(actions, side.firstChild);

  function choose(i) { chosen = (i + points.length) % points.length; drawPoints(); }

  function put(i, x, y) {
    points[i] = [clamp(x, view.x[0], view.x[1]), clamp(y, view.y[0], view.y[1])];
    notice(root);
    update(true);
  }

  function shift(dx, dy) {
    const reach = [0, 1].map((i) => [Math.min(...dragged.map((p) => p[i])), Math.max(...dragged.map((p) => p[i]))]);
    const by = [dx, dy].map((d, i) => clamp(d, Math.min(view.x[0] - reach[i][0], 0), Math.max(view.x[1] - reach[i][1], 0)));
    points = dragged.map(([x, y]) => [x + by[0], y + by[1]]);
    notice(root);
    update(true);
  }

  function go(target, along) {
    const from = points.length ? points : target;
    if (along !== null) { axis = along; before = { stretch: 1, turn: 0 }; }
    if (controls && along !== null) { controls.stretch.value = 0; controls.turn.value = 0; }
    animate(root, (share) => {
      points = share === 1 ? target.map((p) => p.slice()) : from.map((p, i) => [0, 1].map((j) => p[j] + share * (target[i][j] - p[j])));
      update();
    });
  }

  function drawPoints() {
    dots.forEach((dot, i) => {
      const [x, y] = [view.across(points[i][0]), view.up(points[i][1])];
      dot.shape.setAttribute("d", mark(0, x, y, 3.2));
      set(dot.hit, { cx: x, cy: y });
    });
    set(ring, { cx: view.across(points[chosen][0]), cy: view.up(points[chosen][1]) });
    describePoint(points[chosen][0], `point ${chosen + 1} of ${points.length} at ${fixed(points[chosen][0], 1)}, ${fixed(points[chosen][1], 1)}`);
  }

  /* During dragging the frame remains; otherwise it is enlarged so that no point is cut off. */
  function update(dragging) {
    if (dragging !== true) {
      const reach = Math.max(6, Math.ceil(1.05 * Math.max(...points.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y) / flat)))));
      const high = Math.floor(reach * flat);
      view.x = [-reach, reach];
      view.y = [-reach * flat, reach * flat];
      view.axes([-reach, 0, reach], [-high, 0, high]);
    }
    const m = center(points), o = [view.across(0), view.up(0)], at = [view.across(m[0]), view.up(m[1])];
    rules[0].setAttribute("d", `M${o[0]} ${view.top}V${view.bottom}`);
    rules[1].setAttribute("d", `M${view.left} ${o[1]}H${view.right}`);
    const [a, b, c] = products(points, m), { values, angle } = axesOf(a, b, c);
    const radii = values.map((v) => 2 * Math.sqrt(Math.max(v, 0) / (points.length - 1)) * (view.across(1) - view.across(0)));
    ellipse.setAttribute("d", `M-${radii[0]} 0A${radii[0]} ${radii[1]} 0 1 0 ${radii[0]} 0A${radii[0]} ${radii[1]} 0 1 0 -${radii[0]} 0Z`);
    ellipse.setAttribute("transform", `translate(${at[0]} ${at[1]}) rotate(${-angle * 180 / Math.PI})`);
    arm.setAttribute("d", arrow(o[0], o[1], at[0], at[1]));
    gripShape.setAttribute("d", mark(3, at[0], at[1], 7));
    set(gripHit, { cx: at[0], cy: at[1] });
    describeGrip(m[0], `mean at ${fixed(m[0], 1)}, ${fixed(m[1], 1)}`);
    drawPoints();
    const scores = scoresOf(points, data.neighbors);
    show(scores);
    root.dataset.state = JSON.stringify({ points });
    say(`IsoScore ${fixed(scores.isoscore)}, average cosine score ${fixed(scores.average_cosine_score)}`
      + (data.two ? "." : `, partition score ${fixed(scores.partition_score)}, VarEx score ${fixed(scores.varex_score)}, `
        + `ID score ${fixed(scores.id_score)}.`));
  }

  const first = data.presets.find((preset) => preset.name === data.first);
  points = first.points.map((p) => p.slice());
  axis = first.axis;
  update();
}
