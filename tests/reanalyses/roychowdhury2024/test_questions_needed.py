import numpy as np
from scipy import stats

from reanalyses.roychowdhury2024.sampling import questions_needed


def test_questions_for_a_width() -> None:
    assert questions_needed(0.02, 0.5) == 9604
    assert questions_needed(0.02, 0.0) == 1
    # by the definition: the normal interval is no wider, with one question less it is
    n = questions_needed(0.05, 0.3, confidence_level=0.9)
    half = stats.norm.ppf(0.95) * 0.3
    assert 2 * half / np.sqrt(n) <= 0.05 < 2 * half / np.sqrt(n - 1)
