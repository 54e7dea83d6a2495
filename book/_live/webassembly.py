"""Fast matrix products in the browser under Pyodide, where NumPy has no BLAS.

NumPy is built there without BLAS, so that ``X.T @ X`` of 10,000 points in 384 dimensions takes eight seconds. SciPy has its
own BLAS, which takes a third of a second. `install` lets ``@`` use it: through NumPy's C interface, it adds a loop before the
loops of `numpy.matmul` for float32 and float64. The loop passes large products to SciPy and leaves all others to NumPy.
`numpy.dot`, and so `numpy.cov`, then calls ``@``. Other platforms are not changed.
"""

import ctypes
import functools
import importlib
import sys
from typing import Any

import numpy as np

__all__ = ["install"]

#: Below this number of multiplications, NumPy is faster than a call of SciPy.
MIN_MULTIPLICATIONS = 50_000
#: Longer sums of float32 products use float64, because NumPy adds terms one by one here and loses digits.
MAX_FLOAT32_TERMS = 64

_REPLACE_LOOP = 30  # index of PyUFunc_ReplaceLoopBySignature in NumPy's table of functions, fixed by the ABI
_Address = ctypes.c_void_p
_Sizes = ctypes.POINTER(ctypes.c_ssize_t)
_LOOP = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Address), _Sizes, _Sizes, _Address)
_installed: list[Any] = []  # kept, because NumPy calls these functions


def install() -> None:
    """Make ``@`` use SciPy's BLAS for large float32 and float64 products; only has an effect in WebAssembly."""
    if sys.platform != "emscripten" or _installed:
        return
    _multiarray_umath = importlib.import_module("numpy._core._multiarray_umath")

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = (_Address, [ctypes.py_object, ctypes.c_char_p])
    table = pointer(_multiarray_umath._UFUNC_API, None)
    address = ctypes.cast(table, ctypes.POINTER(_Address))[_REPLACE_LOOP]
    replace = ctypes.PYFUNCTYPE(
        ctypes.c_int, ctypes.py_object, _Address, ctypes.POINTER(ctypes.c_int), _Address
    )(address)
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        before, replacement = _Address(), _Loop(dtype)
        loop = _LOOP(replacement)
        types = (ctypes.c_int * 3)(*[dtype.num] * 3)
        if replace(np.matmul, ctypes.cast(loop, _Address), types, ctypes.byref(before)) == 0:
            replacement.before = _LOOP(before.value)
            _installed.append(loop)
    for module in ("numpy", "numpy._core.numeric", "numpy.lib._function_base_impl"):
        importlib.import_module(module).dot = _dot  # type: ignore[attr-defined]


_numpy_dot: Any = np.dot


@functools.wraps(np.dot)
def _dot(a: Any, b: Any, out: Any = None) -> Any:
    if (
        type(a) is type(b) is np.ndarray
        and {a.ndim, b.ndim} <= {1, 2}
        and a.dtype == b.dtype
        and a.dtype.kind == "f"
    ):
        return np.matmul(a, b, out=out)
    return _numpy_dot(a, b, out)


class _Loop:
    """Loop of matmul for one dtype, with a reference to the loop that it replaces."""

    before: Any

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def __call__(self, arrays: Any, sizes: Any, strides: Any, data: Any) -> None:
        m, n, p = sizes[1], sizes[2], sizes[3]
        is_large = m * n * p >= MIN_MULTIPLICATIONS and m > 1 and n > 1 and p > 1
        if is_large or (n >= MAX_FLOAT32_TERMS and self.dtype == np.float32):
            try:
                for k in range(sizes[0]):
                    a, b, out = (
                        _matrix(arrays[i] + k * strides[i], shape, strides[3 + 2 * i : 5 + 2 * i], self.dtype)
                        for i, shape in enumerate(((m, n), (n, p), (m, p)))
                    )
                    if is_large:
                        product(a, b, out)
                    else:
                        out[:] = a.astype(np.float64) @ b.astype(np.float64)
                return
            except Exception:  # noqa: S110 errors must not pass through NumPy; its own loop recomputes the products
                pass
        self.before(arrays, sizes, strides, data)


def _matrix(address: int, shape: tuple[int, int], strides: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return the matrix at a memory address."""
    strides = [dtype.itemsize if n == 1 else step for n, step in zip(shape, strides, strict=True)]
    if min(strides) <= 0:
        raise ValueError("strides")
    n_bytes = sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) + dtype.itemsize
    memory = (ctypes.c_char * n_bytes).from_address(address)
    return np.ndarray(shape, dtype, memory, strides=strides)


def product(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], out: np.ndarray[Any, Any]) -> None:
    """Write the product of two matrices of one dtype into a third, by SciPy's BLAS.

    A matrix times its own transpose is exactly symmetric, as in NumPy with BLAS.
    """
    from scipy.linalg import blas

    letter = "s" if a.dtype == np.float32 else "d"
    if a.shape == b.shape[::-1] and a.ctypes.data == b.ctypes.data and a.strides == b.strides[::-1]:
        columns = a.T if a.flags.c_contiguous else a  # Fortran order, to avoid a copy by SciPy
        half = getattr(blas, letter + "syrk")(1.0, columns, trans=columns is not a)
        np.add(np.triu(half), np.triu(half, 1).T, out=out)
        return
    # (a b)ᵀ = bᵀ aᵀ in Fortran order is a b in C order.
    left, right = (x if x.flags.f_contiguous else x.T for x in (b, a))
    flags = {"trans_a": left is b, "trans_b": right is a}
    gemm = getattr(blas, letter + "gemm")
    if out.flags.c_contiguous:
        gemm(1.0, left, right, c=out.T, overwrite_c=True, **flags)
    else:
        out[:] = gemm(1.0, left, right, **flags).T
