"""Syllabus of the course: the objectives, duration, assessment, and readings of each lesson."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reanalyses import lessons, teaching
from reanalyses.course import exam
from reanalyses.course.kit.lesson import PART_TITLES, ExecutedLesson
from reanalyses.course.kit.markdown import remove_links


def page(executed: Iterable[ExecutedLesson], exercises: Sequence[Any], questions: Sequence[Any]) -> str:
    """Return the syllabus as Markdown, with the times stated in the lessons."""
    entries = [(lesson, lesson.page, teaching.overview(lesson.name)) for lesson in executed]
    hours = sum(contents.minutes + contents.exercise_minutes for _, contents, _ in entries) / 60
    sections = [
        f"# Syllabus\n\n{len(entries)} lessons, about {hours:.0f} hours to read, run, and practice by oneself. "
        "`plans/courses.md` says how to spread them over a day or a term, and has the final project with its rubric. "
        "*Exam* says which lessons have a question in the exam bank."
    ]
    in_exam = {problem.lesson for problem in exam.problems()}
    for folder, title in PART_TITLES.items():
        part_entries = [entry for entry in entries if entry[0].name.startswith(f"{folder}/")]
        rows = ["| Lesson | Reading | Exercises | Quiz | Exam |", "|---|---|---|---|---|"]
        outcomes = []
        for lesson, contents, overview in part_entries:
            levels = ", ".join(level for level, _, _ in overview.exercises)
            n_questions = sum(question.lesson == lesson.name for question in questions)
            rows.append(
                f"| {contents.title} | {contents.minutes} min | {contents.exercise_minutes} min: {levels} | "
                f"{n_questions} questions | {'yes' if lesson.name in in_exam else '–'} |"
            )
            outcomes.append(f"After *{contents.title}*, students can (assessed by):")
            lesson_exercises = [exercise for exercise in exercises if exercise.lesson == lesson.name]
            items = (
                f"- {remove_links(outcome).rstrip('.;')} ({_exercise_numbers(lesson_exercises, number)})"
                for number, outcome in enumerate(overview.outcomes, 1)
            )
            outcomes.append("\n".join(items))
        sections += [f"## {title}", "\n".join(rows), *outcomes]
        if works := [*readings([lesson for lesson, _, _ in part_entries])]:
            sections += ["To read:", "\n".join(f"- {work}" for work in works)]
    return "\n\n".join([*sections, ""])


def _exercise_numbers(exercises: Sequence[Any], objective: int) -> str:
    """Return the numbers of the exercises that practice an objective, as text."""
    numbers = [str(exercise.number) for exercise in exercises if objective in exercise.objectives]
    return f"exercise{'s' * (len(numbers) > 1)} {', '.join(numbers)}"


def readings(executed: Iterable[ExecutedLesson]) -> Iterator[str]:
    """Yield the works that lessons cite, in the order of the book's bibliography."""
    text = "\n".join(cell["source"] for lesson in executed for cell in lesson.cells)
    cited = set(re.findall(r"\]\(#([a-z]+\d{4})", text))
    entries = (lessons.BOOK / "references.bib").read_text(encoding="utf-8").split("\n@")
    for entry in entries:
        key = re.search(r"\{([a-z]+\d{4})", entry)
        if key and key[1] in cited:
            fields = dict(re.findall(r"(?m)^\s*(\w+)\s*=\s*\{(.*)\},?$", entry))
            yield _citation(
                {
                    name: re.sub(r"[{}]", "", value).replace("``", "“").replace("''", "”")
                    for name, value in fields.items()
                }
            )


def _citation(fields: Mapping[str, str]) -> str:
    authors = [name.partition(",")[0] for name in fields["author"].split(" and ")]
    names = " and ".join(authors) if len(authors) < 3 else f"{authors[0]} et al."
    venue_fields = ("journal", "booktitle", "howpublished", "publisher", "note", "archiveprefix")
    venue = next(fields[field] for field in venue_fields if field in fields)
    address = f" https://doi.org/{fields['doi']}" if "doi" in fields else ""
    return f"{names} ({fields['year']}): {fields['title']}. *{venue}*.{address}"
