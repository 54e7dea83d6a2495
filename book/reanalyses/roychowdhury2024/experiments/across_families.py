"""Isotropy and accuracy across encoders of several families, as they are and transformed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from isotropy_lab.isotropy import average_cosine
from isotropy_lab.retrieval._checks import as_gold
from isotropy_lab.retrieval._rows import unit_rows
from reanalyses.roychowdhury2024.correlations import correlation, pooling_effect
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.experiments.across_variants import HEADINGS
from reanalyses.roychowdhury2024.transformed import TRANSFORMS, transformed_scores

__all__ = ["MEASURES", "family_correlations", "family_scores"]

MEASURES = ("i_a", "i_b", "average_cosine")
"""I_A (partition score to second order), I_B (IsoScore) and the average cosine, of the documents as unit rows."""

LEAST_RANGE = 0.01

Encoders = Mapping[str, EmbeddingVariant]


def family_of(encoder: str) -> str:
    """Return the family by origin: adapted encoders are MiniLM's."""
    family = encoders.ENCODERS[encoder]
    return "MiniLM" if family == "adapted" else family


def family_scores(
    of: Encoders, gold: object, *, transforms: Sequence[str] = TRANSFORMS, k: int = 10
) -> pd.DataFrame:
    """Return accuracy and three scores of isotropy of every encoder under every transformation.

    Columns encoder, family, transform (with Table III's headings), accuracy (in per cent), i_a, i_b, average_cosine, and
    difference: accuracy less that of the baseline, in points (NaN where it is not among the transformations). Of cross-fitted encoders each question is ranked by its own model, and scores are the mean over models.
    """
    rows = []
    for name, variant in of.items():
        places = as_gold(gold, len(variant.questions), len(variant.documents[0]))
        hits = dict.fromkeys(transforms, 0)
        scores: dict[str, list[tuple[float, ...]]] = {one: [] for one in transforms}
        for part, asked, documents in variant.parts():
            found = transformed_scores(asked, documents, places[part], transforms=transforms, k=k)
            for one in found.table.itertuples(index=False):
                transformer = found.transformers[one.transform]
                moved = unit_rows(documents, "documents")
                if transformer is not None:
                    moved = unit_rows(transformer.transform(moved), "documents")
                hits[one.transform] += int((found.ranks[one.transform] <= k).sum())
                scores[one.transform].append((one.i_a, one.i_b, average_cosine(moved)))
        for one in transforms:
            means = (float(value) for value in np.mean(scores[one], axis=0))
            rows.append((name, family_of(name), HEADINGS[one], 100 * hits[one] / len(places), *means))
    table = pd.DataFrame(rows, columns=["encoder", "family", "transform", "accuracy", *MEASURES])
    plain = table[table["transform"] == HEADINGS["baseline"]].set_index("encoder")["accuracy"]
    return table.assign(difference=table["accuracy"] - table["encoder"].map(plain))


def family_correlations(table: pd.DataFrame, *, confidence_level: float = 0.95) -> pd.DataFrame:
    """Return the correlation of accuracy with isotropy: over all encoders, within families and between them.

    Returns a table for each transformation and each of `MEASURES`: columns transform, measure, rows, r, low, high, n. In
    ``rows``:

    - "all encoders": every encoder is a row.
    - "MiniLM and its adaptations": those of one family.
    - "within families": all, each less the means of its family; the interval counts a row less for each further family.
    - "between families": one row for each family, the means of its encoders.

    Intervals are Fisher's. They treat encoders, or families, as independent draws, which they are not: relatives are
    alike. Where a score varies by less than 0.01, as the average cosine does without the mean, there is no row.

    Under the transform "all" each encoder stands under every transformation: the correlation of all rows ("all
    encoders"; its interval is a bootstrap of encoders), and within transformations.
    """
    rows = []
    for transform, part in table.groupby("transform", sort=False):
        means = part.groupby("family")[["accuracy", *MEASURES]].mean()
        one_family = part[part["family"] == "MiniLM"]
        for measure in MEASURES:
            if np.ptp(part[measure]) < LEAST_RANGE:
                continue
            for label, of in (
                ("all encoders", part),
                ("MiniLM and its adaptations", one_family),
                ("between families", means),
            ):
                if len(of) < 4:
                    continue
                found = correlation(
                    of["accuracy"], of[measure], confidence_level=confidence_level, n_resamples=1000, rng=0
                )
                rows.append((transform, measure, label, found.estimate, found.low, found.high, found.n))
            effect = pooling_effect(part, measure, "accuracy", group="family")
            n_free = effect.n - part["family"].nunique() + 1
            low, high = _fisher(effect.within, n_free, confidence_level)
            rows.append((transform, measure, "within families", effect.within, low, high, n_free))
    if table["transform"].nunique() > 1:
        rows += [row for measure in MEASURES for row in _over_transforms(table, measure, confidence_level)]
    return pd.DataFrame(rows, columns=["transform", "measure", "rows", "r", "low", "high", "n"])


def _over_transforms(table: pd.DataFrame, measure: str, level: float) -> list[tuple[Any, ...]]:
    pooled = correlation(
        table["accuracy"],
        table[measure],
        interval="bootstrap",
        groups=table["encoder"],
        confidence_level=level,
        n_resamples=2000,
        rng=0,
    )
    within = pooling_effect(table, measure, "accuracy", group="transform").within
    n = table["encoder"].nunique()
    return [
        ("all", measure, "all encoders", pooled.estimate, pooled.low, pooled.high, pooled.n),
        ("all", measure, "within transformations", within, *_fisher(within, n, level), n),
    ]


def _fisher(r: float, n: int, level: float) -> tuple[float, float]:
    half = float(stats.norm.ppf(0.5 + level / 2)) / math.sqrt(n - 3)
    with np.errstate(divide="ignore"):
        z = float(np.arctanh(r))
    return math.tanh(z - half), math.tanh(z + half)
