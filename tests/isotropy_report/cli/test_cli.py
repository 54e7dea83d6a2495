"""Tests of the command line: help, processes, exit codes, output files, and judgments."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import isotropy_lab
from isotropy_report import _output as output
from isotropy_report.cli import COMMANDS, audit
from tests.isotropy_report.command_line import call, call_json


def test_help_lists_all_commands(capsys):
    assert call(capsys, "--version") == (0, f"isotropy-lab {isotropy_lab.__version__}\n", "")
    code, out, _ = call(capsys, "--help")
    assert code == 0
    assert all(name in out for name in COMMANDS)
    for name in COMMANDS:
        code, out, _ = call(capsys, name, "--help")
        assert code == 0
        assert COMMANDS[name].load().__doc__.splitlines()[0] in out


def test_module_runs_as_a_process():
    """Numbers go to standard output, and nothing goes to standard error."""
    completed = subprocess.run(
        [sys.executable, "-m", "isotropy_report", "scores", "glove-weat", "--quiet"],
        capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert completed.returncode == 0
    assert completed.stderr == ""
    assert "glove-weat: 387 rows in 100 dimensions" in completed.stdout


@pytest.mark.parametrize(("bound", "code"), [("0.9", 0), ("-1", 1)])
def test_exit_code_is_set_although_the_pipe_is_closed(bound, code):
    """In `check … 2>&1 | grep -q`, a failed gate must not pass."""
    words = ["check", "glove-weat", "--fail-above", f"average_cosine={bound}"]
    with subprocess.Popen(
        [sys.executable, "-m", "isotropy_report", *words],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as process:  # fmt: skip
        process.stdout.close()
        assert process.wait() == code


def test_help_imports_no_heavy_packages():
    code = (
        "import sys; from isotropy_report.cli import main; main(['--help']); "
        "print([m for m in ('numpy', 'scipy', 'pandas', 'sklearn', 'numba', 'gensim') if m in sys.modules])"
    )
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert completed.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("error", "exit_code", "expected"),
    [(KeyError("inside"), 70, "inside"), (KeyboardInterrupt, 130, "interrupted")],
)
def test_internal_errors_and_interruptions_have_exit_codes(capsys, monkeypatch, error, exit_code, expected):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(audit, "run", fail)
    code, out, err = call(capsys, "audit", "--accuracy", "0.70", "--questions", 120)
    assert (code, out) == (exit_code, "")
    assert expected in err


def test_output_replaces_a_file_with_its_permissions(capsys, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    code, out, err = call(capsys, "scores", "glove-weat", "--quiet", "--json", "-o", path)
    assert (code, out, err) == (0, "", "")
    assert json.loads(path.read_text(encoding="utf-8"))["name"] == "glove-weat"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_output_follows_links_and_accepts_devices(capsys, tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    output.replace_file(link, "text")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "text"
    output.replace_file(os.devnull, "text")


@pytest.fixture
def search(tmp_path):
    """Return documents and questions, their files, and the options for the card of a gold file."""
    rng = np.random.default_rng(0)
    documents, questions = rng.standard_normal((40, 8)), rng.standard_normal((5, 8))
    np.save(tmp_path / "documents.npy", documents)
    np.save(tmp_path / "questions.npy", questions)
    words = ["report", tmp_path / "documents.npy", "--questions", tmp_path / "questions.npy", "--gold"]
    return questions, documents, words


@pytest.mark.parametrize("suffix", ["txt", "npy"])
def test_gold_may_list_several_documents_per_question(capsys, tmp_path, search, suffix):
    questions, documents, arguments = search
    gold = np.array([[3, 7, -1], [0, -1, -1], [39, 1, 2], [5, 6, -1], [8, -1, -1]])
    path = tmp_path / f"gold.{suffix}"
    path.write_text("3 7\n0\n39,1, 2\r\n5,6\n8\n") if suffix == "txt" else np.save(path, gold)
    card = call_json(capsys, *arguments, path)
    ranks = isotropy_lab.retrieval.answer_ranks(questions, documents, gold)
    assert card["sections"]["retrieval"]["numbers"]["median_rank"]["value"] == np.median(ranks)


def test_judgments_of_positions_are_read_with_grades(capsys, tmp_path, search):
    questions, documents, arguments = search
    path = tmp_path / "gold.qrels"
    path.write_text("1 0 0 3\n0 Q0 5 2\n0 0 7 1\n\n2 0 9 1\n2 0 8 0\n3 0 1 1\n4 0 2 1\n", encoding="utf-8")
    gold = {0: {5: 2, 7: 1}, 1: {0: 3}, 2: {9: 1}, 3: {1: 1}, 4: {2: 1}}
    ranks = isotropy_lab.retrieval.relevant_ranks(questions, documents, gold)
    table = call_json(capsys, *arguments, path)["sections"]["retrieval"]["tables"]["accuracy"]
    rows = {row["K"]: row for row in table}
    expected = isotropy_lab.retrieval.question_scores(ranks, "ndcg", k=10).mean()
    assert rows["10"]["NDCG@K"] == pytest.approx(expected)
