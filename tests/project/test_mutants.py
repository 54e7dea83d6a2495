"""Tests of the program that inserts mistakes into the package and finds the tests for them."""

import ast
import random

from benchmarks import mutants
from benchmarks.mutants.__main__ import select_tests

TOY = '''"""A toy: 1 < 2 in a docstring is no code."""

from typing import Literal

__all__ = ["clip"]


def clip(x: float, low: int = 0, *, kind: Literal["hard"] = "hard") -> float:
    """Return x, at least low."""
    if kind != "hard":
        raise ValueError(f"kind is {kind!r}, {1 + 1} things; expected 'hard'")
    return low if x < low else x
'''


def test_mutants_change_code_only(tmp_path, monkeypatch):
    """Defaults, comparisons, statements and results change; docstrings, messages, types and names do not."""
    monkeypatch.setattr(mutants, "PACKAGE", tmp_path)
    file = tmp_path / "toy.py"
    file.write_text(TOY, encoding="utf-8")
    toy_mutants = mutants.mutants(file)
    assert {mutant.function for mutant in toy_mutants} == {"clip"}
    assert sorted(mutant.change for mutant in toy_mutants) == sorted(
        [
            "0 → 1",
            "0 → -1",
            "'hard' → 'another'",
            "NotEq → Eq in kind != 'hard'",
            'raise ValueError(f"kind is {kind!r}, {1 + 1} things; expect… → pass',
            "low if x < low else x → None",
            "Lt → LtE in x < low",
            "Lt → GtE in x < low",
        ]
    )
    unchanged = ast.unparse(ast.parse(TOY))
    sources = {mutants.mutated_source(file, mutant.number) for mutant in toy_mutants}
    assert len(sources | {unchanged}) == len(toy_mutants) + 1
    assert file.read_text(encoding="utf-8") == TOY


def test_sampled_mutants_of_the_package_compile():
    package_mutants = mutants.all_mutants(("isotropy/", "projection/_pairs/"))
    for mutant in random.Random(0).sample(package_mutants, 10):
        compile(mutants.mutated_source(mutants.PACKAGE / mutant.module, mutant.number), mutant.module, "exec")


def test_tests_of_a_function_are_chosen_fastest_first():
    mutant = mutants.Mutant("moments.py", "moments", 1, "0 → 1", 0)
    times = {"moments.py:moments": {"slow": 50.0, "quick": 1.0, "slower": 55.0}, "moments.py": {"other": 1.0}}
    assert list(select_tests(mutant, times))[1:] == ["quick", "slow"]
    assert list(select_tests(mutant._replace(function="none"), times))[1:] == ["other"]
