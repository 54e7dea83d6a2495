"""Texts, a sentence encoder, and stored embeddings. Nothing is ever downloaded."""

from reanalyses.corpora.encodings import cache_folder, cached_encoding
from reanalyses.corpora.minilm import HiddenStates, MiniLM
from reanalyses.corpora.texts import wikipedia_sentences, yang_definitions

__all__ = [
    "HiddenStates",
    "MiniLM",
    "cache_folder",
    "cached_encoding",
    "wikipedia_sentences",
    "yang_definitions",
]
