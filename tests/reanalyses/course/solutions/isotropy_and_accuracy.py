"""Correct answers to the exercises of the lesson "Isotropy and accuracy"."""

from itertools import product
from typing import Any

import numpy as np

from reanalyses.course.retrieval import isotropy_and_accuracy as lesson


def table_of_lines(n_groups: int, n_models: int) -> tuple[Any, float, float]:
    """Place distant groups on a decreasing line, each of which increases slightly."""
    group = np.repeat(np.arange(n_groups), n_models)
    rise = np.tile(np.arange(n_models), n_groups)
    x, y = 30.0 * group + rise, -30.0 * group + rise
    correlations = []
    for sample in product(range(n_groups), repeat=n_groups):
        i = np.concatenate([np.flatnonzero(group == name) for name in sample])
        correlations.append(np.corrcoef(x[i], y[i])[0, 1])
    return {"group": group, "x": x, "y": y}, float(min(correlations)), float(max(correlations))


def table_by_pandas(n_groups: int, n_models: int) -> dict[str, Any]:
    """Return a pandas table with letters for the groups."""
    import pandas as pd

    table = pd.concat(
        pd.DataFrame(
            {
                "group": "abcdefg"[i],
                "x": 50.0 * i + np.arange(n_models),
                "y": 100 - 40.0 * i + np.arange(n_models),
            }
        )
        for i in range(n_groups)
    )
    low, high = lesson.correlation_range(*(table[name].to_numpy() for name in ("x", "y", "group")))
    return {"table": table, "lowest correlation": low, "highest correlation": high}


def table_of_steep_groups(n_groups: int, n_models: int) -> list[Any]:
    """Place steep groups close together; samples of one group have the group's own correlation."""
    group = np.repeat(np.arange(n_groups), n_models)
    small = np.tile(np.linspace(0, 0.1, n_models), n_groups)
    x, y = group + small, 5 - group + 2 * small
    table = {"x": x.tolist(), "y": y.tolist(), "group": group.tolist()}
    return [table, *lesson.correlation_range(x, y, group)]


def gains_by_products(hits: Any, halves: Any) -> list[float]:
    """Compute all sums at once, as matrix products."""
    sums = [masks.astype(float) @ hits.T.astype(float) for masks in (halves, ~halves)]
    rows, best = np.arange(len(halves)), sums[0].argmax(axis=1)
    sizes = halves.sum(axis=1), (~halves).sum(axis=1)
    return [float(100 * ((S[rows, best] - S[:, 0]) / n).mean()) for S, n in zip(sums, sizes, strict=True)]


def append_noise(Q: Any, D: Any, noise: Any, at_least: float) -> tuple[Any, Any]:
    """Append noise of constant length to the documents, and zeros to the questions."""
    scaled_noise = 30 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    documents = np.column_stack([D, scaled_noise])
    questions = np.column_stack([Q, np.zeros((len(Q), noise.shape[1]))])
    return questions, documents / np.linalg.norm(documents, axis=1, keepdims=True)


def prepend_signs(Q: Any, D: Any, noise: Any, at_least: float) -> dict[str, Any]:
    """Prepend the zeros, and use longer noise."""
    signs = 4.0 * np.sign(noise)
    return {
        "questions": np.hstack([np.zeros((len(Q), noise.shape[1])), Q]),
        "documents": np.hstack([signs, D]),
    }


def shrink_documents(Q: Any, D: Any, noise: Any, at_least: float) -> list[Any]:
    """Shrink the documents instead of lengthening the noise."""
    extra = noise / np.sqrt((noise**2).sum(axis=1))[:, None]
    return [np.pad(Q, ((0, 0), (0, noise.shape[1]))), np.concatenate([0.03 * D, extra], axis=1)]


SOLUTIONS = {
    "pooled": (table_of_lines, table_by_pandas, table_of_steep_groups),
    "halves": (lesson.gains_of_best, gains_by_products),
    "free": (append_noise, prepend_signs, shrink_documents),
}
