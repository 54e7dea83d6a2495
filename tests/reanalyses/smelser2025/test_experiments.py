"""Tests of the experiments against naive computations and published values."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from scipy.special import logsumexp
from scipy.stats import spearmanr

from isotropy_lab.projection import affinities, kl_divergence
from reanalyses.smelser2025 import experiments
from reanalyses.smelser2025.experiments import projections
from reanalyses.smelser2025.experiments.kl_scales import kl_histogram

SMALL = ("iris", "wine", "penguins", "auto-mpg")
THREE = experiments.THREE


def naive_stress(X, Y, scale):
    d, e = pdist(X), pdist(Y)
    return math.sqrt(((d - scale * e) ** 2).sum() / (d**2).sum())


def naive_kl(P, Y, scale, kernel="student-t", floor=0.0):
    p = P[np.triu_indices(len(P), 1)]
    x = (scale * pdist(Y)) ** 2
    log_w = -np.log1p(x) if kernel == "student-t" else -x
    log_q = log_w - logsumexp(log_w) - math.log(2.0)
    if floor:
        log_q = np.maximum(log_q, math.log(floor))
    positive = p > 0
    return 2.0 * float((p[positive] * (np.log(p[positive]) - log_q[positive])).sum())


def load_data(source, methods=THREE, **options):
    data = projections(source, methods, **options)
    return data.X, data.Y


def test_stress_curves_equal_naive_stress():
    table = experiments.stress_curves(projections("wine"), scales=[0.0, 0.3, 2.0])
    X, named = load_data("wine", THREE)
    for method, scale, stress in table.itertuples(index=False):
        assert stress == pytest.approx(naive_stress(X, named[method], scale), rel=1e-12)
    assert len(experiments.stress_curves(projections("wine"))) == 3 * 251


@pytest.mark.parametrize("name", SMALL)
def test_three_projections_have_four_stress_orders(name):
    crossings = experiments.stress_crossings(projections(name))
    X, named = load_data(name, THREE)
    assert len(crossings) == 3
    for first, second, scale, stress in crossings.itertuples(index=False):
        for method in (first, second):
            assert naive_stress(X, named[method], scale) == pytest.approx(stress, rel=1e-9)
    last = crossings.iloc[-1]
    assert {last["first"], last["second"]} == {"mds", "random"}
    assert 1.4 < last["scale"] < 3.0
    orders = experiments.stress_orders(projections(name))
    assert len(orders) == 4
    assert orders.iloc[-1]["order"] == "random < mds < tsne"
    for order, low, high in orders.itertuples(index=False):
        middle = math.sqrt(max(low, 1e-3) * min(high, 1e3))
        values = {method: naive_stress(X, Y, middle) for method, Y in named.items()}
        assert order == " < ".join(sorted(values, key=values.get))


def test_own_scales_give_all_six_orders():
    table = experiments.orders_at_own_scales(projections("penguins"))
    X, named = load_data("penguins", THREE)
    assert table["order"].nunique() == 6
    for order, rows in table.groupby("order"):
        assert rows["method"].tolist() == order.split(" < ")
        assert rows["stress"].is_monotonic_increasing
        assert rows["stress"].is_unique
        assert (rows["scale"] > 0).all()
        best = experiments.stress_summary(projections("penguins")).set_index("method")["optimal_scale"]
        assert (rows["scale"].to_numpy() < best[rows["method"]].to_numpy()).all()
        for method, scale, stress in rows[["method", "scale", "stress"]].itertuples(index=False):
            assert stress == pytest.approx(naive_stress(X, named[method], scale), rel=1e-9)


def test_shepard_diagram_of_wine_has_published_correlation():
    table = experiments.shepard_diagram(projections("wine", preprocess="as-published"), max_pairs=10**6)
    X, named = load_data("wine", preprocess="as-published")
    for method, rows in table.groupby("method"):
        assert len(rows) == 178 * 177 // 2
        assert rows["d"].is_monotonic_increasing
        assert (rows["fitted"].diff().dropna() >= -1e-12).all()
        goodness = rows["shepard_goodness"].iloc[0]
        assert goodness == pytest.approx(spearmanr(pdist(X), pdist(named[method]))[0], abs=1e-3)
        # A monotone fit has the same mean, and a constant does not fit better.
        assert rows["fitted"].mean() == pytest.approx(rows["e"].mean())
        assert ((rows["fitted"] - rows["e"]) ** 2).sum() <= rows["e"].var(ddof=0) * len(rows)
    assert table[table["method"] == "mds"]["shepard_goodness"].iloc[0] == pytest.approx(0.36, abs=0.02)
    consistent = experiments.shepard_diagram(projections("wine"), max_pairs=100)
    assert consistent[consistent["method"] == "mds"]["shepard_goodness"].iloc[0] > 0.9
    assert len(consistent) == 300
    pd.testing.assert_frame_equal(consistent, experiments.shepard_diagram(projections("wine"), max_pairs=100))


def test_kl_curves_equal_naive_kl():
    X, named = load_data("iris", THREE)
    P = affinities(X)
    table = experiments.kl_curves(projections("iris"), scales=[0.0, 0.2, 3.0])
    for method, scale, value in table.itertuples(index=False):
        assert value == pytest.approx(naive_kl(P, named[method], scale), abs=3e-9)


def test_kl_summary_has_minima_and_limits_of_curves():
    table = experiments.kl_summary(projections("wine")).set_index("method")
    curves = experiments.kl_curves(projections("wine"), scales=np.geomspace(1e-4, 1e4, 300))
    for method, rows in curves.groupby("method"):
        row = table.loc[method]
        assert row["scale_normalized_kl"] <= rows["divergence"].min() + 1e-8
        assert row["at_zero"] == pytest.approx(rows["divergence"].iloc[0], abs=1e-3)
        assert row["at_infinity"] == pytest.approx(rows["divergence"].iloc[-1], abs=1e-2)
        if row["infimum"] == "at 0":
            assert row["best_scale"] == 0.0
            assert row["scale_normalized_kl"] == row["at_zero"]


def test_kl_orders_of_stored_projections_equal_naive_orders():
    for name in SMALL:
        X, named = load_data(name, THREE)
        P = affinities(X)
        orders = experiments.kl_orders(projections(name))
        for (before, after), scale in zip(itertools.pairwise(orders["order"]), orders["high"], strict=False):
            # Where the order changes, the two projections that are exchanged have equal divergence.
            pairs = zip(before.split(" < "), after.split(" < "), strict=True)
            changed = {method for pair in pairs if pair[0] != pair[1] for method in pair}
            values = [naive_kl(P, named[method], scale) for method in changed]
            assert np.ptp(values) < 1e-7
        assert (orders["low"].iloc[0], orders["high"].iloc[-1]) == (0.0, math.inf)
        assert orders["high"].iloc[:-1].tolist() == orders["low"].iloc[1:].tolist()
        for order, low, high in orders.itertuples(index=False):
            middle = math.sqrt(max(low, 1e-2) * (high if high < math.inf else max(100.0, 10 * low)))
            values = {method: naive_kl(P, Y, middle) for method, Y in named.items()}
            assert order == " < ".join(sorted(values, key=values.get))


SEED_WITH_SIX_ORDERS = 3420186697
"""A seed of `random_problem`, found by the search of `order_counts`."""


def test_six_kl_orders_can_occur_at_common_scales():
    P, layouts = experiments.random_problem(5, rng=SEED_WITH_SIX_ORDERS)
    named = dict(zip("ABC", layouts, strict=True))
    orders = experiments.orders_of({k: kl_histogram(P, Y) for k, Y in named.items()})
    assert {o.order for o in orders} == set(itertools.permutations("ABC"))
    for o in orders:
        middle = math.sqrt(max(o.low, 1e-2) * min(o.high, 1e2))
        values = {name: naive_kl(P, Y, middle) for name, Y in named.items()}
        assert o.order == tuple(sorted(values, key=values.get))


def test_order_counts_equal_a_loop():
    table, example = experiments.order_counts(n_problems=25, n_scales=40, rng=5)
    seeds, n_orders = np.random.default_rng(5).integers(2**32, size=25).tolist(), []
    for seed in seeds:
        P, layouts = experiments.random_problem(5, rng=seed)
        found_orders = set()
        for scale in np.geomspace(1e-3, 1e3, 40):
            values = [kl_divergence(P, Y, scale=float(scale), metric="affinities") for Y in layouts]
            if np.diff(np.sort(values)).min() > 1e-12:
                found_orders.add(tuple(np.argsort(values)))
        n_orders.append(len(found_orders))
    assert table["problems"].tolist() == [n_orders.count(n) for n in range(1, 7)]
    assert example == (seeds[n_orders.index(6)] if 6 in n_orders else None)
    assert table["share"].sum() == pytest.approx(1.0)
    repeated, _ = experiments.order_counts(n_problems=25, n_scales=40, rng=np.random.default_rng(5))
    pd.testing.assert_frame_equal(table, repeated)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), factor=st.sampled_from([0.125, 4.0, 1000.0]))
def test_orders_partition_scales_and_follow_rescaling(seed, factor):
    P, layouts = experiments.random_problem(5, rng=seed)
    original, rescaled = (
        experiments.orders_of({k: kl_histogram(P, c * Y) for k, Y in zip("ABC", layouts, strict=True)})
        for c in (1.0, factor)
    )
    assert (original[0].low, original[-1].high) == (0.0, math.inf)
    for lower, upper in itertools.pairwise(original):
        assert lower.high == upper.low
        assert lower.order != upper.order
    assert [o.order for o in rescaled] == [o.order for o in original]
    np.testing.assert_allclose([o.low for o in rescaled], [o.low / factor for o in original], rtol=1e-6)


def test_floor_creates_a_spurious_minimum():
    X, named = load_data(experiments.clustered_points(), ("pca",), scaling="none")
    Y = named["pca"]
    scales = np.geomspace(1e-3, 10, 121)
    table = experiments.floored_gaussian_curve(X, Y, scales=scales, perplexity=8.8)
    assert table["minimum"].sum() == 1
    assert table["floored_minimum"].sum() == 2
    P = affinities(X, perplexity=8.8)
    for k in (0, 40, 60, 70):
        assert table["divergence"][k] == pytest.approx(naive_kl(P, Y, scales[k], "gaussian"))
        assert table["floored"][k] == pytest.approx(naive_kl(P, Y, scales[k], "gaussian", 1e-15))


def test_sensitivity_equals_a_loop_with_growing_noise():
    table = experiments.sensitivity(projections("iris", ("mds",)), n_steps=4, noise=0.5, rng=9)
    X, named = load_data("iris", ("mds",))
    Y, generator = named["mds"].copy(), np.random.default_rng(9)
    spread = np.sqrt(Y.var(axis=0).mean())
    for step in range(5):
        if step:
            Y += generator.standard_normal(Y.shape) * spread * 0.5 * step / 4
        factor = generator.uniform(0.1, 10.0)
        row = table[(table["step"] == step) & (table["measure"] == "ns")].iloc[0]
        assert row["scale"] == factor
        assert row["value"] == pytest.approx(naive_stress(X, Y, factor))


def trial_scores(values):
    """Return scores from {measure: {method: (values of four trials)}}."""
    rows = []
    for method, trial in itertools.product(next(iter(values.values())), range(4)):
        row = {"dataset": "ab"[trial // 2], "method": method, "seed": trial % 2}
        rows.append(row | {measure: by_method[method][trial] for measure, by_method in values.items()})
    return pd.DataFrame(rows)


def test_order_percentages_of_small_tables():
    table = trial_scores(
        {
            "ns": {"mds": (1, 1, 1, 1), "x": (0.5, 1, 2, 0.9)},
            "ns_10": {"mds": (5, 5, 5, 5), "x": (1, 1, 1, 9)},
            "sgs": {"mds": (0.5, 0.5, 0.5, 0.5), "x": (0.9, 0.5, 0.4, 0.4)},
        }
    )
    percent = experiments.baseline_table(table).set_index(["measure", "scale"])["percent"]
    # A tie does not count as better; a larger Shepard goodness is better.
    assert percent.to_dict() == {("ns", 1): 50.0, ("sgs", 1): 25.0, ("ns", 10): 75.0, ("sgs", 10): 25.0}

    table = trial_scores({"snkl": {"tsne": (1, 1, 3, 1), "mds": (2, 2, 2, 3), "random": (3, 3, 1, 2)}})
    percent = experiments.kl_order_table(table).set_index("order")["percent"]
    assert percent.iloc[0] == 50.0
    assert percent.index[0] == "tsne < mds < random"
    assert percent["random < mds < tsne"] == 25.0
    assert percent["tsne < random < mds"] == 25.0
    assert percent.sum() == 100.0


def test_rank_agreement_of_bank():
    agreement = experiments.rank_agreement(experiments.table_6()).set_index("dataset")
    # The ranks 1 2 3 4 5 of bank become 1 3 5 4 2: 4 of 10 pairs are discordant.
    assert agreement.loc["bank", "kendall_tau"] == pytest.approx(0.2)


def test_as_published_preprocessing_reproduces_published_values():
    data = [projections(name, ("mds", "tsne"), seeds=(0, 1, 2)) for name in ("penguins", "wine")]
    table = experiments.preprocessing_table(data)
    scores = table.set_index(["dataset", "method", "measure"])
    snkl = scores.xs("snkl", level="measure")
    assert snkl.loc[("penguins", "mds"), "as_published"] == pytest.approx(1.97, abs=0.02)
    assert snkl.loc[("penguins", "tsne"), "as_published"] == pytest.approx(2.01, abs=0.02)
    # Compared with the projected data, the order is clearly the expected one.
    assert snkl.loc[("penguins", "mds"), "consistent"] > 1.5 * snkl.loc[("penguins", "tsne"), "consistent"]
    goodness = scores.loc[("wine", "mds", "sgs")]
    assert goodness["as_published"] == pytest.approx(0.36, abs=0.02)
    assert goodness["consistent"] == pytest.approx(0.91, abs=0.01)


def test_ranks_of_table_6_are_permutations():
    for _, rows in experiments.table_6().groupby("dataset"):
        assert sorted(rows["ns_rank"]) == sorted(rows["sns_rank"]) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["iris", "penguins"])
def test_scale_statistics_equal_naive_measures(name):
    statistics = json.loads(json.dumps(experiments.scale_statistics(projections(name))))
    assert len(json.dumps(statistics, separators=(",", ":"))) < 60_000
    assert statistics["kl_error"] <= 2e-6
    X, named = load_data(name, THREE)
    P = affinities(X)
    assert len(statistics["groups"]) == min(len(X), 250)
    assert max(statistics["groups"]) == len(statistics["group_names"]) - 1
    rng = np.random.default_rng(0)
    for scales in ([0.0] * 3, [1.0] * 3, *10.0 ** rng.uniform(-3, 3, (5, 3))):
        values = experiments.stress_and_kl_at(statistics, scales)
        for (stress, kl), scale, Y in zip(values, scales, named.values(), strict=True):
            assert stress == pytest.approx(naive_stress(X, Y, scale), rel=1e-9)
            assert kl == pytest.approx(naive_kl(P, Y, scale), abs=statistics["kl_error"] + 1e-6)
    for projection, Y in zip(statistics["projections"], named.values(), strict=True):
        assert len(projection["points"]) == 2 * len(statistics["groups"])
        assert np.abs(projection["points"]).max() <= 0.5 + 1e-3
        assert sum(projection["number"]) == pytest.approx(len(X) * (len(X) - 1) / 2, rel=1e-6)
        assert projection["max_e"] == pytest.approx(pdist(Y).max())


def test_inaccurate_scale_statistics_are_rejected(monkeypatch):
    monkeypatch.setattr("reanalyses.smelser2025.experiments.scale_figure._TOLERANCE", 0.0)
    with pytest.raises(RuntimeError, match="iris: 128 bins per octave have an error"):
        experiments.scale_statistics(projections("iris"))
