/* Measures files of vectors in the reader's tab: the page report/in-your-browser. Python starts when a file is given, reads
   it in the worker (live/worker.js) and writes the pages that the command line writes (reanalyses.measure_files). The files are
   read where they lie; nothing is sent. Without this script the page says which command does the same. */
"use strict";
(() => {
  const { element, button, meter, python, seconds, unserved } = window.isotropyLabTab; // tab.js
  const { megabytes } = document.currentScript.dataset;
  const place = document.querySelector(".il-measure");

  // --- what stands in the page --------------------------------------------------------------------------------------

  const input = element("input", { type: "file", multiple: "", id: "il-files", "aria-describedby": "il-private" });
  const field = element("div", { class: "il-place" },
    element("label", { for: "il-files" }, "Choose one file of vectors or two, vectors with their map, or three files for a threshold, or drop them here"), input);
  const note = element("p", { id: "il-private" },
    `Your files stay on your machine: Python, about ${megabytes} MB, comes to them once a file is given, and nothing is sent.`);
  const status = element("p", { role: "status", class: "il-status" });
  const work = meter("Progress");
  const stop = button("Stop", () => { end(); say("Stopped."); input.focus(); });
  const trouble = element("div", { role: "alert", class: "il-trouble" });
  const questions = element("form");
  const bar = element("div", { class: "il-live", role: "region", "aria-label": "Measure files" },
    field, note, status, work.part, element("div", { class: "il-buttons" }, stop), trouble, questions);
  const results = element("section", { "aria-label": "Result" });

  const say = (text) => { if (status.textContent !== text) status.textContent = text; };

  function busy(yes) {
    input.disabled = yes;
    stop.hidden = work.part.hidden = !yes;
  }

  function clear() {
    trouble.replaceChildren();
    questions.replaceChildren();
    results.replaceChildren();
    command = undefined;
    for (const card of cards) [card.address, card.shown].forEach((one) => URL.revokeObjectURL(one));
    cards = [];
  }

  // --- files that are given -----------------------------------------------------------------------------------------

  let files = []; // {name, file, key, header}

  function give(list) {
    const given = [...list];
    if (!given.length) return;
    if (input.disabled) return say("Python measures. Stop it first.");
    clear();
    if (unserved) return fault(unserved);
    const again = (file, i) => given.findIndex((one) => one.name === file.name) < i;
    files = given.map((file, i) => ({ file, name: again(file, i) ? file.name.replace(/(\.[^.]*)?$/, ` (${i + 1})$1`) : file.name }));
    measure();
  }

  // Anywhere on the page: a file that misses the field would replace the page.
  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      field.classList.toggle("il-over", kind === "dragover");
      if (kind === "drop") give(event.dataTransfer.files);
    });
  }
  input.addEventListener("change", () => {
    give(input.files);
    input.value = ""; // so that the same file can be given again
  });

  // --- Python -------------------------------------------------------------------------------------------------------

  let worker = null;
  let count = 0; // of messages; what is said about older ones is no longer asked for
  let first = 0; // the first of this measurement
  let begun = 0;
  let cards = [];
  let command; // of a map or a threshold

  function measure() {
    begun = performance.now();
    busy(true);
    work.begin();
    if (!worker) {
      say("Loading Python.");
      worker = python(hear, (message) => fault(`Python has ended: ${message}.`));
    }
    first = count + 1;
    for (const { name, file } of files) post({ type: "put", name, file });
    const asked = JSON.stringify(JSON.stringify(files.map(({ name, key, header }) => ({ name, key, header }))));
    post({ type: "run", name: "the page", code: `import json\nfrom reanalyses import measure_files\nmeasure_files.measure(json.loads(${asked}), display)` });
  }

  function post(message) {
    count += 1;
    worker.postMessage({ ...message, id: count });
  }

  // What runs can be ended only together with Python.
  function end() {
    worker?.terminate();
    worker = null;
    busy(false);
  }

  function hear(message) {
    if (message.type === "progress") work.loads(message);
    else if (message.type === "ready") say("Loading the measures.");
    else if (message.type === "failed") fault(`Python could not start: ${message.message}.`);
    else if (message.id < first) return;
    else if (message.type === "display") heard(JSON.parse(message.data["application/json"]));
    else if (message.type === "file") arrived(message);
    else if (message.type === "error") fault(`${message.name}: ${message.message}. This is a fault of the program, or of too little memory.`, { python: true });
  }

  function heard({ what, done, total, ask: asked, error, memory, cards: found, warnings, command: said }) {
    if (said) command = said;
    if (what) {
      say(`${what}.`);
      work.show(done, done && total, done ? `${Math.round(100 * done / total)}%` : "");
    } else if (asked) ask(asked);
    else if (error) fault(error, { keep: !memory, python: memory });
    else {
      cards = found.map((card) => ({ ...card, warnings }));
      for (const card of cards) post({ type: "get", name: card.file });
    }
  }

  function fault(text, { keep = false, python: home = false } = {}) {
    if (keep) busy(false);
    else end();
    say("");
    trouble.replaceChildren(element("p", {}, text), ...(home ? [atHome()] : []));
    if (document.activeElement === document.body) input.focus();
  }

  // --- questions ----------------------------------------------------------------------------------------------------

  function ask(asked) {
    busy(false);
    say(asked.length > 1 ? "Two questions about your files." : `A question about ${asked[0].file}.`);
    const made = asked.map(({ file, option, choices, why }, i) => {
      const options = option === "key" ? choices.map((name) => [name, name]) :
        [["names", "names of columns"], ["point", "numbers of the first row"]];
      const select = element("select", { id: `il-question-${i}` },
        ...options.map(([value, text]) => element("option", { value }, text)));
      const words = option === "key" ? `Which array of ${file}?` : `What does the first line of ${file} hold?`;
      const answer = () => {
        const one = files.find((given) => given.name === file);
        if (option === "key") one.key = select.value;
        else one.header = select.value === "names";
      };
      return { answer, select, part: element("p", {}, element("label", { for: `il-question-${i}` }, words), " ", select,
        ...(option === "key" ? [] : [element("br"), element("span", { class: "il-note" }, why)])) };
    });
    questions.replaceChildren(...made.map((one) => one.part), element("button", { type: "submit" }, "Go on"));
    questions.onsubmit = (event) => {
      event.preventDefault();
      for (const one of made) one.answer();
      questions.replaceChildren();
      measure();
      stop.focus();
    };
    made[0].select.focus();
  }

  // The card follows the system's colors, light or dark; here it follows the page's.
  function color(frame) {
    const dark = document.documentElement.dataset.theme === "dark";
    const rules = [...(frame.contentDocument?.styleSheets[0]?.cssRules ?? [])].filter((rule) => rule.media);
    rules.forEach((rule) => {
      rule.kind ??= rule.media.mediaText;
      if (rule.kind.includes("prefers-color-scheme")) rule.media.mediaText = dark ? "all" : "not all";
    });
    frame.contentWindow?.dispatchEvent(new Event("resize")); // a map is drawn again
  }
  new MutationObserver(() => results.querySelectorAll("iframe").forEach(color))
    .observe(document.documentElement, { attributeFilter: ["data-theme"] });

  // --- cards --------------------------------------------------------------------------------------------------------

  function arrived({ name, data }) {
    const card = cards.find((one) => one.file === name);
    const address = (content) => URL.createObjectURL(new Blob([content], { type: "text/html;charset=utf-8" }));
    card.address = address(data);
    // In the page its links would leave the page, and the card with it.
    card.shown = address(new TextDecoder().decode(data).replaceAll('target="_top"', 'target="_blank" rel="noopener"'));
    if (cards.every((one) => one.address)) show();
  }

  function show() {
    const time = seconds((performance.now() - begun) / 1000);
    const held = document.activeElement === stop;
    busy(false);
    let frame = element("p");
    const save = element("a", { class: "il-main" }, "Save");
    const drawn = element("p");
    const choose = cards.map((card) => button(card.title, () => pick(card)));

    function pick(card) {
      choose.forEach((one, i) => one.setAttribute("aria-pressed", String(cards[i] === card)));
      // Only a map has scripts. A frame with an address, unlike one with srcdoc, has a contents that leads.
      const made = element("iframe", { class: "il-card", title: card.title, src: card.shown,
        ...(card.file === "map.html" ? {} : { sandbox: "allow-same-origin allow-popups allow-popups-to-escape-sandbox" }) });
      made.addEventListener("load", () => {
        color(made);
        const { body } = made.contentDocument;
        new ResizeObserver(() => { // as high as the card, which then scrolls with the page
          made.style.height = `${body.offsetHeight + 2}px`;
          made.dataset.ready = "";
        }).observe(body);
      });
      frame.replaceWith(made);
      frame = made;
      save.href = card.address;
      save.download = card.rows ? `${card.name.replace(/\.[^.]*$/, "") || "vectors"}-card.html` : card.file;
      save.setAttribute("aria-label", `Save: ${card.title}`);
      drawn.textContent = !card.total ? "" :
        `${card.name} is too large for a tab. The card is about ${card.rows.toLocaleString("en")} of its ${card.total.toLocaleString("en")} rows, drawn at random with seed 0; for all of them, run the command.`;
    }

    results.replaceChildren(
      element("div", { class: "il-buttons" }, ...(cards.length > 1 ? choose : []), save), drawn,
      ...cards[0].warnings.map((text) => element("p", {}, `Warning: ${text}`)), atHome(), frame);
    pick(cards[0]);
    say(`${cards.length > 1 ? "Both cards and the comparison are" : `${command ? "The page" : "The card"} of ${cards[0].name} is`} below, after ${time}.`);
    if (held) save.focus();
  }

  function quoted(name) {
    const safe = name.startsWith("-") ? `./${name}` : name;
    return /^[\w.\/-]+$/.test(safe) ? safe : /[$`"\\!]/.test(safe) ? `'${safe.replaceAll("'", "'\\''")}'` : `"${safe}"`;
  }

  function atHome() {
    const [one, other] = files;
    const words = [`isotropy-lab ${other ? "compare" : "report"}`, quoted(one.name)];
    if (other) words.push(quoted(other.name));
    if (one.key !== undefined) words.push("--key", quoted(one.key));
    if (one.header !== undefined) words.push(one.header ? "--header" : "--no-header");
    words.push(`-o ${other ? "comparison" : "card"}.html`);
    const code = element("code", {}, command ?? words.join(" "));
    const copy = button("Copy", async () => {
      await navigator.clipboard?.writeText(code.textContent).then(() => say("Copied."), () => getSelection().selectAllChildren(code));
    }, { "aria-label": "Copy the command" });
    return element("p", { class: "il-home" }, "The same on your machine: ", code, " ", copy);
  }

  if (!place) return;
  busy(false);
  place.replaceChildren(bar, results);
})();
