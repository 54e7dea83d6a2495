"""The tables and figures of Kindel (2023) and its supplement as tidy tables.

Sizes and seeds are keyword arguments whose defaults are the paper's, where it states them.
"""

from __future__ import annotations

from isotropy_lab.association.tables import three_vectors, three_vectors_at
from isotropy_lab.tables import readable

__all__ = ["readable", "three_vectors", "three_vectors_at"]
