"""Permutation tests for WEAT: how often random relabelings of the targets score as high as the lists.

For mean cosines the score of a relabeling is a sum over the words of A, up to constants. The words are cut
into two halves, and pairs of subset sums of the halves that together are large enough are counted by
bisection: 2·2²⁵ sums for two lists of 25 words instead of 1.3·10¹⁴ relabelings, and the count is still exact.
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
from isotropy_lab.association._checks import (
    check_mean_direction,
    check_not_whole_space,
    rank_tolerance,
)
from isotropy_lab.association._sublists import subset_bases
from isotropy_lab.association._weat import associations, four_lists, weat
from isotropy_lab.association.canonical import basis_of, corrected_trace, scaled_trace
from isotropy_lab.association.cosine import centroid_direction, mean_direction

__all__ = ["TIE_TOLERANCE", "PermutationTest", "weat_permutation_test"]

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

TIE_TOLERANCE = 1e-12
"""Divisions whose score is at most this far below the observed one count as ties with it."""

MOST_SUBSETS = 2**25
"""Most subset sums per half of the words; two lists of 25 words have exactly this many."""

MOST_DIVISIONS = 20_000
"""Most relabelings that are scored one by one, for similarities whose score is not a sum over words."""

_CHUNK = 2**20
_BATCH = 2**11

SCALES = {"canonical": "geometric", "canonical-minimum": "minimum", "canonical-trace": None}
"""Scale of the canonical similarities whose chance level is not zero."""


@dataclasses.dataclass(frozen=True)
class PermutationTest(Result):
    """The result of a permutation test, one-sided: scores at least as high as the observed one.

    Attributes
    ----------
    pvalue
        n_at_least/count if exact, (n_at_least + 1)/(count + 1) if sampled; never 0.
    method : "exact" or "monte-carlo".
    count
        Number of relabelings looked at: all of them, the observed one included, or the random ones.
    statistic
        The observed score, as `weat` gives it.
    n_at_least
        How many of the relabelings score at least as high, ties within `TIE_TOLERANCE` included.
    pvalue_low, pvalue_high
        95% Clopper–Pearson interval for the exact p-value; both equal to it if the test is exact.
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
    """Test whether a WEAT score is higher than those of random relabelings of the target words.

    The null hypothesis is that the words of A and B are exchangeable. The words of both are divided into
    lists of the given lengths in all C(k_a + k_b, k_a) ways, or in random ones; C and D stay.

    Parameters
    ----------
    A, B, C, D : array-like of shape (k, p)
        Target lists A and B, without a common word, and attribute lists C and D; one word per row, none of
        them zero.
    similarity : str
        One of `SIMILARITIES`. For "paired" not the relabelings but the (k_a + k_b)! orders of the words are
        counted.
    n_resamples : "exact-if-feasible", "exact" or int
        "exact" looks at all relabelings and refuses if they are too many; a number draws as many random ones
        (a Monte Carlo test). "exact-if-feasible" draws only where exact is too much: 100,000, or 10,000 where
        the score is no sum over words.
    rng : numpy.random.Generator or int, optional
        Draws the random relabelings.

    Returns
    -------
    PermutationTest
        With a p-value in (0, 1]; small if A goes with C and B with D more than chance relabelings do.

    Raises
    ------
    TypeError, ValueError
        If a list does not contain real numbers, is empty, has a zero row, NaN or inf, the dimensions differ,
        A and B share a word, the similarity is undefined for a relabeling, "exact" is not feasible, or an
        option is out of range.

    Warns
    -----
    UserWarning
        As `weat` does, once, for the observed lists.

    Notes
    -----
    A relabeling within 1e−12 below the observed score counts as at least as high: rounding must not decide
    between equal relabelings. The observed relabeling is one of those counted; a Monte Carlo test counts it
    on top of m random ones, (b + 1)/(m + 1), which is valid at any m (Phipson and Smyth, 2010). For target
    lists of unequal length the score of `weat` and the sum of Caliskan et al. (2017) put all relabelings in
    the same order, so the p-value is theirs too.

    Cost: exact tests are feasible for "mean-cosine" and "centroid", whose score is a sum over words, in
    O(2^k) for two lists of k words, up to 2²⁵ subset sums for each half of the words (two lists of 25 take
    seconds and 0.7 GB), and for the others up to 20,000 relabelings (two lists of 8); m random relabelings of
    these sums take O(m k). Invariant under what the similarity is, and the order of the words in a list (not
    for "paired").

    Examples
    --------
    >>> from isotropy_lab.association import weat_permutation_test
    >>> A, B = [[1.0, 0.0], [2.0, 1.0]], [[0.0, 1.0], [1.0, 2.0]]
    >>> test = weat_permutation_test(A, B, C=[[1.0, 0.0]], D=[[0.0, 1.0]])
    >>> test.method, test.n_at_least, test.count
    ('exact', 1, 6)
    """
    a, b, c, d = four_lists(A, B, C, D)
    generator = checks.as_generator(rng)
    if isinstance(n_resamples, str):
        checks.check_option(n_resamples, "n_resamples", ("exact-if-feasible", "exact"))
    else:
        n_resamples = checks.check_integer(n_resamples, "n_resamples", low=1)
    statistic = weat(a, b, c, d, similarity=similarity).score
    null = _null(similarity, a, b, c, d)
    if isinstance(n_resamples, str):
        if null.is_feasible():
            n_at_least = null.count_exactly()
            p = n_at_least / null.n_divisions
            return PermutationTest(p, "exact", null.n_divisions, statistic, n_at_least, p, p)
        if n_resamples == "exact":
            raise ValueError(
                f"n_resamples is 'exact', but A and B have {null.n_divisions:,} relabelings, which is too "
                f"many ({null.limit}); expected 'exact-if-feasible' or a number of random relabelings"
            )
        n_resamples = null.default_resamples
    n_at_least = null.count_at_random(n_resamples, generator)
    interval = stats.binomtest(n_at_least, n_resamples).proportion_ci(0.95, method="exact")
    p = (n_at_least + 1) / (n_resamples + 1)
    return PermutationTest(
        p, "monte-carlo", n_resamples, statistic, n_at_least, float(interval.low), float(interval.high)
    )


class _Null:
    """The relabelings of n pooled words as k words of A and n − k of B; the first k are the observed A."""

    default_resamples = 10_000
    limit = f"at most {MOST_DIVISIONS} for this similarity"

    def __init__(self, k_a: int, k_b: int) -> None:
        self.k_a, self.k_b, self.n = k_a, k_b, k_a + k_b
        self.n_divisions = math.comb(self.n, k_a)

    def is_feasible(self) -> bool:
        return self.n_divisions <= MOST_DIVISIONS

    def scores(self, orders: Indices) -> Array:
        """Return the scores of a batch of orders of the pooled words, the first k_a of each being A."""
        raise NotImplementedError

    def orders(self) -> Iterator[tuple[int, ...]]:
        """Yield one order for each relabeling, the observed one first."""
        for first in itertools.combinations(range(self.n), self.k_a):
            chosen = set(first)
            yield first + tuple(i for i in range(self.n) if i not in chosen)

    def count_exactly(self) -> int:
        threshold, orders, n_at_least = self._threshold(), self.orders(), 0
        while batch := list(itertools.islice(orders, _BATCH)):
            n_at_least += int(np.count_nonzero(self.scores(np.array(batch)) >= threshold))
        return n_at_least

    def count_at_random(self, n_resamples: int, rng: np.random.Generator) -> int:
        threshold, n_at_least = self._threshold(), 0
        for start in range(0, n_resamples, _BATCH):
            size = min(_BATCH, n_resamples - start)
            orders = rng.permuted(np.tile(np.arange(self.n), (size, 1)), axis=1)
            n_at_least += int(np.count_nonzero(self.scores(orders) >= threshold))
        return n_at_least

    def _threshold(self) -> float:
        # Scored like the others, so that the observed relabeling meets its own threshold.
        return float(self.scores(np.arange(self.n)[None, :])[0]) - TIE_TOLERANCE


class _Sums(_Null):
    """Scores that are the mean of a value over the words of A minus its mean over the words of B."""

    default_resamples = 100_000
    limit = f"at most {MOST_SUBSETS} subsets of each half of the words, as for two lists of 25"

    def __init__(self, k_a: int, k_b: int, values: Array) -> None:
        super().__init__(k_a, k_b)
        self.values = values

    def is_feasible(self) -> bool:
        smaller, half = min(self.k_a, self.k_b), (self.n + 1) // 2
        return sum(math.comb(half, j) for j in range(min(smaller, half) + 1)) <= MOST_SUBSETS

    def scores(self, orders: Indices) -> Array:
        drawn = self.values[orders]
        return np.asarray(drawn[:, : self.k_a].mean(axis=1) - drawn[:, self.k_a :].mean(axis=1))

    def count_exactly(self) -> int:
        # With the total T of all values, the score is S(1/k_a + 1/k_b) − T/k_b for a sum S over A: the
        # relabelings at least as high as the observed one are those with a sum S at least as large, or a sum
        # over B as small.
        slack = TIE_TOLERANCE / (1.0 / self.k_a + 1.0 / self.k_b)
        if self.k_a <= self.k_b:
            return count_subsets(self.values, self.k_a, math.fsum(self.values[: self.k_a]) - slack)
        return count_subsets(-self.values, self.k_b, -math.fsum(self.values[self.k_a :]) - slack)


def count_subsets(values: Array, size: int, threshold: float) -> int:
    """Count the subsets of `size` values whose sum reaches the threshold, by meeting in the middle."""
    middle = values.size // 2
    left, right = subset_sums(values[:middle], size), subset_sums(values[middle:], size)
    total = 0
    for j, sums in enumerate(left):
        if size - j >= len(right):
            continue
        others = right[size - j]
        few, many = (sums, others) if sums.size <= others.size else (others, sums)
        # Sorted needles walk through the haystack in order, which the cache likes.
        for start in range(0, few.size, _CHUNK):
            places = np.searchsorted(many, threshold - few[start : start + _CHUNK], side="left")
            total += places.size * many.size - int(places.sum(dtype=np.int64))
        left[j] = right[size - j] = np.empty(0)  # sums that are done with give their memory back
    return total


def subset_sums(values: Array, largest: int) -> list[Array]:
    """Return the ascending sums of all subsets, one array for each size up to `largest`."""
    sums = [np.zeros(1)]
    for value in values:
        if len(sums) <= largest:
            sums.append(np.empty(0))
        for j in range(len(sums) - 1, 0, -1):  # downward, so that each is read before it is replaced
            sums[j] = np.concatenate([sums[j], sums[j - 1] + value])
    for group in sums:
        group.sort()
    return sums


class _Paired(_Null):
    """Mean cosines of the words in their places: every order of the pooled words is another arrangement."""

    def __init__(self, k: int, values: Array) -> None:
        super().__init__(k, k)
        self.n_divisions = math.factorial(self.n)
        self.values = values  # [word, place]

    def orders(self) -> Iterator[tuple[int, ...]]:
        return itertools.permutations(range(self.n))

    def scores(self, orders: Indices) -> Array:
        return np.asarray(self.values[orders, np.arange(self.n)].sum(axis=1))


class _Normalized(_Null):
    """Cosines of mean unit vectors."""

    def __init__(self, k_a: int, k_b: int, units: Array, difference: Array, tolerance: float) -> None:
        super().__init__(k_a, k_b)
        basis = np.linalg.qr(units.T)[0]  # of a space that contains all words
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


class _Canonical(_Null):
    """Traces of the products of projections, in coordinates of the span of the pooled words."""

    def __init__(
        self, k_a: int, k_b: int, units: Array, bases: list[Array], similarity: str, tolerance: float
    ) -> None:
        super().__init__(k_a, k_b)
        self.p, self.similarity, self.tolerance = units.shape[1], similarity, tolerance
        basis = np.linalg.qr(units.T)[0]  # of a space that contains all words
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


def _null(
    similarity: str, a: checks.FloatArray, b: checks.FloatArray, c: checks.FloatArray, d: checks.FloatArray
) -> _Null:
    """Return the null distribution for checked lists."""
    k_a, k_b = len(a), len(b)
    units = np.concatenate([unit_rows(a), unit_rows(b)])
    tolerance = max(rank_tolerance(a), rank_tolerance(b))
    if similarity == "mean-cosine":
        return _Sums(k_a, k_b, np.concatenate([associations(a, c, d), associations(b, c, d)]))
    if similarity == "centroid":
        return _Sums(k_a, k_b, units @ (centroid_direction(c, "C") - centroid_direction(d, "D")))
    if similarity == "paired":
        values = units @ (unit_rows(c) - unit_rows(d)).T / k_a
        return _Paired(k_a, np.concatenate([values, -values], axis=1))
    if similarity == "normalized":
        difference = mean_direction(c, "C") - mean_direction(d, "D")
        return _Normalized(k_a, k_b, units, difference, tolerance)
    return _Canonical(k_a, k_b, units, [basis_of(c), basis_of(d)], similarity, tolerance)
