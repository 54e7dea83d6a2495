"""Exams: answers that a second computation confirms, the same for the same seed, and none in what students get."""

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


ORACLES = {
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
def test_the_answers_are_those_of_a_second_computation(seed: int) -> None:
    found = exam.draw_problems(seed)
    assert [one.problem.name for one in found] == [*ORACLES]
    for one in found:
        numbers = [float(choice.replace("−", "-")) for choice in one.choices]
        assert abs(numbers[0] - ORACLES[one.problem.name](**one.data)) < 0.00051, one.text
        assert "{" not in one.text
        assert min(abs(numbers[0] - other) for other in numbers[1:]) > 0.002
    parts = [one.problem.lesson.partition("/")[0] for one in found]
    assert min(parts.count(part) for part in set(parts)) >= 2
    assert len(set(parts)) == 5


def test_students_get_the_questions_and_not_the_answers(tmp_path: Path) -> None:
    for folder in ("one", "same"):
        assert main(["course", "exam", "--seed", "7", "-o", str(tmp_path / folder)]) == 0
    assert main(["course", "exam", "-o", str(tmp_path / "one")]) == 2, "an exam is not overwritten"
    assert main(["course", "exam", "-o", str(tmp_path / "other")]) == 0
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").rglob("*.*")}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "same").rglob("*.*")}
    assert (tmp_path / "other" / "student" / "exam.md").read_bytes() != files["exam.md"]
    nbformat.validate(nbformat.reads(files["exam.ipynb"].decode(), 4))
    for one in exam.draw_problems(7):
        assert f"**{one.choices[0]}**" in files["answers.md"].decode()
        assert not any(f" {one.choices[0]}" in files[name].decode() for name in ("exam.md", "exam.ipynb"))
