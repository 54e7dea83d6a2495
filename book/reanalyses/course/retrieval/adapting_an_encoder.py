"""Exercises of the lesson "Adapting an encoder"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def units(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# 1. gained


def any_ranks(rng: np.random.Generator) -> Data:
    before = rng.geometric(0.1, int(rng.integers(90, 200)))
    return {"before": before, "after": np.maximum(1, before - rng.integers(-9, 14, len(before)))}


def ranks_of_the_lesson() -> Data:
    from isotropy_lab.retrieval import answer_ranks, folds
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    found, minilm = experiments.collection(), encoders.load("MiniLM", "yang")
    Q, D = (np.asarray(rows, dtype=float) for rows in (minilm.questions, minilm.documents_of(0)))
    gold = found.gold
    fold, eye = folds(found.questions["module"]), 10 * np.eye(Q.shape[1])
    mapped = np.empty_like(Q)
    for k in range(5):
        old = Q[fold != k]
        W = np.linalg.solve(old.T @ old + eye, old.T @ D[gold[fold != k]] + eye)
        mapped[fold == k] = Q[fold == k] @ W
    return {"before": answer_ranks(Q, D, gold), "after": answer_ranks(mapped, D, gold)}


def gained(before: Any, after: Any) -> tuple[int, int, float]:
    """Return the numbers of questions found and lost, and the gain in accuracy in percentage points."""
    n_found = int(((after <= 10) & (before > 10)).sum())
    n_lost = int(((after > 10) & (before <= 10)).sum())
    return n_found, n_lost, 100 * (n_found - n_lost) / len(before)


def ten_missed(before: Any, after: Any) -> tuple[int, int, float]:
    n_found = int(((after < 10) & (before >= 10)).sum())
    n_lost = int(((after >= 10) & (before < 10)).sum())
    return n_found, n_lost, 100 * (n_found - n_lost) / len(before)


def lost_exchanged(before: Any, after: Any) -> tuple[int, int, float]:
    n_found, n_lost, points = gained(before, after)
    return n_lost, n_found, -points


# 2. shift


def any_favorites(rng: np.random.Generator) -> Data:
    """Return documents, a few of which are asked about more often, redrawn until common mistakes differ."""
    while True:
        D = units(rng.standard_normal((160, 10)) + np.eye(10)[0] * rng.choice([-0.6, 0.6], (160, 1)))
        odds = np.exp(2 * D[:, 0])
        gold = rng.choice(160, 60, replace=False, p=odds / odds.sum())
        Q = units(D[gold] + 0.45 * rng.standard_normal((60, 10)))
        fold, factor = rng.permutation(np.arange(60) % 5), float(rng.choice([0.5, 1.0]))
        data = {"Q": Q, "D": D, "gold": gold, "fold": fold, "factor": factor}
        if len({shift(**data), from_all_questions(**data), away(**data), 0.0}) == 4:
            return data


def questions_of_the_lesson() -> Data:
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    minilm, tuned = encoders.load("MiniLM", "yang"), encoders.load("FT", "yang")
    return {
        "Q": np.asarray(minilm.questions, dtype=float),
        "D": np.asarray(minilm.documents_of(0), dtype=float),
        "gold": experiments.collection().gold,
        "fold": tuned.folds,
        "factor": 2.0,
    }


def found_by(Q: Any, D: Any, gold: Any) -> Any:
    products = Q @ D.T
    return (products > products[np.arange(len(gold)), gold][:, None]).sum(axis=1) < 10


def shift(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    """Return the gain from shifting the questions by a vector fitted on the other folds, in percentage points."""
    moved = Q.copy()
    for k in np.unique(fold):
        asked = np.isin(np.arange(len(D)), gold[fold != k])
        moved[fold == k] += factor * (D[asked].mean(axis=0) - D[~asked].mean(axis=0))
    return 100 * float(found_by(moved, D, gold).mean() - found_by(Q, D, gold).mean())


def from_all_questions(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    asked = np.isin(np.arange(len(D)), gold)
    moved = Q + factor * (D[asked].mean(axis=0) - D[~asked].mean(axis=0))
    return 100 * float(found_by(moved, D, gold).mean() - found_by(Q, D, gold).mean())


def away(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    return shift(Q, D, gold, fold, -factor)


# 3. rotation


def any_pairs(rng: np.random.Generator) -> Data:
    target = units(rng.standard_normal((80, 8)))
    turn = np.linalg.qr(np.eye(8) + 0.35 * rng.standard_normal((8, 8)))[0]
    asked = units(target @ turn * rng.uniform(0.8, 1.25, 8) + 0.1 * rng.standard_normal((80, 8)))
    return {"asked": asked, "target": target, "pull": 1.0}


def all_freedoms(asked: Any, target: Any, pull: float) -> Any:
    return np.linalg.lstsq(asked, target, rcond=None)[0]


def nothing_learned(asked: Any, target: Any, pull: float) -> Any:
    return np.eye(asked.shape[1])


def judge_rotation(answer: Any, asked: Any, target: Any, pull: float) -> None:
    n = asked.shape[1]
    W = answers.rows(answer, "matrix", n, n)
    diagonal = np.allclose(W, np.diag(np.diag(W)), atol=1e-9)
    few = np.linalg.matrix_rank(W - np.eye(n), tol=1e-6) <= n // 4
    if not (diagonal or few or np.allclose(W.T @ W, np.eye(n), atol=1e-6)):
        raise Wrong(
            "your matrix is unrestricted. Rotate, scale coordinates, or change only a few directions."
        )
    if (np.linalg.norm(asked @ W, axis=1) == 0).any():
        raise Wrong("your matrix maps a row to zero, for which cosines are undefined.")
    before, after = ((units(rows) * target).sum(axis=1).mean() for rows in (asked, asked @ W))
    if not after >= before + 0.01:
        changed = f"changes the mean cosine with the answer from {before:.3f} to {after:.3f}"
        raise Wrong(f"your matrix {changed}. Learn from the pairs.")


EXERCISES = (
    Exercise(
        name="gained",
        number=1,
        objectives=(2,),
        asks="three numbers: the questions found, those lost, and the gain in points",
        parts=("number found", "number lost", "gain"),
        own=ranks_of_the_lesson,
        draw=any_ranks,
        decimals=(0, 0, 1),
        rtol=1e-6,
        solution=gained,
        slips=(
            Slip(ten_missed, "a document at rank 10 is in the top 10."),
            Slip(lost_exchanged, "found and lost are exchanged. A found question was missed before."),
        ),
        praise="A gain is a difference of two counts.",
    ),
    Exercise(
        name="shift",
        number=2,
        objectives=(2, 3),
        asks="the points that a factor of 2 gains, cross-fitted by answer",
        parts=("points",),
        own=questions_of_the_lesson,
        draw=any_favorites,
        decimals=(1,),
        rtol=1e-6,
        atol=1e-6,
        solution=shift,
        slips=(
            Slip(from_all_questions, "your vector uses the answers to the questions that it is scored on."),
            Slip(away, "your vector has the wrong sign, so it moves the questions away from their answers."),
        ),
        praise="One vector, and no question understood.",
    ),
    Exercise(
        name="rotation",
        number=3,
        objectives=(1, 3),
        asks="a function `fit(asked, target, pull)` that returns a matrix with less freedom; `target` has the answers' rows",
        draw=any_pairs,
        parts=("matrix",),
        judge=judge_rotation,
        slips=(
            Slip(all_freedoms, "that is least squares with an unrestricted matrix."),
            Slip(nothing_learned, "the identity has no free parameters, so it learns nothing."),
        ),
        praise="Does it still need a pull? Score it on new modules.",
    ),
)
