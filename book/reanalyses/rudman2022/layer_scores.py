"""Stored scores of models that cannot be run here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from reanalyses.records import data_file

if TYPE_CHECKING:
    import pandas as pd  # imported late, because it takes seconds in the browser


@dataclass(frozen=True, eq=False)
class DecoderTokens:
    """Tokens of 120 Wikipedia sentences in the 31 layers of SmolLM2-135M-Instruct, computed in advance."""

    X: NDArray[np.float64]  #: Tokens in layer 28, of shape (3750, 576).
    token: NDArray[np.str_]  #: Text of each token.
    sentence: NDArray[np.intp]  #: Index of the token's sentence.
    position: NDArray[np.intp]  #: Index of the token in its sentence.
    coordinate: NDArray[np.float64]  #: Coordinate 507 of each token by layer, of shape (31, 3750).
    #: Eigenvalues of the covariance by layer, largest first, of shape (31, 3, 576): for all tokens, without
    #: first tokens, and without first tokens and those beyond 300 in coordinate 507.
    spectra: NDArray[np.float64]


def decoder_tokens() -> DecoderTokens:
    """Return the tokens of 120 sentences in the layers of the decoder-only model of `decoder_scores`."""
    with (
        np.load(data_file("rudman2022", "smollm2_layer_28.npz"), allow_pickle=False) as layer,
        np.load(data_file("rudman2022", "smollm2_layers.npz"), allow_pickle=False) as layers,
    ):
        return DecoderTokens(
            X=layer["X"].astype(np.float64),
            token=layer["token"],
            sentence=layer["sentence"].astype(np.intp),
            position=layer["position"].astype(np.intp),
            coordinate=layers["coordinate"].astype(np.float64),
            spectra=layers["spectra"].astype(np.float64),
        )


def published_layer_scores() -> pd.DataFrame:
    """Return five scores per layer of BERT, DistilBERT, GPT, and GPT-2, as stored by Rudman et al. (2022).

    The numbers behind Figures 8 and 9 (text: WikiText-2), from the authors' published results. They are given for
    comparison and are not results of this package (weights and text are not available here).
    """
    import pandas as pd

    return pd.read_csv(data_file("rudman2022", "published_layer_scores.csv"))


def decoder_scores() -> pd.DataFrame:
    """Return the scores of every layer of SmolLM2-135M-Instruct, a decoder-only model, computed in advance.

    31 layers of hidden states for 300 Wikipedia sentences, with 4-bit weights dequantized to float32. From layer 2
    on, one coordinate of the first token of each text is in the hundreds, and in layers 12 to 29 near 29,500; these
    few points dominate every score that depends on lengths. Therefore, the scores are given with all tokens and
    without first tokens. A few other tokens still reach 8,200, so the intervals of those layers are really wide.
    """
    import pandas as pd

    return pd.read_csv(data_file("rudman2022", "smollm2_scores.csv"))


def few_tokens() -> pd.DataFrame:
    """Return IsoScore with and without a few tokens in each layer of SmolLM2, without first tokens of sentences."""
    import pandas as pd

    return pd.read_csv(data_file("rudman2022", "smollm2_few_tokens.csv"))
