"""Small tables for the pages, which display them without further computation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isotropy_lab.isotropy.cosine import average_cosine_score
from isotropy_lab.isotropy.intervals import isoscore_interval
from isotropy_lab.isotropy.intrinsic import id_score
from isotropy_lab.isotropy.participation import dimensions_used, isoscore, isoscore_from_eigenvalues
from isotropy_lab.isotropy.partition import partition_score
from isotropy_lab.isotropy.scores import INVARIANCES
from isotropy_lab.isotropy.variance import varex_score
from reanalyses.rudman2022.experiments import marks, paper_mode
from reanalyses.rudman2022.experiments.sampling import SUMMARY, summarize_estimates

__all__ = [
    "centering_effect",
    "ellipse_scores",
    "invariance_table",
    "label_token_sets",
    "layer_geometry",
    "rules_table",
    "score_clouds",
    "score_subsets",
    "table_3_comparison",
]


def invariance_table() -> pd.DataFrame:
    """Return `INVARIANCES` as a table: the transformations that leave each score exactly unchanged.

    >>> invariance_table().set_index("score").loc["average_cosine"].tolist()
    ['changes', 'same', 'same']
    """
    columns = ["translation", "rotation", "scale"]
    rows = [
        (score, *("same" if getattr(invariance, name) else "changes" for name in columns))
        for score, invariance in INVARIANCES.items()
    ]
    return pd.DataFrame(rows, columns=["score", *columns])


def rules_table() -> pd.DataFrame:
    """Return, as text, the rules that turn the curves of the six tests into marks.

    Each row names a test and a curve, and says when a score passes; t is the tolerance (`marks.TOLERANCE`).
    """
    rows = [
        (test, curve.replace("_", " "), marks.RULES[curve])
        for test, curves in marks.TESTS.items()
        for curve in curves
    ]
    return pd.DataFrame(rows, columns=["test", "curve", "a score passes if"])


def centering_effect(X: ArrayLike) -> pd.DataFrame:
    """Return the average cosine score and IsoScore of a cloud before and after subtracting its mean.

    >>> from reanalyses.rudman2022 import clouds
    >>> centering_effect(clouds.isotropic_gaussian(500, 2, mean=9.0, rng=0)).round(1).values.tolist()
    [['as drawn', 0.0, 1.0], ['centered', 1.0, 1.0]]
    """
    cloud = np.asarray(X, dtype=np.float64)
    versions = {"as drawn": cloud, "centered": cloud - cloud.mean(axis=0)}
    rows = [(name, average_cosine_score(points), isoscore(points)) for name, points in versions.items()]
    return pd.DataFrame(rows, columns=["cloud", "average_cosine_score", "isoscore"])


def ellipse_scores() -> pd.DataFrame:
    """Return the exact IsoScore and dimensions used of Figure 3's three ellipses, with covariance diag(x, 1).

    The column ``printed`` contains the dimensions used as published.
    """
    rows = []
    for x, published in paper_mode.PUBLISHED_K.items():
        score = isoscore_from_eigenvalues([x, 1.0])
        rows.append((x, score, 1.0 + score, published))
    return pd.DataFrame(rows, columns=["x", "isoscore", "dimensions_used", "printed"])


def table_3_comparison() -> pd.DataFrame:
    """Return three scores of Table 3 by the definitions, as they were presumably computed, and as published.

    After the cloud, there are three columns per score: "as defined", one named after the presumable
    computation, and "printed". The last column contains the partition score by the published code.
    """
    from reanalyses.rudman2022.experiments import rotation_invariance, table_3

    generator = np.random.default_rng(0)
    defined = table_3(n_points=100_000, rng=generator)
    presumable = table_3(n_points=100_000, paper_mode=True, rng=generator)
    columns = {"cloud": defined.index}
    for score, label, computation in (
        ("partition_score", "partition", "over the rows (our reading)"),
        ("average_cosine_score", "cosine score", "of 1,000 pairs"),
        ("varex_score", "VarEx", "with k + 1 components"),
    ):
        columns[f"{label}, as defined"] = defined[score].to_numpy()
        columns[f"{label}, {computation}"] = presumable[score].to_numpy()
        columns[f"{label}, printed"] = paper_mode.TABLE_3[score].to_numpy()
    published_code = {"partition_score": paper_mode.partition_score_elementwise}
    curve = rotation_invariance(scores=published_code, rng=0)
    columns["partition, published code"] = curve["value"].to_numpy()
    return pd.DataFrame(columns)


def score_clouds(clouds_by_name: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Compute the five scores and the dimensions used of several clouds, with intervals of IsoScore.

    >>> from reanalyses.rudman2022 import clouds
    >>> table = score_clouds({"ball": clouds.isotropic_gaussian(200, 3, rng=0)})
    >>> table["isoscore_corrected"].round(2).tolist()
    [1.0]
    """
    generator = np.random.default_rng(0)
    rows = []
    for name, X in clouds_by_name.items():
        cloud = np.asarray(X)
        interval = isoscore_interval(cloud)
        isoscores = (isoscore(cloud), isoscore(cloud, estimator="corrected"), interval.low, interval.high)
        used = dimensions_used(cloud, estimator="corrected")
        intrinsic = id_score(cloud, n_queries=min(2_000, len(cloud)), rng=generator)
        others = (average_cosine_score(cloud), partition_score(cloud), intrinsic, varex_score(cloud))
        rows.append((name, *cloud.shape, *isoscores, used, *others))
    columns = ["cloud", "n_points", "n_dimensions", "isoscore", "isoscore_corrected", "low", "high"]
    columns += ["dimensions_used", "average_cosine_score", "partition_score", "id_score", "varex_score"]
    return pd.DataFrame(rows, columns=columns)


def label_token_sets(decoder: pd.DataFrame) -> pd.DataFrame:
    """Name the sets of tokens of `decoder_scores` in a column "model", for `figures.scores_by_layer`.

    >>> row = {"tokens": "all", "layer": 0, "score": "isoscore", "value": 0.1, "low": 0.1, "high": 0.2}
    >>> label_token_sets(pd.DataFrame([row]))["model"].tolist()
    ['all tokens']
    """
    rows = decoder[decoder["score"].isin(marks.SCORES)]
    names = {"all": "all tokens", "without_first": "without each text's first"}
    return rows.assign(model=rows["tokens"].map(names))


def layer_geometry(hidden_states: Any) -> pd.DataFrame:
    """Return two scores of each layer, before and after removing the mean or the top coordinate.

    ``mean_share`` is the squared length of the mean divided by the mean squared length of the points. The top
    coordinate has the largest variance, and ``top_share`` is its fraction of the total variance.
    """
    layers: Sequence[ArrayLike] = getattr(hidden_states, "layers", hidden_states)
    rows = []
    for index, layer in enumerate(layers):
        cloud = np.asarray(layer, dtype=np.float64)
        mean = cloud.mean(axis=0)
        mean_share = float(mean @ mean / np.einsum("ij,ij->i", cloud, cloud).mean())
        cosine_scores = (average_cosine_score(cloud), average_cosine_score(cloud - mean))
        variances = cloud.var(axis=0)
        top = int(variances.argmax())
        top_share = float(variances[top] / variances.sum())
        without_top = isoscore(np.delete(cloud, top, axis=1))
        rows.append((index, mean_share, *cosine_scores, isoscore(cloud), top, top_share, without_top))
    columns = ["layer", "mean_share", "average_cosine_score", "centered_cosine_score", "isoscore"]
    return pd.DataFrame(rows, columns=[*columns, "top_coordinate", "top_share", "isoscore_without_top"])


def score_subsets(X: ArrayLike) -> pd.DataFrame:
    """Score random subsets of a cloud by the plug-in and corrected estimators.

    The table has the columns that `figures.finite_sample_bias` draws; the truth is the corrected score of all
    points.
    """
    cloud = np.asarray(X, dtype=np.float64)
    generator = np.random.default_rng(0)
    truth = isoscore(cloud, estimator="corrected")
    rows = []
    for n_points in (50, 100, 200, 500, 1_000, 2_000):
        subsets = [cloud[generator.choice(cloud.shape[0], n_points, replace=False)] for _ in range(20)]
        for estimator in ("plug-in", "corrected"):
            values = np.array([isoscore(subset, estimator=estimator) for subset in subsets])
            rows.append((cloud.shape[1], n_points, estimator, truth, *summarize_estimates(values, truth)))
    return pd.DataFrame(rows, columns=["n_dimensions", "n_points", "estimator", "truth", *SUMMARY])
