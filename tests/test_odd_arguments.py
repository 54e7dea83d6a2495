"""Tests that public functions with odd arguments return finite numbers or name the argument in an error.

`ISOTROPY_LAB_FUZZ=100` draws a hundred times as many calls, from a new seed (`make fuzz`). Hypothesis shrinks
failing calls.
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

FACTOR = int(os.environ.get("ISOTROPY_LAB_FUZZ", "1"))
PACKAGES = (
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
#: Readers are fuzzed with files, and pages take seconds and call the other functions.
EXCLUDED = ("read_qrels", "compare", "drift_report", "report_card")
#: Words that messages may contain instead of a parameter: blocks and ranks are parts of one, overflow and
#: underflow concern all data, Python refuses values without truth, and scikit-learn checks its transformers.
ALSO_NAMED = ("block", "ranks", "rescaled data", "truth value", "boolean value")
OF_SCIKIT_LEARN = ("array", "string", "data")
#: Functions whose docstrings permit infinite results.
MAY_BE_INFINITE = (
    "separability",
    *("kl_curve", "forced_scale_kl", "scale_normalized_kl", "projection_quality"),
    "consistency_profile",
)
#: Larger values of these only take longer.
FEW = {"n_resamples": 60, "n_pairs": 200, "max_rows": 50, "n_clouds": 2}
COSTLY = (*FEW, "n_points", "n_threads", "n_questions")

RNG = np.random.default_rng(0)
RANKS = RNG.integers(1, 25, 8)
X, SMALL, WORDS = RNG.standard_normal((24, 5)), RNG.standard_normal((8, 5)), RNG.standard_normal((6, 5))
ORDINARY: dict[str, Any] = {
    **dict.fromkeys(("X", "A", "B", "documents"), X), "Y": RNG.standard_normal((24, 5)), "questions": SMALL,
    "domain": X[:9], "agnostic": X[9:18], "cov": SMALL.T @ SMALL, "eigenvalues": RNG.exponential(size=4),
    "gold": RNG.integers(0, 24, 8), "folds": np.arange(8) % 2, "ranks": RANKS, "ranks_a": RANKS,
    "ranks_b": RANKS[::-1], "models": {"a": RANKS, "b": RANKS[::-1], "c": RANKS + 1},
    "similarities": -np.sort(-RNG.uniform(-1, 1, (8, 3)), axis=1),
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
BY_PACKAGE = {
    "isotropy_lab.projection": {"Y": X[:, :2]},
    "isotropy_lab.association": {"A": WORDS, "B": WORDS[::-1] + 1},
    "isotropy_lab.retrieval": {"groups": np.arange(8) % 6},
}

SCALARS = (
    None, True, False, 0, 1, -1, 10**6, 2**31, 10**30, -(10**30), 0.0, -0.0, math.nan, math.inf, -math.inf,
    1e300, 5e-324, "", "x", "cosine", "1", b"x", "\ud800", [], [1], [1.0, 2.0], (2, 5), {}, {"a": 1}, 1 + 2j,
    object, len, range(3), np.int64(3), np.int8(-3), np.float32(0.5), np.bool_(True), np.array(3),
    np.array([1, 2]), np.datetime64("2020-01-01"), pd.NA, fractions.Fraction(1, 3), frozenset({1}),
)  # fmt: skip
ODD_ARRAYS: tuple[Callable[[Any], Any], ...] = (
    *(lambda a, n=n: a[:n] for n in (0, 1, 2, 3, -1)),
    lambda a: a[..., :0], lambda a: a[..., :1], lambda a: a.ravel(), lambda a: a[None], lambda a: a.flat[0],
    lambda a: a.T,
    *(lambda a, kind=kind: a.astype(kind)
      for kind in (object, str, "float32", "float16", "int8", ">f8", bool, complex)),
    *(lambda a, size=size: size * a for size in (0, 1e-170, 1e-300, 1e160, 1e300, -1)),
    lambda a: a + 1e15, lambda a: a - a.mean(axis=0), lambda a: np.ones_like(a), lambda a: 1.0 + 1e-16 * a,
    lambda a: np.repeat(a[:1], len(a), axis=0), lambda a: np.concatenate([a[: len(a) // 2]] * 2),
    lambda a: a.tolist(), lambda a: pd.DataFrame(a), lambda a: np.asfortranarray(a),
    lambda a: np.ma.masked_less(a, 0), lambda a: a[::-1, ::-1], lambda a: sparse.csr_array(a),
    lambda a: [[1.0, 2.0], [3.0]], lambda a: iter(a), lambda a: -np.abs(np.rint(a)),
)  # fmt: skip


def public_functions() -> dict[str, Callable[..., Any]]:
    """Return all public functions by package and name; transformers are called by fit_transform."""
    by_name: dict[str, Callable[..., Any]] = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) and name not in EXCLUDED:
                by_name[f"{package}.{name}"] = value
            elif package.endswith("transforms"):
                by_name[f"{package}.{name}"] = fit_transform_of(value)
    return by_name


def fit_transform_of(transformer: Any) -> Callable[..., Any]:
    def fit_transform(X: Any, **options: Any) -> Any:
        return transformer(**options).fit_transform(X)

    first = inspect.Parameter("X", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    options = inspect.signature(transformer).parameters.values()
    fit_transform.__signature__ = inspect.Signature([first, *options])  # type: ignore[attr-defined]
    return fit_transform


def with_entry(array: Any, position: int, value: float) -> Any:
    changed = np.array(array, dtype=np.float64)
    changed.flat[position % changed.size] = value
    return changed


def alter_entry(mapping: Any, key: Any, odd_value: Any) -> Any:
    """Replace or remove an entry, or alter an entry that is itself a mapping."""
    if odd_value is len:
        return {name: value for name, value in mapping.items() if name != key}
    inner = mapping[key]
    deeper = isinstance(inner, dict) and inner and odd_value is not None
    return mapping | {key: alter_entry(inner, next(iter(inner)), odd_value) if deeper else odd_value}


def odd_value(parameter: inspect.Parameter, value: Any, docstring: str) -> st.SearchStrategy[Any]:
    """Draw a value for an argument, based on its usual value, its annotation, and the documented words."""
    scalars = st.sampled_from(SCALARS)
    if parameter.name in COSTLY:
        scalars = scalars.filter(lambda scalar: not (isinstance(scalar, int) and abs(scalar) > 1000))
    if isinstance(value, np.ndarray):
        entries = st.sampled_from([math.nan, math.inf, 1e300, 1e-300, 0.0])
        drawn = st.builds(with_entry, st.just(value), st.integers(0, value.size - 1), entries)
        return st.sampled_from(ODD_ARRAYS).map(lambda make: try_on(make, value)) | drawn | scalars
    if isinstance(value, dict):
        return st.builds(alter_entry, st.just(value), st.sampled_from(list(value)), scalars) | scalars
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


def try_on(make: Callable[[Any], Any], value: Any) -> Any:
    """Make an array odd, or return it unchanged if this kind of oddity does not apply."""
    try:
        with np.errstate(all="ignore"):
            return make(value)
    except (IndexError, ValueError, TypeError, NotImplementedError):
        return value


def range_in(docstring: str) -> tuple[float, float]:
    """Return the range that the Returns section of a docstring gives for a number, such as "In [0, 1]"."""
    returns = docstring.partition("Returns\n")[2].partition("Raises\n")[0].replace("−", "-")
    match = re.search(r"-+\n\s+float\n[\s\S]*?[Ii]n [\[(](-?[\d.]+), (-?[\d.]+)[\])]", returns)
    return (float(match[1]), float(match[2])) if match else (-math.inf, math.inf)


def check_numbers(result: Any, *, infinite: bool) -> None:
    """Raise AssertionError if a result or a part of it is NaN, or infinite without permission."""
    if isinstance(result, (float, np.floating, np.ndarray)) and np.asarray(result).dtype.kind in "fc":
        assert not np.isnan(result).any()
        assert infinite or np.isfinite(result).all()
    elif isinstance(result, pd.DataFrame):
        check_numbers([column.to_numpy() for _, column in result.items()], infinite=infinite)
    elif dataclasses.is_dataclass(result):
        check_numbers([getattr(result, f.name) for f in dataclasses.fields(result)], infinite=infinite)
    elif isinstance(result, (list, tuple, Mapping)):
        for value in result.values() if isinstance(result, Mapping) else result:
            check_numbers(value, infinite=infinite)


def content(value: Any) -> Any:
    """Return the content of an argument that must not change."""
    plain = isinstance(value, np.ndarray) and value.dtype.kind != "O"
    return np.ma.getdata(value).tobytes() if plain else None


def try_call(where: str, function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Call a function, which must return numbers in range or name an argument, and leave data unchanged."""
    package, _, name = where.rpartition(".")
    names = (
        *inspect.signature(function).parameters,
        *ALSO_NAMED,
        *(OF_SCIKIT_LEARN if package.endswith("transforms") else ()),
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
        # NumPy's LinAlgError is a ValueError, too, but does not name an argument.
        is_builtin = type(error).__module__ == "builtins"
        if not is_builtin or not any(
            re.search(rf"(?<!\w){re.escape(word)}(?!\w)", str(error)) for word in names
        ):
            raise
    else:
        check_numbers(result, infinite=name in MAY_BE_INFINITE)
        if isinstance(result, float):
            low, high = range_in(function.__doc__ or "")
            assert low - 1e-9 <= result <= high + 1e-9
    assert {key: content(value) for key, value in arguments.items()} == before


def inverse(X: float) -> float:
    """Return 1 / X.

    Returns
    -------
    float
        In [0, 1].
    """
    if X < 0:
        raise ValueError("X is below 0" if X < -1 else "a minus")
    return float(np.float64(1.0) / np.float64(X))


FAULTY_CALLS = [
    (0.0, RuntimeWarning),
    (math.nan, AssertionError),
    (0.5, AssertionError),
    (-0.5, ValueError),
    ("1", TypeError),
]


@pytest.mark.parametrize(("X", "error"), FAULTY_CALLS)
def test_faulty_calls_are_detected(X: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        try_call("moments.inverse", inverse, {"X": X})
    for accepted in (2.0, -2.0):
        try_call("moments.inverse", inverse, {"X": accepted})


@pytest.mark.parametrize("where", public_functions())
@settings(
    max_examples=12 * FACTOR,
    deadline=None,
    derandomize=FACTOR == 1,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_calls_return_numbers_or_name_the_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, data: st.DataObject
) -> None:
    monkeypatch.chdir(tmp_path)  # a word taken for a path must not name a file
    ORDINARY["path"].unlink(missing_ok=True)
    function, package = public_functions()[where], where.rpartition(".")[0]
    known, parameters = (ORDINARY | FEW | BY_PACKAGE.get(package, {}), inspect.signature(function).parameters)
    unknown = [name for name, p in parameters.items() if p.default is p.empty and name not in known]
    assert not unknown, f"ORDINARY has no argument for {unknown}"
    arguments = {
        name: known[name]
        for name, p in parameters.items()
        if p.default is p.empty or name in FEW or name in ("rng", "k", "n_neighbors", "perplexity")
    }
    first = next(iter(parameters))
    chosen = st.lists(st.sampled_from([*parameters, first, first]), max_size=2, unique=True)
    for name in data.draw(chosen):
        value = arguments.get(name, parameters[name].default)
        arguments[name] = data.draw(odd_value(parameters[name], value, function.__doc__ or ""), label=name)
    try_call(where, function, arguments)
