"""The build drops its cache when, and only when, what a page depends on has changed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from queue import Empty

import pytest

from tests.conftest import script_module

ROOT = Path(__file__).resolve().parents[2]

build_book = script_module("build_book")
inline_expressions = build_book.inline_expressions


def notebook(*sources: tuple[str, str]) -> str:
    made = []
    for number, (kind, source) in enumerate(sources):
        cell = {
            "cell_type": kind,
            "id": f"cell{number}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        made.append(cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def small_book(tmp_path: Path) -> Path:
    """A book of one chapter that imports a package of its own."""
    for name in ("_config.yml", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: index\n", encoding="utf-8")
    (tmp_path / "scripts").mkdir()
    for name in ("build_book.py", "get_live.py", "packages.py"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    (tmp_path / "isotropy_lab").mkdir()
    (tmp_path / "isotropy_lab" / "__init__.py").write_text("ANSWER = 'first answer'\n", encoding="utf-8")
    book = tmp_path / "book"
    shutil.copytree(ROOT / "book" / "_ext", book / "_ext", ignore=shutil.ignore_patterns("__pycache__"))
    (book / "_vendor" / "mathjax").mkdir(parents=True)
    (book / "_static").mkdir()
    shutil.copy(ROOT / "book" / "_static" / "favicon.svg", book / "_static")
    (book / "references.bib").write_text("", encoding="utf-8")
    (book / "index.ipynb").write_text(
        notebook(("markdown", "# One page"), ("code", "import isotropy_lab\nprint(isotropy_lab.ANSWER)")),
        encoding="utf-8",
    )
    return tmp_path


def build(root: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("ISOTROPY_LAB_REQUIRE_LIVE", None)  # asked of the book, not of these small ones
    command = [sys.executable, str(root / "scripts" / "build_book.py")]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=240)


def page(root: Path) -> str:
    return (root / "book" / "_build" / "html" / "index.html").read_text(encoding="utf-8")


@pytest.mark.rest
def test_pages_follow_the_package_and_the_contents(small_book: Path) -> None:
    (small_book / "book" / "other.md").write_text("# Another page\n", encoding="utf-8")
    contents = small_book / "_toc.yml"
    alone = contents.read_text(encoding="utf-8")
    contents.write_text(alone + "chapters:\n  - file: other\n", encoding="utf-8")
    first = build(small_book)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "first answer" in page(small_book)
    lines = first.stdout.splitlines()
    assert lines[0] == "Executing 1 of 1 notebooks, 1 at a time:"
    assert re.fullmatch(r"  1 of 1  index +(\d+ min )?\d+ s", lines[1])
    assert lines[2:4] == ["Reading pages …", "Writing pages …"]
    assert re.fullmatch(r"Done in (\d+ min )?\d+ s\. The site is in book/_build/html/index\.html", lines[4])
    assert len(lines) == 5
    assert first.stderr == "", "what kernels and Sphinx say besides stands in their logs"
    log = (small_book / "book" / "_build" / "sphinx.log").read_text(encoding="utf-8")
    assert "build succeeded" in log
    assert "Executing notebook" not in log, "what is in the cache is not executed twice"
    other = small_book / "book" / "_build" / "html" / "other.html"
    assert other.exists()
    assert "other.html" in page(small_book)

    contents.write_text(alone, encoding="utf-8")
    second = build(small_book)
    assert second.returncode == 0, second.stdout + second.stderr
    assert "every page is written anew" in second.stdout
    assert "All 1 notebooks are up to date." in second.stdout, "what was executed is kept"
    assert not other.exists()
    assert "other.html" not in page(small_book)

    (small_book / "isotropy_lab" / "__init__.py").write_text("ANSWER = 'second answer'\n", encoding="utf-8")
    third = build(small_book)
    assert third.returncode == 0, third.stdout + third.stderr
    assert "every notebook is executed anew" in third.stdout
    assert "second answer" in page(small_book)
    assert "first answer" not in page(small_book)


@pytest.mark.rest
def test_an_error_in_a_chapter_fails_the_build_stands_last_and_leaves_no_mark(small_book: Path) -> None:
    (small_book / "book" / "index.ipynb").write_text(
        notebook(("markdown", "# One page"), ("code", "assert 1 == 2, 'the solution is wrong'")),
        encoding="utf-8",
    )
    run = build(small_book)
    assert run.returncode != 0
    assert "FAILED after" in run.stdout
    assert "AssertionError: the solution is wrong" in run.stderr.splitlines()
    assert run.stderr.splitlines()[-1] == "No site was written. Failed, with the error above: index"
    assert "\x1b" not in run.stderr
    assert not (small_book / "book" / "_build" / "inputs.sha256").exists()


PROSE = """# One page

At first {eval}`f"{x:.2f}"`."""

NESTED = """Then {eval}`f"{x:.2f}"` and {eval}`n`.

:::::{admonition} A question
1. with {eval}`"<b> & *stars*"`

::::{dropdown} Answers
- {eval}`f'{x:.1f} − ½'`, [round](#term-round)
::::
:::::

| a | table |
|---|---|
| of | {eval}`names["first"]` |
"""


@pytest.mark.rest
def test_expressions_have_the_value_of_their_place_in_the_run(small_book: Path) -> None:
    cells = [("code", "x, n, names = 1.234, 7, {'first': 'one'}"), ("markdown", PROSE), ("code", "x = 2.5")]
    page_file = small_book / "book" / "index.ipynb"
    (small_book / "book" / "terms.md").write_text(
        "# Terms\n\n```{glossary}\nround\n  Not flat.\n```\n", "utf-8"
    )
    (small_book / "_toc.yml").write_text(
        "format: jb-book\nroot: index\nchapters:\n  - file: terms\n", "utf-8"
    )
    page_file.write_text(notebook(*cells, ("markdown", NESTED)), encoding="utf-8")
    run = build(small_book)
    assert run.returncode == 0, run.stdout + run.stderr
    text = page(small_book)
    assert "At first 1.23." in text
    assert "Then 2.50 and 7." in text
    assert "with &lt;b&gt; &amp; *stars*" in text
    assert "2.5 − ½, <a" in text
    assert 'href="terms.html#term-round"' in text
    assert "<td><p>one</p></td>" in text

    # Other words need no new run; another expression does, though the code is the same.
    page_file.write_text(notebook(*cells, ("markdown", NESTED.replace("Then", "Now"))), encoding="utf-8")
    assert "All 1 notebooks are up to date." in build(small_book).stdout
    assert "Now 2.50 and 7." in page(small_book)
    page_file.write_text(notebook(*cells, ("markdown", "Last {eval}`f'{x:.3f}'`.")), encoding="utf-8")
    assert "Executing 1 of 1 notebooks" in build(small_book).stdout
    assert "Last 2.500." in page(small_book)


@pytest.mark.rest
def test_an_expression_without_a_text_fails_the_build_by_name(small_book: Path) -> None:
    page_file = small_book / "book" / "index.ipynb"
    for expression, why in [
        ("y", "raises NameError: name 'y' is not defined"),
        ("0.1", "is 0.1; expected a string"),
    ]:
        page_file.write_text(notebook(("markdown", f"# A\n\nSee {{eval}}`{expression}`.")), encoding="utf-8")
        run = build(small_book)
        assert run.returncode == 1
        assert "--- index" in run.stderr
        assert f"Cell 1: {{eval}}`{expression}` {why}" in run.stderr


def test_expressions_are_found_as_markdown_reads_them() -> None:
    text = "{eval}`a` and {eval}``f(`b`)`` and {eval}`a` and\n{eval}`f(1,\n2)`, but not {evil}`c` or `{eval}`"
    assert inline_expressions.expressions(text) == ["a", "f(`b`)", "f(1, 2)"]


@pytest.mark.parametrize(
    ("plain", "text"), [("'1.23'", "1.23"), ('"it\'s"', "it's"), ("'−½'", "−½"), ("12", "12"), ("-3", "-3")]
)
def test_values_are_shown_as_jupyterlab_shows_them(plain: str, text: str) -> None:
    assert inline_expressions.shown(plain) == text


@pytest.mark.parametrize(
    "plain", ["1.5", "np.float64(1.5)", "True", "None", "['a']", r"'a\nb'", r"'\\alpha'"]
)
def test_values_that_jupyterlab_would_show_otherwise_are_refused(plain: str) -> None:
    with pytest.raises(inline_expressions.ExpressionError, match=r"expected a string|escaped"):
        inline_expressions.shown(plain)


@pytest.mark.rest
def test_dead_references_and_figures_without_alt_text_fail_the_build_and_stand_last(small_book: Path) -> None:
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    (small_book / "book" / "index.ipynb").write_text(
        notebook(("markdown", "# One page\n\nSee {ref}`nowhere`."), ("code", code)), encoding="utf-8"
    )
    run = build(small_book)
    assert run.returncode != 0
    assert run.stderr.count("nowhere") == 1
    assert run.stderr.count("has no alt text in words") == 1
    assert "Traceback" not in run.stderr
    assert run.stderr.splitlines()[-1].startswith("The site is not complete: Sphinx failed")
    assert not (small_book / "book" / "_build" / "inputs.sha256").exists()


@pytest.mark.rest
def test_a_page_that_reads_others_follows_them(small_book: Path) -> None:
    other = small_book / "book" / "other.ipynb"
    first = small_book / "book" / "index.ipynb"
    (small_book / "_toc.yml").write_text(
        "format: jb-book\nroot: index\nchapters:\n  - file: other\n", encoding="utf-8"
    )
    other.write_text(notebook(("markdown", "# Short"), ("code", "print(1)")), encoding="utf-8")
    code = "from pathlib import Path\nwords = str(len(Path('other.ipynb').read_text().split('longer')) - 1)"
    reads = json.loads(
        notebook(("markdown", "# Pages"), ("code", code), ("markdown", "So often: {eval}`words`."))
    )
    reads["metadata"]["isotropy_lab"] = {"reads": "notebooks"}
    first.write_text(json.dumps(reads), encoding="utf-8")
    assert build(small_book).returncode == 0
    assert "So often: 0." in page(small_book)
    other.write_text(
        notebook(("markdown", "# Short\n\nNow longer, and longer."), ("code", "print(1)")), encoding="utf-8"
    )
    second = build(small_book)
    assert second.returncode == 0, second.stdout + second.stderr
    assert "Executing 1 of 2 notebooks" in second.stdout
    assert "So often: 2." in page(small_book)


def test_pages_that_tell_of_others_say_that_they_read_them() -> None:
    for path in build_book.notebooks(ROOT):
        content = json.loads(path.read_text(encoding="utf-8"))
        code = "".join("".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code")
        tells = re.search(r"\b(lessons|in_the_tab|teaching)\.", code) is not None
        assert tells == (content["metadata"].get("isotropy_lab", {}).get("reads") == "notebooks"), path


@pytest.mark.parametrize("name", build_book.INPUTS)
def test_digest_sees_every_input(tmp_path: Path, name: str) -> None:
    for other in build_book.INPUTS:
        path = tmp_path / other
        path = path if path.suffix else path / "file.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("before", encoding="utf-8")
    before = build_book.digest(tmp_path)
    assert build_book.digest(tmp_path) == before
    path = tmp_path / name
    (path if path.suffix else path / "file.py").write_text("after", encoding="utf-8")
    assert build_book.digest(tmp_path) != before


def test_digest_sees_renamed_and_ignores_compiled_files(tmp_path: Path) -> None:
    folder = tmp_path / "isotropy_lab"
    folder.mkdir()
    (folder / "a.py").write_text("x", encoding="utf-8")
    before = build_book.digest(tmp_path, ["isotropy_lab"])
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.pyc").write_bytes(b"1")
    (folder / ".ruff_cache").mkdir()
    (folder / ".ruff_cache" / "CACHEDIR.TAG").write_bytes(b"1")
    assert build_book.digest(tmp_path, ["isotropy_lab"]) == before
    (folder / "a.py").rename(folder / "b.py")
    assert build_book.digest(tmp_path, ["isotropy_lab"]) != before


def test_every_module_and_every_number_that_a_page_shows_is_an_input() -> None:
    seen = {path for name in build_book.INPUTS for path in build_book.files_under(ROOT / name)}
    packages = (ROOT / "isotropy_lab", ROOT / "book" / "reanalyses")
    assert {path for package in packages for path in package.rglob("*.py")} <= seen
    records = {path for path in (ROOT / "benchmarks").rglob("*.json") if "/." not in path.as_posix()}
    assert ROOT / "benchmarks" / "results.json" in records
    assert records <= seen
    layout = {path for name in build_book.LAYOUT for path in build_book.files_under(ROOT / name)}
    assert ROOT / "_toc.yml" in layout
    assert {path for path in (ROOT / "book" / "_static").rglob("*") if path.is_file()} <= layout


def test_a_message_that_a_socket_missed_is_asked_for_again() -> None:
    """The socket says that nothing is there, twice, and has it at the third time; or never."""
    answers: list[str | None] = [None, None, "the reply"]
    asked: list[float] = []

    async def get_msg(timeout: float) -> str:
        asked.append(timeout)
        answer = answers.pop(0)
        if answer is None:
            raise Empty
        return answer

    def result(coroutine: Coroutine[None, None, str]) -> str:
        with pytest.raises(StopIteration) as done:
            coroutine.send(None)
        return str(done.value.value)

    ask = build_book.asking_again(get_msg)
    assert result(ask(timeout=300)) == "the reply"
    assert asked == [1.0, 1.0, 1.0]
    answers[:] = [None, None, "too late"]
    with pytest.raises(Empty):
        ask(timeout=0.5).send(None)
    assert answers == [None, "too late"]
