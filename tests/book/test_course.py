"""What `make course` writes, and the plans for teachers: whole, without solutions for students, and the same each time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest

from reanalyses import lessons, teaching
from reanalyses.course.kit import MARK, Lesson, folder, notebooks, slides, write
from reanalyses.course.kit.markdown import blocks, with_links, with_values

from .conftest import BOOK, ROOT, inline_expressions
from .test_chapters import LESSONS, cells, name

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
#: The lesson that runs most quickly.
QUICK = "association/geometric-consistency"
DRAWN = '<svg class="il-drawn" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"></svg>'
MOVING = '<div class="il-moving" role="group" aria-label="A figure"></div>'


def unexecuted(page: str) -> Lesson:
    """Return a lesson with a drawing for each figure and a number for each expression, as if it had run."""
    made, texts = [], {}
    for place, cell in enumerate(cells(BOOK / f"{page}.ipynb")):
        text = cell["text"]
        texts[str(place)] = dict.fromkeys(inline_expressions.expressions(text), "17")
        data = {}
        if "figure" in cell["metadata"].get("mystnb", {}):
            data = {"image/svg+xml": DRAWN}
        elif re.search(r"\bmoving\.\w+\(", text):
            data = {"text/html": MOVING}
        outputs = [{"output_type": "execute_result", "data": data}] if data else []
        made.append({**cell, "source": text, "outputs": outputs})
    return Lesson(page, tuple(made), texts)


@pytest.fixture(scope="module")
def all_lessons() -> list[Lesson]:
    return [unexecuted(path.relative_to(BOOK).with_suffix("").as_posix()) for path in LESSONS]


@pytest.fixture(scope="module")
def course(all_lessons: list[Lesson], tmp_path_factory: pytest.TempPathFactory) -> Path:
    said: list[str] = []
    made = write(tmp_path_factory.mktemp("course") / "course", all_lessons, LOCK, say=said.append)
    assert len(said) >= len(all_lessons)
    return made


def text_of(notebook: Mapping[str, Any], kind: str = "") -> str:
    return "\n\n".join(cell["source"] for cell in notebook["cells"] if kind in ("", cell["cell_type"]))


def read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def only_in_solutions(lesson: Lesson) -> Iterator[str]:
    """Yield what only those who open the solutions may read."""
    open_code = "\n".join(cell["source"] for cell in lesson.cells if lessons.is_visible(dict(cell)))
    told: list[str] = []
    for place, cell in enumerate(lesson.cells):
        if lessons.is_solution(dict(cell)):
            told += (line for line in cell["source"].splitlines() if line.strip() not in open_code)
            continue
        text = with_links(with_values(cell["source"], lesson.values(place)), lesson.name, lambda page: True)
        for block in blocks(text):
            if f":::{{dropdown}} {block.title}\n" in lessons.RESULTS:
                told += block.text.splitlines()
            if block.style == "il-question":
                (answers,) = (inner for inner in blocks(block.text) if inner.title == "Answers")
                told += answers.text.splitlines()
    yield from (line.strip() for line in told if len(line.strip()) > 15)


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_students_get_no_solution_and_teachers_get_all(path: Path) -> None:
    lesson = unexecuted(path.relative_to(BOOK).with_suffix("").as_posix())
    student, teacher = map(text_of, (notebooks.for_students(lesson), notebooks.for_teachers(lesson)))
    secrets = list(only_in_solutions(lesson))
    assert len(secrets) > 20
    assert [secret for secret in secrets if secret in student] == []
    assert "Solution" not in student
    assert [secret for secret in secrets if secret not in teacher] == []
    n_solutions = sum(lessons.is_solution(dict(cell)) for cell in lesson.cells)
    assert student.count("*Your answer in words:*") == n_solutions == lesson.page.exercises


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_notebooks_are_valid_and_need_no_extension(path: Path) -> None:
    lesson = unexecuted(path.relative_to(BOOK).with_suffix("").as_posix())
    for made in (notebooks.for_students(lesson), notebooks.for_teachers(lesson)):
        nbformat.validate(nbformat.reads(notebooks.written(made), as_version=4))
        prose = text_of(made, "markdown")
        assert not re.search(r"(?m)^:::|\{eval\}|\{\w+\}`|^\([\w-]+\)=$", prose), "MyST alone knows this"
        assert not re.search(r"\]\(#", prose), "a link to a place that is not there"


@pytest.mark.rest
def test_a_students_notebook_runs_as_it_is(course: Path) -> None:
    """All its cells, in the folder where it lies, in a process that knows the installed packages only."""
    notebook = read(course / "student" / f"{QUICK}.ipynb")
    program = course.parent / "student.py"
    program.write_text(text_of(notebook, "code"), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(program)],
        cwd=(course / "student" / QUICK).parent,
        env={**os.environ, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


class Page(HTMLParser):
    """The elements of a page: their names, attributes, and headings in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_slides_need_nothing_else(path: Path) -> None:
    lesson = unexecuted(path.relative_to(BOOK).with_suffix("").as_posix())
    text = slides.page(lesson)
    elements = Page(text).elements
    for tag, attributes in elements:
        for key in ("src", "href", "xlink:href"):
            assert not (attributes.get(key) or "").startswith(("http", "//", "/", ".")), f"{tag} {key}"
        assert tag not in ("link", "iframe", "object")
        assert tag != "img" or attributes.get("alt")
    assert not re.search(r"@import|url\(\s*['\"]?(?!#|data:)", text)
    drawn = [attributes for tag, attributes in elements if attributes.get("class") == "il-drawn"]
    assert all(one.get("role") == "img" and len((one.get("aria-label") or "").split()) >= 8 for one in drawn)
    assert "{eval}" not in text
    assert ":::" not in re.sub(r"(?s)<pre.*?</pre>", "", text)
    assert not [
        slide for slide in slides.slides(lesson) if slide.kind == "question" and "Right." in slide.content
    ]


@pytest.mark.rest
@pytest.mark.browser
def test_slides_are_gone_through_by_keys_and_printed_one_a_page(tmp_path: Path, browser: Any) -> None:
    lesson = unexecuted("isotropy/what-isotropy-is")
    file = tmp_path / "slides.html"
    file.write_text(slides.page(lesson), encoding="utf-8")
    n_slides = file.read_text(encoding="utf-8").count("<section")
    page = browser.new_page(viewport={"width": 1024, "height": 768})
    page.goto(file.as_uri())
    seen = []
    keys = ["ArrowRight", "ArrowDown", "PageDown", "ArrowLeft", "ArrowRight", "End", "ArrowRight", "Home"]
    for key in keys:
        page.keyboard.press(key)
        seen.append(
            page.evaluate("""() => 1 + [...document.querySelectorAll("section")].findIndex(
            (slide) => slide.getBoundingClientRect().bottom > innerHeight / 2)""")
        )
    assert seen == [2, 3, 4, 3, 4, n_slides, n_slides, 1]
    tall = page.evaluate("""() => [...document.querySelectorAll("section")].filter(
        (slide) => slide.scrollHeight > innerHeight + 1 || slide.scrollWidth > innerWidth).map((slide) => slide.id)""")
    assert tall == [], "slides larger than the screen"
    page.close()
    without = browser.new_context(java_script_enabled=False).new_page()
    without.goto(file.as_uri())
    assert without.locator("section").last.is_visible()
    printed = without.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == n_slides
    without.close()


@pytest.mark.rest
def test_the_list_of_the_course_is_that_of_the_lessons(course: Path, all_lessons: list[Lesson]) -> None:
    listed = read(course / "manifest.json")
    assert [entry["title"] for entry in listed["lessons"]] == [lessons.read(path).title for path in LESSONS]
    for entry in listed["lessons"]:
        page, overview = lessons.read(entry["lesson"]), teaching.overview(entry["lesson"])
        assert entry["minutes"] == {"reading": page.minutes, "exercises": page.exercise_minutes}
        assert len(entry["objectives"]) == len(overview.outcomes)
        assert all((course / file).is_file() for file in entry["files"].values())
    assert [session["rows"][-1]["end"] for session in listed["sessions"]] == [90] * 5
    again = folder.files(all_lessons, LOCK, lambda words: None)
    made = read(course / MARK)
    assert {name: [folder._hash(content)] for name, content in again} == made, (
        "the same lessons, the same bytes"
    )
    there = {file.relative_to(course).as_posix() for file in course.rglob("*") if file.is_file()}
    assert there == {*made, MARK}


def test_only_what_was_made_here_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"a.txt": b"one", "b/c.txt": b"two"}
    monkeypatch.setattr(folder, "files", lambda *_: iter(made.items()))
    place = tmp_path / "course"
    write(place, [], "")
    (place / "mine.txt").write_text("of the teacher")
    del made["b/c.txt"]
    made["a.txt"] = b"three"
    write(place, [], "")
    assert (place / "a.txt").read_bytes() == b"three"
    assert not (place / "b" / "c.txt").exists()
    assert (place / "mine.txt").exists()

    made["mine.txt"] = b"of the course"
    with pytest.raises(FileExistsError, match=r"mine\.txt was not made here"):
        write(place, [], "")
    del made["mine.txt"]
    (place / "a.txt").write_text("changed by the teacher")
    with pytest.raises(FileExistsError, match=r"a\.txt was changed since it was made"):
        write(place, [], "")
    assert (place / "a.txt").read_text() == "changed by the teacher"

    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="holds other things"):
        write(other, [], "")
    assert [file.name for file in other.iterdir()] == ["thesis.txt"]
