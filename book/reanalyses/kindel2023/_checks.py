"""Checks of arguments that several modules here share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks


def check_pairs(pairs: Any, name: str, columns: Sequence[str]) -> dict[str, npt.NDArray[np.float64]]:
    """Return columns of a table of word pairs as float64: there, numeric, finite, and norms above zero."""
    if not checks.is_frame(pairs):
        raise TypeError(f"{name} is {checks.describe(pairs)}; expected a DataFrame as word_pairs makes it")
    missing = [column for column in columns if column not in pairs.columns]
    if missing:
        hint = ": join the pairs of two groups with two_groups" if "X" in missing else ""
        raise ValueError(
            f"{name} lacks the columns {', '.join(missing)} (it has {', '.join(map(str, pairs.columns))}); "
            f"expected pairs as word_pairs makes them{hint}"
        )
    if len(pairs) == 0:
        raise ValueError(f"{name} has no pairs; expected at least one")
    found = {}
    for column in columns:
        values = checks.as_array(pairs[column].to_numpy(), f"{name}[{column!r}]", ndim=1)
        found[column] = np.asarray(values, dtype=np.float64)
        checks.raise_if_not_finite(found[column], f"{name}[{column!r}]", unit="entry")
        if column in ("lnw", "norm_a", "norm_b") and not (found[column] > 0).all():
            where = int(np.argmin(found[column]))
            raise ValueError(
                f"{name}[{column!r}] is {found[column][where]:g} in entry {where}; expected lengths above 0: drop the "
                "zero vectors"
            )
    if "X" in columns:
        values = found["X"]
        if not np.isin(values, (0, 1)).all():
            where = int(np.flatnonzero(~np.isin(values, (0, 1)))[0])
            raise ValueError(f"{name}['X'] is {values[where]:g} in entry {where}; expected 0 or 1")
        if values.min() == values.max():
            raise ValueError(
                f"{name}['X'] is {values[0]:g} in all {values.size} entries; expected pairs of two groups, 0 and 1"
            )
    return found


def check_identified(aliased: Sequence[str], why: str) -> None:
    """Raise ValueError if a quantity needs a coefficient that the data do not identify."""
    if aliased:
        raise ValueError(
            f"pairs does not identify {'; '.join(aliased)}; expected pairs whose lengths vary within each group: {why}"
        )


def check_frequencies(
    words: Sequence[Any], frequencies: Any, name: str = "frequencies"
) -> npt.NDArray[np.float64]:
    """Return the frequency of every word from a mapping or a Series, all finite."""
    if not hasattr(frequencies, "keys"):
        raise TypeError(
            f"{name} is {checks.describe(frequencies)}; expected a mapping or a Series from word to frequency"
        )
    missing = sorted({str(word) for word in words if word not in frequencies})
    if missing:
        listed = ", ".join(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        raise ValueError(
            f"{name} lacks {checks.how_many(len(missing), 'word')} of the pairs ({listed}); expected a frequency for every word: "
            "drop their pairs or add them"
        )
    try:
        values = np.array([float(frequencies[word]) for word in words])
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name} does not give one number for a word ({error}); expected a number for every word, once"
        ) from error
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"{name} gives {values[bad[0]]} for {words[bad[0]]}; expected finite numbers")
    return values
