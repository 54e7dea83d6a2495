"""The tables and figures of Kindel (2023) and its supplement as tidy tables, with additional tables for the pages.

Modules: `reanalysis` (Table 1, effect sizes, chance levels), `comparisons` (other similarities for Table 1),
`sublists` (Figures 1 and 2), `neighborhoods` (centroids of growing lists), `randomization` (Figure 3 and its pools),
`remarks` (the supplement on estimators and centroids), `gender_sentiment` (regressions), `alternatives` (comparisons
of these), `tables` (small tables), `spaces` (lists and pools). Sizes and seeds are keyword arguments.
"""

from reanalyses.kindel2023.experiments.alternatives import *
from reanalyses.kindel2023.experiments.comparisons import *
from reanalyses.kindel2023.experiments.gender_sentiment import *
from reanalyses.kindel2023.experiments.neighborhoods import *
from reanalyses.kindel2023.experiments.randomization import *
from reanalyses.kindel2023.experiments.reanalysis import *
from reanalyses.kindel2023.experiments.remarks import *
from reanalyses.kindel2023.experiments.spaces import *
from reanalyses.kindel2023.experiments.sublists import *
from reanalyses.kindel2023.experiments.tables import *
