"""Regressions on cosines, which separate the effects of words and of vector lengths on a difference of means."""

from reanalyses.kindel2023.regression.bivariate import *
from reanalyses.kindel2023.regression.centroid import *
from reanalyses.kindel2023.regression.decomposition import *
from reanalyses.kindel2023.regression.estimation import *
from reanalyses.kindel2023.regression.frequency import *
from reanalyses.kindel2023.regression.models import *
from reanalyses.kindel2023.regression.overlapping import *
from reanalyses.kindel2023.regression.pairs import *
from reanalyses.kindel2023.regression.relabeling import *
from reanalyses.kindel2023.regression.standardization import *
