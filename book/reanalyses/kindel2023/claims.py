"""Results that decide the claims in the main text of Kindel (2023): one function per entry of ``ledger.toml``.

Every function returns a `Finding`: our values (in its docstring, after the colon), whether the claim holds as stated
(None if the numbers do not decide), and a description of the numbers. The paper's own GloVe vectors are not bundled.
The sums of its Table 1 are checked with the components that the author published; its figures are recomputed with the
words of Table S1 in GoogleNews, the space of Figures S1 to S3, and in a 100-dimensional GloVe that replaces that of
Figures S4 to S6. Random draws have fixed seeds. The claims of the supplement are in `supplement_claims`.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import scipy.linalg
import scipy.spatial.distance
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab._core.multiplicity import holm
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association import consistency, keywords, nulls
from isotropy_lab.association._weat import weat
from isotropy_lab.association.canonical import canonical_congruences, canonical_similarity, row_basis
from isotropy_lab.association.cosine import cosine_similarities, mean_cosine_similarity
from reanalyses.kindel2023 import experiments, lattice, published
from reanalyses.kindel2023.consistency import expected_consistency
from reanalyses.kindel2023.consistency_index import consistency_index
from reanalyses.kindel2023.estimators import center_lists
from reanalyses.kindel2023.experiments.spaces import find_test
from reanalyses.kindel2023.frequencies import word_frequencies
from reanalyses.kindel2023.spaces import load
from reanalyses.ledger import Finding
from reanalyses.zeros import listed, or_zero

Array = NDArray[np.float64]

#: The space of Figures S1 to S3, and a second space.
SPACES = {"GoogleNews": "googlenews-weat", "GloVe": "glove-weat"}
#: Number of draws from each null distribution, as on the page about the supplement.
N_DRAWS = 2_000


# --- data shared by several claims --------------------------------------------------------------------------

#: Outscored sublists of the lists of Table S1, in a space.
consistency_of = lru_cache(maxsize=2)(experiments.consistency_table)
#: Minimum, mean and maximum of each metric over pairs of sublists, by size.
between = lru_cache(maxsize=2)(experiments.between_list_summary)
#: Table 1 on another space.
table_1_of = lru_cache(maxsize=2)(experiments.weat_table)


@lru_cache(maxsize=8)
def lists(space: str, test: str = "gender-sentiment") -> dict[str, Array]:
    """Return the four lists of a test by label."""
    labels = experiments.list_labels(test)
    return {labels[role]: words for role, words in experiments.list_vectors(space, test).items()}


@lru_cache(maxsize=2)
def conditions_of(space: str) -> pd.DataFrame:
    """Return the rank correlations between condition numbers and margins, by list and size."""
    return experiments.condition_correlations(experiments.condition_table(space))


@lru_cache(maxsize=2)
def nulls_of(space: str) -> Any:
    """Return null distributions of all congruences and totals, drawn from the 10,000 most frequent words."""
    return experiments.congruence_nulls(space, n_resamples=N_DRAWS, rng=0)


@lru_cache(maxsize=1)
def expected_on_25_words() -> pd.DataFrame:
    """Return the expected consistency of sublists of the 25 pleasant words of WEAT 1, by q and k."""
    return expected_consistency(lists("googlenews-weat", "weat-1")["pleasant"])


@lru_cache(maxsize=1)
def _published() -> pd.DataFrame:
    return published.table_1_full_precision().set_index("test")


def three_vectors() -> Array:
    """Return unit vectors at −60°, 0°, and 60°."""
    return experiments.three_vectors_at(60, 60)


def holds_in_most(count: int, total: int) -> bool | None:
    """Decide a claim about a tendency: true for 75% or more, false for at most 25%, otherwise undecided."""
    if 4 * count >= 3 * total:
        return True
    return False if 4 * count <= total else None


def holds_in_most_signs(signs: list[int]) -> bool | None:
    """Decide a claim about a sign: 1 for, -1 against, 0 if not significant; 75% of the cases decide either way."""
    if holds_in_most(signs.count(1), len(signs)):
        return True
    return False if holds_in_most(signs.count(-1), len(signs)) else None


def unanimous(answers: Sequence[bool | None]) -> bool | None:
    """Return the common answer under all interpretations of a claim, or None if the answers differ."""
    return answers[0] if len(set(answers)) == 1 else None


def component_columns(metric: str) -> list[str]:
    """Return the columns of Table 1 that contain the components of a metric, "mcs" or "cca"."""
    return [f"{metric}_{component}" for component in experiments.COMPONENTS]


def _means(space: str, metric: str) -> dict[str, Array]:
    """Return the means over all pairs of q-sublists, by pair of lists."""
    table = between(space)
    rows = table.loc[table["metric"] == metric]
    return {str(pair): group["mean"].to_numpy() for pair, group in rows.groupby("lists", sort=False)}


# --- abstract, consistency ----------------------------------------------------------------------------------


def lists_of_four() -> Finding:
    """Test whether triples can be outscored in lists of four words: fraction of such lists, by space."""
    fractions = []
    for space in SPACES.values():
        is_inconsistent = [
            bool(consistency_index(words[list(indices)], 3).n_beaten)
            for words in lists(space).values()
            for indices in itertools.combinations(range(len(words)), 4)
        ]
        fractions.append(float(np.mean(is_inconsistent)))
    detail = ", ".join(f"{name} {x:.1%}" for name, x in zip(SPACES, fractions, strict=True))
    holds = min(fractions) > 0
    return Finding(tuple(fractions), holds, f"lists of four words with a outscored triple: {detail}")


def fails_from_four_and_three() -> Finding:
    """Test whether mean cosine is inconsistent if 3 ≤ q < k ≤ 8: fraction of these sizes, by space.

    A size counts if some list or sublist of k words has an outscored sublist of q words; pairs are added.
    """
    values, details = [], []
    for name, space in SPACES.items():
        inconsistent: set[tuple[int, int]] = set()
        for words in lists(space).values():
            table = expected_consistency(words).query("expected_weak < 1 - 1e-12")
            inconsistent |= set(zip(table["k"], table["q"], strict=True))
        sizes = {(k, q) for k in range(4, 9) for q in range(3, k)}
        values.append(len(inconsistent & sizes) / len(sizes))
        pairs = "are" if any(q == 2 for _, q in inconsistent) else "are not"
        details.append(
            f"{name}: outscored sublists at {len(inconsistent & sizes)} of {len(sizes)} sizes, pairs {pairs} outscored"
        )
    n_outscored = consistency_index(three_vectors(), 2).n_beaten
    details.append(f"unit vectors at −60°, 0° and 60°: {n_outscored} outscored pair")
    return Finding(tuple(values), min(values) == 1, "; ".join(details))


def negative_distance() -> Finding:
    """Test whether outscored sublists require a negative distance: counts, and smallest distances.

    The lists are four orthogonal words, and three unit vectors in a plane with a fourth orthogonal to it.
    """
    lists_by_name = {"no outscored sublist": np.eye(4), "outscored triple": four_vectors()}
    n_outscored, smallest = [], []
    for words in lists_by_name.values():
        n_outscored.append([consistency_index(words, q).n_beaten for q in (1, 2, 3)])
        smallest.append(min(float(np.linalg.norm(x - y)) for x, y in itertools.combinations(words, 2)))
    detail = "; ".join(
        f"{name}: outscored singles, pairs and triples {', '.join(map(str, n))}, smallest distance {d:.3f}"
        for name, n, d in zip(lists_by_name, n_outscored, smallest, strict=True)
    )
    is_shown = max(n_outscored[0]) == 0 < n_outscored[1][2] and min(smallest) > 0
    return Finding((float(max(n_outscored[0])), float(n_outscored[1][2]), *smallest), not is_shown, detail)


def four_vectors() -> Array:
    """Return unit vectors at −60°, 0°, and 60° in a plane, and a fourth vector orthogonal to it."""
    words = np.eye(4)
    words[:3, :3] = np.column_stack([three_vectors()[:, :2], np.zeros(3)])
    return words


def inadmissible() -> Finding:
    """Test whether mean cosine is inadmissible: its smallest consistency index for q ≥ 3, by list.

    A metric is admissible if every sublist is most similar to itself, that is, if the index is 1.
    """
    smallest: dict[str, float] = {}
    for name, space in SPACES.items():
        table = consistency_of(space).query("similarity == 'mean-cosine' and q >= 3")
        smallest |= {f"{name} {label}": float(group["weak"].min()) for label, group in table.groupby("list")}
    detail = ", ".join(f"{name} {value:.2f}" for name, value in smallest.items())
    return Finding(
        tuple(smallest.values()), max(smallest.values()) < 1, f"smallest share closest to itself: {detail}"
    )


def agnostic() -> Finding:
    """Test whether results agree across spaces: outscored sublists by both metrics, and median |ratio|."""
    values, details, answers = [], [], []
    for name, space in SPACES.items():
        n_outscored = consistency_of(space).groupby("similarity")["n_beaten"].sum()
        ratio = float(table_1_of(space)["ratio"].abs().median())
        values += [float(n_outscored["mean-cosine"]), float(n_outscored["canonical"]), ratio]
        answers.append(n_outscored["mean-cosine"] > 0 == n_outscored["canonical"] and ratio > 1)
        details.append(
            f"{name}: outscored sublists by mean cosine {n_outscored['mean-cosine']:.0f}, by the canonical metric "
            f"{n_outscored['canonical']:.0f}, median |ratio| {ratio:.2f}"
        )
    return Finding(tuple(values), all(answers), "; ".join(details))


def condition_of_the_words() -> Finding:
    """Test whether a list's condition number is the ratio of the axes of its ellipsoid, by differences.

    The ellipsoid is the image of the unit sphere under the unit vectors; the ratio is that of its longest to shortest
    axis. In addition, the squared condition number is compared with that of the matrix of cosines.
    """
    error = error_of_squares = 0.0
    for space in SPACES.values():
        for words in lists(space).values():
            units = unit_rows(words)
            cosines = cosine_similarities(words, words)
            axes = np.sqrt(np.linalg.eigvalsh(units @ units.T))  # axes of the ellipsoid {Xᵀu : ‖u‖ = 1}
            condition = float(np.linalg.cond(units))
            error = max(error, abs(condition / float(axes[-1] / axes[0]) - 1))
            error_of_squares = max(error_of_squares, abs(float(np.linalg.cond(cosines)) / condition**2 - 1))
    return Finding(
        (error, error_of_squares),
        max(error, error_of_squares) < 1e-9,
        f"relative difference from the ratio of the axes {or_zero(error)}; of its square from the condition number of the "
        f"cosine matrix {or_zero(error_of_squares)}",
    )


def columns_of_zeros() -> Finding:
    """Test whether columns of zeros leave cosines unchanged: largest change by 1,000 columns (Table S1)."""
    largest = 0.0
    for space in SPACES.values():
        a, b = lists(space)["male"], lists(space)["pleasant"]
        padded = [np.pad(words, ((0, 0), (0, 1_000))) for words in (a, b)]
        changes = np.abs(cosine_similarities(*padded) - unit_rows(a) @ unit_rows(b).T)
        largest = max(largest, float(changes.max()))
    return Finding((largest,), largest < 1e-12, f"largest change of a cosine {or_zero(largest)}")


def capped_by_the_shorter_list() -> Finding:
    """Test whether the shorter list bounds the dimension: ranks for 8 male and k pleasant words, k ≤ 8."""
    male, pleasant = lists("googlenews-weat")["male"], lists("googlenews-weat")["pleasant"]
    basis = row_basis(male)
    ranks = [int(np.linalg.matrix_rank(basis.T @ row_basis(pleasant[:k]), tol=1e-9)) for k in range(1, 9)]
    excess = max(rank - rank_of(pleasant[:k]) for k, rank in enumerate(ranks, 1))
    return Finding(
        tuple(map(float, ranks)),
        excess <= 0 and max(ranks) <= 8,
        f"dimensions in which the lists are alike, k = 1 to 8: {', '.join(map(str, ranks))}",
    )


def tetrahedron() -> Finding:
    """Test whether a triple outscored by one with two words in common implies a negative distance.

    The values are the number of such triples, and the smallest distance of the two words that differ. A third of this
    distance is compared with the distance implied by mean cosine, √(Sim(S,S) + Sim(T,T) − 2 Sim(S,T)).
    """
    n_comparisons, smallest, largest_error = 0, np.inf, 0.0
    for words in lists("googlenews-weat").values():
        units = unit_rows(words)
        table = lattice.subset_similarities(words, 3)
        diagonal = np.diagonal(table.values)
        for i, j in zip(*np.nonzero(table.values > diagonal[:, None] + consistency.TOLERANCE), strict=True):
            first, second = (set(table.subsets[x].tolist()) for x in (i, j))
            if len(first & second) == 2:
                n_comparisons += 1
                (x,), (y,) = first - second, second - first
                distance = float(np.linalg.norm(units[x] - units[y]))
                implied = float(diagonal[i] + diagonal[j] - 2 * table.values[i, j])
                smallest = min(smallest, distance)
                largest_error = max(largest_error, abs(implied - (distance / 3) ** 2))
    pronouns = np.array([word_in_pool(w) for w in ("he", "him", "his", "himself")])
    n_outscored = consistency_index(pronouns, 3).n_beaten
    detail = (
        f"{n_comparisons} such comparisons of triples on GoogleNews, smallest distance of the differing words "
        f"{smallest:.3f}; "
        f"squared distance implied by mean cosine minus a ninth of the squared distance, at most {or_zero(largest_error)}; "
        f"outscored triples of he, him, his, himself: {n_outscored}"
    )
    return Finding(
        (float(n_comparisons), smallest),
        not (n_comparisons > 0 and smallest > 0 and largest_error < 1e-9),
        detail,
    )


def word_in_pool(word: str) -> Array:
    """Return the vector of a word in the GoogleNews pool."""
    names, vectors = experiments.pool_words("googlenews-weat")
    return np.asarray(vectors[names.index(word)])


def distance_about_an_edge(angle: float) -> float:
    """Return the distance between the tips of two triangles that share an edge, given their angle."""
    tips = np.array([[np.cos(t), np.sin(t)] for t in (0.0, np.deg2rad(angle))])
    return float(np.linalg.norm(tips[1] - tips[0]))


def dihedral_angle_is_proportional() -> Finding:
    """Test whether dihedral angles are proportional to the distance of the tips: at 60° and at 120°."""
    first, second = (distance_about_an_edge(angle) for angle in (60.0, 120.0))
    return Finding(
        (first, second),
        abs(second - 2 * first) < 1e-9,
        f"distance {first:.4f} at 60°, {second:.4f} at 120°, twice the angle",
    )


def partly_predictable() -> Finding:
    """Test whether conditioning predicts inconsistency: median |rank correlation| with margins, by space.

    Sizes are 2 to 6, with at least 28 sublists each; there are only eight sublists of seven words.
    """
    values = {}
    for name, space in SPACES.items():
        table = conditions_of(space)
        values[name] = float(table.loc[table["q"].isin(range(2, 7)), "correlation"].abs().median())
    detail = ", ".join(f"{n} {v:.2f}" for n, v in values.items())
    return Finding(
        tuple(values.values()), all(0.2 < v < 0.9 for v in values.values()), f"median |ρ|: {detail}"
    )


def lower_condition_number() -> Finding:
    """Test whether outscored sublists have lower median condition numbers: fraction of lists and sizes."""
    by_size, over_sizes = {}, {}
    for name, space in SPACES.items():
        table = conditions_of(space).dropna(subset=["median_beaten", "median_unbeaten"])
        is_lower = table["median_beaten"] < table["median_unbeaten"]
        is_single_size = table["q"] != "all"
        by_size[name] = (int(is_lower[is_single_size].sum()), int(is_single_size.sum()))
        over_sizes[name] = int(is_lower[~is_single_size].sum())
    # The stored numbers of GoogleNews equal ours to the last digit.
    stored = published.consistency().query("space != 'GoogleNews'")
    for name, table in stored.dropna().groupby("space"):
        is_lower = table["median_beaten"] < table["median_unbeaten"]
        by_size[str(name)] = (int(is_lower.sum()), len(is_lower))
    fractions = tuple(a / b for a, b in by_size.values())
    detail = "; ".join(f"{n}: {a} of {b} within one size" for n, (a, b) in by_size.items())
    detail += "".join(f"; {n}: {k} of 4 over all sizes" for n, k in over_sizes.items())
    return Finding(fractions, min(fractions) >= 0.75, f"lower where outscored: {detail}")


def regular_lists_are_consistent() -> Finding:
    """Test whether irregular lists are less consistent: rank correlation with sublists not outscored.

    The irregularity is the coefficient of variation of the distances between the words' unit vectors. The result is
    the median over the lists of Table S1, with four lists of equal angles as regular simplices.
    """
    medians = {}
    for name, space in SPACES.items():
        correlations = []
        for words in lists(space).values():
            sublists = [words[list(c)] for c in itertools.combinations(range(len(words)), 6)]
            edges = [scipy.spatial.distance.pdist(unit_rows(s)) for s in sublists]
            profiles = [consistency.consistency_profile(s) for s in sublists]
            fractions = [1 - p["n_beaten"].sum() / p["n_subsets"].sum() for p in profiles]
            correlations.append(
                float(stats.spearmanr([e.std() / e.mean() for e in edges], fractions).statistic)
            )
        medians[name] = float(np.median(correlations))
    regular = [np.linalg.cholesky((1 - c) * np.eye(6) + c) for c in (-0.1, 0.0, 0.5, 0.9)]
    n_outscored = sum(int(consistency.consistency_profile(w)["n_beaten"].sum()) for w in regular)
    detail = ", ".join(f"{n} {v:+.2f}" for n, v in medians.items())
    return Finding(
        tuple(medians.values()),
        max(medians.values()) < -0.5 and n_outscored == 0,
        f"median ρ of irregularity and share not outscored: {detail}; outscored sublists of regular lists: {n_outscored}",
    )


def canonical_is_consistent() -> Finding:
    """Test whether canonical similarity is consistent: smallest index, with ties as success and failure."""
    weak, strict = [], []
    for space in SPACES.values():
        rows = consistency_of(space).query("similarity == 'canonical'")
        weak.append(float(rows["weak"].min()))
        strict.append(float(rows["strict"].min()))
    words = lists("googlenews-weat", "weat-1")["pleasant"]
    for q in (2, 12, 24):
        index = consistency_index(
            words, q, similarity="canonical", n_resamples=None if q == 24 else 200, rng=0
        )
        weak.append(index.weak)
        strict.append(index.strict)
    return Finding(
        (min(weak), min(strict)),
        min(weak) == 1 and min(strict) == 1,
        f"smallest share closest to itself {min(weak):g}, counting ties as failures {min(strict):g}",
    )


def canonical_up_to_dimension() -> Finding:
    """Test whether canonical similarity is consistent up to k = p words: smallest strict index.

    The words are Gaussian in three, four, and five dimensions with every q < k = p, and 100 words of the
    100-dimensional GloVe at q = 99. Three words in a plane, more than it has dimensions, are added.
    """
    rng = np.random.default_rng(0)
    strict = [
        consistency_index(rng.standard_normal((p, p)), q, similarity="canonical").strict
        for p in (3, 4, 5)
        for q in range(1, p)
    ]
    _, pool = experiments.pool_words("glove-weat")
    p = pool.shape[1]
    p_words = pool[rng.choice(len(pool), p, replace=False)]
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        strict.append(consistency_index(p_words, p - 1, similarity="canonical").strict)
        beyond_p = consistency_index(three_vectors()[:, :2], 2, similarity="canonical")
    return Finding(
        (min(strict),),
        min(strict) == 1,
        f"smallest strict share at k = p: {min(strict):g}; three words in a plane, k > p: {beyond_p.strict:g}, with "
        f"ties counted as consistent {beyond_p.weak:g}",
    )


def consistency_falls_with_k() -> Finding:
    """Test whether more words lower consistency: expected index at q = 8 for lists of 9, 16, 25 words."""
    table = expected_on_25_words()
    curves = [curve["expected_weak"] for _, curve in table.groupby("q") if len(curve) > 1]
    rise = max(float(curve.diff().max()) for curve in curves)
    at_8_words = table.loc[table["q"] == 8].set_index("k")["expected_weak"]
    values = tuple(float(at_8_words[k]) for k in (9, 16, 25))
    return Finding(
        values,
        rise <= 1e-12 and values[0] > values[-1],
        f"expected share at q = 8: {values[0]:.3f} for k = 9, {values[1]:.3f} for k = 16, {values[2]:.3f} for k = 25; "
        f"largest rise at any q {or_zero(max(rise, 0.0))}",
    )


def always_more_consistent() -> Finding:
    """Test whether canonical similarity is always more consistent: numbers of lists for and against.

    The lists are those of Table S1 and of WEAT 6 to 10, and the pleasant and unpleasant words of WEAT 5, with the
    words that each space contains; a list of two tests counts twice. Longer lists have too many sublists.
    """
    n_fewer = n_others = n_sublists = 0
    totals = {"mean-cosine": 0, "canonical": 0}
    for space in SPACES.values():
        for test in keywords.names():
            for words in component_lists(space, test):
                if not 4 <= len(words) <= 8:
                    continue
                profiles = {s: consistency.consistency_profile(words, similarity=s) for s in totals}
                n_outscored = {s: int(profile["n_beaten"].sum()) for s, profile in profiles.items()}
                n_sublists += int(profiles["canonical"]["n_subsets"].sum())
                n_fewer += int(n_outscored["canonical"] < n_outscored["mean-cosine"])
                n_others += int(n_outscored["canonical"] >= n_outscored["mean-cosine"])
                totals = {s: n + n_outscored[s] for s, n in totals.items()}
    return Finding(
        (float(n_fewer), float(n_others)),
        n_others == 0 < n_fewer,
        f"fewer outscored sublists by the canonical metric in {n_fewer} of {n_fewer + n_others} lists; of their {n_sublists:,} "
        f"sublists mean cosine has {totals['mean-cosine']:,} outscored, the canonical metric {totals['canonical']}",
    )


def component_lists(space: str, test: str) -> list[Array]:
    """Return the four lists of a test."""
    return list(experiments.list_vectors(space, test).values())


def must_not_decrease() -> Finding:
    """Test whether consistency implies a similarity that does not decrease with q: means at q = 1 and 2.

    The artificial lists have three words each, so that q is 1 or 2: e1 and two words at 30° to it, in different
    directions. For the male and pleasant words in GloVe, q ranges from 1 to 7.
    """
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    axes = np.eye(5)
    first, second = (np.array([axes[0], *(c * axes[0] + s * axes[[i, i + 1]])]) for i in (1, 3))
    means = []
    # Planes in five dimensions necessarily intersect.
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        for q in (1, 2):
            similarities = lattice.between_subset_similarities(first, second, q, similarity="canonical")
            means.append(float(similarities.mean()))
        strict = min(
            consistency_index(words, q, similarity="canonical").strict
            for words in (first, second)
            for q in (1, 2)
        )
    on_glove = _means("glove-weat", "canonical, scaled")["male / pleasant"][:-1]
    return Finding(
        (*means, strict),
        not (strict == 1 and means[1] < means[0]),
        f"three words each: mean {means[0]:.4f} at q = 1, {means[1]:.4f} at q = 2, consistency {strict:g}; male and "
        f"pleasant on GloVe, q = 1 to 7: {on_glove[0]:.4f} at q = 1, smallest {on_glove.min():.4f} at q = "
        f"{int(on_glove.argmin()) + 1}",
    )


# --- the canonical metric -----------------------------------------------------------------------------------


def bounds() -> Finding:
    """Test whether the unscaled metric is in [0, smaller rank]: smallest value, and largest excess."""
    smallest, excess = np.inf, -np.inf
    for space in SPACES.values():
        for test in keywords.names():
            a, b, c, d = component_lists(space, test)
            for x, y in ((a, c), (a, d), (b, c), (b, d)):
                value = quiet_trace(x, y)
                smallest = min(smallest, value)
                excess = max(excess, value - min(row_basis(x).shape[1], row_basis(y).shape[1]))
    return Finding(
        (smallest, excess),
        smallest >= 0 and excess <= 1e-9,
        f"smallest value {smallest:.3g}; largest value minus the smaller rank {excess:.3g}, which is below the bound",
    )


def quiet_trace(x: Array, y: Array) -> float:
    """Return the unscaled canonical similarity without the warning about lists that nearly span the space."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return canonical_similarity(x, y, scale=None)


def squared_cosine() -> Finding:
    """Test whether the metric of two words is cos²: largest difference, male and pleasant words."""
    male, pleasant = (lists("googlenews-weat")["male"], lists("googlenews-weat")["pleasant"])
    cosines = cosine_similarities(male, pleasant)
    ours = np.array([[canonical_similarity(x[None], y[None]) for y in pleasant] for x in male])
    error = float(np.abs(ours - cosines**2).max())
    return Finding((error,), error < 1e-12, f"largest difference {or_zero(error)}")


def inner_product() -> Finding:
    """Test whether the metric is an inner product: smallest eigenvalue and asymmetry, triples of a list."""
    values = lattice.subset_similarities(
        lists("googlenews-weat")["male"], 3, similarity="canonical", scale=None
    ).values
    smallest = float(np.linalg.eigvalsh((values + values.T) / 2)[0])
    asymmetry = float(np.abs(values - values.T).max())
    return Finding(
        (smallest, asymmetry),
        smallest > -1e-10 and asymmetry < 1e-12,
        f"smallest eigenvalue {or_zero(smallest)}, asymmetry {or_zero(asymmetry)}",
    )


def scale_is_length() -> Finding:
    """Test whether √(self · self) is the geometric mean of the lengths: largest difference."""
    error = 0.0
    for test in keywords.names():
        for x, y in itertools.combinations(component_lists("googlenews-weat", test), 2):
            ours = np.sqrt(quiet_trace(x, x) * quiet_trace(y, y))
            error = max(error, abs(float(ours - np.sqrt(len(x) * len(y)))))
    male = lists("googlenews-weat")["male"][:2]
    with_repetition = float(np.sqrt(quiet_trace(male, male) * quiet_trace(np.vstack([male, male[:1]]), male)))
    return Finding(
        (error,),
        error < 1e-8,
        f"largest difference {or_zero(error)}; with a list of two and the same with a word twice: {with_repetition:.4f} "
        f"against √6 = {np.sqrt(6):.4f}",
    )


def singular_values() -> Finding:
    """Test whether congruences are singular values of P·Q and of uncentered CCA: largest difference."""
    error = 0.0
    by_label = lists("googlenews-weat")
    for x, y in (("male", "pleasant"), ("female", "unpleasant")):
        a, b = by_label[x], by_label[y]
        projections = [np.linalg.pinv(m) @ m for m in (a, b)]
        ours = canonical_congruences(a, b)
        by_svd = scipy.linalg.svdvals(projections[0] @ projections[1])[: len(ours)]
        cross = a @ b.T
        squares = np.linalg.eigvals(
            np.linalg.solve(a @ a.T, cross) @ np.linalg.solve(b @ b.T, cross.T)
        ).real  # CCA without centering, with words as variables
        by_cca = np.sqrt(np.sort(squares)[::-1])
        error = max(error, float(np.abs(ours - by_svd).max()), float(np.abs(ours - by_cca).max()))
    return Finding((error,), error < 1e-8, f"largest difference {or_zero(error)}")


def other_names() -> Finding:
    """Test whether the scaled metric is Tucker's congruence and the RV coefficient of the projections.

    Tucker's coefficient refers to the entries of the projections, and RV to both as matrices of inner products. RV of
    the words themselves is added, uncentered and centered over dimensions (linear CKA).
    """
    a, b = (lists("googlenews-weat")["male"], lists("googlenews-weat")["pleasant"])
    ours = canonical_similarity(a, b)
    bases = [row_basis(x) for x in (a, b)]
    first, second = (basis @ basis.T for basis in bases)
    congruence = float(first.ravel() @ second.ravel()) / float(np.linalg.norm(first) * np.linalg.norm(second))
    whitened = rv_coefficient(*(basis.T for basis in bases))
    rv, cka = rv_coefficient(a, b), rv_coefficient(*(m - m.mean(axis=1, keepdims=True) for m in (a, b)))
    return Finding(
        (ours, congruence, whitened),
        max(abs(congruence - ours), abs(whitened - ours)) < 1e-10,
        f"metric {ours:.4f}; congruence coefficient of the projections {congruence:.4f}, RV of orthonormal bases "
        f"{whitened:.4f}; RV of the words themselves {rv:.4f}, linear CKA {cka:.4f}",
    )


def rv_coefficient(a: Array, b: Array) -> float:
    """Return the RV coefficient of two lists as variables over the dimensions: ‖ABᵀ‖²/(‖AAᵀ‖‖BBᵀ‖)."""
    numerator = float(np.sum((a @ b.T) ** 2))
    return numerator / float(np.linalg.norm(a @ a.T) * np.linalg.norm(b @ b.T))


def center_of_all_words() -> Finding:
    """Test whether the correct center is near 0: lengths of two mean unit vectors, and of a coordinate mean.

    Over words, the center is the mean of the unit vectors of the 10,000 most frequent words, or of the last 2,000 of
    them. Over coordinates, which a canonical correlation analysis with words as columns centers, it is the mean
    coordinate of the words of Table S1 with columns of zeros for all n = 10,000 words, relative to that without. The
    result decides only if both definitions of the center agree, with a bound of 10%.
    """
    values, details, is_near_zero = [], [], []
    for name, space in SPACES.items():
        lengths = lengths_of_means(space)
        words = unit_rows(np.concatenate(list(lists(space).values())))
        padded = np.pad(words, ((0, 0), (0, 10_000 - words.shape[1])))
        coordinate_ratio = float(np.linalg.norm(padded.mean(axis=1)) / np.linalg.norm(words.mean(axis=1)))
        list_lengths = [float(np.linalg.norm(unit_rows(w).mean(axis=0))) for w in lists(space).values()]
        values += [*lengths, coordinate_ratio]
        is_near_zero += [max(lengths) < 0.1, coordinate_ratio < 0.1]
        details.append(
            f"{name}: length of the mean of 10,000 words {lengths[0]:.2f}, of words 8,001 to 10,000 {lengths[1]:.2f}, of "
            f"lists {min(list_lengths):.2f} to {max(list_lengths):.2f}; mean coordinate with the zeros over that without {coordinate_ratio:.3f}"
        )
    return Finding(tuple(values), unanimous(is_near_zero), "; ".join(details))


def lengths_of_means(space: str) -> list[float]:
    """Return the lengths of the mean unit vectors of 10,000 frequent words, and of the last 2,000 of them."""
    pool = unit_rows(experiments.pool_words(space)[1])
    return [float(np.linalg.norm(words.mean(axis=0))) for words in (pool, pool[8_000:])]


def recentering_follows_frequency() -> Finding:
    """Test whether recentering distorts by frequency: rank correlation of the change with the difference.

    Over the forty comparisons of the ten tests: the absolute change when both lists are centered by their own means, and
    the absolute difference of their mean Zipf frequencies.
    """
    values, pvalues, details = [], [], []
    for name, space in SPACES.items():
        differences, changes = changes_by_recentering(space)
        correlation = stats.spearmanr(differences, changes)
        values.append(float(correlation.statistic))
        pvalues.append(float(correlation.pvalue))
        details.append(
            f"{name}: ρ {values[-1]:+.2f} (p = {pvalues[-1]:.2f}), mean change of the metric {np.mean(changes):.3f}"
        )
    clearest = int(np.argmin(pvalues))
    is_significant = len(pvalues) * pvalues[clearest] < 0.05  # the first step of Holm's correction
    return Finding(tuple(values), values[clearest] > 0 if is_significant else None, "; ".join(details))


def changes_by_recentering(space: str) -> tuple[Array, Array]:
    """Return, for 40 pairs of lists, the differences in mean Zipf frequency and the changes in similarity."""
    zipf = word_frequencies()
    changes, differences = [], []
    for test in keywords.names():
        if not test.startswith("weat-"):
            continue
        vectors, words = experiments.list_vectors(space, test), find_test(space, test).words
        mean = {r: float(zipf.reindex([w.casefold() for w in words[r]]).mean()) for r in "ABCD"}
        for x, y in itertools.product("AB", "CD"):
            with warnings.catch_warnings(action="ignore", category=UserWarning):
                centered = canonical_similarity(*center_lists(vectors[x], vectors[y]))
                changes.append(abs(centered - canonical_similarity(vectors[x], vectors[y])))
            differences.append(abs(mean[x] - mean[y]))
    return np.array(differences), np.array(changes)


def lists_fit_the_space() -> Finding:
    """Test whether lists are shorter than the dimension: longest list, and largest deficit of a rank."""
    longest = max(len(getattr(keywords.load(t), role).words()) for t in keywords.names() for role in "ABCD")
    deficits = [
        len(words) - rank_of(words)
        for t in keywords.names()
        for words in component_lists("googlenews-weat", t)
    ]
    p = experiments.word_vectors("googlenews-weat").vectors.shape[1]
    return Finding(
        (float(longest), float(max(deficits))),
        longest < p and max(deficits) == min(deficits) == 0,
        f"longest list {longest} words, dimensions {p}; largest deficit of rank of a list {max(deficits)}",
    )


def rank_of(words: Array) -> int:
    """Return the dimension of the span of a list."""
    return int(row_basis(words).shape[1])


def coincide_at_p() -> Finding:
    """Test whether lists of p words coincide: scaled canonical similarity at 1, p/2, and p random words."""
    p = experiments.word_vectors("glove-weat").vectors.shape[1]
    table = experiments.similarities_by_k("glove-weat", k=(1, p // 2, p))
    values = tuple(table["canonical"])
    detail = ", ".join(f"{v:.4f} at k = {k}" for k, v in zip(table["k"], values, strict=True))
    return Finding(values, values[0] < values[1] < values[2] and abs(values[2] - 1) < 1e-9, detail)


def mean_of_single_words() -> Finding:
    """Test whether mean cosine reflects pairs of words, and not what two lists have in common as wholes.

    {e1, e2} is compared with itself, and with two words whose cosine with each of its words is ½.
    """
    male, pleasant = (lists("googlenews-weat")["male"], lists("googlenews-weat")["pleasant"])
    mean_of_pairs = np.mean([[mean_cosine_similarity(x[None], y[None]) for y in pleasant] for x in male])
    error = abs(float(mean_of_pairs) - mean_cosine_similarity(male, pleasant))
    axes, root_half = np.eye(2, 4), np.sqrt(0.5)
    other_list = np.array([[0.5, 0.5, root_half, 0.0], [0.5, 0.5, 0.0, root_half]])
    mean = [mean_cosine_similarity(axes, words) for words in (axes, other_list)]
    canonical = [canonical_similarity(axes, words) for words in (axes, other_list)]
    return Finding(
        (error, *mean, *canonical),
        error < 1e-12 and abs(mean[0] - mean[1]) < 1e-12 and canonical[0] > canonical[1] + 0.1,
        f"difference {or_zero(error)}; mean cosine {mean[0]:.3f} with itself and {mean[1]:.3f} with the other list, canonical "
        f"{canonical[0]:.3f} and {canonical[1]:.3f}",
    )


# --- Table 1 ------------------------------------------------------------------------------------------------


def _scores(table: pd.DataFrame, metric: str) -> Array:
    ac, ad, bd, bc = (table[c].to_numpy() for c in component_columns(metric))
    return np.asarray((ac + bd) - (bc + ad))


def table_1_scores() -> Finding:
    """Recompute both scores of the ten tests of Table 1 from published components in full precision."""
    by_metric = {m: _scores(_published(), m).tolist() for m in ("mcs", "cca")}
    detail = f"mean cosine, WEAT 1 to 10: {listed(by_metric['mcs'])}; canonical: {listed(by_metric['cca'])}"
    return Finding((*by_metric["mcs"], *by_metric["cca"]), True, detail)


def table_1_components() -> Finding:
    """Compare the components in Table 1 with stored full-precision ones: largest difference."""
    rounded, stored = published.table_1(), published.table_1_full_precision()
    names = [name for name in stored if name.startswith(("mcs_", "cca_"))]
    error = float((rounded[names] - stored[names]).abs().to_numpy().max())
    return Finding(
        (error,),
        error <= 5e-4,
        f"{stored[names].size} components, off by at most {error:.5f}; a printed digit allows 0.0005",
    )


def table_1_ratios() -> Finding:
    """Recompute the ratios of the two scores in Table 1, both summed from the published components."""
    ratios = _ratios().tolist()
    first = published.table_1().iloc[0]
    return Finding(
        tuple(ratios),
        True,
        f"WEAT 1 to 10: {listed(ratios, 5)}; from the three printed digits WEAT 1 has "
        f"{first['weat_mcs'] / first['weat_cca']:.1f}",
    )


def _ratios() -> Array:
    return np.asarray(_scores(_published(), "mcs") / _scores(_published(), "cca"))


def table_1_median() -> Finding:
    """Recompute the median error in magnitude: median |ratio| of the two published scores."""
    value = float(np.median(np.abs(_ratios())))
    return Finding((value,), True, f"median |ratio| {value:.4f}")


def _rank_correlations() -> Array:
    table = _published()
    pairs = zip(
        table[component_columns("mcs")].to_numpy(), table[component_columns("cca")].to_numpy(), strict=True
    )
    return np.array([stats.spearmanr(x, y).statistic for x, y in pairs])


def table_1_rho() -> Finding:
    """Recompute the rank correlations of mean cosines and canonical similarities in Table 1, with median."""
    rho = _rank_correlations().tolist()
    detail = f"WEAT 1 to 10: {listed(rho, 2)}; median {np.median(rho):.2g}"
    return Finding((*rho, float(np.median(rho))), True, detail)


def table_1_n() -> Finding:
    """Test whether N in Table 1 is the length of each test's shortest list, as counted in Table S2."""
    table = n_and_shortest_lengths()
    different = [i for i, (n, k) in enumerate(table.to_numpy().tolist(), 1) if n != k]
    detail = "; ".join(
        f"WEAT {i}: N {table['n'][i - 1]}, shortest list {table['shortest'][i - 1]}" for i in different
    )
    return Finding(
        tuple(map(float, table["shortest"])),
        not different,
        detail or "N is the length of the shortest list in all ten tests",
    )


def n_and_shortest_lengths() -> pd.DataFrame:
    """Return the published N of the ten tests, and the lengths of their shortest lists in Table S2."""
    table = published.table_1()
    shortest = [min(len(getattr(keywords.load(t), role).words()) for role in "ABCD") for t in table["test"]]
    return pd.DataFrame({"n": table["n"], "shortest": shortest})


def weat_8() -> Finding:
    """Test whether WEAT 8 has the closest scores, with opposite signs: tests by ratio, difference, sign."""
    ratios = _ratios()
    by_ratio = int(np.argmin(np.abs(np.log(np.abs(ratios))))) + 1
    magnitudes = [np.abs(_scores(_published(), metric)) for metric in ("mcs", "cca")]
    by_difference = int(np.argmin(np.abs(magnitudes[0] - magnitudes[1]))) + 1
    negative = np.flatnonzero(ratios < 0) + 1
    return Finding(
        (float(by_ratio), float(by_difference), *map(float, negative)),
        by_ratio == by_difference == 8 and negative.tolist() == [8],
        f"closest by ratio WEAT {by_ratio}, by difference of the magnitudes WEAT {by_difference}; opposite signs in WEAT "
        f"{', '.join(map(str, negative))}",
    )


def only_weat_10() -> Finding:
    """Test whether both metrics order the components alike in WEAT 10 only: the tests in which they do."""
    same_order = np.flatnonzero(_rank_correlations() > 1 - 1e-9) + 1
    return Finding(
        tuple(map(float, same_order)),
        same_order.tolist() == [10],
        f"same order in WEAT {', '.join(map(str, same_order)) or 'none'}",
    )


def inflated() -> Finding:
    """Test whether mean cosine tends to be inflated: numbers of |ratio| above 1 and below 1 in Table 1."""
    ratios = np.abs(_ratios())
    above, below = int((ratios > 1).sum()), int((ratios < 1).sum())
    return Finding(
        (float(above), float(below)),
        above > 5 and below > 0,
        f"|ratio| above 1 in {above} tests, below in {below}",
    )


def masked_variation() -> Finding:
    """Test whether scores mask variation: median range of the components over |score|, by metric."""
    table = _published()
    values = tuple(
        float(np.median(np.ptp(table[component_columns(m)].to_numpy(), axis=1) / np.abs(_scores(table, m))))
        for m in ("mcs", "cca")
    )
    return Finding(
        values,
        min(values) > 1,
        f"median range of the components over the score: mean cosine {values[0]:.2f}, canonical {values[1]:.2f}",
    )


def growth_with_n() -> Finding:
    """Test whether mean cosine shrinks and canonical similarity grows with N: rank correlations, Table 1."""
    table = _published()
    n = np.repeat(table["n"].to_numpy(), 4)
    values = tuple(
        float(stats.spearmanr(n, table[component_columns(m)].to_numpy().ravel()).statistic)
        for m in ("mcs", "cca")
    )
    return Finding(
        values,
        values[0] < 0 < values[1],
        f"Spearman's ρ with N: mean cosine {values[0]:+.2f}, canonical {values[1]:+.2f}",
    )


def growth_elsewhere() -> Finding:
    """Test whether mean cosine shrinks and canonical similarity grows with N in our spaces, too."""
    values: list[float] = []
    details = []
    for name, space in SPACES.items():
        table = experiments.weat_components(space)
        n = table.groupby("test", sort=False)[["k_1", "k_2"]].transform("min").min(axis=1)
        cosine, canonical, corrected = (
            float(stats.spearmanr(n, table[c]).statistic) for c in ("mean_cosine", "canonical", "corrected")
        )
        values += [cosine, canonical]
        details.append(
            f"{name}: mean cosine {cosine:+.2f}, canonical {canonical:+.2f}, above chance {corrected:+.2f}"
        )
    holds = all(m < 0 < c for m, c in zip(values[::2], values[1::2], strict=True))
    return Finding(tuple(values), holds, f"Spearman's ρ with N: {'; '.join(details)}")


def inflated_elsewhere() -> Finding:
    """Test whether mean cosine tends to be inflated in our spaces, too: median |ratio|, by space."""
    values = tuple(float(table_1_of(space)["ratio"].abs().median()) for space in SPACES.values())
    detail = ", ".join(f"{name} {v:.2f}" for name, v in zip(SPACES, values, strict=True))
    return Finding(values, min(values) > 1, f"median |ratio|: {detail}")


def signs_elsewhere() -> Finding:
    """Test whether scores can have opposite signs in our spaces, too: number of tests, by space."""
    details = []
    for name, space in SPACES.items():
        table = table_1_of(space).set_index("test")["ratio"]
        opposite = [t for t in table.index if table[t] < 0]
        nearest = str(table.abs().apply(np.log).abs().idxmin())
        details.append(f"{name}: opposite in {', '.join(opposite) or 'none'}, nearest {nearest}")
    counts = tuple(float((table_1_of(space)["ratio"] < 0).sum()) for space in SPACES.values())
    return Finding(counts, min(counts) > 0, "; ".join(details))


def order_elsewhere() -> Finding:
    """Test whether both metrics rarely order components alike in our spaces: number of tests, by space."""
    values, details = [], []
    for name, space in SPACES.items():
        table = table_1_of(space)
        same_order = table.loc[table["rho"] > 1 - 1e-9, "test"].tolist()
        values.append(float(len(same_order)))
        details.append(
            f"{name}: same order in {', '.join(same_order) or 'none'}, median ρ {table['rho'].median():.2f}"
        )
    return Finding(tuple(values), max(values) <= 5, "; ".join(details))


def grand_mean_difference() -> Finding:
    """Test whether the WEAT score is the grand mean of differences of cosines: largest difference."""
    error = 0.0
    for test in ("gender-sentiment", "weat-6", "weat-8"):
        a, b, c, d = component_lists("googlenews-weat", test)
        differences = cosine_similarities(a, c) - cosine_similarities(a, d)
        differences = differences + cosine_similarities(b, d) - cosine_similarities(b, c)
        error = max(error, abs(float(differences.mean()) - weat(a, b, c, d).score))
    return Finding((error,), error < 1e-12, f"largest difference {or_zero(error)}")


# --- figures ------------------------------------------------------------------------------------------------


def figure_1_counts() -> Finding:
    """Test whether mean cosine outscores sublists of all lists (Figures 1, S1): counts, q = 3 to 7."""
    table = consistency_of("googlenews-weat").query("similarity == 'mean-cosine' and q >= 3")
    by_list = {str(n): profile["n_beaten"].tolist() for n, profile in table.groupby("list", sort=False)}
    values = tuple(float(sum(v)) for v in by_list.values())
    detail = "; ".join(f"{n} {', '.join(map(str, v))}" for n, v in by_list.items())
    return Finding(values, bool((table["n_beaten"] > 0).all()), f"outscored sublists at q = 3 to 7: {detail}")


def figure_1_of_the_paper() -> Finding:
    """Test whether only sublists of 3 or more words are outscored in Figure 1, by the author's counts."""
    return _outscored_from_three_words(stored_counts("GloVe of Wikipedia"))


def figure_s4() -> Finding:
    """Test whether only sublists of 3 or more words are outscored in Figure S4, by the author's counts."""
    return _outscored_from_three_words(stored_counts("GloVe of Stanford"))


def stored_counts(space: str) -> pd.Series:
    """Return the author's counts of outscored sublists for all four lists, by size."""
    table = published.consistency()
    return table[table["space"] == space].groupby("q")["n_beaten"].sum().astype(float)


def _outscored_from_three_words(counts: pd.Series) -> Finding:
    """Return whether sublists of every size from three words on are outscored, and none of fewer words."""
    return Finding(
        tuple(map(float, counts)),
        bool((counts[counts.index < 3] == 0).all() and (counts[counts.index >= 3] > 0).all()),
        "outscored sublists of 1 to 7 words, all four lists: " + ", ".join(f"{n:.0f}" for n in counts),
    )


def figure_1_diagonal() -> Finding:
    """Test whether canonical similarity has all row maxima on the diagonal: others, by space (Figure 1)."""
    values = []
    for space in SPACES.values():
        table = consistency_of(space).query("similarity == 'canonical'")
        values.append(float(((1 - table["weak"]) * table["n_subsets"]).sum()))
    per_list = sum(comb(8, q) for q in range(1, 8))
    detail = ", ".join(f"{n} {v:.0f} of {4 * per_list}" for n, v in zip(SPACES, values, strict=True))
    return Finding(tuple(values), max(map(abs, values)) == 0, f"outscored sublists: {detail}")


def figure_2_mean_cosine_falls() -> Finding:
    """Test whether mean cosine, or its square, decreases with q (Figure 2): largest fall from q = 1 to 8."""
    drops = {}
    for metric in ("mean cosine", "mean squared cosine", "squared mean cosine"):
        means = [m for space in SPACES.values() for m in _means(space, metric).values()]
        drops[metric] = max(float(m[0] - m[-1]) for m in means)
    detail = ", ".join(f"{m} {or_zero(v)}" for m, v in drops.items())
    values = (drops["mean cosine"], drops["mean squared cosine"])
    return Finding(values, max(values) > 1e-9, f"largest fall of the mean from q = 1 to 8: {detail}")


def figure_2_canonical_rises() -> Finding:
    """Test whether the unscaled canonical metric increases with q (Figure 2): smallest step of its mean.

    The same step of the similarity scaled to [0, 1] is reported in addition.
    """
    metrics = ("canonical, trace", "canonical, scaled")
    step, scaled = (min(_smallest_step(space, metric) for space in SPACES.values()) for metric in metrics)
    return Finding((step,), step > 0, f"smallest step: unscaled {step:+.4f}, scaled to [0, 1] {scaled:+.4f}")


def _smallest_step(space: str, metric: str) -> float:
    """Return the smallest change of the mean over pairs of sublists from one size to the next."""
    return min(float(np.diff(means).min()) for means in _means(space, metric).values())


def figure_2_rises_on_glove() -> Finding:
    """Test whether the canonical metric increases with q in GloVe (Figure S5): smallest steps."""
    metrics = ("canonical, trace", "canonical, scaled")
    values = tuple(_smallest_step("glove-weat", metric) for metric in metrics)
    return Finding(
        values, values[0] > 0, f"smallest step: unscaled {values[0]:+.4f}, scaled to [0, 1] {values[1]:+.4f}"
    )


def figure_2_one_to_one() -> Finding:
    """Test whether canonical similarity at q = 1 is the squared cosine (Figure 2): largest difference."""
    error = max(
        abs(float(_means(space, "canonical, trace")[pair][0] - _means(space, "mean squared cosine")[pair][0]))
        for space in SPACES.values()
        for pair in _means(space, "canonical, trace")
    )
    return Finding((error,), error < 1e-12, f"largest difference {or_zero(error)}")


def figure_2_converges() -> Finding:
    """Test whether mean cosine converges with q (Figure 2): range at q = 1, 4, 8 for one pair of lists."""
    largest_change = -np.inf
    for space in SPACES.values():
        table = between(space).query("metric == 'mean cosine'")
        for _, group in table.groupby("lists"):
            largest_change = max(largest_change, float((group["maximum"] - group["minimum"]).diff().max()))
    first = between("googlenews-weat").query("metric == 'mean cosine' and lists == 'male / pleasant'")
    width = (first["maximum"] - first["minimum"]).to_numpy()
    values = (float(width[0]), float(width[3]), float(width[7]))
    return Finding(
        values,
        largest_change < 0 and values[-1] < 1e-12,
        f"range of male and pleasant on GoogleNews: {values[0]:.3f} at q = 1, {values[1]:.3f} at q = 4, {values[2]:.3f} "
        f"at q = 8; largest change from one q to the next, any pair of lists {largest_change:+.4f}",
    )


def _null_means(space: str) -> pd.DataFrame:
    """Return, by pair of lists, the means of three null distributions and the observed canonical total."""
    totals = nulls_of(space).totals.query("quantity == 'canonical'")
    table = totals.pivot(index="lists", columns="null", values="mean")
    return table.assign(observed=totals.groupby("lists")["observed"].first())


@lru_cache(maxsize=2)
def _nulls_of_extreme_words(space: str) -> dict[str, tuple[float, float]]:
    """Return the one-way mean minus the two-way mean of the canonical total, with its standard error.

    One list is fixed: eight words least similar to the pool's mean, or eight of the 400 most similar ones.
    """
    _, pool = experiments.pool_words(space)
    mean = unit_rows(pool).mean(axis=0)
    order = np.argsort(unit_rows(pool) @ mean)
    central = np.random.default_rng(0).choice(order[-400:], 8, replace=False)
    pleasant = lists(space)["pleasant"]
    differences = {}
    for label, indices in (("outlying", order[:8]), ("central", central)):
        other_words = np.delete(pool, indices, axis=0)
        totals = nulls.null_intervals(pool[indices], pleasant, other_words, n_resamples=N_DRAWS, rng=0).totals
        canonical = totals.query("quantity == 'canonical'").set_index("null")
        one_way, two_way = canonical.loc["B random"], canonical.loc["both random"]
        deviations = [(row["high"] - row["low"]) / (2 * stats.norm.ppf(0.975)) for row in (one_way, two_way)]
        difference = float(one_way["mean"] - two_way["mean"])
        differences[label] = (difference, float(np.hypot(*deviations) / np.sqrt(N_DRAWS)))
    return differences


def nulls_have_no_order() -> Finding:
    """Test whether one- and two-way nulls have no fixed order: differences of means in standard errors."""
    values, details = [], []
    for name, space in SPACES.items():
        for label, (difference, standard_error) in _nulls_of_extreme_words(space).items():
            values.append(difference / standard_error)
            details.append(f"{name}, {label} words {difference:+.4f} ± {standard_error:.4f}")
    holds = max(values[::2]) < -2 and min(values[1::2]) > 2
    return Finding(tuple(values), holds, f"one-way minus two-way mean: {'; '.join(details)}")


def between_the_nulls() -> Finding:
    """Test whether a total can lie between the two-way and both one-way means: number of pairs of lists."""
    pairs_between = []
    for name, space in SPACES.items():
        table = _null_means(space)
        for pair, row in table.iterrows():
            one_way = row[["A random", "B random"]]
            below = row["observed"] < row["both random"] and (row["observed"] > one_way).all()
            above = row["observed"] > row["both random"] and (row["observed"] < one_way).all()
            if below or above:
                pairs_between.append(
                    f"{name} {pair}: observed {row['observed']:.4f}, two-way mean {row['both random']:.4f}, one-way "
                    f"means {listed(one_way, 4)}"
                )
    return Finding((float(len(pairs_between)),), len(pairs_between) > 0, "; ".join(pairs_between) or "none")


def rank_and_position() -> Finding:
    """Test whether index and p-value of a congruence are unrelated: smallest, largest rank correlation."""
    values, details = [], []
    for name, space in SPACES.items():
        table = nulls_of(space).congruences.query("null == 'both random'")
        for pair, group in table.groupby("lists", sort=False):
            value = float(stats.spearmanr(group["index"], group["p_greater"]).statistic)
            values.append(value)
            details.append(f"{name} {pair} {value:+.2f}")
    return Finding(
        (min(values), max(values)),
        min(values) < 0 < max(values),
        f"{'; '.join(details)}. Outside all three intervals: {_outside_all_three()}",
    )


def _outside_all_three() -> str:
    """Return the congruences outside the intervals of all three null distributions, in both spaces."""
    names = []
    for name, space in SPACES.items():
        table = nulls_of(space).congruences
        outside = (table["observed"] < table["low"]) | (table["observed"] > table["high"])
        all_three = table.assign(outside=outside).groupby(["lists", "index"])["outside"].all()
        names += [f"{name} {pair} {index}" for pair, index in all_three.index[all_three]]
    return "; ".join(names) or "none"


def excess_over_random() -> Finding:
    """Test whether gender and sentiment exceed random words: smallest adjusted p-values for three pools.

    The pools are GloVe words drawn uniformly and, in each space, the 10,000 most frequent words and the last 2,000 of
    these. A space exceeds a pool if a total or a congruence has p < 0.05 after Holm's correction for all 4 totals or 32
    congruences. Uniform draws decide if every pool agrees with them.
    """
    values, details, answers = [], [], []
    for name, space in reversed(SPACES.items()):
        for label, (totals, congruences) in _excess_by_pool(space).items():
            smallest_total, smallest_congruence = (float(np.min(holm(p))) for p in (totals, congruences))
            values += [smallest_total, smallest_congruence]
            answers.append(min(smallest_total, smallest_congruence) < 0.05)
            details.append(
                f"{name}, {label}: p of the totals {', '.join(f'{p:.3f}' for p in totals)}, smallest adjusted "
                f"{smallest_total:.2f}, of a congruence {smallest_congruence:.2f}"
            )
    return Finding(tuple(values), unanimous(answers), "; ".join(details))


@lru_cache(maxsize=2)
def _excess_by_pool(space: str) -> dict[str, tuple[Array, Array]]:
    """Return the p-values of totals and congruences under the two-way null, by pool of words."""
    pools = {"words 8,001 to 10,000": experiments.pool_words(space)[1][8_000:]}
    tables = {}
    if space == "glove-weat":
        pools = {"uniform draws": uniform_words(), **pools}
    for label, pool in pools.items():
        nulls_of_pairs = [null_of_pair(x, y, space, pool) for x, y in GENDER_SENTIMENT]
        totals = pd.concat([d.totals for d in nulls_of_pairs])
        tables[label] = (totals, pd.concat([d.congruences for d in nulls_of_pairs]))
    all_words = nulls_of(space)
    tables["10,000 words"] = (all_words.totals, all_words.congruences)
    return {
        label: (_two_way(t[t["quantity"] == "canonical"]), _two_way(c)) for label, (t, c) in tables.items()
    }


def _two_way(table: pd.DataFrame) -> Array:
    return np.asarray(table.loc[table["null"] == "both random", "p_greater"].to_numpy(dtype=float))


#: Male and female words, each paired with pleasant and unpleasant words.
GENDER_SENTIMENT = tuple(itertools.product(("male", "female"), ("pleasant", "unpleasant")))


def uniform_words() -> Array:
    """Return vectors of 10,000 words drawn uniformly from GloVe's vocabulary, without those of Table S1."""
    lists_of_table = keywords.load("gender-sentiment")
    words = [word for role in "ABCD" for word in getattr(lists_of_table, role).words()]
    return experiments.pool_words(load("glove-uniform"), without=words)[1]


def null_of_pair(x: str, y: str, space: str, pool: Array) -> Any:
    """Return null distributions of two lists of Table S1 with random words of a pool."""
    by_label = lists(space)
    return nulls.null_intervals(by_label[x], by_label[y], pool, n_resamples=N_DRAWS, rng=0)


def outside_all_three() -> Finding:
    """Test whether only congruence 8 of male and unpleasant is outside all three intervals (Figure 3).

    The values are the numbers of congruences outside, for words drawn uniformly from GloVe and for frequent words. In a
    space other than the paper's, the claim does not say which ones; some of male and unpleasant must be outside.
    """
    uniform = [
        null_of_pair(x, y, "glove-weat", uniform_words()).congruences.assign(lists=f"{x} / {y}")
        for x, y in GENDER_SENTIMENT
    ]
    tables = (pd.concat(uniform), nulls_of("glove-weat").congruences)
    outside = [list(d[d > 0].index) for d in map(distances_outside, tables)]
    of_pair = [index for names, index in outside[0] if names == "male / unpleasant"]
    words = [", ".join(f"{names} {index}" for names, index in pairs) or "none" for pairs in outside]
    return Finding(
        tuple(float(len(pairs)) for pairs in outside),
        of_pair == [8] if of_pair else None,
        f"outside all three: with uniform draws {words[0]}; with frequent words {words[1]}",
    )


def distances_outside(table: pd.DataFrame) -> pd.Series:
    """Return each congruence's smallest distance from an interval, negative if it is inside that interval."""
    distance = np.maximum(table["low"] - table["observed"], table["observed"] - table["high"])
    return distance.groupby([table["lists"], table["index"]]).min()
