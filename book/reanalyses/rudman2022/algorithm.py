"""IsoScore in its seven published steps, with all intermediate results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.moments import unit_deviations


@dataclass(frozen=True)
class IsoScoreSteps:
    """The values of each step of the published algorithm."""

    #: n_points, n_dimensions: the shape of the cloud (step 1).
    n_points: int
    n_dimensions: int
    #: Variances along the principal axes, largest first (steps 2 and 3), in squared units of the data; inf or
    #: 0 if they exceed the range of float64, which does not affect the following steps.
    variances: npt.NDArray[np.float64]
    #: The same values, scaled to the Euclidean length √n (step 4).
    normalized_variances: npt.NDArray[np.float64]
    isotropy_defect: float  #: Distance to all ones over the largest possible distance, in [0, 1] (step 5).
    fraction_used: float  #: Fraction of the dimensions that are used, in [1/n, 1] (step 6).
    dimensions_used: float  #: Number of dimensions that are used, in [1, n] (step 6).
    isoscore: float  #: The score, in [0, 1] (step 7).

    def as_table(self) -> pd.DataFrame:
        """Return the steps as a table of step, computed quantity, and value as text."""

        def format_values(values: npt.NDArray[np.float64]) -> str:
            first_six = [f"{value:.4f}" for value in values[:6]]
            return ", ".join(first_six) + (", …" if len(values) > 6 else "")

        return pd.DataFrame(
            [
                ("1", "points and dimensions", f"{self.n_points:,} in {self.n_dimensions}"),
                ("2, 3", "variances along the principal axes", format_values(self.variances)),
                ("4", "the same, with length √n", format_values(self.normalized_variances)),
                ("5", "isotropy defect δ", f"{self.isotropy_defect:.4f}"),
                ("6", "share of dimensions used φ", f"{self.fraction_used:.4f}"),
                ("6", "dimensions used k = nφ", f"{self.dimensions_used:.4f}"),
                ("7", "IsoScore ι", f"{self.isoscore:.4f}"),
            ],
            columns=["step", "computes", "value"],
        )


def isoscore_steps(X: checks.Points) -> IsoScoreSteps:
    """Run the published algorithm of IsoScore step by step; the result equals `isoscore`.

    `isoscore` gives the same number from two traces. The steps are those of Algorithm 1 and equation (4.1) in
    Section 4.1 of Rudman et al. (2022).
    """
    points, exponent = unit_deviations(checks.as_points(X, "X", min_points=2, min_dimensions=2))
    n_points, n = points.shape
    # Step 2: singular values give the variances of the rotated cloud without computing the covariance.
    singular_values = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    scaled = np.zeros(n)
    scaled[: len(singular_values)] = singular_values**2 / (n_points - 1)  # step 3
    with np.errstate(over="ignore", under="ignore"):
        variances = np.ldexp(scaled, 2 * exponent)
    normalized = np.sqrt(n) * scaled / np.linalg.norm(scaled)  # step 4
    defect = float(np.linalg.norm(normalized - 1) / np.sqrt(2 * (n - np.sqrt(n))))  # step 5
    fraction = (n - defect**2 * (n - np.sqrt(n))) ** 2 / n**2  # step 6
    score = (n * fraction - 1) / (n - 1)  # step 7
    return IsoScoreSteps(
        n_points=n_points,
        n_dimensions=n,
        variances=variances,
        normalized_variances=normalized,
        isotropy_defect=defect,
        fraction_used=float(fraction),
        dimensions_used=float(n * fraction),
        isoscore=float(score),
    )
