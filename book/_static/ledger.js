/* Filters for the ledger and the errata. The pages can be read without this script; it adds, where the page has a place
   for it, choices by paper, verdict, kind and page, a search, counts that follow them, and an address for each choice. */
"use strict";
(() => {
  const LABELS = { paper: "Paper", verdict: "Verdict", kind: "Kind", page: "Page of the book" };

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /* Words of a query must all occur, in any order; signs and indices (I_A, e^-1) are read as people type them. */
  const plain = (text) => text.toLowerCase().replaceAll("−", "-").replace(/[_^]/g, "").replace(/\s+/g, " ");

  function start(place) {
    const noun = place.dataset.noun;
    const marks = JSON.parse(place.dataset.marks);
    const choices = JSON.parse(place.dataset.choices);
    const entries = [...document.querySelectorAll(".il-entry")];
    const texts = new Map(entries.map((entry) => [entry, plain(`${entry.id} ${entry.textContent}`)]));
    const asked = new URLSearchParams(location.search);

    const form = element("form", { role: "search", "aria-label": `Filter the ${noun}` });
    const fields = {};
    for (const [name, values] of Object.entries(choices)) {
      const select = element("select", { name, id: `il-filter-${name}` }, element("option", { value: "" }, "all"));
      for (const value of values) {
        const [key, title] = Array.isArray(value) ? value : [value, `${marks[value] ?? ""} ${value}`.trim()];
        select.append(element("option", { value: key }, title));
      }
      select.value = asked.get(name) ?? "";
      if (select.selectedIndex < 0) select.value = "";
      fields[name] = select;
      form.append(element("div", {}, element("label", { for: select.id }, LABELS[name]), select));
    }
    const search = element("input", { type: "search", name: "q", id: "il-filter-q", autocomplete: "off" });
    search.value = asked.get("q") ?? "";
    fields.q = search;
    const reset = element("button", { type: "button" }, "Show all");
    const open = element("button", { type: "button" }, "Open those shown");
    form.append(element("div", {}, element("label", { for: search.id }, "Words"), search), reset, open);
    const said = element("p", { role: "status", "aria-live": "polite" });
    place.append(form, said);

    function counted(shown) {
      const own = shown.filter((entry) => !entry.dataset.same);
      let text = `${shown.length} of ${entries.length} ${noun} shown`;
      if (choices.verdict) {
        const parts = choices.verdict
          .map((verdict) => [verdict, own.filter((entry) => entry.dataset.verdict === verdict).length])
          .filter(([, count]) => count)
          .map(([verdict, count]) => `${count} ${marks[verdict]} ${verdict}`);
        const twice = shown.length - own.length;
        if (parts.length) text += `; ${own.length} ${own.length === 1 ? "claim" : "claims"}: ${parts.join(", ")}`;
        if (twice) text += `; ${twice} state${twice === 1 ? "s" : ""} a claim that is counted elsewhere`;
      }
      return `${text}.`;
    }

    function apply() {
      const words = plain(search.value).split(" ").filter(Boolean);
      const shown = [];
      for (const entry of entries) {
        const kept =
          Object.keys(choices).every((name) => !fields[name].value || entry.dataset[name] === fields[name].value) &&
          words.every((word) => texts.get(entry).includes(word));
        entry.hidden = !kept;
        if (kept) shown.push(entry);
      }
      for (const list of document.querySelectorAll(".il-ledger")) {
        const own = [...list.querySelectorAll(".il-entry")];
        const left = own.filter((entry) => !entry.hidden).length;
        const note = list.querySelector(".il-left") ?? list.insertAdjacentElement("afterbegin", element("p", { class: "il-left" }));
        note.textContent = left === own.length ? "" : `${left} of ${own.length} shown`;
        list.closest("section:not(:has(.il-filter))")?.toggleAttribute("hidden", !left);  // a paper's heading and all below it
      }
      said.textContent = counted(shown);
      const query = new URLSearchParams();
      for (const [name, field] of Object.entries(fields)) if (field.value) query.set(name, field.value);
      const tail = query.size ? `?${query}` : "";
      if (location.search !== tail) history.replaceState(null, "", location.pathname + tail + location.hash);
    }

    function clear() {
      for (const field of Object.values(fields)) field.value = "";
      apply();
    }

    /* A link to an entry opens it, and shows it even if the filters hide it. */
    function follow() {
      const entry = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!entry?.classList.contains("il-entry")) return;
      if (entry.hidden) clear();
      entry.querySelector("details").open = true;
      entry.scrollIntoView();
    }

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", apply);
    reset.addEventListener("click", clear);
    open.addEventListener("click", () => {
      for (const entry of entries) if (!entry.hidden) entry.querySelector("details").open = true;
    });
    window.addEventListener("hashchange", follow);
    /* A link within the page keeps the filters. */
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.(".il-entry a, .il-coverage a");
      if (!link || link.pathname !== location.pathname || !link.hash || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (link.hash === location.hash) follow();
      else location.hash = link.hash;
    });
    apply();
    follow();
  }

  document.addEventListener("DOMContentLoaded", () => {
    const place = document.querySelector(".il-filter");
    if (place) start(place);
  });
})();
