"""Exercises of the lesson "Geometric consistency"."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


# 1. arrows: vector 1 is at angle θ to the left, vector 3 at angle `ratio` · θ to the right


def arrows(ratio: float) -> tuple[float, float]:
    """Return by a grid search the largest inconsistent angle, and the angle of the largest inconsistency."""
    degrees = np.arange(1, 1800) / 10
    t = np.radians(degrees)
    # Four times the advantage of {1, 2} over {1, 3} in similarity with {1, 3}.
    ahead = np.cos(t) + np.cos(ratio * t) - 1 - np.cos((1 + ratio) * t)
    return float(degrees[ahead > 0].max()), float(degrees[np.argmax(ahead)])


def arrows_in_radians(ratio: float) -> list[float]:
    return [float(np.radians(angle)) for angle in arrows(ratio)]


def arrows_exchanged(ratio: float) -> tuple[float, float]:
    last, most = arrows(ratio)
    return most, last


# 2. beaten


def any_words(rng: np.random.Generator) -> Data:
    return {"words": rng.standard_normal((int(rng.integers(7, 9)), 12)) + 0.5}


def unpleasant_words() -> Data:
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors

    return {"words": keywords.find("gender-sentiment", load_word_vectors("glove-weat")).lists[3]}


def _cosines(words: Any) -> Any:
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    return units @ units.T


def beaten(words: Any) -> int:
    """Return the number of outscored triples, for which a word outside is more similar than a word inside."""
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    found = 0
    for inside in combinations(range(len(words)), 3):
        s = (units @ units[list(inside)].T).mean(axis=1)
        outside = [j for j in range(len(words)) if j not in inside]
        found += int(s[outside].max() > s[list(inside)].min() + 1e-12)
    return found


def beaten_by_best_inside(words: Any) -> int:
    C, found = _cosines(words), 0
    for inside in combinations(range(len(words)), 3):
        s = C[:, list(inside)].mean(axis=1)
        found += int(np.delete(s, inside).max() > s[list(inside)].max())
    return found


def not_beaten(words: Any) -> int:
    n = len(words)
    return n * (n - 1) * (n - 2) // 6 - beaten(words)


# 3. even


def any_size(rng: np.random.Generator) -> Data:
    n = int(rng.integers(6, 8))
    return {"n": n, "at_least": {6: 16, 7: 40}[n], "noise": rng.standard_normal((n, 60))}


def even(n: int, at_least: int, noise: Any) -> tuple[Any, Any, float, float]:
    """Return vectors with equal cosines, a concentrated core with scattered words, and the similarity of its halves."""
    alike = np.linalg.cholesky(0.5 * np.eye(n) + 0.5)
    half = n // 2
    scatter = np.where(np.arange(n) < half, 0.05, 2.5)
    uneven = 1 + scatter[:, None] * noise
    A, B = np.linalg.qr(uneven[:half].T)[0], np.linalg.qr(uneven[half:].T)[0]
    cosines = np.linalg.svd(A.T @ B, compute_uv=False)
    size = np.sqrt(half * (n - half))
    return alike, uneven, float((cosines**2).sum() / size), float(size / 60)


def at_right_angles(n: int, at_least: int, noise: Any) -> tuple[Any, Any, float, float]:
    return np.eye(n), *even(n, at_least, noise)[1:]


def judge_even(answer: Any, n: int, at_least: int, noise: Any) -> None:
    from isotropy_lab.association import canonical_similarity, consistency_profile

    parts = answers.taken_apart(answer, ("even vectors", "uneven vectors", "canonical similarity", "chance"))
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
    half, p = n // 2, tables[1].shape[1]
    if p < n:
        raise Wrong(
            f"your uneven vectors have {p} coordinates, so their halves span the whole space. Use {n} or more."
        )
    given = [answers.number(parts[2], "canonical similarity"), answers.number(parts[3], "value of chance")]
    if abs(given[0] - canonical_similarity(tables[1][:half], tables[1][half:])) > 1e-3:
        halves = f"the first {half} and the last {n - half} uneven vectors"
        raise Wrong(f"the canonical similarity of {halves} differs from your number.")
    if abs(given[1] - np.sqrt(half * (n - half)) / p) > 1e-3:
        raise Wrong(f"your chance level is wrong for {half} and {n - half} vectors in {p} dimensions.")


EXERCISES = (
    Exercise(
        name="arrows",
        number=1,
        objectives=(1,),
        asks="two angles in degrees: up to which {1, 2} wins, and where by most",
        parts=("angle up to which it wins", "angle of the largest lead"),
        own=lambda: {"ratio": 1.0},
        draw=lambda rng: {"ratio": round(float(rng.uniform(0.5, 1.0)), 2)},
        rtol=0,
        atol=1.05,
        solution=arrows,
        slips=(
            Slip(arrows_in_radians, "those are radians. Hand in degrees."),
            Slip(
                arrows_exchanged,
                "hand in the angle up to which {1, 2} wins, and then the angle of its largest lead.",
            ),
        ),
        praise="A list that is less similar to itself than to another one.",
    ),
    Exercise(
        name="beaten",
        number=2,
        objectives=(1,),
        asks="the number of outscored triples",
        parts=("number of triples",),
        own=unpleasant_words,
        draw=any_words,
        rtol=0,
        atol=0.5,
        solution=beaten,
        slips=(
            Slip(beaten_by_best_inside, "which word of a triple is exchanged first? It is not the nearest."),
            Slip(not_beaten, "that is the number of triples that are closest to themselves."),
        ),
        praise="A few numbers for each triple, and no rivals to try.",
    ),
    Exercise(
        name="even",
        number=3,
        objectives=(1, 2, 3),
        asks="four things: the even vectors, the uneven ones, the canonical similarity of the halves of the second list, "
        "and what chance would give",
        parts=("even vectors", "uneven vectors", "canonical similarity", "chance"),
        own=lambda: {"n": 8, "at_least": 100, "noise": np.random.default_rng(1).standard_normal((8, 60))},
        draw=any_size,
        judge=judge_even,
        slips=(Slip(at_right_angles, "your even list has right angles, which the exercise rules out."),),
        praise="Can you beat your own number?",
    ),
)
