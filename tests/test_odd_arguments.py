"""Tests of every public function with odd arguments, which give finite numbers or an error message.

`ISOTROPY_LAB_FUZZ=100` draws a hundred times as many calls, from a new seed (`make fuzz`). Hypothesis shrinks
what it finds.
"""

import dataclasses
import fractions
import importlib
import inspect
import math
import os
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from isotropy_lab import projection, retrieval
from isotropy_report import report_card

TIMES = int(os.environ.get("ISOTROPY_LAB_FUZZ", "1"))
WINGS = (
    "isotropy_lab.isotropy",
    "isotropy_lab.association",
    "isotropy_lab.projection",
    "isotropy_lab.retrieval",
    "isotropy_lab._core.moments",
    "isotropy_lab.transforms",
    "isotropy_report.measures",
    "isotropy_report.card",
    "isotropy_report.comparison",
)
#: Those that read files are fuzzed with files; the pages take seconds and call the rest.
LEFT_OUT = ("read_qrels", "compare", "drift_report", "report_card")
#: What messages may name instead of a parameter: blocks and ranks are parts of one, an over- or underflow is
#: that of all data, Python itself refuses what is neither true nor false, and scikit-learn checks what its
#: transformers are given.
ALSO_NAMED = ("block", "ranks", "rescaled data", "truth value", "boolean value")
OF_SCIKIT_LEARN = ("array", "string", "data")
#: Unbounded divergence, dependent words, a margin without a decision: as their docstrings say.
MAY_BE_INFINITE = (
    "separability",
    *("kl_curve", "forced_scale_kl", "scale_normalized_kl", "projection_quality"),
    "consistency_profile",
)
#: More of these only takes longer.
FEW = {"n_resamples": 60, "n_pairs": 200, "max_rows": 50, "n_clouds": 2}
COSTLY = (*FEW, "n_points", "n_threads", "n_questions")

RNG = np.random.default_rng(0)
RANKS = RNG.integers(1, 25, 8)
X, SMALL, WORDS = RNG.standard_normal((24, 5)), RNG.standard_normal((8, 5)), RNG.standard_normal((6, 5))
IN_ORDER: dict[str, Any] = {
    **dict.fromkeys(("X", "A", "B", "documents"), X), "Y": RNG.standard_normal((24, 5)), "questions": SMALL,
    "domain": X[:9], "agnostic": X[9:18], "cov": SMALL.T @ SMALL, "eigenvalues": RNG.exponential(size=4),
    "gold": RNG.integers(0, 24, 8), "folds": np.arange(8) % 2, "ranks": RANKS, "ranks_a": RANKS,
    "ranks_b": RANKS[::-1],
    "models": {"a": RANKS, "b": RANKS[::-1], "c": RANKS + 1}, "similarities": -np.sort(-RNG.uniform(-1, 1, (8,
    3)), axis=1),
    "samples": retrieval.similarity_samples(SMALL, X, np.arange(8), k=3, rng=0),
    "best": retrieval.top_k(SMALL, X, 3), "question_ids": [f"q{i}" for i in range(8)],
    "document_ids": [f"d{i}" for i in range(24)], "path": Path("new.run"),
    "run": {f"q{i}": {f"d{j}": 1 / (i + j + 1) for j in range(4)} for i in range(3)},
    "qrels": {f"q{i}": {"d0": 1, f"d{i + 1}": i} for i in range(3)},
    "curves": [projection.stress_curve(X, X[:, [i, 3]] * (i + 1), [0.5, 1.0]) for i in range(3)],
    "scales": [0.0, 0.5, 2.0], "k": 3, "k_a": 4, "k_b": 5, "p": 9, "n_neighbors": 4, "perplexity": 4.0,
    "threshold": 0.1, "psi": 40.0, "metric": "accuracy", "r": 0.4, "r_ab": 0.4, "r_ac": 0.3, "r_bc": 0.5,
    "card": report_card(RNG.standard_normal((40, 4))).to_dict(),
    "pool": RNG.standard_normal((60, 5)), "words": WORDS[:5], "W": WORDS, "C": WORDS + 0.3, "D": WORDS[::-1],
    "rng": 0, "accuracies": {"a": "0.5", "b": "70%"}, "n_questions": 10,
}  # fmt: skip
OF_WINGS = {
    "isotropy_lab.projection": {"Y": X[:, :2]},
    "isotropy_lab.association": {"A": WORDS, "B": WORDS[::-1] + 1},
    "isotropy_lab.retrieval": {"groups": np.arange(8) % 6},
}

SCALARS = (
    *(None, True, False, 0, 1, -1, 10**6, 2**31, 10**30, -(10**30), 0.0, -0.0, math.nan, math.inf, -math.inf,
    1e300, 5e-324),
    *("", "x", "cosine", "1", b"x", "\ud800", [], [1], [1.0, 2.0], (2, 5), {}, {"a": 1}, 1 + 2j, object, len,
    range(3)),
    *(np.int64(3), np.int8(-3), np.float32(0.5), np.bool_(True), np.array(3), np.array([1, 2]),
    np.datetime64("2020-01-01")),
    *(pd.NA, fractions.Fraction(1, 3), frozenset({1})),
)  # fmt: skip
ODD_ARRAYS: tuple[Callable[[Any], Any], ...] = (
    *(lambda a, n=n: a[:n] for n in (0, 1, 2, 3, -1)),
    *(lambda a: a[..., :0], lambda a: a[..., :1], lambda a: a.ravel(), lambda a: a[None], lambda a: a.flat[0],
    lambda a: a.T),
    *(lambda a, kind=kind: a.astype(kind) for kind in (object, str, "float32", "float16", "int8", ">f8", bool,
    complex)),
    *(lambda a, size=size: size * a for size in (0, 1e-170, 1e-300, 1e160, 1e300, -1)),
    *(lambda a: a + 1e15, lambda a: a - a.mean(axis=0), lambda a: np.ones_like(a), lambda a: 1.0 + 1e-16 * a),
    *(lambda a: np.repeat(a[:1], len(a), axis=0), lambda a: np.concatenate([a[: len(a) // 2]] * 2),
    lambda a: a.tolist()),
    *(lambda a: pd.DataFrame(a), lambda a: np.asfortranarray(a), lambda a: np.ma.masked_less(a, 0),
    lambda a: a[::-1, ::-1]),
    *(lambda a: sparse.csr_array(a), lambda a: [[1.0, 2.0], [3.0]], lambda a: iter(a),
    lambda a: -np.abs(np.rint(a))),
)  # fmt: skip


def functions() -> dict[str, Callable[..., Any]]:
    """Return all public functions, and fit and transform of transformers as one, by area and name."""
    found: dict[str, Callable[..., Any]] = {}
    for wing in WINGS:
        module = importlib.import_module(wing)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing) and name not in LEFT_OUT:
                found[f"{wing}.{name}"] = thing
            elif wing.endswith("transforms"):
                found[f"{wing}.{name}"] = fitting(thing)
    return found


def fitting(transformer: Any) -> Callable[..., Any]:
    def fit_transform(X: Any, **given: Any) -> Any:
        return transformer(**given).fit_transform(X)

    first = inspect.Parameter("X", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    options = inspect.signature(transformer).parameters.values()
    fit_transform.__signature__ = inspect.Signature([first, *options])  # type: ignore[attr-defined]
    return fit_transform


def with_entry(array: Any, place: int, value: float) -> Any:
    out = np.array(array, dtype=np.float64)
    out.flat[place % out.size] = value
    return out


def altered(mapping: Any, key: Any, odd: Any) -> Any:
    """Replace or remove an entry, or alter an entry that is itself a mapping."""
    if odd is len:
        return {name: value for name, value in mapping.items() if name != key}
    inner = mapping[key]
    deeper = isinstance(inner, dict) and inner and odd is not None
    return mapping | {key: altered(inner, next(iter(inner)), odd) if deeper else odd}


def odd(parameter: inspect.Parameter, value: Any, docstring: str) -> st.SearchStrategy[Any]:
    """Draw a value for an argument, based on its usual value, its annotation, and the documented words."""
    scalars = st.sampled_from(SCALARS)
    if parameter.name in COSTLY:
        scalars = scalars.filter(lambda one: not (isinstance(one, int) and abs(one) > 1000))
    if isinstance(value, np.ndarray):
        entries = st.sampled_from([math.nan, math.inf, 1e300, 1e-300, 0.0])
        drawn = st.builds(with_entry, st.just(value), st.integers(0, value.size - 1), entries)
        return st.sampled_from(ODD_ARRAYS).map(lambda make: made(make, value)) | drawn | scalars
    if isinstance(value, dict):
        return st.builds(altered, st.just(value), st.sampled_from(list(value)), scalars) | scalars
    annotation = str(parameter.annotation)
    listed = re.search(rf"^\s*[\w, ]*\b{parameter.name}\b[\w, ]* : \{{([^}}]*)\}}", docstring, re.MULTILINE)
    words = re.findall(r'"([^"]+)"', listed[1]) if listed else []
    return st.one_of(
        *([st.sampled_from(words)] if words else []),
        *([st.booleans()] if "bool" in annotation else []),
        *([st.integers(-3, 40)] if "int" in annotation else []),
        *([st.floats()] if "float" in annotation else []),
        scalars,
    )


def made(make: Callable[[Any], Any], value: Any) -> Any:
    """Make an array odd, or return it unchanged if this kind of oddity does not apply."""
    try:
        with np.errstate(all="ignore"):
            return make(value)
    except (IndexError, ValueError, TypeError, NotImplementedError):
        return value


def range_in(docstring: str) -> tuple[float, float]:
    """Return the range that the Returns section of a docstring gives for a number, such as "In [0, 1]"."""
    returns = docstring.partition("Returns\n")[2].partition("Raises\n")[0].replace("−", "-")
    found = re.search(r"-+\n\s+float\n[\s\S]*?[Ii]n [\[(](-?[\d.]+), (-?[\d.]+)[\])]", returns)
    return (float(found[1]), float(found[2])) if found else (-math.inf, math.inf)


def check_numbers(result: Any, *, infinite: bool) -> None:
    """Raise AssertionError if a result or a part of it is NaN, or infinite without permission."""
    if isinstance(result, (float, np.floating, np.ndarray)) and np.asarray(result).dtype.kind in "fc":
        assert not np.isnan(result).any()
        assert infinite or np.isfinite(result).all()
    elif isinstance(result, pd.DataFrame):
        check_numbers([column.to_numpy() for _, column in result.items()], infinite=infinite)
    elif dataclasses.is_dataclass(result):
        check_numbers([getattr(result, one.name) for one in dataclasses.fields(result)], infinite=infinite)
    elif isinstance(result, (list, tuple, Mapping)):
        for value in result.values() if isinstance(result, Mapping) else result:
            check_numbers(value, infinite=infinite)


def content(value: Any) -> Any:
    """Return the content of an argument that must not change."""
    plain = isinstance(value, np.ndarray) and value.dtype.kind != "O"
    return np.ma.getdata(value).tobytes() if plain else None


def try_call(where: str, function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Call a function, which must return numbers in range or name an argument, and leave data unchanged."""
    wing, _, name = where.rpartition(".")
    names = (
        *inspect.signature(function).parameters,
        *ALSO_NAMED,
        *(OF_SCIKIT_LEARN if wing.endswith("transforms") else ()),
    )
    before = {key: content(value) for key, value in arguments.items()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            result = function(**arguments)
    except ImportError as error:
        if "needs the package" not in str(error):
            raise
    except (ValueError, TypeError, OSError) as error:
        # NumPy's LinAlgError and others are ValueErrors, too, but say nothing of an argument.
        own = type(error).__module__ == "builtins"
        if not own or not any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", str(error)) for one in names):
            raise
    else:
        check_numbers(result, infinite=name in MAY_BE_INFINITE)
        if isinstance(result, float):
            low, high = range_in(function.__doc__ or "")
            assert low - 1e-9 <= result <= high + 1e-9
    assert {key: content(value) for key, value in arguments.items()} == before


def divides(X: float) -> float:
    """Return 1 / X.

    Returns
    -------
    float
        In [0, 1].
    """
    if X < 0:
        raise ValueError("X is below 0" if X < -1 else "a minus")
    return float(np.float64(1.0) / np.float64(X))


FOUND = [
    (0.0, RuntimeWarning),
    (math.nan, AssertionError),
    (0.5, AssertionError),
    (-0.5, ValueError),
    ("1", TypeError),
]


@pytest.mark.parametrize(("X", "error"), FOUND)
def test_what_is_neither_a_number_nor_a_refusal_in_words_is_found(X: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        try_call("moments.divides", divides, {"X": X})
    for accepted in (2.0, -2.0):
        try_call("moments.divides", divides, {"X": accepted})


@pytest.mark.parametrize("where", functions())
@settings(
    max_examples=12 * TIMES,
    deadline=None,
    derandomize=TIMES == 1,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_call_gives_numbers_or_names_the_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, data: st.DataObject
) -> None:
    monkeypatch.chdir(tmp_path)  # a word that is taken for a path names no file
    IN_ORDER["path"].unlink(missing_ok=True)
    function, wing = functions()[where], where.rpartition(".")[0]
    known, parameters = IN_ORDER | FEW | OF_WINGS.get(wing, {}), inspect.signature(function).parameters
    unknown = [name for name, one in parameters.items() if one.default is one.empty and name not in known]
    assert not unknown, f"IN_ORDER has no argument for {unknown}"
    arguments = {
        name: known[name]
        for name, one in parameters.items()
        if one.default is one.empty or name in FEW or name in ("rng", "k", "n_neighbors", "perplexity")
    }
    first = next(iter(parameters))
    chosen = st.lists(st.sampled_from([*parameters, first, first]), max_size=2, unique=True)
    for name in data.draw(chosen):
        value = arguments.get(name, parameters[name].default)
        arguments[name] = data.draw(odd(parameters[name], value, function.__doc__ or ""), label=name)
    try_call(where, function, arguments)
