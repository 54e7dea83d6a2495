"""Comparison of a lesson's cells in the browser with the stored results of the build."""

import hashlib
import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from reanalyses import in_the_tab, lessons
from tests.book.conftest import BOOK, ROOT, inline_expressions
from tests.book.test_chapters import page_of

#: Lessons that take more seconds in the browser, without imports, are tested only with ISOTROPY_LAB_LARGE or
#: after a change of their code.
LONG_SECONDS = 20.0
#: Starts the worker in an otherwise empty page.
START = """async (address) => {
  const began = performance.now();
  window.python = new Worker(new URL("_static/live/worker.js", address), {type: "module"});
  window.handlers = new Map();
  window.bytes = [];
  python.onmessage = ({data}) => {
    if (data.type === "progress") return window.bytes.push(data);
    window.handlers.get(data.id)?.(data);
  };
  return await new Promise((done, fail) => {
    window.handlers.set(undefined, (reply) =>
      reply.type === "ready" ? done((performance.now() - began) / 1000) : fail(new Error(reply.message)));
    python.onerror = (event) => fail(new Error(event.message));
  });
}"""
#: Sends one message to the worker, and returns all messages in reply.
ASK = """async (message) => {
  const id = String(Math.random());
  const replies = [];
  return await new Promise((done) => {
    window.handlers.set(id, (data) => {
      replies.push(data);
      const last = message.type === "evaluate" ? ["text", "error"] : ["done", "file"];
      if (last.includes(data.type)) { window.handlers.delete(id); done(replies); }
    });
    python.postMessage({...message, id});
  });
}"""


class Step(NamedTuple):
    """A step of a page in the browser."""

    kind: str  #: "run" or "evaluate"
    code: str
    cell: str  #: number of the cell in the notebook


def steps(path: Path) -> list[Step]:
    """Return the steps of a page: visible cells and solutions to run, and expressions between them to evaluate."""
    page_steps = []
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["metadata"].get("isotropy_lab", {}).get("not_in_the_tab"):
            continue
        text = "".join(cell["source"])
        if lessons.is_runnable(cell):
            page_steps.append(Step("run", text, str(number)))
        elif cell["cell_type"] == "markdown":
            expressions = inline_expressions.expressions(text)
            page_steps += [Step("evaluate", expression, str(number)) for expression in expressions]
    return page_steps


def digest(path: Path) -> str:
    """Return a digest of the steps of a page, which depends on its code and on the numbers in its prose."""
    return hashlib.sha256(json.dumps([step[:2] for step in steps(path)]).encode()).hexdigest()[:12]


def takes_long(path: Path) -> bool:
    """Return whether a lesson takes more than `LONG_SECONDS` in the browser, without imports."""
    rows = json.loads((ROOT / "benchmarks" / "live.json").read_text(encoding="utf-8"))["lessons"]
    row = next((row for row in rows if row["page"] == page_of(path)), {"tab": 0.0})
    return bool(row["tab"] - row.get("imports", 0.0) > LONG_SECONDS and row.get("code") == digest(path))


@contextmanager
def python_in(page: Any, address: str) -> Iterator[float]:
    """Start the worker in a page without access to other sites, and yield the seconds that it took."""
    outside: list[str] = []

    def refuse(route: Any) -> None:
        if route.request.url.startswith((address, "blob:", "data:")):
            route.continue_()
        else:
            outside.append(route.request.url)
            route.abort()

    page.context.route("**/*", refuse)
    page.set_default_timeout(600_000)
    page.goto(address + "_static/live/files.json")
    yield page.evaluate(START, address)
    page.evaluate("() => python.terminate()")
    assert outside == []


def visible_text(data: dict[str, Any]) -> str:
    """Return the visible text of an output; for a figure, its words, since axis numbers depend on the fonts."""
    if "image/svg+xml" in data:
        texts = re.findall(r"(?s)<text[^>]*>(.*?)</text>", data["image/svg+xml"])
        words = (re.sub(r"<[^>]*>", "", text) for text in texts)
        return " ".join(text for text in words if re.search(r"[A-Za-z]", text)) + "\n"
    text: str = data.get("text/html") or data.get("text/plain", "")
    if 'class="il-explore"' in text:  # the browser has no frames: it draws the requested one
        text = " ".join(re.findall(r'aria-label="([^"]*)"', text))
    return re.sub(r" at 0x[0-9a-f]+", "", text) + "\n"


def text_in_browser(replies: Sequence[dict[str, Any]]) -> str:
    """Return the output of a step in the browser as text."""
    parts = []
    for reply in replies:
        if reply["type"] == "text" or (reply["type"] == "stream" and reply["name"] == "stdout"):
            parts.append(reply["text"])
        elif reply["type"] == "display":
            parts.append(visible_text(reply["data"]))
        elif reply["type"] == "error":
            parts.append(f"{reply['name']}: {reply['message']}\n{reply['traceback']}\n")
    return "".join(parts)


def text_of_build(step: Step, stored: dict[str, Any]) -> str:
    """Return the output of a step during the build as text."""
    if step.kind == "evaluate":
        text: str = stored["texts"][step.cell][step.code]
        return text
    parts = []
    for output in stored["cells"][step.cell]["outputs"]:
        if output["output_type"] != "stream":
            parts.append(visible_text({kind: "".join(data) for kind, data in output["data"].items()}))
        elif output["name"] == "stdout":
            parts.append("".join(output["text"]))
    return "".join(parts)


def equal_up_to_rounding(ours: str, theirs: str) -> bool:
    """Return whether texts are equal except for rounding of numbers with at least ten digits.

    Data of interactive figures and of report cards are written with all digits.
    """
    number = re.compile(r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
    a, b = number.split(ours), number.split(theirs)
    return a[::2] == b[::2] and all(
        x == y
        or (
            (max(len(x), len(y)) > 10 or "e" in x + y)
            and math.isclose(float(x), float(y), rel_tol=1e-9, abs_tol=1e-12)
        )
        for x, y in zip(a[1::2], b[1::2], strict=True)
    )


def compare(page: Any, path: Path) -> dict[str, Any]:
    """Run a page in the browser, and return errors, differences from the build, and seconds per cell."""
    import cell_needs  # importable because of `tests.book.conftest`
    import executed_pages

    stored = executed_pages.read_outputs(
        executed_pages.outputs_folder(BOOK), page_of(path), json.loads(path.read_text(encoding="utf-8"))
    )
    assert stored is not None, f"{path}: the built book has other code; run `make book` first"
    report: dict[str, Any] = {"errors": [], "words": [], "stderr": [], "tab": 0.0, "cells": {}}
    left_out = "not_in_the_tab" in path.read_text(encoding="utf-8")
    # The page imports packages in the same way, while the reader reads.
    imports = [line for step in steps(path) if step.kind == "run" for line in cell_needs.imports(step.code)]
    replies = page.evaluate(
        ASK, {"type": "run", "code": f"exec({chr(10).join(imports)!r}, {{}})", "name": "imports"}
    )
    report["imports"] = report["tab"] = round(sum(reply.get("seconds", 0.0) for reply in replies), 1)
    for number, step in enumerate(steps(path), start=1):
        replies = page.evaluate(ASK, {"type": step.kind, "code": step.code, "name": f"step {number}"})
        ours, theirs = text_in_browser(replies), text_of_build(step, stored)
        seconds = sum(reply.get("seconds", 0.0) for reply in replies)
        report["tab"] += seconds
        if step.kind == "run":
            report["cells"][in_the_tab.digest(step.code)] = round(seconds, 1)
        report["stderr"] += [reply["text"] for reply in replies if reply.get("name") == "stderr"]
        if any(reply["type"] == "error" for reply in replies):
            if step.kind == "evaluate" and left_out:
                continue  # it needs a cell that does not run in the browser
            report["errors"].append((step.code, ours))
        elif not equal_up_to_rounding(ours, theirs):
            report["words"].append((step.code, ours, theirs))
    return report
