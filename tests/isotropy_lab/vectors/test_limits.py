"""What the fuzzer has found once, one by one: each refused with a reason, or read as it should be."""

import gzip
import io
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from isotropy_lab.vectors import load_word_vectors, read
from tests.isotropy_lab.vectors.fuzzing import archive, header, numpy_file, repeated_gzip, zeros_member


def save(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def peak_of(call):
    tracemalloc.start()
    try:
        call()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


@pytest.mark.parametrize("version", [b"\x02\x00", b"\x03\x00"])
def test_a_header_that_says_it_has_four_gigabytes(tmp_path, version):
    member = header("<f8", "(2, 2)", version=version, length=0xFFFFFFF0) + bytes(32)
    for path in (save(tmp_path, "x.npy", member), save(tmp_path, "x.npz", archive({"X.npy": member}))):

        def refused(path=path):
            with pytest.raises(ValueError, match=r"its header would take 4294967280 bytes"):
                read(path)

        assert peak_of(refused) < 5e6


def test_a_gzipped_file_that_unpacks_to_far_more(tmp_path):
    with pytest.raises(ValueError, match=r"as a file that is made to fill the memory would.*gunzip it first"):
        read(save(tmp_path, "x.csv.gz", repeated_gzip(b"0.5" + b",0.5" * 4999 + b"\n", 4000)))
    with pytest.raises(ValueError, match=r"line 2: longer than 4 MiB"):
        read(save(tmp_path, "y.csv.gz", repeated_gzip(b" " * (1 << 20), 300, b"1,2\n")))


def test_a_gzipped_file_may_hold_what_vectors_hold(tmp_path):
    """Twice its size, and a small one of equal rows much more."""
    content = b"x,y\n" + b"0,1\n" * 150_000
    path = save(tmp_path, "x.csv.gz", gzip.compress(content))
    assert path.stat().st_size < 6_000
    assert read(path).shape == (150_000, 2)


def test_an_archive_of_zeros(tmp_path):
    path = save(tmp_path, "x.npz", zeros_member(header("<f8", "(32768, 1000)"), 250 << 20))
    with pytest.raises(ValueError, match=r"holds more than \d+ MB in \d\.\d MB.*save it with numpy\.save"):
        read(path)
    np.savez_compressed(tmp_path / "small.npz", X=np.zeros((1000, 1000)))
    assert read(tmp_path / "small.npz").shape == (1000, 1000)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_methods_that_numpy_does_not_write(tmp_path, method):
    path = save(tmp_path, "x.npz", archive({"X.npy": numpy_file(np.eye(3))}, method))
    with pytest.raises(ValueError, match=r"'X\.npy' is packed by method .*numpy\.savez"):
        read(path)


@pytest.mark.parametrize("code", [0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF])
def test_words_of_an_archive_that_are_no_text(tmp_path, code):
    words = np.array(["cat", "dog"])
    letters = words.view(np.uint32).copy()
    letters[1] = code
    content = archive({"words.npy": numpy_file(letters.view("<U3")), "vectors.npy": numpy_file(np.eye(2))})
    with pytest.raises(ValueError, match=r"words holds what is not text"):
        load_word_vectors(save(tmp_path, "x.npz", content))


def test_words_of_the_other_byte_order(tmp_path):
    words = np.array(["cat", "Käse"]).astype(">U4")
    np.savez(tmp_path / "x.npz", words=words, vectors=np.eye(2))
    assert load_word_vectors(tmp_path / "x.npz").index_to_key == ["cat", "Käse"]


def test_messages_stay_short(tmp_path):
    for name, content in {
        "x.txt": b"9 3\n" + b"x" * 50_000 + b" 1 2\n",
        "x.csv": b"1,2\n" + b"9" * 100_000 + b",1\n",
        "names.csv": b"a," + b"9" * 50_000 + b"\n1,x\n",
    }.items():
        with pytest.raises(ValueError) as caught:
            read(save(tmp_path, name, content))
        assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", ["x.csv", "x.txt"])
def test_a_carriage_return_ends_a_line_of_a_table(tmp_path, name):
    separator = b"," if name == "x.csv" else b" "
    lines = [separator.join(row) for row in ([b"1", b"2", b"0"], [b"3", b"4", b"0"], [b"5", b"6", b"0"])]
    for ends in ((b"\r",) * 3, (b"\r\n", b"\r", b"\n"), (b"\n", b"\r\r\n", b"\r")):
        content = b"".join(line + end for line, end in zip(lines, ends, strict=True))
        assert read(save(tmp_path, name, content)).tolist() == [[1, 2, 0], [3, 4, 0], [5, 6, 0]]
    with pytest.raises(ValueError, match="line 3, column 1: 'x'"):
        read(save(tmp_path, name, lines[0] + b"\r" + lines[1] + b"\r\nx" + separator + lines[0][2:] + b"\r"))


def test_a_line_break_within_quotes(tmp_path):
    with pytest.raises(ValueError, match=r"line 2: a quoted cell goes on in the next line"):
        read(save(tmp_path, "x.csv", b'1,2\n3,"4\n"\n5,6\n'))
    assert read(save(tmp_path, "y.csv", b'"x","y"\n"1","2"\n')).tolist() == [[1, 2]]


def test_a_word_may_begin_as_an_archive_does(tmp_path):
    for word in ("PK", "PKO", "PAR1"):
        path = save(tmp_path, "x.txt", f"{word} 1 2\nb 3 4\nc 5 6\n".encode())
        assert load_word_vectors(path).index_to_key == [word, "b", "c"]


def test_two_numbers_run_together_are_no_number(tmp_path):
    with pytest.raises(ValueError, match=r"line 2: '3_4' in the row of 'b' is not a number"):
        load_word_vectors(save(tmp_path, "x.txt", b"a 1 2\nb 3_4 5\nc 5 6\n"))


def test_a_safetensors_header_of_many_megabytes(tmp_path):
    text = b"{" + b" " * (5 << 20) + b"}"
    with pytest.raises(ValueError, match=r"its header would take 5 MB"):
        read(save(tmp_path, "x.safetensors", struct.pack("<Q", len(text)) + text))


def test_word_vectors_are_not_copied(tmp_path):
    """30 MB of vectors in a binary file take little more than 30 MB."""
    X = np.random.default_rng(0).standard_normal((5_000, 1500)).astype(np.float32)
    content = b"5000 1500\n" + b"".join(b"w%d " % i + row.tobytes() for i, row in enumerate(X))
    path = save(tmp_path, "x.bin", content)
    assert peak_of(lambda: load_word_vectors(path)) < 1.3 * X.nbytes + 5e6
    loaded = load_word_vectors(path)
    np.testing.assert_array_equal(loaded["w4999"], X[-1])
    keyed = loaded.to_gensim()
    assert np.shares_memory(keyed.vectors, loaded.vectors)
    assert keyed.most_similar("w3", topn=1)[0][0] in loaded
    keyed.add_vector("new", np.ones(1500))
    assert (keyed.key_to_index["new"], "new" in loaded) == (5000, False)
    keyed.save_word2vec_format(str(tmp_path / "again.bin"), binary=True)
    assert len(load_word_vectors(tmp_path / "again.bin")) == 5001


def test_a_table_of_parquet_is_read_in_pieces_and_refused_when_it_is_a_bomb(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pandas as pd
    import pyarrow.parquet as pq

    X = np.random.default_rng(0).standard_normal((60_000, 40)).astype(np.float32)
    pd.DataFrame(X, columns=[f"c{i}" for i in range(40)]).to_parquet(
        tmp_path / "x.parquet", row_group_size=7_000
    )
    np.testing.assert_array_equal(read(tmp_path / "x.parquet"), X)
    frame = pd.DataFrame({"x": [1.0, np.nan] + [0.0] * 5}, index=[9, 8, 7, 6, 5, 4, 3])
    frame.to_parquet(tmp_path / "gap.parquet")
    with pytest.raises(ValueError, match=r"row 1, column 'x': .*nan.* is not a finite number"):
        read(tmp_path / "gap.parquet")
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000_000, np.int8)), pa.array([0.5]))
    out = io.BytesIO()
    pq.write_table(pa.table({"a": column}), out)
    with pytest.raises(
        ValueError, match=r"as a file that is made to fill the memory would.*write it to a \.npy"
    ):
        read(save(tmp_path, "bomb.parquet", out.getvalue()))
    pd.DataFrame({"x": pd.Series([], dtype=float)}).to_parquet(tmp_path / "none.parquet")
    with pytest.raises(ValueError, match="there is nothing in it"):
        read(tmp_path / "none.parquet")
