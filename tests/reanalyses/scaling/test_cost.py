"""Costs on paper beside what is counted: bytes by a wrapper, operations by a counting product, messages by pickling."""

import pickle
import tracemalloc

import numpy as np
import pytest

from isotropy_lab import moments
from isotropy_lab._core import moments as module
from isotropy_lab.isotropy import isoscore
from reanalyses.scaling.cost import cost, message_bytes

SIZES = [(20_000, 24), (6_000, 100), (3_000, 384)]


class CountedRows:
    """Blocks of a matrix, each counted as it is handed out."""

    def __init__(self, X, rows):
        self.X, self.rows, self.bytes = X, rows, 0

    def __iter__(self):
        for start in range(0, len(self.X), self.rows):
            block = self.X[start : start + self.rows]
            self.bytes += block.nbytes
            yield block


@pytest.mark.parametrize(("n_points", "n"), SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_byte_is_read_once(n_points, n, dtype):
    X = np.random.default_rng(0).standard_normal((n_points, n)).astype(dtype)
    rows = CountedRows(X, 1000)
    isoscore(iter(rows))
    paper = cost(n_points, n, dtype=dtype, score="isoscore")
    assert paper.bytes_read == paper.bytes_stored == rows.bytes == X.nbytes


@pytest.mark.parametrize(("n_points", "n"), SIZES)
def test_operations_of_the_products_are_counted(monkeypatch, n_points, n):
    counted = 0
    matmul = np.matmul

    def counting(a, b, **options):
        nonlocal counted
        counted += 2 * a.shape[0] * a.shape[1] * b.shape[1]
        return matmul(a, b, **options)

    monkeypatch.setattr(module.np, "matmul", counting)
    X = np.random.default_rng(0).standard_normal((n_points, n)).astype(np.float32)
    moments(X)
    paper = cost(n_points, n, score="moments").flops
    assert counted <= paper <= 1.15 * counted  # centering and sums are the rest
    assert paper - counted == 4.0 * n_points * n


@pytest.mark.parametrize("n", [24, 100, 384])
@pytest.mark.parametrize("fourth", [False, True])
def test_a_message_is_as_long_as_the_pickled_moments(n, fourth):
    m = moments(np.random.default_rng(0).standard_normal((500, n)), fourth=fourth)
    sent = len(pickle.dumps(m, protocol=5))
    assert message_bytes(n, fourth=fourth) < sent < message_bytes(n, fourth=fourth) + 1500


@pytest.mark.parametrize("shape", [(40_000, 64), (3_000, 600)])
@pytest.mark.parametrize(("score", "measure"), [("moments", moments), ("isoscore", isoscore)])
def test_memory_of_the_model_is_what_a_call_takes(shape, score, measure):
    X = np.random.default_rng(0).standard_normal(shape)
    measure(X[:300])
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    measure(X)
    taken = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    model = cost(*shape, dtype="float64", score=score).memory
    assert 0.5 * model < taken < 2 * model
