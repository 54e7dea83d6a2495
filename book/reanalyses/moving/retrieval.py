"""Figures that move of Part 4."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab.results import SimilaritySamples
from reanalyses.moving.figure import MovingFigure

__all__ = ["differences", "questions"]


def questions(ranks: ArrayLike | None = None, *, k: int = 10) -> MovingFigure:
    """Show samples of questions, the interval that each would report, and how many of these hold the truth.

    For the lesson "How accurate is it, really?". `ranks` are those of all questions, by default MiniLM's of the stored
    embeddings. Draws are those of `reanalyses.moving.generator.uniform`; the intervals are the percentiles of an endless
    bootstrap, and Wilson's. They are those of `isotropy_lab.retrieval.bootstrap_interval`, but for questions that are
    all hits, or none: there the package takes Wilson's interval, and the figure the bootstrap's, which is one point.
    """
    hits = np.asarray(_stored()[1].hit_ranks if ranks is None else ranks) <= k
    presets = [
        (
            "ten",
            10,
            "Ten questions: an interval that holds the truth is about half of the scale wide. Ten hits of ten look certain: "
            "the bootstrap's interval is a single point.",
        ),
        (
            "twenty-five",
            25,
            "Twenty-five: intervals of the bootstrap miss the truth about twice as often as they say, Wilson's less often.",
        ),
        ("five hundred", 500, "Five hundred: less than a tenth wide, and 95 of 100 hold the truth."),
    ]
    return MovingFigure(
        "questions",
        "Ten questions, and what they say",
        "Draw samples until the intervals pile up, and count those that miss the dashed line: do 5 of 100?",
        f"From {hits.size} questions, of which a share of {hits.mean():.3f} finds its answer, samples of ten are drawn again and "
        "again. Each reports a 95% interval for its accuracy, about half of the scale wide. With twenty-five questions the "
        "intervals of the bootstrap hold the accuracy of all questions less often than promised, Wilson's do not.",
        {
            "hits": "".join(map(str, hits.astype(int))),
            "presets": [dict(zip(("name", "n", "notice"), preset, strict=True)) for preset in presets],
        },
    )


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
