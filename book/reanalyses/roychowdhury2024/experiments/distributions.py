"""Similarities of questions to relevant, best, and random documents by variant; thresholds and overlaps by ψ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab.retrieval._overlap import SimilaritySamples, overlaps_at
from isotropy_lab.retrieval.thresholds import score_at_threshold, similarity_threshold
from reanalyses.roychowdhury2024.correlations import correlations
from reanalyses.roychowdhury2024.experiments.collection import (
    Variants,
    isotropy_of,
    named_variants,
    samples_of,
)
from reanalyses.roychowdhury2024.overlap_bounds import hits_and_overlap
from reanalyses.roychowdhury2024.sampling import PAPER_SIZES, largest_loss
from reanalyses.roychowdhury2024.similarity_densities import similarity_densities
from reanalyses.roychowdhury2024.threshold_curve import threshold_curve

__all__ = [
    "choose_thresholds",
    "loss_bounds",
    "overlap_curves",
    "overlap_parts",
    "paper_thresholds",
    "random_spread",
    "random_spread_correlations",
    "similarity_distributions",
    "threshold_curves",
    "threshold_readings",
    "threshold_steps",
    "thresholds_of_halves",
]


@dataclass(frozen=True, eq=False)
class ThresholdSteps:
    """Steps in the computation of the paper's threshold, with their numbers."""

    #: Similarities of the K best documents of all questions in some bootstrap samples.
    samples: tuple[NDArray[np.float64], ...]
    minima: NDArray[np.float64]  #: The minimum γ of each of these samples.
    gamma: NDArray[np.float64]  #: Γ, the minima γ of all m samples.
    pooled: NDArray[np.float64]  #: All similarities of retrieved documents.
    psi: float  #: Percentage.
    #: tau, tau_pooled: percentiles of Γ and of all similarities.
    tau: float
    tau_pooled: float
    n_questions: int  #: Number of questions in a sample, l.


def threshold_steps(samples: SimilaritySamples, *, psi: float) -> ThresholdSteps:
    """Draw bootstrap samples, and take a percentile of their minimum similarities (Figure 1 with numbers)."""
    top = samples.S_topK
    questions = _draw_questions(samples)
    gamma = top[questions, -1].min(axis=1)
    return ThresholdSteps(
        samples=tuple(top[rows].ravel() for rows in questions[:5]),
        minima=gamma[:5],
        gamma=gamma,
        pooled=top.ravel(),
        psi=psi,
        tau=float(np.percentile(gamma, psi)),
        tau_pooled=float(np.percentile(top, psi)),
        n_questions=questions.shape[1],
    )


def _draw_questions(samples: SimilaritySamples) -> NDArray[np.int64]:
    """Return the questions of 100 bootstrap samples of 100, with one sample in each row."""
    size = PAPER_SIZES["n_resamples"], PAPER_SIZES["n_questions"]
    return np.random.default_rng(0).integers(0, samples.n_questions, size=size)


def _by_variant(
    variants: Variants, gold: Any, table_of: Callable[[SimilaritySamples], pd.DataFrame]
) -> pd.DataFrame:
    """Return the tables of all variants' similarities below each other, with a first column "variant"."""
    tables = {name: table_of(samples_of(variant, gold)) for name, variant in named_variants(variants).items()}
    return pd.concat(tables, names=["variant", None]).reset_index("variant").reset_index(drop=True)


def similarity_distributions(variants: Variants, gold: Any) -> pd.DataFrame:
    """Return densities of similarities to relevant, best, and random documents, by variant (Figure 2).

    The columns are variant, sample, similarity, and density.
    """
    return _by_variant(variants, gold, similarity_densities)


def threshold_readings(samples: SimilaritySamples, *, psi: Sequence[float]) -> pd.DataFrame:
    """Compare thresholds at percentiles of all retrieved similarities and at percentiles of the paper's Γ.

    Γ is that of infinitely many samples of 100, and of all questions. ``largest_loss`` is the largest loss of
    accuracy that Γ can cause at this ψ and l.
    """
    top, ranks = samples.S_topK, samples.hit_ranks
    methods: dict[str, tuple[dict[str, Any], int | None]] = {
        "pooled": ({"method": "pooled"}, None),
        "gamma, l = 100": ({"method": "gamma", "n_questions": 100}, 100),
        "gamma, l = Q": ({"method": "gamma"}, samples.n_questions),
    }
    tables = []
    for name, (options, n) in methods.items():
        table = threshold_curve(top, ranks, psi=list(psi), **options)
        table.insert(1, "method", name)
        bounds = [math.nan if n is None else largest_loss(float(percentage), n) for percentage in psi]
        tables.append(table.assign(largest_loss=bounds))
    return pd.concat(tables, ignore_index=True).rename(columns={"threshold": "tau"})


def threshold_curves(variants: Variants, gold: Any, *, psi: Sequence[float]) -> pd.DataFrame:
    """Return the accuracy and NDCG lost due to thresholds at many percentages, and the hidden documents.

    The columns are variant, psi, threshold, accuracy, ndcg, suppressed, accuracy_loss, and ndcg_loss.
    """

    def curve_with_losses(samples: SimilaritySamples) -> pd.DataFrame:
        table = threshold_curve(samples.S_topK, samples.hit_ranks, psi=[0.0, *psi])
        losses = {f"{metric}_loss": table[metric][0] - table[metric] for metric in ("accuracy", "ndcg")}
        return table.assign(**losses).drop(index=0)

    return _by_variant(variants, gold, curve_with_losses)


def choose_thresholds(variants: Variants, gold: Any) -> pd.DataFrame:
    """Return the highest threshold whose guaranteed loss is at most two points in each metric."""
    rows = []
    for name, variant in named_variants(variants).items():
        samples = samples_of(variant, gold)
        for metric in ("accuracy", "ndcg"):
            chosen = similarity_threshold(samples.S_topK, samples.hit_ranks, margin=0.02, metric=metric)
            numbers = (chosen.threshold, chosen.loss, chosen.loss_bound, chosen.suppressed, chosen.n_empty)
            rows.append((name, metric, *numbers))
    columns = ["variant", "metric", "tau", "loss", "loss_bound", "suppressed", "empty"]
    return pd.DataFrame(rows, columns=columns)


def paper_thresholds(variants: Variants, gold: Any, *, minima: str = "samples") -> pd.DataFrame:
    """Return the threshold by Section II-B: the highest percentile of Γ without a significant difference.

    The accuracies of all samples with and without the threshold are compared by Welch's t-test; the paper
    does not name its test, nor the number and size of samples. Γ contains one minimum for each of the
    "samples", or one for each of the "questions", since the text calls γ a set. The loss refers to all
    questions; the columns after psi are empty if the lowest percentage makes a significant difference.
    """
    rows = []
    for name, variant in named_variants(variants).items():
        samples = samples_of(variant, gold)
        questions = _draw_questions(samples)
        gamma = samples.S_topK[questions, -1].min(axis=1) if minima == "samples" else samples.S_topK[:, -1]
        is_hit = samples.hit_ranks <= samples.k
        before = is_hit[questions].mean(axis=1)
        row = {"variant": name, "psi": math.nan, "accuracy": float(before.mean())}
        for percentage in range(5, 100, 5):
            tau = float(np.percentile(gamma, percentage))
            remains = is_hit & (samples.S_corr >= tau)
            after = remains[questions].mean(axis=1)
            if float(before.mean() - after.mean()) > 0 and (
                stats.ttest_ind(before, after, equal_var=False).pvalue < 0.05
            ):
                break
            row |= {
                "psi": float(percentage),
                "tau": tau,
                "accuracy_at_tau": float(after.mean()),
                "loss": float(is_hit.mean() - remains.mean()),
                "hidden": float((samples.S_topK < tau).mean()),
            }
        rows.append(row)
    return pd.DataFrame(rows)


def thresholds_of_halves(samples: SimilaritySamples, *, metric: str = "accuracy") -> pd.DataFrame:
    """Return thresholds chosen on fifty random halves, their variation, and the losses on the other halves."""
    generator = np.random.default_rng(0)
    n = samples.n_questions
    rows = []
    for _ in range(50):
        half, other_half = np.split(generator.permutation(n), [n // 2])
        chosen = similarity_threshold(
            samples.S_topK[half], samples.hit_ranks[half], margin=0.02, metric=metric
        )
        before, after = (
            score_at_threshold(samples.S_topK[other_half], samples.hit_ranks[other_half], tau, metric=metric)
            for tau in (-1.0, chosen.threshold)
        )
        rows.append((chosen.threshold, before - after, before - after <= 0.02, chosen.suppressed))
    return pd.DataFrame(rows, columns=["tau", "loss", "within", "suppressed"])


def loss_bounds() -> pd.DataFrame:
    """Return the largest possible loss of accuracy due to the paper's threshold at ψ, in percentage points.

    There is one row per ψ and one column per l, such as "l = 100".
    """
    rows = [
        {"psi": float(psi), **{f"l = {n}": 100 * largest_loss(psi, n) for n in (10, 100, 736, 5167)}}
        for psi in (5, 10, 25, 30, 35, 40, 50, 75)
    ]
    return pd.DataFrame(rows)


def overlap_curves(variants: Variants, gold: Any, *, n_resamples: int = 2000) -> pd.DataFrame:
    """Return COE and ROE of every variant as functions of ψ, with confidence intervals.

    The columns are variant and those of `Overlap`.
    """
    percentages = np.arange(0, 101, 5)
    return _by_variant(
        variants, gold, lambda samples: overlaps_at(samples, percentages, n_resamples=n_resamples, rng=0)
    )


def overlap_parts(variants: Variants, gold: Any) -> pd.DataFrame:
    """Decompose COE at ψ = 30 into hits and misses: COE = A C_h + (1 − A) C_m.

    The columns are variant and the fields of `HitsAndOverlap`.
    """
    return _by_variant(variants, gold, lambda samples: pd.DataFrame([vars(hits_and_overlap(samples, 30))]))


def random_spread(variants: Variants, gold: Any) -> pd.DataFrame:
    """Return the spread of similarities to random documents, with the isotropy of the documents."""
    rows = []
    for name, variant in named_variants(variants).items():
        values = samples_of(variant, gold, k=1).S_rand
        i_a, i_b = isotropy_of(variant)
        rows.append((name, variant.family, float(values.mean()), float(values.std(ddof=1)), i_a, i_b))
    return pd.DataFrame(rows, columns=["variant", "family", "mean", "sd", "i_a", "i_b"])


def random_spread_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Correlate the mean and spread of S_rand with two isotropy scores across variants.

    The columns are those of `correlations`.
    """
    return correlations(table, itertools.product(("mean", "sd"), ("i_a", "i_b")), method="spearman", rng=0)
