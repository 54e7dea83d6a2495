"""The data folder of a course: vectors for students without their own, and questions for searching them."""

import io
from collections.abc import Iterable

import numpy as np


def files() -> dict[str, bytes]:
    """Return the files of the data folder by name."""
    from isotropy_report.io import load_word_vectors
    from reanalyses.course.kit.slides import read_asset
    from reanalyses.roychowdhury2024.datasets import encoders, text_collections

    minilm, collection = encoders.load("MiniLM", "yang"), text_collections.collection("yang")
    definitions, words = minilm.documents[0], load_word_vectors("glove-pool")
    readme = read_asset("data.md").format(
        n_definitions=len(definitions),
        n_columns=definitions.shape[1],
        n_questions=len(minilm.questions),
        n_words=len(words.vectors),
        n_word_columns=words.vectors.shape[1],
    )
    return {
        "README.md": readme.encode(),
        "definitions.npy": _npy_bytes(definitions),
        "modules.txt": _text_bytes(location.split()[0] for location in collection.places),
        "questions.npy": _npy_bytes(minilm.questions),
        "questions.txt": _text_bytes(collection.questions),
        "gold.txt": _text_bytes(" ".join(map(str, rows)) for rows in collection.gold),
        "words.npy": _npy_bytes(words.vectors),
        "words.txt": _text_bytes(words.index_to_key),
    }


def _npy_bytes(values: object) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(values, dtype=np.float32))
    return file.getvalue()


def _text_bytes(texts: Iterable[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()
