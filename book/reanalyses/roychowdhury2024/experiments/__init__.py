"""The tables of Roychowdhury et al. (2025) on public data as tidy tables, with additional tables for the pages.

Modules: `collection` (questions, documents, variants of their embeddings), `precision` (intervals of Table II,
widths, pairs of models, ties), `clustered` (dependent questions), `printed_precision` (implications of printed
numbers), `distributions` (Figures 1 and 2, thresholds, overlaps), `across_variants` (Tables I to III across variants,
separation), `searches`, `lexical`, `grouped_accuracy`, `across_families`, and `external_gains` (encoders of several
families, BM25, Open vSwitch's questions), `adaptation_runs` (other folds and seeds), `published` (printed tables).
Sizes and seeds are keyword arguments. Results are fractions, except for tables that are compared with printed ones,
which are in percent: `performance_table`, `adaptation_table`, `transforms_table`, all that begin with ``printed_``,
`place_table`, `family_scores`, `whitening_table`, and differences of `compare_searches`, `gains_on_open_vswitch`, and
`loss_on_new_modules`.
"""

from reanalyses.roychowdhury2024.experiments.across_families import *
from reanalyses.roychowdhury2024.experiments.across_variants import *
from reanalyses.roychowdhury2024.experiments.adaptation_runs import *
from reanalyses.roychowdhury2024.experiments.clustered import *
from reanalyses.roychowdhury2024.experiments.collection import *
from reanalyses.roychowdhury2024.experiments.distributions import *
from reanalyses.roychowdhury2024.experiments.external_gains import *
from reanalyses.roychowdhury2024.experiments.grouped_accuracy import *
from reanalyses.roychowdhury2024.experiments.lexical import *
from reanalyses.roychowdhury2024.experiments.precision import *
from reanalyses.roychowdhury2024.experiments.printed_precision import *
from reanalyses.roychowdhury2024.experiments.searches import *
from reanalyses.roychowdhury2024.published import *
from reanalyses.tables import readable as readable
