"""Tests of tables of word pairs against loops."""

import pytest
from hypothesis import given, settings

from reanalyses.kindel2023.regression import overlapping_pairs, word_pairs
from tests.reanalyses.kindel2023.regression.samples import seeds, word_lists, word_names


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_word_pairs_equal_a_loop(seed):
    A, B = word_lists(seed, 3, 4)
    table = word_pairs(A, B, words_a=word_names("a", 3), words_b=word_names("b", 4))
    rows = iter(table.itertuples())
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            row = next(rows)
            assert (row.a, row.b) == (f"a{i}", f"b{j}")
            assert row.inner_product == pytest.approx(
                sum(x * y for x, y in zip(a, b, strict=True)), rel=1e-12
            )
            assert row.lnw == pytest.approx(row.norm_a * row.norm_b, rel=1e-15)
            assert row.norm_a == pytest.approx(sum(x * x for x in a) ** 0.5, rel=1e-14)
            assert row.cosine == pytest.approx(row.inner_product / row.lnw, rel=1e-14)
    assert table["cosine"].between(-1, 1).all()


def test_overlapping_pairs_contain_both_groups():
    A, B, X = word_lists(3, 2, 3, 4)
    table = overlapping_pairs(A, B, X)
    assert table["X"].tolist() == [0] * 12 + [1] * 8
    assert set(table.loc[table["X"] == 0, "b"]) == set(table.loc[table["X"] == 1, "b"]) == set(range(4))
    expected = word_pairs(A, X)["cosine"]
    assert table.loc[table["X"] == 1, "cosine"].to_numpy() == pytest.approx(expected.to_numpy(), abs=0)
