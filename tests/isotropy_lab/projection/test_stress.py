"""Tests of stress against published code, naive forms, and degenerate data."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_digits, load_iris, load_wine

from isotropy_lab.projection.stress import (
    normalized_stress,
    optimal_scale,
    pair_sums,
    scale_normalized_stress,
)


def raw_stress(X, Y, scale=1.0):
    return pair_sums(X, Y).raw_stress(scale)


def forced_scale_stress(X, Y):
    sums = pair_sums(X, Y)
    return math.sqrt(sums.normalized_stress(sums.max_d / sums.max_e))


def projection(X, kind):
    centered = X - X.mean(0)
    axes = np.linalg.svd(centered, full_matrices=False)[2]
    return {
        "rnd": lambda: np.random.default_rng(7).random((X.shape[0], 2)),
        "pca2": lambda: centered @ axes[:2].T,
        "pca2x10": lambda: 10.0 * (centered @ axes[:2].T),
        "cols": lambda: X[:, :2].copy(),
    }[kind]()


def data(name):
    if name == "digits500":
        return load_digits().data[:500]
    return {"iris": load_iris, "wine": load_wine}[name]().data


def random_pair(seed, N=20, n=4, t=2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, n))
    return X, X[:, : min(t, n)] @ rng.standard_normal((min(t, n), t)) + 0.3 * rng.standard_normal((N, t))


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )


# Values of the authors' code and of zadu 0.5.4: raw stress, NS, SNS, best scale, forced scale.
PUBLISHED = {
    ("iris", "rnd"): (75912.032349, 0.861822810193, 0.644060645107, 3.97745611745, 0.713256178008),
    ("iris", "cols"): (36662.3346821, 0.598925403358, 0.307527123591, 2.17447458287, 0.329113440771),
    ("wine", "pca2x10"): (253597042658, 8.99913619594, 0.000951240908893, 0.100008598568, 0.000954436414759),
    ("digits500", "pca2x10"): (6033903952.51, 4.52363658052, 0.36260192329, 0.1712809941, 0.436146801019),
}


@pytest.mark.parametrize(("name", "kind"), PUBLISHED)
def test_stress_agrees_with_the_code_of_the_authors_and_zadu(name, kind):
    X = data(name)
    Y = projection(X, kind)
    raw, ns, sns, alpha, fsns = PUBLISHED[name, kind]
    assert raw_stress(X, Y) == pytest.approx(raw, rel=1e-11)
    assert normalized_stress(X, Y) == pytest.approx(ns, rel=1e-11)
    assert normalized_stress(X, Y, squared=True) == pytest.approx(ns**2, rel=1e-11)
    assert scale_normalized_stress(X, Y) == pytest.approx(sns, rel=1e-11)
    assert scale_normalized_stress(X, Y, squared=True) == pytest.approx(sns**2, rel=1e-11)
    assert optimal_scale(X, Y) == pytest.approx(alpha, rel=1e-12)
    assert forced_scale_stress(X, Y) == pytest.approx(fsns, rel=1e-11)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    N=st.integers(3, 40),
    n=st.integers(1, 21),
    t=st.integers(1, 3),
    scale=st.floats(0, 9),
)
def test_measures_agree_with_their_naive_forms(seed, N, n, t, scale):
    X, Y = random_pair(seed, N, n, t)
    d, e = pdist(X), pdist(Y)
    alpha = (d @ e) / (e @ e)
    assert raw_stress(X, Y, scale=scale) == pytest.approx(((d - scale * e) ** 2).sum(), rel=1e-11)
    ns = math.sqrt(((d - scale * e) ** 2).sum() / (d @ d))
    assert normalized_stress(X, Y, scale=scale) == pytest.approx(ns, rel=1e-11)
    assert optimal_scale(X, Y) == pytest.approx(alpha, rel=1e-12)
    sns = math.sqrt(((d - alpha * e) ** 2).sum() / (d @ d))
    assert scale_normalized_stress(X, Y) == pytest.approx(sns, rel=1e-10, abs=1e-15)
    a, b = d / d.max(), e / e.max()
    forced = math.sqrt(((a - b) ** 2).sum() / (a @ a))
    assert forced_scale_stress(X, Y) == pytest.approx(forced, rel=1e-10, abs=1e-15)


def test_perfect_projections_have_stress_0():
    X = np.random.default_rng(0).standard_normal((300, 2))
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((2, 2)))[0]
    assert normalized_stress(X, X) == 0.0
    assert scale_normalized_stress(X, 8 * X) == scale_normalized_stress(X, X / 1024) == 0.0
    # The three sums alone would leave 1e-8.
    assert scale_normalized_stress(X, 3 * X @ rotation) < 1e-15
    assert forced_scale_stress(X, 3 * X @ rotation) < 2e-15


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_offsets_and_tight_clusters_keep_precision(dtype):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 64, (150, 5)).astype(dtype) / 64
    Y = rng.integers(0, 64, (150, 2)).astype(dtype) / 64
    offset = dtype(2**17 if dtype == np.float32 else 1e8)  # the data remain exact
    expected = normalized_stress(X.astype(float), Y.astype(float))
    assert normalized_stress(X + offset, Y - offset) == pytest.approx(expected, rel=1e-13)
    # Two clusters are far apart relative to their width, and the projection ignores their distance.
    X[75:] += dtype(2**14)
    d, e = pdist(X.astype(float)), pdist(Y.astype(float))
    assert raw_stress(X, Y) == pytest.approx(((d - e) ** 2).sum(), rel=1e-12)
    assert optimal_scale(X[:75], Y[:75]) == pytest.approx(
        (pdist(X[:75]) @ pdist(Y[:75])) / (pdist(Y[:75].astype(float)) ** 2).sum(), rel=1e-6
    )


@pytest.mark.parametrize("metric", ["cityblock", "cosine", "chebyshev"])
def test_precomputed_distances_give_the_stress_of_their_points(metric):
    X, Y = random_pair(7, 513, 5, 2)  # one point more than a tile has columns
    d, e = pdist(X, metric), pdist(Y)
    D = squareform(d)
    expected = math.sqrt(((d - e) ** 2).sum() / (d @ d))
    assert normalized_stress(D, Y, metric="precomputed") == pytest.approx(expected, rel=1e-12)
    assert optimal_scale(D, Y, metric="precomputed") == pytest.approx((d @ e) / (e @ e), rel=1e-12)


def test_precomputed_distances_may_be_float32_or_nearly_symmetric():
    X, Y = random_pair(8, 60, 5, 2)
    D = squareform(pdist(X))
    single = normalized_stress(D.astype(np.float32), Y, metric="precomputed")
    assert single == pytest.approx(normalized_stress(X, Y), rel=1e-6)
    # Of two entries that differ by rounding, the upper triangle counts.
    rounded = np.triu(D) + np.tril(D) * (1 + 1e-9)
    assert pair_sums(rounded, Y, metric="precomputed") == pair_sums(D, Y, metric="precomputed")


def test_degenerate_projections_have_stress_1():
    X = np.random.default_rng(9).standard_normal((10, 3))
    one_point = np.full((10, 2), 0.1)
    assert normalized_stress(X, one_point) == 1.0
    assert raw_stress(X, one_point) == pytest.approx((pdist(X) ** 2).sum())
    # Only points that coincide in the data are apart in the projection, so that the best scale is 0.
    D = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    assert optimal_scale(D, [[0.0], [1.0], [0.0]], metric="precomputed") == 0.0
    assert scale_normalized_stress(D, [[0.0], [1.0], [0.0]], metric="precomputed") == 1.0


@pytest.mark.rest
def test_compilation_is_logged_once_and_cached(tmp_path):
    code = (
        "import logging, numpy as np; logging.basicConfig(level=logging.INFO); from isotropy_lab.projection "
        "import stress; print(stress.normalized_stress(np.eye(3), np.eye(3)[:, :2] * 2))"
    )
    cold, warm = (run(code, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert cold.returncode == warm.returncode == 0
    assert cold.stderr.count("compiling the loops over pairs of points") == 1
    assert "compiling" not in warm.stderr
    assert cold.stdout == warm.stdout
