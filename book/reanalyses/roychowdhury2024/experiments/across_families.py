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
from isotropy_lab.retrieval import answer_ranks
from isotropy_lab.transforms import Whitening
from reanalyses.roychowdhury2024.correlations import correlation, power_sums, products_about_means
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.experiments.across_variants import HEADINGS
from reanalyses.roychowdhury2024.transformed import TRANSFORMS, transformed_scores

__all__ = [
    "MEASURES",
    "family_correlations",
    "family_scores",
    "whitening_table",
]

MEASURES = ("i_a", "i_b", "average_cosine")
"""I_A (second-order partition score), I_B (IsoScore), and average cosine of the documents as unit-norm rows."""

Encoders = Mapping[str, EmbeddingVariant]


def family_of(encoder: str) -> str:
    """Return the family of an encoder; adapted encoders belong to the family of MiniLM."""
    family = encoders.ENCODERS[encoder]
    return "MiniLM" if family == "adapted" else family


def family_scores(
    by_name: Encoders, gold: object, *, transforms: Sequence[str] = tuple(TRANSFORMS)
) -> pd.DataFrame:
    """Return the accuracy and three isotropy scores of every encoder under every transformation.

    `gold` is as in `isotropy_lab.retrieval.answer_ranks`. Accuracy is in percent, and its difference from the
    baseline in points. For cross-fitted encoders, each question is ranked by its own model, and scores are
    means over models.
    """
    tables = []
    for name, variant in by_name.items():
        table = transformed_scores(variant, gold, transforms=transforms).table
        tables.append(table.assign(encoder=name, family=family_of(name)))
    table = pd.concat(tables, ignore_index=True)[["encoder", "family", "transform", "accuracy", *MEASURES]]
    table = table.assign(transform=table["transform"].map(HEADINGS), accuracy=100 * table["accuracy"])
    baseline = table[table["transform"] == HEADINGS["baseline"]].set_index("encoder")["accuracy"]
    return table.assign(difference=table["accuracy"] - table["encoder"].map(baseline))


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
        centered = table.assign(
            **{
                name: table[name] - table.groupby("transform")[name].transform("mean")
                for name in ("accuracy", *MEASURES)
            }
        )
        not_whitened = table[table["transform"] != HEADINGS["whitened"]]
        pools |= {"all": table, "all but whitened": not_whitened, "all, within": centered}
    for measure in MEASURES:
        for name, pool in pools.items():
            if np.ptp(pool[measure]) < 0.01:
                continue
            r = float(np.corrcoef(pool["accuracy"], pool[measure])[0, 1])
            row = {"measure": measure, "transform": name, "r": r}
            row["low"], row["high"] = _interval_over_families(pool, measure)
            if name in transforms:
                means = pool.groupby("family")[["accuracy", measure]].mean()
                between = correlation(means["accuracy"], means[measure], rng=0)
                row |= {"between": between.estimate, "between_low": between.low, "between_high": between.high}
                minilm = pool[pool["family"] == "MiniLM"]
                row["minilm"] = correlation(
                    minilm["accuracy"], minilm[measure], n_resamples=1000, rng=0
                ).estimate
            rows.append(row)
    return pd.DataFrame(rows)


def _interval_over_families(table: pd.DataFrame, measure: str) -> tuple[float, float]:
    """Return percentiles of the correlation over all bootstrap samples of families with varying scores."""
    x, y = (table[name] - table[name].mean() for name in (measure, "accuracy"))
    by_family = pd.DataFrame(power_sums(x, y)).groupby(table["family"].to_numpy()).sum().to_numpy()
    draws = np.array(list(itertools.product(range(len(by_family)), repeat=len(by_family))))
    xx, yy, xy = products_about_means(by_family[draws].sum(axis=1))
    # Repeated draws of a single row have no variance except for rounding.
    vary = (xx > 1e-9 * (x**2).sum()) & (yy > 1e-9 * (y**2).sum())
    low, high = percentile_ends(np.clip(xy[vary] / np.sqrt(xx[vary] * yy[vary]), -1, 1), 0.95)
    return low, high


def whitening_table(by_name: Encoders, gold: Any, *, sizes: Sequence[int] = (200, 100)) -> pd.DataFrame:
    """Return the accuracy after whitening with different fits and truncations, in percent.

    Whitening is fitted on documents, or on both sides; ``raised`` replaces variances below a tenth of the
    largest by that value; first_200 and so on whiten this number of leading directions and drop the others.
    ``common`` is the fraction of the whitened questions' squared length that is due to their common mean.
    Only for encoders with one model.
    """
    rows = []
    for name, variant in by_name.items():
        questions = unit_rows(variant.questions, "questions")
        documents = unit_rows(variant.documents_of(0), "documents")
        whitening = Whitening().fit(documents)
        whitened = whitening.transform(questions)
        centered = whitened - whitened.mean(axis=0)
        on_both = Whitening().fit(np.concatenate([documents, questions]))
        floored = Whitening(floor=0.1).fit(documents)
        pairs = {
            "plain": (questions, documents),
            "whitened": (whitened, whitening.transform(documents)),
            "fitted_on_both": (on_both.transform(questions), on_both.transform(documents)),
            "raised": (floored.transform(questions), floored.transform(documents)),
            "questions_own_mean": (centered, whitening.transform(documents)),
        }
        for size in sizes:
            if size < documents.shape[1]:
                leading = PCA(size, whiten=True, svd_solver="full").fit(documents)
                pairs[f"first_{size}"] = (leading.transform(questions), leading.transform(documents))
        row: dict[str, Any] = {"encoder": name}
        for label, pair in pairs.items():
            row[label] = 100 * float((answer_ranks(*pair, gold) <= 10).mean())
        rows.append(row | {"common": 1 - float(np.sum(centered**2) / np.sum(whitened**2))})
    return pd.DataFrame(rows)
