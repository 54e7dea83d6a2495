/* Questions that answer. In the notebook a question is a numbered list of choices and, folded, a numbered list of what to
   say to each; the right one begins with "Right", the others with "No". Here the choices become radio buttons, and "Check"
   says that word on the chosen one, in a region that screen readers announce. One may try again; below the last question
   stands how many were right at the first try. Nothing is kept or sent. Without this script, in JupyterLab and on paper
   stand the lists.

   A prediction is a numbered list of choices before a cell. Here the choices become buttons, and the output of that cell,
   and the text below it, wait until the reader has chosen, or asks for them. A figure to play with does not wait. */
"use strict";
(() => {
  const make = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // A paragraph may not stand in a button or a label; its content may.
  const content = (item) => [...item.childNodes].flatMap((part) => (part.tagName === "P" ? [...part.childNodes] : [part]));

  function button(choice) {
    const made = make("button", { type: "button" }, ...content(choice));
    made.setAttribute("aria-pressed", "false");
    choice.replaceChildren(made);
    return made;
  }

  // Calls `tried` with true or false when the first try is checked; returns whether this is a question.
  function ask(question, number, tried) {
    const list = question.querySelector(":scope > ol");
    const folded = question.querySelector(":scope > details");
    const choices = [...(list?.children ?? [])];
    const answers = [...(folded?.querySelectorAll("ol > li") ?? [])];
    if (!choices.length || choices.length !== answers.length) return false;
    const title = question.querySelector(":scope > .admonition-title");
    const name = `il-question-${number}`;
    // The theme puts an icon before the title, which is no part of the name.
    title.replaceChildren(make("span", { id: name }, ...title.childNodes));
    const legend = make("legend", { id: `${name}-legend` }, "Choose one");
    const said = make("div", { className: "il-feedback" });
    said.setAttribute("role", "status");
    const inputs = choices.map((choice, i) => make("input", { type: "radio", name, value: i + 1, autocomplete: "off" }));
    const labels = choices.map((choice, i) => make("label", { className: "il-choice" }, inputs[i],
      make("span", { className: "il-words" }, ...content(choice.cloneNode(true))), make("span", { className: "il-mark" })));
    let open = true;
    const check = () => {
      const i = inputs.findIndex((input) => input.checked);
      if (i < 0) {
        said.replaceChildren("Choose one first.");
        return;
      }
      const right = answers[i].textContent.trim().startsWith("Right");
      labels[i].dataset.answer = right ? "right" : "wrong";
      labels[i].lastChild.textContent = right ? "✓ right" : "✗ not right";
      said.replaceChildren(right ? "✓ " : "✗ ", ...content(answers[i].cloneNode(true)));
      if (open) tried(right);
      open = false;
    };
    inputs.forEach((input) => {
      // What was said is about another choice.
      input.addEventListener("change", () => said.replaceChildren());
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        check();
      });
    });
    const ready = make("button", { type: "button", className: "il-check" }, "Check");
    ready.addEventListener("click", check);
    const quiz = make("fieldset", { className: "il-quiz" }, legend, ...labels, ready, said);
    quiz.setAttribute("aria-labelledby", `${name} ${legend.id}`);
    list.before(quiz);
    list.classList.add("il-plain");
    folded.classList.add("il-plain");
    return true;
  }

  function count(questions) {
    const score = make("p", { className: "il-score" });
    // Only the last try is announced: what was said to the others is enough to hear.
    score.setAttribute("aria-live", "off");
    let tries = 0, right = 0, asked = 0;
    const tried = (hit) => {
      tries += 1;
      right += hit ? 1 : 0;
      const left = asked - tries;
      score.textContent = left ? `${right} of ${tries} right at the first try, ${left} to go.` : `${right} of ${asked} right at the first try.`;
      if (left <= 1) score.setAttribute("aria-live", "polite");
    };
    asked = questions.filter((question, i) => ask(question, i, tried)).length;
    if (asked) questions.at(-1).after(score);
  }

  function predict(question, number) {
    const list = question.querySelector(":scope > ol");
    const below = [...document.querySelectorAll("main .cell")].find(
      (cell) => question.compareDocumentPosition(cell) & Node.DOCUMENT_POSITION_FOLLOWING);
    const output = below?.querySelector(":scope > .cell_output");
    list?.classList.add("il-choices");
    const made = [...(list?.children ?? [])].map(button);
    const waits = output && !output.querySelector(".il-moving") ? [output] : [];
    // The text up to the next cell tells what came out.
    for (let next = below; waits.length && (next = next.nextElementSibling) && !next.matches(".cell, section, :has(.cell)");) waits.push(next);
    const show = document.createElement("button");
    const reveal = () => {
      waits.forEach((part) => { part.hidden = false; });
      show.remove();
    };
    made.forEach((one) => one.addEventListener("click", () => {
      made.forEach((other) => other.setAttribute("aria-pressed", String(other === one)));
      reveal();
    }));
    if (!waits.length) return;
    output.id ||= `il-prediction-${number}`;
    waits.forEach((part) => { part.hidden = true; });
    show.type = "button";
    show.className = "il-reveal";
    show.textContent = "Predict first, or show the result";
    show.setAttribute("aria-controls", output.id);
    show.addEventListener("click", reveal);
    output.before(show);
    // Who comes for something in the output, or prints the page, finds it.
    const wanted = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      return target !== null && waits.some((part) => part.contains(target));
    };
    if (wanted()) reveal();
    window.addEventListener("hashchange", () => { if (wanted()) reveal(); });
    window.addEventListener("beforeprint", reveal);
  }

  const run = () => {
    count([...document.querySelectorAll(".il-question")]);
    document.querySelectorAll(".il-predict").forEach(predict);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", run);
  else run();
})();
