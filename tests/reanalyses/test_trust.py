"""The records of what was tried against the package, as the page of trust shows them."""

import pytest

from reanalyses import trust


def test_noticed_mutants_are_those_killed_or_timed_out():
    counts = {"killed": 6, "timed out": 1, "survived": 1, "equivalent": 2, "not run": 0}
    table = trust.killed({"wings": {"isotropy": counts}, "total": counts})
    assert list(table["wing"]) == ["isotropy", "all"]
    assert table.iloc[1].drop("wing").to_dict() == {
        "mutants": 10,
        "noticed": 7,
        "equivalent": 2,
        "unnoticed": 1,
        "share": 7 / 8,
    }


def test_faults_say_what_was_said_or_why_they_were_left_out():
    rows = [
        {"fault": "disk full", "to": "card", "runs": 5, "kept": 4, "said": ["no space", "try another"]},
        {"fault": "lost worker", "to": "moments", "runs": 0, "kept": 0, "said": [], "left_out": "no Dask"},
    ]
    table = trust.faults({"rows": rows})
    assert table["says"].tolist() == ["no space / try another", "no Dask"]
    assert (table["runs"] - table["kept"]).tolist() == [1, 0]


def test_what_is_neither_a_result_nor_refused_is_counted_apart():
    part = {
        "cases": 10,
        "outcomes": {"result": 3, "refused": 6, "hang": 1},
        "by": {"npy": {}},
        "findings": [{}],
    }
    table = trust.fuzzed({"files": part, "arguments": part})
    assert table["other"].tolist() == [1, 1]
    assert table["kinds"].tolist() == [1, 1]


def test_a_kernel_that_was_left_out_has_no_counts():
    record = {
        "rows": [{"kernel": "Haswell", "threads": 1, "passed": 9, "skipped": 1}],
        "left out": [{"kernel": "SkylakeX", "threads": 1, "why": "no AVX-512"}],
    }
    table = trust.processors(record)
    assert table["instructions"].tolist() == ["AVX2", "AVX-512"]
    assert table.loc[0, ["passed", "failed", "skipped", "left out"]].tolist() == [9, 0, 1, ""]
    assert table.loc[1, ["passed", "failed", "skipped"]].isna().all()
    assert table.loc[1, "left out"] == "no AVX-512"


def test_every_configuration_that_ran_passed():
    table = trust.processors(trust.load("processors"))
    ran = table[table["left out"] == ""]
    assert len(ran) >= 4
    assert (ran["failed"] == 0).all()
    assert ran["passed"].min() > 1_000


@pytest.mark.parametrize("name", ["mutants", "processors", "faults", "fuzz", "growth", "supply"])
def test_every_record_can_be_read(name):
    assert trust.load(name)


def test_nothing_was_lost_and_no_finding_is_open():
    faults = trust.faults(trust.load("faults"))
    assert (faults["kept"] == faults["runs"]).all()
    assert faults["runs"].sum() >= 5
    assert (trust.fuzzed(trust.load("fuzz"))["other"] == 0).all()


def test_an_unknown_record_names_those_that_are():
    with pytest.raises(ValueError, match="mutants"):
        trust.load("mutant")
