"""Each score on a strip from 0 to 1, with its interval, beside those of known encoders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from isotropy_lab.isotropy.participation import defect_of_ratio, score_of_ratio
from isotropy_lab.report.drawing import Axis, Known, Own, strip
from isotropy_lab.report.known import KnownEncoder, known_encoders
from isotropy_lab.report.meanings import MEANINGS
from isotropy_lab.report.parts import Figure, Line, Section, Value
from isotropy_lab.report.words import short

ENDS: Mapping[str, str] = MappingProxyType(
    {
        "isoscore_corrected": "0: a line. 1: a ball.",
        "isoscore": "0: a line. 1: a ball. Too low for few rows per dimension.",
        "isotropy_defect": "0: a ball. 1: a line.",
        "varex_score": "Low: a few components hold the variance. 1: a ball.",
        "average_cosine": "0: around the origin. 1: all rows point one way.",
        "average_cosine_centered": "Near 0 for almost any cloud: the mean was the cause.",
        "id_score": "Intrinsic dimension over the number of columns, from near neighbors.",
        "partition_score": "Low: rows lean to one side, or are long. Depends on their length.",
    }
)
"""The scores that have a strip, and how to read its ends."""


def strips_section(
    isotropy: Section, *, n_points: int, n_dimensions: int, confidence_level: float
) -> Section:
    """Return the section of strips, made of the lines of the section of scores."""
    lines = {line.key: line for line in isotropy.lines}
    known = known_encoders(n_points)
    ball = ball_scores(n_points, n_dimensions)
    figures = [
        strip_figure({"these vectors": lines[key]}, known, ball=ball.get(key)) for key in ENDS if key in lines
    ]
    sizes = sorted({one.n_points for one in known})
    rows = " or ".join(f"{size:,}" for size in sizes)
    encoders = "; ".join(
        f"{one.name} {one.n_dimensions}" for one in sorted(known, key=lambda one: one.name.lower())
    )
    notes = [
        f"The diamond is the score of these vectors, on its interval of {confidence_level:.0%} where there is one. Below it stand "
        "encoders that are known well, on definitions of network devices, and MiniLM on Wikipedia's sentences, too: what others "
        "have, not what to reach. More is not better, and other texts would move them.",
        f"Scores depend on the numbers of rows N and of columns n. Here N = {n_points:,} and n = {n_dimensions:,}; the known scores "
        f"are means over draws of N = {rows} rows, the nearest in the table, and n is the encoder's own ({encoders}). The ball is "
        "a Gaussian cloud of exactly this N and n.",
    ]
    return Section("scores", "Each score beside known encoders", figures=tuple(figures), notes=tuple(notes))


def ball_scores(n_points: int, n_dimensions: int) -> dict[str, float]:
    """Return what the scores with a closed form are for a Gaussian ball of exactly this many rows and columns.

    Of N rows in n dimensions, E[(tr S)²] / E[tr S²] = (n (N − 1) + 2) / (N + n); the mean of the ratio differs by less than its
    scatter.

    Examples
    --------
    >>> {key: round(value, 2) for key, value in ball_scores(500, 384).items()}
    {'isoscore': 0.56, 'isoscore_corrected': 1.0, 'isotropy_defect': 0.51, 'average_cosine': 0.0}
    """
    ratio = (n_dimensions * (n_points - 1) + 2) / (n_points + n_dimensions)
    return {
        "isoscore": score_of_ratio(ratio, n_dimensions),
        "isoscore_corrected": 1.0,
        "isotropy_defect": defect_of_ratio(ratio, n_dimensions),
        "average_cosine": 0.0,
    }


def strip_figure(
    own: Mapping[str, Line], known: Sequence[KnownEncoder], *, ball: float | None = None
) -> Figure:
    """Return the strip of one score of one or several models, by name, beside known encoders and what a ball would have."""
    key = next(iter(own.values())).key
    label, end = MEANINGS[key].label, ENDS.get(key, "")
    mine = [Own(name, _number(line.value), line.low, line.high) for name, line in own.items()]
    marks = [Known(one.name, one.scores[key]) for one in known if key in one.scores]
    if ball is not None:
        marks.append(Known("a ball", ball))
    # Cosines may be below 0, and then by more than their scatter around it.
    least = min([one.value for one in mine if one.value is not None], default=0.0)
    axis = Axis(-1.0 if least < -0.05 else 0.0, 1.0)
    told = [_told(one) for one in mine]
    title = f"{label}: {told[0]}" if len(mine) == 1 else label
    listed = ", ".join(f"{mark.name} {_score(mark.value)}" for mark in sorted(marks, key=lambda m: -m.value))
    alt = "; ".join(f"{one.name}: {text}" for one, text in zip(mine, told, strict=True))
    alt += f". {end}" + (f" For comparison: {listed}." if listed else "")
    data = {
        "models": {one.name: {"value": one.value, "low": one.low, "high": one.high} for one in mine},
        "ball": ball,
        "known": [
            {
                "encoder": one.encoder,
                "collection": one.collection,
                "n_points": one.n_points,
                "n_dimensions": one.n_dimensions,
                "value": one.scores[key],
            }
            for one in known
            if key in one.scores
        ],
    }
    svg = strip(mine, marks, axis=axis, title=label, alt=alt)
    return Figure(f"strip_{key}", title, alt, svg, data, gallery=True, caption=end)


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _told(one: Own) -> str:
    if one.value is None:
        return "undefined here"
    ends = (
        f" ({_score(one.low)} to {_score(one.high)})" if one.low is not None and one.high is not None else ""
    )
    return f"{_score(one.value)}{ends}"


def _score(value: float) -> str:
    return short(float(f"{value:.3f}") + 0.0)
