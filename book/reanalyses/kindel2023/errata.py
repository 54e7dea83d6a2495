"""Deciding numbers of the errata of Kindel (2023): one function per entry of ``errata.toml``.

Every function returns a `Finding` whose values are the deciding numbers (in its docstring, after the colon) and whose
``holds`` says whether they confirm the entry. Random draws have fixed seeds.
"""

from __future__ import annotations

import warnings
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from scipy.spatial.distance import pdist

from isotropy_lab.association import keywords
from isotropy_lab.association._weat import weat
from isotropy_lab.association.canonical import canonical_congruences, canonical_similarity
from isotropy_lab.association.cosine import mean_cosine_similarity
from reanalyses.kindel2023 import experiments, published
from reanalyses.kindel2023.claims import (
    between,
    consistency_of,
    dihedral_angle_is_proportional,
    four_vectors,
    lists,
    nulls_of,
    rv_coefficient,
    table_1_n,
    three_vectors,
)
from reanalyses.kindel2023.consistency_index import consistency_index
from reanalyses.kindel2023.regression import distortion_decomposition
from reanalyses.kindel2023.supplement_claims import (
    always_inflated,
    designs,
    no_isotropic_space,
    number_of_closer_subspaces,
    same_model,
)
from reanalyses.ledger import Finding
from reanalyses.zeros import or_zero

Array = NDArray[np.float64]
GOOGLENEWS = "googlenews-weat"


def _cosine(a: Array, b: Array) -> float:
    return mean_cosine_similarity(a[None], b[None])


# --- consistency --------------------------------------------------------------------------------------------


def starts_at_three() -> Finding:
    """Show that pairs can be outscored: mean cosine of {−60°, 60°} with itself, and with {−60°, 0°}."""
    V = three_vectors()
    outer_pair, other_pair = V[[0, 2]], V[[0, 1]]
    values = (mean_cosine_similarity(outer_pair, outer_pair), mean_cosine_similarity(outer_pair, other_pair))
    return Finding(
        values,
        values[0] < values[1],
        f"mean cosine of the outer pair {values[0]:.3f} with itself, {values[1]:.3f} with another",
    )


def distance_not_negative() -> Finding:
    """Show that an outscored triple requires no negative distance, by sums over triples of four vectors.

    The values are ⟨Σ_S, Σ_S⟩, ⟨Σ_S, Σ_T⟩ for S with the outer pair and T with another, and the smallest distance.
    """
    V = four_vectors()
    outer_sum, other_sum = V[[0, 2, 3]].sum(axis=0), V[[0, 1, 3]].sum(axis=0)
    values = (float(outer_sum @ outer_sum), float(outer_sum @ other_sum), float(pdist(V).min()))
    n_outscored = consistency_index(V, 3).n_beaten
    return Finding(
        values,
        n_outscored > 0 and values[0] < values[1] and values[2] > 0,
        f"inner product of the sums: with itself {values[0]:.2f}, with the other triple {values[1]:.2f}; smallest distance "
        f"{values[2]:g}",
    )


def dihedral_angle() -> Finding:
    """Show that an angle twice as large is not twice the distance: ratio of the distances at 120° and 60°."""
    first, second = dihedral_angle_is_proportional().values
    value = second / first
    return Finding((value,), abs(value - 2) > 0.1, f"{value:.4f} times the distance at twice the angle")


def simplex_of_words() -> Finding:
    """Show that k words are the corners of a simplex of dimension k − 1, not k, for eight male words."""
    words = lists(GOOGLENEWS)["male"]
    rank = int(np.linalg.matrix_rank(words[1:] - words[0]))
    return Finding((float(rank),), rank == len(words) - 1, f"{len(words)} words, dimension {rank}")


def only_normalization() -> Finding:
    """Show that normalized mean cosine is consistent: outscored sublists by either, two examples."""
    table = consistency_of(GOOGLENEWS).groupby("similarity")["n_beaten"].sum()
    V = three_vectors()
    in_plane = [consistency_index(V, 2, similarity=s).n_beaten for s in ("mean-cosine", "normalized")]
    values = (float(table["mean-cosine"]), float(table["normalized"]), *map(float, in_plane))
    return Finding(
        values,
        values[1] == values[3] == 0 < min(values[0], values[2]),
        f"outscored sublists: mean cosine {values[0]:.0f}, normalized {values[1]:.0f}; outscored pairs of three vectors: mean "
        f"cosine {in_plane[0]}, normalized {in_plane[1]}",
    )


def consistency_index_named_inconsistency() -> Finding:
    """Show that the "index of inconsistency" is 1 for a consistent metric, for five male words."""
    words = lists(GOOGLENEWS)["male"]
    values = tuple(consistency_index(words, 5, similarity=s).weak for s in ("canonical", "mean-cosine"))
    return Finding(
        values,
        values[0] == 1 > values[1],
        f"index of the canonical metric {values[0]:.3f}, of mean cosine {values[1]:.3f}",
    )


def ties_at_p() -> Finding:
    """Show that dependent words tie under the canonical metric: weak and strict index of pairs in a plane."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        index = consistency_index(three_vectors()[:, :2], 2, similarity="canonical")
    return Finding(
        (index.weak, index.strict),
        index.strict < 1,
        f"share closest to itself {index.weak:g} with ties, {index.strict:g} strictly",
    )


def nondecreasing() -> Finding:
    """Show that a consistent similarity can decrease with q: mean at q = 1, minimum over q, consistency."""
    table = consistency_of("glove-weat").query("similarity == 'canonical'")
    rows = between("glove-weat").query("metric == 'canonical, scaled' and lists == 'male / pleasant'")
    first, lowest, index = float(rows["mean"].iloc[0]), float(rows["mean"].min()), float(table["weak"].min())
    return Finding(
        (first, lowest, index),
        index == 1 and lowest < first,
        f"scaled canonical similarity falls from {first:.4f} to {lowest:.4f}, consistency {index:g}",
    )


def divisor_of_sublists() -> Finding:
    """Show that the divisor is q², not k²: mean cosine of sublists of q = 4 words, divided by either."""
    words = lists(GOOGLENEWS)
    a, b = words["male"][:4], words["pleasant"][:4]
    correct = mean_cosine_similarity(a, b)
    reported = correct * len(a) ** 2 / len(words["male"]) ** 2
    detail = f"divided by q² {correct:.4f}, by k² {reported:.4f}"
    return Finding((correct, reported), correct > 2 * reported, detail)


# --- the canonical metric -----------------------------------------------------------------------------------


def projector_orientation() -> Finding:
    """Show that A(AᵀA)⁻¹Aᵀ fails for words in rows: rank of AᵀA (300 × 300), trace of Aᵀ(AAᵀ)⁻¹A."""
    A = lists(GOOGLENEWS)["male"]
    rank = int(np.linalg.matrix_rank(A.T @ A))
    trace = float(np.trace(A.T @ np.linalg.solve(A @ A.T, A)))
    return Finding(
        (float(rank), trace),
        rank < A.shape[1] and abs(trace - len(A)) < 1e-8,
        f"AᵀA is {A.shape[1]} × {A.shape[1]} of rank {rank}; trace of the projection {trace:.6f}",
    )


def top_of_geometric_scale() -> Finding:
    """Show that the geometric scale ends below 1 for unequal lists: a list with its first four words."""
    A = lists(GOOGLENEWS)["male"]
    values = tuple(canonical_similarity(A, A[:4], scale=s) for s in ("geometric", "minimum"))
    return Finding(
        values, values[0] < values[1], f"geometric scale {values[0]:.4f}, smaller rank {values[1]:.4f}"
    )


def length_or_rank() -> Finding:
    """Show that √(self · self) depends on ranks, not on lengths, by a list that repeats a word."""
    A = lists(GOOGLENEWS)["male"][:2]
    B = np.vstack([A, A[:1]])
    self_similarities = [canonical_similarity(X, X, scale=None) for X in (A, B)]
    values = (float(np.sqrt(self_similarities[0] * self_similarities[1])), float(np.sqrt(len(A) * len(B))))
    return Finding(values, values[0] < values[1], f"by ranks {values[0]:.4f}, by lengths {values[1]:.4f}")


def name_of_the_metric() -> Finding:
    """Show that the metric is not the RV coefficient (or linear CKA) of the words themselves."""
    a, b = lists(GOOGLENEWS)["male"], lists(GOOGLENEWS)["pleasant"]
    metric, rv = canonical_similarity(a, b), rv_coefficient(a, b)
    cka = rv_coefficient(a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True))
    return Finding(
        (metric, rv, cka),
        metric < min(rv, cka) - 0.01,
        f"metric {metric:.4f}, RV of the words {rv:.4f}, linear CKA {cka:.4f}",
    )


def missing_baseline() -> Finding:
    """Show that chance levels explain the growth with N: correlations before and after subtracting them.

    The published code divides by N, so its chance level is k₁k₂/(pN). Our components on the geometric scale, whose
    chance level is √(k₁k₂)/p, and those above chance are added.
    """
    table = experiments.chance_correlations(experiments.weat_components(GOOGLENEWS))
    correlations = table.set_index(["values", "predictor"])["correlation"]
    ours = tuple(float(correlations[(v, "√(k₁k₂)/p")]) for v in ("ours", "ours, corrected"))
    levels, components = published_levels(300)
    above_chance = np.subtract(components, levels)
    reported = tuple(float(np.corrcoef(levels, values)[0, 1]) for values in (components, above_chance))
    return Finding(
        (*reported, *ours),
        min(reported[0], ours[0]) > 0.8 and max(reported[1], ours[1]) < 0,
        f"Pearson's correlation with the chance level: published {reported[0]:+.3f}, minus the level {reported[1]:+.3f}; ours "
        f"{ours[0]:+.3f}, above chance {ours[1]:+.3f}",
    )


def published_levels(p: int) -> tuple[list[float], list[float]]:
    """Return the chance levels for the list lengths of Table S2, and the published canonical components."""
    table = published.table_1_full_precision()
    levels, components = [], []
    for test, row in table.set_index("test").iterrows():
        k = {role: len(getattr(keywords.load(str(test)), role).words()) for role in "ABCD"}
        for pair in ("ac", "ad", "bd", "bc"):
            levels.append(k[pair[0].upper()] * k[pair[1].upper()] / (p * float(row["n"])))
            components.append(float(row[f"cca_{pair}"]))
    return levels, components


def unspecified_pool() -> Finding:
    """Show that the pool decides the null: two-way mean for 2,000 and 10,000 words, matched, subspaces.

    Lists are male and pleasant words. The mean for 10,000 words is that of the case file; others have 1,000 draws.
    """
    condition = "lists == 'male / pleasant' and quantity == 'canonical' and null == 'both random'"
    table = experiments.pool_sensitivity(GOOGLENEWS, sizes=(2_000,), n_resamples=1_000, rng=0)
    means = table.query(condition).set_index("pool")["mean"]
    large = nulls_of(GOOGLENEWS).totals.query(condition)
    means["top 10,000 words"] = large["mean"].iloc[0]
    pools = ("top 2,000 words", "top 10,000 words", "similar frequency", "random subspaces")
    values = tuple(float(means[pool]) for pool in pools)
    detail = ", ".join(f"{pool} {m:.4f}" for pool, m in zip(pools, values, strict=True))
    return Finding(
        values, max(values) > 2 * min(values), f"{detail}; observed {large['observed'].iloc[0]:.4f}"
    )


def fastest_sum() -> Finding:
    """Show that a product of bases is faster than an entrywise product: numbers of multiplications."""
    p, k = lists(GOOGLENEWS)["male"].shape[1], len(lists(GOOGLENEWS)["male"])
    bases = 2 * (4 * p * k * k)  # two thin QR decompositions with Q, needed by both algorithms
    hadamard, product = bases + 2 * p * p * k + p * p, bases + p * k * k + k * k
    a, b = lists(GOOGLENEWS)["male"], lists(GOOGLENEWS)["pleasant"]
    error = abs(float(np.sum(canonical_congruences(a, b) ** 2)) - canonical_similarity(a, b, scale=None))
    return Finding(
        (float(hadamard), float(product)),
        product < hadamard and error < 1e-10,
        f"multiplications: Hadamard sum {hadamard:,}, squared entries of the product of bases {product:,}",
    )


# --- figures and tables -------------------------------------------------------------------------------------


def constant_expectation() -> Finding:
    """Show that only the squared mean cosine decreases with q: three means at q = 1 and q = 8."""
    table = between(GOOGLENEWS).query("lists == 'male / pleasant'").set_index(["metric", "q"])["mean"]
    names = ("mean cosine", "mean squared cosine", "squared mean cosine")
    values = tuple(float(table[(name, q)]) for name in names for q in (1, 8))
    is_constant = abs(values[0] - values[1]) < 1e-12 > abs(values[2] - values[3])
    return Finding(
        values,
        is_constant and values[4] > values[5],
        "; ".join(
            f"{n} {a:.4f} at q = 1, {b:.4f} at q = 8"
            for n, a, b in zip(names, values[::2], values[1::2], strict=True)
        ),
    )


def shortest_list_of_weat_9() -> Finding:
    """Show that the shortest list of WEAT 9 has six words, not seven."""
    value = table_1_n().values[8]
    return Finding((value,), value != 7, f"shortest list of WEAT 9: {value:.0f} words")


def intervals_of_figure_3() -> Finding:
    """Show that the intervals drawn in Figure 3 are of 90%, not 95%: content between ranks of 200 draws."""
    n = 200
    at_ranks_drawn, at_ranks_of_95 = ((ranks[1] - ranks[0]) / (n + 1) for ranks in ((10, 190), (5, 195)))
    detail = f"drawn {at_ranks_drawn:.3f}, from the 5th to the 195th {at_ranks_of_95:.3f}"
    return Finding((at_ranks_drawn, at_ranks_of_95), at_ranks_drawn < 0.9 < at_ranks_of_95, detail)


def dashed_line_of_figure_3() -> Finding:
    """Show that Figure 3 draws the mean congruence, not the mean of squares, which is the metric."""
    congruences = canonical_congruences(lists(GOOGLENEWS)["male"], lists(GOOGLENEWS)["pleasant"])
    values = (float(congruences.mean()), float(np.mean(congruences**2)))
    return Finding(
        values, values[0] > 2 * values[1], f"mean congruence {values[0]:.3f}, mean square {values[1]:.3f}"
    )


def ratio_of_units() -> Finding:
    """Show that the median ratio depends on the scale of the metric: |ratio| to it scaled, and unscaled.

    The others are canonical similarity over the list lengths, the same unscaled, and normalized mean cosine.
    """
    table = experiments.scores_by_similarity(GOOGLENEWS).set_index("similarity")["median_absolute_ratio"]
    values = tuple(float(table[name]) for name in ("canonical", "canonical-trace", "normalized"))
    return Finding(
        values,
        values[0] > 1 > values[1],
        f"median |ratio| to the canonical metric scaled {values[0]:.3f}, unscaled {values[1]:.3f}; to normalized mean "
        f"cosine {values[2]:.3f}",
    )


def unpleasant_lists() -> Finding:
    """Show that WEAT 1 and 4 have different unpleasant words: their number, in the source and in Table S2."""
    first, fourth = (keywords.load(name).D for name in ("weat-1", "weat-4"))
    values = tuple(
        float(len(set(first.words(spelling)) - set(fourth.words(spelling))))
        for spelling in ("original", "printed")
    )
    scores = [weat(*_lists_spelled("weat-4", spelling)).score for spelling in ("original", "printed")]
    return Finding(
        values,
        values[0] > values[1],
        f"words that differ: in the source {values[0]:.0f}, in Table S2 {values[1]:.0f}; score of WEAT 4 {scores[0]:.4f} "
        f"with the words of the source, {scores[1]:.4f} with those of Table S2",
    )


def _lists_spelled(test: str, spelling: str) -> list[Array]:
    """Return a test with adjusted names and attribute words in another spelling, for GoogleNews."""
    names, words = (experiments.list_vectors(GOOGLENEWS, test, spelling=s) for s in ("adjusted", spelling))
    return [names["A"], names["B"], words["C"], words["D"]]


# --- supplement: cosine similarity and estimators -----------------------------------------------------------


def excess_over_independence() -> Finding:
    """Show that independent vectors can have large cosines: 100,000 uniform random numbers."""
    x, y = np.random.default_rng(0).random((2, 100_000))
    value = _cosine(x, y)
    return Finding((value,), value > 0.5, f"cosine {value:.4f}, correlation {np.corrcoef(x, y)[0, 1]:+.4f}")


def squared_norms() -> Finding:
    """Show that additivity requires ⟨a,b⟩ = −½‖a‖², not −½‖a‖: ‖a + b‖ for vectors of length 2."""
    values = []
    for inner in (-1.0, -2.0):
        a = np.array([2.0, 0.0])
        b = np.array([inner / 2.0, np.sqrt(4.0 - (inner / 2.0) ** 2)])
        values.append(float(np.linalg.norm(a + b)))
    return Finding(
        tuple(values),
        values[0] != 2 and abs(values[1] - 2) < 1e-12,
        f"length of the sum: {values[0]:.4f} with −½‖a‖, {values[1]:g} with −½‖a‖²",
    )


def reciprocal_weight() -> Finding:
    """Show that Q, not Q⁻¹, is the product of lengths: cos(a + b, c), and products weighted by either."""
    a, b, c = lists(GOOGLENEWS)["male"][:3]
    total, lengths = (float((a + b) @ c), float(np.linalg.norm(a + b) * np.linalg.norm(c)))
    cosine, over_q, over_reciprocal = _cosine(a + b, c), total / lengths, total * lengths
    return Finding(
        (cosine, over_q, over_reciprocal),
        abs(cosine - over_q) < 1e-12 and over_reciprocal > 1,
        f"cosine {cosine:.4f}, over the product of lengths {over_q:.4f}, over its reciprocal {over_reciprocal:.4f}",
    )


def sign_of_the_factor() -> Finding:
    """Show that a negative factor changes the sign of a cosine: cos(a, b) and cos(−2a, b)."""
    a, b = lists(GOOGLENEWS)["male"][0], lists(GOOGLENEWS)["pleasant"][0]
    values = (_cosine(a, b), _cosine(-2.0 * a, b))
    return Finding(
        values,
        abs(values[0] + values[1]) < 1e-12 < abs(values[0]),
        f"cosine {values[0]:+.4f}, with the factor −2 {values[1]:+.4f}",
    )


def isotropic_means_self_orthogonal() -> Finding:
    """Show that four vectors cannot have inner products −½, but three can: smallest Gram eigenvalues."""
    finding = no_isotropic_space()
    return Finding(finding.values[:2], finding.holds, finding.detail)


def subspace_count() -> Finding:
    """Show that the published number of closer subspaces is not C(2, 2) in the paper's example."""
    finding = number_of_closer_subspaces()
    return Finding((*finding.values, 1.0), finding.values[0] != 1, finding.detail)


# --- supplement: regressions --------------------------------------------------------------------------------


def decomposition() -> Finding:
    """Show that the published decomposition of α1* is wrong: α1*, the published sum, and the correct sum."""
    decomposed = distortion_decomposition(designs()["GloVe unpleasant"])
    values = (decomposed.alpha_1, decomposed.published_total, decomposed.total)
    return Finding(
        values,
        abs(decomposed.discrepancy) < 1e-12 and abs(decomposed.published_discrepancy) > 1,
        f"α1* {values[0]:.4f}, printed sum {values[1]:.4f}, correct sum {values[2]:.4f}",
    )


def weighted_only() -> Finding:
    """Show that both regressions agree only if weighted: largest difference of β, unweighted and weighted."""
    weighted, unweighted = same_model().values
    return Finding(
        (unweighted, weighted),
        weighted < 1e-6 < unweighted,
        f"unweighted {unweighted:.3f} standard errors, weighted by 1/LNW² {or_zero(weighted)}",
    )


def not_always_inflated() -> Finding:
    """Show that a mean cosine can be below the mean local similarity: male and unpleasant words, GloVe."""
    table = experiments.local_similarity_means(experiments.local_similarity_table("glove-weat"))
    row = table.set_index(["design", "group"]).loc[("unpleasant", "male")]
    cosine, local = float(row["cosine"]), float(row["sim_local"])
    return Finding(
        (cosine, local),
        cosine < local,
        f"mean cosine {cosine:.4f}, mean local similarity {local:.4f}; {always_inflated().detail}",
    )


def pairs_counted_twice() -> Finding:
    """Show that a sum's squared length counts each pair once: ratio to it, with pairs once and twice."""
    words = lists(GOOGLENEWS)["male"]
    gram, square = words @ words.T, float(np.sum(words.sum(axis=0) ** 2))
    pair_sum = float(np.triu(gram, 1).sum())
    values = tuple(float((np.trace(gram) + n * pair_sum) / square) for n in (2, 4))
    return Finding(
        values,
        abs(values[0] - 1) < 1e-12 and values[1] > 1.1,
        f"squared length of the sum of the male words over the correct one: pairs once {values[0]:.4f}, twice {values[1]:.4f}",
    )


def sum_or_mean() -> Finding:
    """Show that sum and mean differ in length, but not in cosines: their ratio, and the difference."""
    words, x = lists(GOOGLENEWS)["male"], lists(GOOGLENEWS)["pleasant"][0]
    total, mean = words.sum(axis=0), words.mean(axis=0)
    ratio = float(np.linalg.norm(total) / np.linalg.norm(mean))
    error = abs(_cosine(total, x) - _cosine(mean, x))
    return Finding(
        (ratio, error),
        ratio > 1 and error < 1e-12,
        f"the sum is {ratio:.4f} times as long as the mean, cosines {or_zero(error)} apart",
    )


def mean_one_is_not_enough() -> Finding:
    """Show that mean weight 1 is neither sufficient nor necessary for equal cosines.

    Mean weight, centroid's cosine, and mean cosine are given for weight 1 and for another weight with equal cosines.
    """

    def psi_and_words(t: float) -> tuple[float, Array]:
        words = np.array([[1.0, 0.0], [0.0, t]])
        return float((np.linalg.norm(words.mean(axis=0)) / np.array([1.0, t])).mean()), words

    t = float(optimize.brentq(lambda t: psi_and_words(t)[0] - 1.0, 0.2, 0.6))
    psi, words = psi_and_words(t)
    x = np.array([1.0, 0.0])
    other_psi, other_words = psi_and_words(2.0)
    ratios = np.linalg.norm(other_words.mean(axis=0)) / np.linalg.norm(other_words, axis=1)
    y = np.array([2.0 * (1 - ratios[1]), -(1 - ratios[0])])  # Σ⟨Ω_j,Y⟩(1 − ψ_j) = 0
    centroid, mean = _cosine(words.mean(axis=0), x), mean_cosine_similarity(words, x[None])
    other_centroid = _cosine(other_words.mean(axis=0), y)
    other_mean = mean_cosine_similarity(other_words, y[None])
    return Finding(
        (psi, centroid, mean, other_psi, other_centroid, other_mean),
        centroid - mean > 0.1 and abs(other_psi - 1) > 0.1 and abs(other_centroid - other_mean) < 1e-12,
        f"mean ψ {psi:.4f}: cosine with the centroid {centroid:.4f}, mean cosine {mean:.4f}; mean ψ {other_psi:.4f}: "
        f"{other_centroid:.4f} and {other_mean:.4f}",
    )


def component_cosines() -> Finding:
    """Show that the cosine of a sum is a sum over one LNW, and not the sum of the cosines."""
    words, x = lists(GOOGLENEWS)["male"], lists(GOOGLENEWS)["pleasant"][0]
    total = words.sum(axis=0)
    scaled_sum = float((words @ x).sum() / (np.linalg.norm(total) * np.linalg.norm(x)))
    values = (_cosine(total, x), sum(_cosine(w, x) for w in words), scaled_sum)
    return Finding(
        values,
        abs(values[0] - values[2]) < 1e-12 < abs(values[0] - values[1]),
        f"cosine of the sum {values[0]:.4f}, sum of the cosines {values[1]:.4f}, sum of inner products over one LNW "
        f"{values[2]:.4f}",
    )


def other_reference_words() -> Finding:
    """Show that components enter with Y_i, not X_i: relative residuals of ⟨Ω,Y_i⟩ with either."""
    words = lists(GOOGLENEWS)
    omega, Y, X = words["male"], words["pleasant"], words["unpleasant"]
    inner = Y @ omega.sum(axis=0)
    values = tuple(
        float(np.linalg.norm(inner - (Z @ omega.T).sum(axis=1)) / np.linalg.norm(inner)) for Z in (Y, X)
    )
    return Finding(
        values,
        values[0] < 1e-12 and values[1] > 0.1,
        f"relative difference: with Y_i {or_zero(values[0])}, with X_i {values[1]:.3f}",
    )


def scale_of_table_1() -> Finding:
    """Show that Table 1 is divided by N, not by a geometric mean: unequal lists, divisors for WEAT 3."""
    k = {
        str(test): {role: len(getattr(keywords.load(str(test)), role).words()) for role in "ABCD"}
        for test in published.table_1_full_precision()["test"]
    }
    n_unequal = sum(k[test][a] != k[test][b] for test in k for a, b in ("AC", "AD", "BD", "BC"))
    shortest = min(k["weat-3"].values())
    geometric = float(np.sqrt(k["weat-3"]["A"] * k["weat-3"]["C"]))
    return Finding(
        (float(n_unequal), float(shortest), geometric),
        geometric > shortest,
        f"{n_unequal} of 40 comparisons have lists of unequal length; WEAT 3, divisor {shortest} against {geometric:.2f}",
    )


def ways_to_partition() -> Finding:
    """Show that partitions grow faster than the set: Bell numbers of 4 and 8, and their ratio."""
    bell = [1]
    for n in range(8):
        bell.append(sum(comb(n, k) * bell[k] for k in range(n + 1)))
    values = (float(bell[4]), float(bell[8]), bell[8] / bell[4])
    return Finding(
        values, values[2] > 2, f"{bell[4]} ways for 4 words, {bell[8]:,} for 8, {values[2]:.0f} times as many"
    )
