"""What docstrings say of coverage and of dependence on N is what the committed simulations found."""

import json
import pathlib

import pytest

RESULTS = pathlib.Path(__file__).parents[3] / "benchmarks" / "calibration_isotropy.json"


@pytest.fixture(scope="module")
def results():
    return json.loads(RESULTS.read_text(encoding="utf-8"))


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
