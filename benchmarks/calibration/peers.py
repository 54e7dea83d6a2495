"""Results of other packages on the same samples: drift, and the dimension of data with duplicates.

Each package has its own environment, which the first run creates; environment variables name another
interpreter, or none if they are empty. cuML needs an accelerator, and MONAI and netrep need torch, so that
these are not included.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks import processes
from benchmarks.calibration import TAILS, Floats, Part, Row, share, variances
from isotropy_lab.isotropy import intrinsic_dimension
from isotropy_report.measures import drift_test

SEED = 1616
COMMON = ("numpy==2.4.6", "pandas==2.3.3", "scikit-learn==1.9.1", "scipy==1.17.1")
EVIDENTLY = (("evidently==0.7.23", *COMMON), ".peers-evidently", "ISOTROPY_LAB_EVIDENTLY")
SCIKIT_DIMENSION = (("scikit-dimension==0.5.0", *COMMON), ".peers-dimension", "ISOTROPY_LAB_DIMENSION")
PEER_SCRIPT = """
import json, sys
from benchmarks.calibration import peers
task = json.loads(sys.argv[1])
print(json.dumps(getattr(peers, task["what"])(task["size"])))
"""


def rows_of_peer(environment: tuple[tuple[str, ...], str, str], what: str, size: int) -> Iterator[Row]:
    """Yield the rows that a function of this module returns in a peer's interpreter, if there is one."""
    python = processes.interpreter_with(*environment)
    if python is not None:
        task = {"what": what, "size": size, "threads": 1}
        yield from processes.run_separately(python, PEER_SCRIPT, task)["rows"]


def drift(n_runs: int) -> Iterator[Row]:
    """Compare the false alarms of Evidently's drift tests with ours: 500 + 500 rows in 384 dimensions."""
    yield from rows_of_peer(EVIDENTLY, "evidently", n_runs)


def evidently(n_runs: int) -> Row:
    """Return the alarms of Evidently; this function runs in the peer's interpreter."""
    import pandas as pd
    from evidently.legacy.metrics.data_drift.embedding_drift_methods import distance, mmd

    rng = np.random.default_rng(SEED)
    methods: dict[str, Callable[[Floats, Floats], bool]] = {
        "drift_test": lambda old, new: drift_test(old, new, n_resamples=199, rng=rng).pvalue <= 0.05
    }
    for name, method in {
        "Evidently, MMD": mmd(bootstrap=True),
        "Evidently, MMD by threshold": mmd(),
        "Evidently, distance of means": distance(bootstrap=True),
        "Evidently, distance by threshold": distance(),
    }.items():
        methods[name] = lambda old, new, method=method: bool(method(pd.DataFrame(new), pd.DataFrame(old))[1])
    scale = np.sqrt(variances(384, 1.0))
    rows = []
    for shift in (0.0, 0.05):
        n_alarms = dict.fromkeys(methods, 0)
        for _ in range(n_runs):
            old, new = (TAILS["Gaussian"](rng, (500, 384)) * scale for _ in range(2))
            direction = rng.standard_normal(384)
            new += shift * np.linalg.norm(scale) * direction / np.linalg.norm(direction)
            for name, detects in methods.items():
                n_alarms[name] += detects(old, new)
        rows += [
            {"shift": shift, "method": name, "rejects": share(count, n_runs)}
            for name, count in n_alarms.items()
        ]
    return {"rows": rows}


def dimensions(n_runs: int) -> Iterator[Row]:
    """Estimate the dimension of 500 rows in 10 dimensions, of which the first 0, 5, or 50 occur twice."""
    yield from rows_of_peer(SCIKIT_DIMENSION, "scikit_dimension", n_runs)


def scikit_dimension(n_runs: int) -> Row:
    """Return the mean estimates of scikit-dimension; this function runs in the peer's interpreter."""
    import skdim

    rng = np.random.default_rng(SEED + 1)
    methods: dict[str, Callable[[Floats], float]] = {
        "scikit-dimension, MLE": lambda X: skdim.id.MLE().fit(X).dimension_,
        "scikit-dimension, TwoNN": lambda X: skdim.id.TwoNN().fit(X).dimension_,
        "intrinsic_dimension": intrinsic_dimension,
    }
    rows = []
    for n_twice in (0, 5, 50):
        samples = [rng.standard_normal((500, 10)) for _ in range(n_runs)]
        for name, method in methods.items():
            estimates = [method(np.vstack([X, X[:n_twice]])) for X in samples]
            rows.append({"repeated": n_twice, "method": name, "mean": float(np.mean(estimates))})
    return {"rows": rows}


PARTS = {"Evidently": Part(drift, 100, SEED), "scikit-dimension": Part(dimensions, 20, SEED)}
