"""What is never read, and how a message shows a piece of a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

HOW_TO_SAVE = (
    "Save arrays with numpy.save, tables with to_csv or to_parquet, word vectors with gensim's "
    "save_word2vec_format, tensors with safetensors, and read that instead"
)


def raise_pickle(path: Path) -> NoReturn:
    """Refuse a pickle."""
    raise ValueError(
        f"{path} is a pickle. Loading one can run any code, so it is never unpickled. {HOW_TO_SAVE}"
    )


def short(text: str, length: int = 200) -> str:
    """Return a text that may come from a file, cut to what a message can hold."""
    return text if len(text) <= length else f"{text[:length]}…"


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn what a library says of a damaged file, whatever its type, into one error naming it."""
    try:
        yield
    except MemoryError:  # nothing is asked for before it has been compared with the size of the file
        raise
    except Exception as error:
        text = str(error)
        if "allow_pickle" in text or "Object arrays" in text or "Python objects" in text:
            raise_pickle(path)
        raise ValueError(
            f"{path} is damaged or truncated: {short(text.strip()) or type(error).__name__}"
        ) from error
