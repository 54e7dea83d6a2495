"""Agreement of each pair of models on the same items."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from isotropy_lab._core.neighbors import nearest_neighbors
from isotropy_lab._core.results import Result
from isotropy_report.card.parts import Section, Table, Value
from isotropy_report.card.rows import report_progress
from isotropy_report.card.words import errors_rename, name_in_errors
from isotropy_report.comparison.paired import Model
from isotropy_report.measures import CKA, NeighborOverlap, cka
from isotropy_report.measures.neighbors import overlap_of_lists

_PERMUTATIONS = 199
"""Number of permutations in the CKA test of each pair."""


@dataclasses.dataclass(frozen=True)
class ModelPair(Result):
    """Agreement of two models on the same items; undefined parts are None.

    Attributes
    ----------
    first, second : str
        The names of the two models.
    neighbors : NeighborOverlap or None
        The fraction of the k nearest neighbors that the models share.
    cka : CKA or None
        Unbiased CKA, with its interval and its permutation test.
    note : str
        A note on which parts are undefined, and why.
    """

    first: str
    second: str
    neighbors: NeighborOverlap | None
    cka: CKA | None
    note: str


def model_pairs(
    measured: Sequence[Model], k: int, level: float, rng: np.random.Generator
) -> tuple[ModelPair, ...]:
    """Return the agreement of each pair of models, using one neighbor search per model."""
    lists: dict[str, Any] = {}
    why: dict[str, str] = {}
    for i, model in enumerate(measured):
        report_progress("finding neighbors", i, len(measured))
        try:
            lists[model.name] = nearest_neighbors(
                model.found.sample, k + 1, name=name_in_errors(model.name)
            ).indices
        except ValueError as error:
            why[model.name] = str(error)
    report_progress("finding neighbors", len(measured), len(measured))
    found = []
    both = list(itertools.combinations(measured, 2))
    for i, (first, second) in enumerate(both):
        report_progress("comparing neighborhoods", i, len(both))
        notes = list(dict.fromkeys(why[one.name] for one in (first, second) if one.name in why))
        overlap = None
        if not notes:
            overlap = overlap_of_lists(lists[first.name], lists[second.name], level)
        agree: CKA | None = None
        words = {"A": name_in_errors(first.name), "B": name_in_errors(second.name)}
        try:
            with errors_rename(words):
                agree = cka(
                    first.found.sample,
                    second.found.sample,
                    n_resamples=_PERMUTATIONS,
                    confidence_level=level,
                    rng=rng,
                )
        except ValueError as error:
            notes.append(str(error))
        found.append(ModelPair(first.name, second.name, overlap, agree, "; ".join(notes)))
    report_progress("comparing neighborhoods", len(both), len(both))
    return tuple(found)


def pairs_section(pairs: Sequence[ModelPair], k: int, size: int, n_points: int, *, grouped: bool) -> Section:
    """Return the section about neighborhoods."""
    columns = (
        "models",
        *(f"{k} nearest shared", "low", "high", "by chance"),
        *("CKA", "low of CKA", "high of CKA", "p of CKA"),
    )
    rows: list[tuple[Value, ...]] = []
    for one in pairs:
        a, b = one.neighbors, one.cka
        rows.append(
            (
                f"{one.first}, {one.second}",
                *((a.overlap, a.low, a.high, a.chance) if a else (None,) * 4),
                *((b.statistic, b.low, b.high, b.pvalue) if b else (None,) * 4),
            )
        )
    among = (
        f"all {n_points:,} rows"
        if size == n_points
        else f"{size:,} of the {n_points:,} rows, the same of each model"
    )
    notes = [
        f"Among {among}: the share of the {k} nearest neighbors depends on how many there are. CKA is the "
        "unbiased one, 0 for unrelated vectors. Its p-values say whether the models have anything to do with "
        "each other, and are not corrected for the number of pairs.",
        *(["Their intervals take rows for independent: groups are not left out here."] if grouped else []),
        *(f"{one.first} and {one.second}, undefined here: {one.note}." for one in pairs if one.note),
    ]
    table = Table("neighborhoods", "How far models agree", columns, tuple(rows))
    return Section("neighborhoods", "Neighborhoods", tables=(table,), notes=tuple(notes), folded=True)
