"""Benchmarks of Python in the browser: ``python -m benchmarks.live`` after `make book`, on an idle machine.

They measure the time to the first result with an empty and a full cache on a locally served page, the size of
the download, the time and memory of a report card, and the time of each lesson in the browser and in CPython.
With names, such as ``report/comparing-models``, only these lessons are measured again. The results are
written to ``benchmarks/live.json``, which the appendix of the book shows.
"""

import datetime
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from playwright.sync_api import Browser, sync_playwright

from benchmarks.processes import machine, resident
from tests.book.conftest import SITE, serve
from tests.book.test_chapters import LESSONS, name, page_of
from tests.conftest import chromium
from tests.live.harness import compare, digest, python_in, steps

RESULTS = Path(__file__).with_name("live.json")
LESSON = "isotropy/what-isotropy-is"
#: Script that clicks both buttons, the second as soon as it appears, and waits for the first cell's output.
FIRST_RESULT = """async () => {
  const wait = async (found) => {
    while (!found()) await new Promise((done) => setTimeout(done, 20));
    return found();
  };
  const begun = performance.now();
  document.querySelector(".il-live .il-main").click();
  const cells = await wait(() => {
    const all = [...document.querySelectorAll("main .cell:has(.il-tools)")];
    return all.length && all;
  });
  const cell = cells.find((one) => one.querySelector(".cell_output .output"));
  cell.querySelector(".il-tools button").click();
  await wait(() => cell.querySelector(".il-note").textContent.startsWith("Ran in"));
  return (performance.now() - begun) / 1000;
}"""
#: Seconds after the last cell until compiled code is stored.
STORING_TIME = 20
#: Seconds that a reader reads before the first click.
READING_TIME = 30
#: The file whose report card is measured: float32 numbers from a normal distribution.
CARD_SHAPE = (100_000, 384)
#: Program that runs cells as the browser does, and prints the seconds that they take.
CPYTHON_PROGRAM = """
import json, sys, time
from reanalyses import drawing
from reanalyses.live import Session
drawing.Explored._repr_html_ = lambda self: self.frame_at(self.start)[0]  # the one frame that a browser draws
session, begun = Session(lambda *_: None), time.perf_counter()
for code in json.load(sys.stdin):
    session.run(code, "cell")
print(time.perf_counter() - begun)
"""


def first_results(browser: Browser, address: str, repeats: int) -> dict[str, list[float]]:
    """Return the seconds from the click to the first result.

    "cold" is with an empty cache, "warm" with a full one, and "prepared" after Python has started by itself.
    """
    seconds: dict[str, list[float]] = {"cold": [], "warm": [], "prepared": []}
    for _ in range(repeats):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        for start in seconds:
            page = context.new_page()
            page.set_default_timeout(300_000)
            page.goto(f"{address}{LESSON}.html")
            page.wait_for_selector(".il-live .il-main")
            if start == "prepared":
                time.sleep(READING_TIME)
            seconds[start].append(page.evaluate(FIRST_RESULT))
            time.sleep(STORING_TIME)
            if start == "cold":
                page.evaluate("localStorage.clear()")
            page.close()
        context.close()
    return seconds


def report_card(browser: Browser, address: str) -> dict[str, Any]:
    """Return the cost of a card with and without starting Python: seconds, and bytes of memory of one tab."""
    n, d = CARD_SHAPE
    page = browser.new_page()
    page.set_default_timeout(600_000)
    page.goto(f"{address}report/in-your-browser.html")
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(2):
            file = Path(folder) / f"vectors-{i}.npy"
            np.save(file, np.random.default_rng(i).normal(size=(n, d)).astype(np.float32))
            start = time.perf_counter()
            page.set_input_files("#il-files", file)
            page.wait_for_function(
                """name => document.querySelector(".il-card[data-ready]")
                  && document.querySelector(".il-status").textContent
                    .startsWith(`The card of ${name} is below`)""",
                arg=file.name,
            )
            seconds.append(time.perf_counter() - start)
    peaks = [resident("VmHWM", process.pid) for process in psutil.Process().children(recursive=True)]
    page.close()
    return {
        "rows": n,
        "columns": d,
        "with_start": seconds[0],
        "running": seconds[1],
        "peak_bytes": max(peaks),
    }


def lessons(browser: Browser, address: str, selected: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the seconds of each lesson in the browser and in CPython, and of its cells in the browser."""
    rows = []
    for path in LESSONS:
        page_name = page_of(path)
        if selected and page_name not in selected:
            continue
        page = browser.new_page()
        with python_in(page, address):
            report = compare(page, path)
        page.close()
        if report["errors"]:
            raise SystemExit(f"{name(path)} raises an error in the browser:\n{report['errors'][0][1]}")
        differing = [report[kind] for kind in ("words", "stderr") if report[kind]]
        if differing:
            raise SystemExit(f"{name(path)} differs in the browser:\n{differing[0]}")
        cells = json.dumps([step.code for step in steps(path) if step.kind == "run"])
        run = subprocess.run(
            [sys.executable, "-c", CPYTHON_PROGRAM], input=cells, capture_output=True, text=True, check=True
        )
        seconds = float(run.stdout.splitlines()[-1])
        row = {"page": page_name, "code": digest(path)}
        row |= {
            "tab": report["tab"],
            "cpython": seconds,
            "imports": report["imports"],
            "cells": report["cells"],
        }
        rows.append(row)
        print(f"{page_name}: {report['tab']:.1f} s in the browser, {seconds:.1f} s in CPython", flush=True)
    return rows


def main(selected: Sequence[str] = ()) -> None:
    """Measure all lessons, or the named ones, and write the results."""
    if unknown := set(selected) - (known := {page_of(path) for path in LESSONS}):
        raise SystemExit(f"{min(unknown)} is not a lesson; expected {', '.join(sorted(known))}")
    files = json.loads((SITE / "_static" / "live" / "files.json").read_text(encoding="utf-8"))
    size = sum(file["size"] for kind in ("scripts", "core", "packages") for file in files[kind])
    with sync_playwright() as playwright, serve(SITE) as address:
        browser = chromium(playwright)
        if selected:
            results = json.loads(RESULTS.read_text(encoding="utf-8"))
            new = {row["page"]: row for row in lessons(browser, address, selected)}
            results["lessons"] = [new.get(row["page"], row) for row in results["lessons"]]
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            return
        first = first_results(browser, address, repeats=3)
        print({kind: round(statistics.median(times), 1) for kind, times in first.items()}, flush=True)
        card = report_card(browser, address)
        print(card, flush=True)
        rows = lessons(browser, address)
        results = {
            "date": datetime.date.today().isoformat(),
            "machine": machine(),
            "browser": f"Chromium {browser.version}",
            "megabytes": size / 1e6,
            "first_result": first,
            "card": card,
            "lessons": rows,
        }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
