"""Comparison of products by SciPy's BLAS, which replace NumPy's in a browser, with NumPy's products."""

import numpy as np
import pytest

from tests.conftest import script_module

webassembly = script_module("webassembly", "book/_live")

RNG = np.random.default_rng(0)

LAYOUTS = {
    "rows": lambda r, c: RNG.normal(size=(r, c)),
    "columns": lambda r, c: RNG.normal(size=(c, r)).T,
    "every other column": lambda r, c: RNG.normal(size=(r, 2 * c))[:, ::2],
    "a part": lambda r, c: RNG.normal(size=(r + 3, c + 4))[2 : r + 2, 1 : c + 1],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("left", LAYOUTS)
def test_products_equal_numpy(left, right, dtype):
    tolerance = 1e-4 if dtype == np.float32 else 1e-12
    for m, n, p in ((5, 6, 7), (64, 33, 20), (2, 100, 3)):
        a = LAYOUTS[left](m, n).astype(dtype, order="K")
        b = LAYOUTS[right](n, p).astype(dtype, order="K")
        wide = np.empty((m, 2 * p), dtype)
        for out in (np.empty((m, p), dtype), wide[:, ::2]):
            webassembly.product(a, b, out)
            np.testing.assert_allclose(out, a @ b, atol=tolerance)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_product_with_the_transpose_is_symmetric(layout):
    a = LAYOUTS[layout](30, 20)
    for left, right in ((a, a.T), (a.T, a)):
        out = np.empty((len(left), len(left)))
        webassembly.product(left, right, out)
        np.testing.assert_array_equal(out, out.T)
        np.testing.assert_allclose(out, left @ right, atol=1e-12)
