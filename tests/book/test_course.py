"""What `make course` writes, and the plans for teachers: whole, without solutions for students, and the same each time."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest

from reanalyses import lessons, teaching
from reanalyses.course.kit import MARK, Lesson, folder, notebooks, plans, slides, write
from reanalyses.course.kit.markdown import blocks, quoted, with_links, with_values
from tests.conftest import script_module
from tests.live.harness import recorded

from .test_build import inline_expressions
from .test_chapters import LESSONS, ROOT, name
from .test_lessons import cells

BOOK = ROOT / "book"
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
            if (block.kind, block.title) == ("dropdown", "What comes out"):
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
        assert not re.search(r"(?m)^:::|\{eval\}|\{\w+\}`|^\([\w-]+\)=$", prose), (
            "markup that only MyST understands"
        )
        assert not re.search(r"\]\(#", prose), "a link to a place that is not there"
        quotations = re.findall(r"(?m)^> .*$", prose)
        assert all(line.count("$$") % 2 == 0 for line in quotations), (
            "a formula over several lines of a quotation"
        )
        headings = re.findall(r"(?m)^(#+) ", re.sub(r"(?ms)^```.*?^```", "", prose))
        assert headings[0] == "#"
        assert all(len(after) <= len(before) + 1 for before, after in pairwise(headings))
    asked = len(re.findall(r":class: il-question", "".join(cell["source"] for cell in lesson.cells)))
    assert f"**{asked}. " in text_of(notebooks.for_students(lesson))


def test_hints_stand_at_the_end_of_students_notebooks() -> None:
    student = text_of(notebooks.for_students(unexecuted("isotropy/what-isotropy-is")))
    body, _, hints = student.partition("\n## Hints\n")
    assert "### Hint: Exercise 1 (warm-up" in hints
    assert "a quadratic equation" in hints
    assert "a quadratic equation" not in body


def test_what_a_prediction_came_to_waits_behind_a_click() -> None:
    student = text_of(notebooks.for_students(unexecuted("isotropy/what-isotropy-is")))
    told = student.index("Near 1 for both clouds (choice 1)")
    assert "<details>" in student[:told].rpartition("</details>")[2]


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
    drawn = [
        attributes for tag, attributes in elements if tag == "svg" and attributes.get("class") == "il-drawn"
    ]
    assert len(drawn) == sum("figure" in cell["metadata"].get("mystnb", {}) for cell in _shown(lesson))
    assert all(one.get("role") == "img" and len((one.get("aria-label") or "").split()) >= 8 for one in drawn)
    assert text.count(MOVING) == sum("il-moving" in str(cell.get("outputs")) for cell in _shown(lesson))
    assert "{eval}" not in text
    assert ":::" not in re.sub(r"(?s)<pre.*?</pre>", "", text)
    assert "$" not in re.sub(r"(?s)<(pre|code|script|style)\b.*?</\1>|aria-label=\"[^\"]*\"", "", text), (
        "a formula"
    )


def _shown(lesson: Lesson) -> list[Mapping[str, Any]]:
    """Return the cells before the exercises: figures in exercises wait for whoever does them."""
    places = [place for place, cell in enumerate(lesson.cells) if cell["source"].startswith("## Exercises")]
    places += [place for place, cell in enumerate(lesson.cells) if "\n## Exercises\n" in cell["source"]]
    return list(lesson.cells[: min(places)])


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_slides_stand_in_order_with_a_heading_each(path: Path) -> None:
    lesson = unexecuted(path.relative_to(BOOK).with_suffix("").as_posix())
    tags = [tag for tag, _ in Page(slides.page(lesson)).elements if tag in ("section", "h1", "h2", "h3")]
    assert tags[:2] == ["section", "h1"]
    assert tags[2:] == ["section", "h2"] * (len(tags) // 2 - 1)
    made = list(slides.slides(lesson))
    kinds = [slide.kind for slide in made]
    marks = ["title", "objectives", "predict", "claim", "exercise", "question", "end"]
    places = [kinds.index(mark) for mark in marks]
    assert places == sorted(places)
    assert kinds.count("exercise") == lesson.page.exercises
    assert not [slide for slide in made if slide.kind == "question" and "Right." in slide.content]


@pytest.mark.browser
def test_slides_are_gone_through_by_keys_and_printed_one_a_page(tmp_path: Path, browser: Any) -> None:
    lesson = unexecuted("isotropy/what-isotropy-is")
    file = tmp_path / "slides.html"
    file.write_text(slides.page(lesson), encoding="utf-8")
    n_slides = file.read_text(encoding="utf-8").count("<section")
    for size in ({"width": 1280, "height": 720}, {"width": 1024, "height": 768}):
        page = browser.new_page(viewport=size)
        page.goto(file.as_uri())
        seen = []
        for key in (
            "ArrowRight",
            "ArrowDown",
            "PageDown",
            "ArrowLeft",
            "ArrowRight",
            "End",
            "ArrowRight",
            "Home",
        ):
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


def test_a_formula_becomes_mathml_or_fails() -> None:
    assert "<mfrac>" in slides.mathml(r"\tfrac12")
    assert 'display="block"' in slides.mathml(r"x^2", block=True)
    with pytest.raises(Exception, match="nosuch"):
        slides.mathml(r"\nosuch{x}")


def test_the_list_of_the_course_is_that_of_the_lessons(course: Path) -> None:
    listed = read(course / "manifest.json")
    assert [entry["title"] for entry in listed["lessons"]] == [lessons.read(path).title for path in LESSONS]
    for entry in listed["lessons"]:
        page, overview = lessons.read(entry["lesson"]), teaching.overview(entry["lesson"])
        assert entry["minutes"] == {"reading": page.minutes, "exercises": page.exercise_minutes}
        assert len(entry["objectives"]) == len(overview.outcomes)
        told = [(one["level"], one["title"]) for one in entry["exercises"]]
        assert told == list(overview.exercises)
        for exercise in entry["exercises"]:
            assert exercise["minutes"] > 0
            assert set(exercise["objectives"]) <= set(range(1, len(entry["objectives"]) + 1))
        source = (BOOK / f"{entry['lesson']}.ipynb").read_text(encoding="utf-8")
        assert len(entry["questions"]) == source.count(":class: il-question") >= 5
        assert all((course / file).is_file() for file in entry["files"].values())
    assert [session["rows"][-1]["end"] for session in listed["sessions"]] == [90] * 5
    made = read(course / MARK)
    there = {file.relative_to(course).as_posix() for file in course.rglob("*") if file.is_file()}
    assert there == {*made, MARK}


def test_every_check_of_a_lesson_is_listed_and_explained_to_teachers(course: Path) -> None:
    from reanalyses.course import exercises

    listed = {
        (entry["lesson"], one["check"]): entry["files"]["instructor"]
        for entry in read(course / "manifest.json")["lessons"]
        for one in entry["exercises"]
    }
    for exercise in exercises():
        told = text_of(read(course / listed[exercise.lesson, exercise.name]))
        assert f'check("{exercise.name}", …)' in told
        assert all(slip.message in told for slip in exercise.slips)
        assert all(row.what in told for row in exercise.rubric)


def test_links_within_the_course_lead_somewhere(course: Path) -> None:
    files = [*course.rglob("*.ipynb"), *course.rglob("*.md")]
    for file in files:
        text = file.read_text(encoding="utf-8")
        prose = text_of(json.loads(text), "markdown") if file.suffix == ".ipynb" else text
        for target in re.findall(r"\]\(([^()\s]+)\)", prose):
            assert "://" in target or (file.parent / target).is_file(), f"{file.name}: {target}"
    for file in re.findall(r"`([\w/.-]+/)`", (course / "README.md").read_text(encoding="utf-8")):
        assert (course / file).is_dir(), file


def test_the_same_lessons_give_the_same_bytes(course: Path, all_lessons: list[Lesson]) -> None:
    again = folder.files(all_lessons, LOCK, lambda words: None)
    assert {name: [folder._hash(content)] for name, content in again} == read(course / MARK)


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


@pytest.mark.parametrize("n_written", range(5))
def test_what_was_broken_off_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_written: int
) -> None:
    made = {"a.txt": b"one", "b.txt": b"two"}
    monkeypatch.setattr(folder, "files", lambda *_: iter(made.items()))
    write(tmp_path / "course", [], "")
    made |= {"a.txt": b"three", "c.txt": b"four"}
    del made["b.txt"]
    left = n_written
    replace = folder._replace

    def broken(file: Path, content: bytes) -> None:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        replace(file, content)

    monkeypatch.setattr(folder, "_replace", broken)
    if n_written < 4:
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path / "course", [], "")
    monkeypatch.setattr(folder, "_replace", replace)
    write(tmp_path / "course", [], "")
    assert {file.name for file in (tmp_path / "course").iterdir()} == {"a.txt", "c.txt", MARK}
    assert (tmp_path / "course" / "a.txt").read_bytes() == b"three"


def test_the_room_installs_the_versions_of_the_lock(course: Path) -> None:
    listed = (course / "install" / "packages.txt").read_text(encoding="utf-8").splitlines()
    locked = re.findall(r"(?m)^([\w.-]+==[^ \\]+)", LOCK)
    assert [line.split(" ")[0] for line in listed] == locked
    recipe = (course / "install" / "README.md").read_text(encoding="utf-8")
    assert "http" not in recipe
    assert "--no-index --find-links wheelhouse" in recipe


def test_data_fit_together(course: Path) -> None:
    import numpy as np

    data = course / "data"
    definitions, questions = (np.load(data / f"{what}.npy") for what in ("definitions", "questions"))

    def lines(what: str) -> list[str]:
        return (data / f"{what}.txt").read_text(encoding="utf-8").splitlines()

    assert len(lines("modules")) == len(definitions)
    assert len(lines("questions")) == len(lines("gold")) == len(questions)
    assert max(int(place) for line in lines("gold") for place in line.split()) < len(definitions)
    assert len(lines("words")) == len(np.load(data / "words.npy"))


# The pages of plans


@pytest.mark.parametrize("session", plans.sessions(), ids=lambda session: session.title)
def test_a_session_fills_ninety_minutes(session: plans.Session) -> None:
    times = [(row.start, row.end) for row in session.rows]
    assert times[0][0] == 0
    assert times[-1][1] == 90
    assert all(before[1] == after[0] for before, after in pairwise(times))
    assert all(3 <= end - start <= 20 for start, end in times)
    for row in session.rows:
        assert list(row.told) == ["You", "They", "Right", "In sight", "Wrong turn"], row.title
        assert "*Answer:*" in row.told["Wrong turn"], row.title
        assert all(text.endswith((".", "?", "”", "))", ").")) for text in row.told.values()), row.title


def test_there_is_a_session_for_each_part() -> None:
    parts = [session.lessons[0].partition("/")[0] for session in plans.sessions()]
    assert parts == ["isotropy", "association", "projection", "retrieval", "report"]
    text = (BOOK / f"{plans.SESSIONS}.md").read_text(encoding="utf-8")
    bold = re.findall(r"(?m)^\*\*\d+–\d+ · ", text)
    assert len(bold) == sum(len(session.rows) for session in plans.sessions()), "a row that is not read"


def test_longer_courses_have_every_lesson_once() -> None:
    courses = plans.courses()
    everything = {path.relative_to(BOOK).with_suffix("").as_posix() for path in LESSONS}
    assert len(courses["One day"]) == 5
    for title in ("Six weeks", "Twelve weeks"):
        assert set(courses[title]) == everything
    assert set(courses) == {"One day", "Six weeks", "Twelve weeks"}
    text = (BOOK / f"{plans.COURSES}.md").read_text(encoding="utf-8")
    for title, weeks in (("Six weeks", 6), ("Twelve weeks", 12)):
        rows = re.split(r"(?m)^## ", text.partition(f"\n## {title}\n")[2])[0]
        assert [int(week) for week in re.findall(r"(?m)^\| (\d+) \|", rows)] == list(range(1, weeks + 1))
        assert all(rows.count(f"{page}.ipynb") == 1 for page in everything)


def test_the_rubric_of_the_project_adds_up() -> None:
    text = (BOOK / f"{plans.COURSES}.md").read_text(encoding="utf-8").partition("**Rubric.**")[2]
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]
    (total,) = re.findall(r"(\d+) in all", text)
    assert int(total) == 2 * len(rows)
    assert all(row.count("|") == 5 for row in rows)


@pytest.mark.parametrize("page", ["instructors.ipynb", "teaching-sessions.md", "teaching-courses.md"])
def test_links_of_teachers_pages_lead_somewhere(page: str) -> None:
    file = BOOK / "appendix" / page
    text = file.read_text(encoding="utf-8")
    prose = (
        "".join(text_of_source(cell) for cell in json.loads(text)["cells"])
        if page.endswith("ipynb")
        else text
    )
    everywhere = "\n".join(
        path.read_text(encoding="utf-8")
        for path in BOOK.glob("*/*.*")
        if path.suffix in (".ipynb", ".md") and "_build" not in path.parts
    )
    targets = re.findall(r"\]\(([^()\s]+)\)", prose)
    assert len(targets) >= 5
    for target in targets:
        if target.startswith("#"):
            label = re.escape(target[1:])
            assert re.search(rf'\({label}\)=|:label: {label}\b|"name": "{label}"', everywhere), target
        else:
            assert (file.parent / target).is_file(), target


SECONDS = {
    "two": 2, "three": 3, "four": 4, "seven": 7, "eight": 8, "ten": 10, "twelve": 12, "fourteen": 14, "seventeen": 17,
    "eighteen": 18, "twenty": 20, "twenty-five": 25, "half a minute": 30, "forty": 40, "eighty": 80,
    "nearly two minutes": 110,
}  # fmt: skip


def test_sessions_say_how_long_their_lessons_take() -> None:
    """Seconds in Python and, in parentheses, in the tab, as they were measured, but for rounding."""
    text = (BOOK / f"{plans.SESSIONS}.md").read_text(encoding="utf-8")
    said = re.findall(r"(?ms)^Lessons: (.+?) They\s+take\s+about\s+(.+?)[;.]", text)
    assert len(said) == 5
    for lessons_of, times in said:
        pages = re.findall(r"\]\(\.\./([\w/-]+)\.ipynb\)", lessons_of)
        pairs = re.findall(
            r"(?:, | and |^)([a-z-]+) \(([a-z -]+)\)", " ".join(times.replace(" seconds", "").split())
        )
        for page, (python, tab) in zip(pages, pairs, strict=True):
            row = recorded(BOOK / f"{page}.ipynb")
            assert SECONDS[python] == pytest.approx(row["cpython"], rel=0.2), page
            assert SECONDS[tab] == pytest.approx(row["tab"], rel=0.2), page


def text_of_source(cell: Mapping[str, Any]) -> str:
    return "".join(cell["source"])


def test_there_are_notes_on_every_lesson() -> None:
    for path in LESSONS:
        told = teaching.notes(path.relative_to(BOOK).with_suffix("").as_posix())
        assert {"In class", "Often misunderstood"} <= set(told)
    with pytest.raises(ValueError, match="no notes on isotropy/index"):
        teaching.notes("isotropy/index")


# The script


def test_lessons_come_with_what_the_build_keeps(tmp_path: Path) -> None:
    """A lesson of a small book, executed and kept as the build does it."""
    make_course = script_module("make_course")
    page = nbformat.v4.new_notebook(
        metadata={"isotropy_lab": {"kind": "lesson"}},
        cells=[
            nbformat.v4.new_code_cell("x = 2\nx", id="a"),
            nbformat.v4.new_markdown_cell("It is {eval}`f'{x:.1f}'`.", id="b"),
        ],
    )
    file = tmp_path / "book" / "part" / "one.ipynb"
    file.parent.mkdir(parents=True)
    nbformat.write(page, file)
    with pytest.raises(RuntimeError, match=r"nothing is kept of part/one"):
        make_course.executed(tmp_path, file)
    page.cells[0].outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=1)]
    book = tmp_path / "book"
    bundle = make_course.build_book.CacheBundleIn(page, str(file))
    make_course.get_cache(book / "_build" / ".jupyter_cache").cache_notebook_bundle(
        bundle, check_validity=False
    )
    make_course.inline_expressions.keep(book, "part/one", page, {"1": {"f'{x:.1f}'": "2.0"}})
    lesson = make_course.executed(tmp_path, file)
    assert lesson.cells[0]["outputs"][0]["data"] == {"text/plain": "2"}
    assert with_values(lesson.cells[1]["source"], lesson.values(1)) == "It is 2.0."


def test_a_build_from_scratch_leaves_the_course_to_make_course(tmp_path: Path) -> None:
    build_book = script_module("build_book")
    course = tmp_path / "book" / "_build" / "course"
    course.mkdir(parents=True)
    (course / "changed.ipynb").write_text("by the teacher")
    (course.parent / "executed.sha256").write_text("of other inputs")
    (course.parent / "html").mkdir()
    build_book.prepare(tmp_path, stream=io.StringIO())
    assert (course / "changed.ipynb").exists()
    assert not (course.parent / "html").exists()


# Markdown


def test_directives_within_directives_stay_in_their_body() -> None:
    text = "::::{admonition} Exercise 1 (warm-up): one\n:class: il-exercise\nDo it.\n\n:::{dropdown} Hint\nThink.\n:::\n::::"
    (block,) = blocks(text)
    assert (block.kind, block.style, block.title) == (
        "admonition",
        "il-exercise",
        "Exercise 1 (warm-up): one",
    )
    assert [inner.title for inner in blocks(block.text)] == ["", "Hint"]
    with pytest.raises(ValueError, match="is not closed"):
        list(blocks(":::{note}\nfor ever"))


def test_a_value_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="value of 'x'"):
        with_values("{eval}`x`", {})


def test_links_to_other_pages_lead_to_the_site() -> None:
    text = with_links(
        "[a](case.ipynb), [`b`](#x), [c](../two/c.ipynb)", "one/here", lambda page: page == "two/c"
    )
    assert re.fullmatch(
        r"(\[a\]\(https?://.+/one/case\.(html|ipynb)\)|a), `b`, \[c\]\(\.\./two/c\.ipynb\)", text
    )


def test_a_quotation_has_its_formulas_on_one_line() -> None:
    assert quoted("a\n\n$$\nx\n= y\n$$") == "> a\n>\n> $$ x = y $$"
