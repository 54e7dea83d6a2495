"""The ledger: every reported claim of the papers with a verdict, and every erratum with its deciding numbers.

``ledger.toml`` and ``errata.toml`` contain what people wrote: the claim, the reported value, the function that
computes our value, the tolerance, and the verdict with its reason. This module reads these files, rejects
entries that do not fit ``ledger.schema.json``, recomputes them, and checks whether the verdict follows from
the numbers.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd

from reanalyses.ledger.cache import cached_finding
from reanalyses.zeros import unsigned_zeros

Verdict = Literal[
    "reproduced",
    "arithmetic holds",
    "holds on other data",
    "fails on other data",
    "contradicted",
    "undecided",
    "cannot be tested here",
]

#: The possible bases of an entry, with the verdict if the computation agrees with the paper and the verdict
#: if it disagrees. Only a proof or the paper's own input, data, or numbers (of a claim about another publication,
#: what that one reports) can contradict a claim; other data cannot.
RULE: Mapping[str, tuple[Verdict, Verdict]] = {
    "proof": ("reproduced", "contradicted"),
    "stated input": ("reproduced", "contradicted"),
    "paper's data": ("reproduced", "contradicted"),
    "paper's numbers": ("arithmetic holds", "contradicted"),
    "other data": ("holds on other data", "fails on other data"),
}

#: Forms in which a paper states a claim.
KINDS = ("formula", "table", "figure", "statement")

#: Kinds of errata, in order of decreasing gravity; the last kind is not an error of the paper.
ERRATUM_KINDS = ("error in a formula", "numbers that disagree", "definition left open", "improvement of ours")


def verdict(basis: str, agrees: bool | None) -> Verdict:
    """Return the verdict that follows from the basis of an entry and from its computation.

    None means that the computation does not decide, because readings or data disagree or because the data are too few.
    That is not a contradiction. An entry without a computation has no basis and cannot be tested here.
    """
    if not basis:
        return "cannot be tested here"
    return "undecided" if agrees is None else RULE[basis][not agrees]


@dataclass(frozen=True)
class Finding:
    """Result of a computation: its values, whether the claim holds, and a description of the numbers."""

    values: tuple[float, ...]  #: Values to compare with the reported values, if the entry has any.
    #: Whether the claim is true. It decides the verdict of an entry that has no reported values. None if the
    #: numbers are inconclusive, for example, if an effect is not significant.
    holds: bool | None
    detail: str  #: Text that contains the deciding numbers.

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", unsigned_zeros(self.detail))


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A reported claim with our verdict; ``ledger.schema.json`` describes each field."""

    id: str
    paper: str
    place: str
    kind: str
    claim: str
    printed: str
    printed_values: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    tolerance: float = 0.0
    compute: str = ""
    basis: str = ""
    data: str = ""
    verdict: Verdict
    reason: str
    defense: str = ""
    same_as: str = ""
    page: str
    erratum: str = ""


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """A disagreement of a paper with arithmetic, itself, or its code; ``ledger.schema.json`` describes each field."""

    id: str
    paper: str
    place: str
    kind: str
    printed: str
    right: str
    proof: str
    consequence: str
    compute: str
    deciding: tuple[float, ...]
    labels: tuple[str, ...] = ()
    tolerance: float
    computes: str
    page: str


@dataclass(frozen=True)
class Outcome:
    """A recomputed entry of the ledger."""

    id: str  #: Name of the entry.
    ours: tuple[float, ...]  #: Our values.
    agrees: bool | None  #: Whether the values agree with the paper; None if nothing is computed.
    follows: bool  #: Whether the verdict in the file follows from ``agrees``.
    detail: str  #: Text that contains the deciding numbers.


@dataclass(frozen=True)
class Passage:
    """A passage of a paper with the entries of the ledger that discuss it."""

    #: section, what: the section of the paper, and a summary of the passage in our own words.
    section: str
    what: str
    entries: tuple[str, ...]  #: Claims and errata about the passage.
    why_none: str  #: Reason why there is no entry, if there is none.


Entry = TypeVar("Entry", Claim, Erratum)


def load(path: str | Path | None = None, *, paper: str | None = None) -> tuple[Claim, ...]:
    """Return the claims in a ledger file (default: the package's ledger).

    Claims are in the order of the file.
    """
    return _select_paper(_bundled_claims() if path is None else _read_claims(path), paper)


def _read_claims(path: str | Path | None = None) -> tuple[Claim, ...]:
    claims = tuple(Claim(**_fields(*pair, "claim")) for pair in _read_entries(path, "ledger.toml", "claim"))
    by_id = {claim.id: claim for claim in claims}
    for claim in claims:
        target = by_id.get(claim.same_as)
        if claim.same_as and (target is None or target.same_as or target is claim):
            raise ValueError(
                f"{claim.id}: same_as is {claim.same_as!r}; expected the id of an entry that is itself counted"
            )
        if target is not None and (target.paper, target.verdict) != (claim.paper, claim.verdict):
            raise ValueError(
                f"{claim.id}: the verdict is {claim.verdict!r}, but that of {target.id}, the same claim, is "
                f"{target.verdict!r} ({target.paper}); expected equal verdicts"
            )
    return claims


def load_errata(path: str | Path | None = None, *, paper: str | None = None) -> tuple[Erratum, ...]:
    """Return the errata in a file (default: the package's errata).

    Errata are in the order of the file.
    """
    return _select_paper(_bundled_errata() if path is None else _read_errata(path), paper)


def _read_errata(path: str | Path | None = None) -> tuple[Erratum, ...]:
    return tuple(
        Erratum(**_fields(*pair, "erratum")) for pair in _read_entries(path, "errata.toml", "erratum")
    )


#: The result is cached, because a page requests the entries of each of its passages.
_bundled_claims, _bundled_errata = functools.cache(_read_claims), functools.cache(_read_errata)


@functools.cache
def coverage() -> dict[str, tuple[Passage, ...]]:
    """Return the passages of each paper in order, with the entries that discuss them (``coverage.toml``)."""
    passages_by_paper: dict[str, tuple[Passage, ...]] = {}
    for folder in ("rudman2022", "kindel2023", "smelser2025", "roychowdhury2024", "weller2025"):
        path = resources.files("reanalyses").joinpath(folder, "coverage.toml")
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        passages = [
            Passage(row["section"], row["what"], tuple(row.get("entries", ())), row.get("none", ""))
            for row in document["passage"]
        ]
        passages_by_paper[document["paper"]] = tuple(passages)
    return passages_by_paper


def papers(entries: Iterable[Claim | Erratum] | None = None) -> tuple[str, ...]:
    """Return the names of the papers in the order of the ledger."""
    return tuple(dict.fromkeys(entry.paper for entry in (load() if entries is None else entries)))


def recompute(claim: Claim) -> Outcome:
    """Compute the value of a claim, once per build (`cached_finding`), and check that its verdict follows.

    "reproduced" and "holds on other data" require agreement, and "contradicted" requires disagreement;
    "undecided" requires that the computation does not decide, and "cannot be tested here" that there is none.
    """
    if not claim.compute:
        return Outcome(claim.id, (), None, claim.verdict == "cannot be tested here", claim.reason)
    finding = cached_finding(claim.compute, _load_function(claim.compute, claim.id))
    agrees: bool | None = None if finding.holds is None else bool(finding.holds)
    if claim.printed_values and agrees is not None:
        agrees = _agree(finding.values, claim.printed_values, claim.tolerance)
    follows = claim.verdict == verdict(claim.basis, agrees)
    return Outcome(claim.id, tuple(map(float, finding.values)), agrees, follows, finding.detail)


def recompute_erratum(erratum: Erratum) -> Outcome:
    """Recompute the deciding numbers of an erratum, as `recompute` does, and compare them with the stated ones.

    ``follows`` is true if the numbers agree and the computation itself confirms the erratum.
    """
    finding = cached_finding(erratum.compute, _load_function(erratum.compute, erratum.id))
    agrees = _agree(finding.values, erratum.deciding, erratum.tolerance)
    return Outcome(
        erratum.id, tuple(map(float, finding.values)), agrees, agrees and bool(finding.holds), finding.detail
    )


def table(claims: Iterable[Claim] | None = None, *, computed: bool = False) -> pd.DataFrame:
    """Return claims as a table with one row per claim.

    The columns are fields of `Claim` and, if `computed` is true, fields of `Outcome`.
    """
    rows = []
    for claim in load() if claims is None else claims:
        row: dict[str, Any] = {
            name: getattr(claim, name)
            for name in ("id", "paper", "place", "kind", "claim", "printed", "data", "verdict", "reason")
        }
        if computed:
            outcome = recompute(claim)
            row |= {"ours": outcome.ours, "agrees": outcome.agrees}
            row |= {"follows": outcome.follows, "detail": outcome.detail}
        rows.append(row)
    return pd.DataFrame(rows)


def _select_paper(entries: tuple[Entry, ...], paper: str | None) -> tuple[Entry, ...]:
    if paper is None:
        return entries
    selected = tuple(entry for entry in entries if entry.paper == paper)
    if not selected and paper not in papers():
        raise ValueError(
            f"paper is {paper!r}, which has no entries; expected one of {', '.join(papers(entries))}"
        )
    return selected


def _agree(ours: Sequence[float], stated: Sequence[float], tolerance: float) -> bool:
    """Return whether two lists have equal lengths and differ by at most the tolerance (NaN differs)."""
    if len(ours) != len(stated):
        raise ValueError(
            f"the computation returned {len(ours)} values, but the entry has {len(stated)}; expected as many values"
        )
    return bool(np.all(np.abs(np.subtract(ours, stated)) <= tolerance))


def _load_function(path: str, entry: str) -> Callable[[], Finding]:
    module, _, name = path.rpartition(".")
    try:
        function: Callable[[], Finding] = getattr(importlib.import_module(module), name)
    except (AttributeError, ModuleNotFoundError) as error:
        raise ValueError(f"{entry}: compute names {path!r}, which does not exist ({error})") from error
    return function


def _read_entries(path: str | Path | None, default: str, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of a TOML file, or of all files of this name in the package, with names for error messages."""
    ids: set[str] = set()
    for file in [Path(path)] if path else sorted(Path(__file__).parents[1].glob(f"*/{default}")):
        try:
            entries = tomllib.loads(file.read_text(encoding="utf-8")).get(key)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{file.name} is not valid TOML: {error}") from error
        if not isinstance(entries, list) or not entries:
            raise ValueError(f"{file.name} has no [[{key}]]; expected at least one such table")
        for number, entry in enumerate(entries, start=1):
            location = f"{file.name}, {key} {number} ({entry.get('id', 'without id')})"
            if entry.get("id") in ids:
                raise ValueError(f"{location}: an earlier entry has the same id; expected a unique id")
            ids.add(str(entry.get("id")))
            yield location, entry


@functools.cache
def _entry_validator(entry: str) -> Any:
    """Return the validator for one kind of entry, from its definition in `ledger.schema.json`."""
    from jsonschema import Draft202012Validator

    file = resources.files("reanalyses.ledger").joinpath("ledger.schema.json")
    definitions = json.loads(file.read_text(encoding="utf-8"))["$defs"]
    return Draft202012Validator({"$defs": definitions, "$ref": f"#/$defs/{entry}"})


def _fields(location: str, entry: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the fields of an entry, with lists as tuples; raise ValueError if the entry is incomplete."""
    if sys.platform != "emscripten":  # In the browser, the entries have already been checked.
        from jsonschema.exceptions import best_match

        error = best_match(_entry_validator(kind).iter_errors(entry))
        if error is not None:
            raise ValueError(f"{location}: {': '.join([*map(str, error.absolute_path), error.message])}")
    empty = [name for name, value in entry.items() if value in ("", [])]
    if empty:
        raise ValueError(f"{location}: {', '.join(empty)} is empty; expected a value, or leave out the field")
    numbers, labels = entry.get("deciding", entry.get("printed_values", ())), entry.get("labels", ())
    if len(labels) != (len(numbers) if len(numbers) > 1 or labels else 0):
        raise ValueError(
            f"{location}: there are {len(labels)} labels for {len(numbers)} numbers; expected one per number"
        )
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    for name in {"deciding", "printed_values"} & fields.keys():
        fields |= {name: tuple(map(float, entry[name])), "tolerance": float(entry["tolerance"])}
    return fields
