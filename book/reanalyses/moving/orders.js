/* Stress over a common scale: parabolas under a root, and the straight lines that they become. Two lines cross once, so m
 * projections have at most m(m − 1)/2 + 1 orders. The same numbers as `isotropy_lab.projection`. */

function crossingsOf(curves) {
  const found = [];
  curves.forEach((a, i) => curves.slice(0, i).forEach((b) => {
    const at = 2 * (a.c - b.c) / (a.s - b.s);
    if (at > 0 && Number.isFinite(at)) { found.push(at); }
  }));
  return found.sort((a, b) => a - b);
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const top = plot(picture, { name: "Stress over scale", height: 214, left: 60, top: 10, bottom: 38, x: [0, 1], y: [0, 1.5] });
  const low = plot(picture, { name: "The same as straight lines", height: 224, left: 60, top: 14, bottom: 42, x: [0, 1], y: [0, 1] });
  const views = [top, low].map((view) => {
    const under = view.layer(), curves = data.names.map((_, i) => draw(under, "path", { "class": `ilm-line ilm-series-${i}` }));
    const over = view.layer(false), cursor = draw(over, "g");
    cursor.rule = draw(cursor, "path", { "class": "ilm-dashed" });
    cursor.hit = draw(cursor, "rect", { "class": "ilm-hit", width: 26 });
    const marks = data.names.map((_, i) => draw(over, "path", { "class": `ilm-mark ilm-series-${i}`, "pointer-events": "none" }));
    return { view, curves, cursor, marks, crosses: draw(under, "path", { "class": "ilm-grid" }) };
  });
  legend(picture, data.names.map((name, i) => [i, name]));
  let chosen = data.presets[0], alpha = 1, curves, meetings, reach;
  const show = readout(side, "At this scale", data.names.map((name, i) => [String(i), name]), [["stress", "stress"], ["height", "line"]]);
  const words = readout(side, "Order by stress", [["place", "this is order"], ["low", "from scale", 3], ["high", "to scale", 3]]);
  const order = make(side, "p", { "class": "ilm-order", "data-key": "order" });
  const scale = slider(side, "scale α", { min: 0.01, max: 1, step: "any", value: 1, show: (v) => "× " + fixed(v, 2) }, (v) => { alpha = v; notice(root); update(); });
  const presets = buttons(root, side, "data", data.presets.map((preset) => [preset.name, () => choose(preset), preset.notice]), chosen.name);
  const steps = buttons(root, side, "orders", [["previous order", () => go(-1)], ["next order", () => go(1)]]);
  side.prepend(presets, steps);
  const tellers = views.map(({ view, cursor }, i) => {
    const moved = (v) => { alpha = clamp(v, 0.01, reach); scale.value = alpha; notice(root); update(); };
    return handle(cursor, view.at, { name: i ? "scale, in the picture of lines" : "scale", move: moved, nudge: (dx, dy) => moved(alpha + (dx + dy) * reach / 100) });
  });

  function placeOf() { return meetings.filter((at) => at < alpha).length; }

  function go(step) {
    const ends = [0, ...meetings, reach], next = clamp(placeOf() + step, 0, meetings.length), from = alpha;
    const to = (ends[next] + ends[next + 1]) / 2;
    glide(root, (share) => { alpha = share === 1 ? to : from + share * (to - from); scale.value = alpha; update(); });
  }

  function choose(preset) {
    chosen = preset;
    curves = preset.sums.map(([c, s]) => ({ c: c / preset.D, s: s / preset.D }));
    meetings = crossingsOf(curves);
    reach = Math.ceil(11 * meetings[meetings.length - 1]) / 10;
    alpha = Math.min(1, reach);
    set(scale.input, { max: reach });
    scale.value = alpha;
    // The frame of the lines is where they cross; what lies far above or below leaves it.
    const heights = curves.flatMap((a, i) => curves.slice(0, i).map((b) => [2 * (a.c - b.c) / (a.s - b.s), a]))
      .filter(([at]) => at > 0 && Number.isFinite(at)).map(([at, { c, s }]) => s * at - 2 * c);
    const [least, most] = [Math.min(...heights), Math.max(...heights)], margin = 0.25 * (most - least);
    top.x = low.x = [0, reach];
    low.y = [least - margin, most + margin];
    const whole = [0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5].filter((v) => v <= reach);
    top.axes(whole, [0, 0.5, 1, 1.5], "", "stress");
    const step = [0.1, 0.2, 0.5, 1, 2, 5].find((size) => (low.y[1] - low.y[0]) / size <= 7);
    const ticks = Array.from({ length: 81 }, (_, i) => (i - 40) * step).filter((v) => v >= low.y[0] && v <= low.y[1]).map((v) => [v, fixed(v, step < 1 ? 1 : 0)]);
    low.axes(whole, ticks, "scale α of all projections", "(stress² − 1) / α");
    const at = Array.from({ length: 121 }, (_, i) => reach * i / 120);
    const stress = ({ c, s }, a) => Math.sqrt(Math.max(1 - 2 * a * c + a * a * s, 0));
    curves.forEach((curve, i) => {
      views[0].curves[i].setAttribute("d", top.path(at.map((a) => [a, stress(curve, a)])));
      views[1].curves[i].setAttribute("d", low.path([[0, -2 * curve.c], [reach, curve.s * reach - 2 * curve.c]]));
    });
    views.forEach(({ view, crosses }) => crosses.setAttribute("d", meetings.map((m) => `M${view.across(m)} ${view.bottom}V${view.top}`).join("")));
    update();
  }

  function update() {
    const stress = curves.map(({ c, s }) => Math.sqrt(Math.max(1 - 2 * alpha * c + alpha * alpha * s, 0)));
    const height = curves.map(({ c, s }) => alpha * s - 2 * c), place = placeOf();
    const ranked = data.names.map((_, i) => i).sort((a, b) => height[a] - height[b]).map((i) => data.names[i]).join(" < ");
    [stress, height].forEach((values, k) => {
      const { view, cursor, marks } = views[k], x = view.across(alpha);
      cursor.rule.setAttribute("d", `M${x} ${view.top}V${view.bottom}`);
      set(cursor.hit, { x: x - 13, y: view.top, height: view.bottom - view.top });
      values.forEach((v, i) => {
        const inside = v <= view.y[1] && v >= view.y[0];
        marks[i].setAttribute("d", inside ? mark(i, x, view.up(v), 4.5) : "");
      });
      tellers[k](alpha, `scale ${fixed(alpha, 2)}`);
    });
    const found = {};
    data.names.forEach((_, i) => { found["stress" + i] = stress[i]; found["height" + i] = height[i]; });
    show(found);
    order.textContent = ranked;
    words({ place: `${place + 1} of ${meetings.length + 1}`, low: place ? meetings[place - 1] : 0, high: place < meetings.length ? meetings[place] : "∞" });
    root.dataset.state = JSON.stringify({ dataset: chosen.name, alpha });
    say(`Scale ${fixed(alpha, 2)}, order ${place + 1} of ${meetings.length + 1}: ${ranked}.`);
  }
  choose(chosen);
}
