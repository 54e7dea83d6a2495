"""The plots of a cloud: first two components, cosines, lengths, neighbors, spectrum, and coordinates.

`picture_data` collects the data to plot, `limits` finds axes that fit one or more clouds, and `draw` makes
the figures. A comparison of models plots the clouds `side_by_side`, on axes that fit all of them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_report.card import drawing
from isotropy_report.card.drawing import Axis, Class, Series
from isotropy_report.card.parts import Figure, Section
from isotropy_report.card.rows import random_pairs, spread_sample
from isotropy_report.card.survey import QUANTILES, Survey, lengths_of
from isotropy_report.card.words import axis_number, number, percent
from isotropy_report.measures.equal_rows import row_hashes

Floats: TypeAlias = npt.NDArray[np.float64]

N_NEIGHBORS = 10
"""Neighbors per row when counting how often each row is a neighbor of other rows."""

_MOST_ROWS, _NUMBERS = 10_000, 2**22
"""Limits on the rows used for the plots and on the numbers in these rows: 32 MB."""

_NEIGHBOR_ROWS = 2_000
_PAIRS = 20_000
_PAIR_NUMBERS = 2**21
_MOST_DOTS = 1_500
"""With more rows than this, the plot shows a density."""

_MOST_LABELED = 600
_MOST_POINTS = 500
_CELLS = 48
_WIDE_LENGTHS = 20.0
"""Lengths are plotted on a logarithmic axis if the longest is more than this many times the shortest."""

_OUTERMOST, _FAR = 0.995, 2.5
"""Rows are left out of the plane plot, with a note in the caption, if they lie more than `_FAR` times as far
out as the `_OUTERMOST` quantile of the rows."""


@dataclasses.dataclass(frozen=True, eq=False)
class PictureData:
    """Data for the plots of a cloud, from a sample of the rows except for the spectrum and coordinates."""

    name: str
    n_points: int
    plane: Floats  # (m, 2), along the first two components, in units of the root of total variance
    fractions: Floats  # fractions of the variance along the components, largest first
    coordinates: Floats  # fractions of the variance in each coordinate
    n_pairs: int
    cosines: Floats  # cosines of random pairs of rows
    centered: Floats  # the same cosines after subtracting the mean
    lengths: Floats
    n_neighbors: int  # 0 if there are too few rows
    n_zero: int
    whole: bool  # whether neighbors were searched among all rows except zero and repeated rows
    occurrences: npt.NDArray[np.intp]  # how often each row of a sample is a neighbor of the others
    hub: int  # the row that is most often a neighbor
    classes: tuple[tuple[str, npt.NDArray[np.intp]], ...]  # labels with the positions of their rows
    dominating: tuple[int, float]  # the coordinate with the most variance, and its fraction of the variance


@dataclasses.dataclass(frozen=True)
class Limits:
    """Axes and heights that fit the plots of one or more clouds."""

    reach: float
    cosines: Axis
    cosine_top: float
    lengths: Axis
    length_top: float
    neighbors: Axis
    neighbor_top: float
    spectrum: Axis
    components: Axis
    coordinate_top: float


def picture_data(
    found: Survey, fractions: Floats, *, name: str, labels: Any = None, rng: np.random.Generator
) -> PictureData:
    """Collect the data for the plots from a survey that contains a sample of the rows.

    `fractions` are the fractions of variance along the components (`measures.variance_fractions`); `labels`
    has one label for each row.
    """
    m = found.moments
    scale = float(np.trace(m.scatter))
    n = found.n_dimensions
    chosen = spread_sample(len(found.sample), min(_MOST_ROWS, max(2, _NUMBERS // n)), rng)
    sample = found.sample[chosen].astype(np.float64)
    lengths = lengths_of(sample)
    points = np.ldexp(sample, -m.exponent)
    center = np.ldexp(m.mean, -m.exponent)
    axes = found.axes(2)
    axes = axes * np.where(
        axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0
    )  # make the sign reproducible
    centered = points - center
    plane = centered @ axes / math.sqrt(scale / m.count)
    first, second = random_pairs(len(points), _PAIRS, rng)
    raw, apart = (_cosines(rows, first, second) for rows in (points, centered))
    neighbors, rows, occurrences = _occurrences(points, rng)
    variances = np.diagonal(m.scatter) / scale
    most = int(variances.argmax())
    return PictureData(
        name=name,
        n_points=found.n_points,
        plane=np.asarray(plane),
        fractions=fractions,
        coordinates=np.asarray(variances),
        n_pairs=int(raw.size),
        cosines=raw,
        centered=apart,
        lengths=lengths,
        n_neighbors=neighbors,
        n_zero=found.n_zero,
        whole=found.whole and chosen.size == found.n_points <= _NEIGHBOR_ROWS,
        occurrences=occurrences,
        hub=int(found.places[chosen[rows[occurrences.argmax()]]]) if neighbors else -1,
        classes=() if labels is None else _classes(labels, found.places[chosen]),
        dominating=(most, float(variances[most])),
    )


def _cosines(rows: Floats, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]) -> Floats:
    """Return the cosines of pairs of rows, leaving out pairs that contain a zero row."""
    lengths = lengths_of(rows)
    kept = (lengths[first] > 0) & (lengths[second] > 0)
    first, second = first[kept], second[kept]
    found = np.empty(first.size)
    step = max(1, _PAIR_NUMBERS // rows.shape[1])
    for start in range(0, first.size, step):
        i, j = first[start : start + step], second[start : start + step]
        found[start : start + step] = np.einsum(
            "ij,ij->i", rows[i] / lengths[i, None], rows[j] / lengths[j, None]
        )
    return np.clip(found, -1.0, 1.0)


def _occurrences(
    points: Floats, rng: np.random.Generator
) -> tuple[int, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the number of neighbors (0 for too few rows), distinct rows, and their counts as neighbors."""
    from isotropy_lab._core.neighbors import nearest_neighbors

    lengths = lengths_of(points)
    directed = np.flatnonzero(lengths > 0)
    chosen = directed[spread_sample(directed.size, _NEIGHBOR_ROWS, rng)]
    # Keep the first of equal rows: duplicates would be each other's nearest neighbors, and have a warning.
    chosen = chosen[np.sort(np.unique(row_hashes(points[chosen]), return_index=True)[1])]
    if chosen.size < 3 * N_NEIGHBORS:
        return 0, chosen, np.zeros(0, dtype=np.intp)
    near = nearest_neighbors(points[chosen] / lengths[chosen, None], N_NEIGHBORS)
    return N_NEIGHBORS, chosen, np.bincount(near.indices.ravel(), minlength=chosen.size)


def _classes(labels: Any, places: npt.NDArray[np.intp]) -> tuple[tuple[str, npt.NDArray[np.intp]], ...]:
    """Return the most frequent labels with their positions in a sample, grouping all other labels as one."""
    names, numbers, counts = np.unique(np.asarray(labels)[places], return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    if order.size < 2:
        return ()
    # The most frequent labels, sorted by name.
    shown = [(str(names[i]), np.flatnonzero(numbers == i)) for i in np.sort(order[: drawing.N_CLASSES])]
    if order.size > drawing.N_CLASSES:
        rest = np.flatnonzero(np.isin(numbers, order[drawing.N_CLASSES :]))
        shown.append((f"{order.size - drawing.N_CLASSES:,} others", rest))
    return tuple(shown)


def limits(looks: Sequence[PictureData]) -> Limits:
    """Return axes that fit every given cloud."""
    reaches = [_reach(one.plane) for one in looks]
    cosines = np.concatenate([np.r_[one.cosines, one.centered, 0.0] for one in looks])
    low, high = float(cosines.min()), float(cosines.max())
    pad = 0.04 * max(high - low, 0.1)
    across = Axis(max(low - pad, -1.0), min(high + pad, 1.0))
    lengths = _length_axis(np.concatenate([one.lengths for one in looks]))
    most = max((int(one.occurrences.max()) for one in looks if one.n_neighbors), default=1)
    counts = Axis(-0.5, max(most, 2 * N_NEIGHBORS) + 0.5)
    return Limits(
        reach=max(reaches),
        cosines=across,
        cosine_top=max(
            float(_shares(values, across.edges(_CELLS)).max())
            for one in looks
            for values in (one.cosines, one.centered)
        ),
        lengths=lengths,
        length_top=max(float(_shares(one.lengths, lengths.edges(_CELLS)).max()) for one in looks),
        neighbors=counts,
        neighbor_top=max(
            float(max(_counted(one, counts)[1].max(), _by_lot(one, counts)[1].max(initial=0.0)))
            for one in looks
        ),
        spectrum=drawing.spectrum_axis([one.fractions for one in looks]),
        components=Axis(1.0, float(max(2, *(one.fractions.size for one in looks))), logarithmic=True),
        coordinate_top=max(float(max(one.coordinates.max(), 2.0 / one.coordinates.size)) for one in looks),
    )


def _reach(plane: Floats) -> float:
    """Return the half-width of axes that show all rows except a few distant ones."""
    size = np.maximum(np.abs(plane[:, 0]), np.abs(plane[:, 1]) / drawing.SHAPE)
    inner = float(np.quantile(size, _OUTERMOST))
    shown = size[size <= _FAR * inner] if inner > 0 else size
    return 1.05 * float(shown.max())


def _length_axis(lengths: Floats) -> Axis:
    low, high = float(lengths.min()), float(lengths.max())
    if low > 0 and high > _WIDE_LENGTHS * low:
        return Axis(low / 1.2, high * 1.2, logarithmic=True)
    return Axis(0.0, 1.15 * high if high > 0 else 1.0)


def _shares(values: Floats, edges: Floats) -> Floats:
    """Return the fraction of values in each cell."""
    if not values.size:
        return np.zeros(edges.size - 1)
    inside = np.clip(values, edges[0], edges[-1])
    return np.histogram(inside, bins=edges)[0] / values.size


def _counted(one: PictureData, axis: Axis) -> tuple[Floats, Floats]:
    """Return the edges of cells of integer counts, and the fraction of rows in each cell."""
    most = math.ceil(axis.high)
    width = -(-most // _CELLS)
    edges = np.arange(0.0, most + width, width, dtype=np.float64) - 0.5
    return edges, _shares(one.occurrences.astype(np.float64), edges)


def _by_lot(one: PictureData, axis: Axis) -> tuple[Floats, Floats]:
    """Return counts and the binomial fraction of rows expected at each count if neighbors were random."""
    n = one.occurrences.size
    if not n:
        return np.zeros(0), np.zeros(0)
    edges = _counted(one, axis)[0]
    at = np.arange(math.ceil(axis.high), dtype=np.float64)
    chance = stats.binom.pmf(at, n - 1, one.n_neighbors / (n - 1)) * (edges[1] - edges[0])
    return at, np.asarray(chance)


def draw(one: PictureData, on: Limits | None = None) -> tuple[Figure, ...]:
    """Return the figures of a cloud, on its own axes or on the given axes."""
    on = on or limits([one])
    figures = [_plane(one, on), _cosine_figure(one, on), _length_figure(one, on)]
    if one.n_neighbors:
        figures.append(_neighbor_figure(one, on))
    spectrum = spectrum_figure(one.fractions, across=on.components, up=on.spectrum)
    return (*figures, _coordinate_figure(one, on), spectrum)


def side_by_side(looks: Sequence[PictureData]) -> tuple[Section, ...]:
    """Return a section for each kind of plot, showing all clouds on the same axes."""
    on = limits(looks)
    kinds: dict[str, list[Figure]] = {}
    titles = {}
    for one in looks:
        for figure in draw(one, on):
            kinds.setdefault(figure.key, []).append(
                dataclasses.replace(figure, key=f"{figure.key}: {one.name}", title=one.name)
            )
            titles[figure.key] = figure.title
    return tuple(
        Section(key, titles[key], figures=tuple(figures), gallery=True) for key, figures in kinds.items()
    )


def _rows(count: int, n_points: int) -> str:
    if count == n_points:
        return f"all {n_points:,} rows"
    return f"{count:,} of the {n_points:,} rows, drawn at random"


def _plane(one: PictureData, on: Limits) -> Figure:
    dense = not one.classes and len(one.plane) > _MOST_DOTS
    classes = [Class(one.name, one.plane)]
    shown = len(one.plane)
    if one.classes:
        every = -(-shown // _MOST_LABELED)
        # The sample is in file order, so taking every n-th row of each label is as good as a random draw.
        classes = [Class(name, one.plane[places[::every]]) for name, places in one.classes]
        shown = sum(len(each.points) for each in classes)
    fractions = [float(f) for f in np.r_[one.fractions, 0.0][:2]]
    outside = int(
        (np.maximum(np.abs(one.plane[:, 0]), np.abs(one.plane[:, 1]) / drawing.SHAPE) > on.reach).sum()
    )
    together = percent(float(f"{sum(fractions):.3g}"))
    how = "stronger where they crowd" if dense else "one mark each"
    alt = (
        f"The first two principal components of {_rows(shown, one.n_points)}, {how}, both axes on one scale. "
        "Together they hold "
        f"{together} of the variance, so the rest of the cloud cannot be seen here. Lines cross at the mean."
    )
    if one.classes:
        alt += f" Markers and colors are labels, {len(one.classes)} kinds."
    beyond = f" {outside:,} {'row lies' if outside == 1 else 'rows lie'} outside." if outside else ""
    many = "" if shown == one.n_points else f" {_capital(_rows(shown, one.n_points))}."
    caption = (
        f"{'Stronger: more rows' if dense else 'A mark is a row'}. This plane holds {together} of the "
        f"variance.{beyond}{many}"
    )
    alt += beyond
    svg = drawing.scatter(
        classes,
        reach=on.reach,
        title="First two components",
        alt=alt,
        labels=(
            f"first component: {percent(float(f'{fractions[0]:.3g}'))} of the variance",
            f"second: {percent(float(f'{fractions[1]:.3g}'))}",
        ),
        dense=dense,
    )
    data = {
        "fractions": [float(f"{f:.6g}") for f in fractions],
        "rows_shown": shown,
        "rows_outside": outside,
        "labels": [name for name, _ in one.classes],
    }
    return Figure("plane", "First two components", alt, svg, data, caption=caption)


def _cosine_figure(one: PictureData, on: Limits) -> Figure:
    edges = on.cosines.edges(_CELLS)
    series = [
        Series(name, edges, _shares(values, edges))
        for name, values in (("as they are", one.cosines), ("mean taken away", one.centered))
        if values.size
    ]
    middle = [float(np.median(values)) if values.size else None for values in (one.cosines, one.centered)]
    told = [
        f"{_cosine(value)} {what}"
        for what, value in zip(("as they are", "with the mean taken away"), middle, strict=True)
        if value is not None
    ]
    alt = (
        f"Cosines of {one.n_pairs:,} pairs of rows. The median is {', '.join(told)}."
        if told
        else "No pair of rows has a cosine."
    )
    svg = drawing.histogram(
        series, across=on.cosines, top=on.cosine_top or 1.0, title="Cosines of pairs", alt=alt,
        label="cosine", up="share of pairs",
    )  # fmt: skip
    data = {"n_pairs": one.n_pairs} | {
        key: _quantiles(values) for key, values in (("as_they_are", one.cosines), ("centered", one.centered))
    }
    return Figure("cosines", "Cosines of pairs", alt, svg, data)


def _length_figure(one: PictureData, on: Limits) -> Figure:
    edges = on.lengths.edges(_CELLS)
    low, high = (float(np.quantile(one.lengths, q)) for q in (0.05, 0.95))
    logarithmic = ", on a logarithmic axis" if on.lengths.logarithmic else ""
    spread = (
        f"all are {_length(low)} long"
        if high - low <= 1e-3 * high
        else f"nine in ten are {_length(low)} to {_length(high)} long"
    )
    alt = f"Lengths of {_rows(one.lengths.size, one.n_points)}{logarithmic}: {spread}."
    caption = f"{_capital(spread)}{logarithmic}."
    svg = drawing.histogram(
        [Series("lengths", edges, _shares(one.lengths, edges))],
        across=on.lengths, top=on.length_top or 1.0, title="Lengths of rows", alt=alt,
        label="length", up="share of rows",
    )  # fmt: skip
    data = {"n_rows": int(one.lengths.size), "lengths": _quantiles(one.lengths)}
    return Figure("lengths", "Lengths of rows", alt, svg, data, caption=caption)


def _neighbor_figure(one: PictureData, on: Limits) -> Figure:
    edges, shares = _counted(one, on.neighbors)
    count, n = one.n_neighbors, one.occurrences.size
    at, chance = _by_lot(one, on.neighbors)
    never = float((one.occurrences == 0).mean())
    often = int(one.occurrences.max())
    among = (
        f"all {n:,} rows" if n == one.n_points else f"{n:,} {'' if one.whole else 'drawn '}rows, no two equal"
    )
    if one.n_zero:
        among += " and none zero"
    said = "" if n == one.n_points else f" Among {among}."
    alt = (
        f"How often a row is among the {count} nearest of another by cosine, among {among}: on average "
        f"{count} times, {never:.0%} never, row {one.hub} {often:,} times. The dashed line is what drawing "
        "neighbors by lot would give."
    )
    caption = f"{never:.0%} are never among the {count} nearest of another row, "
    caption += f"row {one.hub} is {often:,} times.{said}"
    svg = drawing.histogram(
        [Series("rows", edges, shares)],
        across=on.neighbors, top=on.neighbor_top, title="How often a row is a neighbor", alt=alt,
        label=f"times among the {count} nearest of another", up="share of rows", expected=("by "
            "lot", at, chance),
    )  # fmt: skip
    data = {
        "n_rows": int(n),
        "n_neighbors": count,
        "never": never,
        "most": often,
        "skewness": float(stats.skew(one.occurrences)) if one.occurrences.std() > 0 else 0.0,
    }
    return Figure("neighbors", "How often a row is a neighbor", alt, svg, data, caption=caption)


def _coordinate_figure(one: PictureData, on: Limits) -> Figure:
    place, most = one.dominating
    n = one.coordinates.size
    alt = (
        f"Fraction of the variance in each of the {n:,} coordinates, counted from 0: coordinate {place:,} "
        f"has most, {most:.1%}, where {percent(1 / n)} would be even."
    )
    caption = (
        f"Coordinate {place:,} has most: {most:.1%}, where {percent(float(f'{1 / n:.3g}'))} would be even."
    )
    svg = drawing.needles(
        one.coordinates, top=on.coordinate_top, title="Variance by coordinate", alt=alt, label="coordinate",
        up="fraction of variance", level=1.0 / n,
    )  # fmt: skip
    data = {"largest": place, "fraction": float(f"{most:.6g}"), "even": 1.0 / n}
    return Figure("by_coordinate", "Variance by coordinate", alt, svg, data, caption=caption)


def spectrum_figure(fractions: Floats, *, across: Axis | None = None, up: Axis | None = None) -> Figure:
    """Return the figure that shows the fraction of variance along each component."""
    half, most = (int(np.searchsorted(np.cumsum(fractions), level * (1 - 1e-12)) + 1) for level in (0.5, 0.9))
    alt = (
        f"Fraction of the variance along each of the {fractions.size:,} principal components, largest first, "
        f"on logarithmic axes. The first holds {fractions[0]:.1%}; half of the variance lies in "
        f"{_components(half)}, nine tenths in {_components(most)}."
    )
    caption = (
        f"Of {fractions.size:,} components {half:,} {'holds' if half == 1 else 'hold'} half of the variance, "
        f"{most:,} {'holds' if most == 1 else 'hold'} nine tenths."
    )
    chosen = np.unique(np.round(np.geomspace(1, fractions.size, _MOST_POINTS)).astype(int))
    data = {
        "component": [int(i) for i in chosen],
        "fraction": [float(f"{x:.6g}") for x in fractions[chosen - 1]],
        "components_for_half": half,
        "components_for_nine_tenths": most,
    }
    svg = drawing.spectrum(fractions, title="Spectrum", alt=alt, across=across, up=up)
    return Figure("spectrum", "Spectrum", alt, svg, data, caption=caption)


def _components(count: int) -> str:
    return "the first" if count == 1 else f"the first {count:,}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _quantiles(values: Floats) -> dict[str, float]:
    if not values.size:
        return {}
    names = ("least", *(f"{q:.0%}" for q in QUANTILES[1:-1]), "largest")
    return {name: float(f"{q:.6g}") for name, q in zip(names, np.quantile(values, QUANTILES), strict=True)}


def _cosine(value: float) -> str:
    return f"{value + 0.0:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _length(value: float) -> str:
    return axis_number(float(f"{value:.3g}")) if 1e-3 <= abs(value) < 1e5 else number(value)
