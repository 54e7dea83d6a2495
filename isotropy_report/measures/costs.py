"""Cost of fewer dimensions, bytes, or bits, measured on the user's own vectors."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab import moments
from isotropy_lab._core import checks
from isotropy_lab._core.neighbors import nearest_neighbors
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import scaled_rows, unit_rows
from isotropy_lab.retrieval import answer_ranks, compare_models
from isotropy_lab.retrieval.thresholds import binomial, upper_bound
from isotropy_report._output import Document, align
from isotropy_report.measures._checks import TEXTS, check_gold_given, ranks_and_warnings
from isotropy_report.measures.equal_rows import repeated_questions
from isotropy_report.measures.neighbors import overlap_of_lists

__all__ = ["CompressionCost", "CompressionCosts", "compression_costs"]

Singles = npt.NDArray[np.float32]

_MIN_KEPT, _MAX_LOSS = 0.9, 0.02
"""Minimum fraction of neighbors kept, and maximum loss of accuracy, for smaller vectors to be good enough."""

_CHUNK_ENTRIES = 2**20  # values compressed at a time


@dataclass(frozen=True)
class CompressionCost(Result):
    """The cost of one method that makes vectors smaller.

    Attributes
    ----------
    method : str
        "as given", "first dimensions", "PCA", "float16", "int8", or "binary".
    dimensions, n_bytes : int
        Number of values or bits of a vector, and its number of bytes.
    overlap, overlap_low, overlap_high : float
        Fraction of the k nearest neighbors that are kept, and its interval.
    accuracy : float or None
        Fraction of questions whose relevant document is among the first k; None without questions.
    loss, loss_low, loss_high : float or None
        Accuracy of the vectors as given minus this accuracy, on the same questions, and its interval.
    lost_bound : float or None
        Exact one-sided upper bound, at the confidence level, on the fraction of all such questions that lose
        their document.
    """

    method: str
    dimensions: int
    n_bytes: int
    overlap: float
    overlap_low: float
    overlap_high: float
    accuracy: float | None
    loss: float | None
    loss_low: float | None
    loss_high: float | None
    lost_bound: float | None

    @property
    def text(self) -> str:
        """Name of the method, with the reduced number of dimensions, if any, and the number of bytes."""
        name = TEXTS["methods"][self.method].format(dimensions=self.dimensions)
        return f"{name}, with {self.n_bytes:,}"


@dataclass(frozen=True, repr=False)
class CompressionCosts(Document, Result):
    """A table of the costs of smaller vectors.

    Attributes
    ----------
    best : CompressionCost or None
        The smallest vectors that preserve enough, as the summary names them.
    rows : tuple of CompressionCost
        One row for each method, starting with the vectors as given.
    k : int
        Number of neighbors to compare, and the last rank that counts.
    n_points, n_fitted, n_measured : int
        Numbers of vectors, of those used to fit components and ranges, and of those with compared neighbors.
    n_questions : int
        Number of questions, or 0 without questions.
    confidence_level : float
        Nominal coverage of the intervals.
    """

    JSON_KIND: ClassVar[str] = "costs"

    rows: tuple[CompressionCost, ...]
    k: int
    n_points: int
    n_fitted: int
    n_measured: int
    n_questions: int
    confidence_level: float

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per method; columns about questions are omitted if there are none."""
        frame = pd.DataFrame([row.to_dict() for row in self.rows])
        return frame if self.n_questions else frame.iloc[:, :6]

    @property
    def best(self) -> CompressionCost | None:
        """The smallest vectors that preserve enough, or None if none do."""
        return next(iter(self._good_enough()), None)

    def _smaller(self) -> list[CompressionCost]:
        """Return the methods that make vectors smaller, the smallest first."""
        smaller = [row for row in self.rows if row.n_bytes < self.rows[0].n_bytes]
        return sorted(smaller, key=lambda row: (row.n_bytes, row.loss or 0.0, -row.overlap))

    def _good_enough(self) -> list[CompressionCost]:
        return [
            row
            for row in self._smaller()
            if (row.overlap_low >= _MIN_KEPT if row.lost_bound is None else row.lost_bound <= _MAX_LOSS)
        ]

    @property
    def summary(self) -> tuple[str, ...]:
        """Two sentences on the smallest vectors that preserve enough."""
        full, methods, enough = self.rows[0], self._smaller(), self._good_enough()
        # If none is good enough, the best by the same criterion, and the smallest of equally good ones.
        worst_first = [(row.lost_bound if self.n_questions else -row.overlap) or 0.0 for row in methods]
        chosen = enough[0] if enough else methods[int(np.argmin(worst_first))]
        level = f"{self.confidence_level:.0%} interval"
        text = TEXTS["costs_neighbors"].format(chosen=chosen, full=full, costs=self, level=level)
        if chosen.loss is not None:
            verb = "raises" if chosen.loss < 0.0 else "lowers"
            change = f"{verb} accuracy@{self.k} from {full.accuracy:.4f} to {chosen.accuracy:.4f}"
            change = change if chosen.loss else f"leaves accuracy@{self.k} at {full.accuracy:.4f}"
            text += f" and {change} ({level} of the loss {chosen.loss_low:+z.3f} to {chosen.loss_high:+z.3f})"
        text = text.replace("-", "−")
        rule = f"keeps {_MIN_KEPT:.0%} of the neighbors at the lower end of its interval"
        if self.n_questions:
            rule = TEXTS["costs_rule"].format(loss=_MAX_LOSS, level=self.confidence_level)
            fewest = math.ceil(math.log(1.0 - self.confidence_level) / math.log1p(-_MAX_LOSS))
            if self.n_questions < fewest:
                few = f"{self.n_questions:,} questions are too few to show that a smaller way {rule}"
                few += f"; it takes {fewest} even if none loses its document."
                return few, f"The best here: {text}."
        if not enough:
            return f"None of {len(methods)} smaller ways {rule}.", f"The best of them: {text}."
        remark = f"Of {len(methods)} smaller ways, uncorrected for their number, it is the smallest that"
        bound = "" if chosen.lost_bound is None else f" (its bound is {chosen.lost_bound:.1%})"
        return f"{text}.", f"{remark} {rule}{bound}."

    def _table(self) -> str:
        """Return the rows as aligned lines of text."""
        header = ["", "dimensions", "bytes", f"nearest {self.k} kept"]
        header += [f"loss of accuracy@{self.k}", "questions lost, at most"] if self.n_questions else []
        rows = []
        for row in self.rows:
            kept = f"{row.overlap:.3f} [{row.overlap_low:.3f}, {row.overlap_high:.3f}]"
            rows.append([row.method, str(row.dimensions), str(row.n_bytes), kept])
            if row.loss is not None:
                rows[-1].append(f"{row.loss:+.3f} [{row.loss_low:+.3f}, {row.loss_high:+.3f}]")
                rows[-1].append(f"{row.lost_bound:.1%}")
        return "\n".join(align(header, rows))

    def __str__(self) -> str:
        """Return the summary and the table."""
        first, last = (textwrap.fill(text, 110) for text in (" ".join(self.summary), TEXTS["costs_methods"]))
        return f"{first}\n\n{self._table()}\n\n{last}"


def compression_costs(
    X: checks.Points,
    *,
    dimensions: int | Sequence[int] | None = None,
    questions: checks.Points | None = None,
    gold: checks.Gold = None,
    k: int = 10,
    max_rows: int = 10_000,
    confidence_level: float = 0.95,
    rng: checks.RandomState = 0,
) -> CompressionCosts:
    """Return the loss of nearest neighbors and of accuracy from making vectors smaller.

    Parameters
    ----------
    X : array-like of shape (N, n)
        Vectors, for instance of documents, with N ≥ 2(k + 2) and no zero rows.
    dimensions : int or sequence of int, optional
        Numbers of dimensions to truncate and project to, each below n; by default n/2, n/4, and n/8.
    questions : array-like of shape (Q, n), optional
        Vectors of questions from the same model.
    gold : array-like or mapping, optional
        The rows of X that are relevant to each question, as for `retrieval.answer_ranks`; requires
        `questions`.
    k : int, default 10
        Number of neighbors to compare, and the last rank that counts.
    max_rows : int, default 10,000
        Maximum number of rows whose neighbors are compared, and maximum number of rows used for fitting.
    confidence_level
        Nominal coverage of the intervals: see `retrieval.compare_models`.
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the halves and the resamples.

    Returns
    -------
    CompressionCosts
        Overlaps are in [0, 1], with 1 if no neighbor changes; losses are in [−1, 1], and negative if the
        smaller vectors do better.

    Raises
    ------
    TypeError, ValueError
        If vectors are not real numbers, are too few, or contain NaN, inf, or zero rows, including rows that
        become zero when truncated; if questions do not match the vectors; if `dimensions` are not from 1 to
        n − 1; if only one of `questions` and `gold` is given, gold seems wrong, or over 1% of the questions
        repeat earlier ones; or if an option is out of range.

    Notes
    -----
    PCA and the ranges of int8 are fitted to a random half of the rows; neighbors are compared among the
    other half, by cosine, with the interval of `neighbor_overlap`. Fewer rows have wider neighborhoods, so
    less is kept among all rows. Questions search all rows, so half of the documents were used for fitting,
    whereas all questions are new; the intervals for questions are paired.

    - *first dimensions*: the first d numbers (Kusupati et al. 2022). Models not trained for truncation lose
      the most here.
    - *PCA*: products of unit-norm rows with the first d eigenvectors of their covariance. The mean is not
      subtracted.
    - *float16*: unit-norm rows in half precision; left out if the vectors have no more than 16 bits.
    - *int8*: 256 evenly spaced values from the minimum to the maximum of each dimension of unit-norm rows;
      cosines are computed from the decoded numbers. For an index that compares the codes themselves, pass
      the codes to `compare`, which takes int8 arrays.
    - *binary*: one bit for each dimension, set if the number is above 0; similarity is by Hamming
      distance, and ties go to the lower row.

    The number of bytes is for one vector and excludes data stored once for all vectors; PCA components of
    int8 vectors are float32 (four bytes each). The costs are invariant under positive factors on rows. Cost:
    O(M² n) time for M measured rows and O(Q N n) for questions, for each method; with questions, a float32
    copy of X.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.measures import compression_costs
    >>> X = np.random.default_rng(0).standard_normal((300, 32)).astype(np.float32)
    >>> costs = compression_costs(X, dimensions=[16], rng=0)
    >>> costs.to_frame()[["method", "n_bytes"]].to_numpy().tolist()
    [['as given', 128], ['first dimensions', 64], ['PCA', 64], ['float16', 64], ['int8', 32], ['binary', 4]]
    >>> costs.rows[3].overlap > costs.rows[4].overlap > 0.9 > costs.rows[5].overlap
    True
    """
    points = checks.as_points(X, min_dimensions=2)
    k = checks.check_integer(k, "k", low=1)
    checks.check_size(points.shape, "X", min_points=2 * (k + 2))
    checks.check_no_zero_rows(np.asarray(points.any(axis=1)), "X")  # errors name rows of X, not of a half
    n_points, n = points.shape
    limit = checks.check_integer(max_rows, "max_rows", low=k + 2)
    level = checks.check_confidence_level(confidence_level)
    kept_dimensions = _check_dimensions([dimensions] if isinstance(dimensions, int) else dimensions, n)
    check_gold_given(questions, gold)
    generator = checks.as_generator(rng)
    order = generator.permutation(n_points)
    fitted, measured = (np.sort(part[:limit]) for part in (order[: n_points // 2], order[n_points // 2 :]))
    sample = points[measured]
    full_lists = nearest_neighbors(sample, k + 1).indices
    queries = None if questions is None else checks.as_points(questions, "questions")
    ranking, doubts = (None, {}) if queries is None else ranks_and_warnings(queries, points, gold, k)
    if queries is not None and (repeated := repeated_questions([queries])):
        doubts["repeated_questions"] = f"{repeated}."
    if doubts:
        raise ValueError(" ".join(doubts.values()))
    ranks = None if ranking is None else ranking.best
    n_bytes = n * checks.as_array(X, "X", ndim=2).dtype.itemsize
    accuracy = None if ranks is None else float((ranks <= k).mean())
    if accuracy is not None and accuracy <= _MAX_LOSS:
        raise ValueError(
            f"accuracy@{k} is {accuracy:.3g}, so no smaller vectors could lose {_MAX_LOSS:.0%}; expected "
            "questions of which the search answers more (does gold belong to them?)"
        )
    zero = None if ranks is None else 0.0
    rows = [CompressionCost("as given", n, n_bytes, 1.0, 1.0, 1.0, accuracy, zero, zero, zero, zero)]
    for method, d, size, name, compress in _methods(unit_rows(points[fitted], "X"), kept_dimensions, n_bytes):
        lists = nearest_neighbors(_compress_rows(sample, compress, name), k + 1, name=name).indices
        overlap = overlap_of_lists(full_lists, lists, level)
        retrieval: tuple[float | None, ...] = (None,) * 5
        if queries is not None and ranks is not None:
            new_ranks = answer_ranks(
                _compress_rows(queries, compress, "questions"), _compress_rows(points, compress, "X"), gold
            )
            comparison = compare_models(ranks, new_ranks, k=k, confidence_level=level, rng=generator)
            share = float(((ranks <= k) & (new_ranks > k)).mean())
            bound = upper_bound(binomial, share, len(ranks), 1.0 - level)
            retrieval = (comparison.second, comparison.estimate, comparison.low, comparison.high, bound)
        rows.append(CompressionCost(method, d, size, overlap.overlap, overlap.low, overlap.high, *retrieval))
    return CompressionCosts(
        rows=tuple(rows),
        k=k,
        n_points=n_points,
        n_fitted=len(fitted),
        n_measured=len(measured),
        n_questions=0 if ranks is None else len(ranks),
        confidence_level=level,
    )


def _check_dimensions(dimensions: Sequence[int] | None, n: int) -> list[int]:
    if dimensions is None:
        return sorted({d for d in (n // 2, n // 4, n // 8) if d >= 1}, reverse=True)
    if not checks.is_iterable(dimensions):
        raise TypeError(f"dimensions is {checks.describe(dimensions)}; expected a sequence of integers")
    why = f"X has {n} dimensions"
    return [checks.check_integer(d, "dimensions", low=1, high=n - 1, why=why) for d in dimensions]


Compress = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]


def _methods(
    sample: checks.FloatArray, dimensions: list[int], n_bytes: int
) -> Iterator[tuple[str, int, int, str, Compress]]:
    """Yield each method's name, values and bytes per vector, name for messages, and function."""
    n = sample.shape[1]
    itemsize = n_bytes // n
    axes = np.linalg.eigh(moments(sample).scatter)[1][:, ::-1]
    for d in dimensions:
        name = f"X truncated to {checks.how_many(d, 'dimension')}"
        yield "first dimensions", d, itemsize * d, name, lambda rows, d=d: rows[:, :d]  # type: ignore[misc]
    for d in dimensions:
        name = f"X projected to {checks.how_many(d, 'dimension')}"
        yield "PCA", d, (itemsize if itemsize > 1 else 4) * d, name, lambda rows, d=d: rows @ axes[:, :d]  # type: ignore[misc]
    if itemsize > 2:
        yield "float16", n, 2 * n, "X in float16", lambda rows: rows.astype(np.float16).astype(np.float32)
    low = sample.min(axis=0).astype(np.float64)
    step = (sample.max(axis=0) - low) / 255.0
    divisor = np.where(step > 0, step, 1.0)
    yield (
        "int8",
        n,
        n,
        "X in int8",
        lambda rows: low + step * np.clip(np.rint((rows - low) / divisor), 0.0, 255.0),
    )
    # The cosine of two ±1 vectors is 1 minus 2/n times their Hamming distance.
    yield "binary", n, -(-n // 8), "X in bits", lambda rows: np.where(rows > 0, 1.0, -1.0)


def _compress_rows(points: checks.FloatArray, compress: Compress, name: str) -> Singles:
    """Return all rows in float32 after compression, which runs on blocks of rows.

    Rows whose largest value does not fit in float32 with full precision are divided by a power of two, which
    changes no cosine.
    """
    chunk_size = max(1, _CHUNK_ENTRIES // points.shape[1])
    blocks = []
    for start in range(0, len(points), chunk_size):
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            block = compress(unit_rows(points[start : start + chunk_size], name))
            single = block.astype(np.float32)  # a copy, since `block` may share memory with the caller's rows
        largest = np.abs(block).max(axis=1)
        if not np.isfinite(largest).all():
            raise ValueError(f"{name} overflows after compression; expected smaller vectors")
        is_extreme = (largest > 1e30) | ((largest < 1e-30) & (largest > 0.0))
        single[is_extreme] = scaled_rows(block[is_extreme])
        blocks.append(single)
    return np.concatenate(blocks)
