"""Exercises of the lesson "Geometric consistency"."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong, reverse

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


# 2. beaten


def draw_words(rng: np.random.Generator) -> Data:
    return {"words": rng.standard_normal((int(rng.integers(7, 9)), 12)) + 0.5}


def lesson_words() -> Data:
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors

    return {"words": keywords.find("gender-sentiment", load_word_vectors("glove-weat")).lists[3]}


def _cosines(words: Any) -> Any:
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    return units @ units.T


def count_outscored_triples(words: Any) -> int:
    """Return the number of triples for which a word outside is more similar to the triple than a word inside."""
    cosines, n_outscored = _cosines(words), 0
    for inside in combinations(range(len(words)), 3):
        s = cosines[:, list(inside)].mean(axis=1)
        n_outscored += int(np.delete(s, inside).max() > s[list(inside)].min() + 1e-12)
    return n_outscored


def count_outscored_by_nearest_member(words: Any) -> int:
    cosines, n_outscored = _cosines(words), 0
    for inside in combinations(range(len(words)), 3):
        s = cosines[:, list(inside)].mean(axis=1)
        n_outscored += int(np.delete(s, inside).max() > s[list(inside)].max())
    return n_outscored


def count_not_outscored(words: Any) -> int:
    return math.comb(len(words), 3) - count_outscored_triples(words)


# 3. even


def draw_size_and_noise(rng: np.random.Generator) -> Data:
    n = int(rng.integers(6, 8))
    return {"n": n, "at_least": {6: 16, 7: 40}[n], "noise": rng.standard_normal((n, 60))}


def equal_and_uneven_vectors(n: int, at_least: int, noise: Any) -> tuple[Any, Any, float, float]:
    """Return equal cosines, a core with scattered words, the canonical similarity of its halves, and its chance level."""
    equal_cosines = np.linalg.cholesky(0.5 * np.eye(n) + 0.5)
    half = n // 2
    scatter = np.where(np.arange(n) < half, 0.05, 2.5)
    uneven = 1 + scatter[:, None] * noise
    A, B = np.linalg.qr(uneven[:half].T)[0], np.linalg.qr(uneven[half:].T)[0]
    canonical_correlations = np.linalg.svd(A.T @ B, compute_uv=False)
    normalizer = np.sqrt(half * (n - half))
    similarity = (canonical_correlations**2).sum() / normalizer
    return equal_cosines, uneven, float(similarity), float(normalizer / 60)


def orthogonal_and_uneven_vectors(n: int, at_least: int, noise: Any) -> tuple[Any, Any, float, float]:
    return np.eye(n), *equal_and_uneven_vectors(n, at_least, noise)[1:]


def judge_vectors(answer: Any, n: int, at_least: int, noise: Any) -> None:
    from isotropy_lab.association import canonical_similarity, consistency_profile

    parts = answers.split_parts(answer, ("even vectors", "uneven vectors", "canonical similarity", "chance"))
    tables = []
    for name, part in zip(("list of even vectors", "list of uneven vectors"), parts, strict=False):
        table = answers.array(part, name)
        if table.ndim != 2 or len(table) != n or table.shape[1] < 2:
            raise Wrong(f"your {name} has the shape {table.shape}; expected {n} rows, one per vector.")
        if (np.linalg.norm(table, axis=1) == 0).any():
            raise Wrong(f"your {name} contains a row of zeros, for which cosines are undefined.")
        tables.append(table)
    cosines = _cosines(tables[0])[np.triu_indices(n, 1)]
    if np.abs(cosines).min() < 1e-6:
        raise Wrong("two vectors in your even list are at a right angle.")
    if cosines.max() > 0.999:
        raise Wrong("two vectors in your even list have nearly the same direction.")
    counts = [int(consistency_profile(table)["n_beaten"].sum()) for table in tables]
    if counts[0]:
        raise Wrong(f"in your even list, {counts[0]} sublists are outscored. What must all cosines be?")
    if counts[1] < at_least:
        raise Wrong(f"in your uneven list, {counts[1]} sublists are outscored. Make it {at_least} or more.")
    half, n_coordinates = n // 2, tables[1].shape[1]
    if n_coordinates < n:
        raise Wrong(
            f"your uneven vectors have {n_coordinates} coordinates, so the subspaces spanned by their halves must intersect. "
            f"Use {n} or more coordinates."
        )
    reported = [answers.number(parts[2], "canonical similarity"), answers.number(parts[3], "value of chance")]
    if abs(reported[0] - canonical_similarity(tables[1][:half], tables[1][half:])) > 1e-3:
        halves = f"the first {half} and the last {n - half} uneven vectors"
        raise Wrong(f"the canonical similarity of {halves} differs from your number.")
    if abs(reported[1] - np.sqrt(half * (n - half)) / n_coordinates) > 1e-3:
        sizes = f"{half} and {n - half} vectors in {n_coordinates} dimensions"
        raise Wrong(f"your chance level is wrong for {sizes}.")


EXERCISES = (
    Exercise(
        name="arrows",
        number=1,
        objectives=(1,),
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
        name="beaten",
        number=2,
        objectives=(1,),
        asks="the number of outscored triples",
        parts=("number of triples",),
        lesson_data=lesson_words,
        draw=draw_words,
        rtol=0,
        atol=0.5,
        solution=count_outscored_triples,
        slips=(
            Slip(count_outscored_by_nearest_member, "the nearest word of a triple is not exchanged first."),
            Slip(count_not_outscored, "that is the number of triples that are closest to themselves."),
        ),
        praise="A few numbers per triple are enough, without trying its rivals.",
    ),
    Exercise(
        name="even",
        number=3,
        objectives=(1, 2, 3),
        asks="four things: the even vectors, the uneven vectors, the canonical similarity of the halves of the uneven list, "
        "and its chance level",
        parts=("even vectors", "uneven vectors", "canonical similarity", "chance"),
        lesson_data=lambda: {"n": 8, "at_least": 100, "noise": np.random.default_rng(1).normal(size=(8, 60))},
        draw=draw_size_and_noise,
        judge=judge_vectors,
        slips=(Slip(orthogonal_and_uneven_vectors, "your even list must not contain right angles."),),
        praise="Can you beat your own number?",
    ),
)
