"""Word lists for tests of the regressions."""

import numpy as np
from hypothesis import strategies as st

from reanalyses.kindel2023.regression import two_groups, word_pairs


def lists(seed, *sizes, p=12):
    """Return word lists of unequal lengths around a common direction, similar to word vectors."""
    rng = np.random.default_rng(seed)
    return [(rng.standard_normal((k, p)) + 0.5) * rng.uniform(0.5, 3.0, size=(k, 1)) for k in sizes]


def names(letter, k):
    return [f"{letter}{i}" for i in range(k)]


def binary(seed, k=6, p=12):
    A, B, C, D = lists(seed, k, k, k, k, p=p)
    return two_groups(
        word_pairs(A, B, words_a=names("a", k), words_b=names("b", k)),
        word_pairs(C, D, words_a=names("c", k), words_b=names("d", k)),
    )


seeds = st.integers(0, 10**6)
