"""Folds of the definitions that are held out from the training of an adapted encoder."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isotropy_lab.retrieval.adaptation import folds
from reanalyses.corpora import yang_definitions
from reanalyses.roychowdhury2024.datasets.questions import questions

FOLDS_BY = ("answers", "modules")
"""Unit that is unseen by the model that scores a question: the answer, or the whole module of the answer."""

NEVER_HELD_OUT = -1
"""Fold of definitions on which every model may be trained."""


def definition_folds(by: str, *, n_folds: int = 5, rng: int = 0) -> npt.NDArray[np.int64]:
    """Return the fold, from 0 to n_folds − 1, of each of the 2,288 `yang_definitions`.

    With ``"answers"``, every module, and within it the definitions with questions, is spread evenly over the
    folds: the sentence is new to the model, but the subject is not. With ``"modules"``, all definitions of a
    module are in one fold, and folds have numbers of questions as equal as modules allow.
    """
    modules = yang_definitions()["module"].to_numpy()
    gold = questions()["gold"].to_numpy()
    if by == "answers":
        has_question = np.isin(np.arange(len(modules)), gold)
        strata = [f"{module} {is_asked}" for module, is_asked in zip(modules, has_question, strict=True)]
        return folds(np.arange(len(modules)), strata=strata, n_folds=n_folds, rng=rng)
    names, first = np.unique(modules[gold], return_index=True)
    fold_of = dict(zip(names, folds(modules[gold], n_folds=n_folds, rng=rng)[first], strict=True))
    return np.array([fold_of.get(module, NEVER_HELD_OUT) for module in modules], dtype=np.int64)
