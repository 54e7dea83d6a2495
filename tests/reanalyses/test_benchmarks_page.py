"""Tests that the page shows every ratio of the stored benchmarks, and no time of ours alone."""

import numpy as np
import pytest

from reanalyses import benchmarks_figures as figures
from reanalyses import benchmarks_page


@pytest.fixture(scope="module")
def results():
    return benchmarks_page.load()


def test_every_ratio_stands_in_the_table_and_a_verdict_is_that_of_the_results(results):
    table = benchmarks_page.comparisons(results)
    for wing, found in results.items():
        part = table[table["wing"] == wing]
        keys = ("ratio_to_floor", "ratio_to_peer", "ratio")
        expected = [row[key] for row in found["rows"] for key in keys if row.get(key) is not None]
        assert sorted(part["ratio"].dropna()) == sorted(expected)
        for row in found["rows"]:
            shown = set(part.loc[part["task"] == row["task"], "verdict"].dropna())
            if row["meets_target"] is not None:
                assert {True: "met", False: "missed"}[row["meets_target"]] in shown
    assert not [column for column in table if "seconds" in column]
    assert table["target"].dropna().str.fullmatch(r"ratio ≤ [\d.]+|[\d.e+-]+ s of [\d.]+ s").all()


def test_what_stands_in_the_way_of_a_target_is_said(results):
    table = benchmarks_page.missed_targets(results)
    rows = [row for found in results.values() for row in found["rows"]]
    assert len(table) == sum(row["meets_target"] is False for row in rows)
    assert (table["why"].str.split().str.len() > 8).all()


def test_only_what_is_beyond_its_target_is_named():
    row = {"task": "a", "threads": 2, "contender": "ours", "beside": "floor", "why": "so"}
    row |= {"seconds": {"ours": 1.5, "floor": 1.0}, "target_seconds": 1.0, "ratio": 1.5, "target_ratio": 2.0}
    row |= {"extra_bytes": 3e6, "target_bytes": 2e6, "meets_target": False}
    table = benchmarks_page.missed_targets({"projection": {"rows": [row, {**row, "meets_target": True}]}})
    assert table["measured"].tolist() == ["1.5 s (target 1); 3 MB (target 2)"]
    row |= {"target_seconds": None, "target_bytes": None, "target_ratio": 1.2}
    table = benchmarks_page.missed_targets({"projection": {"rows": [row]}})
    assert table["measured"].tolist() == ["1.5 × floor (target 1.2)"]


def test_contenders_are_drawn_where_they_were_measured(results):
    table = benchmarks_page.competitor_times(results)
    rows = benchmarks_page.comparisons(results).query("threads == 1").dropna(subset="ratio")
    assert sorted(1 / table["times_ours"]) == pytest.approx(sorted(rows["ratio"]))
    assert set(table.loc[table["kind"] == "floor", "name"]) <= {"floor", "floor, float32", "memory pass"}
    (axes,) = figures.benchmarks(table).axes
    drawn = [line for line in axes.get_lines() if line.get_linestyle() == "None"]
    values = np.concatenate([line.get_xdata() for line in drawn])
    assert sorted(values) == pytest.approx(sorted([*table["times_ours"], *[1.0] * table["task"].nunique()]))
