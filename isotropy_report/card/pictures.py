"""Plots of a cloud: first two components, cosines, lengths, neighbors, spectrum, and coordinates.

`picture_data` collects the data to plot, and `draw` makes the figures of a cloud, on axes that fit one or
more clouds. A comparison of models plots the clouds `side_by_side`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_lab._core.rows import Floats
from isotropy_report.card import drawing
from isotropy_report.card.drawing import Axis
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.parts import Figure, Section
from isotropy_report.card.rows import random_pairs, sample_rows
from isotropy_report.card.survey import QUANTILES, Survey, row_lengths
from isotropy_report.card.words import axis_number, decimals, number, percent
from isotropy_report.measures.equal_rows import row_hashes

N_NEIGHBORS = 10
"""Neighbors per row when counting how often each row is a neighbor of other rows."""

_MAX_ROWS, _MAX_NUMBERS = 10_000, 2**22
"""Limits on the rows used for the plots and on the numbers in these rows: 32 MB."""

_NEIGHBOR_ROWS = 2_000
_N_PAIRS = 20_000
_CHUNK_ENTRIES = 2**21  # entries of pairs of rows processed at a time: 16 MB
_MAX_DOTS = 1_500
"""With more rows than this, the plot shows a density."""

_MAX_LABELED = 600
_MAX_POINTS = 500
_N_CELLS, _MAX_BARS = 48, 164
_WIDE_LENGTHS = 20.0
"""Lengths are plotted on a logarithmic axis if the longest is more than this many times the shortest."""

_INNER_QUANTILE, _MAX_TIMES_OUT = 0.995, 2.5
"""Rows are left out of the plane plot, with a note in the caption, if they lie more than `_MAX_TIMES_OUT`
times as far out as the `_INNER_QUANTILE` of the rows."""


@dataclasses.dataclass(frozen=True, eq=False)
class PictureData:
    """Data for the plots of a cloud, from a sample of the rows except for the spectrum and coordinates."""

    name: str
    n_points: int
    plane: Floats  # (m, 2), along the first two components, in units of the square root of the total variance
    fractions: Floats  # fractions of the variance along the components, largest first
    coordinates: Floats  # fractions of the variance in each coordinate
    cosines: Floats  # cosines of random pairs of rows
    centered: Floats  # the same cosines after subtracting the mean
    lengths: Floats
    n_neighbors: int  # 0 if there are too few rows
    n_zero: int
    whole: bool  # whether neighbors were searched for among all distinct nonzero rows
    occurrences: npt.NDArray[np.intp]  # how many other rows have each row of the sample as a neighbor
    hub: int  # the row that is most often a neighbor
    classes: tuple[tuple[str, npt.NDArray[np.intp]], ...]  # labels with the positions of their rows


def picture_data(
    data: Survey, fractions: Floats, *, name: str, labels: Any = None, rng: np.random.Generator
) -> PictureData:
    """Collect the data for the plots from a survey, with fractions of variance and a label for each row."""
    m = data.moments
    scale = float(np.trace(m.scatter))
    n = data.n_dimensions
    chosen = sample_rows(len(data.sample), min(_MAX_ROWS, max(2, _MAX_NUMBERS // n)), rng)
    sample = data.sample[chosen].astype(np.float64)
    lengths = row_lengths(sample)
    points = np.ldexp(sample, -m.exponent)
    center = np.ldexp(m.mean, -m.exponent)
    axes = data.axes(2)
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])  # make the sign reproducible
    centered = points - center
    plane = centered @ axes / math.sqrt(scale / m.count)
    first, second = random_pairs(len(points), _N_PAIRS, rng)
    cosines, centered_cosines = (_cosines(rows, first, second) for rows in (points, centered))
    neighbors, rows, occurrences = _count_occurrences(points, rng)
    return PictureData(
        name=name,
        n_points=data.n_points,
        plane=np.asarray(plane),
        fractions=fractions,
        coordinates=np.asarray(np.diagonal(m.scatter) / scale),
        cosines=cosines,
        centered=centered_cosines,
        lengths=lengths,
        n_neighbors=neighbors,
        n_zero=data.n_zero,
        whole=data.whole and chosen.size == data.n_points <= _NEIGHBOR_ROWS,
        occurrences=occurrences,
        hub=int(data.positions[chosen[rows[occurrences.argmax()]]]) if neighbors else -1,
        classes=() if labels is None else _classes(labels, data.positions[chosen]),
    )


def _cosines(rows: Floats, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]) -> Floats:
    """Return the cosines of pairs of rows, omitting pairs that contain a zero row."""
    lengths = row_lengths(rows)
    is_defined = (lengths[first] > 0) & (lengths[second] > 0)
    first, second = first[is_defined], second[is_defined]
    cosines = np.empty(first.size)
    chunk_size = max(1, _CHUNK_ENTRIES // rows.shape[1])
    for start in range(0, first.size, chunk_size):
        i, j = first[start : start + chunk_size], second[start : start + chunk_size]
        a, b = rows[i] / lengths[i, None], rows[j] / lengths[j, None]
        cosines[start : start + chunk_size] = np.einsum("ij,ij->i", a, b)
    return np.clip(cosines, -1.0, 1.0)


def _count_occurrences(
    points: Floats, rng: np.random.Generator
) -> tuple[int, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the number of neighbors (0 for too few rows), the distinct rows, and their neighbor counts."""
    from isotropy_lab._core.neighbors import nearest_neighbors

    lengths = row_lengths(points)
    nonzero = np.flatnonzero(lengths > 0)
    chosen = nonzero[sample_rows(nonzero.size, _NEIGHBOR_ROWS, rng)]
    # Keep one of several equal rows, which would be each other's nearest neighbors; a warning names them.
    chosen = chosen[np.sort(np.unique(row_hashes(points[chosen]), return_index=True)[1])]
    if chosen.size < 3 * N_NEIGHBORS:
        return 0, chosen, np.zeros(0, dtype=np.intp)
    neighbors = nearest_neighbors(points[chosen] / lengths[chosen, None], N_NEIGHBORS)
    return N_NEIGHBORS, chosen, np.bincount(neighbors.indices.ravel(), minlength=chosen.size)


def _classes(labels: Any, positions: npt.NDArray[np.intp]) -> tuple[tuple[str, npt.NDArray[np.intp]], ...]:
    """Return the most frequent labels with their positions in a sample; all other labels form one group."""
    names, numbers, counts = np.unique(np.asarray(labels)[positions], return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    if order.size < 2:
        return ()
    # Keep the most frequent labels, sorted by name.
    shown = [(str(names[i]), np.flatnonzero(numbers == i)) for i in np.sort(order[: drawing.N_CLASSES])]
    if order.size > drawing.N_CLASSES:
        others = np.flatnonzero(np.isin(numbers, order[drawing.N_CLASSES :]))
        shown.append((f"{order.size - drawing.N_CLASSES:,} others", others))
    return tuple(shown)


def _panel_sizes(plane: Floats) -> Floats:
    """Return the half-width of the smallest panel that shows each point."""
    return np.asarray(np.maximum(np.abs(plane[:, 0]), np.abs(plane[:, 1]) / drawing.SHAPE))


def _plane_reach(plane: Floats) -> float:
    """Return the half-width of axes that show all rows except for a few outliers."""
    size = _panel_sizes(plane)
    inner = float(np.quantile(size, _INNER_QUANTILE))
    shown = size[size <= _MAX_TIMES_OUT * inner] if inner > 0 else size
    return 1.05 * float(shown.max())


def _length_axis(lengths: Floats) -> Axis:
    low, high = float(lengths.min()), float(lengths.max())
    if low > 0 and high > _WIDE_LENGTHS * low:
        return Axis(low / 1.2, high * 1.2, logarithmic=True)
    return Axis(0.0, 1.15 * high if high > 0 else 1.0)


def _histogram_shares(values: Floats, edges: Floats) -> Floats:
    """Return the fraction of values in each cell."""
    if not values.size:
        return np.zeros(edges.size - 1)
    inside = np.clip(values, edges[0], edges[-1])
    return np.histogram(inside, bins=edges)[0] / values.size


def _tallest(shares: Iterable[Floats]) -> float:
    """Return the largest fraction, or 1 if all are 0."""
    return max(float(heights.max(initial=0.0)) for heights in shares) or 1.0


def _occurrence_shares(cloud: PictureData, axis: Axis) -> tuple[Floats, Floats]:
    """Return the edges of cells for integer counts, and the fraction of rows in each cell."""
    highest = math.ceil(axis.high)
    width = -(-highest // _N_CELLS)
    edges = np.arange(0.0, highest + width, width, dtype=np.float64) - 0.5
    return edges, _histogram_shares(cloud.occurrences.astype(np.float64), edges)


def _chance_shares(cloud: PictureData, axis: Axis) -> tuple[Floats, Floats]:
    """Return the middles of cells, and the fraction of rows in each if neighbors were random (binomial)."""
    n = cloud.occurrences.size
    if not n:
        return np.zeros(0), np.zeros(0)
    edges = _occurrence_shares(cloud, axis)[0]
    below = stats.binom.cdf(np.floor(edges), n - 1, cloud.n_neighbors / (n - 1))
    return (edges[1:] + edges[:-1]) / 2.0, np.diff(below)


def draw(cloud: PictureData, clouds: Sequence[PictureData] = ()) -> tuple[Figure, ...]:
    """Return the figures of a cloud, on its own axes or on axes that fit several clouds."""
    clouds = clouds or [cloud]
    figures = [_plane_figure(cloud, clouds), _cosine_figure(cloud, clouds)]
    if any(np.ptp(each.lengths) > 1e-3 * each.lengths.max() for each in clouds):  # not for unit-norm rows
        figures.append(_length_figure(cloud, clouds))
    if cloud.n_neighbors:
        figures.append(_neighbor_figure(cloud, clouds))
    spectra = [each.fractions for each in clouds]
    return (*figures, _coordinate_figure(cloud, clouds), spectrum_figure(cloud.fractions, spectra))


def side_by_side(clouds: Sequence[PictureData]) -> tuple[Section, ...]:
    """Return one section for each kind of plot, which shows all clouds on the same axes."""
    by_key: dict[str, list[Figure]] = {}
    titles = {}
    for cloud in clouds:
        for figure in draw(cloud, clouds):
            renamed = dataclasses.replace(figure, key=f"{figure.key}: {cloud.name}", title=cloud.name)
            by_key.setdefault(figure.key, []).append(renamed)
            titles[figure.key] = figure.title
    return tuple(
        Section(key, titles[key], figures=tuple(figures), gallery=True) for key, figures in by_key.items()
    )


def _describe_rows(count: int, n_points: int) -> str:
    if count == n_points:
        return f"all {n_points:,} rows"
    return f"{count:,} of the {n_points:,} rows, drawn at random"


def _plane_figure(cloud: PictureData, clouds: Sequence[PictureData]) -> Figure:
    reach = max(_plane_reach(each.plane) for each in clouds)
    dense = not cloud.classes and len(cloud.plane) > _MAX_DOTS
    classes = [(cloud.name, cloud.plane)]
    shown = len(cloud.plane)
    if cloud.classes:
        stride = -(-shown // _MAX_LABELED)
        # The sample is in file order, so every n-th row of a label is as good as a random draw.
        classes = [(name, cloud.plane[positions[::stride]]) for name, positions in cloud.classes]
        shown = sum(len(points) for _, points in classes)
    fractions = [float(f) for f in np.r_[cloud.fractions, 0.0][:2]]
    first, second, total = (percent(float(f"{f:.3g}")) for f in (*fractions, sum(fractions)))
    outside = int((_panel_sizes(cloud.plane) > reach).sum())
    marks = "Darker cells have more rows" if dense else "Each mark is a row"
    alt = TEXTS["components"].format(rows=_describe_rows(shown, cloud.n_points), both=total, marks=marks)
    if cloud.classes:
        alt += f" Markers and colors show {len(cloud.classes)} labels."
    if outside:
        alt += f" {outside:,} {'row lies' if outside == 1 else 'rows lie'} outside the plot."
    data = {
        "fractions": [float(f"{f:.6g}") for f in fractions],
        "rows_shown": shown,
        "rows_outside": outside,
        "labels": [name for name, _ in cloud.classes],
    }
    return drawing.scatter(classes, reach=reach, dense=dense).figure(
        "plane", "First two components", alt, data=data,
        across=f"first component: {first} of the variance", up=f"second: {second}",
    )  # fmt: skip


def _cosine_figure(cloud: PictureData, clouds: Sequence[PictureData]) -> Figure:
    all_cosines = [values for each in clouds for values in (each.cosines, each.centered)]
    ends = np.concatenate([*all_cosines, [0.0]])
    low, high = float(ends.min()), float(ends.max())
    pad = 0.04 * max(high - low, 0.1)
    across = Axis(max(low - pad, -1.0), min(high + pad, 1.0))
    edges = across.edges(_N_CELLS)
    names = {"untransformed": cloud.cosines, "mean subtracted": cloud.centered}
    shown = {name: values for name, values in names.items() if values.size}
    medians = [f"{decimals(float(np.median(values)), 2)} ({name})" for name, values in shown.items()]
    alt = (
        f"Cosines of {cloud.cosines.size:,} pairs of rows, with a median of {' and '.join(medians)}."
        if medians
        else "No pair of rows has a cosine."
    )
    panel = drawing.histogram(
        edges,
        {name: _histogram_shares(values, edges) for name, values in shown.items()},
        across=across,
        top=_tallest(_histogram_shares(values, edges) for values in all_cosines),
    )
    cosines = {"as_they_are": cloud.cosines, "centered": cloud.centered}
    quantiles = {key: _quantiles(values) for key, values in cosines.items()}
    data = {"n_pairs": int(cloud.cosines.size)} | quantiles
    return panel.figure(
        "cosines", "Cosines of pairs", alt, across="cosine", up="fraction of pairs", data=data
    )


def _length_figure(cloud: PictureData, clouds: Sequence[PictureData]) -> Figure:
    across = _length_axis(np.concatenate([each.lengths for each in clouds]))
    edges = across.edges(_N_CELLS)
    low, high = (float(np.quantile(cloud.lengths, q)) for q in (0.05, 0.95))
    spread = (
        f"{'nearly ' * bool(np.ptp(cloud.lengths) > 1e-3 * high)}all lengths are {_format_length(low)}"
        if high - low <= 1e-3 * high
        else f"90% of the lengths are from {_format_length(low)} to {_format_length(high)}"
    )
    logarithmic = ", on a logarithmic axis" if across.logarithmic else ""
    alt = f"Lengths of {_describe_rows(cloud.lengths.size, cloud.n_points)}{logarithmic}: {spread}."
    panel = drawing.histogram(
        edges,
        {"lengths": _histogram_shares(cloud.lengths, edges)},
        across=across,
        top=_tallest(_histogram_shares(each.lengths, edges) for each in clouds),
    )
    data = {"n_rows": int(cloud.lengths.size), "lengths": _quantiles(cloud.lengths)}
    return panel.figure("lengths", "Lengths of rows", alt, across="length", up="fraction of rows", data=data)


def _neighbor_figure(cloud: PictureData, clouds: Sequence[PictureData]) -> Figure:
    most = max(int(each.occurrences.max(initial=0)) for each in clouds)
    across = Axis(-0.5, max(most, 2 * N_NEIGHBORS) + 0.5)
    edges, shares = _occurrence_shares(cloud, across)
    count, n = cloud.n_neighbors, cloud.occurrences.size
    counts, chance = _chance_shares(cloud, across)
    never = float((cloud.occurrences == 0).mean())
    often = int(cloud.occurrences.max())
    rows = f"{n:,} {'' if cloud.whole else 'drawn '}rows, no two equal"
    rows = f"all {n:,} rows" if n == cloud.n_points else rows
    if cloud.n_zero:
        rows += " and none zero"
    alt = TEXTS["often_neighbors"].format(count=count, among=rows, never=never, hub=cloud.hub, often=often)
    panel = drawing.histogram(
        edges,
        {"rows": shares},
        across=across,
        top=_tallest(f(each, across)[1] for each in clouds for f in (_occurrence_shares, _chance_shares)),
        expected=("random neighbors", counts, chance),
    )
    data = {
        "n_rows": int(n),
        "n_neighbors": count,
        "never": never,
        "most": often,
        "skewness": float(stats.skew(cloud.occurrences)) if cloud.occurrences.std() > 0 else 0.0,
    }
    return panel.figure(
        "neighbors", "How often a row is a neighbor", alt, data=data,
        across=f"times among the {count} nearest of another", up="fraction of rows",
    )  # fmt: skip


def _coordinate_figure(cloud: PictureData, clouds: Sequence[PictureData]) -> Figure:
    n, largest = cloud.coordinates.size, int(cloud.coordinates.argmax())
    largest_share, even_share = float(cloud.coordinates[largest]), percent(float(f"{1 / n:.3g}"))
    alt = TEXTS["by_coordinate"].format(n=n, largest=largest, most=largest_share, even=even_share)
    width = -(-n // _MAX_BARS)  # with many coordinates, each bar shows the largest of a run of them
    bars = np.maximum.reduceat(cloud.coordinates, np.arange(0, n, width))
    panel = drawing.histogram(
        np.minimum(np.arange(bars.size + 1) * width, n) - 0.5,
        {"coordinates": bars},
        across=Axis(-0.5, n - 0.5),
        top=_tallest(np.r_[each.coordinates, 2.0 / each.coordinates.size] for each in clouds),
        expected=(f"even: {even_share} each", np.array([-0.5, n - 0.5]), np.array([1 / n, 1 / n])),
        n_ticks=min(5, n),
    )
    data = {"largest": largest, "fraction": float(f"{largest_share:.6g}"), "even": 1.0 / n}
    return panel.figure(
        "by_coordinate", "Variance by coordinate", alt, data=data,
        across="coordinate", up="fraction of variance",
    )  # fmt: skip


def spectrum_figure(fractions: Floats, spectra: Sequence[Floats] = ()) -> Figure:
    """Return the figure of the fraction of variance along each component, on axes that fit all `spectra`."""
    spectra = spectra or [fractions]
    half, most = (int(np.searchsorted(np.cumsum(fractions), level * (1 - 1e-12)) + 1) for level in (0.5, 0.9))
    components = {"half": _components_phrase(half), "most": _components_phrase(most)}
    alt = TEXTS["spectrum"].format(count=fractions.size, first=fractions[0], **components)
    chosen = np.unique(np.round(np.geomspace(1, fractions.size, _MAX_POINTS)).astype(int))
    data = {
        "component": [int(i) for i in chosen],
        "fraction": [float(f"{x:.6g}") for x in fractions[chosen - 1]],
        "components_for_half": half,
        "components_for_nine_tenths": most,
    }
    across = Axis(1.0, float(max(2, *(spectrum.size for spectrum in spectra))), logarithmic=True)
    panel = drawing.spectrum(fractions, across=across, up=drawing.spectrum_axis(spectra))
    return panel.figure(
        "spectrum", "Spectrum", alt, data=data, across="component, largest first", up="fraction of variance"
    )


def _components_phrase(count: int) -> str:
    return "the first contains" if count == 1 else f"the first {count:,} contain"


def _quantiles(values: Floats) -> dict[str, float]:
    if not values.size:
        return {}
    names = ("least", *(f"{q:.0%}" for q in QUANTILES[1:-1]), "largest")
    return {name: float(f"{q:.6g}") for name, q in zip(names, np.quantile(values, QUANTILES), strict=True)}


def _format_length(value: float) -> str:
    return axis_number(float(f"{value:.3g}")) if 1e-3 <= abs(value) < 1e5 else number(value)
