"""IsoScore of 10 million points of 768 dimensions on an accelerator: ``python -m benchmarks.device [--quick]``.

The points are made on the device, block by block, and go straight into `isotropy_lab.moments`: 30.7 GB of float32
never leave it, nor need they be there at once. Beside the score stand two ceilings of the same device, measured in the
same run: its gemm, the matrix products alone at the sizes that the score takes them in, and its copy, one pass over as
many bytes. A share near 1 says that the score takes no longer than that alone. Making the points is measured as well
and taken off; the score of a part is checked against float64 on the processor.

The result goes to ``benchmarks/device.json`` with date and device, from where the book's table takes it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import pathlib
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

RESULTS = pathlib.Path(__file__).parent / "device.json"
N_POINTS, N_DIMENSIONS, BLOCK = 10_000_000, 768, 250_000


class Points:
    """Points with a mean of 3 and standard deviations from 1 to 3, made on the device from a seed."""

    def __init__(self, torch: Any, device: str, n_points: int, n: int, block: int) -> None:
        self.torch, self.device = torch, device
        self.shape, self.block = (n_points, n), block
        self.spread = torch.linspace(1.0, 3.0, n, device=device)

    def __iter__(self) -> Iterator[Any]:
        generator = self.torch.Generator(device=self.device).manual_seed(0)
        for start in range(0, self.shape[0], self.block):
            rows = min(self.block, self.shape[0] - start)
            block = self.torch.randn(rows, self.shape[1], device=self.device, generator=generator)
            yield block.mul_(self.spread).add_(3.0)


def timed(torch: Any, device: str, call: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the median time of some calls, each until the device is idle, after one to warm up."""

    def wait() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    value = call()
    wait()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = call()
        wait()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), value


def run(*, quick: bool, device: str, repeats: int, allow_tf32: bool) -> dict[str, Any]:
    """Measure and return the results as plain data."""
    import numpy as np
    import torch

    from isotropy_lab.isotropy import isoscore
    from isotropy_lab.moments import SINGLE_ROWS, moments

    # Whatever the libraries default to: products of float32 are taken in float32 unless asked otherwise.
    torch.backends.cuda.matmul.allow_tf32 = allow_tf32
    N, n, block = (200_000, 256, 50_000) if quick else (N_POINTS, N_DIMENSIONS, BLOCK)
    points = Points(torch, device, N, n, block)

    def make() -> float:
        return sum(float(part[0, 0]) for part in points)

    def score() -> float:
        return float(isoscore(moments(iter(points))))

    # The ceilings: products of the very size that the score takes, as many as it takes, and a copy of all bytes.
    rows = min(SINGLE_ROWS, block)
    some = torch.randn(rows, n, device=device)
    out = torch.empty(n, n, device=device)
    n_products = -(-N // rows)

    def gemm() -> None:
        for _ in range(n_products):
            torch.mm(some.T, some, out=out)

    source = torch.randn(block, n, device=device)
    target = torch.empty_like(source)
    n_copies = -(-N // block)

    def copy() -> None:
        for _ in range(n_copies):
            target.copy_(source)

    making, _ = timed(torch, device, make, repeats)
    products, _ = timed(torch, device, gemm, repeats)
    copying, _ = timed(torch, device, copy, repeats)
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()
    whole, value = timed(torch, device, score, repeats)
    peak = torch.cuda.max_memory_allocated() if device.startswith("cuda") else None
    alone = max(whole - making, 1e-9)
    part = Points(torch, device, min(N, 200_000), n, min(block, 50_000))
    on_device = float(isoscore(moments(iter(part))))
    in_float64 = float(isoscore(moments(p.double().cpu().numpy() for p in part)))
    row = {
        "task": f"IsoScore of {N / 1e6:g}M × {n}, float32" + (", TF32 products" if allow_tf32 else ""),
        "shape": [N, n],
        "block": block,
        "seconds": {
            "score": alone,
            "with making": whole,
            "making": making,
            "gemm": products,
            "copy": copying,
        },
        "gemm_share": products / alone,
        # A copy reads and writes; the score reads.
        "copy_share": copying / 2.0 / alone,
        "gemm_flops": 2.0 * n_products * rows * n * n / products,
        "copy_bytes": 2.0 * n_copies * source.numel() * 4 / copying,
        "peak_bytes": peak,
        "isoscore": value,
        "isoscore_of_part": on_device,
        "isoscore_in_float64": in_float64,
        "agrees": bool(np.isclose(on_device, in_float64, rtol=1e-3 if allow_tf32 else 1e-6)),
        "meets_target": None,
    }
    name = torch.cuda.get_device_name() if device.startswith("cuda") else platform.processor() or device
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": {"device": name, "processor": platform.processor() or platform.machine(), "cores": None},
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": np.__version__,
        },
        "repeats": repeats,
        "rows": [row],
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure on a device, print, write; return 1 if its score differs from that in float64, 2 without a device."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.device", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="few points, to see that everything runs")
    parser.add_argument("--device", default="cuda", help="of torch (default: cuda)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tf32", action="store_true", help="let products round to TF32")
    parser.add_argument("--no-write", action="store_true", help=f"do not write {RESULTS.name}")
    options = parser.parse_args(arguments)
    try:
        import torch
    except ImportError:
        print("torch is not installed: python -m pip install 'isotropy-lab[torch]'", file=sys.stderr)
        return 2
    if options.device.startswith("cuda") and not torch.cuda.is_available():
        print("there is no CUDA device here; nothing was measured", file=sys.stderr)
        return 2
    results = run(
        quick=options.quick, device=options.device, repeats=options.repeats, allow_tf32=options.tf32
    )
    (row,) = results["rows"]
    print(json.dumps(results, indent=1, ensure_ascii=False))
    if not options.no_write and not options.quick:
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if row["agrees"] else 1


if __name__ == "__main__":
    sys.exit(main())
