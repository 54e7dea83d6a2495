"""Tests that errors about bad files and options give the file, the position, the value, and advice."""

import gzip
import pickle
import struct
import tempfile
import zipfile

import numpy as np
import pandas as pd
import pytest

from isotropy_report import explore_map
from isotropy_report.io import WordVectors, load_word_vectors, read
from reanalyses.corpora import MiniLM, wikipedia_sentences
from tests.isotropy_report.io.making import (
    VECTORS,
    WORDS,
    Bomb,
    archive,
    binary_rows,
    json_lines,
    npy,
    npy_header,
    npz,
    parquet,
    save,
    tensor,
    tensors,
    text_rows,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*does not end with a line break", "ignore:.*left out")

pa = pytest.importorskip("pyarrow")

TEXT, BINARY = text_rows(), binary_rows()
X = np.arange(6.0).reshape(3, 2)
LONG_TEXT = text_rows([f"w{i}" for i in range(4000)], np.tile(VECTORS, (667, 1))[:4000])
LONG_GZIP = gzip.compress(LONG_TEXT.encode())
OTHER_WORD = b"x " + struct.pack("<5f", 1, 2, np.nan, 4, 5)
LONG_HEADER = npy_header("<f8", "(2, 2)", version=2, length=0xFFFFFFF0) + bytes(32)
TENSOR = '{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}'
LETTERS = np.array(["cat", "dog"]).view(np.uint32)
HALF_A_PAIR = np.where(np.arange(6) == 1, 0xD800, LETTERS).astype(np.uint32).view("<U3")
BEYOND_UNICODE = np.frombuffer(np.array([0x1010063, 0x110000], "<u4").tobytes(), "<U1")


OBJECTS = np.array([[Bomb(), 1]], dtype=object)

#: The file, its content, and what the message has to name: of both `read` and `load_word_vectors`.
WORD_FILES = [
    ("empty", b"  \n \n", ["is empty"]),
    ("fewer words", "9 5\n" + TEXT, ["truncated", "6 of the 9 words"]),
    ("cut row", "6 5\n" + TEXT[:-30], ["line 7", "'1990'", "expected 5"]),
    ("one more word", "5 5\n" + TEXT, ["line 7", "5 words", "'1990"]),
    ("other dimensions", "6 4\n" + TEXT, ["line 2", "'cat'", "5 numbers", "expected 4"]),
    ("no words", "0 5\n" + TEXT, ["line 1", "0 words of 5 dimensions"]),
    ("short row", TEXT + "mouse 1 2 3\n", ["line 7", "'mouse'", "3 numbers", "expected 5"]),
    ("no number", TEXT + "mouse 1 2 x 4 5\n", ["line 7", "'x'", "'mouse'"]),
    ("run together", TEXT + "mouse 1 2 3_4 4 5\n", ["line 7", "'3_4'", "'mouse'"]),
    ("NaN", TEXT + "mouse 1 2 nan 4 5\n", ["line 7", "dimension 3", "'mouse'", "nan"]),
    ("beyond float32", TEXT + "mouse 1 2 1e60 4 5\n", ["line 7", "dimension 3", "'mouse'", "inf"]),
    ("twice", TEXT + "cat 1 2 3 4 5\n", ["line 7", "'cat'", "line 1"]),
    ("not UTF-8", TEXT.encode() + b"\xff 1 2 3 4 5\n", ["line 7", "not UTF-8"]),
    ("cut numbers", b"6 5\n" + BINARY[:-3], ["truncated", "word 6 of the 6", "'1990'"]),
    ("fewer words.bin", b"8 5\n" + BINARY, ["truncated", "word 7 of the 8"]),
    ("more words.bin", b"5 5\n" + BINARY, ["5 words", "after the 5 words"]),
    ("NaN.bin", b"6 5\n" + binary_rows(WORDS[:5], VECTORS[:5]) + OTHER_WORD,
     ["word 6", "dimension 3", "'x'", "nan"]),
    ("twice.bin", b"6 5\n" + binary_rows([*WORDS[:5], "U.S."]), ["word 6", "'U.S.'", "word 3"]),
    ("other dimensions.bin", b"6 3\n" + 4 * BINARY, ["word "]),
    ("gigantic", b"9000000000 300\n" + 60 * BINARY, []),
    ("cut.gz", LONG_GZIP[: len(LONG_GZIP) // 2], ["decompressed"]),
    ("damaged.gz", LONG_GZIP[:-9000] + b"\xff" * 64 + LONG_GZIP[-8936:], []),
    ("checksum.gz", LONG_GZIP[:-8] + bytes(8), ["decompressed"]),
    ("program", b"\x7fELF\x02" + bytes(100), ["not in a known format", ".npy"]),
    ("pickle.npy", pickle.dumps([Bomb(), VECTORS]),
     ["is a pickle", "never unpickled", "save_word2vec_format"]),
    ("pickle of old.txt", pickle.dumps({"X": Bomb()}, protocol=0), ["is a pickle"]),
    ("model.pt", archive({"model/data.pkl": pickle.dumps(Bomb())}), ["is a pickle", "safetensors"]),
    ("packed.npz.gz", gzip.compress(npz(X=X)), [".npz", "gunzip it first"]),
    ("packed.safetensors.gz", gzip.compress(tensor(TENSOR)), [".safetensors", "gunzip it first"]),
    ("no arrays.npz", archive({"a.txt": b"a"}), ["a.txt", "expected an .npz"]),
]  # fmt: skip

#: The file, its content, options of `read`, and what the message has to name.
FILES = [
    # Tables.
    ("gap.csv", "1,2\n3,\n", {}, ["line 2, column 2", "''"]),
    ("gap after empty lines.csv", "x,y\n\n1,2\n3,?\n", {}, ["line 4, column 'y'", "'?'"]),
    ("NaN.csv", "x,y\n1,2\n3,nan\n", {}, ["line 3, column 'y'", "'nan'"]),
    ("run together.csv", "1,2\n1_0,2\n", {}, ["line 2, column 1", "'1_0'"]),
    ("after comments.csv", "# one\n1,2\n?,3\n", {}, ["line 3, column 1", "'?'"]),
    ("carriage returns.txt", "1 2\r3 4\r\nx 2\r", {}, ["line 3, column 1", "'x'"]),
    ("text.csv", 'a,x,b\n"p, q",2,r\n', {}, ["line 2, column 'a'", "'p, q'", "drop=['a', 'b']"]),
    ("ragged.csv", "1,2\n3,4,5\n", {}, ["line 2"]),
    ("long.csv", "1,2\n" + "9" * 100_000 + ",1\n", {}, ["line 2"]),
    ("nothing.csv", "x,y\n", {}, ["at least one"]),
    ("first line.csv", "1.0,O.5\n2,3\n4,5\n", {}, ["line 1, column 2", "'O.5'"]),
    ("first line.tsv", "a\t\n2\t3\n", {}, ["line 1, column 1", "'a'"]),
    ("names of pandas.csv", "0,1,2\n.5,2,3\n", {}, ["line 1", "header=True", "header=False"]),
    ("index of pandas.csv", ",x,y\n0,1,2\n", {}, ["line 1", "column 1", "index=False"]),
    ("names.csv", "x,y\n2,3\n", {"header": False}, ["line 1, column 1", "'x'"]),
    ("quoted break.csv", '1,2\n3,"4\n"\n5,6\n', {}, ["line 2", "quoted"]),
    ("semicolons.csv", "1;2;3\n4;5;6\n", {}, ["line 1", "semicolons", "commas"]),
    ("spaces.csv", "1 2 3\n4 5 6\n", {}, ["line 1", "spaces", "commas"]),
    ("long line.csv", "1,2\n" + "1," * 3_000_000, {}, ["line 2", "4 MiB", "max_bytes=…"]),
    ("lists.csv", 'e\n"[1, 2]"\n', {}, ["line 2", "column='e'"]),
    ("cut lists.csv", "e\n[1 2 ... 3]\n", {"column": "e"}, ["line 2, column 'e'", "NumPy left out numbers"]),
    # JSON lines.
    ("two lists.jsonl", json_lines({"a": [1, 2], "b": [1, 2]}), {}, ["2 keys", "'a', 'b'", "column=…"]),
    ("no list.jsonl", json_lines({"a": "x"}), {}, ["no key", "'a'"]),
    ("no key.jsonl", json_lines({"a": [1, 2]}, {"b": 1}), {}, ["line 2", "'a'", "no key"]),
    ("ragged.jsonl", json_lines({"a": [1, 2]}, {"a": [1]}), {}, ["line 2, 'a'", "1 numbers", "line 1", "2"]),
    ("a list.jsonl", json_lines({"a": [1, 2]}, [1, 2]), {}, ["line 2", "object", "'a'"]),
    ("null.jsonl", json_lines([1, 2], [1, None]), {}, ["line 2", "entry 1", "null"]),
    ("NaN.jsonl", json_lines([1, 2], [1, float("nan")]), {}, ["line 2", "entry 1", "nan"]),
    ("beyond float64.jsonl", f"[1, 2]\n[1, {'9' * 400}]\n", {}, ["line 2", "float64"]),
    ("cut.jsonl", "[1, 2]\n[1, 2\n", {}, ["line 2", "'[1, 2'", "not JSON"]),
    ("over lines.jsonl", '{\n "a": [1, 2]\n}\n', {}, ["line 1", "not JSON", "in each line"]),
    ("nested.jsonl", "[1, 2]\n[[1, 2], [3, 4]]\n", {}, ["line 2", "entry 0", "list of 2", "jq"]),
    ("two documents.jsonl", "[[1, 2]]\n[[3, 4]]\n", {}, ["line 2", "in each line", "jq"]),
    ("deep.jsonl", "[1, 2]\n" + "[" * 50_000 + "\n", {}, ["line 2", "not JSON"]),
    # Arrays.
    ("cut.npy", npy(np.ones((50, 4)))[:-9], {}, ["1,600 bytes", "1,591"]),
    ("one axis.npy", npy(np.ones(5)), {}, ["shape (5,)", "two axes"]),
    ("no axis.npy", npy(np.float32(1)), {}, ["shape ()", "two axes"]),
    ("text.npy", npy(np.array([["a", "b"]])), {}, ["dtype <U1"]),
    ("nothing.npy", npy(np.ones((0, 3))), {}, ["shape (0, 3)", "at least one"]),
    ("long header.npy", LONG_HEADER, {}, ["4294967280 bytes"]),
    ("objects.npy", npy(OBJECTS), {}, ["is a pickle"]),
    ("objects.npy.gz", gzip.compress(npy(OBJECTS)), {}, ["is a pickle"]),
    ("less.npy.gz", gzip.compress(npy(X)[:-4]), {}, ["less", "(3, 2)"]),
    ("more.npy.gz", gzip.compress(npy(X) + b"1"), {}, ["more", "(3, 2)"]),
    ("negative.npy.gz", gzip.compress(npy_header("<f8", "(-1, 2)") + bytes(16)), {}, ["damaged", "(-1, 2)"]),
    ("million millions.npy.gz", gzip.compress(npy_header("<f8", "(1000000000000, 3)") + bytes(96)),
     {}, ["to more than"]),
    ("objects.npz", npz(X=OBJECTS), {}, ["is a pickle"]),
    ("cut.npz", npz(X=X)[:-30], {}, ["damaged or truncated"]),
    ("long header.npz", archive({"X.npy": LONG_HEADER}), {}, ["4294967280 bytes"]),
    ("two arrays.npz", npz(X=X, Y=X + 1), {}, ["2 arrays", "key=…", "X (3, 2), Y (3, 2)"]),
    ("no such array.npz", npz(X=X, Y=X + 1), {"key": "Z"}, ["'Z'", "X (3, 2), Y (3, 2)"]),
    ("claims more.npz", archive({"X.npy": npy_header("<f8", "(3, 2)") + bytes(16)}), {},
     ["'X'", "(3, 2)", "16 bytes"]),
    ("true.npz", archive({"X.npy": npy_header("<f8", "(True, 2)") + bytes(16)}), {}, ["(True, 2)"]),
    ("true.npy.gz", gzip.compress(npy_header("<f8", "(True, 2)") + bytes(16)), {}, ["(True, 2)"]),
    ("of no size.npz", archive({"X.npy": npy_header("<U0", "(10000000000, 2)")}), {}, ["'X'", "<U0"]),
    ("million millions.npz", archive({"X.npy": npy_header("<f8", "(1000000000000, 3)") + bytes(96)}),
     {}, ["'X'", "96 bytes"]),
    ("lzma.npz", archive({"X.npy": npy(X)}, zipfile.ZIP_LZMA), {}, ["'X.npy'", "method 14", "numpy.savez"]),
    ("eight bits.safetensors", tensor(TENSOR.replace("F32", "F8_E4M3")), {}, ["'X'", "F8_E4M3", "BF16"]),
    ("no such tensor.safetensors", tensor(TENSOR), {"key": "Z"}, ["'Z'", "X (2, 2)"]),
    ("one axis.safetensors", tensor(TENSOR.replace("2,2", "4")), {"key": "X"}, ["(4,)", "two axes"]),
    ("cut.safetensors", tensor(TENSOR, bytes(13)), {}, ["damaged or truncated"]),
    ("cut header.safetensors", tensor(TENSOR)[:40], {}, ["inside its header"]),
    ("half.safetensors", tensor(TENSOR.replace("16]", "8]")), {"key": "X"}, ["damaged or truncated"]),
    ("negative.safetensors", tensor(TENSOR.replace("2,2", "-2,-2")), {"key": "X"}, ["'X'", "(-2, -2)"]),
    ("before.safetensors", tensor(TENSOR.replace("0,16", "-8,8"), bytes(8)), {"key": "X"}, ["'X'"]),
    ("no shape.safetensors", tensor(TENSOR.replace("[2,2]", "[2.5,2]")), {"key": "X"}, ["'X'", "shape"]),
    ("long header.safetensors", tensors("{" + " " * (5 << 20) + "}"), {}, ["5 MB"]),
    # Columns of Parquet.
    ("ragged.parquet", parquet(e=[[1.0, 2], [1.0]]), {}, ["row 1, column 'e'", "1 numbers", "expected 2"]),
    ("missing.parquet", parquet(e=[[1.0, 2], None]), {}, ["row 1, column 'e'", "missing"]),
    ("empty list.parquet", parquet(e=pa.array([[]], pa.list_(pa.float32()))), {},
     ["row 0, column 'e'", "0 numbers"]),
    ("texts.parquet", parquet(e=[["a"]]), {}, ["column 'e'", "string", "no numbers"]),
    ("lists of lists.parquet", parquet(e=[[[1.0]]]), {}, ["column 'e'", "no numbers"]),
    ("NaN.parquet", parquet(x=[1.0, np.nan]), {}, ["row 1, column 'x'", "nan"]),
    ("nothing.parquet", parquet(x=pa.array([], pa.float64())), {}, ["at least one"]),
    ("two lists.parquet", parquet(a=[[1.0]], b=[[2.0]], n=[1]), {}, ["2 columns", "'a', 'b'", "column=…"]),
    ("no such list.parquet", parquet(body=[[1.0]], n=[1]), {"column": "bdy"}, ["'bdy'", "near it: body"]),
    ("no list.parquet", parquet(body=[[1.0]], n=[1]), {"column": "n"}, ["column 'n'", "lists of numbers"]),
    ("no such column.parquet", parquet(a=[1.0], b=[2.0]), {"columns": "y*"}, ["'y*'", "'a', 'b'"]),
    ("no column left.parquet", parquet(a=[1.0], b=[2.0]), {"columns": "a", "drop": "a"},
     ["no column left"]),
    # Options that say nothing about a file.
    ("key.npy", npy(X), {"key": "X"}, ["key", "leave key out"]),
    ("column.npy", npy(X), {"column": "e"}, ["column is 'e'", "leave column out"]),
    ("drop.npy", npy(X), {"drop": ["a"]}, ["drop is ['a']", "leave drop out"]),
    ("format.npy", npy(X), {"format": "parquet"}, ["'parquet'", "is npy by its content"]),
]  # fmt: skip

#: The file, its content, and what the message of `load_word_vectors` has to name.
WORD_VECTOR_FILES = [
    ("lengths.npz", npz(words=np.array(["a", "b"]), vectors=np.ones((3, 2))), ["2 words and 3 vectors"]),
    ("twice.npz", npz(words=np.array(["a", "a"]), vectors=np.ones((2, 2))), ["'a'", "more than once"]),
    ("no words.npz", npz(X=X), ["'words'", "arrays X"]),
    ("NaN.npz", npz(words=np.array(["a", "b", "c"]), vectors=np.where(X > 4, np.nan, X)), ["row 2"]),
    ("beyond float32.npz", npz(words=np.array(["a", "b", "c"]), vectors=1e300 * X), ["float32"]),
    ("objects.npz", npz(words=np.array(["a"], dtype=object), vectors=np.ones((1, 2))), ["is a pickle"]),
    ("no text.npz", npz(words=HALF_A_PAIR, vectors=np.eye(2)), ["words", "invalid characters"]),
    ("beyond.npz", npz(words=BEYOND_UNICODE, vectors=np.eye(2)), ["words", "invalid characters"]),
    ("numbers.npy", npy(X), ["npy", "isotropy_report.io.read"]),
    ("same names.jsonl", json_lines({"id": 1, "v": [1, 2]}, {"id": 1, "v": [1, 3]}), ["id"]),
]

CASES = [
    *((read, name, content, {}, expected) for name, content, expected in WORD_FILES),
    *((load_word_vectors, name, content, {}, expected) for name, content, expected in WORD_FILES),
    *((read, *case) for case in FILES),
    *((load_word_vectors, name, content, {}, expected) for name, content, expected in WORD_VECTOR_FILES),
]


@pytest.mark.parametrize(
    ("load", "name", "content", "options", "expected"), CASES, ids=[f"{c[0].__name__} {c[1]}" for c in CASES]
)
def test_errors_name_the_file_and_the_cause(tmp_path, load, name, content, options, expected):
    path = save(tmp_path, name, content)
    with pytest.raises(ValueError) as caught:
        load(path, **options)
    message = str(caught.value)
    assert str(path) in message
    assert [text for text in expected if text not in message] == []
    assert len(message) < 1000 + len(str(path))


@pytest.mark.parametrize("kind", ["doc", "digits", "when", "took", "price", "good", "none"])
def test_error_names_a_column_without_numbers(tmp_path, kind):
    """Read as dimensions, such columns would silently change IsoScore from 0.997 to 0.0001 or 0."""
    values = {
        "doc": list("abc"),
        "digits": list("123"),
        "when": [pd.Timestamp("2024-01-01").to_pydatetime()] * 3,
        "took": [pd.Timedelta("1s").to_pytimedelta()] * 3,
        "price": pa.array(range(3), pa.decimal128(10, 2)),
        "good": [True] * 3,
        "none": pa.nulls(3),
    }[kind]
    path = save(tmp_path, "x.parquet", parquet(x0=X[:, 0], x1=X[:, 1], **{kind: values}))
    with pytest.raises(ValueError, match=rf"x\.parquet: column '{kind}' .*drop=\['{kind}'\]"):
        read(path)
    np.testing.assert_array_equal(read(path, drop=kind), X)
    np.testing.assert_array_equal(read(path, columns="x*"), X)


#: A call, its error, and what the message has to name.
CALLS = [
    (lambda: load_word_vectors("glove-weet"), ValueError,
     ["'glove-weet'", "near it: glove-weat", "glove-pool"]),
    (lambda: load_word_vectors("glove-weat", limit=0), ValueError, ["limit"]),
    (lambda: load_word_vectors(3), TypeError, ["name_or_path is int 3"]),
    (lambda: read(b"x"), TypeError, ["path is bytes"]),
    (lambda: read(""), ValueError, ["path is ''"]),
    (lambda: read("a\0b.txt"), FileNotFoundError, ["does not exist"]),
    (lambda: read("none/x.bin"), FileNotFoundError, ["none/x.bin", "does not exist"]),
    (lambda: read(tempfile.mkdtemp()), IsADirectoryError, ["is a folder"]),
    (lambda: read("x", header=0), TypeError, ["header is int 0"]),
    (lambda: read("x", column=3), TypeError, ["column is int 3"]),
    (lambda: read("x", drop=3), TypeError, ["drop is int 3", "names of columns"]),
    (lambda: read("x", format="pdf"), ValueError, ["'pdf'", "parquet"]),
    (lambda: read("x", max_bytes=0), ValueError, ["max_bytes is 0"]),
    (lambda: wikipedia_sentences(n=0), ValueError, ["n is 0", "from 1 to 1"]),
    (lambda: wikipedia_sentences(n=10**6), ValueError, ["n is 1000000"]),
    (lambda: wikipedia_sentences(n=2.5), TypeError, ["n is 2.5"]),
    (lambda: WordVectors("cat", np.eye(3)), TypeError, ["words is str 'cat'"]),
    (lambda: WordVectors(["cat", "dog"], np.eye(3)), ValueError, ["2 words", "3 rows"]),
    (lambda: WordVectors(["cat", "dog", "cat"], np.eye(3)), ValueError, ["'cat'", "more than once"]),
    (lambda: WordVectors(["cat", "dog", 3], np.eye(3)), TypeError, ["words[2] is int 3"]),
    (lambda: WordVectors(["cat"], np.ones(3)), ValueError, ["vectors has 1 axes"]),
    (lambda: WordVectors(["cat", "dog"], [[1, 2], [3, np.nan]]), ValueError, ["vectors", "row 1"]),
    (lambda: WordVectors(["cat"], [[1j, 2]]), TypeError, ["vectors", "complex"]),
    (lambda: WordVectors.from_gensim({}), TypeError, ["keyed is dict", "KeyedVectors"]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "expected"), CALLS)
def test_errors_name_invalid_arguments(call, error, expected):
    with pytest.raises(error) as caught:
        call()
    assert [text for text in expected if text not in str(caught.value)] == []


TEXTS = [
    ("one text", {}, TypeError, ["sentences is a single str"]),
    (3, {}, TypeError, ["sentences is int 3"]),
    ([], {}, ValueError, ["sentences is empty"]),
    (["a", " \n", "\t"], {}, ValueError, ["sentences[1] is empty", "2 in all"]),
    (["a", None], {}, TypeError, ["sentences[1] is NoneType"]),
    (["\u200b\ufeff"], {}, ValueError, ["sentences[0]", "no tokens"]),
    (["a"], {"max_tokens": 513}, ValueError, ["max_tokens is 513"]),
    (["a"], {"max_tokens": 2}, ValueError, ["max_tokens is 2"]),
]


@pytest.mark.parametrize(("texts", "options", "error", "expected"), TEXTS)
def test_errors_name_invalid_sentences(tmp_path, texts, options, error, expected):
    from reanalyses.corpora import cached_encoding

    pytest.importorskip("tokenizers")
    for call in (
        MiniLM().encode,
        MiniLM().hidden_states,
        lambda *a, **k: cached_encoding(*a, cache=tmp_path, **k),
    ):
        with pytest.raises(error) as caught:
            call(texts, **options)
        assert [text for text in expected if text not in str(caught.value)] == []
    assert list(tmp_path.iterdir()) == []  # nothing is kept


def test_error_names_a_missing_package_and_its_installation(tmp_path, monkeypatch):
    def missing(module):
        raise ModuleNotFoundError(module, name=module)

    path = save(tmp_path, "x.parquet", parquet(x=[1.0]))
    monkeypatch.setattr("isotropy_report._extras.importlib.import_module", missing)
    with pytest.raises(ImportError, match=r"x\.parquet.* pyarrow.*`python -m pip install pyarrow`"):
        read(path)
    with pytest.raises(ImportError, match=r'explore_map.* ipywidgets.*install "isotropy-lab\[widgets\]"'):
        explore_map(X, X)
