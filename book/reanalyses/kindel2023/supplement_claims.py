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
from reanalyses.kindel2023.estimators import centroid_weights, cosine_additivity, pairing_range
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
    zipf, parts = word_frequencies().to_dict(), []
    for name, pairs in every_design().items():
        words = {w: zipf[w.casefold()] for w in {*pairs["a"], *pairs["b"]} if w.casefold() in zipf}
        known = pairs[pairs["a"].isin(list(words)) & pairs["b"].isin(list(words))]
        parts.append(frequency_adjusted_regressions(known, words, form=form).assign(name=name))
    return pd.concat(parts)


def _in_both_spaces(table: Callable[[str], pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([table(space).assign(space=name) for name, space in SPACES.items()], ignore_index=True)


@lru_cache(maxsize=1)
def _growing() -> pd.DataFrame:
    """Return similarities around centroids as words are added, averaged over all sublists, by space."""
    return _in_both_spaces(experiments.separability_as_lists_grow)


@lru_cache(maxsize=1)
def _separability() -> pd.DataFrame:
    """Return how well centroids separate their words from another list, by space."""
    return _in_both_spaces(experiments.separability_table)


def _composed(space: str, attribute: str) -> pd.DataFrame:
    """Return the pairs of female (X = 0) and male centroids with the words of one attribute list."""
    four = lists(space)
    zero, one = (centroid_pairs(four[label], four[attribute], label=label) for label in ("female", "male"))
    return two_groups(zero, one, labels=("female", "male"))


def _named(values: dict[str, float], form: str = "+.3f") -> str:
    if len(values) > 8:
        low, middle, high = np.quantile(list(values.values()), [0, 0.5, 1])
        return f"from {low:{form}} to {high:{form}}, median {middle:{form}}"
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())


# --- word lists ---------------------------------------------------------------------------------------------


def coverage_of_names() -> Finding:
    """Return the numbers of WEAT 3 names missing from GloVe, by group, in both spellings."""
    values, details = [], []
    for spelling in ("original", "adjusted"):
        missing = missing_words("weat-3", spelling)
        for role, label in (("A", "white"), ("B", "Black")):
            asked = len(getattr(keywords.load("weat-3"), role).words(spelling))
            values.append(float(missing[role]))
            details.append(f"{label} names in the {spelling} spelling {missing[role]} of {asked}")
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
    """Return the numbers of originally spelled words missing from GloVe, in WEAT 3 and the worst other test.

    The effect size and canonical score of WEAT 3 with both spellings are reported in addition.
    """
    missing = {}
    for test in keywords.names():
        if test.startswith("weat-"):
            missing[test] = sum(missing_words(test, "original").values())
    third = missing.pop("weat-3")
    sizes, canonical = [], []
    for spelling in ("original", "adjusted"):
        four = list(experiments.list_vectors("glove-weat", "weat-3", spelling=spelling).values())
        sizes.append(weat_effect_size(*four))
        canonical.append(weat(*four, similarity="canonical").score)
    return Finding(
        (float(third), float(max(missing.values()))),
        third > max(missing.values()),
        f"words missing: WEAT 3 {third}, any other test at most {max(missing.values())}; effect size of WEAT 3 "
        f"{sizes[0]:.2f} in the original and {sizes[1]:.2f} in the adjusted spelling, canonical score "
        f"{canonical[0]:+.4f} and {canonical[1]:+.4f}",
    )


def aisha_is_more_common() -> Finding:
    """Return the Zipf frequencies of the respelled names of WEAT 3, original and adjusted."""
    zipf = word_frequencies()
    pairs = {"aiesha": "aisha", "temeka": "tamika", "shanise": "shanice", "sharise": "sharice"}
    pairs |= {"rasaan": "rashaan", "terryl": "terrell", "lashandra": "lashawn"}
    gaps = {
        b: float(zipf[b]) - (float(zipf[a]) if a in zipf.index else float(zipf.min()))
        for a, b in pairs.items()
    }
    known = f"aiesha {zipf['aiesha']:.2f}" if "aiesha" in zipf.index else "aiesha not in the list"
    return Finding(
        (gaps["aisha"], min(gaps.values())),
        gaps["aisha"] >= 1 and min(gaps.values()) > 0,
        f"{known}, aisha {zipf['aisha']:.2f}; least advantage of an adjusted name {min(gaps.values()):.2f}",
    )


# --- the canonical metric, cosine similarity ----------------------------------------------------------------


def contexts_add_associations() -> Finding:
    """Return the cosine of two words by W and by W + C, where each occurs with the other and with no third word.

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
    """Return, by dimension, the ratio of multiplications in a matrix product to an entrywise product.

    They are counted, since times depend on the machine; the decomposition is not included.
    """
    entrywise, product = [], []
    dimensions = (6, 12, 24)
    for p in dimensions:
        P, Q = (spanning_projection(p, k, rng=k) for k in (2, 3))
        entrywise.append(multiplications(lambda a, b: a * b, P, Q))
        product.append(multiplications(np.matmul, P, Q))
    ratio = [whole / part for part, whole in zip(entrywise, product, strict=True)]
    return Finding(
        tuple(ratio),
        ratio == list(dimensions),
        f"multiplications in 24 dimensions: entrywise {entrywise[-1]}, product alone {product[-1]}; the ratio is the "
        f"number of dimensions: {', '.join(f'{r:g}' for r in ratio)}",
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
    """Compare the sum of the entrywise product of two projections with the canonical trace."""
    worst = 0.0
    for _, a, b in pairs_of_lists("googlenews-weat"):
        sums = float(np.sum((np.linalg.pinv(a) @ a) * (np.linalg.pinv(b) @ b)))
        worst = max(worst, abs(sums - canonical_similarity(a, b, scale=None)))
    return Finding((worst,), worst < 1e-8, f"largest difference {or_zero(worst)}")


def share_kept_by_projection() -> Finding:
    """Compare squared cosines with the fraction of a word's squared length that a projection keeps."""
    worst = 0.0
    for _, a, b in pairs_of_lists("googlenews-weat"):
        for x, y in itertools.product(a, b):
            kept = float(np.sum((y * (x @ y) / (y @ y)) ** 2) / (x @ x))
            worst = max(worst, abs(kept - mean_cosine_similarity(x[None], y[None]) ** 2))
    return Finding((worst,), worst < 1e-12, f"largest difference {or_zero(worst)}")


def additivity_condition() -> Finding:
    """Return φ(a + b, c) − φ(a, c) − φ(b, c) for ⟨a,b⟩ = −½‖a‖² = −½‖b‖², and for other vectors."""
    rng = np.random.default_rng(0)
    held = broken = 0.0
    for _ in range(200):
        e = np.linalg.qr(rng.standard_normal((5, 2)))[0].T
        size = float(rng.uniform(0.1, 10.0))
        a, b = size * e[0], size * (-0.5 * e[0] + np.sqrt(0.75) * e[1])
        c = rng.standard_normal(5)
        outcome = cosine_additivity(a, b, c)
        held = max(held, abs(outcome.difference), 0.0 if outcome.holds_for_every_c else 1.0)
        other = cosine_additivity(a, b + 0.2 * size * e[1], e[0])
        broken = max(broken, 1.0 if other.holds_for_every_c else 0.0)
    words = lists("googlenews-weat")["male"]
    on_words = min(
        abs(cosine_additivity(words[i], words[j], words[i]).difference)
        for i, j in itertools.combinations(range(len(words)), 2)
    )
    return Finding(
        (held, broken),
        held < 1e-12 and broken == 0,
        f"largest difference under the condition {or_zero(held)}; smallest between male words {on_words:.3f}",
    )


def covariance_in_excess() -> Finding:
    """Return, by space, the largest difference between cosines of words and their correlations."""
    largest, details = [], []
    for name, space in SPACES.items():
        together = np.concatenate(list(lists(space).values()))
        gaps = np.abs(cosine_similarities(together, together) - np.corrcoef(together))
        largest.append(float(gaps.max()))
        details.append(f"{name}: largest {largest[-1]:.3f}, mean {gaps.mean():.4f}")
    return Finding(
        tuple(largest), max(largest) < 0.05, f"difference of cosine and correlation: {'; '.join(details)}"
    )


def scale_needs_a_condition() -> Finding:
    """Return the changes of cosines under scaling and under addition, which vanish only under the condition.

    For all pairs of male words with the first pleasant word: the change of a cosine due to the factors 3 and 0.01, the
    smallest deviation from additivity, and the number of pairs that meet the condition.
    """
    words, c = lists("googlenews-weat")["male"], lists("googlenews-weat")["pleasant"][:1]
    scaled = max(
        float(np.abs(cosine_similarities(f * words, c) - cosine_similarities(words, c)).max())
        for f in (3.0, 0.01)
    )
    additivities = [cosine_additivity(a, b, c[0]) for a, b in itertools.combinations(words, 2)]
    least, meeting = (
        min(abs(f.difference) for f in additivities),
        sum(f.holds_for_every_c for f in additivities),
    )
    reversed_ = float((cosine_similarities(-2.0 * words, c) + cosine_similarities(words, c)).max())
    return Finding(
        (scaled, least, float(meeting)),
        scaled < 1e-12 and meeting == 0 and least > 1e-6,
        f"{meeting} of {len(additivities)} pairs meet the condition; smallest failure to add up {least:.4f}; "
        f"change by positive factors {or_zero(scaled)}, sum of the cosine and that by the factor −2 {or_zero(reversed_)}",
    )


def no_isotropic_space() -> Finding:
    """Return the smallest eigenvalue of the Gram matrix of 3 and 4 unit vectors with inner products −½.

    The smallest cosine of two words of Table S1 in both spaces is added, since additivity requires −½.
    """
    values = tuple(float(np.linalg.eigvalsh(1.5 * np.eye(n) - 0.5)[0].round(12)) + 0.0 for n in (3, 4))
    smallest = []
    for space in SPACES.values():
        together = np.concatenate(list(lists(space).values()))
        smallest.append(float(cosine_similarities(together, together).min()))
    return Finding(
        (*values, *smallest),
        values[0] == 0 and values[1] < -1e-9 and min(smallest) > -0.5,
        f"smallest eigenvalue {values[0]:g} for three vectors, {values[1]:g} for four, which none have; smallest cosine of "
        f"two words: GoogleNews {smallest[0]:.3f}, GloVe {smallest[1]:.3f}",
    )


def converges_irrespective_of_lists() -> Finding:
    """Return the range of mean cosines between topical lists, in standard deviations of random lists.

    A list is always compared with another list.
    """
    values, details = [], []
    for name, space in SPACES.items():
        names, pool = experiments.pool_words(space)
        mean = unit_rows(pool).sum(axis=0)
        n = len(names)
        expected = float((mean @ mean - n) / (n * (n - 1)))
        rng = np.random.default_rng(0)
        drawn = [pool[rng.choice(n, 50, replace=False)] for _ in range(200)]
        random = np.array([mean_cosine_similarity(w[:25], w[25:]) for w in drawn])
        topical = topical_means(space)
        values.append(float(np.ptp(topical) / random.std()))
        details.append(
            f"{name}: any two words {expected:.3f}, random lists {random.mean():.3f} ± {random.std():.3f}, lists of the "
            f"tests {min(topical):.3f} to {max(topical):.3f}"
        )
    # A limit: lists that still differ at 25 words decide nothing.
    return Finding(tuple(values), True if max(values) < 4 else None, "; ".join(details))


def topical_means(space: str) -> list[float]:
    """Return the mean cosines of all pairs of lists of WEAT 1 and 2, of 25 words each."""
    return [
        mean_cosine_similarity(x, y)
        for test in ("weat-1", "weat-2")
        for x, y in itertools.combinations(component_lists(space, test), 2)
    ]


def moves_toward_generality() -> Finding:
    """Return a growing centroid's smallest gain in cosine with held-out words minus that with pool words.

    The gains are means over 200 random orders of the lists of WEAT 1 and 2. "More general" has two readings: closer
    to words of the pool, and closer to these by more than to held-out words. Both must agree everywhere to decide.
    """
    values, details, answers = [], [], []
    rng = np.random.default_rng(0)
    for name, space in SPACES.items():
        general = unit_rows(experiments.pool_words(space)[1]).mean(axis=0)
        gains = []
        for test in ("weat-1", "weat-2"):
            for units in map(unit_rows, component_lists(space, test)):
                steps = []
                for _ in range(200):
                    order = rng.permutation(len(units))
                    first, last = (centroid_direction(units[order[:k]], "words") for k in (1, 16))
                    own = units[order[-8:]].mean(axis=0)
                    steps.append((own @ (last - first), general @ (last - first)))
                gains.append(np.mean(steps, axis=0))
        own, other = np.array(gains).T
        values.append(float((own - other).min()))
        answers += [bool(other.min() > 0), bool((own - other).max() < 0)]
        details.append(
            f"{name}: gain with held-out words of the list {own.min():.3f} to {own.max():.3f}, with any words "
            f"{other.min():+.3f} to {other.max():+.3f}"
        )
    return Finding(tuple(values), unanimous(answers), "; ".join(details))


def grand_mean_is_consistent() -> Finding:
    """Return the standard deviation of the mean cosine of k random words of each list, for four k.

    Words are drawn with replacement from the 25 of WEAT 1, 2,000 pairs of lists for each of k = 2, 8, 32 and 128. The
    expected association of two such words is met if the mean is, and the spread shrinks with k; what all words of
    the two lists have in common is taken as the root of the canonical metric of the k distinct words, k = 2, 8 and 25, and
    met if the mean cosine comes nearer to it. It decides only where both quantities give one answer.
    """
    four = lists("googlenews-weat", "weat-1")
    a, b = four["pleasant"], four["unpleasant"]
    cosines = cosine_similarities(a, b)
    expected = mean_cosine_similarity(a, b)
    rng = np.random.default_rng(0)
    sizes, bias, spread = (2, 8, 32, 128), [], []
    for k in sizes:
        rows, columns = rng.integers(len(a), size=(2_000, k)), rng.integers(len(b), size=(2_000, k))
        # For pairs with repetition, counts of the words determine the mean of all k² cosines.
        counts = [(x[:, :, None] == np.arange(25)).sum(axis=1) / k for x in (rows, columns)]
        drawn = np.einsum("ni,ij,nj->n", counts[0], cosines, counts[1])
        bias.append(float((drawn.mean() - expected) / (drawn.std() / np.sqrt(len(drawn)))))
        spread.append(float(drawn.std()))
    any_two = max(map(abs, bias)) < 4 and spread[-1] < spread[0] / 4
    apart = [
        abs(mean_cosine_similarity(a[:k], b[:k]) - np.sqrt(canonical_similarity(a[:k], b[:k])))
        for k in (2, 8, len(a))
    ]
    in_common = apart[-1] < apart[0] / 4
    steps = "; ".join(
        f"k = {k}: mean {z:+.1f} standard errors from that of all pairs, standard deviation {d:.4f}"
        for k, z, d in zip(sizes, bias, spread, strict=True)
    )
    return Finding(
        tuple(spread),
        not any_two if any_two == in_common else None,
        f"expected association of two words: {steps}; what all words have in common: mean cosine and root of the "
        f"canonical metric apart by {apart[0]:.3f} at k = 2, {apart[1]:.3f} at k = 8, {apart[2]:.3f} at k = {len(a)}",
    )


def partial_intervals() -> Finding:
    """Return the width of the 95% interval of a canonical total with 0, 4, and 8 random words."""
    four = lists("googlenews-weat")
    _, pool = experiments.pool_words("googlenews-weat", size=2_000)
    table = partial_nulls(four["male"], four["pleasant"], pool, randomize="A", n_resamples=200, rng=0)
    part = table.query("quantity == 'canonical'").set_index("n_random")
    width = part["high"] - part["low"]
    values = tuple(float(width[n]) for n in (0, 4, 8))
    return Finding(
        values,
        values[0] == 0 < values[1] < values[2],
        f"width {values[0]:.3f} with no random word, {values[1]:.3f} with four, {values[2]:.3f} with eight",
    )


def parametric_tests() -> Finding:
    """Return the largest difference between the p-values of Fisher's Z and of the exact test."""
    gaps = {}
    for name, space in SPACES.items():
        four = lists(space)
        dimensions = four["male"].shape[1]
        cosines = cosine_similarities(four["male"], four["pleasant"]).ravel()
        tests = [congruence_test(float(r), dimensions) for r in cosines]
        exact = stats.beta.sf(np.square(cosines), 0.5, (dimensions - 1) / 2)
        gaps[name] = max(abs(t.fisher_pvalue - p) for t, p in zip(tests, exact, strict=True))
    table = experiments.congruence_tests_table(nulls_of("googlenews-weat"), space="googlenews-weat")
    several = [int((table[c] < LEVEL).sum()) for c in ("p_direct", "p_randomization")]
    return Finding(
        tuple(gaps.values()),
        max(gaps.values()) < 0.01,
        f"largest gap of the p-values: {_named(gaps, '.1e')}; of {len(table)} canonical congruences on GoogleNews {several[0]} are significant as "
        f"single cosines, {several[1]} against random lists",
    )


# --- estimators ---------------------------------------------------------------------------------------------


def paired_fares_better() -> Finding:
    """Return the fraction of tests whose paired score is closer than mean cosine to the canonical score."""
    nearer = total = 0
    details = []
    for name, space in SPACES.items():
        tests_nearer = []
        for test in keywords.names():
            four = component_lists(space, test)
            if test == "gender-sentiment" or len({len(w) for w in four}) > 1:
                continue
            mean, paired, canonical = (
                weat(*four, similarity=s).score for s in ("mean-cosine", "paired", "canonical")
            )
            total += 1
            if abs(paired - canonical) < abs(mean - canonical):
                nearer += 1
                tests_nearer.append(test)
        details.append(f"{name}: {', '.join(tests_nearer) or 'none'}")
    return Finding(
        (nearer / total,), nearer >= total / 2, f"nearer in {nearer} of {total} ({'; '.join(details)})"
    )


def pairing_matters() -> Finding:
    """Return the smallest range of the paired estimator over all pairings, for two lists of Table S1."""
    ranges = {
        f"{name} {pair}": (r.maximum - r.minimum, r.standard_deviation)
        for name, space in SPACES.items()
        for pair, a, b in pairs_of_lists(space)
        for r in (pairing_range(a, b),)
    }
    smallest = min(v[0] for v in ranges.values())
    return Finding(
        (smallest,),
        smallest > 1e-3,
        f"ranges from {smallest:.3f} to {max(v[0] for v in ranges.values()):.3f}, standard deviations "
        f"{min(v[1] for v in ranges.values()):.3f} to {max(v[1] for v in ranges.values()):.3f}",
    )


def no_guarantee_of_separation() -> Finding:
    """Return the fraction of lists whose centroid is closer to its own words than to all of the opposite's.

    Opposites are male and female, or pleasant and unpleasant; other pairs have one list of either kind.
    """
    shares = {name: separated_shares(name) for name in SPACES}
    values = tuple(found["opposites"] for found in shares.values())
    detail = "; ".join(
        f"{name} {found['opposites']:.0%} of the opposites, {found['others']:.0%} of the other pairs"
        for name, found in shares.items()
    )
    return Finding(values, max(values) < 0.5, f"separated: {detail}")


def separated_shares(name: str) -> dict[str, float]:
    """Return the fraction of ordered list pairs that a centroid separates, for opposites and for others."""
    others = _separability().query("space == @name")["separable"]
    opposites = _growing().query("space == @name and k == 8")["separable"]
    return {"opposites": float(opposites.mean()), "others": float(others.mean())}


def centroid_moves_away() -> Finding:
    """Return, per added word, the largest change in cosine with own words and the smallest with others."""
    steps = [
        (float(part["own"].diff().max()), float(part["others"].diff().min()))
        for _, part in _growing().groupby(["space", "centroid_of"], sort=False)
    ]
    own, others = max(s[0] for s in steps), min(s[1] for s in steps)
    first = _growing().query("space == 'GoogleNews' and centroid_of == 'male'")
    return Finding(
        (own, others),
        own < 0 < others,
        f"male on GoogleNews, from one word to eight: cosine with its own {first['own'].iloc[0]:.3f} to "
        f"{first['own'].iloc[-1]:.3f}, with the female words {first['others'].iloc[0]:.3f} to {first['others'].iloc[-1]:.3f}",
    )


def number_of_closer_subspaces() -> Finding:
    """Return the printed count of closer subspaces for the paper's example, n = 2."""
    value, with_own = printed_subspace_count(2, 2), printed_subspace_count(3, 2)
    return Finding(
        (value,),
        value == 1,
        f"printed formula at n = 2: {value:g}, at n = 3, the farthest word of the list counted: {with_own:g}; "
        f"C(2, 2) = {comb(2, 2)}",
    )


def printed_subspace_count(n: int, k: int) -> float:
    """(n − 1)!/(k!(n − 1 − k)!), 0 where k exceeds n − 1."""
    rest = n - 1 - k
    return factorial(n - 1) / (factorial(k) * factorial(rest)) if rest >= 0 else 0.0


def closer_subspaces_grow() -> Finding:
    """Return log₁₀ of the smallest and largest number of lists closer to a centroid than its own words."""
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
    """Return the smallest and largest number of pool words closer to a centroid than its farthest own word.

    All lists of Table S1 are compared with the 10,000 most frequent words; seven of the closer words can be its own.
    """
    counts, details = [], []
    for name in SPACES:
        table = _separability().query("space == @name")
        own = _growing().query("space == @name and k == 8")["own"]
        counts += table["n_closer"].tolist()
        details.append(
            f"{name}: {table['n_closer'].min()} to {table['n_closer'].max()} words nearer, mean cosine with its own "
            f"{own.min():.2f} to {own.max():.2f}"
        )
    return Finding((float(min(counts)), float(max(counts))), min(counts) > 7, "; ".join(details))


# --- binary regressions -------------------------------------------------------------------------------------


def missing_intercept() -> Finding:
    """Return the p-value of an intercept that is added to the constrained model, by design.

    The model is ⟨a,b⟩ = α2 + α0 LNW + α1 X·LNW, with standard errors robust to unequal variance. The joint test of
    intercept and main effect is added.
    """
    values = {name: _intercept_alone(pairs) for name, pairs in every_design().items()}
    with_main_effect = {name: joint_test(inner, ["β0", "β1"]).pvalue for name, (inner, _) in _fits().items()}
    rejected = sum(p < LEVEL for p in values.values())
    return Finding(
        tuple(values.values()),
        holds_in_most(rejected, len(values)),
        f"rejected in {rejected} of {len(values)}: p {_named(values, '.2g')}; "
        f"with the main effect p {_named(with_main_effect, '.2g')}",
    )


def _intercept_alone(pairs: pd.DataFrame) -> float:
    """Return the p-value of the intercept in a regression of the inner product on LNW and X·LNW."""
    fit = _constrained(pairs, [Term("intercept", "α2", np.ones(len(pairs)))])
    return float(fit.terms.set_index("symbol").at["α2", "p_value"])


def _constrained(pairs: pd.DataFrame, more: list[Term], weights: str | None = None) -> Regression:
    """Regress the inner product on LNW and X·LNW without intercept and main effect, and on further terms."""
    lnw, x = pairs["lnw"].to_numpy(float), pairs["X"].to_numpy(float)
    return fit_terms(
        pairs,
        Term("inner product", "⟨a,b⟩", pairs["inner_product"].to_numpy(float)),
        [*more, Term("LNW", "α0", lnw), Term("X·LNW", "α1", x * lnw)],
        weights=weights,
    )


def interaction_of_weight_and_group() -> Finding:
    """Return the largest difference between α1* and the coefficient of X·LNW in the constrained model.

    α1* is the difference of mean cosines; the model of the inner product has weights 1/LNW².
    """
    worst = 0.0
    for pairs in designs().values():
        means = pairs.groupby("X")["cosine"].mean()
        slope = _constrained(pairs, [], weights="inverse-square").coefficient("α1")
        worst = max(worst, abs(slope - float(means[1] - means[0])))
    return Finding((worst,), worst < 1e-9, f"largest difference {or_zero(worst)}")


def weights_of_one_sign() -> Finding:
    """Count the designs whose two groups have slopes of one sign in the constrained model, over all tests.

    The designs of Table S1 are also counted. An artificial design has the inner products 0.2 LNW and −0.2 LNW.
    """
    made = pd.DataFrame({"X": np.repeat([0, 1], 4), "lnw": np.tile([1.0, 1.5, 2.0, 2.5], 2)})
    made["cosine"] = np.where(made["X"] == 1, -0.2, 0.2)
    own = _group_slopes(made)
    same, here = (
        [first * second > 0 for first, second in map(_group_slopes, found.values())]
        for found in (every_design(), designs())
    )
    return Finding(
        (float(sum(same)), *own),
        all(same),
        f"one sign in {sum(same)} of {len(same)} designs, in {sum(here)} of the {len(here)} of Table S1; the slopes of the made "
        f"design are {own[0]:+.1f} and {own[1]:+.1f}",
    )


def _group_slopes(pairs: pd.DataFrame) -> tuple[float, float]:
    """Return the slopes of the groups X = 0 and X = 1 in the constrained model: their mean cosines."""
    means = pairs.groupby("X")["cosine"].mean()
    return float(means[0]), float(means[1])


def norms_bounded_from_zero() -> Finding:
    """Return the ratio of the smallest to the mean normalization weight, by design."""
    values = {name: float(p["lnw"].min() / p["lnw"].mean()) for name, p in designs().items()}
    return Finding(
        tuple(values.values()),
        min(values.values()) > 0.25,
        f"smallest over mean weight: {_named(values, '.2f')}",
    )


def wrong_sign() -> Finding:
    """Count the significant slopes of the inner product in LNW whose sign is not, or is, that of the mean cosine."""
    slopes, signs = {}, []
    for name, pairs in every_design().items():
        for group, part in pairs.groupby("group"):
            # The slope of the group with X = 0 is β2.
            fit = inner_product_regression(pairs.assign(X=(pairs["group"] != group).astype(float)))
            row = fit.terms.set_index("symbol").loc["β2"]
            slopes[f"{name} {group}"] = float(row["estimate"])
            wrong = float(row["estimate"]) * float(part["cosine"].mean()) < 0
            signs.append((1 if wrong else -1) if row["p_value"] < LEVEL else 0)
    return Finding(
        (float(signs.count(1)), float(signs.count(-1))),
        holds_in_most_signs(signs),
        f"wrong in {signs.count(1)} and right in {signs.count(-1)} of {len(slopes)} groups at p < 0.05: slopes {_named(slopes)}",
    )


def noisy_main_effect() -> Finding:
    """Return β1 of the inner-product regression divided by its standard error, by design."""
    terms = {name: inner.terms.set_index("symbol") for name, (inner, _) in _fits().items()}
    values = {name: float(table.at["β1", "statistic"]) for name, table in terms.items()}
    small = sum(abs(v) < 2 for v in values.values())
    return Finding(
        tuple(values.values()),
        holds_in_most(small, len(values)),
        f"within two standard errors of 0 in {small} of {len(values)}: β1 over its error {_named(values, '+.2f')}",
    )


def marginal_difference() -> Finding:
    """Return, by design, the group difference in mean inner product, in pooled standard deviations."""
    values = {}
    for name, pairs in every_design().items():
        groups = pairs.groupby("X")["inner_product"]
        mean, variance = groups.mean(), groups.var()
        values[name] = float((mean[1] - mean[0]) / np.sqrt(variance.mean()))
    small = sum(abs(v) < SMALL_EFFECT for v in values.values())
    return Finding(
        tuple(values.values()),
        holds_in_most(small, len(values)),
        f"below a small effect in {small} of {len(values)} designs: {_named(values, '+.2f')} standard deviations",
    )


def nearly_orthogonal() -> Finding:
    """Return the smallest |correlation| of inner product and normalization weight within a group."""
    values = {
        f"{name} {group}": float(np.corrcoef(part["lnw"], part["inner_product"])[0, 1])
        for name, pairs in designs().items()
        for group, part in pairs.groupby("group")
    }
    smallest = min(map(abs, values.values()))
    return Finding((smallest,), smallest < 0.1, f"correlation within groups: {_named(values, '+.2f')}")


def low_weights_drive() -> Finding:
    """Count the designs whose group difference in mean cosine is larger for pairs with low weights."""
    halves = {}
    for name, pairs in every_design().items():
        low = pairs["lnw"] <= pairs["lnw"].median()
        means = [pairs[chosen].groupby("X")["cosine"].mean() for chosen in (low, ~low)]
        halves[name] = tuple(float(m[1] - m[0]) for m in means)
    larger = sum(abs(a) > abs(b) for a, b in halves.values())
    share = {name: abs(a) - abs(b) for name, (a, b) in halves.items()}
    return Finding(
        (float(larger),),
        holds_in_most(larger, len(halves)),
        f"larger at low weight in {larger} of {len(halves)}; difference at low less at high weight {_named(share)}",
    )


def centering_helps() -> Finding:
    """Return the p-values of intercept and main effect in GloVe, before and after centering all words.

    The center is the mean of the 10,000 most frequent words. GoogleNews is excluded, because its pool has no lengths.
    """
    _, pool = experiments.pool_words("glove-weat")
    center = pool.mean(axis=0)
    changes = {}
    for test, attribute in itertools.product(keywords.names(), "CD"):
        four = experiments.list_vectors("glove-weat", test)
        pair = []
        for shift in (0.0, center):
            zero, one = (word_pairs(four[role] - shift, four[attribute] - shift) for role in "BA")
            fit = inner_product_regression(two_groups(zero, one, labels=("B", "A")))
            pair.append(joint_test(fit, ["β0", "β1"]).pvalue)
        changes[f"{test} {attribute}"] = pair[1] - pair[0]
    better, total = sum(change > 0 for change in changes.values()), len(changes)
    return Finding(
        (float(better),),
        holds_in_most(better, total),
        f"p-value of the two constraints higher after centering in {better} of {total}: change {_named(changes, '+.2g')}",
    )


def wider_when_low() -> Finding:
    """Return the groups whose inner products are wider where the weight is at most its median, by range and spread.

    The range is the maximum minus the minimum; those count whose spreads differ by the Brown–Forsythe test.
    """
    ratios = {
        f"{name} {group}": _low_over_high(part)
        for name, pairs in every_design().items()
        for group, part in pairs.groupby("group")
    }
    wider, varied = (sum(float(r[i]) > 1 for r in ratios.values()) for i in (0, 1))
    signs = [(1 if r[1] > 1 else -1) if r[2] < LEVEL else 0 for r in ratios.values()]
    ranges = {name: float(r[0]) for name, r in ratios.items()}
    return Finding(
        (float(wider), float(varied)),
        holds_in_most_signs(signs),
        f"wider at low weight in {wider} of {len(ratios)} groups by range, in {varied} by standard deviation; at p < 0.05 wider "
        f"in {signs.count(1)}, narrower in {signs.count(-1)}; range at low over high weight: {_named(ranges, '.2f')}",
    )


def _low_over_high(part: pd.DataFrame) -> NDArray[np.float64]:
    """Return range and standard deviation at low over high weight, and the p-value of the Brown–Forsythe test."""
    low = part["lnw"] <= part["lnw"].median()
    inside, outside = (part.loc[chosen, "inner_product"] for chosen in (low, ~low))
    p = stats.levene(inside, outside).pvalue
    return np.array([np.ptp(inside) / np.ptp(outside), inside.std() / outside.std(), p])


def same_model() -> Finding:
    """Return the largest difference between two models' β in standard errors, weighted and unweighted."""
    plain = weighted = 0.0
    for name, (inner, ratio) in _fits().items():
        by_weight = inner_product_regression(every_design()[name], weights="inverse-square")
        errors = ratio.terms.set_index("symbol")["std_error"]
        for symbol in ("β0", "β1", "β2", "β3"):
            error = float(errors[symbol])
            plain = max(plain, abs(inner.coefficient(symbol) - ratio.coefficient(symbol)) / error)
            weighted = max(weighted, abs(by_weight.coefficient(symbol) - ratio.coefficient(symbol)) / error)
    return Finding(
        (weighted, plain),
        weighted < 1e-6,
        f"weighted by 1/LNW², as the error terms of the two equations ask, {or_zero(weighted)} standard errors apart at most, "
        f"unweighted {plain:.2f}",
    )


def results_are_similar() -> Finding:
    """Return the largest difference between two estimates of β3 over designs, in standard errors."""
    gaps, signs = {}, 0
    for name, (inner, ratio) in _fits().items():
        one, other = inner.coefficient("β3"), ratio.coefficient("β3")
        gaps[name] = abs(one - other) / float(ratio.terms.set_index("symbol").at["β3", "std_error"])
        signs += int(np.sign(one) == np.sign(other))
    near = sum(gap < 1 for gap in gaps.values())
    return Finding(
        (max(gaps.values()),),
        holds_in_most(near, len(gaps)),
        f"within one standard error in {near} of {len(gaps)}: gaps {_named(gaps, '.2f')}; {signs} of {len(gaps)} signs agree",
    )


def more_heteroskedastic() -> Finding:
    """Return the Breusch–Pagan statistics of the inner-product and ratio regressions, by design."""
    values = {name: _breusch_pagan(pairs) for name, pairs in every_design().items()}
    smallest = min(float(v[:, 1].min()) for v in values.values())
    larger = sum(bool(v[0, 0] > v[1, 0]) for v in values.values())
    signs = [(1 if v[0, 0] > v[1, 0] else -1) if v[:, 1].min() < LEVEL else 0 for v in values.values()]
    ratios = {n: float(v[0, 0] / v[1, 0]) for n, v in values.items()}
    return Finding(
        (float(larger), smallest),
        holds_in_most_signs(signs),
        f"statistic of the inner-product regression larger in {larger} of {len(values)}; at p < 0.05 of either larger in "
        f"{signs.count(1)}, smaller in {signs.count(-1)}; ratio {_named(ratios, '.2f')}; smallest p {smallest:.1g}",
    )


def _breusch_pagan(pairs: pd.DataFrame) -> NDArray[np.float64]:
    """Return statistic and p-value of the Breusch–Pagan test, for the inner-product and the ratio regression."""
    fits = inner_product_regression(pairs), corrected_ratio_regression(pairs)
    return np.array([(test.statistic, test.pvalue) for test in map(breusch_pagan_test, fits)])


def printed_decomposition() -> Finding:
    """Return the largest difference between α1* and the sum of the printed decomposition."""
    decompositions = {name: distortion_decomposition(pairs) for name, pairs in designs().items()}
    printed = max(abs(d.printed_discrepancy) for d in decompositions.values())
    right = max(abs(d.discrepancy) for d in decompositions.values())
    detail = "; ".join(
        f"{n}: α1* {d.alpha_1:+.4f}, printed sum {d.printed_total:+.4f}" for n, d in decompositions.items()
    )
    return Finding((printed,), printed < 1e-6, f"{detail}; with β3, β0, β1 in their places {or_zero(right)}")


def distortions_cancel() -> Finding:
    """Count the designs in which the two distortion terms have opposite signs and cancel in part."""
    decompositions = {name: distortion_decomposition(pairs) for name, pairs in designs().items()}
    shares = {name: abs(d.net_distortion) / d.absolute_distortion for name, d in decompositions.items()}
    opposite = sum(s < 1 - 1e-9 for s in shares.values())
    return Finding(
        (float(opposite),),
        0 < opposite < 4,
        f"opposite signs in {opposite} of 4: net over absolute distortion {_named(shares, '.3f')}",
    )


def typically_positive() -> Finding:
    """Count the designs with a positive slope β2 in LNW, and those with a positive cov(X, 1/LNW).

    cov(X, X/LNW), which is positive for any data, is reported in addition.
    """
    decompositions = [distortion_decomposition(pairs) for pairs in every_design().values()]
    beta, lower, group = (
        sum(value > 0 for value in values)
        for values in zip(
            *((d.beta[2], d.slope_intercept, d.slope_group) for d in decompositions), strict=True
        )
    )
    return Finding(
        (float(beta), float(lower)),
        both_hold(holds_in_most(beta, len(decompositions)), holds_in_most(lower, len(decompositions))),
        f"β2 positive in {beta} of {len(decompositions)}, cov(X, 1/LNW) in {lower}; cov(X, X/LNW) in {group}",
    )


def local_and_global() -> Finding:
    """Return the largest difference between a cosine and the sum of its local and global similarity."""
    worst = 0.0
    for space, coefficients in itertools.product(SPACES.values(), ("ratio", "inner-product")):
        table = experiments.local_similarity_table(space, coefficients=coefficients)
        worst = max(worst, float((table["cosine"] - table["sim_local"] - table["sim_global"]).abs().max()))
    return Finding((worst,), worst < 1e-12, f"largest difference {or_zero(worst)}")


def mean_of_local_similarity() -> Finding:
    """Return the largest difference between the female words' mean local similarity and β2."""
    gaps = {"ratio": 0.0, "inner-product": 0.0}
    for space, kind in itertools.product(SPACES.values(), gaps):
        table = experiments.local_similarity_table(space, coefficients=kind)
        means = experiments.local_similarity_means(table).set_index(["design", "group"])["sim_local"]
        name = next(n for n, s in SPACES.items() if s == space)
        for attribute in ("pleasant", "unpleasant"):
            beta = _fits()[f"{name} {attribute}"][kind == "ratio"].coefficient("β2")
            gaps[kind] = max(gaps[kind], abs(float(means[(attribute, "female")]) - beta))
    detail = ", ".join(f"{kind} {or_zero(gap, '.2g')}" for kind, gap in gaps.items())
    return Finding((gaps["ratio"],), gaps["ratio"] < 1e-9, f"largest difference: {detail}")


def always_inflated() -> Finding:
    """Return the fraction of cosines above their local similarity, in an artificial design and for Table S1.

    The design has eight pairs in either group, with weights from 1 to 3 and inner products of 0.9 LNW − 0.5, which
    are possible lengths and angles of two vectors. Its local part is 0.9, and its global part −0.5/LNW. The paper
    does not define "inflated" and "global basis": in our reading "always" is wrong, which leaves the claim open.
    """
    lnw = np.repeat(np.linspace(1.0, 3.0, 8)[None], 2, axis=0).ravel()
    inner = 0.9 * lnw - 0.5
    made = pd.DataFrame(
        {"X": np.repeat([0, 1], 8), "lnw": lnw, "inner_product": inner, "cosine": inner / lnw}
    )
    shares = {"made": share_inflated(split_similarity(made))}
    for name, space in SPACES.items():
        shares[name] = share_inflated(experiments.local_similarity_table(space))
    return Finding(
        tuple(shares.values()),
        True if shares["made"] == 1 else None,
        f"cosines above their local similarity: in the design made by hand {shares['made']:.0%}, on the words of Table S1 "
        f"{_named({name: shares[name] for name in SPACES}, '.0%')}",
    )


def bias_of_the_mean_rotation() -> Finding:
    """Compare the bias of the mean rotation's cosine in the plane with cos(mean) · (N − √det Σ Rᵢ)/N.

    The sum of rotations by θᵢ is [[C, −S], [S, C]] with C = Σ cos θᵢ and S = Σ sin θᵢ: √det = √(C² + S²), the mean rotation
    (the nearest to the sum, Moakher 2002) has the cosine C/√det, and the mean cosine is C/N.
    """
    rng = np.random.default_rng(0)
    off, biases = [], []
    for n in rng.integers(2, 30, 50):
        angles = rng.uniform(-np.pi / 2, np.pi / 2, n)
        turns = np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]])
        total = turns.sum(axis=-1)
        mean = cosine_of_nearest_rotation(total)
        biases.append(mean - float(np.cos(angles).mean()))
        off.append(abs(biases[-1] - mean * (n - np.sqrt(np.linalg.det(total))) / n))
    return Finding(
        (max(off),),
        max(off) < 1e-12 and min(biases) > 0,
        f"largest difference {or_zero(max(off))} over 50 sets of rotations; bias {min(biases):.3f} to {max(biases):.3f}",
    )


def cosine_of_nearest_rotation(total: Array) -> float:
    """Return the cosine of the rotation nearest to a 2 × 2 matrix, by its singular value decomposition."""
    left, _, right = np.linalg.svd(total)
    return float((left @ right)[0, 0])


def share_inflated(split: pd.DataFrame) -> float:
    """Return the fraction of pairs whose cosine exceeds its local part."""
    return float((split["cosine"] > split["sim_local"]).mean())


def external_frequency() -> Finding:
    """Return β3 per standard deviation of the weight with its standard error, for LNW and word frequency.

    Frequency replaces LNW in two forms: the sum of Zipf frequencies, which are logarithms, and the geometric mean of
    frequencies. "Similar" means equal signs, and "higher variance" a larger standard error, absolute or relative to
    the estimate. The result decides only if both forms and both readings agree.
    """
    answers: list[bool | None] = []
    details = []
    for form, label in (("log", "Zipf"), ("geometric", "frequency")):
        same = larger = relative = 0
        interactions = _interactions(form)
        for own, own_error, other, other_error in interactions.values():
            same += int(np.sign(own) == np.sign(other))
            larger += int(other_error > own_error)
            relative += int(other_error * abs(own) > own_error * abs(other))
        answers += [
            both_hold(holds_in_most(same, len(interactions)), holds_in_most(n, len(interactions)))
            for n in (larger, relative)
        ]
        details.append(
            f"{label}: one sign in {same} of {len(interactions)}, larger error in {larger}, "
            f"relative to the estimate in {relative}"
        )
    agreed = unanimous(answers)
    return Finding((float(sum(a is True for a in answers)),), agreed, f"β3 with {'; with '.join(details)}")


def both_hold(first: bool | None, second: bool | None) -> bool | None:
    """Combine two parts of a claim: False if either is False, None if either is None, and True otherwise."""
    return False if False in (first, second) else None if None in (first, second) else True


@lru_cache(maxsize=2)
def _interactions(form: str) -> dict[str, tuple[float, float, float, float]]:
    """Return β3 per standard deviation of LNW, and then of word frequency, with standard errors, by design."""
    rows = {
        by: _frequency(form).query(f"model == 'inner product, {by}'").set_index("name")
        for by in ("LNW", "frequency")
    }
    parts = [row[["interaction", "interaction_std_error"]] for row in rows.values()]
    return {name: tuple(values) for name, *values in pd.concat(parts, axis=1).itertuples()}


def lengths_carry_frequency() -> Finding:
    """Return, by design, the correlation of normalization weights with the Zipf frequencies of pairs."""
    table = _frequency().groupby("name", sort=False)["correlation"].first()
    large = int((table.abs() > 0.5).sum())
    return Finding(
        tuple(map(float, table[list(designs())])),
        holds_in_most(large, len(table)),
        f"beyond one half in {large} of {len(table)}: correlation of LNW and frequency "
        f"{_named(dict(table[list(designs())]), '+.2f')}; of all {_named(dict(table), '+.2f')}",
    )


def significance_changes() -> Finding:
    """Count the designs in which adding word frequency changes the significance of the group difference."""
    table = _frequency().pivot(index="name", columns="model", values="p_value")
    pairs = dict(
        zip(table.index, table[["inner product", "inner product, frequency"]].to_numpy(), strict=True)
    )
    changed = sum((a < LEVEL) != (b < LEVEL) for a, b in pairs.values())
    here = ", ".join(f"{n} {a:.2g} without, {b:.2g} with" for n, (a, b) in pairs.items() if n in designs())
    return Finding(
        (float(changed),),
        holds_in_most(changed, len(pairs)),
        f"changes in {changed} of {len(pairs)}: p {here}",
    )


def jump_in_fit() -> Finding:
    """Count the designs in which adding word frequency raises the adjusted R² by 0.05 or more."""
    table = _frequency().pivot(index="name", columns="model", values="adjusted_r_squared")
    jumps = (table["inner product, frequency"] - table["inner product"]).to_dict()
    large = sum(j >= 0.05 - 1e-9 for j in jumps.values())
    return Finding(
        (float(large),),
        holds_in_most(large, len(jumps)),
        f"by 0.05 or more in {large} of {len(jumps)}: change of adjusted R² {_named(jumps)}",
    )


# --- centroids ----------------------------------------------------------------------------------------------


def weight_of_a_sum() -> Finding:
    """Return the largest relative error of a sum's expanded squared length, with every pair counted once.

    The error with every pair in both orders is reported in addition.
    """
    once = twice = 0.0
    four = lists("googlenews-weat")
    for words in four.values():
        gram = words @ words.T
        square = float(centroid_pairs(words, four["pleasant"])["norm_a"].iloc[0]) ** 2
        pairs = float(np.triu(gram, 1).sum())
        once = max(once, abs((np.trace(gram) + 2 * pairs) / square - 1))
        twice = max(twice, abs((np.trace(gram) + 4 * pairs) / square - 1))
    return Finding(
        (float(once),),
        once < 1e-12,
        f"largest relative difference of the squared length, over the four lists: {or_zero(once)} with every pair once, "
        f"{twice:.2f} with both orders",
    )


def comparisons_of_the_jth_word() -> Finding:
    """Return how many inner products the j-th male word adds to the sum's squared length, j = 2 to 8.

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
    """Return the number of identifiable terms that expanding cos(A + B, C) adds to the binary model."""
    four = lists("googlenews-weat")
    groups = [
        composed_pairs([four[label], np.roll(four[label], 1, axis=0)], four["pleasant"])
        for label in ("female", "male")
    ]
    pairs = two_groups(*groups, labels=("female", "male"))
    n_terms = [terms_told_apart(pairs, model) for model in ("uncorrected", "corrected", "expanded")]
    return Finding(
        (float(n_terms[2] - n_terms[1]),),
        True,
        f"{n_terms[0]} terms as estimated, {n_terms[1]} with intercept and group, {n_terms[2]} in the expansion",
    )


def terms_told_apart(pairs: pd.DataFrame, model: str) -> int:
    """Return the number of terms of a centroid regression that are not combinations of others."""
    return len(centroid_regression(pairs, model=model).terms)


def group_is_length_of_centroid() -> Finding:
    """Return, by space, the number of unidentifiable terms of the expanded regression."""
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
    """Return the largest relative difference between summed component coefficients and pooled ones."""
    values, tests = {}, {}
    for name, space in SPACES.items():
        for attribute in ("pleasant", "unpleasant"):
            four = lists(space)
            groups = [centroid_pairs(four[label][:2], four[attribute]) for label in ("female", "male")]
            pairs = two_groups(*groups, labels=("female", "male"))
            # The pooled model depends only on the sum, so its coefficients are sums of the components' coefficients.
            pooled = centroid_regression(pairs, model="corrected")
            parts = component_regressions(pairs).terms
            sums = parts.groupby("symbol")["estimate"].sum()
            scale = float(np.abs(parts["estimate"]).max())
            values[f"{name} {attribute}"] = max(
                abs(float(sums[s]) - pooled.coefficient(s)) / scale for s in sums.index
            )
            tests[f"{name} {attribute}"] = implicit_component_regression(pairs).pooled.pvalue
    worst = max(values.values())
    return Finding(
        (worst,),
        worst < 1e-9,
        f"sums of component coefficients less pooled ones: {or_zero(worst)}; p-values of the constraint: "
        f"{_named(tests, '.2g')}",
    )


def psi_has_mean_one() -> Finding:
    """Return the minimum and maximum mean of the weights ψ over the lists of Table S1."""
    means = [centroid_weights(w).mean() for space in SPACES.values() for w in lists(space).values()]
    values = (min(means), max(means))
    return Finding(
        values,
        all(abs(m - 1) > 0.05 for m in means),
        f"mean ψ of a list: from {values[0]:.3f} to {values[1]:.3f}",
    )


def centroid_overstates() -> Finding:
    """Return the smallest and largest ratio of centroid estimate to mean cosine, over pairs of lists."""
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
    """Return the smallest change, per added word, of the centroid estimate minus the mean cosine."""
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
        float(
            np.mean([measure(words[list(chosen)]) for chosen in itertools.combinations(range(len(words)), k)])
        )
        for k in range(1, len(words) + 1)
    ]


def means_are_shortened() -> Finding:
    """Return the relative length of the mean of one, four, and eight words, averaged over sublists."""
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
    """Count the designs in which sums of words have a larger absolute distortion than all pairs of words."""
    ratios: dict[str, float] = {}
    for space, test in itertools.product(SPACES.values(), keywords.names()):
        table = experiments.centroid_distortion_table(space, test)
        parts = table.pivot(index="design", columns="pairs", values="absolute_distortion")
        ratios |= {f"{space} {test} {name}": r for name, r in (parts["sums"] / parts["all pairs"]).items()}
    larger = sum(r > 1 for r in ratios.values())
    return Finding(
        (float(larger),),
        holds_in_most(larger, len(ratios)),
        f"absolute distortion of sums over that of all pairs above 1 in {larger} of {len(ratios)}: {_named(ratios, '.2f')}",
    )


# --- bivariate and overlapping ------------------------------------------------------------------------------


def bivariate_expansion() -> Finding:
    """Return the number of terms in the bivariate expansion, and the relative size of squared residuals."""
    four = lists("googlenews-weat")
    left, right = (word_pairs(four["male"], four["pleasant"]), word_pairs(four["female"], four["unpleasant"]))
    full = bivariate_cosine_regression(left, right, model="expanded", weights="inverse-square")
    plain = bivariate_cosine_regression(left, right)
    # Residuals of the expansion, divided by LNW, are residuals of the cosine.
    rest = (float(np.sum((full.residuals / left["lnw"].to_numpy()) ** 2)), float(np.sum(plain.residuals**2)))
    return Finding(
        (float(len(full.terms)), rest[0] / rest[1]),
        len(full.terms) == 8 and rest[0] <= rest[1],
        f"{len(full.terms)} terms against {len(plain.terms)}; residual sum of squares of the cosines {rest[0] / rest[1]:.3f} times that of "
        f"the two",
    )


def nested_differences() -> Finding:
    """Compare the difference of the words' mean coefficients with the WEAT score."""
    worst = 0.0
    for test in ("gender-sentiment", "weat-6", "weat-8"):
        four = component_lists("googlenews-weat", test)
        worst = max(worst, abs(nested_weat(*four).score - weat(*four).score))
    return Finding((worst,), worst < 1e-12, f"largest difference {or_zero(worst)}")


def lower_order_of_one_word() -> Finding:
    """Return the numbers of unidentifiable terms in the lower-order model of one word and of several."""
    four = lists("googlenews-weat")
    pairs = overlapping_pairs(four["male"], four["female"][:8], four["pleasant"])
    several = len(lower_order_regression(pairs).aliased)
    one = overlapping_pairs(four["male"][:1], four["female"][:1], four["pleasant"])
    dropped = [alias.symbol for alias in lower_order_regression(one).aliased]
    return Finding(
        (float(len(dropped)), float(several)),
        len(dropped) > several,
        f"one word on each side: {', '.join(dropped)} dropped; eight: {several}",
    )


def shared_word_cancels() -> Finding:
    """Return the number of unidentifiable terms in the overlapping centroid model."""
    four = lists("googlenews-weat")
    fit = overlapping_bivariate_centroid_regression(
        four["male"], four["female"], np.concatenate([four["pleasant"], four["unpleasant"]]), model="expanded"
    )
    dropped = {alias.symbol for alias in fit.aliased}
    return Finding(
        (float(len(dropped)),),
        {"γ5", "γ7"} <= dropped or {"γ1", "γ7"} <= dropped,
        f"terms that are combinations of others: {'; '.join(str(alias) for alias in fit.aliased)}",
    )
