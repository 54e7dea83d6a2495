"""Tests that the course files are complete, reproducible, and free of solutions for students."""

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
from reanalyses.course.kit import CONTENTS_FILE, ExecutedLesson, folder, notebooks, slides, write
from reanalyses.course.kit.markdown import adapt_links, blocks, insert_values

from .conftest import BOOK, ROOT, inline_expressions
from .test_chapters import LESSONS, name, page_of, read_cells

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
FASTEST_LESSON = "association/geometric-consistency"
#: A tall figure of two panels, which slides show separately.
PANEL = '<path d="M 50 {0} L 450 {0} L 450 {1} L 50 {1} z"/><text x="50" y="{2}" style="font-size: 9px">word</text>'
DRAWN_FIGURE = (
    '<svg class="il-drawn" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 460 420">'
    f"{PANEL.format(180, 20, 195)}{PANEL.format(380, 220, 395)}</svg>"
)
MOVING_FIGURE = '<div class="il-moving" role="group" aria-label="A figure"></div>'

#: The size of the smallest letters on the screen, in pixels, without the folded notes.
SMALLEST_SIZE = """() => Math.min(...[...document.querySelectorAll("main *")].filter((e) => !e.closest(".notes") &&
  [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())).map((e) => {
    const drawn = e.closest("svg") ? e.getScreenCTM() : null;
    return parseFloat(getComputedStyle(e).fontSize) * (drawn ? Math.hypot(drawn.a, drawn.b) : 1);
  }))"""


def placeholder_lesson(page: str) -> ExecutedLesson:
    """Return a lesson with a placeholder for each figure and expression, as if it had been executed."""
    lesson_cells, texts = [], {}
    for index, cell in enumerate(read_cells(BOOK / f"{page}.ipynb")):
        text = cell["text"]
        texts[str(index)] = dict.fromkeys(inline_expressions.expressions(text), "17")
        data = {}
        if "figure" in cell["metadata"].get("mystnb", {}):
            data = {"image/svg+xml": DRAWN_FIGURE}
        elif re.search(r"\bmoving\.\w+\(", text):
            data = {"text/html": MOVING_FIGURE}
        outputs = [{"output_type": "display_data", "data": data, "metadata": {}}] if data else []
        lesson_cells.append({**cell, "source": text, "outputs": outputs})
    return ExecutedLesson(page, tuple(lesson_cells), texts)


@pytest.fixture(scope="module")
def all_lessons() -> list[ExecutedLesson]:
    return [placeholder_lesson(page_of(path)) for path in LESSONS]


@pytest.fixture(scope="module")
def course(all_lessons: list[ExecutedLesson], tmp_path_factory: pytest.TempPathFactory) -> Path:
    messages: list[str] = []
    course = write(tmp_path_factory.mktemp("course") / "course", all_lessons, LOCK, report=messages.append)
    assert len(messages) >= len(all_lessons)
    return course


def text_of(notebook: Mapping[str, Any], kind: str = "") -> str:
    return "\n\n".join(cell["source"] for cell in notebook["cells"] if kind in ("", cell["cell_type"]))


def read_json(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def secret_lines(lesson: ExecutedLesson) -> Iterator[str]:
    """Yield texts that only readers of the solutions may see."""
    open_code = "\n".join(cell["source"] for cell in lesson.cells if lessons.is_visible(dict(cell)))
    lines: list[str] = []
    for index, cell in enumerate(lesson.cells):
        if lessons.is_solution(dict(cell)):
            lines += (line for line in cell["source"].splitlines() if line.strip() not in open_code)
            continue
        text = insert_values(cell["source"], lesson.values_in_cell(index))
        text = adapt_links(text, lesson.name, lambda page: True)
        for block in blocks(text):
            if f":::{{dropdown}} {block.title}\n" == lessons.RESULT_FOLD:
                lines += block.text.splitlines()
            if block.style == "il-question":
                (answers,) = (inner for inner in blocks(block.text) if inner.title == "Answers")
                lines += answers.text.splitlines()
    yield from (line.strip() for line in lines if len(line.strip()) > 15)


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_only_teachers_notebooks_contain_solutions(path: Path) -> None:
    lesson = placeholder_lesson(page_of(path))
    versions = notebooks.student_notebook(lesson), notebooks.teacher_notebook(lesson)
    for notebook in versions:
        nbformat.validate(nbformat.reads(notebooks.notebook_text(notebook), as_version=4))
        prose = text_of(notebook, "markdown")
        assert not re.search(r"(?m)^:::|\{eval\}|\{\w+\}`|^\([\w-]+\)=$", prose), "markup of MyST only"
        assert not re.search(r"\]\(#", prose), "a link to a missing label"
    student, teacher = map(text_of, versions)
    secrets = list(secret_lines(lesson))
    assert len(secrets) > 20
    assert [secret for secret in secrets if secret in student] == []
    assert "Solution" not in student
    assert [secret for secret in secrets if secret not in teacher] == []
    n_solutions = sum(lessons.is_solution(dict(cell)) for cell in lesson.cells)
    assert student.count("*Your answer in words:*") == n_solutions == lesson.page.exercises


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_assignments_follow_the_nbgrader_schema(path: Path) -> None:
    """Metadata follow version 3 of the schema, and markers delimit the solutions that nbgrader removes."""
    lesson = placeholder_lesson(page_of(path))
    assigned = [exercise for exercise in exercises() if exercise.lesson == lesson.name]
    assignment = notebooks.nbgrader_notebook(lesson, assigned)
    nbformat.validate(nbformat.reads(notebooks.notebook_text(assignment), as_version=4))
    graded = {}
    for cell in assignment["cells"]:
        if entry := cell["metadata"].get("nbgrader"):
            assert entry["grade_id"] not in graded
            graded[entry["grade_id"]] = entry
            assert {*entry} - {"points"} == {
                "grade",
                "grade_id",
                "locked",
                "schema_version",
                "solution",
                "task",
            }
            assert entry["schema_version"] == 3
            assert re.fullmatch(r"[\w-]+", entry["grade_id"])
            assert entry["grade"] == ("points" in entry)
            assert entry["locked"] == (not entry["solution"])
            assert cell["cell_type"] == ("markdown" if entry["solution"] and entry["grade"] else "code")
            markers = re.findall("### (?:BEGIN|END) SOLUTION", cell["source"])
            assert len(markers) == 2 * (entry["solution"] and not entry["grade"])
    assert len(graded) == 2 * len(assigned) + sum(bool(exercise.rubric) for exercise in assigned)
    student = re.sub(r"(?s)### BEGIN SOLUTION.*?### END SOLUTION", "", text_of(assignment))
    assert [secret for secret in secret_lines(lesson) if len(secret) > 20 and secret in student] == []


@pytest.mark.rest
def test_student_notebook_runs(course: Path) -> None:
    """All its cells run in their folder, in a process that can import only installed packages."""
    notebook = read_json(course / "student" / f"{FASTEST_LESSON}.ipynb")
    program = course.parent / "student.py"
    program.write_text(text_of(notebook, "code"), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(program)],
        cwd=(course / "student" / FASTEST_LESSON).parent,
        env={**os.environ, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_slides_are_self_contained(path: Path) -> None:
    lesson = placeholder_lesson(page_of(path))
    text = slides.page(lesson)
    elements = [(tag.name, tag.attrs) for tag in BeautifulSoup(text, "html.parser").find_all(True)]
    for tag, attributes in elements:
        for key in ("src", "href", "xlink:href"):
            assert not (attributes.get(key) or "").startswith(("http", "//", "/", ".")), f"{tag} {key}"
        assert tag not in ("link", "iframe", "object")
        assert tag != "img" or attributes.get("alt")
    assert not re.search(r"@import|url\(\s*['\"]?(?!#|data:)", text)
    figures = [attributes for tag, attributes in elements if attributes.get("class") == ["il-drawn"]]
    assert all(a.get("role") == "img" and len((a.get("aria-label") or "").split()) >= 8 for a in figures)
    assert "{eval}" not in text
    assert ":::" not in re.sub(r"(?s)<pre.*?</pre>", "", text)
    assert not [
        slide for slide in slides.slides(lesson) if slide.kind == "question" and "Right." in slide.content
    ]


@pytest.mark.rest
@pytest.mark.browser
def test_slides_are_navigated_by_keys_and_printed_on_pages(tmp_path: Path, browser: Any) -> None:
    lesson = placeholder_lesson("isotropy/what-isotropy-is")
    file = tmp_path / "slides.html"
    file.write_text(slides.page(lesson), encoding="utf-8")
    n_slides = file.read_text(encoding="utf-8").count("<section")
    page = browser.new_page(viewport={"width": 1024, "height": 768})
    page.goto(file.as_uri())
    numbers = []
    for key in ["ArrowRight", "ArrowDown", "PageDown", "ArrowLeft", "PageDown", "End", "ArrowRight", "Home"]:
        page.keyboard.press(key)
        numbers.append(
            page.evaluate("""() => 1 + [...document.querySelectorAll("section")].findIndex(
            (slide) => slide.getBoundingClientRect().bottom > innerHeight / 2)""")
        )
    assert numbers == [2, 3, 4, 3, 4, n_slides, n_slides, 1]
    too_large = page.evaluate("""() => [...document.querySelectorAll("section")].filter(
        (slide) => slide.scrollHeight > innerHeight + 1 || slide.scrollWidth > innerWidth).map((slide) => slide.id)""")
    assert too_large == [], "slides larger than the screen"
    page.set_viewport_size({"width": 1280, "height": 720})
    page.reload()
    assert page.locator(".figure").count() == 2
    assert page.evaluate(SMALLEST_SIZE) >= 17.99
    page.close()
    no_script = browser.new_context(java_script_enabled=False).new_page()
    no_script.goto(file.as_uri())
    assert no_script.locator("section").last.is_visible()
    pdf = no_script.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == n_slides
    no_script.close()


@pytest.mark.rest
def test_manifest_lists_lessons_and_files(course: Path, all_lessons: list[ExecutedLesson]) -> None:
    manifest = read_json(course / "manifest.json")
    assert [entry["title"] for entry in manifest["lessons"]] == [lessons.read(path).title for path in LESSONS]
    for entry in manifest["lessons"]:
        page, overview = lessons.read(entry["lesson"]), teaching.overview(entry["lesson"])
        assert entry["minutes"] == {"reading": page.minutes, "exercises": page.exercise_minutes}
        assert len(entry["objectives"]) == len(overview.outcomes)
        assert all((course / file).is_file() for file in entry["files"].values())
    assert [session["rows"][-1]["end"] for session in manifest["sessions"]] == [90] * 5
    repeated = folder.files(all_lessons, LOCK, lambda words: None)
    recorded = read_json(course / CONTENTS_FILE)
    assert {name: [folder._hash(content)] for name, content in repeated} == recorded, "not reproducible"
    present = {file.relative_to(course).as_posix() for file in course.rglob("*") if file.is_file()}
    assert present == {*recorded, CONTENTS_FILE}


def test_only_own_unchanged_files_are_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = {"a.txt": b"one", "b/c.txt": b"two"}
    monkeypatch.setattr(folder, "files", lambda *_, **options: iter(contents.items()))
    target = tmp_path / "course"
    write(target, [], "")
    (target / "mine.txt").write_text("of the teacher")
    del contents["b/c.txt"]
    contents["a.txt"] = b"three"
    write(target, [], "")
    assert (target / "a.txt").read_bytes() == b"three"
    assert not (target / "b" / "c.txt").exists()
    assert (target / "mine.txt").exists()

    contents["mine.txt"] = b"of the course"
    with pytest.raises(FileExistsError, match=r"mine\.txt was not written by this command"):
        write(target, [], "")
    del contents["mine.txt"]
    (target / "a.txt").write_text("changed by the teacher")
    with pytest.raises(FileExistsError, match=r"a\.txt was changed after it was written"):
        write(target, [], "")
    assert (target / "a.txt").read_text() == "changed by the teacher"

    other_folder = tmp_path / "other"
    other_folder.mkdir()
    (other_folder / "thesis.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="contains other files"):
        write(other_folder, [], "")
    assert [file.name for file in other_folder.iterdir()] == ["thesis.txt"]
