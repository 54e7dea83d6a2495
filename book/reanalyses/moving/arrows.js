/* Two lists of words as directions in the plane, and their mean unit vectors: mean cosine similarity is the product of the
 * two lengths and the cosine of the angle between them. The numbers are those of `isotropy_lab.association`. */

function meanArrow(angles) {
  const radians = angles.map((a) => a * Math.PI / 180);
  return [mean(radians.map(Math.cos)), mean(radians.map(Math.sin))];
}

function figure(root, data) {
  const { picture, side } = layout(root), say = speaker(root);
  const view = plot(picture, { name: "Words as directions", width: 360, height: 330, left: 20, right: 20, top: 5, bottom: 5, x: [-1.25, 1.25], y: [-1.25, 1.25] });
  const background = view.layer(false), layer = view.layer(false), unit = view.across(1) - view.across(0), o = [view.across(0), view.up(0)];
  draw(background, "circle", { cx: o[0], cy: o[1], r: unit, "class": "ilm-axis" });
  draw(background, "path", { d: mark(4, o[0], o[1], 4), "class": "ilm-axis" });
  const lists = [data.presets[0].A.slice(), data.presets[0].B.slice()];
  const means = draw(layer, "g"), arrows = [0, 1].map((kind) => draw(means, "path", { "class": `ilm-arrow ilm-series-${kind}` }));
  const words = lists.map((list, kind) => list.map((_, i) => {
    const group = draw(layer, "g", { "class": `ilm-series-${kind}` });
    group.spoke = draw(group, "path", { "class": "ilm-axis" });
    group.shape = draw(group, "path", { "class": "ilm-mark" });
    group.hit = draw(group, "circle", { "class": "ilm-hit", r: 14 });
    group.describe = handle(group, view.at, {
      name: `word ${i + 1} of list ${"AB"[kind]}, its direction`,
      move: (x, y) => put(kind, i, Math.atan2(y, x) * 180 / Math.PI),
      // Left and up turn counterclockwise, the direction in which angles increase.
      nudge: (dx, dy) => put(kind, i, lists[kind][i] + dy - dx)
    });
    return group;
  }));
  legend(picture, [[0, "list A and its mean unit vector"], [1, "list B and its mean unit vector"]]);
  const presets = buttons(root, side, "presets", data.presets.map((p) => [p.name, () => {
    lists[0] = p.A.slice();
    lists[1] = p.B.slice();
    update();
  }, p.notice]));
  const show = readout(side, "Two lists of words", [["length_a", "length of the mean unit vector of A"], ["length_b", "length of the mean unit vector of B"],
    ["cosine", "cosine of the angle between them"], ["ab", "mean cosine similarity of A and B: the product"],
    ["aa", "of A with A itself: its length squared"], ["bb", "of B with B itself"], ["closest", "A is most similar to"]]);

  function put(kind, i, degrees) {
    lists[kind][i] = ((Math.round(degrees) + 540) % 360) - 180;
    notice(root);
    update();
  }

  function update() {
    const [a, b] = lists.map(meanArrow), lengths = [Math.hypot(...a), Math.hypot(...b)];
    const ab = a[0] * b[0] + a[1] * b[1], aa = lengths[0] * lengths[0], undefinedCosine = lengths.some((l) => l < 1e-9);
    const values = { length_a: lengths[0], length_b: lengths[1], cosine: undefinedCosine ? null : ab / (lengths[0] * lengths[1]), ab, aa,
      bb: lengths[1] * lengths[1], closest: lengths[0] < 1e-9 ? "neither" : Math.abs(ab - aa) < 1e-9 ? "both alike" : ab > aa ? "B" : "itself" };
    [a, b].forEach((m, kind) => arrows[kind].setAttribute("d", arrow(o[0], o[1], view.across(m[0]), view.up(m[1]), 12)));
    means.append(arrows[lengths[0] > lengths[1] ? 1 : 0]);  // draw the shorter one above the other
    words.forEach((list, kind) => list.forEach((word, i) => {
      const angle = lists[kind][i] * Math.PI / 180, [x, y] = [view.across(Math.cos(angle)), view.up(Math.sin(angle))];
      word.spoke.setAttribute("d", `M${o[0]} ${o[1]}L${x} ${y}`);
      word.shape.setAttribute("d", mark(kind, x, y, 6));
      set(word.hit, { cx: x, cy: y });
      word.describe(lists[kind][i], fixed(lists[kind][i], 0) + "°");
    }));
    show(values);
    root.dataset.state = JSON.stringify({ A: lists[0], B: lists[1] });
    say(`Mean arrows of length ${fixed(lengths[0])} and ${fixed(lengths[1])}, cosine ${fixed(values.cosine)}; mean cosine similarity `
      + `${fixed(ab)}, of A with itself ${fixed(aa)}. A is most similar to ${values.closest}.`);
  }
  side.prepend(presets);
  update();
}
