"""The numbers that decide each claim of Rudman et al. (2022) in the ledger: one function for each entry of
``ledger.toml``.

Every function returns a `Finding`: our values, whether the claim holds in its own terms, and the numbers in
words. Random clouds have fixed seeds; tolerances in the ledger come from the sampling error at the size used
here, which each entry names. Curves of the six tests are drawn once, with 20,000 points where the paper has
100,000: the marks are the same (`experiments.property_table` at full size), and the whole ledger stays within
a minute or so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab.isotropy.cosine import average_cosine, average_cosine_score
from isotropy_lab.isotropy.intrinsic import intrinsic_dimension
from isotropy_lab.isotropy.participation import (
    dimensions_used,
    isoscore,
    isoscore_from_eigenvalues,
    isotropy_defect,
)
from isotropy_lab.isotropy.partition import partition_score
from isotropy_lab.isotropy.variance import varex_score
from reanalyses.ledger import Finding
from reanalyses.rudman2022 import clouds, experiments
from reanalyses.rudman2022.experiments import marks

Array = NDArray[np.float64]

#: "Near", as in the rule of Table 1.
NEAR = marks.TOLERANCE


# --- data shared by several claims
# ------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def six_tests() -> dict[str, pd.DataFrame]:
    """Curves of the six tests, with 10,000 points in Tests 1 to 5 and the paper's sizes in Test 6."""
    curves = experiments.all_tests(n_points=10_000, rng=0)
    return {**curves, "skewered_meatball": experiments.skewered_meatball(rng=0)}


@lru_cache(maxsize=2)
def _table_3(published: bool) -> pd.DataFrame:
    return experiments.table_3(paper_mode=published, rng=0)


@lru_cache(maxsize=1)
def _marks() -> pd.DataFrame:
    return marks.derive(six_tests())


@lru_cache(maxsize=1)
def _minilm() -> pd.DataFrame:
    """Mean cosine, IsoScore and dimensions used of every layer of MiniLM, on tokens of Wikipedia
    sentences.
    """
    from isotropy_lab.vectors import MiniLM, wikipedia_sentences

    states = MiniLM().hidden_states(wikipedia_sentences(n=300, rng=0))
    rows = [(average_cosine(x), isoscore(x), dimensions_used(x), x.shape[1]) for x in states.layers]
    return pd.DataFrame(rows, columns=["mean_cosine", "isoscore", "dimensions_used", "n_dimensions"])


@lru_cache(maxsize=1)
def _published_layers() -> dict[str, Array]:
    """The authors' stored IsoScores of every layer, by model."""
    from reanalyses.rudman2022.layer_scores import published_layer_scores

    table = published_layer_scores().sort_values("layer")
    return {str(m): rows["isoscore"].to_numpy(dtype=float) for m, rows in table.groupby("model", sort=False)}


def _values(test: str, score: str) -> Array:
    curve = six_tests()[test]
    return np.asarray(curve.loc[curve["score"] == score, "value"].to_numpy(dtype=float))


def _passing(test: str, verdicts: pd.DataFrame | None = None) -> set[str]:
    """Scores that pass one of the paper's tests by the rule of `marks`."""
    table = _marks() if verdicts is None else verdicts
    return set(table.loc[table["test"].str.startswith(test) & table["derived"], "score"])


def _words(values: Sequence[float] | Array, digits: int = 4) -> str:
    return ", ".join(f"{v:.{digits}g}" for v in values)


def _used(k: int, n: int) -> Array:
    """Spectrum of I_n^(k)."""
    return (np.arange(n) < k).astype(float)


def _random_spectra(count: int, rng: int) -> list[Array]:
    generator = np.random.default_rng(rng)
    sizes = generator.integers(2, 60, count)
    return [generator.pareto(generator.uniform(0.3, 3.0), n) + 1e-9 for n in sizes]


# --- abstract and introduction
# ----------------------------------------------------------------------------------


def only_isoscore_passes_all() -> Finding:
    """IsoScore passes all six tests, no other score does."""
    counts = _marks().groupby("score", sort=False)["derived"].sum()
    others = counts.drop("isoscore")
    holds = counts["isoscore"] == 6 and bool((others < 6).all())
    return Finding(
        (float(counts["isoscore"]), float(others.max())), holds, f"tests passed: {counts.to_dict()}"
    )


def mean_and_scale_invariance() -> Finding:
    """IsoScore does not change when a cloud is shifted or scaled."""
    X = clouds.power_law_spectrum(2_000, 20, rng=0)
    change = max(abs(isoscore(Y) - isoscore(X)) for Y in (X + 100.0, X * 7.0, X * 1e-3 - 5.0))
    return Finding((change,), change < 1e-10, f"largest change {change:.1e}")


def rotation_invariance() -> Finding:
    """IsoScore does not change under rotation."""
    X = clouds.power_law_spectrum(2_000, 20, rng=0)
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((20, 20)))[0]
    change = abs(isoscore(X @ Q) - isoscore(X))
    return Finding((change,), change < 1e-10, f"change {change:.1e} under a random rotation of 20 dimensions")


def linear_in_dimensions() -> Finding:
    """IsoScore of I_n^(k) has no second difference in k."""
    worst = max(
        float(np.abs(np.diff([isoscore_from_eigenvalues(_used(k, n)) for k in range(1, n + 1)], 2)).max())
        for n in (3, 9, 50)
    )
    return Finding((worst,), worst < 1e-12, f"largest second difference in k {worst:.1e}")


def not_skewed_by_subspace() -> Finding:
    """IsoScore of the skewered meatball follows the covariance of the whole, (3 + r, r, r)."""
    curve = six_tests()["skewered_meatball"].query("score == 'isoscore'")
    truth = [isoscore_from_eigenvalues([3.0 + r, r, r]) for r in curve["parameter"] / 1_000.0]
    worst = float(np.abs(curve["value"] - truth).max())
    return Finding((worst,), worst < 0.05, f"largest distance from the population {worst:.3f}")


# --- figures of clouds
# ------------------------------------------------------------------------------------------


def figure_1() -> Finding:
    """IsoScores of line, disk and ball."""
    values = tuple(isoscore(clouds.uniform_ball(20_000, k, rng=0)) for k in (1, 2, 3))
    return Finding(values, True, f"line, disk, ball: {_words(values)}")


def figure_2() -> Finding:
    """Centering takes the mean cosine from near 1 to near 0."""
    X = clouds.isotropic_gaussian(5_000, 2, mean=10.0, rng=0)
    before, after = average_cosine(X), average_cosine(X - X.mean(axis=0))
    return Finding((before, after), before > 1 - NEAR and abs(after) < NEAR, f"{before:.3f} to {after:.3f}")


def figure_3_dimensions() -> Finding:
    """Dimensions used by covariances diag(x, 1), exactly."""
    values = tuple((x + 1.0) ** 2 / (x * x + 1.0) for x in (1.0, 3.0, 75.0))
    return Finding(values, True, f"exactly {_words(values, 6)}")


def figure_3_cosine() -> Finding:
    """The cosine score is maximal for every cloud of Figure 3."""
    values = tuple(average_cosine_score(clouds.one_long_axis(20_000, 2, x, rng=0)) for x in (1, 3, 75))
    return Finding(values, min(values) > 1 - NEAR, f"cosine scores {_words(values)}")


def figure_3_intrinsic_dimension() -> Finding:
    """Intrinsic dimension of the clouds of Figure 3."""
    makers = (clouds.one_long_axis(20_000, 2, x, rng=0) for x in (1, 3, 75))
    values = tuple(intrinsic_dimension(X, n_queries=2_000, rng=0) for X in makers)
    return Finding(values, True, f"intrinsic dimensions {_words(values)}")


def figure_4() -> Finding:
    """IsoScore of the correlated cloud is one in all four orientations."""
    column = _table_3(False)["isoscore"]
    spread = float(np.ptp(column))
    return Finding((spread,), spread < 1e-10, f"spread of IsoScore {spread:.1e}")


def figure_5() -> Finding:
    """IsoScore of the population at equal counts."""
    value = isoscore_from_eigenvalues([4.0, 1.0, 1.0])
    return Finding((value,), True, f"{value:.6f} with a line of variance 3")


def figure_10() -> Finding:
    """IsoScores of four isotropic clouds of different shapes."""
    laws: tuple[clouds.Distribution, ...] = ("uniform", "poisson", "student-t", "chi-square")
    values = tuple(isoscore(clouds.independent_coordinates(law, 100_000, rng=0)) for law in laws)
    return Finding(values, True, ", ".join(f"{law} {v:.4f}" for law, v in zip(laws, values, strict=True)))


# --- Section 3 and 4: definitions and propositions
# --------------------------------------------------------------


def line_is_anisotropic() -> Finding:
    """IsoScore of a line in n dimensions."""
    direction = np.random.default_rng(0).standard_normal((1, 12))
    value = isoscore(np.random.default_rng(1).standard_normal((500, 1)) * direction)
    return Finding((value,), True, f"{value:.1e} in 12 dimensions")


def table_2() -> Finding:
    """IsoScore of I_9^(k)."""
    values = tuple(experiments.table_2()["isoscore"])
    return Finding(values, True, _words(values, 3))


def largest_distance() -> Finding:
    """No spectrum is further from 1 than a single eigenvalue, whose defect is 1."""
    worst = max(_defect(s) for s in _random_spectra(2_000, 0))
    single = _defect(_used(1, 17))
    return Finding(
        (single, worst),
        abs(single - 1) < 1e-12 and worst <= 1 + 1e-12,
        f"single {single}, others ≤ {worst:.4f}",
    )


def _defect(eigenvalues: Array) -> float:
    """Isotropy defect by the steps of Algorithm 1, not by the closed form of `isotropy_defect`."""
    n = eigenvalues.size
    unit = np.sqrt(n) * eigenvalues / np.linalg.norm(eigenvalues)
    return float(np.linalg.norm(unit - 1.0) / np.sqrt(2.0 * (n - np.sqrt(n))))


def heuristic_4_1() -> Finding:
    """IsoScore and the fraction of dimensions used differ by at most 1/n."""
    worst = max(
        n * abs(isoscore_from_eigenvalues(_used(k, n)) - k / n) for n in (5, 50, 500) for k in range(1, n + 1)
    )
    return Finding((worst,), worst <= 1 + 1e-9, f"largest n·|ι − k/n| {worst:.4f}")


def heuristic_a_1() -> Finding:
    """An IsoScore of α means α·n dimensions, for α = 1/4, 1/2, 3/4 in 1,000 dimensions."""
    values = tuple(isoscore_from_eigenvalues(_used(k, 1_000)) for k in (250, 500, 750))
    return Finding(values, True, _words(values))


def heuristic_d_1() -> Finding:
    """k(X) from the defect, as Step 6 has it, is ιn + 1 − ι and the participation ratio."""
    worst = 0.0
    for s in _random_spectra(500, 1):
        n, iota = s.size, isoscore_from_eigenvalues(s)
        k = (n - _defect(s) ** 2 * (n - np.sqrt(n))) ** 2 / n
        worst = max(worst, abs(k - (iota * n + 1 - iota)), abs(k - s.sum() ** 2 / (s @ s)))
    return Finding((worst,), worst < 1e-9, f"largest difference {worst:.1e}")


def dimensions_interval() -> Finding:
    """Dimensions used lie in [ιn, ιn + 1] ∩ [1, n]."""
    off = 0.0
    for s in _random_spectra(500, 2):
        n, iota = s.size, isoscore_from_eigenvalues(s)
        k = s.sum() ** 2 / (s @ s)
        off = max(off, iota * n - k, k - iota * n - 1, 1 - k, k - n)
    return Finding((off,), off < 1e-9, f"furthest outside {off:.1e}")


def proposition_c_1() -> Finding:
    """IsoScore lies in [0, 1]."""
    values = [isoscore_from_eigenvalues(s) for s in _random_spectra(2_000, 3)]
    low, high = min(values), max(values)
    return Finding((low, high), low >= 0 and high <= 1, f"{low:.4g} to {high:.4g} over 2,000 random spectra")


def defect_formula() -> Finding:
    """Defect of I_n^(k) against √(n − √(nk))/√(n − √n)."""
    worst = max(
        abs(_defect(_used(k, n)) - np.sqrt(max(n - np.sqrt(n * k), 0.0) / (n - np.sqrt(n))))
        for n in (2, 7, 40)
        for k in range(1, n + 1)
    )
    # √ near 0 magnifies rounding at k = n to 1e-8.
    return Finding((float(worst),), bool(worst < 1e-7), f"largest difference {worst:.1e}")


def defect_interval() -> Finding:
    """Whether [δ(I^(k)), δ(I^(k+1))) is an interval: δ would have to grow with k."""
    defects = [_defect(_used(k, 9)) for k in range(1, 10)]
    steps = np.diff(defects)
    return Finding(
        (float(steps.max()),), bool((steps > 0).all()), f"δ falls from {defects[0]:.3f} to {defects[-1]:.3f}"
    )


def equation_d_4() -> Finding:
    """IsoScore of I_n^(k) against (k − 1)/(n − 1)."""
    worst = max(
        abs(isoscore_from_eigenvalues(_used(k, n)) - (k - 1) / (n - 1))
        for n in (2, 9, 100)
        for k in range(1, n + 1)
    )
    return Finding((worst,), worst < 1e-12, f"largest difference {worst:.1e}")


def half_limit() -> Finding:
    """IsoScore of I_n^(⌊n/2⌋) at n = 1,000,000."""
    value = isoscore_from_eigenvalues(_used(500_000, 1_000_000))
    return Finding((value,), True, f"{value:.7f} at n = 1,000,000")


def attainable_range() -> Finding:
    """Whether IsoScores of spectra with k non-zero entries fill (0, ι(I_n^(k))] for every k, k = 1
    included.
    """
    tops = [isoscore_from_eigenvalues(_used(k, 9)) for k in range(1, 10)]
    return Finding(
        (tops[0],), min(tops) > 0, f"the top of the interval is {tops[0]:g} at k = 1, which leaves nothing"
    )


def proposition_d_3() -> Finding:
    """No spectrum with k non-zero entries scores above I_n^(k)."""
    worst = -1.0
    for s in _random_spectra(1_000, 4):
        for k in (1, (s.size + 1) // 2, s.size):
            worst = max(worst, isoscore_from_eigenvalues(s * _used(k, s.size)) - (k - 1) / (s.size - 1))
    return Finding((worst,), worst < 1e-12, f"largest excess {worst:.1e}")


# --- Section 5.1: tables and tests
# ------------------------------------------------------------------------------


def table_1() -> Finding:
    """How many of the 30 printed marks follow from the rule, and the most that any tolerance gives."""
    table = _marks()
    off = table.loc[~table["agrees"]]
    names = ", ".join(f"{t[0]}/{s}" for t, s in zip(off["test"], off["score"], strict=True))
    most = int(marks.agreement(six_tests())["agreeing"].max())
    agreeing = float(table["agrees"].sum())
    return Finding(
        (agreeing,),
        agreeing == 30,
        f"{agreeing:.0f} of 30 follow ({most} at the best tolerance); not: {names}",
    )


def _column(score: str, *, published: bool = False) -> Finding:
    values = tuple(float(v) for v in _table_3(published)[score])
    return Finding(values, True, _words(values))


def table_3_isoscore() -> Finding:
    """IsoScore column of Table 3, exactly: 9/41 in all four orientations."""
    value = isoscore_from_eigenvalues([1.8, 0.2])
    return Finding((value,) * 4, True, f"9/41 = {value:.4f}")


def table_3_cosine() -> Finding:
    """Cosine column of Table 3, over all pairs."""
    return _column("average_cosine_score")


def table_3_partition() -> Finding:
    """Partition column of Table 3, over the eigenvectors."""
    return _column("partition_score")


def table_3_id() -> Finding:
    """ID column of Table 3."""
    return _column("id_score")


def table_3_varex() -> Finding:
    """VarEx column of Table 3 with the right index."""
    return _column("varex_score")


def table_3_partition_as_published() -> Finding:
    """Partition column of Table 3 over the rows of the eigenvector matrix."""
    return _column("partition_score", published=True)


def table_3_varex_as_published() -> Finding:
    """VarEx column of Table 3 one index off."""
    return _column("varex_score", published=True)


def claim_test_1_failures() -> Finding:
    """Cosine and partition score are not mean agnostic, IsoScore is."""
    ends = [_values("mean_agnostic", s)[-1] for s in ("isoscore", "average_cosine_score", "partition_score")]
    return Finding(tuple(ends), ends[0] > 1 - NEAR and max(ends[1:]) < NEAR, f"at μ = 20: {_words(ends, 3)}")


def cosine_depends_on_mean_over_variance() -> Finding:
    """Whether clouds of equal μ/λ, but different μ²/λ, have equal mean cosines."""
    cases = (
        (1.0, 1.0),
        (4.0, 4.0),
        (2.0, 4.0),
    )  # (μ, λ): the first two have one μ/λ, first and third one μ²/λ
    values = tuple(
        average_cosine(clouds.isotropic_gaussian(20_000, 10, mean=mu, variance=lam, rng=0))
        for mu, lam in cases
    )
    same = abs(values[0] - values[1]) < 0.02
    return Finding(values, same, f"(μ, λ) = (1, 1), (4, 4), (2, 4): mean cosines {_words(values, 3)}")


def centering_maximizes_cosine_score() -> Finding:
    """The cosine score of an anisotropic cloud, before and after centering."""
    X = clouds.one_long_axis(20_000, 10, 75.0, rng=0) + 30.0
    before, after = (average_cosine_score(X), average_cosine_score(X - X.mean(axis=0)))
    iota = isoscore(X)
    holds = before < 0.2 and after > 1 - NEAR
    return Finding(
        (before, after, iota), holds, f"{before:.3f} to {after:.3f}, with an IsoScore of {iota:.3f}"
    )


def claim_test_2_text() -> Finding:
    """Only IsoScore and ID pass Test 2, as the text has it."""
    passing = _passing("2.")
    return Finding(
        (float(len(passing)),), passing == {"isoscore", "id_score"}, f"pass: {', '.join(sorted(passing))}"
    )


def claim_test_3_isoscore() -> Finding:
    """IsoScore falls to 0 as one axis grows."""
    values = _values("maximum_variance", "isoscore")
    holds = bool((np.diff(values) < 0).all()) and values[-1] < NEAR
    return Finding((float(values[-1]),), holds, f"from {values[0]:.4f} to {values[-1]:.4f}, never rising")


def claim_test_4_text() -> Finding:
    """Only IsoScore, ID score and VarEx are constant under rotation."""
    passing = _passing("4.")
    holds = passing == {"isoscore", "id_score", "varex_score"}
    return Finding((float(len(passing)),), holds, f"constant: {', '.join(sorted(passing))}")


def exact_partition_is_constant() -> Finding:
    """The partition ratio optimized over all directions of the plane is the same after rotation."""
    X = clouds.correlated_pair(2_000, rng=0)
    angles = np.linspace(0.0, 2.0 * np.pi, 1_440, endpoint=False)
    directions = np.stack([np.cos(angles), np.sin(angles)])

    def ratio(Y: Array) -> float:
        z = np.exp(Y @ directions).sum(axis=0)
        return float(z.min() / z.max())

    values = tuple(ratio(clouds.rotate(X, a)) for a in (0.0, 120.0, 240.0))
    return Finding(values, float(np.ptp(values)) < 1e-4, f"ratios {_words(values, 6)}")


def claim_test_5_fraction() -> Finding:
    """Only IsoScore rises from 0 through 1/2 to 1 as dimensions are used."""
    k = np.array([1, 12, 25]) - 1
    near = {
        s: bool(np.abs(_values("dimensions_used_fraction", s)[k] - [0, 0.5, 1]).max() <= NEAR)
        for s in marks.SCORES
    }
    values = tuple(_values("dimensions_used_fraction", "isoscore")[k])
    passing = [s for s, ok in near.items() if ok]
    return Finding(
        values, passing == ["isoscore"], f"IsoScore {_words(values, 3)} at k = 1, 12, 25; pass: {passing}"
    )


def claim_test_5_id_falls_short() -> Finding:
    """The ID score rises with k but does not reach 1."""
    values = _values("dimensions_used_fraction", "id_score")
    # Neighboring k may swap by the 1.5 % to which the estimate is known.
    rising = bool((np.diff(values) > -0.02).all()) and values[-1] - values[0] > 0.5
    return Finding(
        (float(values[-1]),), rising and values[-1] < 1 - NEAR, f"from {values[0]:.3f} to {values[-1]:.3f}"
    )


def claim_test_5_cosine_constant() -> Finding:
    """The cosine score stays near 1 whatever the number of dimensions used."""
    low = float(_values("dimensions_used_fraction", "average_cosine_score").min())
    return Finding((low,), low > 1 - NEAR, f"never below {low:.4f}")


def claim_test_5_high_passes() -> Finding:
    """IsoScore, cosine and partition score stay near 1 as n grows; at the paper's 100,000 points, which
    matter.
    """
    sizes = (2, 25, 50, 100)
    base = clouds.isotropic_gaussian(100_000, max(sizes), rng=0)
    makers = (isoscore, average_cosine_score, partition_score)
    lows = tuple(min(score(base[:, :n]) for n in sizes) for score in makers)
    return Finding(lows, min(lows) > 1 - NEAR, f"never below {_words(lows, 3)} at n = 2, 25, 50, 100")


def claim_test_5_high_id_falls() -> Finding:
    """The ID score falls as n grows."""
    values = _values("dimensions_used_high", "id_score")
    return Finding(
        (float(values[-1]),),
        values[0] > 1 - NEAR and values[-1] < 0.7,
        f"{values[0]:.3f} to {values[-1]:.3f}",
    )


def claim_test_5_high_varex() -> Finding:
    """VarEx is unstable as n grows; at the paper's 100,000 points."""
    base = clouds.isotropic_gaussian(100_000, 100, rng=0)
    low = min(varex_score(base[:, :n]) for n in (2, 25, 50, 100))
    return Finding(
        (low,), low < 1 - NEAR, f"with the right index never below {low:.3f} at n = 2, 25, 50, 100"
    )


def claim_test_6_half() -> Finding:
    """IsoScore rises from 0 to 1 and is near 1/2 at equal counts."""
    curve = six_tests()["skewered_meatball"].query("score == 'isoscore'").set_index("parameter")["value"]
    values = (float(curve.iloc[0]), float(curve.loc[1_000]), float(curve.iloc[-1]))
    return Finding(values, True, _words(values, 3))


def claim_test_6_text() -> Finding:
    """Partition score, IsoScore and ID score are the only ones that pass Test 6."""
    passing = _passing("6.")
    lenient = _passing("6.", marks.derive(six_tests(), tolerance=0.2, meatball_start="anywhere"))
    expected = {"isoscore", "partition_score", "id_score"}
    detail = (
        f"pass: {', '.join(sorted(passing))}; from any start and within 0.2: {', '.join(sorted(lenient))}"
    )
    return Finding((float(len(passing)),), expected in (passing, lenient), detail)


# --- Section 5.2: contextual models
# -----------------------------------------------------------------------------


def below_018() -> Finding:
    """The largest IsoScore the authors stored."""
    largest = max(float(v.max()) for v in _published_layers().values())
    return Finding((largest,), largest < 0.18, f"largest stored value {largest:.4f}")


def below_018_minilm() -> Finding:
    """The largest IsoScore of a layer of MiniLM."""
    values = _minilm()["isoscore"]
    return Finding(
        (float(values.max()),), bool(values.max() < 0.18), f"layers of MiniLM: {_words(list(values), 3)}"
    )


def less_than_one_dimension() -> Finding:
    """The smallest number of dimensions used by a layer of GPT or GPT-2, from the authors' IsoScores."""
    layers = _published_layers()
    used = {m: 1.0 + 767.0 * layers[m] for m in ("GPT", "GPT-2")}
    low = min(float(u.min()) for u in used.values())
    return Finding(
        (low,), low < 1, "; ".join(f"{m}: {u.min():.1f} to {u.max():.1f}" for m, u in used.items())
    )


def no_decline_with_depth() -> Finding:
    """Last over first IsoScore in the authors' stored values: no decline would be none below a half."""
    ratios = {m: float(v[-1] / v[0]) for m, v in _published_layers().items()}
    detail = "last over first layer: " + ", ".join(f"{m} {r:.2g}" for m, r in ratios.items())
    return Finding(tuple(ratios.values()), min(ratios.values()) > 0.5, detail)


def no_decline_with_depth_minilm() -> Finding:
    """Last over first dimensions used in MiniLM."""
    used = _minilm()["dimensions_used"].to_numpy()
    ratio = float(used[-1] / used[0])
    return Finding((ratio,), ratio > 0.5, f"dimensions used by layer: {_words(used, 3)}")


def not_a_narrow_cone_minilm() -> Finding:
    """The largest mean cosine of a layer of MiniLM; a narrow cone has one near 1."""
    values = _minilm()["mean_cosine"]
    return Finding(
        (float(values.max()),), bool(values.max() < 0.5), f"mean cosine by layer: {_words(list(values), 3)}"
    )


def sampling_noise() -> Finding:
    """The largest standard error that a mean of 1,000 independent cosines can have."""
    bound = 1.0 / np.sqrt(1_000.0)
    return Finding((float(bound),), bool(bound > NEAR), f"at most {bound:.3f}, whatever the cloud")


def many_points_needed() -> Finding:
    """Plug-in IsoScore of isotropic clouds in 768 dimensions with 300, 1,000 and 5,000 points (truth 1)."""
    values = tuple(isoscore(clouds.isotropic_gaussian(size, 768, rng=0)) for size in (300, 1_000, 5_000))
    return Finding(values, values[1] < 1 - NEAR, f"{_words(values, 3)} where the truth is 1")


def partition_near_one_when_centered() -> Finding:
    """The partition score of a centered cloud with one long axis."""
    value = partition_score(clouds.one_long_axis(20_000, 10, 75.0, rng=0))
    return Finding(
        (value,), value > 1 - NEAR, f"{value:.1e} for a zero-mean cloud with one axis of variance 75"
    )


def isoscore_is_participation_ratio() -> Finding:
    """The seven steps of Algorithm 1 against (PR − 1)/(n − 1)."""
    worst = 0.0
    for s in _random_spectra(500, 5):
        n = s.size
        phi = (n - _defect(s) ** 2 * (n - np.sqrt(n))) ** 2 / n**2
        worst = max(worst, abs((n * phi - 1) / (n - 1) - isoscore_from_eigenvalues(s)))
    X = clouds.power_law_spectrum(500, 12, rng=0)
    worst = max(
        worst,
        abs(isotropy_defect(X) - _defect(np.asarray(np.linalg.eigvalsh(np.cov(X.T)), dtype=np.float64))),
    )
    return Finding((worst,), worst < 1e-10, f"largest difference {worst:.1e}")
