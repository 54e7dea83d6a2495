"""Refusal of pickles and of damaged files, and pieces of a file in messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

HOW_TO_SAVE = (
    "Save arrays with numpy.save, tables with to_csv or to_parquet, word vectors with gensim's "
    "save_word2vec_format, tensors with safetensors, and read that instead"
)


def raise_pickle(path: object) -> NoReturn:
    """Refuse a pickle."""
    raise ValueError(
        f"{path} is a pickle. Loading one can run any code, so it is never unpickled. {HOW_TO_SAVE}"
    )


def short(text: str, length: int = 200) -> str:
    """Return a text from a file, cut to a length that fits a message."""
    return text if len(text) <= length else f"{text[:length]}…"


@contextmanager
def errors_name(path: object, what: str = "is damaged or truncated") -> Iterator[None]:
    """Turn any error of a library that reads a file into a ValueError that names it, and says what it is."""
    try:
        yield
    except MemoryError:  # sizes are checked before memory is allocated
        raise
    except Exception as error:
        text = str(error)
        if text.startswith(f"{path} is a pickle"):
            raise
        if "allow_pickle" in text or "Object arrays" in text or "Python objects" in text:
            raise_pickle(path)
        raise ValueError(f"{path} {what}: {short(text.strip()) or type(error).__name__}") from error
