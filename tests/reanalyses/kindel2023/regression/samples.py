"""Random word lists, and pairs of their words, for tests of the regressions."""

import numpy as np
from hypothesis import strategies as st

from reanalyses.kindel2023.regression import two_groups, word_pairs


def word_lists(seed, *sizes, p=12):
    """Return word lists of unequal lengths around a common direction, similar to word vectors."""
    rng = np.random.default_rng(seed)
    return [(rng.standard_normal((k, p)) + 0.5) * rng.uniform(0.5, 3.0, size=(k, 1)) for k in sizes]


def word_names(letter, k):
    return [f"{letter}{i}" for i in range(k)]


def two_group_pairs(seed, k=6, p=12):
    A, B, C, D = word_lists(seed, k, k, k, k, p=p)
    return two_groups(
        word_pairs(A, B, words_a=word_names("a", k), words_b=word_names("b", k)),
        word_pairs(C, D, words_a=word_names("c", k), words_b=word_names("d", k)),
    )


seeds = st.integers(0, 10**6)
