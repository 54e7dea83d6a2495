"""Tests of embedding variants against direct computations, and of cross-fitted pairs of sides."""

import numpy as np
import pytest
from sklearn.preprocessing import normalize

pytest.importorskip("tokenizers")
pytest.importorskip("gensim")

from isotropy_lab.retrieval import LinearAdapter, answer_ranks, cross_fitted, top_k
from isotropy_lab.retrieval.adaptation import folds
from isotropy_report.io import load_word_vectors
from reanalyses.corpora import MiniLM
from reanalyses.corpora.minilm import _weights_folder
from reanalyses.roychowdhury2024.datasets import variants
from reanalyses.roychowdhury2024.datasets.adapted import adapted_embeddings
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.datasets.variants import VARIANT_FAMILIES

try:
    _weights_folder(None)
except FileNotFoundError:
    pytest.skip("the weights of MiniLM are not installed", allow_module_level=True)

QUESTIONS = [
    "Which rock comes out of a volcano?",
    "Where does the river end?",
    "What do bees make?",
    "Who wrote the first program?",
    "How is bread made to rise?",
    "What turns the tides?",
]
DOCUMENTS = [
    "Lava is molten rock from a volcano.",
    "Most rivers flow into the sea.",
    "Honey is food that bees make from nectar.",
    "Ada Lovelace wrote a program for a machine.",
    "Yeast makes the dough of bread rise.",
    "The pull of the moon moves the sea up and down.",
    "A city is a large town.",
    "Iron is a metal that rusts in water.",
]
RIVER = ["where", "does", "the", "river", "end"]  # the words of the second question
GOLD = [0, 1, 2, 3, 4, 5]
SMALL = [name for name, family in VARIANT_FAMILIES.items() if family != "adapted" and name[:4] != "lsa-"]


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISOTROPY_LAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def by_name():
    made = variants._make_variants(SMALL, variants._Texts(QUESTIONS, DOCUMENTS, np.array(GOLD), folds(GOLD)))
    return {variant.name: variant for variant in made}


def test_variants_have_expected_families_shapes_and_norms(by_name):
    assert list(by_name) == SMALL
    n_dimensions = {"glove": 100, "googlenews": 300, "minilm-first-24": 24, "tfidf-projected-384": 384}
    for name, variant in by_name.items():
        assert variant.family == VARIANT_FAMILIES[name]
        (documents,) = variant.documents
        n = n_dimensions.get(name, documents.shape[1])
        assert (variant.questions.shape, documents.shape) == ((6, n), (8, n))
        for rows in (variant.questions, documents):
            np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_minilm_layers_truncation_and_centering(by_name):
    model = MiniLM()
    questions, documents = model.encode(QUESTIONS), model.encode(DOCUMENTS)
    np.testing.assert_allclose(by_name["minilm-layer-6"].questions, questions, atol=1e-6)
    np.testing.assert_allclose(
        by_name["minilm-layer-2"].documents[0], model.encode(DOCUMENTS, layers=True)[2], atol=1e-6
    )
    np.testing.assert_allclose(by_name["minilm-first-48"].questions, normalize(questions[:, :48]), atol=1e-6)
    mean = documents.astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(
        by_name["minilm-centered"].documents[0], normalize(documents - mean), atol=1e-5
    )
    np.testing.assert_allclose(by_name["minilm-centered"].questions, normalize(questions - mean), atol=1e-5)


def test_projection_uses_one_random_matrix(by_name):
    layer, projected = by_name["minilm-layer-6"], by_name["minilm-projected-96"]
    rows = np.concatenate([layer.questions, layer.documents[0]])
    images = np.concatenate([projected.questions, projected.documents[0]])
    matrix = np.random.default_rng([0, 1]).standard_normal((384, 96))
    np.testing.assert_allclose(images, normalize(rows @ matrix), atol=1e-5)


def test_adapter_questions_are_cross_fitted(by_name):
    layer, adapted = by_name["minilm-layer-6"], by_name["minilm-adapter"]
    fold_numbers = folds(GOLD)
    np.testing.assert_array_equal(adapted.folds, fold_numbers)
    expected = cross_fitted(layer.questions, layer.documents[0], GOLD, fold_numbers, adapter=LinearAdapter())
    np.testing.assert_allclose(adapted.questions, expected, atol=1e-5)
    np.testing.assert_allclose(adapted.documents[0], layer.documents[0], atol=1e-6)


def test_adapter_and_adapted_encoders_share_folds():
    # With other folds, the gain of the adapter would not be comparable with those of adapted encoders.
    np.testing.assert_array_equal(variants._yang_texts().folds, adapted_embeddings("FT").folds)


def test_word_vector_variants_equal_weighted_means(by_name):
    vectors = load_word_vectors("glove-pool")
    mean = np.mean([vectors[word] for word in RIVER], axis=0)
    np.testing.assert_allclose(by_name["glove"].questions[1], normalize([mean])[0], atol=1e-6)
    rows = [variants._WORD.findall(text.lower()) for text in DOCUMENTS]
    weighted = sum((np.log(9 / (sum(word in row for row in rows) + 1)) + 1) * vectors[word] for word in RIVER)
    np.testing.assert_allclose(by_name["glove-idf"].questions[1], normalize([weighted])[0], atol=1e-6)


def test_lsa_equals_leading_singular_directions(monkeypatch):
    monkeypatch.setitem(variants.VARIANT_FAMILIES, "lsa-4", "counts")
    texts = variants._Texts(QUESTIONS, DOCUMENTS, np.zeros(0, int), np.zeros(6, int))
    (variant,) = variants._make_variants(["lsa-4"], texts)
    questions, documents = (side.toarray() for side in texts.counts)
    basis = np.linalg.svd(documents, full_matrices=False)[2][:4]
    np.testing.assert_allclose(
        variant.questions @ variant.documents[0].T,
        normalize(questions @ basis.T) @ normalize(documents @ basis.T).T,
        atol=1e-8,
    )


@pytest.fixture
def cross_fitted_variant():
    rng = np.random.default_rng(0)
    documents = tuple(rng.standard_normal((30, 6)) for _ in range(3))
    fold_numbers = np.arange(12) % 3
    gold = rng.integers(0, 30, 12)
    questions = np.stack([documents[k][g] for k, g in zip(fold_numbers, gold, strict=True)])
    return EmbeddingVariant("x", "y", questions + rng.standard_normal((12, 6)), documents, fold_numbers), gold


def test_questions_are_ranked_within_their_fold(cross_fitted_variant):
    variant, gold = cross_fitted_variant
    ranks, best = variant.ranks(gold), variant.best_documents()
    for i, k in enumerate(variant.folds):
        question, documents = variant.questions[i : i + 1], variant.documents_of(k)
        assert ranks[i] == answer_ranks(question, documents, gold[i : i + 1])[0]
        assert best[i] == top_k(question, documents, 1).indices[0, 0]
    rows = np.concatenate([rows for rows, _, _ in variant.parts()])
    assert sorted(rows) == list(range(12))
    first_model_ranks = answer_ranks(variant.questions, variant.documents[0], gold)
    assert (first_model_ranks != ranks).any()
