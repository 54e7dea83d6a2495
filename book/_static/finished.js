/* What a reader has finished: a button at the end of each lesson, and a mark at links to finished lessons. The list is kept
   by the browser, and sent nowhere. */
(() => {
  "use strict";
  const KEY = "isotropy-lab-finished";
  const root = new URL(document.documentElement.dataset.content_root ?? ".", location);
  const nameOf = (address) => new URL(address, location).pathname.slice(root.pathname.length);

  function read() {
    try {
      return new Set(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
    } catch {
      return new Set(); // a browser may show nothing
    }
  }

  function mark() {
    const finished = read();
    document.querySelectorAll(".il-finished").forEach((one) => one.remove());
    for (const link of document.querySelectorAll(".bd-sidebar-primary a, main :is(table, .sd-card) a, .prev-next-area a")) {
      if (!finished.has(nameOf(link.href)) || new URL(link.href).hash) continue;
      const tick = Object.assign(document.createElement("span"), { className: "il-finished", textContent: " ✓" });
      tick.setAttribute("role", "img");
      tick.setAttribute("aria-label", "finished");
      (link.querySelector(".prev-next-title") ?? link).append(tick);
    }
    return finished;
  }

  function offer() {
    const name = nameOf(location.href);
    const button = Object.assign(document.createElement("button"), { type: "button", className: "il-check" });
    const say = () => {
      const done = mark().has(name);
      button.textContent = done ? "✓ Finished" : "Mark as finished";
      button.setAttribute("aria-pressed", done);
    };
    button.addEventListener("click", () => {
      const finished = read();
      if (!finished.delete(name)) finished.add(name);
      try { localStorage.setItem(KEY, JSON.stringify([...finished].sort())); } catch { /* a browser may keep nothing */ }
      say();
    });
    const holder = Object.assign(document.createElement("div"), { className: "il-finish" });
    holder.append(button);
    document.querySelector("main article").append(holder);
    say();
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (document.querySelector("main .il-reading-time")) offer();
    else mark();
  });
})();
