"""Benchmarks of word associations against WEFE 1.0.1, the published formula, and the minimal work.

All contenders run in one process with one BLAS thread and take turns; a ratio is the median of the ratios of
neighboring turns. A slow contender (a loop, or WEFE's thousand samples) has fewer turns, and its time is
compared with our median. Peak memory is the increase of anonymous memory in a new process.

WEFE needs an older NumPy, so it runs in its own environment, `benchmarks/.peers-wefe`, on the same vectors.
`ISOTROPY_LAB_WEFE` names another Python interpreter, or disables WEFE if it is empty.
"""

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import processes

WEFE = "wefe==1.0.1"

# WEFE's test on the same data: four lists of eight words, and 1,000 samples.
WEFE_SCRIPT = r"""
import json, sys, time
import numpy as np
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

V = np.random.default_rng(20).standard_normal((32, 300)).astype(np.float32) + 0.3
words = ["w%02d" % i for i in range(32)]
vectors = KeyedVectors(300)
vectors.add_vectors(words, V)
model = WordEmbeddingModel(vectors, "random")
query = Query([words[:8], words[8:16]], [words[16:24], words[24:]], ["A", "B"], ["C", "D"])
start = time.perf_counter()
result = WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=1000)
print(json.dumps({"seconds": time.perf_counter() - start, "value": float(result["effect_size"])}))
"""


def _word_lists(sizes: tuple[int, ...], p: int = 300, seed: int = 20) -> list[np.ndarray]:
    """Return float32 word lists of the given sizes with a common mean, as in `WEFE_SCRIPT`."""
    V = np.random.default_rng(seed).standard_normal((sum(sizes), p)).astype(np.float32) + 0.3
    return np.split(V, np.cumsum(sizes)[:-1])


def permutation_8() -> dict[str, Callable[[], Any]]:
    """Compare all 12,870 relabelings of 16 words with recomputing the mean for every relabeling."""
    from isotropy_lab.association import weat_permutation_test

    A, B, C, D = _word_lists((8, 8, 8, 8))

    def definition() -> float:
        units = [X / np.linalg.norm(X, axis=1, keepdims=True) for X in (np.vstack([A, B]), C, D)]
        s = (units[0] @ units[1].T).mean(1) - (units[0] @ units[2].T).mean(1)
        observed = s[:8].sum() - s[8:].sum()
        count = 0
        for chosen in itertools.combinations(range(16), 8):
            remaining = [i for i in range(16) if i not in chosen]
            count += s[list(chosen)].sum() - s[remaining].sum() >= observed - 1e-12
        return count / 12_870

    return {"ours": lambda: weat_permutation_test(A, B, C, D).pvalue, "division by division": definition}


def permutation_25() -> dict[str, Callable[[], Any]]:
    """Compare all 126,410,606,437,752 relabelings of 50 words with 100,000 random ones."""
    from isotropy_lab.association import weat_permutation_test

    A, B, C, D = _word_lists((25, 25, 25, 25))
    return {
        "ours": lambda: weat_permutation_test(A, B, C, D).pvalue,
        "100,000 drawn": lambda: weat_permutation_test(A, B, C, D, n_resamples=100_000, rng=0).pvalue,
    }


def lattice_8() -> dict[str, Callable[[], Any]]:
    """Compare all pairs of sublists of equal length of 8 words, by both metrics, with one call per pair."""
    from isotropy_lab.association import canonical_similarity, mean_cosine_similarity
    from reanalyses.kindel2023.lattice import subset_similarities

    (W,) = _word_lists((8,))

    def pair_by_pair() -> float:
        total = 0.0
        for q in range(1, 8):
            subsets = [W[list(s)] for s in itertools.combinations(range(8), q)]
            for S, T in itertools.combinations_with_replacement(subsets, 2):
                total += mean_cosine_similarity(S, T) + canonical_similarity(S, T)
        return total

    def ours() -> float:
        total = 0.0
        for metric in ("mean-cosine", "canonical"):
            for q in range(1, 8):
                total += float(np.triu(subset_similarities(W, q, similarity=metric).values).sum())
        return total

    return {"ours": ours, "pair by pair": pair_by_pair}


def sublists_25() -> dict[str, Callable[[], Any]]:
    """Compare the index J over all sublists of 25 words with writing their similarities once."""
    from isotropy_lab.association import consistency_profile

    (W,) = _word_lists((25,))
    table = np.zeros((2**13, 25))
    row = np.ones(25)

    def floor() -> float:
        for _ in range(2**12):
            np.add(table, row, out=table)
        return float(table[0, 0])

    return {"ours": lambda: float(consistency_profile(W)["weak"].iloc[2]), "floor": floor}


def nulls() -> dict[str, Callable[[], Any]]:
    """Compare 4 pairs of lists, 3 nulls, and 2,000 draws with reading the drawn vectors once per null."""
    from isotropy_lab.association import null_intervals

    pool = np.random.default_rng(1).standard_normal((10_000, 300)).astype(np.float32)
    A, B, C, D = _word_lists((8, 8, 8, 8))
    pairs = [(A, C), (B, C), (A, D), (B, D)]

    def floor() -> float:
        rng, total = np.random.default_rng(0), 0.0
        for _ in range(4 * 4):  # two of the nulls draw one list, and the third draws two
            drawn = pool[rng.integers(10_000, size=(2_000, 8))]
            total += float((drawn @ A.T).sum())
        return total

    return {
        "ours": lambda: [null_intervals(a, b, pool, n_resamples=2_000, rng=0).n_resamples for a, b in pairs][
            -1
        ],
        "floor": floor,
    }


def canonical_trace() -> dict[str, Callable[[], Any]]:
    """Compare the canonical similarity of two lists of 25 words with the two methods that the paper names."""
    from isotropy_lab.association import canonical_similarity

    A, B = _word_lists((25, 25))

    def projections() -> float:
        P, Q = (X.T @ np.linalg.solve(X @ X.T, X) for X in (A.astype(float), B.astype(float)))
        return float((P * Q).sum()) / 25

    def singular_values() -> float:
        Q, R = (np.linalg.qr(X.astype(float).T)[0] for X in (A, B))
        return float((np.linalg.svd(Q.T @ R, compute_uv=False) ** 2).sum()) / 25

    return {
        "ours": lambda: canonical_similarity(A, B),
        "entrywise product of projections": projections,
        "singular values": singular_values,
    }


# Tasks to measure. Targets are seconds on the one thread.
TASKS: list[dict[str, Any]] = [
    {"name": "WEAT p, 8-word lists, exact", "calls": "permutation_8", "seconds": 0.05,
     "contenders": ("ours", "division by division")},
    {"name": "WEAT p, 25-word lists, exact", "calls": "permutation_25", "seconds": 30.0,
     "contenders": ("ours", "100,000 drawn")},
    {"name": "lattice of 8 words, both metrics", "calls": "lattice_8", "seconds": 0.1,
     "contenders": ("ours", "pair by pair")},
    {"name": "J of all 2²⁵ sublists", "calls": "sublists_25", "seconds": 60.0,
     "contenders": ("ours", "floor")},
    {"name": "4 pairs × 3 nulls × 2,000 draws", "calls": "nulls", "seconds": 1.0,
     "contenders": ("ours", "floor")},
    {"name": "canonical similarity, 25 + 25 words", "calls": "canonical_trace",
     "contenders": ("ours", "entrywise product of projections", "singular values")},
]  # fmt: skip


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Run contenders of one task in this process; return seconds and values, or one memory increase."""
    calls = globals()[task["calls"]]()
    calls["ours"]()  # exclude imports and caches from the measurement
    return processes.run_in_turns(calls, task)


def run(*, quick: bool) -> dict[str, Any]:
    """Measure every task and return the results as plain data."""
    rows: list[dict[str, Any]] = []
    for task in TASKS:
        turns = 1 if quick else processes.TURNS
        request = task | {"shape": (), "threads": 1, "turns": turns}
        about = task | {"beside": task["contenders"][1], "judged": (1,)}
        rows.append(processes.compare(sys.executable, "association", about, request, missed={}, quick=quick))
    if not quick:
        rows.extend(_compare_with_wefe(rows[0]))
    return processes.results(
        rows, data="float32, 300 dimensions, mean 0.3, standard deviation 1; one BLAS thread"
    )


def _compare_with_wefe(ours: dict[str, Any]) -> list[dict[str, Any]]:
    python = processes.interpreter_with([WEFE], ".peers-wefe", "ISOTROPY_LAB_WEFE")
    if python is None:
        return []
    result = processes.run_separately(python, WEFE_SCRIPT, {"threads": 1})
    name = f"{WEFE}, 1,000 samples with replacement"
    row = ours | {
        "task": "WEAT p, 8-word lists, beside WEFE",
        "seconds": {"ours": ours["seconds"]["ours"], name: result["seconds"]},
        "target_seconds": None,
        "beside": name,
        "ratio": ours["seconds"]["ours"] / result["seconds"],
        "extra_bytes": None,
        "beside_extra_bytes": None,
        "values": {"effect size of the peer": result["value"]},
        "meets_target": ours["seconds"]["ours"] < result["seconds"],
    }
    print(processes.row_text(row), file=sys.stderr, flush=True)
    return [row]
