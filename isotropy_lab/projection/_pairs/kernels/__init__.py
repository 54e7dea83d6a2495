"""Loops that numba compiles; `loops` gives those behind affinities and the KL divergence, or their NumPy twins."""

from __future__ import annotations

import types

from isotropy_lab.projection._pairs.compilation import available

__all__ = ["loops"]


def loops() -> types.ModuleType:
    """Return the loops behind affinities and the KL divergence: compiled or, without numba, their NumPy twins."""
    if available():
        from isotropy_lab.projection._pairs.kernels import kl  # needs numba

        return kl
    from isotropy_lab.projection._pairs import plain

    return plain
