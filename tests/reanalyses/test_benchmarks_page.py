"""The page of benchmarks: every ratio of the committed file stands in it, and no time of ours alone."""

import json

import numpy as np
import pytest

from reanalyses import benchmarks_page
from reanalyses.scaling import figures


@pytest.fixture(scope="module")
def results():
    return benchmarks_page.load()


def test_every_ratio_of_every_wing_stands_in_a_table(results):
    for wing, found in results.items():
        if wing == "device":
            continue
        table = benchmarks_page.comparisons(results, wing)
        expected = [
            row[key]
            for row in found["rows"]
            for key in ("ratio_to_floor", "ratio_to_peer", "ratio")
            if row.get(key) is not None
        ]
        assert sorted(table["ratio"].dropna()) == sorted(expected)
        assert set(table["task"]) == {row["task"] for row in found["rows"]}
        assert not [column for column in table if "seconds" in column]


def test_a_verdict_is_that_of_the_results(results):
    for wing in set(results) - {"device"}:
        table = benchmarks_page.comparisons(results, wing)
        for row in results[wing]["rows"]:
            shown = set(table.loc[table["task"] == row["task"], "verdict"].dropna())
            if row["meets_target"] is not None:
                assert {True: "met", False: "missed"}[row["meets_target"]] in shown


def test_what_stands_in_the_way_of_a_target_is_said(results):
    table = benchmarks_page.missed(results)
    expected = [
        (wing, row["task"], row["threads"])
        for wing, found in results.items()
        for row in found["rows"]
        if row.get("meets_target") is False
    ]
    assert list(table[["wing", "task", "threads"]].itertuples(index=False, name=None)) == expected
    assert (table["why"].str.split().str.len() > 8).all()
    assert table["measured"].str.contains("(target ", regex=False).all()


def test_only_what_is_beyond_its_target_is_named():
    row = {"task": "a", "threads": 2, "contender": "ours", "beside": "floor", "why": "so"}
    row |= {"seconds": {"ours": 1.5, "floor": 1.0}, "target_seconds": 1.0, "ratio": 1.5, "target_ratio": 2.0}
    row |= {"extra_bytes": 3e6, "target_bytes": 2e6, "meets_target": False}
    table = benchmarks_page.missed({"projection": {"rows": [row, {**row, "meets_target": True}]}})
    assert table["measured"].tolist() == ["1.5 s (target 1); 3 MB (target 2)"]
    row |= {"target_seconds": None, "target_bytes": None, "target_ratio": 1.2}
    table = benchmarks_page.missed({"projection": {"rows": [row]}})
    assert table["measured"].tolist() == ["1.5 × floor (target 1.2)"]


def test_machines_name_processor_date_and_versions(results):
    table = benchmarks_page.machines(results)
    assert set(table["wing"]) == set(results)
    assert table["date"].notna().all()
    assert table["processor"].notna().all()
    assert table["versions"].dropna().str.contains("numpy").any()


def test_an_accelerator_is_shown_when_it_was_measured(tmp_path):
    (tmp_path / "results.json").write_text(json.dumps({"isotropy": {"rows": []}}))
    assert benchmarks_page.device(benchmarks_page.load(tmp_path / "results.json")) is None
    row = {
        "task": "IsoScore",
        "gemm_share": 0.8,
        "copy_share": 0.1,
        "isoscore": 0.7,
        "isoscore_in_float64": 0.7,
    }
    found = {"date": "2026-01-01", "machine": {"device": "one"}, "rows": [{**row, "seconds": 3.0}]}
    (tmp_path / "device.json").write_text(json.dumps(found))
    table = benchmarks_page.device(benchmarks_page.load(tmp_path / "results.json"))
    assert table.iloc[0].to_dict() == {"device": "one", "date": "2026-01-01", **row}


def test_what_is_no_file_of_results(tmp_path, results):
    with pytest.raises(FileNotFoundError, match="make bench"):
        benchmarks_page.load(tmp_path / "none.json")
    for content in ("", "[]", "{}"):
        (tmp_path / "x.json").write_text(content)
        with pytest.raises(ValueError, match=r"x\.json holds no results of benchmarks"):
            benchmarks_page.load(tmp_path / "x.json")
    with pytest.raises(ValueError, match="wing is 'x'"):
        benchmarks_page.comparisons(results, "x")
    with pytest.raises(ValueError, match="results is dict"):
        benchmarks_page.machines({})
    with pytest.raises(ValueError, match="no rows for 'a'"):
        benchmarks_page.device({"a": 3})


def test_contenders_are_drawn_where_they_were_measured(results):
    table = benchmarks_page.contenders(results)
    rows = benchmarks_page.comparisons(results).query("threads == 1").dropna(subset="ratio")
    assert sorted(1 / table["times_ours"]) == pytest.approx(sorted(rows["ratio"]))
    assert set(table.loc[table["kind"] == "floor", "name"]) <= {"floor", "memory pass"}
    assert {"zadu", "faiss", "IsoScore"} <= set(table.loc[table["kind"] == "package", "name"])
    (axes,) = figures.benchmarks(table).axes
    drawn = [line for line in axes.get_lines() if line.get_linestyle() == "None"]
    values = np.concatenate([line.get_xdata() for line in drawn])
    assert sorted(values) == pytest.approx(sorted([*table["times_ours"], *[1.0] * table["task"].nunique()]))


def test_targets_have_their_units(results):
    table = benchmarks_page.comparisons(results)
    assert table["target"].dropna().str.fullmatch(r"ratio ≤ [\d.]+|[\d.e+-]+ s of [\d.]+ s").all()
