"""Exercises of the lesson "Adapting an encoder"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Criterion, Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def units(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# 1. gained


def any_ranks(rng: np.random.Generator) -> Data:
    before = rng.geometric(0.1, int(rng.integers(90, 200)))
    return {"before": before, "after": np.maximum(1, before - rng.integers(-9, 14, len(before)))}


def ranks_of_the_lesson() -> Data:
    from isotropy_lab import retrieval
    from isotropy_lab.retrieval import folds
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    found, minilm = experiments.collection(), encoders.load("MiniLM", "yang")
    Q, D = np.float64(minilm.questions), np.float64(minilm.documents_of(0))
    by_module = folds(found.questions["module"].to_numpy())
    mapped = retrieval.cross_fitted(Q, D, found.gold, by_module)
    return {
        "before": retrieval.answer_ranks(Q, D, found.gold),
        "after": retrieval.answer_ranks(mapped, D, found.gold),
    }


def gained(before: Any, after: Any) -> tuple[int, int, float]:
    """Questions that both find, or both miss, cancel."""
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


# 2. strengths: the matrix of the lesson, whose pull is what the strength of the adapter is


def any_training(rng: np.random.Generator) -> Data:
    D = units(rng.standard_normal((120, 8)))
    gold = rng.choice(120, 60, replace=False)
    turn = np.eye(8) + 0.5 * rng.standard_normal((8, 8))
    Q = units(D[gold] @ turn + 0.45 * rng.standard_normal((60, 8)))
    return {
        "Q": Q,
        "D": D,
        "gold": gold,
        "fold": rng.permutation(np.arange(60) % 5),
        "pull": float(rng.choice([0.3, 1.0, 3.0])),
    }


def strengths(Q: Any, D: Any, gold: Any, fold: Any, pull: float) -> tuple[float, float]:
    """Learn on all questions, and on the other folds of each; the answer must be among ten."""
    eye = pull * np.eye(Q.shape[1])
    shares = []
    mapped = np.empty_like(Q)
    for k in range(5):
        new = fold == k
        old = Q[~new]
        mapped[new] = Q[new] @ np.linalg.solve(old.T @ old + eye, old.T @ D[gold[~new]] + eye)
    seen = Q @ np.linalg.solve(Q.T @ Q + eye, Q.T @ D[gold] + eye)
    for rows in (seen, mapped):
        products = rows @ D.T
        nearer = (products > products[np.arange(len(gold)), gold][:, None]).sum(axis=1)
        shares.append(float((nearer < 10).mean()))
    return shares[0], shares[1]


def trained_on_all(Q: Any, D: Any, gold: Any, fold: Any, pull: float) -> tuple[float, float]:
    seen = strengths(Q, D, gold, fold, pull)[0]
    return seen, seen


def exchanged(Q: Any, D: Any, gold: Any, fold: Any, pull: float) -> tuple[float, float]:
    seen, other = strengths(Q, D, gold, fold, pull)
    return other, seen


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
            "your matrix has all freedoms: it is no rotation, no stretch of coordinates, and changes many directions."
        )
    if (np.linalg.norm(asked @ W, axis=1) == 0).any():
        raise Wrong("your matrix makes a row zero, which has no cosine.")
    before, after = ((units(rows) * target).sum(axis=1).mean() for rows in (asked, asked @ W))
    if not after >= before + 0.01:
        raise Wrong(
            f"the mean cosine with the answer is {after:.3f}, and was {before:.3f} before. Learn from the pairs."
        )


EXERCISES = (
    Exercise(
        name="gained",
        number=1,
        level="warm-up",
        minutes=3,
        objectives=(2,),
        asks="three numbers: the questions found, those lost, and the gain in points",
        parts=("number found", "number lost", "gain"),
        own=ranks_of_the_lesson,
        draw=any_ranks,
        rtol=1e-6,
        solution=gained,
        slips=(
            Slip(ten_missed, "rank 10 is among ten."),
            Slip(lost_exchanged, "found and lost are exchanged: who finds now what was missed before?"),
        ),
        praise="A gain is a difference of two counts.",
    ),
    Exercise(
        name="strengths",
        number=2,
        level="practice",
        minutes=8,
        objectives=(1, 2),
        asks="a function `shares(Q, D, gold, fold, pull)` that adapts with `learn` and returns two shares found among ten: "
        "of the questions it was trained on, and cross-fitted",
        parts=("share of seen questions", "share cross-fitted"),
        draw=any_training,
        solution=strengths,
        slips=(
            Slip(trained_on_all, "the second share is of questions that the matrix was trained on, too."),
            Slip(exchanged, "the order is: seen questions, then cross-fitted."),
        ),
        praise="Now with the adapter and its strengths.",
    ),
    Exercise(
        name="rotation",
        number=3,
        level="open-ended",
        minutes=12,
        objectives=(1, 3),
        asks="a function `fit(asked, target, pull)` that returns a matrix with less freedom; `target` has the answers' rows",
        draw=any_pairs,
        parts=("matrix",),
        judge=judge_rotation,
        slips=(
            Slip(all_freedoms, "that is least squares with all freedoms."),
            Slip(nothing_learned, "the identity has no freedom left, and learns nothing."),
        ),
        praise="Does it still need a pull? Score it on new modules.",
        rubric=(
            Criterion(
                "The matrix",
                (
                    "As free as before.",
                    "Less free.",
                    "Less free, and as good on new modules within the interval.",
                ),
            ),
            Criterion(
                "With and without a pull",
                (
                    "Not compared.",
                    "Compared on new modules.",
                    "Compared on new modules and on seen questions, and says what protects.",
                ),
            ),
            Criterion(
                "Controls",
                (
                    "None.",
                    "The encoder as published.",
                    "Beside it centering, and one vector for all: what needs no questions at all.",
                ),
            ),
        ),
    ),
)
