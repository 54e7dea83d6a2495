"""Exercises of the lesson "Adapting an encoder"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong, normalize

__all__ = ["EXERCISES"]


# 1. gained


def draw_ranks(rng: np.random.Generator) -> Data:
    before = rng.geometric(0.1, int(rng.integers(90, 200)))
    return {"before": before, "after": np.maximum(1, before - rng.integers(-9, 14, len(before)))}


def lesson_ranks() -> Data:
    from isotropy_lab.retrieval import answer_ranks, folds
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    dataset, encoder = experiments.collection(), encoders.load("MiniLM", "yang")
    Q, D = (np.asarray(rows, dtype=float) for rows in (encoder.questions, encoder.documents_of(0)))
    gold = dataset.gold
    fold, penalty = folds(dataset.questions["module"]), 10 * np.eye(Q.shape[1])
    mapped = np.empty_like(Q)
    for k in range(5):
        training = Q[fold != k]
        W = np.linalg.solve(training.T @ training + penalty, training.T @ D[gold[fold != k]] + penalty)
        mapped[fold == k] = Q[fold == k] @ W
    return {"before": answer_ranks(Q, D, gold), "after": answer_ranks(mapped, D, gold)}


def changes_and_gain(before: Any, after: Any) -> tuple[int, int, float]:
    """Return the numbers of hits gained and lost, and the gain in accuracy@10 in percentage points."""
    n_found = int(((after <= 10) & (before > 10)).sum())
    n_lost = int(((after > 10) & (before <= 10)).sum())
    return n_found, n_lost, 100 * (n_found - n_lost) / len(before)


def changes_and_gain_at_9(before: Any, after: Any) -> tuple[int, int, float]:
    n_found = int(((after < 10) & (before >= 10)).sum())
    n_lost = int(((after >= 10) & (before < 10)).sum())
    return n_found, n_lost, 100 * (n_found - n_lost) / len(before)


def changes_and_fraction(before: Any, after: Any) -> tuple[int, int, float]:
    n_found, n_lost, gain = changes_and_gain(before, after)
    return n_found, n_lost, gain / 100


# 2. shift


def draw_favorites(rng: np.random.Generator) -> Data:
    """Return questions that prefer some documents; draw again until the common mistakes give different numbers."""
    while True:
        D = normalize(rng.standard_normal((160, 10)) + np.eye(10)[0] * rng.choice([-0.6, 0.6], (160, 1)))
        odds = np.exp(2 * D[:, 0])
        gold = rng.choice(160, 60, replace=False, p=odds / odds.sum())
        Q = normalize(D[gold] + 0.45 * rng.standard_normal((60, 10)))
        fold, factor = rng.permutation(np.arange(60) % 5), float(rng.choice([0.5, 1.0]))
        data = {"Q": Q, "D": D, "gold": gold, "fold": fold, "factor": factor}
        functions = (
            gain_from_shift,
            gain_without_cross_fitting,
            gain_from_opposite_shift,
            gain_from_mean_answer,
        )
        if len({0.0, *(gain(**data) for gain in functions)}) == 5:
            return data


def lesson_questions() -> Data:
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    encoder, fine_tuned = encoders.load("MiniLM", "yang"), encoders.load("FT", "yang")
    return {
        "Q": np.asarray(encoder.questions, dtype=float),
        "D": np.asarray(encoder.documents_of(0), dtype=float),
        "gold": experiments.collection().gold,
        "fold": fine_tuned.folds,
        "factor": 2.0,
    }


def is_hit(Q: Any, D: Any, gold: Any) -> Any:
    """Return a mask of the questions whose answers are in the top 10."""
    products = Q @ D.T
    return (products > products[np.arange(len(gold)), gold][:, None]).sum(axis=1) < 10


def gain_from_shift(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    """Return the gain in accuracy@10, in percentage points, from shifting questions by a cross-fitted vector."""
    shifted = Q.copy()
    for k in np.unique(fold):
        is_answer = np.isin(np.arange(len(D)), gold[fold != k])
        shifted[fold == k] += factor * (D[is_answer].mean(axis=0) - D[~is_answer].mean(axis=0))
    return 100 * float(is_hit(shifted, D, gold).mean() - is_hit(Q, D, gold).mean())


def gain_without_cross_fitting(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    is_answer = np.isin(np.arange(len(D)), gold)
    shifted = Q + factor * (D[is_answer].mean(axis=0) - D[~is_answer].mean(axis=0))
    return 100 * float(is_hit(shifted, D, gold).mean() - is_hit(Q, D, gold).mean())


def gain_from_opposite_shift(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    return gain_from_shift(Q, D, gold, fold, -factor)


def gain_from_mean_answer(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    shifted = Q.copy()
    for k in np.unique(fold):
        shifted[fold == k] += factor * D[np.unique(gold[fold != k])].mean(axis=0)
    return 100 * float(is_hit(shifted, D, gold).mean() - is_hit(Q, D, gold).mean())


def gain_without_shift(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    return 0.0


def gain_as_fraction(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    return gain_from_shift(Q, D, gold, fold, factor) / 100


# 3. rotation


def draw_pairs(rng: np.random.Generator) -> Data:
    target = normalize(rng.standard_normal((80, 8)))
    rotation, triangle = np.linalg.qr(np.eye(8) + 0.35 * rng.standard_normal((8, 8)))
    rotation = rotation * np.sign(np.diag(triangle))  # near the identity, so that its inverse is wrong
    asked = normalize(target @ rotation * rng.uniform(0.8, 1.25, 8) + 0.1 * rng.standard_normal((80, 8)))
    return {"asked": asked, "target": target, "pull": 1.0}


def unrestricted_least_squares(asked: Any, target: Any, pull: float) -> Any:
    return np.linalg.lstsq(asked, target, rcond=None)[0]


def reversed_rotation(asked: Any, target: Any, pull: float) -> Any:
    U, _, Vt = np.linalg.svd(asked.T @ target)
    return (U @ Vt).T


def identity(asked: Any, target: Any, pull: float) -> Any:
    return np.eye(asked.shape[1])


def judge_rotation(answer: Any, asked: Any, target: Any, pull: float) -> None:
    n = asked.shape[1]
    W = answers.rows(answer, "matrix", n, n)
    is_diagonal = np.allclose(W, np.diag(np.diag(W)), atol=1e-9)
    is_low_rank = np.linalg.matrix_rank(W - np.eye(n), tol=1e-6) <= n // 4
    if not (is_diagonal or is_low_rank or np.allclose(W.T @ W, np.eye(n), atol=1e-6)):
        raise Wrong(
            "your matrix is not a rotation, is not diagonal, and changes more than a quarter of the directions."
        )
    if (np.linalg.norm(asked @ W, axis=1) == 0).any():
        raise Wrong("your matrix maps a row to zero, for which cosines are undefined.")
    before, after = ((normalize(rows) * target).sum(axis=1).mean() for rows in (asked, asked @ W))
    if not after >= before + 0.01:
        change = f"changes the mean cosine with the answer from {before:.3f} to {after:.3f}"
        raise Wrong(f"your matrix {change}. Learn from the pairs.")


EXERCISES = (
    Exercise(
        name="gained",
        number=1,
        objectives=(2,),
        asks="three numbers: the questions found, the questions lost, and the gain in percentage points",
        parts=("number found", "number lost", "gain"),
        lesson_data=lesson_ranks,
        draw=draw_ranks,
        decimals=(0, 0, 1),
        rtol=1e-6,
        solution=changes_and_gain,
        slips=(
            Slip(changes_and_gain_at_9, "a document at rank 10 is in the top 10."),
            Slip(lambda before, after: changes_and_gain(after, before), "found and lost are exchanged."),
            Slip(changes_and_fraction, "the gain is a fraction. Hand in percentage points."),
        ),
        praise="The gain depends on two counts.",
    ),
    Exercise(
        name="shift",
        number=2,
        objectives=(2, 3),
        asks="the gain in percentage points for a factor of 2, cross-fitted by answer",
        parts=("points",),
        lesson_data=lesson_questions,
        draw=draw_favorites,
        decimals=(1,),
        rtol=1e-6,
        atol=1e-6,
        solution=gain_from_shift,
        slips=(
            Slip(gain_without_cross_fitting, "your vector uses answers that it is scored on."),
            Slip(gain_from_opposite_shift, "your vector points away from the answers."),
            Slip(
                gain_from_mean_answer, "your vector lacks its second part: subtract the mean of all others."
            ),
            Slip(gain_without_shift, "nothing was added: your vector is still 0."),
            Slip(gain_as_fraction, "that is a fraction. Hand in percentage points."),
        ),
        praise="One vector raises accuracy without understanding any question.",
    ),
    Exercise(
        name="rotation",
        number=3,
        objectives=(1, 3),
        asks="a function `fit(asked, target, pull)` that returns a matrix with fewer free parameters; `target` contains the answers",
        draw=draw_pairs,
        parts=("matrix",),
        judge=judge_rotation,
        slips=(
            Slip(unrestricted_least_squares, "that is least squares with an unrestricted matrix."),
            Slip(
                reversed_rotation,
                "your rotation moves answers toward questions. Its inverse is the right one.",
            ),
            Slip(identity, "the identity has no free parameters, so it learns nothing."),
        ),
        praise="Does it still need a pull? Score it on new modules.",
    ),
)
