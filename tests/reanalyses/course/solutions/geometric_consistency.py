"""Correct answers to the exercises of the lesson "Geometric consistency"."""

from typing import Any

import numpy as np

from reanalyses.course.association import geometric_consistency as lesson


def inconsistent_angles_on_paper(ratio: float) -> tuple[float, float]:
    """Solve the difference, cos((1 + r) θ/2) sin(θ/2) sin(r θ/2), whose cosine changes sign at 90°."""
    from scipy.optimize import minimize_scalar

    minimum = minimize_scalar(
        lambda theta: -np.cos((1 + ratio) * theta / 2) * np.sin(theta / 2) * np.sin(ratio * theta / 2),
        bounds=(0, np.pi / (1 + ratio)),
        method="bounded",
    )
    return 180 / (1 + ratio), float(np.degrees(minimum.x))


def similarity_and_chance_by_pairs(first: Any, second: Any, pool: Any) -> dict[str, float]:
    """Average the cosines of all pairs, within a list for a squared length, and of different words for the pool."""
    from isotropy_lab.association import mean_cosine_similarity
    from isotropy_lab.isotropy import average_cosine

    squared_lengths = [mean_cosine_similarity(rows, rows) for rows in (first, second)]
    product = float(np.sqrt(np.prod(squared_lengths)))
    similarity = mean_cosine_similarity(first, second) / product
    return {"normalized similarity": similarity, "level of unrelated lists": average_cosine(pool) / product}


def vectors_by_adding(n: int, at_least: int, noise: Any) -> dict[str, Any]:
    """Add one number to all entries of an identity matrix."""
    half = n // 2
    uneven = np.vstack([1 + 0.02 * noise[:half], 1 + 3 * noise[half:]])
    return {"even vectors": np.eye(n) + 0.4, "uneven vectors": uneven}


def vectors_of_a_simplex(n: int, at_least: int, noise: Any) -> list[Any]:
    """Use a regular simplex, with negative cosines."""
    half = n // 2
    return [np.eye(n) - 1.5 / n, np.vstack([2 + 0.1 * noise[:half], 1 + 2 * noise[half:]])]


SOLUTIONS = {
    "arrows": (lesson.inconsistent_angles, inconsistent_angles_on_paper),
    "unrelated": (lesson.normalized_similarity_and_chance, similarity_and_chance_by_pairs),
    "even": (lesson.equal_and_uneven_vectors, vectors_by_adding, vectors_of_a_simplex),
}
