"""How wide an interval must be: from the number of questions, beside the binomial, and by chance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from isotropy_lab import _checks
from isotropy_lab.retrieval._checks import check_bootstraps
from isotropy_lab.retrieval.resampling import normal_quantile

__all__ = ["interval_width", "ndcg_deviation_bounds", "questions_needed"]

_DRAWS = 2**20  # accuracies drawn at a time: 8 MB


def interval_width(
    accuracy: float,
    n_questions: Any,
    *,
    n_bootstraps: int = 100,
    confidence: float = 0.95,
    n_repeats: int = 1000,
    rng: _checks.RandomState = None,
) -> pd.DataFrame:
    """Return how wide percentile intervals of an accuracy are for samples of some sizes, and how much that varies.

    Parameters
    ----------
    accuracy : float
        Share of hits, in [0, 1].
    n_questions : int or array-like of ints
        Questions in a bootstrap sample, l.
    n_bootstraps : int, default 100
        Samples, m.
    confidence : float, default 0.95
        Nominal coverage.
    n_repeats : int, default 1000
        Intervals drawn for each l.
    rng : numpy.random.Generator or int, optional
        Draws the intervals.

    Returns
    -------
    pandas.DataFrame
        A row for each l, with widths as shares: ``normal``, 2z√(p(1 − p)/l); ``wilson``; ``binomial``, that of the
        exact percentiles, which endless samples would give; and of intervals from m samples the ``mean``, the standard
        deviation ``sd``, and the percentiles ``low`` and ``high`` between which a share `confidence` of them lies. Two
        intervals whose widths differ by no more than chance allows say nothing about which model varies less.

    Raises
    ------
    TypeError
        If an argument is not a number.
    ValueError
        If `accuracy` is outside [0, 1], or a size is too small.

    Notes
    -----
    The number of hits in a sample of l questions is binomial, whatever the model. O(l-values · n_repeats · m) time,
    8 MB.

    Examples
    --------
    >>> from isotropy_lab.retrieval import interval_width
    >>> table = interval_width(0.669, [100, 5167], rng=0)
    >>> table[["n_questions", "normal", "binomial"]].round(4).to_numpy().tolist()
    [[100.0, 0.1845, 0.18], [5167.0, 0.0257, 0.0257]]
    """
    p = _checks.check_real(accuracy, "accuracy", low=0.0, high=1.0)
    sizes = [
        _checks.check_integer(size, "n_questions", low=1)
        for size in (n_questions if np.ndim(n_questions) else [n_questions])
    ]
    _check_some_sizes(len(sizes), "n_questions")
    level = _checks.check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
    m = check_bootstraps(n_bootstraps, level)
    repeats = _checks.check_integer(n_repeats, "n_repeats", low=2)
    generator = _checks.as_generator(rng)
    z = normal_quantile(level)
    tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    rows = []
    for size in sizes:
        widths = np.empty(repeats)
        step = max(1, _DRAWS // m)
        for start in range(0, repeats, step):
            part = slice(start, min(start + step, repeats))
            hits = generator.binomial(size, p, size=(part.stop - part.start, m))
            low, high = np.quantile(hits, tails, axis=1)
            widths[part] = (high - low) / size
        least, most = np.quantile(widths, tails)
        exact = stats.binom.ppf(tails, size, p) / size
        rows.append(
            {
                "n_questions": size,
                "normal": 2.0 * z * math.sqrt(p * (1.0 - p) / size),
                "wilson": 2.0
                * z
                * math.sqrt(p * (1.0 - p) / size + z**2 / (4.0 * size**2))
                / (1.0 + z**2 / size),
                "binomial": float(exact[1] - exact[0]),
                "mean": float(widths.mean()),
                "sd": float(widths.std(ddof=1)),
                "low": float(least),
                "high": float(most),
            }
        )
    return pd.DataFrame(rows)


def questions_needed(width: float, deviation: float, *, confidence: float = 0.95) -> int:
    """Return how many questions a sample must have for an interval of a mean to be no wider than this.

    Parameters
    ----------
    width : float
        Length of the interval, above 0.
    deviation : float
        Standard deviation of the values of single questions, √(p(1 − p)) for an accuracy.
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    int
        (2z · deviation/width)², rounded up, at least 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a number, or out of range.

    Notes
    -----
    Cost: O(1).

    Examples
    --------
    >>> from isotropy_lab.retrieval import questions_needed
    >>> questions_needed(0.02, 0.5)  # an accuracy of one half, known to ±1 percentage point
    9604
    """
    length = _checks.check_real(width, "width", low=0.0, high=math.inf, open_low=True, open_high=True)
    spread = _checks.check_real(deviation, "deviation", low=0.0, high=math.inf, open_high=True)
    level = _checks.check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
    root = 2.0 * normal_quantile(level) * spread / length
    _check_width_possible(root, length, spread)
    return max(1, math.ceil(root**2))


def ndcg_deviation_bounds(ndcg: float, accuracy: float, *, k: int = 10) -> tuple[float, float]:
    """Return the least and the greatest standard deviation that single questions' NDCG@K can have.

    Given the mean and the share of hits only: of the hits, the gains 1/log₂(1 + rank) vary least if they share two
    neighboring ranks, and most if they have ranks 1 and K.

    Parameters
    ----------
    ndcg : float
        Mean NDCG@K, in [0, 1].
    accuracy : float
        Accuracy@K of the same questions, in [0, 1].
    k : int, default 10
        Documents retrieved for a question.

    Returns
    -------
    tuple of two floats

    Raises
    ------
    TypeError
        If an argument is not a number.
    ValueError
        If one is out of range, or no ranks have this NDCG and this accuracy.

    Notes
    -----
    Cost: O(K).

    Examples
    --------
    >>> from isotropy_lab.retrieval import ndcg_deviation_bounds
    >>> [round(bound, 3) for bound in ndcg_deviation_bounds(0.296, 0.6687)]  # bge_large in Table II
    [0.209, 0.317]
    """
    mean = _checks.check_real(ndcg, "ndcg", low=0.0, high=1.0)
    share = _checks.check_real(accuracy, "accuracy", low=0.0, high=1.0)
    last = _checks.check_integer(k, "k", low=1)
    gains = 1.0 / np.log2(1.0 + np.arange(last, 0, -1))  # ascending
    _check_ndcg_possible(mean, share, float(gains[0]), last)
    if share == 0:
        return 0.0, 0.0
    hit = float(np.clip(mean / share, gains[0], 1.0))
    least = float(np.interp(hit, gains, gains**2))  # the chord between neighboring ranks
    most = float(np.interp(hit, gains[[0, -1]], gains[[0, -1]] ** 2))
    low, high = (math.sqrt(max(share * square - mean**2, 0.0)) for square in (least, most))
    return low, high


def _check_some_sizes(number: int, name: str) -> None:
    """Raise ValueError if no size is given."""
    if number == 0:
        raise ValueError(f"{name} is empty; expected at least one number of questions")


def _check_width_possible(root: float, width: float, deviation: float) -> None:
    """Raise ValueError if an interval is so narrow that no number of questions gives it."""
    if not root < 1e150:
        raise ValueError(
            f"width is {width:g} at a deviation of {deviation:g}, for which no number of questions will do; expected a "
            "wider interval"
        )


def _check_ndcg_possible(ndcg: float, accuracy: float, least_gain: float, k: int) -> None:
    """Raise ValueError unless ranks exist with this NDCG and this share within the first k."""
    low, high = accuracy * least_gain, accuracy
    if not low - 1e-12 <= ndcg <= high + 1e-12:
        raise ValueError(
            f"ndcg is {ndcg:g} at an accuracy of {accuracy:g}; expected a number from {low:.4g} (all hits at rank {k}) "
            f"to {high:g} (all at rank 1)"
        )
