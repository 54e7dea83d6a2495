"""Tests that exercises accept correct answers of every student, reject wrong ones, and reveal no solution."""

import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reanalyses import lessons
from reanalyses.course import answers, check, checking, exercises, objectives, variant
from reanalyses.course.exercise import Exercise, Wrong
from reanalyses.course.plan import LESSONS, by_name

from .criteria import CRITERIA
from .mutation import mutants
from .solutions import SOLUTIONS

EXERCISES = exercises()
#: Students whose data are tried.
STUDENTS = (checking.EXTRA_STUDENTS[0], "ada", "李明")


def for_each(chosen: tuple[Exercise, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("exercise", chosen, ids=[exercise.name for exercise in chosen])


def apply_to_data(function: Callable[..., Any], exercise: Exercise, student: str) -> Any:
    with np.errstate(all="ignore"):
        return function(**checking._data(exercise.name, student))


def answers_equal(first: Any, second: Any) -> bool:
    first, second = (list(x.values()) if isinstance(x, dict) else x for x in (first, second))
    if isinstance(first, (tuple, list)) and isinstance(second, (tuple, list)):
        return len(first) == len(second) and all(map(answers_equal, first, second))
    try:
        return np.shape(first) == np.shape(second) and bool(np.allclose(first, second, rtol=2e-5, atol=1e-12))
    except TypeError:  # text
        return np.array_equal(first, second)


def message_for(exercise: Exercise, answer: Any, student: str) -> str:
    """Return the message for a wrong answer, and an empty text for a correct one."""
    try:
        checking._judge(exercise, answer, student)
    except Wrong as wrong:
        return str(wrong)
    return ""


def fits_criterion(exercise: Exercise, answer: Any, student: str) -> bool:
    """Return whether an answer satisfies the second criterion, which may fail with an error."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return bool(CRITERIA[exercise.name](answer, **checking._data(exercise.name, student)))
    except Exception:
        return False


def test_exercises_have_unique_names_and_consecutive_numbers() -> None:
    assert len({exercise.name for exercise in EXERCISES}) == len(EXERCISES)
    for lesson in LESSONS:
        numbers = [exercise.number for exercise in EXERCISES if exercise.lesson == lesson]
        assert numbers == list(range(1, lessons.read(lesson).exercises + 1)), lesson


@for_each(EXERCISES)
def test_lesson_contains_exercise_and_starter_cell(exercise: Exercise) -> None:
    text = (lessons.BOOK / f"{exercise.lesson}.ipynb").read_text(encoding="utf-8")
    titles = re.findall(r"\{admonition\} Exercise (\d+) \([\w-]+, \d+ minutes\): ", text)
    assert str(exercise.number) in titles
    assert f'check(\\"{exercise.name}\\", ...)' in text, "its starter cell does not ask for it"


def test_every_objective_has_an_exercise() -> None:
    table = objectives()
    assert table[table["exercises"] == ""].to_dict("records") == []
    n_outcomes = {lesson: int((table["lesson"] == lesson).sum()) for lesson in LESSONS}
    for exercise in EXERCISES:
        assert exercise.objectives
        assert set(exercise.objectives) <= set(range(1, n_outcomes[exercise.lesson] + 1)), exercise.name


@for_each(EXERCISES)
def test_solutions_are_accepted_for_every_student(
    exercise: Exercise, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(SOLUTIONS[exercise.name]) == (3 if exercise.judge else 2)
    for solution in SOLUTIONS[exercise.name]:
        for student in STUDENTS:
            answer = apply_to_data(solution, exercise, student)
            assert check(exercise.name, answer, student=student), (solution.__name__, student)
            assert exercise.judge is None or fits_criterion(exercise, answer, student), solution.__name__
        assert check(exercise.name, solution), solution.__name__
    assert "✗" not in capsys.readouterr().out


def test_every_judged_exercise_has_a_criterion() -> None:
    assert set(CRITERIA) == {exercise.name for exercise in EXERCISES if exercise.judge}


def test_lessons_match_the_table_of_contents() -> None:
    contents = (lessons.BOOK.parent / "_toc.yml").read_text(encoding="utf-8")
    pages = re.findall(r"- file: (\S+)", contents)
    kinds = {page: lessons.read(page).kind for page in pages if (lessons.BOOK / f"{page}.ipynb").is_file()}
    assert list(LESSONS) == [page for page, kind in kinds.items() if kind == "lesson"]


#: Exercises whose lesson data take seconds to make.
SLOW = {"islands", "gained", "modules"}


@for_each(tuple(exercise for exercise in EXERCISES if exercise.lesson_data and exercise.name not in SLOW))
def test_solutions_are_accepted_on_lesson_data(exercise: Exercise) -> None:
    right = SOLUTIONS[exercise.name][0](**checking._data(exercise.name, None))
    assert check(exercise.name, right)
    if exercise.decimals:
        parts = zip(right if len(exercise.parts) > 1 else [right], exercise.decimals, strict=True)
        rounded = [np.round(part, n) if n < 9 else part for part, n in parts]
        result = check(exercise.name, rounded)  # "claim": a mistake gives the same rounded numbers
        assert result if exercise.name != "claim" else "Hand in more decimals" in result.message
        for i, n in enumerate(exercise.decimals):
            wrong = rounded[i] + np.maximum(10.0**-n, 2 * exercise.rtol * np.abs(rounded[i]))
            assert not check(exercise.name, [*rounded[:i], wrong, *rounded[i + 1 :]]), i
    if exercise.name == "turned":
        assert check("turned", (*right[:2], np.round(right[2], 2)))
        assert not check("turned", (*right[:2], np.round(right[2], 2) + 0.01))


def test_degenerate_answers_are_wrong_without_traceback() -> None:
    data = checking._data("needle", "ada")
    points = next(value for value in data.values() if getattr(value, "ndim", 0) == 2)
    for name, answer in (
        ("half", 1e200),
        ("needle", points - points[0]),
        ("rotation", lambda asked, target, pull: np.zeros((asked.shape[1],) * 2)),
    ):
        assert not check(name, answer, student="Ada"), name


@for_each(EXERCISES)
def test_changed_solutions_are_rejected(exercise: Exercise) -> None:
    """At least 95% of the small changes that change the answer are rejected.

    Where many answers are right, a changed one may be right as well; the independent rule in `criteria.py` decides.
    """
    n_wrong, missed, unchanged, also_right, refused = 0, [], [], [], []
    expected: dict[Callable[..., Any], list[Any]] = {}
    for solution, (description, mutant) in (
        (function, mutant) for function in SOLUTIONS[exercise.name] for mutant in mutants(function)
    ):
        if n_wrong >= 3 and solution is not SOLUTIONS[exercise.name][0]:
            break  # the others only if the first gives too few wrong answers
        if solution not in expected:
            expected[solution] = [apply_to_data(solution, exercise, student) for student in STUDENTS]
        try:
            with warnings.catch_warnings(action="ignore"):
                changed = [apply_to_data(mutant, exercise, student) for student in STUDENTS]
        except Exception:
            assert not check(exercise.name, mutant), description
            n_wrong += 1
            continue
        if all(map(answers_equal, changed, expected[solution])):
            unchanged.append(description)
            continue
        passed = not any(message_for(exercise, a, s) for a, s in zip(changed, STUDENTS, strict=True))
        if exercise.judge:
            holds = all(fits_criterion(exercise, a, s) for a, s in zip(changed, STUDENTS, strict=True))
            assert passed <= holds, f"accepted, and against the rule: {description}"
            if holds:
                (also_right if passed else refused).append(description)
                continue
        n_wrong += 1
        if passed:
            missed.append(description)
    print(
        f"{exercise.name}: {n_wrong} wrong, missed {missed}; unchanged {unchanged}; also right {also_right}; refused {refused}"
    )
    assert n_wrong >= 3, "too few changes for a conclusion"
    assert len(missed) <= 0.05 * n_wrong, missed
    # The rule is simpler: it accepts a table with an infinite number, and a projection exactly at the bound.
    assert len(refused) <= 1, f"right by the rule, and refused: {refused}"


@for_each(EXERCISES)
def test_each_common_mistake_has_a_message(exercise: Exercise, capsys: pytest.CaptureFixture[str]) -> None:
    for slip in exercise.slips:
        for student in STUDENTS:
            answer = apply_to_data(slip.mistake, exercise, student)
            result = check(exercise.name, answer, student=student)
            assert not result.passed
            # Two mistakes may give the same number for a student; the message is that of one of them.
            messages = [
                other.message
                for other in exercise.slips
                if answers.is_equal(exercise, answer, apply_to_data(other.mistake, exercise, student))
            ]
            assert result.message.endswith(tuple(messages)), slip.mistake.__name__
    capsys.readouterr()


def reveals(message: str, value: float) -> bool:
    """Return whether a number in a text equals a value, rounded to the digits shown."""
    for text in re.findall(r"-?\d+\.?\d*(?:e[-+]\d+)?", message):
        digits = len(text.partition(".")[2])
        if digits >= 2 and abs(float(text) - value) <= 0.6 * 10.0**-digits:
            return True
        if digits == 0 and abs(value) >= 20 and float(text) == value:
            return True
    return False


@for_each(EXERCISES)
def test_messages_do_not_reveal_the_answer(exercise: Exercise) -> None:
    """Messages for wrong answers contain only numbers that were handed in or that the exercise itself names."""
    for student in STUDENTS[:2]:
        right = apply_to_data(SOLUTIONS[exercise.name][0], exercise, student)
        if isinstance(right, (set, frozenset)) or (
            isinstance(right, tuple) and any(isinstance(part, dict) for part in right)
        ):
            continue  # names: `test_comparison_errors_name_what_is_wrong`; a table of data
        parts = right if isinstance(right, tuple) else (right,)
        values = np.concatenate([np.ravel(part) for part in parts])
        if len(values) > 10:
            continue  # a table: no message prints its numbers
        named = {
            float(value) for value in checking._data(exercise.name, student).values() if np.isscalar(value)
        }
        wrong_answers = [
            tuple(np.multiply(part, factor) for part in right)
            if isinstance(right, tuple)
            else np.multiply(right, factor)
            for factor in (0.5, 0.97, 0.9999, 1.002, 1.03, 2.0, -1.0)
        ]
        wrong_answers += [apply_to_data(slip.mistake, exercise, student) for slip in exercise.slips]
        for message in (message_for(exercise, wrong, student) for wrong in wrong_answers):
            for value in map(float, values):
                assert value in named or not reveals(message, value), (message, value)


INVALID_ANSWERS = {
    "None": None,
    "text": "one and a half",
    "NaN": float("nan"),
    "infinity": float("inf"),
    "complex": 1j,
    "a wrong shape": np.zeros((3, 1, 2)),
    "nothing": [],
    "a ragged list": [[1], [2, 3]],
    "an object": object(),
    "a mapping": {"x": 1},
    "a function without arguments": lambda: 1,
    "a function that stops": lambda *given: 1 / 0,
    "a function that returns nothing": lambda *given: None,
    "a class": dict,
}


@for_each(EXERCISES)
def test_invalid_answers_get_a_message_without_traceback(
    exercise: Exercise, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, answer in INVALID_ANSWERS.items():
        result = check(exercise.name, answer, student="Ada")
        assert not result.passed, name
        assert capsys.readouterr().out == f"{result.message}\n"
        assert re.fullmatch(rf"✗ {exercise.name}: not right: \S.{{15,}}[.?!…)]", result.message), (
            name,
            result.message,
        )


@for_each(EXERCISES)
def test_variants_differ_between_students_and_repeat(exercise: Exercise) -> None:
    first, repeated, other = (variant(exercise.name, student=name) for name in ("Ada", " ADA", "Grace"))
    assert all(answers_equal(first[key], repeated[key]) for key in first)
    assert not all(answers_equal(first[key], other[key]) for key in first)
    assert exercise.name in repr(first)


def test_comparison_errors_name_what_is_wrong() -> None:
    with pytest.raises(Wrong, match="has 3 parts"):
        answers.split_parts((1, 2, 3), ("low", "high"))
    with pytest.raises(Wrong, match="no 'high'"):
        answers.split_parts({"low": 1}, ("low", "high"))
    exercise = Exercise("w", 1, (1,), "names", dict, parts=("set",))  # type: ignore[arg-type]
    for given, expected in (
        ("abc", "not a list of names"),
        (["a", "x"], "1 of the 2 names"),
        (["a"], "not complete"),
    ):
        with pytest.raises(Wrong, match=expected) as error:
            answers.compare(exercise, given, {"a", "b"})
        assert "'b'" not in str(error.value)
    assert answers.is_equal(exercise, np.array(["b", "a"]), {"a", "b"})


def test_rounded_answers_get_a_specific_message() -> None:
    exercise = Exercise("n", 1, (1,), "a number", dict, rtol=1e-3)  # type: ignore[arg-type]
    for given, right, expected in (
        (71, 70.6, "right as a whole number"),
        (-71, -70.6, "right as a whole number"),
        (70, 70.6, "close"),
        (1, 0.9, "too large"),
        (0, 0.2, "too small"),
    ):
        with pytest.raises(Wrong, match=expected):
            answers.compare(exercise, given, right)


def test_check_imports_no_heavy_package() -> None:
    program = "import sys; from reanalyses.course import check; check('half', 2.0); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"pandas", "matplotlib", "sklearn", "scipy", "statsmodels", "numba"} & set(run.stdout.split())


def test_answer_function_cannot_modify_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    def cheat(lam: Any) -> Any:
        answer = (lam.sum() ** 2 / (lam**2).sum(), 1.0)
        lam[:] = 1
        return answer

    assert not check("used", cheat)
    assert not check("used", cheat)
    assert check("used", SOLUTIONS["used"][0])
    capsys.readouterr()


def test_constant_similarities_do_not_preserve_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    def cheat(Q: Any, D: Any, noise: Any, at_least: float) -> Any:
        unit = np.eye(noise.shape[1] + 1)[-1]
        return np.tile(unit, (len(Q), 1)), np.pad(noise, ((0, 0), (0, 1)))

    assert not check("free", cheat)
    capsys.readouterr()


def test_a_pool_of_rows_with_fewer_digits_is_accepted() -> None:
    space = checking._data("pool", None)["space"]
    checking._judge(by_name("pool"), space[:400].astype(np.float16), None)


def test_starter_computation_of_bounded_is_accepted() -> None:
    wines = checking._data("bounded", None)
    right = SOLUTIONS["bounded"][0](**{**wines, "shrink": 100.0})  # the starter shrinks by 100
    assert right[0] > right[1]
    checking._judge(by_name("bounded"), right, None)
