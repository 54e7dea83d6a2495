"""Simulations of the level of tests, the coverage of intervals, and the effect of corrections.

``python -m benchmarks.calibration [PART …] [--quick]`` runs them in one process on one core. Each module has
a file of results, in which each part has its number of simulations, base seed, and versions. The appendix of
the book shows them.
"""

import json
import math
import pathlib
import platform
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy
from scipy import stats

HERE = pathlib.Path(__file__).parent

Floats = Any
Row = dict[str, Any]

#: Distributions of entries with mean 0 and variance 1.
TAILS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "Gaussian": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1.0,
    "t5": lambda rng, shape: rng.standard_t(5, shape) / math.sqrt(5.0 / 3.0),
    "lognormal": lambda rng, shape: (
        (np.exp(rng.standard_normal(shape)) - math.exp(0.5)) / math.sqrt((math.e - 1.0) * math.e)
    ),
}
#: Exponents of the variances j^(−α).
EXPONENTS = (0.0, 1.0, 2.0)


class Part(NamedTuple):
    """Simulations that answer one question: a function that yields rows, its repetitions, and a base seed.

    The base seed is that of the module; a part may add a constant or other entries to it.
    """

    run: Callable[[int], Iterator[Row]]
    size: int
    seed: int


def share(hits: Floats, total: int | None = None) -> Row:
    """Return the fraction of true values, or of a count in a total, with its exact 95% interval."""
    count, n = int(np.sum(hits)), len(hits) if total is None else total
    interval = stats.binomtest(count, n).proportion_ci(0.95, method="exact")
    return {"share": count / n, "low": float(interval.low), "high": float(interval.high), "n": n}


def variances(n: int, exponent: float) -> Floats:
    """Return the variances j^(−exponent) of n dimensions."""
    return np.arange(1, n + 1.0) ** -exponent


def population_cosine(draw: Callable[[int], Floats]) -> float:
    """Return the average cosine of a population, from 400,000 rows drawn by `draw`, 50,000 at a time."""
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (draw(50_000) for _ in range(8))]
    total = np.sum([rows.sum(axis=0) for rows in units], axis=0)
    return float((total @ total - 400_000) / (400_000 * 399_999.0))


def population_isoscore(values: Floats) -> float:
    """Return the IsoScore of a population with these variances."""
    return float((values.sum() ** 2 / (values**2).sum() - 1.0) / (len(values) - 1.0))


def calibrate(name: str, part: Part, file: pathlib.Path, *, quick: bool) -> None:
    """Run a part, print its rows, and, except in a trial run, write them to the file."""
    start, rows = time.perf_counter(), []
    for row in part.run(6 if quick else part.size):
        print(name, json.dumps(row, ensure_ascii=False), flush=True)
        rows.append(row)
    if quick:
        return
    results = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    results[name] = {
        "what": " ".join((part.run.__doc__ or "").split()),
        "simulations": part.size,
        "seed": part.seed,
        "minutes": round((time.perf_counter() - start) / 60.0, 1),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
        "rows": rows,
    }
    file.write_text(to_json(results), encoding="utf-8")


def to_json(results: dict[str, Row]) -> str:
    """Return results as JSON, with one line per row and six significant digits per number."""
    parts = []
    for name, part in results.items():
        details = {key: value for key, value in part.items() if key != "rows"}
        rows = ",\n".join("  " + json.dumps(_rounded(row), ensure_ascii=False) for row in part["rows"])
        head = json.dumps(details, ensure_ascii=False)[:-1]
        parts.append(f'{json.dumps(name)}: {head}, "rows": [\n{rows}\n]}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(entry) for entry in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
