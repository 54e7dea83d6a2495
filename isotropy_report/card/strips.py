"""Strip plots of scores with intervals, next to known encoders, and of differences between models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isotropy_lab.isotropy.participation import defect_of_ratio, score_of_ratio
from isotropy_report.card.drawing import Axis, strip
from isotropy_report.card.known import KnownEncoder, known_encoders
from isotropy_report.card.meanings import ENDS, TEXTS
from isotropy_report.card.parts import Figure, Line, Section
from isotropy_report.card.survey import Survey
from isotropy_report.card.words import decimals, label_of, text_of


def strips_section(isotropy: Section, data: Survey, confidence_level: float) -> tuple[Figure, Section]:
    """Return the strip plot of the verdict's number, and a folded section with those of the other scores."""
    n_points, n_dimensions = data.n_points, data.n_dimensions
    scores = {line.key: {"these vectors": line} for line in isotropy.lines}
    figures, known = score_strips(scores, [(n_points, n_dimensions)])
    ordered = sorted(known, key=lambda encoder: encoder.name.lower())
    encoders = "; ".join(f"{encoder.name} {encoder.n_dimensions}" for encoder in ordered)
    sizes = {"rows": n_points, "columns": n_dimensions, "sizes": nearest_sizes(known), "encoders": encoders}
    notes = (TEXTS["strips"].format(level=confidence_level), TEXTS["strips_sizes"].format(**sizes))
    title = "Other scores compared with known encoders"
    return figures[0], Section("scores", title, figures=figures[1:], notes=notes, gallery=True, folded=True)


def score_strips(
    scores: Mapping[str, Mapping[str, Line]], sizes: Sequence[tuple[int, int]]
) -> tuple[tuple[Figure, ...], tuple[KnownEncoder, ...]]:
    """Return a strip plot of each score (key → name → line) next to known encoders, and these encoders."""
    known = known_encoders(max(n_points for n_points, _ in sizes))
    ball = ball_scores(*sizes[0]) if len(set(sizes)) == 1 else {}
    figures = (strip_figure(scores[key], known, ball=ball.get(key)) for key in ENDS if key in scores)
    return tuple(figures), known


def nearest_sizes(known: Sequence[KnownEncoder]) -> str:
    """Return the numbers of rows from which the displayed scores of known encoders were computed."""
    return " or ".join(f"{size:,}" for size in sorted({encoder.n_points for encoder in known}))


def ball_scores(n_points: int, n_dimensions: int) -> dict[str, float]:
    """Return the scores of a Gaussian ball, in closed form, for the given numbers of rows and columns.

    For N rows in n dimensions, E[(tr S)²] / E[tr S²] = (n (N − 1) + 2) / (N + n); the mean of the ratio
    differs from this by less than the standard deviation of the ratio.
    """
    ratio = (n_dimensions * (n_points - 1) + 2) / (n_points + n_dimensions)
    return {
        "isoscore": score_of_ratio(ratio, n_dimensions),
        "isoscore_corrected": 1.0,
        "isotropy_defect": defect_of_ratio(ratio, n_dimensions),
        "average_cosine": 0.0,
    }


def strip_figure(
    measured: Mapping[str, Line], known: Sequence[KnownEncoder] = (), *, ball: float | None = None
) -> Figure:
    """Return the strip plot of one score for one or more models, known encoders, and a Gaussian ball."""
    key = next(iter(measured.values())).key
    label, end = label_of(key), ENDS.get(key, "1 is best.")
    known = [encoder for encoder in known if key in encoder.scores]
    marks = {encoder.name: encoder.scores[key] for encoder in known}
    marks |= {} if ball is None else {"a ball": ball}
    # Extend the axis below 0 only for clearly negative cosines, not for random variation around 0.
    numbers = [line.value for line in measured.values() if isinstance(line.value, (int, float))]
    longest = max(1.0, *marks.values(), *numbers, *(line.high or 0.0 for line in measured.values()))
    low = -1.0 if min(numbers, default=0.0) < -0.05 else 0.0
    values = [text_of(line) for line in measured.values()]
    alt = "; ".join(f"{name}: {text}" for name, text in zip(measured, values, strict=True)) + f". {end}"
    if marks:
        ordered = sorted(marks.items(), key=lambda mark: -mark[1])
        alt += f" For comparison: {', '.join(f'{name} {decimals(value)}' for name, value in ordered)}."
    fields = ("encoder", "collection", "n_points", "n_dimensions")
    data = {
        "models": {name: {"value": x.value, "low": x.low, "high": x.high} for name, x in measured.items()},
        "ball": ball,
        "known": [
            {field: getattr(encoder, field) for field in fields} | {"value": encoder.scores[key]}
            for encoder in known
        ],
    }
    svg = strip(measured, marks, axis=Axis(low, longest), title=label, alt=alt)
    title = f"{label}: {values[0]}" if len(measured) == 1 else label
    return Figure(f"strip_{key}", title, alt, svg, data, caption=end)
