"""Create the documents of `reanalyses.corpora.python_docs`, and embeddings of its texts by two encoders.

Run: ``python scripts/make_python_docs.py [--renew]``, with the versions of Python and NumPy whose docstrings
are used. Without ``--renew``, it only prints which files differ. The questions are written by hand and are
not changed here.

A document is the first paragraph of prose of a docstring, without preceding signatures and without code
markup, cut after whole sentences to at most 45 words; a missing full stop is added. Paragraphs of fewer than
four words and duplicates are omitted.
"""

import builtins
import hashlib
import importlib
import inspect
import io
import json
import platform
import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from making import options_of, write_record

from isotropy_report import load_word_vectors
from reanalyses.corpora import MiniLM, python_docs

DATA = Path(python_docs.__file__).with_name("data")
SCRIPT = "scripts/make_python_docs.py"
MAX_WORDS = 45
MIN_WORDS = 4

_NAMES_FILE = Path(__file__).with_name("python_docs_names.toml")
NAMES: dict[str, str] = tomllib.loads(_NAMES_FILE.read_text(encoding="utf-8"))
"""Names to document in each module or class."""

_SIGNATURE = re.compile(r"^[\w.]+\s*\(.*?\)(\s*--?>\s*[^.]{0,30}?)?(\.|\s--?)?(\s+(?=[A-Z])|(?<=\s-)\s+|$)")
_ARROW = re.compile(r"^[^>]{0,40}?--?>\s+(\w, )?")
_QUOTED = re.compile(r"`([^`']*)'")
_EMPHASIS = re.compile(r"\*(\w+)\*")
_ROLE = re.compile(r":\w+:`~?([^`<]+?)(?:\s*<[^`]*>)?`")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")


def find_object(owner: str, name: str) -> Any:
    """Return the object with a name in a module, or in a class of Python or NumPy."""
    if owner == "numpy.ndarray":
        value: Any = np.ndarray
    elif owner != "builtins" and hasattr(builtins, owner):
        value = getattr(builtins, owner)
    else:
        value = importlib.import_module(owner)
    for part in name.split("."):
        value = getattr(value, part)
    return value


def first_prose(docstring: str) -> str:
    """Return the first paragraph of prose of a docstring as whole sentences, or "" if there is none."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(docstring)):
        lines = paragraph.strip().splitlines()
        if lines and lines[0].startswith((">>>", "---", "..")):
            return ""
        text = " ".join(paragraph.split())
        # A signature may be repeated for other arguments; each one is removed.
        while (shorter := _SIGNATURE.sub("", text, count=1)) != text:
            text = shorter
        text = _ARROW.sub("", text, count=1)
        text = _EMPHASIS.sub(r"\1", _QUOTED.sub(r"'\1'", _ROLE.sub(r"\1", text)))
        text = text.replace("``", "").replace("`", "").strip()
        if text:
            return _whole_sentences(text)
    return ""


def _whole_sentences(text: str) -> str:
    sentences, n_words = [], 0
    for sentence in _END.split(text):
        n_words += len(sentence.split())
        if n_words > MAX_WORDS or sentence.endswith((":", ",")):
            break
        sentences.append(sentence)
    result = " ".join(sentences)
    if not result:
        return ""
    return result[0].upper() + result[1:] + ("" if result[-1] in ".!?" else ".")


def documents() -> list[tuple[str, str]]:
    """Return the name and text of each entry."""
    entries, seen = [], set()
    for owner, names in NAMES.items():
        for name in names.split():
            text = first_prose(inspect.getdoc(find_object(owner, name)) or "")
            key = " ".join(re.findall(r"[a-z0-9]+", text.lower()))
            if len(text.split()) >= MIN_WORDS and key not in seen:
                seen.add(key)
                entries.append((name if owner == "builtins" else f"{owner}.{name}", text))
    return entries


def mean_of_words(texts: tuple[str, ...]) -> np.ndarray:
    """Return the mean of the bundled GloVe vectors of each text's words."""
    pool = load_word_vectors("glove-pool")
    rows = []
    for text in texts:
        word_vectors = [
            pool[word] for word in re.findall(r"[a-z0-9]+", text.lower()) if word in pool.key_to_index
        ]
        if not word_vectors:
            raise SystemExit(f"No word of {text!r} has a vector")
        rows.append(np.mean(np.asarray(word_vectors, dtype=np.float64), axis=0))
    return np.stack(rows)


def to_float16(rows: np.ndarray) -> np.ndarray:
    """Return unit-norm rows in half precision."""
    x = np.asarray(rows, dtype=np.float64)
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float16)


def write(name: str, content: bytes, *, renew: bool) -> None:
    """Write a file, and its hash, date, and versions to its record, or only print whether it differs."""
    path = DATA / name
    is_unchanged = path.is_file() and path.read_bytes() == content
    print(f"{name}: {'unchanged' if is_unchanged else 'differs'}, {len(content):,} bytes")
    if renew and not is_unchanged:
        path.write_bytes(content)
        record_path = path.with_suffix(".json")
        record: dict[str, Any] = json.loads(record_path.read_text(encoding="utf-8"))
        record |= {"made": date.today().isoformat(), "sha256": hashlib.sha256(content).hexdigest()}
        if name.endswith("documents.tsv"):
            record["version"] = f"Python {platform.python_version()}, NumPy {np.__version__}"
        write_record(record_path, record)


def main() -> None:
    """Create the documents, and then the vectors of all texts."""
    parser = options_of(__doc__)
    parser.add_argument("--renew", action="store_true", help="write files that differ")
    renew = parser.parse_args().renew
    table = "".join(f"{name}\t{text}\n" for name, text in [("name", "document"), *documents()])
    write("python-docs-documents.tsv", table.encode(), renew=renew)
    docs = python_docs.load("LSA")  # the only one of the three models that needs no stored vectors
    kinds = {"questions": docs.questions, "documents": docs.documents, "out_of_scope": docs.out_of_scope}
    minilm = MiniLM()
    for name, encode in (("minilm", minilm.encode), ("glove", mean_of_words)):
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **{kind: to_float16(encode(texts)) for kind, texts in kinds.items()})
        write(f"python-docs-{name}.npz", buffer.getvalue(), renew=renew)


if __name__ == "__main__":
    main()
