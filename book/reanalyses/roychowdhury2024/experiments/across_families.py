"""Isotropy and accuracy across encoders of several families, untransformed and transformed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from isotropy_lab._core.resampling import percentile_ends
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.isotropy import average_cosine
from isotropy_lab.retrieval import answer_ranks
from isotropy_lab.retrieval.relevance import as_judgments
from isotropy_lab.transforms import Whitening
from reanalyses.roychowdhury2024.correlations import correlation
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.experiments.across_variants import HEADINGS
from reanalyses.roychowdhury2024.transformed import TRANSFORMS, apply_to_both, transformed_scores

__all__ = [
    "MEASURES",
    "WORDS",
    "family_correlations",
    "family_scores",
    "whitening_table",
]

MEASURES = ("i_a", "i_b", "average_cosine")
"""I_A (second-order partition score), I_B (IsoScore), and average cosine of the documents as unit-norm rows."""

WORDS = {
    "Baseline": "as they are",
    "Centered": "centered",
    "Standardized": "standardized",
    "PCA": "all-but-the-top",
    "Whitened": "whitened",
    "all": "all rows",
    "all, within": "within transformations",
}
"""Display names of the transformations and of the pools of `family_correlations`."""

LEAST_RANGE = 0.01

Encoders = Mapping[str, EmbeddingVariant]


def family_of(encoder: str) -> str:
    """Return the family of an encoder; adapted encoders belong to the family of MiniLM."""
    family = encoders.ENCODERS[encoder]
    return "MiniLM" if family == "adapted" else family


def family_scores(of: Encoders, gold: object, *, transforms: Sequence[str] = TRANSFORMS) -> pd.DataFrame:
    """Return the accuracy and three isotropy scores of every encoder under every transformation.

    `gold` is as in `isotropy_lab.retrieval.answer_ranks`. Accuracy is in percent, and its difference from the
    baseline in points. For cross-fitted encoders, each question is ranked by its own model, and scores are
    means over models.
    """
    rows = []
    for name, variant in of.items():
        places, _ = as_judgments(gold, len(variant.questions), len(variant.documents[0]))
        hits = dict.fromkeys(transforms, 0)
        scores: dict[str, list[tuple[float, ...]]] = {one: [] for one in transforms}
        for part, asked, documents in variant.parts():
            found = transformed_scores(asked, documents, places[part], transforms=transforms, k=10)
            for one in found.table.itertuples(index=False):
                transformer = found.transformers[one.transform]
                moved = unit_rows(documents, "documents")
                if transformer is not None:
                    moved = unit_rows(transformer.transform(moved), "documents")
                hits[one.transform] += int((found.ranks[one.transform] <= 10).sum())
                scores[one.transform].append((one.i_a, one.i_b, average_cosine(moved)))
        for one in transforms:
            means = (float(value) for value in np.mean(scores[one], axis=0))
            rows.append((name, family_of(name), HEADINGS[one], 100 * hits[one] / len(places), *means))
    table = pd.DataFrame(rows, columns=["encoder", "family", "transform", "accuracy", *MEASURES])
    plain = table[table["transform"] == HEADINGS["baseline"]].set_index("encoder")["accuracy"]
    return table.assign(difference=table["accuracy"] - table["encoder"].map(plain))


def family_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Return the correlations of accuracy with isotropy: over all encoders, between and within families.

    ``low`` and ``high`` over all encoders come from an exact bootstrap of families, each with all its
    encoders, because encoders of one family are dependent. Those between families are Fisher's, with one row
    per family. There is no interval within MiniLM's family, because encoders derived from one another are not
    a sample.

    Scores that vary by less than 0.01, such as the average cosine after centering, have no row. With several
    transformations, there are three more rows per measure: "all" (pooled), "all but whitened", and "all,
    within" (the rows of "all", each minus the mean of its transformation).
    """
    rows = []
    transforms = list(dict.fromkeys(table["transform"]))
    pools = {name: table[table["transform"] == name] for name in transforms}
    if len(transforms) > 1:
        less_means = table.assign(
            **{
                name: table[name] - table.groupby("transform")[name].transform("mean")
                for name in ("accuracy", *MEASURES)
            }
        )
        not_whitened = table[table["transform"] != HEADINGS["whitened"]]
        pools |= {"all": table, "all but whitened": not_whitened, "all, within": less_means}
    for measure in MEASURES:
        for name, part in pools.items():
            if np.ptp(part[measure]) < LEAST_RANGE:
                continue
            r = float(np.corrcoef(part["accuracy"], part[measure])[0, 1])
            row = {"measure": measure, "transform": name, "r": r}
            row["low"], row["high"] = _over_families(part, measure, 0.95)
            if name in transforms:
                means = part.groupby("family")[["accuracy", measure]].mean()
                found = correlation(means["accuracy"], means[measure], confidence_level=0.95, rng=0)
                row |= {"between": found.estimate, "between_low": found.low, "between_high": found.high}
                one = part[part["family"] == "MiniLM"]
                row["minilm"] = correlation(one["accuracy"], one[measure], n_resamples=1000, rng=0).estimate
            rows.append(row)
    return pd.DataFrame(rows)


def _over_families(table: pd.DataFrame, measure: str, level: float) -> tuple[float, float]:
    """Return percentiles of the correlation over all bootstrap samples of families with varying scores."""
    x, y = (table[name] - table[name].mean() for name in (measure, "accuracy"))
    sums = np.column_stack([np.ones(len(table)), x, y, x * x, y * y, x * y])
    by_family = pd.DataFrame(sums).groupby(table["family"].to_numpy()).sum().to_numpy()
    draws = np.array(list(itertools.product(range(len(by_family)), repeat=len(by_family))))
    n, sx, sy, sxx, syy, sxy = by_family[draws].sum(axis=1).T
    xx, yy, xy = sxx - sx * sx / n, syy - sy * sy / n, sxy - sx * sy / n
    # Repeated draws of a single row have no variance except for rounding.
    vary = (xx > 1e-9 * sums[:, 3].sum()) & (yy > 1e-9 * sums[:, 4].sum())
    low, high = percentile_ends(np.clip(xy[vary] / np.sqrt(xx[vary] * yy[vary]), -1, 1), level)
    return low, high


def whitening_table(
    of: Encoders, gold: object, *, sizes: Sequence[int] = (200, 100), floor: float = 0.1, k: int = 10
) -> pd.DataFrame:
    """Return the accuracy after whitening with different fits and truncations, in percent.

    Whitening is fitted on documents, or on both sides; ``raised`` replaces variances below `floor` times the
    largest by that value; first_200 and so on whiten this number of leading directions and drop the others.
    ``common`` is the fraction of the whitened questions' squared length that is due to their common mean.
    Only for encoders with one model.
    """
    rows = []
    for name, variant in of.items():
        asked, documents = (
            unit_rows(variant.questions, "questions"),
            unit_rows(variant.documents_of(0), "documents"),
        )
        places, _ = as_judgments(gold, len(asked), len(documents))
        whitening: dict[str, Any] = {
            f"first_{size}": PCA(size, whiten=True, svd_solver="full")
            for size in sizes
            if size < documents.shape[1]
        }
        named = {"plain": None, "whitened": Whitening(), "raised": Whitening(floor=floor)} | whitening
        found = transformed_scores(asked, documents, places, transforms=named, k=k)
        moved, _ = apply_to_both(found.transformers["whitened"], asked, documents)
        own = moved - moved.mean(axis=0)
        both = Whitening().fit(np.concatenate([documents, asked]))
        ranks = found.ranks | {
            "fitted_on_both": answer_ranks(both.transform(asked), both.transform(documents), places),
            "questions_own_mean": answer_ranks(
                own, found.transformers["whitened"].transform(documents), places
            ),
        }
        order = ["plain", "whitened", "fitted_on_both", "raised", "questions_own_mean", *whitening]
        rows.append(
            {"encoder": name}
            | {label: 100 * float((ranks[label] <= k).mean()) for label in order}
            | {"common": 1 - float(np.sum(own**2) / np.sum(moved**2))}
        )
    return pd.DataFrame(rows)
