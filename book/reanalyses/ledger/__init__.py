"""The ledger: every printed claim of the papers with its verdict, and every erratum with its deciding number.

``ledger.toml`` and ``errata.toml`` hold what people wrote: the claim, what is printed, which function
computes our value, how near is near enough, and the verdict with its reason. This module reads them, refuses
entries that are incomplete, recomputes them, and says whether the verdict written follows from the numbers
computed.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import pandas as pd

__all__ = [
    "Claim",
    "Erratum",
    "Finding",
    "Outcome",
    "Verdict",
    "load",
    "load_errata",
    "papers",
    "recompute",
    "recompute_erratum",
    "table",
]

Verdict = Literal["reproduced", "holds on other data", "contradicted", "cannot be tested here"]


@dataclass(frozen=True)
class Finding:
    """What a computation found: its values, whether the claim holds in its own terms, and the numbers in
    words.

    Attributes
    ----------
    values : tuple of float
        Compared with the printed values where the entry has some.
    holds : bool
        Whether the claim holds; decides where the entry has no printed values to compare with.
    detail : str
        The deciding numbers in words.
    """

    values: tuple[float, ...]
    holds: bool
    detail: str


@dataclass(frozen=True)
class Claim:
    """One printed claim and our verdict on it.

    Attributes
    ----------
    id, paper, place : str
        Name of the entry, the paper, and the place in it.
    claim : str
        What is claimed, in our words.
    printed : str
        The printed value as text.
    printed_values : tuple of float
        The printed numbers with which ours are compared; empty where the claim is not a number.
    tolerance : float
        Largest difference from a printed number that still agrees.
    compute : str
        Dotted path of the function that returns our `Finding`; empty where nothing can be computed.
    verdict : str
        One of `Verdict`.
    reason : str
        Why, and where a tolerance comes from.
    """

    id: str
    paper: str
    place: str
    claim: str
    printed: str
    printed_values: tuple[float, ...]
    tolerance: float
    compute: str
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class Erratum:
    """One place where a paper disagrees with arithmetic, with itself or with its published code.

    Attributes
    ----------
    id, paper, place : str
        Name of the entry, the paper, and the place in it.
    printed, right, proof : str
        What is printed, what is right, and the proof in a line.
    compute : str
        Dotted path of the function that returns the deciding numbers as a `Finding`.
    deciding : tuple of float
        The deciding numbers as the book states them.
    tolerance : float
        Largest difference between them and the recomputed ones.
    computes : str
        What this package computes in that place.
    """

    id: str
    paper: str
    place: str
    printed: str
    right: str
    proof: str
    compute: str
    deciding: tuple[float, ...]
    tolerance: float
    computes: str


@dataclass(frozen=True)
class Outcome:
    """A recomputed entry.

    Attributes
    ----------
    id : str
        Name of the entry.
    ours : tuple of float
        Our values.
    agrees : bool or None
        Whether they agree with what is printed; None where nothing is computed.
    follows : bool
        Whether the verdict written in the file follows from ``agrees``.
    detail : str
        The deciding numbers in words.
    """

    id: str
    ours: tuple[float, ...]
    agrees: bool | None
    follows: bool
    detail: str


Entry = TypeVar("Entry", Claim, Erratum)


def load(path: str | Path | None = None, *, paper: str | None = None) -> tuple[Claim, ...]:
    """Read the claims of a ledger file, the package's own by default.

    Returns in the order of the file.

    Examples
    --------
    >>> claims = load()
    >>> claims[0].paper
    'Rudman et al. (2022)'
    """
    return _of_paper(tuple(_claim(entry) for entry in _entries(path, "ledger.toml", "claim")), paper)


def load_errata(path: str | Path | None = None, *, paper: str | None = None) -> tuple[Erratum, ...]:
    """Read the errata of a file, the package's own by default.

    Returns in the order of the file.

    Examples
    --------
    >>> load_errata()[0].id
    'isoscore-01'
    """
    return _of_paper(tuple(_erratum(entry) for entry in _entries(path, "errata.toml", "erratum")), paper)


def papers(entries: Iterable[Claim | Erratum] | None = None) -> tuple[str, ...]:
    """Name the papers, each once, in the order of the ledger.

    Examples
    --------
    >>> papers()[0]
    'Rudman et al. (2022)'
    """
    return tuple(dict.fromkeys(entry.paper for entry in (load() if entries is None else entries)))


def recompute(claim: Claim) -> Outcome:
    """Compute a claim's value anew and check that its verdict follows.

    "reproduced" and "holds on other data" need agreement, "contradicted" disagreement; "cannot be tested
    here" has nothing to compute and always follows.

    Examples
    --------
    >>> claim = next(c for c in load() if c.id == "isoscore-table-2")
    >>> recompute(claim).follows
    True
    """
    if not claim.compute:
        return Outcome(claim.id, (), None, claim.verdict == "cannot be tested here", claim.reason)
    finding = _function(claim.compute, claim.id)()
    agrees = (
        _agree(finding.values, claim.printed_values, claim.tolerance)
        if claim.printed_values
        else bool(finding.holds)
    )
    follows = agrees if claim.verdict in ("reproduced", "holds on other data") else not agrees
    return Outcome(claim.id, tuple(map(float, finding.values)), agrees, follows, finding.detail)


def recompute_erratum(erratum: Erratum) -> Outcome:
    """Compute an erratum's deciding numbers anew and compare them with those stated.

    Returns ``follows`` needs both: the numbers agree, and they decide the matter as the computation sees it.

    Examples
    --------
    >>> recompute_erratum(load_errata()[0]).follows
    True
    """
    finding = _function(erratum.compute, erratum.id)()
    agrees = _agree(finding.values, erratum.deciding, erratum.tolerance)
    return Outcome(
        erratum.id, tuple(map(float, finding.values)), agrees, agrees and bool(finding.holds), finding.detail
    )


def table(claims: Iterable[Claim] | None = None, *, computed: bool = False) -> pd.DataFrame:
    """Return claims as a table, one row each.

    Columns id, paper, place, claim, printed, verdict, reason, and those of the recomputation.

    Examples
    --------
    >>> sorted(table()["verdict"].unique())[0]
    'cannot be tested here'
    """
    rows = []
    for claim in load() if claims is None else claims:
        row: dict[str, Any] = {
            name: getattr(claim, name)
            for name in ("id", "paper", "place", "claim", "printed", "verdict", "reason")
        }
        if computed:
            outcome = recompute(claim)
            row |= {"ours": outcome.ours, "agrees": outcome.agrees}
            row |= {"follows": outcome.follows, "detail": outcome.detail}
        rows.append(row)
    return pd.DataFrame(rows)


def _of_paper(entries: tuple[Entry, ...], paper: str | None) -> tuple[Entry, ...]:
    if paper is None:
        return entries
    found = tuple(entry for entry in entries if entry.paper == paper)
    if not found:
        raise ValueError(f"no entry is of the paper {paper!r}; those there are: {', '.join(papers(entries))}")
    return found


def _agree(ours: Sequence[float], theirs: Sequence[float], tolerance: float) -> bool:
    """Whether two lists have one length and no pair differs by more than the tolerance (or is NaN)."""
    if len(ours) != len(theirs):
        raise ValueError(
            f"the computation gave {len(ours)} values, the entry has {len(theirs)}; expected as many"
        )
    return bool(np.all(np.abs(np.subtract(ours, theirs)) <= tolerance))


def _function(path: str, entry: str) -> Callable[[], Finding]:
    module, _, name = path.rpartition(".")
    try:
        function: Callable[[], Finding] = getattr(importlib.import_module(module), name)
    except (AttributeError, ModuleNotFoundError) as error:
        raise ValueError(f"{entry}: compute names {path!r}, which does not exist ({error})") from error
    return function


_TEXT = ("id", "paper", "place")
_CLAIM_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys((*_TEXT, "claim", "printed", "compute", "verdict", "reason"), str),
    "printed_values": list,
    "tolerance": (int, float),
}
_CLAIM_OPTIONAL = ("printed_values", "tolerance", "compute")
_ERRATUM_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys((*_TEXT, "printed", "right", "proof", "compute", "computes"), str),
    "deciding": list,
    "tolerance": (int, float),
}


def _entries(path: str | Path | None, default: str, key: str) -> list[tuple[str, dict[str, Any]]]:
    """Tables of a TOML file, each with a name for error messages."""
    if path is None:
        text, source = (
            resources.files("reanalyses.ledger").joinpath(default).read_text(encoding="utf-8"),
            default,
        )
    else:
        text, source = Path(path).read_text(encoding="utf-8"), Path(path).name
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{source} is not valid TOML: {error}") from error
    entries = document.get(key)
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{source} has no [[{key}]]; expected at least one")
    seen: set[str] = set()
    named = []
    for number, entry in enumerate(entries, start=1):
        where = f"{source}, {key} {number} ({entry.get('id', 'without id')})"
        if entry.get("id") in seen:
            raise ValueError(f"{where}: the id stands twice; expected a new one for each entry")
        seen.add(str(entry.get("id")))
        named.append((where, entry))
    return named


def _check(
    where: str, entry: dict[str, Any], fields: Mapping[str, Any], optional: Sequence[str] = ()
) -> None:
    unknown = [name for name in entry if name not in fields]
    if unknown:
        raise ValueError(
            f"{where}: unknown field {', '.join(unknown)}; those that exist: {', '.join(fields)}"
        )
    missing = [name for name in fields if name not in entry and name not in optional]
    if missing:
        raise ValueError(f"{where}: missing field {', '.join(missing)}")
    for name, value in entry.items():
        if not isinstance(value, fields[name]) or isinstance(value, bool):
            raise ValueError(f"{where}: {name} is {value!r}; expected {_word(fields[name])}")
        if isinstance(value, str) and not value.strip():
            raise ValueError(f"{where}: {name} is empty")
        if isinstance(value, list) and not (value and all(type(x) in (int, float) for x in value)):
            raise ValueError(f"{where}: {name} is {value!r}; expected a list of numbers, not empty")
    if entry.get("tolerance", 0) < 0:
        raise ValueError(f"{where}: tolerance is {entry['tolerance']}; expected 0 or more")


def _word(kind: Any) -> str:
    return {str: "text", list: "a list of numbers"}.get(kind, "a number")


def _claim(named: tuple[str, dict[str, Any]]) -> Claim:
    where, entry = named
    _check(where, entry, _CLAIM_FIELDS, _CLAIM_OPTIONAL)
    verdict = entry["verdict"]
    if verdict not in get_args(Verdict):
        raise ValueError(f"{where}: verdict is {verdict!r}; expected one of {', '.join(get_args(Verdict))}")
    untested = verdict == "cannot be tested here"
    if untested == ("compute" in entry):
        expected = "no compute" if untested else "a compute"
        raise ValueError(f"{where}: the verdict {verdict!r} wants {expected}")
    if ("printed_values" in entry) != ("tolerance" in entry):
        raise ValueError(f"{where}: printed_values and tolerance go together; found only one of them")
    return Claim(
        **{name: entry[name] for name in ("id", "paper", "place", "claim", "printed", "verdict", "reason")},
        printed_values=tuple(map(float, entry.get("printed_values", ()))),
        tolerance=float(entry.get("tolerance", 0.0)),
        compute=entry.get("compute", ""),
    )


def _erratum(named: tuple[str, dict[str, Any]]) -> Erratum:
    where, entry = named
    _check(where, entry, _ERRATUM_FIELDS)
    texts = {name: entry[name] for name in _ERRATUM_FIELDS if name not in ("deciding", "tolerance")}
    return Erratum(
        **texts, deciding=tuple(map(float, entry["deciding"])), tolerance=float(entry["tolerance"])
    )
