/* Tests of two models on questions drawn from a pool: the difference that each would report, with its paired interval. The
 * draws are those of `reanalyses.moving.generator`, test t with seed t; intervals reach 1.96 standard errors to either side. */

const Z = 1.959963984540054, POWER = 0.8416212335729143, SHOWN = 40;

/* The normal distribution function, by its series. */
function normal(z) {
  let term = z, total = z;
  for (let k = 3; k < 201; k += 2) { term *= z * z / k; total += term; }
  return 0.5 + total * Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
}

/* The mean, and the standard error of a mean of n, in points. */
function meanAndError(values, n, divisor) {
  const middle = mean(values);
  return [100 * middle, 100 * Math.sqrt(sum(values.map((v) => (v - middle) ** 2)) / divisor / n)];
}

function figure(root, data) {
  const pools = data.pairs.map(({ pool }) => [...pool].map((one) => Number(one) - 1));
  const { picture, side } = layout(root), say = speaker(root);
  const view = plot(picture, { name: "Intervals of differences", height: 330, left: 30, right: 16, bottom: 40, x: [-16, 22], y: [0, SHOWN] });
  view.axes([-10, 0, 10, 20], [], "lead of the first model in points", "newest on top");
  const layer = view.layer(), KINDS = [0, 1, 2];
  const lines = KINDS.map((kind) => draw(layer, "path", { "class": `ilm-arrow ilm-series-${kind}` }));
  lines.forEach((line) => { line.style.strokeWidth = 2.2; });
  const dots = KINDS.map((kind) => draw(layer, "path", { "class": `ilm-mark ilm-series-${kind}` }));
  draw(layer, "path", { "class": "ilm-axis", d: `M${view.across(0)} ${view.top}V${view.bottom}` });
  const rule = draw(layer, "path", { "class": "ilm-dashed ilm-strong" });
  const told = draw(layer, "path", { "class": "ilm-axis" });
  Object.assign(told.style, { strokeDasharray: "1 4", strokeWidth: 2.2, strokeLinecap: "round" });
  legend(picture, [[0, "tells that the first is ahead"], [1, "holds 0: does not tell"], [2, "tells that the second is ahead"]]);
  make(picture, "div", { "class": "ilm-legend" }, "Dashed: the lead on all questions. Dotted: the mean of the leads that are told.");

  let samples = [], chosen = 0, seed = 0;
  const show = readout(side, "The last test", [["n", "questions", 0], ["difference", "lead, points", 1], ["low", "interval from", 1], ["high", "to", 1]]);
  const count = readout(side, "All tests", [["truth", `lead on all ${pools[0].length} questions`, 1], ["drawn", "tests drawn", 0],
    ["ahead", "tell that the first is ahead", 0], ["power", "in the long run, a share of about", 2], ["reported", "mean of the leads that they report", 1],
    ["behind", "tell that the second is ahead", 0], ["least", "a lead that 4 tests of 5 would find", 1]]);
  const size = slider(side, "questions n", { min: 2, max: Math.log10(5000), step: "any", value: Math.log10(200), show: (v) => fixed(Math.round(Math.pow(10, v)), 0) }, anew);
  const draws = buttons(root, side, "tests", [["draw one", () => { toss(); update(); }], ["draw 100", many], ["start over", () => { seed = 0; anew(); }]]);
  const which = buttons(root, side, "models", data.pairs.map(({ name }, i) => [name, () => { chosen = i; seed = 0; anew(); }]), data.pairs[0].name);
  side.prepend(draws, which);

  function toss() {
    seed += 1;
    const next = mulberry32(seed), n = Math.round(Math.pow(10, size.value)), pool = pools[chosen];
    const [difference, error] = meanAndError(Array.from({ length: n }, () => pool[Math.floor(next() * pool.length)]), n, n - 1);
    samples.push({ seed, n, difference, low: difference - Z * error, high: difference + Z * error });
  }

  function many() {
    let done = 0;
    glide(root, (share) => { for (; done < Math.round(100 * share); done += 1) { toss(); } update(); });
  }

  function anew() {
    samples = [];
    while (samples.length < SHOWN) { toss(); }
    update();
  }

  function update() {
    const kindOf = ({ low, high }) => (low > 0 ? 0 : high < 0 ? 2 : 1), last = samples[samples.length - 1], { n } = last;
    const [ahead, , behind] = KINDS.map((kind) => samples.filter((one) => kindOf(one) === kind));
    const [truth, error] = meanAndError(pools[chosen], n, pools[chosen].length);
    KINDS.forEach((kind) => {
      const mine = samples.slice(-SHOWN).reverse().map((one, i) => ({ ...one, y: view.up(SHOWN - i - 0.5) })).filter((one) => kindOf(one) === kind);
      lines[kind].setAttribute("d", mine.map(({ low, high, y }) => `M${view.across(low)} ${y}H${view.across(high)}`).join(""));
      dots[kind].setAttribute("d", mine.map(({ difference, y }) => mark(kind, view.across(difference), y, 2)).join(""));
    });
    rule.setAttribute("d", `M${view.across(truth)} ${view.top}V${view.bottom}`);
    show(last);
    const reported = ahead.length ? mean(ahead.map((one) => one.difference)) : null, power = normal(truth / error - Z);
    told.setAttribute("d", reported === null ? "" : `M${view.across(reported)} ${view.top}V${view.bottom}`);
    count({ truth, drawn: samples.length, ahead: ahead.length, reported, behind: behind.length, power, least: (Z + POWER) * error });
    root.dataset.state = JSON.stringify({ n, pair: chosen, seeds: samples.map((one) => one.seed) });
    say(`${data.pairs[chosen].name}, ${n} questions: ${ahead.length} of ${samples.length} tests tell that the first is ahead, ${behind.length} that the second is.`);
  }
  anew();
}
