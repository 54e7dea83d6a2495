"""Test selection for each command, processor times, script imports, and a browser."""

import importlib.util
import os
import shutil
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import pytest

# Examples are the same in each run, so that a failure is due to a change; `make fuzz` draws others.
hypothesis.settings.register_profile("reproducible", derandomize=not os.environ.get("ISOTROPY_LAB_FUZZ"))
hypothesis.settings.load_profile("reproducible")

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


ROOT = Path(__file__).resolve().parents[1]

#: Whole files and folders that `make test` leaves to `make test-rest`; single tests carry the marker.
REST = ("tests/live", "tests/reanalyses/ledger/test_ledger.py")
#: Processor seconds of a test without the marker `rest`; tests that take more are only reported.
LIMIT = 2.0

#: Files whose tests are divided among processes, by a part of their names: each lesson by itself, and claims
#: by paper, because they share what is computed for it.
DIVIDED: dict[str, Callable[[str], str]] = {
    "live/test_lessons.py": lambda name: name,
    "ledger/test_ledger.py": lambda name: name.partition("[")[2].partition("-")[0],
}

#: Tests of numbers computed with BLAS or LAPACK: `make test-kernels` runs them under each kernel.
NUMBERS = (
    "tests/isotropy_lab/association",
    "tests/isotropy_lab/isotropy",
    "tests/isotropy_lab/projection",
    "tests/isotropy_lab/retrieval",
    "tests/isotropy_lab/core/test_moments.py",
    "tests/isotropy_report/measures",
    "tests/isotropy_lab/test_transforms.py",
    "tests/reanalyses/kindel2023/regression",
    "tests/reanalyses/kindel2023/test_consistency.py",
    "tests/reanalyses/kindel2023/test_nulls.py",
    "tests/reanalyses/ledger/test_ledger.py",
    "tests/reanalyses/smelser2025/test_embeddings.py",
)
#: Slow tests among these that do not depend on BLAS: compiled loops, counts of integers, frequencies over
#: many draws, and verdicts on distorted numbers.
NO_BLAS = (
    "test_compilation_is_logged_once_and_cached",
    "test_distorted_numbers_change_the_verdict",
    "test_numba_is_optional",
    "test_several_models_are_corrected_with_holm",
    "test_interval_covers_and_standard_error_matches_the_scatter",
    "test_both_tests_of_one_cosine_keep_their_level",
    "test_two_lists_of_25_words_are_counted_exactly",
)


STARTED = pytest.StashKey[float]()


def peak_of(call: Callable[[], object]) -> int:
    """Return the most memory that was in use during a call, in bytes."""
    tracemalloc.start()
    try:
        call()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def script_module(name: str, folder: str = "scripts") -> ModuleType:
    """Import a file outside of the packages as a new module that can import its neighbors by name."""
    scripts = ROOT / folder
    specification = importlib.util.spec_from_file_location(name, scripts / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.path.insert(0, str(scripts))
    sys.modules[name] = module  # dataclasses look their module up
    try:
        specification.loader.exec_module(module)
    finally:
        sys.path.remove(str(scripts))
    return module


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of `make test-rest` and the numerical tests, and run the slowest tests first."""
    numbers = [ROOT / name for name in NUMBERS]
    rest = [ROOT / name for name in REST]
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in rest):
            item.add_marker("rest")
        numerical = any(item.path.is_relative_to(folder) for folder in numbers)
        if numerical and getattr(item, "originalname", item.name) not in NO_BLAS:
            item.add_marker("numbers")
        # The tests of a file share what is slow to make, and stay together, except for the two slowest files.
        part = next((find(item.name) for file, find in DIVIDED.items() if item.path.match(file)), "")
        item.add_marker(pytest.mark.xdist_group(f"{item.path}{part}"))
    items.sort(
        key=lambda item: (item.get_closest_marker("rest") is None, not any(map(item.path.match, DIVIDED)))
    )


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Store the processor time of this process and its children before a test."""
    start = _processor_seconds()
    item.user_properties.append(("rest", item.get_closest_marker("rest") is not None))
    item.stash[STARTED] = start
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[pytest.TestReport]:
    """Add the seconds to the report, which reaches the process that prints the summary.

    Setup counts and teardown does not, because it may close the browser of the session.
    """
    report = yield
    if call.when == "call":
        report.user_properties.append(("processor", _processor_seconds() - item.stash[STARTED]))
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the ten slowest tests, and unmarked tests that exceed the limit."""
    durations = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            properties = dict(getattr(report, "user_properties", ()))
            if "processor" in properties:
                durations.append((properties["processor"], properties["rest"], report.nodeid))
    durations.sort(reverse=True)
    if durations:
        terminalreporter.section("most processor seconds")
        for seconds, _, name in durations[:10]:
            terminalreporter.line(f"{seconds:6.1f} s  {name}")
        slow = [name for seconds, rest, name in durations if seconds > LIMIT and not rest]
        if slow:
            terminalreporter.line(f"{len(slow)} over {LIMIT:.0f} s without the marker `rest`:")
            for name in slow:
                terminalreporter.line(f"  {name}")


def skip_or_fail(reason: str) -> None:
    """Skip with a message, or fail if CI requires a browser and a built site."""
    if os.environ.get("ISOTROPY_LAB_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


def chromium(playwright: Any) -> Any:
    """Start the installed Chromium, or skip if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next((path for name in names if (path := shutil.which(name))), None)
    if executable is None:
        skip_or_fail("no Chromium on this machine: on Debian, `apt-get install chromium`")
    return playwright.chromium.launch(executable_path=executable, args=FLAGS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start the installed Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        instance = chromium(playwright)
        yield instance
        instance.close()


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    """Return a context of the browser that has stored nothing."""
    new_context = browser.new_context()
    yield new_context
    new_context.close()
