"""Tests of the simulations cited in docstrings: their code runs, and stored results support the claims."""

import json
from typing import Any

import numpy as np
import pytest

from benchmarks.calibration import HERE, alike, calibrate, to_json
from benchmarks.calibration.__main__ import PARTS, main

Row = dict[str, Any]
RESULTS: dict[str, Any] = {}
for file in HERE.glob("*.json"):
    RESULTS |= json.loads(file.read_text(encoding="utf-8"))


def numbers(part: str, path: str, **cell: Any) -> list[float]:
    """Return a number of each row of a part with the given cells; its key may be a path, "covers/share"."""
    values: list[Any] = [
        row
        for row in RESULTS[part]["rows"]
        if all(row[key] in (value if isinstance(value, tuple) else (value,)) for key, value in cell.items())
    ]
    for key in path.split("/"):
        values = [row[key] for row in values]
    return values


def test_quick_run_writes_no_results(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.json"
    calibrate("compression coverage", PARTS["compression coverage"], file, quick=True)
    assert not file.exists()
    calibrate("compression coverage", PARTS["compression coverage"]._replace(size=1), file, quick=False)
    results = json.loads(file.read_text(encoding="utf-8"))
    assert len(results["compression coverage"]["rows"]) == 5
    assert file.read_text(encoding="utf-8") == to_json(results)
    with pytest.raises(SystemExit):
        main(["no such part"])
    assert "unknown part no such part; expected scores, " in capsys.readouterr().err


FAST_PARTS = ["scores", "comparison levels", "drift powers", "model levels", "model coverage"]
FAST_PARTS += ["retrieval", "thresholds", "tied sets", "least differences"]


@pytest.mark.parametrize("name", FAST_PARTS)
def test_parts_run_and_have_the_stored_keys(name: str) -> None:
    assert next(PARTS[name].run(2)).keys() == RESULTS[name]["rows"][0].keys(), "run `make calibrate`"


def test_projection_measures_are_clustered_by_rank_correlation() -> None:
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((500, 2))[:, [0, 1, 0, 1]] * [1, 1, -1, 1] + 0.1 * rng.standard_normal((500, 4))
    assert alike.clusters(np.corrcoef(Z.T), 2) == [(0, 2), (1, 3), (0, 2), (1, 3)]
    X = rng.standard_normal((160, 5)) @ rng.standard_normal((5, 5))
    maps = alike.projections(X, rng)
    assert np.isfinite(np.array(list(maps.values()))).all()
    best = max(row["cluster"] for row in RESULTS["map-measures"]["rows"])
    shares = numbers("map-clusters", "resampled/share")
    assert numbers("map-clusters", "resampled/share", clusters=best) == [max(shares)]
    assert not set(numbers("map-measures", "measure", printed=True)) & set(alike.SIZED)


COSINES, STEEP, MILD = ("average_cosine",), (0.5, 1.0, 2.0), ("Gaussian", "exponential", "t5")
POPULATION_SCORES = ("isoscore_corrected", "dimensions_used_corrected")
#: Statements of docstrings and pages about simulations: part, number, cells, and range.
CLAIMS: list[tuple[str, str, Row, float, float]] = [
    ("comparison levels", "rejects/share", {}, 0.04, 0.06),
    ("comparison levels", "rejects/n", {}, 2000, 10**9),
    ("cka coverage", "covers/share", {}, 0.925, 0.99),
    ("overlap coverage", "covers/share", {"tail": "lognormal"}, 0.9, 0.97),
    ("overlap coverage", "covers/share", {"tail": MILD}, 0.925, 0.995),
    ("unrelated coverage", "covers/cka/share", {}, 0.97, 1.0),
    ("unrelated coverage", "covers/overlap/share", {}, 0.97, 1.0),
    ("compression coverage", "covers/share", {}, 0.97, 1.0),
    ("least shifts", "power/share", {}, 0.74, 0.86),
    ("Evidently", "rejects/share", {"method": "Evidently, MMD", "shift": 0.0}, 0.9, 1.0),
    ("Evidently", "rejects/share", {"method": "Evidently, distance of means", "shift": 0.05}, 0.0, 0.1),
    ("Evidently", "rejects/share", {"method": "drift_test", "shift": 0.0}, 0.0, 0.13),
    ("Evidently", "rejects/share", {"method": "drift_test", "shift": 0.05}, 0.6, 1.0),
    ("model levels", "rejects/low", {}, 0.0, 0.05),
    ("model levels", "rejects/share", {"measure": COSINES}, 0.035, 0.06),
    ("model levels", "rejects/share", {"exponent": STEEP, "tail": "Gaussian"}, 0.035, 0.06),
    ("model levels", "rejects/share", {"exponent": 0.0, "measure": POPULATION_SCORES}, 0.0, 0.01),
    ("model coverage", "covers/share", {"measure": COSINES}, 0.93, 0.98),
    ("model coverage", "covers/share", {"measure": POPULATION_SCORES}, 0.82, 1.0),
    ("model coverage", "undefined", {}, 0, 0),
    ("tied sets", "lacks_the_best/high", {}, 0.0, 0.05),
    ("least differences", "found/share", {"tail": "lognormal"}, 0.6, 0.7),
    ("least differences", "found/share", {"tail": MILD}, 0.7, 0.8),
    ("scores", "covers/isoscore_corrected/share", {"tail": "Gaussian", "exponent": 0.0}, 0.99, 1.0),
    ("scores", "covers/isoscore_corrected/share", {"tail": "Gaussian", "exponent": STEEP}, 0.91, 0.98),
    ("scores", "covers/average_cosine/share", {}, 0.91, 0.985),
    ("groups", "covers/share", {"correlation": 0.0}, 0.93, 1.0),
    ("groups", "covers/share", {"correlation": 0.5, "exponent": 0.5}, 0.4, 0.6),
]  # fmt: skip


@pytest.mark.parametrize(("part", "path", "cell", "low", "high"), CLAIMS)
def test_simulation_results_are_in_the_stated_ranges(
    part: str, path: str, cell: Row, low: float, high: float
) -> None:
    values = numbers(part, path, **cell)
    assert values
    assert low <= min(values) <= max(values) <= high


def test_most_cka_intervals_have_nominal_coverage() -> None:
    shares = numbers("cka coverage", "covers/share")
    assert sum(0.93 <= share <= 0.97 for share in shares) > 0.75 * len(shares)


def test_drift_power_agrees_with_docstring() -> None:
    def rejections(shift: str, tail: str = "Gaussian") -> Row:
        (row,) = numbers("drift powers", "rejects", tail=tail, shift=shift)
        return row  # type: ignore[return-value]

    for tail, power in (("Gaussian", 0.65), ("t5", 0.7)):
        assert rejections("none", tail)["low"] <= 0.05 <= rejections("none", tail)["high"]
        assert rejections("mean by .05 radii, any direction", tail)["share"] == pytest.approx(power, abs=0.05)
    assert rejections("mean by .03 radii, any direction")["share"] == pytest.approx(0.14, abs=0.03)
    assert rejections("scale by 1.03")["share"] == pytest.approx(0.08, abs=0.03)


def test_card_states_where_coverage_is_too_low() -> None:
    counts = numbers("scores", "heavy", exponent=STEEP)
    n_covered, n_intervals = (sum(count[i] for count in counts) for i in (0, 1))  # type: ignore[index]
    assert f"{n_covered / n_intervals:.0%}" == "89%"
    tails = ("exponential", "t5", "lognormal")
    coverages = numbers("scores", "covers/isoscore_corrected/share", exponent=STEEP, tail=tails)
    assert f"{min(coverages):.0%}" == "78%"
    for row in RESULTS["scores"]["rows"]:
        coverage = row["covers"]["isoscore_corrected"]["share"]
        # If intervals rarely miss, only a few simulations determine the side.
        if row["exponent"] > 0 and row["tail"] != "Gaussian" and coverage < 0.95:
            assert row["below"]["share"] > 0.75 * (1.0 - coverage), row


def test_rule_has_smaller_error_on_steep_spectra() -> None:
    for row in RESULTS["scores"]["rows"]:
        if row["exponent"] == 2.0 or row["tail"] != "lognormal":
            limit = 1.05 if row["exponent"] == 2.0 else 1.1
            assert row["error"]["rule"] < row["error"]["corrected"] * limit, row
