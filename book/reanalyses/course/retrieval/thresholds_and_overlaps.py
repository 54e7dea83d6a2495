"""Exercises of the lesson "Thresholds: when a search should return nothing"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


# 1. silent


def any_example(rng: np.random.Generator) -> Data:
    best = np.sort(rng.uniform(0.5, 1, (6, 3)).round(2), axis=1)[:, ::-1].copy()
    best[-1] = np.sort(rng.uniform(0.1, 0.35, 3).round(2))[::-1]
    rank = np.array([1, 2, 3, 2, 3, 4])
    rank[:5] = rng.permutation(rank[:5])
    answer = np.append(best[np.arange(5), rank[:5] - 1], 0.05)
    return {"best": best, "rank": rank, "answer": answer}


def example() -> Data:
    best = np.array([[0.90, 0.50, 0.40], [0.80, 0.75, 0.45], [0.70, 0.60, 0.55], [0.35, 0.30, 0.10]])
    return {"best": best, "rank": np.array([1, 3, 2, 4]), "answer": np.array([0.90, 0.45, 0.60, 0.05])}


def silent(best: Any, rank: Any, answer: Any) -> tuple[float, float, float]:
    """Return the best similarity of the last question, and the thresholds that lose a hit by document and by list."""
    hit = rank <= 3
    return float(best[-1].max()), float(answer[hit].min()), float(best[hit].max(axis=1).min())


def ends_exchanged(best: Any, rank: Any, answer: Any) -> tuple[float, float, float]:
    start, each, lists = silent(best, rank, answer)
    return start, lists, each


def missed_ones_too(best: Any, rank: Any, answer: Any) -> tuple[float, float, float]:
    return float(best[-1].max()), float(answer.min()), float(best[:, 0].min())


# 2. promise


def any_questions(rng: np.random.Generator) -> Data:
    own = rng.uniform(0.3, 1, 150)
    hit = rng.uniform(size=150) < 0.4 + 0.5 * own
    return {
        "own": own,
        "hit": hit,
        "samples": rng.integers(0, 150, (200, 150)),
        "k": int(rng.integers(2, 6)),
        "margin": 0.03,
    }


def questions_of_the_lesson() -> Data:
    from scipy import stats

    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    minilm, gold = encoders.load("MiniLM", "yang"), experiments.collection().gold
    S = minilm.questions.astype(float) @ minilm.documents[0].astype(float).T
    n = len(S)
    right = S[np.arange(n), gold]
    hit = (right[:, None] < S).sum(axis=1) < 10
    losses = np.arange(n)
    allowed = losses[stats.beta.ppf(0.95, losses + 1, n - losses) <= 0.02].max()
    draw = np.random.default_rng(0)
    samples = np.array([draw.integers(0, n, n) for _ in range(1000)])
    return {"own": S.max(axis=1), "hit": hit, "samples": samples, "k": int(allowed), "margin": 0.02}


def promise(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    """Return the fraction of samples whose threshold loses more than the margin among all hits."""
    too_far = 0
    for some in samples:
        t = np.sort(own[some][hit[some]])[k]
        too_far += int((hit & (own < t)).mean() > margin)
    return too_far / len(samples)


def counted_on_the_sample(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    found = []
    for some in samples:
        t = np.sort(own[some][hit[some]])[k]
        found.append((hit[some] & (own[some] < t)).mean() > margin)
    return float(np.mean(found))


def one_more(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    return promise(own, hit, samples, k + 1, margin)


# 3. foreign


def any_similarities(rng: np.random.Generator) -> Data:
    level = rng.normal(0.7, 0.08, (200, 1))
    spread = rng.uniform(0.02, 0.06, (200, 1))
    S = level + spread * rng.standard_normal((200, 60))
    S[np.arange(120), rng.integers(0, 60, 120)] = (level + spread * rng.normal(4.5, 0.6, (200, 1)))[:120, 0]
    return {"ours": S[:120], "theirs": S[120:], "hit": rng.uniform(size=120) < 0.8, "allowed": 5}


def similarities_of_e5() -> Data:
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    e5, gold = encoders.load("E5", "yang"), experiments.collection().gold
    ours = e5.questions @ e5.documents[0].T
    theirs = encoders.load("E5", "open-vswitch").questions @ e5.documents[0].T
    hit = (ours > ours[np.arange(len(ours)), gold][:, None]).sum(axis=1) < 10
    return {"ours": ours, "theirs": theirs, "hit": hit, "allowed": int(questions_of_the_lesson()["k"])}


def foreign(ours: Any, theirs: Any, hit: Any, allowed: int) -> tuple[Any, Any]:
    """Return the distance of the best similarity from the mean of its row, in standard deviations."""
    one, other = ((S.max(axis=1) - S.mean(axis=1)) / S.std(axis=1) for S in (ours, theirs))
    return one, other


def best_of_all(ours: Any, theirs: Any, hit: Any, allowed: int) -> tuple[Any, Any]:
    return ours.max(axis=1), theirs.max(axis=1)


def turned_around(ours: Any, theirs: Any, hit: Any, allowed: int) -> tuple[Any, Any]:
    one, other = foreign(ours, theirs, hit, allowed)
    return -one, -other


def judge_foreign(answer: Any, ours: Any, theirs: Any, hit: Any, allowed: int) -> None:
    parts = answers.taken_apart(answer, ("ours", "theirs"))
    numbers = []
    for name, part, S in zip(
        ("our questions", "the out-of-scope queries"), parts, (ours, theirs), strict=True
    ):
        found = answers.array(part, f"list for {name}").reshape(-1)
        if found.shape != (len(S),):
            raise Wrong(f"your list for {name} has {found.size} numbers. Hand in {len(S)} numbers.")
        numbers.append(found)
    plain = silenced(ours.max(axis=1), theirs.max(axis=1), hit, allowed)
    if (share := silenced(numbers[0], numbers[1], hit, allowed)) < plain + 0.05:
        raise Wrong(
            f"with {allowed} hits lost, your number rejects {share:.2f} of the out-of-scope queries; "
            f"the best similarity alone rejects {plain:.2f}."
        )


def silenced(ours: Any, theirs: Any, hit: Any, allowed: int) -> float:
    """Return the fraction of out-of-scope queries below the threshold that loses the given number of hits."""
    return float((theirs < np.sort(ours[hit])[allowed]).mean())


EXERCISES = (
    Exercise(
        name="silent",
        number=1,
        objectives=(1,),
        asks="three thresholds: where it begins, where it ends if each document is judged, and if the best decides",
        parts=("begin", "end if each document is judged", "end if the best decides"),
        own=example,
        draw=any_example,
        rtol=0,
        atol=2e-3,
        solution=silent,
        slips=(
            Slip(missed_ones_too, "a question whose answer is not in the top 3 has no hit to lose."),
            Slip(ends_exchanged, "the two ends are exchanged. Which rule loses a hit first?"),
        ),
        praise="Silence for free, and longer if the best decides.",
    ),
    Exercise(
        name="promise",
        number=2,
        objectives=(2,),
        asks="the share of the samples whose loss on all questions is too large, with the hits that the exact rule allows",
        parts=("share",),
        own=questions_of_the_lesson,
        draw=any_questions,
        rtol=0,
        atol=1e-6,
        solution=promise,
        slips=(
            Slip(
                counted_on_the_sample,
                "you measured the loss on the sample. Measure the loss on all questions.",
            ),
            Slip(one_more, "that threshold loses one hit too many. The smallest similarity loses none."),
        ),
        praise="Now the two points of the sample.",
    ),
    Exercise(
        name="foreign",
        number=3,
        objectives=(3,),
        asks="two lists for E5, with your number for each of our questions and for each out-of-scope query",
        parts=("ours", "theirs"),
        own=similarities_of_e5,
        draw=any_similarities,
        judge=judge_foreign,
        slips=(
            Slip(best_of_all, "that is the best similarity alone. Compare it with the others in its row."),
            Slip(
                turned_around,
                "your number has the wrong sign. A large number should mean that a question is answerable.",
            ),
        ),
        praise="Does it help MiniLM, and how sure is that?",
    ),
)
