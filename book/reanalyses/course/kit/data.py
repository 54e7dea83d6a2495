"""The data folder of a course: vectors for students without their own, and questions for searching them."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np

__all__ = ["files"]

_README = """\
# Data for the course

For the lesson *Your own vectors* and for projects, if you bring no vectors of your own. The lessons themselves need none of
these files: what they load comes with the installed packages.

| File | What it holds |
|---|---|
| `definitions.npy` | {n_definitions:,} definitions of network equipment, a row of {n_columns} numbers each, by the encoder MiniLM |
| `modules.txt` | the module of each definition: rows of one module are alike |
| `questions.npy` | {n_questions} questions about them, by the same encoder |
| `questions.txt` | the questions in words |
| `gold.txt` | the row of each question's answer, counted from 0 |
| `words.npy`, `words.txt` | {n_words:,} frequent words, a row of {n_word_columns} numbers each, by GloVe |

Try it:

```bash
isotropy-lab report definitions.npy --groups modules.txt --questions questions.npy --gold gold.txt
isotropy-lab scores words.npy
```

The embeddings and the questions were made by the project Isotropy Lab; the GloVe vectors are under the Public Domain
Dedication and License 1.0. Sources, versions and licenses of all data are listed in the file `LICENSES-data.md` of the project.
"""


def files() -> dict[str, bytes]:
    """Return the files of the data folder by name."""
    from isotropy_report.io import load_word_vectors
    from reanalyses.roychowdhury2024.datasets import encoders, text_collections

    minilm, collection = encoders.load("MiniLM", "yang"), text_collections.collection("yang")
    definitions, words = minilm.documents[0], load_word_vectors("glove-pool")
    readme = _README.format(
        n_definitions=len(definitions),
        n_columns=definitions.shape[1],
        n_questions=len(minilm.questions),
        n_words=len(words.vectors),
        n_word_columns=words.vectors.shape[1],
    )
    return {
        "README.md": readme.encode(),
        "definitions.npy": _array(definitions),
        "modules.txt": _lines(place.split()[0] for place in collection.places),
        "questions.npy": _array(minilm.questions),
        "questions.txt": _lines(collection.questions),
        "gold.txt": _lines(" ".join(map(str, places)) for places in collection.gold),
        "words.npy": _array(words.vectors),
        "words.txt": _lines(words.index_to_key),
    }


def _array(values: object) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(values, dtype=np.float32))
    return file.getvalue()


def _lines(texts: Iterable[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()
