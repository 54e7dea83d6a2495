"""Exercises of the lesson "How accurate is it, really?"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


def draw_search(rng: np.random.Generator) -> Data:
    D = rng.standard_normal((60, 8))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    gold = rng.integers(0, 60, 40)
    return {"Q": D[gold] + 0.5 * rng.standard_normal((40, 8)), "D": D, "gold": gold}


def lesson_search() -> Data:
    from reanalyses.corpora import python_docs

    docs = python_docs.load("MiniLM")
    Q, D = docs.question_vectors.astype(float), docs.document_vectors.astype(float)
    return {"Q": Q, "D": D, "gold": docs.gold}


# 1. twice


def accuracies_with_duplicates(Q: Any, D: Any, gold: Any) -> tuple[float, float]:
    """Return accuracy@1 if duplicates rank before the answers, and accuracy@9 if they rank after the answers."""
    S = Q @ D.T
    n_nearer = (S[np.arange(len(Q)), gold][:, None] < S).sum(axis=1)
    worst_rank, best_rank = 2 * n_nearer + 2, 2 * n_nearer + 1
    return float((worst_rank <= 1).mean()), float((best_rank <= 9).mean())


def accuracies_without_duplicates(Q: Any, D: Any, gold: Any) -> tuple[float, float]:
    is_answer = np.argsort(-(Q @ D.T), axis=1)[:, :9] == np.asarray(gold)[:, None]
    return 0.0, float(is_answer.any(axis=1).mean())


def accuracies_with_favorable_ties(Q: Any, D: Any, gold: Any) -> tuple[float, float]:
    is_first = np.argmax(Q @ D.T, axis=1) == gold
    return float(is_first.mean()), accuracies_with_duplicates(Q, D, gold)[1]


# 2. width


def draw_interval(rng: np.random.Generator) -> Data:
    return {
        "A": round(float(rng.uniform(0.6, 0.95)), 3),
        "width": round(float(rng.uniform(0.05, 0.2)), 3),
        "n_test": int(rng.integers(500, 3_000)),
    }


def lesson_interval() -> Data:
    from reanalyses.roychowdhury2024 import experiments

    row = experiments.printed_performance().set_index("model").loc["bge_large_finetuned"]
    return {"A": float(row["accuracy"]) / 100, "width": float(row["accuracy_width"]) / 100, "n_test": 1_033}


def sample_size_and_width(A: float, width: float, n_test: int) -> tuple[float, float]:
    """Return the sample size for an interval width, and the interval width for `n_test` questions, both at 95%."""
    variance = A * (1 - A)
    return (2 * 1.96) ** 2 * variance / width**2, 2 * 1.96 * (variance / n_test) ** 0.5


def sample_size_and_half_width(A: float, width: float, n_test: int) -> tuple[float, float]:
    return 1.96**2 * A * (1 - A) / width**2, 1.96 * float(np.sqrt(A * (1 - A) / n_test))


def sample_size_without_square(A: float, width: float, n_test: int) -> tuple[float, float]:
    return 3.92 * float(np.sqrt(A * (1 - A))) / width, 3.92 * float(np.sqrt(A * (1 - A) / n_test))


# 3. alike


def draw_hits(rng: np.random.Generator) -> Data:
    module = np.repeat(np.arange(40), rng.integers(3, 12, 40))
    hit_rate = rng.uniform(0.3, 1.0, 40)[module]
    hits, other = ((rng.uniform(size=len(module)) < p).astype(float) for p in (hit_rate, hit_rate - 0.1))
    return {"hits": hits, "other": other, "module": module}


def lesson_hits() -> Data:
    from isotropy_lab.retrieval import answer_ranks
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    encoder, dataset = encoders.load("MiniLM", "yang"), experiments.collection()
    Q, D, gold = encoder.questions, encoder.documents[0], dataset.gold
    _, module = np.unique(dataset.questions["module"], return_inverse=True)
    ranks = answer_ranks(Q, D, gold), answer_ranks(Q[:, :192], D[:, :192], gold)
    hits, other = ((values <= 10).astype(float) for values in ranks)
    return {"hits": hits, "other": other, "module": module}


def standard_errors(hits: Any, other: Any, module: Any) -> tuple[float, float]:
    """Return the standard errors of the accuracy and of the difference when whole modules are drawn."""
    module_errors = []
    for values in (hits, hits - other):
        module_sums = np.bincount(module, values - values.mean())
        module_errors.append(float(np.sqrt((module_sums**2).sum()) / len(hits)))
    return module_errors[0], module_errors[1]


def errors_by_question(hits: Any, other: Any, module: Any) -> tuple[float, float]:
    return standard_errors(hits, other, np.arange(len(module)))


def errors_with_shuffled_labels(hits: Any, other: Any, module: Any) -> tuple[float, float]:
    return standard_errors(hits, other, np.random.default_rng(0).permutation(module))


def errors_without_pairing(hits: Any, other: Any, module: Any) -> tuple[float, float]:
    by_module = standard_errors(hits, 0 * other, module)[0]
    return by_module, float(np.hypot(by_module, standard_errors(other, 0 * hits, module)[1]))


EXERCISES = (
    Exercise(
        name="twice",
        number=1,
        objectives=(1,),
        asks="two numbers: accuracy at 1 if ties go against you, and accuracy at 9 if they go in your favor",
        parts=("accuracy at 1", "accuracy at 9"),
        lesson_data=lesson_search,
        draw=draw_search,
        solution=accuracies_with_duplicates,
        slips=(
            Slip(accuracies_with_favorable_ties, "in the first number, ties go against you."),
            Slip(accuracies_without_duplicates, "your second number ignores the copies in the top 9."),
        ),
        praise="Always say how ties are broken.",
    ),
    Exercise(
        name="width",
        number=2,
        objectives=(2,),
        asks="two numbers by the formula: the number of questions, and the width with all test questions, as a fraction",
        parts=("number of questions", "width"),
        lesson_data=lesson_interval,
        draw=draw_interval,
        decimals=(0, 3),
        rtol=5e-3,
        solution=sample_size_and_width,
        slips=(
            Slip(sample_size_and_half_width, "that is the half-width. An interval extends to both sides."),
            Slip(sample_size_without_square, "half the width requires four times the questions."),
            Slip(lambda **d: np.multiply([1, 100], sample_size_and_width(**d)), "not points: a fraction."),
        ),
        praise="With a hundred samples, the width itself varies by chance.",
    ),
    Exercise(
        name="alike",
        number=3,
        objectives=(1, 3),
        asks="two standard errors for whole modules, as fractions: of the accuracy and of the lead",
        parts=("error of the accuracy", "error of the lead"),
        lesson_data=lesson_hits,
        draw=draw_hits,
        rtol=0.08,
        solution=standard_errors,
        slips=(
            Slip(errors_by_question, "you drew single questions. Draw whole modules."),
            Slip(errors_with_shuffled_labels, "you used the shuffled labels. Use the real ones."),
            Slip(errors_without_pairing, "use the paired difference, in which hard questions cancel."),
            Slip(lambda **data: 100 * np.array(standard_errors(**data)), "hand in fractions, not points."),
        ),
        praise="Shuffle the labels, and see how the first standard error changes.",
    ),
)
