"""Tests of the card's statements on heavy tails, which affect the interval of the corrected IsoScore."""

import numpy as np
import pytest

from isotropy_lab import moments
from isotropy_report import compare, report_card
from isotropy_report.card.measures import excess_kurtosis


def sample_excess_kurtosis(X):
    return excess_kurtosis(moments(X, fourth=True))


def test_excess_kurtosis_agrees_with_its_definition_and_with_known_tails(rng):
    X = rng.exponential(size=(50, 4)) * [4, 3, 2, 1]
    centered = X - X.mean(axis=0)
    variances = np.linalg.eigvalsh(np.cov(X.T, ddof=0))
    fourth = np.mean([(row @ row) ** 2 for row in centered])
    expected = (fourth - variances.sum() ** 2) / (variances**2).sum() - 2
    assert sample_excess_kurtosis(X) == pytest.approx(expected)
    scale = np.array([3.0, 2.0, 1.0])
    assert sample_excess_kurtosis(rng.standard_normal((50_000, 3)) * scale) == pytest.approx(0.0, abs=0.1)
    X = (rng.exponential(size=(200_000, 3)) - 1.0) * scale
    assert sample_excess_kurtosis(X) == pytest.approx(6.0, abs=0.5)
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    assert sample_excess_kurtosis(1e3 * X @ rotation + 7.0) == pytest.approx(sample_excess_kurtosis(X))


@pytest.mark.parametrize(("tails", "heavy"), [("standard_normal", False), ("standard_exponential", True)])
def test_card_states_heavy_tails(rng, tails, heavy):
    X = getattr(rng, tails)((300, 10)) / np.arange(1, 11)
    card = report_card(X)
    notes = " ".join(note for section in card.sections for note in section.notes)
    assert ("heavy tails" in notes) == heavy


def test_comparison_names_models_with_heavy_tails(rng):
    common = rng.standard_exponential((200, 6)) ** 2 * np.linspace(1, 4, 6)
    models = {"heavy": common, "even": rng.standard_normal((200, 6)) * np.linspace(1, 2, 6)}
    for names, text in ((("heavy", "even"), "above 1): heavy."), (("even", "heavy"), "above 1): heavy.")):
        comparison = compare({name: models[name] for name in names}, rng=0, pictures=False)
        (caution,) = [caution for caution in comparison.cautions if caution.key == "heavy_tails"]
        assert text in caution.text
        assert text in " ".join(comparison.to_text().split())
    even = compare({"one": models["even"], "two": models["even"] + 1}, rng=0, pictures=False)
    assert "heavy_tails" not in [caution.key for caution in even.cautions]
