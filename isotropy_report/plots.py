"""Plots of your own vectors, word lists, projections and rankings, and of comparisons of models.

Every function takes data first and ``ax=`` (the Axes to draw on; default: a new figure), draws with
Matplotlib (the extra ``[plots]``) and returns the Axes, so that titles, limits and files stay in your hands. Series
differ in color, marker and line style. Where several things can be compared, pass a mapping from names to data. Data
and options that the measures refuse raise TypeError or ValueError here, in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab import moments
from isotropy_lab._core import checks
from isotropy_report import measures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isotropy_lab.retrieval import SimilaritySamples
    from isotropy_report.comparison.models import ModelComparison
    from isotropy_report.measures import CompressionCosts, Drift, DriftPower, EffectiveRank

__all__ = [
    "PALETTE",
    "accuracy_curve",
    "agreement",
    "components",
    "compression_costs",
    "cosines",
    "differences",
    "drift",
    "drift_power",
    "effective_ranks",
    "hubness",
    "intervals",
    "kl_curve",
    "look",
    "neighborhood_curve",
    "scatter",
    "scores_by_layer",
    "shepard_diagram",
    "similarity_densities",
    "spectrum",
    "spectrum_decay",
    "stress_curve",
    "threshold_curve",
    "word_associations",
]

#: Ten colors whose contrast is 3 or more on white and on a dark page. Color-blind readers can tell the first eight apart.
PALETTE = (
    *("#1771b4", "#d35c18", "#0a9a70", "#b34a9b", "#cd254b"),
    *("#8467e8", "#6b7280", "#3f97cf", "#96662b", "#8a8a12"),
)
_MARKERS = "osD^vPX*<>"
_DASHES: Sequence[Any] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
#: At most this many points are drawn in a scatter plot; more only fill the page.
_MOST_POINTS = 5_000
#: Where results with an interval keep what it is of.
_VALUES = ("estimate", "overlap", "statistic", "exponent")
#: What `agreement` draws: the part of a pair, its field, the value of a model with itself, the color's range, the name.
_AGREEMENT = {
    "overlap": ("neighbors", "overlap", 1.0, 1.0, "share of nearest neighbors in common"),
    "cka": ("cka", "statistic", 1.0, 1.0, "unbiased CKA"),
    "procrustes": ("procrustes", "distance", 0.0, 2.0**0.5, "Procrustes distance"),
}


def look(i: int) -> dict[str, Any]:
    """Return color, marker and line style of the i-th series, as keyword arguments for ``Axes.plot``.

    Parameters
    ----------
    i : int
        From 0; after ten series they start again.

    Returns
    -------
    dict

    Examples
    --------
    >>> look(0)["marker"], look(1)["marker"]
    ('o', 's')
    """
    return {
        "color": PALETTE[i % len(PALETTE)],
        "marker": _MARKERS[i % len(_MARKERS)],
        "linestyle": _DASHES[i % len(_DASHES)],
        "markeredgecolor": "white",
        "markeredgewidth": 0.5,
    }


def spectrum(X: Any, *, ax: Axes | None = None) -> Axes:
    """Plot the variance along each principal component, in multiples of an even share.

    Parameters
    ----------
    X : array-like of shape (N, n), or mapping of names to such arrays
        Points; N ≥ 2.

    Returns
    -------
    matplotlib.axes.Axes
        An isotropic cloud lies on the dotted line at 1; components without variance are not drawn.

    Examples
    --------
    >>> spectrum(np.random.default_rng(0).standard_normal((50, 4))).get_xscale()
    'log'
    """
    ax = _axes(ax)
    for i, (name, points) in enumerate(_named(X).items()):
        values = np.linalg.eigvalsh(moments(points).covariance())[::-1]
        total = float(values.sum())
        if not total > 0:
            raise ValueError(f"{name or 'X'} has no variance; expected at least two different points")
        shares = values * values.size / total
        shown = shares > 1e-12 * shares[0]
        style = look(i) | {"marker": look(i)["marker"] if shown.sum() <= 30 else ""}
        ax.plot(np.arange(1, values.size + 1)[shown], shares[shown], label=name or None, **style)
    ax.axhline(1.0, color="0.4", linewidth=0.8, linestyle=":")
    ax.set(
        xscale="log", yscale="log", xlabel="principal component", ylabel="variance, in multiples of the mean"
    )
    return _legend(ax)


def scatter(Y: ArrayLike, *, labels: ArrayLike | None = None, ax: Axes | None = None) -> Axes:
    """Plot points in the plane, with a color and a marker for each label, on axes of equal scale.

    Parameters
    ----------
    Y : array-like of shape (N, 2)
        The points, a projection for instance. Of more than 5,000, every k-th is drawn.
    labels : array-like of shape (N,), optional
        The ten most frequent labels have a marker of their own, the others are gray dots.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> scatter([[0, 0], [1, 2], [2, 0]], labels=["a", "b", "a"]).get_aspect()
    1.0
    """
    points = checks.as_array(Y, "Y", ndim=2, expected="points of shape (N, 2)").astype(np.float64)
    if points.shape[1] != 2:
        raise ValueError(f"Y has {points.shape[1]} columns; expected 2")
    if labels is not None and len(np.asarray(labels)) != len(points):
        raise ValueError(
            f"labels has length {len(np.asarray(labels))} and Y {len(points)} rows; expected as many"
        )
    ax = _axes(ax)
    step = -(-len(points) // _MOST_POINTS)
    points = points[::step]
    groups: list[tuple[str | None, Any]] = [(None, slice(None))]
    if labels is not None:
        names, where, counts = np.unique(np.asarray(labels)[::step], return_inverse=True, return_counts=True)
        largest = np.argsort(-counts, kind="stable")[: len(_MARKERS)]
        groups = [(str(names[j]), where == j) for j in sorted(largest)]
        if len(names) > len(_MARKERS):
            rest = ~np.isin(where, largest)
            ax.plot(
                *points[rest].T, ".", color="0.7", markersize=3, label=f"{len(names) - len(_MARKERS)} others"
            )
    size = 5 if len(points) < 500 else 3
    for i, (name, rows) in enumerate(groups):
        ax.plot(
            *points[rows].T, **(look(i) | {"linestyle": "none", "markersize": size, "alpha": 0.8}), label=name
        )
    ax.set_aspect(1.0)
    return _legend(ax)


def components(X: checks.Points, *, labels: ArrayLike | None = None, ax: Axes | None = None) -> Axes:
    """Plot points along their first two principal components, on axes of equal scale.

    Parameters
    ----------
    X : array-like of shape (N, n)
        Points in n ≥ 2 dimensions.
    labels : array-like of shape (N,), optional
        As in `scatter`.

    Returns
    -------
    matplotlib.axes.Axes
        The axis labels say which fraction of the variance each component holds.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((100, 3)) * [3, 1, 0]
    >>> components(X).get_xlabel()
    'component 1 (91 % of the variance)'
    """
    found = moments(X)
    values, vectors = np.linalg.eigh(found.covariance())
    if values.size < 2 or not values.sum() > 0:
        raise ValueError(
            "X has fewer than 2 dimensions or no variance; expected points that spread in a plane"
        )
    centered = np.asarray(X, dtype=np.float64) - found.mean
    ax = scatter(centered @ vectors[:, [-1, -2]], labels=labels, ax=ax)
    percent = 100 * values[::-1] / values.sum()
    ax.set(
        xlabel=f"component 1 ({percent[0]:.0f} % of the variance)",
        ylabel=f"component 2 ({percent[1]:.0f} % of the variance)",
    )
    return ax


def cosines(X: Any, *, n_pairs: int = 20_000, rng: checks.RandomState = None, ax: Axes | None = None) -> Axes:
    """Plot the distribution of the cosine between two points drawn at random, with its mean.

    Parameters
    ----------
    X : array-like of shape (N, n), or mapping of names to such arrays
        Points, none of them at the origin.
    n_pairs, rng : int, default 20,000, and generator or seed
        Pairs to draw, and what draws them.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> cosines(np.random.default_rng(0).standard_normal((50, 4)), rng=0).get_ylabel()
    'density'
    """
    ax = _axes(ax)
    generator = checks.as_generator(rng)
    n_pairs = checks.check_integer(n_pairs, "n_pairs", low=1)
    for i, (name, points) in enumerate(_named(X).items()):
        rows = np.asarray(checks.as_points(points, name or "X"), dtype=np.float64)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if len(rows) < 2 or not lengths.all():
            raise ValueError(
                f"{name or 'X'} has fewer than 2 rows or a row of zeros; a cosine needs two directions"
            )
        unit = rows / lengths
        first, second = _random_pairs(len(unit), n_pairs, generator)
        values = np.einsum("ij,ij->i", unit[first], unit[second])
        ax.hist(
            values, bins=80, range=(-1, 1), density=True, histtype="step", label=name or None,
            color=look(i)["color"], linestyle=look(i)["linestyle"],
        )  # fmt: skip
        ax.axvline(values.mean(), color=look(i)["color"], linewidth=0.8, linestyle=":")
    ax.set(xlim=(-1, 1), xlabel="cosine of two random points (dotted: mean)", ylabel="density")
    return _legend(ax)


def scores_by_layer(
    layers: Sequence[checks.Points],
    *,
    scores: Sequence[str] = ("isoscore", "average_cosine_score"),
    ax: Axes | None = None,
) -> Axes:
    """Plot isotropy scores of each layer of a model.

    Parameters
    ----------
    layers : sequence of array-like of shape (N, n)
        The vectors of each layer, first layer first.
    scores : sequence of str
        Names of functions of `isotropy_lab.isotropy` that take the points alone.

    Returns
    -------
    matplotlib.axes.Axes
        Scores from 0 to 1 against the number of the layer, the first being 0.

    Examples
    --------
    >>> layers = np.random.default_rng(0).standard_normal((3, 50, 4))
    >>> len(scores_by_layer(layers).lines)
    2
    """
    from isotropy_lab import isotropy

    if not len(layers):
        raise ValueError("layers is empty; expected the vectors of at least one layer")
    unknown = [name for name in scores if name not in isotropy.__all__ or not name.islower()]
    if unknown:
        raise ValueError(f"scores has {unknown[0]!r}; expected names of functions of isotropy_lab.isotropy")
    ax = _axes(ax)
    for i, name in enumerate(scores):
        values = [getattr(isotropy, name)(layer) for layer in layers]
        ax.plot(range(len(layers)), values, label=name.replace("_", " "), **look(i))
    ax.set(xlabel="layer", ylabel="score")
    ax.locator_params(axis="x", integer=True)
    return _legend(ax)


def shepard_diagram(
    X: checks.Points,
    Y: ArrayLike,
    *,
    n_pairs: int = 5_000,
    rng: checks.RandomState = 0,
    ax: Axes | None = None,
) -> Axes:
    """Plot distances in a projection against those in the data, with their monotone fit: a Shepard diagram.

    Parameters
    ----------
    X, Y : array-like of shape (N, n) and (N, t)
        The data and their projection.
    n_pairs, rng : int, default 5,000, and generator or seed, default 0
        Pairs of points to draw (all of them if there are no more), and what draws them.

    Returns
    -------
    matplotlib.axes.Axes
        A point for each pair; the line is the isotonic regression, whose residuals make the non-metric stress.

    Examples
    --------
    >>> shepard_diagram([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]]).get_ylabel()
    'distance in the projection'
    """
    from sklearn.isotonic import IsotonicRegression

    data = np.asarray(checks.as_points(X, "X"), dtype=np.float64)
    projection = np.asarray(checks.as_points(Y, "Y"), dtype=np.float64)
    if len(data) != len(projection):
        raise ValueError(
            f"X has {len(data)} rows and Y {len(projection)}; expected row i of Y to be that of X"
        )
    n_points, n_pairs = len(data), checks.check_integer(n_pairs, "n_pairs", low=1)
    if n_points * (n_points - 1) // 2 <= n_pairs:
        first, second = np.triu_indices(n_points, 1)
    else:
        first, second = _random_pairs(n_points, n_pairs, checks.as_generator(rng))
    d = np.linalg.norm(data[first] - data[second], axis=1)
    e = np.linalg.norm(projection[first] - projection[second], axis=1)
    ax = _axes(ax)
    ax.plot(d, e, "o", color=PALETTE[0], markersize=2, alpha=0.35, rasterized=True)
    order = np.argsort(d)
    ax.plot(d[order], IsotonicRegression().fit_transform(d, e)[order], color="black")
    ax.set(xlabel="distance in the data", ylabel="distance in the projection")
    return ax


def stress_curve(
    X: checks.Points, Y: Any, *, scales: ArrayLike | None = None, ax: Axes | None = None
) -> Axes:
    """Plot normalized stress against the factor by which a projection is enlarged, its least value marked.

    Parameters
    ----------
    X : array-like of shape (N, n)
        The data.
    Y : array-like of shape (N, t), or mapping of names to such arrays
        The projection, or several.
    scales : array-like, optional
        Factors; by default 60 from a hundredth to a hundred times the optimal factor of the first projection.

    Returns
    -------
    matplotlib.axes.Axes
        Curves that cross mean that normalized stress ranks the projections by their size.

    Examples
    --------
    >>> stress_curve([[0.0], [1.0], [3.0]], [[0.0], [2.0], [5.0]]).get_ylabel()
    'normalized stress'
    """
    from isotropy_lab import projection as measures

    ax = _axes(ax)
    for i, (name, projection) in enumerate(_named(Y).items()):
        best = measures.optimal_scale(X, projection)
        if scales is None:
            scales = best * np.geomspace(0.01, 100, 60)
        curve = measures.stress_curve(X, projection, scales)
        ax.plot(curve.scales, curve.values, label=name or None, **(look(i) | {"marker": ""}))
        ax.plot([best], [measures.scale_normalized_stress(X, projection)], **look(i))
    ax.axhline(1.0, color="0.4", linewidth=0.8)
    ax.set(
        xscale="log", yscale="log", xlabel="factor of the projection's own size", ylabel="normalized stress"
    )
    return _legend(ax)


def neighborhood_curve(
    X: checks.Points,
    Y: Any,
    *,
    n_rows: int | None = None,
    rng: checks.RandomState = 0,
    ax: Axes | None = None,
) -> Axes:
    """Plot how much of neighborhoods of every size a projection keeps, above what a random one does.

    Parameters
    ----------
    X, Y
        As in `stress_curve`.
    n_rows, rng : int, optional, and generator or seed, default 0
        Points that the curves are estimated from; see `isotropy_lab.projection.neighborhood_curve`.

    Returns
    -------
    matplotlib.axes.Axes
        R_NX over K on a logarithmic axis, 0 for a random projection and 1 for a perfect one; bands are two standard errors
        where points were drawn. The area under a curve is in the legend.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> neighborhood_curve(X, X[:, :2]).get_xlabel()
    'neighbors K'
    """
    from isotropy_lab import projection as measures

    ax = _axes(ax)
    for i, (name, projection) in enumerate(_named(Y).items()):
        curve = measures.neighborhood_curve(X, projection, n_rows=n_rows, rng=rng)
        label = f"{name}, area {curve.auc:.2f}" if name else None
        k, kept = curve.n_neighbors, curve.above_chance
        ax.plot(k, kept, label=label, **(look(i) | {"marker": ""}))
        if curve.n_rows < curve.n_points:
            others = curve.n_points - 1
            reach = 2.0 * curve.kept_error * others / (others - k)
            ax.fill_between(k, kept - reach, kept + reach, color=look(i)["color"], alpha=0.2, linewidth=0)
    ax.axhline(0.0, color="0.4", linewidth=0.8)
    ax.set(xscale="log", xlabel="neighbors K", ylabel="neighbors kept, above chance")
    return _legend(ax)


def kl_curve(
    X: checks.Points,
    Y: Any,
    *,
    perplexity: float = 30.0,
    scales: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot t-SNE's KL divergence against the factor by which a projection is enlarged, its least value marked.

    Parameters
    ----------
    X, Y
        As in `stress_curve`.
    perplexity : float, default 30
        Effective number of neighbors, less than N − 1.
    scales : array-like, optional
        Factors; by default 60 from a thousandth to a thousand times the best factor of the first projection.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> kl_curve(X, X[:, :2], perplexity=5).get_ylabel()
    'KL divergence'
    """
    from isotropy_lab import projection as measures

    ax = _axes(ax)
    for i, (name, projection) in enumerate(_named(Y).items()):
        best = measures.scale_normalized_kl(X, projection, perplexity=perplexity)
        inside = 0 < best.scale < np.inf
        if scales is None:
            scales = (best.scale if inside else 1.0) * np.geomspace(1e-3, 1e3, 60)
        values = measures.kl_curve(X, projection, scales, perplexity=perplexity)
        ax.plot(np.asarray(scales), values, label=name or None, **(look(i) | {"marker": ""}))
        if inside:
            ax.plot([best.scale], [best.value], **look(i))
    ax.set(xscale="log", xlabel="factor of the projection's own size", ylabel="KL divergence")
    ax.set_ylim(bottom=0)
    return _legend(ax)


def similarity_densities(samples: SimilaritySamples, *, ax: Axes | None = None) -> Axes:
    """Plot the densities of three kinds of similarity: right documents, best documents, random documents.

    Parameters
    ----------
    samples : SimilaritySamples
        From `isotropy_lab.retrieval.similarity_samples`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from isotropy_lab.retrieval import similarity_samples
    >>> documents = np.random.default_rng(0).standard_normal((50, 8))
    >>> len(similarity_densities(similarity_samples(documents[:20] + 0.5, documents, range(20), k=5, rng=0)).lines)
    3
    """
    from isotropy_lab.retrieval import similarity_densities as densities

    table = densities(samples)
    names = {"S_corr": "right document", "S_topK": "best K documents", "S_rand": "random document"}
    ax = _axes(ax)
    for i, (sample, name) in enumerate(names.items()):
        part = table[table["sample"] == sample]
        ax.plot(part["similarity"], part["density"], label=name, **(look(i) | {"marker": ""}))
    ax.set(xlabel="cosine similarity", ylabel="density")
    return _legend(ax)


def threshold_curve(similarities: Any, ranks: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Plot what a similarity threshold costs and spares: accuracy, and the fraction of documents suppressed.

    Parameters
    ----------
    similarities : array-like of shape (Q, K), or TopK
        Similarities of the K best documents of each question, descending along rows.
    ranks : array-like of shape (Q,)
        Rank of each question's right document.

    Returns
    -------
    matplotlib.axes.Axes
        Both against the threshold.

    Examples
    --------
    >>> len(threshold_curve([[0.9, 0.5], [0.8, 0.6], [0.7, 0.1]], [1, 2, 5]).lines)
    2
    """
    from isotropy_lab.retrieval import threshold_curve as curve

    table = curve(similarities, ranks)
    ax = _axes(ax)
    names = {"accuracy": "accuracy@K", "suppressed": "documents suppressed"}
    for i, (column, name) in enumerate(names.items()):
        ax.plot(table["threshold"], table[column], label=name, **(look(i) | {"markevery": 10}))
    ax.set(xlabel="similarity threshold", ylabel="fraction", ylim=(0, 1.02))
    return _legend(ax)


def accuracy_curve(ranks: Any, *, largest_k: int = 20, ax: Axes | None = None) -> Axes:
    """Plot accuracy@K over K, with a 95 % Wilson interval at each K as a band.

    Parameters
    ----------
    ranks : array-like of shape (Q,), or mapping of names to such arrays
        Rank of each question's right document, from `isotropy_lab.retrieval.answer_ranks`.
    largest_k : int, default 20
        The last K.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> accuracy_curve({"a": [1, 3, 12], "b": [2, 2, 2]}, largest_k=5).get_xlabel()
    'K'
    """
    from scipy.stats import binomtest

    ax = _axes(ax)
    ks = np.arange(1, checks.check_integer(largest_k, "largest_k", low=1) + 1)
    for i, (name, values) in enumerate(_named(ranks).items()):
        numbers = np.asarray(values)
        if numbers.ndim != 1 or numbers.size == 0 or not (numbers >= 1).all():
            raise ValueError(
                f"{name or 'ranks'} must be one-dimensional with at least one rank, all of them ≥ 1"
            )
        hits = (numbers[:, None] <= ks).sum(axis=0)
        ends = [binomtest(int(h), numbers.size).proportion_ci(method="wilson") for h in hits]
        ax.fill_between(ks, [e.low for e in ends], [e.high for e in ends], color=look(i)["color"], alpha=0.15)
        ax.plot(ks, hits / numbers.size, label=name or None, **look(i))
    ax.set(xlabel="K", ylabel="accuracy@K (band: 95 % interval)", ylim=(0, 1.02))
    ax.locator_params(axis="x", integer=True)
    return _legend(ax)


def intervals(results: Mapping[str, Any], *, reference: float | None = None, ax: Axes | None = None) -> Axes:
    """Plot estimates with their intervals, one below the other.

    Parameters
    ----------
    results : mapping of str to result
        Results with ``low``, ``high`` and ``estimate`` (or ``overlap``, ``statistic``, ``exponent``), as of
        `isoscore_interval`, `uniformity` or `cka`; the first is drawn on top.
    reference : float, optional
        Where to draw a vertical line: 0 for differences.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_accuracy
    >>> ax = intervals({"a": bootstrap_accuracy([1, 2, 30, 4], rng=0), "b": bootstrap_accuracy([1, 9, 8, 2], rng=0)})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    ax = _axes(ax)
    for i, (name, result) in enumerate(results.items()):
        field = next((field for field in _VALUES if hasattr(result, field)), None)
        if field is None or not (hasattr(result, "low") and hasattr(result, "high")):
            raise TypeError(
                f"{name} is a {type(result).__name__}; expected a result with estimate, low and high"
            )
        if result.low is not None:
            ax.plot([result.low, result.high], [i, i], color=look(i)["color"], linewidth=2)
        ax.plot([getattr(result, field)], [i], **look(i))
    if reference is not None:
        ax.axvline(reference, color="0.4", linewidth=0.8)
    ax.set_yticks(range(len(results)), list(results))
    ax.set_ylim(len(results) - 0.5, -0.5)
    ax.set_xlabel("estimate with its interval")
    return ax


def spectrum_decay(X: Any, *, ranks: tuple[int, int] | None = None, ax: Axes | None = None) -> Axes:
    """Plot eigenvalues against their rank, with the power law that `isotropy.spectrum_decay` fits to them.

    Parameters
    ----------
    X : array-like of shape (N, n), or mapping of names to such arrays
        Points.
    ranks : pair of int, optional
        First and last rank of the fit: see `isotropy.spectrum_decay`.

    Returns
    -------
    matplotlib.axes.Axes
        A black line over the ranks fitted; eigenvalues that leave it follow another law there.

    Examples
    --------
    >>> spectrum_decay(np.random.default_rng(0).standard_normal((80, 30))).get_ylabel()
    'eigenvalue, over the largest'
    """
    ax = _axes(ax)
    for i, (name, points) in enumerate(_named(X).items()):
        m = moments(points)
        found = measures.spectrum_decay(m, ranks=ranks)
        values = np.linalg.eigvalsh(m.covariance())[::-1]
        values = values[values > 1e-12 * values[0]] / values[0]
        label = f"{name + ': ' if name else ''}α = {found.exponent:.2f}"
        ax.plot(np.arange(1, values.size + 1), values, label=label, **(look(i) | {"marker": ""}))
        k = np.arange(found.first_rank, found.last_rank + 1)
        height = np.average(np.log(values[k - 1]) + found.exponent * np.log(k), weights=1 / k)
        ax.plot(k, np.exp(height) * k**-found.exponent, color="black", linewidth=1)
    ax.set(xscale="log", yscale="log", xlabel="rank", ylabel="eigenvalue, over the largest")
    return _legend(ax)


def effective_ranks(results: Mapping[str, EffectiveRank], *, ax: Axes | None = None) -> Axes:
    """Plot effective ranks with their intervals, and beside each what an isotropic cloud of as many points would show.

    Parameters
    ----------
    results : mapping of str to EffectiveRank
        From `measures.effective_rank` or `measures.rankme`.

    Returns
    -------
    matplotlib.axes.Axes
        An open marker is the rank corrected for few points, a black bar that of the isotropic cloud.

    Examples
    --------
    >>> from isotropy_report.measures import effective_rank
    >>> cloud = np.random.default_rng(0).standard_normal((100, 8))
    >>> effective_ranks({"a": effective_rank(cloud)}).get_xlabel()
    'effective rank'
    """
    ax = intervals(results, ax=ax)
    for i, found in enumerate(results.values()):
        if found.corrected is not None:
            open_ = {"markerfacecolor": "none", "markeredgecolor": look(i)["color"], "linestyle": "none"}
            label = None if i else "corrected for few points"
            ax.plot([found.corrected], [i + 0.2], label=label, **(look(i) | open_))
        label = None if i else "isotropic cloud"
        ax.plot([found.isotropic], [i], "|", color="black", markersize=16, label=label)
    ax.set_xlabel("effective rank")
    return _legend(ax)


def hubness(results: Any, *, ax: Axes | None = None) -> Axes:
    """Plot which share of the points is among the nearest neighbors of how many others.

    Parameters
    ----------
    results : Hubness, or mapping of names to Hubness
        From `measures.hubness`.

    Returns
    -------
    matplotlib.axes.Axes
        At each number of lists the share of points in so many or more; what the curve lacks to 1 at the left are
        anti-hubs. Dotted: lists drawn at random. The vertical line is at 2k, where hubs begin.

    Examples
    --------
    >>> from isotropy_lab import isotropy
    >>> hubness(measures.hubness(np.random.default_rng(0).standard_normal((100, 8)))).get_xscale()
    'log'
    """
    from scipy import stats

    ax = _axes(ax)
    named = _named(results)
    for i, (name, found) in enumerate(named.items()):
        x = np.arange(1, found.counts.max() + 1)
        share = np.cumsum(np.bincount(found.counts)[::-1])[::-1][1:] / found.n_points
        ax.plot(x, share, label=name or None, **(look(i) | {"marker": ""}))
    for k, size in sorted({(found.k, found.n_points) for found in named.values()}):
        chance = stats.binom(size - 1, k / (size - 1))
        x = np.arange(1, 4 * k)
        ax.plot(x, chance.sf(x - 1), color="0.4", linewidth=0.8, linestyle=":")
        ax.axvline(2 * k, color="0.4", linewidth=0.8)
    least = min(1 / found.n_points for found in named.values())
    ax.set(
        xscale="log", yscale="log", ylim=(0.7 * least, 1.3), xlabel="lists of nearest neighbors",
        ylabel="share of points in so many or more",
    )  # fmt: skip
    return _legend(ax)


def agreement(comparison: ModelComparison, *, measure: str = "overlap", ax: Axes | None = None) -> Axes:
    """Plot how far all pairs of models agree about the same items, as a matrix with its numbers.

    Parameters
    ----------
    comparison : ModelComparison
        From `isotropy_report.compare`, of paired models.
    measure : {"overlap", "cka", "procrustes"}, default "overlap"
        Nearest neighbors that both have, unbiased CKA, or the Procrustes distance.

    Returns
    -------
    matplotlib.axes.Axes
        The darker, the nearer.

    Examples
    --------
    >>> from isotropy_report import compare
    >>> A = np.random.default_rng(0).standard_normal((100, 8))
    >>> found = compare({"a": A, "b": A[:, ::-1]}, rng=0, pictures=False)
    >>> [text.get_text() for text in agreement(found).texts]
    ['1.00', '1.00', '1.00', '1.00']
    """
    part, field, own, most, said = _AGREEMENT[checks.check_option(measure, "measure", tuple(_AGREEMENT))]
    if not comparison.pairs:
        raise ValueError("comparison has no pairs: its models have other items; expected the same")
    ax = _axes(ax)
    names = comparison.models
    table = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(table, own)
    for pair in comparison.pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        result = getattr(pair, part)
        table[i, j] = table[j, i] = np.nan if result is None else getattr(result, field)
    ax.imshow(table, vmin=0, vmax=most, cmap="Blues" if own else "Blues_r")
    dark = table > most / 2 if own else table < most / 2
    for (i, j), value in np.ndenumerate(table):
        text = "–" if np.isnan(value) else f"{value:.2f}"
        ax.text(j, i, text, ha="center", va="center", color="white" if dark[i, j] else "black")
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel(said)
    return ax


def differences(comparison: ModelComparison, measure: str, *, ax: Axes | None = None) -> Axes:
    """Plot the differences of all pairs of models in one measure with their intervals, and name the models tied for best.

    Parameters
    ----------
    comparison : ModelComparison
        From `isotropy_report.compare`.
    measure : str
        A measure of ``comparison.differences``, such as "isoscore_corrected" or "accuracy@10".

    Returns
    -------
    matplotlib.axes.Axes
        A full marker is a difference that is shown, corrected for all pairs, an open one with a dashed interval one that
        is not. Gray brackets hold what is less than the least difference that would have been found.

    Examples
    --------
    >>> from isotropy_report import compare
    >>> A = np.random.default_rng(0).standard_normal((100, 8))
    >>> found = compare({"a": A * np.linspace(1, 2, 8), "b": A * np.arange(1, 9)}, rng=0, pictures=False)
    >>> differences(found, "isoscore_corrected").get_xlabel().splitlines()
    ['ratio of isoscore_corrected', 'best: a']
    """
    known = tuple(dict.fromkeys(one.measure for one in comparison.differences))
    checks.check_option(measure, "measure", known)
    found = [one for one in comparison.differences if one.measure == measure]
    ax = _axes(ax)
    ratio = found[0].scale == "ratio"
    level = comparison.options["confidence level"]
    assert isinstance(level, float)
    for i, one in enumerate(found):
        shown = one.pvalue_holm <= 1.0 - level + 1e-12
        color = PALETTE[0]
        ax.plot([one.low, one.high], [i, i], color=color, linewidth=2, linestyle="-" if shown else "--")
        ax.plot([one.estimate], [i], "o", color=color, markerfacecolor=color if shown else "white")
        if one.least is not None:
            ends = [1.0 / one.least, one.least] if ratio else [-one.least, one.least]
            ax.plot(ends, [i, i], "|", color="0.4", markersize=12)
    ax.axvline(1.0 if ratio else 0.0, color="0.4", linewidth=0.8)
    sign = "/" if ratio else "−"
    ax.set_yticks(range(len(found)), [f"{one.first} {sign} {one.second}" for one in found])
    ax.set_ylim(len(found) - 0.5, -0.5)
    tied = comparison.tied.get(measure, ())
    said = f"\n{'best' if len(tied) == 1 else 'tied for best'}: {', '.join(tied)}" if tied else ""
    ax.set_xlabel(f"{'ratio' if ratio else 'difference'} of {measure}{said}")
    return ax


def compression_costs(costs: CompressionCosts, *, loss: str = "neighbors", ax: Axes | None = None) -> Axes:
    """Plot what smaller vectors lose against their bytes, with intervals.

    Parameters
    ----------
    costs : CompressionCosts
        From `measures.compression_costs`.
    loss : {"neighbors", "accuracy"}, default "neighbors"
        Share of the nearest neighbors that change, or loss of accuracy, where there were questions.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from isotropy_report import measures
    >>> X = np.random.default_rng(0).standard_normal((100, 16))
    >>> len(compression_costs(measures.compression_costs(X, rng=0)).get_legend().get_texts())
    5
    """
    checks.check_option(loss, "loss", ("neighbors", "accuracy"))
    if loss == "accuracy" and not costs.n_questions:
        raise ValueError(
            "loss is 'accuracy', and costs were measured without questions; expected both, or 'neighbors'"
        )
    frame = costs.to_frame()
    if loss == "neighbors":
        frame[["loss", "loss_low", "loss_high"]] = (
            1.0 - frame[["overlap", "overlap_high", "overlap_low"]].to_numpy()
        )
    ax = _axes(ax)
    for i, (method, rows) in enumerate(frame.groupby("method", sort=False)):
        ax.plot(rows["n_bytes"], rows["loss"], label=str(method), **look(i))
        ax.vlines(rows["n_bytes"], rows["loss_low"], rows["loss_high"], color=look(i)["color"])
    ax.set_xscale("log", base=2)
    said = (
        f"share of the {costs.k} nearest that change"
        if loss == "neighbors"
        else f"loss of accuracy@{costs.k}"
    )
    ax.set(xlabel="bytes of a vector", ylabel=said)
    return _legend(ax)


def drift(test: Drift, *, ax: Axes | None = None) -> Axes:
    """Plot the statistic of a drift test among those of its permutations.

    Parameters
    ----------
    test : Drift
        From `measures.drift_test` with ``keep_null=True``.

    Returns
    -------
    matplotlib.axes.Axes
        The vertical line is what was observed; the gray bars are what one distribution gives.

    Examples
    --------
    >>> from isotropy_report.measures import drift_test
    >>> A, B = np.random.default_rng(0).standard_normal((2, 50, 8))
    >>> drift(drift_test(A, B + 1, keep_null=True, rng=0)).get_legend().get_texts()[1].get_text()
    'observed, p = 0.001'
    """
    if test.null_distribution is None:
        raise ValueError("test has no null distribution; expected that of drift_test(…, keep_null=True)")
    ax = _axes(ax)
    ax.hist(test.null_distribution, bins=40, color="0.6", label=f"{test.n_resamples:,} permutations")
    ax.axvline(test.statistic, color=PALETTE[1], linewidth=2, label=f"observed, p = {test.pvalue:.2g}")
    kind = "energy distance" if test.method == "energy" else "MMD"
    ax.set(xlabel=f"squared {kind}", ylabel="permutations")
    return _legend(ax)


def drift_power(power: DriftPower, *, ax: Axes | None = None) -> Axes:
    """Plot with what probability a drift test would have found a shift of the mean.

    Parameters
    ----------
    power : DriftPower
        From `measures.drift_power`.

    Returns
    -------
    matplotlib.axes.Axes
        The marker is the least shift that is found with the probability asked for, on its interval.

    Examples
    --------
    >>> from isotropy_report import measures
    >>> A, B = np.random.default_rng(0).standard_normal((2, 50, 8))
    >>> drift_power(measures.drift_power(A, B, rng=0)).get_ylabel()
    'probability of being found'
    """
    ax = _axes(ax)
    finite = np.r_[0.0, power.shifts[np.isfinite(power.shifts)]]
    ax.step(finite, np.arange(finite.size) / power.shifts.size, where="post", color=PALETTE[0])
    ends = [power.low, min(power.high, finite[-1])]
    ax.plot(ends, [power.power] * 2, color=PALETTE[1], linewidth=2)
    ax.plot([power.least_shift], [power.power], **look(1))
    ax.set(
        xlabel="shift of the mean, over the spread of the rows",
        ylabel="probability of being found",
        ylim=(0, 1.02),
    )
    return ax


def word_associations(
    A: ArrayLike,
    B: ArrayLike,
    C: ArrayLike,
    D: ArrayLike,
    *,
    words: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot each target word's association: its mean cosine with list C minus that with list D.

    Parameters
    ----------
    A, B, C, D : array-like of shape (k, p)
        Vectors of the two lists of target words and of the two lists of attribute words.
    words : sequence of str, optional
        Names of the words of A and then of B, for the axis.

    Returns
    -------
    matplotlib.axes.Axes
        A point for each word; the distance of the vertical lines, the means of A and B, in standard deviations of all
        words is WEAT's effect size.

    Examples
    --------
    >>> A, B, C, D = np.random.default_rng(0).standard_normal((4, 3, 8))
    >>> word_associations(A, B, C, D, words=list("uvwxyz")).get_xlabel()
    'mean cosine with C minus mean cosine with D'
    """
    from isotropy_lab.association import word_associations as associations

    lists = [np.asarray(associations(words_of, C, D)) for words_of in (A, B)]
    total = sum(map(len, lists))
    if words is not None and len(words) != total:
        raise ValueError(
            f"words has {len(words)} names; expected {total}, one for each word of A and then of B"
        )
    ax = _axes(ax)
    start = 0
    for i, (name, values) in enumerate(zip("AB", lists, strict=True)):
        rows = range(start, start + len(values))
        ax.plot(values, rows, **(look(i) | {"linestyle": "none"}), label=f"words of {name}")
        ax.axvline(values.mean(), color=look(i)["color"], linestyle=look(i)["linestyle"], linewidth=0.9)
        start += len(values)
    ax.set_yticks(range(total), list(words) if words is not None else [""] * total)
    ax.set_ylim(total - 0.5, -0.5)
    ax.set_xlabel("mean cosine with C minus mean cosine with D")
    return _legend(ax)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need Matplotlib: python -m pip install 'isotropy-lab[plots]'") from error
    return pyplot.subplots(layout="constrained")[1]


def _named(data: Any) -> dict[str, Any]:
    if isinstance(data, Mapping):
        if not data:
            raise ValueError("the mapping is empty; expected at least one name with its data")
        return {str(name): values for name, values in data.items()}
    return {"": data}


def _legend(ax: Axes) -> Axes:
    if ax.get_legend_handles_labels()[1]:
        ax.legend()
    return ax


def _random_pairs(n: int, n_pairs: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
    first = rng.integers(n, size=n_pairs)
    return first, (first + rng.integers(1, n, size=n_pairs)) % n
