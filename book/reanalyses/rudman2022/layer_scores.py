"""Scores of models that cannot be run here, stored as tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reanalyses.records import data_file


@dataclass(frozen=True)
class DecoderLayer:
    """Layer 28 of SmolLM2-135M-Instruct on 300 Wikipedia sentences: spectra and a view of its token cloud."""

    #: eigenvalues, eigenvalues_of_others: of the covariance of all tokens, and of those that are not the
    #: first of their text; largest first.
    eigenvalues: NDArray[np.float64]
    eigenvalues_of_others: NDArray[np.float64]
    #: plane, plane_of_others: the tokens along the two axes of largest variance, from the mean; each cloud
    #: along its own.
    plane: NDArray[np.float64]
    plane_of_others: NDArray[np.float64]
    is_first: NDArray[np.bool_]  #: Which tokens are the first of their text.
    sentence: NDArray[np.intp]  #: The text that each token is from.


def decoder_layer() -> DecoderLayer:
    """Load layer 28 of the decoder-only model of `decoder_scores`, computed beforehand in the same way."""
    with np.load(data_file("rudman2022", "smollm2_layer_28.npz"), allow_pickle=False) as stored:
        return DecoderLayer(
            eigenvalues=stored["eigenvalues"],
            eigenvalues_of_others=stored["eigenvalues_of_others"],
            plane=stored["plane"].astype(np.float64),
            plane_of_others=stored["plane_of_others"].astype(np.float64),
            is_first=stored["position"] == 0,
            sentence=stored["sentence"].astype(np.intp),
        )


def published_layer_scores() -> pd.DataFrame:
    """IsoScores per layer of BERT, DistilBERT, GPT and GPT-2 as Rudman et al. (2022) stored them.

    The numbers behind the IsoScore curves of Figures 8 and 9 (text: WikiText-2), from the authors' published results; facts to set beside scores of other models,
    not results of this package (their weights and text are not had here).
    """
    return pd.read_csv(data_file("rudman2022", "published_layer_scores.csv"))


def published_cosine_ranges() -> pd.DataFrame:
    """Smallest and largest average cosine score of a layer of DistilBERT, GPT and GPT-2 as Rudman et al. (2022) stored
    them.

    Two decimals, from the results behind the curves of Figures 8 and 9; the values of single layers are not quoted here.
    """
    return pd.read_csv(data_file("rudman2022", "published_cosine_ranges.csv"))


def decoder_scores() -> pd.DataFrame:
    """Scores of every layer of a decoder-only model, SmolLM2-135M-Instruct, computed beforehand.

    31 layers of hidden states on 300 Wikipedia sentences, 4-bit weights dequantized to float32. From layer 2 on one
    coordinate of the first token of each text is in the hundreds, from layer 12 to 29 near 29,500, and these few
    points rule every score that uses lengths; hence the table twice, with all tokens and without each text's first.
    A few other tokens then still reach 8,200: intervals of those layers are as wide as they look.
    """
    return pd.read_csv(data_file("rudman2022", "smollm2_scores.csv"))


def few_tokens() -> pd.DataFrame:
    """What a few tokens do to IsoScore in each layer of SmolLM2, the first token of each sentence left out."""
    return pd.read_csv(data_file("rudman2022", "smollm2_few_tokens.csv"))
