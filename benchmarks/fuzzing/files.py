"""Damaged files of every kind that is read: vectors, and the texts that the command line takes beside them."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fuzzing.outcomes import Outcome, outcome_of
from isotropy_lab.association import keywords
from isotropy_lab.cli import main
from isotropy_lab.cli.inputs import read_gold, read_labels
from isotropy_lab.report import report_card
from isotropy_lab.report.gate import read_card
from isotropy_lab.retrieval import read_qrels, read_run
from isotropy_lab.vectors import WordVectors, load_word_vectors, read
from tests.isotropy_lab.vectors import fuzzing

_SUFFIXES = ("bin", "csv", "tsv", "txt", "txt.gz", "npy", "npz", "parquet", "safetensors", "jsonl")
_COUNTS = (b"99999999999999999999", b"-1", b"0", b"1e400", b"nan", b"4611686018427387904", b"1_0", b"")
_RUN = b"".join(b"q%d Q0 d%d %d %.3f tag\n" % (i, j, j + 1, 1 / (j + 1)) for i in range(4) for j in range(5))
_QRELS = b"".join(b"q%d 0 d%d %d\n" % (i, j, (i + j) % 3) for i in range(4) for j in range(5))
_LISTS = {"A": ["rose", "tulip"], "B": ["ant", "wasp"], "C": ["love", "peace"], "D": ["filth", "poison"]}
_TOML = "".join(f"{key} = {json.dumps(words)}\n" for key, words in _LISTS.items()).encode()


def _array(values: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, values)
    return out.getvalue()


@functools.cache
def _texts() -> dict[str, tuple[str, bytes, Callable[[Path], Any]]]:
    """Kinds of files beside vectors: a name, whole content, and what reads it."""
    card = report_card(np.random.default_rng(0).standard_normal((40, 4)), transformations=False)
    labels, gold = b"a\nb\na\nc\n" * 5, b"0\n3, 4\n2\n" * 4

    def labels_of(path: Path) -> Any:
        return read_labels(str(path), "--labels")

    def gold_of(path: Path) -> Any:
        return read_gold(str(path), "--gold")

    return {
        "TREC run": ("x.run", _RUN, read_run),
        "TREC judgments": ("x.qrels", _QRELS, read_qrels),
        "judgments by position": ("gold.txt", b"0 0 5 1\n0 0 6 2\n1 0 3 1\n", gold_of),
        "positions": ("gold.txt", gold, gold_of),
        "positions in an array": ("gold.npy", _array(np.arange(12).reshape(6, 2)), gold_of),
        "labels": ("labels.txt", labels, labels_of),
        "labels in a table": ("labels.csv", labels, labels_of),
        "labels in an array": ("labels.npy", _array(np.array(["a", "b"] * 9)), labels_of),
        "lists of words, JSON": ("test.json", json.dumps(_LISTS).encode(), keywords.read),
        "lists of words, TOML": ("test.toml", _TOML, keywords.read),
        "an earlier card": (
            "card.json",
            card.to_json().encode(),
            lambda path: read_card(path, "--fail-worse-than"),
        ),
    }


class Maker:
    """Files from a seed, each from its own number, so that any of them can be made again alone."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed, self.folder = seed, folder
        self.vectors = fuzzing.Files(seed, folder)

    def file(self, number: int) -> tuple[str, Path, bytes, Callable[[Path], Any]]:
        """Return the kind of a file, where it is to lie, what it holds and what reads it."""
        rng = self.vectors.rng = np.random.default_rng([self.seed, 0, number])
        if number % 3:
            kind = str(self.vectors.pick(self.vectors.KINDS))
            content = getattr(self.vectors, kind)()
            path = self.folder / f"x.{self.vectors.pick(_SUFFIXES)}"
            reader = (read, load_word_vectors, command)[int(rng.choice(3, p=[0.45, 0.35, 0.2]))]
            return f"vectors, {kind.replace('_', ' ')}", path, content, reader
        kind = self.vectors.pick(list(_texts()))
        name, whole, reader = _texts()[kind]
        return kind, self.folder / name, self.damaged(whole, rng), reader

    def damaged(self, whole: bytes, rng: np.random.Generator) -> bytes:
        """Flip, cut, insert, double, splice with another kind, or put a number that nobody expects."""
        content = self.vectors._mutate(whole)
        if rng.random() < 0.3:
            _, other, _ = _texts()[self.vectors.pick(list(_texts()))]
            place = int(rng.integers(len(content) + 1))
            content = content[:place] + other[int(rng.integers(len(other))) :]
        if rng.random() < 0.3:
            words = content.split(b" ")
            words[int(rng.integers(len(words)))] = self.vectors.pick(_COUNTS)
            content = b" ".join(words)
        return content


def command(path: Path) -> str:
    """Run ``isotropy-lab scores`` on a file in this process; refusals come back as the ValueError that they were."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["scores", str(path), "--quiet", "--rows", "100", "--sample", "50"])
    if code == 2 and err.getvalue().startswith("isotropy-lab scores: error: "):
        raise ValueError(err.getvalue())
    if code:
        raise RuntimeError(f"exit code {code}: {err.getvalue()[-300:]}")
    return out.getvalue()


def try_one(maker: Maker, number: int) -> tuple[str, str, Outcome]:
    """Write and read one file; return its kind, what was called, and the outcome."""
    kind, path, content, reader = maker.file(number)
    path.write_bytes(content)

    def judge(result: Any) -> str | None:
        if isinstance(result, (np.ndarray, WordVectors)) and reader in (read, load_word_vectors):
            return fuzzing.wrong_result(path, content, result, {})
        if isinstance(result, str) and " nan" in result:
            return f"NaN was printed: {result[:200]}"
        return None

    try:
        outcome = outcome_of(lambda: reader(path), judge, (str(path),))
        if path.read_bytes() != content:
            outcome = Outcome("input changed", str(path))
        if os.path.exists(maker.vectors.sentinel):
            outcome = Outcome("a pickle was loaded", kind)
    finally:
        path.unlink(missing_ok=True)
    return kind, getattr(reader, "__name__", "read"), outcome
