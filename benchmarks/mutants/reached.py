"""A plugin of pytest that writes down which functions of the package each test calls, and how long it takes.

``python -m pytest -p benchmarks.mutants.reached --reached FILE tests/…`` adds to FILE a line of JSON for each test that passed.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from types import FrameType

import pytest

FAILED: set[str] = set()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say where the lines go."""
    parser.addoption("--reached", required=True, help="the file that gets a line of JSON for each test")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember which tests tell nothing, because they fail without any mutation."""
    if report.failed:
        FAILED.add(report.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Listen to the calls while a test is set up, run and torn down."""
    root = str(item.config.rootpath) + os.sep
    package = root + "isotropy_lab" + os.sep
    calls: set[tuple[str, str]] = set()

    def listen(frame: FrameType, _event: str, _arg: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(package):
            calls.add((code.co_filename, code.co_qualname))

    start = time.perf_counter()
    sys.settrace(listen)
    threading.settrace(listen)
    try:
        result = yield
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    if item.nodeid not in FAILED:
        line = {
            "test": item.nodeid.split("[")[0],
            "seconds": round(time.perf_counter() - start, 3),
            "calls": sorted(f"{Path(file).relative_to(root).as_posix()}:{name}" for file, name in calls),
        }
        with open(item.config.getoption("reached"), "a", encoding="utf-8") as lines:
            print(json.dumps(line), file=lines)
    return result
