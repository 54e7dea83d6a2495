"""Figures that move of Part 3."""

from __future__ import annotations

from reanalyses.moving.figure import MovingFigure

__all__ = ["ANGLES", "stress_angle"]

#: Presets of `stress_angle`: three points on a line, three of their projection, and what to notice.
ANGLES = {
    "exchanged": (
        [1, 3, 8],
        [3, 1, 8],
        "a and b have changed places: no size of the projection makes its distances those of the data.",
    ),
    "three times as large": (
        [0, 1, 3],
        [0, 3, 9],
        "A faithful copy, too large: stress at its own size is 2, and the angle is 0.",
    ),
    "two together": (
        [1, 3, 8],
        [2, 2, 6],
        "a and b have become one point; the angle says how much that costs, whatever the size.",
    ),
    "much too small": (
        [0, 3, 9],
        [4, 4.1, 4.2],
        "Evenly spaced and tiny: stress is near 1 because of the size, and the sine is far below.",
    ),
    "all at one place": (
        [1, 3, 8],
        [5, 5, 5],
        "Without distances there is no angle; stress is 1 at every scale.",
    ),
}


def stress_angle() -> MovingFigure:
    """Show stress as the gap between two vectors of distances, and scale-normalized stress as the sine of their angle.

    For the lesson "Stress and size". The numbers are those of `isotropy_lab.projection.normalized_stress`,
    `scale_normalized_stress` and `optimal_scale`.
    """
    presets = [{"name": name, "X": x, "Y": y, "notice": text} for name, (x, y, text) in ANGLES.items()]
    return MovingFigure(
        "angle",
        "Stress is a gap, and at its best scale a sine",
        "Move the scale: the tip of α e runs along its ray, the gap is shortest at a right angle, and the angle never changes.",
        "Three points on a line have three distances, which are a vector d; those of their projection are a vector e. "
        "Normalized stress at scale α is the distance between α e and d over the length of d. It is least where the gap stands "
        "at a right angle on e; there it is the sine of the angle between d and e.",
        {"presets": presets},
    )
