"""The experiments of Rudman et al. (2022) as tidy tables: six tests, layers, finite samples, small tables."""

from __future__ import annotations

from reanalyses.rudman2022.experiments.layers import scores_by_layer
from reanalyses.rudman2022.experiments.sampling import comparison_void, finite_sample_bias, interval_coverage
from reanalyses.rudman2022.experiments.six_tests import (
    all_tests,
    dimensions_used_fraction,
    dimensions_used_high,
    five_scores,
    maximum_variance,
    mean_agnostic,
    property_table,
    rotation_invariance,
    scalar_covariance,
    skewered_meatball,
    table_2,
    table_3,
)
from reanalyses.rudman2022.experiments.tables import (
    by_token_set,
    centering_effect,
    invariance_table,
    layer_geometry,
    rules_table,
    scores_of_clouds,
    scores_of_subsets,
    table_3_comparison,
    three_ellipses,
)
from reanalyses.tables import readable

__all__ = [
    "all_tests",
    "by_token_set",
    "centering_effect",
    "comparison_void",
    "dimensions_used_fraction",
    "dimensions_used_high",
    "finite_sample_bias",
    "five_scores",
    "interval_coverage",
    "invariance_table",
    "layer_geometry",
    "maximum_variance",
    "mean_agnostic",
    "property_table",
    "readable",
    "rotation_invariance",
    "rules_table",
    "scalar_covariance",
    "scores_by_layer",
    "scores_of_clouds",
    "scores_of_subsets",
    "skewered_meatball",
    "table_2",
    "table_3",
    "table_3_comparison",
    "three_ellipses",
]
