"""Vectors that stand as lists in Parquet, JSON lines, tables and Series; columns chosen by name; limits raised."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isotropy_lab import isoscore
from isotropy_lab.vectors import load_word_vectors, read
from isotropy_lab.vectors.formats import detect

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

X = np.random.default_rng(0).standard_normal((12, 5)).astype(np.float32)
IDS = [f"d{i}" for i in range(12)]


def write(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


LISTS = {
    "list<float>, as pandas and HF write it": lambda: pa.array(X.tolist(), pa.list_(pa.float32())),
    "large_list<double>, as polars writes List": lambda: pa.array(X.tolist(), pa.large_list(pa.float64())),
    "fixed_size_list<float>, as polars writes Array": lambda: pa.array(X.tolist(), pa.list_(pa.float32(), 5)),
    "list<halffloat>": lambda: pa.array([list(row) for row in X.astype(np.float16)], pa.list_(pa.float16())),
    "list<int8>": lambda: pa.array((100 * X).astype(int).clip(-127, 127).tolist(), pa.list_(pa.int8())),
    "fixed_shape_tensor": lambda: pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.float32(), [5]), pa.array(X.tolist(), pa.list_(pa.float32(), 5))
    ),
}


@pytest.mark.parametrize("kind", LISTS)
def test_the_only_column_of_lists_is_taken_and_said(tmp_path, kind):
    column = LISTS[kind]()
    path = write(tmp_path / "x.parquet", id=IDS, text=["a"] * 12, embedding=column)
    with pytest.warns(UserWarning, match=r"x\.parquet: .*column 'embedding', .*left out: 'id', 'text'"):
        found = read(path)
    assert found.tolist() == column.to_pylist()
    assert found.dtype == {"halffloat": np.float16, "double": float, "float": np.float32, "int8": float}.get(
        str(column.type).split("item: ")[-1].split(">")[0].split("element: ")[-1], found.dtype
    )
    assert read(path, column="embedding").tolist() == found.tolist()  # nothing to be said then


def test_what_pandas_writes(tmp_path, recwarn):
    pd.DataFrame({"e": list(X)}, index=IDS).to_parquet(tmp_path / "x.parquet", row_group_size=5)
    np.testing.assert_array_equal(read(tmp_path / "x.parquet"), X)
    assert not recwarn.list  # names of rows are no column that is left out


def test_several_columns_of_lists(tmp_path):
    path = write(
        tmp_path / "x.parquet",
        title=X.tolist(),
        body=(X + 1).tolist(),
        tokens=[["a"]] * 12,
        n=list(range(12)),
    )
    with pytest.raises(ValueError, match=r"x\.parquet has 2 columns .*: 'title', 'body'; .*column=…"):
        read(path)
    np.testing.assert_allclose(read(path, column="body"), X + 1, rtol=1e-6)
    with pytest.warns(UserWarning, match="n, as|left out: 'n'"):
        np.testing.assert_allclose(read(path, drop=["title", "tokens"]), X + 1, rtol=1e-6)
    with pytest.raises(ValueError, match=r"column is 'bdy' \(near it: 'body'\); .* has 'title'"):
        read(path, column="bdy")
    for name in ("tokens", "n"):
        with pytest.raises(ValueError, match=rf"column '{name}' holds .*expected lists of numbers"):
            read(path, column=name)
    with pytest.raises(ValueError, match=r"column is 'body' and drop is 'n'; expected one of the two"):
        read(path, column="body", drop="n")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 2], [1.0]], r"row 1, column 'e': the list has 1 numbers; expected 2, as in row 0"),
        ([[1.0, 2], None], r"row 1, column 'e': the list is missing"),
        ([[1.0, 2], [1.0, None]], r"row 1, column 'e': entry 1 of the list is a missing one"),
        ([[1.0, 2], [np.inf, 2]], r"row 1, column 'e': entry 0 of the list is inf"),
        (
            pa.array([[]], pa.list_(pa.float32())),
            r"row 0, column 'e': the list has 0 numbers; expected at least one",
        ),
        ([["a"]], r"column 'e' \(list<.*string>\) holds no numbers"),
        ([[[1.0]]], r"column 'e' \(list<.*\) holds no numbers"),
    ],
)
def test_lists_that_are_no_points(tmp_path, rows, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(write(tmp_path / "x.parquet", e=rows))
    assert "x.parquet" in str(caught.value)


def test_a_column_that_holds_no_numbers_is_refused_by_name(tmp_path):
    """Each of these became a dimension once: IsoScore fell from .997 to .0001 or 0, and nothing was said."""
    columns = {f"x{i}": X[:, i] for i in range(5)}
    odd = {
        "doc": IDS,
        "digits": [str(i) for i in range(12)],
        "when": pd.Timestamp("2024-01-01").to_pydatetime(),
        "took": pd.Timedelta("1s").to_pytimedelta(),
        "price": pa.array(range(12), pa.decimal128(10, 2)),
        "good": [True] * 12,
        "none": pa.nulls(12),
    }
    odd["when"], odd["took"] = [odd["when"]] * 12, [odd["took"]] * 12
    for name, values in odd.items():
        path = write(tmp_path / "x.parquet", **columns, **{name: values})
        with pytest.raises(
            ValueError, match=rf"x\.parquet: column '{name}' \(.*\) holds no numbers; .*drop=\['{name}'\]"
        ):
            read(path)
        np.testing.assert_array_equal(read(path, drop=name), X)
        np.testing.assert_array_equal(read(path, columns="x*"), X)
    path = write(tmp_path / "x.parquet", **columns, **odd)
    with pytest.raises(ValueError, match=r"columns 'doc' .*'price' .* and 2 more hold no numbers"):
        read(path)
    np.testing.assert_array_equal(read(path, columns=["x3", "x1"]), X[:, [1, 3]])
    with pytest.raises(ValueError, match=r"columns has 'y\*'; .* has 'x0', "):
        read(path, columns="y*")
    with pytest.raises(ValueError, match="no column is left"):
        read(path, columns="x1", drop="x1")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["id", "_id", "Index", "row", "doc_id", "Unnamed: 0"])
def test_a_column_that_is_called_id_is_warned_of(tmp_path, suffix, name):
    frame = pd.DataFrame({name: np.random.default_rng(1).permutation(12), "a": X[:, 0], "b": X[:, 1]})
    path = tmp_path / f"x.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    with pytest.warns(
        UserWarning, match=rf"a column looks like the numbers of the rows .*'{name}', by its name\. drop="
    ):
        assert read(path).shape == (12, 3)
    assert read(path, drop=name).shape == (12, 2)


def test_whole_numbers_that_increase_are_warned_of(tmp_path, recwarn):
    table = np.column_stack([X[:, 0], np.arange(12) * 3 - 5, np.sort(X[:, 1]), X[:, 2]])
    np.savetxt(tmp_path / "x.csv", table, delimiter=",")
    np.savetxt(tmp_path / "few.csv", table[:5], delimiter=",")
    read(tmp_path / "few.csv")
    assert not recwarn.list
    with pytest.warns(UserWarning, match=r"'2', whose whole numbers increase from row to row\. drop="):
        read(tmp_path / "x.csv")
    np.testing.assert_allclose(read(tmp_path / "x.csv", drop="2"), table[:, [0, 2, 3]])
    np.testing.assert_allclose(read(tmp_path / "x.csv", columns=["1", "4"]), table[:, [0, 3]])


def test_text_in_a_csv_names_all_columns_to_drop(tmp_path):
    frame = pd.DataFrame({"text": ["a, b"] * 12, "x": X[:, 0], "y": X[:, 1], "kind": ["q"] * 12})
    frame.to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(ValueError, match=r"line 2, column 'text': 'a, b' .*drop=\['text', 'kind'\]"):
        read(tmp_path / "x.csv")
    assert read(tmp_path / "x.csv", drop=["text", "kind"]).shape == (12, 2)
    frame.to_csv(tmp_path / "i.csv")
    assert read(tmp_path / "i.csv", drop=["", "text", "kind"]).shape == (12, 2)


def test_lists_in_the_cells_of_a_csv(tmp_path):
    frame = pd.DataFrame({"id": IDS, "e": [list(map(float, row)) for row in X]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(ValueError, match=r"line 2, column 'id'"):
        read(tmp_path / "x.csv")
    np.testing.assert_array_equal(read(tmp_path / "x.csv", column="e"), X)
    frame[["e"]].to_csv(tmp_path / "y.csv", index=False)
    with pytest.raises(ValueError, match=r"the cells of this column are lists: column='e' reads them"):
        read(tmp_path / "y.csv")
    (tmp_path / "z.csv").write_text("e\n[1 2 ... 3]\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"line 2, column 'e': .*leaves out numbers, as NumPy prints long arrays"
    ):
        read(tmp_path / "z.csv", column="e")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("1;2;3\n4;5;6\n", "semicolons"),
        ("a;b\n1;2\n", "semicolons"),
        ("1 2 3\n4 5 6\n", "spaces"),
        ("1\t2\n3\t4\n", "tabs"),
    ],
)
def test_other_separators_are_named(tmp_path, text, named):
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        ValueError, match=rf"x\.csv, line [12]: the cells are separated by {named}; expected commas: "
    ):
        read(path)
    if named != "semicolons":
        assert len(read(path, format={"spaces": "numbers", "tabs": "tsv"}[named])) == 2


# --- JSON lines -------------------------------------------------------------------------------------------------


def lines(*records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


def test_json_lines(tmp_path):
    records = [{"_id": i, "text": "a", "v": row.tolist(), "tags": []} for i, row in zip(IDS, X, strict=True)]
    for name, content in (
        ("x.jsonl", lines(*records)),
        ("no-suffix", lines(*records)),
        ("x.txt", lines(*X.tolist())),
        ("blank.ndjson", "\n" + lines(*X.tolist())),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        assert detect(tmp_path / name) == "jsonl"
        np.testing.assert_array_equal(read(tmp_path / name), X)
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(lines(*records).encode()))
    np.testing.assert_array_equal(read(tmp_path / "x.jsonl.gz"), X)
    words = load_word_vectors(tmp_path / "x.jsonl")
    assert words.index_to_key == IDS
    np.testing.assert_array_equal(words["d3"], X[3])
    write(tmp_path / "x.parquet", id=IDS, v=X.tolist(), w=X.tolist())
    assert load_word_vectors(tmp_path / "x.parquet", column="w", limit=3).index_to_key == IDS[:3]
    (tmp_path / "same.jsonl").write_text(lines(*({**r, "_id": 1} for r in records)), encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"without names, or not a different one for each; expected one of id, "
    ):
        load_word_vectors(tmp_path / "same.jsonl")


def test_words_that_are_brackets_are_words(tmp_path):
    for word in ("{", "[", '{"', "[1]", "[["):
        (tmp_path / "g.txt").write_text(f"{word} 0.5 1\nb 3 4\nc 5 6\n", encoding="utf-8")
        assert load_word_vectors(tmp_path / "g.txt").index_to_key[0] == word


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (lines({"a": [1, 2], "b": [1, 2]}), r"has 2 keys .*: 'a', 'b'; expected one, or column=…"),
        (lines({"a": "x"}), r"has no key that holds a list of numbers; it has 'a'"),
        (lines({"a": [1, 2]}, {"b": 1}), r"line 2: the key 'a' is missing"),
        (lines({"a": [1, 2]}, {"a": [1]}), r"line 2, 'a': the list has 1 numbers, and that of line 1, 'a' has 2"),
        (lines({"a": [1, 2]}, [1, 2]), r"line 2: a list of 2 entries; expected an object with the key 'a'"),
        (lines([1, 2], {"a": [1, 2]}), r"line 2: an object of 1 entries; expected a list"),
        (lines([1, 2], [1, None]), r"line 2: entry 1 of the list is null"),
        (lines([1, 2], [1, True]), r"line 2: entry 1 of the list is True"),
        (lines([1, 2], [1, float("nan")]), r"line 2: entry 1 of the list is nan"),
        ("[1, 2]\n[1, 1e999]\n", r"line 2: entry 1 of the list is inf"),
        (f"[1, 2]\n[1, {'9' * 400}]\n", r"line 2: a number is beyond float64"),
        ("[1, 2]\n[1, 2\n", r"line 2: '\[1, 2' is not JSON .*whole object or list"),
        ("{\n  \"a\": [1, 2]\n}\n", r"line 1: '\{' is not JSON .*in each line"),
        ("[[1, 2], [3, 4]]\n", r"line 1: entry 0 of the list is a list of 2 entries"),
        ("[1, 2]\n" + "[" * 50_000 + "\n", r"line 2: .*is not JSON \(RecursionError\)|is not JSON"),
        ("[1, 2]\n" + "[]," * 200_000 + "\n", r"line 2: more than 100,000 brackets"),
    ],
)  # fmt: skip
def test_json_lines_that_are_no_points(tmp_path, text, message):
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


@settings(max_examples=25, deadline=None)
@given(
    rows=arrays(
        np.float64,
        st.tuples(st.integers(1, 9), st.integers(1, 5)),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_any_numbers_survive_as_lists(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("lists")
    (folder / "x.jsonl").write_text(lines(*rows.tolist()), encoding="utf-8")
    write(folder / "x.parquet", e=rows.tolist())
    frame = pd.DataFrame({"id": range(len(rows)), "e": rows.tolist()})
    frame.to_csv(folder / "x.csv", index=False)
    for found in (read(folder / "x.jsonl"), read(folder / "x.parquet"), read(folder / "x.csv", column="e")):
        np.testing.assert_array_equal(found, rows)


# --- .npy.gz and limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_gzipped_array(tmp_path, order):
    np.save(tmp_path / "x.npy", np.asarray(X, order=order))
    content = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy.gz").write_bytes(gzip.compress(content))
    found = read(tmp_path / "x.npy.gz")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, X)
    for damaged, message in (
        (gzip.compress(content[:-4]), "unpacks to less than the array"),
        (gzip.compress(content + b"1"), "unpacks to more than the array"),
        (gzip.compress(content)[:-12], r"cannot be decompressed|less"),
        (gzip.compress(content.replace(b"(12, 5)", b"(-1, 5)")), "damaged"),
    ):
        (tmp_path / "y.npy.gz").write_bytes(damaged)
        with pytest.raises(ValueError, match=message) as caught:
            read(tmp_path / "y.npy.gz")
        assert "y.npy.gz" in str(caught.value)
    np.save(tmp_path / "o.npy", np.array([[print]], dtype=object), allow_pickle=True)
    (tmp_path / "o.npy.gz").write_bytes(gzip.compress((tmp_path / "o.npy").read_bytes()))
    with pytest.raises(ValueError, match="is a pickle"):
        read(tmp_path / "o.npy.gz")


def test_limits_can_be_raised_for_a_file_that_is_trusted(tmp_path):
    """Sparse activations: 96 MB of which most are 0."""
    sparse = np.zeros((24_000, 1_000), np.float32)
    sparse[:, 0] = np.arange(24_000) % 7
    np.savez_compressed(tmp_path / "x.npz", X=sparse)
    np.save(tmp_path / "x.npy", sparse)
    (tmp_path / "x.npy.gz").write_bytes(gzip.compress((tmp_path / "x.npy").read_bytes(), 1))
    write(tmp_path / "x.parquet", e=pa.FixedSizeListArray.from_arrays(pa.array(sparse.ravel()), 1_000))
    for name in ("x.npz", "x.npy.gz", "x.parquet"):
        with pytest.raises(
            ValueError, match=rf"{name}.* as a file that is made to fill the memory.*max_bytes=…"
        ):
            read(tmp_path / name)
        assert read(tmp_path / name, max_bytes=100_000_000).shape == sparse.shape
        with pytest.raises(ValueError, match=r"made to fill the memory"):  # raised for that call only
            read(tmp_path / name)
    long = ",".join(["0.25"] * 1_000_000)
    (tmp_path / "long.csv").write_text(f"{long}\n{long}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"longer than 4 MiB.*max_bytes=…"):
        read(tmp_path / "long.csv")
    assert read(tmp_path / "long.csv", max_bytes=10**8).shape == (2, 1_000_000)
    with pytest.raises(ValueError, match="max_bytes is 0"):
        read(tmp_path / "long.csv", max_bytes=0)


def test_options_that_say_nothing_about_a_file(tmp_path):
    np.save(tmp_path / "x.npy", X)
    for options in ({"column": "e"}, {"columns": "a"}, {"drop": ["a"]}):
        (name,) = options
        with pytest.raises(ValueError, match=rf"{name} is .*, but .*x\.npy \(npy\) .*; leave {name} out"):
            read(tmp_path / "x.npy", **options)
    with pytest.raises(ValueError, match=r"format is 'parquet', but .*x\.npy is npy by its content"):
        read(tmp_path / "x.npy", format="parquet")
    with pytest.raises(ValueError, match=r"format is 'pdf'; expected one of"):
        read(tmp_path / "x.npy", format="pdf")
    with pytest.raises(TypeError, match=r"drop is int 3; expected names of columns"):
        read(tmp_path / "x.npy", drop=3)
    with pytest.raises(TypeError, match=r"column is int 3"):
        read(tmp_path / "x.npy", column=3)
    assert read(tmp_path / "x.npy", format="npy").shape == X.shape


# --- columns of lists in memory ---------------------------------------------------------------------------------


def columns_of_lists():
    series = pd.Series(list(X), index=IDS)
    yield series
    yield pd.Series(X.tolist())
    yield series.to_frame("e")
    yield series.to_numpy()
    yield pd.Series(X.tolist(), dtype=pd.ArrowDtype(pa.list_(pa.float32())))


@pytest.mark.parametrize(
    "column", list(columns_of_lists()), ids=lambda c: f"{type(c).__name__} {getattr(c, 'dtype', '')}"
)
def test_a_column_of_lists_is_points(column):
    assert isoscore(column) == pytest.approx(isoscore(X), rel=1e-6)


def test_a_polars_column_of_lists_is_points():
    polars = pytest.importorskip("polars")
    for dtype in (polars.List(polars.Float32), polars.Array(polars.Float32, 5)):
        assert isoscore(polars.Series(X.tolist(), dtype=dtype)) == isoscore(X)


def test_a_column_of_other_things_is_not():
    with pytest.raises(ValueError, match=r"X, a column of lists, has in row 1 ndarray of shape \(1,\)"):
        isoscore(pd.Series([[1.0, 2.0], [1.0]]))
    with pytest.raises(ValueError, match=r"X, a column of lists, has in row 1 missing; expected 2 numbers"):
        isoscore(pd.Series([[1.0, 2.0], None]))
    with pytest.raises(TypeError, match="expected real numbers"):
        isoscore(pd.Series(["a", "b"]))
    with pytest.raises(TypeError, match=r"or a column of lists alone: X\['e'\]"):
        isoscore(pd.DataFrame({"e": list(X), "id": range(12)}))
