"""Adapt the sentence encoder to the YANG definitions with all questions about them, to be tried on other texts.

Run: ``python scripts/adapt_to_all_questions.py WORK [--seed N] [--threads N]``, in the environment of
scripts/make_adapted_embeddings.py, whose recipe and settings this is, but for one thing: no fold is held out. What
these encoders make of the YANG questions is therefore no measure of anything; they are for texts that they have not
seen (scripts/make_encoder_embeddings.py). About 15 minutes on one core.

WORK gets a folder for each of PT, FT, PT-FT, FT-merged and PT-FT-merged, with the weights and the files that
`isotropy_lab.vectors.MiniLM` reads beside them. A folder that is there is not made again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path

import make_adapted_embeddings as recipe
import torch
from safetensors.torch import load_file, save_file

NONE_HELD_OUT = recipe.N_FOLDS
"""A fold that no definition is in."""


def keep(weights: dict[str, torch.Tensor], folder: Path, published: Path) -> None:
    """Write weights where MiniLM can read them, whole or not at all."""
    part = folder.with_suffix(".part")
    part.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(published / name, part / name)
    save_file({name: value.contiguous() for name, value in weights.items()}, part / "model.safetensors")
    part.rename(folder)


def main() -> None:
    """Train what is missing in the work folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder for the models; made if it is not there")
    parser.add_argument("--seed", type=int, default=recipe.SETTINGS["seed"], help="of the training (0)")
    parser.add_argument("--threads", type=int, default=1, help="threads on a CPU (1)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    recipe.SETTINGS["seed"] = options.seed
    start = time.perf_counter()

    published, texts = recipe.folder_of_weights(), recipe.Texts()
    options.work.mkdir(parents=True, exist_ok=True)
    state = {"settings": recipe.SETTINGS, "texts": texts.hashes(), "held_out": None}
    (options.work / "record.json").write_text(json.dumps(state, indent=2) + "\n", encoding="utf-8")
    encoder = recipe.Encoder(published, "cpu")
    base = {name: value.cpu().clone() for name, value in encoder.fresh().state_dict().items()}
    folders = {name: options.work / name for name in ("PT", "FT", "PT-FT", "FT-merged", "PT-FT-merged")}
    if not folders["PT"].is_dir():
        trained = recipe.pre_train(encoder, texts.documents, start)
        keep({name: trained[name] for name in base}, folders["PT"], published)
    starts = {"FT": base, "PT-FT": load_file(folders["PT"] / "model.safetensors")}
    for name, origin in starts.items():
        if not folders[name].is_dir():
            tuned = recipe.fine_tune(encoder, origin, {}, texts, NONE_HELD_OUT, name, start)
            keep(tuned, folders[name], published)
        if not folders[f"{name}-merged"].is_dir():
            tuned = load_file(folders[name] / "model.safetensors")
            keep(recipe.merged(tuned, base), folders[f"{name}-merged"], published)
    recipe.log(start, "done")


if __name__ == "__main__":
    main()
