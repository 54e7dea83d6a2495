"""Tests of ranks and the top k documents against all similarities, for ties, precision, and chunks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isotropy_lab._core import neighbors
from isotropy_lab.retrieval import answer_ranks, pair_similarities, relevant_ranks, top_k

GRID = 2.0**-40


def rounded_cosines(questions, documents):
    """Return all cosines, rounded to multiples of GRID and computed one pair at a time."""
    units = [
        [np.asarray(row, dtype=float) / np.linalg.norm(np.asarray(row, dtype=float)) for row in rows]
        for rows in (questions, documents)
    ]
    table = np.array(
        [[sum(float(a) * float(b) for a, b in zip(u, v, strict=True)) for v in units[1]] for u in units[0]]
    )
    return np.round(table / GRID) * GRID


def ranks_by_definition(table, gold, ties="lower-index"):
    ranks = []
    for row, g in zip(table, gold, strict=True):
        ahead = [
            j
            for j, value in enumerate(row)
            if value > row[g] or (value == row[g] and j != g and (ties == "worst" or j < g))
        ]
        ranks.append(1 + len(ahead))
    return ranks


def random_embeddings(kind, n_questions, n_documents, n, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "gaussian":
        return rng.standard_normal((n_questions, n)), rng.standard_normal((n_documents, n))
    if kind == "many ties":  # few different angles
        return rng.integers(0, 2, (n_questions, n)) + 1.0, rng.integers(0, 2, (n_documents, n)) + 1.0
    if kind == "all equal":
        return rng.standard_normal((n_questions, n)), np.ones((n_documents, n))
    if kind == "crowded":  # all similarities within float32's rounding of each other
        return (
            (1e4 + rng.standard_normal((n_questions, n))).astype(np.float32),
            (1e4 + rng.standard_normal((n_documents, n))).astype(np.float32),
        )
    return rng.integers(-9, 9, (n_questions, n)) * 2 + 1, rng.standard_normal((n_documents, n)).astype(
        np.float16
    )


KINDS = ("gaussian", "many ties", "all equal", "crowded", "halves and integers")


@settings(deadline=None, max_examples=60)
@given(data=st.data(), n_questions=st.integers(1, 6), n_documents=st.integers(1, 12), n=st.integers(1, 5))
def test_ranks_are_consistent_and_invariant(data, n_questions, n_documents, n):
    entries = st.integers(-3, 3).map(float)
    questions = data.draw(hnp.arrays(float, (n_questions, n), elements=entries)) + 0.5
    documents = data.draw(hnp.arrays(float, (n_documents, n), elements=entries)) + 0.5
    gold = data.draw(hnp.arrays(int, n_questions, elements=st.integers(0, n_documents - 1)))
    k = data.draw(st.integers(1, n_documents))
    ranks = answer_ranks(questions, documents, gold)
    assert ranks.min() >= 1
    assert ranks.max() <= n_documents
    assert (answer_ranks(questions, documents, gold, ties="worst") >= ranks).all()
    best = top_k(questions, documents, k)
    rank_of = {int(i): r for r, i in enumerate(best.indices[0].tolist(), 1)}
    assert (ranks <= k).tolist() == (best.indices == gold[:, None]).any(axis=1).tolist()
    if ranks[0] <= k:
        assert rank_of[int(gold[0])] == ranks[0]
        assert best.similarities[0, ranks[0] - 1] == pair_similarities(questions, documents, gold)[0]
    # Powers of 2 change no digit, and reversing the axes changes the order of additions.
    scaled = answer_ranks(8.0 * questions, documents / 4.0, gold)
    reversed_axes = answer_ranks(questions[:, ::-1], documents[:, ::-1], gold)
    assert scaled.tolist() == ranks.tolist() == reversed_axes.tolist()


def test_squares_that_overflow_or_underflow_are_ranked():
    documents = np.array([[1e200, 0.0], [3e-300, 4e-300], [0.0, 1e-200], [5.0, 5.0]])
    ranks = answer_ranks([[1e-200, 0.0]] * 4, documents, [0, 1, 2, 3])
    assert ranks.tolist() == [1, 3, 4, 2]
    tiny = np.array([[1e-40, 0.0], [0.0, 1e-38]], dtype=np.float32)
    assert pair_similarities(tiny, tiny, [0, 0]).tolist() == [1.0, 0.0]


def rounded_inner_products(questions, documents):
    """Return all inner products, rounded as by `Products` to 40 bits below the product of the norms."""
    Q, D = ([[float(x) for x in row] for row in rows] for rows in (questions, documents))
    table = np.empty((len(Q), len(D)))
    for i, q in enumerate(Q):
        for j, d in enumerate(D):
            product = sum(a * b for a, b in zip(q, d, strict=True))
            unit = np.ldexp(GRID, np.frexp(np.linalg.norm(q) * np.linalg.norm(d))[1])
            table[i, j] = np.rint(product / unit) * unit
    return table


@pytest.mark.parametrize(
    ("kind", "similarity"),
    [*((kind, way) for kind in KINDS for way in ("cosine", "dot")), ("lengths", "dot")],
)
@pytest.mark.parametrize("ties", ["lower-index", "worst"])
def test_ranks_and_top_documents_agree_with_the_definition(kind, similarity, ties, monkeypatch):
    questions, documents = random_embeddings("gaussian" if kind == "lengths" else kind, 40, 90, 7)
    if kind == "lengths":  # of which the longest hides the others in float32
        documents *= np.geomspace(1e-9, 1e9, 90)[::-1, None]
        documents[5] = 0
        questions *= np.geomspace(1e-30, 1e30, 40)[:, None]
    gold = np.random.default_rng(1).integers(90, size=40)
    table = {"cosine": rounded_cosines, "dot": rounded_inner_products}[similarity](questions, documents)
    order = np.argsort(-table, axis=1, kind="stable")
    bounds = {"rtol": 1e-12, "atol": 2 * GRID if similarity == "cosine" else 0.0}
    for chunk in (1, 13, 90, 4096):
        monkeypatch.setattr(neighbors, "_TILE_COLUMNS", chunk)
        ranks = answer_ranks(questions, documents, gold, similarity=similarity, ties=ties)
        assert ranks.dtype == np.int64
        assert ranks.tolist() == ranks_by_definition(table, gold, ties), (kind, chunk)
        for k in (1, 5, 90):
            best = top_k(questions, documents, k, similarity=similarity)
            assert best.indices.tolist() == order[:, :k].tolist()
            np.testing.assert_allclose(
                best.similarities, np.take_along_axis(table, order[:, :k], 1), **bounds
            )
    gold_similarities = pair_similarities(questions, documents, gold, similarity=similarity)
    np.testing.assert_allclose(gold_similarities, table[np.arange(40), gold], **bounds)


def test_gold_that_counts_from_1_causes_a_warning(recwarn):
    documents = np.random.default_rng(0).standard_normal((50, 8))
    gold = np.arange(40)
    for n_warnings, positions in enumerate((gold, gold + 1)):
        relevant_ranks(documents[:40], documents, positions)
        assert len(recwarn) == n_warnings
