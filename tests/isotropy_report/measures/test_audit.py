"""Tests of conclusions from reported accuracies against all possible sets of answers."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab._core.multiplicity import holm
from isotropy_report.measures import audit_accuracies
from isotropy_report.measures.audit import _n_questions_needed


def outcomes(better, worse, n):
    """Return McNemar's p-values for all possible answers to n questions with the given numbers of hits."""
    for high, low in itertools.product(better, worse):
        for both in range(max(0, high + low - n), min(high, low) + 1):
            alone = high - both, low - both
            yield stats.binomtest(alone[0], sum(alone)).pvalue if sum(alone) else 1.0


@settings(deadline=None, max_examples=40)
@given(n=st.integers(1, 25), data=st.data())
def test_p_values_are_those_of_all_answers(n, data):
    hits = [data.draw(st.integers(0, n)) for _ in range(2)]
    decimals = data.draw(st.integers(1, 3))
    texts = {name: f"{h / n:.{decimals}f}" for name, h in zip("ab", hits, strict=True)}
    found = audit_accuracies(texts, n)
    printed = {
        name: [h for h in range(n + 1) if abs(h / n - float(text)) <= 0.5 * 10**-decimals + 1e-12]
        for name, text in texts.items()
    }
    models = found.models.set_index("model")
    for name, h in zip("ab", hits, strict=True):
        assert models.loc[name, "least_hits"] == min(printed[name]) <= h
        assert models.loc[name, "most_hits"] == max(printed[name]) >= h
        assert models.loc[name, "low"] == stats.binomtest(min(printed[name]), n).proportion_ci().low
        assert models.loc[name, "high"] == stats.binomtest(max(printed[name]), n).proportion_ci().high
    (pair,) = found.pairs.to_dict("records")
    p = list(outcomes(printed[pair["better"]], printed[pair["worse"]], n))
    assert (pair["p_least"], pair["p_most"]) == pytest.approx((min(p), max(p)), rel=1e-9)
    assert pair["difference"] >= 0
    h, g = sorted((sum((min(printed[name]), max(printed[name]))) / 2 for name in "ab"), reverse=True)
    if 0 < h + g < 2 * n:
        chi = stats.chi2_contingency([[h, n - h], [g, n - g]], correction=False)
        assert pair["p_unpaired"] == pytest.approx(chi.pvalue)
    assert pair["verdict"] == ("never" if min(p) > 0.05 else "always" if max(p) <= 0.05 else "open")


def test_the_least_difference_is_the_first_that_can_be_significant():
    for n, level in ((40, 0.95), (120, 0.95), (500, 0.99), (4, 0.95)):
        found = audit_accuracies({"a": "0.5"}, n, confidence_level=level)
        fewest = next(d for d in itertools.count(1) if stats.binomtest(d, d).pvalue <= 1 - level)
        assert found.least_difference == pytest.approx(fewest / n)
        assert len(found.pairs) == 0


def test_places_and_ties_follow_from_the_corrected_tests():
    texts = {"a": "0.90", "b": "0.60", "c": "0.883", "d": "0.30"}
    found = audit_accuracies(texts, 120)
    always = holm(found.pairs["p_most"]) <= 0.05
    assert ((found.pairs["verdict"] == "always") == always).all()
    places = found.models.set_index("model")[["first", "last"]].to_numpy().tolist()
    assert places == [[1, 2], [3, 3], [1, 2], [4, 4]]
    assert found.models["tied"].tolist() == [True, False, True, False]
    again = audit_accuracies(dict(reversed(texts.items())), 120)
    assert again.models.iloc[::-1].reset_index(drop=True).equals(found.models)
    assert str(found).startswith("Any of a, c may be the best.\n")  # the answer is the first line
    assert "d is better than a" not in str(found)


def test_so_many_questions_show_the_difference():
    """In simulations, with errors that are independent, and where the better model never fails alone."""
    rng = np.random.default_rng(0)
    p, q = 0.74, 0.62
    for discordant in (p - q, p * (1 - q) + q * (1 - p), p - q + 2 * (1 - p)):
        n = int(_n_questions_needed(p - q, discordant, 0.05))
        alone = rng.multinomial(
            n, [(discordant + p - q) / 2, (discordant - p + q) / 2, 1 - discordant], size=1000
        )
        shown = [stats.binomtest(a, a + b).pvalue <= 0.05 for a, b, _ in alone if a + b]
        assert 0.75 < np.mean(shown) < 0.87
    (equal,) = audit_accuracies({"a": "0.7", "b": "0.7"}, 40).pairs.to_dict("records")
    assert equal["n_nested"] == np.inf
