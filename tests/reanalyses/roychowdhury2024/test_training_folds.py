"""Tests that folds keep answers, or whole modules, together."""

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.retrieval.adaptation import folds
from reanalyses.corpora import yang_definitions
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.datasets.training_folds import NEVER_HELD_OUT, definition_folds


@pytest.fixture(scope="module")
def modules():
    return yang_definitions()["module"].to_numpy()


@pytest.fixture(scope="module")
def gold():
    return questions()["gold"].to_numpy()


def test_answer_folds_spread_every_module_evenly(modules, gold):
    fold_numbers = definition_folds("answers")
    has_question = np.isin(np.arange(len(modules)), gold)
    for rows in (has_question, ~has_question):
        counts = pd.crosstab(modules[rows], fold_numbers[rows]).reindex(columns=range(5), fill_value=0)
        assert (counts.max(axis=1) - counts.min(axis=1)).max() == 1
    assert set(fold_numbers) == set(range(5))


def test_module_folds_keep_modules_together_and_balanced(modules, gold):
    fold_numbers = definition_folds("modules")
    assert pd.Series(fold_numbers).groupby(modules).nunique().max() == 1
    counts = np.bincount(fold_numbers[gold], minlength=5)
    assert counts.max() - counts.min() <= 20  # no module has more questions
    unasked = ~np.isin(modules, modules[gold])
    np.testing.assert_array_equal(fold_numbers == NEVER_HELD_OUT, unasked)
    assert len(set(modules[unasked])) == 2


def test_module_folds_equal_linear_adapter_folds(modules, gold):
    """Both adapters are therefore scored on the same folds."""
    np.testing.assert_array_equal(definition_folds("modules", rng=0)[gold], folds(modules[gold], rng=0))
