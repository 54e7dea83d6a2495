"""Errors about pickles and damaged files, and excerpts of files for messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from isotropy_report._options import short

HOW_TO_SAVE = (
    "Save arrays with numpy.save, tables with to_csv or to_parquet, word vectors with gensim's "
    "save_word2vec_format, or tensors with safetensors, and read the saved file instead"
)


def raise_pickle(path: object) -> NoReturn:
    """Raise ValueError for a pickle, which is never opened."""
    raise ValueError(
        f"{path} is a pickle, which is never unpickled, because loading it can run any code; expected a file "
        f"of arrays, tables, or word vectors. {HOW_TO_SAVE}"
    )


@contextmanager
def name_file_in_errors(path: object, problem: str = "is damaged or truncated") -> Iterator[None]:
    """Convert a library's error while reading a file to a ValueError that names the file and the problem."""
    try:
        yield
    except MemoryError:  # sizes were checked beforehand, so there is too little memory
        raise
    except Exception as error:
        text = str(error)
        if text.startswith(f"{path} is a pickle"):
            raise
        if "allow_pickle" in text or "Object arrays" in text or "Python objects" in text:
            raise_pickle(path)
        raise ValueError(f"{path} {problem}: {short(text.strip()) or type(error).__name__}") from error
