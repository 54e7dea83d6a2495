"""The experiments of Rudman et al. (2022) as tidy tables: six tests, layers, finite samples, and small tables."""

from reanalyses.rudman2022.experiments.layers import *
from reanalyses.rudman2022.experiments.marks import property_table as property_table
from reanalyses.rudman2022.experiments.sampling import *
from reanalyses.rudman2022.experiments.six_tests import *
from reanalyses.rudman2022.experiments.tables import *
from reanalyses.tables import readable as readable
