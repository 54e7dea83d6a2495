"""Plots of spectra and of comparisons of models; a report card draws its other pictures itself.

Every function takes data first and ``ax=`` (the Axes to draw on; default: a new figure), draws with
Matplotlib (the extra ``[plots]``) and returns the Axes, so that titles, limits and files stay in your hands.
Series differ in color, marker and line style. Data and options that the measures refuse raise TypeError or
ValueError here, in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isotropy_lab import moments
from isotropy_lab._core import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isotropy_report.comparison.models import ModelComparison
    from isotropy_report.measures import CompressionCosts, Drift

__all__ = [
    "PALETTE",
    "agreement",
    "compression_costs",
    "differences",
    "drift",
    "look",
    "spectrum",
]

#: Ten colors whose contrast is 3 or more on white and on a dark page. Color-blind readers can tell the first
#: eight apart.
PALETTE = (
    *("#1771b4", "#d35c18", "#0a9a70", "#b34a9b", "#cd254b"),
    *("#8467e8", "#6b7280", "#3f97cf", "#96662b", "#8a8a12"),
)
_MARKERS = "osD^vPX*<>"
_DASHES: Sequence[Any] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
#: What `agreement` draws: the part of a pair, its field, the value of a model with itself, the color's range,
#: the name.
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
    """Plot the differences of all pairs of models in one measure, and name the models tied for best.

    Parameters
    ----------
    comparison : ModelComparison
        From `isotropy_report.compare`.
    measure : str
        A measure of ``comparison.differences``, such as "isoscore_corrected" or "accuracy@10".

    Returns
    -------
    matplotlib.axes.Axes
        A full marker is a difference that is shown, corrected for all pairs, an open one with a dashed
        interval one that is not. Gray brackets hold what is less than the least difference that would have
        been found.

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
