"""Random calls of all public functions: arguments in order, of which one or two are then made odd."""

from __future__ import annotations

import fractions
import functools
import importlib
import inspect
import math
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from benchmarks.fuzzing.outcomes import MAY_BE_INFINITE, Outcome, outcome_of, range_in, wrong_number
from isotropy_lab import projection, retrieval

WINGS = (
    "isotropy",
    "association",
    "projection",
    "retrieval",
    "comparison",
    "moments",
    "transforms",
    "report",
)

#: Those that read or write files are fuzzed with files; the pages take seconds and call the rest.
LEFT_OUT = frozenset({"read_run", "read_qrels", "compare", "drift_report", "report_card"})

#: What messages may name instead of a parameter: blocks and ranks are parts of one, an over- or underflow is that of all data,
#: and Python itself refuses what is neither true nor false.
ALSO_NAMED = ("block", "ranks", "rescaled data", "truth value", "boolean value")

#: scikit-learn checks what its transformers are given, and tests that they use its words.
OF_SCIKIT_LEARN = ("array", "string", "data")

#: More of these only takes longer.
COSTLY = frozenset({"n_resamples", "n_pairs", "n_splits", "n_clouds", "n_points", "n_threads", "n_questions"})
_FEW = {"n_resamples": 60, "n_pairs": 200, "n_splits": 40, "max_rows": 50, "n_clouds": 2}

SCALARS: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 10**6, 2**31, 10**30, -(10**30)),
    *(0.0, -0.0, 0.5, 1.0, 2.5, -0.5, math.nan, math.inf, -math.inf, 1e300, -1e300, 1e-300, 5e-324, 50.0),
    *("", "x", "cosine", "1", b"x", "\ud800", [], [1], [1.0, 2.0], (2, 5), {}, {"a": 1}, 1 + 2j),
    *(np.int64(3), np.int8(-3), np.float32(0.5), np.bool_(True), np.array(3), np.array([1, 2]), np.nan),
    *(fractions.Fraction(1, 3), object, len, range(3), frozenset({1}), np.datetime64("2020-01-01"), pd.NA),
)
_FEWER = tuple(value for value in SCALARS if not (isinstance(value, int) and abs(value) > 1000))


@functools.cache
def functions() -> dict[str, Callable[..., Any]]:
    """Return all public functions, and a transformer's fit and transform as one, by wing and name."""
    found: dict[str, Callable[..., Any]] = {}
    for wing in WINGS:
        module = importlib.import_module(f"isotropy_lab.{wing}")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing) and name not in LEFT_OUT:
                found[f"{wing}.{name}"] = thing
    transforms = importlib.import_module("isotropy_lab.transforms")
    for name in transforms.__all__:
        found[f"transforms.{name}"] = _fitting(getattr(transforms, name))
    return found


def _fitting(transformer: Any) -> Callable[..., Any]:
    options = inspect.signature(transformer).parameters

    def fit_transform(X: Any, **given: Any) -> Any:
        return transformer(**given).fit_transform(X)

    fit_transform.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("X", inspect.Parameter.POSITIONAL_OR_KEYWORD), *options.values()]
    )
    return fit_transform


# --- arguments in order -------------------------------------------------------------------------------------------


def in_order(wing: str, parameter: str, rng: np.random.Generator) -> Any:
    """Return an argument that a function of a wing takes, by its name; KeyError if there is none to give."""
    makers = _MAKERS | _OF_WINGS.get(wing, {})
    return makers[parameter](rng)


def _points(rows: int, columns: int) -> Callable[[np.random.Generator], Any]:
    return lambda rng: rng.standard_normal((rows, columns))


def _ranks(rng: np.random.Generator) -> Any:
    return rng.integers(1, 25, 8)


def _similarities(rng: np.random.Generator) -> Any:
    return -np.sort(-rng.uniform(-1, 1, (8, 3)), axis=1)


def _covariance(rng: np.random.Generator) -> Any:
    X = rng.standard_normal((9, 4))
    return X.T @ X


def _samples(rng: np.random.Generator) -> Any:
    return retrieval.similarity_samples(
        rng.standard_normal((8, 5)), rng.standard_normal((24, 5)), np.arange(8), k=3, rng=0
    )


def _separation(rng: np.random.Generator) -> Any:
    return retrieval.separation(rng.standard_normal((9, 5)), rng.standard_normal((9, 5)) + 1, rng=0)


def _best(rng: np.random.Generator) -> Any:
    return retrieval.top_k(rng.standard_normal((8, 5)), rng.standard_normal((24, 5)), 3)


def _curves(rng: np.random.Generator) -> Any:
    X = rng.standard_normal((9, 4))
    return [projection.stress_curve(X, X[:, [i, 3]] * (i + 1), [0.5, 1.0]) for i in range(3)]


def _run(rng: np.random.Generator) -> Any:
    return {f"q{i}": {f"d{j}": float(rng.random()) for j in range(4)} for i in range(3)}


def _qrels(rng: np.random.Generator) -> Any:
    return {f"q{i}": {"d0": 1, f"d{i + 1}": int(rng.integers(0, 3))} for i in range(3)}


@functools.cache
def _card() -> Any:
    from isotropy_lab.report import report_card

    return report_card(np.random.default_rng(0).standard_normal((40, 4)), transformations=False).to_dict()


def _new_file(rng: np.random.Generator) -> Any:
    return Path(tempfile.gettempdir()) / f"{rng.integers(10**9)}.run"


_MAKERS: dict[str, Callable[[np.random.Generator], Any]] = {
    "X": _points(24, 5),
    "Y": _points(24, 5),
    "A": _points(24, 5),
    "B": _points(24, 5),
    "questions": _points(8, 5),
    "documents": _points(24, 5),
    "domain": _points(9, 5),
    "agnostic": _points(9, 5),
    "cov": _covariance,
    "eigenvalues": lambda rng: rng.exponential(size=4),
    "gold": lambda rng: rng.integers(0, 24, 8),
    "folds": lambda rng: np.arange(8) % 2,
    "ranks": _ranks,
    "ranks_a": _ranks,
    "ranks_b": _ranks,
    "models": lambda rng: {"a": _ranks(rng), "b": _ranks(rng), "c": _ranks(rng)},
    "similarities": _similarities,
    "samples": _samples,
    "before": _separation,
    "after": _separation,
    "best": _best,
    "question_ids": lambda rng: [f"q{i}" for i in range(8)],
    "document_ids": lambda rng: [f"d{i}" for i in range(24)],
    "run": _run,
    "qrels": _qrels,
    "path": _new_file,
    "curves": _curves,
    "scales": lambda rng: [0.0, 0.5, 2.0],
    "k": lambda rng: 3,
    "q": lambda rng: 2,
    "k_a": lambda rng: 4,
    "k_b": lambda rng: 5,
    "p": lambda rng: 9,
    "n_neighbors": lambda rng: 4,
    "perplexity": lambda rng: 4.0,
    "threshold": lambda rng: 0.1,
    "psi": lambda rng: 40.0,
    "width": lambda rng: 0.1,
    "deviation": lambda rng: 0.3,
    "metric": lambda rng: "accuracy",
    "card": lambda rng: _card(),
    "frequencies": lambda rng: rng.uniform(1, 100, 6),
    "pool_frequencies": lambda rng: rng.uniform(1, 100, 300),
    "pool": _points(60, 5),
    "words": _points(5, 5),
    "W": _points(6, 5),
    "C": _points(6, 5),
    "D": _points(6, 5),
}
_OF_WINGS: dict[str, dict[str, Callable[[np.random.Generator], Any]]] = {
    "projection": {"Y": _points(24, 2)},
    "association": {"A": _points(6, 5), "B": _points(6, 5)},
}


# --- what makes an argument odd ---------------------------------------------------------------------------------


def _with_entry(a: Any, value: float, rng: np.random.Generator) -> Any:
    out = a.astype(np.float64)
    out.flat[int(rng.integers(out.size))] = value
    return out


def _mapped(a: Any) -> Any:
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file.name, a)
        return np.load(file.name, mmap_mode="r")


def _read_only(a: Any) -> Any:
    a = a.copy()
    a.flags.writeable = False
    return a


def _halves(a: Any) -> Any:
    return np.concatenate([a[: len(a) // 2], a[: len(a) - len(a) // 2]])


def _one_column_constant(a: Any) -> Any:
    out = a.copy()
    out[..., 0] = out.flat[0]
    return out


ODD_ARRAYS: dict[str, Callable[[Any, np.random.Generator], Any]] = {
    "NaN": lambda a, r: _with_entry(a, math.nan, r),
    "infinity": lambda a, r: _with_entry(a, math.inf, r),
    "one huge entry": lambda a, r: _with_entry(a, 1e300, r),
    "one tiny entry": lambda a, r: _with_entry(a, 1e-300, r),
    "no rows": lambda a, r: a[:0],
    "one row": lambda a, r: a[:1],
    "two rows": lambda a, r: a[:2],
    "three rows": lambda a, r: a[:3],
    "a row less": lambda a, r: a[:-1],
    "no columns": lambda a, r: a[..., :0],
    "one column": lambda a, r: a[..., :1],
    "one axis": lambda a, r: a.ravel(),
    "three axes": lambda a, r: a[None],
    "no axes": lambda a, r: a.flat[0],
    "turned": lambda a, r: a.T,
    "objects": lambda a, r: a.astype(object),
    "text": lambda a, r: a.astype(str),
    "lists": lambda a, r: a.tolist(),
    "ragged lists": lambda a, r: [[1.0, 2.0], [3.0]],
    "an empty list": lambda a, r: [],
    "float32": lambda a, r: a.astype(np.float32),
    "float16": lambda a, r: a.astype(np.float16),
    "int8": lambda a, r: (30 * a).astype(np.int8),
    "uint8": lambda a, r: np.abs(30 * a).astype(np.uint8),
    "int64": lambda a, r: np.rint(a).astype(np.int64),
    "long integers": lambda a, r: (1e17 * a).astype(np.int64),
    "bool": lambda a, r: a > 0,
    "long double": lambda a, r: a.astype(np.longdouble),
    "complex": lambda a, r: a.astype(complex),
    "dates": lambda a, r: a.astype(np.int64).astype("datetime64[D]"),
    "masked": lambda a, r: np.ma.masked_less(a, 0),
    "sparse": lambda a, r: sparse.csr_array(np.atleast_2d(a)),
    "mapped": lambda a, r: _mapped(a),
    "read-only": lambda a, r: _read_only(a),
    "in columns": lambda a, r: np.asfortranarray(a),
    "backwards": lambda a, r: a[::-1],
    "other byte order": lambda a, r: a.astype(a.dtype.newbyteorder()),
    "a frame": lambda a, r: pd.DataFrame(a),
    "a frame with names and gaps": lambda a, r: pd.DataFrame(a).assign(word="x"),
    "a series": lambda a, r: pd.Series(list(a)),
    "blocks": lambda a, r: iter([a[:3], a[3:]]),
    "1e300 times": lambda a, r: a * 1e300,
    "1e-300 times": lambda a, r: a * 1e-300,
    "subnormal": lambda a, r: a * 1e-310,
    "1e150 times": lambda a, r: a * 1e150,
    "1e160 below": lambda a, r: a * 1e-160,
    "columns of all sizes": lambda a, r: a * np.logspace(-300, 300, a.shape[-1]),
    "far off": lambda a, r: a + 1e12,
    "one point": lambda a, r: np.broadcast_to(a[:1], a.shape),
    "half of them twice": lambda a, r: _halves(a),
    "a constant column": lambda a, r: _one_column_constant(a),
    "zeros": lambda a, r: np.zeros_like(a),
    "a zero row": lambda a, r: np.concatenate([np.zeros_like(a[:1]), a[1:]]),
    "on a line": lambda a, r: a[..., :1] * np.ones(a.shape[-1]),
    "equal but for rounding": lambda a, r: 1.0 + 1e-16 * a,
    "whole and negative": lambda a, r: -np.abs(np.rint(a)),
}


def _odd_mapping(value: Any, rng: np.random.Generator) -> tuple[str, Any]:
    """Return a mapping with one entry, at some depth, replaced."""
    key = list(value)[int(rng.integers(len(value)))] if value else "x"
    kind = int(rng.integers(4))
    if kind == 0:
        return "an entry less", {k: v for k, v in value.items() if k is not key}
    if kind == 1 and isinstance(value.get(key), dict):
        said, inner = _odd_mapping(value[key], rng)
        return said, value | {key: inner}
    odd = SCALARS[int(rng.integers(len(SCALARS)))]
    if kind == 2:
        return f"an entry that is {odd!r:.30}", value | {key: odd}
    try:
        return f"a key that is {odd!r:.30}", value | {odd: value.get(key)}
    except TypeError:
        return "empty", {}


def made_odd(name: str, value: Any, choices: list[Any], rng: np.random.Generator) -> tuple[str, Any]:
    """Return a word for what is odd, and the odd argument."""
    chance = rng.random()
    if isinstance(value, np.ndarray) and chance < 0.9:
        kind = list(ODD_ARRAYS)[int(rng.integers(len(ODD_ARRAYS)))]
        try:
            return kind, ODD_ARRAYS[kind](value, rng)
        except (
            IndexError,
            ValueError,
            TypeError,
            NotImplementedError,
        ):  # nothing of this kind can be made of it
            return kind, value
    if isinstance(value, dict) and chance < 0.8:
        return _odd_mapping(value, rng)
    if choices and chance < 0.5:
        choice = choices[int(rng.integers(len(choices)))]
        return repr(choice), choice
    scalars = _FEWER if name in COSTLY else SCALARS
    odd = scalars[int(rng.integers(len(scalars)))]
    return f"{odd!r:.40}", odd


def options_of(function: Callable[..., Any], parameter: str) -> list[str]:
    """Return the words that a docstring lists for a parameter, as {"a", "b"}."""
    found = re.search(rf"^\s*[\w, ]*\b{parameter}\b[\w, ]* : \{{([^}}]*)\}}", function.__doc__ or "", re.M)
    return re.findall(r'"([^"]+)"', found[1]) if found else []


def _bytes(value: Any) -> Any:
    """Return what must not change of an argument."""
    return (
        np.ma.getdata(value).tobytes() if isinstance(value, np.ndarray) and value.dtype.kind != "O" else None
    )


def try_one(seed: int, number: int) -> tuple[str, str, Outcome]:
    """Make one call; return the function, the arguments in words, and the outcome."""
    rng = np.random.default_rng([seed, 1, number])
    known = functions()
    where = list(known)[number % len(known)]
    wing, name = where.split(".")
    function = known[where]
    arguments: dict[str, Any] = {}
    parameters = inspect.signature(function).parameters
    for parameter, declared in parameters.items():
        if declared.default is inspect.Parameter.empty:
            arguments[parameter] = in_order(wing, parameter, rng)
        elif parameter in _FEW or parameter in ("rng", "k", "n_neighbors", "perplexity"):
            few = {"rng": 0, **_FEW}.get(parameter)
            arguments[parameter] = in_order(wing, parameter, rng) if few is None else few
    said = []
    for _ in range(int(rng.choice([0, 1, 2], p=[0.05, 0.65, 0.3]))):
        parameter = list(parameters)[int(rng.integers(len(parameters)))]
        # Data are odd in more ways than options are.
        if rng.random() < 0.5:
            parameter = next(iter(parameters))
        value = arguments.get(parameter, parameters[parameter].default)
        odd, arguments[parameter] = made_odd(parameter, value, options_of(function, parameter), rng)
        said.append(f"{parameter}: {odd}")
    before = {key: _bytes(value) for key, value in arguments.items()}
    limits = range_in(function.__doc__ or "")

    def judge(result: Any) -> str | None:
        for key, value in arguments.items():
            if before[key] is not None and _bytes(value) != before[key]:
                return f"{key} was changed"
        if wrong := wrong_number(result, infinite=name in MAY_BE_INFINITE):
            return wrong
        if limits and isinstance(result, float) and not limits[0] - 1e-9 <= result <= limits[1] + 1e-9:
            return f"{result} is outside {list(limits)}"
        return None

    names = (*parameters, *ALSO_NAMED, *(OF_SCIKIT_LEARN if wing == "transforms" else ()))
    try:
        outcome = outcome_of(lambda: function(**arguments), judge, names)
    finally:
        if isinstance(arguments.get("path"), Path):
            arguments["path"].unlink(missing_ok=True)
    return where, "; ".join(said) or "in order", outcome
