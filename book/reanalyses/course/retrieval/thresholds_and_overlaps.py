"""Exercises of the lesson "Thresholds: when a search should return nothing"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


# 1. silent


def draw_example(rng: np.random.Generator) -> Data:
    best = np.sort(rng.uniform(0.5, 1, (6, 3)).round(2), axis=1)[:, ::-1].copy()
    best[-1] = np.sort(rng.uniform(0.1, 0.35, 3).round(2))[::-1]
    rank = np.array([1, 2, 3, 2, 3, 4])
    rank[:5] = rng.permutation(rank[:5])
    answer = np.append(best[np.arange(5), rank[:5] - 1], 0.05)
    return {"best": best, "rank": rank, "answer": answer}


def lesson_example() -> Data:
    best = np.array([[0.90, 0.50, 0.40], [0.80, 0.75, 0.45], [0.70, 0.60, 0.55], [0.35, 0.30, 0.10]])
    return {"best": best, "rank": np.array([1, 3, 2, 4]), "answer": np.array([0.90, 0.45, 0.60, 0.05])}


def three_thresholds(best: Any, rank: Any, answer: Any) -> tuple[float, float, float]:
    """Return the threshold that rejects the last query, and the thresholds that lose a hit by document and by list."""
    is_hit = rank <= 3
    return float(best[-1].max()), float(answer[is_hit].min()), float(best[is_hit].max(axis=1).min())


def thresholds_exchanged(best: Any, rank: Any, answer: Any) -> tuple[float, float, float]:
    begin, by_document, by_list = three_thresholds(best, rank, answer)
    return begin, by_list, by_document


def thresholds_with_misses(best: Any, rank: Any, answer: Any) -> tuple[float, float, float]:
    return float(best[-1].max()), float(answer.min()), float(best[:, 0].min())


# 2. promise


def draw_questions(rng: np.random.Generator) -> Data:
    own = rng.uniform(0.3, 1, 150)
    hit = rng.uniform(size=150) < 0.4 + 0.5 * own
    return {
        "own": own,
        "hit": hit,
        "samples": rng.integers(0, 150, (200, 150)),
        "k": int(rng.integers(1, 3)),
        "margin": 0.03,
    }


def lesson_questions() -> Data:
    from scipy import stats

    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    encoder, gold = encoders.load("MiniLM", "yang"), experiments.collection().gold
    S = encoder.questions.astype(float) @ encoder.documents[0].astype(float).T
    n = len(S)
    answer_similarity = S[np.arange(n), gold]
    hit = (answer_similarity[:, None] < S).sum(axis=1) < 10
    n_lost = np.arange(n)
    allowed = n_lost[stats.beta.ppf(0.95, n_lost + 1, n - n_lost) <= 0.02].max()
    rng = np.random.default_rng(0)
    samples = np.array([rng.integers(0, n, n) for _ in range(1000)])
    return {"own": S.max(axis=1), "hit": hit, "samples": samples, "k": int(allowed), "margin": 0.02}


def fraction_of_excessive_losses(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    """Return the fraction of samples whose threshold loses more hits among all questions than the margin allows."""
    n_excessive = 0
    for sample in samples:
        threshold = np.sort(own[sample][hit[sample]])[k]
        n_excessive += int((hit & (own < threshold)).mean() > margin)
    return n_excessive / len(samples)


def fraction_on_samples(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    is_excessive = []
    for sample in samples:
        threshold = np.sort(own[sample][hit[sample]])[k]
        is_excessive.append((hit[sample] & (own[sample] < threshold)).mean() > margin)
    return float(np.mean(is_excessive))


def fraction_with_extra_loss(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    return fraction_of_excessive_losses(own, hit, samples, k + 1, margin)


def fraction_with_loss_on_sample(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    return fraction_of_excessive_losses(own, hit, samples, int(margin * len(own)), margin)


def count_of_excessive_losses(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    return len(samples) * fraction_of_excessive_losses(own, hit, samples, k, margin)


# 3. foreign


def draw_similarities(rng: np.random.Generator) -> Data:
    center = rng.normal(0.7, 0.08, (200, 1))
    spread = rng.uniform(0.02, 0.06, (200, 1))
    S = center + spread * rng.standard_normal((200, 60))
    S[np.arange(120), rng.integers(0, 60, 120)] = (center + spread * rng.normal(4.5, 0.6, (200, 1)))[:120, 0]
    return {"ours": S[:120], "theirs": S[120:], "hit": rng.uniform(size=120) < 0.8, "allowed": 5}


def lesson_similarities() -> Data:
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    encoder, gold = encoders.load("E5", "yang"), experiments.collection().gold
    ours = encoder.questions @ encoder.documents[0].T
    theirs = encoders.load("E5", "open-vswitch").questions @ encoder.documents[0].T
    hit = (ours > ours[np.arange(len(ours)), gold][:, None]).sum(axis=1) < 10
    return {"ours": ours, "theirs": theirs, "hit": hit, "allowed": int(lesson_questions()["k"])}


def standardized_best(ours: Any, theirs: Any, hit: Any, allowed: int) -> tuple[Any, Any]:
    """Return the best similarity of each query minus the mean of its row, in standard deviations of the row."""
    in_scope, out_of_scope = ((S.max(axis=1) - S.mean(axis=1)) / S.std(axis=1) for S in (ours, theirs))
    return in_scope, out_of_scope


def best_similarity(ours: Any, theirs: Any, hit: Any, allowed: int) -> tuple[Any, Any]:
    return ours.max(axis=1), theirs.max(axis=1)


def negated_best(ours: Any, theirs: Any, hit: Any, allowed: int) -> tuple[Any, Any]:
    in_scope, out_of_scope = standardized_best(ours, theirs, hit, allowed)
    return -in_scope, -out_of_scope


def judge_confidence(answer: Any, ours: Any, theirs: Any, hit: Any, allowed: int) -> None:
    parts = answers.split_parts(answer, ("ours", "theirs"))
    confidences = []
    for name, part, S in zip(
        ("our questions", "the out-of-scope queries"), parts, (ours, theirs), strict=True
    ):
        values = answers.array(part, f"list for {name}").reshape(-1)
        if values.shape != (len(S),):
            raise Wrong(f"your list for {name} has {values.size} numbers. Hand in {len(S)} numbers.")
        confidences.append(values)
    baseline = rejection_rate(ours.max(axis=1), theirs.max(axis=1), hit, allowed)
    if (rejected := rejection_rate(confidences[0], confidences[1], hit, allowed)) < baseline + 0.05:
        raise Wrong(
            f"with {allowed} hits lost, your number rejects {rejected:.2f} of the out-of-scope queries; "
            f"the best similarity alone rejects {baseline:.2f}."
        )


def rejection_rate(ours: Any, theirs: Any, hit: Any, allowed: int) -> float:
    """Return the fraction of out-of-scope queries that are rejected if at most the allowed number of hits is lost."""
    return float((theirs < np.sort(ours[hit])[allowed]).mean())


EXERCISES = (
    Exercise(
        name="silent",
        number=1,
        objectives=(1,),
        asks="three thresholds: the beginning, the end if each document is judged, and the end if the best document decides",
        parts=("beginning", "end if each document is judged", "end if the best decides"),
        lesson_data=lesson_example,
        draw=draw_example,
        rtol=0,
        atol=2e-3,
        solution=three_thresholds,
        slips=(
            Slip(thresholds_with_misses, "a question whose answer is not in the top 3 has no hit to lose."),
            Slip(thresholds_exchanged, "the two ends are exchanged. Which rule loses a hit first?"),
        ),
        praise="Rejection costs no hit in this range, which is longer if the best document decides.",
    ),
    Exercise(
        name="promise",
        number=2,
        objectives=(2,),
        asks="the fraction of samples whose loss on all questions is too large, with the hits that the exact rule allows",
        parts=("fraction",),
        lesson_data=lesson_questions,
        draw=draw_questions,
        rtol=0,
        atol=1e-6,
        solution=fraction_of_excessive_losses,
        slips=(
            Slip(
                fraction_on_samples, "you measured the loss on the sample. Measure the loss on all questions."
            ),
            Slip(fraction_with_extra_loss, "that threshold loses one hit too many."),
            Slip(
                fraction_with_loss_on_sample,
                "you allowed all hits within the margin on the sample. Allow those of the exact rule.",
            ),
            Slip(count_of_excessive_losses, "that is a number of samples. Hand in their fraction."),
        ),
        praise="Now allow a loss of two points on the sample, and compare.",
    ),
    Exercise(
        name="foreign",
        number=3,
        objectives=(3,),
        asks="two lists for E5, with your number for each of our questions and for each out-of-scope query",
        parts=("ours", "theirs"),
        lesson_data=lesson_similarities,
        draw=draw_similarities,
        judge=judge_confidence,
        slips=(
            Slip(
                best_similarity, "that is the best similarity alone. Compare it with the others in its row."
            ),
            Slip(
                negated_best,
                "your number has the wrong sign. A large number should mean that a question is answerable.",
            ),
        ),
        praise="Does it help MiniLM, and how certain is that result?",
    ),
)
