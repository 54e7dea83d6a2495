"""Contents of valid and forged vector files for tests of readers."""

import gzip
import io
import json
import struct
import zipfile

import numpy as np
import pytest

WORDS = ["cat", "Käse", "U.S.", "naïve", "dog's", "1990"]
VECTORS = np.random.default_rng(0).standard_normal((6, 5)).astype(np.float32)


class Bomb:
    """Class whose unpickling fails the test."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


def save(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def text_rows(words=WORDS, vectors=VECTORS):
    """Return rows in GloVe's format; nine digits represent float32 exactly."""
    rows = zip(words, vectors, strict=True)
    return "".join(f"{word} {' '.join(f'{x:.9g}' for x in row)}\n" for word, row in rows)


def binary_rows(words=WORDS, vectors=VECTORS, end=b""):
    return b"".join(w.encode() + b" " + row.tobytes() + end for w, row in zip(words, vectors, strict=True))


def json_lines(*records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


def npy(array):
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def npz(**arrays):
    return archive({f"{name}.npy": npy(array) for name, array in arrays.items()})


def archive(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as zipped:
        for name, content in members.items():
            zipped.writestr(name, content)
    return out.getvalue()


def npy_header(descr, shape, *, version=1, length=None):
    """Return the header of an .npy file, which may state a wrong array or a wrong length."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    form = "<H" if version == 1 else "<I"
    return b"\x93NUMPY%c\0" % version + struct.pack(form, len(text) if length is None else length) + text


def tensors(header, content=bytes(16)):
    """Return a .safetensors file with the given header text."""
    return struct.pack("<Q", len(header)) + header.encode() + content


def tensor(entry, content=bytes(16)):
    return tensors(f'{{"X":{entry}}}', content)


def parquet(**columns):
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def repeated_gzip(piece, times, start=b""):
    """Return many gzip members that expand as one file, a fast way to create a large bomb."""
    return (gzip.compress(start) if start else b"") + gzip.compress(piece) * times
