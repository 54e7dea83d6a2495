"""Exams whose numbers come from a seed chosen by the teacher, and whose answers are computed by the package.

Neither the questions nor their answers are on the site. The numbers are drawn in the same way as a student's variant,
and common mistakes become the other choices on learning platforms.
"""

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

__all__ = ["DrawnProblem", "draw_problems", "files", "problems"]

Rng = np.random.Generator
#: Minimum difference between two choices, since an answer may be off by 0.001.
MIN_CHOICE_DIFFERENCE = 0.004
SEED_WARNING = "Whoever knows the seed can compute the answers, so keep it to yourself."


def draw_variances(rng: Rng) -> Data:
    return {"lam": rng.choice(np.arange(1, 12), 3, replace=False)}


def isoscore(lam: Any) -> float:
    from isotropy_lab.isotropy import isoscore_from_eigenvalues

    return isoscore_from_eigenvalues(lam)


def dimensions_used(lam: Any) -> float:
    return float(lam.sum() ** 2 / (lam**2).sum())


def draw_vectors(rng: Rng) -> Data:
    return {"X": _vectors(rng, 3)}


def average_cosine(X: Any) -> float:
    from isotropy_lab import isotropy

    return isotropy.average_cosine(X)


def mean_inner_product(X: Any) -> float:
    return float(np.mean([x @ y for x, y in combinations(X, 2)]))


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
        associations = np.round(rng.uniform(-0.3, 0.3, 6) + np.repeat([0.15, 0.0], 3), 2)
        if len({round(sum(group), 2) for group in combinations(associations, 3)}) == 20:
            return {"flowers": associations[:3], "insects": associations[3:]}


def exact_pvalue(flowers: Any, insects: Any) -> float:
    from isotropy_lab.association import weat_permutation_test

    # In the plane, with opposite attributes, a word's association is twice its first coordinate.
    A, B = (np.column_stack([values, np.sqrt(1 - values**2)]) for values in (flowers / 2, insects / 2))
    return float(weat_permutation_test(A, B, [[1.0, 0.0]], [[-1.0, 0.0]]).pvalue)


def draw_line(rng: Rng) -> Data:
    X, Y = (np.cumsum([0, *rng.integers(1, 8, 2)]) for _ in range(2))
    return {"X": X, "Y": Y, "scale": int(rng.integers(2, 5))}


def stress(X: Any, Y: Any, scale: int) -> float:
    from isotropy_lab.projection import normalized_stress

    return normalized_stress(X[:, None], Y[:, None], scale=scale)


def draw_lines(rng: Rng) -> Data:
    return {name: value for name, value in draw_line(rng).items() if name != "scale"}


def best_scale(X: Any, Y: Any) -> float:
    from isotropy_lab.projection import optimal_scale

    return optimal_scale(X[:, None], Y[:, None])


def draw_accuracy(rng: Rng) -> Data:
    n = int(rng.integers(8, 60)) * 10
    return {"n": n, "hits": int(n * rng.uniform(0.6, 0.9))}


def interval_width(n: int, hits: int) -> float:
    from reanalyses.course.retrieval import accuracy_with_intervals

    return accuracy_with_intervals.sample_size_and_width(hits / n, 1.0, n)[1]


def draw_pairs(rng: Rng) -> Data:
    return {
        "n": int(rng.integers(5, 30)) * 10,
        "n_first": int(rng.integers(7, 13)),
        "n_second": int(rng.integers(1, 5)),
    }


def paired_pvalue(n: int, n_first: int, n_second: int) -> float:
    from isotropy_lab.retrieval import compare_models

    counts = [n_first, n_second, n - n_first - n_second]
    first_ranks, second_ranks = np.repeat([[1, 2], [2, 1], [1, 1]], counts, axis=0).T
    return compare_models(first_ranks, second_ranks, k=1).pvalue


def binomial_probability(n: int, n_first: int, n_second: int) -> float:
    from scipy import stats

    return float(stats.binom.pmf(n_first, n_first + n_second, 0.5))


def draw_threshold(rng: Rng) -> Data:
    similarities = np.sort(rng.choice(np.arange(30, 95), 8, replace=False))[::-1] / 100
    return {
        "similarities": similarities,
        "is_relevant": rng.uniform(size=8) < similarities,
        "threshold": float(similarities[rng.integers(3, 6)]),
    }


def accuracy_at_threshold(similarities: Any, is_relevant: Any, threshold: float) -> float:
    from isotropy_lab.retrieval import score_at_threshold

    return score_at_threshold(similarities[:, None], np.where(is_relevant, 1, 2), threshold)


def draw_pvalues(rng: Rng) -> Data:
    low, middle, high = rng.uniform(0.001, 0.01), rng.uniform(0.012, 0.04), rng.uniform(0.1, 0.9)
    return {"p": rng.permutation(np.round([low, middle, high], 3))}


def second_holm_pvalue(p: Any) -> float:
    from isotropy_lab._core.multiplicity import holm

    return float(np.sort(holm(p))[1])


def draw_blocks(rng: Rng) -> Data:
    n, mean = 10 * rng.integers(2, 9, 2), rng.choice(np.arange(1, 12), 2, replace=False)
    return {"n": n, "mean": mean, "variance": rng.integers(1, 6, 2) ** 2}


def merged_variance(n: Any, mean: Any, variance: Any) -> float:
    from isotropy_lab import moments

    rows = zip(n, mean, np.sqrt(variance), strict=True)
    blocks = [np.repeat([[center - std], [center + std]], count // 2, axis=0) for count, center, std in rows]
    return float(moments(blocks).covariance(ddof=0)[0, 0])


#: For each problem, the function that draws its data, its solution, and its common mistakes; `exam.toml` has the texts.
PROBLEM_FUNCTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "isoscore": (draw_variances, isoscore, lambda lam: dimensions_used(lam) / 3, dimensions_used),
    "cosine": (draw_vectors, average_cosine, lambda X: (1 + 2 * average_cosine(X)) / 3, mean_inner_product),
    "association": (draw_words, association, association_of_means, lambda w, C, D: association(w, D, C)),
    "relabel": (
        draw_associations,
        exact_pvalue,
        lambda **data: exact_pvalue(**data) - 0.05,
        lambda **data: min(1.0, 2 * exact_pvalue(**data)),
        lambda **data: 1.05 - exact_pvalue(**data),
    ),
    "stress": (
        draw_line,
        stress,
        lambda X, Y, scale: stress(X, Y, 1),
        lambda X, Y, scale: stress(X, Y, scale) ** 2,
    ),
    "scale": (draw_lines, best_scale, lambda X, Y: best_scale(Y, X), lambda X, Y: X[-1] / Y[-1]),
    "width": (
        draw_accuracy,
        interval_width,
        lambda n, hits: interval_width(n, hits) / 2,
        lambda n, hits: interval_width(n, hits) * n**0.5,
    ),
    "pairs": (draw_pairs, paired_pvalue, lambda **data: paired_pvalue(**data) / 2, binomial_probability),
    "threshold": (
        draw_threshold,
        accuracy_at_threshold,
        lambda similarities, is_relevant, threshold: is_relevant[similarities >= threshold].mean(),
        lambda similarities, is_relevant, threshold: is_relevant.mean(),
    ),
    "holm": (draw_pvalues, second_holm_pvalue, lambda p: 3 * np.sort(p)[1], lambda p: np.sort(p)[1]),
    "blocks": (
        draw_blocks,
        merged_variance,
        lambda n, mean, variance: np.average(variance, weights=n),
        lambda n, mean, variance: np.mean(variance),
    ),
}


def problems() -> Iterator[Exercise]:
    """Yield the problems of the exam; `asks` is the text of a problem, with placeholders for its data."""
    texts = tomllib.loads(resources.files(__package__).joinpath("exam.toml").read_text(encoding="utf-8"))
    for name, texts_of_problem in texts.items():
        draw, solution, *mistakes = PROBLEM_FUNCTIONS[name]
        slips = tuple(Slip(*pair) for pair in zip(mistakes, texts_of_problem["mistakes"], strict=True))
        prompt = " ".join(texts_of_problem["asked"].split())
        yield Exercise(name, 0, (), prompt, draw, solution, slips=slips, lesson=texts_of_problem["lesson"])


@dataclass(frozen=True)
class DrawnProblem:
    """An exam problem whose numbers were drawn with one seed."""

    problem: Exercise
    data: Data
    text: str
    choices: tuple[str, ...]  #: Correct answer, followed by the answers that result from common mistakes.


def _draw_problem(problem: Exercise, seed: int) -> DrawnProblem:
    assert problem.solution is not None
    rng = generator(f"exam {problem.name}", str(seed))
    while True:  # until all choices clearly differ
        data = problem.draw(rng)
        values = [problem.solution(**data), *(slip.mistake(**data) for slip in problem.slips)]
        if np.diff(np.sort(values)).min() > MIN_CHOICE_DIFFERENCE:
            choices = tuple(f"{value:.3f}".replace("-", "−") for value in values)
            text = problem.asks.format(**{name: _value_text(value) for name, value in data.items()})
            return DrawnProblem(problem, data, text, choices)


def draw_problems(seed: int) -> tuple[DrawnProblem, ...]:
    """Return all problems with the numbers of a seed; the same seed gives the same exam."""
    return tuple(_draw_problem(problem, seed) for problem in problems())


def files(seed: int) -> Iterator[tuple[str, str | bytes]]:
    """Yield the names and contents of the files of an exam: for students, and with the answers for the teacher."""
    from reanalyses.course import quizzes
    from reanalyses.course.kit import notebooks

    drawn_problems = draw_problems(seed)
    heading = f"# Exam\n\n{len(drawn_problems)} questions, one point each, {5 * len(drawn_problems)} minutes. Round each answer to three decimals."
    prompts = [f"**Question {i}.** {drawn.text}" for i, drawn in enumerate(drawn_problems, 1)]
    sheet = [heading, "Name:", *(f"{prompt}\n\nAnswer:" for prompt in prompts), ""]
    yield "student/exam.md", "\n\n".join(sheet)
    cells = [notebooks._text_cell("head", heading)]
    for i, prompt in enumerate(prompts, 1):
        cells += [notebooks._text_cell(f"q{i}", prompt), notebooks._code_cell(f"a{i}", f"answer_{i} = ...")]
    yield "student/exam.ipynb", notebooks.notebook_text(notebooks._notebook(cells))
    answers = [f"# Answers\n\nSeed: {seed}. {SEED_WARNING} An answer that is off by 0.001 is also correct."]
    questions = []
    for drawn, prompt in zip(drawn_problems, prompts, strict=True):
        lesson, messages = drawn.problem.lesson, [slip.message for slip in drawn.problem.slips]
        title = lessons.read(lesson).title
        answers.append(f"{prompt}\n\nAnswer: **{drawn.choices[0]}** (lesson *{title}*)")
        answers.append("\n".join(map("- {}: {}".format, drawn.choices[1:], messages)))
        rows = zip(drawn.choices, ["Right.", *(f"No. {message}" for message in messages)], strict=True)
        choices, feedback = zip(*sorted(rows, key=lambda row: float(row[0].replace("−", "-"))), strict=True)
        name, correct_index = f"exam-{drawn.problem.name}", choices.index(drawn.choices[0])
        questions.append(
            quizzes.Question(lesson, title, "Exam", name, drawn.text, choices, feedback, correct_index)
        )
    yield "instructor/answers.md", "\n\n".join([*answers, ""])
    yield f"instructor/{quizzes.MOODLE_FILE}", quizzes.moodle_xml(questions)
    yield f"instructor/{quizzes.QTI_FILE}", quizzes.qti(questions)


def _vectors(rng: Rng, n: int) -> Any:
    """Return n vectors in the plane with small nonzero integer coordinates."""
    return rng.integers(1, 6, (n, 2)) * rng.choice([-1, 1], (n, 2))


def _value_text(value: Any) -> str:
    """Return a number, a truth value, a vector, or a list of these as text for a sentence."""
    if np.ndim(value) == 0:
        return "right" if value is True else "wrong" if value is False else f"{value:g}".replace("-", "−")
    items = [
        _value_text(item) if np.ndim(item) == 0 else f"({', '.join(map(_value_text, item))})"
        for item in value.tolist()
    ]
    last_item = items.pop()
    return f"{', '.join(items)}{',' * (len(items) > 1)} and {last_item}" if items else last_item
