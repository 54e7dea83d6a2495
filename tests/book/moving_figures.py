"""The interactive figures and their expected numbers, computed with Python from the state of each figure."""

import functools
import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import stats
from scipy.spatial.distance import pdist

from isotropy_lab import association, projection
from isotropy_lab.isotropy import isotropy_scores
from reanalyses import moving
from reanalyses.kindel2023 import experiments as kindel
from reanalyses.kindel2023.similarities import normalized_mean_cosine_similarity
from reanalyses.smelser2025 import experiments

Numbers = dict[str, Any]


def cloud_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    scores = isotropy_scores(state["points"]).to_dict()
    names = ["isoscore", "average_cosine_score"]
    if not figure.data["two"]:
        names += ["partition_score", "varex_score", "id_score"]
    if not (figure.data["two"] or figure.data["compact"]):
        names += ["average_cosine"]
    return {name: scores[name] for name in names}


def arrows_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    A, B = (np.array([[np.cos(t), np.sin(t)] for t in np.deg2rad(state[name])]) for name in "AB")
    lengths = [float(np.linalg.norm(words.mean(axis=0))) for words in (A, B)]
    similarity = association.mean_cosine_similarity
    defined = min(lengths) > 1e-9
    difference = similarity(A, B) - similarity(A, A)
    closest = "B" if difference > 0 else "itself"
    if lengths[0] < 1e-9:
        closest = "neither"
    elif abs(difference) < 1e-9:
        closest = "both alike"
    return {
        "length_a": lengths[0],
        "length_b": lengths[1],
        "cosine": normalized_mean_cosine_similarity(A, B) if defined else None,
        "ab": similarity(A, B),
        "aa": similarity(A, A),
        "bb": similarity(B, B),
        "closest": closest,
    }


def vectors_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    numbers: Numbers = {}
    for metric, rows in kindel.three_vectors(*state["angles"]).groupby("metric", sort=False):
        for i, row in enumerate(rows.itertuples()):
            numbers[f"{metric}{i}"] = row.similarity if row.defined else None
        labels = ["itself", *rows["pair"].iloc[1:]]
        best = [name for name, closest in zip(labels, rows["closest"], strict=True) if closest]
        numbers[f"{metric}best"] = ", ".join(best) if rows["defined"].iloc[0] else "undefined"
    return numbers


def sizes_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    scales = state["scales"]
    values = experiments.stress_and_kl_at(figure.data, scales)
    names = [item["label"] for item in figure.data["projections"]]
    numbers: Numbers = {}
    for i, (scale, (stress, kl)) in enumerate(zip(scales, values, strict=True)):
        numbers |= {f"scale{i}": scale, f"stress{i}": stress, f"kl{i}": kl}
    for column, name in enumerate(("stress", "divergence")):
        order = sorted(range(len(names)), key=lambda i: values[i][column])
        text = names[order[0]]
        for left, right in pairwise(order):
            sign = " < " if values[right][column] - values[left][column] > 1e-9 else " = "
            text += sign + names[right]
        numbers[name] = text
    return numbers


def islands_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    X, base, island, digits = (np.array(figure.data[key]) for key in ("X", "own", "on", "kind"))
    Y = base + np.array(state["at"])[island]
    quality = projection.projection_quality(X, Y, n_neighbors=10)

    def center_distances(A: Any) -> Any:
        return pdist([A[digits == digit].mean(axis=0) for digit in range(digits.max() + 1)])

    return {
        "trustworthiness": quality.trustworthiness,
        "continuity": quality.continuity,
        "stress": projection.scale_normalized_stress(X, Y),
        "kl": projection.scale_normalized_kl(X, Y, perplexity=30).value,
        "centers": stats.spearmanr(center_distances(X), center_distances(Y)).statistic,
    }


Case = tuple[Callable[[], moving.MovingFigure], Callable[[Any, moving.MovingFigure], Numbers]]
CASES: dict[str, Case] = {
    "cloud": (moving.cloud, cloud_numbers),
    "cloud, compact": (lambda: moving.cloud("needle", compact=True), cloud_numbers),
    "cloud, two scores": (lambda: moving.cloud(two_scores=True), cloud_numbers),
    "arrows": (moving.mean_arrows, arrows_numbers),
    "vectors": (moving.three_vectors, vectors_numbers),
    "sizes": (moving.sizes, sizes_numbers),
    "islands": (moving.islands, islands_numbers),
}


@functools.cache
def figure_of(name: str) -> moving.MovingFigure:
    return CASES[name][0]()


def state_of(root: Any) -> Any:
    """Return the state from which a figure was computed."""
    return json.loads(root.get_attribute("data-state"))


def parse_number(text: str) -> tuple[float, int]:
    """Return a number shown in a figure, and its number of decimals."""
    plain = re.sub(r"[,°%× ]", "", text).replace("−", "-")
    return float(plain), len(plain.partition(".")[2])


def assert_equals_python(root: Any, name: str) -> Numbers:
    """Assert that all numbers in the figure equal Python's to the last digit shown."""
    state = state_of(root)
    expected = CASES[name][1](state, figure_of(name))
    shown = dict(
        root.locator("[data-key]").evaluate_all("all => all.map(e => [e.dataset.key, e.textContent])")
    )
    assert set(shown) == set(expected)
    for key, value in expected.items():
        if isinstance(value, str):
            assert shown[key] == value, (key, state)
        elif value is None:
            assert shown[key] == "undefined", (key, state)
        else:
            number, digits = parse_number(shown[key])
            assert abs(number - value) <= 0.5000001 * 10.0**-digits + 1e-9, (key, shown[key], value, state)
            assert not re.fullmatch(r"−0\.?0*", shown[key])
    return expected
