"""Random numbers that Python and a page draw alike: mulberry32, a generator of one line with 32 bits of state.

Good enough to draw pictures with; for anything else there is `numpy.random`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["uniform"]


def uniform(seed: int, size: int) -> NDArray[np.float64]:
    """Return numbers from 0 up to 1, the same as ``mulberry32(seed)`` in ``shared.js``."""
    # The state after k draws is seed + k · 0x6D2B79F5, so that all of them can be drawn at once.
    state = np.uint32(seed) + np.arange(1, size + 1, dtype=np.uint32) * np.uint32(0x6D2B79F5)
    t = (state ^ (state >> np.uint32(15))) * (state | np.uint32(1))
    t ^= t + (t ^ (t >> np.uint32(7))) * (t | np.uint32(61))
    return np.asarray((t ^ (t >> np.uint32(14))) / 2.0**32)
