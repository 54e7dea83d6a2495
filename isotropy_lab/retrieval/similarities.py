"""Three distributions of similarity: of questions with their answers, with the best documents, and with any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from isotropy_lab import _checks
from isotropy_lab.retrieval._checks import as_embeddings, as_gold, check_kind, check_n_best
from isotropy_lab.retrieval.ranking import pair_similarities, top_k

__all__ = ["SimilaritySamples", "similarity_densities", "similarity_samples"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

METHODS = ("kde", "histogram")


@dataclass(frozen=True, eq=False)
class SimilaritySamples:
    """Cosine similarities of Q questions with three kinds of documents.

    Attributes
    ----------
    S_corr : ndarray of shape (Q,)
        With the right document.
    S_topK : ndarray of shape (Q, k)
        With the k most similar documents, descending along rows.
    S_rand : ndarray of shape (Q,)
        With one document drawn at random.
    random_documents : ndarray of shape (Q,), int64
        Which document that was.
    hit_ranks : ndarray of shape (Q,), int64
        Place of the right document among the k best, from 1 to k; k + 1 for a miss.
    n_documents : int
        N.
    """

    S_corr: Floats
    S_topK: Floats
    S_rand: Floats
    random_documents: Places
    hit_ranks: Places
    n_documents: int

    @property
    def n_questions(self) -> int:
        """Number of questions Q."""
        return int(self.S_topK.shape[0])

    @property
    def k(self) -> int:
        """Number of best documents of each question."""
        return int(self.S_topK.shape[1])

    @property
    def accuracy(self) -> float:
        """Share of questions whose right document is among their k best."""
        return float((self.hit_ranks <= self.k).mean())


def similarity_samples(
    questions: _checks.Points,
    documents: _checks.Points,
    gold: npt.ArrayLike,
    *,
    k: int = 10,
    exclude_gold: bool = False,
    rng: _checks.RandomState = None,
) -> SimilaritySamples:
    """Compute S_corr, S_topK and S_rand: similarities of questions with right, best and random documents.

    Parameters
    ----------
    questions : array-like of shape (Q, n)
        Embeddings of questions; rows are scaled to unit length.
    documents : array-like of shape (N, n)
        Embeddings of documents by the same model.
    gold : array-like of shape (Q,)
        Position of the right document of each question, from 0 to N − 1.
    k : int
        How many best documents of each question, from 1 to N.
    exclude_gold : bool
        The random document is any of the N, each with probability 1/N, the right one included, as in the paper
        (s_r ∈ D). True draws among the N − 1 others, so that ROE has no part of COE.
    rng : numpy.random.Generator, int or None
        For the random documents; one for each question.

    Returns
    -------
    SimilaritySamples
        All values in [−1, 1], without unit.

    Raises
    ------
    TypeError
        If embeddings, `gold`, `k` or `rng` are of the wrong kind.
    ValueError
        If embeddings differ in dimension or hold NaN, inf or zero rows; if `gold` is missing or out of range; if `k`
        is 0 or above N; or if `exclude_gold` leaves no document.

    Notes
    -----
    Invariant under a rotation of all embeddings and positive factors on any of them, up to rounding. Similarities are
    those of `answer_ranks` and `top_k`, so a right document among the k best has *the same* similarity in `S_corr` as
    in `S_topK`. Duplicates of the right document among the k best do not count as hits. Cost: O(Q N n). Roychowdhury
    et al. (2025), Section II-C.

    Examples
    --------
    >>> from isotropy_lab.retrieval import similarity_samples
    >>> documents = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]
    >>> samples = similarity_samples([[2.0, 0.0], [0.0, 1.0]], documents, [1, 0], k=2, rng=0)
    >>> samples.S_corr.round(6).tolist(), samples.S_topK.round(6).tolist()
    ([0.6, 0.0], [[1.0, 0.6], [1.0, 0.8]])
    >>> samples.hit_ranks.tolist(), samples.accuracy
    ([2, 3], 0.5)
    """
    left, right = as_embeddings(questions, documents)
    n_questions, n_documents = len(left), len(right)
    places = as_gold(gold, n_questions, n_documents)
    n_best = check_n_best(k, n_documents)
    generator = _checks.as_generator(rng)
    if exclude_gold:
        _check_other_documents(n_documents)
        drawn = generator.integers(0, n_documents - 1, size=n_questions)
        drawn = drawn + (drawn >= places)  # skips the right one, the others stay equally likely
    else:
        drawn = generator.integers(0, n_documents, size=n_questions)
    best = top_k(left, right, n_best)
    found = best.indices == places[:, None]
    return SimilaritySamples(
        S_corr=pair_similarities(left, right, places),
        S_topK=best.similarities,
        S_rand=pair_similarities(left, right, drawn),
        random_documents=drawn.astype(np.int64),
        hit_ranks=np.where(found.any(axis=1), found.argmax(axis=1) + 1, n_best + 1).astype(np.int64),
        n_documents=n_documents,
    )


def similarity_densities(
    samples: SimilaritySamples,
    *,
    method: str = "kde",
    n_points: int = 256,
    bandwidth: float | None = None,
) -> pd.DataFrame:
    """Estimate the densities of S_corr, S_topK and S_rand on one common grid.

    Parameters
    ----------
    samples : SimilaritySamples
        From `similarity_samples`.
    method : {"kde", "histogram"}
        "kde" is a Gaussian kernel estimate, smooth, which puts some mass where there are no similarities (beyond 1,
        for instance). "histogram" has equal bins and puts none elsewhere.
    n_points : int
        Points of the grid, or bins; at least 2.
    bandwidth : float or None
        Standard deviation of the kernel in units of similarity, the same for all three; None takes Scott's rule for
        each: narrower for S_topK, which has k times as many values. Only for "kde".

    Returns
    -------
    pandas.DataFrame
        Columns ``sample`` ("S_corr", "S_topK", "S_rand"), ``similarity`` (grid points, or middles of bins) and
        ``density`` (per unit of similarity), `n_points` rows for each sample. The grid reaches three bandwidths beyond
        the extreme values ("kde") or just to them ("histogram").

    Raises
    ------
    TypeError
        If `samples` are not SimilaritySamples, or `n_points` or `bandwidth` are of the wrong kind.
    ValueError
        If an option does not exist or is out of range, a bandwidth is given for a histogram, or all values of a
        sample are equal, where a kernel has no width of its own ("kde"), or of all samples ("histogram").

    Notes
    -----
    Each density integrates to 1 (the kernel estimate up to the mass beyond the grid, below 0.003, and the grid's
    coarseness). Neither counts the values of S_topK from one question as dependent, which they are; that is of no
    account for a picture. Cost: O(Q k n_points). The order of the questions is of no account. Roychowdhury et al.
    (2025), Figure 2.

    Examples
    --------
    >>> from isotropy_lab.retrieval import similarity_densities, similarity_samples
    >>> documents = np.random.default_rng(0).standard_normal((50, 8))
    >>> samples = similarity_samples(documents[:20] + 0.5, documents, range(20), k=5, rng=0)
    >>> table = similarity_densities(samples, method="histogram", n_points=30)
    >>> width = table["similarity"].diff().iloc[1]
    >>> (table.groupby("sample")["density"].sum() * width).round(9).to_dict()
    {'S_corr': 1.0, 'S_rand': 1.0, 'S_topK': 1.0}
    """
    check_kind(samples, "samples", SimilaritySamples)
    _checks.check_option(method, "method", METHODS)
    n_points = _checks.check_integer(n_points, "n_points", low=2)
    if bandwidth is not None:
        _check_bandwidth_used(method)
        bandwidth = _checks.check_real(bandwidth, "bandwidth", low=0.0, high=2.0, open_low=True)
    values = {
        "S_corr": samples.S_corr,
        "S_topK": samples.S_topK.ravel(),
        "S_rand": samples.S_rand,
    }
    low = min(float(sample.min()) for sample in values.values())
    high = max(float(sample.max()) for sample in values.values())
    if method == "histogram":
        _check_density_spread(high - low, "samples")
        edges = np.linspace(low, high, n_points + 1)
        grid = (edges[1:] + edges[:-1]) / 2
        densities = {name: np.histogram(x, bins=edges, density=True)[0] for name, x in values.items()}
    else:
        widths = {}
        for name, x in values.items():
            spread = float(x.std(ddof=1)) if x.size > 1 else 0.0
            if bandwidth is None:
                _check_density_spread(spread if float(np.ptp(x)) > 1e-9 else 0.0, name)
            widths[name] = bandwidth if bandwidth is not None else spread * x.size ** (-0.2)
        reach = 3.0 * max(widths.values())
        grid = np.linspace(low - reach, high + reach, n_points)
        densities = {name: _kernel_density(x, widths[name], grid) for name, x in values.items()}
    return pd.concat(
        [
            pd.DataFrame({"sample": name, "similarity": grid, "density": density})
            for name, density in densities.items()
        ],
        ignore_index=True,
    )


def _kernel_density(x: Floats, width: float, grid: Floats) -> Floats:
    """Return the mean of normal densities of this width around `x`, in blocks of bounded size."""
    density = np.zeros_like(grid)
    step = max(1, 2**21 // grid.size)
    for start in range(0, x.size, step):
        density += stats.norm.pdf(grid[:, None], x[start : start + step], width).sum(axis=1)
    return density / x.size


def unit_rows(rows: _checks.Points, name: str) -> Floats:
    """Return rows scaled to unit length in float64; NaN, inf and zero rows are refused under this name.

    Examples
    --------
    >>> unit_rows([[3.0, 4.0]], "documents").tolist()
    [[0.6, 0.8]]
    """
    x = np.asarray(_checks.as_points(rows, name), dtype=np.float64)
    largest = np.abs(x).max(axis=1)
    _checks.check_no_zero_rows(largest, name)
    x = x / largest[:, None]  # so that no square over- or underflows
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def _check_other_documents(n_documents: int) -> None:
    """Raise ValueError if there is no document beside the right one."""
    if n_documents < 2:
        raise ValueError("documents has 1 point; expected at least 2, so that one is not the right document")


def _check_bandwidth_used(method: str) -> None:
    """Raise ValueError if a bandwidth is given where there is no kernel."""
    if method != "kde":
        raise ValueError(f"bandwidth is given with method={method!r}; expected method='kde', or no bandwidth")


def _check_density_spread(spread: float, name: str) -> None:
    """Raise ValueError for values that are all equal, which have no density."""
    if not spread > 0:
        raise ValueError(
            f"{name} has equal values only, which have no density; expected values that differ, or a bandwidth"
        )
