"""The exercises of the course and their learning objectives."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import replace
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING

from reanalyses.course.exercise import Exercise

if TYPE_CHECKING:
    import pandas as pd

#: The lessons with exercises that can be checked, in order; `-` becomes `_` in the name of the module.
LESSONS = (
    "isotropy/what-isotropy-is",
    "isotropy/five-scores-six-tests",
    "isotropy/layer-by-layer",
    "isotropy/how-many-points",
    "association/weat-and-what-it-measures",
    "association/geometric-consistency",
    "association/how-surprising",
    "association/regressions-on-cosines",
    "projection/stress-and-scale",
    "projection/kl-and-scale",
    "projection/choosing-a-projection",
    "retrieval/accuracy-with-intervals",
    "retrieval/thresholds-and-overlaps",
    "retrieval/adapting-an-encoder",
    "retrieval/isotropy-and-accuracy",
    "report/your-own-vectors",
    "report/comparing-models",
    "report/scaling-up",
)


@cache
def exercises() -> tuple[Exercise, ...]:
    """Return all exercises that can be checked, in the order of the book."""
    rubrics = tomllib.loads(resources.files(__package__).joinpath("rubrics.toml").read_text(encoding="utf-8"))
    all_exercises: list[Exercise] = []
    for lesson in LESSONS:
        module = import_module("reanalyses.course." + lesson.replace("/", ".").replace("-", "_"))
        all_exercises += [
            replace(exercise, lesson=lesson, rubric=rubrics.get(exercise.name, {}))
            for exercise in module.EXERCISES
        ]
    return tuple(all_exercises)


def by_name(name: str) -> Exercise:
    """Return an exercise by name; for an unknown name, raise ValueError with similar names."""
    known = {exercise.name: exercise for exercise in exercises()}
    if name in known:
        return known[name]
    close = difflib.get_close_matches(str(name), known, n=3, cutoff=0.4)
    hint = (
        f"did you mean {' or '.join(map(repr, close))}?" if close else f"expected one of {', '.join(known)}"
    )
    raise ValueError(f"name is {name!r}, which is not an exercise; {hint}")


def rubric(name: str) -> pd.DataFrame:
    """Return the rubric of an open-ended exercise: one row per criterion, with the work that earns 0, 1, and 2 points.

    >>> list(rubric("fool").columns)
    ['criterion', '0 points', '1 point', '2 points']
    """
    import pandas as pd

    criteria = by_name(name).rubric
    if not criteria:
        raise ValueError(f"{name!r} has no rubric, because check({name!r}, …) judges the whole answer")
    columns = ["criterion", "0 points", "1 point", "2 points"]
    return pd.DataFrame([(criterion, *levels) for criterion, levels in criteria.items()], columns=columns)


def objectives(lesson: str | None = None) -> pd.DataFrame:
    """Return a table of the learning objectives and the exercises that practice them, one row per objective."""
    import pandas as pd

    from reanalyses import teaching

    rows = []
    for lesson_name in LESSONS if lesson is None else (lesson,):
        lesson_exercises = [exercise for exercise in exercises() if exercise.lesson == lesson_name]
        if not lesson_exercises:
            raise ValueError(f"lesson is {lesson_name!r}; expected one of {', '.join(LESSONS)}")
        overview = teaching.overview(lesson_name)
        for number, outcome in enumerate(overview.outcomes, start=1):
            practicing = [exercise for exercise in lesson_exercises if number in exercise.objectives]
            rows.append(
                {
                    "lesson": lesson_name,
                    "objective": number,
                    "can": outcome,
                    "exercises": ", ".join(f"{exercise.number} ({exercise.name})" for exercise in practicing),
                    "minutes": sum(overview.exercises[exercise.number - 1][2] for exercise in practicing),
                }
            )
    return pd.DataFrame(rows)
