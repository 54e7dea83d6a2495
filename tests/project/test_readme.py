"""The README shows what its commands print."""

import re
from pathlib import Path

import numpy as np

from isotropy_report.cli import main
from reanalyses.corpora import python_docs

README = Path(__file__).resolve().parents[2] / "README.md"


def test_commands_print_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for model in ("MiniLM", "GloVe"):
        docs = python_docs.load(model)
        np.save(f"docs_{model.lower()}.npy", docs.document_vectors)
        np.save(f"q_{model.lower()}.npy", docs.question_vectors)
    (tmp_path / "gold.txt").write_text("".join(f"{position}\n" for position in docs.gold), encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    examples = re.findall(r"^\$ isotropy-lab (.*)\n((?:(?!\$|```).+\n)+)", text, re.MULTILINE)
    assert len(examples) == 3
    for command, shown in examples:
        assert main(command.split()) == 0
        assert " ".join(shown.split()) in " ".join(capsys.readouterr().out.split()), command
