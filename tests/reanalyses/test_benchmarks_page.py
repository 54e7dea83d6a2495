"""Tests that the benchmarks page shows every stored ratio, target, and verdict."""

import numpy as np
import pytest

from reanalyses import benchmarks_figures as figures
from reanalyses import benchmarks_page


@pytest.fixture(scope="module")
def results():
    return benchmarks_page.load()


def test_comparisons_contain_every_ratio_and_verdict(results):
    table = benchmarks_page.comparisons(results)
    for name, wing_results in results.items():
        rows = table[table["area"] == name]
        keys = ("ratio_to_floor", "ratio_to_peer", "ratio")
        expected = [row[key] for row in wing_results["rows"] for key in keys if row.get(key) is not None]
        assert sorted(rows["ratio"].dropna()) == sorted(expected)
        for row in wing_results["rows"]:
            verdicts = set(rows.loc[rows["task"] == row["task"], "verdict"].dropna())
            if row["meets_target"] is not None:
                assert {True: "met", False: "missed"}[row["meets_target"]] in verdicts
    assert not [column for column in table if "seconds" in column]
    assert table["target"].dropna().str.fullmatch(r"ratio ≤ [\d.]+|[\d.e+-]+ s of [\d.]+ s").all()


def test_missed_targets_have_reasons(results):
    table = benchmarks_page.missed_targets(results)
    rows = [row for wing_results in results.values() for row in wing_results["rows"]]
    assert len(table) == sum(row["meets_target"] is False for row in rows)
    assert (table["why"].str.split().str.len() > 8).all()


def test_missed_targets_report_only_exceeded_limits():
    row = {"task": "a", "threads": 2, "contender": "ours", "beside": "floor", "why": "so"}
    row |= {"seconds": {"ours": 1.5, "floor": 1.0}, "target_seconds": 1.0, "ratio": 1.5, "target_ratio": 2.0}
    row |= {"extra_bytes": 3e6, "target_bytes": 2e6, "meets_target": False}
    table = benchmarks_page.missed_targets({"projection": {"rows": [row, {**row, "meets_target": True}]}})
    assert table["measured"].tolist() == ["1.5 s (target 1); 3 MB (target 2)"]
    row |= {"target_seconds": None, "target_bytes": None, "target_ratio": 1.2}
    table = benchmarks_page.missed_targets({"projection": {"rows": [row]}})
    assert table["measured"].tolist() == ["1.5 × floor (target 1.2)"]


def test_contenders_figure_shows_measured_ratios(results):
    table = benchmarks_page.competitor_times(results)
    rows = benchmarks_page.comparisons(results).query("threads == 1").dropna(subset="ratio")
    assert sorted(1 / table["times_ours"]) == pytest.approx(sorted(rows["ratio"]))
    assert set(table.loc[table["kind"] == "floor", "name"]) <= {"floor", "floor, float32", "memory pass"}
    (axes,) = figures.benchmarks(table).axes
    markers = [line for line in axes.get_lines() if line.get_linestyle() == "None"]
    values = np.concatenate([line.get_xdata() for line in markers])
    assert sorted(values) == pytest.approx(sorted([*table["times_ours"], *[1.0] * table["task"].nunique()]))
