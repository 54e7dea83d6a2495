"""What decides each claim of Kindel (2023) in the ledger, main text: one function for each entry of ``ledger.toml``.

Every function returns a `Finding`: our values, whether the claim holds in its own terms, and the numbers in words. The
paper's own 300-dimensional GloVe vectors are not bundled. Its Table 1 is recomputed from the components that the author
published; its figures are recomputed on the words of Table S1 in GoogleNews, the very space of Figures S1 to S3, and on
a GloVe of 100 dimensions. Draws have fixed seeds. The claims of the supplement are in `supplement_claims`.
"""

from __future__ import annotations

import itertools
import warnings
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import scipy.linalg
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab._multiplicity import holm
from isotropy_lab.association import consistency, keywords, lattice, nulls
from isotropy_lab.association.canonical import canonical_congruences, canonical_similarity, row_basis
from isotropy_lab.association.cosine import cosine_similarities, unit_vectors
from isotropy_lab.association.weat import weat
from reanalyses.kindel2023 import experiments, published
from reanalyses.kindel2023.consistency import expected_consistency
from reanalyses.ledger import Finding

Array = NDArray[np.float64]

#: The space of Figures S1 to S3, and a second one.
SPACES = {"GoogleNews": "googlenews-weat", "GloVe": "glove-weat"}
#: Draws of each null distribution.
N_DRAWS = 1_000


# --- data shared by several claims
# ------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def lists(space: str, test: str = "gender-sentiment") -> dict[str, Array]:
    """The four lists of a test by label."""
    labels = experiments.list_labels(test)
    return {labels[role]: words for role, words in experiments.list_vectors(space, test).items()}


@lru_cache(maxsize=2)
def consistency_of(space: str) -> pd.DataFrame:
    """Beaten sublists of the lists of Table S1."""
    return experiments.consistency_table(space)


@lru_cache(maxsize=2)
def conditions_of(space: str) -> pd.DataFrame:
    """Rank correlations of condition numbers and margins, by list and size."""
    return experiments.condition_correlations(experiments.condition_table(space))


@lru_cache(maxsize=2)
def between(space: str) -> pd.DataFrame:
    """Minimum, mean and maximum of each metric over pairs of sublists, by size."""
    return experiments.between_lattices(space)


@lru_cache(maxsize=2)
def nulls_of(space: str) -> Any:
    """Null distributions of all congruences and totals, drawn from the 10,000 most frequent words."""
    return experiments.congruence_nulls(space, n_resamples=N_DRAWS, rng=0)


@lru_cache(maxsize=2)
def table_1_of(space: str) -> pd.DataFrame:
    """Table 1 on another space."""
    return experiments.weat_table(space)


@lru_cache(maxsize=1)
def expected_on_25_words() -> pd.DataFrame:
    """Expected consistency over the sublists of the 25 pleasant words of WEAT 1, by q and k."""
    return expected_consistency(lists("googlenews-weat", "weat-1")["pleasant"])


@lru_cache(maxsize=1)
def _published() -> pd.DataFrame:
    return published.table_1_full_precision().set_index("test")


def three_vectors() -> Array:
    """Unit vectors at −60°, 0° and 60°."""
    return experiments.three_vectors_at(60, 60)


def component_columns(metric: str) -> list[str]:
    """Columns of Table 1 with the components of a metric, "mcs" or "cca"."""
    return [f"{metric}_{component}" for component in experiments.COMPONENTS]


def _words(values: Any, digits: int = 3) -> str:
    return ", ".join(f"{float(v):.{digits}g}" for v in values)


def _means(space: str, metric: str) -> dict[str, Array]:
    """Means over all pairs of q-sublists, by pair of lists."""
    table = between(space)
    chosen = table.loc[table["metric"] == metric]
    return {str(pair): part["mean"].to_numpy() for pair, part in chosen.groupby("lists", sort=False)}


# --- abstract, consistency
# ------------------------------------------------------------------------------------------


def lists_of_four() -> Finding:
    """Lists of four words of Table S1 in which some sublist of three is closer to another: of each space."""
    shares = []
    for space in SPACES.values():
        beaten = [
            bool(consistency.consistency_index(words[list(chosen)], 3).n_beaten)
            for words in lists(space).values()
            for chosen in itertools.combinations(range(len(words)), 4)
        ]
        shares.append(float(np.mean(beaten)))
    detail = ", ".join(f"{n} {s:.1%}" for n, s in zip(SPACES, shares, strict=True))
    return Finding(tuple(shares), min(shares) > 0, f"lists of four words with a beaten triple: {detail}")


def smaller_lists_are_consistent() -> Finding:
    """Whether sublists of one and two words, and of lists of three, are never beaten."""
    counts = {name: consistency_of(space) for name, space in SPACES.items()}
    pairs = {
        name: int(t.loc[(t["similarity"] == "mean-cosine") & (t["q"] <= 2), "n_beaten"].sum())
        for name, t in counts.items()
    }
    three = consistency.consistency_index(three_vectors(), 2).n_beaten
    words = ", ".join(f"{name} {n}" for name, n in pairs.items())
    return Finding(
        (float(three), *map(float, pairs.values())),
        three == 0 and max(pairs.values()) == 0,
        f"beaten sublists of at most two words: {words}; of three vectors at −60°, 0°, 60°: {three}",
    )


def negative_distance() -> Finding:
    """Whether a beaten sublist needs a negative distance: three unit vectors have one, at positive distances."""
    V = three_vectors()
    index = consistency.consistency_index(V, 2)
    smallest = min(float(np.linalg.norm(V[i] - V[j])) for i, j in itertools.combinations(range(3), 2))
    return Finding(
        (float(index.n_beaten), smallest),
        not (index.n_beaten > 0 and smallest > 0),
        f"beaten pairs {index.n_beaten}, smallest distance {smallest:g}",
    )


def tetrahedron() -> Finding:
    """Triples that a triple with two of the same words beats, and the smallest distance of the words that differ."""
    found, smallest = 0, np.inf
    for words in lists("googlenews-weat").values():
        level = lattice.subset_similarities(words, 3)
        itself = np.diagonal(level.values)
        for i, j in zip(*np.nonzero(level.values > itself[:, None] + consistency.TOLERANCE), strict=True):
            one, other = (set(level.subsets[x].tolist()) for x in (i, j))
            if len(one & other) == 2:
                found += 1
                (x,), (y,) = one - other, other - one
                smallest = min(smallest, float(np.linalg.norm(words[x] - words[y])))
    pronouns = np.array([word_in_pool(w) for w in ("he", "him", "his", "himself")])
    own = consistency.consistency_index(pronouns, 3).n_beaten
    detail = (
        f"{found} such comparisons of triples, smallest distance of the differing words {smallest:.3f}; "
        f"beaten triples of he, him, his, himself: {own}"
    )
    return Finding((float(found), smallest), not (found > 0 and smallest > 0), detail)


def word_in_pool(word: str) -> Array:
    """Vector of a word of the GoogleNews pool."""
    names, vectors = experiments.pool_words("googlenews-weat")
    found: Array = vectors[names.index(word)]
    return found


def partly_predictable() -> Finding:
    """Median size of the rank correlation between condition number and margin, within lists and sizes."""
    values = {}
    for name, space in SPACES.items():
        table = conditions_of(space)
        values[name] = float(table.loc[table["q"] != "all", "correlation"].abs().median())
    detail = ", ".join(f"{n} {v:.2f}" for n, v in values.items())
    return Finding(
        tuple(values.values()), all(0.2 < v < 0.9 for v in values.values()), f"median |ρ|: {detail}"
    )


def lower_condition_number() -> Finding:
    """Share of lists and sizes in which beaten sublists have the lower median condition number; and over all sizes."""
    within, over = {}, {}
    for name, space in SPACES.items():
        table = conditions_of(space).dropna(subset=["median_beaten", "median_unbeaten"])
        lower = table["median_beaten"] < table["median_unbeaten"]
        single = table["q"] != "all"
        within[name] = (int(lower[single].sum()), int(single.sum()))
        over[name] = int(lower[~single].sum())
    shares = tuple(a / b for a, b in within.values())
    detail = "; ".join(
        f"{n}: {a} of {b} within one size, {over[n]} of 4 over all sizes" for n, (a, b) in within.items()
    )
    return Finding(shares, min(shares) >= 0.75, f"lower where beaten: {detail}")


def canonical_is_consistent() -> Finding:
    """Consistency of canonical similarity, strictly, on all sublists of Table S1 and on samples of 25 words."""
    weak, strict = [], []
    for space in SPACES.values():
        rows = consistency_of(space).query("similarity == 'canonical'")
        weak.append(float(rows["weak"].min()))
        strict.append(float(rows["strict"].min()))
    words = lists("googlenews-weat", "weat-1")["pleasant"]
    for q in (2, 12, 24):
        index = consistency.consistency_index(
            words, q, similarity="canonical", n_resamples=None if q == 24 else 200, rng=0
        )
        weak.append(index.weak)
        strict.append(index.strict)
    return Finding(
        (min(weak), min(strict)),
        min(weak) == 1 and min(strict) == 1,
        f"smallest share {min(weak):g}, counting ties as failures {min(strict):g}",
    )


def canonical_up_to_dimension() -> Finding:
    """Strict consistency of three words in a plane, q = p = 2: every pair spans the plane."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        index = consistency.consistency_index(three_vectors()[:, :2], 2, similarity="canonical")
    return Finding(
        (index.weak, index.strict), index.strict == 1, f"weakly {index.weak:g}, strictly {index.strict:g}"
    )


def consistency_falls_with_k() -> Finding:
    """Expected consistency of mean cosine over sublists of 25 words, as k grows: q = 8 at k = 9, 16, 25."""
    table = expected_on_25_words()
    rises = max(float(part["expected_weak"].diff().max()) for _, part in table.groupby("q") if len(part) > 1)
    eight = table.loc[table["q"] == 8].set_index("k")["expected_weak"]
    values = tuple(float(eight[k]) for k in (9, 16, 25))
    return Finding(
        values,
        rises <= 1e-12 and values[0] > values[-1],
        f"{values[0]:.3f}, {values[1]:.3f}, {values[2]:.3f}; largest rise at any q {max(rises, 0.0):.1e}",
    )


def always_more_consistent() -> Finding:
    """Lists of at most eight words of all tests: sizes at which mean cosine does better, and worse, than canonical."""
    better = worse = total = 0
    for space in SPACES.values():
        for test in keywords.names():
            for words in component_lists(space, test):
                if len(words) > 8:
                    continue
                mean = consistency.consistency_profile(words)["weak"].to_numpy()
                canonical = consistency.consistency_profile(words, similarity="canonical")["weak"].to_numpy()
                better += int((mean > canonical).sum())
                worse += int((mean < canonical).sum())
                total += len(mean)
    return Finding(
        (float(better), float(worse)),
        better == 0 and worse > 0,
        f"of {total} lists and sizes mean cosine is better in {better}, worse in {worse}, equal in the rest",
    )


def component_lists(space: str, test: str) -> list[Array]:
    """The four lists of a test."""
    return list(experiments.list_vectors(space, test).values())


def must_not_decrease() -> Finding:
    """Falls of the mean over pairs of q-sublists, as q grows, of metrics that are consistent."""
    means = _means("glove-weat", "canonical, scaled")
    falls = {pair: int((np.diff(m) < 0).sum()) for pair, m in means.items()}
    pair, path = next(iter(means.items()))
    table = consistency_of("glove-weat").query("similarity == 'canonical'")
    consistent = float(table["weak"].min())
    return Finding(
        (float(sum(falls.values())), consistent),
        not (consistent == 1 and sum(falls.values()) > 0),
        f"scaled canonical similarity, {pair}: {_words(path, 4)}; {sum(falls.values())} falls, consistency {consistent:g}",
    )


# --- the canonical metric
# ------------------------------------------------------------------------------------------


def bounds() -> Finding:
    """Smallest unscaled canonical similarity of the components of all tests, and the largest excess over the bound."""
    low, over = np.inf, -np.inf
    for space in SPACES.values():
        for test in keywords.names():
            a, b, c, d = component_lists(space, test)
            for x, y in ((a, c), (a, d), (b, c), (b, d)):
                value = quiet_trace(x, y)
                low = min(low, value)
                over = max(over, value - min(row_basis(x).shape[1], row_basis(y).shape[1]))
    return Finding(
        (low, over), low >= 0 and over <= 1e-9, f"smallest {low:.3g}, nearest to the bound {over:.3g}"
    )


def quiet_trace(x: Array, y: Array) -> float:
    """Unscaled canonical similarity, also where lists crowd the space."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return canonical_similarity(x, y, scale=None)


def squared_cosine() -> Finding:
    """Canonical similarity of single words against their squared cosine, over all pairs of Table S1."""
    a, b = (lists("googlenews-weat")["male"], lists("googlenews-weat")["pleasant"])
    cosines = cosine_similarities(a, b)
    ours = np.array([[canonical_similarity(x[None], y[None]) for y in b] for x in a])
    gap = float(np.abs(ours - cosines**2).max())
    return Finding((gap,), gap < 1e-12, f"largest difference {gap:.1e}")


def inner_product() -> Finding:
    """Smallest eigenvalue of the table of unscaled similarities of all triples of a list, and its asymmetry."""
    values = lattice.subset_similarities(
        lists("googlenews-weat")["male"], 3, similarity="canonical", scale=None
    ).values
    smallest, asymmetry = (
        float(np.linalg.eigvalsh((values + values.T) / 2)[0]),
        float(np.abs(values - values.T).max()),
    )
    return Finding(
        (smallest, asymmetry),
        smallest > -1e-10 and asymmetry < 1e-12,
        f"smallest eigenvalue {smallest:.1e}, asymmetry {asymmetry:.1e}",
    )


def scale_is_length() -> Finding:
    """√(self · self) against the geometric mean of the lengths, over all components; and with one word given twice."""
    worst = 0.0
    for test in keywords.names():
        for x, y in itertools.combinations(component_lists("googlenews-weat", test), 2):
            ours = np.sqrt(quiet_trace(x, x) * quiet_trace(y, y))
            worst = max(worst, abs(float(ours - np.sqrt(len(x) * len(y)))))
    male = lists("googlenews-weat")["male"][:2]
    twice = float(np.sqrt(quiet_trace(male, male) * quiet_trace(np.vstack([male, male[:1]]), male)))
    return Finding(
        (worst,),
        worst < 1e-8,
        f"largest difference {worst:.1e}; with a list of two and the same with a word twice: {twice:.4f} "
        f"against √6 = {np.sqrt(6):.4f}",
    )


def singular_values() -> Finding:
    """Congruences against singular values of the product of the projections, and against uncentered CCA."""
    worst = 0.0
    four = lists("googlenews-weat")
    for x, y in (("male", "pleasant"), ("female", "unpleasant")):
        a, b = four[x], four[y]
        projections = [np.linalg.pinv(m) @ m for m in (a, b)]
        ours = canonical_congruences(a, b)
        by_svd = scipy.linalg.svdvals(projections[0] @ projections[1])[: len(ours)]
        cross = a @ b.T
        squares = np.linalg.eigvals(
            np.linalg.solve(a @ a.T, cross) @ np.linalg.solve(b @ b.T, cross.T)
        ).real  # CCA without centering, words as variables
        by_cca = np.sqrt(np.sort(squares)[::-1])
        worst = max(worst, float(np.abs(ours - by_svd).max()), float(np.abs(ours - by_cca).max()))
    return Finding((worst,), worst < 1e-8, f"largest difference {worst:.1e}")


def other_names() -> Finding:
    """Scaled canonical similarity of male and pleasant beside their RV coefficient and their centered one (CKA)."""
    a, b = (lists("googlenews-weat")["male"], lists("googlenews-weat")["pleasant"])
    ours = canonical_similarity(a, b)
    rv, cka = (rv_coefficient(a, b), rv_coefficient(*(m - m.mean(axis=1, keepdims=True) for m in (a, b))))
    return Finding(
        (ours, rv, cka),
        abs(ours - rv) < 1e-3,
        f"canonical {ours:.4f}, RV {rv:.4f}, centered over dimensions (linear CKA) {cka:.4f}",
    )


def rv_coefficient(a: Array, b: Array) -> float:
    """RV of two lists as sets of variables over the same dimensions: ‖ABᵀ‖²/(‖AAᵀ‖‖BBᵀ‖), Frobenius norms."""
    numerator = float(np.sum((a @ b.T) ** 2))
    return numerator / float(np.linalg.norm(a @ a.T) * np.linalg.norm(b @ b.T))


def center_of_all_words() -> Finding:
    """Length of the mean of the 10,000 most frequent words over their mean length; the same for lists of Table S1."""
    values, words = [], []
    for name, space in SPACES.items():
        _, pool = experiments.pool_words(space)
        ratio = float(np.linalg.norm(pool.mean(axis=0)) / np.linalg.norm(pool, axis=1).mean())
        own = [
            float(np.linalg.norm(w.mean(axis=0)) / np.linalg.norm(w, axis=1).mean())
            for w in lists(space).values()
        ]
        values.append(ratio)
        words.append(f"{name} {ratio:.2f} (lists {min(own):.2f} to {max(own):.2f})")
    return Finding(tuple(values), max(values) < 0.1, "; ".join(words))


def coincide_at_p() -> Finding:
    """Scaled canonical similarity of random word lists of 1, half of p, and p words."""
    p = experiments.word_vectors("glove-weat").vectors.shape[1]
    table = experiments.as_k_reaches_p("glove-weat", k=(1, p // 2, p))
    values = tuple(table["canonical"])
    return Finding(values, values[0] < values[1] < values[2] and abs(values[2] - 1) < 1e-9, _words(values, 4))


# --- Table 1
# ------------------------------------------------------------------------------------------------


def _scores(table: pd.DataFrame, metric: str) -> Array:
    ac, ad, bd, bc = (table[c].to_numpy() for c in component_columns(metric))
    return np.asarray((ac + bd) - (bc + ad))


def table_1_scores() -> Finding:
    """Both scores of the ten tests from the published components."""
    values = np.concatenate([_scores(_published(), m) for m in ("mcs", "cca")]).tolist()
    return Finding(tuple(values), True, _words(values))


def table_1_ratios() -> Finding:
    """Ratios of the scores."""
    ratios = _ratios().tolist()
    return Finding(tuple(ratios), True, _words(ratios, 5))


def _ratios() -> Array:
    return np.asarray(_scores(_published(), "mcs") / _scores(_published(), "cca"))


def table_1_median() -> Finding:
    """Median size of the ratio."""
    value = float(np.median(np.abs(_ratios())))
    return Finding((value,), True, f"{value:.4f}")


def _rank_correlations() -> Array:
    table = _published()
    pairs = zip(
        table[component_columns("mcs")].to_numpy(), table[component_columns("cca")].to_numpy(), strict=True
    )
    return np.array([stats.spearmanr(x, y).statistic for x, y in pairs])


def table_1_rho() -> Finding:
    """Rank correlations of the four components, and their median."""
    rho = _rank_correlations().tolist()
    return Finding((*rho, float(np.median(rho))), True, _words((*rho, np.median(rho)), 2))


def table_1_n() -> Finding:
    """Shortest list of each test, from the lists of Table S2."""
    values = tuple(
        float(min(len(getattr(keywords.load(t), role).words()) for role in "ABCD"))
        for t in published.table_1()["test"]
    )
    return Finding(values, True, _words(values))


def weat_8() -> Finding:
    """Which test has the ratio closest to 1 in size, and which have a negative one (numbers of the tests)."""
    ratios = _ratios()
    closest = int(np.argmin(np.abs(np.log(np.abs(ratios))))) + 1
    negative = np.flatnonzero(ratios < 0) + 1
    return Finding(
        (float(closest), *map(float, negative)),
        closest == 8 and negative.tolist() == [8],
        f"closest is WEAT {closest}, negative in WEAT {', '.join(map(str, negative))}",
    )


def only_weat_10() -> Finding:
    """Tests whose four components have the same order by either metric."""
    right = np.flatnonzero(_rank_correlations() > 1 - 1e-9) + 1
    return Finding(
        tuple(map(float, right)), right.tolist() == [10], f"WEAT {', '.join(map(str, right)) or 'none'}"
    )


def inflated() -> Finding:
    """Published ratios above 1 in size, and below."""
    ratios = np.abs(_ratios())
    above, below = int((ratios > 1).sum()), int((ratios < 1).sum())
    return Finding((float(above), float(below)), above > 5 and below > 0, f"{above} above 1, {below} below")


def masked_variation() -> Finding:
    """Range of the components over the size of the score, median over the ten tests, for either metric."""
    table = _published()
    values = tuple(
        float(np.median(np.ptp(table[component_columns(m)].to_numpy(), axis=1) / np.abs(_scores(table, m))))
        for m in ("mcs", "cca")
    )
    return Finding(values, min(values) > 1, f"mean cosine {values[0]:.2f}, canonical {values[1]:.2f}")


def growth_with_n() -> Finding:
    """Rank correlation with N of the published components: mean cosine, canonical."""
    table = _published()
    n = np.repeat(table["n"].to_numpy(), 4)
    values = tuple(
        float(stats.spearmanr(n, table[component_columns(m)].to_numpy().ravel()).statistic)
        for m in ("mcs", "cca")
    )
    return Finding(
        values, values[0] < 0 < values[1], f"mean cosine {values[0]:+.2f}, canonical {values[1]:+.2f}"
    )


def growth_elsewhere() -> Finding:
    """Rank correlation with N of our components: mean cosine and canonical, on both spaces; canonical above chance."""
    values: list[float] = []
    words = []
    for name, space in SPACES.items():
        table = experiments.weat_components(space)
        n = table.groupby("test", sort=False)[["k_1", "k_2"]].transform("min").min(axis=1)
        mean, raw, beyond = (
            float(stats.spearmanr(n, table[c]).statistic) for c in ("mean_cosine", "canonical", "corrected")
        )
        values += [mean, raw]
        words.append(f"{name}: mean cosine {mean:+.2f}, canonical {raw:+.2f}, above chance {beyond:+.2f}")
    holds = all(m < 0 < c for m, c in zip(values[::2], values[1::2], strict=True))
    return Finding(tuple(values), holds, "; ".join(words))


def inflated_elsewhere() -> Finding:
    """Median size of the ratio of the scores on our spaces."""
    values = tuple(float(table_1_of(space)["ratio"].abs().median()) for space in SPACES.values())
    detail = ", ".join(f"{name} {v:.2f}" for name, v in zip(SPACES, values, strict=True))
    return Finding(values, min(values) > 1, f"median |ratio|: {detail}")


def signs_elsewhere() -> Finding:
    """Tests with scores of opposite signs on our spaces, and which test has the ratio nearest to 1 in size."""
    words, eighth = [], []
    for name, space in SPACES.items():
        table = table_1_of(space).set_index("test")["ratio"]
        opposite = [t for t in table.index if table[t] < 0]
        nearest = str(table.abs().apply(np.log).abs().idxmin())
        eighth.append("weat-8" in opposite)
        words.append(f"{name}: opposite in {', '.join(opposite) or 'none'}, nearest {nearest}")
    counts = tuple(float((table_1_of(space)["ratio"] < 0).sum()) for space in SPACES.values())
    return Finding(counts, min(counts) > 0, "; ".join(words))


def order_elsewhere() -> Finding:
    """Tests with the components in the same order by either metric on our spaces, and the median rank correlation."""
    values, words = [], []
    for name, space in SPACES.items():
        table = table_1_of(space)
        right = table.loc[table["rho"] > 1 - 1e-9, "test"].tolist()
        values.append(float(len(right)))
        words.append(
            f"{name}: same order in {', '.join(right) or 'none'}, median ρ {table['rho'].median():.2f}"
        )
    return Finding(tuple(values), max(values) <= 5, "; ".join(words))


def grand_mean_difference() -> Finding:
    """WEAT scores against the grand mean of the differences of single cosines, written out."""
    worst = 0.0
    for test in ("gender-sentiment", "weat-6", "weat-8"):
        a, b, c, d = component_lists("googlenews-weat", test)
        grand = cosine_similarities(a, c) - cosine_similarities(a, d)
        grand = grand + cosine_similarities(b, d) - cosine_similarities(b, c)
        worst = max(worst, abs(float(grand.mean()) - weat(a, b, c, d).score))
    return Finding((worst,), worst < 1e-12, f"largest difference {worst:.1e}")


# --- figures
# ------------------------------------------------------------------------------------------------


def figure_1_counts() -> Finding:
    """Beaten sublists of 3 to 7 words under mean cosine, by list of Table S1 on GoogleNews."""
    table = consistency_of("googlenews-weat").query("similarity == 'mean-cosine' and q >= 3")
    by_list = {str(n): part["n_beaten"].tolist() for n, part in table.groupby("list", sort=False)}
    values = tuple(float(sum(v)) for v in by_list.values())
    detail = "; ".join(f"{n} {', '.join(map(str, v))}" for n, v in by_list.items())
    return Finding(values, bool((table["n_beaten"] > 0).all()), f"at q = 3 to 7: {detail}")


def figure_1_diagonal() -> Finding:
    """Sublists of Table S1 whose largest canonical similarity is off the diagonal, on both spaces."""
    values = tuple(
        float(consistency_of(space).query("similarity == 'canonical'")["n_beaten"].sum())
        for space in SPACES.values()
    )
    per_list = sum(comb(8, q) for q in range(1, 8))
    return Finding(values, max(values) == 0, f"{values[0]:.0f} and {values[1]:.0f} of {4 * per_list} each")


def figure_2_mean_cosine_falls() -> Finding:
    """Fall of the mean over all pairs of q-sublists from q = 1 to 8, three readings, male and pleasant."""
    drops = {}
    for metric in ("mean cosine", "mean squared cosine", "squared mean cosine"):
        means = [m for space in SPACES.values() for m in _means(space, metric).values()]
        drops[metric] = max(float(m[0] - m[-1]) for m in means)
    detail = ", ".join(f"{m} {abs(v) if abs(v) < 1e-12 else v:.1e}" for m, v in drops.items())
    values = (drops["mean cosine"], drops["mean squared cosine"])
    return Finding(values, max(values) > 1e-9, f"largest fall of the mean from q = 1 to 8: {detail}")


def figure_2_canonical_rises() -> Finding:
    """Smallest step of the mean unscaled canonical similarity as q grows, over all pairs of lists and both spaces."""
    step = min(
        float(np.diff(m).min())
        for space in SPACES.values()
        for m in _means(space, "canonical, trace").values()
    )
    return Finding((step,), step > 0, f"smallest step {step:.4f}")


def figure_2_scaled_rises() -> Finding:
    """Smallest step of the mean scaled canonical similarity as q grows, by space."""
    values = tuple(
        min(float(np.diff(m).min()) for m in _means(space, "canonical, scaled").values())
        for space in SPACES.values()
    )
    detail = ", ".join(f"{n} {v:+.4f}" for n, v in zip(SPACES, values, strict=True))
    return Finding(values, min(values) >= 0, f"smallest step: {detail}")


def figure_2_one_to_one() -> Finding:
    """Mean canonical similarity against mean squared cosine at q = 1."""
    gap = max(
        abs(float(_means(space, "canonical, trace")[pair][0] - _means(space, "mean squared cosine")[pair][0]))
        for space in SPACES.values()
        for pair in _means(space, "canonical, trace")
    )
    return Finding((gap,), gap < 1e-12, f"largest difference {gap:.1e}")


def figure_2_converges() -> Finding:
    """Range of mean cosine over all pairs of q-sublists at q = 1, 4, 8, male and pleasant; largest rise with q."""
    rise = -np.inf
    for space in SPACES.values():
        table = between(space).query("metric == 'mean cosine'")
        for _, part in table.groupby("lists"):
            rise = max(rise, float((part["maximum"] - part["minimum"]).diff().max()))
    first = between("googlenews-weat").query("metric == 'mean cosine' and lists == 'male / pleasant'")
    width = (first["maximum"] - first["minimum"]).to_numpy()
    values = (float(width[0]), float(width[3]), float(width[7]))
    return Finding(
        values, rise < 0 and values[-1] < 1e-12, f"{_words(values)}; largest change with q {rise:+.4f}"
    )


def _null_means(space: str) -> pd.DataFrame:
    """Means of the three nulls of the canonical total, and the observed total, by pair of lists."""
    totals = nulls_of(space).totals.query("quantity == 'canonical'")
    table = totals.pivot(index="lists", columns="null", values="mean")
    return table.assign(observed=totals.groupby("lists")["observed"].first())


@lru_cache(maxsize=2)
def _nulls_of_extreme_words(space: str) -> dict[str, tuple[float, float]]:
    """One-way mean less two-way mean of the canonical total, with its standard error, for two lists of pool words.

    Eight words least like the mean of the pool, and eight of the 400 most like it, are held; the other list is drawn.
    """
    _, pool = experiments.pool_words(space)
    mean = unit_vectors(pool).mean(axis=0)
    order = np.argsort(unit_vectors(pool) @ mean)
    central = np.random.default_rng(0).choice(order[-400:], 8, replace=False)
    other = lists(space)["pleasant"]
    found = {}
    for label, chosen in (("outlying", order[:8]), ("central", central)):
        rest = np.delete(pool, chosen, axis=0)
        totals = nulls.null_intervals(pool[chosen], other, rest, n_resamples=N_DRAWS, rng=0).totals
        part = totals.query("quantity == 'canonical'").set_index("null")
        one, two = part.loc["B random"], part.loc["both random"]
        spread = [(row["high"] - row["low"]) / (2 * stats.norm.ppf(0.975)) for row in (one, two)]
        found[label] = (float(one["mean"] - two["mean"]), float(np.hypot(*spread) / np.sqrt(N_DRAWS)))
    return found


def nulls_have_no_order() -> Finding:
    """One-way less two-way mean in standard errors, for lists of outlying and of central words, by space."""
    values, words = [], []
    for name, space in SPACES.items():
        for label, (gap, error) in _nulls_of_extreme_words(space).items():
            values.append(gap / error)
            words.append(f"{name}, {label} words {gap:+.4f} ± {error:.4f}")
    holds = max(values[::2]) < -2 and min(values[1::2]) > 2
    return Finding(tuple(values), holds, f"one-way less two-way mean: {'; '.join(words)}")


def between_the_nulls() -> Finding:
    """Pairs of lists whose total is below the two-way mean and above both one-way means, or the other way round."""
    found = []
    for name, space in SPACES.items():
        table = _null_means(space)
        for pair, row in table.iterrows():
            one_way = row[["A random", "B random"]]
            below = row["observed"] < row["both random"] and (row["observed"] > one_way).all()
            above = row["observed"] > row["both random"] and (row["observed"] < one_way).all()
            if below or above:
                found.append(f"{name} {pair}: {row['observed']:.4f} ({_words(row.iloc[:3], 4)})")
    return Finding((float(len(found)),), len(found) > 0, "; ".join(found) or "none")


def rank_and_position() -> Finding:
    """Rank correlation of the index of a congruence with its p-value under the two-way null, by pair of lists."""
    values, words = [], []
    for name, space in SPACES.items():
        table = nulls_of(space).congruences.query("null == 'both random'")
        for pair, part in table.groupby("lists", sort=False):
            value = float(stats.spearmanr(part["index"], part["p_greater"]).statistic)
            values.append(value)
            words.append(f"{name} {pair} {value:+.2f}")
    return Finding(
        (min(values), max(values)),
        min(values) < 0 < max(values),
        f"{'; '.join(words)}. Outside all three intervals: {_outside_all_three()}",
    )


def _outside_all_three() -> str:
    """The congruences outside the intervals of all three nulls, on both spaces."""
    found = []
    for name, space in SPACES.items():
        table = nulls_of(space).congruences
        outside = (table["observed"] < table["low"]) | (table["observed"] > table["high"])
        all_three = table.assign(outside=outside).groupby(["lists", "index"])["outside"].all()
        found += [f"{name} {pair} {index}" for pair, index in all_three.index[all_three]]
    return "; ".join(found) or "none"


def excess_over_random() -> Finding:
    """Smallest one-sided p-value of a canonical total, and of a congruence after Holm's adjustment, on both spaces."""
    values, words = [], []
    for name, space in SPACES.items():
        found = nulls_of(space)
        totals = found.totals.query("quantity == 'canonical' and null == 'both random'")
        congruences = found.congruences.query("null == 'both random'")
        cosines = found.totals.query("quantity == 'mean-cosine' and null == 'both random'")
        total = float(totals["p_greater"].min())
        one = float(np.min(holm(congruences["p_greater"].to_numpy())))
        below = int((totals["observed"] < totals["low"]).sum())
        values += [total, one]
        words.append(
            f"{name}: canonical totals, smallest p {total:.3f}, {below} of {len(totals)} below the interval; "
            f"congruences, smallest adjusted p {one:.2f}; mean cosine, largest p {cosines['p_greater'].max():.3f}"
        )
    return Finding(tuple(values), min(values[::2]) < 0.025 or min(values[1::2]) < 0.05, ". ".join(words))
