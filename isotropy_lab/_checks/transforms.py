"""Transformers and transformed embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._checks.arrays import FloatArray, as_points, describe, how_many
from isotropy_lab._checks.options import check_integer


def as_samples(estimator: Any, x: Any, *, reset: bool, min_dimensions: int = 1) -> npt.NDArray[np.float64]:
    """Return `x` as a float64 matrix by scikit-learn's rules, which also keep or compare names and number of columns.

    `reset` is True where the estimator is fitted, which takes at least 2 rows.
    """
    from sklearn.utils.validation import validate_data

    checked = validate_data(
        estimator,
        x,
        reset=reset,
        dtype=np.float64,
        ensure_min_samples=2 if reset else 1,
        ensure_min_features=min_dimensions,
    )
    return np.asarray(checked, dtype=np.float64)


def check_removed(n_components: Any, n_points: int, n: int) -> int:
    """Return the number of directions to remove from `n_points` points: max(1, ⌊n/100⌋) for None."""
    if n_components is None:
        number, origin = max(1, n // 100), f" (None takes one in a hundred of {n} dimensions)"
    else:
        number, origin = check_integer(n_components, "n_components", low=0), ""
    if number > n - 1:
        raise ValueError(
            f"n_components is {number} of {n} dimensions, which leaves none; expected at most {n - 1}"
        )
    if number > n_points - 1:
        raise ValueError(
            f"n_components is {number}{origin}, but {n_points} points have at most {n_points - 1} directions with variance; "
            "expected fewer directions or more points"
        )
    return number


def check_more_points_than_dimensions(n_points: int, n: int) -> None:
    """Raise ValueError unless a covariance of so many points can have full rank."""
    if n_points <= n:
        raise ValueError(
            f"X has {how_many(n_points, 'point')} in {how_many(n, 'dimension')}, whose covariance has at most "
            f"{n_points - 1} directions with variance; expected more points than dimensions for whitening: "
            "fit it on more documents, or reduce the dimensions first"
        )


def check_full_rank(eigenvalues: npt.NDArray[np.float64], floor: float) -> None:
    """Raise ValueError if directions without variance (up to rounding) would be divided by it."""
    rounding = eigenvalues.size * float(np.finfo(np.float64).eps)
    void = int((eigenvalues <= rounding * eigenvalues[0]).sum())
    if floor <= rounding and void:
        raise ValueError(
            f"X has no variance in {void} of its {eigenvalues.size} principal directions, which cannot be scaled to "
            f"1; expected a floor above 0 and above rounding ({rounding:.2g}; relative to the largest eigenvalue), or fewer "
            "dimensions"
        )


def as_whitened(x: Any, n: int) -> npt.NDArray[np.float64]:
    """Return whitened rows in the `n` dimensions in which they were fitted."""
    rows = np.asarray(as_points(x), dtype=np.float64)
    if rows.shape[1] != n:
        raise ValueError(
            f"X has {how_many(rows.shape[1], 'dimension')}; expected {n}, as the fitted rows have"
        )
    return rows


def check_some_transforms(number: int) -> None:
    """Raise ValueError if no transformation is asked for."""
    if not number:
        raise ValueError("transforms is empty; expected at least one transformation")


def check_transformer(transformer: Any, name: str) -> None:
    """Raise TypeError unless this is one transformer, not a class and not one for each side."""
    if isinstance(transformer, (tuple, list)):
        raise TypeError(
            f"{name} is a {type(transformer).__name__} of {len(transformer)}; expected one transformer for questions and "
            "documents alike: fitted on one side each, two send them into different spaces"
        )
    if isinstance(transformer, type) or not (
        hasattr(transformer, "fit") and hasattr(transformer, "transform")
    ):
        raise TypeError(f"{name} is {describe(transformer)}; expected a transformer with fit and transform")


def check_fitted_for(transformer: Any, questions: FloatArray, documents: FloatArray) -> None:
    """Raise ValueError unless a transformer is fitted, in these dimensions, and not on the questions alone."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    kind = type(transformer).__name__
    try:
        check_is_fitted(transformer)
    except NotFittedError:
        raise ValueError(
            f"transformer is a {kind} that is not fitted; expected {kind}(...).fit(documents)"
        ) from None
    n = int(documents.shape[1])
    fitted = int(getattr(transformer, "n_features_in_", n))
    if fitted != n:
        raise ValueError(
            f"transformer was fitted in {how_many(fitted, 'dimension')}, questions and documents have {n}; "
            "expected one that was fitted on these documents"
        )
    mean: Any = getattr(transformer, "mean_", None)
    if mean is None or np.shape(mean) != (n,):
        return
    of_questions = questions.mean(axis=0, dtype=np.float64)
    of_documents = documents.mean(axis=0, dtype=np.float64)
    scale = float(max(np.abs(of_questions).max(), np.abs(of_documents).max(), np.abs(mean).max()))
    to_questions, to_documents = np.abs(mean - of_questions).max(), np.abs(mean - of_documents).max()
    # The second for means far from 0 that differ by little; neither is met by rounding alone.
    if to_questions <= 1e-6 * scale < to_documents or (
        to_questions <= 1e-3 * to_documents and to_documents > 1e-9 * scale
    ):
        raise ValueError(
            f"transformer is a {kind} that was fitted on the questions only (its mean is theirs, and not that of the "
            "documents); expected one that was fitted on the documents and is applied to both"
        )


def check_ndcg_possible(ndcg: float, accuracy: float, least_gain: float, k: int) -> None:
    """Raise ValueError unless ranks exist with this NDCG and this share within the first k."""
    low, high = accuracy * least_gain, accuracy
    if not low - 1e-12 <= ndcg <= high + 1e-12:
        raise ValueError(
            f"ndcg is {ndcg:g} at an accuracy of {accuracy:g}; expected a number from {low:.4g} (all hits at rank {k}) "
            f"to {high:g} (all at rank 1)"
        )
