"""Vectors: readers of files, word vectors, a sentence encoder, and text to feed it. Nothing is ever downloaded."""

from isotropy_lab.vectors.arrays import read
from isotropy_lab.vectors.bundled import available, provenance
from isotropy_lab.vectors.encodings import cache_folder, cached_encoding
from isotropy_lab.vectors.minilm import HiddenStates, MiniLM
from isotropy_lab.vectors.wikipedia import wikipedia_sentences
from isotropy_lab.vectors.word_vectors import WordVectors, load_word_vectors
from isotropy_lab.vectors.yang import yang_definitions

__all__ = [
    "HiddenStates",
    "MiniLM",
    "WordVectors",
    "available",
    "cache_folder",
    "cached_encoding",
    "load_word_vectors",
    "provenance",
    "read",
    "wikipedia_sentences",
    "yang_definitions",
]
