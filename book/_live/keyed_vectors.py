"""Part of gensim's `KeyedVectors` that the book uses, for browsers, in which gensim is not available.

The worker installs this file as `gensim.models`. A test compares each method with gensim's.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["KeyedVectors"]


class KeyedVectors:
    """Words with their vectors, ``vectors[word]`` and ``vectors[[word, …]]``, and nearest words by cosine."""

    def __init__(self, vector_size: int, count: int = 0, dtype: Any = np.float32) -> None:
        if count:
            raise NotImplementedError("This KeyedVectors grows only by add_vectors; omit count")
        self.vector_size = vector_size
        self.vectors = np.empty((0, vector_size), dtype)
        self.index_to_key: list[str] = []
        self.key_to_index: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __contains__(self, key: object) -> bool:
        return key in self.key_to_index

    def __getitem__(self, keys: str | Iterable[str]) -> Any:
        if isinstance(keys, str):
            return self.get_vector(keys)
        return np.vstack([self.get_vector(key) for key in keys])

    def get_vector(self, key: str, norm: bool = False) -> Any:
        """Return the vector of a word, normalized if `norm` is true."""
        if key not in self.key_to_index:
            raise KeyError(f"Key '{key}' not present")
        vector = self.vectors[self.key_to_index[key]]
        return vector / np.linalg.norm(vector) if norm else vector

    def add_vectors(
        self, keys: Sequence[str], weights: Any, extras: Any = None, replace: bool = False
    ) -> None:
        """Add words with one row each; known words keep their vectors unless `replace` is true."""
        rows = np.asarray(weights, dtype=self.vectors.dtype)
        new_rows = []
        for i, key in enumerate(keys):
            if key not in self.key_to_index:
                self.key_to_index[key] = len(self.index_to_key)
                self.index_to_key.append(key)
                new_rows.append(i)
            elif replace:
                self.vectors[self.key_to_index[key]] = rows[i]
        self.vectors = np.vstack([self.vectors, rows[new_rows]])

    def similarity(self, w1: str, w2: str) -> Any:
        """Return the cosine similarity of two words."""
        return self.get_vector(w1, norm=True) @ self.get_vector(w2, norm=True)

    def most_similar(
        self, positive: str | Sequence[str], negative: Sequence[str] = (), topn: int = 10
    ) -> list[tuple[str, float]]:
        """Return the words most similar to the mean unit vector, in which words in `negative` count negatively."""
        positive_words = [positive] if isinstance(positive, str) else list(positive)
        rows = [self.get_vector(key, norm=True) for key in positive_words]
        rows += [-self.get_vector(key, norm=True) for key in negative]
        mean = np.mean(rows, axis=0)
        lengths = np.linalg.norm(self.vectors, axis=1)
        cosines = self.vectors @ (mean / np.linalg.norm(mean)) / lengths
        query_words = {*positive_words, *negative}
        ranked = ((self.index_to_key[i], float(cosines[i])) for i in np.argsort(-cosines))
        return [pair for pair in ranked if pair[0] not in query_words][:topn]
