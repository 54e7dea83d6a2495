"""Word lists that cannot be used, and what the messages say about them."""

import numpy as np
import pytest

from isotropy_lab.association import mean_cosine_similarity, weat, weat_permutation_test
from reanalyses.kindel2023.estimators import recentered


@pytest.mark.parametrize("empty", [[], (), np.array([])], ids=["list", "tuple", "array"])
def test_an_empty_list_is_called_empty(empty):
    with pytest.raises(ValueError, match=r"^B is empty; expected at least 1 word, one in each row$"):
        mean_cosine_similarity([[1.0, 2.0]], empty)


@pytest.mark.parametrize("function", [weat, weat_permutation_test])
def test_a_word_in_both_target_lists_is_found_whatever_the_precision(function):
    A, B, C, D = np.random.default_rng(0).standard_normal((4, 3, 8))
    B = np.vstack([B, A[1]])
    with pytest.raises(ValueError, match="A and B share 1 word \\(row 1 of A is row 3 of B\\)"):
        function(A.astype(np.float32), B, C, D)


def test_a_mean_beyond_float64_is_refused():
    huge = np.full((3, 2), 1.7e308)
    with (
        np.errstate(over="ignore"),
        pytest.raises(ValueError, match="overflows float64; expected rescaled data"),
    ):
        recentered(huge, huge)
