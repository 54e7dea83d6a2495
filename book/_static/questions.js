/* Questions that answer. In the notebook a question is a numbered list of choices and, folded, a numbered list of what to
   say to each; the right one begins with "Right". Here the choices become buttons, and each shows its answer below itself,
   in a region that screen readers announce. Without this script, and in JupyterLab, the folded list can be read.

   A prediction is a numbered list of choices before a cell. Here the choices become buttons, too, and the output of that cell,
   and the text below it, wait until the reader has chosen, or asks for them. A figure to play with does not wait. */
"use strict";
(() => {
  // A paragraph may not stand in a button; its content may.
  function button(choice) {
    const made = document.createElement("button");
    made.type = "button";
    made.setAttribute("aria-pressed", "false");
    for (const part of [...choice.childNodes]) made.append(...(part.tagName === "P" ? part.childNodes : [part]));
    choice.append(made);
    return made;
  }

  function ask(question, number) {
    const choices = [...question.querySelectorAll(":scope > ol > li")];
    const folded = question.querySelector(":scope > details");
    const answers = [...(folded?.querySelectorAll("ol > li") ?? [])];
    if (!choices.length || choices.length !== answers.length) return;
    choices[0].parentElement.classList.add("il-choices");
    choices.forEach((choice, i) => {
      const made = button(choice);
      const said = document.createElement("div");
      said.setAttribute("role", "status");
      said.id = `il-question-${number}-${i + 1}`;
      made.setAttribute("aria-controls", said.id);
      const answer = document.createElement("div");
      answer.className = "il-feedback";
      answer.hidden = true;
      answer.append(...answers[i].childNodes);
      said.append(answer);
      choice.append(said);
      const right = answer.textContent.trim().startsWith("Right");
      made.addEventListener("click", () => {
        made.setAttribute("aria-pressed", "true");
        choice.dataset.answer = right ? "right" : "wrong";
        answer.hidden = false;
      });
    });
    folded.remove();
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
    show.textContent = "Predict first, or show what comes out";
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
    document.querySelectorAll(".il-question").forEach(ask);
    document.querySelectorAll(".il-predict").forEach(predict);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", run);
  else run();
})();
