"""The folder of a course, its list of contents, and protection of files that a teacher has changed."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reanalyses import lessons, teaching
from reanalyses.course.kit import data, notebooks, plans, slides
from reanalyses.course.kit.lesson import PARTS, Lesson, part
from reanalyses.course.kit.markdown import LINK, blocks, without_links

__all__ = ["MARK", "files", "made_before", "manifest", "write"]

#: Name of the file that marks a generated folder and lists its files with their hashes.
ROOT = lessons.BOOK.parent
MARK = "made-by-make-course.json"


def write(
    folder: str | os.PathLike[str],
    executed: Sequence[Lesson],
    lock: str,
    *,
    nbgrader: bool = False,
    say: Callable[[str], None] = lambda words: None,
) -> Path:
    """Write the folder of a course, or update it, optionally with assignments for nbgrader.

    Equal lessons give equal bytes. Files that were added to the folder are kept.
    """
    folder = Path(folder)
    before = made_before(folder)
    made = dict(files(executed, lock, say, nbgrader=nbgrader))
    for name in made:
        if name not in before and os.path.lexists(folder / name):
            raise FileExistsError(
                f"{folder / name} was not written by this command; expected another folder (or move this file away)"
            )
    say(f"Writing {len(made)} files …")
    hashes = {name: [_hash(content)] for name, content in sorted(made.items())}
    # Old files remain valid until everything is written, so an interrupted run can be repeated.
    _replace(
        folder / MARK,
        _as_json({name: hashes.get(name, []) + before.get(name, []) for name in {**before, **hashes}}),
    )
    for name in before.keys() - made.keys():
        (folder / name).unlink(missing_ok=True)
    for name, content in made.items():
        _replace(folder / name, content)
    _replace(folder / MARK, _as_json(hashes))
    return folder


def files(
    executed: Sequence[Lesson], lock: str, say: Callable[[str], None], *, nbgrader: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of all files."""
    from reanalyses import course  # imported together with its exercises, which the lessons do not import
    from reanalyses.course import quizzes
    from reanalyses.course.kit import syllabus

    checked = course.exercises()
    names = {lesson.name for lesson in executed}
    for place, lesson in enumerate(executed, 1):
        say(f"  {place:2} of {len(executed)}  {lesson.page.title}")
        own = [exercise for exercise in checked if exercise.lesson == lesson.name]
        student = notebooks.for_students(lesson, names.__contains__)
        teacher = notebooks.for_teachers(lesson, own, names.__contains__)
        yield f"student/{lesson.name}.ipynb", notebooks.written(student).encode()
        yield f"instructor/{lesson.name}.ipynb", notebooks.written(teacher).encode()
        yield f"slides/{lesson.name}.html", slides.page(lesson).encode()
        if nbgrader:
            assignment = notebooks.for_nbgrader(lesson, own, names.__contains__)
            stem = lesson.name.rpartition("/")[2]
            yield f"nbgrader/source/{stem}/{stem}.ipynb", notebooks.written(assignment).encode()
    say("Quizzes, plans, data and the list of everything …")
    asked = quizzes.questions()
    for scope in ("", *PARTS, *names):
        chosen = [one for one in asked if f"{one.lesson}/".startswith(f"{scope}/" * bool(scope))]
        yield f"quizzes/{scope or 'isotropy-lab'}-moodle.xml", quizzes.moodle_xml(chosen).encode()
        yield f"quizzes/{scope or 'isotropy-lab'}-qti21.zip", quizzes.qti(chosen)
    yield "syllabus.md", syllabus.page(executed, checked, asked).encode()
    for file in (
        "LICENSE",
        "LICENSES-data.md",
        *(f"LICENSES/{one.name}" for one in sorted((ROOT / "LICENSES").iterdir())),
    ):
        yield file, (ROOT / file).read_bytes()
    yield "plans/sessions.md", _plan(plans.SESSIONS, names).encode()
    yield "plans/courses.md", _plan(plans.COURSES, names).encode()
    for name, content in data.files().items():
        yield f"data/{name}", content
    yield "install/packages.txt", packages(lock).encode()
    yield "install/README.md", slides.asset("install.md").encode()
    yield "README.md", slides.asset("course.md").encode()
    yield "student/README.md", slides.asset("student.md").encode()
    listed = json.dumps(manifest(executed, checked, asked), indent=1, ensure_ascii=False)
    yield "manifest.json", f"{listed}\n".encode()


def manifest(executed: Sequence[Lesson], checked: Sequence[Any], asked: Sequence[Any]) -> dict[str, Any]:
    """Return the list of the course: lessons with objectives, exercises, and questions, and the sessions."""
    by_place = {(exercise.lesson, exercise.number): exercise for exercise in checked}
    entries = []
    for lesson in executed:
        overview, page = teaching.overview(lesson.name), lesson.page
        exercises = []
        for number, (level, title, minutes) in enumerate(overview.exercises, 1):
            known = by_place[lesson.name, number]
            exercises.append(
                {
                    "number": number,
                    "level": level,
                    "title": title,
                    "minutes": minutes,
                    "check": known.name,
                    "objectives": list(known.objectives),
                    "rubric": bool(known.rubric),
                }
            )
        entries.append(
            {
                "lesson": lesson.name,
                "title": page.title,
                "part": part(lesson.name),
                "minutes": {"reading": page.minutes, "exercises": page.exercise_minutes},
                "objectives": [without_links(one) for one in overview.outcomes],
                "exercises": exercises,
                "questions": [
                    {"id": one.id, "asked": one.asked, "choices": len(one.choices)}
                    for one in asked
                    if one.lesson == lesson.name
                ],
                "files": {
                    "student": f"student/{lesson.name}.ipynb",
                    "instructor": f"instructor/{lesson.name}.ipynb",
                    "slides": f"slides/{lesson.name}.html",
                },
            }
        )
    sessions = [
        {
            "title": session.title,
            "lessons": list(session.lessons),
            "rows": [{"start": row.start, "end": row.end, "title": row.title} for row in session.rows],
        }
        for session in plans.sessions()
    ]
    courses = {title: list(pages) for title, pages in plans.courses().items()}
    return {"title": "Isotropy Lab", "lessons": entries, "sessions": sessions, "courses": courses}


def packages(lock: str) -> str:
    """Return the packages of a lock file without hashes, since wheels built on the classroom machine differ."""
    lines = (line.removesuffix("\\").rstrip() for line in lock.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.lstrip().startswith(("--", "#")))


def _plan(page: str, known: set[str]) -> str:
    """Return a page of plans in which links lead to the teachers' notebooks or are replaced by their text."""
    text = (lessons.BOOK / f"{page}.md").read_text(encoding="utf-8")
    text = "\n\n".join(
        block.text if not block.kind else f"**{block.title}**\n\n{block.text}" for block in blocks(text)
    )

    def link(found: re.Match[str]) -> str:
        target = re.sub(r"^\.\./|\.(ipynb|md)$", "", found[2])
        if target in known:
            return f"[{found[1]}](../instructor/{target}.ipynb)"
        siblings = {"teaching-sessions": "sessions.md", "teaching-courses": "courses.md"}
        return f"[{found[1]}]({siblings[target]})" if target in siblings else found[1]

    return LINK.sub(link, text) + "\n"


def made_before(folder: Path) -> Mapping[str, list[str]]:
    """Return the previously generated files in a folder, with the hashes that each file may have.

    Raises FileExistsError if the folder has been modified or contains other files.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return {}
    if not (folder / MARK).is_file():
        raise FileExistsError(
            f"{folder} contains other files; expected an empty folder, or one made by `make course`"
        )
    before: dict[str, list[str]] = json.loads((folder / MARK).read_text(encoding="utf-8"))
    for name, hashed in before.items():
        file = folder / name
        if file.is_file() and _hash(file.read_bytes()) not in hashed:
            raise FileExistsError(
                f"{file} was changed after it was written; expected the original file (move the changed one away to get it)"
            )
    return before


def _replace(file: Path, content: bytes) -> None:
    """Replace a file when the new content is complete."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.new")
    new.write_bytes(content)
    new.replace(file)


def _as_json(content: Any) -> bytes:
    return (json.dumps(content, indent=1) + "\n").encode()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
