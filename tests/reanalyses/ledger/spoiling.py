"""Distortion of the measures and experiments on which a claim depends, which must change its verdict.

A claim's function is read for the functions that it calls, and these for theirs. One of them at a time is
replaced by a copy whose results are distorted (another scale, another order, another sign, a shift, noise, a
dependence on the origin). A claim that keeps its verdict under every distortion of everything cannot fail,
and decides nothing. The first distortion that topples a verdict is kept in ``spoiled.toml`` beside the tests
of the paper; the tests apply it again.

Search for those that are missing with ``python -m tests.reanalyses.ledger.spoiling rudman2022``.
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


def _shuffled(x: np.ndarray) -> np.ndarray:
    return np.random.default_rng(0).permutation(x) if x.ndim else x + 1.0


def _noisy(x: np.ndarray) -> np.ndarray:
    spread = float(np.nanstd(x)) if x.size > 1 else 0.0
    return x + (spread or 1.0) * np.random.default_rng(1).standard_normal(x.shape)


#: What is done to the numbers, the likeliest to be noticed first.
DISTORTIONS: dict[str, Distortion] = {
    "scaled": lambda x: 1.7 * x,
    "reversed": lambda x: x[::-1] if x.ndim else 1.0 - x,
    "negated": lambda x: -x,
    "shifted": lambda x: x + 0.37,
    "noisy": _noisy,
    "shuffled": _shuffled,
    "constant": lambda x: np.zeros_like(x),
    "shrunk": lambda x: 0.3 * x,
}


def distort(value: Any, distortion: Distortion) -> Any:
    """Return a copy of a result with distorted numbers; a result without numbers is unchanged."""
    if isinstance(value, (bool, np.bool_, ledger.Finding)):  # to turn a judgment round shows nothing
        return value
    if isinstance(value, (float, np.floating, int, np.integer)):
        found = float(distortion(np.asarray(float(value))))
        return round(found) if isinstance(value, (int, np.integer)) else found
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
        home = inspect.getmodule(current)
        names = _names(current.__code__)
        for name in names:
            thing = getattr(home, name, None)
            places = [(thing, inner) for inner in names] if _ours(thing) else [(home, name)]
            for module, attribute in places:
                found = getattr(module, attribute, None)
                about = inspect.getmodule(inspect.unwrap(found)) if callable(found) else None
                if about is None or not _ours(about):
                    continue
                if isinstance(found, type) or (module.__name__, attribute) in seen:
                    continue
                seen.add((module.__name__, attribute))
                yield Source(module, attribute, found, between)
                inner = inspect.unwrap(found)
                if (
                    about.__name__.startswith("reanalyses")
                    and len(between) < depth
                    and inspect.isfunction(inner)
                ):
                    queue.append((inner, (*between, (module, attribute, found))))


def _ours(thing: Any) -> bool:
    return isinstance(thing, types.ModuleType) and thing.__name__.split(".")[0] in (
        "isotropy_lab",
        "reanalyses",
    )


def _names(code: types.CodeType) -> list[str]:
    inner = [name for const in code.co_consts if isinstance(const, types.CodeType) for name in _names(const)]
    return [*code.co_names, *inner]


def _lean(arguments: tuple[Any, ...], value: Any) -> Any:
    """Make a result depend on the first coordinates, which breaks invariances."""
    found = (a for a in arguments if isinstance(a, np.ndarray) and a.dtype.kind == "f" and a.size)
    first = next(found, None)
    if first is None:
        return value
    corner = abs(float(first.flat[0]))
    return distort(value, lambda x: x * (1.0 + corner / (1.0 + corner)))


def _misses() -> dict[int, tuple[Any, int]]:
    """Return the caches of the package and the book, with the number of times each was filled."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("isotropy_lab", "reanalyses"):
            for thing in vars(module).values():
                if hasattr(thing, "cache_info"):
                    found[id(thing)] = thing, thing.cache_info().misses
    return found


def _running() -> set[types.CodeType]:
    """Track calls that have not returned, in any thread."""
    found = set()
    for frame in sys._current_frames().values():
        above: types.FrameType | None = frame
        while above is not None:
            found.add(above.f_code)
            above = above.f_back
    return found


class _Caches:
    """Caches that distorted numbers may enter; previous correct values are kept, since they may be slow."""

    def __init__(self) -> None:
        self.right: dict[int, tuple[Any, int]] | None = None
        self.waiting: set[types.CodeType] = set()

    def about_to_give_distorted_numbers(self) -> None:
        if self.right is None:
            self.right = _misses()
        self.waiting |= _running()

    def forget(self) -> None:
        if self.right is None:
            return
        for key, (thing, misses) in _misses().items():
            later = key not in self.right or misses > self.right[key][1]
            if later or inspect.unwrap(thing).__code__ in self.waiting:
                thing.cache_clear()


@contextlib.contextmanager
def spoiled(source: Source, label: str) -> Iterator[None]:
    """Make one function return distorted results, bypassing caches between it and the claim."""
    original = source.function
    caches = _Caches()

    def distorted(*arguments: Any, **options: Any) -> Any:
        value = original(*arguments, **options)
        caches.about_to_give_distorted_numbers()
        return _lean(arguments, value) if label == "leaning" else distort(value, DISTORTIONS[label])

    for extra in ("cache_clear", "cache_info"):
        if hasattr(original, extra):
            setattr(distorted, extra, getattr(original, extra))
    with contextlib.ExitStack() as stack:
        for module, name, function in source.between:
            if hasattr(function, "cache_clear"):
                fresh = functools.lru_cache(maxsize=None)(inspect.unwrap(function))
                stack.enter_context(mock.patch.object(module, name, fresh))
        stack.callback(caches.forget)
        stack.enter_context(mock.patch.object(source.module, source.name, distorted))
        # What is kept is not what is distorted here, nor may anything be kept that is computed from now on.
        cache.MAY_WRITE = False
        stack.enter_context(mock.patch.object(ledger, "cached_finding", lambda path, function: function()))
        stack.enter_context(warnings.catch_warnings())
        stack.enter_context(np.errstate(all="ignore"))
        warnings.simplefilter("ignore")
        yield


def function_of(claim: ledger.Claim) -> Callable[..., Any]:
    """Return the function of a claim."""
    return ledger._load_function(claim.compute, claim.id)


def topples(claim: ledger.Claim, record: str) -> bool:
    """Return whether a claim loses its verdict under a distortion, ``"module.function distortion"``."""
    name, _, label = record.partition(" ")
    source = next((s for s in sources(function_of(claim)) if str(s) == name), None)
    if source is None:
        raise ValueError(f"{claim.id}: its function no longer calls {name}; search for another distortion")
    with spoiled(source, label):
        return not ledger.recompute(claim).follows


def search(claim: ledger.Claim) -> str | None:
    """Return the first distortion under which a claim loses its verdict, as for `topples`, or None."""
    function_of(claim)()  # fills the caches with what is right
    for source in sources(function_of(claim)):
        for label in (*DISTORTIONS, "leaning"):
            # Distorted out of what the code accepts, it has not decided anything.
            with contextlib.suppress(Exception):
                if topples(claim, f"{source} {label}"):
                    return f"{source} {label}"
    return None


#: Each paper's folder here holds its distortions in ``spoiled.toml``.
TESTS = Path(__file__).resolve().parents[1]


def recorded() -> dict[str, str]:
    """Return all recorded distortions by the ID of the claim."""
    found: dict[str, str] = {}
    for path in sorted(TESTS.glob("*/spoiled.toml")):
        found |= tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def main(paper: str, *ids: str) -> None:
    """Search for the claims of a paper that withstand all distortions (or repeat the given IDs)."""
    known = recorded()
    claims = [c for c in ledger.load() if c.compute.startswith(f"reanalyses.{paper}.")]
    kept = {c.id: known[c.id] for c in claims if c.id in known and c.id not in ids}
    for claim in claims:
        if claim.id in kept or (ids and claim.id not in ids):
            continue
        record = search(claim)
        print(claim.id, "->", record or "NOTHING TOPPLES IT", flush=True)
        if record:
            kept[claim.id] = record
        text = (
            "# The distortion under which each claim loses its verdict: the function, and what is done "
            "to its results.\n"
        )
        text += "".join(f'"{c.id}" = "{kept[c.id]}"\n' for c in claims if c.id in kept)
        (TESTS / paper / "spoiled.toml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
