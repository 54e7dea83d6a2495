"""Word frequencies from an external source instead of the corpora of the word vectors."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reanalyses.records import data_file


def word_frequencies() -> pd.Series:
    """Return Zipf frequencies of the words of the association tests and pools, from the wordfreq project.

    The Zipf frequency is the decimal logarithm of the number of occurrences in 10⁹ words. The corpora (Speer,
    2022) differ from those on which the word vectors were trained. Words missing from the source are omitted
    and listed in the record.
    """
    with np.load(data_file("kindel2023", "word_frequencies.npz"), allow_pickle=False) as stored:
        words, centi_zipf = stored["words"].tolist(), stored["centi_zipf"]
    return pd.Series(centi_zipf.astype(np.float64) / 100, index=pd.Index(words, name="word"), name="zipf")
