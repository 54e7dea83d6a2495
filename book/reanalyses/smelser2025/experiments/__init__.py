"""The tables and figures of Smelser et al. (2025) as tidy tables, with additional tables for the pages.

Modules: `projection_sets` (datasets and projections), `stress_scales` (Figures 1 and 2), `stress_formulas` (small
examples), `kl_scales` (Figures 3 and 4, Appendix B, orders, and minima), `noise` (Figures 5, 6, 14 to 18, and data
that are noise), `comparisons` (Tables III to VI, Figure 7, preprocessing), `causes` (causes of these results),
`scale_figure` (data of the interactive figure). Most functions take the result of `projections`.
"""

from reanalyses.smelser2025.experiments.causes import *
from reanalyses.smelser2025.experiments.comparisons import *
from reanalyses.smelser2025.experiments.kl_scales import *
from reanalyses.smelser2025.experiments.noise import *
from reanalyses.smelser2025.experiments.projection_sets import *
from reanalyses.smelser2025.experiments.scale_figure import *
from reanalyses.smelser2025.experiments.stress_formulas import *
from reanalyses.smelser2025.experiments.stress_scales import *
from reanalyses.smelser2025.reported_numbers import *
from reanalyses.tables import readable as readable
