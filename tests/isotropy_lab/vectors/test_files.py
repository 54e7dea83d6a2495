"""Loaders: every format read, every broken file refused with a message that says where."""

import gzip
import io
import pickle
import struct
import zipfile

import numpy as np
import pandas as pd
import pytest
from gensim.models import FastText, KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save_file

from isotropy_lab.vectors import load_word_vectors, read
from isotropy_lab.vectors.formats import detect

WORDS = ["cat", "Käse", "U.S.", "naïve", "dog's", "1990"]
VECTORS = np.random.default_rng(0).standard_normal((6, 5)).astype(np.float32)


@pytest.fixture
def keyed():
    vectors = KeyedVectors(5)
    vectors.add_vectors(WORDS, VECTORS)
    return vectors


def text_rows(words=WORDS, vectors=VECTORS):
    return "".join(
        f"{w} {' '.join(f'{x:.9g}' for x in row)}\n" for w, row in zip(words, vectors, strict=True)
    )


def save(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# --- formats read -----------------------------------------------------------------------------------------------


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


def test_glove_text(tmp_path):
    path = save(tmp_path, "glove.txt", text_rows())
    loaded = load_word_vectors(str(path))
    assert loaded.index_to_key == WORDS
    np.testing.assert_array_equal(loaded.vectors, VECTORS)  # nine digits hold a float32 exactly
    np.testing.assert_array_equal(read(path), VECTORS)


def test_glove_words_with_spaces_in_them(tmp_path):
    """The largest GloVe files hold tokens such as ". . ."."""
    words = ["the", ". . .", "at name@domain.com"]
    loaded = load_word_vectors(save(tmp_path, "g.txt", text_rows(words, VECTORS[:3])))
    assert loaded.index_to_key == words


def test_gzipped_text(tmp_path):
    path = save(tmp_path, "glove.txt.gz", gzip.compress(text_rows().encode()))
    assert load_word_vectors(path).index_to_key == WORDS


def test_binary_rows_that_end_with_a_line_break(tmp_path):
    """As word2vec's own program writes them; gensim leaves the break out."""
    rows = b"".join(w.encode() + b" " + v.tobytes() + b"\n" for w, v in zip(WORDS, VECTORS, strict=True))
    loaded = load_word_vectors(save(tmp_path, "w.bin", b"6 5\n" + rows))
    assert loaded.index_to_key == WORDS
    np.testing.assert_array_equal(loaded.vectors, VECTORS)


def test_fasttext_binary_and_text(tmp_path):
    model = FastText(
        [["cats", "and", "dogs"]] * 5, vector_size=8, min_count=1, bucket=50, epochs=1, workers=1
    )
    from gensim.models.fasttext import save_facebook_model

    path = tmp_path / "model.bin"
    save_facebook_model(model, str(path))
    loaded = load_word_vectors(path)
    np.testing.assert_allclose(loaded["cats"], model.wv["cats"], rtol=1e-5)
    with pytest.raises(
        ValueError, match=r"fastText \.bin; read it with isotropy_lab\.vectors\.load_word_vectors"
    ):
        read(path)
    with pytest.raises(ValueError, match=r"limit is 2, .* can only be read whole"):
        load_word_vectors(path, limit=2)
    cut = save(tmp_path, "cut.bin", path.read_bytes()[:300])
    with pytest.raises(ValueError, match=r"cut\.bin is a fastText \.bin that is truncated"):
        load_word_vectors(cut)
    whole = path.read_bytes()  # after 92 bytes of settings come the words, each with a zero at its end
    endless = save(tmp_path, "endless.bin", whole[:92] + whole[92:].replace(b"\0", b"x"))
    with pytest.raises(ValueError, match=r"3 words do not fit into it|4 words do not fit into it"):
        load_word_vectors(endless)
    for place, number, said in ((8, 0, "3 words of 0"), (68, 0, "0 words of 8"), (68, 9, "9 words of 8")):
        damaged = save(tmp_path, "bad.bin", whole[:place] + struct.pack("<i", number) + whole[place + 4 :])
        with pytest.raises(ValueError, match=rf"damaged: it says {said} dimensions among 3 entries"):
            load_word_vectors(damaged)
    model.wv.save_word2vec_format(str(tmp_path / "model.vec"))
    assert len(load_word_vectors(tmp_path / "model.vec")) == 3


def test_npz_with_words(tmp_path):
    np.savez(tmp_path / "v.npz", words=np.array(WORDS), vectors=VECTORS.astype(np.float16))
    loaded = load_word_vectors(tmp_path / "v.npz", limit=4)
    assert loaded.index_to_key == WORDS[:4]
    assert loaded.vectors.dtype == np.float32
    assert read(tmp_path / "v.npz").shape == (6, 5)  # the only array with two axes


@pytest.mark.parametrize("binary", [False, True])
def test_limit_reads_the_first_words_even_of_a_truncated_file(tmp_path, keyed, binary):
    path = tmp_path / "w"
    keyed.save_word2vec_format(str(path), binary=binary)
    save(tmp_path, "cut", path.read_bytes()[:-7])
    assert load_word_vectors(tmp_path / "cut", limit=3).index_to_key == WORDS[:3]
    assert load_word_vectors(save(tmp_path, "g.txt", text_rows()), limit=2).index_to_key == WORDS[:2]


def test_binary_numbers_whose_bytes_are_letters(tmp_path):
    """A small file can be made of printable characters only: found by the test below."""
    row = np.full(2, 180493, dtype="<f4").tobytes()
    assert row == b"@C0H@C0H"
    for end in (b"", b"\n"):
        loaded = load_word_vectors(save(tmp_path, "w.bin", b"2 2\n0 " + row + end + b"00 " + row + end))
        np.testing.assert_array_equal(loaded.vectors, np.full((2, 2), 180493))


@settings(max_examples=40, deadline=None)
@given(
    words=st.lists(
        st.text(st.characters(blacklist_categories=("C", "Z")), min_size=1, max_size=12),
        min_size=2,
        max_size=8,
        unique=True,
    ),
    n=st.integers(2, 6),
    data=st.data(),
    binary=st.booleans(),
)
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


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int32])
def test_npy_is_mapped_and_not_copied(tmp_path, dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    np.save(tmp_path / "x.npy", X)
    mapped = read(tmp_path / "x.npy")
    assert isinstance(mapped, np.memmap)
    assert mapped.dtype == dtype
    np.testing.assert_array_equal(mapped, X)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "1,2\n3,4.5\n"),
        ("a.csv", "x,y\n1,2\n3,4.5\n"),
        ("a.tsv", "1\t2\n3\t4.5\n"),
        ("a.tsv", "x\ty\n1\t2\n3\t4.5\n"),
        ("a.txt", "1 2\n3 4.5\n"),
        ("a.txt", " 1e0   2.0\n 3 4.5\n"),
        ("a.dat", "1,2\n3,4.5\n"),
        ("a.csv", "1,2\r\n3,4.5\r\n"),
    ],
)
def test_tables(tmp_path, name, content):
    np.testing.assert_array_equal(read(save(tmp_path, name, content)), [[1, 2], [3, 4.5]])


def test_a_gzipped_table_needs_no_suffix(tmp_path):
    for name in ("a.csv.gz", "a.csv"):
        path = save(tmp_path, name, gzip.compress(b"x,y\n1,2\n3,4.5\n"))
        np.testing.assert_array_equal(read(path), [[1, 2], [3, 4.5]])


def test_bfloat16_becomes_float32_exactly(tmp_path):
    """Every bfloat16 is the float32 with the same upper half and zeros below; torch and ml_dtypes agree."""
    X = np.array([[1.0, -2.5, 0.0], [3.140625, 2.0**-130, -(2.0**100)]], np.float32)
    halves = (X.view(np.uint32) >> 16).astype("<u2")
    assert ((halves.astype(np.uint32) << 16).view(np.float32) == X).all()  # all of these are bfloat16
    other = np.arange(4, dtype="<f4").tobytes()
    header = (
        b'{"bias":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},'
        b'"X":{"dtype":"BF16","shape":[2,3],"data_offsets":[16,28]}}'
    )
    path = save(
        tmp_path,
        "x.safetensors",
        struct.pack("<Q", len(header)) + header + other + halves.tobytes(),
    )
    found = read(path)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, X)


def test_a_type_of_eight_bits_is_refused_by_name(tmp_path):
    header = b'{"X":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]}}'
    path = save(tmp_path, "x.safetensors", struct.pack("<Q", len(header)) + header + bytes(4))
    with pytest.raises(ValueError, match=r"'X' has dtype F8_E4M3, .*expected BF16, F16, F32 or F64"):
        read(path)


def test_archives_and_tensors(tmp_path):
    X = np.arange(6.0).reshape(3, 2)
    np.savez(tmp_path / "one.npz", X=X, labels=np.arange(3))
    np.savez_compressed(tmp_path / "two.npz", X=X, Y=X + 1)
    save_file({"X": X, "bias": np.zeros(2)}, tmp_path / "x.safetensors")
    np.testing.assert_array_equal(read(tmp_path / "one.npz"), X)
    np.testing.assert_array_equal(read(tmp_path / "two.npz", key="Y"), X + 1)
    np.testing.assert_array_equal(read(tmp_path / "x.safetensors"), X)
    with pytest.raises(ValueError, match=r"holds 2 arrays with two axes; .*key=… .*X \(3, 2\), Y \(3, 2\)"):
        read(tmp_path / "two.npz")
    with pytest.raises(ValueError, match=r"key is 'Z'; .*holds X \(3, 2\), Y"):
        read(tmp_path / "two.npz", key="Z")
    with pytest.raises(ValueError, match=r"key is 'Z'; .*holds"):
        read(tmp_path / "x.safetensors", key="Z")
    with pytest.raises(ValueError, match=r"shape \(2,\); expected two axes"):
        read(tmp_path / "x.safetensors", key="bias")


def test_parquet_or_the_name_of_the_package_it_needs(tmp_path):
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        path = save(tmp_path, "x.parquet", b"PAR1" + bytes(64) + b"PAR1")
        with pytest.raises(
            ImportError, match=r"x\.parquet needs the package pyarrow: `python -m pip install pyarrow`"
        ):
            read(path)
    else:
        pd.DataFrame({"x": [1.0, 3.0], "y": [2.0, 4.5]}).to_parquet(tmp_path / "x.parquet")
        np.testing.assert_array_equal(read(tmp_path / "x.parquet"), [[1, 2], [3, 4.5]])


# --- names and paths --------------------------------------------------------------------------------------------


def test_unknown_name_says_what_is_near_and_what_exists():
    with pytest.raises(
        ValueError,
        match=r"'glove-weet', which is neither .*near it: glove-weat.*expected glove-weat or glove-pool",
    ):
        load_word_vectors("glove-weet")


@pytest.mark.parametrize("load", [load_word_vectors, read])
def test_paths_without_a_file(tmp_path, load):
    with pytest.raises(FileNotFoundError, match=r"x\.bin: there is no such file"):
        load(tmp_path / "x.bin")
    with pytest.raises(IsADirectoryError, match=r"is a folder; expected a file"):
        load(tmp_path)


def test_wrong_arguments():
    with pytest.raises(TypeError, match=r"name_or_path is int 3; expected the path of a file"):
        load_word_vectors(3)
    with pytest.raises(ValueError, match=r"limit"):
        load_word_vectors("glove-weat", limit=0)


# --- broken files -----------------------------------------------------------------------------------------------

BINARY_ROWS = [w.encode() + b" " + v.tobytes() for w, v in zip(WORDS, VECTORS, strict=True)]

BROKEN = {
    "empty": (b"", "is empty; expected vectors"),
    "blank": (b"  \n \n", "is empty; expected vectors"),
    "truncated text": ("9 5\n" + text_rows(), "is truncated or its header is wrong: it ends after 6 of the 9 words"),
    "text cut inside a row": ("6 5\n" + text_rows()[:-30], r"line 7: the word '1990' has [0-4] numbers, expected 5; is the"),
    "one word more than promised": ("5 5\n" + text_rows(), "line 7: the header promises 5 words, and here is one more: '1990"),
    "wrong dimensions": ("6 4\n" + text_rows(), "line 2: the word 'cat' has 5 numbers, expected 4"),
    "zero words": ("0 5\n" + text_rows(), "line 1: the header says 0 words of 5 dimensions"),
    "ragged": (text_rows() + "mouse 1 2 3\n", "line 7: the word 'mouse' has 3 numbers, expected 5"),
    "ragged, too long": (text_rows() + "mouse 1 2 3 4 5 6\n", "line 7: the word 'mouse' has 6 numbers, expected 5"),
    "no number": (text_rows() + "mouse 1 2 x 4 5\n", "line 7: 'x' in the row of 'mouse' is not a number"),
    "NaN": (text_rows() + "mouse 1 2 nan 4 5\n", "line 7: number 3 of the word 'mouse' is nan; expected finite"),
    "overflow": (text_rows() + "mouse 1 2 1e60 4 5\n", "line 7: number 3 of the word 'mouse' is inf"),
    "twice": (text_rows() + text_rows()[: text_rows().index("\n") + 1], "line 7: the word 'cat' is already at line 1"),
    "not UTF-8": (text_rows().encode() + b"\xff 1 2 3 4 5\n", "line 7: not UTF-8"),
    "truncated binary": (b"6 5\n" + b"".join(BINARY_ROWS)[:-3], "is truncated: it ends at word 6 of the 6 .* inside the numbers of '1990'"),
    "binary with fewer words": (b"8 5\n" + b"".join(BINARY_ROWS), "is truncated: it ends at word 7 of the 8 .* before its name ended"),
    "binary with more words": (b"5 5\n" + b"".join(BINARY_ROWS), "the header promises 5 words, and there is more after them"),
    "binary NaN": (b"6 5\n" + b"".join([*BINARY_ROWS[:5], b"x " + struct.pack("<5f", 1, 2, np.nan, 4, 5)]), "word 6: number 3 of the word 'x' is nan"),
    "binary twice": (b"6 5\n" + b"".join([*BINARY_ROWS[:5], BINARY_ROWS[2]]), r"word 6: the word 'U\.S\.' is already at word 3"),
    "binary, wrong dimensions": (b"6 3\n" + b"".join(BINARY_ROWS * 4), "word [2-6]"),
    "gigantic header": (b"9000000000 300\n" + b"".join(BINARY_ROWS * 60), "is truncated|do the dimensions"),
    "truncated gzip": (gzip.compress(text_rows().encode() * 50)[:-40], "truncated|cannot be decompressed"),
    "other": (b"\x7fELF\x02" + bytes(100), "is not in a known format"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("load", [load_word_vectors, read])
def test_a_broken_file_is_refused_with_the_place(tmp_path, load, content, message):
    path = save(tmp_path, "broken", content)
    with pytest.raises(ValueError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)


class Bomb:
    """Unpickling this would leave a trace."""

    def __reduce__(self):
        return (print, ("a pickle was loaded",))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", ["model.kv", "vectors.npy", "vectors.txt"])
@pytest.mark.parametrize("load", [load_word_vectors, read])
def test_a_pickle_is_refused_and_never_loaded(tmp_path, capsys, protocol, name, load):
    for i, content in enumerate([Bomb(), {"vectors": VECTORS}, [VECTORS]]):
        path = save(tmp_path, f"{i}{name}", pickle.dumps(content, protocol=protocol))
        with pytest.raises(ValueError, match=r"is a pickle.*never unpickled.*save_word2vec_format"):
            load(path)
    assert capsys.readouterr().out == ""


def test_arrays_of_objects_are_pickles(tmp_path, capsys):
    X = np.array([[Bomb(), 1]], dtype=object)
    np.save(tmp_path / "x.npy", X, allow_pickle=True)
    np.savez(tmp_path / "x.npz", X=X)
    for name in ("x.npy", "x.npz"):
        with pytest.raises(ValueError, match=r"is a pickle"):
            read(tmp_path / name)
    np.savez(tmp_path / "w.npz", words=np.array(["a"], dtype=object), vectors=np.ones((1, 2)))
    with pytest.raises(ValueError, match=r"is a pickle"):
        load_word_vectors(tmp_path / "w.npz")
    assert capsys.readouterr().out == ""


def test_gensim_and_torch_files_are_pickles(tmp_path, keyed):
    keyed.save(str(tmp_path / "model.kv"))
    with zipfile.ZipFile(tmp_path / "model.pt", "w") as archive:
        archive.writestr("model/data.pkl", b"\x80\x02.")
    for name in ("model.kv", "model.pt"):
        with pytest.raises(ValueError, match=r"is a pickle"):
            load_word_vectors(tmp_path / name)


def test_broken_arrays(tmp_path):
    buffer = io.BytesIO()
    np.save(buffer, np.ones((50, 4)))
    with pytest.raises(ValueError, match=r"is damaged or truncated"):
        read(save(tmp_path, "cut.npy", buffer.getvalue()[:-9]))
    np.save(tmp_path / "line.npy", np.ones(5))
    with pytest.raises(ValueError, match=r"shape \(5,\); expected two axes"):
        read(tmp_path / "line.npy")
    np.save(tmp_path / "text.npy", np.array([["a", "b"]]))
    with pytest.raises(ValueError, match=r"dtype <U1; expected real numbers"):
        read(tmp_path / "text.npy")
    np.save(tmp_path / "none.npy", np.ones((0, 3)))
    with pytest.raises(ValueError, match=r"there is nothing in it"):
        read(tmp_path / "none.npy")
    np.savez(tmp_path / "x.npz", X=np.ones((50, 4)))
    with pytest.raises(ValueError, match=r"damaged or truncated"):
        read(save(tmp_path, "cut.npz", (tmp_path / "x.npz").read_bytes()[:-30]))
    save_file({"X": np.ones((50, 4))}, tmp_path / "x.safetensors")
    with pytest.raises(ValueError, match=r"damaged or truncated"):
        read(save(tmp_path, "cut.safetensors", (tmp_path / "x.safetensors").read_bytes()[:-30]))
    with pytest.raises(ValueError, match=r"holds one table only; leave key out"):
        read(tmp_path / "line.npy", key="X")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,2\n3,\n", r"line 2, column 2: '' is not a finite number"),
        ("x,y\n1,2\n3,nan\n", "line 3, column 'y': 'nan' is not a finite number"),
        (
            "name,y\ncat,2\ndog,3\n",
            r"line 2, column 'name': 'cat' is not a finite number.*drop columns of text",
        ),
        ("1,2\n3,4,5\n", "is not a regular table: .*line 2"),
        ("x,y\n", "there is nothing in it"),
    ],
)
def test_broken_tables(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        read(save(tmp_path, "x.csv", content))


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("x.csv", "nan,1\n2,3\n4,5\n", "line 1, column 1: 'nan'"),
        ("x.csv", "1.0,O.5\n2,3\n4,5\n", "line 1, column 2: 'O.5'"),
        ("x.csv", "1.O,NA\n2,3\n4,5\n", "line 1, column 1: '1.O'"),
        ("x.csv", "year,1990\n2,3\n", "line 1, column 1: 'year'"),
        ("x.tsv", "a\t\n2\t3\n", "line 1, column 1: 'a'"),
        ("x.txt", "nan 2\n3 4\n5 6\n", "line 1, column 1: 'nan'"),
        ("x.txt", "O.5 2\n3 4\n5 6\n", "line 1, column 1: 'O.5'"),
        ("x.csv", "x,y\n\n1,2\n3,?\n", "line 4, column 'y': '?'"),
        ("x.csv", "1,2\n1_0,2\n", "line 2, column 1: '1_0'"),
    ],
)
def test_a_first_line_with_a_typo_is_not_taken_for_names(tmp_path, name, content, place):
    path = save(tmp_path, name, content)
    with pytest.raises(ValueError, match=place) as caught:
        read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.csv", "0,1,2\n.5,2,3\n"), ("x.tsv", "0\t1\n.5\t2\n"), ("x.txt", "0 1 2\n.5 2 3\n")],
)
def test_the_numbers_that_pandas_writes_as_names_are_no_point_unless_said_so(tmp_path, name, content):
    path = save(tmp_path, name, content)
    with pytest.raises(ValueError, match=r"line 1: .*say header=True .*header=False"):
        read(path)
    assert len(read(path, header=True)) == 1
    assert len(read(path, header=False)) == 2


def test_header_says_what_the_first_line_is(tmp_path):
    assert read(save(tmp_path, "x.csv", "1990,1991\n2,3\n"), header=True).tolist() == [[2, 3]]
    assert read(save(tmp_path, "x.csv", "x,nan\n2,3\n"), header=True).tolist() == [[2, 3]]
    assert read(save(tmp_path, "x.txt", "x y z\n1 2 3\n4 5 6\n"), header=True).tolist() == [
        [1, 2, 3],
        [4, 5, 6],
    ]
    with pytest.raises(ValueError, match=r"line 1, column 1: 'x' is not a finite number"):
        read(save(tmp_path, "x.csv", "x,y\n2,3\n"), header=False)
    with pytest.raises(TypeError, match=r"header is int 0; expected True, False or None"):
        read(tmp_path / "x.csv", header=0)
    np.save(tmp_path / "x.npy", np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"header is True, but .*\(npy\) is not a table in text"):
        read(tmp_path / "x.npy", header=True)


@pytest.mark.parametrize("columns", [["x", "y"], None])
def test_what_pandas_writes_by_default_names_the_option_to_leave_out_the_index(tmp_path, columns):
    pd.DataFrame([[1.0, 2], [3, 4.5]], columns=columns).to_csv(tmp_path / "x.csv")
    with pytest.raises(ValueError, match=r"line 1: column 1 has no name.*index=False"):
        read(tmp_path / "x.csv")


@pytest.mark.parametrize("delimiter", [" ", ",", "\t"])
def test_comments_that_numpy_writes_above_numbers_are_left_out(tmp_path, delimiter):
    X = np.random.default_rng(0).standard_normal((4, 3))
    np.savetxt(tmp_path / "x.txt", X, delimiter=delimiter, header="two lines\nx y z")
    np.testing.assert_array_equal(read(tmp_path / "x.txt"), X)
    with pytest.raises(ValueError, match=r"line 3, column 1: '\?'"):
        read(save(tmp_path, "x.csv", "# one\n1,2\n?,3\n"))


def test_a_table_may_begin_with_a_byte_order_mark(tmp_path):
    assert read(save(tmp_path, "x.csv", b"\xef\xbb\xbf1,2\n3,4\n")).tolist() == [[1, 2], [3, 4]]


def test_text_without_a_last_line_break_may_be_cut(tmp_path):
    with pytest.warns(UserWarning, match=r"x\.csv does not end with a line break"):
        read(save(tmp_path, "x.csv", "1,2\n3,4.5"))
    with pytest.warns(UserWarning, match=r"glove\.txt does not end with a line break"):
        load_word_vectors(save(tmp_path, "glove.txt", "a 1 2\nb 3 4.5"))


def forged_npz(path, header, content=b"", name="X"):
    with zipfile.ZipFile(path, "w") as archive:
        text = header.encode() + b"\n"
        archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content)
    return path


@pytest.mark.parametrize(
    ("shape", "descr"),
    [
        ("(1000000000000000, 2)", "<f8"),
        ("(-1, -2)", "<f8"),
        ("(3, 2)", "<f8"),
        ("(1000000000000000, 2)", "<U0"),
    ],
)
def test_an_archive_that_claims_more_than_it_holds(tmp_path, shape, descr):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}"
    path = forged_npz(tmp_path / "x.npz", header, bytes(16))
    with pytest.raises(ValueError, match=r"x\.npz is damaged or truncated"):
        read(path)


def test_an_archive_with_the_columns_first(tmp_path):
    X = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    np.savez(tmp_path / "x.npz", X=X)
    np.testing.assert_array_equal(read(tmp_path / "x.npz"), X)


@pytest.mark.parametrize("load", [load_word_vectors, read])
@pytest.mark.parametrize("binary", [False, True])
def test_damage_inside_gzip_names_the_file(tmp_path, keyed, load, binary):
    """Beyond the first 64 KiB, that is after the format has been told; at the checksum; and a cut."""
    many = np.random.default_rng(0).standard_normal((4000, 8)).astype(np.float32)
    vectors = KeyedVectors(8)
    vectors.add_vectors([f"w{i}" for i in range(len(many))], many)
    vectors.save_word2vec_format(str(tmp_path / "w"), binary=binary)
    whole = gzip.compress((tmp_path / "w").read_bytes())
    middle = len(whole) * 3 // 4
    damaged = [
        whole[:middle],
        whole[:middle] + b"\xff" * 64 + whole[middle + 64 :],
        whole[:-8] + bytes(8),
        whole[:9],
    ]
    for content in damaged:
        path = save(tmp_path, "w.gz", content)
        with pytest.raises(ValueError, match=r"w\.gz"):
            load(path)


@pytest.mark.parametrize("load", [load_word_vectors, read])
def test_gzipped_arrays_are_to_be_unpacked(tmp_path, load):
    np.savez(tmp_path / "x.npz", X=np.ones((3, 2)))
    save_file({"X": np.ones((3, 2))}, tmp_path / "x.safetensors")
    for kind in ("npz", "safetensors"):
        path = save(tmp_path, f"x.{kind}.gz", gzip.compress((tmp_path / f"x.{kind}").read_bytes()))
        with pytest.raises(ValueError, match=rf"is a gzipped \.{kind}; .*gunzip it first"):
            load(path)


class PathOfBytes:
    def __fspath__(self):
        return b"x"


@pytest.mark.parametrize(("load", "name"), [(load_word_vectors, "name_or_path"), (read, "path")])
def test_what_is_no_path(load, name):
    for wrong in (None, 5, b"x", PathOfBytes()):
        with pytest.raises(TypeError, match=rf"{name} is .*; expected the path of a file as a str or a Path"):
            load(wrong)
    with pytest.raises(ValueError, match=rf"{name} is ''; expected the path of a file"):
        load("")
    for impossible in ("a\0b.txt", "x/" + "y" * 5000):
        with pytest.raises(FileNotFoundError, match=r"there is no such file"):
            load(impossible)


def test_a_word_vector_beyond_single_precision(tmp_path):
    np.savez(tmp_path / "x.npz", words=np.array(["a", "b"]), vectors=np.array([[1, 2], [3, 1e300]]))
    with pytest.raises(ValueError, match=r"vectors in .*x\.npz as float32"):
        load_word_vectors(tmp_path / "x.npz")


def test_npz_of_words_that_do_not_fit(tmp_path):
    np.savez(tmp_path / "a.npz", words=np.array(["a", "b"]), vectors=np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"2 words and 3 vectors"):
        load_word_vectors(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", words=np.array(["a", "a"]), vectors=np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"'a' occurs more than once"):
        load_word_vectors(tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", X=np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"holds no array 'words'; it holds X"):
        load_word_vectors(tmp_path / "c.npz")
    np.savez(tmp_path / "d.npz", words=np.array(["a", "b"]), vectors=np.array([[1, 2], [3, np.nan]]))
    with pytest.raises(ValueError, match=r"vectors in"):
        load_word_vectors(tmp_path / "d.npz")
    np.save(tmp_path / "e.npy", np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"holds numbers without words \(npy\).*isotropy_lab\.vectors\.read"):
        load_word_vectors(tmp_path / "e.npy")


# --- files longer than the 64 KiB by which the format is told -----------------------------------------------------


def test_a_long_glove_file_may_begin_with_a_number(tmp_path):
    words = ["1990", *(f"word{i}" for i in range(4_000))]
    path = save(tmp_path, "long.txt", text_rows(words, np.full((len(words), 5), 0.5)))
    assert path.stat().st_size > 1 << 16
    assert load_word_vectors(path).index_to_key == words


def test_a_binary_row_without_a_line_break_may_be_long(tmp_path):
    row = np.ones(20_000, dtype=np.float32)
    path = save(tmp_path, "long.bin", b"2 20000\n" + b"".join(w + b" " + row.tobytes() for w in (b"a", b"b")))
    assert detect(path) == "word2vec-binary"
    assert load_word_vectors(path).vectors.shape == (2, 20_000)


@pytest.mark.parametrize("shift", range(4))
def test_text_that_is_cut_inside_a_letter_is_text(tmp_path, shift):
    """A ragged row, and no break near the end of the first 64 KiB: still text, so that the row can be named."""
    row = "x" * shift + "é" * 40_000
    path = save(tmp_path, "long.txt", f"2 2\na 1\n{row} 1 2\n")
    assert detect(path) == "word2vec-text"
    with pytest.raises(ValueError, match=r"line 2: the word 'a' has 1 numbers, expected 2"):
        load_word_vectors(path)


def test_long_numbers_whose_bytes_could_be_letters_are_binary(tmp_path):
    """Bytes 0xc3 alone: no control character among them, and no UTF-8 either."""
    row = b"\xc3" * (4 * 20_000)
    path = save(tmp_path, "long.bin", b"2 20000\n" + b"".join(w + b" " + row for w in (b"a", b"b")))
    assert detect(path) == "word2vec-binary"
    assert load_word_vectors(path)["b"][-1] == np.frombuffer(b"\xc3" * 4, dtype="<f4")[0]


def test_one_row_whose_bytes_are_digits_makes_no_text(tmp_path):
    """Two float32 may be the letters of numbers; the rows after them are not, also where the file is long."""
    digits = np.frombuffer(b"1 2 3 45", dtype="<f4")
    others = [np.array([i, -i], dtype="<f4") for i in range(9_000)]
    rows = (b"word%d " % i + row.tobytes() + b"\n" for i, row in enumerate([digits, *others]))
    path = save(tmp_path, "long.bin", b"9001 2\n" + b"".join(rows))
    assert path.stat().st_size > 1 << 16
    assert detect(path) == "word2vec-binary"
    assert (load_word_vectors(path)["word0"] == digits).all()


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("n", [4_000, 9_000])
def test_a_number_that_is_cut_is_no_word(tmp_path, n, separator):
    """The 64 KiB end in the second row, or in the first, and there at every place of a number such as -1.234e-01."""
    X = np.random.default_rng(0).standard_normal((3, n))
    rows = [separator.join(f"{x:+.3e}" for x in row) for row in X]
    for shift in range(11):
        path = save(tmp_path, "long.txt", " " * shift + "\n".join(rows) + "\n")
        assert detect(path) == "numbers", shift
    np.testing.assert_allclose(read(path), X, rtol=1e-3)


@pytest.mark.parametrize("letter", range(33))
def test_control_characters_are_in_no_text(tmp_path, letter):
    """Long rows of one byte: what no text holds makes them numbers; tabs and breaks of lines and pages do not."""
    row = bytes([letter]) * 80_000
    path = save(tmp_path, "long", b"2 20000\n" + b"".join(word + b" x" + row for word in (b"a", b"b")))
    assert detect(path) == ("word2vec-text" if 9 <= letter <= 13 or letter == 32 else "word2vec-binary")


def test_an_empty_cell_is_no_empty_line(tmp_path):
    """A row of two cells, the first of them empty, is refused and not skipped."""
    with pytest.raises(ValueError, match=r"line 2"):
        read(save(tmp_path, "x.csv", "1,2\n,3\n4,5\n"))
    np.testing.assert_array_equal(read(save(tmp_path, "x.csv", "1,2\n\n  \n4,5\n")), [[1, 2], [4, 5]])


@pytest.mark.parametrize("length", [128, 384, 640])
def test_a_header_whose_length_begins_like_a_pickle(tmp_path, length):
    header = b'{"X":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}'.ljust(length)
    path = save(tmp_path, "x.safetensors", struct.pack("<Q", length) + header + bytes(16))
    np.testing.assert_array_equal(read(path), np.zeros((2, 2)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16])
def test_tensors_without_their_package(tmp_path, dtype):
    """Tensors are read by ourselves, the same in a browser, which lacks their package."""
    X = np.arange(12).reshape(4, 3).astype(dtype)
    file = tmp_path / "x.safetensors"
    save_file(
        {"bias": np.zeros(3), "X": X, "none": np.zeros(0), "scale": np.array(2.0)},
        file,
        metadata={"format": "pt"},
    )
    whole = file.read_bytes()
    found = read(file)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, X)
    with pytest.raises(ValueError, match=r"shape \(3,\); expected two axes"):
        read(file, key="bias")
    with pytest.raises(ValueError, match=r"shape \(\); expected two axes"):
        read(file, key="scale")
    for length in (len(whole) - 3, 60, 9):
        with pytest.raises(ValueError, match=r"damaged or truncated"):
            read(save(tmp_path, "cut.safetensors", whole[:length]), key="X")


@pytest.mark.parametrize(
    "entry",
    [
        '{"dtype":"F32","shape":[2,2],"data_offsets":[0,8]}',
        '{"dtype":"F32","shape":[-2,-2],"data_offsets":[0,16]}',
        '{"dtype":"F32","shape":[2,2],"data_offsets":[-8,8]}',
    ],
)
def test_headers_of_tensors_that_lie(tmp_path, entry):
    with pytest.raises(ValueError, match=r"damaged or truncated"):
        read(save_tensor(tmp_path, entry), key="X")


@pytest.mark.parametrize(
    "entry",
    [
        '{"dtype":"F32","shape":[2,2],"data_offsets":[8]}',
        '{"dtype":"F32","shape":[2,2]}',
        '{"dtype":"F32","shape":[2.5,2],"data_offsets":[0,16]}',
        '{"dtype":"F32","shape":"22","data_offsets":[0,16]}',
        '{"dtype":4,"shape":[2,2],"data_offsets":[0,16]}',
        "null",
        "[]",
    ],
)
def test_headers_that_describe_no_tensor(tmp_path, entry):
    message = r"damaged or truncated: its header gives no dtype, shape and data_offsets of 'X'"
    with pytest.raises(ValueError, match=message):
        read(save_tensor(tmp_path, entry), key="X")


def save_tensor(folder, entry):
    header = f'{{"X":{entry}}}'.encode()
    return save(folder, "x.safetensors", struct.pack("<Q", len(header)) + header + bytes(16))
