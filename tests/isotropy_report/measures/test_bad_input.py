"""Tests that errors of comparisons name the cause."""

import numpy as np

from isotropy_report import measures
from isotropy_report.measures import (
    audit_accuracies,
    cka,
    compression_costs,
    drift_power,
    drift_test,
    neighbor_overlap,
)
from tests.isotropy_lab.bad_input import invalid_argument_test, refusal_test

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 16))
Q = X[:5] + 0.1
A, B = RNG.standard_normal((14, 5)), RNG.standard_normal((14, 4))
WITH_ZERO_ROW = np.where(np.arange(14)[:, None] == 5, 0.0, A)
CUT = np.where(np.arange(16) < 4, 0.0, X)
VALID_ARGUMENTS = {
    "X": X, "Y": X[::-1], "n_clouds": 1, "ranks": (1, 8), "A": X[:, :5], "B": X[:, 5:10],
    "questions": Q, "gold": [0, 1, 2, 3, 4],
    "n_resamples": 40, "accuracies": {"a": "0.5", "b": "70%"}, "n_questions": 10,
}  # fmt: skip
test_errors_name_invalid_arguments = invalid_argument_test(measures, VALID_ARGUMENTS)


test_errors_name_the_cause = refusal_test(
    [
        (ValueError, "A 14 B 13 same items", lambda: cka(A, B[1:])),
        (ValueError, "A 2 points", lambda: cka(A[:2], B[:2])),
        (ValueError, "B zero variance", lambda: cka(A, np.ones((14, 3)))),
        (ValueError, "A zero variance", lambda: cka(A + 1e20, B)),
        (ValueError, "n_resamples 5 0 19", lambda: cka(A, B, n_resamples=5)),
        # Differences of disjoint pairs of corners of a simplex are orthogonal, with any corner left out, too.
        (ValueError, "A items dimensions", lambda: cka(np.eye(14), B)),
        (ValueError, "A 14 B 13 same items", lambda: neighbor_overlap(A, B[1:])),
        (ValueError, "k 13 1 12", lambda: neighbor_overlap(A, B, k=13)),
        (ValueError, "A zero 1 of 14 rows row 5", lambda: neighbor_overlap(WITH_ZERO_ROW, B)),
        (ValueError, "A 5 B 4 dimensions", lambda: drift_test(A, B)),
        (ValueError, "B 1 point", lambda: drift_test(A, A[:1])),
        (ValueError, "B 9 points 10", lambda: drift_power(A, A[:9])),
        (ValueError, "A B zero variance", lambda: drift_test(np.ones((12, 2)), np.ones((12, 2)))),
        (ValueError, "max_rows 1 2", lambda: drift_test(A, A, max_rows=1)),
        (ValueError, "max_rows 9 10", lambda: drift_power(A, A, max_rows=9)),
        (ValueError, "n_resamples 18 19", lambda: drift_test(A, A, n_resamples=18)),
        (TypeError, "accuracies 'a' float 0.70", lambda: audit_accuracies({"a": 0.7}, 10)),
        (ValueError, "accuracies 'a' 0.71 10", lambda: audit_accuracies({"a": "0.71"}, 10)),
        (ValueError, "accuracies 'a' 101%", lambda: audit_accuracies({"a": "101%"}, 10)),
        (TypeError, "accuracies", lambda: audit_accuracies({}, 10)),
        (ValueError, "X 20 points 24", lambda: compression_costs(X[:20])),
        (ValueError, "dimensions 16 1 15", lambda: compression_costs(X, dimensions=[16])),
        (TypeError, "dimensions float 3.0", lambda: compression_costs(X, dimensions=3.0)),
        (ValueError, "k 0", lambda: compression_costs(X, k=0)),
        (ValueError, "max_rows 5 6", lambda: compression_costs(X, k=4, max_rows=5)),
        (ValueError, "questions gold", lambda: compression_costs(X, gold=[0])),
        (ValueError, "questions 3 dimensions",
         lambda: compression_costs(X, questions=Q[:, :3], gold=range(5))),
        (ValueError, "X 4 zero 40 of 40", lambda: compression_costs(CUT, dimensions=[4])),
        (ValueError, "X zero", lambda: compression_costs(np.zeros((80, 4)))),
    ]
)  # fmt: skip
