"""Correct answers to the exercises of the lesson "Your own vectors"."""

from typing import Any

import numpy as np

from reanalyses.course.report import your_own_vectors as lesson


def scores_by_card(vectors: Any, added: float) -> dict[str, Any]:
    """Use the report card."""
    from isotropy_report import report_card

    card = report_card(np.asarray(vectors, float) + added)
    return {
        "average cosine": card.value("average_cosine"),
        "corrected IsoScore": card.value("isoscore_corrected"),
    }


def half_width_by_package(X: Any, module: Any) -> float:
    """Use the package's average cosine without each module."""
    from scipy import stats

    from isotropy_lab.isotropy import average_cosine

    leave_one_out = [average_cosine(X[module != name]) for name in set(np.asarray(module).tolist())]
    n = len(leave_one_out)
    return float(np.std(leave_one_out) * np.sqrt(n - 1) * stats.t(n - 1).ppf(0.975))


def gaussian_rows(X: Any, noise: Any) -> Any:
    """Sample a Gaussian with the mean and covariance of X, and normalize the rows."""
    root = np.linalg.cholesky(np.cov(X.T) + 1e-9 * np.eye(X.shape[1]))
    rows = noise @ root.T + X.mean(axis=0)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def rows_by_eigenvectors(X: Any, noise: Any) -> Any:
    """Sample in the principal axes, with noise whose covariance is exactly the identity."""
    centered = noise - noise.mean(axis=0)
    white = centered @ np.linalg.inv(np.linalg.cholesky(np.cov(centered.T))).T
    lam, axes = np.linalg.eigh(np.cov(X.T))
    return lesson.normalize((white * np.sqrt(np.maximum(lam, 0))) @ axes.T + X.mean(axis=0))


def rotated_rows(X: Any, noise: Any) -> Any:
    """Mix the rows by a random orthogonal matrix, which keeps sums of products but no row."""
    rotation = np.linalg.qr(np.column_stack([np.ones(len(X)), noise]))[0]
    basis = rotation[:, 1:]  # at a right angle to the vector of ones
    svd = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return lesson.normalize(basis * svd[1] @ svd[2] + X.mean(axis=0))


SOLUTIONS = {
    "constant": (lesson.scores_after_shift, scores_by_card),
    "modules": (lesson.jackknife_half_width, half_width_by_package),
    "forged": (gaussian_rows, rows_by_eigenvectors, rotated_rows),
}
