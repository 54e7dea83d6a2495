"""What is left of the ranks of distances after they have been walked through: sums, and what ties they were put into."""

from __future__ import annotations

import math
from dataclasses import dataclass

from isotropy_lab.projection._checks import check_distances_vary, check_some_distance

__all__ = ["RankSums"]


@dataclass(frozen=True)
class RankSums:
    """Sums over pairs from which both rank measures and bounds of their errors follow.

    Ranks are 2r − (P + 1) for the average rank r among P pairs. The later fields say how coarsely distances were
    told apart; 0 for exact ones. `cubes_x` and `cubes_y` are Σ(t³ − t) over groups of t pairs that were taken as tied.
    """

    n_pairs: int
    products: float
    squares_x: float
    squares_y: float
    residual: float
    sum_e2: float
    cubes_x: float = 0.0
    cubes_y: float = 0.0
    largest_group: int = 0
    max_e: float = 0.0
    rounding: float = 0.0

    def correlation(self) -> float:
        """Spearman's ρ."""
        check_distances_vary(self.squares_x, "X")
        check_distances_vary(self.squares_y, "Y")
        cosine = self.products / math.sqrt(self.squares_x * self.squares_y)
        return float(min(max(cosine, -1.0), 1.0))

    def correlation_error(self) -> float:
        """How far ρ can be from that of the ranks within the groups.

        The average rank of a group is the projection of the ranks in it, so that the angle between the two vectors of
        ranks has the sine √(Σ(t³ − t)/3)/‖ranks‖ at most; ρ is the cosine of an angle that changes by no more than the
        two sides' angles together.
        """
        angle = 0.0
        for cubes, squares in ((self.cubes_x, self.squares_x), (self.cubes_y, self.squares_y)):
            angle += math.atan2(math.sqrt(cubes / 3.0), math.sqrt(squares))
        return min(angle, 2.0)

    def stress(self, squared: bool) -> tuple[float, float]:
        """Non-metric stress and how far it can be from that of distances told apart.

        Let u be the best fit when no pairs are taken as tied, and ū its average over groups. ū is non-decreasing too,
        so that the fit to groups leaves at most Σ(e − ū)² = Σ(e − u)² + 2Σ(e − u)(u − ū) + Σ(u − ū)². Within a group
        |u − ū| is at most the rise of u in it, the rises add up to at most max e, and |e − u| ≤ max e: the last two
        terms are at most 3·t·(max e)² for a largest group of t. Rounding e by a share ε moves the value by no more
        than 2ε.
        """
        check_some_distance(self.sum_e2, "Y")
        value = min(max(self.residual / self.sum_e2, 0.0), 1.0)
        slack = 3.0 * self.largest_group * self.max_e**2 / self.sum_e2 if self.largest_group > 1 else 0.0
        root = math.sqrt(value)
        error = max(math.sqrt(value + slack) - root, root - math.sqrt(max(value - slack, 0.0)))
        error = min(error + self.rounding, 1.0)
        if squared:
            return value, min(error * (2.0 * root + error), 1.0)
        return root, error
