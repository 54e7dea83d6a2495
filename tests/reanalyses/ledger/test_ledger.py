"""The ledger: every verdict follows from recomputed numbers, and a bad file is refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import get_args

import pytest

from reanalyses import ledger
from tests.reanalyses.ledger import spoiling

CLAIMS = ledger.load()
ERRATA = ledger.load_errata()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_verdict_follows_from_the_numbers(claim):
    if "minilm" in claim.id:
        pytest.importorskip("tokenizers")
    outcome = ledger.recompute(claim)
    assert outcome.follows, (
        f"{claim.verdict!r} does not follow: printed {claim.printed}, ours {outcome.detail}"
    )
    assert (outcome.agrees is None) == (claim.verdict == "cannot be tested here")


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.compute], ids=lambda c: c.id)
def test_no_verdict_survives_spoiled_numbers(claim):
    if "minilm" in claim.id:
        pytest.importorskip("tokenizers")
    record = spoiling.recorded().get(claim.id)
    assert record, f"search with: python -m tests.reanalyses.ledger.spoiling {claim.compute.split('.')[1]}"
    assert spoiling.topples(claim, record), f"{claim.verdict!r} stands although {record}"


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda e: e.id)
def test_deciding_number_of_every_erratum(erratum):
    outcome = ledger.recompute_erratum(erratum)
    assert outcome.follows, f"stated {erratum.deciding}, recomputed {outcome.ours}"


def test_entries_can_be_read_paper_by_paper():
    names = ledger.papers()
    assert names[0] == "Rudman et al. (2022)"
    assert len(set(names)) == len(names)
    assert sum((ledger.load(paper=name) for name in names), ()) == tuple(
        sorted(CLAIMS, key=lambda c: names.index(c.paper))
    )
    errata = ledger.papers(ERRATA)
    assert set(errata) <= set(names)
    assert sum(len(ledger.load_errata(paper=name)) for name in errata) == len(ERRATA)
    with pytest.raises(
        ValueError, match=r"no entry is of the paper 'Nobody \(1900\)'; those there are: Rudman"
    ):
        ledger.load(paper="Nobody (1900)")
    with pytest.raises(ValueError, match="no entry is of the paper 'x'"):
        ledger.load_errata(paper="x")


def test_what_a_paper_states_is_covered_and_every_entry_stands_in_the_list():
    for paper, passages in ledger.coverage().items():
        named = [name for passage in passages for name in passage.entries]
        of_paper = {entry.id for entry in (*CLAIMS, *ERRATA) if entry.paper == paper}
        assert set(named) <= of_paper, sorted(set(named) - of_paper)
        missing = [c.id for c in CLAIMS if c.paper == paper and c.id not in named]
        assert missing == [], f"{paper}: entries that no passage names"
    assert set(ledger.coverage()) == set(ledger.papers())


def test_nothing_is_left_to_fill_in():
    unfinished = [e.id for e in (*CLAIMS, *ERRATA) if "TODO" in repr(e)]
    assert unfinished == []


def test_every_verdict_occurs_and_reasons_are_given():
    assert {c.verdict for c in CLAIMS} == set(get_args(ledger.Verdict))
    assert all(len(c.reason) > 5 for c in CLAIMS)
    assert all(len(c.defense) > 20 for c in CLAIMS if c.verdict == "contradicted")


def test_only_proofs_and_the_papers_own_input_data_and_numbers_contradict():
    for basis in ledger.RULE:
        assert (ledger.verdict(basis, False) == "contradicted") == (basis != "other data")
        assert ledger.verdict(basis, None) == "cannot be tested here"
    assert ledger.verdict("other data", False) == "fails on other data"
    assert ledger.verdict("paper's numbers", True) == "arithmetic holds"


def test_numbers_that_do_not_decide_give_no_verdict(monkeypatch):
    claim = next(c for c in CLAIMS if c.id == "isoscore-table-2")
    monkeypatch.setattr(ledger, "_function", lambda *_: lambda: ledger.Finding((), None, "p = .2"))
    outcome = ledger.recompute(claim)
    assert (outcome.agrees, outcome.follows) == (None, False)
    assert ledger.recompute(dataclasses.replace(claim, verdict="cannot be tested here")).follows


def test_a_wrong_verdict_is_caught():
    claim = next(c for c in CLAIMS if c.id == "isoscore-table-2")
    assert not ledger.recompute(dataclasses.replace(claim, verdict="contradicted")).follows
    wrong = (*claim.printed_values[:-1], 0.99)
    assert not ledger.recompute(dataclasses.replace(claim, printed_values=wrong)).follows


def test_a_wrong_deciding_number_is_caught():
    erratum = next(e for e in ERRATA if e.id == "isoscore-08")
    assert not ledger.recompute_erratum(dataclasses.replace(erratum, deciding=(0.216,))).follows


def test_table_has_one_row_for_each_claim():
    table = ledger.table()
    assert len(table) == len(CLAIMS)
    computed = ledger.table(
        [c for c in CLAIMS if c.id in ("isoscore-table-2", "isoscore-figure-8")], computed=True
    )
    assert computed["follows"].all()
    assert computed["agrees"].tolist() == [True, None]


GOOD = {
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


def write(path: Path, entries: list[dict[str, str]], key: str = "claim") -> Path:
    path.write_text("".join(f"[[{key}]]\n" + "".join(f"{k} = {v}\n" for k, v in e.items()) for e in entries))
    return path


def without(*names: str, **changes: str) -> dict[str, str]:
    return {k: v for k, v in {**GOOD, **changes}.items() if k not in names}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (without("claim"), r"claim 1 \(x\): missing field claim"),
        (without(color='"red"'), r"unknown field color; those that exist: .*verdict"),
        (without(verdict='"true"'), r"verdict is 'true'; expected one of reproduced, arithmetic holds"),
        (without("compute"), r"the verdict 'reproduced' needs a compute"),
        (without("basis"), r"compute, basis and data go together"),
        (without("data"), r"compute, basis and data go together"),
        (without(basis='"belief"'), r"basis is 'belief'; expected one of proof, stated input"),
        (without(kind='"rumor"'), r"kind is 'rumor'; expected one of formula, table"),
        (without(verdict='"contradicted"'), r"a contradicted claim needs its strongest defense"),
        (without(labels='["a", "b"]'), r"2 labels for 1 numbers; expected one for each"),
        (without(printed_values="[1.0, 2.0]"), r"0 labels for 2 numbers; expected one for each"),
        (without(labels="[1]"), r"labels is \[1\]; expected a list of texts"),
        (without(same_as='"x"'), r"same_as is 'x'; expected the id of an entry that is counted itself"),
        (without(same_as='"y"'), r"same_as is 'y'; expected the id of an entry that is counted itself"),
        (without("tolerance"), r"printed_values and tolerance go together"),
        (without(tolerance="-1"), r"tolerance is -1; expected 0 or more"),
        (without(tolerance='"small"'), r"tolerance is 'small'; expected a number"),
        (without(printed_values="[true]"), r"printed_values is \[True\]; expected a list of numbers"),
        (without(printed_values="[]"), r"printed_values is \[\]; expected a list of numbers, not empty"),
        (without(reason='" "'), r"reason is empty"),
        (without(claim="3"), r"claim is 3; expected text"),
    ],
)
def test_bad_entries_are_refused(tmp_path, entry, message):
    with pytest.raises(ValueError, match=message):
        ledger.load(write(tmp_path / "l.toml", [entry]))


def test_good_entry_is_read(tmp_path):
    (claim,) = ledger.load(write(tmp_path / "l.toml", [GOOD]))
    assert claim.printed_values == (1.0,)
    assert claim.tolerance == 0.1


def test_a_claim_that_is_made_twice_has_one_verdict(tmp_path):
    other = without(id='"y"', same_as='"x"')
    assert ledger.load(write(tmp_path / "a.toml", [GOOD, other]))[1].same_as == "x"
    other |= {"verdict": '"arithmetic holds"'}
    with pytest.raises(
        ValueError, match="y: the verdict is 'arithmetic holds', but x, which states the same, is"
    ):
        ledger.load(write(tmp_path / "b.toml", [GOOD, other]))


def test_repeated_ids_empty_and_broken_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match="the id stands twice"):
        ledger.load(write(tmp_path / "a.toml", [GOOD, GOOD]))
    (tmp_path / "b.toml").write_text("")
    with pytest.raises(ValueError, match=r"b.toml has no \[\[claim\]\]"):
        ledger.load(tmp_path / "b.toml")
    (tmp_path / "c.toml").write_text("id = ")
    with pytest.raises(ValueError, match=r"c.toml is not valid TOML"):
        ledger.load(tmp_path / "c.toml")
    with pytest.raises(ValueError, match=r"missing field .*proof"):
        ledger.load_errata(write(tmp_path / "d.toml", [{"id": '"x"'}], key="erratum"))


def test_compute_that_does_not_exist_or_gives_other_lengths(tmp_path):
    (claim,) = ledger.load(
        write(tmp_path / "l.toml", [without(compute='"reanalyses.rudman2022.claims.nothing"')])
    )
    with pytest.raises(
        ValueError, match=r"x: compute names 'reanalyses.rudman2022.claims.nothing', which does not"
    ):
        ledger.recompute(claim)
    (claim,) = ledger.load(
        write(tmp_path / "m.toml", [without(printed_values="[1.0, 2.0]", labels='["a", "b"]')])
    )
    with pytest.raises(ValueError, match="the computation gave 1 values, the entry has 2"):
        ledger.recompute(claim)
