/* Five variances under the reader's hand, and what they are worth: exact at every position.
 *
 * Markup: <div class="il-spectrum" data-variances="1 1 1 1 1"></div>. The same formula as
 * isotropy_lab.isotropy.isoscore_from_eigenvalues; tests/book compares the two. */
(function () {
  "use strict";

  function participationRatio(variances) {
    var sum = 0, squares = 0;
    variances.forEach(function (v) { sum += v; squares += v * v; });
    return sum * sum / squares;
  }

  function element(parent, name, attributes, text, svg) {
    var node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { node.setAttribute(key, attributes[key]); });
    if (text !== undefined) { node.textContent = text; }
    parent.appendChild(node);
    return node;
  }

  function build(root, number) {
    var variances = root.dataset.variances.split(" ").map(Number);
    var n = variances.length, width = 320, height = 220, floor = 190, top = 20, largest = 10;
    var panels = element(root, "div", { "class": "il-panels" });
    var picture = element(panels, "svg", { viewBox: "0 0 " + width + " " + height, role: "img" }, undefined, true);
    var title = element(picture, "title", {}, "", true);
    element(picture, "line", { x1: 20, x2: width - 10, y1: floor, y2: floor, "class": "il-axis" }, undefined, true);
    var bars = variances.map(function (_, i) {
      var step = (width - 40) / n;
      element(picture, "text", { x: 25 + step * (i + 0.5), y: floor + 18, "text-anchor": "middle" }, "λ" + "₁₂₃₄₅₆₇₈₉"[i], true);
      return element(picture, "rect", { x: 25 + step * i + step * 0.15, width: step * 0.7, "class": "il-bar" }, undefined, true);
    });
    var flat = element(picture, "line", { x1: 20, x2: width - 10, "class": "il-flat" }, undefined, true);
    var mean = element(picture, "text", { x: width - 10, "text-anchor": "end" }, "mean", true);
    var controls = element(panels, "div", { "class": "il-controls" });
    var inputs = variances.map(function (value, i) {
      var label = element(controls, "label", {});
      element(label, "span", {}, "variance " + (i + 1));
      var input = element(label, "input", { type: "range", min: 0, max: largest, step: 0.1, value: value,
        "aria-label": "variance along axis " + (i + 1) });
      element(label, "output", {});
      input.addEventListener("input", draw);
      return input;
    });
    var answer = element(root, "p", { "class": "il-answer", "aria-live": "polite" });
    var presets = element(root, "div", { "class": "il-presets" });
    [["all equal", variances.map(function () { return 1; })],
     ["two of five", variances.map(function (_, i) { return i < 2 ? 1 : 0; })],
     ["one long axis", variances.map(function (_, i) { return i ? 1 : 10; })],
     ["a line", variances.map(function (_, i) { return i ? 0 : 1; })],
     ["halving", variances.map(function (_, i) { return Math.round(80 / Math.pow(2, i)) / 10; })]
    ].forEach(function (preset) {
      var button = element(presets, "button", { type: "button" }, preset[0]);
      button.addEventListener("click", function () {
        inputs.forEach(function (input, i) { input.value = preset[1][i]; });
        draw();
      });
    });

    function draw() {
      var values = inputs.map(function (input) { return Number(input.value); });
      var total = values.reduce(function (a, b) { return a + b; }, 0);
      values.forEach(function (value, i) {
        var tall = (floor - top) * value / largest;
        bars[i].setAttribute("y", floor - tall);
        bars[i].setAttribute("height", tall);
        inputs[i].nextSibling.textContent = value.toFixed(1);
      });
      var line = floor - (floor - top) * total / n / largest;
      flat.setAttribute("y1", line); flat.setAttribute("y2", line);
      mean.setAttribute("y", Math.max(line - 5, 12));
      if (total === 0) {
        answer.textContent = "No variance anywhere: the score is undefined.";
        delete root.dataset.isoscore;
      } else {
        var used = participationRatio(values), score = (used - 1) / (n - 1);
        root.dataset.isoscore = score;
        answer.textContent = "Dimensions used k = " + used.toFixed(3) + " of " + n + ", IsoScore ι = " + score.toFixed(3);
      }
      title.textContent = "Bars of the variances " + values.map(function (v) { return v.toFixed(1); }).join(", ") + ". " + answer.textContent;
    }
    draw();
  }

  function start() { document.querySelectorAll(".il-spectrum").forEach(build); }
  if (document.readyState === "loading") { document.addEventListener("DOMContentLoaded", start); } else { start(); }
})();
