"""Table 1 of Rudman et al. (2022): the rule that turns curves into passes and failures, and the reported marks.

The paper states what a score should do in each test but does not define "near". Here, one tolerance applies
to all tests: "near t" means within `TOLERANCE` of t. No tolerance reproduces the printed table; see
`agreement`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MeatballStart = Literal["at-zero", "anywhere"]

#: "Near t" means within this distance of t.
TOLERANCE = 0.1
#: Increases (decreases) up to this amount count as sampling error in "falls" and "rises": these curves
#: transform one cloud and vary less.
SAMPLING_ERROR = 0.02

#: Columns of Table 1 in order, by the name of the function in this package.
SCORES = ("isoscore", "average_cosine_score", "partition_score", "id_score", "varex_score")

#: Rows of Table 1, with the curves by which each is judged.
TESTS: dict[str, tuple[str, ...]] = {
    "1. Mean agnostic": ("mean_agnostic",),
    "2. Scalar covariance": ("scalar_covariance",),
    "3. Maximum variance": ("maximum_variance",),
    "4. Rotation invariance": ("rotation_invariance",),
    "5. Dimensions used": ("dimensions_used_fraction", "dimensions_used_high"),
    "6. Global stability": ("skewered_meatball",),
}

#: Published marks in Table 1, with columns as in `SCORES`.
PRINTED: dict[str, tuple[bool, ...]] = {
    "1. Mean agnostic": (True, False, False, True, True),
    "2. Scalar covariance": (True, False, False, True, True),
    "3. Maximum variance": (True, False, True, False, False),
    "4. Rotation invariance": (True, True, False, True, True),
    "5. Dimensions used": (True, False, False, False, False),
    "6. Global stability": (True, False, True, True, False),
}

#: The rule for every curve as text, with tolerance t.
RULES: dict[str, str] = {
    "mean_agnostic": "every value is within t of 1",
    "scalar_covariance": "every value is within t of 1",
    "maximum_variance": "the first value is within t of 1, the last within t of 0, and no value rises",
    "rotation_invariance": "the largest and the smallest value differ by no more than t",
    "dimensions_used_fraction": "every value is within t of (k − 1)/(n − 1): in a line from 0 to 1",
    "dimensions_used_high": "every value is within t of 1",
    "skewered_meatball": "the first value is within t of 0, the value at equal counts within t of 1/2, "
    "the last within t of 1, and no value falls",
}

Values = NDArray[np.float64]
Judgment = tuple[bool, str]


def property_table(curves: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the marks of Table 1 that follow from the curves of the six tests, with the reported marks.

    With the definitions of the paper's text, its sizes, and the default rule, 27 of the 30 printed marks
    follow. The partition score passes Test 4 if its directions are the eigenvectors, and neither the
    partition score (0.2) nor the ID score (0.33) starts Test 6 near 0. No tolerance gives more than 28 marks,
    in either version of Test 6: see `agreement`.
    """
    series = _series(curves)
    rows = []
    for test, names in TESTS.items():
        for score, published in zip(SCORES, PRINTED[test], strict=True):
            verdicts = [_judge(name, *series[name, score], TOLERANCE, "at-zero") for name in names]
            derived = all(passed for passed, _ in verdicts)
            rows.append(
                (test, score, derived, published, derived == published, "; ".join(why for _, why in verdicts))
            )
    return pd.DataFrame(rows, columns=["test", "score", "derived", "printed", "agrees", "why"])


def agreement(curves: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Count the reported marks that follow, for many tolerances and both versions of Test 6.

    The columns are tolerance, meatball_start, agreeing (of 30), and differing (which marks differ).
    """
    series = _series(curves)
    rows = []
    for start in get_args(MeatballStart):
        for tolerance in (np.arange(1, 50) / 100.0).tolist():
            differing = [
                f"{test.split('.')[0]}/{score}"
                for test, names in TESTS.items()
                for score, published in zip(SCORES, PRINTED[test], strict=True)
                if all(_judge(name, *series[name, score], tolerance, start)[0] for name in names) != published
            ]
            rows.append((tolerance, start, len(TESTS) * len(SCORES) - len(differing), ", ".join(differing)))
    return pd.DataFrame(rows, columns=["tolerance", "meatball_start", "agreeing", "differing"])


def _series(curves: Mapping[str, pd.DataFrame]) -> dict[tuple[str, str], tuple[Values, Values]]:
    """Return the parameters and values of each curve and score; parameters that are names become indices."""
    needed = [name for names in TESTS.values() for name in names]
    series = {}
    for name in needed:
        for score in SCORES:
            rows = curves[name].loc[curves[name]["score"] == score]
            has_names = name == "rotation_invariance"
            parameters = np.arange(len(rows)) if has_names else rows["parameter"].to_numpy()
            series[name, score] = (parameters.astype(np.float64), rows["value"].to_numpy(dtype=np.float64))
    return series


def _judge(name: str, parameters: Values, values: Values, tolerance: float, start: MeatballStart) -> Judgment:
    if name == "rotation_invariance":
        spread = float(np.ptp(values))
        return spread <= tolerance, f"spread {spread:.3g}"
    if name == "skewered_meatball":
        return _judge_meatball(parameters, values, tolerance, start)
    return _JUDGES[name](parameters, values, tolerance)


def _judge_constant(parameters: Values, values: Values, tolerance: float) -> Judgment:
    worst = int(np.abs(values - 1.0).argmax())
    why = f"furthest from 1: {values[worst]:.3g} at {parameters[worst]:g}"
    return bool(abs(values[worst] - 1.0) <= tolerance), why


def _judge_falling(parameters: Values, values: Values, tolerance: float) -> Judgment:
    rise = float((values - np.minimum.accumulate(values)).max())
    passed = abs(values[0] - 1.0) <= tolerance and abs(values[-1]) <= tolerance and rise <= SAMPLING_ERROR
    return bool(passed), f"from {values[0]:.3g} to {values[-1]:.3g}"


def _judge_linear(parameters: Values, values: Values, tolerance: float) -> Judgment:
    n = parameters.max()
    distances = np.abs(values - (parameters - 1.0) / (n - 1.0))
    worst = int(distances.argmax())
    why = f"furthest from the line: {values[worst]:.3g} at {parameters[worst]:g} of {n:g}"
    return bool(distances[worst] <= tolerance), why


def _judge_meatball(parameters: Values, values: Values, tolerance: float, start: MeatballStart) -> Judgment:
    # Counts are equal at 1,000 points, as for the paper's line. Other curves are judged at their middle value.
    middle = int(np.abs(parameters - 1_000.0).argmin())
    fall = float((np.maximum.accumulate(values) - values).max())
    passed = (
        (start == "anywhere" or abs(values[0]) <= tolerance)
        and abs(values[middle] - 0.5) <= tolerance
        and abs(values[-1] - 1.0) <= tolerance
        and fall <= SAMPLING_ERROR
    )
    return (bool(passed), f"{values[0]:.3g}, {values[middle]:.3g} at equal counts, {values[-1]:.3g}")


_JUDGES: dict[str, Callable[[Values, Values, float], Judgment]] = {
    "mean_agnostic": _judge_constant,
    "scalar_covariance": _judge_constant,
    "maximum_variance": _judge_falling,
    "dimensions_used_fraction": _judge_linear,
    "dimensions_used_high": _judge_constant,
}
