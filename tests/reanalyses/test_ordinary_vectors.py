"""Test that each warning is given for at most a fifth of ordinary sets of vectors."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from isotropy_report import load_word_vectors, report_card
from reanalyses.corpora import python_docs
from reanalyses.roychowdhury2024.datasets import encoders


def ordinary_sets() -> dict[str, Any]:
    """Return texts by eleven encoders, words, documentation, digits, and clouds with decaying variances."""
    sets = {}
    for name in encoders.ENCODERS:
        variant = encoders.load(name, "yang")
        sets |= {f"{name}, documents": variant.documents[0][:800], f"{name}, questions": variant.questions}
    sets |= {model: python_docs.load(model).document_vectors for model in python_docs.MODELS}
    words = load_word_vectors("glove-pool").vectors
    sets |= {"frequent words": words[:800], "rare words": words[-800:], "digits": load_digits().data}
    for n_points, n in ((500, 64), (800, 300)):
        cloud = np.random.default_rng(0).standard_normal((n_points, n))
        sets[f"variances 1/j, {n_points}"] = cloud * np.arange(1, n + 1) ** -0.5
    return sets


@pytest.mark.rest
def test_warnings_are_rare_for_ordinary_vectors() -> None:
    sets = ordinary_sets()
    assert len(sets) == 30
    n_warnings: Counter[str] = Counter()
    verdicts = {}
    for name, vectors in sets.items():
        card = report_card(vectors, pictures=False)
        n_warnings.update({caution.key for caution in card.cautions})
        verdicts[name] = card.summary[0]
    assert {key: count for key, count in n_warnings.items() if count > len(sets) / 5} == {}
    assert not [name for name, verdict in verdicts.items() if verdict.startswith("Collapsed")]
    # Averages of word vectors have a high average cosine, and language models are not trained for search.
    doubtful = [name for name, verdict in verdicts.items() if not verdict.startswith("Not collapsed")]
    assert len(doubtful) <= len(sets) / 5, doubtful
