/* Questions that answer. In the notebook a question is a numbered list of choices and, folded, a numbered list of what to
   say to each; the right one begins with "Right", the others with "No". Here the choices become radio buttons, and "Check"
   says that word on the chosen one, in a region that screen readers announce. One may try again; below the last question
   stands how many were right at the first try. The browser keeps what was chosen until the reader has it forgotten, and
   nothing is sent. Without this script, in JupyterLab and on paper stand the lists.

   A prediction is a numbered list of choices before a cell. Here the choices become buttons, and the output of that cell,
   and the text below it, wait until the reader has chosen, or asks for them. A figure to play with does not wait. */
"use strict";
(() => {
  const make = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  const KEPT = `isotropy-lab-answers ${location.pathname}`; // what was chosen on this page, in order, by question
  let kept = {};
  try { kept = JSON.parse(localStorage.getItem(KEPT)) ?? {}; } catch { /* a browser may show nothing */ }
  function keep(name, chosen) {
    kept[name] = chosen;
    try { localStorage.setItem(KEPT, JSON.stringify(kept)); } catch { /* it may keep nothing */ }
  }

  // A paragraph may not stand in a button or a label; its content may.
  const content = (item) => [...item.childNodes].flatMap((part) => (part.tagName === "P" ? [...part.childNodes] : [part]));

  function button(choice) {
    const made = make("button", { type: "button" }, ...content(choice));
    made.setAttribute("aria-pressed", "false");
    choice.replaceChildren(made);
    return made;
  }

  // Calls `tried` with true or false when the first try is checked. Returns what tries again what was kept, if this is a question.
  function ask(question, number, tried) {
    const list = question.querySelector(":scope > ol");
    const folded = question.querySelector(":scope > details");
    const choices = [...(list?.children ?? [])];
    const answers = [...(folded?.querySelectorAll("ol > li") ?? [])];
    if (!choices.length || choices.length !== answers.length) return null;
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
    const tries = [];
    const check = () => {
      const i = inputs.findIndex((input) => input.checked);
      if (i < 0) return said.replaceChildren("Choose one first.");
      const right = answers[i].textContent.trim().startsWith("Right");
      labels[i].dataset.answer = right ? "right" : "wrong";
      labels[i].lastChild.textContent = right ? "✓ right" : "✗ not right";
      said.replaceChildren(right ? "✓ " : "✗ ", ...content(answers[i].cloneNode(true)));
      if (!tries.length) tried(right);
      tries.push(i);
      return keep(name, tries);
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
    return () => kept[name]?.forEach((i) => {
      inputs[i]?.click();
      check();
    });
  }

  function count(questions) {
    const score = make("p", { className: "il-score" });
    // Only the last try is announced: what was said to the others is enough to hear.
    score.setAttribute("aria-live", "off");
    let tries = 0, right = 0;
    const tried = (hit) => {
      tries += 1;
      right += hit ? 1 : 0;
      const left = again.length - tries;
      score.textContent = left ? `${right} of ${tries} right at the first try, ${left} to go.` : `${right} of ${tries} right at the first try.`;
      if (left <= 1) score.setAttribute("aria-live", "polite");
    };
    const again = questions.map((question, i) => ask(question, i, tried)).filter(Boolean);
    if (!again.length) return;
    const forget = make("button", { type: "button", className: "il-check" }, "Forget my answers on this page");
    forget.addEventListener("click", () => {
      localStorage.removeItem(KEPT);
      location.reload();
    });
    questions.at(-1).after(score, forget);
    again.forEach((one) => one());
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
    const show = make("button", { type: "button", className: "il-reveal" }, "Predict first, or show the result");
    const reveal = () => {
      waits.forEach((part) => { part.hidden = false; });
      show.remove();
    };
    const name = `il-prediction-${number}`;
    made.forEach((one, i) => one.addEventListener("click", () => {
      made.forEach((other) => other.setAttribute("aria-pressed", String(other === one)));
      keep(name, i);
      reveal();
    }));
    if (!waits.length) return made[kept[name]]?.click();
    output.id ||= name;
    waits.forEach((part) => { part.hidden = true; });
    show.setAttribute("aria-controls", output.id);
    show.addEventListener("click", reveal);
    output.before(show);
    // Who comes for something in the output, or prints the page, finds it.
    const wanted = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      return target !== null && waits.some((part) => part.contains(target));
    };
    if (wanted()) reveal();
    made[kept[name]]?.click();
    window.addEventListener("hashchange", () => { if (wanted()) reveal(); });
    window.addEventListener("beforeprint", reveal);
  }

  document.addEventListener("DOMContentLoaded", () => {
    count([...document.querySelectorAll(".il-question")]);
    document.querySelectorAll(".il-predict").forEach(predict);
  });
})();
