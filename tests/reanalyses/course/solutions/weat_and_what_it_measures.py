"""Correct answers to the exercises of the lesson "WEAT and what it measures"."""

from typing import Any

import numpy as np

from reanalyses.course.association import weat_and_what_it_measures as lesson


def normalize(words: Any) -> Any:
    return words / np.linalg.norm(words, axis=1, keepdims=True)


def association(words: Any, C: Any, D: Any) -> Any:
    """Return each word's mean cosine with C minus its mean cosine with D."""
    to_C, to_D = (normalize(words) @ normalize(attributes).T for attributes in (C, D))
    return to_C.mean(axis=1) - to_D.mean(axis=1)


def exchanged_statistics_by_package(A: Any, B: Any, C: Any, D: Any) -> list[float]:
    """Compute the answer with the package."""
    from isotropy_lab.association import weat, weat_effect_size, weat_permutation_test

    return [weat(B, A, C, D).score, weat_effect_size(B, A, C, D), weat_permutation_test(B, A, C, D).pvalue]


def smallest_pvalue(n_words: int) -> float:
    """Return 1 over the number of ways to split 2n words into halves."""
    n_splits = 1.0
    for i in range(1, n_words + 1):
        n_splits *= (n_words + i) / i
    return 1 / n_splits


def choose_extremes(
    flowers: Any, insects: Any, pleasant: Any, unpleasant: Any, n: int
) -> tuple[Any, Any, list[float]]:
    """Choose the most pleasant insects and the least pleasant flowers."""
    unit_lists = [normalize(words) for words in (insects, flowers, pleasant, unpleasant)]
    axis = unit_lists[2].mean(axis=0) - unit_lists[3].mean(axis=0)
    rows = np.argsort(unit_lists[0] @ axis)[-n:], np.argsort(unit_lists[1] @ axis)[:n]
    mean_vectors = [unit_lists[0][rows[0]].mean(axis=0), unit_lists[1][rows[1]].mean(axis=0)]
    cosines = [float(mean @ unit_lists[k].mean(axis=0)) for mean in mean_vectors for k in (2, 3)]
    return rows[0], rows[1], cosines


def choose_by_package(flowers: Any, insects: Any, pleasant: Any, unpleasant: Any, n: int) -> dict[str, Any]:
    """Compute the answer with the package."""
    from isotropy_lab.association import weat, word_associations

    high = np.argsort(-word_associations(insects, pleasant, unpleasant))[:n]
    low = np.argsort(word_associations(flowers, pleasant, unpleasant))[:n]
    w = weat(insects[high], flowers[low], pleasant, unpleasant)
    return dict(zip(lesson.PART_NAMES, (high, low, [w.ac, w.ad, w.bc, w.bd]), strict=True))


def choose_by_removal(flowers: Any, insects: Any, pleasant: Any, unpleasant: Any, n: int) -> list[Any]:
    """Remove the worst word until n are left, using one matrix of all cosines."""
    insect_rows, flower_rows = list(range(len(insects))), list(range(len(flowers)))
    of_insects, of_flowers = (association(words, pleasant, unpleasant) for words in (insects, flowers))
    for _ in range(len(insects) - n):
        insect_rows.remove(min(insect_rows, key=lambda i: of_insects[i]))
    for _ in range(len(flowers) - n):
        flower_rows.remove(max(flower_rows, key=lambda i: of_flowers[i]))
    cosines = []
    for words in (insects[insect_rows], flowers[flower_rows]):
        for other in (pleasant, unpleasant):
            cosines.append(np.mean([[u @ v for v in normalize(other)] for u in normalize(words)]))
    return [insect_rows, flower_rows, np.array(cosines)]


SOLUTIONS = {
    "exchange": (lesson.exchanged_statistics, exchanged_statistics_by_package),
    "three": (smallest_pvalue, lesson.smallest_pvalue_by_counting),
    "turned": (choose_extremes, choose_by_package, choose_by_removal),
}
