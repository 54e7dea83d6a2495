"""Draw book/_static/overview.png, the picture of the README and the first page: ``python scripts/make_overview_picture.py``."""

from __future__ import annotations

from pathlib import Path

from isotropy_lab.isotropy import clouds
from reanalyses.rudman2022 import figures

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Score a ball, a needle and a ball moved away, and save the picture."""
    three = {
        "a ball": clouds.isotropic_gaussian(1_500, 2, rng=0),
        "a needle": clouds.gaussian(1_500, [4.0, 0.05], rng=0),
        "the ball, moved": clouds.isotropic_gaussian(1_500, 2, mean=15.0, rng=0),
    }
    picture = figures.two_scores(three)
    picture.savefig(ROOT / "book" / "_static" / "overview.png", dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()
