"""Distortion of the measures and experiments on which a claim depends, which must change its verdict.

The functions that a claim's function calls, directly or indirectly, are replaced one at a time by copies whose
results are distorted (another scale, order, or sign; a shift; noise; a dependence on the coordinates). A claim
that keeps its verdict under every distortion cannot fail, and decides nothing. The first distortion that changes
the verdict is stored in ``spoiled.toml`` next to the tests of the paper; the tests apply it again.

Search for missing distortions with ``python -m tests.reanalyses.ledger.spoiling rudman2022``.
"""

import contextlib
import dataclasses
import functools
import inspect
import sys
import tomllib
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from reanalyses import ledger
from reanalyses.ledger import cache

Distortion = Callable[[np.ndarray], np.ndarray]


def _add_noise(x: np.ndarray) -> np.ndarray:
    standard_deviation = float(np.nanstd(x)) if x.size > 1 else 0.0
    return x + (standard_deviation or 1.0) * np.random.default_rng(1).standard_normal(x.shape)


#: The distortions of the numbers, starting with those most likely to change a verdict.
DISTORTIONS: dict[str, Distortion] = {
    "scaled": lambda x: 1.7 * x,
    "reversed": lambda x: x[::-1] if x.ndim else 1.0 - x,
    "negated": lambda x: -x,
    "shifted": lambda x: x + 0.37,
    "noisy": _add_noise,
    "shuffled": lambda x: np.random.default_rng(0).permutation(x) if x.ndim else x + 1.0,
    "constant": lambda x: np.zeros_like(x),
    "shrunk": lambda x: 0.3 * x,
}


def distort(value: Any, distortion: Distortion) -> Any:
    """Return a copy of a result with distorted numbers; a result without numbers is unchanged."""
    if isinstance(value, (bool, np.bool_, ledger.Finding)):  # a reversed judgment proves nothing
        return value
    if isinstance(value, (float, np.floating, int, np.integer)):
        changed = float(distortion(np.asarray(float(value))))
        return round(changed) if isinstance(value, (int, np.integer)) else changed
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "iu":
            return distortion(value.astype(float)).round().astype(value.dtype)
        return distortion(value) if value.dtype.kind == "f" else value
    if isinstance(value, pd.DataFrame):
        changed = {
            name: distort(value[name].to_numpy(), distortion)
            for name in value
            if value[name].dtype.kind == "f" or (value[name].dtype.kind in "iu" and len(value.columns) < 3)
        }
        return value.assign(**changed) if all(isinstance(name, str) for name in changed) else value
    if isinstance(value, pd.Series):
        return pd.Series(distort(value.to_numpy(), distortion), index=value.index, name=value.name)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        copy = object.__new__(type(value))
        for field in dataclasses.fields(value):
            object.__setattr__(copy, field.name, distort(getattr(value, field.name), distortion))
        return copy
    if isinstance(value, Mapping):
        keys = list(value)
        changed = {key: distort(value[key], distortion) for key in keys}
        return type(value)(changed) if isinstance(value, dict) else changed
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(distort(item, distortion) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(distort(item, distortion) for item in value)
    if inspect.isgenerator(value):
        return [distort(item, distortion) for item in value]
    return value


@dataclasses.dataclass(frozen=True)
class Source:
    """A function on which a claim depends, with the functions between them."""

    module: Any
    name: str
    function: Callable[..., Any]
    between: tuple[tuple[Any, str, Callable[..., Any]], ...]

    def __str__(self) -> str:
        return f"{self.module.__name__}.{self.name}"


def sources(function: Callable[..., Any], *, depth: int = 3) -> Iterator[Source]:
    """Yield the functions that a claim's function calls, then those that they call, and so on."""
    seen: set[tuple[str, str]] = set()
    queue: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [(inspect.unwrap(function), ())]
    while queue:
        current, between = queue.pop(0)
        namespace = inspect.getmodule(current)
        names = _names_in(current.__code__)
        for name in names:
            value = getattr(namespace, name, None)
            attributes = [(value, member) for member in names] if _is_ours(value) else [(namespace, name)]
            for module, attribute in attributes:
                called = getattr(module, attribute, None)
                called_module = inspect.getmodule(inspect.unwrap(called)) if callable(called) else None
                if called_module is None or not _is_ours(called_module):
                    continue
                if isinstance(called, type) or (module.__name__, attribute) in seen:
                    continue
                seen.add((module.__name__, attribute))
                yield Source(module, attribute, called, between)
                unwrapped = inspect.unwrap(called)
                if (
                    called_module.__name__.startswith("reanalyses")
                    and len(between) < depth
                    and inspect.isfunction(unwrapped)
                ):
                    queue.append((unwrapped, (*between, (module, attribute, called))))


def _is_ours(thing: Any) -> bool:
    return isinstance(thing, types.ModuleType) and thing.__name__.split(".")[0] in (
        "isotropy_lab",
        "reanalyses",
    )


def _names_in(code: types.CodeType) -> list[str]:
    inner = [name for c in code.co_consts if isinstance(c, types.CodeType) for name in _names_in(c)]
    return [*code.co_names, *inner]


def _tilt(arguments: tuple[Any, ...], value: Any) -> Any:
    """Make a result depend on the first coordinates, which breaks invariances."""
    floats = (a for a in arguments if isinstance(a, np.ndarray) and a.dtype.kind == "f" and a.size)
    first = next(floats, None)
    if first is None:
        return value
    size = abs(float(first.flat[0]))
    return distort(value, lambda x: x * (1.0 + size / (1.0 + size)))


def _cache_misses() -> dict[int, tuple[Any, int]]:
    """Return the caches of the package and the book, with the number of times each was filled."""
    caches = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("isotropy_lab", "reanalyses"):
            for cached in vars(module).values():
                if hasattr(cached, "cache_info"):
                    caches[id(cached)] = cached, cached.cache_info().misses
    return caches


def _running_code() -> set[types.CodeType]:
    """Return the code of all calls that have not returned, in any thread."""
    codes = set()
    for frame in sys._current_frames().values():
        caller: types.FrameType | None = frame
        while caller is not None:
            codes.add(caller.f_code)
            caller = caller.f_back
    return codes


class _Caches:
    """Caches that distorted numbers may enter; correct values, which may be slow to compute, are kept."""

    def __init__(self) -> None:
        self.misses_before: dict[int, tuple[Any, int]] | None = None
        self.unreturned: set[types.CodeType] = set()

    def before_distorted_result(self) -> None:
        if self.misses_before is None:
            self.misses_before = _cache_misses()
        self.unreturned |= _running_code()

    def clear_distorted(self) -> None:
        if self.misses_before is None:
            return
        for key, (cached, misses) in _cache_misses().items():
            is_newer = key not in self.misses_before or misses > self.misses_before[key][1]
            if is_newer or inspect.unwrap(cached).__code__ in self.unreturned:
                cached.cache_clear()


@contextlib.contextmanager
def distort_source(source: Source, label: str) -> Iterator[None]:
    """Make one function return distorted results, bypassing caches between it and the claim."""
    original = source.function
    caches = _Caches()

    def distorted(*arguments: Any, **options: Any) -> Any:
        value = original(*arguments, **options)
        caches.before_distorted_result()
        return _tilt(arguments, value) if label == "leaning" else distort(value, DISTORTIONS[label])

    for method in ("cache_clear", "cache_info"):
        if hasattr(original, method):
            setattr(distorted, method, getattr(original, method))
    with contextlib.ExitStack() as stack:
        for module, name, function in source.between:
            if hasattr(function, "cache_clear"):
                fresh_cache = functools.lru_cache(maxsize=None)(inspect.unwrap(function))
                stack.enter_context(mock.patch.object(module, name, fresh_cache))
        stack.callback(caches.clear_distorted)
        stack.enter_context(mock.patch.object(source.module, source.name, distorted))
        # Stored findings are undistorted, and no finding computed from here on may be stored.
        cache.MAY_WRITE = False
        stack.enter_context(mock.patch.object(ledger, "cached_finding", lambda path, function: function()))
        stack.enter_context(warnings.catch_warnings())
        stack.enter_context(np.errstate(all="ignore"))
        warnings.simplefilter("ignore")
        yield


def changes_verdict(claim: ledger.Claim, record: str) -> bool:
    """Return whether a distortion, ``"module.function distortion"``, changes the verdict of a claim."""
    name, _, label = record.partition(" ")
    function = ledger._load_function(claim.compute, claim.id)
    source = next((s for s in sources(function) if str(s) == name), None)
    if source is None:
        raise ValueError(f"{claim.id}: its function no longer calls {name}; search for another distortion")
    with distort_source(source, label):
        return not ledger.recompute(claim).follows


def search(claim: ledger.Claim) -> str | None:
    """Return the first distortion that changes the verdict of a claim, as for `changes_verdict`, or None."""
    function = ledger._load_function(claim.compute, claim.id)
    function()  # fills the caches with correct values
    for source in sources(function):
        for label in (*DISTORTIONS, "leaning"):
            # A distortion that causes an error does not count.
            with contextlib.suppress(Exception):
                if changes_verdict(claim, f"{source} {label}"):
                    return f"{source} {label}"
    return None


#: The folder whose subfolders contain a ``spoiled.toml`` for each paper.
TESTS = Path(__file__).resolve().parents[1]


def recorded_distortions() -> dict[str, str]:
    """Return all recorded distortions by the ID of the claim."""
    records: dict[str, str] = {}
    for path in sorted(TESTS.glob("*/spoiled.toml")):
        records |= tomllib.loads(path.read_text(encoding="utf-8"))
    return records


def main(paper: str, *ids: str) -> None:
    """Search for the missing distortions of a paper's claims, and repeat the search for the given IDs."""
    recorded = recorded_distortions()
    claims = [c for c in ledger.load() if c.compute.startswith(f"reanalyses.{paper}.")]
    records = {c.id: recorded[c.id] for c in claims if c.id in recorded and c.id not in ids}
    for claim in claims:
        if claim.id in records or (ids and claim.id not in ids):
            continue
        record = search(claim)
        print(claim.id, "->", record or "NO DISTORTION CHANGES THE VERDICT", flush=True)
        if record:
            records[claim.id] = record
        text = (
            "# The distortion under which each claim loses its verdict: the function, and what is done "
            "to its results.\n"
        )
        text += "".join(f'"{c.id}" = "{records[c.id]}"\n' for c in claims if c.id in records)
        (TESTS / paper / "spoiled.toml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
