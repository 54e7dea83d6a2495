"""The tables and figures of Kindel (2023) and its supplement as tidy tables, and what the pages print beside them.

The rooms: `reanalysis` (Table 1, effect sizes, chance), `comparisons` (what stands beside Table 1), `sublists` (Figures
1 and 2), `neighborhoods` (centroids as lists grow), `randomization` (Figure 3 and its pools), `remarks` (the supplement
on estimators and centroids), `gender_sentiment` (the regressions), `alternatives` (what to set beside them), `tables`
(small ones), `spaces` (lists and pools). Sizes and seeds are keyword arguments.
"""

from __future__ import annotations

from reanalyses.kindel2023.experiments.alternatives import (
    centroid_distortion_table,
    error_variance_table,
    judged_differences,
    length_examples,
    length_readings,
    ratio_lines,
    shared_words_table,
    weat_errors_table,
    without_each_word,
    word_zipf,
)
from reanalyses.kindel2023.experiments.comparisons import (
    chance_levels,
    coverage_gaps,
    list_lengths,
    permutation_by_similarity,
    scores_by_similarity,
    two_planes,
    two_planes_at,
    word_association_table,
)
from reanalyses.kindel2023.experiments.gender_sentiment import (
    covariance_table,
    decomposition_table,
    design_pairs,
    frequency_story,
    frequency_table,
    group_differences,
    inner_product_lines,
    local_similarity_means,
    local_similarity_table,
    nested_weat_table,
)
from reanalyses.kindel2023.experiments.neighborhoods import separability_as_lists_grow
from reanalyses.kindel2023.experiments.randomization import (
    CongruenceNulls,
    congruence_nulls,
    partial_randomization,
    pool_sensitivity,
    two_word_nulls,
)
from reanalyses.kindel2023.experiments.reanalysis import (
    baseline_explains,
    effect_sizes,
    permutation_distribution,
    weat_components,
    weat_summary,
    weat_table,
)
from reanalyses.kindel2023.experiments.remarks import (
    centroid_weights_table,
    congruence_tests_table,
    estimators_table,
    recentering_table,
    separability_table,
)
from reanalyses.kindel2023.experiments.spaces import (
    COMPONENTS,
    list_labels,
    list_vectors,
    pool_words,
    word_vectors,
)
from reanalyses.kindel2023.experiments.sublists import (
    beaten_sublists,
    between_lattices,
    between_matrices,
    condition_correlations,
    condition_table,
    consistency_as_lists_grow,
    consistency_counts,
    consistency_table,
    within_lattices,
)
from reanalyses.kindel2023.experiments.tables import as_k_reaches_p, three_vectors, three_vectors_at
from reanalyses.tables import readable

__all__ = [
    "COMPONENTS",
    "CongruenceNulls",
    "as_k_reaches_p",
    "baseline_explains",
    "beaten_sublists",
    "between_lattices",
    "between_matrices",
    "centroid_distortion_table",
    "centroid_weights_table",
    "chance_levels",
    "condition_correlations",
    "condition_table",
    "congruence_nulls",
    "congruence_tests_table",
    "consistency_as_lists_grow",
    "consistency_counts",
    "consistency_table",
    "covariance_table",
    "coverage_gaps",
    "decomposition_table",
    "design_pairs",
    "effect_sizes",
    "error_variance_table",
    "estimators_table",
    "frequency_story",
    "frequency_table",
    "group_differences",
    "inner_product_lines",
    "judged_differences",
    "length_examples",
    "length_readings",
    "list_labels",
    "list_lengths",
    "list_vectors",
    "local_similarity_means",
    "local_similarity_table",
    "nested_weat_table",
    "partial_randomization",
    "permutation_by_similarity",
    "permutation_distribution",
    "pool_sensitivity",
    "pool_words",
    "ratio_lines",
    "readable",
    "recentering_table",
    "scores_by_similarity",
    "separability_as_lists_grow",
    "separability_table",
    "shared_words_table",
    "three_vectors",
    "three_vectors_at",
    "two_planes",
    "two_planes_at",
    "two_word_nulls",
    "weat_components",
    "weat_errors_table",
    "weat_summary",
    "weat_table",
    "within_lattices",
    "without_each_word",
    "word_association_table",
    "word_vectors",
    "word_zipf",
]
