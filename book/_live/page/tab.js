/* What the pages that run Python in the reader's tab share. */
"use strict";
window.isotropyLabTab = (() => {
  const files = new URL(".", document.currentScript.src); // _static

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function button(text, press, attributes = {}) {
    const made = element("button", { type: "button", ...attributes }, text);
    made.addEventListener("click", press);
    return made;
  }

  // A bar with words beside it, for bytes that load and rows that are measured.
  function meter(label) {
    const bar = element("progress", { "aria-label": label });
    const words = element("span", { "aria-hidden": "true" });
    return {
      part: element("p", {}, bar, " ", words),
      begin() {
        bar.removeAttribute("value");
        words.textContent = "";
      },
      loads({ loaded, total, what }) {
        const million = (bytes) => (bytes / 1e6).toFixed(0);
        this.show(loaded, total, `${million(loaded)} of ${million(total)} MB. ${what} …`);
      },
      show(done, total, text) {
        if (total) bar.max = total;
        if (total) bar.value = done;
        else bar.removeAttribute("value");
        words.textContent = text;
      },
    };
  }

  function python(hear, fail) {
    const worker = new Worker(new URL("live/worker.js", files), { type: "module" });
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = (event) => fail(event.message || "this browser may be too old for it");
    const terminate = worker.terminate.bind(worker);
    // What an ended worker has still sent, an error for instance, is not about the next one.
    worker.terminate = () => {
      worker.onmessage = worker.onerror = null;
      terminate();
    };
    return worker;
  }

  const seconds = (time) => time < 0.05 ? "less than 0.1 s" : `${time < 10 ? time.toFixed(1) : Math.round(time)} s`;
  // Why a page that lies in a folder cannot run Python; empty where it can.
  const unserved = location.protocol !== "file:" ? "" :
    "Browsers run Python only on pages that a server sends. In the folder of the site, run python -m http.server, and open http://localhost:8000/ here.";

  return { files, element, button, meter, python, seconds, unserved };
})();
