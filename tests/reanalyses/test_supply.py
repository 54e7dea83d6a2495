"""The tables of dependencies and exceptions show the record, all of it."""

import pytest

from reanalyses import supply, trust


@pytest.fixture(scope="module")
def record():
    return trust.load("supply")


def test_every_dependency_stands_in_the_table(record):
    table = supply.dependencies(record).set_index("name")
    assert len(table) == len(record["dependencies"])
    for row in record["dependencies"]:
        shown = table.loc[row["name"]]
        assert (shown["version"], shown["license"], shown["direct"]) == (
            row["version"],
            row["license"],
            row["direct"],
        )
        assert shown["serves"] == ", ".join(row["for"])
    part = supply.dependencies(record, "fast")
    assert set(part["name"]) == {"numba", "llvmlite", "numpy"}
    with pytest.raises(ValueError, match="purpose is 'slow'; expected one of book"):
        supply.dependencies(record, "slow")


def test_licenses_are_counted(record):
    table = supply.licenses(record).set_index("kind")
    assert table["packages"].sum() == len(record["dependencies"])
    assert table["of_the_package"].sum() == len(supply.dependencies(record, "package"))
    asking = [name for names in table["names"] if names for name in names.split(", ")]
    others = [row for row in record["dependencies"] if row["kind"] != "permissive"]
    assert sorted(asking) == sorted(row["name"] for row in others)
    assert min(len(row["note"]) for row in others) > 5


def test_what_was_asked_is_said_with_its_day(record):
    (row,) = supply.vulnerabilities(record).to_dict("records")
    assert row["found"] == len(record["vulnerabilities"]["found"])
    assert len(row["as_of"]) == len("2026-01-01")


def test_every_exception_is_counted_once(record):
    table = supply.exceptions(record)
    assert table["places"].sum() == len(record["bandit"]["exceptions"])
    assert not table.duplicated().any()
