"""Tests that damaged and hostile files are read correctly or rejected, in little memory, and run no code."""

import gzip
import itertools
import os
import pickle
import re
import tracemalloc
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_report.io import load_word_vectors, read
from isotropy_report.io.formats import detect
from tests.isotropy_report.io.making import (
    VECTORS,
    WORDS,
    Bomb,
    archive,
    binary_rows,
    json_lines,
    npy,
    npy_header,
    parquet,
    save,
    tensors,
    text_rows,
)

TABLE = pd.DataFrame(VECTORS).to_csv(header=False, index=False)
TENSORS = '{"X":{"dtype":"F32","shape":[6,4],"data_offsets":[0,96]}}'
MEMBERS = {"words.npy": npy(np.array(WORDS)), "vectors.npy": npy(VECTORS)}
MANY_WORDS = [f"w{i}" for i in range(300)]  # more than the 64 KiB that are examined
MANY_VECTORS = np.random.default_rng(1).standard_normal((300, 60)).astype(np.float32)
VALID_FILES = {
    "npy": npy(VECTORS),
    "npy in columns": npy(np.asfortranarray(VECTORS.astype(np.float64))),
    "gzipped npy": gzip.compress(npy(VECTORS), mtime=0),
    "npz": archive({"X.npy": npy(VECTORS)}),
    "npz with words": archive(MEMBERS, zipfile.ZIP_DEFLATED),
    "safetensors": tensors(TENSORS, bytes(96)),
    "bfloat16": tensors(TENSORS.replace("F32", "BF16").replace("96", "48"), bytes(48)),
    "csv": ("a,b,c,d,e\n" + TABLE).encode(),
    "csv in quotes": ('"a","b",c,d,e\r\n' + TABLE.replace("\n", "\r\n")).encode(),
    "tsv": TABLE.replace(",", "\t").encode(),
    "numbers": ("# made by numpy\n" + TABLE.replace(",", " ")).encode(),
    "word2vec text": ("6 5\n" + text_rows()).encode(),
    "word2vec binary": b"6 5\n" + binary_rows(),
    "glove": text_rows().encode(),
    "long glove": text_rows(MANY_WORDS, MANY_VECTORS).encode(),
    "long binary": b"300 60\n" + binary_rows(MANY_WORDS, MANY_VECTORS),
    "JSON lines": json_lines(
        *({"id": w, "v": row.tolist()} for w, row in zip(WORDS, VECTORS, strict=True))
    ).encode(),
    "lists": json_lines(*VECTORS.tolist()).encode(),
    "parquet": parquet(a=VECTORS[:, 0], b=VECTORS[:, 1]),
    "parquet of lists": parquet(id=WORDS, v=VECTORS.tolist()),
}  # fmt: skip
#: Insertions at the limits of the formats.
TOKENS = [
    *(b"nan", b"-inf", b"1e400", b",", b" ", b"\t", b"\n", b"\r", b"\r\r\n", b'"', b"#", b"\x00"),
    *(b"9" * 5000, b"1_0", b"1e5", b"PK\x03\x04", b"PAR1"),
    *(b"\xff" * 4, b"99999999999999999999", b"-1", b"(" * 300, b"{'descr'", b"|O8", b"<U0", b"<M8[s]", b"L"),
    *(b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\x85", b"\x1c", b"\xd9\xa1", b"0x1p3"),
    *(b"F8_E4M3", b"BOOL", b"C64", b"[[1,2],[3]]", b"null", b"true", b"NaN", b'"v"', b"{}", b":"),
    *(b"\x93NUMPY\x02\x00", b"\xba\x16\x4f\x2f", b"\x1f\x8b\x08\x00", b"\x80\x04", b"2 3\n", b"\xff\xfe"),
]  # fmt: skip
DTYPES = [
    *("<f4", ">f8", "<f2", "|b1", "<c8", "|O", "<U3", "<M8[s]", "|V0", "<U0", "<U99999999", "f4,f4", "zz"),
    "(2,2)f4",
]
SHAPES = [
    "(6, 4)", "(24, 1)", "(-1, 3)", "(0, 3)", "(3,)", "()", "(2, 3, 4)", "(6, 4.0)", "(6L, 4L)", "[6, 4]",
    "6", "(True, 24)", "(1000000000000, 3)", "(4611686018427387904, 4)", "(99999999999999999999999, 2)",
    "(" * 120 + "6" + ")" * 120,
]  # fmt: skip


def apply_edits(content, edits):
    damaged = bytearray(content)
    for position, removed, inserted in edits:
        position %= len(damaged) + 1
        damaged[position : position + removed] = inserted
    return bytes(damaged)


def join_rows(rows, separator, ends):
    cycle = itertools.cycle(ends)
    return b"".join(separator.join(row) + next(cycle) for row in rows)


def file_of_words(words, kind):
    X = np.ones((len(words), 3), np.float32)
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    binary = b"".join(word + b" " + row.tobytes() for word, row in zip(encoded, X, strict=True))
    text = b"".join(word + b" 1 1 1\n" for word in encoded)
    header = b"%d 3\n" % len(words)
    stored = {"words.npy": npy(np.array(words)), "vectors.npy": npy(X)}
    return {"glove": text, "text": header + text, "binary": header + binary, "npz": archive(stored)}[kind]


def file_with_pickle(value, protocol, kind):
    content, member = pickle.dumps(value, protocol=protocol), npy(np.array([[value]], dtype=object))
    forged = npy_header("<f8", "(2, 2)") + content
    return {"plain": content, "npy": member, "npz": archive({"X.npy": member}), "forged": forged,
            "torch": archive({"model/data.pkl": content}), "word2vec": b"2 2\n" + content}[kind]  # fmt: skip


positions = st.integers(0, 160) | st.integers(0, 1 << 16)  # headers are where one byte matters most
insertions = st.just(b"") | st.binary(max_size=3) | st.sampled_from(TOKENS)
edits = st.lists(st.tuples(positions, st.integers(0, 20), insertions), min_size=1, max_size=3)
valid_files = st.sampled_from(sorted(VALID_FILES)).map(VALID_FILES.get)
headers = st.builds(npy_header, st.sampled_from(DTYPES), st.sampled_from(SHAPES)).map(lambda h: h + bytes(96))
letters = st.characters(codec=None) | st.sampled_from("aé日😀\u0301\u200d\ufeff\xa0\u3000\x85\x1c٣½①\ud800")
cells = st.floats(width=32).map(lambda x: str(x).encode()) | st.sampled_from(
    [b"", b"x", b"1_0", b" 2", b"9" * 400]
)
ends = st.lists(
    st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b"\r\r\n", b"\x0c", b"\xc2\x85"]), min_size=1, max_size=3
)
counts = st.sampled_from([0, 3, 9, 10**6 + 1, 2**31, 10**18 - 1, 10**18])
contents = st.one_of(
    st.builds(apply_edits, valid_files, edits),
    st.builds(apply_edits, valid_files, edits).map(lambda content: gzip.compress(content, mtime=0)),
    st.builds(lambda content, position: content[: position % len(content)], valid_files, positions),
    st.builds(
        lambda edits, method: archive({n: apply_edits(c, edits) for n, c in MEMBERS.items()}, method),
        edits, st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]),
    ),
    headers,
    headers.map(lambda member: archive({"X.npy": member})),
    edits.map(lambda edits: tensors(apply_edits(TENSORS.encode(), edits).decode("latin-1"), bytes(96))),
    st.builds(file_of_words, st.lists(st.text(letters, min_size=1, max_size=6), min_size=1, max_size=5),
              st.sampled_from(["glove", "text", "binary", "npz"])),
    st.builds(join_rows, st.lists(st.lists(cells, max_size=4), max_size=5),
              st.sampled_from([b",", b"\t", b" "]), ends),
    st.builds(lambda n, m, row, times: b"%d %d\n" % (n, m) + row * times, counts, counts,
              st.sampled_from([b"w 1 2 3\n", b"w " + bytes(12), b"x" * 5000]), st.integers(0, 3)),
    st.builds(file_with_pickle, st.sampled_from([Bomb(), [Bomb()], {"vectors": Bomb()}]), st.integers(0, 5),
              st.sampled_from(["plain", "npy", "npz", "forged", "torch", "word2vec"])),
)  # fmt: skip
options = st.sampled_from([{}, {"header": True}, {"header": False}, {"key": "X"}, {"format": "csv"}])
names = st.sampled_from(["x", "x.bin", "x.csv", "x.tsv", "x.txt.gz", "x.npz", "x.jsonl"])


def plain_table(content, separator):
    """Read a table in a simple way, or return None if a cell is not a number."""
    lines = re.split("\r\n|\r|\n", content.decode("utf-8-sig"))
    lines = itertools.dropwhile(lambda line: line.startswith("#"), lines)
    rows = [
        row
        for row in (line.split(separator) for line in lines)
        if len(row) > 1 or any(c.strip() for c in row)
    ]
    try:
        return [[float(cell) for cell in row] for row in rows[1:]]
    except ValueError:
        return None


def assert_read_correctly(path, content, result, options):
    """Assert that rows are finite numbers and words are text, and that tables equal their file."""
    array = result if isinstance(result, np.ndarray) else result.vectors
    kind = options.get("format", detect(path))
    assert array.ndim == 2
    assert 0 not in array.shape
    assert array.dtype.kind in "biuf"
    if array is not result:
        assert array.dtype == np.float32
        assert np.isfinite(array).all()
        assert len(result.key_to_index) == len(array)
        assert [word.encode("utf-8").decode() for word in result.index_to_key] == list(result.key_to_index)
    elif kind in ("csv", "tsv", "numbers"):
        plain = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        if b'"' not in plain:
            rows = plain_table(plain, {"csv": ",", "tsv": "\t", "numbers": None}[kind])
            assert rows is not None
            assert len(array) - len(rows) in (0, 1)
            np.testing.assert_array_equal(
                array[len(array) - len(rows) :], np.reshape(rows, (-1, array.shape[1]))
            )


def try_call(path, content, load, options):
    result, refusal = None, None
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            result = load(path, **options)
    except ValueError as error:
        refusal = str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 2 * len(content) + 1e8
    if refusal is None:
        assert_read_correctly(path, content, result, options)
    else:
        assert str(path) in refusal
        assert len(refusal) < 3000


def try_file(folder, name, content, options):
    path = save(folder, name, content)
    try_call(path, content, read, options)
    try_call(path, content, load_word_vectors, {})
    try_call(path, content, load_word_vectors, {"limit": 3})


@settings(max_examples=150, deadline=None, derandomize=True)
@given(names, contents, options)
def test_damaged_files_are_read_correctly_or_refused(tmp_path_factory, name, content, options):
    try_file(tmp_path_factory.getbasetemp(), name, content, options)


@pytest.mark.rest
@settings(max_examples=5_000 if os.environ.get("ISOTROPY_LAB_FUZZ") else 1_500, deadline=None)
@given(names, contents, options)
def test_many_damaged_files_are_read_correctly_or_refused(tmp_path_factory, name, content, options):
    try_file(tmp_path_factory.getbasetemp(), name, content, options)
