"""Correct answers to the exercises of the lesson "Your own vectors"."""

from typing import Any

import numpy as np

from reanalyses.course.report.your_own_vectors import constant, modules, units


def constant_by_card(vectors: Any, added: float) -> dict[str, Any]:
    """Use the report card."""
    from isotropy_report import report_card

    card = report_card(np.asarray(vectors, float) + added)
    return {
        "average cosine": card.value("average_cosine"),
        "corrected IsoScore": card.value("isoscore_corrected"),
    }


def modules_by_package(X: Any, module: Any) -> float:
    """Use the package's average cosine without each module."""
    from scipy import stats

    from isotropy_lab.isotropy import average_cosine

    without = [average_cosine(X[module != one]) for one in set(np.asarray(module).tolist())]
    n = len(without)
    return float(np.std(without) * np.sqrt(n - 1) * stats.t(n - 1).ppf(0.975))


def forged(X: Any, noise: Any) -> Any:
    """Sample a Gaussian with the mean and covariance of X, and normalize the rows."""
    root = np.linalg.cholesky(np.cov(X.T) + 1e-9 * np.eye(X.shape[1]))
    drawn = noise @ root.T + X.mean(axis=0)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def forged_by_eigenvectors(X: Any, noise: Any) -> Any:
    """Sample in the principal axes, with noise whose covariance is exactly the identity."""
    centered = noise - noise.mean(axis=0)
    white = centered @ np.linalg.inv(np.linalg.cholesky(np.cov(centered.T))).T
    lam, axes = np.linalg.eigh(np.cov(X.T))
    return units((white * np.sqrt(np.maximum(lam, 0))) @ axes.T + X.mean(axis=0))


def forged_by_mixing(X: Any, noise: Any) -> Any:
    """Mix the rows by a random rotation, which keeps sums of products but no row."""
    turn = np.linalg.qr(np.column_stack([np.ones(len(X)), noise]))[0]
    span = turn[:, 1:]  # at a right angle to the vector of ones
    singular = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return units(span * singular[1] @ singular[2] + X.mean(axis=0))


SOLUTIONS = {
    "constant": (constant, constant_by_card),
    "modules": (modules, modules_by_package),
    "forged": (forged, forged_by_eigenvectors, forged_by_mixing),
}
