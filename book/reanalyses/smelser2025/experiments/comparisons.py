"""Methods ranked by measures, over datasets and seeds: Tables III to VI, and the effect of preprocessing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import kendalltau, spearmanr

from isotropy_lab._core import checks
from isotropy_lab.projection import affinities, forced_scale_kl, kl_divergence, scale_normalized_kl
from reanalyses.smelser2025 import reported_numbers
from reanalyses.smelser2025.datasets import preprocessing
from reanalyses.smelser2025.experiments.projection_sets import THREE, Projections, as_tuple
from reanalyses.smelser2025.experiments.stress_formulas import stress_by_distances, stress_by_ranks

__all__ = [
    "KL_MEASURES",
    "STRESS_MEASURES",
    "baseline_table",
    "kl_correlations",
    "kl_order_table",
    "preprocessing_table",
    "projection_scores",
    "rank_agreement",
    "rank_summary",
    "stress_ranks",
]

STRESS_MEASURES = ("ns", "sgs", "nms", "sns", "fsns")
"""Measures of Table III in order; lower is better for all except sgs."""

KL_MEASURES = ("snkl", "fskl", "kl_1", "kl_10")
"""Measures of Tables IV and V in order; lower is better."""


def projection_scores(
    several: Projections | Iterable[Projections],
    *,
    measures: Sequence[str] = (*STRESS_MEASURES, *KL_MEASURES),
) -> pd.DataFrame:
    """Return the measures of projections by several methods and seeds, for Tables III to V.

    Stress values include the root; ns_10 and kl_10 are those at ten times the projection's own size.
    """
    rows = []
    for data in as_tuple(several):
        P = affinities(data.X, perplexity=30.0) if set(measures) & set(KL_MEASURES) else None
        scores: dict[int, dict[str, float]] = {}
        for seed, projections in data.by_seed.items():
            for method, Y in projections.items():
                # A method without random numbers has the same array for all seeds.
                if id(Y) not in scores:
                    scores[id(Y)] = _scores(data.X, P, Y, measures)
                rows.append({"dataset": data.dataset.name, "method": method, "seed": seed, **scores[id(Y)]})
    return pd.DataFrame(rows)


def baseline_table(scores: pd.DataFrame, *, baseline: str = "mds") -> pd.DataFrame:
    """Return the percentage of trials in which each method precedes a baseline (Table III).

    A trial is a combination of dataset and seed, used by both methods. At scale 10, only ns can change.
    """
    measures = [measure for measure in STRESS_MEASURES if measure in scores]
    reported = reported_numbers.table_3().set_index(["method", "scale"])
    keys = ["dataset", "seed"]
    baseline_scores = scores[scores["method"] == baseline].set_index(keys)
    rows = []
    for method in (name for name in dict.fromkeys(scores["method"]) if name != baseline):
        method_scores = scores[scores["method"] == method].set_index(keys).reindex(baseline_scores.index)
        for scale, measure in itertools.product((1, 10), measures):
            column = "ns_10" if (measure, scale) == ("ns", 10) else measure
            gain = (baseline_scores[column] - method_scores[column]) * (-1.0 if measure == "sgs" else 1.0)
            rows.append(
                {
                    "method": method,
                    "scale": scale,
                    "measure": measure,
                    "trials": len(gain),
                    "percent": 100.0 * float((gain > 0).mean()),
                    "printed": float(reported.loc[(method, scale), measure])
                    if baseline == "mds" and (method, scale) in reported.index
                    else float("nan"),
                }
            )
    return pd.DataFrame(rows)


def kl_order_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the percentage of trials with each order of three methods by divergence (Table IV)."""
    reported = reported_numbers.table_4().set_index("order")
    methods = ["tsne", "mds", "random"]  # in the expected order
    rows = []
    for measure in (name for name in KL_MEASURES if name in scores):
        values = scores.pivot(index=["dataset", "seed"], columns="method", values=measure)[methods].to_numpy()
        orders = [" < ".join(np.asarray(methods)[np.argsort(row, kind="stable")]) for row in values]
        for order in map(" < ".join, itertools.permutations(methods)):
            rows.append(
                {
                    "order": order,
                    "measure": measure,
                    "trials": len(orders),
                    "percent": 100.0 * orders.count(order) / len(orders),
                    "printed": float(reported.loc[order, measure]),
                }
            )
    expected = " < ".join(methods)
    table = pd.DataFrame(rows)
    return table.sort_values("order", key=lambda column: column != expected, kind="stable", ignore_index=True)


def kl_correlations(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the correlations of divergence measures over all projections by three methods (Table V).

    ``within`` is the mean correlation within datasets, which excludes differences between datasets.
    """
    selected = scores[scores["method"].isin(list(THREE))]
    reported = reported_numbers.table_5().set_index(["first", "second"])["spearman"]
    rows = []
    for first, second in itertools.combinations(KL_MEASURES, 2):
        within = [spearmanr(group[first], group[second])[0] for _, group in selected.groupby("dataset")]
        rows.append(
            {
                "first": first,
                "second": second,
                "spearman": float(spearmanr(selected[first], selected[second])[0]),
                "within": float(np.mean(within)),
                "printed": float(reported.loc[(first, second)]),
            }
        )
    return pd.DataFrame(rows)


def stress_ranks(scores: pd.DataFrame, *, by_seed: bool = False) -> pd.DataFrame:
    """Rank methods by the stress of our projections at their own and at their optimal scales (Table VI)."""
    keys = ["dataset", "seed"] if by_seed else ["dataset"]
    table = scores.groupby([*keys, "method"], sort=False)[["ns", "sns"]].mean().reset_index()
    for measure in ("ns", "sns"):
        ranks = table.groupby(keys, sort=False)[measure].rank(method="min")
        table[f"{measure}_rank"] = ranks.astype(int)
    return table


def rank_agreement(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement of the rankings by NS and SNS for each dataset (Figure 7)."""
    rows = []
    keys = [key for key in ("dataset", "seed") if key in ranks]
    for key, group in ranks.groupby(keys, sort=False):
        n_moved = int((group["ns_rank"] != group["sns_rank"]).sum())
        sns_rank = group.set_index("method")["sns_rank"]
        rows.append(
            {
                **dict(zip(keys, key, strict=True)),
                "kendall_tau": float(kendalltau(group["ns_rank"], group["sns_rank"])[0]),
                "same": n_moved == 0,
                "moved": n_moved,
                "umap_before_tsne": bool(sns_rank["umap"] < sns_rank["tsne"]),
            }
        )
    return pd.DataFrame(rows)


def rank_summary(ranks: pd.DataFrame, *, leave_out: Sequence[str] = ()) -> pd.DataFrame:
    """Return the percentages of datasets on which each method is first, second, and last (Section V-D)."""
    selected = ranks[~ranks["dataset"].isin(list(leave_out))]
    n_datasets = int(selected["dataset"].nunique())
    rows = []
    for measure, (method, group) in itertools.product(("ns", "sns"), selected.groupby("method", sort=False)):
        rank = group[f"{measure}_rank"]
        last = group["dataset"].map(selected.groupby("dataset")[f"{measure}_rank"].max())
        rows.append(
            {
                "measure": measure,
                "method": method,
                "first": 100.0 * float((rank == 1).sum()) / n_datasets,
                "second": 100.0 * float((rank == 2).sum()) / n_datasets,
                "last": 100.0 * float((rank == last).sum()) / n_datasets,
                "datasets": n_datasets,
            }
        )
    return pd.DataFrame(rows)


def preprocessing_table(several: Projections | Iterable[Projections]) -> pd.DataFrame:
    """Score projections against the scaled data that were projected, and against the raw data."""
    measures = ["sns", "sgs", "snkl"]
    several = as_tuple(several)
    columns = {}
    for preprocess in ("as-published", "consistent"):
        data_with_reference = []
        for data in several:
            prepared = preprocessing.prepare(data.dataset.X, preprocess=preprocess, scaling=data.scaling)
            data_with_reference.append(replace(data, X=prepared.scoring))
        scores = projection_scores(data_with_reference, measures=measures)
        means = scores.groupby(["dataset", "method"], sort=False)[measures].mean()
        columns[preprocess.replace("-", "_")] = means.rename_axis(columns="measure").stack()
    return pd.DataFrame(columns).reset_index()


def _scores(
    X: checks.FloatArray, P: checks.FloatArray | None, Y: checks.FloatArray, measures: Sequence[str]
) -> dict[str, float]:
    scores: dict[str, float] = {}
    if {"ns", "sns", "fsns"} & set(measures):
        scores |= stress_by_distances(X, Y)
    if {"sgs", "nms"} & set(measures):
        scores |= stress_by_ranks(X, Y)
    if P is not None:
        if "snkl" in measures:
            scores["snkl"] = scale_normalized_kl(P, Y, metric="affinities").value
        if "fskl" in measures:
            scores["fskl"] = forced_scale_kl(P, Y, metric="affinities")
        for name, scale in (("kl_1", 1.0), ("kl_10", 10.0)):
            if name in measures:
                scores[name] = kl_divergence(P, Y, scale=scale, metric="affinities")
    names = {*measures, *(("ns_10",) if "ns" in measures else ())}
    return {name: value for name, value in scores.items() if name in names}
