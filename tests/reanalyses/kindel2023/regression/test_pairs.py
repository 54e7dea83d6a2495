import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from reanalyses.kindel2023.regression import overlapping_pairs, stack_pairs, two_groups, word_pairs
from tests.reanalyses.kindel2023.regression.samples import lists, names, seeds


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_all_pairs_by_a_loop(seed):
    A, B = lists(seed, 3, 4)
    table = word_pairs(A, B, words_a=names("a", 3), words_b=names("b", 4))
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


def test_paired_is_the_diagonal_of_all():
    A, B = lists(0, 5, 5)
    paired, every = word_pairs(A, B, pairing="paired"), word_pairs(A, B)
    pd.testing.assert_frame_equal(paired, every.iloc[::6].reset_index(drop=True))
    assert list(paired["a"]) == list(paired["b"]) == [0, 1, 2, 3, 4]


def test_single_precision_is_accumulated_in_double():
    A, B = (x.astype(np.float32) for x in lists(1, 3, 3))
    table = word_pairs(A, B)
    expected = word_pairs(A.astype(np.float64), B.astype(np.float64))
    pd.testing.assert_frame_equal(table, expected)


def test_groups_and_labels():
    A, B, C = lists(2, 3, 4, 5)
    named = two_groups(word_pairs(A, B, group="near"), word_pairs(A, C, group="far"))
    assert named.groupby("group")["X"].agg(["first", "size"]).to_dict("index") == {
        "near": {"first": 0, "size": 12},
        "far": {"first": 1, "size": 15},
    }
    assert set(two_groups(word_pairs(A, B), word_pairs(A, C))["group"]) == {"0", "1"}
    assert set(two_groups(word_pairs(A, B), word_pairs(A, C), labels=("u", "v"))["group"]) == {"u", "v"}
    three = stack_pairs({"x": word_pairs(A, B), "y": word_pairs(A, C), "z": word_pairs(B, C)})
    assert three["group"].value_counts().to_dict() == {"x": 12, "y": 15, "z": 20}
    assert list(three.index) == list(range(47))


def test_overlapping_pairs_share_their_words():
    A, B, X = lists(3, 2, 3, 4)
    table = overlapping_pairs(A, B, X, words_x=names("x", 4))
    assert table["X"].tolist() == [0] * 12 + [1] * 8
    assert set(table.loc[table["X"] == 0, "b"]) == set(table.loc[table["X"] == 1, "b"]) == set(names("x", 4))
    expected = word_pairs(A, X)["cosine"]
    assert table.loc[table["X"] == 1, "cosine"].to_numpy() == pytest.approx(expected.to_numpy(), abs=0)
