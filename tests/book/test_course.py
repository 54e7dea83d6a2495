"""Tests that the output of `make course` is complete, reproducible, and free of solutions for students."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup

from reanalyses import lessons, teaching
from reanalyses.course import exercises
from reanalyses.course.kit import MARK, ExecutedLesson, folder, notebooks, slides, write
from reanalyses.course.kit.markdown import adapt_links, blocks, insert_values

from .conftest import BOOK, ROOT, inline_expressions
from .test_chapters import LESSONS, cells, name, page_of

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
#: The lesson that runs most quickly.
QUICK = "association/geometric-consistency"
#: A tall figure of two panels, which slides show one by one.
PANEL = '<path d="M 50 {0} L 450 {0} L 450 {1} L 50 {1} z"/><text x="50" y="{2}" style="font-size: 9px">word</text>'
DRAWN = (
    '<svg class="il-drawn" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 460 420">'
    f"{PANEL.format(180, 20, 195)}{PANEL.format(380, 220, 395)}</svg>"
)
MOVING = '<div class="il-moving" role="group" aria-label="A figure"></div>'


#: The size of the smallest letters on the screen, in pixels; those of notes wait behind a click.
SMALLEST = """() => Math.min(...[...document.querySelectorAll("main *")].filter((one) => !one.closest(".notes") &&
  [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())).map((one) => {
    const drawn = one.closest("svg") ? one.getScreenCTM() : null;
    return parseFloat(getComputedStyle(one).fontSize) * (drawn ? Math.hypot(drawn.a, drawn.b) : 1);
  }))"""


def unexecuted(page: str) -> ExecutedLesson:
    """Return a lesson with a placeholder for each figure and expression, as if it had been executed."""
    made, texts = [], {}
    for place, cell in enumerate(cells(BOOK / f"{page}.ipynb")):
        text = cell["text"]
        texts[str(place)] = dict.fromkeys(inline_expressions.expressions(text), "17")
        data = {}
        if "figure" in cell["metadata"].get("mystnb", {}):
            data = {"image/svg+xml": DRAWN}
        elif re.search(r"\bmoving\.\w+\(", text):
            data = {"text/html": MOVING}
        outputs = [{"output_type": "display_data", "data": data, "metadata": {}}] if data else []
        made.append({**cell, "source": text, "outputs": outputs})
    return ExecutedLesson(page, tuple(made), texts)


@pytest.fixture(scope="module")
def all_lessons() -> list[ExecutedLesson]:
    return [unexecuted(page_of(path)) for path in LESSONS]


@pytest.fixture(scope="module")
def course(all_lessons: list[ExecutedLesson], tmp_path_factory: pytest.TempPathFactory) -> Path:
    said: list[str] = []
    made = write(tmp_path_factory.mktemp("course") / "course", all_lessons, LOCK, report=said.append)
    assert len(said) >= len(all_lessons)
    return made


def text_of(notebook: Mapping[str, Any], kind: str = "") -> str:
    return "\n\n".join(cell["source"] for cell in notebook["cells"] if kind in ("", cell["cell_type"]))


def read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def only_in_solutions(lesson: ExecutedLesson) -> Iterator[str]:
    """Yield texts that only readers of the solutions may see."""
    open_code = "\n".join(cell["source"] for cell in lesson.cells if lessons.is_visible(dict(cell)))
    told: list[str] = []
    for place, cell in enumerate(lesson.cells):
        if lessons.is_solution(dict(cell)):
            told += (line for line in cell["source"].splitlines() if line.strip() not in open_code)
            continue
        text = insert_values(cell["source"], lesson.values_in_cell(place))
        text = adapt_links(text, lesson.name, lambda page: True)
        for block in blocks(text):
            if f":::{{dropdown}} {block.title}\n" in lessons.RESULT_FOLDS:
                told += block.text.splitlines()
            if block.style == "il-question":
                (answers,) = (inner for inner in blocks(block.text) if inner.title == "Answers")
                told += answers.text.splitlines()
    yield from (line.strip() for line in told if len(line.strip()) > 15)


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_students_get_no_solution_and_teachers_get_all_in_plain_notebooks(path: Path) -> None:
    lesson = unexecuted(page_of(path))
    made = notebooks.student_notebook(lesson), notebooks.teacher_notebook(lesson)
    for one in made:
        nbformat.validate(nbformat.reads(notebooks.notebook_text(one), as_version=4))
        prose = text_of(one, "markdown")
        assert not re.search(r"(?m)^:::|\{eval\}|\{\w+\}`|^\([\w-]+\)=$", prose), "MyST alone knows this"
        assert not re.search(r"\]\(#", prose), "a link to a place that is not there"
    student, teacher = map(text_of, made)
    secrets = list(only_in_solutions(lesson))
    assert len(secrets) > 20
    assert [secret for secret in secrets if secret in student] == []
    assert "Solution" not in student
    assert [secret for secret in secrets if secret not in teacher] == []
    n_solutions = sum(lessons.is_solution(dict(cell)) for cell in lesson.cells)
    assert student.count("*Your answer in words:*") == n_solutions == lesson.page.exercises


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_assignments_keep_the_rules_of_nbgrader(path: Path) -> None:
    """Those of its metadata's schema version 3, and of the marks between which it takes solutions out."""
    lesson = unexecuted(page_of(path))
    own = [exercise for exercise in exercises() if exercise.lesson == lesson.name]
    made = notebooks.nbgrader_notebook(lesson, own)
    nbformat.validate(nbformat.reads(notebooks.notebook_text(made), as_version=4))
    marked = {}
    for cell in made["cells"]:
        if about := cell["metadata"].get("nbgrader"):
            assert about["grade_id"] not in marked
            marked[about["grade_id"]] = about
            assert {*about} - {"points"} == {
                "grade",
                "grade_id",
                "locked",
                "schema_version",
                "solution",
                "task",
            }
            assert about["schema_version"] == 3
            assert re.fullmatch(r"[\w-]+", about["grade_id"])
            assert about["grade"] == ("points" in about)
            assert about["locked"] == (not about["solution"])
            assert cell["cell_type"] == ("markdown" if about["solution"] and about["grade"] else "code")
            marks = re.findall("### (?:BEGIN|END) SOLUTION", cell["source"])
            assert len(marks) == 2 * (about["solution"] and not about["grade"])
    assert len(marked) == 2 * len(own) + sum(bool(exercise.rubric) for exercise in own)
    student = re.sub(r"(?s)### BEGIN SOLUTION.*?### END SOLUTION", "", text_of(made))
    assert [secret for secret in only_in_solutions(lesson) if len(secret) > 20 and secret in student] == []


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


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_slides_need_nothing_else(path: Path) -> None:
    lesson = unexecuted(page_of(path))
    text = slides.page(lesson)
    elements = [(one.name, one.attrs) for one in BeautifulSoup(text, "html.parser").find_all(True)]
    for tag, attributes in elements:
        for key in ("src", "href", "xlink:href"):
            assert not (attributes.get(key) or "").startswith(("http", "//", "/", ".")), f"{tag} {key}"
        assert tag not in ("link", "iframe", "object")
        assert tag != "img" or attributes.get("alt")
    assert not re.search(r"@import|url\(\s*['\"]?(?!#|data:)", text)
    drawn = [attributes for tag, attributes in elements if attributes.get("class") == ["il-drawn"]]
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
    for key in ["ArrowRight", "ArrowDown", "PageDown", "ArrowLeft", "PageDown", "End", "ArrowRight", "Home"]:
        page.keyboard.press(key)
        seen.append(
            page.evaluate("""() => 1 + [...document.querySelectorAll("section")].findIndex(
            (slide) => slide.getBoundingClientRect().bottom > innerHeight / 2)""")
        )
    assert seen == [2, 3, 4, 3, 4, n_slides, n_slides, 1]
    tall = page.evaluate("""() => [...document.querySelectorAll("section")].filter(
        (slide) => slide.scrollHeight > innerHeight + 1 || slide.scrollWidth > innerWidth).map((slide) => slide.id)""")
    assert tall == [], "slides larger than the screen"
    page.set_viewport_size({"width": 1280, "height": 720})
    page.reload()
    assert page.locator(".figure").count() == 2
    assert page.evaluate(SMALLEST) >= 17.99
    page.close()
    without = browser.new_context(java_script_enabled=False).new_page()
    without.goto(file.as_uri())
    assert without.locator("section").last.is_visible()
    printed = without.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == n_slides
    without.close()


@pytest.mark.rest
def test_the_manifest_lists_the_lessons(course: Path, all_lessons: list[ExecutedLesson]) -> None:
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
    monkeypatch.setattr(folder, "files", lambda *_, **options: iter(made.items()))
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
    with pytest.raises(FileExistsError, match=r"mine\.txt was not written by this command"):
        write(place, [], "")
    del made["mine.txt"]
    (place / "a.txt").write_text("changed by the teacher")
    with pytest.raises(FileExistsError, match=r"a\.txt was changed after it was written"):
        write(place, [], "")
    assert (place / "a.txt").read_text() == "changed by the teacher"

    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="contains other files"):
        write(other, [], "")
    assert [file.name for file in other.iterdir()] == ["thesis.txt"]
