"""Small random embedding variants, two of them cross-fitted, for tests of experiments and figures."""

import numpy as np

from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant

N_QUESTIONS, N_DOCUMENTS, N_DIMENSIONS = 60, 150, 12
GOLD = np.random.default_rng(5).permutation(N_DOCUMENTS)[:N_QUESTIONS]


def variant(name: str, seed: int, *, noise: float, family: str = "a", n_models: int = 1) -> EmbeddingVariant:
    """Return random documents away from the origin, with questions near their answers, for each model."""
    rng = np.random.default_rng(seed)
    documents = tuple(rng.standard_normal((N_DOCUMENTS, N_DIMENSIONS)) + 0.5 for _ in range(n_models))
    folds = np.arange(N_QUESTIONS) % n_models
    questions = np.stack([documents[fold][row] for fold, row in zip(folds, GOLD, strict=True)])
    questions = questions + noise * rng.standard_normal(questions.shape)
    agnostic = rng.standard_normal((40, N_DIMENSIONS)) - 0.5 if seed % 2 == 0 else None
    return EmbeddingVariant(name, family, questions, documents, folds, agnostic)


def some_variants() -> list[EmbeddingVariant]:
    """Return eight variants in two families."""
    plain = [
        variant(f"plain {i}", i, noise=0.8 + 0.3 * i, family="plain" if i < 3 else "other") for i in range(6)
    ]
    return [
        *plain,
        variant("two models", 10, noise=1.0, family="plain", n_models=2),
        variant("three models", 12, noise=1.2, family="other", n_models=3),
    ]
