"""Correct answers to the exercises of the lesson "Adapting an encoder"."""

from typing import Any

import numpy as np

from reanalyses.course.retrieval import adapting_an_encoder as lesson


def changes_by_package(before: Any, after: Any) -> dict[str, float]:
    """Use the package's counts of both."""
    from isotropy_lab.retrieval import compare_models

    change = compare_models(np.asarray(after), np.asarray(before), n_resamples=100, rng=0)
    return {"number found": change.n_better, "number lost": change.n_worse, "gain": 100 * change.estimate}


def gain_by_loop(Q: Any, D: Any, gold: Any, fold: Any, factor: float) -> float:
    """Compute with sets of documents, one question at a time."""
    n_gained = 0
    for q, answer_index, question_fold in zip(Q, gold, fold, strict=True):
        known = set(gold[fold != question_fold].tolist())
        mean_answer = sum(D[j] for j in known) / len(known)
        others = [j for j in range(len(D)) if j not in known]
        shift = factor * (mean_answer - sum(D[j] for j in others) / len(others))
        for sign, asked in ((-1, q), (1, q + shift)):
            products = D @ asked
            n_gained += sign * (sum(products > products[answer_index]) < 10)
    return 100 * n_gained / len(Q)


def rotation(asked: Any, target: Any, pull: float) -> Any:
    """Return the rotation that moves questions closest to answers, with a penalty toward the identity."""
    U, _, Vt = np.linalg.svd(asked.T @ target + pull * np.eye(asked.shape[1]))
    return U @ Vt


def rotation_without_penalty(asked: Any, target: Any, pull: float) -> Any:
    """Return a rotation from SciPy, without the penalty."""
    from scipy.linalg import orthogonal_procrustes

    return orthogonal_procrustes(asked, target)[0]


def few_directions(asked: Any, target: Any, pull: float) -> Any:
    """Return the least-squares change of the identity, in its two main directions only."""
    n = asked.shape[1]
    eye = pull * np.eye(n)
    change = np.linalg.solve(asked.T @ asked + eye, asked.T @ target + eye) - np.eye(n)
    U, S, Vt = np.linalg.svd(change)
    return np.eye(n) + (U[:, :2] * S[:2]) @ Vt[:2]


SOLUTIONS = {
    "gained": (lesson.changes_and_gain, changes_by_package),
    "shift": (lesson.gain_from_shift, gain_by_loop),
    "rotation": (rotation, rotation_without_penalty, few_directions),
}
