"""Exponentials and logarithms of arrays, in loops without calls and branches, which run in vector registers.

The functions of the C library, which compiled loops call otherwise, take numbers one by one. Imported only when first
needed, because it needs numba. Sums must not be reordered here: rounding to integers by adding and subtracting a
large constant is what a compiler that may reorder takes away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isotropy_lab.projection._pairs.compilation import compiled

Floats = NDArray[np.float64]

#: The exponent below which exp gives zero: a little above where float64 loses digits.
LOWEST = -708.0

_ROUND = 6755399441055744.0  # 1.5·2⁵²: adding it leaves the nearest integer in the low bits
_LOG2_E = 1.4426950408889634
# The logarithm of 2 in two parts, the first with trailing zeros so that whole multiples of it are exact.
_LN2_HIGH = 6.93147180369123816490e-1
_LN2_LOW = 1.90821492927058770002e-10
_SQRT_HALF = 0x3FE6A09E667F3BCD  # the bits of √½


@compiled
def exponentials(t: Floats, whole: Floats, out: Floats) -> None:
    """Write exp(t) to `out` for t ≤ 0, within an ulp or two; 0 below −708. `whole` is scratch space, no shorter."""
    n = t.size
    for j in range(n):
        x = max(t[j], LOWEST)
        z = x * _LOG2_E + _ROUND
        k = z - _ROUND
        r = (x - k * _LN2_HIGH) - k * _LN2_LOW
        p = 1.0 / 39916800.0 + r * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0))
        p = 1.0 / 362880.0 + r * (1.0 / 3628800.0 + r * p)
        p = 1.0 / 5040.0 + r * (1.0 / 40320.0 + r * p)
        p = 1.0 / 120.0 + r * (1.0 / 720.0 + r * p)
        p = 1.0 / 6.0 + r * (1.0 / 24.0 + r * p)
        out[j] = 1.0 + r * (1.0 + r * (0.5 + r * p))
        whole[j] = z
    bits, shift = out.view(np.int64), whole.view(np.int64)
    for j in range(n):
        keep = -np.int64(t[j] > LOWEST)  # all bits, or none
        bits[j] = (bits[j] + (shift[j] << 52)) & keep


@compiled
def logarithms(x: Floats, exponent: Floats, out: Floats) -> None:
    """Write log(x) to `out` for positive normal x, within an ulp or two; undefined but finite at 0. `exponent` is scratch."""
    bits, mantissa = x.view(np.int64), out.view(np.int64)
    whole = exponent.view(np.int64)
    magic = np.array([_ROUND]).view(np.int64)[0]
    n = x.size
    for j in range(n):
        # Adding 1024 keeps the shifted number positive, where the processor has no arithmetic shift.
        k = ((bits[j] - _SQRT_HALF + (1024 << 52)) >> 52) - 1024
        mantissa[j] = bits[j] - (k << 52)  # in [√½, √2)
        whole[j] = k + magic
    for j in range(n):
        k = exponent[j] - _ROUND
        f = out[j] - 1.0
        s = f / (2.0 + f)
        z = s * s
        # log(1 + f) = 2 artanh(s); the coefficients are those of fdlibm.
        r = 1.531383769920937332e-1 + z * 1.479819860511658591e-1
        r = 2.222219843214978396e-1 + z * (1.818357216161805012e-1 + z * r)
        r = 6.666666666666735130e-1 + z * (3.999999999940941908e-1 + z * (2.857142874366239149e-1 + z * r))
        half = 0.5 * f * f
        out[j] = k * _LN2_HIGH - ((half - (s * (half + z * r) + k * _LN2_LOW)) - f)
