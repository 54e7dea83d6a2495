/* Three unit vectors under the reader's hand, and which pair the pair S = {1, 3} is closest to: exact everywhere.
 *
 * Markup: <div class="il-consistency" data-theta-1="60" data-theta-2="60" data-lift="0"></div>. Vectors 1 and 3 lie
 * in the ground plane at −θ₁ and θ₂ degrees; vector 2 stands at 0°, lifted out of the plane. The same numbers as
 * isotropy_lab.association.experiments.three_vectors; tests/book compares the two. */
(function () {
  "use strict";

  var PAIRS = [[0, 2], [0, 1], [1, 2]];
  var NAMES = ["{1, 3}", "{1, 2}", "{2, 3}"];
  var METRICS = [["meanCosine", "Mean cosine"], ["normalized", "Normalized mean cosine"], ["canonical", "Canonical"]];
  var ZERO = 1e-9;  // a mean vector, or the area between two vectors, that is rounding and nothing else

  function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

  function cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  }

  function scaled(a, factor) { return a.map(function (x) { return x * factor; }); }

  function vectors(theta1, theta2, lift) {
    var degree = Math.PI / 180;
    return [[Math.cos(theta1 * degree), -Math.sin(theta1 * degree), 0],
      [Math.cos(lift * degree), 0, Math.sin(lift * degree)],
      [Math.cos(theta2 * degree), Math.sin(theta2 * degree), 0]];
  }

  function mean(w, pair) { return w[pair[0]].map(function (x, i) { return (x + w[pair[1]][i]) / 2; }); }

  /* A plane by its unit normal, a line by its direction. */
  function span(w, pair) {
    var normal = cross(w[pair[0]], w[pair[1]]), area = Math.sqrt(dot(normal, normal));
    return area > ZERO ? { rank: 2, axis: scaled(normal, 1 / area) } : { rank: 1, axis: w[pair[0]] };
  }

  function canonical(s, t) {
    var c = dot(s.axis, t.axis), square = c * c;
    if (s.rank === 2 && t.rank === 2) { return (1 + square) / 2; }
    return s.rank === t.rank ? square : (1 - square) / Math.SQRT2;
  }

  /* Similarities of S to the three pairs under the three metrics; null where there is none. */
  function similarities(w) {
    var means = PAIRS.map(function (pair) { return mean(w, pair); });
    var lengths = means.map(function (m) { return Math.sqrt(dot(m, m)); });
    var spans = PAIRS.map(function (pair) { return span(w, pair); });
    return {
      ranks: spans.map(function (s) { return s.rank; }),
      meanCosine: means.map(function (m) { return dot(means[0], m); }),
      normalized: means.map(function (m, i) {
        return lengths[0] < ZERO || lengths[i] < ZERO ? null : dot(means[0], m) / (lengths[0] * lengths[i]);
      }),
      canonical: spans.map(function (s) { return canonical(spans[0], s); })
    };
  }

  /* Which pairs are closest: all whose similarity is the largest, up to rounding. */
  function closest(values) {
    var largest = Math.max.apply(null, values.filter(function (v) { return v !== null; }));
    return values.map(function (v) { return v !== null && v > largest - ZERO; });
  }

  function shown(value) { return value === null ? "undefined" : (Math.abs(value) < 5e-4 ? 0 : value).toFixed(3).replace("-", "−"); }

  function listed(names) {
    return names.length < 2 ? names.join("") : names.slice(0, -1).join(", ") + " and " + names[names.length - 1];
  }

  function sentence(name, values, ranks) {
    if (values[0] === null) { return name + ": undefined, because the mean vector of S is zero."; }
    var best = closest(values), words = [];
    var others = NAMES.filter(function (_, i) { return i && best[i]; });
    if (best[0] && !others.length) {
      words.push("S is closest to itself");
    } else if (best[0]) {
      words.push("S ties with " + listed(others));
    } else {
      words.push("S is closer to " + listed(others) + " than to itself");
    }
    words.push(" (" + shown(Math.max.apply(null, values.filter(function (v) { return v !== null; })))
      + (best[0] ? ")" : " against " + shown(values[0]) + ")"));
    var missing = NAMES.filter(function (_, i) { return values[i] === null; });
    if (missing.length) {
      words.push("; " + listed(missing) + (missing.length > 1 ? " have mean vectors" : " has a mean vector") + " of zero and no value");
    }
    if (name === "Canonical" && best[0] && others.length) {
      words.push(ranks[0] === 2 ? ": they span the same plane" : ": they span the same line");
    }
    return name + ": " + words.join("") + ".";
  }

  function element(parent, name, attributes, text, svg) {
    var node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { node.setAttribute(key, attributes[key]); });
    if (text !== undefined) { node.textContent = text; }
    parent.appendChild(node);
    return node;
  }

  function set(node, attributes) {
    Object.keys(attributes).forEach(function (key) { node.setAttribute(key, attributes[key]); });
  }

  /* Where a point of space falls on the picture: seen from above at a slant, turned a little. */
  var CENTER = [160, 132], RADIUS = 96, TURN = -0.42, HEIGHT = 0.8;
  function place(v) {
    var across = v[1] * Math.cos(TURN) - v[0] * Math.sin(TURN), away = v[0] * Math.cos(TURN) + v[1] * Math.sin(TURN);
    return [CENTER[0] + RADIUS * across, CENTER[1] - RADIUS * (away * Math.sin(HEIGHT) + v[2] * Math.cos(HEIGHT))];
  }

  function drawing(parent) {
    var svg = element(parent, "svg", { viewBox: "0 0 320 250", role: "img", "class": "il-arrows" }, undefined, true);
    var title = element(svg, "title", {}, "", true);
    element(svg, "ellipse", { cx: CENTER[0], cy: CENTER[1], rx: RADIUS, ry: RADIUS * Math.sin(HEIGHT), "class": "il-axis" },
      undefined, true);
    var drop = element(svg, "line", { "class": "il-flat" }, undefined, true);
    var lines = [0, 1, 2].map(function (i) { return element(svg, "line", { "class": "il-arrow il-arrow-" + (i + 1) }, undefined, true); });
    var heads = lines.map(function () { return element(svg, "path", { "class": "il-head" }, undefined, true); });
    var labels = lines.map(function () { return element(svg, "text", { "text-anchor": "middle" }, "", true); });
    element(svg, "text", { x: 160, y: 244, "text-anchor": "middle", "class": "il-note" }, "the pair S: vectors 1 and 3 (solid)", true);
    return function (w, words) {
      var tips = w.map(place), foot = place([w[1][0], w[1][1], 0]);
      set(drop, { x1: tips[1][0], y1: tips[1][1], x2: foot[0], y2: foot[1] });
      tips.forEach(function (tip, i) {
        set(lines[i], { x1: CENTER[0], y1: CENTER[1], x2: tip[0], y2: tip[1] });
        var dx = tip[0] - CENTER[0], dy = tip[1] - CENTER[1], length = Math.sqrt(dx * dx + dy * dy) || 1;
        dx /= length; dy /= length;
        heads[i].setAttribute("d", "M" + tip[0] + " " + tip[1] + "L" + (tip[0] - 10 * dx + 4.5 * dy) + " "
          + (tip[1] - 10 * dy - 4.5 * dx) + "L" + (tip[0] - 10 * dx - 4.5 * dy) + " " + (tip[1] - 10 * dy + 4.5 * dx) + "Z");
        // Two tips that fall together share one label.
        var together = tips.map(function (other, j) {
          return Math.abs(other[0] - tip[0]) + Math.abs(other[1] - tip[1]) < 30 ? j : -1;
        }).filter(function (j) { return j >= 0; });
        set(labels[i], { x: tip[0] + 17 * dx, y: Math.max(tip[1] + 15 * dy + 4, 12) });
        labels[i].textContent = together[0] === i ? together.map(function (j) { return j + 1; }).join(", ") : "";
      });
      title.textContent = words;
    };
  }

  function chart(parent) {
    var left = 74, right = 262, middle = (left + right) / 2, half = (right - left) / 2;
    var svg = element(parent, "svg", { viewBox: "0 0 320 250", role: "img", "class": "il-bars" }, undefined, true);
    var title = element(svg, "title", {}, "", true);
    var groups = METRICS.map(function (metric, g) {
      var top = 14 + 82 * g;
      element(svg, "text", { x: 4, y: top, "class": "il-heading" }, metric[1], true);
      element(svg, "line", { x1: middle, x2: middle, y1: top + 5, y2: top + 62, "class": "il-axis" }, undefined, true);
      return NAMES.map(function (name, i) {
        var y = top + 7 + 18.5 * i;
        element(svg, "text", { x: 4, y: y + 12 }, i ? name : "S = " + name, true);
        return {
          bar: element(svg, "rect", { y: y + 1, height: 13, "class": i ? "il-bar il-other" : "il-bar" }, undefined, true),
          value: element(svg, "text", { x: 318, y: y + 12, "text-anchor": "end" }, "", true)
        };
      });
    });
    return function (found, words) {
      METRICS.forEach(function (metric, g) {
        var values = found[metric[0]], best = closest(values);
        values.forEach(function (value, i) {
          var size = half * Math.min(Math.abs(value || 0), 1), row = groups[g][i];
          set(row.bar, { x: value < 0 ? middle - size : middle, width: size });
          row.value.textContent = (best[i] ? "◀ " : "") + (value === null ? "none" : shown(value));
          row.value.setAttribute("class", best[i] ? "il-best" : "");
        });
      });
      title.textContent = words;
    };
  }

  function build(root) {
    var panels = element(root, "div", { "class": "il-panels" });
    var arrows = drawing(panels), bars = chart(panels);
    var controls = element(root, "div", { "class": "il-controls" });
    var inputs = [["theta1", "angle θ₁", 180], ["theta2", "angle θ₂", 180], ["lift", "lift of 2", 90]].map(function (control) {
      var label = element(controls, "label", {});
      element(label, "span", {}, control[1]);
      var input = element(label, "input", { type: "range", min: 0, max: control[2], step: 1,
        value: root.getAttribute("data-" + control[0].replace(/(\d)/, "-$1")) || 0, "aria-label": control[1] + " in degrees" });
      element(label, "output", {});
      input.addEventListener("input", draw);
      return input;
    });
    var answer = element(root, "ul", { "class": "il-answer", "aria-live": "polite" });
    var answers = METRICS.map(function () { return element(answer, "li", {}); });
    var presets = element(root, "div", { "class": "il-presets" });
    [["60° and 60°", [60, 60, 0]], ["lifted by 40°", [60, 60, 40]], ["30° and 30°", [30, 30, 0]],
      ["opposite: 90° and 90°", [90, 90, 0]], ["duplicate: 0° and 60°", [0, 60, 0]]].forEach(function (preset) {
      var button = element(presets, "button", { type: "button" }, preset[0]);
      button.addEventListener("click", function () {
        inputs.forEach(function (input, i) { input.value = preset[1][i]; });
        draw();
      });
    });

    function draw() {
      var at = inputs.map(function (input) { return Number(input.value); });
      inputs.forEach(function (input, i) { input.nextSibling.textContent = at[i] + "°"; });
      var w = vectors(at[0], at[1], at[2]), found = similarities(w);
      var sentences = METRICS.map(function (metric) { return sentence(metric[1], found[metric[0]], found.ranks); });
      sentences.forEach(function (words, i) { answers[i].textContent = words; });
      METRICS.forEach(function (metric) {
        root.dataset[metric[0]] = found[metric[0]].map(function (v) { return v === null ? "undefined" : v; }).join(" ");
      });
      arrows(w, "Three arrows: 1 at " + at[0] + "° to the left, 3 at " + at[1] + "° to the right, 2 between them, lifted by " + at[2] + "°.");
      bars(found, "Similarity of the pair S to the three pairs. " + sentences.join(" "));
    }
    draw();
  }

  function start() { document.querySelectorAll(".il-consistency").forEach(build); }
  if (document.readyState === "loading") { document.addEventListener("DOMContentLoaded", start); } else { start(); }
})();
