"""Pytest plugin that records which functions of the package each test calls, and its processor time.

``python -m pytest -p benchmarks.mutants.reached --reached FILE tests/…`` adds a line of JSON per test.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Generator
from types import FrameType

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the output file."""
    parser.addoption("--reached", required=True, help="file to which one line of JSON per test is written")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Record the calls while a test is set up, run, and torn down."""
    package = os.path.join(item.config.rootpath, "isotropy_lab", "")
    calls: set[tuple[str, str]] = set()

    def listen(frame: FrameType, _event: str, _arg: object) -> None:
        if frame.f_code.co_filename.startswith(package):
            calls.add((frame.f_code.co_filename.removeprefix(package), frame.f_code.co_qualname))

    start = time.process_time()
    sys.settrace(listen)
    threading.settrace(listen)
    try:
        result = yield
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    line = {"test": item.nodeid.split("[")[0], "seconds": time.process_time() - start, "calls": sorted(calls)}
    with open(item.config.getoption("reached"), "a", encoding="utf-8") as lines:
        print(json.dumps(line), file=lines)
    return result
