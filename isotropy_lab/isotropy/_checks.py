"""Checks of arguments that several modules here share."""

from __future__ import annotations


def check_inverse_dimension(mean: float, k: int) -> None:
    """Refuse a cloud whose neighbors are all equally far."""
    if not mean > 0:
        raise ValueError(
            f"X has all {k} nearest neighbors at one distance for every query, where the intrinsic dimension is "
            "infinite; expected points off a regular grid, or another n_neighbors"
        )
