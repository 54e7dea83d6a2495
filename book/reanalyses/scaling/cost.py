"""Costs of a score on paper: bytes read, operations, bytes over the network, memory, for any number of points.

The covariance-based scores read the data once, make one matrix product of them and send one matrix from each chunk to
the next merge. Nothing here measures; `Cost.seconds` turns counts into time for rates that the caller has measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab._core.moments import BLOCK_BYTES, MERGED_AT_ONCE, SINGLE_ROWS, SINGLE_WIDTH

__all__ = ["SCORES", "Cost", "cost", "message_bytes"]

SCORES = ("moments", "isoscore", "isoscore-corrected", "average-cosine", "all-pairs", "sampled-pairs")


@dataclass(frozen=True)
class Cost:
    """Counts for one score of N points in n dimensions."""

    #: n_points, n_dimensions: shape of the data.
    n_points: int
    n_dimensions: int
    dtype: str  #: As stored.
    score: str  #: One of `SCORES`.
    workers: int  #: Processes that share the points.
    bytes_stored: int  #: Size of the data.
    #: Bytes of the data that are read, over all workers; more than are stored where rows are read again.
    bytes_read: int
    #: Additions and multiplications in floating point, over all workers, lower orders left out where they are
    #: below 1/n of the whole.
    flops: float
    #: Bytes that processes send to each other, at most: one message for each chunk, or one for each partial
    #: merge. 0 with one worker.
    bytes_sent: int
    messages: int  #: How many messages these are, at most.
    memory: int  #: Bytes that one worker needs beside its share of the data.

    def seconds(
        self, *, read_rate: float, flop_rate: float, network_rate: float = math.inf, overlap: bool = False
    ) -> float:
        """Return the time that the counts take at given rates, shared evenly by the workers.

        Returns seconds.
        """
        reading = self.bytes_read / self.workers / read_rate
        computing = self.flops / self.workers / flop_rate
        both = max(reading, computing) if overlap else reading + computing
        return both + self.bytes_sent / network_rate


def message_bytes(n_dimensions: int, *, fourth: bool = False) -> int:
    """Return how many bytes the moments of a cloud take on their way from one process to another.

    Returns 8(n² + n) bytes, 8(n + 1) more with fourth moments; the envelope of a pickle, some hundreds of
    bytes, not counted.
    """
    n = n_dimensions
    return 8 * (n * n + n + (n + 1 if fourth else 0))


def cost(
    n_points: int,
    n_dimensions: int,
    *,
    dtype: Any = "float32",
    score: str = "isoscore",
    workers: int = 1,
    chunk_rows: int | None = None,
    n_pairs: int = 1_000_000,
) -> Cost:
    """Return what a score of N points in n dimensions costs, in counts.

    The product of N rows with themselves takes 2N n² operations, centering and sums 4N n, the eigenvalue-free score 2n².
    Moments are merged four at a time, so that c chunks send at most c + c/4 + c/16 + … < 4c/3 + 1 messages.
    """
    N = n_points
    n = n_dimensions
    stored = np.dtype(dtype)
    chunk = -(-N // workers) if chunk_rows is None else chunk_rows
    size = N * n * stored.itemsize
    read, sent, messages = size, 0, 0
    if score in SCORES[:3]:
        fourth = score == "isoscore-corrected"
        flops = 2.0 * N * n * n + 4.0 * N * n + (6.0 * N * n if fourth else 0.0)
        chunks = -(-N // chunk)
        flops += 2.0 * n * n * max(chunks - 1, 0) + (2.0 * n * n if score != "moments" else 0.0)
        if workers > 1:
            messages = _merges(chunks)
            sent = messages * message_bytes(n, fourth=fourth)
        memory = _moments_memory(n, min(chunk, N), stored)
    elif score == "average-cosine":
        flops, memory = 4.0 * N * n, 8 * N + 2**20
    elif score == "all-pairs":
        pairs = N * (N - 1) // 2
        flops, memory = 3.0 * pairs * n, 2 * 2**19
        # Tiles of 128 by 512 points read their rows and their columns.
        read = round(pairs / (128 * 512)) * (128 + 512) * n * stored.itemsize
    else:
        flops = 3.0 * n_pairs * n + 5.0 * N * n
        read = 2 * n_pairs * n * stored.itemsize + 2 * size
        memory = 16 * n_pairs + 8 * N
    return Cost(N, n, stored.name, score, workers, size, read, flops, sent, messages, memory)


def _merges(chunks: int) -> int:
    """How many moments are sent when `chunks` of them are merged four at a time."""
    total = chunks
    while chunks > 1:
        chunks = -(-chunks // MERGED_AT_ONCE)
        total += chunks
    return total


def _moments_memory(n: int, rows: int, stored: np.dtype[Any]) -> int:
    """One block, its product, and the scatter in float64."""
    working = 8 if n <= SINGLE_WIDTH else checks.working_dtype(stored).itemsize
    block = min(max(256, BLOCK_BYTES // (working * n)), SINGLE_ROWS, rows)
    return block * n * working + n * n * (working + 8) + 128 * n * 8
