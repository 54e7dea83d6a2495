/* Questions that answer. In the notebook a question is a numbered list of choices and, folded, a numbered list of what to
   say to each; the right one begins with "Right". Here the choices become buttons, and each shows its answer below itself,
   in a region that screen readers announce. Without this script, and in JupyterLab, the folded list can be read. */
"use strict";
(() => {
  function start(question, number) {
    const choices = [...question.querySelectorAll(":scope > ol > li")];
    const folded = question.querySelector(":scope > details");
    const answers = [...(folded?.querySelectorAll("ol > li") ?? [])];
    if (!choices.length || choices.length !== answers.length) return;
    choices[0].parentElement.classList.add("il-choices");
    choices.forEach((choice, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      // A paragraph may not stand in a button; its content may.
      for (const part of [...choice.childNodes]) button.append(...(part.tagName === "P" ? part.childNodes : [part]));
      const said = document.createElement("div");
      said.setAttribute("role", "status");
      said.id = `il-question-${number}-${i + 1}`;
      button.setAttribute("aria-controls", said.id);
      const answer = document.createElement("div");
      answer.className = "il-feedback";
      answer.hidden = true;
      answer.append(...answers[i].childNodes);
      said.append(answer);
      choice.append(button, said);
      const right = answer.textContent.trim().startsWith("Right");
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", "true");
        choice.dataset.answer = right ? "right" : "wrong";
        answer.hidden = false;
      });
    });
    folded.remove();
  }

  const run = () => document.querySelectorAll(".il-question").forEach(start);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", run);
  else run();
})();
