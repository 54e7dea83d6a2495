"""Tests of the messages of `make test`, `make setup`, and `make test-kernels`."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import NO_BLAS, NUMBERS, script_module

ROOT = Path(__file__).resolve().parents[2]
STEP = ROOT / "scripts" / "step.py"
kernels = script_module("test_kernels")


def step(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(STEP), "Doing it", *command], capture_output=True, text=True, timeout=60
    )


def test_a_step_that_succeeds_takes_one_line() -> None:
    run = step(sys.executable, "-c", "import sys; print('noise'); print('WARNING: more', file=sys.stderr)")
    assert run.returncode == 0
    assert re.fullmatch(r"Doing it … (\d+ min )?\d+ s\n", run.stdout)
    assert run.stderr == ""


def test_a_step_that_fails_shows_what_was_said_last() -> None:
    run = step(sys.executable, "-c", "import sys; print('the cause'); sys.exit(3)")
    assert run.returncode == 3
    assert re.fullmatch(r"Doing it … failed after (\d+ min )?\d+ s\nthe cause\n", run.stdout)


def test_a_step_whose_program_is_missing_says_so() -> None:
    run = step("no-such-program")
    assert run.returncode == 127
    assert "no-such-program" in run.stdout


def test_every_folder_of_numbers_and_every_test_left_out_exists() -> None:
    assert [name for name in NUMBERS if not (ROOT / name).exists()] == []
    text = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name in NO_BLAS if f"def {name}(" not in text] == []


def test_a_kernel_is_asked_for_without_what_the_machine_presets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "512")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    found = kernels.environment("Nehalem", 2)
    assert found["OPENBLAS_CORETYPE"] == "Nehalem"
    assert found["OPENBLAS_NUM_THREADS"] == found["OMP_NUM_THREADS"] == "2"
    assert "OPENBLAS_L2_SIZE" not in found


def test_a_kernel_that_does_not_run_is_named_with_the_one_that_does() -> None:
    why = kernels.obstacle("Nehalem", 1)
    if why == "NumPy has no OpenBLAS here":
        pytest.skip(why)
    assert why == ""  # every x86-64 processor of the last fifteen years can run it
    assert "instead, as this processor cannot run it" in kernels.obstacle("NoSuchKernel", 1)


def test_a_kernel_that_dies_of_an_unknown_instruction_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "BLAS_PROGRAM", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    assert kernels.obstacle("Nehalem", 1) == "this processor cannot run it"


def test_the_outcome_of_each_configuration_is_printed_and_kept_if_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs = {
        "Nehalem": kernels.Run("Nehalem  1 thread ", "9 passed, 3 skipped", 1.0, "fine", False),
        "Haswell": kernels.Run("Haswell  1 thread ", "1 failed, 8 passed", 2.0, "the cause", True),
    }
    pages = kernels.Run("Nehalem  book     ", "2 of 2 pages show the same", 3.0, "", False)
    monkeypatch.setattr(kernels, "obstacle", lambda kernel, threads: "no AVX-512" * (kernel == "SkylakeX"))
    monkeypatch.setattr(kernels, "test", lambda kernel, threads, processes, rest: runs[kernel])
    monkeypatch.setattr(kernels, "blas_libraries", lambda variables: (None, [["Haswell", "1"]]))
    monkeypatch.setattr(kernels, "compare_pages", {"Nehalem": pages}.__getitem__)
    monkeypatch.setattr(kernels, "RECORD", tmp_path / "processors.json")
    assert kernels.main(["--threads", "1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "SkylakeX 1 thread   left out: no AVX-512"
    assert [line.split(", ")[-1] for line in lines[1:4]] == ["1 s", "2 s", "3 s"]
    assert lines[4:] == ["", "--- Haswell  1 thread ", "the cause", "2 of 3 configurations passed in 0 s"]
    assert kernels.main(["--threads", "1", "--kernels", "Nehalem", "SkylakeX"]) == 0
    assert kernels.main(["--threads", "1", "--kernels", "SkylakeX"]) == 1, "nothing ran"
    assert not kernels.RECORD.exists()
    kernels.main(["--threads", "1", "--write"])
    found = json.loads(kernels.RECORD.read_text(encoding="utf-8"))
    assert found["rows"] == [
        {"kernel": "Nehalem", "threads": 1, "passed": 9, "skipped": 3},
        {"kernel": "Haswell", "threads": 1, "failed": 1, "passed": 8},
    ]
    assert found["left out"] == [{"kernel": "SkylakeX", "threads": 1, "why": "no AVX-512"}]


def test_pages_differ_by_a_digit_that_is_read_and_not_by_the_last_of_one_that_is_drawn(
    tmp_path: Path,
) -> None:
    page = "isotropy/what-isotropy-is"
    notebook = json.loads((ROOT / "book" / f"{page}.ipynb").read_text(encoding="utf-8"))
    cells = [index for index, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
    texts = []
    for build, value in ((tmp_path / "one", "0.016"), (tmp_path / "other", "0.017")):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"execution_count": 1, "outputs": []}
        shown = f"score {value}\n" + json.dumps(
            [{"at": 0.1234567891234 + float(value) * 1e-14, "sum": 117844130.3089076 + float(value) * 1e-3}]
        )
        notebook["cells"][cells[0]]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": shown}]
        kernels.execution.executed_pages.keep(build / "executed", page, notebook, {})
        texts.append(kernels.lines_of(page, build))
    assert list(kernels.differences(*texts)) == [f"  cell {cells[0]}: …cell {cells[0]}: score 0.01[6 | 7]"]
    assert list(kernels.differences(texts[0], texts[0])) == []
