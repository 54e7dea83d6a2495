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


def count_outscored_by_package(words: Any) -> int:
    """Use the package's profile by size."""
    from isotropy_lab.association import consistency_profile

    profile = consistency_profile(words)
    return int(profile[profile["q"] == 3]["n_beaten"].iloc[0])


def vectors_by_package(n: int, at_least: int, noise: Any) -> dict[str, Any]:
    """Add one vector to all rows of an orthonormal basis, and use the package for the rest."""
    from isotropy_lab.association import canonical_similarity, random_baseline

    half = n // 2
    equal = np.eye(n) + 0.4
    uneven = np.vstack([1 + 0.02 * noise[:half], 1 + 3 * noise[half:]])
    chance = random_baseline(half, n - half, noise.shape[1]).mean / np.sqrt(half * (n - half))
    similarity = canonical_similarity(uneven[:half], uneven[half:])
    return {
        "even vectors": equal,
        "uneven vectors": uneven,
        "canonical similarity": similarity,
        "chance": chance,
    }


def vectors_by_projections(n: int, at_least: int, noise: Any) -> list[Any]:
    """Use a regular simplex, with negative cosines, and the trace of a product of projections."""
    half = n // 2
    equal = np.eye(n) - 1.5 / n
    uneven = np.vstack([2 + 0.1 * noise[:half], 1 + 2 * noise[half:]])
    spans = [rows.T @ np.linalg.pinv(rows.T) for rows in (uneven[:half], uneven[half:])]
    norm = (half * (n - half)) ** 0.5
    return [equal, uneven, float(np.trace(spans[0] @ spans[1])) / norm, norm / uneven.shape[1]]


SOLUTIONS = {
    "arrows": (lesson.inconsistent_angles, inconsistent_angles_on_paper),
    "beaten": (lesson.count_outscored_triples, count_outscored_by_package),
    "even": (lesson.equal_and_uneven_vectors, vectors_by_package, vectors_by_projections),
}
