"""The tables and the figure of growth show the record, all of it, and the lesson's cost model is held against it."""

import re
import tracemalloc

import numpy as np
import pytest

from isotropy_lab.isotropy import isoscore
from isotropy_lab.moments import moments
from reanalyses import growth, trust
from reanalyses.scaling.cost import cost
from tests.reanalyses import figure_rules


@pytest.fixture(scope="module")
def results():
    return trust.load("growth")


@pytest.fixture(scope="module")
def drawn(results):
    return {"growth_figure": growth.growth_figure(results)}


def test_every_exponent_stands_in_the_table(results):
    table = growth.exponents(results)
    assert len(table) == len(results["rows"])
    assert table["fitted"].tolist() == [row["fitted"] for row in results["rows"]]
    assert table["stated"].tolist() == [row["stated"] for row in results["rows"]]
    wings = list(dict.fromkeys(table["wing"]))
    assert sum(len(growth.exponents(results, wing)) for wing in wings) == len(table)
    both = [row["no_worse"] and row["memory_no_worse"] for row in results["rows"]]
    assert table["no_worse"].tolist() == both
    for (_, shown), row in zip(table.iterrows(), results["rows"], strict=True):
        small = max(row["bytes"]) <= row["tiles"] * 1e6
        assert np.isnan(shown["memory_fitted"]) if small else shown["memory_fitted"] == row["memory_fitted"]
        assert shown["measure"].startswith(row["measure"])
        assert row["option"] in shown["measure"]


def test_the_summary_counts(results):
    table = growth.summary(results).set_index("wing")
    rows = results["rows"]
    assert table["exponents"].sum() == len(rows)
    assert table["worse_time"].sum() == sum(not row["no_worse"] for row in rows)
    assert table["worse_memory"].sum() == sum(not row["memory_no_worse"] for row in rows)
    assert table["measures"].sum() == len({row["measure"] for row in rows})
    assert table.loc["projection", "farthest"] == max(
        row["fitted"] - row["stated"] for row in rows if row["wing"] == "projection"
    )


def test_the_figure_draws_every_measure_once_in_time_and_in_memory(results, drawn):
    table = growth.curves(results)
    names = {row["measure"] for row in results["rows"]}
    assert set(table["measure"]) == names
    axes = drawn["growth_figure"].axes
    for places in (axes[::2], axes[1::2]):
        lines = {line.get_gid(): line for ax in places for line in ax.get_lines() if line.get_gid()}
        assert set(lines) == names
        for measure, part in table.groupby("measure"):
            assert lines[measure].get_xdata() == pytest.approx(part["size"])
    for ax in axes:
        assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_each_exponent_lies_within_one_that_is_written(results, drawn):
    table = growth.curves(results)
    written = []
    for ax in drawn["growth_figure"].axes:
        for text in ax.texts:
            low, _, high = text.get_text().partition(" to ")
            written.append((ax.get_title().split(":")[0], float(low), float(high or low)))
    for (panel, _), part in table.groupby(["panel", "measure"]):
        slope = max(round(part["fitted"].iloc[0], 1), 0.0)
        assert any(p == panel and low - 0.051 <= slope <= high + 0.051 for p, low, high in written)


def test_the_figure_can_be_read(drawn):
    figure_rules.assert_drawn_and_clear(drawn, ["growth_figure"])


def test_measures_of_the_lesson_grow_no_faster_than_its_model_says(results):
    table = growth.cost_model(results)
    assert set(table["measure"]) == set(growth._MODELLED)
    assert table["no_worse"].all(), table[~table["no_worse"]]
    pairs = table[(table["score"] == "all-pairs") & (table["over"] == "N")]
    assert pairs["model"].item() == pytest.approx(2.0, abs=0.02)
    once = table[(table["score"] == "isoscore") & (table["over"] == "N")]
    assert once["model"].item() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("shape", [(40_000, 64), (3_000, 600)])
@pytest.mark.parametrize(("score", "measure"), [("moments", moments), ("isoscore", isoscore)])
def test_memory_of_the_model_is_what_a_call_takes(shape, score, measure):
    X = np.random.default_rng(0).standard_normal(shape)
    measure(X[:300])
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    measure(X)
    taken = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    model = cost(*shape, dtype="float64", score=score).memory
    assert 0.5 * model < taken < 2 * model


def test_no_table_has_a_time(results):
    for table in (growth.exponents(results), growth.summary(results), growth.cost_model(results)):
        assert not [name for name in table if re.search("second|time$", name) and name != "worse_time"]
