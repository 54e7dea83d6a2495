"""Readers of files: vectors, word vectors, and runs and judgments of TREC. Nothing is downloaded."""

from isotropy_report.io.arrays import read
from isotropy_report.io.bundled import available, provenance
from isotropy_report.io.trec import read_qrels, read_run
from isotropy_report.io.word_vectors import WordVectors, load_word_vectors

__all__ = [
    "WordVectors",
    "available",
    "load_word_vectors",
    "provenance",
    "read",
    "read_qrels",
    "read_run",
]
