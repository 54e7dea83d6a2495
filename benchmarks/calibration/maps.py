"""Simulations of `isotropy_lab.projection.faulty_regions`: regions in faultless maps, and planted faults."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.calibration import Floats, Part, Row, share
from isotropy_lab.projection import faulty_regions

SEED = 36
N_POINTS = 400

DataAndMap = tuple[Floats, Floats]
FaultyMap = tuple[Floats, Floats, str, Floats]


def _map_of_two_columns(scales: Floats) -> Callable[[np.random.Generator], DataAndMap]:
    """Return a function that draws Gaussian data, with the first two columns as the map."""

    def draw(rng: np.random.Generator) -> DataAndMap:
        X = rng.standard_normal((N_POINTS, len(scales))) * scales
        return X, X[:, :2]

    return draw


def _random_map(rng: np.random.Generator) -> DataAndMap:
    return rng.standard_normal((N_POINTS, 10)), rng.standard_normal((N_POINTS, 2))


def _heavy_tailed_map(rng: np.random.Generator) -> DataAndMap:
    X = rng.standard_t(3, (N_POINTS, 20)) / np.sqrt(np.arange(1, 21))
    return X, X[:, :2]


def _clusters(rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    """Return six clusters in ten dimensions: data, centers in a faultless map, deviations, and labels."""
    labels = rng.integers(6, size=N_POINTS)
    deviations = rng.standard_normal((N_POINTS, 10))
    centers = 6.0 * rng.standard_normal((6, 10))
    angles = np.arange(6) * np.pi / 3.0
    centers_in_map = 8.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return centers[labels] + deviations, centers_in_map, deviations, labels


def _map_of_clusters(rng: np.random.Generator) -> DataAndMap:
    X, centers, deviations, labels = _clusters(rng)
    return X, centers[labels] + deviations[:, :2]


def _ring(rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    angles = rng.uniform(0.0, 2.0 * np.pi, N_POINTS)
    noise = 0.2 * rng.standard_normal((N_POINTS, 5))
    X = 5.0 * np.stack([np.cos(angles), np.sin(angles), *np.zeros((3, N_POINTS))], axis=1) + noise
    return X, angles, noise


def _map_of_ring(rng: np.random.Generator) -> DataAndMap:
    X = _ring(rng)[0]
    return X, X[:, :2]


SOUND: dict[str, Callable[[np.random.Generator], DataAndMap]] = {
    "10 equal columns, 2 shown": _map_of_two_columns(np.ones(10)),
    "20 falling columns, 2 shown": _map_of_two_columns(1.0 / np.arange(1, 21)),
    "300 columns, 2 shown": _map_of_two_columns(np.linspace(1.0, 0.1, 300)),
    "heavy tails": _heavy_tailed_map,
    "a random map": _random_map,
    "six clusters": _map_of_clusters,
    "a ring": _map_of_ring,
}


def _merge_two_clusters(rng: np.random.Generator) -> FaultyMap:
    X, centers, deviations, labels = _clusters(rng)
    label_in_map = np.where(labels == 1, 0, labels)
    return X, centers[label_in_map] + deviations[:, :2], "invented", labels < 2


def _cut_one_cluster(rng: np.random.Generator) -> FaultyMap:
    X, centers, deviations, labels = _clusters(rng)
    Y = centers[labels] + deviations[:, :2]
    Y[(labels == 0) & (deviations[:, 0] > 0.0)] += [0.0, 30.0]
    return X, Y, "torn", labels == 0


def _open_ring(rng: np.random.Generator) -> FaultyMap:
    X, angles, noise = _ring(rng)
    close_to_the_cut = np.minimum(angles, 2.0 * np.pi - angles) < 0.3
    return X, np.stack([5.0 * angles, noise[:, 2]], axis=1), "torn", close_to_the_cut


PLANTED: dict[str, Callable[[np.random.Generator], FaultyMap]] = {
    "two clusters laid on each other": _merge_two_clusters,
    "one cluster cut in two": _cut_one_cluster,
    "a ring opened": _open_ring,
}


def false_regions(repetitions: int) -> Iterator[Row]:
    """Measure how often a map of 400 points with uniform quality gets a region (at most 0.05)."""
    for name, draw in SOUND.items():
        rng = np.random.default_rng([SEED, len(name)])
        regions = [faulty_regions(*draw(rng), rng=rng) for _ in range(repetitions)]
        yield {"map": name, "region": share([r.n_invented + r.n_torn > 0 for r in regions])}


def planted_regions(repetitions: int) -> Iterator[Row]:
    """Measure how often planted faults are found, and the recall and precision of the points found."""
    for name, draw in PLANTED.items():
        rng = np.random.default_rng([SEED, len(name)])
        detected, recalls, precisions = [], [], []
        for _ in range(repetitions):
            X, Y, kind, faulty = draw(rng)
            in_region = getattr(faulty_regions(X, Y, rng=rng), kind) >= 0
            detected.append(bool((in_region & faulty).any()))
            recalls.append(in_region[faulty].mean())
            precisions.extend([faulty[in_region].mean()] if in_region.any() else [])
        yield {"fault": name, "power": share(detected), "points_found": float(np.mean(recalls)),
               "points_right": float(np.mean(precisions or [0.0]))}  # fmt: skip


PARTS = {
    "map-false-regions": Part(false_regions, 100, SEED),
    "map-planted-regions": Part(planted_regions, 100, SEED),
}
