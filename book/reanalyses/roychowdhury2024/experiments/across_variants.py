"""Adapted encoders: accuracy with a control, isotropy and overlap across variants, and separation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import clone

from isotropy_lab.results import Separation
from isotropy_lab.retrieval import overlap, separation
from isotropy_lab.retrieval.adaptation import LinearAdapter, cross_fitted, folds
from isotropy_lab.retrieval.comparison import compare_models, comparisons
from isotropy_lab.retrieval.ranking import answer_ranks
from reanalyses.roychowdhury2024.correlations import TABLE_1_PAIRS, correlation, correlations, pooling_effect
from reanalyses.roychowdhury2024.datasets.adapted import ADAPTED_VARIANTS, adapted_embeddings
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.datasets.variants import subtract_document_mean
from reanalyses.roychowdhury2024.experiments.collection import (
    Variants,
    collection,
    isotropy_of,
    minilm_variant,
    named_variants,
    samples_of,
)
from reanalyses.roychowdhury2024.experiments.precision import performance_table
from reanalyses.roychowdhury2024.experiments.printed_precision import table_1_recomputed
from reanalyses.roychowdhury2024.separation_change import compare_separation
from reanalyses.roychowdhury2024.transformed import TRANSFORMS, transformed_scores

__all__ = [
    "adaptation_table",
    "adapted_models",
    "center_variant",
    "correlation_table",
    "cross_fitting_table",
    "linear_variant",
    "pooling_table",
    "separation_changes",
    "separation_distances",
    "separation_table",
    "separations",
    "transforms_table",
    "variant_scores",
]

#: Headings of Table III for our names of transformations.
HEADINGS = {
    "baseline": "Baseline",
    "standardized": "Standardized",
    "whitened": "Whitened",
    "all-but-the-top": "PCA",
    "centered": "Centered",
}


def linear_variant(
    base: EmbeddingVariant, gold: Any, fold: npt.NDArray[np.int64], *, adapter: LinearAdapter | None = None
) -> EmbeddingVariant:
    """Train a linear map of the questions in folds, and map each question without using its answer.

    The documents and other sentences are those of `base`.
    """
    documents = base.documents_of(0)
    mapped = cross_fitted(base.questions, documents, gold, fold, adapter=adapter)
    return EmbeddingVariant("linear adapter", base.family, mapped, (documents,), fold, base.agnostic)


def cross_fitting_table(
    base: EmbeddingVariant,
    gold: Any,
    modules: Any,
    *,
    other_questions: EmbeddingVariant,
    adapter: LinearAdapter | None = None,
) -> pd.DataFrame:
    """Return the apparent gain of a linear adapter, by the evaluation data that its training includes.

    The difference is from "nothing", for the same questions. `other_questions` is the result of
    `linear_variant` for `base`.
    """
    documents = base.documents_of(0)
    fitted = clone(LinearAdapter() if adapter is None else adapter).fit(base.questions, documents, gold)
    ranks = {
        "nothing": base.ranks(gold),
        "the same questions": answer_ranks(fitted.transform(base.questions), documents, gold),
        "other questions": other_questions.ranks(gold),
        "other modules": linear_variant(base, gold, folds(modules, rng=0), adapter=adapter).ranks(gold),
    }
    rows = []
    for name, of_training in ranks.items():
        accuracies = (100 * float((of_training <= k).mean()) for k in (10, 1))
        rows.append((name, *accuracies, *_gain(of_training, ranks["nothing"], n_resamples=10_000)))
    columns = ["trained_on", "accuracy", "accuracy_1", "difference", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _gain(
    after: npt.NDArray[np.int64], before: npt.NDArray[np.int64], *, n_resamples: int
) -> tuple[float, float, float]:
    """Return the paired difference in accuracy with its interval, in points; NaN for a model and itself."""
    if after is before:
        return (np.nan, np.nan, np.nan)
    comparison = compare_models(after, before, k=10, n_resamples=n_resamples, rng=0)
    return (100 * comparison.estimate, 100 * comparison.low, 100 * comparison.high)


def adapted_models() -> dict[str, EmbeddingVariant]:
    """Return the published encoder, its five bundled adaptations, a linear adapter, and the control.

    Names are "MiniLM", "PT", "FT", "PT-FT", "FT-merged", "PT-FT-merged", "linear adapter", and "centered".
    """
    base = minilm_variant()
    models = {"MiniLM": base} | {name: adapted_embeddings(name) for name in ADAPTED_VARIANTS}
    models["linear adapter"] = linear_variant(base, collection().gold, models["FT"].folds)
    return models | {"centered": center_variant(base)}


def center_variant(base: EmbeddingVariant) -> EmbeddingVariant:
    """Subtract the mean of the documents from all vectors, as a control for adaptations.

    The other sentences are centered by the documents' mean, too.
    """
    documents = base.documents_of(0)
    questions, centered_documents = subtract_document_mean(base.questions, documents)
    others = None if base.agnostic is None else subtract_document_mean(base.agnostic, documents)[0]
    return EmbeddingVariant("centered", base.family, questions, (centered_documents,), base.folds, others)


def adaptation_table(ranks: Mapping[str, Any], *, baseline: str, n_resamples: int = 10_000) -> pd.DataFrame:
    """Return Table II for adapted encoders: accuracy, NDCG, and paired differences from the baseline.

    Values are in percent and points.
    """
    table = performance_table(ranks, n_resamples=n_resamples)
    table = table.assign(accuracy=table["full_accuracy"], ndcg=table["full_ndcg"])
    table = table[["model", "accuracy", "accuracy_width", "ndcg", "ndcg_width"]]
    for metric, prefix in (("accuracy", ""), ("ndcg", "ndcg_")):
        gains = comparisons(ranks, baseline, metric=metric, k=10, n_resamples=n_resamples, rng=0)
        gains = gains.set_index("first")
        for column, field in (("difference", "estimate"), ("low", "low"), ("high", "high")):
            table = table.assign(**{prefix + column: 100 * table["model"].map(gains[field])})
    return table


def transforms_table(
    variants: Variants, gold: Any, *, transforms: Sequence[str] = tuple(TRANSFORMS)
) -> pd.DataFrame:
    """Return Table III for our data: accuracy, I_A, and I_B of every variant under every transformation.

    Values are in percent; differences from "baseline", for the same questions, are in points. For
    cross-fitted variants, each question is ranked by its own model, and isotropy is the mean over models.
    """
    rows = []
    for name, variant in named_variants(variants).items():
        results = transformed_scores(variant, gold, transforms=transforms)
        for transform, *scores in results.table[["transform", "accuracy", "i_a", "i_b"]].itertuples(
            index=False
        ):
            gain = _gain(results.ranks[transform], results.ranks["baseline"], n_resamples=2000)
            rows.append((name, HEADINGS[transform], *(100 * score for score in scores), *gain))
    columns = ["model", "transform", "accuracy", "i_a", "i_b", "difference", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def variant_scores(variants: Variants, gold: Any) -> pd.DataFrame:
    """Return the scores that Table I correlates and the spread of random similarities, by variant."""
    rows = []
    for name, variant in named_variants(variants).items():
        samples = samples_of(variant, gold)
        overlaps = overlap(samples, 30, n_resamples=40, rng=0)
        i_a, i_b = isotropy_of(variant)
        rows.append(
            {
                "variant": name,
                "family": variant.family,
                "accuracy": samples.accuracy,
                "coe": overlaps.coe_full,
                "roe": overlaps.roe_full,
                "tau": overlaps.threshold_full,
                "i_a": i_a,
                "i_b": i_b,
                "random_sd": float(samples.S_rand.std(ddof=1)),
            }
        )
    return pd.DataFrame(rows)


def correlation_table(
    scores: pd.DataFrame, *, method: str = "pearson", interval: str = "bootstrap"
) -> pd.DataFrame:
    """Return Table I for our variants, as published, and as computed from the paper's eight rows."""
    rng = np.random.default_rng(0)
    ours = correlations(scores, TABLE_1_PAIRS, method=method, interval=interval, rng=rng)
    published = table_1_recomputed().rename(
        columns={"from_rows": "rows_r", "low": "rows_low", "high": "rows_high"}
    )
    columns = ["first", "second", "printed", "rows_r", "rows_low", "rows_high"]
    return ours.merge(published[columns], on=["first", "second"])


def pooling_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the correlations of Table I for different sets of pooled models."""
    rows: list[tuple[Any, ...]] = []
    for first, second in TABLE_1_PAIRS:
        effect = pooling_effect(scores, first, second, group="family")
        for label, r in (
            ("all", effect.pooled),
            ("within families", effect.within),
            ("between families", effect.between),
        ):
            rows.append((first, second, label, effect.n, r, np.nan, np.nan))
        for family, group in scores.groupby("family", sort=False):
            if len(group) >= 4:
                result = correlation(group[first], group[second], rng=0)
                rows.append((first, second, family, result.n, result.estimate, result.low, result.high))
    return pd.DataFrame(rows, columns=["first", "second", "rows", "n", "r", "low", "high"])


def separations(variants: Variants) -> dict[str, Separation]:
    """Return Δ of every variant that has sentences outside the domain."""
    by_model = {}
    for name, variant in named_variants(variants).items():
        if variant.agnostic is None:
            continue
        documents = variant.documents_of(0)
        n_sentences = min(len(variant.agnostic), len(documents) - 1)
        by_model[name] = separation(documents, variant.agnostic, n=n_sentences, rng=0)
    return by_model


def separation_table(by_model: Mapping[str, Separation]) -> pd.DataFrame:
    """Return Δ, the distance within the domain, and their ratio, by variant.

    The columns are model, mean, within_mean, ratio, spread, and relative_mean, as in `Separation`.
    """
    names = ("mean", "within_mean", "ratio", "spread", "relative_mean")
    return pd.DataFrame(
        [
            {"model": model, **{name: getattr(separated, name) for name in names}}
            for model, separated in by_model.items()
        ]
    )


def separation_changes(by_model: Mapping[str, Separation], *, baseline: str) -> pd.DataFrame:
    """Return whether each variant moved the domain away from other sentences, or all sentences apart.

    The columns are model and the fields of `SeparationChange`.
    """
    rows = []
    for name, after in by_model.items():
        if name != baseline:
            change = compare_separation(by_model[baseline], after, n_resamples=2000, rng=0)
            rows.append({"model": name, **vars(change)})
    return pd.DataFrame(rows)


def separation_distances(by_model: Mapping[str, Separation]) -> pd.DataFrame:
    """Return the distances of every domain sentence to the nearest sentences outside and inside the domain.

    The columns are model, kind ("outside" or "within"), and distance.
    """
    parts = [
        pd.DataFrame({"model": name, "kind": kind, "distance": values})
        for name, separated in by_model.items()
        for kind, values in (("outside", separated.distances), ("within", separated.within))
    ]
    return pd.concat(parts, ignore_index=True)
