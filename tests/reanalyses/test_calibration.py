"""Tests that the calibration tables contain every stored result, and that the figures are readable."""

import pytest

from reanalyses import calibration
from tests.reanalyses.figure_rules import assert_drawn_and_clear


@pytest.fixture(scope="module")
def results():
    return calibration.load()


def test_levels_of_all_tests_are_within_their_intervals(results):
    table = calibration.rejection_rates(results)
    n_rows = len(results["comparison levels"]["rows"]) + len(results["model levels"]["rows"])
    # There are two measures of retrieval, at two accuracies and four numbers of questions, and rare losses.
    assert len(table) == n_rows + 2 * 8 + 3
    assert table["share"].between(table["low"], table["high"]).all()
    assert table["n"].min() >= 2000
    assert not table.duplicated(["test", "tail", "share"]).any()


def test_coverage_of_all_intervals_is_summarized(results):
    table = calibration.coverage(results)
    assert table["share"].between(table["low"], table["high"]).all()
    assert (table.groupby("interval")["about"].nunique() == 1).all()
    n_models = len(results["model coverage"]["rows"])
    assert table["interval"].str.startswith("difference: ").sum() == n_models + len(
        results["retrieval"]["rows"]
    )
    summary = calibration.summarize_coverage(table)
    assert summary["cells"].sum() == len(table)
    assert (summary["lowest"] <= summary["highest"]).all()


def test_tables_equal_stored_results(results):
    errors = calibration.corrections(results)
    assert errors["rule"].tolist() == [row["error"]["rule"] for row in results["scores"]["rows"]]
    tied_sets = calibration.tied_sets(results)
    assert tied_sets["models"].tolist() == [row["mean_size"] for row in results["tied sets"]["rows"]]
    deltas = calibration.minimum_detectable(results)
    assert len(deltas) == len(results["least differences"]["rows"]) + len(results["least shifts"]["rows"])
    alarms = calibration.alarm_rates(results)
    assert set(alarms["shift"]) == {"no drift", "mean moved by .05 radii"}
    assert alarms["method"].nunique() == 5
    thresholds = calibration.thresholds(results)
    assert len(thresholds) == len(results["thresholds"]["rows"]) == 60
    # Binomial(2000, 0.05) is at most 131 with probability 0.999.
    assert 0 < thresholds["broken"].max() <= 131 / 2000
    assert 0 < thresholds["overstated"].max() <= 131 / 2000
    drift = calibration.drift_detection_rates(results)
    assert len(drift) == len(results["drift powers"]["rows"])


def test_word_vectors_have_heavier_tails():
    tails = calibration.encoder_tails().set_index("encoder")["excess kurtosis"]
    assert tails[["MiniLM", "E5", "USE", "SmolLM2"]].max() < 1 < tails[["word2vec", "GloVe"]].min()


def test_figures_are_drawn_without_text_overlap(results):
    figures = {
        "levels": calibration.fractions_figure(
            calibration.rejection_rates(results), by="test", sign="tail", label="rejects", band=(0.04, 0.06)
        ),
        "coverage": calibration.coverage_figure(calibration.coverage(results)),
        "errors": calibration.errors_figure(calibration.corrections(results)),
    }
    assert_drawn_and_clear(figures, figures)
