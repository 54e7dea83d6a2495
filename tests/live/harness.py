"""Cells in the reader's tab and in CPython: run, recorded, compared.

``python -m tests.live.harness isotropy/what-isotropy-is`` runs lessons of the built site and prints what differs.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reanalyses import lessons

ROOT = Path(__file__).resolve().parents[2]

#: Lessons that take more seconds in the tab run there with ISOTROPY_LAB_LARGE only, and when their code changes.
LONG = 20.0
#: What may differ, by page, and why.
DIFFERENCES = ROOT / "book" / "_live" / "differences.toml"
#: Starts the worker in a page that has nothing else to do.
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
    window.handlers.set(undefined, (said) =>
      said.type === "ready" ? done((performance.now() - began) / 1000) : fail(new Error(said.message)));
    python.onerror = (event) => fail(new Error(event.message));
  });
}"""
#: Sends one message and gives everything that comes back about it.
ASK = """async (message) => {
  const id = String(Math.random());
  const said = [];
  return await new Promise((done) => {
    window.handlers.set(id, (data) => {
      said.push(data);
      const last = message.type === "evaluate" ? ["text", "error"] : ["done", "file"];
      if (last.includes(data.type)) { window.handlers.delete(id); done(said); }
    });
    python.postMessage({...message, id});
  });
}"""

#: A last cell: the numbers behind the names of a page.
NUMBERS = """
import json as _json, numpy as _np, pandas as _pd
def _numbers(value):
    if isinstance(value, _pd.DataFrame):
        value = value.select_dtypes("number").to_numpy(float)
    if isinstance(value, _pd.Series):
        value = value.to_numpy()
    if isinstance(value, (int, float, _np.number, _np.ndarray)) and not isinstance(value, bool):
        array = _np.asarray(value)
        if array.dtype.kind in "iuf":
            flat = array.astype(float).ravel()
            kept = flat[:: max(1, flat.size // 50)]
            return [[*array.shape, bool(array.dtype == _np.float32)], *kept.tolist(), flat.sum(), abs(flat).sum()]
print(_json.dumps({name: found for name, value in list(globals().items())
                   if not name.startswith("_") and (found := _numbers(value)) is not None}))
"""


def steps(path: Path) -> list[tuple[str, str]]:
    """Return what a tab does with a page: ("run", a visible cell or a solution) and ("evaluate", an expression)."""
    found = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["metadata"].get("isotropy_lab", {}).get("not_in_the_tab"):
            continue
        text = "".join(cell["source"])
        if lessons.is_runnable(cell):
            found.append(("run", text))
        elif cell["cell_type"] == "markdown" and "{dropdown} What comes out" not in text:
            found += [
                ("evaluate", " ".join(e.split())) for _, e in re.findall(r"(?s)\{eval\}(`+)(.+?)\1", text)
            ]
    return [*found, ("run", NUMBERS)]


def digest(path: Path) -> str:
    """Name what a tab does with a page: another name where its code or the numbers of its prose are others."""
    return hashlib.sha256(json.dumps(steps(path)).encode()).hexdigest()[:12]


def page_of(path: Path) -> str:
    """Return the name of a page, such as report/comparing-models."""
    return path.relative_to(path.parents[1]).with_suffix("").as_posix()


def recorded(path: Path) -> dict[str, Any]:
    """Return what ``benchmarks/live.json`` has of a lesson: seconds in the tab and in CPython, and the digest; {} if nothing."""
    page = page_of(path)
    rows = json.loads((ROOT / "benchmarks" / "live.json").read_text(encoding="utf-8"))["lessons"]
    return next((row for row in rows if row["page"] == page), {})


def takes_long(path: Path) -> bool:
    """Say whether a lesson takes more than `LONG` seconds in the tab."""
    return bool(recorded(path).get("tab", 0.0) > LONG)


@contextmanager
def python_in(page: Any, address: str) -> Iterator[float]:
    """Start the worker in a page that reaches nothing but the site; yield the seconds that it took."""
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


def in_tab(page: Any, todo: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
    """Run steps in the worker of a page; return what each said."""
    n, said = 0, []
    for kind, code in todo:
        n += kind == "run"
        said.append(page.evaluate(ASK, {"type": kind, "code": code, "name": f"cell {n}"}))
    return said


def in_cpython(todo: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
    """Run steps in a new process of this Python; return what each said."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.live.harness", "--steps"],
        input=json.dumps(list(todo)),
        capture_output=True,
        text=True,
        check=True,
    )
    answer: list[list[dict[str, Any]]] = json.loads(run.stdout)
    return answer


def _answer_steps() -> None:
    from reanalyses.live import Session

    said: list[list[dict[str, Any]]] = []
    session = Session(lambda kind, fields: said[-1].append({"type": kind, **fields}))
    n = 0
    for kind, code in json.load(sys.stdin):
        n += kind == "run"
        said.append([])
        begun = time.perf_counter()
        if kind == "run":
            session.run(code, f"cell {n}")
            said[-1].append({"type": "done", "seconds": time.perf_counter() - begun})
        elif (text := session.evaluate(code)) is not None:
            said[-1].append({"type": "text", "text": text})
    print(json.dumps(said))


def words(said: Sequence[dict[str, Any]]) -> str:
    """Return what a step printed and showed, as text."""
    parts = []
    for one in said:
        if (one["type"] == "stream" and one["name"] == "stdout") or one["type"] == "text":
            parts.append(one["text"])
        elif one["type"] == "display":
            data = one["data"]
            shown = "a figure" if "image/svg+xml" in data else data.get("text/html", data["text/plain"])
            parts.append(re.sub(r" at 0x[0-9a-f]+", "", shown) + "\n")
        elif one["type"] == "error":
            parts.append(f"{one['name']}: {one['message']}\n{one['traceback']}\n")
    return "".join(parts)


def alike(ours: str, theirs: str) -> bool:
    """Say whether texts are equal, but for numbers with ten digits and more, which may differ by rounding.

    Data of figures that move and of report cards are written with all digits.
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


def differing(
    ours: dict[str, list[Any]], theirs: dict[str, list[Any]], allowed: Mapping[str, Any]
) -> dict[str, float]:
    """Return names whose numbers differ, and by what fraction of the largest of them.

    They may by 1e-9, in float32 and where `allowed` says "single" by 1e-6, and by what rounding leaves of zero; where it
    says "signs" signs do not count, and where it says "names" nothing does.
    """
    found = {}
    for name in sorted(ours.keys() | theirs.keys()):
        a, b = ours.get(name), theirs.get(name)
        if name in allowed.get("names", ()):
            continue
        if a is None or b is None or a[0] != b[0] or len(a) != len(b):
            found[name] = math.inf
            continue
        single = a[0][-1] or name in allowed.get("single", ())
        if name in allowed.get("signs", ()):
            a, b = ([one[0], *map(abs, one[1:-2]), one[-1]] for one in (a, b))
        size = max([1e-300, *(abs(x) for x in [*a[1:], *b[1:]] if math.isfinite(x))])
        pairs = zip(a[1:], b[1:], strict=True)
        gap = max(
            (abs(x - y) for x, y in pairs if x != y and not (math.isnan(x) and math.isnan(y))), default=0.0
        )
        if not gap <= (1e-6 if single else 1e-9) * size + 1e-11:
            found[name] = gap / size
    return found


def compare(page: Any, path: Path) -> dict[str, Any]:
    """Run a page in the tab and in CPython; return seconds, errors and differences."""
    todo = steps(path)
    tab, home = in_tab(page, todo), in_cpython(todo)
    allowed = tomllib.loads(DIFFERENCES.read_text(encoding="utf-8")).get(path.stem, {})
    report: dict[str, Any] = {"errors": [], "words": [], "numbers": {}, "stderr": []}
    for (kind, code), ours, theirs in zip(todo[:-1], tab[:-1], home[:-1], strict=True):
        failed, failed_at_home = (any(one["type"] == "error" for one in said) for said in (ours, theirs))
        if kind == "evaluate" and failed and failed_at_home:
            continue  # it needs a cell that does not run in the tab
        if failed:
            report["errors"].append((code, words(ours)))
        elif not alike(words(ours), words(theirs)) and not any(
            part in code for part in allowed.get("cells", ())
        ):
            report["words"].append((code, words(ours), words(theirs)))
        report["stderr"] += [
            one["text"] for one in ours if one["type"] == "stream" and one["name"] == "stderr"
        ]
    report["numbers"] = differing(json.loads(words(tab[-1])), json.loads(words(home[-1])), allowed)
    for name, said in (("tab", tab), ("cpython", home)):
        report[name] = sum(one["seconds"] for step in said for one in step if one["type"] == "done")
    slow = [
        (one["seconds"], code)
        for (_, code), step in zip(todo, tab, strict=True)
        for one in step
        if one["type"] == "done"
    ]
    report["slow"] = sorted(slow, reverse=True)[:5]
    return report


def main(names: Sequence[str]) -> None:
    """Run lessons of the built site and print what differs."""
    from playwright.sync_api import sync_playwright

    from tests.book.conftest import served
    from tests.conftest import chromium

    site = ROOT / "book" / "_build" / "html"
    if names and Path(names[0]).is_dir():
        site, names = Path(names[0]), names[1:]
    with sync_playwright() as playwright, served(site) as address:
        browser = chromium(playwright)
        for name in names:
            page = browser.new_page()
            with python_in(page, address) as seconds:
                report = compare(page, ROOT / "book" / f"{name}.ipynb")
            page.close()
            print(
                f"=== {name}: start {seconds:.1f} s, tab {report['tab']:.1f} s, CPython {report['cpython']:.1f} s"
            )
            for code, said in report["errors"]:
                print(f"--- ERROR in\n{code}\n{said}")
            for code, ours, theirs in report["words"]:
                at = next((i for i, (x, y) in enumerate(zip(ours, theirs, strict=False)) if x != y), 0)
                part = slice(max(0, at - 200), at + 300)
                print(f"--- DIFFERS after\n{code}\n   tab: {ours[part]}\nCPython: {theirs[part]}")
            print("numbers:", report["numbers"])
            print("stderr:", report["stderr"])
            print(
                "slow:",
                *(
                    f"\n  {t:.1f} s  {code.strip().splitlines()[0][:100]}"
                    for t, code in report["slow"]
                    if t > 2
                ),
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:] == ["--steps"]:
        _answer_steps()
    else:
        main(sys.argv[1:])
