"""Ledger and errata as HTML for the book.

The page can be read without a script; ``book/_static/ledger.js`` adds the filters to pages that contain
`filter_html`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib import metadata
from pathlib import Path

import pandas as pd

from reanalyses.in_the_tab import page_title
from reanalyses.ledger import (
    ERRATUM_KINDS,
    KINDS,
    Claim,
    Erratum,
    Outcome,
    coverage,
    load,
    load_errata,
    papers,
    recompute,
    recompute_erratum,
)
from reanalyses.zeros import or_zero

#: A symbol for each verdict, so that color is not the only cue.
MARKS = {
    "reproduced": "✓",
    "arithmetic holds": "=",
    "holds on other data": "≈",
    "fails on other data": "≉",
    "contradicted": "✗",
    "undecided": "?",
    "cannot be tested here": "–",
}

_BOOK = Path(__file__).resolve().parents[2]
#: Characters that begin subscripts and superscripts in typed text: ``I_A``, ``I_n^(k)``, ``e^−0.8``.
_SUBSCRIPT = re.compile(
    r"(?<![A-Za-z_])([A-Za-zΑ-Ωα-ω])_(max|min|rand|topK|[A-Za-z0-9]{1,2}|\{[^{}]+\})(?![A-Za-z0-9_])"
)
_SUPERSCRIPT = re.compile(r"\^(\([^()]+\)|[−-]?\d+(?:\.\d+)?|[A-Za-zΑ-Ω])")
#: Labels of the facts that `case` shows.
_CASE_LABELS = (
    *("Printed", "Ours", "What decided it", "The strongest defense", "Erratum"),
    *("Because", "Recomputed", "Consequence"),
)
#: Entries that `case` has shown, each with the places of the block that showed it first, to which links lead.
_FIRST_PLACES: dict[str, tuple[str, ...]] = {}


def counts(claims: Iterable[Claim]) -> dict[str, int]:
    """Return the number of claims per verdict, in the order of `MARKS`; a claim stated twice counts once."""
    verdicts: list[str] = [claim.verdict for claim in claims if not claim.same_as]
    return {verdict: verdicts.count(verdict) for verdict in MARKS}


def counts_by_paper(claims: Iterable[Claim]) -> pd.DataFrame:
    """Return the number of claims per paper and verdict, with totals if there are several papers.

    >>> from reanalyses.ledger import load
    >>> table = counts_by_paper(load())
    >>> int(table["claims"].iloc[-1]) == sum(not claim.same_as for claim in load())
    True
    """
    claims = list(claims)
    rows = [
        {"paper": paper, **counts(claim for claim in claims if claim.paper == paper)}
        for paper in papers(claims)
    ]
    if len(rows) > 1:
        rows.append({"paper": "all", **counts(claims)})
    table = pd.DataFrame(rows, columns=["paper", *MARKS]).rename(
        columns={verdict: f"{mark} {verdict}" for verdict, mark in MARKS.items()}
    )
    return table.assign(claims=table.drop(columns="paper").sum(axis=1))


def kinds_by_paper(errata: Iterable[Erratum]) -> pd.DataFrame:
    """Return the number of errata per paper and kind.

    >>> from reanalyses.ledger import load_errata
    >>> int(kinds_by_paper(load_errata()).drop(columns="paper").to_numpy().sum()) == len(load_errata())
    True
    """
    errata = list(errata)
    return pd.DataFrame(
        [
            {"paper": paper}
            | {kind: sum((e.paper, e.kind) == (paper, kind) for e in errata) for kind in ERRATUM_KINDS}
            for paper in papers(errata)
        ]
    )


def filter_html(what: str) -> str:
    """Return the element into which the script inserts the filters for "claims" or "errata"."""
    if what not in ("claims", "errata"):
        raise ValueError(f"what is {what!r}; expected 'claims' or 'errata'")
    entries: Sequence[Claim | Erratum] = load() if what == "claims" else load_errata()
    choices = {
        "paper": list(papers(entries)),
        **({"verdict": list(MARKS)} if what == "claims" else {}),
        "kind": list(KINDS if what == "claims" else ERRATUM_KINDS),
        "page": [[page, page_title(page)] for page in dict.fromkeys(entry.page for entry in entries)],
    }
    noun, marks = ("entries", MARKS) if what == "claims" else (what, {})
    return (
        f'<div class="il-filter" data-noun="{noun}" data-marks="{escape(json.dumps(marks))}" '
        f'data-choices="{escape(json.dumps(choices))}"></div>'
    )


def claims_html(pairs: Iterable[tuple[Claim, Outcome]]) -> str:
    """Return one foldable entry per claim, with its numbers and reason in the folded part.

    All texts are escaped.
    """
    return f'<div class="il-ledger">{"".join(_full_entry(*pair) for pair in pairs)}</div>'


@dataclass(frozen=True)
class Block:
    """HTML that a notebook displays unchanged."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


def entries_about(paper: str, *places: str) -> list[Claim | Erratum]:
    """Return the distinct claims and errata about the given parts of a paper, in the order of the paper.

    A place is a section as named in the paper's ``coverage.toml``, with or without the part after the comma,
    or the name of an entry. "Section 2" does not include "Section 2.1".
    """
    passages = coverage()
    if paper not in passages:
        raise ValueError(f"paper is {paper!r}; expected one of {', '.join(passages)}")
    entries: dict[str, Claim | Erratum] = {claim.id: claim for claim in load(paper=paper)}
    entries |= {erratum.id: erratum for erratum in load_errata(paper=paper)}
    selected: dict[str, Claim | Erratum] = {}
    for place in places:
        section_start = re.compile(rf"{re.escape(place)}(?![\w.-])")
        names = [place] if place in entries else []
        for passage in passages[paper]:
            if any(section_start.match(part) for part in passage.section.split("; ")):
                names += passage.entries
        if not names:
            sections = ", ".join(dict.fromkeys(passage.section.split(",")[0] for passage in passages[paper]))
            raise ValueError(
                f"no entry is about {place!r} of {paper}; expected one of the sections {sections}"
            )
        selected.update((name, entries[name]) for name in names)
    return list(selected.values())


def case(paper: str, *places: str) -> Block:
    """Show the entries about given parts of a paper (`entries_about`), one folded line each, for the middle of a page.

    The line has the verdict and the claim; unfolded, it shows the printed value, the value computed in this run,
    and the reason. An entry that the page has already shown is a link to its place. Each is linked to its entry in
    the ledger; links are valid on pages that are one folder deep.
    """
    blocks = []
    for entry in entries_about(paper, *places):
        css_class, label = _css_class(entry), _label(entry)
        label = f"erratum: {label}" if css_class == "erratum" else label
        if _FIRST_PLACES.setdefault(entry.id, places) != places:
            blocks.append(
                f'<div class="il-entry il-{css_class}"><span class="il-verdict">{escape(label)}</span> '
                f'<b>{_html(entry.place)}.</b> <a href="#{_anchor(entry.id)}">shown above</a></div>'
            )
            continue
        outcome = recompute_erratum(entry) if isinstance(entry, Erratum) else recompute(entry)
        facts = [fact for fact in _facts(entry, outcome) if fact[0] in _CASE_LABELS]
        blocks.append(_fold_entry(entry, label, facts, f'id="{_anchor(entry.id)}"'))
    return Block(f'<div class="il-ledger il-case">{"".join(blocks)}</div>')


def overview(paper: str) -> Block:
    """Show a paper's folded counts of claims by verdict and errata by kind, with links to the case file."""
    claims = load(paper=paper)
    errata = load_errata(paper=paper)
    groups: dict[str, list[Claim | Erratum]] = {
        f"{mark} {verdict}": [claim for claim in claims if claim.verdict == verdict]
        for verdict, mark in MARKS.items()
    }
    kinds = dict.fromkeys(erratum.kind for erratum in errata)
    groups |= {f"errata, {kind}": [erratum for erratum in errata if erratum.kind == kind] for kind in kinds}
    parts = []
    for name, entries in groups.items():
        if not entries:
            continue
        items = "".join(
            f'<li><a href="../{escape(entry.page)}.html#{_anchor(entry.id)}">{_html(entry.place)}</a>: '
            f"{_html(_statement(entry))}</li>"
            for entry in entries
        )
        n_repeated = sum(bool(getattr(entry, "same_as", "")) for entry in entries)
        number = f"{len(entries) - n_repeated}" + (
            f" (and {n_repeated} more that say the same as one of them)" if n_repeated else ""
        )
        parts.append(f"<details><summary>{escape(name)}: {number}</summary><ul>{items}</ul></details>")
    return Block(f'<div class="il-ledger il-overview">{"".join(parts)}</div>')


def errata_html(pairs: Iterable[tuple[Erratum, Outcome]]) -> str:
    """Return one foldable entry per erratum, by kind, with the published and correct values visible.

    All texts are escaped.
    """
    by_kind = sorted(pairs, key=lambda pair: ERRATUM_KINDS.index(pair[0].kind))
    return f'<div class="il-ledger">{"".join(_full_entry(*pair) for pair in by_kind)}</div>'


def coverage_html(paper: str) -> str:
    """Return the passages of a paper with links to the entries that discuss them."""
    claims = {claim.id for claim in load()}
    rows = []
    for passage in coverage()[paper]:
        links = [_link("ledger" if name in claims else "errata", name) for name in passage.entries]
        rows.append(
            f"<tr><td>{_html(passage.section)}</td><td>{_html(passage.what)}</td>"
            f"<td>{', '.join(links) or 'No entry: ' + _html(passage.why_none)}</td></tr>"
        )
    return (
        '<details class="il-coverage"><summary>What the paper states, passage by passage, and where it is '
        f"treated ({len(rows)} passages)</summary><table><thead><tr><th>section</th><th>what</th>"
        f"<th>entries</th></tr></thead><tbody>{''.join(rows)}</tbody></table></details>"
    )


def _facts(entry: Claim | Erratum, outcome: Outcome) -> list[tuple[str, str]]:
    """Return the content of an entry as pairs of label and text."""
    if isinstance(entry, Claim):
        ours = _compared_values(outcome, entry.labels, entry.printed_values, "printed")
        counted_with = f"{_link('ledger', entry.same_as)}, the same claim or the same error"
        return [
            ("Printed", _html(entry.printed)),
            ("Ours", ours if entry.compute else ""),
            ("Data", _html(entry.data)),
            ("What decided it", _html(entry.reason)),
            ("The strongest defense", _html(entry.defense)),
            ("Counted with", counted_with if entry.same_as else ""),
            ("Erratum", _link("errata", entry.erratum) if entry.erratum else ""),
        ]
    return [
        ("Printed", _html(entry.printed)),
        ("Right", _html(entry.right)),
        ("Because", _html(entry.proof)),
        ("Recomputed", _compared_values(outcome, entry.labels, entry.deciding, "stated")),
        ("Consequence", _html(entry.consequence)),
        ("This package", _html(entry.computes)),
        ("Claims", ", ".join(_link("ledger", c.id) for c in load() if c.erratum == entry.id)),
    ]


def _css_class(entry: Claim | Erratum) -> str:
    return entry.verdict.split()[0] if isinstance(entry, Claim) else "erratum"


def _label(entry: Claim | Erratum) -> str:
    return f"{MARKS[entry.verdict]} {entry.verdict}" if isinstance(entry, Claim) else entry.kind


def _statement(entry: Claim | Erratum) -> str:
    return entry.claim if isinstance(entry, Claim) else entry.right


def _full_entry(entry: Claim | Erratum, outcome: Outcome) -> str:
    data = {"paper": entry.paper, "kind": entry.kind, "page": entry.page}
    data |= {"verdict": entry.verdict, "same": entry.same_as} if isinstance(entry, Claim) else {}
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in data.items() if value)
    link = f'<a href="../{escape(entry.page)}.html#{_anchor(entry.id)}">{escape(page_title(entry.page))}</a>'
    facts = _facts(entry, outcome)
    facts += [("Shown in", link), ("Computed by", _source_link(entry.compute))]
    return _fold_entry(entry, _label(entry), facts, f'id="{escape(entry.id)}"{attributes}')


def _fold_entry(entry: Claim | Erratum, label: str, facts: list[tuple[str, str]], attributes: str) -> str:
    """Return an entry as a fold with verdict, place, and claim as its summary, and with the facts inside."""
    page = "ledger" if isinstance(entry, Claim) else "errata"
    shown_facts = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts if text)
    return (
        f'<div class="il-entry il-{_css_class(entry)}" {attributes}>'
        f'<a class="il-permalink" href="../appendix/{page}.html#{escape(entry.id)}" title="Link to '
        f'this entry">{escape(entry.id)}</a>'
        f'<details><summary><span class="il-verdict">{escape(label)}</span> '
        f"<b>{_html(entry.place)}.</b> {_html(_statement(entry))}</summary><dl>{shown_facts}</dl></details></div>"
    )


def _compared_values(outcome: Outcome, labels: Sequence[str], stated: Sequence[float], heading: str) -> str:
    """Return a table of stated and computed values, or the computed numbers as text if there is only one."""
    if len(labels) < 2 or len(outcome.ours) != len(labels):
        return _html(outcome.detail)
    rows = "".join(
        f"<tr><td>{_html(label)}</td><td>{_number(printed)}</td><td>{_number(ours)}</td></tr>"
        for label, printed, ours in zip(labels, stated, outcome.ours, strict=True)
    )
    return (
        f"{_html(outcome.detail)}<details><summary>{len(labels)} values</summary><table><thead><tr><th></th>"
        f"<th>{heading}</th><th>ours</th></tr></thead><tbody>{rows}</tbody></table></details>"
    )


def _number(value: float) -> str:
    return or_zero(value, ".4g").replace("-", "−")


def _html(text: str) -> str:
    """Escape a text, and mark up formulas (``$x$``), code (in backticks), subscripts, and superscripts."""
    parts = re.split(r"\$([^$]+)\$|`([^`]+)`", text)
    converted = _typeset_indices(parts[0])
    for formula, code, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        if formula:
            converted += f'<span class="math notranslate nohighlight">\\({escape(formula)}\\)</span>'
        else:
            converted += f"<code>{escape(code)}</code>"
        converted += _typeset_indices(rest)
    return converted


def _typeset_indices(text: str) -> str:
    """Escape a text, and typeset ``I_A`` and ``e^−0.8`` with subscripts and superscripts."""
    with_subscripts = _SUBSCRIPT.sub(lambda m: f"{m[1]}<sub>{m[2].strip('{}')}</sub>", escape(text))
    return _SUPERSCRIPT.sub(r"<sup>\1</sup>", with_subscripts)


def _link(page: str, name: str) -> str:
    """Return a link to an entry for use on any page of the book; all pages are one folder deep."""
    return f'<a href="../appendix/{page}.html#{escape(name)}">{escape(name)}</a>'


def _anchor(name: str) -> str:
    """Return the name of the anchor at which a case file shows an entry."""
    return f"shown-{escape(name)}"


@functools.cache
def _source_link(path: str) -> str:
    """Return the name of a function, linked to its source, with its docstring in one paragraph."""
    if not path:
        return ""
    module, _, name = path.rpartition(".")
    function = inspect.unwrap(getattr(importlib.import_module(module), name))
    source_file = inspect.getsourcefile(function)
    urls = metadata.metadata("isotropy-lab").get_all("Project-URL") or []
    address = next((url.split(", ")[1] for url in urls if url.startswith("Repository, ")), "")
    link = f"<code>{escape(path.removeprefix('reanalyses.'))}</code>"
    if source_file and address:
        lines, start = inspect.getsourcelines(function)
        file = Path(source_file).resolve().relative_to(_BOOK.parent).as_posix()
        link = f'<a href="{escape(address)}/blob/main/{file}#L{start}-L{start + len(lines) - 1}">{link}</a>'
    docstring = " ".join((inspect.getdoc(function) or "").split()).replace("``", "`")
    return f"{link}: {_html(docstring)}" if docstring else link
