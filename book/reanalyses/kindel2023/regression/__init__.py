"""Regressions on cosines: what a difference of mean cosines says about words, and what about their lengths."""

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
