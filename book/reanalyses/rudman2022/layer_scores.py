"""Stored tokens and scores of models that are too large to run here, or whose weights are not available."""

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


def load_decoder_tokens() -> DecoderTokens:
    """Load the tokens of 120 sentences in the layers of the decoder-only model of `decoder_scores`."""
    with (
        np.load(data_file("rudman2022", "smollm2_layer_28.npz"), allow_pickle=False) as layer_28,
        np.load(data_file("rudman2022", "smollm2_layers.npz"), allow_pickle=False) as all_layers,
    ):
        return DecoderTokens(
            X=layer_28["X"].astype(np.float64),
            token=layer_28["token"],
            sentence=layer_28["sentence"].astype(np.intp),
            position=layer_28["position"].astype(np.intp),
            coordinate=all_layers["coordinate"].astype(np.float64),
            spectra=all_layers["spectra"].astype(np.float64),
        )


def published_layer_scores() -> pd.DataFrame:
    """Return five scores per layer of BERT, DistilBERT, GPT, and GPT-2, as stored by Rudman et al. (2022).

    The paper's Figures 8 and 9 show these scores of tokens of WikiText-2. They are given for comparison and
    were not recomputed, because the weights and the text are not available here.
    """
    import pandas as pd

    return pd.read_csv(data_file("rudman2022", "published_layer_scores.csv"))


def decoder_scores() -> pd.DataFrame:
    """Return the scores of every layer of SmolLM2-135M-Instruct, a decoder-only model, computed in advance.

    The model encoded 300 Wikipedia sentences in 31 layers, with 4-bit weights dequantized to float32. From
    layer 2 on, one coordinate of each sentence's first token is in the hundreds, and in layers 12 to 29 near
    29,500; these few points dominate every score that depends on lengths. Therefore, the scores are given for
    all tokens and without first tokens. Some other tokens still reach 8,200, so the intervals of those layers
    are wide.
    """
    import pandas as pd

    return pd.read_csv(data_file("rudman2022", "smollm2_scores.csv"))


def scores_without_outliers() -> pd.DataFrame:
    """Return the IsoScore of each layer of SmolLM2 with and without outliers, after removing first tokens.

    ``coordinate`` has the largest absolute value of the layer. ``n_large`` tokens of
    ``n_sentences_with_large`` sentences exceed 300 in it; ``isoscore_without_large`` excludes these tokens,
    and ``isoscore_without_sentence`` excludes ``sentence_of_largest``, the sentence with the largest value.
    """
    import pandas as pd

    return pd.read_csv(data_file("rudman2022", "smollm2_few_tokens.csv"))
