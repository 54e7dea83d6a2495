"""The folder of a course, its list of contents, and protection of files that a teacher has changed."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reanalyses import lessons, teaching
from reanalyses.course.kit import data, notebooks, plans, slides
from reanalyses.course.kit.lesson import PART_TITLES, ExecutedLesson, part_title
from reanalyses.course.kit.markdown import LINK, blocks, remove_links

ROOT = lessons.BOOK.parent
#: Name of the file that marks a generated folder and lists its files with their hashes.
CONTENTS_FILE = "made-by-make-course.json"


def write(
    folder: str | os.PathLike[str],
    executed: Sequence[ExecutedLesson],
    lock: str,
    *,
    nbgrader: bool = False,
    report: Callable[[str], None] = lambda words: None,
) -> Path:
    """Write or update the folder of a course, optionally with assignments for nbgrader.

    Equal lessons give equal bytes. Other files in the folder remain unchanged.
    """
    folder = Path(folder)
    previous = generated_files(folder)
    new_files = dict(files(executed, lock, report, nbgrader=nbgrader))
    for name in new_files:
        if name not in previous and os.path.lexists(folder / name):
            raise FileExistsError(
                f"{folder / name} was not written by this command; expected another folder (or move this file away)"
            )
    report(f"Writing {len(new_files)} files …")
    hashes = {name: [_hash(content)] for name, content in sorted(new_files.items())}
    # Old files remain valid until everything is written, so an interrupted run can be repeated.
    _replace_file(
        folder / CONTENTS_FILE,
        _json_bytes({name: hashes.get(name, []) + previous.get(name, []) for name in {**previous, **hashes}}),
    )
    for name in previous.keys() - new_files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, content in new_files.items():
        _replace_file(folder / name, content)
    _replace_file(folder / CONTENTS_FILE, _json_bytes(hashes))
    return folder


def files(
    executed: Sequence[ExecutedLesson], lock: str, report: Callable[[str], None], *, nbgrader: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of a course."""
    from reanalyses import course  # imported together with its exercises, which the lessons do not import
    from reanalyses.course import quizzes
    from reanalyses.course.kit import syllabus

    exercises = course.exercises()
    names = {lesson.name for lesson in executed}
    for number, lesson in enumerate(executed, 1):
        report(f"  {number:2} of {len(executed)}  {lesson.page.title}")
        lesson_exercises = [exercise for exercise in exercises if exercise.lesson == lesson.name]
        student = notebooks.student_notebook(lesson, names.__contains__)
        teacher = notebooks.teacher_notebook(lesson, lesson_exercises, names.__contains__)
        yield f"student/{lesson.name}.ipynb", notebooks.notebook_text(student).encode()
        yield f"instructor/{lesson.name}.ipynb", notebooks.notebook_text(teacher).encode()
        yield f"slides/{lesson.name}.html", slides.page(lesson).encode()
        if nbgrader:
            assignment = notebooks.nbgrader_notebook(lesson, lesson_exercises, names.__contains__)
            slug = lesson.name.rpartition("/")[2]
            yield f"nbgrader/source/{slug}/{slug}.ipynb", notebooks.notebook_text(assignment).encode()
    report("Quizzes, plans, data, and the manifest …")
    questions = quizzes.questions()
    for scope in ("", *PART_TITLES, *names):
        selected = [item for item in questions if f"{item.lesson}/".startswith(f"{scope}/" * bool(scope))]
        yield f"quizzes/{scope or 'isotropy-lab'}-moodle.xml", quizzes.moodle_xml(selected).encode()
        yield f"quizzes/{scope or 'isotropy-lab'}-qti21.zip", quizzes.qti(selected)
    yield "syllabus.md", syllabus.page(executed, exercises, questions).encode()
    for file in (
        "LICENSE",
        "LICENSES-data.md",
        *(f"LICENSES/{item.name}" for item in sorted((ROOT / "LICENSES").iterdir())),
    ):
        yield file, (ROOT / file).read_bytes()
    yield "plans/sessions.md", _plan_page(plans.SESSIONS, names).encode()
    yield "plans/courses.md", _plan_page(plans.COURSES, names).encode()
    for name, content in data.files().items():
        yield f"data/{name}", content
    yield "install/packages.txt", packages(lock).encode()
    yield "install/README.md", slides.read_asset("install.md").encode()
    yield "README.md", slides.read_asset("course.md").encode()
    yield "student/README.md", slides.read_asset("student.md").encode()
    contents = json.dumps(manifest(executed, exercises, questions), indent=1, ensure_ascii=False)
    yield "manifest.json", f"{contents}\n".encode()


def manifest(
    executed: Sequence[ExecutedLesson], exercises: Sequence[Any], questions: Sequence[Any]
) -> dict[str, Any]:
    """Return the manifest of a course: its lessons with objectives, exercises, and questions, and its sessions."""
    exercise_at = {(exercise.lesson, exercise.number): exercise for exercise in exercises}
    entries = []
    for lesson in executed:
        overview, page = teaching.overview(lesson.name), lesson.page
        exercises = []
        for number, (level, title, minutes) in enumerate(overview.exercises, 1):
            exercise = exercise_at[lesson.name, number]
            exercises.append(
                {
                    "number": number,
                    "level": level,
                    "title": title,
                    "minutes": minutes,
                    "check": exercise.name,
                    "objectives": list(exercise.objectives),
                    "rubric": bool(exercise.rubric),
                }
            )
        entries.append(
            {
                "lesson": lesson.name,
                "title": page.title,
                "part": part_title(lesson.name),
                "minutes": {"reading": page.minutes, "exercises": page.exercise_minutes},
                "objectives": [remove_links(item) for item in overview.outcomes],
                "exercises": exercises,
                "questions": [
                    {"id": item.id, "asked": item.prompt, "choices": len(item.choices)}
                    for item in questions
                    if item.lesson == lesson.name
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
    """Return the packages of a lock file without hashes, because wheels built on another machine have other hashes."""
    lines = (line.removesuffix("\\").rstrip() for line in lock.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.lstrip().startswith(("--", "#")))


def _plan_page(page: str, lesson_names: set[str]) -> str:
    """Return a page of plans in which links lead to the teachers' notebooks or are replaced by their text."""
    text = (lessons.BOOK / f"{page}.md").read_text(encoding="utf-8")
    text = "\n\n".join(
        block.text if not block.kind else f"**{block.title}**\n\n{block.text}" for block in blocks(text)
    )

    def adapt_link(match: re.Match[str]) -> str:
        target = re.sub(r"^\.\./|\.(ipynb|md)$", "", match[2])
        if target in lesson_names:
            return f"[{match[1]}](../instructor/{target}.ipynb)"
        siblings = {"teaching-sessions": "sessions.md", "teaching-courses": "courses.md"}
        return f"[{match[1]}]({siblings[target]})" if target in siblings else match[1]

    return LINK.sub(adapt_link, text) + "\n"


def generated_files(folder: Path) -> Mapping[str, list[str]]:
    """Return the names of the previously generated files in a folder, with the hashes that each file may have.

    Raises FileExistsError if the folder has been modified or contains other files.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return {}
    if not (folder / CONTENTS_FILE).is_file():
        raise FileExistsError(
            f"{folder} contains other files; expected an empty folder, or one made by `make course`"
        )
    generated: dict[str, list[str]] = json.loads((folder / CONTENTS_FILE).read_text(encoding="utf-8"))
    for name, hashes in generated.items():
        file = folder / name
        if file.is_file() and _hash(file.read_bytes()) not in hashes:
            raise FileExistsError(
                f"{file} was changed after it was written; expected the original file (move the changed one away to get it)"
            )
    return generated


def _replace_file(file: Path, content: bytes) -> None:
    """Replace a file only once its new content is complete."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.new")
    temporary.write_bytes(content)
    temporary.replace(file)


def _json_bytes(content: Any) -> bytes:
    return (json.dumps(content, indent=1) + "\n").encode()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
