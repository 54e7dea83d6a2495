"""The tables and figures of Smelser et al. (2025) as tidy tables, and what the pages print beside them.

`sources` (datasets and their projections), `stress_scales` (Figures 1 and 2), `stress_examples` (beside them),
`kl_scales` (Figures 3 and 4, Appendix B, orders and minima), `noise` (Figures 5, 6, 14 to 18), `comparisons` (Tables
III to VI, Figure 7, preprocessing), `account` (causes of these tables), `scale_figure` (data of the interactive
figure). Most functions take what `projections` returns.
"""

from __future__ import annotations

from reanalyses.smelser2025.experiments.account import (
    leading_columns,
    min_max_stress,
    refitted,
    reported_agreement,
    table_3_account,
    units_example,
)
from reanalyses.smelser2025.experiments.comparisons import (
    KL_MEASURES,
    STRESS_MEASURES,
    baseline_table,
    kl_correlations,
    kl_order_table,
    preprocessing_table,
    projection_scores,
    rank_agreement,
    rank_summary,
    stress_ranks,
)
from reanalyses.smelser2025.experiments.kl_scales import (
    appendix_b,
    clustered_points,
    floored_gaussian_curve,
    kl_curves,
    kl_orders,
    kl_summary,
    minima_of_random_projections,
    order_counts,
    orders_of,
    outlier_curve,
    problem_curves,
    random_problem,
)
from reanalyses.smelser2025.experiments.noise import noise_correlations, sensitivity
from reanalyses.smelser2025.experiments.scale_figure import (
    scale_statistics,
    stress_and_kl_at,
)
from reanalyses.smelser2025.experiments.sources import (
    SIX,
    THREE,
    WELL_KNOWN,
    Projections,
    projections,
    with_labels,
)
from reanalyses.smelser2025.experiments.stress_examples import (
    measures_at_sizes,
    noise_baselines,
    printed_forced_scale_stress,
    printed_scale,
    stress_at_factors,
    stress_sums,
    three_points,
)
from reanalyses.smelser2025.experiments.stress_scales import (
    orders_at_own_scales,
    shepard_diagram,
    stress_crossings,
    stress_curves,
    stress_orders,
    stress_summary,
)
from reanalyses.smelser2025.published import table_3, table_4, table_5, table_6
from reanalyses.tables import readable

__all__ = [
    "KL_MEASURES",
    "SIX",
    "STRESS_MEASURES",
    "THREE",
    "WELL_KNOWN",
    "Projections",
    "appendix_b",
    "baseline_table",
    "clustered_points",
    "floored_gaussian_curve",
    "kl_correlations",
    "kl_curves",
    "kl_order_table",
    "kl_orders",
    "kl_summary",
    "leading_columns",
    "measures_at_sizes",
    "min_max_stress",
    "minima_of_random_projections",
    "noise_baselines",
    "noise_correlations",
    "order_counts",
    "orders_at_own_scales",
    "orders_of",
    "outlier_curve",
    "preprocessing_table",
    "printed_forced_scale_stress",
    "printed_scale",
    "problem_curves",
    "projection_scores",
    "projections",
    "random_problem",
    "rank_agreement",
    "rank_summary",
    "readable",
    "refitted",
    "reported_agreement",
    "scale_statistics",
    "sensitivity",
    "shepard_diagram",
    "stress_and_kl_at",
    "stress_at_factors",
    "stress_crossings",
    "stress_curves",
    "stress_orders",
    "stress_ranks",
    "stress_summary",
    "stress_sums",
    "table_3",
    "table_3_account",
    "table_4",
    "table_5",
    "table_6",
    "three_points",
    "units_example",
    "with_labels",
]
