"""Exams whose numbers come from a seed chosen by the teacher, and whose answers are computed by the package.

Neither the questions nor their answers are on the site. The numbers are drawn as those of a student's variant are, and
common mistakes become the other choices where a platform asks the question.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import combinations
from typing import Any

import numpy as np

from reanalyses import lessons
from reanalyses.course.checking import generator
from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["Drawn", "drawn", "files", "problems"]

Rng = np.random.Generator
#: Minimum difference between two choices; an answer may be off by 0.001.
FAR = 0.004
SECRET = "Whoever knows the seed can compute the answers, so keep it to yourself."


def draw_variances(rng: Rng) -> Data:
    return {"lam": rng.choice(np.arange(1, 12), 3, replace=False)}


def isoscore(lam: Any) -> float:
    from isotropy_lab.isotropy import isoscore_from_eigenvalues

    return isoscore_from_eigenvalues(lam)


def dimensions(lam: Any) -> float:
    return float(lam.sum() ** 2 / (lam**2).sum())


def draw_three(rng: Rng) -> Data:
    return {"X": _vectors(rng, 3)}


def average_cosine(X: Any) -> float:
    from isotropy_lab import isotropy

    return isotropy.average_cosine(X)


def mean_product(X: Any) -> float:
    return float(np.mean([one @ other for one, other in combinations(X, 2)]))


def draw_words(rng: Rng) -> Data:
    w, attributes = _vectors(rng, 1), _vectors(rng, 4)
    attributes[:, 0] = np.abs(attributes[:, 0])  # ensures that no mean is 0
    return {"w": w, "C": attributes[:2], "D": attributes[2:]}


def association(w: Any, C: Any, D: Any) -> float:
    from isotropy_lab.association import word_associations

    return float(word_associations(w, C, D)[0])


def association_of_means(w: Any, C: Any, D: Any) -> float:
    return association(w, C.mean(axis=0, keepdims=True), D.mean(axis=0, keepdims=True))


def draw_associations(rng: Rng) -> Data:
    while True:  # until no two relabelings have the same score
        found = np.round(rng.uniform(-0.3, 0.3, 6) + np.repeat([0.15, 0.0], 3), 2)
        if len({round(sum(part), 2) for part in combinations(found, 3)}) == 20:
            return {"flowers": found[:3], "insects": found[3:]}


def exact_p(flowers: Any, insects: Any) -> float:
    from isotropy_lab.association import weat_permutation_test

    # In the plane, with opposite attributes, a word's association is twice its first coordinate.
    A, B = (np.column_stack([half, np.sqrt(1 - half**2)]) for half in (flowers / 2, insects / 2))
    return float(weat_permutation_test(A, B, [[1.0, 0.0]], [[-1.0, 0.0]]).pvalue)


def draw_line(rng: Rng) -> Data:
    X, Y = (np.cumsum([0, *rng.integers(1, 8, 2)]) for _ in range(2))
    return {"X": X, "Y": Y, "scale": int(rng.integers(2, 5))}


def stress(X: Any, Y: Any, scale: int) -> float:
    from isotropy_lab.projection import normalized_stress

    return normalized_stress(X[:, None], Y[:, None], scale=scale)


def draw_maps(rng: Rng) -> Data:
    return {name: value for name, value in draw_line(rng).items() if name != "scale"}


def best_scale(X: Any, Y: Any) -> float:
    from isotropy_lab.projection import optimal_scale

    return optimal_scale(X[:, None], Y[:, None])


def draw_accuracy(rng: Rng) -> Data:
    n = int(rng.integers(8, 60)) * 10
    return {"n": n, "hits": int(n * rng.uniform(0.6, 0.9))}


def width(n: int, hits: int) -> float:
    from reanalyses.course.retrieval import accuracy_with_intervals

    return accuracy_with_intervals.sample_size_and_width(hits / n, 1.0, n)[1]


def draw_pairs(rng: Rng) -> Data:
    return {
        "n": int(rng.integers(5, 30)) * 10,
        "one": int(rng.integers(7, 13)),
        "two": int(rng.integers(1, 5)),
    }


def paired_p(n: int, one: int, two: int) -> float:
    from isotropy_lab.retrieval import compare_models

    first, second = np.repeat([[1, 2], [2, 1], [1, 1]], [one, two, n - one - two], axis=0).T
    found = compare_models(first, second, k=1, n_resamples=100, rng=0).mcnemar_pvalue
    assert found is not None  # because there are no groups
    return found


def exactly(n: int, one: int, two: int) -> float:
    from scipy import stats

    return float(stats.binom.pmf(one, one + two, 0.5))


def draw_threshold(rng: Rng) -> Data:
    found = np.sort(rng.choice(np.arange(30, 95), 8, replace=False))[::-1] / 100
    return {
        "found": found,
        "right": rng.uniform(size=8) < found,
        "threshold": float(found[rng.integers(3, 6)]),
    }


def accuracy_left(found: Any, right: Any, threshold: float) -> float:
    from isotropy_lab.retrieval import score_at_threshold

    return score_at_threshold(found[:, None], np.where(right, 1, 2), threshold)


def draw_p(rng: Rng) -> Data:
    low, middle, high = rng.uniform(0.001, 0.01), rng.uniform(0.012, 0.04), rng.uniform(0.1, 0.9)
    return {"p": rng.permutation(np.round([low, middle, high], 3))}


def holm_of_the_second(p: Any) -> float:
    from isotropy_lab._core.multiplicity import holm

    return float(np.sort(holm(p))[1])


def draw_blocks(rng: Rng) -> Data:
    n, mean = 10 * rng.integers(2, 9, 2), rng.choice(np.arange(1, 12), 2, replace=False)
    return {"n": n, "mean": mean, "variance": rng.integers(1, 6, 2) ** 2}


def merged_variance(n: Any, mean: Any, variance: Any) -> float:
    from isotropy_lab import moments

    rows = zip(n, mean, np.sqrt(variance), strict=True)
    blocks = [np.repeat([[m - s], [m + s]], count // 2, axis=0) for count, m, s in rows]
    return float(moments(blocks).covariance(ddof=0)[0, 0])


#: How the numbers of each problem are drawn, its solution, and its common mistakes; `exam.toml` has the texts.
MADE: dict[str, tuple[Callable[..., Any], ...]] = {
    "isoscore": (draw_variances, isoscore, lambda lam: dimensions(lam) / 3, dimensions),
    "cosine": (draw_three, average_cosine, lambda X: (1 + 2 * average_cosine(X)) / 3, mean_product),
    "association": (draw_words, association, association_of_means, lambda w, C, D: association(w, D, C)),
    "relabel": (
        draw_associations,
        exact_p,
        lambda **data: exact_p(**data) - 0.05,
        lambda **data: min(1.0, 2 * exact_p(**data)),
        lambda **data: 1.05 - exact_p(**data),
    ),
    "stress": (
        draw_line,
        stress,
        lambda X, Y, scale: stress(X, Y, 1),
        lambda X, Y, scale: stress(X, Y, scale) ** 2,
    ),
    "scale": (draw_maps, best_scale, lambda X, Y: best_scale(Y, X), lambda X, Y: X[-1] / Y[-1]),
    "width": (
        draw_accuracy,
        width,
        lambda n, hits: width(n, hits) / 2,
        lambda n, hits: width(n, hits) * n**0.5,
    ),
    "pairs": (draw_pairs, paired_p, lambda **data: paired_p(**data) / 2, exactly),
    "threshold": (
        draw_threshold,
        accuracy_left,
        lambda found, right, threshold: right[found >= threshold].mean(),
        lambda found, right, threshold: right.mean(),
    ),
    "holm": (draw_p, holm_of_the_second, lambda p: 3 * np.sort(p)[1], lambda p: np.sort(p)[1]),
    "blocks": (
        draw_blocks,
        merged_variance,
        lambda n, mean, variance: np.average(variance, weights=n),
        lambda n, mean, variance: np.mean(variance),
    ),
}


def problems() -> Iterator[Exercise]:
    """Yield the problems of the question bank; `asks` is the text of a problem, with placeholders for its data."""
    texts = tomllib.loads(resources.files(__package__).joinpath("exam.toml").read_text(encoding="utf-8"))
    for name, told in texts.items():
        draw, solution, *mistakes = MADE[name]
        slips = tuple(Slip(*pair) for pair in zip(mistakes, told["mistakes"], strict=True))
        asked = " ".join(told["asked"].split())
        yield Exercise(name, 0, (), asked, draw, solution, slips=slips, lesson=told["lesson"])


@dataclass(frozen=True)
class Drawn:
    """An exam problem whose numbers were drawn with one seed."""

    problem: Exercise
    data: Data
    text: str
    choices: tuple[str, ...]  #: Correct answer, followed by the answers that result from common mistakes.


def _drawn(problem: Exercise, seed: int) -> Drawn:
    assert problem.solution is not None
    rng = generator(f"exam {problem.name}", str(seed))
    while True:  # until all choices clearly differ
        data = problem.draw(rng)
        values = [problem.solution(**data), *(slip.mistake(**data) for slip in problem.slips)]
        if np.diff(np.sort(values)).min() > FAR:
            choices = tuple(f"{value:.3f}".replace("-", "−") for value in values)
            text = problem.asks.format(**{name: _words(value) for name, value in data.items()})
            return Drawn(problem, data, text, choices)


def drawn(seed: int) -> tuple[Drawn, ...]:
    """Return all problems with the numbers of a seed; the same seed gives the same exam."""
    return tuple(_drawn(problem, seed) for problem in problems())


def files(seed: int) -> Iterator[tuple[str, str | bytes]]:
    """Yield the names and contents of the files of an exam: for students, and with the answers for the teacher."""
    from reanalyses.course import quizzes
    from reanalyses.course.kit import notebooks

    found = drawn(seed)
    head = f"# Exam\n\n{len(found)} questions, one point each, {5 * len(found)} minutes. Round each answer to three decimals."
    asked = [f"**Question {i}.** {one.text}" for i, one in enumerate(found, 1)]
    yield "student/exam.md", "\n\n".join([head, "Name:", *(f"{text}\n\nAnswer:" for text in asked), ""])
    cells = [notebooks._text_cell("head", head)]
    for i, text in enumerate(asked, 1):
        cells += [notebooks._text_cell(f"q{i}", text), notebooks._code_cell(f"a{i}", f"answer_{i} = ...")]
    yield "student/exam.ipynb", notebooks.notebook_text(notebooks._notebook(cells))
    told = [f"# Answers\n\nSeed: {seed}. {SECRET} An answer that is off by 0.001 is right, too."]
    questions = []
    for one, text in zip(found, asked, strict=True):
        page, said = one.problem.lesson, [slip.message for slip in one.problem.slips]
        title = lessons.read(page).title
        told.append(f"{text}\n\nAnswer: **{one.choices[0]}** (lesson *{title}*)")
        told.append("\n".join(map("- {}: {}".format, one.choices[1:], said)))
        rows = zip(one.choices, ["Right.", *(f"No. {words}" for words in said)], strict=True)
        choices, feedback = zip(*sorted(rows, key=lambda row: float(row[0].replace("−", "-"))), strict=True)
        name, right = f"exam-{one.problem.name}", choices.index(one.choices[0])
        questions.append(quizzes.Question(page, title, "Exam", name, one.text, choices, feedback, right))
    yield "instructor/answers.md", "\n\n".join([*told, ""])
    yield f"instructor/{quizzes.MOODLE}", quizzes.moodle_xml(questions)
    yield f"instructor/{quizzes.QTI}", quizzes.qti(questions)


def _vectors(rng: Rng, n: int) -> Any:
    """Return n vectors in the plane with small nonzero integer coordinates."""
    return rng.integers(1, 6, (n, 2)) * rng.choice([-1, 1], (n, 2))


def _words(value: Any) -> str:
    """Return a number, a vector, or a list of numbers or vectors as text for a sentence."""
    if np.ndim(value) == 0:
        return "right" if value is True else "wrong" if value is False else f"{value:g}".replace("-", "−")
    each = [
        _words(one) if np.ndim(one) == 0 else f"({', '.join(map(_words, one))})" for one in value.tolist()
    ]
    last = each.pop()
    return f"{', '.join(each)}{',' * (len(each) > 1)} and {last}" if each else last
