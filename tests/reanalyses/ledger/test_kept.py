"""A build computes what a claim comes to once, and every page shows the same."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from reanalyses import ledger
from reanalyses.ledger import kept

COMPUTED: list[str] = []


def found(values: tuple[float, ...] = (0.1, math.nan), holds: bool | None = None) -> ledger.Finding:
    COMPUTED.append("once more")
    return ledger.Finding(values, holds, "µ < 1")


@pytest.fixture(autouse=True)
def nothing_computed() -> None:
    COMPUTED.clear()


def test_without_a_folder_everything_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(kept.FOLDER, raising=False)
    kept.once("a.b", found)
    kept.once("a.b", found)
    assert len(COMPUTED) == 2


def test_what_is_kept_is_what_was_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(kept.FOLDER, str(tmp_path))
    for _ in range(2):
        one = kept.once("a.b", found)
        assert one.values[0] == 0.1
        assert math.isnan(one.values[1])
        assert (one.holds, one.detail) == (None, "µ < 1")
    assert len(COMPUTED) == 1
    third = float(np.float32(1 / 3))
    other = kept.once("a.c", lambda: found((np.float32(1 / 3),), np.bool_(False)))  # type: ignore[arg-type]
    assert (other.values, other.holds) == ((third,), False)


def test_what_cannot_be_computed_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(kept.FOLDER, str(tmp_path))
    with pytest.raises(ZeroDivisionError):
        kept.once("a.b", lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    assert list(tmp_path.iterdir()) == []


def test_verdicts_and_errata_come_from_what_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(kept.FOLDER, str(tmp_path))
    claim = next(claim for claim in ledger.load() if claim.id == "isoscore-table-2")
    erratum = ledger.load_errata()[0]
    before = ledger.recompute(claim), ledger.recompute_erratum(erratum)
    assert {file.stem for file in tmp_path.iterdir()} == {claim.compute, erratum.compute}
    assert (ledger.recompute(claim), ledger.recompute_erratum(erratum)) == before
    file = tmp_path / f"{claim.compute}.json"
    file.write_text(file.read_text(encoding="utf-8").replace(str(before[0].ours[0]), "7.5"), encoding="utf-8")
    assert ledger.recompute(claim).ours[0] == 7.5
