"""How often `isotropy_lab.projection.faulty_regions` finds regions in faultless maps, and planted faults."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.calibration import Floats, Part, Row, share
from isotropy_lab.projection import faulty_regions

SEED = 36
N_POINTS = 400

Drawn = tuple[Floats, Floats]
Planted = tuple[Floats, Floats, str, Floats]


def _first_two(scales: Floats) -> Callable[[np.random.Generator], Drawn]:
    """Return Gaussian data, with the first two columns as the map."""

    def draw(rng: np.random.Generator) -> Drawn:
        X = rng.standard_normal((N_POINTS, len(scales))) * scales
        return X, X[:, :2]

    return draw


def _random(rng: np.random.Generator) -> Drawn:
    return rng.standard_normal((N_POINTS, 10)), rng.standard_normal((N_POINTS, 2))


def _heavy(rng: np.random.Generator) -> Drawn:
    X = rng.standard_t(3, (N_POINTS, 20)) / np.sqrt(np.arange(1, 21))
    return X, X[:, :2]


def _clusters(rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    """Return six clusters in ten dimensions: data, centers in a faultless map, deviations, and labels."""
    labels = rng.integers(6, size=N_POINTS)
    deviations = rng.standard_normal((N_POINTS, 10))
    centers = 6.0 * rng.standard_normal((6, 10))
    angles = np.arange(6) * np.pi / 3.0
    places = 8.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return centers[labels] + deviations, places, deviations, labels


def _sound_clusters(rng: np.random.Generator) -> Drawn:
    X, places, deviations, labels = _clusters(rng)
    return X, places[labels] + deviations[:, :2]


def _ring(rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    angles = rng.uniform(0.0, 2.0 * np.pi, N_POINTS)
    noise = 0.2 * rng.standard_normal((N_POINTS, 5))
    X = 5.0 * np.stack([np.cos(angles), np.sin(angles), *np.zeros((3, N_POINTS))], axis=1) + noise
    return X, angles, noise


def _sound_ring(rng: np.random.Generator) -> Drawn:
    X = _ring(rng)[0]
    return X, X[:, :2]


SOUND: dict[str, Callable[[np.random.Generator], Drawn]] = {
    "10 equal columns, 2 shown": _first_two(np.ones(10)),
    "20 falling columns, 2 shown": _first_two(1.0 / np.arange(1, 21)),
    "300 columns, 2 shown": _first_two(np.linspace(1.0, 0.1, 300)),
    "heavy tails": _heavy,
    "a random map": _random,
    "six clusters": _sound_clusters,
    "a ring": _sound_ring,
}


def _merged(rng: np.random.Generator) -> Planted:
    X, places, deviations, labels = _clusters(rng)
    shown = np.where(labels == 1, 0, labels)
    return X, places[shown] + deviations[:, :2], "invented", labels < 2


def _cut(rng: np.random.Generator) -> Planted:
    X, places, deviations, labels = _clusters(rng)
    Y = places[labels] + deviations[:, :2]
    Y[(labels == 0) & (deviations[:, 0] > 0.0)] += [0.0, 30.0]
    return X, Y, "torn", labels == 0


def _opened(rng: np.random.Generator) -> Planted:
    X, angles, noise = _ring(rng)
    near = np.minimum(angles, 2.0 * np.pi - angles) < 0.3
    return X, np.stack([5.0 * angles, noise[:, 2]], axis=1), "torn", near


PLANTED: dict[str, Callable[[np.random.Generator], Planted]] = {
    "two clusters laid on each other": _merged,
    "one cluster cut in two": _cut,
    "a ring opened": _opened,
}


def false_regions(repetitions: int) -> Iterator[Row]:
    """Measure how often a map of 400 points with uniform quality gets a region (at most 0.05)."""
    for name, draw in SOUND.items():
        rng = np.random.default_rng([SEED, len(name)])
        found = [faulty_regions(*draw(rng), rng=rng) for _ in range(repetitions)]
        yield {"map": name, "region": share([one.n_invented + one.n_torn > 0 for one in found])}


def planted_regions(repetitions: int) -> Iterator[Row]:
    """Measure how often planted faults are found, and the recall and precision of the points found."""
    for name, draw in PLANTED.items():
        rng = np.random.default_rng([SEED, len(name)])
        hits, found, right = [], [], []
        for _ in range(repetitions):
            X, Y, kind, faulty = draw(rng)
            inside = getattr(faulty_regions(X, Y, rng=rng), kind) >= 0
            hits.append(bool((inside & faulty).any()))
            found.append(inside[faulty].mean())
            right.extend([faulty[inside].mean()] if inside.any() else [])
        yield {"fault": name, "power": share(hits), "points_found": float(np.mean(found)),
               "points_right": float(np.mean(right or [0.0]))}  # fmt: skip


PARTS = {
    "map-false-regions": Part(false_regions, 100, SEED),
    "map-planted-regions": Part(planted_regions, 100, SEED),
}
