"""Right answers to the exercises of the lesson "Adapting an encoder", each found in three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.retrieval.adapting_an_encoder import gained, strengths


def gained_by_sets(before: Any, after: Any) -> list[float]:
    """Sets of questions."""
    had, has = ({i for i, rank in enumerate(ranks) if rank <= 10} for ranks in (before, after))
    return [len(has - had), len(had - has), 100 * (len(has) - len(had)) / len(before)]


def gained_by_package(before: Any, after: Any) -> dict[str, float]:
    """The package counts both."""
    from isotropy_lab.retrieval import compare_models

    pair = compare_models(np.asarray(after), np.asarray(before), n_resamples=100, rng=0)
    return {"number found": pair.n_better, "number lost": pair.n_worse, "gain": 100 * pair.estimate}


def strengths_by_least_squares(Q: Any, D: Any, gold: Any, fold: Any, pull: float) -> list[float]:
    """The pull as more rows of an ordinary least-squares problem: the identity, to be left alone."""
    n = Q.shape[1]
    extra = np.sqrt(pull) * np.eye(n)

    def found(train: Any, test: Any) -> Any:
        W = np.linalg.lstsq(np.vstack([Q[train], extra]), np.vstack([D[gold[train]], extra]), rcond=None)[0]
        ten = np.argsort(-(Q[test] @ W @ D.T), axis=1)[:, :10]
        return (ten == gold[test][:, None]).any(axis=1)

    everything = np.arange(len(Q))
    others = [found(everything[fold != k], everything[fold == k]) for k in np.unique(fold)]
    return [float(found(everything, everything).mean()), float(np.concatenate(others).mean())]


def strengths_by_change(Q: Any, D: Any, gold: Any, fold: Any, pull: float) -> tuple[float, float]:
    """Learn the change of the identity, which a ridge regression pulls to zero."""
    from sklearn.linear_model import Ridge

    from isotropy_lab.retrieval import answer_ranks

    ridge = Ridge(alpha=pull, fit_intercept=False, solver="cholesky")
    seen = Q + ridge.fit(Q, D[gold] - Q).predict(Q)
    other = np.empty_like(Q)
    for k in range(5):
        ridge.fit(Q[fold != k], (D[gold] - Q)[fold != k])
        other[fold == k] = Q[fold == k] + ridge.predict(Q[fold == k])
    return tuple((answer_ranks(rows, D, gold) <= 10).mean() for rows in (seen, other))  # type: ignore[return-value]


def rotation(asked: Any, target: Any, pull: float) -> Any:
    """The rotation that brings the questions nearest to their answers, pulled to the identity."""
    U, _, Vt = np.linalg.svd(asked.T @ target + pull * np.eye(asked.shape[1]))
    return U @ Vt


def stretch(asked: Any, target: Any, pull: float) -> Any:
    """A rotation by SciPy, without the pull."""
    from scipy.linalg import orthogonal_procrustes

    return orthogonal_procrustes(asked, target)[0]


def few_directions(asked: Any, target: Any, pull: float) -> Any:
    """The least-squares change of the identity, in its two main directions only."""
    n = asked.shape[1]
    eye = pull * np.eye(n)
    change = np.linalg.solve(asked.T @ asked + eye, asked.T @ target + eye) - np.eye(n)
    U, S, Vt = np.linalg.svd(change)
    return np.eye(n) + (U[:, :2] * S[:2]) @ Vt[:2]


SOLUTIONS = {
    "gained": (gained, gained_by_sets, gained_by_package),
    "strengths": (strengths, strengths_by_least_squares, strengths_by_change),
    "rotation": (rotation, stretch, few_directions),
}
