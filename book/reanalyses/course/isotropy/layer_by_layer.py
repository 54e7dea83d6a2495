"""Exercises of the lesson "Layer by layer"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip, reverse

__all__ = ["EXERCISES"]


def _draw_tokens(rng: np.random.Generator, n_sentences: int, offset: float) -> Data:
    """Return tokens of sentences in six dimensions, of which first tokens are shifted by about `offset` on one axis."""
    sentence = np.repeat(np.arange(n_sentences), rng.integers(4, 12, n_sentences))
    first = np.r_[True, np.diff(sentence) > 0]
    X = rng.standard_normal((len(sentence), 6)) * rng.uniform(0.7, 1.4, 6) + 0.4
    X[first, 2] += offset * rng.uniform(0.8, 1.2, n_sentences)
    return {"X": X, "first": first, "sentence": sentence}


def _lesson_tokens() -> Data:
    from reanalyses.rudman2022.layer_scores import load_decoder_tokens

    data = load_decoder_tokens()
    return {"X": data.X, "first": data.position == 0, "sentence": data.sentence}


def _select(data: Data, *names: str) -> Data:
    return {name: data[name] for name in names}


def participation_ratio(X: Any) -> float:
    """Return the number of dimensions used: the squared trace of the covariance over the trace of its square."""
    C = np.cov(X.T)
    return float(np.trace(C) ** 2 / (C**2).sum())


# 1. unnoticed


def average_cosine(X: Any) -> float:
    """Return the mean cosine of all pairs of distinct rows."""
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    s = U.sum(axis=0)
    return float((s @ s - len(U)) / (len(U) * (len(U) - 1)))


def average_cosines(X: Any, first: Any) -> tuple[float, float]:
    """Return the average cosine of all tokens, and the average cosine without first tokens."""
    return average_cosine(X), average_cosine(X[~first])


def average_cosines_with_self(X: Any, first: Any) -> list[float]:
    units = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (X, X[~first]))
    return [float((U.mean(axis=0) ** 2).sum()) for U in units]


def average_cosines_first_only(X: Any, first: Any) -> tuple[float, float]:
    return average_cosine(X), average_cosine(X[first])


def average_cosine_scores(X: Any, first: Any) -> list[float]:
    return [1 - cosine for cosine in average_cosines(X, first)]


def average_cosines_centered(X: Any, first: Any) -> tuple[float, float]:
    return average_cosines(X - X.mean(axis=0), first)


# 2. how many


def outliers_needed(X: Any, first: Any) -> int:
    """Return the smallest number of outliers for which the participation ratio is below 2."""
    others, outliers = X[~first], X[first]
    counts = range(len(outliers) + 1)
    return next(n for n in counts if participation_ratio(np.vstack([others, outliers[:n]])) < 2)


# 3. index


def _by_sentence(X: Any, keep: Any, sentence: Any, reduce: Callable[..., Any]) -> Any:
    """Return the mean or the sum of the kept tokens of each sentence."""
    return np.array([reduce(X[(sentence == i) & keep], axis=0) for i in np.unique(sentence)])


def dimensions_of_sentence_means(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    """Return the participation ratio of sentence means, computed over all tokens and without first tokens."""
    means = [_by_sentence(X, keep, sentence, np.mean) for keep in (first | ~first, ~first)]
    return participation_ratio(means[0]), participation_ratio(means[1])


def dimensions_of_sentence_sums(X: Any, first: Any, sentence: Any) -> list[float]:
    sums = (_by_sentence(X, keep, sentence, np.sum) for keep in (first | ~first, ~first))
    return [participation_ratio(rows) for rows in sums]


def dimensions_of_tokens(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    return participation_ratio(X), participation_ratio(X[~first])


EXERCISES = (
    Exercise(
        name="unnoticed",
        number=1,
        objectives=(3,),
        asks="two numbers: the average cosine of all tokens, and the average cosine without first tokens",
        parts=("average cosine of all tokens", "average cosine without first tokens"),
        lesson_data=lambda: _select(_lesson_tokens(), "X", "first"),
        draw=lambda rng: _select(_draw_tokens(rng, 20, 30.0), "X", "first"),
        decimals=(2, 2),
        solution=average_cosines,
        slips=(
            Slip(reverse(average_cosines), "those are the right numbers in the other order."),
            Slip(average_cosine_scores, "those are scores. A score is one minus the average cosine."),
            Slip(average_cosines_with_self, "your mean includes the cosine of each token with itself."),
            Slip(
                average_cosines_first_only,
                "your second number uses only the first tokens. Omit them instead.",
            ),
            Slip(average_cosines_centered, "you subtracted the mean. Measure cosines from the origin."),
        ),
        praise="After normalization, an outlier counts no more than any other token.",
    ),
    Exercise(
        name="how many",
        number=2,
        objectives=(1, 2),
        asks="the number of first tokens that take the dimensions used below two, a whole number",
        parts=("number of first tokens",),
        lesson_data=lambda: _select(_lesson_tokens(), "X", "first"),
        draw=lambda rng: _select(_draw_tokens(rng, 60, float(rng.uniform(18, 30))), "X", "first"),
        solution=outliers_needed,
        slips=(
            Slip(
                lambda X, first: outliers_needed(X, first) - 1,
                "with that many first tokens, two or more dimensions are still used.",
            ),
            Slip(lambda X, first: first.sum(), "you put all first tokens back. Far fewer are enough."),
        ),
        praise="A few outliers remove most of the dimensions used.",
    ),
    Exercise(
        name="index",
        number=3,
        objectives=(1, 3),
        asks="two numbers: the dimensions that the means use with first tokens, and the dimensions without them",
        parts=("dimensions used with first tokens", "dimensions used without first tokens"),
        lesson_data=_lesson_tokens,
        draw=lambda rng: _draw_tokens(rng, 30, 40.0),
        decimals=(1, 0),
        solution=dimensions_of_sentence_means,
        slips=(
            Slip(reverse(dimensions_of_sentence_means), "those are the right numbers in the other order."),
            Slip(dimensions_of_sentence_sums, "you used sums. Divide each sum by the number of its tokens."),
            Slip(dimensions_of_tokens, "you used single tokens. Average the tokens of each sentence first."),
        ),
        praise="Now look at what nearest neighbors have in common.",
    ),
)
