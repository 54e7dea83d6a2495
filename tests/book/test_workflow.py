"""Tests that the commands and the workflow on the command-line page work."""

import html
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from isotropy_report import cli
from isotropy_report.cli import main

PAGE = (Path(__file__).parents[2] / "book" / "reference" / "command-line.md").read_text(encoding="utf-8")


def code_blocks(language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", PAGE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).standard_normal((200, 6))
    np.save("vectors.npy", X)
    np.save("questions.npy", X[:80] + 0.2 * np.random.default_rng(1).standard_normal((80, 6)))
    Path("gold.txt").write_text("".join(f"{i}\n" for i in range(80)), encoding="utf-8")
    frame = pd.DataFrame({"id": range(200), "text": "t", "embedding": X.tolist()})
    frame.to_parquet("train-00000.parquet")
    frame.to_csv("saved.csv", index=False)
    rows = [{"id": str(i), "vector": row} for i, row in enumerate(X.tolist())]
    Path("vectors.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    table = pd.DataFrame(X, columns=[f"e{i}" for i in range(6)])
    table.insert(0, "id", range(200))
    table.insert(1, "text", "t")
    table.to_csv("table.csv", index=False)
    return tmp_path


def example_lines(command: str) -> list[str]:
    """Return the lines of the page that show a command, without comments."""
    lines = [line.partition("#")[0] for block in code_blocks("bash") for line in block.splitlines()]
    return [line for line in lines if line.startswith(f"isotropy-lab {command} ")]


def workflow_commands() -> list[list[str]]:
    """Return the arguments of the steps that measure and compare."""
    (text,) = code_blocks("yaml")
    document: dict[Any, Any] = yaml.safe_load(text)
    steps = document["jobs"]["geometry"]["steps"]
    commands = [step["run"] for step in steps if step.get("run", "").startswith("isotropy-lab ")]
    return [shlex.split(command)[1:] for command in commands]


def test_workflow_fails_only_if_vectors_get_worse(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, compare = workflow_commands()
    noise = 0.2 * np.random.default_rng(1).standard_normal((130, 6))
    np.save("questions.npy", np.load("vectors.npy")[:130] + noise)  # enough for --within
    Path("gold.txt").write_text("".join(f"{i}\n" for i in range(130)), encoding="utf-8")
    index = report.index("--fail-worse-than")
    baseline_report = [*report[:index], "-o", "baseline.json"]
    assert main(baseline_report) == 0
    assert main(report) == 0
    assert "report: passed: 9 numbers compared by interval" in capsys.readouterr().err
    for name in ("vectors", "questions"):
        np.save(f"old{'-questions' * (name == 'questions')}.npy", np.load(f"{name}.npy"))
    assert main(compare) == 0
    assert "compare: passed: vectors.npy is not significantly behind" in capsys.readouterr().err
    np.save("vectors.npy", np.load("vectors.npy") * [99, 1, 1, 1, 1, 1])
    assert main(report) == 1
    err = capsys.readouterr().err
    assert "\n  accuracy@10 is 0." in err
    assert "\n  dimensions_used_corrected changed from " in err
    assert main(compare) == 1
    assert "failed: vectors.npy is behind old.npy in accuracy@1" in capsys.readouterr().err
    assert (folder / "card.html").exists()


def test_score_commands_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = example_lines("scores")
    assert len(lines) == 5
    for name in ("old.npy", "new.npy"):
        np.save(name, np.load("vectors.npy"))
    for line in lines:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0, line
        table = "--table" in line
        assert ("| IsoScore" if table else ": 200 rows in 6 dimensions") in capsys.readouterr().out


def test_threshold_commands_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X = np.load("vectors.npy")
    np.save("documents.npy", X)
    np.save("questions.npy", X + 0.1)
    np.save("others.npy", -X[:50])
    Path("gold.txt").write_text("".join(f"{i}\n" for i in range(200)), encoding="utf-8")
    pairs = "".join(f"{0.5 + i / 1000},{'no' if i % 3 else 'yes'}\n" for i in range(300))
    Path("scored.csv").write_text(pairs, encoding="utf-8")
    lines = example_lines("threshold")
    assert len(lines) == 2
    for line in lines:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0, line
        assert -1 < float(capsys.readouterr().out) < 1
    assert (folder / "threshold.html").exists()


def test_map_commands_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("map", "umap-1", "umap-2"):
        np.save(f"{name}.npy", np.load("vectors.npy")[:, :2])
    for name in ("topics", "titles"):
        Path(f"{name}.txt").write_text("a\nb\n" * 100, encoding="utf-8")
    lines = example_lines("map")
    assert len(lines) == 2
    for line in lines:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0, line
        assert "trustworthiness" in capsys.readouterr().out
    assert (folder / "map.html").exists()
    assert len(pd.read_parquet("points.parquet")) == 200


def test_comparison_commands_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X = np.load("vectors.npy")
    noise = np.random.default_rng(2).standard_normal((200, 5))
    for name, Y in (("old", X), ("new", X[:, :5] + 0.5 * noise), ("other", X[:, :5] + noise)):
        np.save(f"{name}.npy", Y)
        np.save(f"{name}-q.npy", Y[:80] + 0.1)
        for file, part, letter in ((f"{name}.jsonl", Y, "d"), (f"{name}-q.jsonl", Y[:80] + 0.1, "q")):
            rows = [json.dumps({"id": f"{letter}{i}", "vector": row}) for i, row in enumerate(part.tolist())]
            Path(file).write_text("\n".join(rows) + "\n", encoding="utf-8")
    Path("qrels.txt").write_text("".join(f"q{i} 0 d{i} 1\n" for i in range(80)), encoding="utf-8")
    np.save("before.npy", X[:100])
    np.save("after.npy", X[100:])
    lines = example_lines("compare")
    assert len(lines) == 3
    for line in lines:
        assert main([*shlex.split(line)[1:], "--json"]) == 0, line
        result = json.loads(capsys.readouterr().out)
        assert result["kind"] == "comparison"
        assert ("accuracy@10" in result.get("tied", {})) == ("--questions" in line)
    assert (folder / "comparison.html").exists()
    np.save("documents.npy", X)
    np.save("questions.npy", X[:80] + 0.1)
    Path("models.csv").write_text("MiniLM,0.704\nE5,0.74\n", encoding="utf-8")
    lines = [*example_lines("costs"), *example_lines("drift"), *example_lines("audit")]
    assert len(lines) == 4
    for line in lines:
        assert main(shlex.split(line)[1:]) == 0, line
        assert capsys.readouterr().out
    assert (folder / "drift.html").exists()


def test_page_lists_every_option(built: Path) -> None:
    text = (built / "reference" / "command-line.html").read_text(encoding="utf-8")
    page = html.unescape(re.sub(r"<[^>]+>", "", text))
    for name in cli.COMMANDS:
        parser = cli.parser("isotropy-lab", cli.COMMANDS, name)
        subparser = next(action for action in parser._actions if action.dest == "command").choices[name]  # type: ignore[index]
        for action in subparser._actions:  # type: ignore[attr-defined]
            for option in action.option_strings:
                assert option in page, (name, option)
        assert f"$ isotropy-lab {name} " in page
