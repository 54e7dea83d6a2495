"""Every public measure has its cost in its docstring and its growth in the record, which is no worse."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pytest

from benchmarks.growth import costs
from benchmarks.growth.__main__ import FITTED, MARGIN, RESULTS, grown, judged, main
from benchmarks.growth.cases import CASES, Case, measures, wing

MEASURES = measures()
ROWS = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]

#: What grows faster than its docstring says, with the reason why it stays so.
WORSE: dict[tuple[str, str, str], str] = {}


def case_of(row: dict[str, object]) -> Case:
    (found,) = (case for case in CASES if (case.name, case.option) == (row["measure"], row["option"]))
    return found


def test_every_public_measure_is_measured() -> None:
    assert set(MEASURES) == {case.name for case in CASES}
    assert max(Counter((case.name, case.option) for case in CASES).values()) == 1
    measured = Counter((row["measure"], row["option"], row["axis"]) for row in ROWS)
    assert measured == Counter((case.name, case.option, axis) for case in CASES for axis in case.axes)
    assert all(row["wing"] == wing(row["measure"]) for row in ROWS)


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_a_docstring_states_a_cost_that_can_be_read(name: str) -> None:
    found = costs.formulas(name, MEASURES)
    assert found, f"the Notes of {name} have no O(…), and name no measure that has"
    for case in (case for case in CASES if case.name == name):
        known = set().union(*(case.at(axis, first) for axis, (first, _) in case.axes.items()))
        assert set(case.without) <= set(found)
        for text in set(found) - set(case.without):
            assert costs.symbols(text) <= known, text
        assert costs.symbols(case.memory) <= known | {"1"}
        assert case.words in costs.notes(MEASURES[name])


def test_the_record_has_what_docstrings_state_now_and_its_exponents_follow_from_its_numbers() -> None:
    for row in ROWS:
        case = case_of(row)
        tail = row["sizes"][-row["fitted_sizes"] :]
        along = [case.at(row["axis"], size) for size in tail]
        formulas = [text for text in costs.formulas(case.name, MEASURES) if text not in case.without]
        again = judged(
            tail,
            row["seconds"][-len(tail) :],
            row["bytes"][-len(tail) :],
            stated=costs.exponent(formulas, along, row["axis"]),
            memory_stated=costs.exponent([case.memory], along, row["axis"]),
            tiles=case.tiles,
        )
        assert {key: row[key] for key in again} == pytest.approx(again, abs=2e-3), (case.name, row["axis"])
        assert len(tail) == FITTED or len(tail) == len(row["sizes"]) >= 3
        assert all(b == 2 * a for a, b in zip(row["sizes"], row["sizes"][1:], strict=False))


def test_nothing_grows_faster_than_its_docstring_says_but_what_is_named() -> None:
    worse = {
        (row["measure"], row["option"], row["axis"])
        for row in ROWS
        if not (row["no_worse"] and row["memory_no_worse"])
    }
    assert worse == set(WORSE)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("N n²", 10 * 9),
        ("N² (n + t)", 100 * 5),
        ("N n · min(N, n)", 90),
        ("k·C(k, q)", 5 * 10),
        ("2^k", 32),
        ("n_pairs (n + log n_pairs)", 7 * 3 + 7 * math.log(7)),
        ("N log(N n)", 10 * math.log(30)),
        ("(N + n')²", 16**2),
        ("m (2,000 n n' + n³)", 4 * (2000 * 18 + 27)),
        ("1", 1),
    ],
)
def test_a_formula_is_read_as_it_is_printed(text: str, value: float) -> None:
    sizes = {"N": 10, "n": 3, "n'": 6, "t": 2, "k": 5, "q": 2, "n_pairs": 7, "m": 4}
    assert sum(math.prod(f(sizes) for f in term) for term in costs.terms(text)) == pytest.approx(value)


@pytest.mark.parametrize("text", ["N +", "(N n", "N ? n", "N) n", ""])
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"O\("):
        costs.terms(text)


def test_the_fastest_term_of_all_formulas_is_the_stated_exponent() -> None:
    over = [{"N": N, "n": 64} for N in (1024, 2048, 4096)]
    assert costs.exponent(["N n²", "n³"], over, "N") == 1.0
    assert costs.exponent(["N² + n³", "N n"], over, "N") == 2.0
    assert costs.exponent(["n³"], over, "N") == 0.0
    assert 1.1 < costs.exponent(["N log N"], over, "N") < 1.2


def test_a_docstring_may_name_another_whose_cost_it_has() -> None:
    def first() -> None:
        """Return one.

        Notes
        -----
        Cost: O(N² n) (or so).

        Examples
        --------
        O(no)
        """

    def second() -> None:
        """Return two.

        Notes
        -----
        Invariant as `third`. Cost: that of `first`, then O(N (n + t)).
        """

    assert costs.formulas("second", {"first": first, "second": second}) == ["N (n + t)", "N² n"]


def test_a_fit_finds_an_exponent_and_its_error() -> None:
    sizes = 2.0 ** np.arange(6)
    assert costs.fitted(sizes, 3 * sizes**1.5) == (1.5, 0.0)
    values = sizes**2 * 2.0 ** np.array([0.1, -0.1, 0.1, -0.1, 0.1, -0.1])
    slope, error = costs.fitted(sizes, values)
    x = np.column_stack([np.ones(6), np.log2(sizes)])
    beta, residual, *_ = np.linalg.lstsq(x, np.log2(values), rcond=None)
    covariance = residual[0] / 4 * np.linalg.inv(x.T @ x)
    assert (slope, error) == pytest.approx((beta[1], math.sqrt(covariance[1, 1])), abs=1e-4)


def test_the_verdict_grants_noise_a_margin_and_tiles() -> None:
    sizes = [100, 200, 400, 800]

    def verdict(power: float, peak: float = 0.0, tiles: float = 1.0) -> tuple[bool, bool]:
        found = judged(
            sizes, [s**power for s in sizes], [int(1e4 * s**peak) for s in sizes],
            stated=1.0, memory_stated=1.0, tiles=tiles,
        )  # fmt: skip
        return found["no_worse"], found["memory_no_worse"]

    assert verdict(1.0 + MARGIN - 0.01) == (True, True)
    assert verdict(1.0 + MARGIN + 0.01) == (False, True)
    assert verdict(1.0, peak=2.0) == (True, False)
    assert verdict(1.0, peak=2.0, tiles=1e4) == (True, True)


@pytest.mark.parametrize(
    "name",
    ["isoscore", "mean_cosine_similarity", "raw_stress", "bootstrap_ndcg", "neighbor_overlap", "moments"],
)
def test_a_measure_of_each_wing_runs(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    rows = grown(case, quick=True)
    assert [row["axis"] for row in rows] == list(case.axes)
    for row in rows:
        assert len(row["sizes"]) == len(row["seconds"]) == len(row["bytes"]) == 2
        assert min(row["bytes"]) > 0


def test_memory_is_that_of_the_call() -> None:
    case = Case(
        "isoscore", lambda s: lambda: np.zeros((s["N"], s["n"])), {"N": (1000, 4000)}, {"n": 32}, "N n"
    )
    (row,) = grown(case, quick=True)
    assert row["bytes"] == pytest.approx([8 * 1000 * 32, 8 * 2000 * 32], rel=0.02)


def test_an_unknown_measure_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["cosmology"])
    assert "no measure cosmology" in capsys.readouterr().err
