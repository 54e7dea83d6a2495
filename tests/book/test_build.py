"""Tests that the build executes and writes a page if and only if an input has changed."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import script_module

ROOT = Path(__file__).resolve().parents[2]

build_book = script_module("build_book")
execution = sys.modules["execution"]
executed_pages, inline_expressions = execution.executed_pages, execution.inline_expressions


def notebook(*sources: tuple[str, str]) -> str:
    cells = []
    for number, (kind, source) in enumerate(sources):
        cell = {
            "cell_type": kind,
            "id": f"cell{number}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        cells.append(cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}))
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def small_book(tmp_path: Path) -> Path:
    """Create a book with one chapter that imports a package of its own."""
    for name in ("CITATION.cff", "_config.yml", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: index\n", encoding="utf-8")
    (tmp_path / "scripts").mkdir()
    for name in ("build_book.py", "execution.py", "get_live.py", "packages.py"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    (tmp_path / "isotropy_lab").mkdir()
    (tmp_path / "isotropy_lab" / "__init__.py").write_text("ANSWER = 'first answer'\n", encoding="utf-8")
    book = tmp_path / "book"
    shutil.copytree(ROOT / "book" / "_ext", book / "_ext", ignore=shutil.ignore_patterns("__pycache__"))
    (book / "_vendor" / "mathjax").mkdir(parents=True)
    (book / "_static").mkdir()
    shutil.copy(ROOT / "book" / "_static" / "favicon.svg", book / "_static")
    shutil.copy(ROOT / "book" / "search.toml", book)
    (book / "references.bib").write_text("", encoding="utf-8")
    (book / "index.ipynb").write_text(
        notebook(("markdown", "# One page"), ("code", "import isotropy_lab\nprint(isotropy_lab.ANSWER)")),
        encoding="utf-8",
    )
    return tmp_path


def build(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("ISOTROPY_LAB_REQUIRE_LIVE", None)  # required only for the whole book
    command = [sys.executable, str(root / "scripts" / "build_book.py"), *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=240)


def read_page(root: Path, name: str = "index") -> str:
    return (root / "book" / "_build" / "html" / f"{name}.html").read_text(encoding="utf-8")


# Stored pages


def is_stored(folder: Path, name: str, cells: str) -> bool:
    return executed_pages.read_outputs(folder, name, json.loads(cells)) is not None


def test_stored_page_depends_on_code_and_expressions(tmp_path: Path) -> None:
    cells = [("code", "x = 2\nx"), ("markdown", "It is {eval}`f'{x:.1f}'`.")]
    before = notebook(*cells)
    executed = json.loads(before)
    output = {
        "output_type": "execute_result",
        "data": {"text/plain": "2"},
        "metadata": {},
        "execution_count": 1,
    }
    executed["cells"][0] |= {"outputs": [output], "execution_count": 1}
    assert not is_stored(tmp_path, "part/one", before)
    executed_pages.write_outputs(tmp_path, "part/one", executed, {"1": {"f'{x:.1f}'": "2.0"}})
    assert is_stored(tmp_path, "part/one", before)
    assert is_stored(tmp_path, "part/one", notebook(cells[0], ("markdown", "So {eval}`f'{x:.1f}'`.")))
    for changed in (
        notebook(cells[1], cells[0]),
        notebook(("code", "x = 3"), cells[1]),
        notebook(cells[0], ("markdown", "It is {eval}`f'{x:.2f}'`.")),
        before.replace('"metadata": {}', '"metadata": {"tags": ["raises-exception"]}', 1),
    ):
        assert not is_stored(tmp_path, "part/one", changed)
    stored = executed_pages.read_outputs(tmp_path, "part/one", executed)
    restored = json.loads(before)
    executed_pages.insert_outputs(restored, stored)
    assert restored == executed
    assert executed_pages.outputs_text(stored) == "cell 0\n2\ncell 1\n2.0\n"

    file = executed_pages.outputs_file(tmp_path, "part/one")
    os.utime(file, (1, 1))
    executed_pages.write_outputs(tmp_path, "part/one", executed, {"1": {"f'{x:.1f}'": "2.0"}})
    assert file.stat().st_mtime == 1, "an unchanged page keeps its date"


def test_pages_older_than_their_sources_are_outdated(tmp_path: Path) -> None:
    """Sphinx may have read a changed file without writing the page."""
    for name, age in {"old.html": 2, "new.html": 4, "source.py": 3}.items():
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (age, age))
    builder = SimpleNamespace(name="html", get_outfilename=lambda page: str(tmp_path / f"{page}.html"))
    app = SimpleNamespace(builder=builder, srcdir=str(tmp_path))
    dependencies = {"old": {"source.py"}, "new": {str(tmp_path / "source.py"), "gone.py"}, "alone": set()}
    env = SimpleNamespace(all_docs=dict.fromkeys(dependencies), dependencies=dependencies)
    assert executed_pages.outdated(app, env, set(), set(), set()) == ["old"]


def test_expressions_are_parsed_as_in_markdown() -> None:
    text = "{eval}`a` and {eval}``f(`b`)`` and {eval}`a` and\n{eval}`f(1,\n2)`, but not {evil}`c` or `{eval}`"
    assert inline_expressions.expressions(text) == ["a", "f(`b`)", "f(1, 2)"]


@pytest.mark.parametrize(
    "plain", ["1.5", "np.float64(1.5)", "True", "None", "['a']", r"'a\nb'", r"'\\alpha'"]
)
def test_values_that_jupyterlab_shows_differently_are_rejected(plain: str) -> None:
    with pytest.raises(inline_expressions.ExpressionError, match=r"expected a string|escaped"):
        inline_expressions.display_text(plain)


# Execution


@pytest.mark.rest
def test_page_is_executed_again_if_a_used_file_changes(small_book: Path) -> None:
    """One page imports the package, reads a file and another page, and lists a folder; the other does nothing."""
    book = small_book / "book"
    (book / "data").mkdir()
    (book / "data" / "words.txt").write_text("shorter")
    (small_book / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters:\n  - file: other\n")
    other = notebook(("markdown", "# Short"), ("code", "print(1)"))
    (book / "other.ipynb").write_text(other, encoding="utf-8")
    answers = small_book / "isotropy_lab" / "answers.py"
    answers.write_text("ANSWER = 'first answer'\n", encoding="utf-8")
    code = "from pathlib import Path\nfrom isotropy_lab.answers import ANSWER\n"
    code += "text = Path('other.ipynb').read_text() + Path('data/words.txt').read_text()\n"
    code += "found = f\"{text.count('longer')}, {len(list(Path('data').iterdir()))}, {ANSWER}\""
    cells = (("markdown", "# Pages"), ("code", code), ("markdown", "{eval}`found`"))
    (book / "index.ipynb").write_text(notebook(*cells), encoding="utf-8")

    def execute_book(build: Path | None = None) -> list[str]:
        output = io.StringIO()
        env = {"PYTHONPATH": str(small_book)}
        assert execution.execute_notebooks(small_book, build=build, environment=env, stream=output) == {}
        return sorted(re.findall(r"of \d  (\w+)", output.getvalue()))

    def shown_text(folder: Path = book / "_build" / "executed") -> str:
        page = executed_pages.read_outputs(folder, "index", json.loads(notebook(*cells)))
        return str(page["texts"]["2"]["found"])

    assert execute_book() == ["index", "other"]
    assert shown_text() == "0, 1, first answer"
    assert execute_book() == []
    (book / "unrelated.txt").write_text("longer")
    assert execute_book() == []
    answers.write_text("ANSWER = 'second answer'\n", encoding="utf-8")
    (book / "other.ipynb").write_text(other.replace("# Short", "# Now longer"), encoding="utf-8")
    assert execute_book() == ["index"]
    assert shown_text() == "1, 1, second answer"
    (book / "data" / "more.txt").write_text("")
    assert execute_book() == ["index"]
    assert shown_text() == "1, 2, second answer"
    elsewhere = small_book / "elsewhere"
    assert execute_book(elsewhere) == ["index", "other"]
    assert shown_text(elsewhere / "executed") == shown_text()


# Written pages

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
def test_build_updates_pages_when_sources_change(small_book: Path) -> None:
    cells = [("code", "x, n, names = 1.234, 7, {'first': 'one'}"), ("markdown", PROSE), ("code", "x = 2.5")]
    book, toc = small_book / "book", small_book / "_toc.yml"
    (book / "terms.md").write_text("# Terms\n\n```{glossary}\nround\n  Not flat.\n```\n", "utf-8")
    toc.write_text("format: jb-book\nroot: index\nchapters:\n  - file: terms\n", "utf-8")
    (book / "index.ipynb").write_text(notebook(*cells, ("markdown", NESTED)), encoding="utf-8")
    first = build(small_book)
    assert first.returncode == 0, first.stdout + first.stderr
    assert first.stderr == "", "other output of kernels and Sphinx is in their logs"
    assert "Executing 1 of 1 notebooks" in first.stdout
    assert "build succeeded" in (book / "_build" / "sphinx.log").read_text(encoding="utf-8")
    text = read_page(small_book)
    assert "At first 1.23." in text
    assert "Then 2.50 and 7." in text
    assert "with &lt;b&gt; &amp; *stars*" in text
    assert "2.5 − ½, <a" in text
    assert 'href="terms.html#term-round"' in text
    assert "<td><p>one</p></td>" in text
    assert re.search(r"isotropy_lab [\w.]+, outside version control\. Text and code", text)

    assert build(small_book).stdout.splitlines()[0] == "All 1 notebooks are up to date."
    unchanged = build(small_book)
    assert len(unchanged.stdout.splitlines()) == 2, "nothing is read and nothing is written"

    # The contents include the title of the other page, so all pages change with it.
    (book / "terms.md").write_text("# Words\n\n```{glossary}\nround\n  Not flat.\n```\n", "utf-8")
    assert "Writing pages …" in build(small_book).stdout
    assert re.search(r"terms\.html[^<]*>\s*Words", read_page(small_book))

    # Changed prose needs no execution; a changed expression does, although the code is the same.
    (book / "terms.md").write_text("# Words\n\n```{glossary}\nround\n  Very flat.\n```\n", "utf-8")
    (book / "index.ipynb").write_text(notebook(*cells, ("markdown", NESTED.replace("Then", "Now"))), "utf-8")
    single_page = build(small_book, "--page", "index")
    assert "All 1 notebooks are up to date." in single_page.stdout
    assert "The page is in book/_build/html/index.html" in single_page.stdout
    assert "Now 2.50 and 7." in read_page(small_book)
    assert "Not flat." in read_page(small_book, "terms")
    (book / "index.ipynb").write_text(notebook(*cells, ("markdown", "Last {eval}`f'{x:.3f}'`.")), "utf-8")
    assert "Executing 1 of 1 notebooks" in build(small_book).stdout
    assert "Last 2.500." in read_page(small_book)
    assert "Very flat." in read_page(small_book, "terms")

    toc.write_text("format: jb-book\nroot: index\n", "utf-8")
    last = build(small_book)
    assert last.returncode == 0, last.stdout + last.stderr
    assert "all pages are written again" in last.stdout
    assert "All 1 notebooks are up to date." in last.stdout, "executed pages are stored"
    assert not (book / "_build" / "html" / "terms.html").exists()
    assert "terms.html" not in read_page(small_book)


@pytest.mark.rest
def test_failed_build_ends_with_the_error_and_writes_no_digest(small_book: Path) -> None:
    def build_failing(*cells: tuple[str, str]) -> subprocess.CompletedProcess[str]:
        (small_book / "book" / "index.ipynb").write_text(
            notebook(("markdown", "# One page"), *cells), "utf-8"
        )
        run = build(small_book)
        assert run.returncode == 1
        assert "\x1b" not in run.stderr
        assert not (small_book / "book" / "_build" / "inputs.sha256").exists()
        return run

    failed = build_failing(("code", "assert 1 == 2, 'the solution is wrong'"))
    assert "FAILED after" in failed.stdout
    assert "AssertionError: the solution is wrong" in failed.stderr.splitlines()
    assert failed.stderr.splitlines()[-1] == "No site was written. Failed, with the error above: index"
    for expression, reason in {
        "y": "raises NameError: name 'y' is not defined",
        "0.1": "is 0.1; expected a string",
    }.items():
        errors = build_failing(("markdown", f"See {{eval}}`{expression}`.")).stderr
        assert "--- index" in errors
        assert f"Cell 2: {{eval}}`{expression}` {reason}" in errors

    plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    errors = build_failing(("markdown", "See {ref}`nowhere`."), ("code", plot)).stderr
    assert errors.count("nowhere") == 1
    assert errors.count("has no alt text") == 1
    assert "Traceback" not in errors
    assert errors.splitlines()[-1].startswith("The site is not complete: Sphinx failed")


def test_digests_depend_on_read_written_and_shown_files(tmp_path: Path) -> None:
    """Three digests cover what all pages are read with, what they are written with, and all inputs."""

    def changes(name: str) -> list[bool]:
        before = build_book.digests(tmp_path, live=True)
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("changed", encoding="utf-8")
        after = build_book.digests(tmp_path, live=True)
        return [old != new for old, new in zip(before, after, strict=True)]

    for name in build_book.READ_INPUTS:
        assert changes(name if Path(name).suffix or name == "requirements.lock" else f"{name}/a.py")[0], name
    for name in build_book.WRITTEN_INPUTS:
        assert changes(f"{name}/a.css") == [False, True, True], name
    for name in (
        "isotropy_lab/a.py",
        "book/page.md",
        "book/_build/executed/page.json",
        "benchmarks/calibration/alike.json",
        "benchmarks/cluster.json",
        "benchmarks/results.json",
    ):
        assert changes(name) == [False, False, True], name
    for name in (
        "book/_build/html/page.html",
        "book/_build/course/a.ipynb",
        "book/__pycache__/a.pyc",
        "tests/a.py",
    ):
        assert changes(name) == [False, False, False], name
    assert build_book.digests(tmp_path, live=True)[1] != build_book.digests(tmp_path, live=False)[1]
