"""Permutation tests for WEAT, which relabel the target words at random.

For mean cosines, the score of a relabeling is a sum over the words of A, up to constants. The words are
divided into two halves, and pairs of subset sums of the halves that reach a threshold together are counted by
bisection. For two lists of 25 words, this takes 2·2²⁵ sums instead of 1.3·10¹⁴ relabelings, and the count is
exact.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import check_mean_direction, check_not_whole_space, rank_tolerance
from isotropy_lab.association._sublists import subset_bases
from isotropy_lab.association._weat import associations, check_four_lists, weat
from isotropy_lab.association.canonical import corrected_trace, scaled_trace, span_basis
from isotropy_lab.association.cosine import centroid_direction, mean_direction

__all__ = ["TIE_TOLERANCE", "PermutationTest", "weat_permutation_test"]

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

TIE_TOLERANCE = 1e-12
"""Relabelings that score at most this far below the observed score count as ties."""

MAX_SUBSETS = 2**25
"""Maximum number of subset sums per half of the words, which two lists of 25 words reach."""

MAX_RELABELINGS = 20_000
"""Maximum number of relabelings scored individually, if the score is not a sum over words."""

_CHUNK_ENTRIES = 2**20  # subset sums searched for at a time
_CHUNK_ROWS = 2**11  # relabelings scored at a time

SCALES = {"canonical": "geometric", "canonical-minimum": "minimum", "canonical-trace": None}
"""Scaling of each canonical similarity that is not corrected for chance."""


@dataclasses.dataclass(frozen=True)
class PermutationTest(Result):
    """Result of a one-sided permutation test, which counts scores at least as high as the observed score.

    Attributes
    ----------
    pvalue
        n_at_least/count if exact, or (n_at_least + 1)/(count + 1) if sampled; never 0.
    method : "exact" or "monte-carlo".
    count
        Number of relabelings scored: all of them, including the observed one, or random ones.
    statistic
        Observed score, equal to the score of `weat`.
    n_at_least
        Number of these relabelings that score at least as high, including ties within `TIE_TOLERANCE`.
    pvalue_low, pvalue_high
        95% Clopper–Pearson interval for the exact p-value; both ends equal it if the test is exact.
    """

    pvalue: float
    method: str
    count: int
    statistic: float
    n_at_least: int
    pvalue_low: float
    pvalue_high: float


def weat_permutation_test(
    A: checks.Points,
    B: checks.Points,
    C: checks.Points,
    D: checks.Points,
    *,
    similarity: str = "mean-cosine",
    n_resamples: str | int = "exact-if-feasible",
    rng: checks.RandomState = None,
) -> PermutationTest:
    """Test whether a WEAT score is higher than the scores of random relabelings of the target words.

    Under the null hypothesis, the words of A and B are exchangeable. They are divided into lists of the given
    lengths in all C(k_a + k_b, k_a) ways, or in random ways; C and D do not change.

    Parameters
    ----------
    A, B, C, D : array-like of shape (k, p)
        Target lists A and B, which have no common word, and attribute lists C and D, with one nonzero word
        vector per row.
    similarity : str
        One of `SIMILARITIES`. For "paired", the (k_a + k_b)! orders of words are counted, not relabelings.
    n_resamples : "exact-if-feasible", "exact" or int
        "exact" scores all relabelings, and raises an error if there are too many. An integer draws this
        number of random relabelings (a Monte Carlo test). "exact-if-feasible" draws 100,000, or 10,000 if the
        score is not a sum over words, but only if the exact test is infeasible.
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the random relabelings.

    Returns
    -------
    PermutationTest
        Its p-value in (0, 1] is small if A is associated with C, and B with D, more than by chance.

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; if dimensions differ; if A
        and B share a word; if the similarity is undefined for a relabeling; or if an option is infeasible or
        out of range.

    Warns
    -----
    UserWarning
        As in `weat`, once, for the observed lists.

    Notes
    -----
    A relabeling whose score is at most 1e−12 below the observed score counts as at least as high, so that
    rounding does not decide between equal relabelings. The observed relabeling is counted; a Monte Carlo test
    adds it to the m random ones, (b + 1)/(m + 1), which is valid for every m (Phipson and Smyth, 2010). For
    target lists of unequal length, the score of `weat` and the sum of Caliskan et al. (2017) sort all
    relabelings in the same order, so their p-values are equal.

    Cost: exact tests are feasible for "mean-cosine" and "centroid", whose score is a sum over words, in
    O(2^k) for two lists of k words, up to 2²⁵ subset sums for each half of the words (two lists of 25 take
    seconds and 0.7 GB); and for other similarities up to 20,000 relabelings (two lists of 8). For sums over
    words, m random relabelings take O(m k). The test has the invariances of the similarity and, except for
    "paired", does not depend on the order of the words in a list.

    Examples
    --------
    >>> from isotropy_lab.association import weat_permutation_test
    >>> A, B = [[1.0, 0.0], [2.0, 1.0]], [[0.0, 1.0], [1.0, 2.0]]
    >>> test = weat_permutation_test(A, B, C=[[1.0, 0.0]], D=[[0.0, 1.0]])
    >>> test.method, test.n_at_least, test.count
    ('exact', 1, 6)
    """
    a, b, c, d = check_four_lists(A, B, C, D)
    generator = checks.as_generator(rng)
    if isinstance(n_resamples, str):
        checks.check_option(n_resamples, "n_resamples", ("exact-if-feasible", "exact"))
    else:
        n_resamples = checks.check_integer(n_resamples, "n_resamples", low=1)
    statistic = weat(a, b, c, d, similarity=similarity).score
    null = _null_distribution(similarity, a, b, c, d)
    if isinstance(n_resamples, str):
        if null.is_feasible():
            n_at_least = null.count_exactly()
            p = n_at_least / null.n_divisions
            return PermutationTest(p, "exact", null.n_divisions, statistic, n_at_least, p, p)
        if n_resamples == "exact":
            raise ValueError(
                f"n_resamples is 'exact', but A and B have {null.n_divisions:,} relabelings, which are "
                f"too many ({null.limit}); expected 'exact-if-feasible', or a number of random relabelings"
            )
        n_resamples = null.default_resamples
    n_at_least = null.count_at_random(n_resamples, generator)
    interval = stats.binomtest(n_at_least, n_resamples).proportion_ci(0.95, method="exact")
    p = (n_at_least + 1) / (n_resamples + 1)
    return PermutationTest(
        p, "monte-carlo", n_resamples, statistic, n_at_least, float(interval.low), float(interval.high)
    )


class _NullDistribution:
    """Relabelings of n pooled words, of which the first k_a are the observed list A."""

    default_resamples = 10_000
    limit = f"at most {MAX_RELABELINGS} for this similarity"

    def __init__(self, k_a: int, k_b: int) -> None:
        self.k_a, self.k_b, self.n = k_a, k_b, k_a + k_b
        self.n_divisions = math.comb(self.n, k_a)

    def is_feasible(self) -> bool:
        return self.n_divisions <= MAX_RELABELINGS

    def scores(self, orders: Indices) -> Array:
        """Return the scores of a batch of orders of the pooled words; the first k_a words form list A."""
        raise NotImplementedError

    def orders(self) -> Iterator[tuple[int, ...]]:
        """Yield one order of the words for each relabeling, beginning with the observed one."""
        for first in itertools.combinations(range(self.n), self.k_a):
            chosen = set(first)
            yield first + tuple(i for i in range(self.n) if i not in chosen)

    def count_exactly(self) -> int:
        threshold, orders, n_at_least = self._threshold(), self.orders(), 0
        while batch := list(itertools.islice(orders, _CHUNK_ROWS)):
            n_at_least += int(np.count_nonzero(self.scores(np.array(batch)) >= threshold))
        return n_at_least

    def count_at_random(self, n_resamples: int, rng: np.random.Generator) -> int:
        threshold, n_at_least = self._threshold(), 0
        for start in range(0, n_resamples, _CHUNK_ROWS):
            size = min(_CHUNK_ROWS, n_resamples - start)
            orders = rng.permuted(np.tile(np.arange(self.n), (size, 1)), axis=1)
            n_at_least += int(np.count_nonzero(self.scores(orders) >= threshold))
        return n_at_least

    def _threshold(self) -> float:
        # The observed relabeling is scored like all others, so that it reaches its own threshold.
        return float(self.scores(np.arange(self.n)[None, :])[0]) - TIE_TOLERANCE


class _SumNull(_NullDistribution):
    """Relabelings whose score is the mean of a value over the words of A minus its mean over B."""

    default_resamples = 100_000
    limit = f"at most {MAX_SUBSETS} subsets of each half of the words, as for two lists of 25"

    def __init__(self, k_a: int, k_b: int, values: Array) -> None:
        super().__init__(k_a, k_b)
        self.values = values

    def is_feasible(self) -> bool:
        smaller, half = min(self.k_a, self.k_b), (self.n + 1) // 2
        return sum(math.comb(half, j) for j in range(min(smaller, half) + 1)) <= MAX_SUBSETS

    def scores(self, orders: Indices) -> Array:
        drawn = self.values[orders]
        return np.asarray(drawn[:, : self.k_a].mean(axis=1) - drawn[:, self.k_a :].mean(axis=1))

    def count_exactly(self) -> int:
        # With the total T of all values and the sum S over A, the score is S(1/k_a + 1/k_b) − T/k_b. It is at
        # least as high as the observed score if S is at least as large as the observed sum, or the sum over B
        # at least as small.
        slack = TIE_TOLERANCE / (1.0 / self.k_a + 1.0 / self.k_b)
        if self.k_a <= self.k_b:
            return count_subsets(self.values, self.k_a, math.fsum(self.values[: self.k_a]) - slack)
        return count_subsets(-self.values, self.k_b, -math.fsum(self.values[self.k_a :]) - slack)


def count_subsets(values: Array, size: int, threshold: float) -> int:
    """Count the subsets of `size` values whose sum reaches the threshold, by a meet-in-the-middle search."""
    middle = values.size // 2
    left, right = subset_sums(values[:middle], size), subset_sums(values[middle:], size)
    total = 0
    for j, sums in enumerate(left):
        if size - j >= len(right):
            continue
        other_sums = right[size - j]
        smaller, larger = (sums, other_sums) if sums.size <= other_sums.size else (other_sums, sums)
        # Searching for sorted values traverses the sorted array in order, which uses the cache well.
        for start in range(0, smaller.size, _CHUNK_ENTRIES):
            positions = np.searchsorted(larger, threshold - smaller[start : start + _CHUNK_ENTRIES])
            total += positions.size * larger.size - int(positions.sum(dtype=np.int64))
        left[j] = right[size - j] = np.empty(0)  # release the memory of sums that are no longer needed
    return total


def subset_sums(values: Array, largest: int) -> list[Array]:
    """Return the ascending sums of all subsets, one array for each size up to `largest`."""
    sums = [np.zeros(1)]
    for value in values:
        if len(sums) <= largest:
            sums.append(np.empty(0))
        for j in range(len(sums) - 1, 0, -1):  # descending, so that entries are read before they are replaced
            sums[j] = np.concatenate([sums[j], sums[j - 1] + value])
    for group in sums:
        group.sort()
    return sums


class _PairedNull(_NullDistribution):
    """Orders of the pooled words, scored by the mean cosine of corresponding words of the lists."""

    def __init__(self, k: int, values: Array) -> None:
        super().__init__(k, k)
        self.n_divisions = math.factorial(self.n)
        self.values = values  # [word, position]

    def orders(self) -> Iterator[tuple[int, ...]]:
        return itertools.permutations(range(self.n))

    def scores(self, orders: Indices) -> Array:
        return np.asarray(self.values[orders, np.arange(self.n)].sum(axis=1))


class _NormalizedNull(_NullDistribution):
    """Relabelings scored by cosines of mean unit vectors."""

    def __init__(self, k_a: int, k_b: int, units: Array, difference: Array, tolerance: float) -> None:
        super().__init__(k_a, k_b)
        basis = np.linalg.qr(units.T)[0]  # basis of a space that contains all words
        self.coordinates = units @ basis
        self.inner = self.coordinates @ (basis.T @ difference)
        self.tolerance = tolerance

    def scores(self, orders: Indices) -> Array:
        return np.asarray(self._cosine(orders[:, : self.k_a]) - self._cosine(orders[:, self.k_a :]))

    def _cosine(self, rows: Indices) -> Array:
        means = self.coordinates[rows].mean(axis=1)
        lengths = np.sqrt(np.einsum("ij,ij->i", means, means))
        check_mean_direction(
            float(lengths.min()), self.tolerance, "A relabeling of A and B", "mean unit vector"
        )
        return np.asarray(self.inner[rows].mean(axis=1) / lengths)


class _CanonicalNull(_NullDistribution):
    """Relabelings scored by traces of products of projections, in the span of the pooled words."""

    def __init__(
        self, k_a: int, k_b: int, units: Array, bases: list[Array], similarity: str, tolerance: float
    ) -> None:
        super().__init__(k_a, k_b)
        self.p, self.similarity, self.tolerance = units.shape[1], similarity, tolerance
        basis = np.linalg.qr(units.T)[0]  # basis of a space that contains all words
        self.coordinates = units @ basis
        self.attributes = [basis.T @ q for q in bases]

    def scores(self, orders: Indices) -> Array:
        ac, ad = self._similarities(orders[:, : self.k_a])
        bc, bd = self._similarities(orders[:, self.k_a :])
        return np.asarray((ac + bd) - (bc + ad))

    def _similarities(self, rows: Indices) -> list[Array]:
        bases, ranks = subset_bases(self.coordinates, rows, self.tolerance)
        spans = np.swapaxes(bases, 1, 2)
        traces = [np.square(spans @ attribute).sum(axis=(1, 2)) for attribute in self.attributes]
        sizes = [attribute.shape[1] for attribute in self.attributes]
        if self.similarity != "canonical-corrected":
            scale = SCALES[self.similarity]
            return [scaled_trace(trace, ranks, r, scale) for trace, r in zip(traces, sizes, strict=True)]
        for r in sizes:
            check_not_whole_space(
                int(ranks.max()), r, self.p, ("A relabeling of A and B", "An attribute list")
            )
        return [corrected_trace(trace, ranks, r, self.p) for trace, r in zip(traces, sizes, strict=True)]


def _null_distribution(
    similarity: str, a: checks.FloatArray, b: checks.FloatArray, c: checks.FloatArray, d: checks.FloatArray
) -> _NullDistribution:
    """Return the null distribution for checked lists."""
    k_a, k_b = len(a), len(b)
    units = np.concatenate([unit_rows(a), unit_rows(b)])
    tolerance = max(rank_tolerance(a), rank_tolerance(b))
    if similarity == "mean-cosine":
        return _SumNull(k_a, k_b, np.concatenate([associations(a, c, d), associations(b, c, d)]))
    if similarity == "centroid":
        return _SumNull(k_a, k_b, units @ (centroid_direction(c, "C") - centroid_direction(d, "D")))
    if similarity == "paired":
        values = units @ (unit_rows(c) - unit_rows(d)).T / k_a
        return _PairedNull(k_a, np.concatenate([values, -values], axis=1))
    if similarity == "normalized":
        difference = mean_direction(c, "C") - mean_direction(d, "D")
        return _NormalizedNull(k_a, k_b, units, difference, tolerance)
    return _CanonicalNull(k_a, k_b, units, [span_basis(c), span_basis(d)], similarity, tolerance)
