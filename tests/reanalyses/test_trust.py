"""Tests of the records that the page about trust shows."""

from reanalyses import trust


def test_skipped_kernels_have_no_counts():
    record = {
        "rows": [{"kernel": "Haswell", "threads": 1, "passed": 9, "skipped": 1}],
        "left out": [{"kernel": "SkylakeX", "threads": 1, "why": "no AVX-512"}],
    }
    table = trust.processors(record)
    assert table["instructions"].tolist() == ["AVX2", "AVX-512"]
    assert table.loc[0, ["passed", "failed", "skipped", "left out"]].tolist() == [9, 0, 1, ""]
    assert table.loc[1, ["passed", "failed", "skipped"]].isna().all()
    assert table.loc[1, "left out"] == "no AVX-512"


def test_all_tested_configurations_passed():
    table = trust.processors(trust.load("processors"))
    ran = table[table["left out"] == ""]
    assert len(ran) >= 4
    assert (ran["failed"] == 0).all()


def test_most_mutants_were_detected():
    assert 0.9 < trust.detected_fraction(trust.load("mutants")) < 1.0
