"""Tests that files of all formats are recognized by content and read without changes."""

import gzip

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save_file

from isotropy_report.io import WordVectors, load_word_vectors, read
from isotropy_report.io.formats import detect
from tests.isotropy_report.io.making import VECTORS, WORDS, binary_rows, npy, npz, save, tensors, text_rows


@pytest.fixture
def keyed_vectors():
    vectors = KeyedVectors(5)
    vectors.add_vectors(WORDS, VECTORS)
    return vectors


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("name", ["vectors.txt", "vectors.bin", "no-suffix", "misleading.csv"])
def test_files_of_gensim_are_read(tmp_path, keyed_vectors, binary, name):
    """The format is recognized by content: the same bytes load under any name."""
    path = tmp_path / name
    keyed_vectors.save_word2vec_format(str(path), binary=binary)
    loaded = load_word_vectors(path)
    assert loaded.index_to_key == WORDS
    np.testing.assert_allclose(loaded.vectors, VECTORS, rtol=1e-6)
    np.testing.assert_array_equal(read(path), loaded.vectors)
    assert detect(path) == ("word2vec-binary" if binary else "word2vec-text")


@pytest.mark.parametrize("packed", [False, True])
def test_glove_files_are_read(tmp_path, packed):
    content = text_rows().encode()
    path = save(tmp_path, "glove.txt", gzip.compress(content) if packed else content)
    loaded = load_word_vectors(str(path))
    assert loaded.index_to_key == WORDS
    np.testing.assert_array_equal(loaded.vectors, VECTORS)
    np.testing.assert_array_equal(read(path), VECTORS)


UNUSUAL_WORDS = [
    ["the", ". . .", "at name@domain.com"],
    *([odd, "the", "cat"] for odd in ("PK", "PAR1", "{", "[1]", "[[")),
]


@pytest.mark.parametrize("words", UNUSUAL_WORDS)
def test_unusual_words_are_read(tmp_path, words):
    """The largest GloVe files contain words with spaces, and words that begin like an archive or JSON."""
    loaded = load_word_vectors(save(tmp_path, "g.txt", text_rows(words, VECTORS[:3])))
    assert loaded.index_to_key == words


@pytest.mark.parametrize("vectors", [VECTORS, np.full((6, 5), 180493, np.float32)], ids=["any", "letters"])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_binary_rows_may_end_with_a_line_break_or_look_like_text(tmp_path, vectors, end):
    """As word2vec's own program writes them; gensim leaves the break out. The bytes of 180493 are @C0H."""
    loaded = load_word_vectors(save(tmp_path, "w.bin", b"6 5\n" + binary_rows(vectors=vectors, end=end)))
    assert loaded.index_to_key == WORDS
    np.testing.assert_array_equal(loaded.vectors, vectors)


def test_fasttext_is_read_as_text_but_not_as_binary(tmp_path):
    model = FastText(
        [["cats", "and", "dogs"]] * 5, vector_size=8, min_count=1, bucket=50, epochs=1, workers=1
    )
    path = tmp_path / "model.bin"
    save_facebook_model(model, str(path))
    model.wv.save_word2vec_format(str(tmp_path / "model.vec"))
    assert len(load_word_vectors(tmp_path / "model.vec")) == 3
    for reader in (read, load_word_vectors):
        with pytest.raises(ValueError, match=r"load_facebook_vectors.*WordVectors\.from_gensim"):
            reader(path)
    loaded = WordVectors.from_gensim(load_facebook_vectors(str(path)))
    assert loaded.index_to_key == model.wv.index_to_key
    np.testing.assert_allclose(loaded.vectors, model.wv.vectors, rtol=1e-5)


def test_npz_files_with_words_are_read(tmp_path):
    for words in (np.array(WORDS), np.array(WORDS).astype(">U6")):  # of either byte order
        path = save(tmp_path, "v.npz", npz(words=words, vectors=VECTORS.astype(np.float16)))
        loaded = load_word_vectors(path, limit=4)
        assert loaded.index_to_key == WORDS[:4]
        assert loaded.vectors.dtype == np.float32
        assert read(path).shape == (6, 5)  # the only array with two axes


@pytest.mark.parametrize("binary", [False, True])
def test_limit_reads_the_first_words_of_a_truncated_file(tmp_path, keyed_vectors, binary):
    path = tmp_path / "w"
    keyed_vectors.save_word2vec_format(str(path), binary=binary)
    save(tmp_path, "cut", path.read_bytes()[:-7])
    assert load_word_vectors(tmp_path / "cut", limit=3).index_to_key == WORDS[:3]


@settings(max_examples=40, deadline=None)
@given(
    words=st.lists(
        st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12),
        min_size=2, max_size=8, unique=True,
    ),
    n=st.integers(2, 6),
    data=st.data(),
    binary=st.booleans(),
)  # fmt: skip
def test_written_words_are_read_unchanged(tmp_path_factory, words, n, data, binary):
    numbers = st.floats(-1e6, 1e6, width=32, allow_subnormal=False)
    vectors = data.draw(arrays(np.float32, (len(words), n), elements=numbers))
    path = tmp_path_factory.mktemp("words") / "w2v"
    keyed_vectors = KeyedVectors(n)
    keyed_vectors.add_vectors(words, vectors)
    keyed_vectors.save_word2vec_format(str(path), binary=binary)
    assert detect(path) == ("word2vec-binary" if binary else "word2vec-text")
    loaded = load_word_vectors(path)
    assert loaded.index_to_key == words
    np.testing.assert_allclose(loaded.vectors, vectors, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int32])
def test_npy_files_are_memory_mapped(tmp_path, dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    mapped = read(save(tmp_path, "x.npy", npy(X)), format="npy")
    assert isinstance(mapped, np.memmap)
    assert mapped.dtype == dtype
    np.testing.assert_array_equal(mapped, X)


@pytest.mark.parametrize("order", ["C", "F"])
def test_compressed_arrays_are_read(tmp_path, order):
    X = np.asarray(VECTORS, order=order)
    np.savez(tmp_path / "one.npz", X=X, labels=np.arange(3))
    np.savez_compressed(tmp_path / "two.npz", X=X + 1, Y=X)
    save(tmp_path, "x.npy.gz", gzip.compress(npy(X)))
    for name, key in (("one.npz", None), ("two.npz", "Y"), ("x.npy.gz", None)):
        vectors = read(tmp_path / name, key=key)
        assert vectors.dtype == np.float32
        np.testing.assert_array_equal(vectors, VECTORS)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16])
def test_safetensors_are_read(tmp_path, dtype):
    """The package reads tensors without safetensors, which is not available in a browser."""
    X = np.arange(12).reshape(4, 3).astype(dtype)
    others = {"bias": np.zeros(3), "none": np.zeros(0), "scale": np.array(2.0)}
    save_file({"X": X, **others}, tmp_path / "x.safetensors", metadata={"format": "pt"})
    vectors = read(tmp_path / "x.safetensors")
    assert vectors.dtype == dtype
    np.testing.assert_array_equal(vectors, X)


def test_bfloat16_becomes_float32_exactly(tmp_path):
    """Every bfloat16 is the float32 with the same upper half and zeros below; torch and ml_dtypes agree."""
    X = np.array([[1.0, -2.5, 0.0], [3.140625, 2.0**-130, -(2.0**100)]], np.float32)
    halves = (X.view(np.uint32) >> 16).astype("<u2")
    assert ((halves.astype(np.uint32) << 16).view(np.float32) == X).all()  # all of these are bfloat16
    header = '{"bias":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},'
    header += '"X":{"dtype":"BF16","shape":[2,3],"data_offsets":[16,28]}}'
    vectors = read(save(tmp_path, "x.safetensors", tensors(header, bytes(16) + halves.tobytes())))
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, X)


@pytest.mark.parametrize("length", [128, 384, 640])
def test_header_length_may_look_like_a_pickle(tmp_path, length):
    header = '{"X":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}'.ljust(length)
    vectors = read(save(tmp_path, "x.safetensors", tensors(header)))
    np.testing.assert_array_equal(vectors, np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "1,2\n3,4.5\n"),
        ("a.csv", "x,y\n1,2\n3,4.5\n"),
        ("a.csv", '"x","y"\n"1","2"\n"3","4.5"\n'),
        ("a.csv", "1,2\n\n  \n3,4.5\n"),
        ("a.csv", b"\xef\xbb\xbf1,2\r\n3,4.5\r\n"),
        ("a.csv", "1,2\r3,4.5\r"),
        ("a.csv", gzip.compress(b"x,y\n1,2\n3,4.5\n", mtime=0)),
        ("a.tsv", "1\t2\n3\t4.5\n"),
        ("a.tsv", "x\ty\n1\t2\n3\t4.5\n"),
        ("a.txt", " 1e0   2.0\n 3 4.5\n"),
        ("a.txt", "1 2\r\n3 4.5\r"),
        ("a.dat", "1,2\n3,4.5\n"),
    ],
)
def test_tables_are_read(tmp_path, name, content):
    np.testing.assert_array_equal(read(save(tmp_path, name, content)), [[1, 2], [3, 4.5]])


@pytest.mark.parametrize("delimiter", [" ", ",", "\t"])
def test_comments_of_numpy_are_skipped(tmp_path, delimiter):
    X = np.random.default_rng(0).standard_normal((4, 3))
    np.savetxt(tmp_path / "x.txt", X, delimiter=delimiter, header="two lines\nx y z")
    np.testing.assert_array_equal(read(tmp_path / "x.txt"), X)


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("x.csv", "0,1,2\n.5,2,3\n", [[0, 1, 2], [0.5, 2, 3]]),  # as pandas writes names of columns
        ("x.txt", "0 1 2\n.5 2 3\n", [[0, 1, 2], [0.5, 2, 3]]),
        ("x.csv", "1990,1991\n2,3\n", [[1990, 1991], [2, 3]]),
        ("x.csv", "x,nan\n2,3\n", None),
        ("x.txt", "x y z\n1 2 3\n4 5 6\n", None),
    ],
)
def test_header_option_decides_the_first_line(tmp_path, name, content, rows):
    path = save(tmp_path, name, content)
    assert len(read(path, header=True)) == content.count("\n") - 1
    if rows is None:
        with pytest.raises(ValueError, match=r"line 1, column 1: 'x' is not a finite number"):
            read(path, header=False)
    else:
        assert read(path, header=False).tolist() == rows


@pytest.mark.parametrize("load", [read, load_word_vectors])
def test_missing_last_line_break_causes_a_warning(tmp_path, load):
    with pytest.warns(UserWarning, match=r"g\.txt does not end with a line break"):
        load(save(tmp_path, "g.txt", "a 1 2\nb 3 4.5"))


def test_long_glove_files_may_begin_with_a_number(tmp_path):
    words = ["1990", *(f"word{i}" for i in range(4_000))]
    path = save(tmp_path, "long.txt", text_rows(words, np.full((len(words), 5), 0.5)))
    assert path.stat().st_size > 1 << 16
    assert load_word_vectors(path).index_to_key == words


@pytest.mark.parametrize(
    ("byte", "kind"),
    [(8, "word2vec-binary"), (9, "word2vec-text"), (13, "word2vec-text"), (14, "word2vec-binary"),
     (0xC3, "word2vec-binary")],
)  # fmt: skip
def test_format_of_rows_with_a_repeated_byte(tmp_path, byte, kind):
    """Control characters, and 0xc3 alone, which is invalid UTF-8, mark rows as binary numbers."""
    row = bytes([byte]) * 80_000
    path = save(tmp_path, "long", b"2 20000\n" + b"".join(word + b" " + row for word in (b"a", b"b")))
    assert detect(path) == kind
    if kind == "word2vec-binary":
        assert load_word_vectors(path)["b"][-1] == np.frombuffer(4 * bytes([byte]), dtype="<f4")[0]


def test_binary_row_of_digits_is_not_taken_for_text(tmp_path):
    """The bytes of two float32 numbers may be digits; the rows after them are not, also in long files."""
    digits = np.frombuffer(b"1 2 3 45", dtype="<f4")
    rows = [digits, *(np.array([i, -i], dtype="<f4") for i in range(9_000))]
    words = [f"word{i}" for i in range(9_001)]
    path = save(tmp_path, "long.bin", b"9001 2\n" + binary_rows(words, rows, end=b"\n"))
    assert path.stat().st_size > 1 << 16
    assert detect(path) == "word2vec-binary"
    assert (load_word_vectors(path)["word0"] == digits).all()


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("n", [4_000, 9_000])
def test_number_cut_by_the_examined_block_is_not_a_word(tmp_path, n, separator):
    """The examined 64 KiB end in the first or second row, at any position of a number like -1.234e-01."""
    X = np.random.default_rng(0).standard_normal((3, n))
    rows = [separator.join(f"{x:+.3e}" for x in row) for row in X]
    for shift in range(11):
        path = save(tmp_path, "long.txt", " " * shift + "\n".join(rows) + "\n")
        assert detect(path) == "numbers", shift
    np.testing.assert_allclose(read(path), X, rtol=1e-3)
