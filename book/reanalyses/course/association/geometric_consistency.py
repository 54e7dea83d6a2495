"""Exercises of the lesson "Geometric consistency"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong, normalize, reverse

__all__ = ["EXERCISES"]


# 1. arrows: vector 1 is at angle θ to the left, vector 3 at angle `ratio` · θ to the right


def inconsistent_angles(ratio: float) -> tuple[float, float]:
    """Return, in degrees, the largest angle at which {1, 2} leads, and the angle of its largest lead, by a grid search."""
    degrees = np.arange(1, 1800) / 10
    theta = np.radians(degrees)
    # The lead is the advantage of {1, 2} over {1, 3} in similarity with {1, 3}, here multiplied by 4.
    scaled_lead = np.cos(theta) + np.cos(ratio * theta) - 1 - np.cos((1 + ratio) * theta)
    return float(degrees[scaled_lead > 0].max()), float(degrees[np.argmax(scaled_lead)])


def inconsistent_angles_in_radians(ratio: float) -> list[float]:
    return [float(np.radians(angle)) for angle in inconsistent_angles(ratio)]


# 2. unrelated


def draw_lists(rng: np.random.Generator) -> Data:
    """Draw two lists of different concentration and a pool, all around one common direction."""
    center = rng.standard_normal(12)
    first, second, pool = (
        center * rng.uniform(0.5, 0.8) + scatter * rng.standard_normal((size, 12))
        for size, scatter in ((8, 0.6), (8, 1.0), (1500, 1.4))
    )
    return {"first": first, "second": second, "pool": pool}


def lesson_lists() -> Data:
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors

    lists = keywords.find("gender-sentiment", load_word_vectors("glove-weat")).lists
    return {"first": lists[1], "second": lists[3], "pool": load_word_vectors("glove-pool").vectors}


def _cosines(words: Any) -> Any:
    units = normalize(words)
    return units @ units.T


def _product_of_lengths(first: Any, second: Any) -> float:
    return float(
        np.linalg.norm(normalize(first).mean(axis=0)) * np.linalg.norm(normalize(second).mean(axis=0))
    )


def _average_cosine(words: Any) -> float:
    return float((normalize(words).mean(axis=0) ** 2).sum())


def normalized_similarity_and_chance(first: Any, second: Any, pool: Any) -> tuple[float, float]:
    """Divide the mean cosine of the lists, and the average cosine of the pool, by the two lengths."""
    mean_cosine = float(normalize(first).mean(axis=0) @ normalize(second).mean(axis=0))
    product = _product_of_lengths(first, second)
    return mean_cosine / product, _average_cosine(pool) / product


def similarities_not_divided(first: Any, second: Any, pool: Any) -> tuple[float, float]:
    similarity, level = normalized_similarity_and_chance(first, second, pool)
    product = _product_of_lengths(first, second)
    return similarity * product, level * product


def chance_not_divided(first: Any, second: Any, pool: Any) -> tuple[float, float]:
    return normalized_similarity_and_chance(first, second, pool)[0], _average_cosine(pool)


def similarity_not_divided(first: Any, second: Any, pool: Any) -> tuple[float, float]:
    level = normalized_similarity_and_chance(first, second, pool)[1]
    return similarities_not_divided(first, second, pool)[0], level


def chance_of_random_words(first: Any, second: Any, pool: Any) -> tuple[float, float]:
    """Use the lengths for lists of as many random words, which scatter."""
    c, k = _average_cosine(pool), len(first)
    return normalized_similarity_and_chance(first, second, pool)[0], c / (c + (1 - c) / k)


# 3. even


def draw_size_and_noise(rng: np.random.Generator) -> Data:
    n = int(rng.integers(6, 8))
    return {"n": n, "at_least": {6: 16, 7: 40}[n], "noise": rng.standard_normal((n, 60))}


def equal_and_uneven_vectors(n: int, at_least: int, noise: Any) -> tuple[Any, Any]:
    """Return vectors with equal cosines, and a concentrated core with scattered words."""
    equal_cosines = np.linalg.cholesky(0.5 * np.eye(n) + 0.5)
    scatter = np.where(np.arange(n) < n // 2, 0.05, 2.5)
    return equal_cosines, 1 + scatter[:, None] * noise


def orthogonal_and_uneven_vectors(n: int, at_least: int, noise: Any) -> tuple[Any, Any]:
    return np.eye(n), equal_and_uneven_vectors(n, at_least, noise)[1]


def judge_vectors(answer: Any, n: int, at_least: int, noise: Any) -> None:
    from isotropy_lab.association import consistency_profile

    parts = answers.split_parts(answer, ("even vectors", "uneven vectors"))
    tables = []
    for name, part in zip(("list of even vectors", "list of uneven vectors"), parts, strict=True):
        table = answers.array(part, name)
        if table.ndim != 2 or len(table) != n or table.shape[1] < 2:
            raise Wrong(f"your {name} has the shape {table.shape}; expected {n} rows, one per vector.")
        if (np.linalg.norm(table, axis=1) == 0).any():
            raise Wrong(f"your {name} contains a row of zeros, for which cosines are undefined.")
        tables.append(table)
    counts = [int(consistency_profile(table)["n_beaten"].sum()) for table in tables]
    if counts[0] >= at_least and not counts[1]:
        raise Wrong("the first list must be the one on which nothing is outscored.")
    cosines = _cosines(tables[0])[np.triu_indices(n, 1)]
    if np.abs(cosines).min() < 1e-6:
        raise Wrong("two vectors in your even list are at a right angle.")
    if cosines.max() > 0.999:
        raise Wrong("two vectors in your even list have nearly the same direction.")
    if counts[0]:
        raise Wrong(f"in your even list, {counts[0]} sublists are outscored. Make the cosines more alike.")
    if counts[1] < at_least:
        raise Wrong(f"in your uneven list, {counts[1]} sublists are outscored. Make it {at_least} or more.")


EXERCISES = (
    Exercise(
        name="arrows",
        number=1,
        objectives=(2,),
        asks="two angles in degrees: the angle up to which {1, 2} wins, and the angle of its largest lead",
        parts=("angle up to which it wins", "angle of the largest lead"),
        lesson_data=lambda: {"ratio": 1.0},
        draw=lambda rng: {"ratio": round(float(rng.uniform(0.5, 1.0)), 2)},
        rtol=0,
        atol=1.05,  # a search over whole degrees is off by up to 1 degree
        solution=inconsistent_angles,
        slips=(
            Slip(inconsistent_angles_in_radians, "those are radians. Hand in degrees."),
            Slip(reverse(inconsistent_angles), "the first angle is where the lead of {1, 2} ends."),
        ),
        praise="A list can be less similar to itself than to another list.",
    ),
    Exercise(
        name="unrelated",
        number=2,
        objectives=(1, 3),
        asks="two numbers: the normalized similarity, and that of unrelated lists with the same two lengths",
        parts=("normalized similarity", "level of unrelated lists"),
        lesson_data=lesson_lists,
        draw=draw_lists,
        rtol=0,
        atol=5e-3,  # the average cosine of the pool may leave out the cosines of words with themselves
        solution=normalized_similarity_and_chance,
        slips=(
            Slip(
                similarities_not_divided, "divide both numbers by the lengths of the two mean unit vectors."
            ),
            Slip(
                chance_not_divided,
                "divide the average cosine, too: the level is that of a normalized similarity.",
            ),
            Slip(
                similarity_not_divided,
                "the first number is the mean cosine similarity. Divide it by the two lengths.",
            ),
            Slip(
                chance_of_random_words,
                "that is the level of random words. Use the lengths of these two lists.",
            ),
            Slip(
                reverse(normalized_similarity_and_chance),
                "give the normalized similarity first, then the level of unrelated lists.",
            ),
        ),
        praise="Both were divided by the same lengths.",
    ),
    Exercise(
        name="even",
        number=3,
        objectives=(2,),
        asks="two lists of vectors: one on which nothing is outscored, and one on which many sublists are",
        parts=("even vectors", "uneven vectors"),
        lesson_data=lambda: {
            "n": 8,
            "at_least": 200,
            "noise": np.random.default_rng(1).normal(size=(8, 300)),
        },
        draw=draw_size_and_noise,
        judge=judge_vectors,
        slips=(Slip(orthogonal_and_uneven_vectors, "your even list must not contain right angles."),),
        praise="Can you beat your own number?",
    ),
)
