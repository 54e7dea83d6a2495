"""Small tables for the pages, which display them without further computation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isotropy_lab._core import checks
from isotropy_lab.isotropy.cosine import average_cosine_score
from isotropy_lab.isotropy.intervals import isoscore_interval
from isotropy_lab.isotropy.intrinsic import id_score
from isotropy_lab.isotropy.participation import dimensions_used, isoscore, isoscore_from_eigenvalues
from isotropy_lab.isotropy.partition import partition_score
from isotropy_lab.isotropy.scores import INVARIANCES
from isotropy_lab.isotropy.variance import varex_score
from reanalyses.rudman2022.experiments import marks, paper_mode
from reanalyses.rudman2022.experiments.sampling import SUMMARY, summary_of_estimates

__all__ = [
    "by_token_set",
    "centering_effect",
    "invariance_table",
    "layer_geometry",
    "rules_table",
    "scores_of_clouds",
    "scores_of_subsets",
    "table_3_comparison",
    "three_ellipses",
]

Rng = np.random.Generator | int | None


def invariance_table() -> pd.DataFrame:
    """Return `INVARIANCES` as a table: the transformations that leave each score exactly unchanged.

    >>> invariance_table().set_index("score").loc["average_cosine"].tolist()
    ['changes', 'same', 'same']
    """

    def word(exact: bool) -> str:
        return "same" if exact else "changes"

    return pd.DataFrame(
        [
            (name, word(kind.translation), word(kind.rotation), word(kind.scale))
            for name, kind in INVARIANCES.items()
        ],
        columns=["score", "translation", "rotation", "scale"],
    )


def rules_table() -> pd.DataFrame:
    """Return, as text, the rules that turn the curves of the six tests into marks.

    Columns test, curve, a score passes if; t stands for `marks.TOLERANCE`.
    """
    rows = [
        (test, name.replace("_", " "), marks.RULES[name])
        for test, names in marks.TESTS.items()
        for name in names
    ]
    return pd.DataFrame(rows, columns=["test", "curve", "a score passes if"])


def centering_effect(X: ArrayLike) -> pd.DataFrame:
    """Return the average cosine score and IsoScore of a cloud before and after subtracting its mean.

    >>> from reanalyses.rudman2022 import clouds
    >>> centering_effect(clouds.isotropic_gaussian(500, 2, mean=9.0, rng=0)).round(1).values.tolist()
    [['as drawn', 0.0, 1.0], ['centered', 1.0, 1.0]]
    """
    cloud = np.asarray(X, dtype=np.float64)
    both = {"as drawn": cloud, "centered": cloud - cloud.mean(axis=0)}
    rows = [(name, average_cosine_score(points), isoscore(points)) for name, points in both.items()]
    return pd.DataFrame(rows, columns=["cloud", "average_cosine_score", "isoscore"])


def three_ellipses() -> pd.DataFrame:
    """Return exact scores of Figure 3's clouds, covariance diag(x, 1), and the reported dimensions used."""
    rows = []
    for x, printed in paper_mode.PRINTED_K.items():
        score = isoscore_from_eigenvalues([x, 1.0])
        rows.append((x, score, 1.0 + score, printed))
    return pd.DataFrame(rows, columns=["x", "isoscore", "dimensions_used", "printed"])


def table_3_comparison(*, rng: Rng = 0) -> pd.DataFrame:
    """Return three scores of Table 3 by the definitions, as they were presumably computed, and as published.

    Columns cloud and, for each score, "as defined", "computed", and "printed"; that of the partition score by the
    published code, too.
    """
    from reanalyses.rudman2022.experiments import rotation_invariance, table_3

    seed = checks.as_generator(rng)
    defined, computed = (
        table_3(n_points=100_000, rng=seed),
        table_3(n_points=100_000, paper_mode=True, rng=seed),
    )
    columns = {"cloud": defined.index}
    for score, label, how in (
        ("partition_score", "partition", "over the rows (our reading)"),
        ("average_cosine_score", "cosine score", "of 1,000 pairs"),
        ("varex_score", "VarEx", "with k + 1 components"),
    ):
        columns[f"{label}, as defined"] = defined[score].to_numpy()
        columns[f"{label}, {how}"] = computed[score].to_numpy()
        columns[f"{label}, printed"] = paper_mode.TABLE_3[score].to_numpy()
    by_code = {"": paper_mode.partition_score_elementwise}
    columns["partition, published code"] = rotation_invariance(scores=by_code, rng=0)["value"].to_numpy()
    return pd.DataFrame(columns)


def scores_of_clouds(named: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Score several clouds, with intervals of IsoScore.

    >>> from reanalyses.rudman2022 import clouds
    >>> table = scores_of_clouds({"ball": clouds.isotropic_gaussian(200, 3, rng=0)})
    >>> table["isoscore_corrected"].round(2).tolist()
    [1.0]
    """
    generator = np.random.default_rng(0)
    rows = []
    for name, X in named.items():
        cloud = np.asarray(X)
        interval = isoscore_interval(cloud)
        queries = min(2_000, cloud.shape[0])
        rows.append(
            (
                *(name, *cloud.shape, isoscore(cloud), isoscore(cloud, estimator="corrected")),
                *(interval.low, interval.high, dimensions_used(cloud, estimator="corrected")),
                *(average_cosine_score(cloud), partition_score(cloud)),
                *(id_score(cloud, n_queries=queries, rng=generator), varex_score(cloud)),
            )
        )
    columns = ["cloud", "n_points", "n_dimensions", "isoscore", "isoscore_corrected", "low", "high"]
    columns += ["dimensions_used", "average_cosine_score", "partition_score", "id_score", "varex_score"]
    return pd.DataFrame(rows, columns=columns)


def by_token_set(decoder: pd.DataFrame) -> pd.DataFrame:
    """Return the bundled scores of the decoder-only model in the form that `figures.scores_by_layer` draws.

    >>> row = {"tokens": "all", "layer": 0, "score": "isoscore", "value": 0.1, "low": 0.1, "high": 0.2}
    >>> by_token_set(pd.DataFrame([row]))["model"].tolist()
    ['all tokens']
    """
    five = decoder[decoder["score"].isin(marks.SCORES)]
    names = {"all": "all tokens", "without_first": "without each text's first"}
    return five.assign(model=five["tokens"].map(names))


def layer_geometry(hidden_states: Any) -> pd.DataFrame:
    """Return the mean and the largest coordinate of each layer, which determine its scores.

    ``mean_share`` is the squared length of the mean divided by the mean squared length of the points.
    """
    layers: Sequence[ArrayLike] = getattr(hidden_states, "layers", hidden_states)
    rows = []
    for index, layer in enumerate(layers):
        cloud = np.asarray(layer, dtype=np.float64)
        mean = cloud.mean(axis=0)
        before, after = centering_effect(cloud)["average_cosine_score"]
        variances = cloud.var(axis=0)
        top = int(variances.argmax())
        rows.append(
            (
                *(index, float(mean @ mean / np.einsum("ij,ij->i", cloud, cloud).mean()), before, after),
                *(isoscore(cloud), top, float(variances[top] / variances.sum())),
                isoscore(np.delete(cloud, top, axis=1)),
            )
        )
    columns = ["layer", "mean_share", "average_cosine_score", "centered_cosine_score", "isoscore"]
    return pd.DataFrame(rows, columns=[*columns, "top_coordinate", "top_share", "isoscore_without_top"])


def scores_of_subsets(X: ArrayLike) -> pd.DataFrame:
    """Score random subsets of a cloud by the plug-in and corrected estimators.

    The table is that of `experiments.finite_sample_bias`, with the corrected score of all points as the
    truth.
    """
    cloud = np.asarray(X, dtype=np.float64)
    generator = np.random.default_rng(0)
    truth = isoscore(cloud, estimator="corrected")
    rows = []
    for size in (50, 100, 200, 500, 1_000, 2_000):
        subsets = [cloud[generator.choice(cloud.shape[0], size, replace=False)] for _ in range(20)]
        for estimator in ("plug-in", "corrected"):
            values = np.array([isoscore(subset, estimator=estimator) for subset in subsets])
            rows.append((cloud.shape[1], size, estimator, truth, *summary_of_estimates(values, truth)))
    return pd.DataFrame(rows, columns=["n_dimensions", "n_points", "estimator", "truth", *SUMMARY])
