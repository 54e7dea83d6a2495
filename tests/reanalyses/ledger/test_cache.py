"""Tests that findings are computed once per state of the sources, and stored."""

import itertools
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from reanalyses import dependencies, ledger
from reanalyses.ledger import cache

CALLS: list[str] = []


def compute_finding(values: tuple[float, ...] = (0.1, math.nan), holds: bool | None = None) -> ledger.Finding:
    CALLS.append("called")
    return ledger.Finding(values, holds, "µ < 1")


#: The files of a repository; a claim of the paper depends on all but the last two.
FILES = (
    "requirements.lock",
    "isotropy_lab/__init__.py",
    "isotropy_lab/measure.py",
    "book/reanalyses/__init__.py",
    "book/reanalyses/paper/__init__.py",
    "book/reanalyses/paper/claims.py",
    "book/reanalyses/paper/data/words.txt",
    "book/reanalyses/paper/read_at_run_time.txt",
    "isotropy_report/plots.py",
    "book/reanalyses/ledger.toml",
)
CLAIM = "reanalyses.paper.claims.claim"
CLOCK = itertools.count(1_000_000_000)


def write(path: Path, text: str) -> None:
    """Write a file dated before this process began, since imported files must not be newer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (moment := next(CLOCK), moment))


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in FILES:
        write(tmp_path / name, "")
    write(tmp_path / "book/reanalyses/paper/claims.py", "from isotropy_lab.measure import score\n")
    (tmp_path / "book/_build/findings").mkdir(parents=True)
    monkeypatch.setattr(dependencies, "ROOT", tmp_path)
    monkeypatch.delenv(cache.FOLDER_VARIABLE, raising=False)
    return tmp_path


def is_computed(root: Path, path: str = CLAIM) -> bool:
    """Request a finding, and return whether it was computed."""
    CALLS.clear()

    def compute_from_file() -> ledger.Finding:
        (root / "book/reanalyses/paper/read_at_run_time.txt").read_text(encoding="utf-8")
        return compute_finding()

    finding = cache.cached_finding(path, compute_from_file)
    assert finding.values[0] == 0.1
    assert math.isnan(finding.values[1])
    assert (finding.holds, finding.detail) == (None, "µ < 1")
    return bool(CALLS)


def test_finding_is_recomputed_only_if_a_dependency_changes(repository: Path) -> None:
    assert [is_computed(repository) for _ in range(2)] == [True, False]
    for name in FILES:
        write(repository / name, (repository / name).read_text(encoding="utf-8") + "# changed\n")
        assert is_computed(repository) == (name not in FILES[-2:]), name
        assert not is_computed(repository), name
    write(repository / "book/reanalyses/paper/data/words.txt", "")
    assert is_computed(repository)


def test_cached_finding_records_its_files_as_used(repository: Path) -> None:
    is_computed(repository)
    dependencies._added.clear()
    assert not is_computed(repository)
    assert set(FILES[:-2]) <= dependencies.files_used(repository)


def test_findings_are_not_stored_where_not_allowed(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (CLAIM, "some.function"):
        monkeypatch.setenv(cache.FOLDER_VARIABLE, "" if path == CLAIM else str(repository))
        assert [is_computed(repository, path) for _ in range(2)] == [True, True]
    monkeypatch.delenv(cache.FOLDER_VARIABLE)
    is_computed(repository)
    monkeypatch.setattr(cache, "MAY_WRITE", False)
    assert not is_computed(repository), "a stored finding is used"
    os.utime(repository / FILES[2])
    write(repository / FILES[2], "changed")
    assert [is_computed(repository) for _ in range(2)] == [True, True]
    monkeypatch.setattr(cache, "MAY_WRITE", True)
    (repository / FILES[2]).write_text("changed while this process runs", encoding="utf-8")
    assert [is_computed(repository) for _ in range(2)] == [True, True], "the old version may be imported"
    shutil.rmtree(repository / "book/_build")
    assert [is_computed(repository) for _ in range(2)] == [True, True]


@pytest.mark.parametrize("damage", ["", "[]", '{"finding": {}, "digests": {}}', '{"finding": null}', "\xff"])
def test_damaged_entry_is_replaced(repository: Path, damage: str) -> None:
    is_computed(repository)
    (entry,) = (repository / "book/_build/findings").iterdir()
    entry.write_bytes(damage.encode("latin-1"))
    assert [is_computed(repository) for _ in range(2)] == [True, False]


def test_numpy_numbers_are_stored(repository: Path) -> None:
    third = float(np.float32(1 / 3))
    finding = cache.cached_finding(CLAIM, lambda: compute_finding((np.float32(1 / 3),), np.bool_(False)))  # type: ignore[arg-type]
    assert (finding.values, finding.holds) == ((third,), False)


def test_verdicts_and_errata_use_stored_findings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path))
    claim = next(claim for claim in ledger.load() if claim.id == "isoscore-table-2")
    erratum = ledger.load_errata()[0]
    before = ledger.recompute(claim), ledger.recompute_erratum(erratum)
    assert {file.stem for file in tmp_path.iterdir()} == {claim.compute, erratum.compute}
    assert (ledger.recompute(claim), ledger.recompute_erratum(erratum)) == before
    file = tmp_path / f"{claim.compute}.json"
    file.write_text(file.read_text(encoding="utf-8").replace(str(before[0].ours[0]), "7.5"), encoding="utf-8")
    assert ledger.recompute(claim).ours[0] == 7.5
