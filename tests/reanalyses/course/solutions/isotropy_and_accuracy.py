"""Correct answers to the exercises of the lesson "Isotropy and accuracy"."""

from itertools import product
from typing import Any

import numpy as np

from reanalyses.course.retrieval.isotropy_and_accuracy import best_half, over_draws


def pooled(n_groups: int, n_models: int) -> tuple[Any, float, float]:
    """Place distant groups on a decreasing line, each of which increases slightly."""
    group = np.repeat(np.arange(n_groups), n_models)
    rise = np.tile(np.arange(n_models), n_groups)
    x, y = 30.0 * group + rise, -30.0 * group + rise
    correlations = []
    for drawn in product(range(n_groups), repeat=n_groups):
        i = np.concatenate([np.flatnonzero(group == one) for one in drawn])
        correlations.append(np.corrcoef(x[i], y[i])[0, 1])
    return {"group": group, "x": x, "y": y}, float(min(correlations)), float(max(correlations))


def pooled_by_pandas(n_groups: int, n_models: int) -> dict[str, Any]:
    """Return a pandas table with letters for the groups."""
    import pandas as pd

    made = pd.concat(
        pd.DataFrame(
            {
                "group": "abcdefg"[i],
                "x": 50.0 * i + np.arange(n_models),
                "y": 100 - 40.0 * i + np.arange(n_models),
            }
        )
        for i in range(n_groups)
    )
    low, high = over_draws(made["x"].to_numpy(), made["y"].to_numpy(), made["group"].to_numpy())
    return {"table": made, "lowest correlation": low, "highest correlation": high}


def pooled_by_draws(n_groups: int, n_models: int) -> list[Any]:
    """Place steep groups close together; samples of one group have the group's own correlation."""
    group = np.repeat(np.arange(n_groups), n_models)
    small = np.tile(np.linspace(0, 0.1, n_models), n_groups)
    x, y = group + small, 5 - group + 2 * small
    return [{"x": x.tolist(), "y": y.tolist(), "group": group.tolist()}, *over_draws(x, y, group)]


def halves_by_products(hits: Any, halves: Any) -> list[float]:
    """Compute all sums at once, as matrix products."""
    here, there = halves.astype(float) @ hits.T.astype(float), (~halves).astype(float) @ hits.T.astype(float)
    rows = np.arange(len(halves))
    best = here.argmax(axis=1)
    sizes = halves.sum(axis=1), (~halves).sum(axis=1)
    return [
        float(100 * ((S[rows, best] - S[:, 0]) / n).mean()) for S, n in zip((here, there), sizes, strict=True)
    ]


def free(Q: Any, D: Any, noise: Any, at_least: float) -> tuple[Any, Any]:
    """Append noise of constant length to the documents, and zeros to the questions."""
    extra = 30 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    loud = np.column_stack([D, extra])
    return np.column_stack([Q, np.zeros((len(Q), noise.shape[1]))]), loud / np.linalg.norm(
        loud, axis=1, keepdims=True
    )


def free_by_turning(Q: Any, D: Any, noise: Any, at_least: float) -> dict[str, Any]:
    """Prepend the zeros, and use longer noise."""
    signs = 4.0 * np.sign(noise)
    return {
        "questions": np.hstack([np.zeros((len(Q), noise.shape[1])), Q]),
        "documents": np.hstack([signs, D]),
    }


def free_by_weights(Q: Any, D: Any, noise: Any, at_least: float) -> list[Any]:
    """Shrink the documents instead of lengthening the noise."""
    extra = noise / np.sqrt((noise**2).sum(axis=1))[:, None]
    return [np.pad(Q, ((0, 0), (0, noise.shape[1]))), np.concatenate([0.03 * D, extra], axis=1)]


SOLUTIONS = {
    "pooled": (pooled, pooled_by_pandas, pooled_by_draws),
    "halves": (best_half, halves_by_products),
    "free": (free, free_by_turning, free_by_weights),
}
