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


def possible_p_values(better, worse, n):
    """Return McNemar's p-values for all possible answers to n questions with the given numbers of hits."""
    for high, low in itertools.product(better, worse):
        for n_both in range(max(0, high + low - n), min(high, low) + 1):
            discordant = high - n_both, low - n_both
            yield stats.binomtest(discordant[0], sum(discordant)).pvalue if sum(discordant) else 1.0


@settings(deadline=None, max_examples=40)
@given(n=st.integers(1, 25), data=st.data())
def test_p_values_agree_with_all_possible_answers(n, data):
    hits = [data.draw(st.integers(0, n)) for _ in range(2)]
    decimals = data.draw(st.integers(1, 3))
    texts = {name: f"{h / n:.{decimals}f}" for name, h in zip("ab", hits, strict=True)}
    audit = audit_accuracies(texts, n)
    possible = {
        name: [h for h in range(n + 1) if abs(h / n - float(text)) <= 0.5 * 10**-decimals + 1e-12]
        for name, text in texts.items()
    }
    models = audit.models.set_index("model")
    for name, h in zip("ab", hits, strict=True):
        assert models.loc[name, "least_hits"] == min(possible[name]) <= h
        assert models.loc[name, "most_hits"] == max(possible[name]) >= h
        assert models.loc[name, "low"] == stats.binomtest(min(possible[name]), n).proportion_ci().low
        assert models.loc[name, "high"] == stats.binomtest(max(possible[name]), n).proportion_ci().high
    (pair,) = audit.pairs.to_dict("records")
    p = list(possible_p_values(possible[pair["better"]], possible[pair["worse"]], n))
    assert (pair["p_least"], pair["p_most"]) == pytest.approx((min(p), max(p)), rel=1e-9)
    assert pair["difference"] >= 0
    h, g = sorted((sum((min(possible[name]), max(possible[name]))) / 2 for name in "ab"), reverse=True)
    if 0 < h + g < 2 * n:
        chi = stats.chi2_contingency([[h, n - h], [g, n - g]], correction=False)
        assert pair["p_unpaired"] == pytest.approx(chi.pvalue)
    assert pair["verdict"] == ("never" if min(p) > 0.05 else "always" if max(p) <= 0.05 else "open")


def test_least_difference_is_the_smallest_significant_one():
    for n, level in ((40, 0.95), (120, 0.95), (500, 0.99), (4, 0.95)):
        audit = audit_accuracies({"a": "0.5"}, n, confidence_level=level)
        n_needed = next(d for d in itertools.count(1) if stats.binomtest(d, d).pvalue <= 1 - level)
        assert audit.least_difference == pytest.approx(n_needed / n)
        assert len(audit.pairs) == 0
    assert "below 0.050% can" in str(audit_accuracies({"a": "0.5"}, 12_000))


def test_ranks_and_ties_follow_from_corrected_tests(tmp_path):
    texts = {"a": "0.90", "b": "0.60", "c": "0.883", "d": "0.30"}
    audit = audit_accuracies(texts, 120)
    always = holm(audit.pairs["p_most"]) <= 0.05
    assert ((audit.pairs["verdict"] == "always") == always).all()
    ranks = audit.models.set_index("model")[["first", "last"]].to_numpy().tolist()
    assert ranks == [[1, 2], [3, 3], [1, 2], [4, 4]]
    assert audit.models["tied"].tolist() == [True, False, True, False]
    reordered = audit_accuracies(dict(reversed(texts.items())), 120)
    assert reordered.models.iloc[::-1].reset_index(drop=True).equals(audit.models)
    assert str(audit).startswith("Any of a, c may be the best.\n")  # the answer is the first line
    assert "d is better than a" not in str(audit)
    for name, text in {"audit.json": audit.to_json(), "audit.txt": f"{audit}\n"}.items():
        audit.write(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == text
    with pytest.raises(ValueError, match="html"):
        audit.write(tmp_path / "audit.html")


def test_stated_numbers_of_questions_have_the_power():
    """Errors of the simulated models are independent or nested, or in between."""
    rng = np.random.default_rng(0)
    p, q = 0.74, 0.62
    for discordant in (p - q, p * (1 - q) + q * (1 - p), p - q + 2 * (1 - p)):
        n = int(_n_questions_needed(p - q, discordant, 0.05))
        counts = rng.multinomial(
            n, [(discordant + p - q) / 2, (discordant - p + q) / 2, 1 - discordant], size=1000
        )
        significant = [stats.binomtest(a, a + b).pvalue <= 0.05 for a, b, _ in counts if a + b]
        assert 0.75 < np.mean(significant) < 0.87
    (equal,) = audit_accuracies({"a": "0.7", "b": "0.7"}, 40).pairs.to_dict("records")
    assert equal["n_nested"] == np.inf
