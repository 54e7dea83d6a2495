"""Table 1 of Kindel (2023) with comparisons: both scores of ten tests, their components, and chance levels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.multiplicity import holm
from isotropy_lab.association import keywords
from isotropy_lab.association._weat import weat_effect_size, word_associations
from isotropy_lab.association.canonical import (
    canonical_similarity,
    corrected_canonical_similarity,
    random_baseline,
    row_basis,
)
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.association.permutation import weat_permutation_test
from reanalyses.kindel2023 import published
from reanalyses.kindel2023.experiments.spaces import COMPONENTS, list_labels, list_vectors

__all__ = [
    "chance_correlations",
    "effect_sizes",
    "permutation_distribution",
    "weat_components",
    "weat_summary",
    "weat_table",
]


TESTS = [name for name in keywords.names() if name.startswith("weat-")]


def weat_components(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Compare every test's four pairs of lists by every similarity, with chance levels and published values.

    The chance level is that of canonical similarity for uniformly random subspaces of the same ranks. The
    published values (Kindel 2023, Table 1) refer to other vectors.
    """
    reported = published.table_1().set_index("test")
    rows = []
    for test in TESTS:
        lists, labels = (list_vectors(space, test), list_labels(test))
        ranks = {role: row_basis(words).shape[1] for role, words in lists.items()}
        for name, (x, y, _) in COMPONENTS.items():
            a, b = lists[x], lists[y]
            p = a.shape[1]
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
                    "printed_mean_cosine": reported.at[test, f"mcs_{name}"],
                    "printed_canonical": reported.at[test, f"cca_{name}"],
                }
            )
    return pd.DataFrame(rows)


def weat_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return Table 1: each test's scores, their rank correlation, and their ratio, with published values.

    Rho is the Spearman correlation of the four mean cosines with the four canonical similarities. The published
    values are based on 300-dimensional GloVe vectors that are not bundled, so they are not targets.
    """
    components = weat_components(space)
    reported = published.table_1().set_index("test").rename(columns={"weat_cca": "weat_canonical"})
    signs = pd.Series({name: sign for name, (_, _, sign) in COMPONENTS.items()})
    rows = []
    for test, pairs in components.groupby("test", sort=False):
        similarities = pairs.set_index("component")[["mean_cosine", "canonical"]]
        by_cosine, by_canonical = similarities.mul(signs, axis=0).sum()
        row = {
            "n": int(pairs[["k_1", "k_2"]].to_numpy().min()),
            "weat_mcs": by_cosine,
            "weat_canonical": by_canonical,
            "rho": similarities["mean_cosine"].corr(similarities["canonical"], method="spearman"),
            "ratio": by_cosine / by_canonical,
        }
        rows.append({"test": test} | row | {f"printed_{name}": reported.at[test, name] for name in row})
    return pd.DataFrame(rows)


def weat_summary(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Summarize Table 1, as computed in several spaces and as published, by inflation, signs, and order.

    The last row is the published table.

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
    space: str = "googlenews-weat",
    *,
    tests: Sequence[str] | None = None,
    n_resamples: int | str = "exact-if-feasible",
) -> pd.DataFrame:
    """Return the effect size and permutation test of every test, with the published effect sizes."""
    generator = checks.as_generator(0)
    name = {"googlenews-weat": "word2vec", "glove-weat": "GloVe"}[space]
    reported = published.effect_sizes().set_index(["space", "test"])["effect_size"][name]
    rows = []
    for test in TESTS if tests is None else tests:
        lists = list_vectors(space, test, spelling="tested")
        outcome = weat_permutation_test(*lists.values(), n_resamples=n_resamples, rng=generator)
        effect_size = weat_effect_size(*lists.values())
        rows.append(
            {
                "test": test,
                "n": min(map(len, lists.values())),
                "effect_size": effect_size,
                "published": reported[test],
                "difference": effect_size - reported[test],
                "p_value": outcome.pvalue,
                "count": outcome.count,
                "n_at_least": outcome.n_at_least,
            }
        )
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p_value"].to_numpy(dtype=float)))


def chance_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Return the correlations of canonical components with chance levels from list lengths alone.

    For random subspaces, the trace is k_1 k_2/p on average: √(k_1 k_2)/p on the geometric scale, and max(k_1,
    k_2)/p on the minimum scale. The dimension is equal for all, so Pearson's correlation does not depend on
    it. The lengths of the lists of the published components are those of Table S2.
    """
    lengths = {(test, role): n for test in TESTS for role, n in keywords.load(test).sizes().items()}
    tests, pairs = list(table["test"]), [COMPONENTS[name][:2] for name in table["component"]]
    k = np.array([[lengths[test, role] for role in pair] for test, pair in zip(tests, pairs, strict=True)])
    n = np.array([min(lengths[test, role] for role in "ABCD") for test in tests])
    our_k = table[["k_1", "k_2"]].to_numpy(dtype=float)
    our_n = table.groupby("test")[["k_1", "k_2"]].transform("min").min(axis=1).to_numpy(dtype=float)
    geometric = table["canonical"].to_numpy()
    minimum = geometric * np.sqrt(our_k.prod(axis=1)) / our_k.min(axis=1)
    reported = table["printed_canonical"].to_numpy(dtype=float)
    product, shortest, longest = "√(k₁k₂)/p", "N/p", "max(k₁, k₂)/p"
    rows = [
        ("printed", product, reported, np.sqrt(k.prod(axis=1))),
        ("printed", shortest, reported, n),
        ("printed", longest, reported, k.max(axis=1)),
        ("ours", product, geometric, np.sqrt(our_k.prod(axis=1))),
        ("ours", shortest, geometric, our_n),
        ("ours, minimum scale", longest, minimum, our_k.max(axis=1)),
        ("ours, corrected", product, table["corrected"].to_numpy(), np.sqrt(our_k.prod(axis=1))),
    ]
    correlations = [
        (values, predictor, float(np.corrcoef(x, y)[0, 1]), len(y)) for values, predictor, y, x in rows
    ]
    return pd.DataFrame(correlations, columns=["values", "predictor", "correlation", "components"])


def permutation_distribution(space: Any = "googlenews-weat", test: str = "gender-sentiment") -> pd.DataFrame:
    """Return the WEAT scores for all relabelings of the words of the two target lists.

    The first row is the observed labeling (column observed).
    """
    a, b, c, d = list_vectors(space, test).values()
    associations = word_associations(np.concatenate([a, b]), c, d)
    first_lists = np.array(list(combinations(range(len(associations)), len(a))))
    sums = associations[first_lists].sum(axis=1)
    scores = sums / len(a) - (associations.sum() - sums) / len(b)
    table = pd.DataFrame({"score": scores})
    return table.assign(observed=table.index == 0)
