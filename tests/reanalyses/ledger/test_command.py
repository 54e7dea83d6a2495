"""Tests of ``python -m reanalyses ledger``: its output and errors, and that it does not overwrite the ledger."""

import json
import re
from pathlib import Path

import pytest

from reanalyses import ledger
from reanalyses.__main__ import main


def call(capsys, *arguments):
    code = main(["ledger", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_ledger_lists_every_claim_and_totals(capsys):
    code, out, _ = call(capsys)
    assert code == 0
    for claim in ledger.load():
        assert any(line.startswith(f"{claim.id} ") and claim.verdict in line for line in out.splitlines())
    assert f"{len(ledger.load())} claims: " in out
    *lines, totals = out.splitlines()
    assert max(map(len, lines)) <= 112
    counted = [
        int(number)
        for number in re.findall(
            r"(\d+) (?:reproduced|\w+ holds|holds|fails|contra|undecided|cannot)", totals
        )
    ]
    assert sum(counted) == sum(not claim.same_as for claim in ledger.load())


def test_json_output_is_filtered_by_paper_and_verdict(capsys):
    code, out, _ = call(capsys, "--paper", "rudman", "--verdict", "contradicted", "--json")
    assert code == 0
    rows = json.loads(out)
    expected = [c.id for c in ledger.load() if c.verdict == "contradicted" and "Rudman" in c.paper]
    assert [row["id"] for row in rows] == expected
    assert {"claim", "printed", "reason", "place"} <= set(rows[0])


def test_filters_select_by_kind_page_and_search(capsys):
    def ids(*arguments):
        return [row["id"] for row in json.loads(call(capsys, *arguments, "--json")[1])]

    claims, errata = ledger.load(), ledger.load_errata()
    assert ids("--kind", "formula") == [c.id for c in claims if c.kind == "formula"]
    page = claims[-1].page
    assert ids("--page", page.upper()) == [c.id for c in claims if c.page == page]
    matches = ids("--search", "Partition  SCORE")
    assert matches
    assert set(matches) < {c.id for c in claims}
    texts = {c.id: f"{c.claim} {c.reason} {c.data} {c.compute} {c.defense}".lower() for c in claims}
    assert set(matches) >= {name for name, text in texts.items() if "partition score" in text}
    kind = ledger.ERRATUM_KINDS[0]
    assert ids("--errata", "--kind", kind) == [e.id for e in errata if e.kind == kind]
    assert ids("--search", "no-such-word-stands-anywhere") == []


def test_missing_extra_affects_only_its_claims(capsys, monkeypatch):
    compute = ledger.recompute

    def without_extra(claim):
        if claim.id == "isoscore-figure-1":
            raise ImportError("install isotropy-lab[minilm]")
        return compute(claim)

    claims = tuple(c for c in ledger.load() if c.id in ("isoscore-figure-1", "isoscore-table-2"))
    monkeypatch.setattr(ledger, "load", lambda: claims)
    monkeypatch.setattr(ledger, "recompute", without_extra)
    code, out, err = call(capsys, "--recompute")
    assert code == 0
    assert "not computed, 1 of 2:\n  isoscore-figure-1: install isotropy-lab[minilm]\n" in err
    lines = {line.split()[0]: line for line in out.splitlines() if line.startswith("isoscore-")}
    assert "not computed" in lines["isoscore-figure-1"]
    assert " yes " in lines["isoscore-table-2"]
    row = json.loads(call(capsys, "--recompute", "--json")[1])[0]
    assert (row["follows"], row["detail"]) == (None, "not computed: install isotropy-lab[minilm]")


def test_recompute_reports_verdicts_and_exit_code(capsys, monkeypatch):
    claims = tuple(claim for claim in ledger.load() if claim.id == "isoscore-table-2")
    monkeypatch.setattr(ledger, "load", lambda: claims)
    code, out, _ = call(capsys, "--recompute")
    assert code == 0
    assert "yes" in out
    code, out, _ = call(capsys, "--recompute", "--json")
    assert json.loads(out)[0]["follows"] is True
    code, out, _ = call(capsys, "--recompute", "--long")
    assert "verdict follows: yes" in out
    assert "k = 2: 0.125; k = 3: 0.25" in out
    outcome = ledger.Outcome("isoscore-table-2", (0.0,), False, False, "off")
    monkeypatch.setattr(ledger, "recompute", lambda _: outcome)
    code, out, _ = call(capsys, "--recompute")
    assert code == 1
    assert "NO" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--paper", "Nobody"], "'Nobody', which no paper's name contains; expected part of one of Rudman"),
        (["--errata", "--verdict", "reproduced"], "errata have no verdict"),
        (["--errata", "--kind", "table"], "'table'; expected one of the kinds of errata: error in a formula"),
        (["--kind", "improvement of ours"], "expected one of the kinds of claims: formula, table"),
        (["--page", "nowhere"], "'nowhere', which no page's name contains; expected part of one of isotropy"),
        (["--paper", "a", "--paper", "b"], "argument --paper: given more than once"),
    ],
)
def test_invalid_options_are_rejected(capsys, arguments, message):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("name", ["ledger.toml", "errata.toml"])
def test_ledger_files_are_not_overwritten(capsys, tmp_path, name):
    source = Path(ledger.__file__).with_name(name)
    before = source.read_bytes()
    link = tmp_path / "link.txt"
    link.symlink_to(source)
    code, out, err = call(capsys, "-o", link)
    assert (code, out) == (2, "")
    assert f"--output {link} is the same file as the {name.removesuffix('.toml')} {source}" in err
    assert source.read_bytes() == before
