"""Table 1 of Kindel (2023) with comparisons: both scores of ten tests, their components, and chance levels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.multiplicity import holm
from isotropy_lab.association import keywords
from isotropy_lab.association._weat import weat, weat_effect_size, word_associations
from isotropy_lab.association.canonical import (
    canonical_similarity,
    corrected_canonical_similarity,
    random_baseline,
    row_basis,
)
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.association.permutation import weat_permutation_test
from reanalyses.kindel2023 import published
from reanalyses.kindel2023.experiments.spaces import COMPONENTS, find, list_labels, list_vectors

__all__ = [
    "baseline_explains",
    "effect_sizes",
    "permutation_distribution",
    "weat_components",
    "weat_summary",
    "weat_table",
]

Rng = np.random.Generator | int | None


def _tests(tests: Sequence[str] | None) -> list[str]:
    return [name for name in keywords.names() if name.startswith("weat-")] if tests is None else list(tests)


def weat_components(space: Any = "googlenews-weat", *, tests: Sequence[str] | None = None) -> pd.DataFrame:
    """Compare every test's four pairs of lists by every similarity, with chance levels and published values.

    The chance level is that of canonical similarity for uniformly random subspaces of the same ranks. The
    printed values (Kindel 2023, Table 1) refer to other vectors, and are missing for other tests.
    """
    printed = published.table_1().set_index("test")
    rows = []
    for test in _tests(tests):
        lists, labels = (list_vectors(space, test), list_labels(test))
        ranks = {role: row_basis(words).shape[1] for role, words in lists.items()}
        for name, (x, y, _) in COMPONENTS.items():
            a, b = lists[x], lists[y]
            p = a.shape[1]
            known = test in printed.index
            rows.append(
                {
                    "test": test,
                    "component": name,
                    "lists": f"{labels[x]} / {labels[y]}",
                    "k_1": len(a),
                    "k_2": len(b),
                    "p": p,
                    "mean_cosine": mean_cosine_similarity(a, b),
                    "canonical": canonical_similarity(a, b),
                    "chance": random_baseline(ranks[x], ranks[y], p).mean / np.sqrt(ranks[x] * ranks[y]),
                    "corrected": corrected_canonical_similarity(a, b),
                    "printed_mean_cosine": printed.at[test, f"mcs_{name}"] if known else np.nan,
                    "printed_canonical": printed.at[test, f"cca_{name}"] if known else np.nan,
                }
            )
    return pd.DataFrame(rows)


def weat_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return Table 1: each test's scores, their rank correlation, and their ratio, with published values.

    Rho is the Spearman correlation of the four mean cosines with the four canonical similarities. The printed
    values are based on 300-dimensional GloVe vectors that are not bundled; they are given for information,
    not as targets.
    """
    components = weat_components(space)
    printed = published.table_1().set_index("test")
    rows = []
    for test, four in components.groupby("test", sort=False):
        by = four.set_index("component")
        sign = pd.Series({name: sign for name, (_, _, sign) in COMPONENTS.items()})
        scores = {c: float((by[c] * sign).sum()) for c in ("mean_cosine", "canonical", "corrected")}
        report = find(space, str(test)).report
        row: dict[str, Any] = {
            "test": test,
            "title": keywords.load(str(test)).title,
            "n": int(four[["k_1", "k_2"]].to_numpy().min()),
            "missing": int((report["used"] == "").sum()),
            "weat_mcs": scores["mean_cosine"],
            "weat_canonical": scores["canonical"],
            "rho": float(by["mean_cosine"].corr(by["canonical"], method="spearman")),
            "ratio": scores["mean_cosine"] / scores["canonical"],
            "chance": float(four["chance"].mean()),
            "weat_corrected": scores["corrected"],
        }
        row |= {f"mcs_{name}": float(by.at[name, "mean_cosine"]) for name in COMPONENTS}
        row |= {f"canonical_{name}": float(by.at[name, "canonical"]) for name in COMPONENTS}
        names = {
            "n": "n",
            "weat_mcs": "weat_mcs",
            "weat_cca": "weat_canonical",
            "rho": "rho",
            "ratio": "ratio",
        }
        for theirs, ours in names.items():
            row[f"printed_{ours}"] = printed.at[test, theirs] if test in printed.index else np.nan
        rows.append(row)
    return pd.DataFrame(rows)


def weat_summary(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Summarize Table 1, as computed in several spaces and as published, by inflation, signs, and order.

    The last row is the printed table.

    >>> table = weat_summary({"GoogleNews": weat_table("googlenews-weat")})
    >>> float(round(table["median_ratio"].iloc[-1], 1)), int(table["opposite_signs"].iloc[-1])
    (4.2, 1)
    """
    first = next(iter(tables.values()))
    sources = [(name, table, "") for name, table in tables.items()] + [("as printed", first, "printed_")]
    rows = []
    for name, table, prefix in sources:
        ratio, rho = table[f"{prefix}ratio"], table[f"{prefix}rho"]
        rows.append(
            {
                "space": name,
                "median_ratio": float(ratio.median()),
                "median_absolute_ratio": float(ratio.abs().median()),
                "opposite_signs": int((ratio < 0).sum()),
                "median_rho": float(rho.median()),
                "order_right": int((rho > 1 - 1e-9).sum()),
                "tests": int(ratio.notna().sum()),
            }
        )
    return pd.DataFrame(rows)


def effect_sizes(
    space: Any = "googlenews-weat",
    *,
    tests: Sequence[str] | None = None,
    n_resamples: int | str = "exact-if-feasible",
) -> pd.DataFrame:
    """Return the effect size and permutation test of every test, with the published effect sizes."""
    generator = checks.as_generator(0)
    named = {"googlenews-weat": "word2vec", "glove-weat": "GloVe"}
    published_space = named.get(space) if isinstance(space, str) else None
    theirs = published.effect_sizes()
    theirs = theirs.loc[theirs["space"] == published_space].set_index("test")["effect_size"]
    rows = []
    for test in _tests(tests):
        lists = list_vectors(space, test, spelling="tested")
        report = find(space, test, spelling="tested").report
        outcome = weat_permutation_test(*lists.values(), n_resamples=n_resamples, rng=generator)
        size = weat_effect_size(*lists.values())
        rows.append(
            {
                "test": test,
                "title": keywords.load(test).title,
                "n": min(map(len, lists.values())),
                "missing": int((report["used"] == "").sum()),
                "effect_size": size,
                "published": float(theirs.get(test, np.nan)),
                "difference": size - float(theirs.get(test, np.nan)),
                "p_value": outcome.pvalue,
                "method": outcome.method,
                "count": outcome.count,
                "n_at_least": outcome.n_at_least,
            }
        )
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p_value"].to_numpy(dtype=float)))


def baseline_explains(components: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the correlations of canonical components with chance levels from list lengths alone.

    For random subspaces, the trace is k_1 k_2/p on average: √(k_1 k_2)/p on the geometric scale, and max(k_1,
    k_2)/p on the minimum scale. The dimension is equal for all, so Pearson's correlation does not depend on
    it. The lengths of the printed lists are those of Table S2.
    """
    table = weat_components("googlenews-weat") if components is None else components
    lengths = {
        (test, role): len(getattr(keywords.load(test), role).words())
        for test in table["test"].unique()
        for role in "ABCD"
    }
    roles = [COMPONENTS[name][:2] for name in table["component"]]
    k = np.array(
        [(lengths[test, x], lengths[test, y]) for test, (x, y) in zip(table["test"], roles, strict=True)],
        dtype=float,
    )
    smallest = np.array([min(lengths[test, role] for role in "ABCD") for test in table["test"]], dtype=float)
    ours = table[["k_1", "k_2"]].to_numpy(dtype=float)
    our_smallest = table.groupby("test")["k_1"].transform("min").to_numpy(dtype=float)
    our_smallest = np.minimum(
        our_smallest, table.groupby("test")["k_2"].transform("min").to_numpy(dtype=float)
    )
    geometric = table["canonical"].to_numpy()
    minimum = geometric * np.sqrt(ours.prod(axis=1)) / ours.min(axis=1)
    printed = table["printed_canonical"].to_numpy(dtype=float)
    both, least, largest = "√(k₁k₂)/p", "N/p", "max(k₁, k₂)/p"
    rows = [
        ("printed", both, printed, np.sqrt(k.prod(axis=1))),
        ("printed", least, printed, smallest),
        ("printed", largest, printed, k.max(axis=1)),
        ("ours", both, geometric, np.sqrt(ours.prod(axis=1))),
        ("ours", least, geometric, our_smallest),
        ("ours, minimum scale", largest, minimum, ours.max(axis=1)),
        ("ours, corrected", both, table["corrected"].to_numpy(), np.sqrt(ours.prod(axis=1))),
    ]
    found = [
        (values, predictor, float(np.corrcoef(x, y)[0, 1]), len(y))
        for values, predictor, y, x in rows
        if np.isfinite(y).all()
    ]
    return pd.DataFrame(found, columns=["values", "predictor", "correlation", "components"])


def permutation_distribution(space: Any = "googlenews-weat", test: str = "gender-sentiment") -> pd.DataFrame:
    """Return the WEAT scores for relabelings of the words of the two target lists.

    Every relabeling occurs at most once; the first row is the observed one.
    """
    generator = np.random.default_rng(0)
    lists = list_vectors(space, test)
    a, b, c, d = lists.values()
    observed = weat(a, b, c, d).score
    targets = np.concatenate([a, b])
    size, total = len(a), len(targets)
    count = comb(total, size)
    if count <= 200_000:
        s = word_associations(targets, c, d)
        chosen = np.array(list(combinations(range(total), size)))[1:]
        inside = s[chosen].sum(axis=1)
        scores = inside / size - (s.sum() - inside) / len(b)
    else:
        seen = {tuple(range(size))}
        drawn: list[float] = []
        while len(drawn) < min(2_000, count - 1):
            order = generator.permutation(total)
            key = tuple(sorted(order[:size].tolist()))
            if key not in seen:
                seen.add(key)
                rest = np.setdiff1d(np.arange(total), key)
                drawn.append(weat(targets[list(key)], targets[rest], c, d).score)
        scores = np.array(drawn)
    table = pd.DataFrame({"score": np.concatenate([[observed], scores])})
    return table.assign(observed=table.index == 0)
