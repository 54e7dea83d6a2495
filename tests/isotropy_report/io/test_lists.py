"""Tests of vectors stored as lists in Parquet, JSON Lines, tables, and Series, and of column selection."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isotropy_lab import isoscore
from isotropy_report.io import load_word_vectors, read
from isotropy_report.io.formats import detect
from tests.isotropy_report.io.making import json_lines, parquet, save

pa = pytest.importorskip("pyarrow")

X = np.random.default_rng(0).standard_normal((12, 5)).astype(np.float32)
IDS = [f"d{i}" for i in range(12)]

#: Columns of lists, and the type in which they are read.
LISTS = {
    "list<float>, as pandas and HF write it": (pa.array(X.tolist(), pa.list_(pa.float32())), np.float32),
    "large_list<double>, as polars writes List": (pa.array(X.tolist(), pa.large_list(pa.float64())), float),
    "fixed_size_list<float>, as polars writes Array":
        (pa.array(X.tolist(), pa.list_(pa.float32(), 5)), np.float32),
    "list<halffloat>":
        (pa.array([list(row) for row in X.astype(np.float16)], pa.list_(pa.float16())), np.float16),
    "list<int8>": (pa.array((50 * X).astype(int).tolist(), pa.list_(pa.int8())), float),
    "fixed_shape_tensor": (pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.float32(), [5]), pa.array(X.tolist(), pa.list_(pa.float32(), 5))
    ), np.float32),
}  # fmt: skip


@pytest.mark.parametrize("kind", LISTS)
def test_single_column_of_lists_is_read_with_a_warning(tmp_path, recwarn, kind):
    column, dtype = LISTS[kind]
    path = save(tmp_path, "x.parquet", parquet(id=IDS, text=["a"] * 12, embedding=column))
    vectors = read(path, column="embedding")
    assert vectors.tolist() == column.to_pylist()
    assert vectors.dtype == dtype
    assert not recwarn.list
    with pytest.warns(UserWarning, match=r"x\.parquet: .*column 'embedding', .*left out: 'id', 'text'"):
        np.testing.assert_array_equal(read(path), vectors)


def test_options_select_among_columns_of_lists(tmp_path):
    columns = {"title": X.tolist(), "body": (X + 1).tolist(), "tokens": [["a"]] * 12, "n": list(range(12))}
    path = save(tmp_path, "x.parquet", parquet(**columns))
    np.testing.assert_allclose(read(path, column="body"), X + 1, rtol=1e-6)
    with pytest.warns(UserWarning, match="left out: 'n'"):
        np.testing.assert_allclose(read(path, drop=["title", "tokens"]), X + 1, rtol=1e-6)
    with pytest.raises(ValueError, match=r"column is 'body' and drop is 'n'; expected only one"):
        read(path, column="body", drop="n")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["id", "Index", "doc_id", "Unnamed: 0"])
def test_column_named_like_an_id_causes_a_warning(tmp_path, suffix, name):
    frame = pd.DataFrame({name: np.random.default_rng(1).permutation(12), "a": X[:, 0], "b": X[:, 1]})
    path = tmp_path / f"x.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    with pytest.warns(UserWarning, match=rf"looks like row numbers.*'{name}', .*drop="):
        assert read(path).shape == (12, 3)
    assert read(path, drop=name).shape == (12, 2)


def test_increasing_whole_numbers_cause_a_warning(tmp_path, recwarn):
    table = np.column_stack([X[:, 0], np.arange(12) * 3 - 5, np.sort(X[:, 1]), X[:, 2]])
    np.savetxt(tmp_path / "x.csv", table, delimiter=",")
    np.savetxt(tmp_path / "few.csv", table[:5], delimiter=",")
    read(tmp_path / "few.csv")
    assert not recwarn.list
    with pytest.warns(UserWarning, match=r"'2', whose whole numbers increase from row to row\. drop="):
        read(tmp_path / "x.csv")
    np.testing.assert_allclose(read(tmp_path / "x.csv", drop="2"), table[:, [0, 2, 3]])
    np.testing.assert_allclose(read(tmp_path / "x.csv", columns=["1", "4"]), table[:, [0, 3]])


def test_columns_of_text_can_be_dropped(tmp_path):
    frame = pd.DataFrame({"text": ["a, b"] * 12, "x": X[:, 0], "y": X[:, 1], "kind": ["q"] * 12})
    frame.to_csv(tmp_path / "x.csv", index=False)
    assert read(tmp_path / "x.csv", drop=["text", "kind"]).shape == (12, 2)
    frame.to_csv(tmp_path / "i.csv")
    assert read(tmp_path / "i.csv", drop=["", "text", "kind"]).shape == (12, 2)
    path = save(tmp_path, "x.parquet", parquet(**{f"x{i}": X[:, i] for i in range(5)}, doc=IDS))
    np.testing.assert_array_equal(read(path, columns=["x3", "x1"]), X[:, [1, 3]])


@pytest.mark.parametrize(("text", "format"), [("1 2 3\n4 5 6\n", "numbers"), ("1\t2\n3\t4\n", "tsv")])
def test_format_option_reads_other_separators(tmp_path, text, format):
    path = save(tmp_path, "x.csv", text)
    with pytest.raises(
        ValueError, match=r"x\.csv, line [12]: the cells are separated by (spaces|tabs); expected commas"
    ):
        read(path)
    assert len(read(path, format=format)) == 2


def test_json_lines_are_read_as_vectors_and_words(tmp_path):
    records = [{"_id": i, "text": "a", "v": row.tolist(), "tags": []} for i, row in zip(IDS, X, strict=True)]
    objects, rows = json_lines(*records), json_lines(*X.tolist())
    for name, content in (
        ("x.jsonl", objects),
        ("no-suffix", objects),
        ("x.txt", rows),
        ("blank.ndjson", "\n" + rows),
        ("x.jsonl.gz", gzip.compress(objects.encode())),
    ):
        path = save(tmp_path, name, content)
        assert detect(path) == "jsonl"
        np.testing.assert_array_equal(read(path), X)
    words = load_word_vectors(tmp_path / "x.jsonl")
    assert words.index_to_key == IDS
    np.testing.assert_array_equal(words["d3"], X[3])
    path = save(tmp_path, "x.parquet", parquet(id=IDS, v=X.tolist(), w=X.tolist()))
    assert load_word_vectors(path, column="w", limit=3).index_to_key == IDS[:3]


def test_responses_of_embedding_services_are_read(tmp_path):
    rows = X.tolist()
    records = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
    for document in ({"object": "list", "data": records}, {"model": "m", "embeddings": rows}, records, rows):
        np.testing.assert_array_equal(read(save(tmp_path, "x.json", json_lines(document))), X)
    with pytest.raises(ValueError, match=r"line 1, is .*expected .*jq -c"):
        read(save(tmp_path, "x.json", json.dumps(records, indent=1)))


@settings(max_examples=25, deadline=None)
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 9), st.integers(1, 5)),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_lists_of_any_numbers_are_read_unchanged(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("lists")
    save(folder, "x.jsonl", json_lines(*rows.tolist()))
    save(folder, "x.parquet", parquet(e=rows.tolist()))
    pd.DataFrame({"id": range(len(rows)), "e": rows.tolist()}).to_csv(folder / "x.csv", index=False)
    for vectors in (read(folder / "x.jsonl"), read(folder / "x.parquet"), read(folder / "x.csv", column="e")):
        np.testing.assert_array_equal(vectors, rows)


def test_column_of_arrow_lists_is_accepted_as_points():
    column = pd.Series(X.tolist(), dtype=pd.ArrowDtype(pa.list_(pa.float32())))
    assert isoscore(column) == pytest.approx(isoscore(X), rel=1e-6)
