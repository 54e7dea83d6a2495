"""Tests of bootstrap samples and interval ends against direct computations."""

import numpy as np
import pytest

from isotropy_lab._core import resampling


def test_question_weights_count_the_draws_of_each_question():
    blocks = list(resampling.question_weights(3, 5, 7, 4, np.random.default_rng(0)))
    assert [(part.start, part.stop) for part, _ in blocks] == [(0, 4), (4, 7)]
    drawn = np.random.default_rng(0).integers(0, 3, size=(4, 5))
    assert blocks[0][1].tolist() == [[(row == j).sum() for j in range(3)] for row in drawn]
    assert (blocks[1][1].sum(axis=1) == 5).all()


@pytest.mark.parametrize(("n_classes", "multinomial"), [(64, True), (65, False)])
def test_up_to_64_classes_have_multinomial_weights(n_classes, multinomial):
    counts = np.ones(n_classes, dtype=np.int64)
    ((_, weights),) = resampling.class_weights(counts, 10, 2, np.random.default_rng(0))
    drawn = np.random.default_rng(0).multinomial(10, counts / n_classes, size=2)
    assert (weights.tolist() == drawn.tolist()) == multinomial
    assert weights.sum(axis=1).tolist() == [10, 10]


def test_means_of_resampled_groups_weight_groups_by_their_size():
    sums, sizes = resampling.group_sums(np.array([1.0, 2.0, 4.0, 8.0]), np.array([1, 0, 1, 0]))
    assert (sums.tolist(), sizes.tolist()) == ([10, 5], [2, 2])
    means = resampling.group_means(np.array([6.0, 2.0]), np.array([3.0, 1.0]), 50, np.random.default_rng(0))
    assert set(means.tolist()) <= {2.0}  # the mean over questions, not over groups
    means = resampling.group_means(np.array([6.0, 0.0]), np.array([3.0, 1.0]), 50, np.random.default_rng(0))
    assert set(means.tolist()) == {0.0, 1.5, 2.0}
