"""Damaged and hostile files for every reader: made from a seed, read in a process of its own, reported as JSON.

``python -m tests.isotropy_lab.vectors.fuzzing SEED FILES FOLDER [bombs]`` writes one file after the other into FOLDER and reads each with
`read` and `load_word_vectors`. The process may take no more address space than a call is allowed, so that a reader
that asks for more fails there and then; for one file in five tracemalloc counts what Python and numpy ask for as well.
"""

from __future__ import annotations

import collections
import gzip
import io
import itertools
import json
import os
import pickle
import re
import struct
import sys
import time
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model
from safetensors.numpy import save as save_tensors

from isotropy_lab.vectors import load_word_vectors, read
from isotropy_lab.vectors.formats import detect

EXTRA_BYTES = 100 * 10**6
"""Beside twice the size of its file, a call may allocate so much."""

COUNTED_ONE_IN = 5
SLOW_SECONDS = 60.0  # of the processor, which other work on the machine does not lengthen
Maker = Callable[[np.random.Generator], tuple[str, bytes]]

WORDS = ["cat", "Käse", "U.S.", "naïve", "dog's", "1990", "日本", "😀", "مرحبا", "e\u0301"]
BFLOAT16 = b'{"X":{"dtype":"BF16","shape":[6,4],"data_offsets":[0,48]}}'
TOKENS = [
    *(b"nan", b"inf", b"-inf", b"1e400", b"", b",", b" ", b"\t", b"\n", b"\r", b"\r\n", b'"', b"#", b"\x00"),
    *(
        b"\xff\xff\xff\xff",
        b"99999999999999999999",
        b"-1",
        b"(",
        b"[",
        b"{'descr'",
        b"'",
        b"O",
        b"|O8",
        b"<U0",
    ),
    *(b"<M8[s]", b"True", b"\xef\xbb\xbf", b"\xc3", b"9" * 5000, b"\x80\x05", b"_", b"1_0", b"0x1p3"),
    *(
        b"\xe2\x80\x83",
        b"\xd9\xa1",
        b"BF16",
        b"F8_E4M3",
        b"BOOL",
        b"I64",
        b"U16",
        b"C64",
        b"\x1a",
        b"(" * 300,
    ),
    *(b"[", b"]", b"{", b"}", b"[[", b"null", b"true", b"NaN", b'"v"', b'"id"', b"[[1,2],[3]]", b"{}", b":"),
    *(
        b"L",
        b"1e5",
        b"\x0b\x0c",
        b"\x85",
        b"\xed\xa0\x80",
        b"\xe2\x80\xa8",
        b"PK\x03\x04",
        b"PAR1",
        b"\x1c\x1d",
    ),
]
MAGICS = [
    *(b"\x93NUMPY\x01\x00", b"\x93NUMPY\x02\x00", b"\x93NUMPY\x03\x00", b"\x93NUMPY\xff\xff", b"PK\x03\x04"),
    *(
        b"PK\x05\x06",
        b"PAR1",
        b"\xba\x16\x4f\x2f",
        b"\x1f\x8b\x08\x00",
        b"\x1f\x8b",
        b"\x80\x04",
        b"\x80\x02",
    ),
    *(
        b"\x28\xb5\x2f\xfd",
        b"BZh9",
        b"\xfd7zXZ\x00",
        b"\x7fELF",
        b"\x89HDF\r\n\x1a\n",
        b"GGUF",
        b"ARROW1\x00\x00",
    ),
    *(b"\x10\x00\x00\x00\x00\x00\x00\x00{", b"2 3\n", b"\xef\xbb\xbf", b"\xff\xfe"),
]
DTYPES = [
    *(
        "<f4",
        ">f8",
        "<f2",
        "<i8",
        "|b1",
        "<c8",
        "|O",
        "<U3",
        "|S5",
        "<M8[s]",
        "<m8[D]",
        "|V8",
        "<f16",
        "<U0",
        "|V0",
    ),
    *("<U99999999", "|S2147483647", "O", "f4,f4", "(2,2)f4", "zz", "", "<f3", "object", ">c32"),
]
SHAPES = [
    *(
        "(1000000000000, 3)",
        "(4611686018427387904, 4)",
        "(-1, 3)",
        "(0, 3)",
        "(3,)",
        "()",
        "(2, 3, 4)",
        "(6, 4.0)",
    ),
    *("(9223372036854775807, 9223372036854775807)", "(99999999999999999999999, 2)", "(6L, 4L)", "(True, 24)"),
    *("[6, 4]", "6", "(24, 1)", "(" * 120 + "6" + ")" * 120, "(6, 4, )", "(6 , -4)", "(5, 4)", "(7, 4)"),
]


class Sentinel:
    """Unpickling this leaves a folder behind."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (self.folder,))


def numpy_file(array: np.ndarray, **options: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **options)
    return out.getvalue()


def archive(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as zipped:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)  # with the date of 1980, so that a seed always gives the same bytes
            info.compress_type = method
            zipped.writestr(info, content)
    return out.getvalue()


def header(descr: str, shape: str, *, version: bytes = b"\x01\x00", length: int | None = None) -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    form = "<H" if version == b"\x01\x00" else "<I"
    return b"\x93NUMPY" + version + struct.pack(form, len(text) if length is None else length) + text


def word_rows(words: list[str], X: np.ndarray) -> bytes:
    return "".join(
        f"{w} {' '.join(repr(float(x)) for x in row)}\n" for w, row in zip(words, X, strict=True)
    ).encode()


def repeated_gzip(piece: bytes, times: int, start: bytes = b"") -> bytes:
    """Many members, one after the other, unpack as one file: a large bomb is quickly made."""
    return (gzip.compress(start, mtime=0) if start else b"") + gzip.compress(piece, mtime=0) * times


def zeros_member(declared: bytes, n_bytes: int) -> bytes:
    """An .npz whose one array is zeros, as many as it says."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    piece, total, checksum = bytes(1 << 20), len(declared) + n_bytes, zlib.crc32(declared)
    packed = [packer.compress(declared)]
    for _ in range(n_bytes >> 20):
        packed.append(packer.compress(piece))
        checksum = zlib.crc32(piece, checksum)
    packed.append(packer.flush())
    body = b"".join(packed)
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, checksum, len(body), total, 5, 0) + b"X.npy"
    central = struct.pack(
        "<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, checksum, len(body), total, 5, 0, 0, 0, 0, 0, 0
    )
    central += b"X.npy"
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(central), len(local) + len(body), 0)
    return local + body + central + end


class Files:
    """Makes one file after the other from a seed."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = np.random.default_rng(seed)
        self.sentinel = str(folder / "executed")
        self.whole = self._whole(folder)
        self.names = list(self.whole)

    def _whole(self, folder: Path) -> dict[str, bytes]:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((10, 4)).astype(np.float32)
        table = b"".join(b"%f,%f,%f,%f\n" % tuple(row) for row in X)
        many = [f"w{i}" for i in range(300)]  # beyond the 64 KiB by which a format is told
        Z = rng.standard_normal((300, 60)).astype(np.float32)
        whole = {
            "npy": numpy_file(X),
            "npy in columns": numpy_file(np.asfortranarray(X.astype(np.float64))),
            "npy of half precision": numpy_file(X.astype(np.float16)),
            "npz": archive({"X.npy": numpy_file(X)}),
            "npz with words": archive(
                {"words.npy": numpy_file(np.array(WORDS)), "vectors.npy": numpy_file(X)}, zipfile.ZIP_DEFLATED
            ),
            "safetensors": save_tensors({"X": X, "bias": np.zeros(3)}),
            "csv": b"a,b,c,d\n" + table,
            "csv in quotes": b'"a","b",c,d\r\n' + table.replace(b"\n", b"\r\n"),
            "tsv": table.replace(b",", b"\t"),
            "numbers": b"# made by numpy\n" + table.replace(b",", b" "),
            "word2vec text": b"10 4\n" + word_rows(WORDS, X),
            "word2vec binary": b"10 4\n"
            + b"".join(w.encode() + b" " + x.tobytes() for w, x in zip(WORDS, X, strict=True)),
            "glove": word_rows(WORDS, X),
            "long glove": word_rows(many, Z.round(3)),
            "long binary": b"300 60\n"
            + b"".join(w.encode() + b" " + x.tobytes() for w, x in zip(many, Z, strict=True)),
            "gzipped npy": gzip.compress(numpy_file(X), mtime=0),
            "JSON lines": b"".join(
                json.dumps({"id": w, "v": row}).encode() + b"\n"
                for w, row in zip(WORDS, X.tolist(), strict=True)
            ),
            "lists alone": b"".join(json.dumps(row).encode() + b"\n" for row in Z.round(3).tolist()),
            "bfloat16": struct.pack("<Q", len(BFLOAT16)) + BFLOAT16 + X.tobytes()[:48],
        }
        model = FastText(
            [["cats", "dogs"]] * 5, vector_size=4, min_count=1, bucket=5, epochs=1, workers=1, seed=0
        )
        save_facebook_model(model, str(folder / "model.bin"))
        whole["fasttext binary"] = (folder / "model.bin").read_bytes()
        try:
            pd.DataFrame(X, columns=list("abcd")).to_parquet(folder / "x.parquet")
        except ImportError:
            whole["parquet"] = b"PAR1" + bytes(64) + b"PAR1"
            whole["parquet of lists"] = whole["parquet"]
        else:
            whole["parquet"] = (folder / "x.parquet").read_bytes()
            pd.DataFrame({"id": WORDS, "v": list(X)}).to_parquet(folder / "lists.parquet")
            whole["parquet of lists"] = (folder / "lists.parquet").read_bytes()
        return whole

    def pick(self, options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    # --- kinds of damage, each called many times ---------------------------------------------------------------

    def truncated(self) -> bytes:
        content = self.whole[self.pick(self.names)]
        cut = content[: int(self.rng.integers(len(content) + 1))]
        return gzip.compress(content, mtime=0)[: len(cut)] if self.rng.random() < 0.2 else cut

    def wrong_magic(self) -> bytes:
        content, magic = self.whole[self.pick(self.names)], self.pick(MAGICS)
        return magic + content[len(magic) * int(self.rng.integers(2)) :]

    def wrong_dtype(self) -> bytes:
        member = header(self.pick(DTYPES), self.pick(SHAPES[-3:])) + self.rng.bytes(96)
        return self.pick([member, archive({"X.npy": member})])

    def huge_shape(self) -> bytes:
        declared = header(self.pick(["<f4", "<f8", "|b1", "<U7", "<U0"]), self.pick(SHAPES))
        if self.rng.random() < 0.3:  # a header that says it is longer than the file
            length = self.pick([0xFFFFFFF0, 1 << 28, 1 << 20, 20_000])
            declared = header("<f4", "(6, 4)", version=self.pick([b"\x02\x00", b"\x03\x00"]), length=length)
        member = declared + self.rng.bytes(96)
        name = self.pick(["X.npy", "words.npy", "vectors.npy"])
        return self.pick([member, archive({name: member}), archive({name: member}, zipfile.ZIP_DEFLATED)])

    def pickled(self) -> bytes:
        bomb = Sentinel(self.sentinel)
        objects = np.array([[bomb, 1], [2, bomb]], dtype=object)
        protocol = int(self.rng.integers(pickle.HIGHEST_PROTOCOL + 1))
        plain = pickle.dumps(
            self.pick([bomb, {"vectors": [1.0, bomb]}, [bomb], (bomb, 2)]), protocol=protocol
        )
        member = numpy_file(objects, allow_pickle=True)
        forged = header("<f8", "(2, 2)") + plain
        return self.pick(
            [
                plain,
                member,
                forged,
                archive({"X.npy": member}),
                archive({"words.npy": member, "vectors.npy": numpy_file(np.ones((2, 2)))}),
                archive({"model/data.pkl": plain, "model/data/0": bytes(64)}),
                archive({"X.npy": plain}),
                header("|O", "(2, 2)") + plain,
                gzip.compress(plain, mtime=0),
                b"2 2\n" + plain,
            ]
        )

    def mixed_line_endings(self) -> bytes:
        name = self.pick(["csv", "csv in quotes", "tsv", "numbers", "word2vec text", "glove"])
        ends = [
            b"\n",
            b"\r\n",
            b"\r",
            b"\n\n",
            b"\n\r",
            b"\r\r\n",
            b"\x0b\n",
            b"\x0c",
            b"\xc2\x85",
            b"\xe2\x80\xa8\n",
        ]
        chosen = [self.pick(ends) for _ in range(int(self.rng.integers(1, 4)))]
        return b"".join(line + self.pick(chosen) for line in self.whole[name].splitlines())

    def unicode_words(self) -> bytes:
        letters = "aé日😀\u0301\u200d\u202e\ufeff\xa0\u2003\u3000\x85\x1c٣Ⅷ½①\ud800\udfff"
        words = ["".join(self.pick(letters) for _ in range(int(self.rng.integers(1, 7)))) for _ in range(6)]
        X = self.rng.standard_normal((6, 3)).astype(np.float32)
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        text = b"".join(
            w + b" " + b" ".join(b"%f" % x for x in row) + b"\n" for w, row in zip(encoded, X, strict=True)
        )
        binary = b"6 3\n" + b"".join(w + b" " + x.tobytes() for w, x in zip(encoded, X, strict=True))
        stored = archive({"words.npy": numpy_file(np.array(words)), "vectors.npy": numpy_file(X)})
        return self.pick([text, b"6 3\n" + text, binary, stored])

    def duplicate_words(self) -> bytes:
        words = [self.pick(WORDS[:5]) for _ in range(5)]
        X = self.rng.standard_normal((5, 3)).astype(np.float32)
        binary = b"5 3\n" + b"".join(w.encode() + b" " + x.tobytes() for w, x in zip(words, X, strict=True))
        stored = archive({"words.npy": numpy_file(np.array(words)), "vectors.npy": numpy_file(X)})
        return self.pick([word_rows(words, X), b"5 3\n" + word_rows(words, X), binary, stored])

    def ragged_rows(self) -> bytes:
        separator = self.pick([b",", b"\t", b" "])
        first = self.pick([b"", b"x" + separator + b"y\n", b"4 3\n"])
        words = self.rng.random() < 0.5
        lines = []
        for i in range(4):
            cells = [b"%.3f" % x for x in self.rng.standard_normal(int(self.rng.integers(0, 5)))]
            lines.append(separator.join([b"w%d" % i, *cells] if words else cells) + b"\n")
        return first + b"".join(lines)

    def safetensors_header(self) -> bytes:
        X = bytes(96)
        whole = '{"X":{"dtype":"F32","shape":[6,4],"data_offsets":[0,96]}}'
        texts = [
            whole.replace("96]", self.pick(["97]", "18446744073709551615]", "-1]", "1e3]", "95]"])),
            whole.replace(
                "6,4", self.pick(["4611686018427387904,4", "6,4,1", "24", "", "-6,-4", "0,4", "6,5"])
            ),
            whole.replace("F32", self.pick(["F64", "BF16", "I64", "BOOL", "F8_E4M3", "O", "", "C64", "U8"])),
            whole.replace("{", "{" * 500),
            "{"
            + ",".join(f'"{i}":{{"dtype":"F32","shape":[0,0],"data_offsets":[0,0]}}' for i in range(600))
            + "}",
            whole.replace('"X"', '"\\ud800"'),
            whole.replace('"X":', '"X":' + "[" * 5000),
            whole[:-1] + "," + whole[1:],
            '{"__metadata__":{"a":"b"}}',
            "{}",
        ]
        text = self.pick(texts).encode()
        length = self.pick([len(text)] * 4 + [0, 1, 1 << 26, (1 << 64) - 1, len(text) - 1, len(text) + 9])
        return struct.pack("<Q", length) + text + self.pick([X, X[:-1], X + b"\0", b""])

    def damaged_parquet(self) -> bytes:
        content = bytearray(self.whole[self.pick(["parquet", "parquet of lists"])])
        for _ in range(int(self.rng.integers(1, 9))):
            content[int(self.rng.integers(4, len(content)))] = int(self.rng.integers(256))
        return bytes(content)

    def huge_counts(self) -> bytes:
        count = self.pick([2**31, 2**62, 10**18 - 1, 10**18, 10**30, 9, 0])
        n = self.pick([2**31, 2**62, 10**6, 10**6 + 1, 10**18 - 1, 3, 0])
        rows = self.pick([b"w " + bytes(12), b"w 1 2 3\n", b"", b"w " + self.rng.bytes(400), b"x" * 5000])
        if self.rng.random() < 0.3:
            content = bytearray(self.whole["fasttext binary"])
            place = self.pick([8, 48, 52, 64, 68, 72, 76, 84])
            content[place : place + 4] = struct.pack("<I", self.pick([2**31 - 1, 2**32 - 1, 2**30, 0, 10**6]))
            return bytes(content)
        return b"%d %d\n" % (count, n) + rows * int(self.rng.integers(1, 4))

    def nul_bytes(self) -> bytes:
        content = bytearray(self.whole[self.pick(self.names)])
        for _ in range(int(self.rng.integers(1, 5))):
            place = int(self.rng.integers(len(content)))
            content[place : place + int(self.rng.integers(2))] = b"\0"
        return bytes(content)

    def lone_surrogates(self) -> bytes:
        words = np.array(["cat", "dog", "owl"])
        codes = words.view(np.uint32).copy()
        codes[int(self.rng.integers(len(codes)))] = self.pick([0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF, 0xDC80])
        X = numpy_file(np.eye(3))
        stored = archive({"words.npy": numpy_file(codes.view("<U3")), "vectors.npy": X})
        half = self.pick([b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80"])
        text = (
            self.pick([b"%s 1 2\nb 3 4\n", b"2 2\n%s 1 2\nb 3 4\n", b"x,%s\n1,2\n", b"2 1\n%s abcdb efgh"])
            % half
        )
        return self.pick([stored, text])

    def mutated(self) -> bytes:
        content = self._mutate(self.whole[self.pick(self.names)])
        return gzip.compress(content, mtime=0) if self.rng.random() < 0.15 else content

    def mutated_inside(self) -> bytes:
        """Damage within the members of an archive that is itself in order."""
        with zipfile.ZipFile(io.BytesIO(self.whole[self.pick(["npz", "npz with words"])])) as zipped:
            members = {name: zipped.read(name) for name in zipped.namelist()}
        method = self.pick([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
        return archive({name: self._mutate(content) for name, content in members.items()}, method)

    def _mutate(self, content: bytes) -> bytes:
        out, rng = bytearray(content), self.rng
        for _ in range(int(rng.integers(1, 6))):
            # Headers are where one byte matters most.
            place = (
                int(rng.integers(len(out) + 1))
                if rng.random() < 0.5
                else int(rng.integers(min(len(out), 160) + 1))
            )
            kind = int(rng.integers(7))
            if kind == 0 and out:
                out[place % len(out)] = int(rng.integers(256))
            elif kind == 1 and rng.random() < 0.3:
                del out[place:]
            elif kind == 2:
                del out[place : place + int(rng.integers(1, 20))]
            elif kind == 3:
                out[place:place] = self.pick(TOKENS)
            elif kind == 4:
                token = self.pick(TOKENS)
                out[place : place + len(token)] = token
            elif kind == 5:
                other = int(rng.integers(len(out) + 1))
                out[place:place] = out[other : other + int(rng.integers(1, 60))]
            elif out:
                out[place % len(out)] ^= 1 << int(rng.integers(8))
        return bytes(out)

    # --- bombs: few, and each different -------------------------------------------------------------------------

    def bombs(self) -> Iterator[tuple[str, bytes]]:
        """Small files that unpack, or claim to unpack, to hundreds of megabytes and more."""
        mega = 1 << 20
        row = b"0.5," * 199 + b"0.5\n"
        yield "spaces", repeated_gzip(b" " * mega, 1000, b"1 2\n")
        yield "zeros", repeated_gzip(bytes(mega), 1000)
        yield "one line", repeated_gzip(b"1 " * (mega // 2), 500, b"1 2\n3 4\n")
        yield "one line of commas", repeated_gzip(b"1," * (mega // 2), 500, b"1,2\n3,4\n")
        yield "one word", repeated_gzip(b"a" * mega, 1000, b"x 1 2\n")
        yield "one word, binary", repeated_gzip(b"a" * mega, 1000, b"9 2\nx " + bytes(8))
        yield "wide letters", repeated_gzip(("é😀" * (mega // 8)).encode(), 300, b"x 1 2\n")
        yield "blank lines", repeated_gzip(b"\n" * mega, 300, b"1 2\n")
        yield "comments", repeated_gzip(b"#\n" * (mega // 2), 300)
        yield "rows of a table", repeated_gzip(row * (mega // len(row)), 500)
        yield "a quoted cell", repeated_gzip(b'1,1\n"' * (mega // 5), 300, b"1,2\n")
        yield "a quoted line break", repeated_gzip(b'1,"\n",1,"\n' * (mega // 11), 300, b"1,2\n")
        words = b"".join(b"%s%x 1\n" % (b"w" * 1000, i) for i in range(100_000))
        yield "many words", gzip.compress(words, compresslevel=1, mtime=0)
        yield "binary words", repeated_gzip(bytes(mega), 1000, b"999999999 300\nw " + bytes(1200))
        yield "a header", repeated_gzip(b"9" * mega, 1000)
        yield "zip of zeros", zeros_member(header("<f8", "(32768, 1000)"), 250 << 20)
        yield (
            "zip of words",
            archive(
                {
                    "words.npy": numpy_file(
                        np.arange(50_000, 1_050_000, dtype=np.uint32).repeat(2).view("<U2")
                    ),
                    "vectors.npy": numpy_file(np.zeros((1_000_000, 1), dtype=bool)),
                },
                zipfile.ZIP_DEFLATED,
            ),
        )
        yield "zip with many names", archive({f"{i}.npy": b"" for i in range(60_000)})
        lying = bytearray(archive({"X.npy": header("<f8", "(6, 4)", version=b"\x02\x00", length=1 << 31)}))
        for place in (lying.find(b"PK\3\4") + 18, lying.find(b"PK\1\2") + 20):
            lying[place : place + 8] = struct.pack("<2I", 0xFFFFFFF0, 0xFFFFFFF0)
        yield "zip with a long member", bytes(lying)
        lzma_member = bytearray(archive({"X.npy": numpy_file(np.eye(3))}, zipfile.ZIP_LZMA))
        place = lzma_member.find(b"\x5d\x00\x00")  # the properties: the size of the dictionary follows
        lzma_member[place + 1 : place + 5] = struct.pack("<I", 0xFFFFFFFF)
        yield "zip with a wide dictionary", bytes(lzma_member)
        names = ",".join(f'"{i:x}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}' for i in range(90_000))
        text = ("{" + names + "}").encode()
        yield "tensors", struct.pack("<Q", len(text)) + text
        yield "brackets of JSON", repeated_gzip(b"[" * mega, 300, b"[1, 2]\n")
        yield "a line of empty objects", b"[1, 2]\n[" + b"{}," * 1_300_000 + b"{}]\n"
        yield "a line of JSON", repeated_gzip(b"1," * (mega // 2), 500, b"[1, 2]\n[")
        yield "a text in JSON", repeated_gzip(b"a" * mega, 500, b'{"v": [1, 2], "id": "')
        yield "lines of JSON", repeated_gzip(b'{"id":1,"v":[1]}\n' * (mega // 17), 500)
        yield "gzipped array", repeated_gzip(bytes(mega), 300, header("<f4", "(78643, 1000)"))
        yield (
            "gzipped array that claims more",
            gzip.compress(header("<f4", "(1000000000, 1000)") + bytes(99), mtime=0),
        )
        yield "a wide csv", b"1,2\n" + b"3," * 1_500_000 + b"4\n"
        yield "a wide line of words", b"cat 1 2\ndog" + b" 1" * 1_500_000 + b"\n"
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            return
        out = io.BytesIO()
        column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(30_000_000, np.int8)), pa.array([0.5]))
        pq.write_table(pa.table({"a": column, "b": column}), out)
        yield "parquet", out.getvalue()
        out = io.BytesIO()
        lists = pa.FixedSizeListArray.from_arrays(column, 1_000_000)
        pq.write_table(pa.table({"a": lists}), out)
        yield "parquet of lists", out.getvalue()

    KINDS = (
        *("truncated", "wrong_magic", "wrong_dtype", "huge_shape", "pickled", "mixed_line_endings"),
        *("unicode_words", "duplicate_words", "ragged_rows", "safetensors_header", "damaged_parquet"),
        *("huge_counts", "nul_bytes", "lone_surrogates", "mutated", "mutated_inside", "mutated", "mutated"),
    )

    def stream(self, n_files: int, *, bombs: bool) -> Iterator[tuple[str, bytes]]:
        """Yield names of kinds with contents: the bombs first, then every kind in turn."""
        for name, content in self.bombs() if bombs else ():
            yield f"bomb: {name}", content
        for kind in itertools.islice(itertools.cycle(self.KINDS), n_files):
            yield kind.replace("_", " "), getattr(self, kind)()


# --- what a call may do ---------------------------------------------------------------------------------------------


def plain_table(content: bytes, separator: str | None) -> list[list[float]] | None:
    """A table read the obvious way, or None if it is not obvious."""
    if b'"' in content:
        return None
    lines = re.split("\r\n|\r|\n", content.decode("utf-8-sig"))
    lines = list(itertools.dropwhile(lambda line: line.startswith("#"), lines))
    rows = [line.split(separator) for line in lines]
    rows = [row for row in rows if len(row) > 1 or any(cell.strip() for cell in row)]
    out: list[list[float]] = []
    for i, row in enumerate(rows):
        try:
            out.append([float(cell) for cell in row])
        except ValueError:
            if i:
                return None
    return out


def wrong_result(path: Path, content: bytes, result: Any, options: dict[str, Any]) -> str | None:
    """Say what is wrong with what was read, or None."""
    array = result if isinstance(result, np.ndarray) else result.vectors
    if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "biuf":
        return f"an array of shape {array.shape} and dtype {array.dtype}"
    if not isinstance(array, np.memmap) and array.dtype.kind == "f" and array.size < 10**6:
        binary = detect(path) in ("npz", "safetensors")
        if not np.isfinite(array).all() and not (binary and array is result):
            return "numbers that are not finite"
    if array is not result:
        words = result.index_to_key
        if len(words) != len(array) or len(set(words)) != len(words) or array.dtype != np.float32:
            return "words that do not fit"
        for i, word in enumerate(words[:100]):
            try:
                fits = word.encode("utf-8").decode() == word and result.key_to_index[word] == i
            except UnicodeError:  # half a pair of surrogates, or a letter beyond Unicode
                fits = False
            if not fits:
                return f"a word that is no text: {word!a:.50}"
        return None
    kind = detect(path)
    if kind in ("csv", "tsv", "numbers") and "header" not in options and array.size < 10**6:
        plain = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        rows = plain_table(plain, {"csv": ",", "tsv": "\t", "numbers": None}[kind])
        if rows is None and b'"' not in plain:
            return "numbers where the file has something else"
        if rows is not None and not np.array_equal(array, np.array(rows[-len(array) :])):
            return "other numbers than the file has"
        if rows is not None and len(rows) - len(array) not in (0, 1):
            return f"{len(array)} rows, where the file has {len(rows)}"
    return None


def wrong_error(path: Path, error: BaseException) -> str | None:
    """Say what is wrong with an error, or None if it is one that the documentation promises."""
    if type(error) is ImportError and "pyarrow" in str(error):
        return None
    if type(error) is not ValueError:
        return f"{type(error).__name__}: {str(error)[:120]}"
    if str(path) not in str(error):
        return f"the file is not named: {str(error)[:120]}"
    if len(str(error)) > 3000:
        return f"a message of {len(str(error))} letters"
    return None


try:
    STATUS = os.open("/proc/self/statm", os.O_RDONLY)
except OSError:  # a system that does not say; tracemalloc still counts
    STATUS = -1


class Report:
    """Counts and failures."""

    def __init__(self) -> None:
        self.files: collections.Counter[str] = collections.Counter()
        self.outcomes: collections.Counter[str] = collections.Counter()
        self.failures: list[str] = []
        self.peak = 0

    def call(self, kind: str, path: Path, content: bytes, load: Any, options: dict[str, Any]) -> None:
        """Read one file once."""
        where = f"{kind}, {load.__name__}({', '.join(f'{k}={v!r}' for k, v in options.items())}), {content[:60]!r}"
        allowed = 2 * len(content) + EXTRA_BYTES
        limited = self._limit(allowed) if not kind.startswith("bomb: parquet") else False
        result, wrong = None, None
        # The limit alone holds every call; counting, which slows calls severalfold, is done for some files beside it.
        counted = not limited or (
            sum(self.files.values()) % COUNTED_ONE_IN == 0 and not kind.startswith("bomb")
        )
        if counted and not tracemalloc.is_tracing():
            tracemalloc.start(1)
        elif not counted and tracemalloc.is_tracing():
            tracemalloc.stop()
        if tracemalloc.is_tracing():
            tracemalloc.reset_peak()
        before, start = tracemalloc.get_traced_memory()[0], time.process_time()
        try:
            result = load(path, **options)
        except Exception as error:
            wrong, outcome = wrong_error(path, error), type(error).__name__
        else:
            outcome = "read"
        peak, seconds = tracemalloc.get_traced_memory()[1] - before, time.process_time() - start
        if limited:
            self._limit(None)
        if result is not None:
            wrong = wrong_result(path, content, result, options)
        self.outcomes[outcome] += 1
        self.peak = max(self.peak, peak - 2 * len(content))
        if peak > allowed:
            self.failures.append(f"{where}: allocated {peak / 1e6:.0f} MB for {len(content) / 1e6:.1f} MB")
        if wrong:
            self.failures.append(f"{where}: {wrong}")
        if seconds > SLOW_SECONDS:
            self.failures.append(f"{where}: took {seconds:.0f} s")

    @staticmethod
    def _limit(more: int | None) -> bool:
        if STATUS < 0:
            return False
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = hard
        if more is not None:
            soft = int(os.pread(STATUS, 100, 0).split()[0]) * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        return True


def main(seed: int, n_files: int, folder: Path, *, bombs: bool) -> dict[str, Any]:
    """Write and read so many files; return what happened."""
    files, report = Files(seed, folder), Report()
    suffixes = [
        "x.bin",
        "x",
        "x.csv",
        "x.tsv",
        "x.txt.gz",
        "x.npy",
        "x.npz",
        "x.parquet",
        "x.safetensors",
        "x.kv",
    ]
    for name, content in files.whole.items():  # imports on first use are not what is measured
        (folder / "whole").write_bytes(content)
        for load in (read, load_word_vectors):
            try:
                load(folder / "whole")
            except (ValueError, ImportError):
                print(f"{load.__name__} has no way to read {name}", file=sys.stderr)
    for kind, content in files.stream(n_files, bombs=bombs):
        path = folder / files.pick(suffixes)
        path.write_bytes(content)
        report.files[kind] += 1
        report.call(kind, path, content, read, {})
        report.call(kind, path, content, load_word_vectors, {})
        extra = files.rng.random()
        if extra < 0.1:
            report.call(kind, path, content, read, {"header": bool(files.rng.integers(2))})
        elif extra < 0.2:
            report.call(kind, path, content, read, {"key": files.pick(["X", "vectors", "words", "", "\0"])})
        elif extra < 0.3:
            report.call(kind, path, content, load_word_vectors, {"limit": files.pick([1, 3, 10**12])})
        if Path(files.sentinel).exists():
            report.failures.append(f"{kind}: a pickle was loaded: {content[:80]!r}")
            os.rmdir(files.sentinel)
        path.unlink()
    return {
        "files": report.files,
        "outcomes": report.outcomes,
        "failures": report.failures,
        "peak_beyond_twice_the_file": report.peak,
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", RuntimeWarning)
    print(
        json.dumps(main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), bombs="bombs" in sys.argv[4:]))
    )
