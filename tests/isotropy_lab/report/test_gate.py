"""What a build fails for: bounds, an earlier card, and the schema of the JSON that both are read from."""

import json
import math
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy import stats

import isotropy_lab
from isotropy_lab import report_card
from isotropy_lab.report import failures
from isotropy_lab.report.gate import BETTER
from isotropy_lab.report.meanings import MEANINGS
from isotropy_lab.report.parts import SCHEMA
from tests.isotropy_lab.command_line import call, call_json

SCHEMA_FILE = Path(isotropy_lab.__file__).parent / "report" / "data" / "card.schema.json"


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


# --- the schema -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema():
    document = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["properties"]["schema"]["const"] == SCHEMA
    return jsonschema.Draft202012Validator(document)


@pytest.mark.parametrize(
    "arguments",
    [
        ["scores", "x.npy"],
        ["scores", "x.npy", "--groups", "groups.npy"],
        ["report", "x.npy", "--labels", "gold.txt"],
        [
            "report",
            "x.npy",
            "--questions",
            "questions.npy",
            "--gold",
            "several.txt",
            "--compare",
            "worse.npy",
        ],
        ["report", "x.npy", "--projection", "other.npy"],
        ["report", "glove-weat", "--weat", "weat-6"],
    ],
)
def test_every_card_fits_the_schema(capsys, folder, schema, arguments):
    np.save("groups.npy", np.arange(300) // 4)
    Path("gold.txt").write_text("".join(f"{'ab'[i % 2]}\n" for i in range(300)), encoding="utf-8")
    document = call_json(capsys, *arguments)
    schema.validate(document)
    assert document["schema"] == SCHEMA
    assert next(iter(document)) == "schema"


def test_undefined_numbers_fit_the_schema(schema):
    X = np.zeros((30, 4))
    X[:, 0] = np.arange(30)
    schema.validate(report_card(X).to_dict())


def test_the_schema_is_not_satisfied_by_anything(capsys, folder, schema):
    document = call_json(capsys, "scores", "x.npy")
    for path, wrong in (
        (("schema",), 2),
        (("name",), None),
        (("sections", "isotropy", "numbers", "isoscore", "value"), [1]),
        (("sections", "data", "notes"), "x"),
        (("options", "seed"), -1),
    ):
        changed = json.loads(json.dumps(document))
        part = changed
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = wrong
        assert not schema.is_valid(changed), path
        del part[path[-1]]
        assert not schema.is_valid(changed), path


def test_every_direction_is_that_of_a_number():
    assert set(BETTER) <= set(MEANINGS)


# --- bounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["scores", "report"])
def test_a_number_below_a_bound_fails(capsys, folder, command):
    code, _, err = call(capsys, command, "x.npy", "--fail-below", "isoscore=0.9")
    assert (code, err) == (0, "")
    code, failing, err = call(
        capsys, command, "worse.npy", "--fail-below", "isoscore=0.9", "--fail-above", "mean_length=1"
    )
    assert code == 1
    assert "IsoScore" in failing  # the result is there all the same
    assert err.startswith(f"isotropy-lab {command}: failed: isoscore is 0.0")
    assert err.endswith(", above 1\n")
    assert err.count("\n") == 1
    assert "; mean_length is " in err


def test_numbers_of_retrieval_and_the_card_that_is_written(capsys, folder):
    options = ["--questions", "questions.npy", "--gold", "gold.txt", "-o", "card.html", "--quiet"]
    assert (
        call(
            capsys, "report", "x.npy", *options, "--fail-below", "accuracy@10=0.5", "--fail-below", "mrr=0.1"
        )[0]
        == 0
    )
    code, _, err = call(capsys, "report", "x.npy", *options, "--fail-below", "ndcg@5=1")
    assert code == 1
    assert "ndcg@5 is 0." in err
    assert Path("card.html").exists()
    code, _, err = call(capsys, "report", "x.npy", *options, "--fail-below", "recall@5=1")
    assert code == 2
    assert "--fail-below has 'recall@5', which this card does not hold; it holds n_points" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fail-below", "iso_score=0.3"], "--fail-below has 'iso_score' (near it: isoscore"),
        (["--fail-below", "isoscore"], "'isoscore'; expected a key and a number"),
        (["--fail-below", "isoscore=nan"], "expected a key and a number"),
        (["--fail-below", "isoscore=1", "--fail-below", "isoscore=2"], "--fail-below has 'isoscore' more than once"),
        (["--fail-above", "dtype=3"], "--fail-above has 'dtype', which is 'float64' here; expected the key of a number"),
        (["--fail-above", "mrr=3"], "--fail-above has 'mrr', which this card does not hold"),
        (["--tolerance", "isoscore=0.1"], "--tolerance given without --fail-worse-than"),
        (["--fail-worse-than", "none.json"], "--fail-worse-than none.json: there is no such file"),
        (["--fail-worse-than", "gold.txt"], "--fail-worse-than gold.txt is not JSON"),
        (["--fail-worse-than", "old.json"], "--fail-worse-than old.json is not the JSON of a card of schema 1 (it says None)"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_ends_with_2(capsys, folder, options, message):
    Path("old.json").write_text('{"sections": {}}', encoding="utf-8")
    code, _, err = call(capsys, "scores", "x.npy", *options)
    assert code == 2
    assert message in err


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"sections": {"a": 3}}, "card has sections of another form"),
        ({"options": 3}, "expected a ReportCard"),
        ({"sections": {"isotropy": {"numbers": {"isoscore": 3}}}}, "card has sections of another form"),
        ({"sections": {"isotropy": {"numbers": []}}}, "card has sections of another form"),
        ({"sections": {"retrieval": {"numbers": {}, "tables": {"accuracy": [3]}}}}, "card has sections of another form"),
        ({"sections": {"a": {"numbers": {"mrr": {"value": 1, "low": "a", "high": 2}}}}}, "mrr with (1, 'a', 2)"),
        ({"sections": {"a": {"numbers": {"mrr": {"value": math.nan, "low": 0, "high": 2}}}}}, "mrr with (nan, 0, 2)"),
        ({"kind": "comparison"}, "it is that of a comparison"),
    ],
)  # fmt: skip
def test_an_earlier_card_of_another_form_is_refused(capsys, folder, change, why):
    Path("old.json").write_text(json.dumps({"schema": SCHEMA, "sections": {}, "options": {}} | change))
    code, _, err = call(capsys, "scores", "x.npy", "--fail-worse-than", "old.json")
    assert code == 2
    assert "--fail-worse-than old.json is not the JSON of a card of schema 1" in err
    assert why in err


@pytest.mark.parametrize("entry", [3, np.float32(0.5), "0.5", [0.5], None])
def test_a_number_that_is_no_entry_is_refused(entry):
    card = {"sections": {"isotropy": {"numbers": {"isoscore": entry}}}, "options": {}}
    with pytest.raises(TypeError, match="card has sections of another form"):
        failures(card, below={"isoscore": 0})


def test_an_undefined_number_fails(rng):
    X = np.zeros((30, 4))
    X[0] = 1  # the only row with a direction
    card = report_card(X, transformations=False)
    undefined = [line.key for line in card.section("isotropy").lines if line.value is None]
    assert undefined
    (failure,) = failures(card, below={undefined[0]: 0})
    assert failure.reason == f"{undefined[0]} is undefined, expected at least 0"
    assert failure.to_dict() == {"key": undefined[0], "reason": failure.reason}


# --- an earlier card --------------------------------------------------------------------------------------------


def test_a_card_is_no_worse_than_itself_or_other_rows_of_the_same_kind(capsys, folder):
    options = ["--questions", "questions.npy", "--gold", "gold.txt"]
    assert call(capsys, "report", "x.npy", *options, "-o", "old.json")[0] == 0
    for file in ("x.npy", "other.npy"):
        code, _, err = call(
            capsys, "report", file, "--documents", "x.npy", *options, "--fail-worse-than", "old.json"
        )
        assert (code, err) == (0, "")


def test_what_got_worse_is_named(capsys, folder):
    options = ["--gold", "gold.txt", "-o"]
    assert call(capsys, "report", "x.npy", "--questions", "questions.npy", *options, "old.json")[0] == 0
    code, _, err = call(
        capsys, "report", "worse.npy", "--documents", "x.npy", "--questions", "blurred.npy", *options, "new.json",
        "--fail-worse-than", "old.json",
    )  # fmt: skip
    assert code == 1
    assert err.count("\n") == 1
    for key in ("isoscore_corrected", "accuracy@10", "mrr"):
        assert f"{key} went from " in err
    assert "95% interval for all " in err
    assert "dimensions_used_corrected" not in err  # which says what isoscore_corrected says
    # The other way round everything got better.
    assert call(capsys, "report", "x.npy", "--questions", "questions.npy", *options, "again.json",
                "--fail-worse-than", "new.json")[0] == 0  # fmt: skip
    code, _, err = call(capsys, "scores", "x.npy", "--fail-worse-than", "old.json")
    assert code == 2
    assert "the earlier card holds mrr, accuracy@1" in err
    code, _, err = call(
        capsys, "scores", "x.npy", "--fail-worse-than", "old.json", "--confidence-level", "0.9"
    )
    assert code == 2
    assert "expected the same confidence level" in err


def test_a_tolerance_replaces_the_interval(rng):
    X = rng.standard_normal((400, 5))
    old, new = report_card(X), report_card(X * [1.2, 1, 1, 1, 1])
    assert "isoscore" not in {f.key for f in failures(new, worse_than=old)}  # it has no interval
    fell = old.value("isoscore") - new.value("isoscore")
    assert fell > 0
    (failure,) = failures(
        new, worse_than=old, tolerance={"isoscore": 0.9 * fell, "isoscore_corrected": math.inf}
    )
    assert failure.key == "isoscore"
    assert ", by more than " in failure.reason
    assert not failures(
        new, worse_than=old, tolerance={"isoscore": 1.1 * fell, "isoscore_corrected": math.inf}
    )
    risen = new.value("isotropy_defect") - old.value("isotropy_defect")  # less of this is better
    assert failures(new, worse_than=old, tolerance={"isotropy_defect": 0.9 * risen})
    with pytest.raises(ValueError, match="of which neither more nor less is better"):
        failures(new, worse_than=old, tolerance={"average_cosine": 1})
    with pytest.raises(ValueError, match="tolerance given without an earlier card"):
        failures(new, tolerance={"isoscore": 1})
    with pytest.raises(TypeError, match="expected a ReportCard"):
        failures({})


def made(value, low, high, level=0.95):
    number = {"value": value, "low": low, "high": high}
    return {
        "sections": {"isotropy": {"numbers": {"isoscore_corrected": number}}},
        "options": {"confidence level": level},
    }


def test_the_rule_is_the_interval_of_the_difference():
    """For intervals that are estimate ± z·error it is the z test of two independent estimates."""
    z = stats.norm.isf(0.025)
    for gap, fails in ((2.01, True), (1.9, False), (-9.0, False)):
        old, new = made(0.5, 0.5 - 0.03 * z, 0.5 + 0.03 * z), made(0.5 - 0.05 * gap, 0, 0)
        value = new["sections"]["isotropy"]["numbers"]["isoscore_corrected"]["value"]
        new = made(value, value - 0.04 * z, value + 0.04 * z)
        assert bool(failures(new, worse_than=old)) is fails
    assert not failures(
        made(None, None, None), worse_than=made(None, None, None), tolerance={"isoscore_corrected": 0}
    )
    (failure,) = failures(made(None, None, None), worse_than=made(0.5, 0.4, 0.6))
    assert failure.reason == "isoscore_corrected is undefined, and was 0.5000"
    with pytest.raises(ValueError, match="no number with an interval to compare"):
        failures(made(0.5, None, None), worse_than=made(0.5, None, None))


@pytest.mark.rest
def test_builds_seldom_fail_for_nothing():
    """Other rows and questions of the same kind: at most about 1 comparison in 40 fails; here of 15."""

    def card(seed):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((120, 6)) * np.linspace(1, 2, 6)
        questions = X[:40] + rng.standard_normal((40, 6))
        return report_card(X, questions=questions, gold=np.arange(40), transformations=False)

    count = sum(bool(failures(card(2 * i + 1), worse_than=card(2 * i))) for i in range(15))
    assert count <= 3
