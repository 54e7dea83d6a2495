"""Results that decide the claims in the supplement of Smelser et al. (2025): one function per ledger entry.

Like `claims`, for the datasets available here. Divergences have perplexity 30.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from isotropy_lab.projection import affinities, kl_curve, kl_divergence
from reanalyses.ledger import Finding
from reanalyses.smelser2025 import experiments, reported_numbers, stored
from reanalyses.smelser2025.claims import (
    METHODS,
    SMALL_DATASETS,
    _least_invariant,
    _medians,
    both_scores,
    common_answer,
    kl_at_infinity,
    noise_by_condition,
    projected,
    random_minima,
    survey_ranks,
)
from reanalyses.smelser2025.kl_derivative import kl_derivative
from reanalyses.zeros import or_zero

Array = NDArray[np.float64]

#: References for scoring: the projected data, and the raw data.
REFERENCES = ("consistent", "as-published")

#: The example of Appendix B.
P_B = np.array([[0.0, 0.2, 0.1], [0.2, 0.0, 0.2], [0.1, 0.2, 0.0]])
Y_B = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


@lru_cache(maxsize=8)
def _affinities_and_projection(name: str, method: str) -> tuple[Array, Array]:
    """Return the affinities of a dataset, and a projection of it."""
    X, layouts = projected(name, (method,))
    return affinities(X), layouts[method]


def _finite_differences(P: Array, Y: Array, scale: float, step: float = 1e-4) -> tuple[float, float]:
    """Return both derivatives of the divergence with respect to the scale, by finite differences."""
    below, at, above = kl_curve(
        P, Y, [scale - step, scale, scale + step], metric="affinities", method="exact"
    )
    return (above - below) / (2 * step), (above - 2 * at + below) / step**2


# --- Appendix A ---------------------------------------------------------------------------------------------


def _equations(P: Array, Y: Array, scale: float) -> tuple[float, float]:
    """Return equations (8) and (9) with distances of the projection, and k, l within the sums over k ≠ l."""
    e2 = pdist(Y, "sqeuclidean")
    p = 2.0 * squareform(P, checks=False)
    w = 1.0 / (1.0 + scale**2 * e2)
    slope = 2.0 * scale * e2
    # Sums over ordered pairs k ≠ l count each unordered pair twice.
    sum_w, slope_sum = 2.0 * float(w.sum()), 2.0 * float((slope * w**2).sum())
    curvature_sum = 2.0 * float((2.0 * e2 * w**2 - 2.0 * slope**2 * w**3).sum())
    first = float(p @ (slope * w)) - slope_sum / sum_w
    second = float(p @ (2.0 * e2 * w - slope**2 * w**2)) - curvature_sum / sum_w - slope_sum**2 / sum_w**2
    return first, second


def equation_8_in_the_projection() -> Finding:
    """Test equation (8) with distances of the projection: largest relative error from finite differences."""
    error = 0.0
    for name in SMALL_DATASETS:
        P, Y = _affinities_and_projection(name, "mds")
        for scale in (0.5, 1.0, 2.0):
            first = _equations(P, Y, scale)[0]
            error = max(error, abs(first - _finite_differences(P, Y, scale)[0]) / max(abs(first), 1e-2))
            error = max(error, abs(first - kl_derivative(P, Y, scale=scale, metric="affinities")))
    return Finding((error,), error < 1e-4, f"largest error {error:.1g} of the derivative")


def equation_9_in_the_projection() -> Finding:
    """Test equation (9) with distances of the projection: largest relative error from finite differences."""
    error = 0.0
    for name in SMALL_DATASETS:
        P, Y = _affinities_and_projection(name, "mds")
        for scale in (0.5, 1.0, 2.0):
            second, reference = _equations(P, Y, scale)[1], _finite_differences(P, Y, scale, 1e-3)[1]
            error = max(error, abs(second - reference) / max(abs(second), 1e-1))
    return Finding((error,), error < 1e-3, f"largest error {error:.1g} of the derivative")


def slope_at_zero() -> Finding:
    """Test whether the first derivative is 0 at scale 0: largest slope near 0 over that at 1/spread."""
    ratio = 0.0
    for name in SMALL_DATASETS:
        for method in METHODS:
            P, Y = _affinities_and_projection(name, method)
            unit = 1.0 / float(np.sqrt(pdist(Y, "sqeuclidean").mean()))
            slope_near_0, slope_at_unit = (abs(_equations(P, Y, scale)[0]) for scale in (1e-4 * unit, unit))
            exact = abs(kl_derivative(P, Y, scale=0.0, metric="affinities"))
            ratio = max(ratio, slope_near_0 / max(slope_at_unit, 1e-3 / unit), exact)
    return Finding((ratio,), ratio < 1e-2, f"at most {ratio:.1g} of the slope further out, and 0 at 0")


def equation_10() -> Finding:
    """Test equation (10), the second derivative at scale 0: largest error over mean squared distance."""
    error = 0.0
    for name in SMALL_DATASETS:
        for method in ("mds", "random"):
            P, Y = _affinities_and_projection(name, method)
            e2 = pdist(Y, "sqeuclidean")
            by_equation = 2 * float(2 * squareform(P, checks=False) @ (e2 - e2.mean()))
            second = kl_derivative(P, Y, scale=0.0, order=2, metric="affinities")
            error = max(error, abs(second - by_equation) / abs(e2.mean()))
    return Finding((error,), error < 1e-9, f"largest error {or_zero(error, '.1g')} of the mean of e²")


def maximum_at_zero() -> Finding:
    """Test whether scale 0 is a maximum for all methods but random: largest half second derivative."""
    tables = [stored.scores(preprocess, methods=(*METHODS[:-1], "lle")) for preprocess in REFERENCES]
    highest = [float(scores["bend"].max()) for scores in tables]
    return Finding(
        tuple(highest),
        common_answer(value < 0 for value in highest),
        f"at most {highest[0]:.3f} against the projected data, {highest[1]:.3f} against raw data, {len(tables[0])} trials each",
    )


def minimum_at_zero_is_global() -> Finding:
    """Test whether a local minimum at scale 0 is global: number of random projections where it is not."""
    table = random_minima()
    n_lower = int((table["rises_at_zero"] & ~table["at_zero"]).sum())
    n_rising = int(table["rises_at_zero"].sum())
    for scores in both_scores():
        selected = scores.query("method == 'random' and bend > 0")
        n_lower += int((selected["at_zero"] < 0.5).sum())
        n_rising += len(selected)
    detail = f"{n_lower} of {n_rising} with a minimum at 0, against both references"
    return Finding((float(n_lower),), n_lower == 0 < n_rising, detail)


def minimum_at_zero_is_always_global() -> Finding:
    """Test whether the divergence increases from a minimum at 0: random projections with another, and all."""
    selections = [scores.query("method == 'random' and bend > 0") for scores in both_scores()]
    n_others = sum(int((rows["minima"] > 0).sum()) for rows in selections)
    n_rising = sum(map(len, selections))
    return Finding(
        (float(n_others), float(n_rising)),
        n_others == 0 < n_rising,
        f"{n_others} of {n_rising} with a minimum at 0, against both references",
    )


def equation_11() -> Finding:
    """Test equation (11), the limit of q: largest relative difference from q by (5) at a large scale."""
    error = 0.0
    for name in SMALL_DATASETS:
        for method in METHODS:
            P, Y = _affinities_and_projection(name, method)
            e2 = pdist(Y, "sqeuclidean")
            e2 = e2[e2 > 0]
            scale = 1e6 / float(np.sqrt(e2.min()))
            q, limit = (w / w.sum() for w in (1 / (1 + scale**2 * e2), 1 / e2))
            error = max(error, float(np.abs(q / limit - 1).max()))
            kl_limit = kl_at_infinity(P, Y)
            if math.isfinite(kl_limit):
                error = max(error, abs(kl_limit - kl_divergence(P, Y, scale=scale, metric="affinities")))
    return Finding((error,), error < 1e-5, f"largest error {or_zero(error, '.1g')}, also of the divergences")


def performs_badly_at_infinity() -> Finding:
    """Test whether KL_∞ performs badly: percentages in the expected order, also by SNKL."""
    values = []
    for scores in both_scores():
        for measure in ("kl_inf", "snkl"):
            table = scores.pivot(index=["dataset", "seed"], columns="method", values=measure)
            values.append(
                100.0 * float(((table["tsne"] < table["mds"]) & (table["mds"] < table["random"])).mean())
            )
    return Finding(
        tuple(values),
        common_answer((values[0] < values[1] - 5, values[2] < values[3] - 5)),
        f"KL_∞ {values[0]:.0f}%, SNKL {values[1]:.0f}% of 60 trials against the projected data, {values[2]:.0f}% and "
        f"{values[3]:.0f}% against raw data",
    )


# --- Appendices B and C -------------------------------------------------------------------------------------


def appendix_b_limit() -> Finding:
    """Test whether the divergence of Appendix B has the limit 0: KL_∞, and largest deviation of Q from P."""
    q = 1 / pdist(Y_B, "sqeuclidean")
    q = squareform(q / (2 * q.sum()))
    values = (kl_at_infinity(P_B, Y_B), float(np.abs(q - P_B).max()))
    return Finding(values, max(map(abs, values)) < 1e-12, "Q at infinity is P itself")


def appendix_b_falls() -> Finding:
    """Test whether the curve of Appendix B decreases to its limit: largest step, and smallest value."""
    curve = experiments.appendix_b()["divergence"].to_numpy()
    values = (float(np.diff(curve).max()), float(curve.min()))
    return Finding(
        values,
        values[0] < 1e-12 < values[1],
        f"largest step {values[0]:.1g}, and {values[1]:.1g} above the limit at the end",
    )


def approaches_from_below() -> Finding:
    """Test whether divergences approach limits from below: number of trials below, for both references."""
    below = [scores["kl_far"] < scores["kl_inf"] for scores in both_scores()]
    return Finding(
        tuple(float(flags.sum()) for flags in below),
        common_answer(flags.all() for flags in below),
        f"{int(below[0].sum())} of {len(below[0])} trials against the projected data, {int(below[1].sum())} against raw data",
    )


def gaussian_at_zero() -> Finding:
    """Test whether both kernels give the same divergence at scale 0: difference on iris by MDS."""
    P, Y = _affinities_and_projection("iris", "mds")
    kernels = ("student-t", "gaussian")
    at_zero = [kl_divergence(P, Y, scale=0.0, kernel=k, metric="affinities") for k in kernels]
    near = kl_curve(P, Y, [1e-6], kernel="gaussian", metric="affinities", method="exact")[0]
    error = max(abs(at_zero[0] - at_zero[1]), abs(float(near) - at_zero[0]))
    return Finding((error,), error < 1e-9, f"both {at_zero[0]:.4f}")


def gaussian_at_infinity() -> Finding:
    """Test whether Q_G at infinity is uniform over the closest pairs: Q_G at scale 100 in Appendix B."""
    values = tuple(map(float, np.sort(gaussian_q(Y_B, 100.0))))
    return Finding(
        values,
        values[0] == 0 and abs(values[1] - 0.25) < 1e-12 and abs(values[2] - 0.25) < 1e-12,
        f"{values[1]:.4f} and {values[2]:.4f} for each ordered pair at the smallest distance, {values[0]:g} for the other",
    )


def gaussian_q(Y: Array, scale: float) -> Array:
    """Return q of equation (7) for each pair i < j, normalized over ordered pairs."""
    e2 = pdist(Y, "sqeuclidean")
    q = np.exp(-(scale**2) * (e2 - e2.min()))
    return np.asarray(q / (2 * q.sum()))


# --- Appendix D, Table VI -----------------------------------------------------------------------------------


def table_6_ranks() -> Finding:
    """Compare the ranks of Table VI with those by the stored stress and orders: number that agree."""
    table = survey_ranks().join(
        reported_numbers.survey_scores().set_index(["dataset", "method"]), rsuffix="_stored"
    )
    ranks = table.groupby("dataset")["normalized_stress"].rank()
    n_equal = int((ranks == table["ns_rank"]).sum() + (table["sns_rank_stored"] == table["sns_rank"]).sum())
    return Finding((float(n_equal),), n_equal == 2 * len(table), f"{n_equal} of {2 * len(table)} ranks agree")


def every_ranking_changes() -> Finding:
    """Test whether the ranking changes on all datasets: fewest methods with another rank, mean τ."""
    table = experiments.rank_agreement(survey_ranks().reset_index())
    values = (float(table["moved"].min()), float(table["kendall_tau"].mean()))
    return Finding(
        values, values[0] > 0, f"at least {values[0]:.0f} of 5 methods; mean Kendall's τ {values[1]:.2f}"
    )


def tsne_from_5_to_2() -> Finding:
    """Test whether t-SNE is mostly fifth by NS and second by SNS (Table VI): datasets with either, both."""
    table = survey_ranks().query("method == 'tsne'")
    fifth, second = table["ns_rank"] == 5, table["sns_rank"] == 2
    values = tuple(float(v.sum()) for v in (fifth, second, fifth & second))
    return Finding(
        values,
        min(values[:2]) > 8,
        f"fifth on {values[0]:.0f}, second on {values[1]:.0f}, both on {values[2]:.0f} of 16 datasets",
    )


# --- Appendix E ---------------------------------------------------------------------------------------------


def _curves_like_figure_1(name: str) -> Finding:
    """Return the number of orders by stress, and the range of MDS's divergence (largest over smallest)."""
    values, answers, details = [], [], []
    for preprocess, reference in zip(REFERENCES, ("the projected data", "raw data"), strict=True):
        data = experiments.projections(name, preprocess=preprocess)
        orders = experiments.stress_orders(data)["order"]
        curves = experiments.kl_curves(data, scales=np.geomspace(1e-3, 1e2, 61))
        curve = curves.loc[curves["method"] == "mds", "divergence"]
        random_wins = orders.iloc[-1].startswith("random")
        ratio = float(curve.max() / curve.min())
        values += [float(len(orders)), ratio]
        answers.append(random_wins and len(orders) > 1 and ratio > 1.2)
        details.append(
            f"against {reference} {len(orders)} orders by stress, random {'first' if random_wins else 'not first'} when enlarged, the "
            f"divergence of MDS varies {ratio:.2f} times"
        )
    return Finding(tuple(values), common_answer(answers), "; ".join(details))


def figure_10() -> Finding:
    """Test whether stress and divergence of Penguins vary with scale: orders, range of MDS (Figure 10)."""
    return _curves_like_figure_1("penguins")


def figure_11() -> Finding:
    """Test whether stress and divergence of Wine vary with scale: orders, and range of MDS (Figure 11)."""
    return _curves_like_figure_1("wine")


def figure_13() -> Finding:
    """Test whether stress and divergence of images vary with scale: orders, range of MDS (Figure 13)."""
    return _curves_like_figure_1("mnist-1500")


def figure_14() -> Finding:
    """Test whether invariant measures follow noise better than NS (Figure 14): median correlations."""
    medians = _medians((name, table.drop("random", level="method")) for name, table in noise_by_condition())
    values = (min(row[1] for row in medians), max(row[2] for row in medians))
    return Finding(
        values,
        common_answer(high > low + 0.2 for _, high, low in medians),
        "; ".join(f"{name}: invariant {high:.2f}, NS {low:.2f}" for name, high, low in medians),
    )


def _noise_on_dataset(name: str) -> Finding:
    """Return whether all invariant measures increase with noise on one dataset, under all conditions."""
    results = []
    for conditions, table in noise_by_condition():
        rows = table.loc[[name]]
        value, where = _least_invariant(rows)
        ns = float(rows.drop("random", level="method")["ns"].abs().max())
        results.append((conditions, value, where, ns))
    return Finding(
        tuple(value for _, value, _, _ in results),
        common_answer(value > max(0.5, ns) for _, value, _, ns in results),
        "; ".join(f"{c}: smallest {v:.2f}, {w}, NS at most {ns:.2f} in magnitude" for c, v, w, ns in results),
    )


def figure_15() -> Finding:
    """Test whether invariant measures follow noise and NS does not, on Auto-MPG (Figure 15)."""
    return _noise_on_dataset("auto-mpg")


def figure_17() -> Finding:
    """Test whether invariant measures follow noise and NS does not, on iris (Figure 17)."""
    return _noise_on_dataset("iris")


def figure_18() -> Finding:
    """Test whether invariant measures follow noise and NS does not, on Wine (Figure 18)."""
    return _noise_on_dataset("wine")
