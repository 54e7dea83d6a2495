"""Tests that reading needs no more memory than the content justifies, unless the user raises the limit."""

import gzip
import json
import struct
import zipfile
import zlib

import numpy as np
import pytest

from isotropy_report.io import load_word_vectors, read
from isotropy_report.io.limits import longest_line, raise_limits
from tests.conftest import peak_of
from tests.isotropy_report.io.making import (
    archive,
    binary_rows,
    npy,
    npy_header,
    parquet,
    repeated_gzip,
    save,
)

MIB = 1 << 20


def zeros_in_zip(header, n_bytes):
    """Write an .npz file with one array of zeros of the given size, compressed in pieces."""
    packer, checksum = zlib.compressobj(1, zlib.DEFLATED, -15), zlib.crc32(header)
    packed = [packer.compress(header)]
    for _ in range(n_bytes // MIB):
        packed.append(packer.compress(bytes(MIB)))
        checksum = zlib.crc32(bytes(MIB), checksum)
    body = b"".join([*packed, packer.flush()])
    sizes = (checksum, len(body), len(header) + n_bytes, 5, 0)
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, *sizes) + b"X.npy"
    central = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, *sizes, 0, 0, 0, 0, 0) + b"X.npy"
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(central), len(local) + len(body), 0)
    return local + body + central + end


def wide_dictionary():
    """Write an LZMA archive that requires a dictionary of four gigabytes."""
    content = bytearray(archive({"X.npy": npy(np.eye(3))}, zipfile.ZIP_LZMA))
    position = content.find(b"\x5d\x00\x00")  # the properties; the size of the dictionary follows
    content[position + 1 : position + 5] = struct.pack("<I", 0xFFFFFFFF)
    return bytes(content)


def archive_with_wrong_size():
    """Write an archive whose directory states that a member has four gigabytes."""
    content = bytearray(archive({"X.npy": npy_header("<f8", "(6, 4)", version=2, length=1 << 31)}))
    for position in (content.find(b"PK\3\4") + 18, content.find(b"PK\1\2") + 20):
        content[position : position + 8] = struct.pack("<2I", 0xFFFFFFF0, 0xFFFFFFF0)
    return bytes(content)


def many_names():
    names = {f"{i:x}": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]} for i in range(90_000)}
    text = json.dumps(names).encode()
    return struct.pack("<Q", len(text)) + text


def equal_numbers():
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(30_000_000, np.int8)), pa.array([0.5]))


def equal_lists():
    import pyarrow as pa

    return pa.FixedSizeListArray.from_arrays(equal_numbers(), 1_000_000)


#: Small files that unpack, or claim to unpack, to hundreds of megabytes.
BOMBS = {
    "spaces": lambda: repeated_gzip(b" " * MIB, 300, b"1 2\n"),
    "zeros": lambda: repeated_gzip(bytes(MIB), 300),
    "one line": lambda: repeated_gzip(b"1 " * (MIB // 2), 300, b"1 2\n3 4\n"),
    "one line of commas": lambda: repeated_gzip(b"1," * (MIB // 2), 300, b"1,2\n3,4\n"),
    "one word": lambda: repeated_gzip("é😀".encode() * (MIB // 6), 300, b"x 1 2\n"),
    "one word, binary": lambda: repeated_gzip(b"a" * MIB, 300, b"9 2\nx " + bytes(8)),
    "blank lines": lambda: repeated_gzip(b"\n" * MIB, 300, b"1 2\n"),
    "comments": lambda: repeated_gzip(b"#\n" * (MIB // 2), 300),
    "rows of a table": lambda: repeated_gzip((b"0.5," * 199 + b"0.5\n") * 1300, 300),
    "a quoted cell": lambda: repeated_gzip(b'1,1\n"' * (MIB // 5), 300, b"1,2\n"),
    "many words": lambda: gzip.compress(b"".join(b"%s%x 1\n" % (b"w" * 1000, i) for i in range(100_000)), 1),
    "binary words": lambda: repeated_gzip(bytes(MIB), 300, b"999999999 300\nw " + bytes(1200)),
    "a header": lambda: repeated_gzip(b"9" * MIB, 300),
    "zip of zeros": lambda: zeros_in_zip(npy_header("<f8", "(32768, 1000)"), 250 * MIB),
    "zip with many names": lambda: archive({f"{i}.npy": b"" for i in range(60_000)}),
    "zip with a wide dictionary": wide_dictionary,
    "zip with a long member": archive_with_wrong_size,
    "tensors": many_names,
    "brackets of JSON": lambda: repeated_gzip(b"[" * MIB, 300, b"[1, 2]\n"),
    "empty objects of JSON": lambda: b"[1, 2]\n[" + b"{}," * 1_300_000 + b"{}]\n",
    "a text in JSON": lambda: repeated_gzip(b"a" * MIB, 300, b'{"v": [1, 2], "id": "'),
    "lines of JSON": lambda: repeated_gzip((b'{"v":[1],"id":"%s"}\n' % (1000 * b"a")) * 1000, 300),
    "gzipped array": lambda: repeated_gzip(bytes(MIB), 300, npy_header("<f4", "(78643, 300)")),
    "gzipped array that claims more":
        lambda: gzip.compress(npy_header("<f4", "(1000000000, 300)") + bytes(99)),
    "a wide table": lambda: b"1,2\n" + b"3," * 1_500_000 + b"4\n",
    "a wide row of a word": lambda: b"cat 1 2\ndog" + b" 1" * 1_500_000 + b"\n",
    "parquet": lambda: parquet(a=equal_numbers(), b=equal_numbers()),
    "parquet of lists": lambda: parquet(a=equal_lists()),
}  # fmt: skip


@pytest.mark.rest
@pytest.mark.parametrize("name", BOMBS)
def test_decompression_bombs_are_refused_in_little_memory(tmp_path, name):
    """Readers use at most twice the size of the file and 100 MB."""
    content = BOMBS[name]()
    path = save(tmp_path, "bomb", content)

    def assert_bomb(load):
        with pytest.raises(ValueError, match="bomb"):
            load(path)

    for load in (read, load_word_vectors):
        assert peak_of(lambda load=load: assert_bomb(load)) < 2 * len(content) + 1e8


@pytest.mark.parametrize("version", [2, 3])
def test_header_with_a_declared_length_of_4_gb_is_refused(tmp_path, version):
    member = npy_header("<f8", "(2, 2)", version=version, length=0xFFFFFFF0) + bytes(32)
    for path in (save(tmp_path, "x.npy", member), save(tmp_path, "x.npz", archive({"X.npy": member}))):

        def assert_refused(path=path):
            with pytest.raises(ValueError, match=r"header declares a length of 4294967280 bytes"):
                read(path)

        assert peak_of(assert_refused) < 5e6


def test_ordinary_compressed_files_are_read(tmp_path):
    """They expand to many times their size if rows are equal."""
    path = save(tmp_path, "x.csv.gz", gzip.compress(b"x,y\n" + b"0,1\n" * 150_000))
    assert path.stat().st_size < 6_000
    assert read(path).shape == (150_000, 2)
    np.savez_compressed(tmp_path / "small.npz", X=np.zeros((1000, 1000)))
    assert read(tmp_path / "small.npz").shape == (1000, 1000)


@pytest.mark.parametrize("name", ["x.npz", "x.npy.gz", "x.parquet"])
def test_limits_can_be_raised_for_trusted_files(tmp_path, name):
    """The 96 MB of sparse activations are mostly 0."""
    import pyarrow as pa

    X = np.zeros((24_000, 1_000), np.float32)
    X[:, 0] = np.arange(24_000) % 7
    content = {
        "x.npz": lambda: archive({"X.npy": npy(X)}, zipfile.ZIP_DEFLATED),
        "x.npy.gz": lambda: gzip.compress(npy(X), 1),
        "x.parquet": lambda: parquet(e=pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 1_000)),
    }[name]()
    path = save(tmp_path, name, content)
    assert read(path, max_bytes=100_000_000).shape == X.shape
    with pytest.raises(ValueError, match=rf"{name}.*made to fill the memory.*max_bytes=…"):
        read(path)  # the limit was raised for that call only


def test_raised_limits_apply_to_nested_readers():
    """`load_word_vectors` raises the limit and calls a reader of Parquet that may raise it again."""
    with raise_limits(10**9), raise_limits(None):
        assert longest_line() == 10**9


def test_word_vectors_are_not_copied(tmp_path):
    """30 MB of vectors in a binary file take little more than 30 MB."""
    X = np.random.default_rng(0).standard_normal((5_000, 1500)).astype(np.float32)
    path = save(tmp_path, "x.bin", b"5000 1500\n" + binary_rows([f"w{i}" for i in range(5_000)], X))
    assert peak_of(lambda: load_word_vectors(path)) < 1.3 * X.nbytes + 5e6
    loaded = load_word_vectors(path)
    np.testing.assert_array_equal(loaded["w4999"], X[-1])
