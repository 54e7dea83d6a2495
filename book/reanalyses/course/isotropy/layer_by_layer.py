"""Exercises of the lesson "Layer by layer"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


def _tokens(rng: np.random.Generator, n_sentences: int, distance: float) -> Data:
    """Return sentences of tokens in six dimensions, in which the first token is an outlier along one axis."""
    sentence = np.repeat(np.arange(n_sentences), rng.integers(4, 12, n_sentences))
    first = np.r_[True, np.diff(sentence) > 0]
    X = rng.standard_normal((len(sentence), 6)) * rng.uniform(0.7, 1.4, 6) + 0.4
    X[first, 2] += distance * rng.uniform(0.8, 1.2, n_sentences)
    return {"X": X, "first": first, "sentence": sentence}


def _lesson() -> Data:
    from reanalyses.rudman2022.layer_scores import decoder_tokens

    data = decoder_tokens()
    return {"X": data.X, "first": data.position == 0, "sentence": data.sentence}


def _some(data: Data, *names: str) -> Data:
    return {name: data[name] for name in names}


def used(X: Any) -> float:
    """Return the number of dimensions that a cloud uses."""
    C = np.cov(X.T)
    return float(np.trace(C) ** 2 / (C**2).sum())


# 1. unnoticed


def average(X: Any) -> float:
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    s = U.sum(axis=0)
    return float((s @ s - len(U)) / (len(U) * (len(U) - 1)))


def unnoticed(X: Any, first: Any) -> tuple[float, float]:
    """Return the average cosine of all tokens, and that of all tokens except first tokens."""
    return average(X), average(X[~first])


def with_itself(X: Any, first: Any) -> tuple[float, float]:
    both = (U / np.linalg.norm(U, axis=1, keepdims=True) for U in (X, X[~first]))
    one, other = (float((U.mean(axis=0) ** 2).sum()) for U in both)
    return one, other


def only_first(X: Any, first: Any) -> tuple[float, float]:
    return average(X), average(X[first])


def from_the_mean(X: Any, first: Any) -> tuple[float, float]:
    return unnoticed(X - X.mean(axis=0), first)


# 2. how many


def how_many(X: Any, first: Any) -> int:
    """Return the smallest number of outliers for which the cloud uses fewer than two dimensions."""
    rest, far = X[~first], X[first]
    return next(m for m in range(len(far) + 1) if used(np.vstack([rest, far[:m]])) < 2)


# 3. index


def index(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    """Return the dimensions used by sentence means, computed over all tokens and without first tokens."""
    sentences = np.unique(sentence)
    one = np.array([X[sentence == i].mean(axis=0) for i in sentences])
    other = np.array([X[(sentence == i) & ~first].mean(axis=0) for i in sentences])
    return used(one), used(other)


def in_other_order(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    one, other = index(X, first, sentence)
    return other, one


def sums(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    sentences = np.unique(sentence)
    one = np.array([X[sentence == i].sum(axis=0) for i in sentences])
    other = np.array([X[(sentence == i) & ~first].sum(axis=0) for i in sentences])
    return used(one), used(other)


def of_tokens(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    return used(X), used(X[~first])


EXERCISES = (
    Exercise(
        name="unnoticed",
        number=1,
        objectives=(3,),
        asks="two numbers: the average cosine of all tokens, and without the first ones",
        parts=("average cosine of all tokens", "average cosine without first tokens"),
        own=lambda: _some(_lesson(), "X", "first"),
        draw=lambda rng: _some(_tokens(rng, 20, 30.0), "X", "first"),
        decimals=(2, 2),
        solution=unnoticed,
        slips=(
            Slip(with_itself, "your mean includes the cosine of each token with itself, which is 1."),
            Slip(
                only_first, "your second number uses only the first tokens. Leave those tokens out instead."
            ),
            Slip(from_the_mean, "you subtracted the mean. The exercise measures cosines from the origin."),
        ),
        praise="Normalized, a far token counts no more than a near one.",
    ),
    Exercise(
        name="how many",
        number=2,
        objectives=(1,),
        asks="how many first tokens take the count below two, a whole number",
        parts=("number of first tokens",),
        own=lambda: _some(_lesson(), "X", "first"),
        draw=lambda rng: _some(_tokens(rng, 60, float(rng.uniform(18, 30))), "X", "first"),
        solution=how_many,
        slips=(
            Slip(
                lambda X, first: how_many(X, first) - 1,
                "with that many first tokens, the count is still two or more.",
            ),
            Slip(lambda X, first: first.sum(), "you put all first tokens back. Far fewer are enough."),
        ),
        praise="A few far tokens take away most of the dimensions.",
    ),
    Exercise(
        name="index",
        number=3,
        objectives=(1, 2),
        asks="two numbers: the dimensions that the means use with the first tokens, and without",
        parts=("dimensions used with first tokens", "dimensions used without first tokens"),
        own=_lesson,
        draw=lambda rng: _tokens(rng, 30, 40.0),
        decimals=(1, 0),
        solution=index,
        slips=(
            Slip(in_other_order, "those are the right numbers in the other order."),
            Slip(sums, "you used sums of tokens. A mean divides each sum by the number of tokens."),
            Slip(
                of_tokens, "those are numbers for single tokens. Average the tokens of each sentence first."
            ),
        ),
        praise="Now look at what neighbors have in common.",
    ),
)
