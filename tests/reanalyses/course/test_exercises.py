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
#: Whose data are tried.
STUDENTS = (checking.EXTRA_STUDENTS[0], "ada", "李明")


def each(found: tuple[Exercise, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("exercise", found, ids=[exercise.name for exercise in found])


def answered(function: Callable[..., Any], exercise: Exercise, student: str) -> Any:
    with np.errstate(all="ignore"):
        return function(**checking._data(exercise.name, student))


def equal(one: Any, other: Any) -> bool:
    one, other = (list(each.values()) if isinstance(each, dict) else each for each in (one, other))
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(equal, one, other))
    try:
        return np.shape(one) == np.shape(other) and bool(np.allclose(one, other, rtol=2e-5, atol=1e-12))
    except TypeError:  # text
        return np.array_equal(one, other)


def said_to(exercise: Exercise, answer: Any, student: str) -> str:
    """Return what is said to a wrong answer, and an empty text to a right one."""
    try:
        checking._judge(exercise, answer, student)
    except Wrong as wrong:
        return str(wrong)
    return ""


def by_rule(exercise: Exercise, answer: Any, student: str) -> bool:
    """Return whether an answer satisfies the second criterion, which may fail with an error."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return bool(CRITERIA[exercise.name](answer, **checking._data(exercise.name, student)))
    except Exception:
        return False


def test_names_are_their_own_and_numbers_count_up() -> None:
    assert len({exercise.name for exercise in EXERCISES}) == len(EXERCISES)
    for lesson in LESSONS:
        numbers = [exercise.number for exercise in EXERCISES if exercise.lesson == lesson]
        assert numbers == list(range(1, lessons.read(lesson).exercises + 1)), lesson


@each(EXERCISES)
def test_it_is_the_exercise_of_the_lesson(exercise: Exercise) -> None:
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


@each(EXERCISES)
def test_solutions_are_accepted_for_every_student(
    exercise: Exercise, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(SOLUTIONS[exercise.name]) == (3 if exercise.judge else 2)
    for solution in SOLUTIONS[exercise.name]:
        for student in STUDENTS:
            given = answered(solution, exercise, student)
            assert check(exercise.name, given, student=student), (solution.__name__, student)
            assert exercise.judge is None or by_rule(exercise, given, student), solution.__name__
        assert check(exercise.name, solution), solution.__name__
    assert "✗" not in capsys.readouterr().out


def test_every_exercise_with_many_right_answers_has_a_second_rule() -> None:
    assert set(CRITERIA) == {exercise.name for exercise in EXERCISES if exercise.judge}


def test_lessons_are_all_of_them_in_order() -> None:
    contents = (lessons.BOOK.parent / "_toc.yml").read_text(encoding="utf-8")
    pages = re.findall(r"- file: (\S+)", contents)
    kinds = {page: lessons.read(page).kind for page in pages if (lessons.BOOK / f"{page}.ipynb").is_file()}
    assert list(LESSONS) == [page for page, kind in kinds.items() if kind == "lesson"]


#: Whose lesson's own data take seconds to make.
SLOW = {"islands", "gained", "modules"}


@each(tuple(exercise for exercise in EXERCISES if exercise.lesson_data and exercise.name not in SLOW))
def test_solutions_are_accepted_on_the_lesson_s_own_data(exercise: Exercise) -> None:
    right = SOLUTIONS[exercise.name][0](**checking._data(exercise.name, None))
    assert check(exercise.name, right)
    if exercise.decimals:
        parts = zip(right if len(exercise.parts) > 1 else [right], exercise.decimals, strict=True)
        shown = [np.round(one, n) if n < 9 else one for one, n in parts]
        found = check(exercise.name, shown)  # "claim": a mistake gives the same rounded numbers
        assert found if exercise.name != "claim" else "Hand in more decimals" in found.message
        for i, n in enumerate(exercise.decimals):
            wrong = shown[i] + np.maximum(10.0**-n, 2 * exercise.rtol * np.abs(shown[i]))
            assert not check(exercise.name, [*shown[:i], wrong, *shown[i + 1 :]]), i
    if exercise.name == "turned":
        assert check("turned", (*right[:2], round(right[2], 2), np.round(right[3], 2)))
        assert not check("turned", (*right[:3], np.round(right[3], 2) + 0.01))


def test_what_cannot_be_measured_is_wrong_and_no_traceback() -> None:
    given = checking._data("needle", "ada")
    points = next(value for value in given.values() if getattr(value, "ndim", 0) == 2)
    for name, answer in (
        ("half", 1e200),
        ("needle", points - points[0]),
        ("rotation", lambda asked, target, pull: np.zeros((asked.shape[1],) * 2)),
    ):
        assert not check(name, answer, student="Ada"), name


@each(EXERCISES)
def test_changed_solutions_are_rejected(exercise: Exercise) -> None:
    """At least 95 of 100 small changes that change the answer are noticed.

    Where many answers are right, a changed one may be right as well: a second, plain rule decides, in `criteria.py`.
    """
    wrong, missed, same, other_right, refused = 0, [], [], [], []
    expected: dict[Callable[..., Any], list[Any]] = {}
    for solution, (told, mutant) in (
        (one, mutant) for one in SOLUTIONS[exercise.name] for mutant in mutants(one)
    ):
        if wrong >= 3 and solution is not SOLUTIONS[exercise.name][0]:
            break  # the others only where the first is too short, or hard to spoil
        if solution not in expected:
            expected[solution] = [answered(solution, exercise, student) for student in STUDENTS]
        try:
            with warnings.catch_warnings(action="ignore"):
                found = [answered(mutant, exercise, student) for student in STUDENTS]
        except Exception:
            assert not check(exercise.name, mutant), told
            wrong += 1
            continue
        if all(map(equal, found, expected[solution])):
            same.append(told)
            continue
        passed = not any(said_to(exercise, one, who) for one, who in zip(found, STUDENTS, strict=True))
        if exercise.judge:
            holds = all(by_rule(exercise, one, who) for one, who in zip(found, STUDENTS, strict=True))
            assert passed <= holds, f"accepted, and against the rule: {told}"
            if holds:
                (other_right if passed else refused).append(told)
                continue
        wrong += 1
        if passed:
            missed.append(told)
    print(
        f"{exercise.name}: {wrong} wrong, missed {missed}; the same answer {same}; also right {other_right}; refused {refused}"
    )
    assert wrong >= 3, "too few changes to say anything"
    assert len(missed) <= 0.05 * wrong, missed
    # The rule is the plainer one: it takes a table with an infinite number, and a drawing at the very bound.
    assert len(refused) <= 1, f"right by the rule, and refused: {refused}"


@each(EXERCISES)
def test_common_mistakes_get_their_own_words(exercise: Exercise, capsys: pytest.CaptureFixture[str]) -> None:
    for slip in exercise.slips:
        for student in STUDENTS:
            given = answered(slip.mistake, exercise, student)
            result = check(exercise.name, given, student=student)
            assert not result.passed
            # Two mistakes may give the same number to a student: the words are those of one of them.
            words = [
                other.message
                for other in exercise.slips
                if answers.is_equal(exercise, given, answered(other.mistake, exercise, student))
            ]
            assert result.message.endswith(tuple(words)), slip.mistake.__name__
    capsys.readouterr()


def gives_away(message: str, value: float) -> bool:
    """Return whether a number in a text equals a value, written as a person would."""
    for text in re.findall(r"-?\d+\.?\d*(?:e[-+]\d+)?", message):
        digits = len(text.partition(".")[2])
        if digits >= 2 and abs(float(text) - value) <= 0.6 * 10.0**-digits:
            return True
        if digits == 0 and abs(value) >= 20 and float(text) == value:
            return True
    return False


@each(EXERCISES)
def test_no_message_has_the_answer(exercise: Exercise) -> None:
    """Numbers in what is said to wrong answers are those that were handed in, or that the exercise itself names."""
    for student in STUDENTS[:2]:
        right = answered(SOLUTIONS[exercise.name][0], exercise, student)
        if isinstance(right, (set, frozenset)) or (
            isinstance(right, tuple) and any(isinstance(part, dict) for part in right)
        ):
            continue  # names: `test_answers_are_compared_in_words`; a table of data
        parts = right if isinstance(right, tuple) else (right,)
        values = np.concatenate([np.ravel(part) for part in parts])
        if len(values) > 10:
            continue  # a table: no message prints its numbers
        named = {
            float(value) for value in checking._data(exercise.name, student).values() if np.isscalar(value)
        }
        given = [
            tuple(np.multiply(part, factor) for part in right)
            if isinstance(right, tuple)
            else np.multiply(right, factor)
            for factor in (0.5, 0.97, 0.9999, 1.002, 1.03, 2.0, -1.0)
        ]
        given += [answered(slip.mistake, exercise, student) for slip in exercise.slips]
        for message in (said_to(exercise, one, student) for one in given):
            for value in map(float, values):
                assert value in named or not gives_away(message, value), (message, value)


BAD = {
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


@each(EXERCISES)
def test_bad_answers_get_words_and_no_traceback(
    exercise: Exercise, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, bad in BAD.items():
        result = check(exercise.name, bad, student="Ada")
        assert not result.passed, name
        assert capsys.readouterr().out == f"{result.message}\n"
        assert re.fullmatch(rf"✗ {exercise.name}: not right: \S.{{15,}}[.?!…)]", result.message), (
            name,
            result.message,
        )


@each(EXERCISES)
def test_students_have_data_of_their_own_and_keep_them(exercise: Exercise) -> None:
    one, again, other = (variant(exercise.name, student=who) for who in ("Ada", " ADA", "Grace"))
    assert all(equal(one[key], again[key]) for key in one)
    assert not all(equal(one[key], other[key]) for key in one)
    assert exercise.name in repr(one)


def test_answers_are_compared_in_words() -> None:
    with pytest.raises(Wrong, match="has 3 parts"):
        answers.split_parts((1, 2, 3), ("low", "high"))
    with pytest.raises(Wrong, match="no 'high'"):
        answers.split_parts({"low": 1}, ("low", "high"))
    words = Exercise("w", 1, (1,), "names", dict, parts=("set",))  # type: ignore[arg-type]
    for given, expected in (
        ("abc", "not a list of names"),
        (["a", "x"], "1 of the 2 names"),
        (["a"], "not complete"),
    ):
        with pytest.raises(Wrong, match=expected) as found:
            answers.compare(words, given, {"a", "b"})
        assert "'b'" not in str(found.value)
    assert answers.is_equal(words, np.array(["b", "a"]), {"a", "b"})


def test_a_rounded_number_is_told_so_where_it_is_near_the_right_one() -> None:
    one = Exercise("n", 1, (1,), "a number", dict, rtol=1e-3)  # type: ignore[arg-type]
    for given, right, expected in (
        (71, 70.6, "right as a whole number"),
        (-71, -70.6, "right as a whole number"),
        (70, 70.6, "close"),
        (1, 0.9, "too large"),
        (0, 0.2, "too small"),
    ):
        with pytest.raises(Wrong, match=expected):
            answers.compare(one, given, right)


def test_a_lesson_loads_nothing_heavy() -> None:
    program = "import sys; from reanalyses.course import check; check('half', 2.0); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"pandas", "matplotlib", "sklearn", "scipy", "statsmodels", "numba"} & set(run.stdout.split())


def test_a_function_cannot_change_what_it_is_judged_by(capsys: pytest.CaptureFixture[str]) -> None:
    def cheat(lam: Any) -> Any:
        found = (lam.sum() ** 2 / (lam**2).sum(), 1.0)
        lam[:] = 1
        return found

    assert not check("used", cheat)
    assert not check("used", cheat)
    assert check("used", SOLUTIONS["used"][0])
    capsys.readouterr()


def test_constant_cosines_keep_no_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    def cheat(Q: Any, D: Any, noise: Any, at_least: float) -> Any:
        unit = np.eye(noise.shape[1] + 1)[-1]
        return np.tile(unit, (len(Q), 1)), np.pad(noise, ((0, 0), (0, 1)))

    assert not check("free", cheat)
    capsys.readouterr()


def test_a_pool_of_rows_with_fewer_digits_is_accepted() -> None:
    space = checking._data("pool", None)["space"]
    checking._judge(by_name("pool"), space[:400].astype(np.float16), None)


def test_what_the_starter_of_the_bounded_search_computes_is_accepted() -> None:
    wines = checking._data("bounded", None)
    right = SOLUTIONS["bounded"][0](**{**wines, "shrink": 100.0})  # the starter shrinks by 100
    assert right[0] > right[1]
    checking._judge(by_name("bounded"), right, None)
