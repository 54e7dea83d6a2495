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
    total = np.cov(x, y, bias=True)
    within = rise.var() / np.sqrt(total[0, 0] * total[1, 1])
    between = np.corrcoef(x, y)[0, 1] - within
    return {"group": group, "x": x, "y": y}, float(within), float(between)


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
    means = table.groupby("group")[["x", "y"]].mean()
    between = means.cov(ddof=0).loc["x", "y"] / (table["x"].std(ddof=0) * table["y"].std(ddof=0))
    within = table["x"].corr(table["y"]) - between
    return {"table": table, "part within groups": within, "part between groups": between}


def table_of_steep_groups(n_groups: int, n_models: int) -> list[Any]:
    """Place steep groups close together; samples of one group have the group's own correlation."""
    group = np.repeat(np.arange(n_groups), n_models)
    small = np.tile(np.linspace(0, 0.1, n_models), n_groups)
    x, y = group + small, 5 - group + 2 * small
    table = {"x": x.tolist(), "y": y.tolist(), "group": group.tolist()}
    return [table, *lesson.parts_of_correlation(x, y, group)]


def interval_by_frames(x: Any, y: Any, family: Any) -> list[float]:
    """Draw the families by name, and let pandas compute the correlations."""
    import pandas as pd

    table = pd.DataFrame({"x": x, "y": y, "family": family})
    parts = dict(iter(table.groupby("family")))
    correlations = []
    for names in product(parts, repeat=len(parts)):
        drawn = pd.concat([parts[name] for name in names])
        if drawn["x"].nunique() > 1:
            correlations.append(drawn["x"].corr(drawn["y"]))
    return [float(np.quantile(correlations, q)) for q in (0.025, 0.975)]


def append_noise(Q: Any, D: Any, noise: Any) -> tuple[Any, Any]:
    """Append noise of constant length to the documents, and zeros to the questions."""
    scaled_noise = 30 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    documents = np.column_stack([D, scaled_noise])
    questions = np.column_stack([Q, np.zeros((len(Q), noise.shape[1]))])
    return questions, documents / np.linalg.norm(documents, axis=1, keepdims=True)


def prepend_signs(Q: Any, D: Any, noise: Any) -> dict[str, Any]:
    """Prepend the zeros, and use longer noise."""
    signs = 4.0 * np.sign(noise)
    return {
        "questions": np.hstack([np.zeros((len(Q), noise.shape[1])), Q]),
        "documents": np.hstack([signs, D]),
    }


def shrink_documents(Q: Any, D: Any, noise: Any) -> list[Any]:
    """Shrink the documents instead of lengthening the noise."""
    extra = noise / np.sqrt((noise**2).sum(axis=1))[:, None]
    return [np.pad(Q, ((0, 0), (0, noise.shape[1]))), np.concatenate([0.03 * D, extra], axis=1)]


SOLUTIONS = {
    "pooled": (table_of_lines, table_by_pandas, table_of_steep_groups),
    "relatives": (lesson.interval_by_families, interval_by_frames),
    "free": (append_noise, prepend_signs, shrink_documents),
}
