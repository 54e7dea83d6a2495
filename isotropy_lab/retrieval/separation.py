"""Separation of a domain's sentences from sentences of no domain, and its change by adaptation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab._core.moments import moments
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.retrieval._checks import as_embeddings, check_kind, check_n_resamples
from isotropy_lab.retrieval._resampling import question_weights

__all__ = ["Separation", "SeparationChange", "compare_separation", "separation"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

_TILE = 2**19  # entries of one block of products: 4 MB


@dataclass(frozen=True, eq=False)
class Separation(Result):
    """Distances of N domain sentences to the nearest sentence outside, and to the nearest other one inside.

    Attributes
    ----------
    distances, within : ndarray of shape (N,)
        Δ_M, the Euclidean distance of each domain sentence to the nearest agnostic one, and to the nearest other of
        the domain.
    nearest : ndarray of shape (N,), int64
        Which agnostic sentence that is.
    mean, within_mean : float
        Means of both distances.
    ratio : float
        mean / within_mean: above 1 if the domain's sentences are nearer to each other than to those outside.
    spread, relative_mean : float
        Root mean square distance over all pairs of a domain sentence and an agnostic one, and mean / spread.
    n_candidates : int or None
        How many sentences the nearest was sought among on either side; None for all there are.
    n_duplicates : int
        Domain sentences that coincide with another one they were compared with (within = 0).
    """

    distances: Floats
    nearest: npt.NDArray[np.int64]
    within: Floats
    mean: float
    within_mean: float
    ratio: float
    spread: float
    relative_mean: float
    n_candidates: int | None
    n_duplicates: int


@dataclass(frozen=True)
class SeparationChange(Result):
    """Separation before and after adaptation, for the same sentences.

    Attributes
    ----------
    difference, difference_low, difference_high : float
        Mean of Δ after minus before, and its interval.
    pvalue : float
        Of Wilcoxon's signed-rank test, two-sided, that the differences are symmetric about 0.
    relative_difference, relative_difference_low, relative_difference_high, relative_pvalue : float
        The same for Δ / spread, which a uniform stretch of everything leaves unchanged.
    log_ratio, log_ratio_low, log_ratio_high : float
        Natural logarithm of the ratio to the distance within the domain, after over before, and its interval: above 0
        only if the domain moved away from the outside by more than its own sentences moved apart.
    fraction_farther : float
        Fraction of domain sentences whose Δ grew.
    n_resamples, confidence_level : int, float
        Bootstrap samples, and the nominal coverage of the intervals.
    """

    difference: float
    difference_low: float
    difference_high: float
    pvalue: float
    relative_difference: float
    relative_difference_low: float
    relative_difference_high: float
    relative_pvalue: float
    log_ratio: float
    log_ratio_low: float
    log_ratio_high: float
    fraction_farther: float
    n_resamples: int
    confidence_level: float


def separation(
    domain: checks.Points,
    agnostic: checks.Points,
    *,
    n: int | None = None,
    rng: checks.RandomState = None,
) -> Separation:
    """Measure Δ_M, the distance of each domain sentence to the nearest agnostic one, beside that within the domain.

    Parameters
    ----------
    domain : array-like of shape (N, n_dimensions)
        Embeddings of the domain's sentences, at least 2; rows are scaled to unit length, as the paper's are.
    agnostic : array-like of shape (N', n_dimensions)
        Embeddings of other sentences by the same model.
    n : int or None
        Seek each nearest sentence among this many, drawn once without replacement from either side: at most N' and
        N − 1. The nearest of more sentences is nearer, so that the ratio says little if the sides are of very
        different size. None takes all.
    rng : numpy.random.Generator, int or None
        For the draw; not used if `n` is None.

    Returns
    -------
    Separation
        Distances from 0 to 2.

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension or hold NaN, inf or zero rows; if there are fewer than 2
        domain sentences, `n` is out of range, or every domain sentence has a duplicate (no ratio).

    Notes
    -----
    Invariant under a common rotation and positive factors on any row. The nearest are found from products in float64
    and their distances taken from differences, so that small ones keep their digits. Cost: O(N (N + N') n_dimensions)
    time, 16 MB beside float64 copies. Roychowdhury et al. (2025), Section II-F.

    Examples
    --------
    >>> from isotropy_lab.retrieval import separation
    >>> domain = [[3.0, 4.0], [4.0, 3.0], [5.0, 0.0]]
    >>> found = separation(domain, [[-1.0, 0.0], [0.0, 1.0]])
    >>> found.distances.round(3).tolist(), found.nearest.tolist()
    ([0.632, 0.894, 1.414], [1, 1, 1])
    >>> found.within.round(3).tolist(), round(found.ratio, 3)
    ([0.283, 0.283, 0.632], 2.455)
    """
    names = ("domain", "agnostic")
    given = as_embeddings(domain, agnostic, names)
    inside, outside = (unit_rows(x, name) for x, name in zip(given, names, strict=True))
    checks.check_size(inside.shape, names[0], min_points=2)
    n_inside, n_outside = len(inside), len(outside)
    if n is None:
        n_chosen, among_out, among_in = None, np.arange(n_outside), np.arange(n_inside)
    else:
        n_chosen = checks.check_integer(
            n,
            "n",
            low=1,
            high=min(n_outside, n_inside - 1),
            why=f"there are {n_outside} agnostic and {n_inside - 1} other domain sentences",
        )
        generator = checks.as_generator(rng)
        among_out = generator.choice(n_outside, size=n_chosen, replace=False)
        among_in = generator.choice(n_inside, size=n_chosen + 1, replace=False)
    distances, nearest = _nearest(inside, outside, among_out)
    # A sentence among the n + 1 has the n others; the rest are compared with the first n, so that all have as many.
    spare = among_in[-1:] if n_chosen is not None else among_in[:0]
    within, _ = _nearest(inside, inside, among_in, among_themselves=True, spare=spare)
    mean, within_mean = float(distances.mean()), float(within.mean())
    if not within_mean > 0:
        raise ValueError(
            "domain has a duplicate of every sentence, so that the distance within it is 0; expected distinct sentences"
        )
    spread = _spread(inside, outside)
    return Separation(
        distances=distances,
        nearest=nearest.astype(np.int64),
        within=within,
        mean=mean,
        within_mean=within_mean,
        ratio=mean / within_mean,
        spread=spread,
        relative_mean=mean / spread,
        n_candidates=n_chosen,
        n_duplicates=int((within == 0).sum()),
    )


def compare_separation(
    before: Separation,
    after: Separation,
    *,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
) -> SeparationChange:
    """Test whether adaptation moved the sentences of a domain away from the others, or only everything apart.

    Parameters
    ----------
    before, after : Separation
        Of the same sentences in the same order by two models, sought among the same candidates (with `n`, draw both
        with one seed).
    n_resamples : int
        Paired bootstrap samples of domain sentences.
    confidence_level : float
        Of the percentile intervals, in (0, 1).
    rng : numpy.random.Generator, int or None
        For the bootstrap samples.

    Returns
    -------
    SeparationChange
        Differences of Δ are distances, the others have no unit.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong kind or out of range, or the two are about different numbers of sentences or
        candidates.

    Notes
    -----
    Three comparisons, from the paper's to the most demanding. Δ itself grows if all distances do, for instance when
    contrastive training spreads embeddings over the sphere; Δ / spread does not grow by a uniform stretch; the ratio to
    the nearest neighbor within the domain not even if all neighborhoods thin out alike. Bootstrap and test take domain
    sentences for independent, which those with a common neighbor are not, so both are somewhat too sure. Invariant as
    `separation`. Cost: O(N n_resamples).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.retrieval import compare_separation, separation
    >>> rng = np.random.default_rng(0)
    >>> domain, agnostic = rng.standard_normal((60, 8)) + 1.0, rng.standard_normal((80, 8))
    >>> before, after = separation(domain, agnostic), separation(domain, agnostic - 1.0)
    >>> change = compare_separation(before, after, n_resamples=200, rng=0)
    >>> change.difference_low > 0, change.pvalue < 1e-6, change.log_ratio_low > 0
    (True, True, True)
    """
    check_kind(before, "before", Separation)
    check_kind(after, "after", Separation)
    if before.distances.size != after.distances.size:
        raise ValueError(
            f"before is about {checks.how_many(before.distances.size, 'sentence')} and after about "
            f"{after.distances.size}; expected the same sentences in the same order"
        )
    if before.n_candidates != after.n_candidates:
        raise ValueError(
            f"before sought the nearest among n={before.n_candidates} sentences and after among n={after.n_candidates}; "
            "expected the same n, since the nearest of more sentences is nearer"
        )
    level = checks.check_confidence_level(confidence_level)
    m = check_n_resamples(n_resamples, level)
    generator = checks.as_generator(rng)

    plain = after.distances - before.distances
    relative = after.distances / after.spread - before.distances / before.spread
    # One column for each mean that a bootstrap sample needs.
    columns = np.column_stack(
        [plain, relative, after.distances, after.within, before.distances, before.within]
    )
    n_sentences = plain.size
    means = np.empty((m, columns.shape[1]))
    step = max(1, _TILE // n_sentences)
    for part, weights in question_weights(n_sentences, n_sentences, m, step, generator):
        means[part] = weights @ columns / n_sentences
    with np.errstate(divide="ignore", invalid="ignore"):  # a sample of duplicates only
        ratios = np.log(means[:, 2] / means[:, 3]) - np.log(means[:, 4] / means[:, 5])
    bad = int((~np.isfinite(ratios)).sum())
    if bad:
        raise ValueError(
            f"domain has so many duplicates that {bad} of {m} bootstrap samples have distances of 0 only; expected "
            "distinct sentences"
        )
    tail = 50.0 * (1.0 - level)
    ends = np.percentile(np.column_stack([means[:, :2], ratios]), [tail, 100.0 - tail], axis=0)
    return SeparationChange(
        difference=float(plain.mean()),
        difference_low=float(ends[0, 0]),
        difference_high=float(ends[1, 0]),
        pvalue=_wilcoxon(plain, after.mean),
        relative_difference=float(relative.mean()),
        relative_difference_low=float(ends[0, 1]),
        relative_difference_high=float(ends[1, 1]),
        relative_pvalue=_wilcoxon(relative, 1.0),
        log_ratio=math.log(after.ratio) - math.log(before.ratio),
        log_ratio_low=float(ends[0, 2]),
        log_ratio_high=float(ends[1, 2]),
        fraction_farther=float((plain > 0).mean()),
        n_resamples=m,
        confidence_level=level,
    )


def _nearest(
    rows: Floats,
    others: Floats,
    candidates: Places,
    *,
    among_themselves: bool = False,
    spare: Places | None = None,
) -> tuple[Floats, Places]:
    """Return the distance to, and the position of, the nearest candidate of every row.

    Where neighbors within one cloud are sought, `others` are the rows `among_themselves`, and none is its own
    neighbor; a spare candidate is then only there for rows that are candidates themselves.
    """
    center = others[candidates].mean(axis=0)
    pool = others[candidates] - center
    squares = np.einsum("ij,ij->i", pool, pool)
    lengths = np.sqrt(squares)
    column_of = np.full(len(others), -1)
    if among_themselves:
        column_of[candidates] = np.arange(candidates.size)
    found = np.empty(len(rows), dtype=np.intp)
    rounding = (rows.shape[1] + 8) * float(np.finfo(np.float64).eps)
    step = max(1, _TILE // candidates.size)
    for start in range(0, len(rows), step):
        chunk = np.arange(start, min(start + step, len(rows)))
        shifted = rows[chunk] - center
        d2 = squares - 2.0 * (shifted @ pool.T)  # short of a constant in every row
        if among_themselves:
            own = column_of[chunk]
            d2[np.flatnonzero(own >= 0), own[own >= 0]] = np.inf
            if spare is not None and spare.size:
                d2[np.flatnonzero(own < 0), column_of[spare[0]]] = np.inf
        # What rounding can do to each; where it leaves open which is nearest, differences decide.
        margins = rounding * (np.linalg.norm(shifted, axis=1)[:, None] + lengths) ** 2
        least = (d2 + margins).min(axis=1)
        best = d2.argmin(axis=1)
        d2 -= margins
        open_ = d2 <= least[:, None]
        several = np.flatnonzero(np.count_nonzero(open_, axis=1) > 1)
        for row in several:
            places = np.flatnonzero(open_[row])
            exact = np.linalg.norm(others[candidates[places]] - rows[chunk[row]], axis=1)
            best[row] = places[exact.argmin()]
        found[chunk] = candidates[best]
    distances = np.linalg.norm(rows - others[found], axis=1)
    return distances, found


def _spread(inside: Floats, outside: Floats) -> float:
    """Return the root mean square distance over all pairs of a row of each cloud, from means and variances."""
    a, b = moments(inside), moments(outside)
    square = float(np.trace(a.covariance(ddof=0)) + np.trace(b.covariance(ddof=0)))
    return math.sqrt(square + float(((a.mean - b.mean) ** 2).sum()))


def _wilcoxon(differences: Floats, scale: float) -> float:
    """Return the p of the signed-rank test; differences that are rounding count as none, and none at all as p = 1."""
    differences = np.where(np.abs(differences) <= 1e-12 * scale, 0.0, differences)
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="wilcox", method="auto").pvalue)
