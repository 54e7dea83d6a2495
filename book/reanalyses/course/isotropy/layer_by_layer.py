"""Exercises of the lesson "Layer by layer"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Criterion, Data, Exercise, Slip

__all__ = ["EXERCISES"]


# 1. banks


def any_layers(rng: np.random.Generator) -> Data:
    layers = rng.standard_normal((4, 12, 6)) * np.exp(rng.standard_normal((1, 12, 1)))
    first, second = (int(i) for i in rng.choice(12, 2, replace=False))
    layers[:, second] = 3 * (layers[:, first] + np.linspace(0.1, 2, 4)[:, None] * layers[:, second])
    return {"layers": layers + 0.5, "first": first, "second": second}


def two_sentences() -> Data:
    from reanalyses.corpora import MiniLM

    two = MiniLM().hidden_states(["The bank raised its rates.", "We sat on the bank of the river."])
    first, second = np.flatnonzero(two.token == "bank")
    return {"layers": two.layers, "first": int(first), "second": int(second)}


def banks(layers: Any, first: int, second: int) -> list[float]:
    """The inner product over both lengths, layer by layer."""
    found = []
    for X in layers:
        a, b = X[first], X[second]
        found.append(float((a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum())))
    return found


def banks_by_products(layers: Any, first: int, second: int) -> list[float]:
    return [float(X[first] @ X[second]) for X in layers]


def banks_centered(layers: Any, first: int, second: int) -> list[float]:
    return banks([X - X.mean(axis=0) for X in layers], first, second)


def banks_as_distances(layers: Any, first: int, second: int) -> Any:
    return 1 - np.array(banks(layers, first, second))


# 2. jackknife


def any_texts(rng: np.random.Generator) -> Data:
    sentence = np.repeat(np.arange(40), rng.integers(2, 5, 40))
    X = rng.standard_normal((40, 4))[sentence] + 0.7 * rng.standard_normal((len(sentence), 4))
    return {"X": X * np.array([2, 1, 1, 0.5]), "group": sentence % 20}


def jackknife(X: Any, group: Any) -> tuple[float, float]:
    """Leave out group after group; the spread of the logarithms is the standard error."""
    from isotropy_lab.isotropy import isoscore

    v = np.log([isoscore(X[group != g], estimator="corrected") for g in range(20)])
    s = np.sqrt(19 / 20 * ((v - v.mean()) ** 2).sum())
    score = isoscore(X, estimator="corrected")
    return score * np.exp(-2.09 * s), score * np.exp(2.09 * s)


def as_if_a_sample(X: Any, group: Any) -> tuple[float, float]:
    from isotropy_lab.isotropy import isoscore

    v = np.log([isoscore(X[group != g], estimator="corrected") for g in range(20)])
    score, s = isoscore(X, estimator="corrected"), v.std(ddof=1) / np.sqrt(20)
    return score * np.exp(-2.09 * s), score * np.exp(2.09 * s)


def groups_of_tokens(X: Any, group: Any) -> tuple[float, float]:
    return jackknife(X, np.arange(len(X)) % 20)


def around_nothing(X: Any, group: Any) -> tuple[float, float]:
    from isotropy_lab.isotropy import isoscore

    low, high = jackknife(X, group)
    score = isoscore(X, estimator="corrected")
    return low / score, high / score


# 3. words


def any_tokens(rng: np.random.Generator) -> Data:
    token = rng.integers(0, 30, 90)
    words = rng.standard_normal((30, 5)) * np.array([3, 2, 1, 1, 1])
    layers = [words[token] + noise * rng.standard_normal((90, 5)) for noise in (0.1, 0.6, 2.0)]
    return {"layers": layers, "token": np.array([f"word{i}" for i in token])}


def tokens_of_the_lesson() -> Data:
    from reanalyses.corpora import MiniLM, wikipedia_sentences

    states = MiniLM().hidden_states(wikipedia_sentences(n=350, rng=0))
    return {"layers": states.layers, "token": states.token}


def words(layers: Any, token: Any) -> list[float]:
    """The square of the trace over the trace of the square, for the first copy of each token."""
    once = np.unique(token, return_index=True)[1]
    found = []
    for X in layers:
        C = np.cov(X[once].T)
        found.append(float(np.trace(C) ** 2 / (C**2).sum()))
    return found


def all_tokens(layers: Any, token: Any) -> list[float]:
    return words(layers, np.arange(len(token)))


def last_copies(layers: Any, token: Any) -> list[float]:
    return words([X[::-1] for X in layers], token[::-1])


def words_as_scores(layers: Any, token: Any) -> list[float]:
    return [(k - 1) / (X.shape[1] - 1) for k, X in zip(words(layers, token), layers, strict=True)]


EXERCISES = (
    Exercise(
        name="banks",
        number=1,
        level="warm-up",
        minutes=3,
        objectives=(1,),
        asks="the cosine of the two vectors in each layer, a list of numbers",
        parts=("list of cosines",),
        own=two_sentences,
        draw=any_layers,
        atol=1e-6,
        solution=banks,
        slips=(
            Slip(banks_by_products, "those are inner products. A cosine has lengths, too."),
            Slip(banks_centered, "you have taken away the mean, which the exercise leaves in."),
            Slip(banks_as_distances, "those are distances, one minus the cosine."),
        ),
        praise="The two meanings part where the layers mix in the neighbors.",
    ),
    Exercise(
        name="jackknife",
        number=2,
        level="practice",
        minutes=8,
        objectives=(3,),
        asks="a function `interval(X, group)` that returns both ends",
        parts=("low end", "high end"),
        draw=any_texts,
        rtol=2e-3,
        solution=jackknife,
        slips=(
            Slip(
                as_if_a_sample,
                "your 20 values share nearly all their tokens: they are no sample, and √20 does not divide.",
            ),
            Slip(groups_of_tokens, "your groups tear sentences apart."),
            Slip(around_nothing, "those are factors. Multiply them with the score of all tokens."),
        ),
        praise="By groups of tokens it would be too narrow.",
    ),
    Exercise(
        name="words",
        number=3,
        level="open-ended",
        minutes=10,
        objectives=(1, 2),
        asks="the dimensions used in each layer with the first copy of each token, a list of numbers",
        parts=("list of dimensions used",),
        own=tokens_of_the_lesson,
        draw=any_tokens,
        solution=words,
        slips=(
            Slip(all_tokens, "those are the counts with all tokens."),
            Slip(
                last_copies, "you kept the last copy of each token. Keep the first, to compare with others."
            ),
            Slip(words_as_scores, "those are scores. Turn them into numbers of dimensions."),
        ),
        praise="In which layers does it matter, and why there?",
        rubric=(
            Criterion(
                "The comparison",
                (
                    "One layer only.",
                    "All layers, with all tokens and with each once.",
                    "All layers, and says in which the two differ by how much.",
                ),
            ),
            Criterion(
                "The reason",
                (
                    "None.",
                    "Names the most frequent tokens.",
                    "Copies differ by position only in layer 0, and move apart as neighbors are mixed in.",
                ),
            ),
            Criterion(
                "What to report",
                (
                    "One number for everything.",
                    "A choice for the dictionary or for the search.",
                    "Both, each from how often the words are met there.",
                ),
            ),
        ),
    ),
)
