"""Readers of files with vectors, word vectors, and TREC judgments; nothing is downloaded."""

from isotropy_report.io.arrays import read
from isotropy_report.io.trec import read_qrels
from isotropy_report.io.word_vectors import WordVectors, load_word_vectors

__all__ = ["WordVectors", "load_word_vectors", "read", "read_qrels"]
