"""Tests of Shepard goodness and non-metric stress against naive forms, SciPy, and zadu."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.spatial.distance import pdist, squareform
from scipy.stats import spearmanr
from sklearn.datasets import load_iris

from isotropy_lab.projection._pairs import rank_sums
from isotropy_lab.projection._pairs.compilation import compiled
from isotropy_lab.projection._pairs.kernels import ranks as kernels
from isotropy_lab.projection.ranks import nonmetric_stress, shepard_goodness
from tests.isotropy_lab.projection.test_stress import data, projection, random_pair


def test_equal_keys_are_sorted_by_their_values():
    """Runs of one to five equal keys are sorted by the Python loop and by its compiled form."""
    rng = np.random.default_rng(2)
    values = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], [3, 1, 5, 2, 4]) + 1e-9 * rng.permutation(15)
    for sort in (kernels.sort_equal_keys, compiled(kernels.sort_equal_keys)):
        keys = np.empty(15, np.uint64)
        kernels.write_keys(values, 1.0, 4, keys)
        keys.sort()
        sort(keys, values, 4)
        np.testing.assert_array_equal(keys & np.uint64(15), np.argsort(values))


def naive_fit(e, tied):
    """Return the monotone regression by the min-max formula over lower and upper sets."""
    groups = [list(group) for group in tied]
    means = [np.mean([e[k] for k in group]) for group in groups]
    sizes = [len(group) for group in groups]
    fit = np.empty(len(e))
    for g, group in enumerate(groups):
        value = max(
            min(np.average(means[a : b + 1], weights=sizes[a : b + 1]) for b in range(g, len(groups)))
            for a in range(g + 1)
        )
        fit[group] = value
    return fit


def naive_measures(X, Y, ties):
    """Return Shepard goodness by counting, and non-metric stress by the min-max formula, for integers."""
    pairs = list(itertools.combinations(range(len(X)), 2))
    d = [sum((int(a) - int(b)) ** 2 for a, b in zip(X[i], X[j], strict=True)) for i, j in pairs]
    e = [math.sqrt(sum((int(a) - int(b)) ** 2 for a, b in zip(Y[i], Y[j], strict=True))) for i, j in pairs]

    def ranks(values):
        return [sum(v < u for v in values) + (sum(v == u for v in values) + 1) / 2 for u in values]

    order = sorted(range(len(d)), key=lambda k: (d[k], e[k]))
    if ties == "primary":
        tied = [[k] for k in order]
    else:
        tied = [list(group) for _, group in itertools.groupby(order, key=lambda k: d[k])]
    fit = naive_fit(e, tied)
    stress = math.sqrt(sum((a - b) ** 2 for a, b in zip(e, fit, strict=True)) / sum(a * a for a in e))
    return np.corrcoef(ranks(d), ranks(e))[0, 1], stress


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    N=st.integers(4, 9),
    high=st.sampled_from([3, 6, 1000]),
    ties=st.sampled_from(["primary", "secondary"]),
)
def test_both_measures_agree_with_their_naive_forms(seed, N, high, ties):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, high, (N, 3)), rng.integers(0, high, (N, 2))
    if np.ptp(pdist(X)) == 0 or np.ptp(pdist(Y)) == 0:
        return
    rho, stress = naive_measures(X, Y, ties)
    assert nonmetric_stress(X, Y, ties=ties) == pytest.approx(stress, rel=1e-12, abs=1e-15)
    assert nonmetric_stress(X, Y, ties=ties, squared=True) == pytest.approx(stress**2, rel=1e-12, abs=1e-15)
    assert shepard_goodness(X, Y) == pytest.approx(rho, abs=1e-12)


@pytest.mark.parametrize("N", [60, 300])
def test_measures_of_many_pairs_agree_with_scipy(N):
    X, Y = random_pair(N, N, 6, 2)
    d, e = pdist(X), pdist(Y)
    fit = isotonic_regression(e[np.argsort(d)]).x
    stress = math.sqrt(((e[np.argsort(d)] - fit) ** 2).sum() / (e @ e))
    rho = spearmanr(d, e).statistic
    for ties in ("primary", "secondary"):
        assert nonmetric_stress(X, Y, ties=ties) == pytest.approx(stress, rel=1e-12)
    assert shepard_goodness(X, Y) == pytest.approx(rho, abs=1e-13)
    assert shepard_goodness(Y, X) == pytest.approx(rho, abs=1e-13)
    D = squareform(d)
    assert shepard_goodness(D**3, Y, metric="precomputed") == pytest.approx(rho, abs=1e-13)
    assert nonmetric_stress(D**3, Y, metric="precomputed") == pytest.approx(stress, rel=1e-12)


# zadu 0.5.4: Spearman over pairs, and scikit-learn's regression, which gives ties one fitted value.
ZADU = {
    ("wine", "rnd"): (-0.003667286081935004, 0.4232910383008534),
    ("wine", "pca2"): (0.9999977686889148, 0.000613069306292622),
    ("wine", "pca2x10"): (0.9999977686889148, 0.000613069306292622),
    ("digits500", "pca2x10"): (0.6218943968657221, 0.3370887555242741),
    ("digits500", "cols"): (0.10946625212235475, 0.8925680283781702),
}


@pytest.mark.parametrize(("name", "kind"), ZADU)
def test_measures_agree_with_zadu(name, kind):
    X = data(name)
    Y = projection(X, kind)
    rho, stress = ZADU[name, kind]
    assert shepard_goodness(X, Y) == pytest.approx(rho, abs=1e-13)
    assert nonmetric_stress(X, Y, ties="secondary") == pytest.approx(stress, rel=1e-11)


@pytest.mark.parametrize("kind", ["rnd", "pca2", "cols"])
def test_rounding_does_not_break_the_ties_of_iris(kind):
    X = load_iris().data
    Y = projection(X, kind)
    tenths = np.rint(10 * X)  # whole numbers: the same flowers without rounding
    exact_Y = np.rint(10 * Y) if kind == "cols" else Y
    true_rho, true_stress = shepard_goodness(tenths, exact_Y), nonmetric_stress(tenths, exact_Y)
    assert shepard_goodness(X, Y) == pytest.approx(true_rho, abs=1e-12)
    assert nonmetric_stress(X, Y) == pytest.approx(true_stress, rel=1e-10)
    # Rotations, offsets and float32 change rounding errors but no ranks.
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]
    for equivalent in (X @ rotation + 1.0, X + 100.0, X.astype(np.float32)):
        assert shepard_goodness(equivalent, Y) == pytest.approx(true_rho, abs=1e-12)
        assert nonmetric_stress(equivalent, Y) == pytest.approx(true_stress, rel=1e-10)


@pytest.mark.parametrize(
    "kind", ["no ties", "nearly perfect", "many ties", "chains", "all tied", "one bin", "zeros"]
)
@pytest.mark.parametrize("n", [1, 700, 9000])
def test_sorted_keys_agree_with_sorted_distances(kind, n):
    """Keys have fewer digits than distances, and equal keys are compared by their distances."""
    rng = np.random.default_rng(n)
    d = rng.random(n) + 0.1
    if kind == "many ties":
        d = rng.integers(1, 9, n) / 8
    if kind == "all tied":
        d = np.ones(n)
    if kind == "one bin":  # keys cannot tell any of them apart
        d = 1.0 + rng.integers(0, 5, n) * 2.0**-52
    if kind == "zeros":
        d = rng.integers(0, 2, n) * rng.random(n)
    e = np.roll(d, n // 3) + (rng.random(n) if kind == "no ties" else rng.integers(0, 2, n) / 4)
    if kind == "nearly perfect":  # many steps of a few pairs each
        e = d + 2.5 * rng.random(n) / n
    tolerances = {"chains": (2.0 / n, 1e-3), "one bin": (2.0**-52, 0.0)}.get(kind, (1e-14, 1e-14))
    for primary in (True, False):
        options = {"ranks": True, "stress": True, "primary": primary}
        expected = rank_sums.rank_sums_numpy(d, e, *tolerances, **options)
        actual = rank_sums.rank_sums_compiled(d.copy(), e.copy(), *tolerances, **options)
        # Ranks are whole numbers: sums of products of a few thousand are exact.
        for name in ("n_pairs", "products", "squares_x", "squares_y", "sum_e2"):
            assert getattr(actual, name) == getattr(expected, name), name
        assert actual.residual == pytest.approx(expected.residual, rel=1e-9, abs=1e-13)


def test_perfect_projections_have_perfect_scores():
    X = np.random.default_rng(5).standard_normal((200, 2))
    assert shepard_goodness(X, 8 * X) == 1.0
    for ties in ("primary", "secondary"):
        assert nonmetric_stress(X, 8 * X, ties=ties) == 0.0


def test_equal_distances_accept_any_order():
    triangle = np.eye(4)
    Y = np.random.default_rng(8).standard_normal((4, 2))
    # The data do not order any pairs, so that every projection has the order of the data.
    assert nonmetric_stress(triangle, Y) == pytest.approx(0.0, abs=1e-15)
    e = pdist(Y)
    assert nonmetric_stress(triangle, Y, ties="secondary") == pytest.approx(
        math.sqrt(((e - e.mean()) ** 2).sum() / (e @ e)), rel=1e-12
    )
