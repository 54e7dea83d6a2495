/* Runs the cells of a lesson or a case file in the reader's tab. The page can be read without this script; it adds a
   button below the title, and loads nothing until somebody presses it, here or on a page before. Then Python starts in
   a worker (live/worker.js), and each cell gets an editor. A cell that is run takes the cells above it along that it
   needs and that have not run as they stand. What is written is kept by the browser. The sources of the cells stand in
   <page>.cells.json, written by the build. */
"use strict";
(() => {
  const { files, element, button, meter, python, seconds, unserved } = window.isotropyLabTab; // tab.js
  const { cells: list, megabytes } = document.currentScript.dataset;
  const MOST = 200_000; // characters of output that a cell shows
  const BEFORE = "isotropy-lab-has-run"; // kept by the browser of who has run a page: "yes", or "no" to a start by itself
  const EDITOR = {
    "@codemirror/state": "state", "@codemirror/view": "view", "@codemirror/language": "language",
    "@codemirror/commands": "commands", "@codemirror/streamparser": "streamparser",
    "@codemirror/legacy-modes/mode/python": "python", "@lezer/common": "lezer-common",
    "@lezer/highlight": "lezer-highlight", "style-mod": "style-mod", "w3c-keyname": "w3c-keyname", crelt: "crelt",
    "@marijn/find-cluster-break": "find-cluster-break",
  };
  const WRITTEN = `isotropy-lab-code ${location.pathname}`; // also kept: the code of each cell that is not as on the page

  const recall = (key = BEFORE) => { try { return localStorage.getItem(key); } catch { return "no"; } }; // it may show nothing
  const remember = (word, key = BEFORE) => { try { localStorage.setItem(key, word); } catch { /* it may keep nothing */ } };
  const many = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

  // --- the bar below the title --------------------------------------------------------------------------------------

  const begin = button("Run this page", open, { class: "il-main" });
  const all = button("Run all", runAll, { class: "il-main" });
  const restart = button("Restart Python", stop);
  const saves = button("Save as notebook", save);
  const again = button("Try again", () => { all.focus(); start(); });
  const note = element("p", {},
    `Edit and run the code in your browser: nothing to install, and nothing that you write leaves it. About ${megabytes} MB are loaded, once for all pages.`);
  const status = element("p", { role: "status", class: "il-status" });
  const loading = meter("Loading Python");
  const load = loading.part;
  const help = element("details", {}, element("summary", {}, "How it works here"), element("ul", {},
    ...[
      "Run, or Shift+Enter in a cell, runs the cell. Cells above it that it needs, and that have not run as they stand, run first.",
      "In an editor, Tab leads to the next button; Ctrl+] and Ctrl+[ (⌘ on a Mac) indent and dedent lines.",
      "Restore brings back the code and the output of the page. Python keeps the names that your code has defined.",
      "Stop, and Restart Python, end what runs and start Python again. Its names are gone then, and cells above a cell run anew.",
      "The seconds that are said before a cell runs were measured on another computer, and are corrected by what has run on yours.",
      "Once you have run a page, Python starts by itself on the next pages with this button that you open.",
      "The text between cells keeps the numbers of the page. Your browser keeps the code that you write, and sends it nowhere.",
      "Save as notebook writes the code of all cells into a file for Jupyter; solutions that you have not changed are left out.",
      "Whole numbers of NumPy have 32 bits here and overflow beyond 2,147,483,647, unless you ask for dtype=\"int64\". Long computations take several times longer than on a computer of your own.",
    ].map((text) => element("li", {}, text))),
    element("div", { class: "il-buttons" }, button("Do not start Python by itself", () => {
      remember("no");
      say("On later pages, Python starts only when you press the button.");
    }), button("Forget my code on this page", forget)));
  const bar = element("div", { class: "il-live", role: "region", "aria-label": "Run this page" },
    element("div", { class: "il-buttons" }, begin, all, saves, restart, again), note, load, status, help);

  const say = (text) => { status.textContent = text; };

  function place() {
    for (const part of [all, saves, restart, again, load, help]) part.hidden = true;
    (document.querySelector("main .il-reading-time") ?? document.querySelector("main article h1")).after(bar);
  }

  let written = {}; // by the code on the page: where that has changed, the reader begins with the new one
  try { written = JSON.parse(recall(WRITTEN)) ?? {}; } catch { /* nothing was kept */ }

  function forget() {
    for (const cell of cells) cell.restore();
    written = {};
    remember("{}", WRITTEN);
    say("All cells have the code of the page again, and what you had written is forgotten.");
  }

  function save() {
    const made = cells.filter((cell) => !cell.solution || cell.editor.text !== cell.source).map((cell) => (
      { cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: cell.editor.text }));
    const from = { cell_type: "markdown", metadata: {}, source: `From ${location.href}` };
    const text = JSON.stringify({ cells: [from, ...made], metadata: {}, nbformat: 4, nbformat_minor: 4 }, null, 1);
    const download = location.pathname.split("/").pop().replace(/(\.html)?$/, ".ipynb");
    element("a", { href: URL.createObjectURL(new Blob([text])), download }).click();
  }

  // --- the worker ---------------------------------------------------------------------------------------------------

  let worker = null;
  let ready = false;
  let isOpen = false; // the button was pressed
  let imports = []; // of the page's cells, as Python code; the first is the next to run while nothing else does
  let importing = false;
  const pace = { took: 0, measured: 0 }; // seconds of cells that have run, here and where they were measured
  let cells = [];
  let queue = []; // cells that wait
  let running = null;
  let count = 0; // of runs
  const asked = new Map(); // frames that controls wait for

  // A frame of what a cell explores, for the newest setting of its controls.
  const ask = (name, at) => new Promise((answer) => {
    if (!ready) return answer(null);
    const id = `frame ${asked.size} ${performance.now()}`;
    asked.set(id, answer);
    return worker.postMessage({ type: "evaluate", id, code: `__import__("reanalyses.drawing").drawing.frame(${JSON.stringify(name)}, ${JSON.stringify(at)})` });
  });

  function start() {
    load.hidden = false;
    again.hidden = true;
    loading.begin();
    say("Loading Python.");
    worker = python(hear, fail);
  }

  // Starts Python while who has run a page before still reads.
  async function prepare() {
    if (isOpen || document.hidden) return;
    note.textContent += " Python starts in the background now, because you have run a page before.";
    worker = python(hear, fail);
    const found = await fetch(new URL(`../${list}`, files)).then((answer) => answer.json()).catch(() => []);
    if (isOpen) return;
    imports = importsOf(found);
    preload();
  }

  const importsOf = (found) => [...new Set(found.filter((one) => !one.solution && !one.reason).flatMap((one) => one.imports))];

  // Imports something that a cell will, while nothing runs; whoever presses meanwhile waits for this one only.
  function preload() {
    if (!ready || running || queue.length || importing || !imports.length) return;
    importing = true;
    // In a namespace of its own: a page without one of its imports has to fail.
    worker.postMessage({ type: "run", id: "import", code: `exec(${JSON.stringify(imports.shift())}, {})`, name: "import" });
  }

  function fail(message) {
    if (!isOpen) { // the press will say it
      worker.terminate();
      worker = null;
      return;
    }
    const words = ready ? "Python has ended" : "Python could not start";
    end("Not run: there is no Python.");
    load.hidden = restart.hidden = true;
    again.hidden = false;
    say(`${words}: ${message}.`);
  }

  // Ends the worker, and with it what runs, what waits, and all names.
  function end(why) {
    worker.terminate();
    ready = importing = false;
    imports = [];
    asked.forEach((answer) => answer(null));
    asked.clear();
    const cell = running;
    running = null;
    for (const one of cells) one.forget();
    drop(why);
    cell?.rest("Stopped.");
  }

  function hear(message) {
    if (message.type === "progress") {
      loading.loads(message);
    } else if (message.type === "ready") {
      ready = true;
      if (isOpen) starts();
      preload();
    } else if (message.id === "import") {
      if (message.type !== "done") return;
      importing = false;
      preload();
    } else if (message.type === "failed") {
      fail(message.message);
    } else if (asked.has(message.id)) {
      asked.get(message.id)(message.type === "text" ? JSON.parse(message.text) : null);
      asked.delete(message.id);
      if (message.type === "error") say(`The function that draws has an error: ${message.name}: ${message.message}`);
    } else if (running && message.id === count) {
      if (message.type === "done") ended(message);
      else running.show(message);
    }
  }

  function starts() {
    load.hidden = true;
    restart.hidden = false;
    say("Python is ready.");
    next();
  }

  // --- what runs ----------------------------------------------------------------------------------------------------

  function next() {
    if (!ready || running || !queue.length) return;
    running = queue.shift();
    running.began();
    count += 1;
    if (running.first.length) worker.postMessage({ type: "run", id: "first", code: running.first.join("\n"), name: "imports" });
    worker.postMessage({ type: "run", id: count, code: running.sent, name: `cell ${running.number}` });
  }

  function ended({ ok, seconds: time }) {
    const cell = running;
    running = null;
    cell.ended(ok, time);
    if (!ok) drop(`Not run: cell ${cell.number} has an error.`, (one) => needed(one).includes(cell));
    next();
    preload();
  }

  function drop(why, lost = () => true) {
    const waited = queue.filter(lost);
    queue = queue.filter((cell) => !waited.includes(cell));
    for (const cell of waited) cell.rest(why);
  }

  function wait(todo, announced, words) {
    announced.words = words;
    for (const cell of todo) cell.waits(todo, announced);
    queue.push(...todo);
    if (!again.hidden) start();
    if (!ready) say(`${words[0]} as soon as Python is there.`);
    next();
  }

  function run(cell) {
    if (cell.waiting) return;
    const above = needed(cell).filter((one) => !one.waiting && !one.isCurrent());
    wait([...above, cell], cell, [
      `Cell ${cell.number} runs${above.length ? `, after ${many(above.length, "cell")} above it` : ""}`,
      `Cell ${cell.number} has run${above.length ? `, after ${many(above.length, "cell")} above it` : ""}`,
    ]);
  }

  // Seconds that cells take without their imports, if all were measured; corrected by those that have run here.
  function about(some) {
    const measured = some.reduce((sum, one) => sum + (one.measured ?? NaN), 0);
    const time = measured * (pace.measured > 1 ? pace.took / pace.measured : 1);
    return Number.isNaN(time) ? "" : `, about ${Math.max(1, Math.round(time))} s`;
  }

  // The build says what a cell needs. Who edits a cell may use other names, and may give them in any cell above.
  function needed(cell) {
    const words = (text) => text.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
    const given = /^[\p{L}\p{N}_, ]+=(?!=)|(?<=\b(def|class|import|as|for) +)[\p{L}\p{N}_, ]+/gmu;
    const used = words(cell.editor.text), known = words(cell.source), found = new Set(cell.needs);
    for (const one of cells.filter((each) => each.at < cell.at && !each.solution)) {
      const own = words(one.editor.text === one.source ? "" : (one.editor.text.match(given) ?? []).join(" "));
      if (!used.some((word) => (one.gives.includes(word) ? !known.includes(word) : own.includes(word)))) continue;
      for (const place of [...one.needs, one.at]) found.add(place);
    }
    return cells.filter((one) => found.has(one.at));
  }

  function runAll() {
    const todo = cells.filter((cell) => !cell.solution && !cell.waiting);
    if (todo.length) wait(todo, todo.at(-1), [`${many(todo.length, "cell")} run`, `${many(todo.length, "cell")} have run`, "The last shows"]);
  }

  function stop() {
    if (!ready) { // what loads goes on loading
      drop("Not run.");
      return say("Nothing runs. Python is on its way.");
    }
    end("Not run.");
    start();
    say("Stopped. Python starts again without the names that it had; cells above a cell run anew.");
  }

  // --- cells --------------------------------------------------------------------------------------------------------

  class Cell {
    constructor(place, { source, solution, needs, first, gives, seconds: measured }, at, number, makeEditor) {
      Object.assign(this, { place, source, solution, needs, first, gives, measured, at, number, ran: null, sent: null, time: 0, waiting: false, words: null, batch: null });
      const input = place.querySelector(".cell_input");
      const said = `cell ${number}${solution ? ", a solution" : ""}`;
      this.go = button("Run", () => run(this), { "aria-label": `Run ${said}`, "aria-keyshortcuts": "Shift+Enter" });
      this.halt = button("Stop", stop, { "aria-label": `Stop ${said}` });
      this.halt.hidden = true;
      this.note = element("span", { class: "il-note" });
      input.after(element("div", { class: "il-buttons il-tools" },
        element("span", { class: "il-cell-number" }, `Cell ${number}`), this.go, this.halt,
        button("Restore", () => this.restore(), { "aria-label": `Restore ${said}` }), this.note));
      this.output = place.querySelector(".cell_output");
      if (!this.output) {
        this.output = element("div", { class: "cell_output docutils container" });
        input.nextElementSibling.after(this.output);
      }
      this.built = [...this.output.childNodes];
      const drawn = [...this.output.querySelectorAll("svg.il-drawn")];
      this.figures = drawn.map((svg) => ({ frame: svg.closest("figure"), label: svg.getAttribute("aria-label") }));
      this.numbers = [...this.output.querySelectorAll(".il-number")].map((one) => one.textContent);
      for (const part of input.children) part.hidden = true;
      const holder = element("div", { class: "highlight il-editor" });
      // The site's shortcuts, such as / for its search, are not for who writes.
      holder.addEventListener("keydown", (event) => event.stopPropagation());
      input.append(holder);
      this.editor = makeEditor(holder, this);
      if (!Object.hasOwn(written, source)) return;
      this.editor.text = written[source];
      this.note.textContent = "As you left it.";
    }

    isCurrent() {
      return this.ran === this.editor.text;
    }

    edited() {
      written[this.source] = this.editor.text === this.source ? undefined : this.editor.text;
      remember(JSON.stringify(written), WRITTEN);
      if (!this.waiting && this.ran !== null) this.note.textContent = this.isCurrent() ? "" : "Changed since it ran.";
    }

    restore() {
      this.editor.text = this.source;
      if (this.waiting) return;
      this.output.replaceChildren(...this.built);
      this.note.textContent = "Restored.";
      say(`Cell ${this.number} has the code and the output of the page again.`);
    }

    waits(batch, announced) {
      Object.assign(this, { waiting: true, batch, announced });
      this.halt.hidden = false;
      this.note.textContent = ready ? "Waits …" : "Waits for Python …";
    }

    began() {
      this.sent = this.editor.text;
      const at = this.batch.indexOf(this);
      const left = about(this.batch.slice(at));
      const of = this.batch.length > 1 ? `${at + 1} of ${this.batch.length}${left}` : left.slice(2);
      this.announced.note.textContent = `Waits: ${of} …`;
      this.note.textContent = `Runs${about([this])} …`;
      say(`${this.announced.words[0]}${of && `: ${of}`}.`);
      this.place.setAttribute("aria-busy", "true");
      this.output.classList.add("il-stale");
      Object.assign(this, { shown: 0, drawn: 0, kinds: new Set(), error: "", stream: null });
    }

    rest(text) {
      if (document.activeElement === this.halt) this.go.focus();
      Object.assign(this, { waiting: false, words: null, batch: null });
      this.halt.hidden = true;
      this.note.textContent = text;
      this.place.removeAttribute("aria-busy");
      this.output.classList.remove("il-stale");
    }

    forget() {
      if (this.ran !== null) this.note.textContent = "Not run since Python started again.";
      this.ran = null;
    }

    ended(ok, time) {
      this.clear();
      Object.assign(this, { ran: ok ? this.sent : null, time });
      if (ok && this.measured && !imports.length && this.isCurrent() && this.ran === this.source) {
        pace.took += time;
        pace.measured += this.measured;
      }
      const numbered = this.output.querySelectorAll(".il-number");
      numbered.forEach((one, i) => { one.textContent = this.numbers[i] ?? ""; });
      const waits = this.output.hidden && this.kinds.size ? " The output waits for your prediction." : "";
      const words = this.words?.[1];
      const found = [...this.kinds].join(", ") || "no output";
      const total = (this.batch ?? [this]).reduce((sum, one) => sum + one.time, 0);
      if (!ok) say(`Cell ${this.number} has an error: ${this.error}`);
      else if (this.words) say(`${words} in ${seconds(total)}. ${this.words[2] ?? "It shows"} ${found}.${waits}`);
      this.rest(ok ? `Ran in ${seconds(time)}.${waits}` : `Error after ${seconds(time)}.`);
      if (ok && !this.isCurrent()) this.edited();
    }

    // What the last run showed stays, paler, until there is something to show.
    clear() {
      if (this.output.classList.contains("il-stale")) this.output.replaceChildren();
      this.output.classList.remove("il-stale");
    }

    show(message) {
      this.clear();
      if (message.type === "stream") this.print(message.name, message.text);
      else if (message.type === "error") {
        this.error = `${message.name}: ${message.message}`;
        this.stream = null;
        this.write("traceback", [message.traceback, this.error].filter(Boolean).join("\n"));
      } else if (message.type === "display") {
        this.stream = null;
        const data = message.data;
        if (data["text/html"] !== undefined) this.insert(data["text/html"]);
        else if (data["image/svg+xml"] !== undefined) this.draw(data["image/svg+xml"]);
        else this.print("value", data["text/markdown"] ?? data["text/latex"] ?? data["text/plain"]);
      }
    }

    write(kind, text) {
      const pre = element("pre", {}, text);
      const of = { stdout: "stream highlight-myst-ansi", stderr: "stderr highlight-myst-ansi", value: "text_plain highlight-myst-ansi" };
      this.output.append(element("div", { class: `output ${of[kind] ?? kind} notranslate` }, element("div", { class: "highlight" }, pre)));
      return pre;
    }

    print(kind, text) {
      if (this.shown > MOST) return;
      this.shown += text.length;
      if (this.shown > MOST) text = `${text.slice(0, MOST)}\n… The rest of what it prints is not shown.\n`;
      this.kinds.add("text");
      if (kind !== "value" && this.stream?.kind === kind) return this.stream.pre.append(text);
      const pre = this.write(kind, text);
      this.stream = kind === "value" ? null : { kind, pre };
    }

    insert(html) {
      const holder = element("div", { class: "output text_html" });
      this.output.append(holder);
      const range = document.createRange();
      range.selectNode(holder);
      holder.append(range.createContextualFragment(html)); // its scripts run, as those of figures that move must
      holder.querySelectorAll(".il-explore").forEach((box) => window.isotropyLabExplore(box, ask));
      this.kinds.add(holder.querySelector(".il-moving, .il-explore") ? "a figure" : holder.querySelector("table") ? "a table" : "text");
    }

    // A figure by the page's own code takes the frame, the caption and the label of that on the page.
    draw(svg) {
      const before = this.sent === this.source ? this.figures[this.drawn] : undefined;
      this.drawn += 1;
      const holder = element("div", { class: "output image_svg" });
      holder.innerHTML = svg;
      const drawing = holder.querySelector("svg");
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", before?.label ?? "A figure that this cell drew");
      const frame = before?.frame?.cloneNode(true);
      frame?.querySelector("svg.il-drawn").replaceWith(drawing);
      this.output.append(frame ?? holder);
      this.kinds.add("a figure");
    }
  }

  // --- editors ------------------------------------------------------------------------------------------------------

  async function codeMirror() {
    // Its modules import each other by name. The map comes now because a page that nobody runs needs none.
    const imports = Object.entries(EDITOR).map(([name, file]) => [name, new URL(`codemirror/${file}.js`, files).href]);
    document.head.append(element("script", { type: "importmap" }, JSON.stringify({ imports: Object.fromEntries(imports) })));
    const [view, commands, language, { tags }, { python }] = await Promise.all(
      ["view", "commands", "language"].map((name) => import(`@codemirror/${name}`)).concat(
        import("@lezer/highlight"), import("@codemirror/legacy-modes/mode/python")));
    // The classes are those of the page's own highlighting, so its colors hold, light and dark.
    const classes = language.HighlightStyle.define([
      { tag: tags.keyword, class: "k" }, { tag: tags.standard(tags.variableName), class: "nb" },
      { tag: tags.definition(tags.variableName), class: "nf" }, { tag: tags.variableName, class: "n" },
      { tag: tags.propertyName, class: "n" }, { tag: tags.string, class: "s2" }, { tag: tags.number, class: "mi" },
      { tag: tags.comment, class: "c1" }, { tag: tags.operator, class: "o" }, { tag: tags.meta, class: "nd" },
    ]);
    const { EditorView } = view;
    const look = EditorView.theme({
      "&": { color: "var(--pst-color-text-base)", fontSize: "0.875em" },
      "&.cm-focused": { outline: "3px solid var(--pst-color-primary)", outlineOffset: "1px" },
      ".cm-scroller": { fontFamily: "var(--pst-font-family-monospace)", lineHeight: "1.4" },
      ".cm-content": { padding: "0.8rem 0", caretColor: "var(--pst-color-text-base)" },
      ".cm-gutters": { background: "transparent", color: "var(--pst-color-text-muted)", border: "none" },
    });
    return (holder, cell) => {
      const go = () => { run(cell); return true; };
      const made = new EditorView({
        parent: holder,
        doc: cell.source,
        extensions: [
          view.keymap.of([
            { key: "Shift-Enter", run: go }, { key: "Mod-Enter", run: go },
            ...commands.historyKeymap, ...commands.defaultKeymap,
          ]),
          view.lineNumbers(), commands.history(), language.indentUnit.of("    "), language.indentOnInput(),
          language.bracketMatching(), language.StreamLanguage.define({ ...python, tokenTable: { self: tags.self } }),
          language.syntaxHighlighting(classes), look,
          EditorView.contentAttributes.of({ "aria-label": `Code of cell ${cell.number}`, spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
          EditorView.updateListener.of((update) => { if (update.docChanged) cell.edited(); }),
        ],
      });
      return {
        get text() { return made.state.doc.toString(); },
        set text(text) { made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: text } }); },
      };
    };
  }

  // For browsers that cannot load the editor.
  function plain(holder, cell) {
    const area = element("textarea", { "aria-label": `Code of cell ${cell.number}`, spellcheck: "false", rows: cell.source.split("\n").length });
    area.value = cell.source;
    area.addEventListener("input", () => cell.edited());
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        run(cell);
      }
    });
    holder.append(area);
    return { get text() { return area.value; }, set text(text) { area.value = text; cell.edited(); } };
  }

  // --- the click ----------------------------------------------------------------------------------------------------

  async function open() {
    if (unserved) return say(unserved);
    begin.disabled = true;
    say("Loading the editor.");
    let found;
    try {
      const answer = await fetch(new URL(`../${list}`, files));
      if (!answer.ok) throw new Error(`the server says ${answer.status}`);
      found = await answer.json();
    } catch (error) {
      begin.disabled = false;
      return say(`The cells of this page could not be loaded: ${error.message}.`);
    }
    isOpen = true;
    imports = importsOf(found);
    if (!recall()) remember("yes");
    if (!worker) start();
    else if (ready) {
      starts();
      preload();
    } else {
      load.hidden = false;
      say("Loading Python.");
    }
    const makeEditor = await codeMirror().catch(() => plain);
    for (const [at, one] of found.entries()) {
      const place = document.querySelector(`main .il-cell-${one.index}`);
      if (!one.reason) cells.push(new Cell(place, one, at, cells.length + 1, makeEditor));
      else place.querySelector(".cell_input").after(element("p", { class: "il-note" }, `This cell does not run in the tab: ${one.reason}.`));
    }
    for (const part of [begin, note]) part.hidden = true;
    for (const part of [all, saves, help]) part.hidden = false;
    all.focus();
  }

  place();
  if (recall() === "yes" && !unserved && !navigator.connection?.saveData) (window.requestIdleCallback ?? setTimeout)(prepare);
})();
