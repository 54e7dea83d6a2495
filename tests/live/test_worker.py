"""Tests of the browser's worker: errors, files, interruptions, and a start without a network."""

from collections.abc import Iterator
from typing import Any

import pytest

from .harness import ASK, python_in

pytestmark = [pytest.mark.rest, pytest.mark.browser]


@pytest.fixture(scope="module")
def page(live: str, browser: Any) -> Iterator[Any]:
    worker_page = browser.new_page()
    with python_in(worker_page, live):
        yield worker_page
    worker_page.close()


def run(page: Any, code: str, name: str = "cell 1") -> list[dict[str, Any]]:
    replies: list[dict[str, Any]] = page.evaluate(ASK, {"type": "run", "code": code, "name": name})
    return [{key: value for key, value in reply.items() if key not in ("id", "seconds")} for reply in replies]


def test_progress_counts_bytes(page: Any) -> None:
    progress = page.evaluate("() => window.bytes")
    assert progress[-1]["loaded"] == progress[-1]["total"] > 30e6
    assert [step["loaded"] for step in progress] == sorted(step["loaded"] for step in progress)


def test_error_names_the_cell_and_its_line(page: Any) -> None:
    error = run(page, "from isotropy_lab import isoscore\nisoscore([[1.0, 2.0]])")[0]
    assert error["name"] == "ValueError"
    assert error["traceback"].count("line") == 2
    error = run(page, "x = (", "cell 8")[0]
    assert (error["name"], error["message"]) == ("SyntaxError", "'(' was never closed")
    assert "cell 8, line 1" in error["traceback"]
    assert "JupyterLab" in run(page, "%timeit 1")[0]["message"]
    assert "notebook" in run(page, "open('vectors.npy')")[0]["message"]


def test_files_are_written_and_read(page: Any) -> None:
    replies = page.evaluate(
        """async (ask) => {
          const file = new File(["1 2\\n3 4.5\\n5 7\\n"], "ignored");
          return await eval(ask)({type: "put", name: "points.txt", file});
        }""",
        ASK,
    )
    assert replies[-1]["ok"]
    code = "from isotropy_report.io import read\nopen('out.txt', 'w').write(str(read('points.txt').sum()))"
    assert run(page, code)[-1]["ok"]
    text = page.evaluate(
        "async (ask) => new TextDecoder().decode((await eval(ask)({type: 'get', name: 'out.txt'}))[0].data)",
        ASK,
    )
    assert text == "22.5"
    refused = page.evaluate(
        "async (ask) => await eval(ask)({type: 'put', name: '../x', file: new File([], 'x')})", ASK
    )
    assert refused[0]["type"] == "error"
    missing = page.evaluate("(ask) => eval(ask)({type: 'get', name: 'none.txt'})", ASK)
    assert missing[0]["message"] == "there is no file none.txt"


def test_products_use_blas(page: Any) -> None:
    code = """
import numpy as np
X = np.random.default_rng(0).normal(size=(3000, 384))
S = X.T @ X
print(np.array_equal(S, S.T), np.allclose(S[:3, :3], [[(a * b).sum() for a in X.T[:3]] for b in X.T[:3]], rtol=1e-12))
"""
    assert run(page, code)[0]["text"] == "True True\n"
    code = "import webassembly; print(len(webassembly._installed))"
    assert run(page, code)[0]["text"] == "2\n"
