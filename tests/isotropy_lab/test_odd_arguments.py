"""What random calls found (`benchmarks/fuzz.py`): each raised something else, said no name, or warned, before it was mended."""

from __future__ import annotations

import numpy as np
import pytest

from isotropy_lab import comparison, isotropy, moments, projection, report, retrieval, transforms

rng = np.random.default_rng(0)
X = rng.standard_normal((24, 5))
Q = rng.standard_normal((8, 5))
RUN = {"q1": {"d1": 0.5}}
QRELS = {"q1": {"d1": 1}}
HALF = "\ud800"
RANKS = np.arange(1, 9)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: projection.crossings(3.0), TypeError, r"curves is float 3\.0; expected a sequence or a mapping"),
        (lambda: projection.crossings(np.array(3)), TypeError, r"curves is ndarray of shape \(\)"),
        (lambda: projection.kl_divergence(X, X[:, :2], metric=np.array([1, 2])), TypeError, "metric is ndarray"),
        (lambda: projection.affinities(X, metric=np.array([1, 2])), TypeError, "metric is ndarray"),
        (lambda: comparison.compression_costs(X, dimensions=3), TypeError, "dimensions is int 3; expected a seq"),
        (lambda: comparison.procrustes_distance(X, X, ids=(2, 5)), TypeError, "ids has int 2 for A"),
        (lambda: comparison.cka(X, X, ids=(np.array(2), [1])), TypeError, "ids has ndarray"),
        (lambda: comparison.cka(X, X, ids=([[]] * 24, [[]] * 24)), TypeError, "ids of A has a list"),
        (lambda: moments.moments(X[:, :0]), ValueError, r"X has 0 dimensions \(shape \(24, 0\)\)"),
        (lambda: moments.moments([X[:, :0]]), ValueError, "block 0 of X has 0 dimensions"),
        (lambda: retrieval.cross_fitted(Q, X, range(8), [[1, 2], [3]]), ValueError, "folds cannot be read as an array"),
        (lambda: retrieval.cross_fitted(Q, X, range(8), range(8), adapter=1.0), TypeError, r"adapter is float 1\.0"),
        (lambda: isotropy.isoscore_interval(X, groups=[[1, 2], [3]]), ValueError, "groups cannot be read as an array"),
        (lambda: retrieval.compare_all_models({HALF: RANKS, "b": RANKS}), ValueError, "models has the name '.ud800'"),
        (lambda: retrieval.write_run(RUN, 7), TypeError, "path is int 7; expected the path of a file"),
        (lambda: retrieval.write_run(RUN, b"x"), TypeError, "path is bytes"),
        (lambda: retrieval.write_qrels(QRELS, HALF), ValueError, "path is '.ud800', which no file can be called"),
        (lambda: retrieval.write_qrels(QRELS, "a\0b"), ValueError, "path is 'a.x00b', which no file can be called"),
        (lambda: retrieval.read_run(None), TypeError, "path is NoneType None"),
        (lambda: retrieval.write_run({HALF: {"d": 1.0}}, "x.run"), ValueError, "written as UTF-8"),
        (lambda: retrieval.gold_from_qrels(QRELS, ["q1"], np.array(3)), TypeError, "document_ids is ndarray"),
        (lambda: report.failures({}, below=3), TypeError, "card is dict"),
    ],
)  # fmt: skip
def test_refused_with_the_name_of_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("bounds", [3, (2, 5), range(3), np.array([1, 2])])
@pytest.mark.parametrize("name", ["below", "above", "tolerance"])
def test_bounds_are_mappings(name, bounds):
    card = {"sections": {}, "options": {}}
    with pytest.raises(TypeError, match=f"{name} is .*; expected a mapping of keys to numbers"):
        report.failures(card, **{name: bounds})
    with pytest.raises(ValueError, match="fail-below has 3"):
        report.failures(card, below={3: 0.5})


def test_ranks_in_half_precision():
    halves = RANKS.astype(np.float16)
    assert retrieval.question_scores(halves, "mrr", k=None).tolist() == (1.0 / RANKS).tolist()
    with pytest.raises(ValueError, match="ranks is below 1"):
        retrieval.question_scores(-halves, "mrr", k=None)
    with pytest.raises(ValueError, match="whole numbers below"):
        retrieval.question_scores(np.array([np.inf], np.float16), "mrr", k=None)


def test_more_documents_than_any_machine_holds():
    few, many = (retrieval.bootstrap_accuracy(RANKS, k=k, rng=0, n_resamples=50) for k in (8, 10**30))
    assert few.estimate == many.estimate == 1.0


@pytest.mark.parametrize("factor", [2.0**-1030, 2.0**-1000, 2.0**1000])
def test_similarities_of_subnormal_vectors(factor):
    """Their inverse is not within float64."""
    Y = np.rint(64 * rng.standard_normal((24, 4)))
    expected = comparison.procrustes_distance(X, Y, rng=0).distance
    assert comparison.procrustes_distance(X, Y * factor, rng=0).distance == pytest.approx(expected, rel=1e-9)
    plain, tiny = (comparison.cka(X, A, n_resamples=19, rng=0).statistic for A in (Y, Y * factor))
    assert tiny == pytest.approx(plain, rel=1e-9)


def test_an_interval_of_hardly_any_confidence_has_no_width():
    found = projection.stress_estimate(X, X[:, :2], n_pairs=100, confidence_level=5e-324, rng=0)
    assert found.low == pytest.approx(found.high)
    assert np.isfinite(found.standard_error)


def test_infinities_of_both_signs_do_not_warn():
    bad = X.astype(np.float32)
    bad[0, :2] = np.inf, -np.inf
    with np.errstate(invalid="raise"), pytest.raises(ValueError, match="infinity"):
        transforms.Whitening().fit(bad)
