"""Tests of the scripts behind `make test`, `make setup`, and `make test-kernels`."""

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


def run_step(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(STEP), "Doing it", *command], capture_output=True, text=True, timeout=60
    )


def test_successful_step_prints_one_line() -> None:
    run = run_step(sys.executable, "-c", "import sys; print('noise'); print('WARNING', file=sys.stderr)")
    assert run.returncode == 0
    assert re.fullmatch(r"Doing it … (\d+ min )?\d+ s\n", run.stdout)
    assert run.stderr == ""


def test_failed_step_prints_its_last_output() -> None:
    run = run_step(sys.executable, "-c", "import sys; print('the cause'); sys.exit(3)")
    assert run.returncode == 3
    assert re.fullmatch(r"Doing it … failed after (\d+ min )?\d+ s\nthe cause\n", run.stdout)


def test_step_reports_a_missing_program() -> None:
    run = run_step("no-such-program")
    assert run.returncode == 127
    assert "no-such-program" in run.stdout


def test_folders_and_tests_named_in_conftest_exist() -> None:
    assert [name for name in NUMBERS if not (ROOT / name).exists()] == []
    text = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name in NO_BLAS if f"def {name}(" not in text] == []


def test_kernel_environment_replaces_presets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "512")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    variables = kernels.environment("Nehalem", 2)
    assert variables["OPENBLAS_CORETYPE"] == "Nehalem"
    assert variables["OPENBLAS_NUM_THREADS"] == variables["OMP_NUM_THREADS"] == "2"
    assert "OPENBLAS_L2_SIZE" not in variables


def test_unsupported_kernel_is_reported_with_its_replacement() -> None:
    obstacle = kernels.skip_reason("Nehalem", 1)
    if obstacle == "NumPy has no OpenBLAS here":
        pytest.skip(obstacle)
    assert obstacle == ""  # every recent x86-64 processor can run it
    assert "instead, as this processor cannot run it" in kernels.skip_reason("NoSuchKernel", 1)


def test_illegal_instruction_is_reported_as_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "BLAS_PROGRAM", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    assert kernels.skip_reason("Nehalem", 1) == "this processor cannot run it"


def test_outcomes_are_printed_and_optionally_stored(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs = {
        "Nehalem": kernels.Run("Nehalem  1 thread ", "9 passed, 3 skipped", 1.0, "fine", False),
        "Haswell": kernels.Run("Haswell  1 thread ", "1 failed, 8 passed", 2.0, "the cause", True),
    }
    pages = kernels.Run("Nehalem  book     ", "2 of 2 pages show the same", 3.0, "", False)
    monkeypatch.setattr(kernels, "skip_reason", lambda kernel, threads: "no AVX-512" * (kernel == "SkylakeX"))
    monkeypatch.setattr(kernels, "run_tests", lambda kernel, threads, processes, rest: runs[kernel])
    monkeypatch.setattr(kernels, "blas_libraries", lambda variables: (None, [["Haswell", "1"]]))
    monkeypatch.setattr(kernels, "compare_pages", lambda kernel, _: {"Nehalem": pages}[kernel])
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
    stored = json.loads(kernels.RECORD.read_text(encoding="utf-8"))
    assert stored["rows"] == [
        {"kernel": "Nehalem", "threads": 1, "passed": 9, "skipped": 3},
        {"kernel": "Haswell", "threads": 1, "failed": 1, "passed": 8},
    ]
    assert stored["left out"] == [{"kernel": "SkylakeX", "threads": 1, "why": "no AVX-512"}]


def test_page_differences_ignore_rounding_in_figures(tmp_path: Path) -> None:
    page = "isotropy/what-isotropy-is"
    notebook = json.loads((ROOT / "book" / f"{page}.ipynb").read_text(encoding="utf-8"))
    cells = [index for index, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
    texts = []
    for build, value in ((tmp_path / "one", "0.016"), (tmp_path / "other", "0.017")):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"execution_count": 1, "outputs": []}
        text = f"score {value}\n" + json.dumps(
            [{"at": 0.1234567891234 + float(value) * 1e-14, "sum": 117844130.3089076 + float(value) * 1e-3}]
        )
        notebook["cells"][cells[0]]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}]
        kernels.execution.executed_pages.write_outputs(build / "executed", page, notebook, {})
        texts.append(kernels.page_lines(page, build))
    assert list(kernels.differences(*texts)) == [f"  cell {cells[0]}: …cell {cells[0]}: score 0.01[6 | 7]"]
    assert list(kernels.differences(texts[0], texts[0])) == []
