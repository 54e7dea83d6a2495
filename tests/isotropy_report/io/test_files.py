"""Tests that files of each format are recognized by content and read without changes."""

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
def keyed():
    vectors = KeyedVectors(5)
    vectors.add_vectors(WORDS, VECTORS)
    return vectors


# --- words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("name", ["vectors.txt", "vectors.bin", "no-suffix", "misleading.csv"])
def test_what_gensim_writes_comes_back(tmp_path, keyed, binary, name):
    """The format is told from the content: the same bytes load under any name."""
    path = tmp_path / name
    keyed.save_word2vec_format(str(path), binary=binary)
    loaded = load_word_vectors(path)
    assert loaded.index_to_key == WORDS
    np.testing.assert_allclose(loaded.vectors, VECTORS, rtol=1e-6)
    np.testing.assert_array_equal(read(path), loaded.vectors)
    assert detect(path) == ("word2vec-binary" if binary else "word2vec-text")


@pytest.mark.parametrize("packed", [False, True])
def test_glove_text(tmp_path, packed):
    content = text_rows().encode()
    path = save(tmp_path, "glove.txt", gzip.compress(content) if packed else content)
    loaded = load_word_vectors(str(path))
    assert loaded.index_to_key == WORDS
    np.testing.assert_array_equal(loaded.vectors, VECTORS)
    np.testing.assert_array_equal(read(path), VECTORS)


ODD = [
    ["the", ". . .", "at name@domain.com"],
    *([odd, "the", "cat"] for odd in ("PK", "PAR1", "{", "[1]", "[[")),
]


@pytest.mark.parametrize("words", ODD)
def test_odd_words_are_words(tmp_path, words):
    """The largest GloVe files hold words with spaces, and words that begin as an archive or JSON does."""
    loaded = load_word_vectors(save(tmp_path, "g.txt", text_rows(words, VECTORS[:3])))
    assert loaded.index_to_key == words


@pytest.mark.parametrize("vectors", [VECTORS, np.full((6, 5), 180493, np.float32)], ids=["any", "letters"])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_binary_rows_may_end_with_a_line_break_and_look_like_letters(tmp_path, vectors, end):
    """As word2vec's own program writes them; gensim leaves the break out. The bytes of 180493 are @C0H."""
    loaded = load_word_vectors(save(tmp_path, "w.bin", b"6 5\n" + binary_rows(vectors=vectors, end=end)))
    assert loaded.index_to_key == WORDS
    np.testing.assert_array_equal(loaded.vectors, vectors)


def test_text_of_fasttext_is_read_and_its_binary_is_left_to_gensim(tmp_path):
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


def test_npz_with_words(tmp_path):
    for words in (np.array(WORDS), np.array(WORDS).astype(">U6")):  # of either byte order
        path = save(tmp_path, "v.npz", npz(words=words, vectors=VECTORS.astype(np.float16)))
        loaded = load_word_vectors(path, limit=4)
        assert loaded.index_to_key == WORDS[:4]
        assert loaded.vectors.dtype == np.float32
        assert read(path).shape == (6, 5)  # the only array with two axes


@pytest.mark.parametrize("binary", [False, True])
def test_limit_reads_the_first_words_even_of_a_truncated_file(tmp_path, keyed, binary):
    path = tmp_path / "w"
    keyed.save_word2vec_format(str(path), binary=binary)
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
def test_any_words_survive_writing_and_reading(tmp_path_factory, words, n, data, binary):
    numbers = st.floats(-1e6, 1e6, width=32, allow_subnormal=False)
    vectors = data.draw(arrays(np.float32, (len(words), n), elements=numbers))
    path = tmp_path_factory.mktemp("words") / "w2v"
    keyed = KeyedVectors(n)
    keyed.add_vectors(words, vectors)
    keyed.save_word2vec_format(str(path), binary=binary)
    assert detect(path) == ("word2vec-binary" if binary else "word2vec-text")
    loaded = load_word_vectors(path)
    assert loaded.index_to_key == words
    np.testing.assert_allclose(loaded.vectors, vectors, rtol=1e-6)


# --- arrays -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int32])
def test_npy_is_mapped_and_not_copied(tmp_path, dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    mapped = read(save(tmp_path, "x.npy", npy(X)), format="npy")
    assert isinstance(mapped, np.memmap)
    assert mapped.dtype == dtype
    np.testing.assert_array_equal(mapped, X)


@pytest.mark.parametrize("order", ["C", "F"])
def test_packed_arrays(tmp_path, order):
    X = np.asarray(VECTORS, order=order)
    np.savez(tmp_path / "one.npz", X=X, labels=np.arange(3))
    np.savez_compressed(tmp_path / "two.npz", X=X + 1, Y=X)
    save(tmp_path, "x.npy.gz", gzip.compress(npy(X)))
    for name, key in (("one.npz", None), ("two.npz", "Y"), ("x.npy.gz", None)):
        found = read(tmp_path / name, key=key)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, VECTORS)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16])
def test_tensors(tmp_path, dtype):
    """Tensors are read by ourselves, the same in a browser, which lacks their package."""
    X = np.arange(12).reshape(4, 3).astype(dtype)
    others = {"bias": np.zeros(3), "none": np.zeros(0), "scale": np.array(2.0)}
    save_file({"X": X, **others}, tmp_path / "x.safetensors", metadata={"format": "pt"})
    found = read(tmp_path / "x.safetensors")
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, X)


def test_bfloat16_becomes_float32_exactly(tmp_path):
    """Every bfloat16 is the float32 with the same upper half and zeros below; torch and ml_dtypes agree."""
    X = np.array([[1.0, -2.5, 0.0], [3.140625, 2.0**-130, -(2.0**100)]], np.float32)
    halves = (X.view(np.uint32) >> 16).astype("<u2")
    assert ((halves.astype(np.uint32) << 16).view(np.float32) == X).all()  # all of these are bfloat16
    header = '{"bias":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},'
    header += '"X":{"dtype":"BF16","shape":[2,3],"data_offsets":[16,28]}}'
    found = read(save(tmp_path, "x.safetensors", tensors(header, bytes(16) + halves.tobytes())))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize("length", [128, 384, 640])
def test_a_header_whose_length_begins_like_a_pickle(tmp_path, length):
    header = '{"X":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}'.ljust(length)
    found = read(save(tmp_path, "x.safetensors", tensors(header)))
    np.testing.assert_array_equal(found, np.zeros((2, 2)))


# --- tables -------------------------------------------------------------------------------------------------


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
def test_tables(tmp_path, name, content):
    np.testing.assert_array_equal(read(save(tmp_path, name, content)), [[1, 2], [3, 4.5]])


@pytest.mark.parametrize("delimiter", [" ", ",", "\t"])
def test_comments_that_numpy_writes_above_numbers_are_left_out(tmp_path, delimiter):
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
def test_header_says_what_the_first_line_is(tmp_path, name, content, rows):
    path = save(tmp_path, name, content)
    assert len(read(path, header=True)) == content.count("\n") - 1
    if rows is None:
        with pytest.raises(ValueError, match=r"line 1, column 1: 'x' is not a finite number"):
            read(path, header=False)
    else:
        assert read(path, header=False).tolist() == rows


@pytest.mark.parametrize("load", [read, load_word_vectors])
def test_text_without_a_last_line_break_may_be_cut(tmp_path, load):
    with pytest.warns(UserWarning, match=r"g\.txt does not end with a line break"):
        load(save(tmp_path, "g.txt", "a 1 2\nb 3 4.5"))


# --- files longer than the 64 KiB by which the format is told -----------------------------------------------


def test_a_long_glove_file_may_begin_with_a_number(tmp_path):
    words = ["1990", *(f"word{i}" for i in range(4_000))]
    path = save(tmp_path, "long.txt", text_rows(words, np.full((len(words), 5), 0.5)))
    assert path.stat().st_size > 1 << 16
    assert load_word_vectors(path).index_to_key == words


@pytest.mark.parametrize(
    ("byte", "kind"),
    [(8, "word2vec-binary"), (9, "word2vec-text"), (13, "word2vec-text"), (14, "word2vec-binary"),
     (0xC3, "word2vec-binary")],
)  # fmt: skip
def test_long_rows_of_one_byte(tmp_path, byte, kind):
    """What no text holds makes them numbers: control characters, and 0xc3 alone, which is no UTF-8."""
    row = bytes([byte]) * 80_000
    path = save(tmp_path, "long", b"2 20000\n" + b"".join(word + b" " + row for word in (b"a", b"b")))
    assert detect(path) == kind
    if kind == "word2vec-binary":
        assert load_word_vectors(path)["b"][-1] == np.frombuffer(4 * bytes([byte]), dtype="<f4")[0]


def test_one_row_whose_bytes_are_digits_makes_no_text(tmp_path):
    """Two float32 may be the letters of numbers; the rows after them are not, also where the file is long."""
    digits = np.frombuffer(b"1 2 3 45", dtype="<f4")
    rows = [digits, *(np.array([i, -i], dtype="<f4") for i in range(9_000))]
    words = [f"word{i}" for i in range(9_001)]
    path = save(tmp_path, "long.bin", b"9001 2\n" + binary_rows(words, rows, end=b"\n"))
    assert path.stat().st_size > 1 << 16
    assert detect(path) == "word2vec-binary"
    assert (load_word_vectors(path)["word0"] == digits).all()


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("n", [4_000, 9_000])
def test_a_number_that_is_cut_is_no_word(tmp_path, n, separator):
    """The 64 KiB end in the first or the second row, at every place of a number such as -1.234e-01."""
    X = np.random.default_rng(0).standard_normal((3, n))
    rows = [separator.join(f"{x:+.3e}" for x in row) for row in X]
    for shift in range(11):
        path = save(tmp_path, "long.txt", " " * shift + "\n".join(rows) + "\n")
        assert detect(path) == "numbers", shift
    np.testing.assert_allclose(read(path), X, rtol=1e-3)
