"""Figures that move of Part 4."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab.results import SimilaritySamples
from reanalyses.moving.figure import MovingFigure

__all__ = ["differences"]


def differences(ranks: Mapping[str, ArrayLike] | None = None, *, k: int = 10) -> MovingFigure:
    """Show tests of two models on questions drawn from all, the differences that they report, and how many tell them apart.

    For the lesson "Comparing models". `ranks` are those of all questions by model, best model first, by default those of E5,
    MiniLM and USE. Draws are those of `reanalyses.moving.generator.uniform`.
    """
    hits = {name: (np.asarray(own) <= k).astype(int) for name, own in (ranks or _three()).items()}
    pairs = [
        {"name": f"{a} − {b}", "pool": "".join(map(str, hits[a] - hits[b] + 1))}
        for a, b in combinations(hits, 2)
    ]
    first, second = list(hits)[:2]
    return MovingFigure(
        "differences",
        "Tests of two models, and what they tell",
        "Draw tests, and count those that tell the models apart. How large a lead do these report, beside the dashed one?",
        f"Tests of {first} and {second} with two hundred questions each, drawn again and again. Each reports the lead of the first "
        "with a paired interval. Most of the intervals hold 0; those that do not report a lead that is much too large. With more "
        "questions more tests tell the models apart, and what they report comes nearer to the lead on all questions.",
        {"pairs": pairs},
    )


def _stored() -> tuple[NDArray[np.int64], SimilaritySamples]:
    """Return where the answers of the questions stand, and MiniLM's similarities."""
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    gold = experiments.collection().gold
    return gold, experiments.samples_of(encoders.load("MiniLM", "yang"), gold)


def _three() -> dict[str, NDArray[np.int64]]:
    """Return where the answers stand by three encoders of sentences."""
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    gold = experiments.collection().gold
    return {name: encoders.load(name, "yang").ranks(gold) for name in ("E5", "MiniLM", "USE")}
