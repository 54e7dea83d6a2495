"""Tests that documents in a Dask array give the same results as in memory, for any chunks."""

import dask.array as da
import numpy as np
import pytest

from isotropy_lab.retrieval import answer_ranks, pair_similarities, relevant_ranks, top_k


@pytest.fixture(scope="module")
def data():
    """Return documents with distant duplicates and multiples, and questions for which these are relevant."""
    rng = np.random.default_rng(0)
    documents = rng.standard_normal((400, 12)).astype(np.float32)
    documents[[20, 390]] = documents[200]
    documents[350] = 2 * documents[3]
    questions = documents[rng.integers(400, size=40)] + rng.standard_normal((40, 12)).astype(np.float32)
    questions[0], questions[1] = documents[200], documents[3]
    gold = {i: {int(j): 1 for j in rng.choice(400, 3, replace=False)} for i in range(40)}
    gold[0], gold[1], gold[2] = {390: 1, 20: 2, 7: 1}, {350: 1, 3: 1}, {399: 1}
    return questions, documents, gold


CHUNKS = [(400,), (1,) * 70 + (330,), (37,) * 10 + (30,), (0, 200, 0, 200)]


@pytest.mark.parametrize("rows", CHUNKS, ids=["one", "rows", "many", "empty"])
@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_search_in_chunks_equals_search_in_memory(data, rows, similarity):
    questions, documents, gold = data
    lazy = da.from_array(documents, chunks=(50, 5)).rechunk((rows, (12,)))
    actual, expected = (relevant_ranks(questions, D, gold, similarity=similarity) for D in (lazy, documents))
    assert actual.to_dict() == expected.to_dict()
    for ties in ("lower-index", "worst"):
        actual, expected = (
            answer_ranks(questions, D, gold, similarity=similarity, ties=ties) for D in (lazy, documents)
        )
        np.testing.assert_array_equal(actual, expected)
    actual, expected = (top_k(questions, D, 9, similarity=similarity) for D in (lazy, documents))
    np.testing.assert_array_equal(actual.indices, expected.indices)
    np.testing.assert_array_equal(actual.similarities, expected.similarities)
    np.testing.assert_array_equal(
        pair_similarities(questions, lazy, gold, similarity=similarity),
        pair_similarities(questions, documents, gold, similarity=similarity),
    )


def test_errors_name_the_chunk_or_the_array(data):
    questions, documents, _ = data
    chunked = da.from_array(documents, chunks=(150, 12))
    invalid = documents.copy()
    invalid[310] = 0
    with pytest.raises(ValueError, match=r"documents\[300:\].*row 10"):
        top_k(questions, da.from_array(invalid, chunks=(150, 12)), 3)
    invalid[310] = np.nan
    with pytest.raises(ValueError, match=r"documents\[300:\].*NaN"):
        answer_ranks(questions, da.from_array(invalid, chunks=(150, 12)), [0] * 40)
    with pytest.raises(ValueError, match=r"documents.*compute_chunk_sizes"):
        top_k(questions, chunked[chunked[:, 0] > 0], 3)
    with pytest.raises(ValueError, match="documents has 7"):
        top_k(questions, chunked[:, :7], 3)
    with pytest.raises(TypeError, match="documents has dtype"):
        top_k(questions, chunked.astype(str), 3)
    with pytest.raises(ValueError, match="documents has 3 axes"):
        top_k(questions, chunked[None], 3)
    with pytest.raises(ValueError, match="400"):
        top_k(questions, chunked, 401)
