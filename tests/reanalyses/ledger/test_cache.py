"""Tests that results of claims are computed once per state of the sources, and shared."""

import itertools
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from reanalyses import dependencies, ledger
from reanalyses.ledger import cache

COMPUTED: list[str] = []


def found(values: tuple[float, ...] = (0.1, math.nan), holds: bool | None = None) -> ledger.Finding:
    COMPUTED.append("once more")
    return ledger.Finding(values, holds, "µ < 1")


#: A repository, of which a claim of the paper rests on everything but the last two files.
FILES = (
    "requirements.lock",
    "isotropy_lab/__init__.py",
    "isotropy_lab/measure.py",
    "book/reanalyses/__init__.py",
    "book/reanalyses/paper/__init__.py",
    "book/reanalyses/paper/claims.py",
    "book/reanalyses/paper/data/words.txt",
    "book/reanalyses/paper/read_on_the_way.txt",
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


def computed(root: Path, path: str = CLAIM) -> bool:
    """Request a finding, and return whether it was computed."""
    COMPUTED.clear()

    def reading() -> ledger.Finding:
        (root / "book/reanalyses/paper/read_on_the_way.txt").read_text(encoding="utf-8")
        return found()

    one = cache.cached_finding(path, reading)
    assert one.values[0] == 0.1
    assert math.isnan(one.values[1])
    assert (one.holds, one.detail) == (None, "µ < 1")
    return bool(COMPUTED)


def test_a_finding_is_computed_again_when_and_only_when_something_that_it_rests_on_has_changed(
    repository: Path,
) -> None:
    assert [computed(repository) for _ in range(2)] == [True, False]
    for name in FILES:
        write(repository / name, (repository / name).read_text(encoding="utf-8") + "# changed\n")
        assert computed(repository) == (name not in FILES[-2:]), name
        assert not computed(repository), name
    write(repository / "book/reanalyses/paper/data/words.txt", "")
    assert computed(repository)


def test_what_a_page_is_shown_is_what_it_rests_on(repository: Path) -> None:
    computed(repository)
    dependencies._added.clear()
    assert not computed(repository)
    assert set(FILES[:-2]) <= dependencies.files_used(repository)


def test_nothing_is_kept_where_nothing_may_be(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (CLAIM, "some.function"):
        monkeypatch.setenv(cache.FOLDER_VARIABLE, "" if path == CLAIM else str(repository))
        assert [computed(repository, path) for _ in range(2)] == [True, True]
    monkeypatch.delenv(cache.FOLDER_VARIABLE)
    computed(repository)
    monkeypatch.setattr(cache, "MAY_WRITE", False)
    assert not computed(repository), "what is there is taken"
    os.utime(repository / FILES[2])
    write(repository / FILES[2], "changed")
    assert [computed(repository) for _ in range(2)] == [True, True]
    monkeypatch.setattr(cache, "MAY_WRITE", True)
    (repository / FILES[2]).write_text("changed while this process runs", encoding="utf-8")
    assert [computed(repository) for _ in range(2)] == [True, True], "who knows what it has imported"
    shutil.rmtree(repository / "book/_build")
    assert [computed(repository) for _ in range(2)] == [True, True]


@pytest.mark.parametrize("damage", ["", "[]", '{"finding": {}, "digests": {}}', '{"finding": null}', "\xff"])
def test_a_damaged_entry_is_computed_again_and_replaced(repository: Path, damage: str) -> None:
    computed(repository)
    (entry,) = (repository / "book/_build/findings").iterdir()
    entry.write_bytes(damage.encode("latin-1"))
    assert [computed(repository) for _ in range(2)] == [True, False]


def test_numbers_of_numpy_are_kept(repository: Path) -> None:
    third = float(np.float32(1 / 3))
    other = cache.cached_finding(CLAIM, lambda: found((np.float32(1 / 3),), np.bool_(False)))  # type: ignore[arg-type]
    assert (other.values, other.holds) == ((third,), False)


def test_verdicts_and_errata_come_from_what_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path))
    claim = next(claim for claim in ledger.load() if claim.id == "isoscore-table-2")
    erratum = ledger.load_errata()[0]
    before = ledger.recompute(claim), ledger.recompute_erratum(erratum)
    assert {file.stem for file in tmp_path.iterdir()} == {claim.compute, erratum.compute}
    assert (ledger.recompute(claim), ledger.recompute_erratum(erratum)) == before
    file = tmp_path / f"{claim.compute}.json"
    file.write_text(file.read_text(encoding="utf-8").replace(str(before[0].ours[0]), "7.5"), encoding="utf-8")
    assert ledger.recompute(claim).ours[0] == 7.5
