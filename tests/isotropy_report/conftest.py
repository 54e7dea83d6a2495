"""Fixtures of the tests of isotropy_report: a generator and small blocks of rows."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def small_blocks(monkeypatch):
    """Use blocks of 64 rows, so that small arrays have several blocks."""
    from isotropy_report.card import rows

    monkeypatch.setattr(rows, "_CHUNK_ENTRIES", 1)
