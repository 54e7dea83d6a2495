"""What a call may do: give finite numbers within the range that its docstring names, or refuse in words."""

from __future__ import annotations

import dataclasses
import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

#: A divergence without bound, dependent words, a margin where there was nothing to decide: their docstrings say so.
MAY_BE_INFINITE = frozenset(
    {
        *("kl_at_infinity", "kl_curve", "forced_scale_kl", "scale_normalized_kl", "projection_quality"),
        *("condition_numbers", "consistency_index", "consistency_profile"),
    }
)


REFUSALS = (ValueError, TypeError, OSError, FileNotFoundError, FileExistsError, IsADirectoryError)


class Outcome(NamedTuple):
    """How a case ended: "result", "refused" or a kind of finding, with what was found."""

    kind: str
    said: str = ""


def outcome_of(
    call: Callable[[], Any], judge: Callable[[Any], str | None], names: tuple[str, ...]
) -> Outcome:
    """Make a call and judge it; a refusal must have one of `names` in it as a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            result = call()
        except MemoryError:
            return Outcome("memory", "MemoryError")
        except ImportError as error:  # an extra that is not installed
            known = "needs the package" in str(error)
            return Outcome("refused" if known else "other error", str(error)[:200])
        except Exception as error:
            # numpy's LinAlgError and others are ValueErrors, too, but say nothing of an argument.
            if type(error) not in REFUSALS:
                return Outcome("other error", f"{type(error).__name__}: {str(error)[:200]}")
            text = str(error)
            if not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names):
                return Outcome("argument not named", f"{type(error).__name__}: {text[:200]}")
            return Outcome("refused", text[:200])
    wrong = judge(result)
    return Outcome("wrong result", wrong) if wrong else Outcome("result")


def range_in(docstring: str) -> tuple[float, float] | None:
    """Return the range that the section Returns of a docstring gives for a number, such as "In [0, 1]"."""
    returns = (docstring.partition("Returns\n")[2]).partition("Raises\n")[0]
    if not re.search(r"-+\n\s+float\n", returns):
        return None
    found = re.search(r"[Ii]n [\[(]([−-]?\d+(?:\.\d+)?), ([−-]?\d+(?:\.\d+)?)[\])]", returns)
    return (float(found[1].replace("−", "-")), float(found[2])) if found else None


def wrong_number(result: Any, *, where: str = "", infinite: bool = False) -> str | None:
    """Say where a result, or what it holds, is NaN or infinite; None if nowhere."""
    if isinstance(result, (float, np.floating)):
        bad = math.isnan(result) or (math.isinf(result) and not infinite)
        return f"{where or 'the result'} is {result}" if bad else None
    if isinstance(result, np.ndarray):
        bad = result.dtype.kind in "fc" and not (
            np.isfinite(result).all() if not infinite else not np.isnan(result).any()
        )
        return f"{where or 'the result'} has NaN or infinity" if bad else None
    if isinstance(result, pd.DataFrame):
        parts: Any = ((str(name), column.to_numpy()) for name, column in result.items())
    elif dataclasses.is_dataclass(result):
        parts = ((field.name, getattr(result, field.name)) for field in dataclasses.fields(result))
    elif isinstance(result, Mapping):
        parts = ((str(key), value) for key, value in result.items())
    elif isinstance(result, (list, tuple)):
        parts = ((f"[{i}]", value) for i, value in enumerate(result))
    else:
        return None
    for name, value in parts:
        if wrong := wrong_number(value, where=f"{where}.{name}".lstrip("."), infinite=infinite):
            return wrong
    return None
