import dask
import dask.array as da
import numpy as np
import pytest

from isotropy_lab._core.chunks import over_chunks


def places_and_sums(start, chunk, factor):
    return start, len(chunk), type(chunk), float(chunk.sum() * factor)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("rows", [(7, 0, 150, 1), (158,), (1,) * 158])
def test_results_come_in_the_order_of_the_rows_whatever_the_chunks(scheduler, rows):
    X = np.random.default_rng(0).standard_normal((158, 5))
    lazy = da.from_array(X, chunks=(158, 2)).rechunk((rows, (2, 3)))
    with dask.config.set(scheduler=scheduler):
        found = list(over_chunks(lazy, places_and_sums, 3.0))
    starts, sizes, kinds, sums = zip(*found, strict=True)
    assert sizes == rows
    assert starts == tuple(np.cumsum([0, *rows])[:-1])
    assert set(kinds) == {np.ndarray}
    np.testing.assert_allclose(
        sums, [3 * X[i : i + size].sum() for i, size in zip(starts, sizes, strict=True)]
    )
