"""Syllabus of the course: the purpose, duration, assessment, and readings of each lesson."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reanalyses import lessons, teaching
from reanalyses.course import exam
from reanalyses.course.kit.lesson import PARTS, Lesson
from reanalyses.course.kit.markdown import without_links

__all__ = ["page", "readings"]


def page(executed: Iterable[Lesson], exercises: Sequence[Any], questions: Sequence[Any]) -> str:
    """Return the syllabus as Markdown, with the times stated in the lessons."""
    entries = [(lesson, lesson.page, teaching.overview(lesson.name)) for lesson in executed]
    hours = sum(one.minutes + one.exercise_minutes for _, one, _ in entries) / 60
    made = [
        f"# Syllabus\n\n{len(entries)} lessons, about {hours:.0f} hours to read, run, and practice by oneself. "
        "`plans/courses.md` says how to spread them over a day or a term, and has the final project with its rubric. "
        "*Exam* says which lessons have a question in the exam bank."
    ]
    in_exam = {problem.lesson for problem in exam.problems()}
    for folder, title in PARTS.items():
        own = [entry for entry in entries if entry[0].name.startswith(f"{folder}/")]
        rows = ["| Lesson | Reading | Exercises | Quiz | Exam |", "|---|---|---|---|---|"]
        outcomes = []
        for lesson, about, overview in own:
            levels = ", ".join(level for level, _, _ in overview.exercises)
            n_asked = sum(question.lesson == lesson.name for question in questions)
            rows.append(
                f"| {about.title} | {about.minutes} min | {about.exercise_minutes} min: {levels} | "
                f"{n_asked} questions | {'yes' if lesson.name in in_exam else '–'} |"
            )
            outcomes.append(f"After *{about.title}*, students can (assessed by):")
            mine = [exercise for exercise in exercises if exercise.lesson == lesson.name]
            items = (
                f"- {without_links(can).rstrip('.;')} ({_numbers(mine, place)})"
                for place, can in enumerate(overview.outcomes, 1)
            )
            outcomes.append("\n".join(items))
        made += [f"## {title}", "\n".join(rows), *outcomes]
        if read := [*readings([lesson for lesson, _, _ in own])]:
            made += ["To read:", "\n".join(f"- {one}" for one in read)]
    return "\n\n".join([*made, ""])


def _numbers(exercises: Sequence[Any], objective: int) -> str:
    """Return the names of the exercises for an objective."""
    using = [str(one.number) for one in exercises if objective in one.objectives]
    return f"exercise{'s' * (len(using) > 1)} {', '.join(using)}"


def readings(executed: Iterable[Lesson]) -> Iterator[str]:
    """Yield the works that lessons cite, in the order of the book's bibliography."""
    text = "\n".join(cell["source"] for lesson in executed for cell in lesson.cells)
    cited = set(re.findall(r"\]\(#([a-z]+\d{4})", text))
    entries = (lessons.BOOK / "references.bib").read_text(encoding="utf-8").split("\n@")
    for entry in entries:
        key = re.search(r"\{([a-z]+\d{4})", entry)
        if key and key[1] in cited:
            fields = dict(re.findall(r"(?m)^\s*(\w+)\s*=\s*\{(.*)\},?$", entry))
            yield _work(
                {
                    name: re.sub(r"[{}]", "", value).replace("``", "“").replace("''", "”")
                    for name, value in fields.items()
                }
            )


def _work(fields: Mapping[str, str]) -> str:
    authors = [name.partition(",")[0] for name in fields["author"].split(" and ")]
    names = " and ".join(authors) if len(authors) < 3 else f"{authors[0]} et al."
    kinds = ("journal", "booktitle", "howpublished", "publisher", "note", "archiveprefix")
    place = next(fields[kind] for kind in kinds if kind in fields)
    address = f" https://doi.org/{fields['doi']}" if "doi" in fields else ""
    return f"{names} ({fields['year']}): {fields['title']}. *{place}*.{address}"
