"""Tests that errors of the isotropy scores name the cause; test_checks covers the checks of arguments."""

import numpy as np
import pytest

from isotropy_lab import isotropy, moments
from isotropy_lab.isotropy import (
    average_cosine,
    id_score,
    intrinsic_dimension,
    intrinsic_dimension_details,
    isoscore,
    isoscore_interval,
    isotropy_scores,
    partition_score,
    varex_score,
)
from tests.isotropy_lab.bad_input import assert_refused, invalid_argument_test

RNG = np.random.default_rng(0)
X, WIDE = RNG.standard_normal((60, 4)), RNG.standard_normal((99, 40))
WITH_ZERO_ROW = np.where(np.arange(60)[:, None] == 7, 0.0, X)
SECOND, FOURTH = moments(X), moments(X, fourth=True)
ONE_DISTINCT_ROW = np.vstack([np.full((9, 3), 0.1), [[1.0, 2.0, 3.0]]])

VALID_ARGUMENTS = {
    "X": WIDE, "Y": WIDE[::-1], "eigenvalues": np.array([2.0, 1.0]), "n_clouds": 1, "n_pairs": 50,
    "n_queries": 10,
}  # fmt: skip
test_errors_name_invalid_arguments = invalid_argument_test(isotropy, VALID_ARGUMENTS)


@pytest.mark.parametrize(
    ("error", "expected_words", "call"),
    [
        (ValueError, "X zero variance", lambda: isoscore(np.full((10, 3), 0.1))),
        (ValueError, "X zero variance", lambda: isoscore(np.full((3, 10), 0.1))),
        (ValueError, "X 1 dimension (60, 1) 2", lambda: isoscore(X[:, :1])),
        (ValueError, "X 1 of 4 rows row 2", lambda: isoscore([*WIDE[:2], [np.nan] * 40, WIDE[3]])),
        (ValueError, "X 3 points 4", lambda: isoscore(X[:3], estimator="corrected")),
        (ValueError, "X 3 points 4", lambda: isoscore(iter([X[:3]]), estimator="corrected")),
        (ValueError, "X 1 point 2", lambda: isoscore(moments(X[:1]))),
        (ValueError, "X 1 dimension 2", lambda: isoscore(moments(X[:, :1]))),
        (ValueError, "X fourth", lambda: isoscore(SECOND, estimator="corrected")),
        (ValueError, "X fourth", lambda: isoscore(SECOND.merge(FOURTH), estimator="corrected")),
        (ValueError, "X fourth", lambda: isoscore(FOURTH.merge(SECOND), estimator="corrected")),
        (TypeError, "X iterator once", lambda: partition_score(iter([X]))),
        (ValueError, "squares overflow", lambda: partition_score(np.full((2, 2), 1e200))),
        (ValueError, "X zero 1 of 60 rows row 7", lambda: average_cosine(WITH_ZERO_ROW)),
        (ValueError, "X 1 point 2", lambda: average_cosine(X[:1])),
        (ValueError, "X 1 point 2", lambda: varex_score(moments(X[:1]))),
        (ValueError, "X 1 point 2", lambda: varex_score(X[:1])),
        (ValueError, "fraction 1.5 (0, 1]", lambda: varex_score(X, fraction=1.5)),
        (ValueError, "zero variance", lambda: varex_score(np.ones((5, 3)))),
        (ValueError, "fraction 0 (0, 1]", lambda: varex_score(X, fraction=0)),
        (ValueError, "n_neighbors 1 2", lambda: intrinsic_dimension(X, n_neighbors=1)),
        (ValueError, "n_neighbors 20 X", lambda: intrinsic_dimension(X[:20])),
        (ValueError, "X 20 removing 2 duplicates", lambda: id_score(np.vstack([X[:20], X[:2]]))),
        (ValueError, "infinite", lambda: intrinsic_dimension(np.eye(6), n_neighbors=3)),
        (ValueError, "n_queries 1 2", lambda: intrinsic_dimension_details(X, n_queries=1)),
        (ValueError, "confidence_level 0", lambda: intrinsic_dimension_details(X, confidence_level=0.0)),
        (ValueError, "X 3 points 4", lambda: isotropy_scores(X[:3])),
        (ValueError, "X 1 dimension 2", lambda: isotropy_scores(X[:, :1])),
        (ValueError, "X 1 dimension 2", lambda: isoscore_interval(X[:, :1])),
        (ValueError, "confidence_level 1 (0, 1)", lambda: isoscore_interval(X, confidence_level=1.0)),
        (ValueError, "groups 59 X 60", lambda: isoscore_interval(X, groups=np.arange(59))),
        (ValueError, "groups 1 2", lambda: isoscore_interval(X, groups=np.zeros(60))),
        (ValueError, "groups 57 60 3", lambda: isoscore_interval(X, groups=[0] * 57 + [1] * 3)),
        (ValueError, "X 4 points 5", lambda: isoscore_interval(X[:4])),
        (ValueError, "few points", lambda: isoscore_interval(np.eye(6))),
        (ValueError, "zero variance", lambda: isoscore_interval(np.full((9, 3), 0.1))),
        (ValueError, "coincide", lambda: isoscore_interval(ONE_DISTINCT_ROW)),
        (ValueError, "coincide", lambda: isoscore_interval(np.vstack([[[3.0, 1.0, 1.0]], ONE_DISTINCT_ROW]))),
    ],
)  # fmt: skip
def test_errors_name_the_cause(error, expected_words, call):
    assert_refused(error, expected_words, call)
