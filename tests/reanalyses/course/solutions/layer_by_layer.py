"""Right answers to the exercises of the lesson "Layer by layer", each found in three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.isotropy.layer_by_layer import banks, jackknife, words


def banks_by_units(layers: Any, first: int, second: int) -> list[float]:
    """Cut the vectors to length one first."""
    units = [X / np.linalg.norm(X, axis=1, keepdims=True) for X in layers]
    return [float(U[first] @ U[second]) for U in units]


def banks_by_distance(layers: Any, first: int, second: int) -> Any:
    """SciPy's cosine distance, from one."""
    from scipy.spatial.distance import cosine

    return np.array([1 - cosine(np.asarray(X[first], float), np.asarray(X[second], float)) for X in layers])


def jackknife_by_variance(X: Any, group: Any) -> Any:
    """19/20 of the sum of squares is 19 times their mean, the variance."""
    from isotropy_lab.isotropy import isoscore

    kept = [np.delete(X, np.flatnonzero(group == g), axis=0) for g in np.unique(group)]
    logs = np.log([isoscore(Y, estimator="corrected") for Y in kept])
    error = np.sqrt((len(logs) - 1) * np.var(logs))
    return np.exp(np.log(isoscore(X, estimator="corrected")) + np.array([-2.09, 2.09]) * error)


def jackknife_by_pseudovalues(X: Any, group: Any) -> list[float]:
    """Tukey's way: the mean of 20 pseudo-values has their standard error."""
    from scipy.stats import t

    from isotropy_lab.isotropy import isoscore

    whole = np.log(isoscore(X, estimator="corrected"))
    pseudo = [20 * whole - 19 * np.log(isoscore(X[group != g], estimator="corrected")) for g in range(20)]
    reach = t.ppf(0.975, 19) * np.std(pseudo, ddof=1) / np.sqrt(20)
    return [float(np.exp(whole - reach)), float(np.exp(whole + reach))]


def words_by_score(layers: Any, token: Any) -> list[float]:
    """By the score, with a dictionary that keeps who came first."""
    from isotropy_lab.isotropy import isoscore

    first: dict[str, int] = {}
    for place, word in enumerate(token):
        first.setdefault(str(word), place)
    return [1 + isoscore(X[list(first.values())]) * (X.shape[1] - 1) for X in layers]


def words_by_package(layers: Any, token: Any) -> Any:
    """pandas drops the later copies, the package counts."""
    import pandas as pd

    from isotropy_lab.isotropy import dimensions_used

    kept = ~pd.Series(np.asarray(token)).duplicated().to_numpy()
    return np.array([dimensions_used(np.asarray(X)[kept]) for X in layers])


SOLUTIONS = {
    "banks": (banks, banks_by_units, banks_by_distance),
    "jackknife": (jackknife, jackknife_by_variance, jackknife_by_pseudovalues),
    "words": (words, words_by_score, words_by_package),
}
