"""Loops over rows of square distances: the nearest points, and the places of given points. Plain Python, to be compiled.

A row holds approximations v of the square distances from one point, each within `margin` of the square of its key. The
key of a pair is its distance in float64, rounded to 40 bits; equal keys are ordered by position. What the
approximations leave open is decided by keys, so that no result depends on how v was found. `points` without columns
means that v is the key itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

STEP = 16
"""Entries of a row that are looked at together: most such groups hold nothing of interest."""

LANES = 32
"""Sums of a key that are taken side by side, in vector registers."""

GROUP = 32768
"""Entries of rows that are made ready together, which the second cache holds."""

LISTS = 4
"""Lists of counts that are kept side by side: neighbors in a row often share a code, and one count waits for the last."""

BINS = 4096
"""Bins between the nearest and the farthest given point of a row; what shares a bin with none needs no comparison."""


def rounded(distance: float) -> float:
    """Return a distance rounded to 40 bits."""
    mantissa, exponent = math.frexp(distance)
    return math.ldexp(np.rint(mantissa * 1099511627776.0), exponent - 40)


def key_of(points: Any, unit: float, i: int, j: int, v: float, lanes: Any) -> float:
    """Return the key of a pair; `v` is its approximation, and `lanes` is room for `LANES` sums.

    The sums run over the coordinates in one order for every pair, so that a key does not depend on who asks for it.
    """
    n = points.shape[1]
    if n == 0:
        return v
    a, b = points[i], points[j]
    total = 0.0
    whole = n // LANES * LANES
    if whole > 0:
        lanes[:] = 0.0
        for start in range(0, whole, LANES):
            for c in range(LANES):
                gap = np.float64(a[start + c]) - np.float64(b[start + c])
                lanes[c] += gap * gap
        for c in range(LANES):
            total += lanes[c]
    for k in range(whole, n):
        gap = np.float64(a[k]) - np.float64(b[k])
        total += gap * gap
    return rounded(math.sqrt(total) * unit)


def by_key(keys: Any, places: Any) -> Any:
    """Return the order of pairs by key, equal keys by place.

    Shell's sort: few pairs are sorted at a time, and NumPy's sorts take seconds to compile.
    """
    n = keys.size
    order = np.arange(n)
    gap = 1
    while gap < n:
        gap = gap * 9 // 4 + 1
    while gap > 1:
        gap = max(gap * 4 // 9, 1)
        for m in range(gap, n):
            moved, c = order[m], m
            while c >= gap:
                other = order[c - gap]
                if keys[other] < keys[moved] or (
                    keys[other] == keys[moved] and places[other] <= places[moved]
                ):
                    break
                order[c] = other
                c -= gap
            order[c] = moved
    return order


def kth_smallest(values: Any, k: int) -> float:
    """Return the k-th smallest of some values, which are put in another order."""
    low, high = 0, values.size - 1
    while low < high:
        middle = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < middle:
                i += 1
            while values[j] > middle:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break
    return values[k - 1]  # type: ignore[no-any-return]


def narrow_squares(rows: Any, columns: Any, out: Any) -> None:
    """Write the square distances between points in a few dimensions, which are given as columns."""
    for i in range(rows.shape[1]):
        for k in range(rows.shape[0]):
            x, y = rows[k, i], columns[k]
            if k == 0:
                for j in range(columns.shape[1]):
                    out[i, j] = (x - y[j]) * (x - y[j])
            else:
                for j in range(columns.shape[1]):
                    out[i, j] += (x - y[j]) * (x - y[j])


def transpose(A: Any, out: Any) -> None:
    """Write the transpose of a tile, a block at a time, which the first cache holds."""
    for i0 in range(0, A.shape[0], 32):
        i1 = min(i0 + 32, A.shape[0])
        for j0 in range(0, A.shape[1], 32):
            for j in range(j0, min(j0 + 32, A.shape[1])):
                for i in range(i0, i1):
                    out[j, i] = A[i, j]


def compact(
    v: Any, p: Any, n: int, k: int, margin: float, points: Any, unit: float, own: int, before: int
) -> tuple[float, int]:
    """Keep the nearest k of n > k candidates of a row; return what v another one may have at most, and the keys found."""
    kth = kth_smallest(v[:n].copy(), k)
    sure, n_open = 0, 0
    for c in range(n):
        n_open += abs(v[c] - kth) <= 2.0 * margin
    lanes = np.empty(LANES)
    open_v, open_p, keys = np.empty(n_open), np.empty(n_open, np.int64), np.empty(n_open)
    n_open = 0
    for c in range(n):
        if v[c] < kth - 2.0 * margin:
            v[sure], p[sure] = v[c], p[c]
            sure += 1
        elif v[c] <= kth + 2.0 * margin:
            open_v[n_open], open_p[n_open] = v[c], p[c]
            n_open += 1
    found = 0
    if sure + n_open > k:
        for c in range(n_open):
            keys[c] = key_of(points, unit, own, open_p[c], open_v[c], lanes)
        found = n_open
        order = by_key(keys, open_p)
    else:
        order = np.arange(n_open)
    for c in range(k - sure):
        v[sure + c], p[sure + c] = open_v[order[c]], open_p[order[c]]
    return kth + 2.0 * margin, before + found


def visit(
    V: Any,
    row_part: Any,
    column_part: Any,
    factor: float,
    first: int,
    own: Any,
    points: Any,
    unit: float,
    margin: float,
    keys: Any,
    places: Any,
    counts: Any,
    near_v: Any,
    near_p: Any,
    n_near: Any,
    bounds: Any,
    near_margin: float,
    k: int,
) -> int:
    """Go through a tile whose v is row_part + column_part + factor·V, and whose columns begin at point `first`.

    Row r is that of point own[r]. Where `keys` has columns, those of the given points of a row in ascending order with
    their `places`, count in `counts` how many points lie between them. Where k > 0, gather candidates for the nearest
    k. Returns how many keys were needed, which are slow.
    """
    n_rows, n_columns = V.shape
    found = 0
    padded = (n_columns + STEP - 1) // STEP * STEP
    group = np.full((max(GROUP // padded, 1), padded), np.inf)
    for start in range(0, n_rows, group.shape[0]):
        stop = min(start + group.shape[0], n_rows)
        for r in range(start, stop):
            a, row = row_part[r], group[r - start]
            for c in range(n_columns):
                row[c] = a + column_part[c] + factor * V[r, c]
            if first <= own[r] < first + n_columns:
                row[own[r] - first] = np.inf
        found += look_through(
            group[: stop - start],
            first,
            own[start:stop],
            points,
            unit,
            margin,
            keys[start:stop],
            places[start:stop],
            counts[start:stop],
            near_v[start:stop],
            near_p[start:stop],
            n_near[start:stop],
            bounds[start:stop],
            near_margin,
            k,
        )
    return found


def look_through(
    group: Any,
    first: int,
    own: Any,
    points: Any,
    unit: float,
    margin: float,
    keys: Any,
    places: Any,
    counts: Any,
    near_v: Any,
    near_p: Any,
    n_near: Any,
    bounds: Any,
    near_margin: float,
    k: int,
) -> int:
    """Do what `visit` says for some rows of v, which are filled up with inf."""
    padded = group.shape[1]
    n_given, found, n_open = keys.shape[1], 0, 0
    bins = np.empty(STEP, np.int32)
    # A bin's code counts the given points before it; in an open one n_given + 1 is added.
    table = np.empty(BINS, np.int32)
    undecided, count = np.empty(padded + 1, np.int32), np.empty((LISTS, 2 * n_given + 2), np.int32)
    at = np.empty(n_given)
    exact = points.shape[1] == 0
    lanes = np.empty(LANES)
    top, low, scale = -1.0, 0.0, 0.0
    for r in range(group.shape[0]):
        row, i, bound = group[r], own[r], bounds[r]
        if n_given > 0:
            for m in range(n_given):
                at[m] = keys[r, m] if exact else keys[r, m] * keys[r, m]
            low, top = at[0], at[n_given - 1] + margin
            # Wide enough for one point, or for several that are as near as rounding.
            span = max(at[n_given - 1] - low, at[n_given - 1] / 64.0, 64.0 * margin)
            scale = (BINS - 3.0) / span if span > 0.0 else 1.0
            low -= 1.0 / scale  # bin 0 is for what is nearer than all
            fill_table(at, margin, low, scale, table)
            count[:, :] = 0
        n_open = 0
        reach = max(top, bound) if k > 0 else top
        for start in range(0, padded, STEP):
            least = row[start]
            for c in range(1, STEP):
                least = row[start + c] if row[start + c] < least else least
            if least > reach:
                continue
            if k > 0 and least <= bound:
                for c in range(start, start + STEP):
                    if row[c] <= bound and row[c] < np.inf:
                        if n_near[r] == near_v.shape[1]:
                            bound, found = compact(
                                near_v[r], near_p[r], n_near[r], k, near_margin, points, unit, i, found
                            )
                            n_near[r] = k
                            reach = max(top, bound)
                        near_v[r, n_near[r]], near_p[r, n_near[r]] = row[c], first + c
                        n_near[r] += 1
            if n_given > 0 and least <= top:
                for c in range(STEP):  # apart from the counts, in vector registers
                    bins[c] = bin_of(row[start + c], low, scale)
                for c in range(STEP):
                    code = table[bins[c]]
                    count[c % LISTS, code] += 1
                    undecided[n_open] = start + c
                    n_open += code > n_given
        bounds[r] = bound
        for m in range(n_open):
            c = undecided[m]
            v, place = row[c], first + c
            begin = np.int64(table[bin_of(v, low, scale)]) - n_given - 1
            while begin < n_given and at[begin] < v - margin:
                begin += 1
            if begin < n_given and at[begin] <= v + margin and v < np.inf:
                key, known = 0.0, False
                for other in range(begin, n_given):
                    if places[r, other] == place:
                        key, known = keys[r, other], True
                    if known or at[other] > v + margin:
                        break
                if not known:
                    key = key_of(points, unit, i, place, v, lanes)
                    found += 1
                while begin < n_given and (
                    keys[r, begin] < key or (keys[r, begin] == key and places[r, begin] <= place)
                ):
                    begin += 1
            count[0, begin] += 1
        for part in range(LISTS):
            for m in range(n_given):
                counts[r, m] += count[part, m]
    return found


def bin_of(v: float, low: float, scale: float) -> Any:
    """Return the bin of a value; what lies beside all bins is in the first or the last one."""
    x = (v - low) * scale
    x = x if x > 0.0 else 0.0
    x = x if x < BINS - 1.0 else BINS - 1.0
    return np.int32(x)


def fill_table(at: Any, margin: float, low: float, scale: float, table: Any) -> None:
    """Write for every bin how many given points are nearer than what falls in it; see `visit` for open ones."""
    n = at.size
    done: Any = 0
    for m in range(n):
        begin, end = bin_of(at[m] - margin, low, scale), bin_of(at[m] + margin, low, scale)
        for b in range(done, begin):
            table[b] = m
        for b in range(max(begin, done), end + 1):
            table[b] = n + 1 + m
        done = max(done, end + 1)
    for b in range(done, table.size):
        table[b] = n


def give(near: Any, own: Any, points: Any, unit: float, keys: Any, places: Any, slots: Any) -> None:
    """Sort the given points of every row by their keys, which are found, or stand in `keys` where there are no points."""
    k = near.shape[1]
    lanes = np.empty(LANES)
    own_keys, own_places = np.empty(k), np.empty(k, np.int64)
    for r in range(near.shape[0]):
        for m in range(k):
            own_places[m] = near[r, m]
            own_keys[m] = key_of(points, unit, own[r], near[r, m], keys[r, m], lanes)
        order = by_key(own_keys, own_places)
        for m in range(k):
            keys[r, m], places[r, m], slots[r, m] = own_keys[order[m]], own_places[order[m]], order[m]


def take_ranks(counts: Any, slots: Any, ranks: Any) -> None:
    """Write the ranks of the given points, in the order in which they were given."""
    for r in range(slots.shape[0]):
        before = 1
        for m in range(slots.shape[1]):
            before += counts[r, m]
            ranks[r, slots[r, m]] = before


def take_nearest(
    near_v: Any, near_p: Any, n_near: Any, near_margin: float, own: Any, points: Any, unit: float, out: Any
) -> None:
    """Write the places of the nearest points of every row, the nearest first."""
    k = out.shape[1]
    lanes = np.empty(LANES)
    keys, places = np.empty(k), np.empty(k, np.int64)
    for r in range(out.shape[0]):
        if n_near[r] > k:
            compact(near_v[r], near_p[r], n_near[r], k, near_margin, points, unit, own[r], 0)
        for m in range(k):
            places[m] = near_p[r, m]
            keys[m] = key_of(points, unit, own[r], places[m], near_v[r, m], lanes)
        order = by_key(keys, places)
        for m in range(k):
            out[r, m] = places[order[m]]


def pack(
    V: Any, row_part: Any, column_part: Any, factor: float, own: Any, scale: float, bits: int, out: Any
) -> None:
    """Write multiples of 1/scale of a row's v above the places, so that they sort nearly as the keys do; itself last."""
    shift = np.uint64(bits)
    for r in range(V.shape[0]):
        a = row_part[r]
        for c in range(V.shape[1]):
            v = a + column_part[c] + factor * V[r, c]
            v = v if v > 0.0 else 0.0
            out[r, c] = (np.uint64(np.int64(v * scale)) << shift) | np.uint64(c)
        out[r, own[r]] = np.uint64(0xFFFFFFFFFFFFFFFF)


def settle(
    packed: Any,
    bits: int,
    apart: int,
    V: Any,
    own: Any,
    points: Any,
    unit: float,
) -> None:
    """Put sorted packed rows in the order of the keys, and leave the places: what is no farther than `apart` is undecided."""
    shift, gap = np.uint64(bits), np.uint64(apart)
    low = (np.uint64(1) << shift) - np.uint64(1)
    lanes = np.empty(LANES)
    for r in range(packed.shape[0]):
        line = packed[r]
        n = line.size - 1  # without itself
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and (line[stop] >> shift) - (line[stop - 1] >> shift) <= gap:
                stop += 1
            if stop - start > 1:
                keys, places = np.empty(stop - start), np.empty(stop - start, np.int64)
                for c in range(stop - start):
                    places[c] = np.int64(line[start + c] & low)
                    keys[c] = key_of(points, unit, own[r], places[c], V[r, places[c]], lanes)
                order = by_key(keys, places)
                for c in range(stop - start):
                    line[start + c] = np.uint64(places[order[c]])
            else:
                line[start] &= low
            start = stop


def compare_orders(X: Any, Y: Any, weights: Any, sums: Any, squares: Any, areas: Any) -> None:
    """Add up what the co-ranking matrix says of some rows, whose places are given in the order of distance.

    Rows of `sums`, by K: pairs with both ranks up to K; R − K of those with the rank r ≤ K in the projection and R > K
    in the data; r − K of those with R ≤ K < r. `squares` takes the same of the squares of every row's sums. `areas` is
    the sum of the first under `weights`, for every row.
    """
    n = X.shape[1]  # K is below
    ranks = np.zeros(n, np.int64)
    kept = np.zeros(n + 1, np.int64)
    jumps, slopes = np.zeros((2, n + 1), np.int64), np.zeros((2, n + 1), np.int64)
    for r in range(X.shape[0]):
        for m in range(n - 1):
            ranks[np.int64(X[r, m])] = m + 1
        for m in range(n - 1):
            b = m + 1
            a = ranks[np.int64(Y[r, m])]
            side = 0 if a > b else 1
            near, far = (b, a) if a > b else (a, b)
            # far − K from K = near to K = far: a jump, and a slope of −1.
            kept[far] += 1
            jumps[side, near] += far - near
            slopes[side, near + 1] -= 1
            slopes[side, far + 1] += 1
        both, slope0, slope1, total0, total1 = 0, 0, 0, 0, 0
        area = 0.0
        for k in range(1, n):
            both += kept[k]
            slope0 += slopes[0, k]
            slope1 += slopes[1, k]
            total0 += slope0 + jumps[0, k]
            total1 += slope1 + jumps[1, k]
            sums[0, k] += both
            sums[1, k] += total0
            sums[2, k] += total1
            squares[0, k] += np.float64(both) * np.float64(both)
            squares[1, k] += np.float64(total0) * np.float64(total0)
            squares[2, k] += np.float64(total1) * np.float64(total1)
            area += weights[k] * both
        areas[r] = area
        kept[:] = 0
        jumps[:] = 0
        slopes[:] = 0
