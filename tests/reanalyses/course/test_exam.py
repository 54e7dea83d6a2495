"""Tests that exams have independently confirmed answers, repeat with the seed, and show students no answer."""

from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from scipy.spatial.distance import pdist

from reanalyses.__main__ import main
from reanalyses.course import exam

from .criteria import mean_cosine


def distances(line: Any) -> Any:
    return pdist(line[:, None])


EXPECTED_ANSWERS = {
    "isoscore": lambda lam: (sum(lam) ** 2 / sum(lam**2) - 1) / 2,
    "cosine": lambda X: np.mean([mean_cosine([a], [b]) for a, b in combinations(X, 2)]),
    "association": lambda w, C, D: mean_cosine(w, C) - mean_cosine(w, D),
    "relabel": lambda flowers, insects: np.mean(
        [sum(part) > sum(flowers) - 1e-9 for part in combinations([*flowers, *insects], 3)]
    ),
    "stress": lambda X, Y, scale: np.sqrt(
        sum((distances(X) - scale * distances(Y)) ** 2) / sum(distances(X) ** 2)
    ),
    "scale": lambda X, Y: np.linalg.lstsq(distances(Y)[:, None], distances(X))[0][0],
    "width": lambda n, hits: 3.92 * np.sqrt(hits * (n - hits) / n**3),
    "pairs": lambda n, n_first, n_second: (
        2 * sum(comb(n_first + n_second, k) for k in range(n_second + 1)) / 2 ** (n_first + n_second)
    ),
    "threshold": lambda similarities, is_relevant, threshold: sum(is_relevant[similarities >= threshold]) / 8,
    "holm": lambda p: max(3 * min(p), 2 * sorted(p)[1]),
    "blocks": lambda n, mean, variance: (n @ (variance + mean**2)) / sum(n) - (n @ mean / sum(n)) ** 2,
}


@pytest.mark.parametrize("seed", [7, 2**40])
def test_answers_equal_independent_computations(seed: int) -> None:
    problems = exam.draw_problems(seed)
    assert [drawn.problem.name for drawn in problems] == [*EXPECTED_ANSWERS]
    for drawn in problems:
        numbers = [float(choice.replace("−", "-")) for choice in drawn.choices]
        assert abs(numbers[0] - EXPECTED_ANSWERS[drawn.problem.name](**drawn.data)) < 0.00051, drawn.text
        assert "{" not in drawn.text
        assert min(abs(numbers[0] - wrong) for wrong in numbers[1:]) > 0.002
    chapters = [drawn.problem.lesson.partition("/")[0] for drawn in problems]
    assert min(chapters.count(chapter) for chapter in set(chapters)) >= 2
    assert len(set(chapters)) == 5


def test_exam_is_reproducible_and_hides_answers(tmp_path: Path) -> None:
    for folder in ("one", "same"):
        assert main(["course", "exam", "--seed", "7", "-o", str(tmp_path / folder)]) == 0
    assert main(["course", "exam", "-o", str(tmp_path / "one")]) == 2, "an exam is not overwritten"
    assert main(["course", "exam", "-o", str(tmp_path / "other")]) == 0
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").rglob("*.*")}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "same").rglob("*.*")}
    assert (tmp_path / "other" / "student" / "exam.md").read_bytes() != files["exam.md"]
    nbformat.validate(nbformat.reads(files["exam.ipynb"].decode(), 4))
    for drawn in exam.draw_problems(7):
        assert f"**{drawn.choices[0]}**" in files["answers.md"].decode()
        assert not any(f" {drawn.choices[0]}" in files[name].decode() for name in ("exam.md", "exam.ipynb"))
