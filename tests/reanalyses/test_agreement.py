"""Tests of the comparison with other libraries on the page about trust."""

import pandas as pd
import pytest

from reanalyses import agreement, benchmarks_page

#: Measures whose library counterpart is less precise than float64, with the tolerance.
COARSER = {
    "affinities": 1e-5,  # scikit-learn computes distances in float32 and stops its search at 1e-5
}


@pytest.fixture(scope="module")
def table():
    return agreement.compare_with_libraries()


def test_every_measure_agrees_with_its_library_counterpart(table):
    disagreements = {
        row.measure: row.difference
        for row in table.itertuples()
        if not row.difference <= COARSER.get(row.measure, 1e-9)
    }
    assert disagreements == {}
    assert table["measure"].is_unique
    assert len(table) >= 20


def test_benchmark_packages_agree_within_rounding():
    table = agreement.compare_with_packages(benchmarks_page.load())
    assert {"IsoScore 2.0.1", "zadu 0.5.4", "faiss 1.15.1", "ir_measures 0.4.3"} <= set(table["beside"])
    assert (table["difference"] <= 1e-6).all(), table


def test_package_is_compared_with_our_corresponding_value():
    results = {
        "wing": {"rows": [{"task": "t", "values": {"floor": 1.0, "ours, fast": 2.0, "zadu": 4.0}}]},
        "none": None,
    }
    (row,) = agreement.compare_with_packages(results).to_dict("records")
    assert row == {"task": "t", "beside": "zadu 0.5.4", "ours": 2.0, "theirs": 4.0, "difference": 0.5}


def test_figure_shows_equal_values_at_the_edge():
    table = pd.DataFrame({"measure": ["a", "b"], "beside": ["x", "y"], "difference": [0.0, 1e-9]})
    (ax,) = agreement.differences_figure(table).axes
    assert sorted(x for line in ax.lines[:2] for x in line.get_xdata()) == [1e-17, 1e-9]
