"""Tests that measures are invariant under motions, scales, row order, precision, and memory maps."""

import pathlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

Array = Any


def _rotation(X: Array, rng: np.random.Generator, _: pathlib.Path) -> Array:
    return X @ np.linalg.qr(rng.standard_normal((X.shape[1], X.shape[1])))[0]


def _map(X: Array, _: np.random.Generator, folder: pathlib.Path) -> Array:
    path = folder / f"{len(list(folder.iterdir()))}.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


#: Each array gets the same random numbers: arrays of equal width share a rotation, of equal length an order.
TRANSFORMATIONS: dict[str, Callable[[Array, np.random.Generator, pathlib.Path], Array]] = {
    "rotation": _rotation,
    "translation": lambda X, rng, _: X + 3.0 * rng.standard_normal(X.shape[1]),
    "scale": lambda X, rng, _: 3.7 * X,
    "tiny": lambda X, rng, _: 1e-150 * X,
    "huge": lambda X, rng, _: 1e150 * X,
    "lengths": lambda X, rng, _: X * np.exp(rng.normal(0, 2, (len(X), 1))),
    "order": lambda X, rng, _: X[rng.permutation(len(X))],
    "single": lambda X, rng, _: X.astype(np.float32),
    "map": _map,
}


def invariance_test(
    draw: Callable[[int], tuple[Array, ...]], measures: Mapping[str, tuple[Callable[..., Any], str, float]]
) -> Callable[..., None]:
    """Return a test that measures of random arrays do not change under their transformations.

    A name such as "rotation" transforms all arrays, and "scale:1" only the second one. "exchange" swaps the
    first two.
    """

    @pytest.mark.parametrize(
        ("name", "change"),
        [(name, change) for name, (_, changes, _) in measures.items() for change in changes.split()],
    )
    def test(name: str, change: str, tmp_path: pathlib.Path) -> None:
        measure, _, tolerance = measures[name]
        transformation, _, position = change.partition(":")
        for seed in range(3):
            arrays = [np.asarray(X).astype(np.float32).astype(np.float64) for X in draw(seed)]
            transformed = [
                TRANSFORMATIONS[transformation](X, np.random.default_rng(seed), tmp_path)
                if transformation in TRANSFORMATIONS and position in ("", str(i))
                else X
                for i, X in enumerate(arrays)
            ]
            if transformation == "exchange":
                transformed[:2] = transformed[1::-1]
            actual, expected = (np.asarray(measure(*inputs), dtype=float) for inputs in (transformed, arrays))
            np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)

    return test
