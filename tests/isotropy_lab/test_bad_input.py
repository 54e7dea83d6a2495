"""Tests that errors of moments, transformers, and the neighbor search name the cause."""

import dask.array as da
import numpy as np

from isotropy_lab import moments
from isotropy_lab._core.multiplicity import holm
from isotropy_lab._core.neighbors import nearest_neighbors
from isotropy_lab.transforms import AllButTheTop, Whitening
from tests.isotropy_lab.bad_input import refusal_test

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 5)) * [5, 3, 2, 1, 1]
Y = X[:, :2] + 0.1 * RNG.standard_normal((60, 2))
NAN = np.where(np.arange(150)[:, None] == 130, [np.nan, 1.0], 1.0)
BLOCKS = [NAN[i : i + 50] for i in (0, 50, 100)]
CHUNKS = da.from_array(NAN, chunks=(50, 2))
FIT = RNG.standard_normal((120, 5))
PAIR = [[1.0], [2.0]]


test_errors_name_the_cause = refusal_test(
    [
        (TypeError, "X text", lambda: moments("bad")),
        (ValueError, "X no points", lambda: moments(iter([]))),
        (ValueError, "X no points", lambda: moments(X[:0])),
        (ValueError, "X no points", lambda: moments(CHUNKS[CHUNKS[:, 1] > 2])),
        (TypeError, "X dtype U9", lambda: moments(CHUNKS.astype("U9"))),
        (ValueError, "X 0 dimensions", lambda: moments(X[:, :0])),
        (ValueError, "X 2^53", lambda: moments(np.array([[2**60, 1], [2**60 + 1, 3], [2**60 + 2, 5]]))),
        (ValueError, "block 0 X 0 dimensions", lambda: moments([X[:, :0]])),
        (ValueError, "block 1 X 2 5 dimensions", lambda: moments(iter([X, Y]))),
        (ValueError, "block 0 X 1 axes (5,)", lambda: moments(iter([X[0]]))),
        (TypeError, "block 0 X text", lambda: moments(iter([np.array([["a", "b"]])]))),
        (ValueError, "X 1 of 150 rows row 130", lambda: moments(NAN, fourth=True)),
        (ValueError, "block 2 X 1 of 50 row 30 row 130", lambda: moments(iter(BLOCKS))),
        (ValueError, "chunk 2 X 1 of 50 row 30 row 130", lambda: moments(CHUNKS)),
        (ValueError, "chunk 2 X 1 of 50 row 30", lambda: moments(CHUNKS[CHUNKS[:, 1] > 0])),  # unknown size
        (ValueError, "covariance X overflows",
         lambda: moments(np.array([[1e200, 1.0], [-1e200, 2.0]])).covariance()),
        (ValueError, "ddof 1 points", lambda: moments(X[:1]).covariance()),
        (ValueError, "ddof -1 0", lambda: moments(X).covariance(ddof=-1)),
        (TypeError, "ddof 'a'", lambda: moments(X).covariance(ddof="a")),
        (TypeError, "other int 3 Moments", lambda: moments(X).merge(3)),
        (ValueError, "5 2 dimensions", lambda: moments(X).merge(moments(Y))),
        (ValueError, "n_components 5 4", lambda: AllButTheTop(5).fit(FIT)),
        (ValueError, "n_components -1 0", lambda: AllButTheTop(-1).fit(FIT)),
        (TypeError, "n_components 1.5", lambda: AllButTheTop(1.5).fit(FIT)),
        (ValueError, "3 points 2 directions", lambda: AllButTheTop(3).fit(FIT[:3])),
        (ValueError, "1 2", lambda: AllButTheTop().fit(FIT[:, :1])),
        (ValueError, "1 sample", lambda: AllButTheTop().fit(FIT[:1])),
        (ValueError, "zero variance", lambda: AllButTheTop().fit(np.ones((5, 3)))),
        (ValueError, "underflow", lambda: AllButTheTop().fit(1e-170 * FIT)),
        (ValueError, "5 points 5 dimensions", lambda: Whitening().fit(FIT[:5])),
        (ValueError, "floor 1.5 [0, 1]", lambda: Whitening(floor=1.5).fit(FIT)),
        (ValueError, "floor 2 [0, 1]", lambda: Whitening(floor=2).fit(FIT)),
        (TypeError, "floor 'a'", lambda: Whitening(floor="a").fit(FIT)),
        (ValueError, "method 'cholesky' 'zca' 'pca'", lambda: Whitening(method="cholesky").fit(FIT)),
        (ValueError, "1 6 floor", lambda: Whitening(floor=0).fit(np.column_stack([FIT, FIT[:, 0]]))),
        (ValueError, "NaN", lambda: Whitening().fit(NAN)),
        (ValueError, "4 5", lambda: Whitening().fit(FIT).transform(FIT[:, :4])),
        (ValueError, "fitted", lambda: AllButTheTop().transform(FIT)),
        (ValueError, "k 2 1 X 2 points", lambda: nearest_neighbors(PAIR, 2)),
        (TypeError, "k 1.5", lambda: nearest_neighbors(PAIR, 1.5)),
        (ValueError, "X 1 point", lambda: nearest_neighbors(PAIR[:1], 1)),
        (ValueError, "X NaN 1 of 150 rows row 130", lambda: nearest_neighbors(NAN, 1, metric="euclidean")),
        (ValueError, "X inf 1 of 2 rows row 1", lambda: nearest_neighbors([[1.0], [np.inf]], 1)),
        (ValueError, "X zero 1 of 2 rows row 1", lambda: nearest_neighbors([[1.0], [0.0]], 1)),
        (ValueError, "distance overflows",
         lambda: nearest_neighbors([[-1.7e308], [1.7e308]], 1, metric="euclidean")),
        (ValueError, "metric 'cityblock' 'cosine'", lambda: nearest_neighbors(PAIR, 1, metric="cityblock")),
        (ValueError, "queries 2 entry 0 0 1", lambda: nearest_neighbors(PAIR, 1, queries=[2])),
        (ValueError, "queries -1 entry 1 0", lambda: nearest_neighbors(PAIR, 1, queries=[0, -1])),
        (TypeError, "queries float64", lambda: nearest_neighbors(PAIR, 1, queries=[0.5])),
        (ValueError, "queries no entry", lambda: nearest_neighbors(PAIR, 1, queries=np.empty(0, int))),
        (ValueError, "pvalues empty", lambda: holm([])),
        (ValueError, "1 of 2 1.5", lambda: holm([0.5, 1.5])),
        (ValueError, "pvalues", lambda: holm([[0.5]])),
        (TypeError, "pvalues", lambda: holm(["low"])),
    ]
)  # fmt: skip
