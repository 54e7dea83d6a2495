"""The simulations that docstrings lean on: each part runs, and the committed results say what is claimed of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.calibration import HERE, calibrate, models, written
from benchmarks.calibration.__main__ import FILES, PARTS, main


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in HERE.glob("*.json"):
        found |= json.loads(file.read_text(encoding="utf-8"))
    return found


def test_every_part_was_run_as_it_stands(results: dict[str, Any]) -> None:
    assert set(results) == set(PARTS) == set(FILES)
    for name, part in PARTS.items():
        assert (results[name]["simulations"], results[name]["seed"]) == (part.size, part.seed), name
        assert results[name]["what"] == " ".join((part.run.__doc__ or "").split()), name


def test_results_are_written_a_line_for_each_cell() -> None:
    for file in set(FILES.values()):
        text = file.read_text(encoding="utf-8")
        found = json.loads(text)
        assert text == written(found)
        assert text.count("\n") == 1 + sum(len(part["rows"]) + 2 for part in found.values()) + 1


def test_a_quick_run_writes_nothing(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    calibrate("RankMe", PARTS["RankMe"], tmp_path / "results.json", quick=True)
    assert not list(tmp_path.iterdir())
    calibrate("RankMe", PARTS["RankMe"]._replace(size=1), tmp_path / "results.json", quick=False)
    assert len(json.loads((tmp_path / "results.json").read_text())["RankMe"]["rows"]) == 3
    with pytest.raises(SystemExit):
        main(["no such part"])
    assert "no part no such part; there are scores, " in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    ["scores", "comparison levels", "drift powers", "model levels", "model coverage", "retrieval", "RankMe"],
)
def test_a_part_runs_again(results: dict[str, Any], name: str) -> None:
    row = next(PARTS[name].run(2))
    assert row.keys() == results[name]["rows"][0].keys()


def test_simulations_of_models_run() -> None:
    row = next(models.coverage(3))
    assert row["measure"] == "isoscore_corrected"
    assert 1.5 < row["mean"] < 4.0  # the truth is 2.4
    assert next(models.tied_sets(2))["mean_size"] >= 1.0
    assert next(models.least_differences(2))["least"] > 1.0


def test_tests_have_their_level(results: dict[str, Any]) -> None:
    rows = results["comparison levels"]["rows"]
    assert {row["test"] for row in rows} == {
        "cka",
        "procrustes_distance",
        "drift_test, energy",
        "drift_test, mmd",
    }
    for row in rows:
        assert row["rejects"]["n"] >= 2000
        assert 0.04 <= row["rejects"]["share"] <= 0.06, row


def test_intervals_cover_what_their_docstrings_say(results: dict[str, Any]) -> None:
    shares = [row["covers"]["share"] for row in results["cka coverage"]["rows"]]
    assert 0.925 <= min(shares) <= max(shares) <= 0.99
    assert sum(0.93 <= share <= 0.97 for share in shares) > 0.75 * len(shares)
    for row in results["overlap coverage"]["rows"]:
        low, high = (0.9, 0.97) if row["tail"] == "lognormal" else (0.925, 0.995)
        assert low <= row["covers"]["share"] <= high, row
    for row in results["unrelated coverage"]["rows"]:
        assert min(row["covers"][measure]["share"] for measure in ("cka", "overlap")) > 0.97
    for row in results["compression coverage"]["rows"]:
        assert row["covers"]["share"] > 0.97


def test_chance_levels_are_what_unrelated_clouds_give(results: dict[str, Any]) -> None:
    for row in results["chance levels"]["rows"]:
        assert row["plug_in"] == pytest.approx(row["plug_in_chance"], rel=0.02)
        assert row["procrustes"] == pytest.approx(row["procrustes_chance"], rel=0.01)
        assert abs(row["unbiased"]) < 0.01


def test_the_least_shift_is_found_in_new_samples(results: dict[str, Any]) -> None:
    for row in results["least shifts"]["rows"]:
        assert row["power"]["share"] == pytest.approx(0.8, abs=0.06), row


def test_a_null_of_the_reference_alone_raises_false_alarms(results: dict[str, Any]) -> None:
    found = {(row["method"], row["shift"]): row["rejects"]["share"] for row in results["Evidently"]["rows"]}
    assert found["Evidently, MMD", 0.0] > 0.9
    assert found["Evidently, distance of means", 0.05] < 0.1
    assert found["drift_test", 0.0] < 0.13
    assert found["drift_test", 0.05] > 0.6


def test_power_of_drift_is_what_the_docstring_says(results: dict[str, Any]) -> None:
    found = {(row["tail"], row["shift"]): row["rejects"] for row in results["drift powers"]["rows"]}
    for tail, power in (("Gaussian", 0.6), ("t5", 0.7)):
        for method in ("energy", "mmd"):
            assert found[tail, "none"][method]["low"] <= 0.05 <= found[tail, "none"][method]["high"]
            moved = found[tail, "mean by .05 radii, any direction"][method]
            assert moved["share"] == pytest.approx(power, abs=0.05)
    gaussian = {shift: row for (tail, shift), row in found.items() if tail == "Gaussian"}
    turned = gaussian["first two axes turned by 45°"]
    assert f"{gaussian['mean by .03 radii, any direction']['energy']['share']:.0%}" == "14%"
    assert f"{gaussian['scale by 1.03']['energy']['share']:.0%}" == "8%"
    assert [f"{turned[method]['share']:.0%}" for method in ("mmd", "energy")] == ["22%", "16%"]


def test_models_are_told_apart_without_cause_too_seldom_and_never_too_often(results: dict[str, Any]) -> None:
    for row in results["model levels"]["rows"]:
        assert row["rejects"]["low"] <= 0.05, row
        if row["measure"] == "average_cosine" or (row["exponent"] > 0 and row["tail"] == "Gaussian"):
            assert 0.035 <= row["rejects"]["share"] <= 0.06, row
        if row["measure"] != "average_cosine" and row["exponent"] == 0:
            assert row["rejects"]["share"] < 0.01, row


def test_paired_intervals_are_for_samples_or_the_population_as_compare_says(results: dict[str, Any]) -> None:
    for row in results["model coverage"]["rows"]:
        about = "mean" if row["measure"] in ("isoscore", "isotropy_defect", "varex_score") else "truth"
        share = row[f"covers_{about}"]["share"]
        assert 0.82 <= share <= 1.0, row
        if row["measure"] == "average_cosine":
            assert 0.93 <= share <= 0.98, row
        assert row["undefined"] == 0
    of_defects = [
        row["covers_truth"]["share"]
        for row in results["model coverage"]["rows"]
        if row["measure"] == "isotropy_defect"
    ]
    assert min(of_defects) == 0.0


def test_the_best_model_is_hardly_ever_missing_and_the_least_difference_found_as_stated(
    results: dict[str, Any],
) -> None:
    for row in results["tied sets"]["rows"]:
        assert row["lacks_the_best"]["high"] < 0.05, row
    for row in results["least differences"]["rows"]:
        low, high = (0.6, 0.7) if row["tail"] == "lognormal" else (0.7, 0.8)
        assert low < row["found"]["share"] < high, row


def test_the_card_says_where_its_intervals_hold_too_seldom(results: dict[str, Any]) -> None:
    def shares(*tails: str, exponents: tuple[float, ...] = (0.5, 1.0, 2.0)) -> list[float]:
        return [
            row["covers"]["isoscore_corrected"]["share"]
            for row in results["scores"]["rows"]
            if row["tail"] in tails and row["exponent"] in exponents
        ]

    assert min(shares("Gaussian", exponents=(0.0,))) > 0.99
    assert 0.91 < min(shares("Gaussian")) < max(shares("Gaussian")) < 0.98
    heavy = shares("exponential", "t5", "lognormal")
    rows = [row for row in results["scores"]["rows"] if row["exponent"] > 0]
    held, number = (sum(row["heavy"][i] for row in rows) for i in (0, 1))
    assert f"{held / number:.0%}" == "89%"
    assert f"{min(heavy):.0%}" == "78%"
    for row in rows:  # where an interval hardly ever misses, a few simulations decide on which side
        if row["tail"] != "Gaussian" and row["covers"]["isoscore_corrected"]["share"] < 0.95:
            assert row["below"]["share"] > 0.75 * (1.0 - row["covers"]["isoscore_corrected"]["share"]), row
    cosines = [row["covers"]["average_cosine"]["share"] for row in results["scores"]["rows"]]
    assert 0.91 < min(cosines) < max(cosines) < 0.985


def test_the_rule_has_the_smaller_error_on_steep_spectra_and_loses_little_elsewhere(
    results: dict[str, Any],
) -> None:
    for row in results["scores"]["rows"]:
        error = row["error"]
        if row["exponent"] == 2.0:
            assert error["rule"] < error["corrected"] * 1.05, row
        elif row["tail"] != "lognormal":
            assert error["rule"] < error["corrected"] * 1.1, row


# --- measures of one set ------------------------------------------------------------------------------------------


def span(rows, key):
    shares = [row[key]["share"] for row in rows]
    return round(min(shares), 2), round(max(shares), 2)


def some(results, measure, *, flat, lognormal, least=0):
    return [
        row
        for row in results["spectra"]["rows"]
        if row["measure"] == measure
        and (row["exponent"] == 0) == flat
        and (row["tail"] == "lognormal") == lognormal
        and row["N"] >= least * row["n"]
    ]


@pytest.mark.parametrize(
    ("measure", "falling", "flat", "lognormal", "corrected"),
    [
        ("effective_rank", (0.905, 0.9675), (0.98, 1.0), (0.855, 0.9225), (0.8925, 0.96)),
        ("spectrum_decay", (0.9175, 0.9675), (0.99, 1.0), (0.8875, 0.95), (0.8675, 0.96)),
    ],
)
def test_coverage_of_spectra(results, measure, falling, flat, lognormal, corrected):
    def within(found, stated):
        assert stated[0] - 0.006 <= found[0] <= found[1] <= stated[1] + 0.006

    within(span(some(results, measure, flat=False, lognormal=False), "covers_mean"), falling)
    within(span(some(results, measure, flat=True, lognormal=False), "covers_mean"), flat)
    heavy = [row for kind in (True, False) for row in some(results, measure, flat=kind, lognormal=True)]
    within(span(heavy, "covers_mean"), lognormal)
    fourfold = some(results, measure, flat=False, lognormal=False, least=4)
    within(span(fourfold, "corrected_covers_truth"), corrected)


def test_the_correction_helps_from_four_points_for_a_dimension_on(results):
    for row in results["spectra"]["rows"]:
        if row["tail"] != "lognormal" and row["N"] >= 4 * row["n"]:
            bias, left = (abs(row[key] - row["truth"]) for key in ("mean", "mean_corrected"))
            assert left < bias + 0.3 * row["mean_error"], row


def test_coverage_of_uniformity_and_alignment(results):
    rows = results["uniformity"]["rows"]
    assert 0.935 <= span(rows, "covers, all pairs")[0] <= span(rows, "covers, all pairs")[1] <= 0.975
    assert 0.92 <= span(rows, "covers, random pairs")[0] <= span(rows, "covers, random pairs")[1] <= 0.965
    many = [row for row in rows if row["N"] >= 100]
    assert 0.92 <= span(many, "covers, alignment")[0] <= span(many, "covers, alignment")[1] <= 0.975


def test_hubness_depends_on_what_is_said(results):
    def mean(**cell):
        (row,) = [
            row
            for row in results["hubness"]["rows"]
            if all(
                row[key] == value
                for key, value in (
                    {"N": 2000, "n": 50, "k": 10, "metric": "euclidean", "exponent": 0.0, "offset": 0.0}
                    | cell
                ).items()
            )
        ]
        return round(row["skewness"], 1)

    assert (mean(n=3), mean(), mean(N=8000), mean(k=1)) == (-0.3, 4.5, 6.6, 6.6)
    assert mean(metric="cosine") == 0.3
    centered, shifted = (
        mean(metric="cosine", exponent=1.0, offset=0.0),
        mean(metric="cosine", exponent=1.0, offset=0.3),
    )
    assert centered > shifted > mean(metric="cosine", offset=0.3) > mean(metric="cosine")
