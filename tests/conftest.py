"""The order of tests, scripts as modules, and a browser for those that look at pages: two cannot run in one process."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


ROOT = Path(__file__).resolve().parents[1]

#: Files of tests that take minutes: begun first, so that no processor waits for another at the end.
LONG = (
    "test_ledger.py", "test_lessons.py", "test_site.py", "test_lab.py", "test_questions.py", "test_moving.py",
    "test_ledger_pages.py", "test_build.py",
)  # fmt: skip

#: Where tests compare numbers that went through BLAS or LAPACK: `make test-kernels` runs them under each kernel.
NUMBERS = (
    "tests/isotropy_lab/association",
    "tests/isotropy_lab/isotropy",
    "tests/isotropy_lab/projection",
    "tests/isotropy_lab/retrieval",
    "tests/isotropy_lab/test_moments.py",
    "tests/isotropy_lab/test_transforms.py",
    "tests/reanalyses/kindel2023/regression",
    "tests/reanalyses/kindel2023/test_congruence_tests.py",
    "tests/reanalyses/kindel2023/test_consistency.py",
    "tests/reanalyses/kindel2023/test_nulls.py",
    "tests/reanalyses/ledger/test_ledger.py",
    "tests/reanalyses/smelser2025/test_embeddings.py",
)
#: Tests there that take long and hang on no BLAS: compiled loops, counts of integers, frequencies over many draws,
#: verdicts on distorted numbers.
NO_BLAS = (
    "test_all_sublists_of_25_words",
    "test_compilation_is_announced_once_and_survives_a_folder_that_cannot_be_written",
    "test_coverage",
    "test_distances_of_a_metric_may_lie_outside_float32",
    "test_equality_is_rejected_as_often_as_it_should_be",
    "test_errors_that_take_pairs_for_independent_reject_too_often",
    "test_float32_and_half_a_million_points",
    "test_lists_need_no_gensim",
    "test_missing_words_of_a_large_space",
    "test_no_verdict_survives_spoiled_numbers",
    "test_numba_need_not_be_installed",
    "test_p_values_are_uniform_when_the_group_means_nothing",
    "test_p_values_are_uniform_when_the_lists_are_drawn_as_the_null_says",
    "test_several_models_with_holm",
    "test_size_and_coverage",
    "test_statsmodels_is_imported_only_when_a_regression_is_fitted",
    "test_the_chosen_threshold_costs_more_than_the_margin_in_few_worlds",
    "test_the_interval_covers_and_the_error_is_the_scatter",
    "test_the_level_of_both_tests_of_one_cosine",
    "test_the_p_value_is_valid_under_the_null",
    "test_the_plain_loops_are_what_is_compiled",
    "test_two_lists_of_25_words_are_counted_exactly",
)


def script_module(name: str) -> ModuleType:
    """Return a script of `scripts/`, loaded anew as a module; scripts find their neighbors by name."""
    scripts = ROOT / "scripts"
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
    """Put the longest files first, and mark the tests of numbers."""
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))
    folders = [ROOT / name for name in NUMBERS]
    for item in items:
        inside = any(item.path.is_relative_to(folder) for folder in folders)
        if inside and getattr(item, "originalname", item.name) not in NO_BLAS:
            item.add_marker("numbers")


def must(reason: str) -> None:
    """Skip with a sentence, or fail where CI has promised a browser and a built site."""
    if os.environ.get("ISOTROPY_LAB_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


def chromium(playwright: Any) -> Any:
    """Start the machine's Chromium; skip where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next((found for name in names if (found := shutil.which(name))), None)
    if executable is None:
        must("no Chromium on this machine: on Debian, `apt-get install chromium`")
    return playwright.chromium.launch(executable_path=executable, args=FLAGS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start the machine's Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        started = chromium(playwright)
        yield started
        started.close()
