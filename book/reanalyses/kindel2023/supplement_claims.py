"""Results that decide the claims in the supplement of Kindel (2023): one function per entry of the ledger.

This module continues `claims` with cosines and estimators, word lists, and regressions on cosines. The supplement
prints no numbers for its regressions; they are fitted here in both bundled spaces, every target word with every
attribute word. The words of Table S1 give four designs: pleasant and unpleasant words in either space. Claims about
tendencies are decided by all 44 designs, those of Table S1 and of the ten tests, and by one rule: `holds_in_most`,
75% of the designs or of their groups.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import lru_cache, partial
from math import comb, factorial, log10
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association import congruence_test, keywords
from isotropy_lab.association._weat import weat, weat_effect_size
from isotropy_lab.association.canonical import canonical_similarity
from isotropy_lab.association.cosine import centroid_direction, cosine_similarities, mean_cosine_similarity
from reanalyses.kindel2023 import experiments
from reanalyses.kindel2023.claims import (
    SPACES,
    component_lists,
    holds_in_most,
    holds_in_most_signs,
    lists,
    nulls_of,
    unanimous,
)
from reanalyses.kindel2023.estimators import centroid_length_ratios, cosine_additivity, pairing_range
from reanalyses.kindel2023.experiments.spaces import find_test, pairs_of_lists
from reanalyses.kindel2023.frequencies import word_frequencies
from reanalyses.kindel2023.nulls import partial_nulls
from reanalyses.kindel2023.regression import (
    Regression,
    bivariate_cosine_regression,
    breusch_pagan_test,
    centroid_pairs,
    centroid_regression,
    component_regressions,
    composed_pairs,
    corrected_ratio_regression,
    distortion_decomposition,
    frequency_adjusted_regressions,
    implicit_component_regression,
    inner_product_regression,
    joint_test,
    lower_order_regression,
    nested_weat,
    overlapping_bivariate_centroid_regression,
    overlapping_pairs,
    split_similarity,
    two_groups,
    word_pairs,
)
from reanalyses.kindel2023.regression.estimation import Term
from reanalyses.kindel2023.regression.models import fit_terms
from reanalyses.kindel2023.similarities import centroid_mean_cosine_similarity
from reanalyses.ledger import Finding
from reanalyses.zeros import listed, or_zero

Array = NDArray[np.float64]

#: Cohen's "small" effect; smaller changes do not count as considerable.
SMALL_EFFECT = 0.2
#: Significance level of single tests.
LEVEL = 0.05


# --- data shared by several claims --------------------------------------------------------------------------


@lru_cache(maxsize=1)
def designs() -> dict[str, pd.DataFrame]:
    """Return the pairs of male (X = 1) and female words with each attribute list, in both spaces."""
    return {
        f"{name} {attribute}": experiments.design_pairs(space, attribute=role)
        for name, space in SPACES.items()
        for role, attribute in (("C", "pleasant"), ("D", "unpleasant"))
    }


@lru_cache(maxsize=1)
def every_design() -> dict[str, pd.DataFrame]:
    """Return the designs of Table S1 and of the ten tests, in both spaces."""
    return designs() | {
        f"{name} {test} {role}": experiments.design_pairs(space, test, attribute=role)
        for (name, space), test, role in itertools.product(SPACES.items(), keywords.names(), "CD")
        if test != "gender-sentiment"
    }


@lru_cache(maxsize=1)
def _fits() -> dict[str, tuple[Regression, Regression]]:
    """Return each design's inner-product and corrected ratio regressions, with robust standard errors."""
    return {
        name: (inner_product_regression(pairs), corrected_ratio_regression(pairs))
        for name, pairs in every_design().items()
    }


@lru_cache(maxsize=2)
def _frequency(form: str = "log") -> pd.DataFrame:
    """Return the regressions with external frequencies for every design; pairs without a frequency are omitted."""
    tables, zipf = [], word_frequencies().to_dict()
    for name, pairs in every_design().items():
        words = {w: zipf[w.casefold()] for w in {*pairs["a"], *pairs["b"]} if w.casefold() in zipf}
        known_pairs = pairs[pairs["a"].isin(list(words)) & pairs["b"].isin(list(words))]
        tables.append(frequency_adjusted_regressions(known_pairs, words, form=form).assign(name=name))
    return pd.concat(tables)


def _in_both_spaces(table: Callable[[str], pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([table(space).assign(space=name) for name, space in SPACES.items()], ignore_index=True)


@lru_cache(maxsize=1)
def _centroids_by_length() -> pd.DataFrame:
    """Return similarities around centroids as words are added, averaged over all sublists, by space."""
    return _in_both_spaces(experiments.separability_by_k)


@lru_cache(maxsize=1)
def _separability() -> pd.DataFrame:
    """Return how well centroids separate their words from another list, by space."""
    return _in_both_spaces(experiments.separability_table)


def _composed(space: str, attribute: str) -> pd.DataFrame:
    """Return the pairs of female (X = 0) and male centroids with the words of one attribute list."""
    words = lists(space)
    female, male = (centroid_pairs(words[x], words[attribute], label=x) for x in ("female", "male"))
    return two_groups(female, male, labels=("female", "male"))


def _format(values: dict[str, float], form: str = "+.3f") -> str:
    """Return values by name as text, or their range and median if there are more than eight."""
    if len(values) > 8:
        low, middle, high = np.quantile(list(values.values()), [0, 0.5, 1])
        return f"from {low:{form}} to {high:{form}}, median {middle:{form}}"
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())


# --- word lists ---------------------------------------------------------------------------------------------


def coverage_of_names() -> Finding:
    """Test whether adjusted spellings add Black names of WEAT 3 to GloVe: missing names, by spelling."""
    values, details = [], []
    for spelling in ("original", "adjusted"):
        missing = missing_words("weat-3", spelling)
        for role, label in (("A", "white"), ("B", "Black")):
            n_words = len(getattr(keywords.load("weat-3"), role).words(spelling))
            values.append(float(missing[role]))
            details.append(f"{label} names in the {spelling} spelling {missing[role]} of {n_words}")
    return Finding(
        tuple(values), values[1] > values[3] and values[1] > values[0], f"missing: {'; '.join(details)}"
    )


def missing_words(test: str, spelling: str) -> dict[str, int]:
    """Return, by role, the number of a test's words that are missing from GloVe."""
    lists_in_space = find_test("glove-weat", test, spelling=spelling)
    return {
        role: len(getattr(keywords.load(test), role).words(spelling)) - len(getattr(lists_in_space, role))
        for role in "ABCD"
    }


def misspellings_change_weat_3() -> Finding:
    """Test whether misspellings affect WEAT 3 most: words missing from GloVe, there and in another test.

    The effect size and canonical score of WEAT 3 with both spellings are reported in addition.
    """
    missing = {}
    for test in keywords.names():
        if test.startswith("weat-"):
            missing[test] = sum(missing_words(test, "original").values())
    in_weat_3 = missing.pop("weat-3")
    effect_sizes, canonical = [], []
    for spelling in ("original", "adjusted"):
        four_lists = list(experiments.list_vectors("glove-weat", "weat-3", spelling=spelling).values())
        effect_sizes.append(weat_effect_size(*four_lists))
        canonical.append(weat(*four_lists, similarity="canonical").score)
    return Finding(
        (float(in_weat_3), float(max(missing.values()))),
        in_weat_3 > max(missing.values()),
        f"words missing: WEAT 3 {in_weat_3}, any other test at most {max(missing.values())}; effect size of WEAT 3 "
        f"{effect_sizes[0]:.2f} in the original and {effect_sizes[1]:.2f} in the adjusted spelling, canonical score "
        f"{canonical[0]:+.4f} and {canonical[1]:+.4f}",
    )


def aisha_is_more_common() -> Finding:
    """Test whether Aisha is far more common than Aiesha: difference in Zipf frequency, and the smallest."""
    zipf = word_frequencies()
    respellings = {"aiesha": "aisha", "temeka": "tamika", "shanise": "shanice", "sharise": "sharice"}
    respellings |= {"rasaan": "rashaan", "terryl": "terrell", "lashandra": "lashawn"}
    differences = {
        adjusted: float(zipf[adjusted]) - float(zipf.get(original, zipf.min()))
        for original, adjusted in respellings.items()
    }
    original = f"aiesha {zipf['aiesha']:.2f}" if "aiesha" in zipf.index else "aiesha not in the list"
    return Finding(
        (differences["aisha"], min(differences.values())),
        differences["aisha"] >= 1 and min(differences.values()) > 0,
        f"{original}, aisha {zipf['aisha']:.2f}; smallest advantage of an adjusted name {min(differences.values()):.2f}",
    )


# --- the canonical metric, cosine similarity ----------------------------------------------------------------


def contexts_add_associations() -> Finding:
    """Test whether W + C adds associations to W: cosine by either of words with only each other as context.

    (w + c)·(w′ + c′) = w·w′ + w·c′ + c·w′ + c·c′: the first term is that of W, the next two compare words with contexts.
    """
    words = np.eye(2)
    values = [float(cosine_similarities(x[:1], x[1:])[0, 0]) for x in (words, words + words[::-1])]
    return Finding(
        tuple(values),
        abs(values[0]) < 1e-12 < 0.5 < values[1],
        f"two words with one context each, the other word: cosine {values[0]:.2f} by W, {values[1]:.2f} by W + C",
    )


def hadamard_is_faster() -> Finding:
    """Test whether an entrywise product is faster than a matrix product: ratio of multiplications.

    They are counted, since times depend on the machine; the decomposition is not included.
    """
    entrywise, product = [], []
    dimensions = (6, 12, 24)
    for p in dimensions:
        P, Q = (spanning_projection(p, k, rng=k) for k in (2, 3))
        entrywise.append(multiplications(lambda a, b: a * b, P, Q))
        product.append(multiplications(np.matmul, P, Q))
    ratios = [n_product / n_entrywise for n_entrywise, n_product in zip(entrywise, product, strict=True)]
    return Finding(
        tuple(ratios),
        ratios == list(dimensions),
        f"multiplications in 24 dimensions: entrywise {entrywise[-1]}, product alone {product[-1]}; the ratio is the "
        f"number of dimensions: {', '.join(f'{r:g}' for r in ratios)}",
    )


def spanning_projection(p: int, k: int, *, rng: int) -> NDArray[np.float64]:
    """Return the projection of p dimensions onto the span of k random vectors."""
    basis = np.linalg.qr(np.random.default_rng(rng).standard_normal((p, k)))[0]
    return np.asarray(basis @ basis.T)


def multiplications(task: Callable[..., Any], *arrays: NDArray[np.float64]) -> int:
    """Return the number of entrywise multiplications in a task."""
    count = 0

    class Entry(float):
        def __mul__(self, other: float) -> float:
            nonlocal count
            count += 1
            return float(self) * float(other)

        __rmul__ = __mul__

    task(*(np.array([[Entry(x) for x in row] for row in array], dtype=object) for array in arrays))
    return count


def hadamard_is_right() -> Finding:
    """Test whether the sum of the entrywise product of projections is the metric: largest difference."""
    error = 0.0
    for _, a, b in pairs_of_lists("googlenews-weat"):
        entry_sum = float(np.sum((np.linalg.pinv(a) @ a) * (np.linalg.pinv(b) @ b)))
        error = max(error, abs(entry_sum - canonical_similarity(a, b, scale=None)))
    return Finding((error,), error < 1e-8, f"largest difference {or_zero(error)}")


def share_kept_by_projection() -> Finding:
    """Test whether cos² is the fraction of squared length that a projection keeps: largest difference."""
    error = 0.0
    for _, a, b in pairs_of_lists("googlenews-weat"):
        for x, y in itertools.product(a, b):
            fraction = float(np.sum((y * (x @ y) / (y @ y)) ** 2) / (x @ x))
            error = max(error, abs(fraction - mean_cosine_similarity(x[None], y[None]) ** 2))
    return Finding((error,), error < 1e-12, f"largest difference {or_zero(error)}")


def additivity_condition() -> Finding:
    """Test whether φ(a + b, c) = φ(a, c) + φ(b, c) if and only if ⟨a,b⟩ = −½‖a‖² = −½‖b‖².

    The values are the largest difference under the condition, and 1 if the identity also holds without it, else 0.
    """
    rng = np.random.default_rng(0)
    error = n_false = 0.0
    for _ in range(200):
        e = np.linalg.qr(rng.standard_normal((5, 2)))[0].T
        length = float(rng.uniform(0.1, 10.0))
        a, b = length * e[0], length * (-0.5 * e[0] + np.sqrt(0.75) * e[1])
        c = rng.standard_normal(5)
        fulfilled = cosine_additivity(a, b, c)
        error = max(error, abs(fulfilled.difference), 0.0 if fulfilled.holds_for_every_c else 1.0)
        violated = cosine_additivity(a, b + 0.2 * length * e[1], e[0])
        n_false = max(n_false, 1.0 if violated.holds_for_every_c else 0.0)
    words = lists("googlenews-weat")["male"]
    smallest = min(
        abs(cosine_additivity(words[i], words[j], words[i]).difference)
        for i, j in itertools.combinations(range(len(words)), 2)
    )
    return Finding(
        (error, n_false),
        error < 1e-12 and n_false == 0,
        f"largest difference under the condition {or_zero(error)}; smallest between male words {smallest:.3f}",
    )


def covariance_in_excess() -> Finding:
    """Test whether cosines measure covariance: largest difference from correlations, by space."""
    largest, details = [], []
    for name, space in SPACES.items():
        words = np.concatenate(list(lists(space).values()))
        differences = np.abs(cosine_similarities(words, words) - np.corrcoef(words))
        largest.append(float(differences.max()))
        details.append(f"{name}: largest {largest[-1]:.3f}, mean {differences.mean():.4f}")
    return Finding(
        tuple(largest), max(largest) < 0.05, f"difference of cosine and correlation: {'; '.join(details)}"
    )


def scale_needs_a_condition() -> Finding:
    """Test whether cosines are invariant to scale, and additive only under the condition on lengths.

    For all pairs of male words with the first pleasant word: the change of a cosine due to the factors 3 and 0.01, the
    smallest deviation from additivity, and the number of pairs that meet the condition.
    """
    words, c = lists("googlenews-weat")["male"], lists("googlenews-weat")["pleasant"][:1]
    scaled = max(
        float(np.abs(cosine_similarities(factor * words, c) - cosine_similarities(words, c)).max())
        for factor in (3.0, 0.01)
    )
    additivities = [cosine_additivity(a, b, c[0]) for a, b in itertools.combinations(words, 2)]
    smallest = min(abs(a.difference) for a in additivities)
    n_meeting = sum(a.holds_for_every_c for a in additivities)
    sum_with_reversed = float((cosine_similarities(-2.0 * words, c) + cosine_similarities(words, c)).max())
    return Finding(
        (scaled, smallest, float(n_meeting)),
        scaled < 1e-12 and n_meeting == 0 and smallest > 1e-6,
        f"{n_meeting} of {len(additivities)} pairs meet the condition; smallest deviation from additivity {smallest:.4f}; "
        f"change by positive factors {or_zero(scaled)}, sum of the cosines with the factors 1 and −2 {or_zero(sum_with_reversed)}",
    )


def no_isotropic_space() -> Finding:
    """Test whether additive cosines are impossible: smallest Gram eigenvalue, inner products −½.

    The smallest cosine of two words of Table S1 in both spaces is added, since additivity requires −½.
    """
    values = tuple(float(np.linalg.eigvalsh(1.5 * np.eye(n) - 0.5)[0].round(12)) + 0.0 for n in (3, 4))
    smallest = []
    for space in SPACES.values():
        words = np.concatenate(list(lists(space).values()))
        smallest.append(float(cosine_similarities(words, words).min()))
    return Finding(
        (*values, *smallest),
        values[0] == 0 and values[1] < -1e-9 and min(smallest) > -0.5,
        f"smallest eigenvalue {values[0]:g} for three vectors, {values[1]:g} for four, which none have; smallest cosine of "
        f"two words: GoogleNews {smallest[0]:.3f}, GloVe {smallest[1]:.3f}",
    )


def converges_irrespective_of_lists() -> Finding:
    """Test whether mean cosine converges to the same value for all lists: range, in standard deviations.

    A list is always compared with another list.
    """
    values, details = [], []
    for name, space in SPACES.items():
        names, pool = experiments.pool_words(space)
        mean = unit_rows(pool).sum(axis=0)
        n = len(names)
        expected = float((mean @ mean - n) / (n * (n - 1)))
        rng = np.random.default_rng(0)
        samples = [pool[rng.choice(n, 50, replace=False)] for _ in range(200)]
        random_means = np.array([mean_cosine_similarity(w[:25], w[25:]) for w in samples])
        topical_values = topical_means(space)
        values.append(float(np.ptp(topical_values) / random_means.std()))
        details.append(
            f"{name}: any two words {expected:.3f}, random lists {random_means.mean():.3f} ± {random_means.std():.3f}, lists "
            f"of the tests {min(topical_values):.3f} to {max(topical_values):.3f}"
        )
    # The claim is about a limit, so lists that still differ at 25 words decide nothing.
    return Finding(tuple(values), True if max(values) < 4 else None, "; ".join(details))


def topical_means(space: str) -> list[float]:
    """Return the mean cosines of all pairs of lists of WEAT 1 and 2, of 25 words each."""
    return [
        mean_cosine_similarity(x, y)
        for test in ("weat-1", "weat-2")
        for x, y in itertools.combinations(component_lists(space, test), 2)
    ]


def moves_toward_generality() -> Finding:
    """Test whether added words make a centroid more general: smallest gain with held-out over pool words.

    The gains are means over 200 random orders of the lists of WEAT 1 and 2. "More general" has two interpretations:
    closer to words of the pool, and closer to these by more than to held-out words. The two must agree to decide.
    """
    values, details, answers = [], [], []
    rng = np.random.default_rng(0)
    for name, space in SPACES.items():
        pool_mean = unit_rows(experiments.pool_words(space)[1]).mean(axis=0)
        gains = []
        for test in ("weat-1", "weat-2"):
            for units in map(unit_rows, component_lists(space, test)):
                changes = []
                for _ in range(200):
                    order = rng.permutation(len(units))
                    first, last = (centroid_direction(units[order[:k]], "words") for k in (1, 16))
                    held_out = units[order[-8:]].mean(axis=0)
                    changes.append((held_out @ (last - first), pool_mean @ (last - first)))
                gains.append(np.mean(changes, axis=0))
        own_gain, pool_gain = np.array(gains).T
        values.append(float((own_gain - pool_gain).min()))
        answers += [bool(pool_gain.min() > 0), bool((own_gain - pool_gain).max() < 0)]
        details.append(
            f"{name}: gain with held-out words of the list {own_gain.min():.3f} to {own_gain.max():.3f}, with any words "
            f"{pool_gain.min():+.3f} to {pool_gain.max():+.3f}"
        )
    return Finding(tuple(values), unanimous(answers), "; ".join(details))


def grand_mean_is_consistent() -> Finding:
    """Test whether mean cosine is inconsistent with two long lists: standard deviation for four sizes k.

    Words are drawn with replacement from the 25 of WEAT 1, 2,000 pairs of lists for each of k = 2, 8, 32 and 128. The
    expected association of two such words is met if the mean is, and the spread shrinks with k; what all words of
    the two lists have in common is taken as the root of the canonical metric of the k distinct words, k = 2, 8 and 25, and
    met if the mean cosine comes nearer to it. It decides only where both quantities give one answer.
    """
    by_label = lists("googlenews-weat", "weat-1")
    a, b = by_label["pleasant"], by_label["unpleasant"]
    cosines = cosine_similarities(a, b)
    expected = mean_cosine_similarity(a, b)
    rng = np.random.default_rng(0)
    sizes = (2, 8, 32, 128)
    biases, deviations = [], []
    for k in sizes:
        rows, columns = rng.integers(len(a), size=(2_000, k)), rng.integers(len(b), size=(2_000, k))
        # For pairs with repetition, counts of the words determine the mean of all k² cosines.
        counts = [(x[:, :, None] == np.arange(25)).sum(axis=1) / k for x in (rows, columns)]
        means = np.einsum("ni,ij,nj->n", counts[0], cosines, counts[1])
        biases.append(float((means.mean() - expected) / (means.std() / np.sqrt(len(means)))))
        deviations.append(float(means.std()))
    estimates_expectation = max(map(abs, biases)) < 4 and deviations[-1] < deviations[0] / 4
    errors = [
        abs(mean_cosine_similarity(a[:k], b[:k]) - np.sqrt(canonical_similarity(a[:k], b[:k])))
        for k in (2, 8, len(a))
    ]
    estimates_common = errors[-1] < errors[0] / 4
    by_size = "; ".join(
        f"k = {k}: mean {z:+.1f} standard errors from that of all pairs, standard deviation {d:.4f}"
        for k, z, d in zip(sizes, biases, deviations, strict=True)
    )
    return Finding(
        tuple(deviations),
        not estimates_expectation if estimates_expectation == estimates_common else None,
        f"expected association of two words: {by_size}; what all words have in common: mean cosine and root of the "
        f"canonical metric apart by {errors[0]:.3f} at k = 2, {errors[1]:.3f} at k = 8, {errors[2]:.3f} at k = {len(a)}",
    )


def partial_intervals() -> Finding:
    """Test whether intervals grow with the number of random words: 95% width for 0, 4, and 8 of them."""
    by_label = lists("googlenews-weat")
    _, pool = experiments.pool_words("googlenews-weat", size=2_000)
    table = partial_nulls(by_label["male"], by_label["pleasant"], pool, randomize="A", n_resamples=200, rng=0)
    canonical = table.query("quantity == 'canonical'").set_index("n_random")
    width = canonical["high"] - canonical["low"]
    values = tuple(float(width[n]) for n in (0, 4, 8))
    return Finding(
        values,
        values[0] == 0 < values[1] < values[2],
        f"width {values[0]:.3f} with no random word, {values[1]:.3f} with four, {values[2]:.3f} with eight",
    )


def parametric_tests() -> Finding:
    """Test whether Fisher's Z gives a test of congruences: largest difference from exact p-values."""
    differences = {}
    for name, space in SPACES.items():
        by_label = lists(space)
        dimensions = by_label["male"].shape[1]
        cosines = cosine_similarities(by_label["male"], by_label["pleasant"]).ravel()
        tests = [congruence_test(float(cosine), dimensions) for cosine in cosines]
        exact = stats.beta.sf(np.square(cosines), 0.5, (dimensions - 1) / 2)
        differences[name] = max(abs(t.fisher_pvalue - p) for t, p in zip(tests, exact, strict=True))
    table = experiments.congruence_tests_table(nulls_of("googlenews-weat"), space="googlenews-weat")
    n_significant = [int((table[c] < LEVEL).sum()) for c in ("p_direct", "p_randomization")]
    return Finding(
        tuple(differences.values()),
        max(differences.values()) < 0.01,
        f"largest difference between p-values: {_format(differences, '.1e')}; of {len(table)} canonical congruences on GoogleNews {n_significant[0]} are significant as "
        f"single cosines, {n_significant[1]} against random lists",
    )


# --- estimators ---------------------------------------------------------------------------------------------


def paired_fares_better() -> Finding:
    """Test whether paired scores are closer to canonical ones than mean cosine: fraction of tests."""
    n_nearer = n_tests = 0
    details = []
    for name, space in SPACES.items():
        tests_nearer = []
        for test in keywords.names():
            four_lists = component_lists(space, test)
            if test == "gender-sentiment" or len({len(w) for w in four_lists}) > 1:
                continue
            mean, paired, canonical = (
                weat(*four_lists, similarity=s).score for s in ("mean-cosine", "paired", "canonical")
            )
            n_tests += 1
            if abs(paired - canonical) < abs(mean - canonical):
                n_nearer += 1
                tests_nearer.append(test)
        details.append(f"{name}: {', '.join(tests_nearer) or 'none'}")
    detail = f"nearer in {n_nearer} of {n_tests} ({'; '.join(details)})"
    return Finding((n_nearer / n_tests,), n_nearer >= n_tests / 2, detail)


def pairing_matters() -> Finding:
    """Test whether the paired estimator depends on the pairing: its smallest range for lists of Table S1."""
    spreads = {
        f"{name} {pair}": (r.maximum - r.minimum, r.standard_deviation)
        for name, space in SPACES.items()
        for pair, a, b in pairs_of_lists(space)
        for r in (pairing_range(a, b),)
    }
    smallest = min(v[0] for v in spreads.values())
    return Finding(
        (smallest,),
        smallest > 1e-3,
        f"ranges from {smallest:.3f} to {max(v[0] for v in spreads.values()):.3f}, standard deviations "
        f"{min(v[1] for v in spreads.values()):.3f} to {max(v[1] for v in spreads.values()):.3f}",
    )


def no_guarantee_of_separation() -> Finding:
    """Test whether centroids separate their words from the opposite list: fraction of lists, by space.

    Opposites are male and female, or pleasant and unpleasant; other pairs have one list of either kind.
    """
    fractions = {name: separated_fractions(name) for name in SPACES}
    values = tuple(fraction["opposites"] for fraction in fractions.values())
    detail = "; ".join(
        f"{name} {fraction['opposites']:.0%} of the opposites, {fraction['others']:.0%} of the other pairs"
        for name, fraction in fractions.items()
    )
    return Finding(values, max(values) < 0.5, f"separated: {detail}")


def separated_fractions(name: str) -> dict[str, float]:
    """Return the fraction of ordered list pairs that a centroid separates, for opposites and for others."""
    others = _separability().query("space == @name")["separable"]
    opposites = _centroids_by_length().query("space == @name and k == 8")["separable"]
    return {"opposites": float(opposites.mean()), "others": float(others.mean())}


def centroid_moves_away() -> Finding:
    """Test whether added words move a centroid from its own words to others: largest and smallest step."""
    steps = [
        (float(group["own"].diff().max()), float(group["others"].diff().min()))
        for _, group in _centroids_by_length().groupby(["space", "centroid_of"], sort=False)
    ]
    largest_own, smallest_other = max(s[0] for s in steps), min(s[1] for s in steps)
    male = _centroids_by_length().query("space == 'GoogleNews' and centroid_of == 'male'")
    return Finding(
        (largest_own, smallest_other),
        largest_own < 0 < smallest_other,
        f"male on GoogleNews, from one word to eight: cosine with its own {male['own'].iloc[0]:.3f} to "
        f"{male['own'].iloc[-1]:.3f}, with the female words {male['others'].iloc[0]:.3f} to {male['others'].iloc[-1]:.3f}",
    )


def number_of_closer_subspaces() -> Finding:
    """Test the published number of closer subspaces, (n − 1)!/(k!(n − 1 − k)!), in its example, n = 2."""
    value, with_own = published_subspace_count(2, 2), published_subspace_count(3, 2)
    return Finding(
        (value,),
        value == 1,
        f"printed formula at n = 2: {value:g}, at n = 3, the farthest word of the list counted: {with_own:g}; "
        f"C(2, 2) = {comb(2, 2)}",
    )


def published_subspace_count(n: int, k: int) -> float:
    """Return (n − 1)!/(k!(n − 1 − k)!), the published count of subspaces, or 0 if k exceeds n − 1."""
    rest = n - 1 - k
    return factorial(n - 1) / (factorial(k) * factorial(rest)) if rest >= 0 else 0.0


def closer_subspaces_grow() -> Finding:
    """Test whether closer lists are numerous: log₁₀ of their smallest and largest number."""
    table = _separability()
    values = (float(table["log10_subspaces"].min()), float(table["log10_subspaces"].max()))
    growth = tuple(log10(comb(2 * n, 8) / comb(n, 8)) for n in (28, 166))
    return Finding(
        values,
        values[0] > 3,
        f"10^{values[0]:.1f} to 10^{values[1]:.1f} lists of eight; twice as many words multiply the number by "
        f"10^{growth[0]:.1f} or so",
    )


def centroid_is_far_from_its_words() -> Finding:
    """Test whether centroids are far from their words: fewest and most pool words closer than the farthest.

    All lists of Table S1 are compared with the 10,000 most frequent words; seven of the closer words can be its own.
    """
    counts, details = [], []
    for name in SPACES:
        table = _separability().query("space == @name")
        cosines = _centroids_by_length().query("space == @name and k == 8")["own"]
        counts += table["n_closer"].tolist()
        details.append(
            f"{name}: {table['n_closer'].min()} to {table['n_closer'].max()} words nearer, mean cosine with its own "
            f"{cosines.min():.2f} to {cosines.max():.2f}"
        )
    return Finding((float(min(counts)), float(max(counts))), min(counts) > 7, "; ".join(details))


# --- binary regressions -------------------------------------------------------------------------------------


def missing_intercept() -> Finding:
    """Test whether the missing intercept worsens the fit: p-value of an added intercept, by design.

    The model is ⟨a,b⟩ = α2 + α0 LNW + α1 X·LNW, with standard errors robust to unequal variance. The joint test of
    intercept and main effect is added.
    """
    values = {name: _intercept_alone(pairs) for name, pairs in every_design().items()}
    with_main_effect = {name: joint_test(inner, ["β0", "β1"]).pvalue for name, (inner, _) in _fits().items()}
    rejected = sum(p < LEVEL for p in values.values())
    return Finding(
        tuple(values.values()),
        holds_in_most(rejected, len(values)),
        f"rejected in {rejected} of {len(values)}: p {_format(values, '.2g')}; "
        f"with the main effect p {_format(with_main_effect, '.2g')}",
    )


def _intercept_alone(pairs: pd.DataFrame) -> float:
    """Return the p-value of the intercept in a regression of the inner product on LNW and X·LNW."""
    fit = _constrained(pairs, [Term("intercept", "α2", np.ones(len(pairs)))])
    return float(fit.terms.set_index("symbol").at["α2", "p_value"])


def _constrained(pairs: pd.DataFrame, further_terms: list[Term], weights: str | None = None) -> Regression:
    """Regress the inner product on LNW and X·LNW without intercept and main effect, and on further terms."""
    lnw, x = pairs["lnw"].to_numpy(float), pairs["X"].to_numpy(float)
    return fit_terms(
        pairs,
        Term("inner product", "⟨a,b⟩", pairs["inner_product"].to_numpy(float)),
        [*further_terms, Term("LNW", "α0", lnw), Term("X·LNW", "α1", x * lnw)],
        weights=weights,
    )


def interaction_of_weight_and_group() -> Finding:
    """Test whether α1* is the interaction of group and weight: largest difference from that coefficient.

    α1* is the difference of mean cosines; the model of the inner product has weights 1/LNW².
    """
    error = 0.0
    for pairs in designs().values():
        means = pairs.groupby("X")["cosine"].mean()
        slope = _constrained(pairs, [], weights="inverse-square").coefficient("α1")
        error = max(error, abs(slope - float(means[1] - means[0])))
    return Finding((error,), error < 1e-9, f"largest difference {or_zero(error)}")


def weights_of_one_sign() -> Finding:
    """Test whether the constrained model forces slopes of one sign: number of designs, and a counterexample.

    The designs of Table S1 are also counted. An artificial design has the inner products 0.2 LNW and −0.2 LNW.
    """
    artificial = pd.DataFrame({"X": np.repeat([0, 1], 4), "lnw": np.tile([1.0, 1.5, 2.0, 2.5], 2)})
    artificial["cosine"] = np.where(artificial["X"] == 1, -0.2, 0.2)
    slopes = _group_slopes(artificial)
    same_sign, same_sign_here = (
        [first * second > 0 for first, second in map(_group_slopes, pairs.values())]
        for pairs in (every_design(), designs())
    )
    return Finding(
        (float(sum(same_sign)), *slopes),
        all(same_sign),
        f"one sign in {sum(same_sign)} of {len(same_sign)} designs, in {sum(same_sign_here)} of the {len(same_sign_here)} of Table S1; the slopes of the artificial "
        f"design are {slopes[0]:+.1f} and {slopes[1]:+.1f}",
    )


def _group_slopes(pairs: pd.DataFrame) -> tuple[float, float]:
    """Return the slopes of the groups X = 0 and X = 1 in the constrained model: their mean cosines."""
    means = pairs.groupby("X")["cosine"].mean()
    return float(means[0]), float(means[1])


def norms_bounded_from_zero() -> Finding:
    """Test whether lengths are bounded from 0: ratio of smallest to mean normalization weight, by design."""
    values = {name: float(p["lnw"].min() / p["lnw"].mean()) for name, p in designs().items()}
    return Finding(
        tuple(values.values()),
        min(values.values()) > 0.25,
        f"smallest over mean weight: {_format(values, '.2f')}",
    )


def wrong_sign() -> Finding:
    """Test whether the implicit frequency adjustment has the wrong sign: numbers of wrong and right slopes."""
    slopes, signs = {}, []
    for name, pairs in every_design().items():
        for group, group_pairs in pairs.groupby("group"):
            # The slope of the group with X = 0 is β2.
            fit = inner_product_regression(pairs.assign(X=(pairs["group"] != group).astype(float)))
            row = fit.terms.set_index("symbol").loc["β2"]
            slopes[f"{name} {group}"] = float(row["estimate"])
            is_wrong = float(row["estimate"]) * float(group_pairs["cosine"].mean()) < 0
            signs.append((1 if is_wrong else -1) if row["p_value"] < LEVEL else 0)
    return Finding(
        (float(signs.count(1)), float(signs.count(-1))),
        holds_in_most_signs(signs),
        f"wrong in {signs.count(1)} and right in {signs.count(-1)} of {len(slopes)} groups at p < 0.05: slopes {_format(slopes)}",
    )


def noisy_main_effect() -> Finding:
    """Test whether estimates of β1 are noisy: β1 divided by its standard error, by design."""
    terms = {name: inner.terms.set_index("symbol") for name, (inner, _) in _fits().items()}
    values = {name: float(table.at["β1", "statistic"]) for name, table in terms.items()}
    n_small = sum(abs(v) < 2 for v in values.values())
    return Finding(
        tuple(values.values()),
        holds_in_most(n_small, len(values)),
        f"within two standard errors of 0 in {n_small} of {len(values)}: β1 over its error {_format(values, '+.2f')}",
    )


def marginal_difference() -> Finding:
    """Test whether mean inner products hardly differ: group difference in pooled standard deviations."""
    values = {}
    for name, pairs in every_design().items():
        groups = pairs.groupby("X")["inner_product"]
        mean, variance = groups.mean(), groups.var()
        values[name] = float((mean[1] - mean[0]) / np.sqrt(variance.mean()))
    n_small = sum(abs(v) < SMALL_EFFECT for v in values.values())
    return Finding(
        tuple(values.values()),
        holds_in_most(n_small, len(values)),
        f"below a small effect in {n_small} of {len(values)} designs: {_format(values, '+.2f')} standard deviations",
    )


def nearly_orthogonal() -> Finding:
    """Test whether inner product and weight can be nearly uncorrelated: smallest |correlation| in a group."""
    values = {
        f"{name} {group}": float(np.corrcoef(group_pairs["lnw"], group_pairs["inner_product"])[0, 1])
        for name, pairs in designs().items()
        for group, group_pairs in pairs.groupby("group")
    }
    smallest = min(map(abs, values.values()))
    return Finding((smallest,), smallest < 0.1, f"correlation within groups: {_format(values, '+.2f')}")


def low_weights_drive() -> Finding:
    """Test whether pairs with low weights drive the group difference: number of designs where they do."""
    differences = {}
    for name, pairs in every_design().items():
        is_low = pairs["lnw"] <= pairs["lnw"].median()
        means = [pairs[rows].groupby("X")["cosine"].mean() for rows in (is_low, ~is_low)]
        differences[name] = tuple(float(m[1] - m[0]) for m in means)
    n_larger = sum(abs(a) > abs(b) for a, b in differences.values())
    excesses = {name: abs(a) - abs(b) for name, (a, b) in differences.items()}
    return Finding(
        (float(n_larger),),
        holds_in_most(n_larger, len(differences)),
        f"larger at low weight in {n_larger} of {len(differences)}; difference at low minus at high weight {_format(excesses)}",
    )


def centering_helps() -> Finding:
    """Test whether centering makes both constraints more plausible: number of higher p-values in GloVe.

    The center is the mean of the 10,000 most frequent words. GoogleNews is excluded, because its pool has no lengths.
    """
    _, pool = experiments.pool_words("glove-weat")
    center = pool.mean(axis=0)
    changes = {}
    for test, attribute in itertools.product(keywords.names(), "CD"):
        vectors = experiments.list_vectors("glove-weat", test)
        pvalues = []
        for shift in (0.0, center):
            groups = [word_pairs(vectors[role] - shift, vectors[attribute] - shift) for role in "BA"]
            fit = inner_product_regression(two_groups(*groups, labels=("B", "A")))
            pvalues.append(joint_test(fit, ["β0", "β1"]).pvalue)
        changes[f"{test} {attribute}"] = pvalues[1] - pvalues[0]
    n_higher, n_designs = sum(change > 0 for change in changes.values()), len(changes)
    return Finding(
        (float(n_higher),),
        holds_in_most(n_higher, n_designs),
        f"p-value of the two constraints higher after centering in {n_higher} of {n_designs}: change {_format(changes, '+.2g')}",
    )


def wider_when_low() -> Finding:
    """Test whether inner products vary more at low weights: numbers of groups, by range and by spread.

    The range is the maximum minus the minimum; those count whose spreads differ by the Brown–Forsythe test.
    """
    ratios = {
        f"{name} {group}": _low_over_high(group_pairs)
        for name, pairs in every_design().items()
        for group, group_pairs in pairs.groupby("group")
    }
    n_wider_range, n_wider_spread = (sum(float(r[i]) > 1 for r in ratios.values()) for i in (0, 1))
    signs = [(1 if r[1] > 1 else -1) if r[2] < LEVEL else 0 for r in ratios.values()]
    ranges = {name: float(r[0]) for name, r in ratios.items()}
    return Finding(
        (float(n_wider_range), float(n_wider_spread)),
        holds_in_most_signs(signs),
        f"wider at low weight in {n_wider_range} of {len(ratios)} groups by range, in {n_wider_spread} by standard deviation; at p < 0.05 wider "
        f"in {signs.count(1)}, narrower in {signs.count(-1)}; range at low over high weight: {_format(ranges, '.2f')}",
    )


def _low_over_high(pairs: pd.DataFrame) -> NDArray[np.float64]:
    """Return range and standard deviation at low over high weight, and the p-value of the Brown–Forsythe test."""
    is_low = pairs["lnw"] <= pairs["lnw"].median()
    low, high = (pairs.loc[rows, "inner_product"] for rows in (is_low, ~is_low))
    p = stats.levene(low, high).pvalue
    return np.array([np.ptp(low) / np.ptp(high), low.std() / high.std(), p])


def same_model() -> Finding:
    """Test whether both regressions are the same model: largest difference of β, weighted and unweighted."""
    unweighted = weighted = 0.0
    for name, (inner, ratio) in _fits().items():
        by_weight = inner_product_regression(every_design()[name], weights="inverse-square")
        standard_errors = ratio.terms.set_index("symbol")["std_error"]
        for symbol in ("β0", "β1", "β2", "β3"):
            standard_error = float(standard_errors[symbol])
            betas = [fit.coefficient(symbol) for fit in (inner, by_weight, ratio)]
            unweighted = max(unweighted, abs(betas[0] - betas[2]) / standard_error)
            weighted = max(weighted, abs(betas[1] - betas[2]) / standard_error)
    return Finding(
        (weighted, unweighted),
        weighted < 1e-6,
        f"weighted by 1/LNW², as the error terms of the two equations ask, {or_zero(weighted)} standard errors apart at most, "
        f"unweighted {unweighted:.2f}",
    )


def results_are_similar() -> Finding:
    """Test whether both regressions give similar β3: largest difference, in standard errors."""
    differences = {}
    n_same_sign = 0
    for name, (inner, ratio) in _fits().items():
        by_inner, by_ratio = inner.coefficient("β3"), ratio.coefficient("β3")
        standard_error = float(ratio.terms.set_index("symbol").at["β3", "std_error"])
        differences[name] = abs(by_inner - by_ratio) / standard_error
        n_same_sign += int(np.sign(by_inner) == np.sign(by_ratio))
    n_near = sum(difference < 1 for difference in differences.values())
    return Finding(
        (max(differences.values()),),
        holds_in_most(n_near, len(differences)),
        f"within one standard error in {n_near} of {len(differences)}: differences {_format(differences, '.2f')}; {n_same_sign} of {len(differences)} signs agree",
    )


def more_heteroskedastic() -> Finding:
    """Test whether inner-product errors are more heteroskedastic: number of larger statistics, smallest p."""
    values = {name: _breusch_pagan(pairs) for name, pairs in every_design().items()}
    smallest = min(float(v[:, 1].min()) for v in values.values())
    n_larger = sum(bool(v[0, 0] > v[1, 0]) for v in values.values())
    signs = [(1 if v[0, 0] > v[1, 0] else -1) if v[:, 1].min() < LEVEL else 0 for v in values.values()]
    ratios = {n: float(v[0, 0] / v[1, 0]) for n, v in values.items()}
    return Finding(
        (float(n_larger), smallest),
        holds_in_most_signs(signs),
        f"statistic of the inner-product regression larger in {n_larger} of {len(values)}; at p < 0.05 of either larger in "
        f"{signs.count(1)}, smaller in {signs.count(-1)}; ratio {_format(ratios, '.2f')}; smallest p {smallest:.1g}",
    )


def _breusch_pagan(pairs: pd.DataFrame) -> NDArray[np.float64]:
    """Return statistic and p-value of the Breusch–Pagan test, for the inner-product and the ratio regression."""
    fits = inner_product_regression(pairs), corrected_ratio_regression(pairs)
    return np.array([(test.statistic, test.pvalue) for test in map(breusch_pagan_test, fits)])


def printed_decomposition() -> Finding:
    """Test the published decomposition of α1*: largest difference between α1* and its sum."""
    decompositions = {name: distortion_decomposition(pairs) for name, pairs in designs().items()}
    error = max(abs(d.published_discrepancy) for d in decompositions.values())
    error_if_correct = max(abs(d.discrepancy) for d in decompositions.values())
    detail = "; ".join(
        f"{n}: α1* {d.alpha_1:+.4f}, printed sum {d.published_total:+.4f}" for n, d in decompositions.items()
    )
    return Finding((error,), error < 1e-6, f"{detail}; by the correct formula {or_zero(error_if_correct)}")


def distortions_cancel() -> Finding:
    """Test whether distortions can cancel: number of designs in which their signs differ."""
    decompositions = {name: distortion_decomposition(pairs) for name, pairs in designs().items()}
    ratios = {name: abs(d.net_distortion) / d.absolute_distortion for name, d in decompositions.items()}
    n_opposite = sum(ratio < 1 - 1e-9 for ratio in ratios.values())
    return Finding(
        (float(n_opposite),),
        0 < n_opposite < 4,
        f"opposite signs in {n_opposite} of 4: net over absolute distortion {_format(ratios, '.3f')}",
    )


def typically_positive() -> Finding:
    """Test whether β2 and cov(X, 1/LNW) are typically positive: numbers of such designs.

    cov(X, X/LNW), which is positive for any data, is reported in addition.
    """
    decompositions = [distortion_decomposition(pairs) for pairs in every_design().values()]
    n = len(decompositions)
    n_slope, n_intercept, n_group = (
        sum(value > 0 for value in values)
        for values in zip(
            *((d.beta[2], d.slope_intercept, d.slope_group) for d in decompositions), strict=True
        )
    )
    return Finding(
        (float(n_slope), float(n_intercept)),
        both_hold(holds_in_most(n_slope, n), holds_in_most(n_intercept, n)),
        f"β2 positive in {n_slope} of {n}, cov(X, 1/LNW) in {n_intercept}; cov(X, X/LNW) in {n_group}",
    )


def local_and_global() -> Finding:
    """Test whether a cosine is its local plus its global similarity: largest difference."""
    error = 0.0
    for space, coefficients in itertools.product(SPACES.values(), ("ratio", "inner-product")):
        table = experiments.local_similarity_table(space, coefficients=coefficients)
        error = max(error, float((table["cosine"] - table["sim_local"] - table["sim_global"]).abs().max()))
    return Finding((error,), error < 1e-12, f"largest difference {or_zero(error)}")


def mean_of_local_similarity() -> Finding:
    """Test whether β2 is the mean local similarity of the female words: largest difference."""
    errors = {"ratio": 0.0, "inner-product": 0.0}
    for space, coefficients in itertools.product(SPACES.values(), errors):
        table = experiments.local_similarity_table(space, coefficients=coefficients)
        means = experiments.local_similarity_means(table).set_index(["design", "group"])["sim_local"]
        name = next(n for n, s in SPACES.items() if s == space)
        for attribute in ("pleasant", "unpleasant"):
            beta = _fits()[f"{name} {attribute}"][coefficients == "ratio"].coefficient("β2")
            errors[coefficients] = max(errors[coefficients], abs(float(means[(attribute, "female")]) - beta))
    detail = ", ".join(f"{coefficients} {or_zero(error, '.2g')}" for coefficients, error in errors.items())
    return Finding((errors["ratio"],), errors["ratio"] < 1e-9, f"largest difference: {detail}")


def always_inflated() -> Finding:
    """Test whether cosines always exceed local similarities: fraction, in an artificial design and Table S1.

    The design has eight pairs in either group, with weights from 1 to 3 and inner products of 0.9 LNW − 0.5, which
    are possible lengths and angles of two vectors. Its local part is 0.9, and its global part −0.5/LNW. The paper
    does not define "inflated" and "global basis": in our interpretation "always" is wrong, which leaves the claim open.
    """
    lnw = np.repeat(np.linspace(1.0, 3.0, 8)[None], 2, axis=0).ravel()
    inner = 0.9 * lnw - 0.5
    artificial = pd.DataFrame(
        {"X": np.repeat([0, 1], 8), "lnw": lnw, "inner_product": inner, "cosine": inner / lnw}
    )
    fractions = {"artificial": fraction_inflated(split_similarity(artificial))}
    for name, space in SPACES.items():
        fractions[name] = fraction_inflated(experiments.local_similarity_table(space))
    return Finding(
        tuple(fractions.values()),
        True if fractions["artificial"] == 1 else None,
        f"cosines above their local similarity: in the artificial design {fractions['artificial']:.0%}, on the words of Table S1 "
        f"{_format({name: fractions[name] for name in SPACES}, '.0%')}",
    )


def bias_of_the_mean_rotation() -> Finding:
    """Test whether the mean rotation's cosine has the bias cos(mean)·(N − √det Σ Rᵢ)/N: largest error.

    The sum of rotations by θᵢ is [[C, −S], [S, C]] with C = Σ cos θᵢ and S = Σ sin θᵢ: √det = √(C² + S²), the mean rotation
    (the nearest to the sum, Moakher 2002) has the cosine C/√det, and the mean cosine is C/N.
    """
    rng = np.random.default_rng(0)
    errors, biases = [], []
    for n in rng.integers(2, 30, 50):
        angles = rng.uniform(-np.pi / 2, np.pi / 2, n)
        rotations = np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]])
        total = rotations.sum(axis=-1)
        mean = cosine_of_nearest_rotation(total)
        biases.append(mean - float(np.cos(angles).mean()))
        errors.append(abs(biases[-1] - mean * (n - np.sqrt(np.linalg.det(total))) / n))
    return Finding(
        (max(errors),),
        max(errors) < 1e-12 and min(biases) > 0,
        f"largest difference {or_zero(max(errors))} over 50 sets of rotations; bias {min(biases):.3f} to {max(biases):.3f}",
    )


def cosine_of_nearest_rotation(total: Array) -> float:
    """Return the cosine of the rotation nearest to a 2 × 2 matrix, by its singular value decomposition."""
    left, _, right = np.linalg.svd(total)
    return float((left @ right)[0, 0])


def fraction_inflated(split: pd.DataFrame) -> float:
    """Return the fraction of pairs whose cosine exceeds its local part."""
    return float((split["cosine"] > split["sim_local"]).mean())


def external_frequency() -> Finding:
    """Test whether word frequency gives similar but noisier β3 than LNW: number of interpretations for it.

    Frequency replaces LNW in two forms: the sum of Zipf frequencies, which are logarithms, and the geometric mean of
    frequencies. "Similar" means equal signs, and "higher variance" a larger standard error, absolute or relative to
    the estimate. The result decides only if both forms and both interpretations agree.
    """
    answers: list[bool | None] = []
    details = []
    for form, label in (("log", "Zipf"), ("geometric", "frequency")):
        n_same = n_larger = n_relative = 0
        interactions = _interactions(form)
        for lnw, lnw_error, frequency, frequency_error in interactions.values():
            n_same += int(np.sign(lnw) == np.sign(frequency))
            n_larger += int(frequency_error > lnw_error)
            n_relative += int(frequency_error * abs(lnw) > lnw_error * abs(frequency))
        answers += [
            both_hold(holds_in_most(n_same, len(interactions)), holds_in_most(n, len(interactions)))
            for n in (n_larger, n_relative)
        ]
        details.append(
            f"{label}: one sign in {n_same} of {len(interactions)}, larger error in {n_larger}, "
            f"relative to the estimate in {n_relative}"
        )
    agreed = unanimous(answers)
    return Finding((float(sum(a is True for a in answers)),), agreed, f"β3 with {'; with '.join(details)}")


def both_hold(first: bool | None, second: bool | None) -> bool | None:
    """Combine two parts of a claim: False if either is False, None if either is None, and True otherwise."""
    return False if False in (first, second) else None if None in (first, second) else True


@lru_cache(maxsize=2)
def _interactions(form: str) -> dict[str, tuple[float, float, float, float]]:
    """Return β3 per standard deviation of LNW, and then of word frequency, with standard errors, by design."""
    tables = {
        model: _frequency(form).query(f"model == 'inner product, {model}'").set_index("name")
        for model in ("LNW", "frequency")
    }
    columns = [table[["interaction", "interaction_std_error"]] for table in tables.values()]
    return {name: tuple(values) for name, *values in pd.concat(columns, axis=1).itertuples()}


def lengths_carry_frequency() -> Finding:
    """Test whether lengths already contain frequency: correlation of LNW with Zipf frequency, by design."""
    table = _frequency().groupby("name", sort=False)["correlation"].first()
    n_large = int((table.abs() > 0.5).sum())
    return Finding(
        tuple(map(float, table[list(designs())])),
        holds_in_most(n_large, len(table)),
        f"beyond one half in {n_large} of {len(table)}: correlation of LNW and frequency "
        f"{_format(dict(table[list(designs())]), '+.2f')}; of all {_format(dict(table), '+.2f')}",
    )


def significance_changes() -> Finding:
    """Test whether adding word frequency changes the significance of differences: number of designs."""
    table = _frequency().pivot(index="name", columns="model", values="p_value")
    pvalues = dict(
        zip(table.index, table[["inner product", "inner product, frequency"]].to_numpy(), strict=True)
    )
    n_changed = sum((a < LEVEL) != (b < LEVEL) for a, b in pvalues.values())
    here = ", ".join(f"{n} {a:.2g} without, {b:.2g} with" for n, (a, b) in pvalues.items() if n in designs())
    return Finding(
        (float(n_changed),),
        holds_in_most(n_changed, len(pvalues)),
        f"changes in {n_changed} of {len(pvalues)}: p {here}",
    )


def jump_in_fit() -> Finding:
    """Test whether adding word frequency raises the adjusted R² by 0.05 or more: number of designs."""
    table = _frequency().pivot(index="name", columns="model", values="adjusted_r_squared")
    changes = (table["inner product, frequency"] - table["inner product"]).to_dict()
    n_large = sum(change >= 0.05 - 1e-9 for change in changes.values())
    return Finding(
        (float(n_large),),
        holds_in_most(n_large, len(changes)),
        f"by 0.05 or more in {n_large} of {len(changes)}: change of adjusted R² {_format(changes)}",
    )


# --- centroids ----------------------------------------------------------------------------------------------


def weight_of_a_sum() -> Finding:
    """Test whether a sum's squared length counts each pair of words once: largest relative error.

    The error with every pair in both orders is reported in addition.
    """
    error = error_with_both_orders = 0.0
    by_label = lists("googlenews-weat")
    for words in by_label.values():
        gram = words @ words.T
        square = float(centroid_pairs(words, by_label["pleasant"])["norm_a"].iloc[0]) ** 2
        pairs = float(np.triu(gram, 1).sum())
        error = max(error, abs((np.trace(gram) + 2 * pairs) / square - 1))
        error_with_both_orders = max(error_with_both_orders, abs((np.trace(gram) + 4 * pairs) / square - 1))
    return Finding(
        (float(error),),
        error < 1e-12,
        f"largest relative difference of the squared length, over the four lists: {or_zero(error)} with every pair once, "
        f"{error_with_both_orders:.2f} with both orders",
    )


def comparisons_of_the_jth_word() -> Finding:
    """Test whether the j-th word adds j − 1 comparisons to the length of a sum: numbers for j = 2 to 8.

    The growth of the squared length is divided by twice the mean inner product with earlier words.
    """
    words = lists("googlenews-weat")["male"]
    squares = squared_lengths_of_sums(words)
    counts = [
        float((squares[j] - squares[j - 1] - words[j] @ words[j]) / (2 * np.mean(words[:j] @ words[j])))
        for j in range(1, len(words))
    ]
    return Finding(tuple(counts), True, f"inner products added, j = 2 to 8: {listed(counts)}")


def squared_lengths_of_sums(words: Array) -> Array:
    """Return the squared lengths of the sums of the first one, two, … words."""
    return np.asarray(np.sum(np.cumsum(words, axis=0) ** 2, axis=1))


def four_more_terms() -> Finding:
    """Test whether an additional vector adds four terms to the binary model: number of identifiable terms."""
    by_label = lists("googlenews-weat")
    groups = [
        composed_pairs([by_label[label], np.roll(by_label[label], 1, axis=0)], by_label["pleasant"])
        for label in ("female", "male")
    ]
    pairs = two_groups(*groups, labels=("female", "male"))
    n_terms = [n_identifiable_terms(pairs, model) for model in ("uncorrected", "corrected", "expanded")]
    return Finding(
        (float(n_terms[2] - n_terms[1]),),
        True,
        f"{n_terms[0]} terms as estimated, {n_terms[1]} with intercept and group, {n_terms[2]} in the expansion",
    )


def n_identifiable_terms(pairs: pd.DataFrame, model: str) -> int:
    """Return the number of terms of a centroid regression that are not combinations of others."""
    return len(centroid_regression(pairs, model=model).terms)


def group_is_length_of_centroid() -> Finding:
    """Test whether group and centroid length are collinear: number of unidentifiable terms, by space."""
    counts, details = [], []
    for name, space in SPACES.items():
        fit = centroid_regression(_composed(space, "pleasant"), model="expanded")
        counts.append(len(fit.aliased))
        details.append(f"{name}: {', '.join(a.symbol for a in fit.aliased)}")
    lengths = [
        _composed(space, "pleasant").groupby("X")["norm_a"].agg(np.ptp).max() for space in SPACES.values()
    ]
    return Finding(
        tuple(map(float, counts)),
        min(counts) > 0 and max(lengths) < 1e-9,
        f"terms that are combinations of others: {'; '.join(details)}",
    )


def linked_coefficients() -> Finding:
    """Test whether pooled coefficients are sums of component coefficients: largest relative difference."""
    errors, tests = {}, {}
    for name, space in SPACES.items():
        for attribute in ("pleasant", "unpleasant"):
            words = lists(space)
            groups = [centroid_pairs(words[label][:2], words[attribute]) for label in ("female", "male")]
            pairs = two_groups(*groups, labels=("female", "male"))
            # The pooled model depends only on the sum, so its coefficients are sums of the components' coefficients.
            pooled = centroid_regression(pairs, model="corrected")
            components = component_regressions(pairs).terms
            sums = components.groupby("symbol")["estimate"].sum()
            scale = float(np.abs(components["estimate"]).max())
            errors[f"{name} {attribute}"] = max(
                abs(float(sums[s]) - pooled.coefficient(s)) / scale for s in sums.index
            )
            tests[f"{name} {attribute}"] = implicit_component_regression(pairs).pooled.pvalue
    error = max(errors.values())
    return Finding(
        (error,),
        error < 1e-9,
        f"sums of component coefficients minus pooled ones: {or_zero(error)}; p-values of the constraint: "
        f"{_format(tests, '.2g')}",
    )


def psi_has_mean_one() -> Finding:
    """Test whether the weights ψ fail to have mean one: smallest and largest mean, lists of Table S1."""
    means = [centroid_length_ratios(w).mean() for space in SPACES.values() for w in lists(space).values()]
    values = (min(means), max(means))
    return Finding(
        values,
        all(abs(m - 1) > 0.05 for m in means),
        f"mean ψ of a list: from {values[0]:.3f} to {values[1]:.3f}",
    )


def centroid_overstates() -> Finding:
    """Test whether centroids overstate the mean cosine: smallest and largest ratio, over pairs of lists."""
    ratios = [
        centroid_mean_cosine_similarity(a, b) / mean_cosine_similarity(a, b)
        for space in SPACES.values()
        for _, a, b in pairs_of_lists(space)
    ]
    values = (min(ratios), max(ratios))
    return Finding(
        values, values[0] > 1, f"centroid estimate over mean cosine: from {values[0]:.2f} to {values[1]:.2f}"
    )


def distortion_grows() -> Finding:
    """Test whether more words distort the centroid estimate more: smallest step of its excess."""
    paths = []
    for space in SPACES.values():
        for _, a, b in pairs_of_lists(space):
            centroid = np.array(_means_over_sublists(b, partial(centroid_mean_cosine_similarity, a)))
            paths.append(centroid - _means_over_sublists(b, partial(mean_cosine_similarity, a)))
    first, smallest_step = paths[0], min(float(np.diff(path).min()) for path in paths)
    return Finding(
        (smallest_step,),
        smallest_step > 0,
        f"male and pleasant on GoogleNews: {first[0] + 0.0:.4f} with one word, {first[3]:.4f} with four, {first[7]:.4f} "
        f"with eight; smallest step of any pair {smallest_step:+.4f}",
    )


def _means_over_sublists(words: Array, measure: Callable[[Array], Any]) -> list[float]:
    """Return the mean of a measure over all sublists of one, two, … words of a list."""
    return [
        float(np.mean([measure(words[list(rows)]) for rows in itertools.combinations(range(len(words)), k)]))
        for k in range(1, len(words) + 1)
    ]


def means_are_shortened() -> Finding:
    """Test whether means are shorter than their words: relative length for one, four, and eight words."""
    paths = [
        _means_over_sublists(
            words, lambda w: np.linalg.norm(w.mean(axis=0)) / np.linalg.norm(w, axis=1).mean()
        )
        for space in SPACES.values()
        for words in lists(space).values()
    ]
    largest_step = max(float(np.diff(path).max()) for path in paths)
    values = (paths[0][0], paths[0][3], paths[0][7])
    return Finding(
        values,
        largest_step < 0,
        f"length of the mean, male on GoogleNews: {values[0]:.3f} of one word, {values[1]:.3f} of four, {values[2]:.3f} "
        f"of eight; largest step {largest_step:+.4f}",
    )


def centroid_intensifies() -> Finding:
    """Test whether sums of words have more absolute distortion than all pairs do: number of designs."""
    ratios: dict[str, float] = {}
    for space, test in itertools.product(SPACES.values(), keywords.names()):
        table = experiments.centroid_distortion_table(space, test)
        by_pairs = table.pivot(index="design", columns="pairs", values="absolute_distortion")
        ratio = by_pairs["sums"] / by_pairs["all pairs"]
        ratios |= {f"{space} {test} {name}": value for name, value in ratio.items()}
    n_larger = sum(r > 1 for r in ratios.values())
    return Finding(
        (float(n_larger),),
        holds_in_most(n_larger, len(ratios)),
        f"absolute distortion of sums over that of all pairs above 1 in {n_larger} of {len(ratios)}: {_format(ratios, '.2f')}",
    )


# --- bivariate and overlapping ------------------------------------------------------------------------------


def bivariate_expansion() -> Finding:
    """Test whether the bivariate expansion has eight terms: their number, and ratio of squared residuals."""
    words = lists("googlenews-weat")
    left = word_pairs(words["male"], words["pleasant"])
    right = word_pairs(words["female"], words["unpleasant"])
    expanded = bivariate_cosine_regression(left, right, model="expanded", weights="inverse-square")
    uncorrected = bivariate_cosine_regression(left, right)
    # Residuals of the expansion, divided by LNW, are residuals of the cosine.
    residuals = expanded.residuals / left["lnw"].to_numpy()
    ratio = float(np.sum(residuals**2)) / float(np.sum(uncorrected.residuals**2))
    return Finding(
        (float(len(expanded.terms)), ratio),
        len(expanded.terms) == 8 and ratio <= 1,
        f"{len(expanded.terms)} terms against {len(uncorrected.terms)}; residual sum of squares of the cosines {ratio:.3f} times that of "
        f"the two",
    )


def nested_differences() -> Finding:
    """Test whether WEAT is a difference of mean coefficients of words: largest difference from the score."""
    error = 0.0
    for test in ("gender-sentiment", "weat-6", "weat-8"):
        four_lists = component_lists("googlenews-weat", test)
        error = max(error, abs(nested_weat(*four_lists).score - weat(*four_lists).score))
    return Finding((error,), error < 1e-12, f"largest difference {or_zero(error)}")


def lower_order_of_one_word() -> Finding:
    """Test whether one word's length cannot be separated: unidentifiable terms for one and several words."""
    words = lists("googlenews-weat")
    pairs = overlapping_pairs(words["male"], words["female"][:8], words["pleasant"])
    n_several = len(lower_order_regression(pairs).aliased)
    pairs = overlapping_pairs(words["male"][:1], words["female"][:1], words["pleasant"])
    dropped = [alias.symbol for alias in lower_order_regression(pairs).aliased]
    return Finding(
        (float(len(dropped)), float(n_several)),
        len(dropped) > n_several,
        f"one word on each side: {', '.join(dropped)} dropped; eight: {n_several}",
    )


def shared_word_cancels() -> Finding:
    """Test whether a shared word makes terms unidentifiable: their number in the overlapping model."""
    words = lists("googlenews-weat")
    attributes = np.concatenate([words["pleasant"], words["unpleasant"]])
    fit = overlapping_bivariate_centroid_regression(
        words["male"], words["female"], attributes, model="expanded"
    )
    dropped = {alias.symbol for alias in fit.aliased}
    return Finding(
        (float(len(dropped)),),
        {"γ5", "γ7"} <= dropped or {"γ1", "γ7"} <= dropped,
        f"terms that are combinations of others: {'; '.join(str(alias) for alias in fit.aliased)}",
    )
