"""Tests that the ledger is complete, valid, and computed by existing functions."""

import dataclasses
import importlib
import inspect
import json
from pathlib import Path
from typing import get_args

import jsonschema
import pytest

from reanalyses import ledger
from reanalyses.__main__ import main

CLAIMS = ledger.load()
ERRATA = ledger.load_errata()


def findings(name: str) -> set[str]:
    """Return the dotted paths of the public functions of a module that return a Finding."""
    module = importlib.import_module(name)
    return {
        f"{name}.{function}"
        for function, member in inspect.getmembers(module, inspect.isfunction)
        if not function.startswith("_")
        and member.__module__ == name
        and member.__annotations__["return"] == "Finding"
    }


@pytest.mark.parametrize(
    "paper", ["rudman2022", "kindel2023", "smelser2025", "roychowdhury2024", "weller2025"]
)
def test_entries_and_computations_correspond_one_to_one(paper):
    compute_of = {claim.id: claim.compute for claim in CLAIMS}
    computed = [
        entry.compute
        for entry in (*CLAIMS, *ERRATA)
        if entry.compute.split(".")[1:2] == [paper]
        # A repeated claim may name the function of the original.
        and compute_of.get(getattr(entry, "same_as", "")) != entry.compute
    ]
    modules = {path.rpartition(".")[0] for path in computed}
    assert sorted(computed) == sorted(set().union(*map(findings, modules)))


def test_coverage_lists_every_entry():
    for paper, passages in ledger.coverage().items():
        assert all(bool(passage.entries) != bool(passage.why_none) for passage in passages)
        named = [name for passage in passages for name in passage.entries]
        of_paper = {entry.id for entry in (*CLAIMS, *ERRATA) if entry.paper == paper}
        assert set(named) <= of_paper, sorted(set(named) - of_paper)
        missing = [c.id for c in CLAIMS if c.paper == paper and c.id not in named]
        assert missing == [], f"{paper}: entries that no passage names"
    assert set(ledger.coverage()) == set(ledger.papers())


def test_exports_match_the_schema(capsys):
    schema = json.loads(Path(ledger.__file__).with_name("ledger.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    outcome = {"ours": [1.0], "agrees": None, "follows": True, "detail": "1"}
    for errata in ([], ["--errata"]):
        assert main(["ledger", "--json", *errata]) == 0
        rows = json.loads(capsys.readouterr().out)
        validator.validate(rows + [row | outcome for row in rows])
        assert not any(
            validator.is_valid([rows[0] | wrong]) for wrong in ({"kind": "rumor"}, {"color": "red"})
        )
    claim, erratum = (schema["$defs"][f"{name}Fields"]["properties"] for name in ("claim", "erratum"))
    assert {*claim} | {*erratum} == {
        f.name for entry_type in (ledger.Claim, ledger.Erratum) for f in dataclasses.fields(entry_type)
    }
    assert claim["basis"]["enum"] == [*ledger.RULE, ""]
    assert (claim["kind"]["enum"], erratum["kind"]["enum"]) == ([*ledger.KINDS], [*ledger.ERRATUM_KINDS])
    assert {c.verdict for c in CLAIMS} == set(get_args(ledger.Verdict)) == set(claim["verdict"]["enum"])


def test_verdict_depends_on_basis_and_agreement():
    for basis in ledger.RULE:
        assert (ledger.verdict(basis, False) == "contradicted") == (basis != "other data")
        assert ledger.verdict(basis, None) == "undecided"
    assert ledger.verdict("", None) == "cannot be tested here"
    assert ledger.verdict("other data", False) == "fails on other data"
    assert ledger.verdict("paper's numbers", True) == "arithmetic holds"


def test_undecided_finding_supports_only_undecided_verdict(monkeypatch):
    claim = next(c for c in CLAIMS if c.id == "isoscore-table-2")
    monkeypatch.setattr(ledger, "cached_finding", lambda *_: ledger.Finding((), None, "p = 0.2"))
    outcome = ledger.recompute(claim)
    assert (outcome.agrees, outcome.follows) == (None, False)
    assert ledger.recompute(dataclasses.replace(claim, verdict="undecided")).follows


def test_wrong_verdicts_and_numbers_are_detected():
    claim = next(c for c in CLAIMS if c.id == "isoscore-table-2")
    assert not ledger.recompute(dataclasses.replace(claim, verdict="contradicted")).follows
    wrong = (*claim.printed_values[:-1], 0.99)
    assert not ledger.recompute(dataclasses.replace(claim, printed_values=wrong)).follows
    erratum = next(e for e in ERRATA if e.id == "isoscore-08")
    assert not ledger.recompute_erratum(dataclasses.replace(erratum, deciding=(0.216,))).follows


VALID_CLAIM = {
    "id": '"x"',
    "paper": '"p"',
    "place": '"q"',
    "kind": '"figure"',
    "claim": '"c"',
    "printed": '"1"',
    "printed_values": "[1.0]",
    "tolerance": "0.1",
    "compute": '"reanalyses.rudman2022.claims.figure_5"',
    "basis": '"stated input"',
    "data": '"clouds"',
    "verdict": '"reproduced"',
    "reason": '"because"',
    "page": '"isotropy/five-scores-six-tests"',
}


def write_claims(path: Path, *entries: dict[str, str]) -> Path:
    path.write_text("".join("[[claim]]\n" + "".join(f"{k} = {v}\n" for k, v in e.items()) for e in entries))
    return path


def variant(*names: str, **changes: str) -> dict[str, str]:
    return {k: v for k, v in {**VALID_CLAIM, **changes}.items() if k not in names}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([variant("claim")], r"claim 1 \(x\): 'claim' is a required property"),
        ([variant(color='"red"')], r"properties are not allowed \('color' was unexpected\)"),
        ([variant(verdict='"true"')], r"verdict: 'true' is not one of \['reproduced', 'arithmetic holds'"),
        ([variant("compute")], r"'compute' is a dependency of 'basis'"),
        ([variant(verdict='"cannot be tested here"')], r"verdict: .* should not be valid under"),
        ([variant("compute", "basis", "data")], r"verdict: 'cannot be tested here' was expected"),
        ([variant("basis")], r"'basis' is a dependency of 'compute'"),
        ([variant("data")], r"'data' is a dependency of 'compute'"),
        ([variant(verdict='"contradicted"')], r"'defense' is a required property"),
        ([variant(labels='["a", "b"]')], r"2 labels for 1 numbers; expected one per number"),
        ([variant(printed_values="[1.0, 2.0]")], r"0 labels for 2 numbers; expected one per number"),
        ([variant(same_as='"x"')], r"same_as is 'x'; expected the id of an entry that is itself counted"),
        ([variant(same_as='"y"')], r"same_as is 'y'; expected the id of an entry that is itself counted"),
        ([variant("tolerance")], r"'tolerance' is a dependency of 'printed_values'"),
        ([variant(tolerance="-1")], r"tolerance: -1 is less than the minimum of 0"),
        ([variant(printed_values="[true]")], r"printed_values: 0: True is not of type 'number'"),
        ([variant(printed_values="[]")], r"printed_values is empty; expected a value"),
        ([variant(reason='" "')], r"reason: ' ' does not match"),
        ([VALID_CLAIM, VALID_CLAIM], "an earlier entry has the same id"),
        ([], r"l.toml has no \[\[claim\]\]"),
        (
            [VALID_CLAIM, variant(id='"y"', same_as='"x"', verdict='"arithmetic holds"')],
            "y: the verdict is 'arithmetic holds', but that of x, the same claim, is",
        ),
    ],
)
def test_invalid_entries_are_rejected(tmp_path, entries, message):
    with pytest.raises(ValueError, match=message):
        ledger.load(write_claims(tmp_path / "l.toml", *entries))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            variant(compute='"reanalyses.rudman2022.claims.nothing"'),
            "x: compute names 'reanalyses.rudman2022.claims.nothing', which does not",
        ),
        (
            variant(printed_values="[1.0, 2.0]", labels='["a", "b"]'),
            "the computation returned 1 values, but the entry has 2",
        ),
    ],
)
def test_mismatched_computations_are_rejected(tmp_path, entry, message):
    (claim,) = ledger.load(write_claims(tmp_path / "l.toml", entry))
    with pytest.raises(ValueError, match=message):
        ledger.recompute(claim)


def test_unreadable_files_and_unknown_papers_are_rejected(tmp_path):
    (tmp_path / "c.toml").write_text("id = ")
    with pytest.raises(ValueError, match=r"c.toml is not valid TOML"):
        ledger.load(tmp_path / "c.toml")
    (tmp_path / "d.toml").write_text('[[erratum]]\nid = "x"\n')
    with pytest.raises(ValueError, match=r"erratum 1 \(x\): 'paper' is a required property"):
        ledger.load_errata(tmp_path / "d.toml")
    with pytest.raises(
        ValueError, match=r"paper is 'Nobody \(1900\)', which has no entries; expected one of Rudman"
    ):
        ledger.load(paper="Nobody (1900)")
