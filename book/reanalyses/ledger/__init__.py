"""The ledger: every reported claim of the papers with a verdict, and every erratum with its deciding numbers.

``ledger.toml`` and ``errata.toml`` contain what people wrote: the claim, the printed value, the function that
computes our value, the tolerance, and the verdict with its reason. This module reads these files, rejects
incomplete entries, recomputes them, and checks whether the verdict follows from the numbers.
"""

from __future__ import annotations

import functools
import importlib
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import pandas as pd

from reanalyses.ledger.kept import once
from reanalyses.zeros import unsigned_zeros

__all__ = [
    "ERRATUM_KINDS",
    "KINDS",
    "RULE",
    "Claim",
    "Erratum",
    "Finding",
    "Outcome",
    "Passage",
    "Verdict",
    "coverage",
    "load",
    "load_errata",
    "papers",
    "recompute",
    "recompute_erratum",
    "table",
    "verdict",
]

Verdict = Literal[
    "reproduced",
    "arithmetic holds",
    "holds on other data",
    "fails on other data",
    "contradicted",
    "cannot be tested here",
]

#: The possible bases of an entry, with the verdict if the computation agrees with the paper and the verdict
#: if it disagrees. Only a proof or the paper's own input, data, or numbers can contradict a claim; other data
#: cannot.
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
ERRATUM_KINDS = (
    "error in a formula",
    "numbers that disagree",
    "definition left open",
    "improvement of ours",
)


def verdict(basis: str, agrees: bool | None) -> Verdict:
    """Return the verdict that follows from the basis of an entry and from its computation.

    None means that the computation does not decide, or that there is none: insufficient data are not a
    contradiction.
    """
    return "cannot be tested here" if agrees is None else RULE[basis][not agrees]


@dataclass(frozen=True)
class Finding:
    """Result of a computation: its values, whether the claim holds, and a description of the numbers."""

    values: tuple[float, ...]  #: Compared with the printed values if the entry has any.
    #: Whether the claim holds; decisive if the entry has no printed values. None if the numbers do not
    #: decide, for example, if an effect is not significant.
    holds: bool | None
    detail: str  #: Text that contains the deciding numbers.

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", unsigned_zeros(self.detail))


@dataclass(frozen=True)
class Claim:
    """A printed claim with our verdict."""

    #: id, paper, place: name of the entry, paper, and place in the paper.
    id: str
    paper: str
    place: str
    kind: str  #: One of `KINDS`.
    claim: str  #: The claim, in our words and with the paper's qualifications.
    printed: str  #: Printed value, as text.
    #: Printed numbers that are compared with ours; empty if the claim is not a number.
    printed_values: tuple[float, ...]
    #: Labels of the printed numbers, one for each of them, if there are several.
    labels: tuple[str, ...]
    tolerance: float  #: Maximum difference from a printed number that counts as agreement.
    #: Dotted path of the function that returns our `Finding`; empty if nothing can be computed.
    compute: str
    basis: str  #: Basis of the computation, a key of `RULE`; empty if nothing can be computed.
    #: Description of the data: the clouds stated in the paper, its printed table, or our substitute corpus.
    data: str
    verdict: Verdict  #: One of `Verdict`; `recompute` checks whether it follows from `RULE`.
    #: The reason in one sentence, and the source of the tolerance: standard errors or printed digits.
    reason: str
    #: The strongest defense of a contradicted claim, and the reason why it fails.
    defense: str
    #: Entry with the same content or the same error that is counted instead of this one; empty for most.
    same_as: str
    page: str  #: Page of the book that shows the claim, such as ``isotropy/what-isotropy-is``.
    erratum: str  #: The related erratum; empty for most claims.


@dataclass(frozen=True)
class Erratum:
    """A place where a paper disagrees with arithmetic, with itself, or with its published code."""

    #: id, paper, place: name of the entry, paper, and place in the paper.
    id: str
    paper: str
    place: str
    kind: str  #: One of `ERRATUM_KINDS`.
    #: printed, right, proof: what the paper says, what is correct, and a proof in one line.
    printed: str
    right: str
    proof: str
    consequence: str  #: The consequence for the paper's conclusions, often none.
    compute: str  #: Dotted path of the function that returns the deciding numbers as a `Finding`.
    deciding: tuple[float, ...]  #: Deciding numbers, as stated in the book.
    labels: tuple[str, ...]  #: Labels of the deciding numbers, one for each of them, if there are several.
    tolerance: float  #: Maximum difference from the recomputed numbers.
    computes: str  #: What this package computes instead.
    page: str  #: Page of the book that shows the erratum.


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
    """A passage of a paper with the entries of the ledger that treat it."""

    #: section, what: the section, and the content of the passage in our words.
    section: str
    what: str
    entries: tuple[str, ...]  #: Claims and errata about the passage.
    none: str  #: Reason why there is no entry, if there is none.


Entry = TypeVar("Entry", Claim, Erratum)


def load(path: str | Path | None = None, *, paper: str | None = None) -> tuple[Claim, ...]:
    """Return the claims in a ledger file, by default the package's own.

    Claims are in the order of the file.
    """
    return _of_paper(_bundled_claims() if path is None else _claims(path), paper)


def _claims(path: str | Path | None = None) -> tuple[Claim, ...]:
    claims = tuple(_claim(entry) for entry in _entries(path, "ledger.toml", "claim"))
    by_id = {claim.id: claim for claim in claims}
    for claim in claims:
        other = by_id.get(claim.same_as)
        if claim.same_as and (other is None or other.same_as or other is claim):
            raise ValueError(
                f"{claim.id}: same_as is {claim.same_as!r}; expected the id of an entry that is "
                "counted itself"
            )
        if other is not None and (other.paper, other.verdict) != (claim.paper, claim.verdict):
            raise ValueError(
                f"{claim.id}: the verdict is {claim.verdict!r}, but {other.id}, which states the same, is "
                f"{other.verdict!r} ({other.paper}); expected the same"
            )
    return claims


def load_errata(path: str | Path | None = None, *, paper: str | None = None) -> tuple[Erratum, ...]:
    """Return the errata in a file, by default the package's own.

    Errata are in the order of the file.
    """
    return _of_paper(_bundled_errata() if path is None else _errata(path), paper)


def _errata(path: str | Path | None = None) -> tuple[Erratum, ...]:
    return tuple(_erratum(entry) for entry in _entries(path, "errata.toml", "erratum"))


#: Cached, because a page requests the entries of each of its passages.
_bundled_claims, _bundled_errata = functools.cache(_claims), functools.cache(_errata)


@functools.cache
def coverage() -> dict[str, tuple[Passage, ...]]:
    """Return the passages of each paper in order, with the entries that treat them (``coverage.toml``)."""
    found: dict[str, tuple[Passage, ...]] = {}
    for folder in ("rudman2022", "kindel2023", "smelser2025", "roychowdhury2024"):
        path = resources.files("reanalyses").joinpath(folder, "coverage.toml")
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        passages = []
        for number, row in enumerate(document["passage"], 1):
            where = f"{folder}/coverage.toml, passage {number} ({row.get('section', 'without section')})"
            unknown = set(row) - {"section", "what", "entries", "none"}
            if unknown or not row.get("section") or not row.get("what"):
                raise ValueError(
                    f"{where}: found the fields {', '.join(row)}; expected section, what, and one more"
                )
            if ("entries" in row) == ("none" in row):
                raise ValueError(
                    f"{where}: expected either entries or, in none, the reason why there are none"
                )
            passages.append(
                Passage(row["section"], row["what"], tuple(row.get("entries", ())), row.get("none", ""))
            )
        found[document["paper"]] = tuple(passages)
    return found


def papers(entries: Iterable[Claim | Erratum] | None = None) -> tuple[str, ...]:
    """Return the names of the papers in the order of the ledger."""
    return tuple(dict.fromkeys(entry.paper for entry in (load() if entries is None else entries)))


def recompute(claim: Claim) -> Outcome:
    """Compute the value of a claim, once per build (`once`), and check that its verdict follows.

    "reproduced" and "holds on other data" require agreement, and "contradicted" requires disagreement;
    "cannot be tested here" requires no computation and always follows.
    """
    if not claim.compute:
        return Outcome(claim.id, (), None, claim.verdict == "cannot be tested here", claim.reason)
    finding = once(claim.compute, _function(claim.compute, claim.id))
    agrees: bool | None = None if finding.holds is None else bool(finding.holds)
    if claim.printed_values and agrees is not None:
        agrees = _agree(finding.values, claim.printed_values, claim.tolerance)
    follows = claim.verdict == verdict(claim.basis, agrees)
    return Outcome(claim.id, tuple(map(float, finding.values)), agrees, follows, finding.detail)


def recompute_erratum(erratum: Erratum) -> Outcome:
    """Recompute the deciding numbers of an erratum, as `recompute` does, and compare them with the stated ones.

    ``follows`` is true if the numbers agree and the computation itself confirms the erratum.
    """
    finding = once(erratum.compute, _function(erratum.compute, erratum.id))
    agrees = _agree(finding.values, erratum.deciding, erratum.tolerance)
    return Outcome(
        erratum.id, tuple(map(float, finding.values)), agrees, agrees and bool(finding.holds), finding.detail
    )


def table(claims: Iterable[Claim] | None = None, *, computed: bool = False) -> pd.DataFrame:
    """Return claims as a table with one row per claim.

    Columns id, paper, place, kind, claim, printed, data, verdict, reason, and those of the recomputation.
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


def _of_paper(entries: tuple[Entry, ...], paper: str | None) -> tuple[Entry, ...]:
    if paper is None:
        return entries
    found = tuple(entry for entry in entries if entry.paper == paper)
    if not found:
        raise ValueError(f"no entry is of the paper {paper!r}; those there are: {', '.join(papers(entries))}")
    return found


def _agree(ours: Sequence[float], theirs: Sequence[float], tolerance: float) -> bool:
    """Return whether two lists have equal lengths and differ by at most the tolerance (NaN differs)."""
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


_CLAIM_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(
        ("id", "paper", "place", "kind", "claim", "printed", "compute", "basis", "data", "verdict", "reason"),
        str,
    ),
    **dict.fromkeys(("defense", "same_as", "page", "erratum"), str),
    "printed_values": list,
    "labels": list,
    "tolerance": (int, float),
}
_CLAIM_OPTIONAL = (
    *("printed_values", "labels", "tolerance", "compute", "basis", "data"),
    *("defense", "same_as", "erratum"),
)
_ERRATUM_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("id", "paper", "place", "kind", "printed", "right", "proof", "consequence"), str),
    **dict.fromkeys(("compute", "computes", "page"), str),
    "deciding": list,
    "labels": list,
    "tolerance": (int, float),
}


def _entries(path: str | Path | None, default: str, key: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the tables of a TOML file, each with a name for error messages."""
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
        if isinstance(value, list):
            allowed, word = ((str,), "texts") if name == "labels" else ((int, float), "numbers")
            if not (value and all(type(x) in allowed for x in value)):
                raise ValueError(f"{where}: {name} is {value!r}; expected a list of {word}, not empty")
    if entry.get("tolerance", 0) < 0:
        raise ValueError(f"{where}: tolerance is {entry['tolerance']}; expected 0 or more")
    kinds = ERRATUM_KINDS if "deciding" in fields else KINDS
    if entry["kind"] not in kinds:
        raise ValueError(f"{where}: kind is {entry['kind']!r}; expected one of {', '.join(kinds)}")
    numbers = entry.get("deciding", entry.get("printed_values", []))
    if len(entry.get("labels", [])) != (len(numbers) if len(numbers) > 1 or "labels" in entry else 0):
        raise ValueError(
            f"{where}: {len(entry.get('labels', []))} labels for {len(numbers)} numbers; expected one "
            "for each"
        )


def _word(kind: Any) -> str:
    return {str: "text", list: "a list"}.get(kind, "a number")


def _claim(named: tuple[str, dict[str, Any]]) -> Claim:
    where, entry = named
    _check(where, entry, _CLAIM_FIELDS, _CLAIM_OPTIONAL)
    if entry["verdict"] not in get_args(Verdict):
        raise ValueError(
            f"{where}: verdict is {entry['verdict']!r}; expected one of {', '.join(get_args(Verdict))}"
        )
    computed = "compute" in entry
    if not computed and entry["verdict"] != "cannot be tested here":
        raise ValueError(f"{where}: the verdict {entry['verdict']!r} needs a compute")
    if any((name in entry) != computed for name in ("basis", "data")):
        raise ValueError(f"{where}: compute, basis and data go together; found some of them only")
    if computed and entry["basis"] not in RULE:
        raise ValueError(f"{where}: basis is {entry['basis']!r}; expected one of {', '.join(RULE)}")
    if ("printed_values" in entry) != ("tolerance" in entry):
        raise ValueError(f"{where}: printed_values and tolerance go together; found only one of them")
    if entry["verdict"] == "contradicted" and "defense" not in entry:
        raise ValueError(f"{where}: a contradicted claim needs its strongest defense")
    texts = [name for name, kind in _CLAIM_FIELDS.items() if kind is str]
    return Claim(
        **{name: entry.get(name, "") for name in texts},
        printed_values=tuple(map(float, entry.get("printed_values", ()))),
        labels=tuple(entry.get("labels", ())),
        tolerance=float(entry.get("tolerance", 0.0)),
    )


def _erratum(named: tuple[str, dict[str, Any]]) -> Erratum:
    where, entry = named
    _check(where, entry, _ERRATUM_FIELDS, optional=("labels",))
    return Erratum(
        **{name: entry[name] for name, kind in _ERRATUM_FIELDS.items() if kind is str},
        deciding=tuple(map(float, entry["deciding"])),
        labels=tuple(entry.get("labels", ())),
        tolerance=float(entry["tolerance"]),
    )
