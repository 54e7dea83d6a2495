"""Tests of reasons to fail a build: bounds, an earlier card, and the JSON schema of cards."""

import json
import math
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy import stats

import isotropy_report
from isotropy_report import report_card
from isotropy_report._output import SCHEMA
from isotropy_report.card import failures
from isotropy_report.card.gate import BETTER
from isotropy_report.card.meanings import MEANINGS
from tests.isotropy_report.command_line import call, call_json

QUESTIONS = ["--questions", "questions.npy", "--gold", "gold.txt"]
SCHEMA_FILE = Path(isotropy_report.__file__).parent / "card" / "data" / "card.schema.json"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    np.save("x.npy", X)
    np.save("worse.npy", X * [9, 1, 1, 1, 1, 1])
    np.save("other.npy", rng.standard_normal((300, 6)))
    np.save("questions.npy", X[:60] + 0.8 * rng.standard_normal((60, 6)))
    np.save("blurred.npy", X[:60] + 3.0 * rng.standard_normal((60, 6)))
    Path("gold.txt").write_text("\n".join(map(str, range(60))) + "\n", encoding="utf-8")
    Path("several.txt").write_text("".join(f"{i} {i + 60}\n" for i in range(60)), encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def schema():
    document = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["properties"]["schema"]["const"] == SCHEMA
    return jsonschema.Draft202012Validator(document)


@pytest.mark.parametrize(
    "arguments",
    [
        "scores x.npy --groups groups.npy",
        "report x.npy --labels labels.txt",
        "report x.npy --questions questions.npy --gold several.txt",
    ],
)
def test_cards_fit_the_schema(capsys, folder, schema, arguments):
    np.save("groups.npy", np.arange(300) // 4)
    Path("labels.txt").write_text("a\nb\n" * 150, encoding="utf-8")
    document = call_json(capsys, *arguments.split())
    schema.validate(document)
    assert document["schema"] == SCHEMA
    assert next(iter(document)) == "schema"
    assert document["verdict"] == "not collapsed"  # also where the search comes first


def test_directions_belong_to_known_numbers():
    assert set(BETTER) <= set(MEANINGS)


@pytest.mark.parametrize("command", ["scores", "report"])
def test_numbers_beyond_a_bound_fail(capsys, folder, command):
    code, _, err = call(capsys, command, "x.npy", "--fail-below", "isoscore=0.9")
    assert (code, err.count("passed")) == (0, 1)
    assert call(capsys, command, "x.npy", "--fail-below", "isoscore=0.9", "--quiet")[2] == ""
    code, failing, err = call(
        capsys, command, "worse.npy", "--fail-below", "isoscore=0.9", "--fail-above", "mean_length=1"
    )
    assert code == 1
    assert "IsoScore" in failing  # the result is there all the same
    assert err.startswith(f"isotropy-lab {command}: failed: isoscore is 0.0")
    assert err.endswith(", above 1\n")
    assert err.count("\n") == 2
    assert "\n  mean_length is " in err


def test_a_first_build_can_be_checked_without_an_earlier_card(capsys, folder):
    np.save("narrow.npy", np.load("x.npy") * 0.01 + 5)
    np.save("few.npy", np.load("x.npy")[:6])
    np.save("equal.npy", np.ones((30, 4)))
    assert call(capsys, "check", "equal.npy", "--fail-collapsed")[0] == 1
    for file, code in (("x", 0), ("narrow", 1), ("few", 1)):
        assert call(capsys, "check", f"{file}.npy", "--fail-collapsed")[0] == code
        assert call(capsys, "check", f"{file}.npy")[0] == 0


def test_first_rows_of_zeros_fail(tmp_path):
    rows = np.random.default_rng(0).standard_normal((300, 20))
    whole, holed = (report_card(X, pictures=False) for X in (rows, rows * (np.arange(300) != 7)[:, None]))
    whole.write(tmp_path / "whole.json")
    assert [failure.key for failure in failures(holed, worse_than=tmp_path / "whole.json")] == ["n_zero"]
    assert (
        failures(holed, worse_than=whole, tolerance={"n_zero": 1}) == failures(holed, worse_than=holed) == ()
    )


def test_undefined_numbers_fail():
    X = np.zeros((30, 4))
    X[0] = 1  # the only row with a direction
    card = report_card(X)
    key = next(line.key for line in card.section("isotropy").lines if line.value is None)
    (failure,) = failures(card, below={key: 0})
    assert failure.to_dict() == {"key": key, "reason": f"{key} is undefined, expected at least 0"}


def test_chance_differences_pass(capsys, folder):
    assert call(capsys, "report", "x.npy", *QUESTIONS, "-o", "old.json")[0] == 0
    for file in ("x.npy", "other.npy"):
        words = ["report", file, "--documents", "x.npy", *QUESTIONS, "--fail-worse-than", "old.json"]
        code, _, err = call(capsys, *words)
        assert code == 0
        assert call(capsys, *words, "--quiet")[2] == ""
    fall = float(re.search(r"a fall of accuracy@10 by up to about ([\d.]+) passes", err)[1])
    for drop in (0.98 * fall, 1.02 * fall):
        old, new = (json.loads(Path("old.json").read_text(encoding="utf-8")) for _ in range(2))
        row = new["sections"]["retrieval"]["tables"]["accuracy"][-1]
        row |= {key: row[key] - drop for key in ("accuracy@K", "low", "high")}
        assert [failure.key for failure in failures(new, worse_than=old)] == ["accuracy@10"] * (drop > fall)


def test_failure_names_the_worse_numbers(capsys, folder):
    options = ["--gold", "gold.txt", "-o"]
    better = ["report", "x.npy", "--questions", "questions.npy", *options]
    assert call(capsys, *better, "old.json")[0] == 0
    words = "report worse.npy --documents x.npy --questions blurred.npy --fail-worse-than old.json"
    code, _, err = call(capsys, *words.split(), *options, "new.json")
    assert code == 1
    for key in ("dimensions_used_corrected", "accuracy@10", "mrr"):
        assert f"{key} changed from " in err
    assert (err.count("numbers compared)"), err.count("ndcg@1 ")) == (1, 0)  # which is the accuracy@1
    assert "isoscore_corrected" not in err  # which would repeat dimensions_used_corrected
    assert "--tolerance" not in err
    assert call(capsys, "report", "x.npy", "-o", "alone.json")[0] == 0
    advice = call(capsys, "report", "worse.npy", "-o", "now.json", "--fail-worse-than", "alone.json")[2]
    # If nothing but the dimensions fell, this advice leaves them out; it would be wrong for a search.
    assert ("--tolerance" in advice) == ("the verdict changed" not in advice)
    # The other way round everything got better.
    assert call(capsys, *better, "again.json", "--fail-worse-than", "new.json")[0] == 0
    code, _, err = call(capsys, "scores", "x.npy", "--fail-worse-than", "old.json")
    assert code == 2
    assert "this card is missing mrr, accuracy@1" in err


def test_worse_verdicts_fail():
    rows = np.random.default_rng(0).standard_normal((300, 20))
    old, new = (report_card(X, pictures=False) for X in (rows, rows + 120))
    assert [failure.key for failure in failures(new, worse_than=old)] == ["verdict"]
    assert failures(old, worse_than=new) == ()
    (none,) = failures(report_card(rows[[*range(100)] * 3], pictures=False), worse_than=old)[:1]
    assert (none.key, "repeat" in none.reason) == ("verdict", True)


def test_one_step_of_the_verdict_needs_a_significant_number():
    """Two samples of one population near the border may have different verdicts by chance."""
    even = np.random.default_rng(0).standard_normal((300, 20))
    steep = even * np.geomspace(1, 9, 20)
    document, worse = (report_card(X, pictures=False).to_dict() for X in (even, steep))
    perhaps = document | {"verdict": "perhaps collapsed"}
    assert failures(perhaps, worse_than=document) == ()
    keys = [failure.key for failure in failures(worse | {"verdict": perhaps["verdict"]}, worse_than=document)]
    assert keys[0] == "verdict"
    assert len(keys) > 1


def test_tolerances_replace_intervals(rng):
    X = rng.standard_normal((400, 5))
    old, new = report_card(X), report_card(X * [1.2, 1, 1, 1, 1])

    def failing_keys(**tolerance):
        reasons = failures(new, worse_than=old, tolerance=tolerance | {"dimensions_used_corrected": math.inf})
        return [failure.key for failure in reasons]

    drop = old.value("isoscore") - new.value("isoscore")
    rise = new.value("isotropy_defect") - old.value("isotropy_defect")  # less of this is better
    assert drop > 0
    assert failing_keys() == []  # it has no interval
    assert failing_keys(isoscore=0.9 * drop) == ["isoscore"]
    assert failing_keys(isoscore=1.1 * drop) == []
    assert failing_keys(isotropy_defect=0.9 * rise) == ["isotropy_defect"]


def minimal_card(value, low, high, level=0.95):
    number = {"value": value, "low": low, "high": high}
    return {
        "sections": {"isotropy": {"numbers": {"dimensions_used_corrected": number}}},
        "options": {"confidence level": level},
    }


def test_failures_agree_with_the_z_test_of_a_difference():
    """The intervals are estimate ± z·error of two independent estimates."""
    z = stats.norm.isf(0.025)
    for z_statistic, fails in ((2.01, True), (1.9, False), (-9.0, False)):
        old, value = minimal_card(0.5, 0.5 - 0.03 * z, 0.5 + 0.03 * z), 0.5 - 0.05 * z_statistic
        new = minimal_card(value, value - 0.04 * z, value + 0.04 * z)
        assert bool(failures(new, worse_than=old)) is fails
    undefined = minimal_card(None, None, None)
    assert not failures(undefined, worse_than=undefined, tolerance={"dimensions_used_corrected": 0})
    (failure,) = failures(undefined, worse_than=minimal_card(0.5, 0.4, 0.6))
    assert failure.reason == "dimensions_used_corrected is undefined but was 0.5000"
    with pytest.raises(ValueError, match="no number with an interval"):
        failures(minimal_card(0.5, None, None), worse_than=minimal_card(0.5, None, None))
