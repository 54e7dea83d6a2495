/* Projections of the same data at any size, with their stress, their divergence and the ranking: exact at every scale.
 *
 * Markup: what isotropy_lab.projection.experiments.scale_markup returns, a <div class="il-scale"> with the statistics in a
 * <script type="application/json">. Stress is a parabola of three sums; the divergence is a sum over a few hundred
 * bins of pairs, with an error below 0.00001. The same numbers as experiments.stress_and_kl_at; tests/book compares. */
(function () {
  "use strict";

  var LOW = -3, HIGH = 3;  // log10 of the scales offered
  var TIE = 1e-9;
  var MARKS = ["●", "□", "▲"], HOLLOW = ["○", "□", "△"];  // of groups of points; of projections
  var serial = 0;

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

  function stress(projection, scale) {
    var square = 1 - 2 * scale * projection.sum_de / projection.sum_d2 + scale * scale * projection.sum_e2 / projection.sum_d2;
    return Math.sqrt(Math.max(square, 0));
  }

  function divergence(statistics, projection, scale) {
    var inner = scale * projection.unit, square = inner * inner, far = 0, weights = 0, k;
    for (k = 0; k < projection.probability.length; k += 1) {
      far += projection.probability[k] * Math.log1p(square * (projection.probability_at[k] + projection.nearest));
    }
    for (k = 0; k < projection.number.length; k += 1) {
      weights += projection.number[k] / (1 + square * (projection.number_at[k] + projection.nearest));
    }
    return Math.max(statistics.log_p + far + Math.log(2 * weights), 0);
  }

  /* The scale of the least divergence among those offered: a grid, then ever smaller steps around its best. */
  function bestForDivergence(statistics, projection) {
    var step = 0.05, best = LOW, value = Infinity;
    for (var x = LOW; x <= HIGH + 1e-9; x += step) {
      var at = divergence(statistics, projection, Math.pow(10, x));
      if (at < value) { value = at; best = x; }
    }
    while (step > 1e-7) {
      step /= 2;
      [best - step, best + step].forEach(function (x) {
        var at = divergence(statistics, projection, Math.pow(10, x));
        if (x >= LOW && x <= HIGH && at < value) { value = at; best = x; }
      });
    }
    return Math.pow(10, best);
  }

  function shown(value) {
    if (value >= 1e5) { return value.toExponential(1).replace("e+", "e"); }
    return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3);
  }

  function shownScale(scale) {
    return "× " + (scale >= 100 ? scale.toFixed(0) : Number(scale.toPrecision(3)));
  }

  function ranking(names, values) {
    var order = values.map(function (_, i) { return i; });
    order.sort(function (a, b) { return values[a] - values[b] || a - b; });
    return order.map(function (i, place) {
      var sign = place === 0 ? "" : values[i] - values[order[place - 1]] > TIE ? " < " : " = ";
      return sign + names[i];
    }).join("");
  }

  function markPath(kind, x, y, r) {
    if (kind === 0) { return "M" + (x - r) + " " + y + "a" + r + " " + r + " 0 1 0 " + 2 * r + " 0a" + r + " " + r + " 0 1 0 " + -2 * r + " 0Z"; }
    if (kind === 1) { return "M" + (x - r) + " " + (y - r) + "h" + 2 * r + "v" + 2 * r + "h" + -2 * r + "Z"; }
    return "M" + x + " " + (y - 1.2 * r) + "L" + (x + 1.1 * r) + " " + (y + 0.8 * r) + "L" + (x - 1.1 * r) + " " + (y + 0.8 * r) + "Z";
  }

  /* A projection beside the size of the data: what is larger of the two fills the frame. */
  function projectionDrawing(parent, statistics, projection, index) {
    var frame = element(parent, "div", { "class": "il-framed" });
    element(frame, "div", { "class": "il-heading" }, HOLLOW[index % 3] + " " + projection.label);
    var svg = element(frame, "svg", { viewBox: "0 0 160 160", role: "img", "class": "il-projection" }, undefined, true);
    var title = element(svg, "title", {}, "", true);
    var circle = element(svg, "circle", { cx: 80, cy: 80, "class": "il-size" }, undefined, true);
    var groups = [0, 1, 2].map(function (kind) {
      return element(svg, "path", { "class": "il-dots il-group-" + kind }, undefined, true);
    });
    return function (scale) {
      var own = scale * projection.max_e, larger = Math.max(own, statistics.max_d), unit = 150 / larger;
      var paths = ["", "", ""];
      circle.setAttribute("r", Math.max(unit * statistics.max_d / 2, 0.5));
      for (var k = 0; k < statistics.groups.length; k += 1) {
        var kind = statistics.groups[k] % 3;
        paths[kind] += markPath(kind, 80 + unit * own * projection.points[2 * k], 80 - unit * own * projection.points[2 * k + 1], 1.8);
      }
      groups.forEach(function (path, kind) { path.setAttribute("d", paths[kind]); });
      title.textContent = "The projection by " + projection.label + ", enlarged by " + shownScale(scale).slice(2) + ": its width is "
        + shown(own / statistics.max_d) + " times that of the data, a dashed circle.";
    };
  }

  /* Curves over scales, with a mark at the scale of each projection. */
  function chart(parent, heading, curves, range, logarithmic, ticks, names) {
    var left = 42, right = 312, top = 24, bottom = 200, id = "il-scale-" + (serial += 1);
    var svg = element(parent, "svg", { viewBox: "0 0 320 238", role: "img", "class": "il-chart" }, undefined, true);
    var title = element(svg, "title", {}, "", true);
    var clip = element(element(svg, "defs", {}, undefined, true), "clipPath", { id: id }, undefined, true);
    element(clip, "rect", { x: left, y: top, width: right - left, height: bottom - top }, undefined, true);
    element(svg, "text", { x: 4, y: 14, "class": "il-heading" }, heading, true);
    function across(log) { return left + (right - left) * (log - LOW) / (HIGH - LOW); }
    function up(value) {
      var share = logarithmic ? Math.log(value / range[0]) / Math.log(range[1] / range[0]) : (value - range[0]) / (range[1] - range[0]);
      return bottom - (bottom - top) * share;
    }
    ticks.forEach(function (tick) {
      element(svg, "line", { x1: left, x2: right, y1: up(tick), y2: up(tick), "class": "il-grid" }, undefined, true);
      element(svg, "text", { x: left - 5, y: up(tick) + 4.5, "text-anchor": "end" }, String(tick), true);
    });
    [[-3, "0.001"], [-1, "0.1"], [1, "10"], [3, "1000"]].forEach(function (tick) {
      var x = across(tick[0]), end = tick[0] === HIGH;
      element(svg, "line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, "class": "il-axis" }, undefined, true);
      element(svg, "text", { x: end ? 318 : x, y: bottom + 18, "text-anchor": end ? "end" : "middle" }, tick[1], true);
    });
    element(svg, "line", { x1: left, x2: right, y1: bottom, y2: bottom, "class": "il-axis" }, undefined, true);
    element(svg, "text", { x: (left + right) / 2, y: 234, "text-anchor": "middle" }, "factor of the projection’s own size", true);
    curves.forEach(function (curve, i) {
      var points = [];
      for (var k = 0; k <= 180; k += 1) {
        var log = LOW + (HIGH - LOW) * k / 180;
        points.push(across(log).toFixed(1) + " " + up(Math.max(curve(Math.pow(10, log)), logarithmic ? 1e-12 : 0)).toFixed(1));
      }
      element(svg, "path", { d: "M" + points.join("L"), "class": "il-curve il-curve-" + i % 3, "clip-path": "url(#" + id + ")" }, undefined, true);
    });
    var marks = curves.map(function (_, i) {
      return element(svg, "path", { "class": "il-mark il-mark-" + i % 3 }, undefined, true);
    });
    return function (scales, values) {
      marks.forEach(function (mark, i) {
        var x = Math.min(Math.max(across(Math.log(scales[i]) / Math.LN10), left), right);
        var y = Math.min(Math.max(up(Math.max(values[i], logarithmic ? 1e-12 : 0)), top), bottom);
        mark.setAttribute("d", markPath(i % 3, x, y, 4.5));
      });
      title.textContent = heading + " of each projection over the factor that enlarges it. Now "
        + names.map(function (name, i) { return name + " " + shown(values[i]); }).join(", ") + ".";
    };
  }

  function build(root) {
    var data = root.querySelector("script[type='application/json']");
    if (!data || root.querySelector(".il-panels")) { return; }
    var statistics = JSON.parse(data.textContent), projections = statistics.projections;
    var names = projections.map(function (projection) { return projection.label; });
    var scales = projections.map(function () { return 1; });
    var stresses = projections.map(function (projection) { return function (scale) { return stress(projection, scale); }; });
    var divergences = projections.map(function (projection) { return function (scale) { return divergence(statistics, projection, scale); }; });

    var row = element(root, "div", { "class": "il-projections" });
    var drawings = projections.map(function (projection, i) { return projectionDrawing(row, statistics, projection, i); });
    var legend = "Dashed circle: the size of the data, its largest distance across.";
    if (statistics.group_names.length > 1 && statistics.group_names.length <= 3) {
      legend = statistics.group_names.map(function (name, i) { return MARKS[i] + " " + name; }).join(", ") + ". " + legend;
    }
    element(root, "p", { "class": "il-note" }, legend);

    var controls = element(root, "div", { "class": "il-controls" });
    function slider(name) {
      var line = element(controls, "label", {});
      element(line, "span", {}, name);
      var input = element(line, "input", { type: "range", min: LOW, max: HIGH, step: 0.01, value: 0, "aria-label": "size of " + name + ", logarithm of the factor" });
      element(line, "output", {});
      return input;
    }
    var common = slider("all");
    var own = names.map(slider);
    common.addEventListener("input", function () {
      scales = scales.map(function () { return Math.pow(10, Number(common.value)); });
      draw();
    });
    own.forEach(function (input, i) {
      input.addEventListener("input", function () {
        scales[i] = Math.pow(10, Number(input.value));
        draw();
      });
    });

    var presets = element(root, "div", { "class": "il-presets" });
    [["as they came", function () { return scales.map(function () { return 1; }); }],
      ["all × 10", function () { return scales.map(function () { return 10; }); }],
      ["least stress of each", function () { return projections.map(function (p) { return p.sum_de / p.sum_e2; }); }],
      ["least divergence of each", function () { return projections.map(function (p) { return bestForDivergence(statistics, p); }); }]
    ].forEach(function (preset) {
      var button = element(presets, "button", { type: "button" }, preset[0]);
      button.addEventListener("click", function () { scales = preset[1](); draw(); });
    });

    var table = element(root, "table", {}), head = element(element(table, "thead", {}), "tr", {});
    ["method", "factor", "stress", "divergence"].forEach(function (name) { element(head, "th", { scope: "col" }, name); });
    var body = element(table, "tbody", {});
    var cells = names.map(function (name, i) {
      var line = element(body, "tr", {});
      element(line, "th", { scope: "row" }, HOLLOW[i % 3] + " " + name);
      return [0, 1, 2].map(function () { return element(line, "td", {}); });
    });
    var answer = element(root, "ul", { "class": "il-answer", "aria-live": "polite" });
    var answers = [0, 1].map(function () { return element(answer, "li", {}); });

    var panels = element(root, "div", { "class": "il-panels" });
    var least = Math.min.apply(null, projections.map(function (p) { return stress(p, p.sum_de / p.sum_e2); }));
    var foot = least >= 0.15 ? 0.1 : least >= 0.015 ? 0.01 : 0.001;
    var stressTicks = [0.001, 0.01, 0.1, 1, 10, 100, 1000].filter(function (tick) { return tick >= foot; });
    var stressChart = chart(panels, "Normalized stress", stresses, [foot, 2000], true, stressTicks, names);
    var most = 0;
    divergences.forEach(function (curve) {
      for (var x = LOW; x <= HIGH; x += 0.1) { most = Math.max(most, curve(Math.pow(10, x))); }
    });
    var whole = Math.max(Math.ceil(most), 1), klTicks = [];
    for (var tick = 0; tick <= whole; tick += whole > 5 ? 2 : 1) { klTicks.push(tick); }
    var klChart = chart(panels, "KL divergence", divergences, [0, whole], false, klTicks, names);

    function draw() {
      var found = [stresses, divergences].map(function (curves) {
        return curves.map(function (curve, i) { return curve(scales[i]); });
      });
      var together = scales.every(function (scale) { return scale === scales[0]; });
      if (together) { common.value = Math.log(scales[0]) / Math.LN10; }
      common.nextSibling.textContent = together ? shownScale(scales[0]) : "–";
      own.forEach(function (input, i) {
        input.value = Math.log(scales[i]) / Math.LN10;
        input.nextSibling.textContent = shownScale(scales[i]);
        input.setAttribute("aria-valuetext", shownScale(scales[i]));
        drawings[i](scales[i]);
        cells[i][0].textContent = shownScale(scales[i]);
        found.forEach(function (values, j) {
          cells[i][j + 1].textContent = shown(values[i]);
          cells[i][j + 1].className = values[i] <= Math.min.apply(null, values) + TIE ? "il-best" : "";
        });
      });
      common.setAttribute("aria-valuetext", common.nextSibling.textContent);
      stressChart(scales, found[0]);
      klChart(scales, found[1]);
      answers[0].textContent = "By stress: " + ranking(names, found[0]) + ".";
      answers[1].textContent = "By divergence: " + ranking(names, found[1]) + ".";
      root.dataset.scales = scales.join(" ");
      root.dataset.stress = found[0].join(" ");
      root.dataset.divergence = found[1].join(" ");
    }
    draw();
  }

  function start() { document.querySelectorAll(".il-scale").forEach(build); }
  if (document.readyState === "loading") { document.addEventListener("DOMContentLoaded", start); } else { start(); }
})();
